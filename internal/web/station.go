package web

import (
	"cmp"
	"context"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"leadline/internal/almanac"
	"leadline/internal/chart"
	"leadline/internal/coast"
	"leadline/internal/directory"
	"leadline/internal/page"
	"leadline/internal/place"
	"leadline/internal/words"
)

var (
	stationView = view[stationPage](withMap, "station tide current", "fresh", "curve", "copy",
		"suggest")
	monthView = view[stationPage](page.Options{}, "month tide current")
)

// stationPage is the page of a station.
type stationPage struct {
	page.Frame
	prefs
	ID, Name, State, StateName string
	Title                      string // name and state
	Position, ZoneText, Kind   string
	Years                      string       // of the days in tables
	Links                      template.URL // preferences of links to other stations
	Same                       template.URL // preferences of the pictures and the calendar
	MonthLink                  template.URL
	YearLink                   template.URL
	Subscribe                  template.URL // webcal address of the calendar
	Offline, Crowded           bool         // providers are not asked at all, or not for this address
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

// Predicted reports whether the page has the station's own current.
func (p stationPage) Predicted() bool {
	return p.Current != nil && p.Current.Own && p.Current.Chart != nil
}

// call is a fact of the page as programs request it.
type call struct{ Name, Curl, Tool string }

// station serves the page of a station.
func (s *Server) station(w http.ResponseWriter, r *http.Request, id string) {
	p := prefsOf(r.URL.Query(), s.minute())
	if !stationID().MatchString(id) {
		s.noStation(r.Context(), id, nil).serve(w, r)
		return
	}
	key := p.key("/stations/" + id)
	if kept, ok := s.memory.get(key); ok {
		kept.serve(w, r)
		return
	}
	_, known := s.ids()[strings.ToUpper(id)]
	crowded := !s.c.Offline && (p.Days != month || !known) && !s.mayAsk(r.Context(), id)
	if crowded {
		key += "\x00crowded" // another page than that of other addresses
	}
	if crowded && !known {
		s.busy().serve(w, r)
		return
	}
	s.makeOnce(r.Context(), key, func(ctx context.Context, now time.Time) response {
		p.now = now
		live, cancel := context.WithTimeout(ctx, s.c.Patience)
		defer cancel()
		info, err := s.describe(live, id, p)
		switch {
		case err != nil:
			return s.noStation(ctx, id, err)
		case info.Station.ID != id:
			return redirection{"/stations/" + info.Station.ID}
		}
		return s.makeStation(s.gather(ctx, live), info, p, crowded)
	}).serve(w, r)
}

// makeStation gathers the parts of a station's page and lays it out.
func (s *Server) makeStation(
	g *gathering, info directory.StationInfo, p prefs, crowded bool,
) rendered {
	st := info.Station
	p.in(zoneOfStation(st))
	first := p.midnight()
	last := first.AddDate(0, 0, p.tableDays())
	v := &stationPage{
		Frame: s.frame("Stations", ""), ID: st.ID, Name: st.Name, State: st.State,
		StateName: stateName(st.State), Title: words.WithState(st.Name, st.State),
		Position: position(st.Latitude, st.Longitude), Kind: kindOf(info),
		ZoneText: zonesText(p.zone, first, last, p.now), Years: yearsOf(first, last.AddDate(0, 0, -1)),
		Links: p.query(), Offline: s.c.Offline,
		At: instant(p.now, p.clock(p.now)), Gauge: &gaugeView{},
	}
	v.Canonical = s.c.Base + "/stations/" + st.ID
	v.Skip = "the tide"
	v.Crowded = crowded
	sheet := p.Days == month // to print: nothing on it is observed
	b := s.newBuilder(info, &p, v, !v.Offline && !v.Crowded && !sheet)
	if sheet {
		v.Crowded = false
		b.buildMonth(g)
		v.prefs = p
		return render(monthView, *v, caching{b.complete, time.Minute})
	}
	b.build(g)
	v.prefs = p
	return render(stationView, *v, caching{b.complete && !v.Crowded, time.Minute})
}

// stationBuilder gathers the parts of the page of one station.
type stationBuilder struct {
	*Server
	info     directory.StationInfo
	p        *prefs
	v        *stationPage
	live     bool // providers are asked
	complete bool // no fact is missing that a later request may have

	provenance []coast.Provenance // of all results on the page
	layouts    []func()
	light      func() chart.Daylight // of the span of the charts; computed once
}

// newBuilder returns a builder of a page of a station. live is whether providers are asked.
func (s *Server) newBuilder(
	info directory.StationInfo, p *prefs, v *stationPage, live bool,
) *stationBuilder {
	light := func() chart.Daylight {
		from, to := p.spanOf()
		return almanac.Daylight(info.Station.Latitude, info.Station.Longitude, from, to)
	}
	return &stationBuilder{
		Server: s, info: info, p: p, v: v, live: live, complete: true, light: sync.OnceValue(light),
	}
}

// add adds a function that lays out a part, to be called when all results are there.
func (b *stationBuilder) add(layout func()) { b.layouts = append(b.layouts, layout) }

// lay waits for all results and lays them out.
func (b *stationBuilder) lay(g *gathering) {
	g.wait.Wait()
	for _, layout := range b.layouts {
		layout()
	}
	b.layouts = nil
}

// build gathers all parts at once and lays them out.
func (b *stationBuilder) build(g *gathering) {
	switch b.info.Kind {
	case "current":
		b.askCurrent(g, b.info.Station.ID, nil)
	default:
		b.askTide(g)
	}
	b.askGauge(g)
	b.askWeather(g)
	b.askSky(g)
	b.askNear(g)
	b.askNearestCurrent(g)
	b.lay(g)
	b.finish()
}

// addProvenance adds the provenance of a result to the sources of the page. An input that a
// later request may have makes the page incomplete.
func (b *stationBuilder) addProvenance(p coast.Provenance) {
	b.provenance = append(b.provenance, p)
	for _, m := range p.Missing {
		lacking := m.Transient() && !b.c.Offline
		b.complete = b.complete && !lacking
		b.v.Waiting = b.v.Waiting || lacking
	}
}

// record records the state of a part, and returns it for the page.
func (b *stationBuilder) record(a asked) asked {
	b.complete = b.complete && (b.c.Offline || !a.Care())
	b.v.Waiting = b.v.Waiting || a.State == late
	return a
}

// at returns the argument that names the station.
func (b *stationBuilder) at() place.StationOrPlace {
	return place.StationOrPlace{Station: b.info.Station.ID}
}

// finish fills in what depends on all parts: sources, notes and the calls of programs.
func (b *stationBuilder) finish() {
	v := b.v
	v.Description = description(b.info)
	v.Same = b.p.query("datum", b.p.Datum, "date", b.p.Date)
	v.MonthLink = template.URL("/stations/"+v.ID) +
		b.p.query("datum", b.p.Datum, "date", b.p.Date, "days", "31")
	v.YearLink = template.URL("/stations/"+v.ID+"/year/"+b.p.midnight().Format("2006")) +
		b.p.query("datum", b.p.Datum)
	v.Subscribe = webcal(b.c.Base+"/stations/"+v.ID+"/tide.ics") + b.p.query("datum", b.p.Datum)
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
	b.addLacking()
	byKind := func(a, b sourceView) int { return cmp.Compare(a.order, b.order) }
	slices.SortStableFunc(v.Sources, byKind)
	b.addCalls()
}

// addLacking adds the parts that are late or down to what is missing.
func (b *stationBuilder) addLacking() {
	add := func(input, provider string, a asked) {
		if a.Care() {
			b.v.Missing = append(b.v.Missing, coast.Missing{Input: input, Reason: provider + " " + a.Why})
		}
	}
	if t := b.v.Tide; t != nil {
		add("observed levels", coast.COOPS, t.Levels)
	}
	add("readings", coast.COOPS, b.v.Gauge.Observed)
	add("flood levels", coast.COOPS, b.v.Gauge.Floods)
	add("datums", coast.COOPS, b.v.Gauge.DatumsAre)
	if weather := b.v.Weather; weather != nil {
		add("alerts", coast.NWS, weather.AlertsState)
		add("wind forecast", coast.NWS, weather.Wind)
		add("coastal waters forecast", coast.NWS, weather.TextState)
	}
}

// sourceView is a row of the table of sources.
type sourceView struct {
	Label, URL, Provider, Kind, Age, Freshness string
	order                                      int
	id                                         string
	at                                         *time.Time // of the data
}

// addSource adds a source to the table, once.
func (v *stationPage) addSource(s coast.Source) {
	row := sourceView{
		Label: s.Label, URL: s.AttributionURL, Provider: string(s.Provider), Kind: string(s.Kind),
		id: s.ID, at: s.SourceAt, Age: "unknown",
		order: slices.Index([]string{"prediction", "observation", "forecast", "calculation"},
			string(s.Kind)),
	}
	switch {
	case !s.Available:
		row.Age = "not available"
	case s.AgeMinutes != nil:
		row.Age = ago(*s.AgeMinutes)
		if s.Freshness != coast.Fresh {
			row.Freshness = string(s.Freshness)
		}
	}
	if !strings.HasPrefix(row.URL, "https://") {
		row.URL = ""
	}
	at := slices.IndexFunc(v.Sources, func(o sourceView) bool { return o.id == s.ID })
	switch {
	case at < 0:
		v.Sources = append(v.Sources, row)
	case newer(s.SourceAt, v.Sources[at].at): // of two spans of a fact
		v.Sources[at] = row
	}
}

// newer reports whether a time is after another. No time is older than any.
func newer(a, b *time.Time) bool { return a != nil && (b == nil || a.After(*b)) }

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
	// The arguments that differ from their defaults.
	given := func(names ...string) (query, arguments string) {
		values := map[string]string{"datum": b.p.Datum}
		if b.p.Units != unitsOf[0] {
			values["units"] = b.p.Units
		}
		if b.p.Zone == "gmt" {
			values["time_zone"] = "gmt"
		}
		mark := "?"
		for _, n := range names {
			if v := values[n]; v != "" {
				query += mark + n + "=" + v
				arguments += `, "` + n + `": "` + v + `"`
				mark = "&"
			}
		}
		return query, `{"station": "` + id + `"` + arguments + "}"
	}
	if v.Tide != nil {
		query, arguments := given("datum", "units", "time_zone")
		add("Tide predictions", "/predictions"+query, "noaa_get_tide_predictions "+arguments)
	}
	query, arguments := given("units", "time_zone")
	if b.info.Kind == "current" {
		add("Current predictions", "", "noaa_get_current_predictions "+arguments)
		return
	}
	add("Newest readings", "/conditions"+query, "noaa_get_meteorological_data "+
		strings.TrimSuffix(arguments, "}")+`, "product": "all"}`)
	_, arguments = given("units")
	add("Forecast", "/forecast"+query, "nws_get_wind_forecast "+arguments)
}

// zoneOfStation returns the time zone of a station. The directory has only zones that exist.
func zoneOfStation(st *coast.Station) *time.Location {
	zone, err := time.LoadLocation(st.TimeZone)
	if err != nil {
		return time.UTC
	}
	return zone
}

// weakNote returns what NOAA calls the currents of a station that it does not predict because
// they are weak and variable, or "".
func weakNote(info directory.StationInfo) string {
	i := slices.IndexFunc(info.Notes, func(note string) bool {
		return strings.Contains(note, "weak and variable")
	})
	if i < 0 {
		return ""
	}
	return info.Notes[i]
}

// kindOf describes the predictions of a station.
func kindOf(info directory.StationInfo) string {
	if weakNote(info) != "" {
		return "current station without predictions"
	}
	what := string(info.Kind)
	if water := info.Station.Water; water != "" {
		what = string(water) + " " + what
	}
	switch {
	case info.PredictionKind == "harmonic":
		return what + " station with constants of its own"
	case info.PredictionKind == "subordinate" && info.ReferenceStation != nil:
		return what + " station, subordinate to " + info.ReferenceStation.Name
	}
	return what + " without predictions"
}

// description returns a sentence about a station for search engines.
func description(info directory.StationInfo) string {
	name := words.WithState(info.Station.Name, info.Station.State)
	if info.Kind == "current" {
		return "Predicted currents at " + name + " (NOAA station " + info.Station.ID +
			"): slack, flood and ebb with times, speeds and directions, sun and moon."
	}
	return "Tide at " + name + " (NOAA station " + info.Station.ID +
		"): predicted high and low water, observed level, wind, alerts, sun and moon."
}

// yearsOf names the years of the days from one to another.
func yearsOf(first, last time.Time) string {
	if first.Year() == last.Year() {
		return first.Format("2006")
	}
	return first.Format("2006") + " and " + last.Format("2006")
}

// zonesText names a zone with its offset at each of some times: "EST (UTC−5), EDT (UTC−4)".
func zonesText(zone *time.Location, at ...time.Time) string {
	var texts []string
	for _, t := range at {
		if text := zoneText(zone, t); !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, ", ")
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
