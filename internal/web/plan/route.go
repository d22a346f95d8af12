package plan

import (
	"context"
	"encoding/json"
	"fmt"
	"html/template"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"leadline/internal/chart"
	"leadline/internal/coast"
	"leadline/internal/currents"
	"leadline/internal/intervals"
	"leadline/internal/operation"
	"leadline/internal/schema"
	"leadline/internal/web/calendar"
	"leadline/internal/web/site"
	"leadline/internal/web/view"
	"leadline/internal/words"
)

// routes is the route of passages through several passes. Its form has gates instead of a place.
const routes = "routes"

// The gates of the form: two are shown, and one more than are filled in, up to the most that the
// operation takes.
const (
	fewestGates = 2
	mostGates   = 6
)

// gateFields are the fields of a gate. Their names in the form end in the number of the gate.
var gateFields = []planField{
	{Name: "station", Label: "Current station or place", Text: true},
	{Name: "leg", Label: "Nautical miles before it", usual: "0"},
	{Name: "distance", Label: "Nautical miles through", usual: "0"},
	{Name: "direction", Label: "Way", usual: "with_flood", Options: []planOption{
		{"with_flood", "with the flood"}, {"with_ebb", "with the ebb"}}},
	{Name: "max_current", Label: "Current at most, kn", usual: "4"},
}

// gateView is a gate of the form.
type gateView struct {
	Number int
	Fields []fieldView
}

// gatePassed is a gate of the answer.
type gatePassed struct {
	Title, ID string // of the station
	Link      template.URL
	Limits    string
}

// readGates reads the gates of a form that name a station, in order, and adds them to q.
func (v *planPage) readGates(given, q url.Values) {
	filled := 0
	for n := 1; n <= mostGates; n++ {
		if strings.TrimSpace(given.Get("station"+strconv.Itoa(n))) == "" {
			continue
		}
		filled++
		v.Gates = append(v.Gates, gateOf(given, strconv.Itoa(n), filled))
	}
	for _, g := range v.Gates {
		for _, f := range g.Fields {
			if f.Value != "" {
				q.Set(f.Name, f.Value)
			}
		}
	}
	for n := filled + 1; n <= max(fewestGates, min(filled+1, mostGates)); n++ {
		v.Gates = append(v.Gates, gateOf(nil, "", n))
	}
	v.filled = filled
}

// gateOf returns the gate of a form whose names end in from, as the gate of a number.
func gateOf(given url.Values, from string, number int) gateView {
	g := gateView{Number: number}
	for _, f := range gateFields {
		value := strings.TrimSpace(site.Clip(given.Get(f.Name + from)))
		if value == "" {
			value = f.usual
		}
		if !f.Text {
			value = strings.ReplaceAll(value, ",", ".")
		}
		f.Name += strconv.Itoa(number)
		g.Fields = append(g.Fields, fieldView{planField: f, Value: value})
	}
	return g
}

// routeQuery holds the parameters of a route other than its gates.
type routeQuery struct {
	Speed float64 `json:"speed" min:"0.5" max:"40" doc:"Knots through the water." example:"6"`
	intervals.InLight
	intervals.InHours
	operation.Span
	operation.InZone
}

var (
	routeSchema = sync.OnceValue(schema.Arguments[routeQuery])
	gateSchema  = sync.OnceValue(schema.Arguments[currents.RouteGate])
)

// routeInput returns the request of a form.
func (s *pages) routeInput(
	ctx context.Context, v *planPage, q url.Values,
) (in currents.RoutesInput, err error) {
	rest := copied(q)
	for i, g := range v.Gates[:v.filled] {
		of := url.Values{}
		for j, f := range g.Fields {
			rest.Del(f.Name)
			if f.Value != "" {
				of.Set(gateFields[j].Name, f.Value)
			}
		}
		gate, err := s.gate(ctx, of)
		if err != nil {
			return in, numbered(i, err)
		}
		in.Gates = append(in.Gates, gate)
	}
	given, err := decode[routeQuery](routeSchema, rest)
	if err != nil {
		return in, err
	}
	in.Speed, in.InLight, in.InHours = given.Speed, given.InLight, given.InHours
	in.Span, in.InZone, in.Limit = given.Span, given.InZone, mostDepartures
	return in, nil
}

// gate reads a gate. Its station may be a place: then it is the station that transits take for it.
func (s *pages) gate(ctx context.Context, q url.Values) (currents.RouteGate, error) {
	text := q.Get("station")
	if id, ok := s.StationID(text); ok {
		q.Set("station", id)
		return decode[currents.RouteGate](gateSchema, q)
	}
	near := currents.TransitsInput{Speed: 1, Limit: 1, Span: operation.Span{Range: 1}}
	near.Place = text
	out, err := operation.Run(ctx, s.Set.Currents.Transits, near)
	if err != nil {
		return currents.RouteGate{}, err
	}
	q.Set("station", out.Station.ID)
	return decode[currents.RouteGate](gateSchema, q)
}

// numbered adds the number of a gate to an error.
func numbered(i int, err error) error {
	e, known := coast.AsError(err)
	if !known {
		return err
	}
	out := *e
	out.Message = fmt.Sprintf("Gate %d: %s", i+1, e.Message)
	return &out
}

// routeAnswer shows departures of a route.
func (s *pages) routeAnswer(
	ctx context.Context, v *planPage, in currents.RoutesInput, out currents.Routes,
) *planAnswer {
	frame := out.Frame
	frame.Station = &out.Gates[0].Station
	a := s.newAnswer(v, frame, nil, out.Span)
	var names []string
	for _, g := range out.Gates {
		name := words.WithState(g.Station.Name, g.Station.State)
		names = append(names, name)
		a.Gates = append(a.Gates, gatePassed{
			Title: name, ID: g.Station.ID, Link: template.URL("/stations/"+g.Station.ID) + v.Query(),
			Limits: gateText(g),
		})
	}
	a.Title = strings.Join(names, ", ")
	a.Heading = departuresHeading(out.Total, len(out.Windows))
	a.Columns = []string{"Day", "Depart", "Shortest trip"}
	for i := range out.Gates {
		a.Columns = append(a.Columns, "Gate "+strconv.Itoa(i+1)+", kn")
	}
	var spans []chart.Span
	at := v.Now
	for _, w := range out.Windows {
		spans = append(spans, chart.Span{From: w.DepartFrom, To: w.DepartTo})
		cells := []string{v.Between(w.DepartFrom, w.DepartTo), v.Between(w.Best.Depart, w.Best.Arrive)}
		for _, g := range w.Gates {
			knots := func(v float64) string { return chart.Number(v, 1) }
			cells = append(cells, v.Between(g.Enter, g.Leave)+", at most "+knots(g.MaxCurrent)+
				"; window "+g.Window.Words(knots))
		}
		a.Rows = append(a.Rows, a.row(v.Prefs, w.DepartFrom, cells...))
	}
	if len(spans) > 0 {
		at = longest(spans).From
	}
	a.ChartWords = "The curve is the current at the first gate, the bars are departures that meet " +
		"every gate within its limits."
	a.Chart = s.currentPlanChart(ctx, v, a.ID, at, spans)
	s.routeCalls(a, v, in)
	return a
}

// gateText describes a gate of a route.
func gateText(g currents.GateOfRoute) string {
	text := fmt.Sprintf("after %g nautical miles, %g through", g.Leg, g.Distance)
	if g.Course != nil {
		text += fmt.Sprintf(" toward %.0f° true", *g.Course)
	}
	return text + ", " + calendar.LimitsText(g.Limits)
}

// mostDepartures limits the windows of departure of a page.
const mostDepartures = 200

// departuresHeading counts windows of departure, of which some are shown.
func departuresHeading(total, shown int) string {
	text := view.Plural(total, "window") + " of departure"
	switch {
	case total == 0:
		return "No departures"
	case total > shown:
		text += fmt.Sprintf(", the first %d", shown)
	}
	return text
}

// routeCalls fills in how programs ask for the same.
func (s *pages) routeCalls(a *planAnswer, v *planPage, in currents.RoutesInput) {
	body, _ := json.Marshal(in) // numbers, texts and lists
	a.Calls = []view.Call{{
		Name: v.Name, Tool: "leadline_plan_route " + string(body),
		Curl: "curl '" + s.Base + "/api/planning/" + routes + "' -H 'Content-Type: " +
			"application/json' \\\n  -d '" + string(body) + "'",
	}}
}
