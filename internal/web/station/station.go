// Package station serves the page of a station and its files. What comes in are a station, the
// preferences of a reader, and results of operations, which are asked at once; what goes out is one
// page, in which a part that is late or absent says so.
//
//	station.go   Pages: paths; the builder, which gathers the parts of a page and lays them out
//	water.go     the tide; current.go the current; gauge.go readings, floods and datums
//	weather.go   alerts and forecasts; sky.go sun and moon; around.go the map and stations near
//	month.go     the month to print; year.go a year, a month on each sheet
//	pictures.go  tide.svg, tide.png and tide.ics, which have predictions alone
//	lookup.go    what is shown for an unknown station
//	example.go   the tide of the front page
package station

import (
	"context"
	"embed"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"time"

	"leadline/internal/chart"
	"leadline/internal/coast"
	"leadline/internal/directory"
	"leadline/internal/page"
	"leadline/internal/place"
	"leadline/internal/web/locator"
	"leadline/internal/web/predicted"
	"leadline/internal/web/site"
	"leadline/internal/web/trip"
	"leadline/internal/web/view"
	"leadline/internal/words"
)

//go:embed pages/*.html
var files embed.FS

// withMap are the options of pages that show charts and a map.
var withMap = page.Options{Style: func() string { return chart.Style() + "\n" + locator.Style }}

var (
	stationView = view.New[Page](files, withMap, "station tide current", "fresh", "curve", "copy",
		"suggest")
	monthView = view.New[Page](files, page.Options{}, "month tide current")
)

// Page is the page of a station.
type Page struct {
	page.Frame
	view.Prefs
	ID, Name, State, StateName string
	Title                      string // name and state
	Position, ZoneText, Kind   string
	Years                      string       // of the days in tables
	Links                      template.URL // preferences of links to other stations
	Same                       template.URL // preferences of the pictures and the calendar
	MonthLink                  template.URL
	YearLink                   template.URL
	Subscribe                  template.URL // webcal address of the calendar
	Trip                       *tripLink    // nil without a tide or a lake
	Offline, Crowded           bool         // providers are not asked at all, or not for this address
	At                         template.HTML

	Tide     *tideView    // stations with predicted tides
	Current  *currentView // the station's own current, or that of the nearest current station
	NoTide   string       // why the station has no tide
	NearTide *view.Row    // the nearest station with a predicted tide, if this one is not
	Gauge    *gaugeView
	Weather  *weatherView
	Sky      *skyView
	Map      template.HTML
	Near     []view.Row
	Sources  view.Sources
	Missing  []coast.Missing
	Notes    []string
	Calls    []view.Call
}

// tripLink leads to the page that says whether a day suits.
type tripLink struct {
	Question string // Does Saturday suit?
	Link     template.URL
}

// tripLinkOf returns the question about the next Saturday, today included.
func tripLinkOf(id string, today time.Time) *tripLink {
	l := tripLink{"Does Saturday suit?", trip.Link(id, "saturday")}
	if today.Weekday() == time.Saturday {
		l = tripLink{"Does today suit?", trip.Link(id, "today")}
	}
	return &l
}

// Predicted reports whether the page has the station's own current.
func (p Page) Predicted() bool {
	return p.Current != nil && p.Current.Own && p.Current.Chart != nil
}

// The limits of what an address may open in a minute beyond pages from memory. A crawler then
// costs predictions, and neither the patience of NOAA nor much CPU. The figures are ours.
const (
	askedStations = 20 // stations whose providers are asked
	drawnPictures = 30
)

// Pages serves the pages and files of stations.
type Pages struct {
	*site.Shared
	asking   *site.Allowance
	pictures *site.Allowance
}

// New returns the handler of the pages and files of stations.
func New(shared *site.Shared) *Pages {
	return &Pages{
		Shared: shared, asking: site.NewAllowance(askedStations, shared.Now),
		pictures: site.NewAllowance(drawnPictures, shared.Now),
	}
}

// ServeHTTP serves the page of a station or one of its files.
func (s *Pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
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
func (s *Pages) station(w http.ResponseWriter, r *http.Request, id string) {
	p := view.ReadPrefs(r.URL.Query(), s.Minute())
	if !stationID().MatchString(id) {
		s.noStation(r.Context(), id, nil).Serve(w, r)
		return
	}
	key := p.Key("/stations/" + id)
	if s.ServeKept(w, r, key) {
		return
	}
	_, known := s.StationID(id)
	crowded := !s.Offline && (p.Days != view.Month || !known) &&
		!s.asking.Allows(r.Context(), strings.ToUpper(id))
	if crowded {
		key += "\x00crowded" // another page than that of other addresses
	}
	if crowded && !known {
		s.TooMany("Too many stations in a minute", "This address has opened many stations in a "+
			"minute, and this one is not in the directory of the server. Try again in a minute.").Serve(w, r)
		return
	}
	s.MakeOnce(r.Context(), key, func(ctx context.Context, now time.Time) site.Response {
		p.Now = now
		live, cancel := context.WithTimeout(ctx, s.Patience)
		defer cancel()
		info, err := predicted.Describe(live, s.Set, id, p)
		switch {
		case err != nil:
			return s.noStation(ctx, id, err)
		case info.Station.ID != id:
			return site.Redirection{Path: "/stations/" + info.Station.ID}
		}
		return s.makeStation(s.Gather(ctx, live), info, p, crowded)
	}).Serve(w, r)
}

// makeStation gathers the parts of a station's page and lays it out.
func (s *Pages) makeStation(
	g *site.Gathering, info directory.StationInfo, p view.Prefs, crowded bool,
) site.Rendered {
	st := info.Station
	p.SetZone(view.ZoneOfStation(st))
	first := p.Midnight()
	last := first.AddDate(0, 0, p.TableDays())
	v := &Page{
		Frame: s.Frame("Stations", ""), ID: st.ID, Name: st.Name, State: st.State,
		StateName: view.StateName(st.State), Title: words.WithState(st.Name, st.State),
		Position: view.Position(st.Latitude, st.Longitude), Kind: kindOf(info),
		ZoneText: view.ZonesText(p.Location, first, last, p.Now),
		Years:    yearsOf(first, last.AddDate(0, 0, -1)),
		Links:    p.Query(), Offline: s.Offline,
		At: view.Instant(p.Now, p.Time(p.Now)), Gauge: &gaugeView{},
	}
	v.Canonical = s.Base + "/stations/" + st.ID
	v.Skip = "the tide"
	v.Crowded = crowded
	sheet := p.Days == view.Month // to print: nothing on it is observed
	b := s.newBuilder(info, &p, v, !v.Offline && !v.Crowded && !sheet)
	if sheet {
		v.Crowded = false
		b.buildMonth(g)
		v.Prefs = p
		return site.Render(monthView, *v, site.KeptIf(b.complete, time.Minute))
	}
	b.build(g)
	v.Prefs = p
	return site.Render(stationView, *v, site.KeptIf(b.complete && !v.Crowded, time.Minute))
}

// builder gathers the parts of the page of one station.
type builder struct {
	*predicted.Station
	site     *site.Shared
	v        *Page
	live     bool // providers are asked
	complete bool // no fact is missing that a later request may have

	provenance []coast.Provenance // of all results on the page
	layouts    []func()
}

// newBuilder returns a builder of a page of a station. live is whether providers are asked.
func (s *Pages) newBuilder(
	info directory.StationInfo, p *view.Prefs, v *Page, live bool,
) *builder {
	return &builder{
		Station: predicted.New(info, p), site: s.Shared, v: v, live: live, complete: true,
	}
}

// add adds a function that lays out a part, to be called when all results are there.
func (b *builder) add(layout func()) { b.layouts = append(b.layouts, layout) }

// lay waits for all results and lays them out.
func (b *builder) lay(g *site.Gathering) {
	g.Wait()
	for _, layout := range b.layouts {
		layout()
	}
	b.layouts = nil
}

// build gathers all parts at once and lays them out.
func (b *builder) build(g *site.Gathering) {
	switch b.Info.Kind {
	case "current":
		b.askCurrent(g, b.Info.Station.ID, nil)
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
func (b *builder) addProvenance(p coast.Provenance) {
	b.provenance = append(b.provenance, p)
	for _, m := range p.Missing {
		lacking := m.Transient() && !b.site.Offline
		b.complete = b.complete && !lacking
		b.v.Waiting = b.v.Waiting || lacking
	}
}

// record records the state of a part, and returns it for the page.
func (b *builder) record(a site.Availability) site.Availability {
	b.complete = b.complete && (b.site.Offline || !a.Care())
	b.v.Waiting = b.v.Waiting || a.State == site.Late
	return a
}

// at returns the argument that names the station.
func (b *builder) at() place.StationOrPlace {
	return place.StationOrPlace{Station: b.Info.Station.ID}
}

// finish fills in what depends on all parts: sources, notes and the calls of programs.
func (b *builder) finish() {
	v := b.v
	v.Description = description(b.Info)
	v.Same = b.Prefs.Query("datum", b.Prefs.Datum, "date", b.Prefs.Date)
	v.MonthLink = template.URL("/stations/"+v.ID) +
		b.Prefs.Query("datum", b.Prefs.Datum, "date", b.Prefs.Date, "days", "31")
	v.YearLink = template.URL("/stations/"+v.ID+"/year/"+b.Prefs.Midnight().Format("2006")) +
		b.Prefs.Query("datum", b.Prefs.Datum)
	v.Subscribe = view.Webcal(b.site.Base+"/stations/"+v.ID+"/tide.ics") +
		b.Prefs.Query("datum", b.Prefs.Datum)
	switch now := b.Prefs.Now.In(b.Prefs.Location); {
	case v.Tide != nil || b.Info.GreatLakes():
		v.Trip = tripLinkOf(v.ID, now)
	case v.NearTide != nil:
		v.Trip = tripLinkOf(v.NearTide.ID, now)
	}
	v.Image = b.site.Base + "/stations/" + v.ID + "/tide.png"
	if v.Tide == nil {
		v.Image = ""
	}
	for _, p := range b.provenance {
		for _, source := range p.Sources {
			v.Sources.Add(source)
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
	v.Sources.Sort()
	b.addCalls()
}

// addLacking adds the parts that are late or down to what is missing.
func (b *builder) addLacking() {
	add := func(input, provider string, a site.Availability) {
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
func (b *builder) addCalls() {
	id, v := b.v.ID, b.v
	add := func(name, path, tool string) {
		c := view.Call{Name: name, Tool: tool}
		if path != "" {
			c.Curl = "curl '" + b.site.Base + "/api/v1/stations/" + id + path + "'"
		}
		v.Calls = append(v.Calls, c)
	}
	// The arguments that differ from their defaults.
	given := func(names ...string) (query, arguments string) {
		values := map[string]string{"datum": b.Prefs.Datum}
		if b.Prefs.Units != view.Units[0] {
			values["units"] = b.Prefs.Units
		}
		if b.Prefs.Zone == "gmt" {
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
	if b.Info.Kind == "current" {
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
