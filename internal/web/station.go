package web

import (
	"cmp"
	"context"
	"html/template"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"leadline/internal/access"
	"leadline/internal/coast"
	"leadline/internal/page"
	"leadline/tools"
)

var (
	stationView = view[stationPage](withMap, "station tide current", "curve", "copy", "suggest",
		"fresh")
	monthView = view[stationPage](page.Options{}, "month tide")
)

// stationPage is the page of a station.
type stationPage struct {
	page.Frame
	prefs
	ID, Name, State, StateName string
	Title                      string // name and state
	Position, ZoneText, Kind   string
	Links                      template.URL // preferences of links to other stations
	MonthLink                  template.URL
	Offline, Crowded           bool // providers are not asked at all, or not for this address
	Waiting                    bool // a part is late: a script asks again
	At                         template.HTML

	Tide     *tideView    // stations with predicted tides
	Current  *currentView // the station's own current, or that of the nearest current station
	NoTide   string       // why the station has no tide
	NearTide *row         // the nearest station with a predicted tide, if this one is not
	Gauge    *gaugeView
	Weather  *weatherView
	Sky      *skyView
	Map      template.HTML
	Near     []row
	Sources  []sourceView
	Missing  []coast.Missing
	Notes    []string
	Calls    []call
}

// call is a fact of the page as programs request it.
type call struct{ Name, Curl, Tool string }

// isID reports whether a text has the form of a station id.
var isID = regexp.MustCompile(`^\w{4,16}$`).MatchString

// station serves the page of a station.
func (s *Server) station(w http.ResponseWriter, r *http.Request, id string) {
	now := s.minute()
	p := prefsOf(r.URL.Query(), now)
	if !isID(id) {
		s.noStation(w, r, id)
		return
	}
	key := p.key("/stations/" + id)
	if kept, ok := s.memory.get(key); ok {
		kept.serve(w, r)
		return
	}
	info, state := s.describe(r.Context(), id, p)
	switch {
	case state.State == absent:
		s.noStation(w, r, id)
		return
	case !state.Here():
		s.refuse(w, http.StatusServiceUnavailable, errorView{
			Title: "This station cannot be looked up at the moment",
			Paragraphs: []string{"It is not in the directory of this server, and NOAA " + state.Why + ". " +
				"Stations with predictions do not depend on that."},
		})
		return
	case info.Station.ID != id:
		redirect(w, r, "/stations/"+info.Station.ID)
		return
	}
	made := s.makeStation(r, info, p)
	s.memory.put(key, now, made)
	made.serve(w, r)
}

// describe returns the description of a station.
func (s *Server) describe(
	ctx context.Context, id string, p prefs,
) (info tools.StationInfo, state asked) {
	var a answer[tools.StationInfo]
	g := gather(ctx, patience)
	ask(g, &a, s.c.Set.StationInfo, tools.StationInfoInput{
		AtStation: tools.AtStation{Station: id}, InUnits: tools.InUnits{Units: p.Units},
	})
	g.done()
	return a.Result, a.asked
}

// noStation responds that there is no such station, with the stations that a search for the
// words finds.
func (s *Server) noStation(w http.ResponseWriter, r *http.Request, id string) {
	words := strings.NewReplacer("-", " ", "_", " ", "+", " ").Replace(id)
	list, _ := s.search(r.Context(), tools.SearchStationsInput{Query: words, Limit: 8})
	v := errorView{
		Title: "There is no such station", Query: words, Found: list,
		Paragraphs: []string{"No station of NOAA that predicts or observes has this id."},
	}
	if len(list) > 0 {
		v.Paragraphs = append(v.Paragraphs, "These stations have a similar name:")
	}
	s.refuse(w, http.StatusNotFound, v)
}

// makeStation gathers the parts of a station's page and lays it out.
func (s *Server) makeStation(r *http.Request, info tools.StationInfo, p prefs) rendered {
	st := info.Station
	p.in(zoneOfStation(st))
	v := &stationPage{
		Frame: s.frame("Stations", ""), ID: st.ID, Name: st.Name, State: st.State,
		StateName: stateName(st.State), Title: titleOf(st.Name, st.State),
		Position: position(st.Latitude, st.Longitude), ZoneText: zoneText(p.zone, p.now),
		Kind: kindOf(info), Links: p.query(), Offline: s.c.Offline,
		At: instant(p.now, p.clock(p.now)), Gauge: &gaugeView{},
	}
	v.Canonical = s.c.Base + "/stations/" + st.ID
	v.Skip = "the tide"
	v.MonthLink = template.URL("/stations/"+st.ID) + p.query("date", p.Date, "days", "31")
	caller, _ := access.CallerFrom(r.Context())
	v.Crowded = !v.Offline && !s.asking.allows(caller.Address, st.ID)
	b := &stationBuilder{Server: s, info: info, p: &p, v: v, live: !v.Offline && !v.Crowded}
	if p.Days == month {
		b.buildMonth(r.Context())
		v.prefs = p
		return render(monthView, *v, caching{true, time.Minute})
	}
	b.build(r.Context())
	v.prefs = p
	public := !v.Waiting && !v.Crowded && b.complete
	return render(stationView, *v, caching{public, time.Minute})
}

// stationBuilder gathers the parts of the page of one station.
type stationBuilder struct {
	*Server
	info     tools.StationInfo
	p        *prefs
	v        *stationPage
	live     bool // providers are asked
	complete bool // no part is late or down

	provenance []coast.Provenance // of all results on the page
}

// build gathers all parts at once and lays them out.
func (b *stationBuilder) build(ctx context.Context) {
	g := gather(ctx, patience)
	var layouts []func()
	add := func(layout func()) { layouts = append(layouts, layout) }
	switch b.info.Kind {
	case "current":
		b.askCurrent(g, add, b.info.Station.ID, nil)
	default:
		b.askTide(g, add)
	}
	b.askGauge(g, add)
	b.askWeather(g, add)
	b.askSky(g, add)
	b.askNear(g, add)
	g.done()
	b.complete = true
	for _, layout := range layouts {
		layout()
	}
	b.nearestCurrent(ctx)
	b.finish()
}

// took adds the provenance of a result to the sources of the page.
func (b *stationBuilder) took(p coast.Provenance) { b.provenance = append(b.provenance, p) }

// saw records the state of a part that asks a provider, and returns it for the page.
func (b *stationBuilder) saw(a asked) asked {
	b.complete = b.complete && !a.Care()
	b.v.Waiting = b.v.Waiting || a.State == late
	return a
}

// at returns the argument that names the station.
func (b *stationBuilder) at() tools.AtStation {
	return tools.AtStation{Station: b.info.Station.ID}
}

// finish fills in what depends on all parts: sources, notes and the calls of programs.
func (b *stationBuilder) finish() {
	v := b.v
	v.Description = description(b.info)
	v.Image = b.c.Base + "/stations/" + v.ID + "/tide.png"
	if v.Tide == nil {
		v.Image = ""
	}
	for _, p := range b.provenance {
		for _, source := range p.Sources {
			v.addSource(source)
		}
		for _, m := range p.Missing {
			if !slices.Contains(v.Missing, m) {
				v.Missing = append(v.Missing, m)
			}
		}
		for _, note := range p.Notes {
			if !slices.Contains(v.Notes, note) {
				v.Notes = append(v.Notes, note)
			}
		}
	}
	byKind := func(a, b sourceView) int { return cmp.Compare(a.order, b.order) }
	slices.SortStableFunc(v.Sources, byKind)
	b.addCalls()
}

// sourceView is a row of the table of sources.
type sourceView struct {
	Label, URL, Provider, Kind, Age, Freshness string
	order                                      int
	id                                         string
}

// addSource adds a source to the table, once.
func (v *stationPage) addSource(s coast.Source) {
	if slices.ContainsFunc(v.Sources, func(o sourceView) bool { return o.id == s.ID }) {
		return
	}
	row := sourceView{
		Label: s.Label, URL: s.AttributionURL, Provider: s.Provider, Kind: string(s.Kind),
		Freshness: string(s.Freshness), id: s.ID, Age: "unknown",
		order: slices.Index([]string{"prediction", "observation", "forecast", "calculation"},
			string(s.Kind)),
	}
	switch {
	case !s.Available:
		row.Age = "not available"
	case s.AgeMinutes != nil:
		row.Age = ago(*s.AgeMinutes)
	}
	if !strings.HasPrefix(row.URL, "https://") {
		row.URL = ""
	}
	v.Sources = append(v.Sources, row)
}

// addCalls lists how programs request the facts of the page.
func (b *stationBuilder) addCalls() {
	id, v := b.v.ID, b.v
	add := func(name, path, tool string) {
		c := call{Name: name, Tool: tool}
		if path != "" {
			c.Curl = "curl '" + b.c.Base + "/api/v1/stations/" + id + path + "'"
		}
		v.Calls = append(v.Calls, c)
	}
	units := ""
	if b.p.Units == "metric" {
		units = `, "units": "metric"`
	}
	query := func(names ...string) string {
		values := map[string]string{"datum": b.p.Datum, "time_zone": "", "units": ""}
		if b.p.Units == "metric" {
			values["units"] = "metric"
		}
		if b.p.Zone == "gmt" {
			values["time_zone"] = "gmt"
		}
		var parts []string
		for _, n := range names {
			if values[n] != "" {
				parts = append(parts, n+"="+values[n])
			}
		}
		if parts == nil {
			return ""
		}
		return "?" + strings.Join(parts, "&")
	}
	station := `{"station": "` + id + `"` + units + `}`
	if v.Tide != nil {
		add("Tide predictions", "/predictions"+query("datum", "units", "time_zone"),
			"noaa_get_tide_predictions "+station)
	}
	if b.info.Kind == "current" {
		add("Current predictions", "", "noaa_get_current_predictions "+station)
		return
	}
	add("Newest readings", "/conditions"+query("units", "time_zone"),
		`noaa_get_meteorological_data {"station": "`+id+`", "product": "all"`+units+`}`)
	add("Forecast", "/forecast"+query("units", "time_zone"), "nws_get_wind_forecast "+station)
}

// zoneOfStation returns the time zone of a station. The directory has only zones that exist.
func zoneOfStation(st *coast.Station) *time.Location {
	zone, err := time.LoadLocation(st.TimeZone)
	if err != nil {
		return time.UTC
	}
	return zone
}

// titleOf returns the name of a station with its state.
func titleOf(name, state string) string {
	if state == "" {
		return name
	}
	return name + ", " + state
}

// kindOf describes the predictions of a station.
func kindOf(info tools.StationInfo) string {
	what := map[string]string{"tide": "tide", "current": "current", "gauge": "gauge"}[info.Kind]
	switch {
	case info.PredictionKind == "harmonic":
		return what + " station with constants of its own"
	case info.PredictionKind == "subordinate" && info.ReferenceStation != nil:
		return what + " station, subordinate to " + info.ReferenceStation.Name
	}
	return what + " without predictions"
}

// description returns a sentence about a station for search engines.
func description(info tools.StationInfo) string {
	name := titleOf(info.Station.Name, info.Station.State)
	if info.Kind == "current" {
		return "Predicted currents at " + name + " (NOAA station " + info.Station.ID +
			"): slack, flood and ebb with times, speeds and directions, sun and moon."
	}
	return "Tide at " + name + " (NOAA station " + info.Station.ID +
		"): predicted high and low water, observed level, wind, alerts, sun and moon."
}

// zoneText names a zone with its offset at a time.
func zoneText(zone *time.Location, at time.Time) string {
	if zone == time.UTC {
		return "UTC"
	}
	t := at.In(zone)
	name, _ := t.Zone()
	if strings.HasPrefix(name, "+") || strings.HasPrefix(name, "-") {
		name = strings.ReplaceAll(zone.String(), "_", " ")
	}
	return name + " (" + offsetOf(t) + ")"
}
