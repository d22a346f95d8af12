// Package plan serves the pages of planning, /planning/...: forms with questions about times, and
// their answers as lists and charts, with links to the same as a calendar, a table or a call. What
// comes in are forms; what goes out are pages. It computes no windows: operations do.
package plan

import (
	"context"
	"embed"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"leadline/internal/coast"
	"leadline/internal/currents"
	"leadline/internal/operation"
	"leadline/internal/page"
	"leadline/internal/schema"
	"leadline/internal/tides"
	"leadline/internal/web/calendar"
	"leadline/internal/web/site"
	"leadline/internal/web/view"
)

//go:embed pages/*.html
var files embed.FS

var (
	plansView = view.New[plansPage](files, page.Options{}, "planning", "suggest")
	planView  = view.New[planPage](files, view.WithCharts, "plan", "curve", "copy", "suggest")
)

// Path is the page of all kinds of planning.
const Path = "/planning"

// plan is a kind of question about times. Each has a page with a form whose fields are the
// parameters of the REST route.
type plan struct {
	Slug, Name, About string
	Caution           string // what the answer does not say
	route             string // of the REST operation, below /api/planning/
	fields            []planField
	fixed             map[string]string // parameters that the page sets
	spanless          bool              // the form has no span
	light             bool              // the form has light, weekdays and hours
}

// planField is a field of a form.
type planField struct {
	Name, Label string
	usual       string // value without one in the address
	Options     []planOption
	Unit        string // height or speed: the unit of the page follows the label
	Required    bool
	Text        bool // not a number
}

// planOption is a choice of a field.
type planOption struct{ Value, Name string }

// Path returns the address of the page.
func (p plan) Path() string { return Path + "/" + p.Slug }

const arithmetic = "This is arithmetic with a prediction: weather, surge, river flow, waves and " +
	"squat are not in it. It does not say that a passage is possible."

// All are all kinds, in the order of the page.
var All = []plan{
	{
		Slug: "low-tide", Name: "Low-tide walk", route: "tide-windows", light: true,
		About: "When the tide is below a height: tide pools, sand bars, a path along the shore.",
		Caution: "The water returns sooner with wind and waves from the sea. Be back before the end of " +
			"the window.",
		fields: []planField{{Name: "below", Label: "Below", usual: "0", Unit: "height", Required: true}},
		fixed:  map[string]string{"light": "daylight", "min_minutes": "30"},
	},
	{
		Slug: "launch", Name: "Launch over a bar or ramp", route: "tide-windows", light: true,
		About:   "When the tide is above a height: a ramp, a bar, a mooring that dries.",
		Caution: arithmetic,
		fields:  []planField{{Name: "above", Label: "Above", usual: "3", Unit: "height", Required: true}},
	},
	{
		Slug: "draft", Name: "Water for a draft", route: "tide-windows", light: true,
		About:   "When the tide adds enough to a charted depth for a draft and a margin.",
		Caution: arithmetic,
		fields: []planField{
			{Name: "draft", Label: "Draft", Unit: "height", Required: true},
			{Name: "charted_depth", Label: "Charted depth", Unit: "height", Required: true},
			{Name: "margin", Label: "Margin", usual: "2", Unit: "height"},
		},
	},
	{
		Slug: "bridge", Name: "Under a bridge", route: "tide-windows", light: true,
		About: "When the tide is low enough for an air draft and a margin, below a charted height.",
		Caution: arithmetic + " Charted heights of bridges are above MHW, mean high water. Signs at " +
			"the bridge come first.",
		fields: []planField{
			{Name: "air_draft", Label: "Air draft", Unit: "height", Required: true},
			{Name: "bridge_clearance", Label: "Charted height", Unit: "height", Required: true},
			{Name: "margin", Label: "Margin", usual: "2", Unit: "height"},
		},
	},
	{
		Slug: "slack", Name: "Slack water", route: "current-windows", light: true,
		About:   "When a tidal current is weak: dives, kayaks, a narrow pass.",
		Caution: "Slack between strong runs is short, and wind or rivers shift it.",
		fields: []planField{
			{Name: "at_most", Label: "At most", usual: "0.5", Unit: "speed", Required: true},
		},
	},
	{
		Slug: "run", Name: "With the current", route: "current-windows", light: true,
		About:   "When a current runs: a passage with the flood or the ebb.",
		Caution: "The current at one station is not that of the whole way.",
		fields: []planField{
			{Name: "at_least", Label: "At least", usual: "1", Unit: "speed", Required: true},
			{Name: "phase", Label: "Phase", usual: "any", Options: []planOption{
				{"any", "flood or ebb"}, {"flood", "flood"}, {"ebb", "ebb"}}},
		},
	},
	{
		Slug: "passage", Name: "Through a pass", route: "transits", light: true,
		About: "When to depart so that the current keeps its limits all the way through a pass.",
		Caution: "The whole pass has the current of one station. It answers when, not where: wind, " +
			"traffic and depth are not in it, and it does not say that a passage is possible.",
		fields: []planField{
			{Name: "distance", Label: "Distance, nautical miles", usual: "1", Required: true},
			{Name: "speed", Label: "Speed, kn", usual: "6", Required: true},
			{Name: "direction", Label: "Way", usual: "with_flood", Options: []planOption{
				{"with_flood", "with the flood"}, {"with_ebb", "with the ebb"}}},
			{Name: "max_current", Label: "Current at most, kn", usual: "4"},
			{Name: "max_against", Label: "Against at most, kn (else half of the speed)"},
		},
	},
	{
		Slug: "route", Name: "Through several passes", route: routes, light: true,
		About: "When to depart so that every pass of a route is met within its limits, up to six.",
		Caution: "The currents act at the gates only, each with that of one station, and the vessel " +
			"does not wait between them. It answers when, not where: wind, traffic and depth are not in " +
			"it, and it does not say that a passage is possible.",
		fields: []planField{{Name: "speed", Label: "Speed, kn", usual: "6", Required: true}},
	},
	{
		Slug: "extremes", Name: "Lowest and highest tides", route: "tide-ranks", light: true,
		About:   "The lowest or highest tides of a span, ranked.",
		Caution: "Predictions leave out the weather, which can matter more than the rank.",
		fields: []planField{{Name: "what", Label: "Tides", usual: "lowest", Options: []planOption{
			{"lowest", "lowest"}, {"highest", "highest"}}}},
	},
	{
		Slug: "king-tides", Name: "King tides", route: "tide-ranks", spanless: true,
		About: "The highest high waters of a year, in groups.",
		Caution: "King tide has no official definition: here it is the highest 2 % of a calendar " +
			"year’s high waters. Whether it floods depends on the weather.",
		fields: []planField{{Name: "year", Label: "Year"}},
		fixed:  map[string]string{"what": "king"},
	},
	{
		Slug: "springs", Name: "Spring and neap tides", route: "tide-ranks",
		About:   "The greatest and smallest ranges near each phase of the moon.",
		Caution: "Predictions leave out the weather.",
		fixed:   map[string]string{"what": "springs", "limit": "100"},
	},
}

// lightField, daysField and clockField limit windows.
var (
	lightField = planField{Name: "light", Label: "Light", usual: "any", Options: []planOption{
		{"any", "any"}, {"daylight", "sun up"}, {"civil", "sun or twilight"}, {"dark", "dark"},
		{"moonlit", "moonlight"}}}
	weekdaysField = planField{Name: "weekdays", Label: "Days", Options: []planOption{
		{"", "all"}, {"sat,sun", "weekends"}, {"mon,tue,wed,thu,fri", "weekdays"}}}
	hoursField = planField{Name: "hours", Label: "Hours", Options: []planOption{
		{"", "all"}, {"05:00-12:00", "5 to 12"}, {"06:00-20:00", "6 to 20"}, {"12:00-20:00", "12 to 20"}}}
)

// transits is the route of passages, which have a shorter span.
const transits = "transits"

// departures reports whether the answer has departures of a vessel, in knots and nautical miles.
func (p plan) departures() bool { return p.route == transits || p.route == routes }

// spans are the lengths of a span in days; the second is the usual one.
var spans = []int{7, 30, 90, 365}

const usualSpan = 30

// Spanless reports whether the form has no span.
func (p plan) Spanless() bool { return p.spanless }

// Fields returns all fields of the form.
func (p plan) Fields() []planField {
	if !p.light {
		return p.fields
	}
	if p.departures() {
		return append(slices.Clone(p.fields), lightField, hoursField)
	}
	return append(slices.Clone(p.fields), lightField, weekdaysField, hoursField)
}

// plansPage is the page of all kinds of planning.
type plansPage struct {
	page.Frame
	Plans []plan
	Place string
}

// planPage is a form with its answer.
type planPage struct {
	page.Frame
	view.Prefs
	plan
	Plans  []plan
	Place  string
	Gates  []gateView // of a route: the filled ones, then empty ones
	filled int
	Form   []fieldView
	Spans  []int
	Length int    // of the span in days
	Bad    string // why there is no answer
	Answer *planAnswer
}

// HasUnits reports whether units change the answer.
func (p planPage) HasUnits() bool { return !p.departures() }

// asked reports whether the form names a place, or gates.
func (p planPage) asked() bool { return p.Place != "" || p.filled > 0 }

// fieldView is a field of a form with its value.
type fieldView struct {
	planField
	Value, UnitName string
	InForce         string // the limit that applies without a value
}

// inForce names the limit that applies in a field, which may be empty.
func (v *planPage) inForce(name string, limit float64) {
	for i := range v.Form {
		if v.Form[i].Name == name {
			v.Form[i].InForce = strconv.FormatFloat(limit, 'g', -1, 64)
		}
	}
}

// mostPlans limits the plans that are computed for an address in a minute. Ours.
const mostPlans = 60

// pages serves the pages of planning.
type pages struct {
	*site.Shared
	planned *site.Allowance
}

// Paths returns the handlers of the pages by their path.
func Paths(shared *site.Shared) map[string]http.HandlerFunc {
	s := &pages{shared, site.NewAllowance(mostPlans, shared.Now)}
	paths := map[string]http.HandlerFunc{Path: s.plans}
	for _, p := range All {
		paths[p.Path()] = func(w http.ResponseWriter, r *http.Request) { s.plan(w, r, p) }
	}
	return paths
}

// plans serves the page of all kinds of planning.
func (s *pages) plans(w http.ResponseWriter, r *http.Request) {
	place := site.Clip(r.URL.Query().Get("place"))
	s.Once(w, r, Path+"\x00"+place, func(context.Context, time.Time) site.Response {
		v := plansPage{
			Frame: s.Frame("Planning", "When the tide or the current is where you need it: low-tide walks, "+
				"launches, drafts, bridges, slack water and king tides."),
			Plans: All, Place: place,
		}
		v.Canonical = s.Base + Path
		v.Skip = "the questions"
		return site.Render(plansView, v, 5*time.Minute)
	})
}

// plan serves a page of planning.
func (s *pages) plan(w http.ResponseWriter, r *http.Request, kind plan) {
	v, q := s.planForm(kind, r.URL.Query())
	key := kind.Path() + "?" + q.Encode() + string(v.Query("clock", v.Clock, "from", v.Date)) +
		strings.Join(v.Notices, "\n")
	if !v.asked() {
		s.Once(w, r, key, func(context.Context, time.Time) site.Response {
			return site.Render(planView, v, site.KeptIf(len(v.Notices) == 0, 5*time.Minute))
		})
		return
	}
	over := func() site.Response {
		return s.TooMany("Too many plans in a minute",
			"This address has asked for many plans. Try again in a minute.")
	}
	s.Limited(w, r, key, s.planned, over, func(ctx context.Context, now time.Time) site.Response {
		v.Now = now
		answer, err := s.answer(ctx, &v, q)
		if err != nil {
			v.Bad = view.Sentence(s.Reason(err))
			return site.Render(planView, v, site.Private)
		}
		v.Answer = answer
		return site.Render(planView, v, site.KeptIf(len(v.Notices) == 0, time.Minute))
	})
}

// planForm reads the fields of a form. It returns the page, and the parameters of the REST route.
// Empty fields count as not given, and unknown parameters are ignored.
func (s *pages) planForm(kind plan, given url.Values) (planPage, url.Values) {
	v := planPage{
		Frame: s.Frame("Planning", kind.About), Prefs: view.ReadPrefs(url.Values{
			"units": given["units"], "clock": given["clock"], "zone": given["zone"], "date": given["date"],
		}, s.Minute()),
		plan: kind, Plans: All, Spans: spans, Length: usualSpan,
	}
	if kind.departures() {
		v.Spans, v.Length = spans[:2], spans[0]
	}
	v.Canonical = s.Base + kind.Path()
	v.Skip = "the plan"
	q := url.Values{}
	for name, value := range kind.fixed {
		q.Set(name, value)
	}
	for _, f := range kind.Fields() {
		value := strings.TrimSpace(site.Clip(given.Get(f.Name)))
		if value == "" && !given.Has(f.Name) {
			if value = q.Get(f.Name); value == "" {
				value = f.usual
			}
		}
		view := fieldView{planField: f, Value: value}
		if f.Unit != "" {
			view.UnitName = unitOf(f.Unit, v.Units)
			value = strings.ReplaceAll(strings.ReplaceAll(value, "\u2212", "-"), ",", ".")
		}
		v.Form = append(v.Form, view)
		if q.Del(f.Name); value != "" && value != "any" {
			q.Set(f.Name, value)
		}
	}
	if kind.route == routes {
		v.readGates(given, q)
	} else {
		s.readPlace(&v, given, q)
	}
	if kind.route == transits {
		q.Set("limit", strconv.Itoa(mostDepartures))
	}
	s.planSpan(&v, given, q)
	if v.Units != view.Units[0] && v.HasUnits() {
		q.Set("units", v.Units)
	}
	if v.Zone == "gmt" {
		q.Set("time_zone", "gmt")
	}
	offset, err := strconv.Atoi(given.Get("offset"))
	if err == nil && offset > 0 && offset <= 10_000 && strings.HasSuffix(kind.route, "windows") {
		q.Set("offset", strconv.Itoa(offset))
	}
	return v, q
}

// readPlace reads the place of a form.
func (s *pages) readPlace(v *planPage, given, q url.Values) {
	v.Place = strings.TrimSpace(site.Clip(given.Get("place")))
	if station := site.Clip(given.Get("station")); v.Place == "" {
		v.Place = station
	}
	if id, ok := s.StationID(v.Place); ok {
		q.Set("station", id)
	} else {
		q.Set("place", v.Place)
	}
}

// planSpan reads the span of a form.
func (s *pages) planSpan(v *planPage, given, q url.Values) {
	if v.spanless {
		return
	}
	if n, err := strconv.Atoi(given.Get("days")); err == nil && slices.Contains(v.Spans, n) {
		v.Length = n
	} else if given.Get("days") != "" {
		v.Notice("days", given.Get("days"), "7, 30, 90 or 365")
	}
	if v.Date == "" {
		q.Set("range", strconv.Itoa(v.Length*24))
		return
	}
	first, _ := time.Parse(time.DateOnly, v.Date) // prefsOf accepts nothing else
	q.Set("begin_date", v.Date)
	q.Set("end_date", first.AddDate(0, 0, v.Length-1).Format(time.DateOnly))
}

// unitOf names the unit of a kind of quantity.
func unitOf(kind, units string) string {
	system := coast.Units(units)
	switch {
	case kind == "speed" && system.Knots():
		return "kn"
	case kind == "speed":
		return "cm/s"
	case system.Meters():
		return "m"
	}
	return "ft"
}

// The parameters of the routes.
var (
	windowsSchema  = sync.OnceValue(schema.Arguments[tides.TideWindowsInput])
	ranksSchema    = sync.OnceValue(schema.Arguments[tides.TideRanksInput])
	currentsSchema = sync.OnceValue(schema.Arguments[currents.CurrentWindowsInput])
	transitsSchema = sync.OnceValue(schema.Arguments[currents.TransitsInput])
)

// decode reads the parameters of a route.
func decode[In any](takes func() *schema.Schema, q url.Values) (in In, err error) {
	return in, takes().DecodeQuery(q, &in)
}

// answer runs the operation of a page.
func (s *pages) answer(ctx context.Context, v *planPage, q url.Values) (*planAnswer, error) {
	switch v.route {
	case "current-windows":
		return answerOf(ctx, v, q, currentsSchema, s.Set.Currents.CurrentWindows, s.currentAnswer)
	case transits:
		return answerOf(ctx, v, q, transitsSchema, s.Set.Currents.Transits, s.transitAnswer)
	case routes:
		in, err := s.routeInput(ctx, v, q)
		if err != nil {
			return nil, err
		}
		out, err := operation.Run(ctx, s.Set.Currents.Routes, in)
		if err != nil {
			return nil, err
		}
		return s.routeAnswer(ctx, v, in, out), nil
	case "tide-ranks":
		in, err := decode[tides.TideRanksInput](ranksSchema, q)
		if err != nil {
			return nil, err
		}
		out, err := operation.Run(ctx, s.Set.Tides.TideRanks, in.Computed())
		if err != nil {
			return nil, err
		}
		return s.rankAnswer(ctx, v, q, out), nil
	}
	return answerOf(ctx, v, q, windowsSchema, s.Set.Tides.TideWindows, s.windowAnswer)
}

// answerOf runs an operation with the parameters of a page and shows its result.
func answerOf[In, Out any](
	ctx context.Context, v *planPage, q url.Values, takes func() *schema.Schema,
	run operation.Handler[In, Out],
	show func(context.Context, *planPage, url.Values, Out) *planAnswer,
) (*planAnswer, error) {
	in, err := decode[In](takes, q)
	if err != nil {
		return nil, err
	}
	out, err := operation.Run(ctx, run, in)
	if err != nil {
		return nil, err
	}
	return show(ctx, v, q, out), nil
}

// links fills in how the answer is had elsewhere: as a calendar, a table, and by programs.
func (s *pages) links(a *planAnswer, v *planPage, q url.Values, tool string) {
	q = copied(q)
	q.Del("place")
	q.Set("station", a.ID)
	q.Del("offset")
	span := copied(q)
	for _, name := range []string{"range", "begin_date", "end_date", "limit"} {
		q.Del(name)
	}
	a.Calls = []view.Call{{
		Name: v.Name, Tool: tool,
		Curl: "curl '" + s.Base + "/api/planning/" + v.route + "?" + span.Encode() + "'",
	}}
	calendar := calendar.Path + v.route + ".ics?" + q.Encode()
	a.Calendar = template.URL(calendar)
	a.Subscribe = view.Webcal(s.Base + calendar)
	a.Table = template.URL("/api/planning/" + v.route + ".csv?" + span.Encode())
}

// copied returns a copy of parameters.
func copied(q url.Values) url.Values {
	c := url.Values{}
	for name, values := range q {
		c[name] = slices.Clone(values)
	}
	return c
}

// paging returns the address of another part of a list of windows.
func (v *planPage) paging(offset int) template.URL {
	q := url.Values{"place": {v.Place}, "days": {strconv.Itoa(v.Length)}}
	for _, f := range v.Form {
		q.Set(f.Name, f.Value)
	}
	if v.Date != "" {
		q.Set("date", v.Date)
	}
	if offset > 0 {
		q.Set("offset", strconv.Itoa(offset))
	}
	for name, values := range mustQuery(string(v.Query())) {
		q[name] = values
	}
	return template.URL(v.Path() + "?" + q.Encode())
}

func mustQuery(text string) url.Values {
	q, _ := url.ParseQuery(strings.TrimPrefix(text, "?")) // our own encoding
	return q
}
