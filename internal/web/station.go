package web

import (
	"context"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"time"

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
	Sources  sources
	Missing  []coast.Missing
	Notes    []string
	Calls    []call
}

// Predicted reports whether the page has the station's own current.
func (p stationPage) Predicted() bool {
	return p.Current != nil && p.Current.Own && p.Current.Chart != nil
}

// The limits of what an address may open in a minute beyond pages from memory. A crawler then
// costs predictions, and neither the patience of NOAA nor much CPU. The figures are ours.
const (
	askedStations = 20 // stations whose providers are asked
	drawnPictures = 30
)

// stationPages serves the pages and files of stations.
type stationPages struct {
	*Shared
	asking   *allowance
	pictures *allowance
}

// newStationPages returns the handler of the pages and files of stations.
func newStationPages(shared *Shared) *stationPages {
	return &stationPages{
		Shared: shared, asking: newAllowance(askedStations, shared.Now),
		pictures: newAllowance(drawnPictures, shared.Now),
	}
}

// ServeHTTP serves the page of a station or one of its files.
func (s *stationPages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id, file, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/stations/"), "/")
	if year, ok := strings.CutPrefix(file, "year/"); ok {
		s.year(w, r, id, year)
		return
	}
	switch file {
	case "":
		s.station(w, r, id)
	case "tide.svg":
		s.tideSVG(w, r, id)
	case "tide.png":
		s.tidePNG(w, r, id)
	case "tide.ics":
		s.tideCalendar(w, r, id)
	default:
		s.NotFound(w, r)
	}
}

// station serves the page of a station.
func (s *stationPages) station(w http.ResponseWriter, r *http.Request, id string) {
	p := prefsOf(r.URL.Query(), s.minute())
	if !stationID().MatchString(id) {
		s.noStation(r.Context(), id, nil).serve(w, r)
		return
	}
	key := p.key("/stations/" + id)
	if s.serveKept(w, r, key) {
		return
	}
	_, known := s.StationID(id)
	crowded := !s.Offline && (p.Days != month || !known) &&
		!s.asking.allows(r.Context(), strings.ToUpper(id))
	if crowded {
		key += "\x00crowded" // another page than that of other addresses
	}
	if crowded && !known {
		s.tooMany("Too many stations in a minute", "This address has opened many stations in a "+
			"minute, and this one is not in the directory of the server. Try again in a minute.").serve(w, r)
		return
	}
	s.makeOnce(r.Context(), key, func(ctx context.Context, now time.Time) response {
		p.now = now
		live, cancel := context.WithTimeout(ctx, s.Patience)
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
func (s *stationPages) makeStation(
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
		Links: p.query(), Offline: s.Offline,
		At: instant(p.now, p.clock(p.now)), Gauge: &gaugeView{},
	}
	v.Canonical = s.Base + "/stations/" + st.ID
	v.Skip = "the tide"
	v.Crowded = crowded
	sheet := p.Days == month // to print: nothing on it is observed
	b := s.newBuilder(info, &p, v, !v.Offline && !v.Crowded && !sheet)
	if sheet {
		v.Crowded = false
		b.buildMonth(g)
		v.prefs = p
		return render(monthView, *v, keptIf(b.complete, time.Minute))
	}
	b.build(g)
	v.prefs = p
	return render(stationView, *v, keptIf(b.complete && !v.Crowded, time.Minute))
}

// stationBuilder gathers the parts of the page of one station.
type stationBuilder struct {
	*predictions
	site     *Shared
	v        *stationPage
	live     bool // providers are asked
	complete bool // no fact is missing that a later request may have

	provenance []coast.Provenance // of all results on the page
	layouts    []func()
}

// newBuilder returns a builder of a page of a station. live is whether providers are asked.
func (s *stationPages) newBuilder(
	info directory.StationInfo, p *prefs, v *stationPage, live bool,
) *stationBuilder {
	return &stationBuilder{
		predictions: newPredictions(info, p), site: s.Shared, v: v, live: live, complete: true,
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
		lacking := m.Transient() && !b.site.Offline
		b.complete = b.complete && !lacking
		b.v.Waiting = b.v.Waiting || lacking
	}
}

// record records the state of a part, and returns it for the page.
func (b *stationBuilder) record(a asked) asked {
	b.complete = b.complete && (b.site.Offline || !a.Care())
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
	v.Subscribe = webcal(b.site.Base+"/stations/"+v.ID+"/tide.ics") + b.p.query("datum", b.p.Datum)
	v.Image = b.site.Base + "/stations/" + v.ID + "/tide.png"
	if v.Tide == nil {
		v.Image = ""
	}
	for _, p := range b.provenance {
		for _, source := range p.Sources {
			v.Sources.add(source)
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
	v.Sources.sort()
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

// addCalls lists how programs request the facts of the page.
func (b *stationBuilder) addCalls() {
	id, v := b.v.ID, b.v
	add := func(name, path, tool string) {
		c := call{Name: name, Tool: tool}
		if path != "" {
			c.Curl = "curl '" + b.site.Base + "/api/v1/stations/" + id + path + "'"
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
