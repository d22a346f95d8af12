package currents

import (
	"context"
	"fmt"
	"strings"

	"leadline/internal/coast"
	"leadline/internal/directory"
	"leadline/internal/facts"
	"leadline/internal/intervals"
	"leadline/internal/operation"
	"leadline/internal/passage"
	"leadline/internal/place"
	"leadline/internal/render"
)

// RoutesInput requests the departures at which a vessel meets every gate of a route.
type RoutesInput struct {
	Gates []RouteGate `json:"gates" minItems:"1" maxItems:"6" doc:"In order." example:"[{\"station\":\"PUG1701\",\"leg\":2,\"distance\":0.5,\"direction\":\"with_flood\",\"max_current\":3},{\"station\":\"PUG1701\",\"leg\":12,\"max_current\":2}]"`
	Speed float64     `json:"speed" min:"0.5" max:"40" doc:"Knots through the water." example:"6"`
	intervals.InLight
	intervals.InHours
	Limit int `json:"limit" default:"20" min:"1" max:"200" doc:"Windows to return."`
	operation.Span
	operation.InZone
}

// RouteGate is a pass of a route.
type RouteGate struct {
	Station    string           `json:"station" pattern:"^\\w{4,16}$" form:"text of 4 to 16 letters, digits and underscores" doc:"Current station." example:"PUG1701"`
	Leg        float64          `json:"leg" default:"0" min:"0" max:"100" doc:"Nautical miles before it." example:"2"`
	Distance   float64          `json:"distance" default:"0" min:"0" max:"20" doc:"Nautical miles through." example:"0.5"`
	Direction  TransitDirection `json:"direction,omitempty" doc:"Way through; or course." example:"with_flood"`
	Course     *float64         `json:"course,omitempty" min:"0" max:"360" doc:"Degrees true." example:"90"`
	MaxCurrent float64          `json:"max_current" default:"4" min:"0" max:"20" doc:"Knots."`
	MaxAgainst *float64         `json:"max_against,omitempty" min:"0" max:"20" doc:"Default: half of speed." example:"2"`
}

// Validate requires one way through each gate that has a length.
func (in *RoutesInput) Validate() error {
	for i, g := range in.Gates {
		at := fmt.Sprintf("gates/%d/", i)
		if err := oneWay(at, g.Distance, g.Direction, g.Course); err != nil {
			return err
		}
	}
	return nil
}

// GateOfRoute is a gate as the search takes it.
type GateOfRoute struct {
	Station        coast.Station            `json:"station" doc:"Current station of the gate."`
	PredictionKind directory.PredictionKind `json:"predictionKind" doc:"How the predictions are made: from constants of the station (harmonic), or from those of a reference station (subordinate)."`
	Bin            *int                     `json:"bin" doc:"Depth bin; null if it is not known."`
	Leg            float64                  `json:"leg" doc:"Distance from departure or from the gate before."`
	Distance       float64                  `json:"distance" doc:"Distance through the gate."`
	Course         *float64                 `json:"course" doc:"Course in degrees true; null if it is not known."`
	Limits         TransitLimits            `json:"limits" doc:"The limits that are kept."`
}

// Routes are the departures of a route.
type Routes struct {
	coast.Frame  `always:"timeZone" never:"station datum datumEpoch units quoted"`
	SpeedUnit    coast.SpeedUnit `json:"speedUnit" doc:"Unit of speeds: kn."`
	DistanceUnit MarineMiles     `json:"distanceUnit" doc:"Unit of distances: nautical miles."`
	Span         coast.Span      `json:"span" doc:"Span of departures, both ends included."`
	Speed        float64         `json:"speed" doc:"Speed through the water."`
	Gates        []GateOfRoute   `json:"gates" doc:"The gates in order."`
	Light        intervals.Light `json:"light" doc:"Light that departures are limited to."`
	Total        int             `json:"total" doc:"Number of windows in the span."`
	Summary      string          `json:"summary" doc:"Result in a sentence."`
	Windows      []Transit       `json:"windows" doc:"Departures in order of time, at most limit windows."`
}

// usualRoutes is the default span of the departures of routes in hours.
const usualRoutes = 30 * 24

// Routes computes the departures at which a vessel meets every gate of a route. Its zone is that
// of the first gate. Errors: those of Transits, with the number of the gate.
func (s Operations) Routes(ctx context.Context, in RoutesInput) (Routes, error) {
	fs := s.facts.Set()
	var stations []currentStation
	for i, g := range in.Gates {
		named := AtCurrentStation{StationOrPlace: place.StationOrPlace{Station: g.Station}}
		at, err := currentAt(ctx, fs, &named)
		if err != nil {
			return Routes{}, ofGate(i, err)
		}
		stations = append(stations, at)
	}
	z, span, err := departureSpan(fs, in.Span, in.InZone, stations[0], usualRoutes)
	if err != nil {
		return Routes{}, err
	}
	out := Routes{
		Frame: coast.Frame{TimeZone: z.Label, Provenance: coast.Provenance{
			Sources: []coast.Source{}, Missing: []coast.Missing{}, Notes: []string{}}},
		SpeedUnit: coast.Knots, DistanceUnit: "nmi", Span: coast.Span{From: span.From, To: span.To},
		Speed: in.Speed, Light: "any",
	}
	if in.Lit() {
		out.Light = in.Light
	}
	d := departures{span: span, zone: z, home: fs.Local(stations[0].st),
		at:    place.PositionOf(stations[0].st),
		light: in.InLight, days: intervals.OnDays{InHours: in.InHours}}
	if err := d.limit(ctx); err != nil {
		return Routes{}, err
	}
	gates, ways := make([]passage.Gate, len(in.Gates)), make([]way, len(in.Gates))
	minutes := d.minutes()
	for i, g := range in.Gates {
		at := stations[i]
		directions := directory.DirectionsOf(at.st)
		way, err := wayThrough(at.st.ID, directions, g.Direction, g.Course)
		if err != nil {
			return Routes{}, ofGate(i, err)
		}
		limits := limitsOf(in.Speed, g.Distance, g.MaxCurrent, g.MaxAgainst)
		gates[i] = limits.gate(g.Distance)
		gates[i].Leg = g.Leg
		minutes += reachOf(in.Speed, gates[i])
		ways[i] = way
		gates[i].Stream = way.stream(at.Currents, d.first(), minutes)
		if err := context.Cause(ctx); err != nil {
			return Routes{}, err
		}
		out.Gates = append(out.Gates, GateOfRoute{
			Station: *facts.Card(at.st), PredictionKind: directory.KindOf(at.st), Bin: facts.BinOf(at.st),
			Leg: g.Leg, Distance: g.Distance, Course: way.course, Limits: limits,
		})
		facts.Merge(&out.Provenance, at.frame(fs, "", z).Provenance)
	}
	list, err := d.search(ctx, in.Speed, gates, ways)
	if err != nil {
		return Routes{}, err
	}
	out.Total, out.Windows = len(list), list[:min(len(list), in.Limit)]
	out.Summary = transitSummary(list)
	out.Notes = append(append(out.Notes, span.Notes...), span.NewYear()...)
	out.Notes = append(out.Notes, "The currents act at the gates only: between them the vessel makes "+
		"its speed through the water over ground. It does not wait between gates. Each gate has the "+
		"current of one station, against the vessel without a direction. Weather, other "+
		"traffic and depths are not considered.")
	out.Notes = append(out.Notes, d.why(list, in.Speed, gates...)...)
	out.Notes = append(out.Notes, acrossNote(list, in.Speed)...)
	out.Sources = append(out.Sources, fs.Calculated("routes",
		"Departures at which a route keeps the limits of its gates",
		facts.StationPage(stations[0].st.ID)))
	return out, nil
}

// ofGate adds the number of a gate to an error.
func ofGate(i int, err error) error {
	e, known := coast.AsError(err)
	if !known {
		return err
	}
	out := *e
	out.Message = fmt.Sprintf("Gate %d: %s", i+1, e.Message)
	out.Issues = []coast.Issue{{
		Path: fmt.Sprintf("gates/%d/station", i), Code: "gate", Message: out.Message,
	}}
	return &out
}

// Describe writes the gates, then a row for each window.
func (r Routes) Describe(t *render.Answer) {
	var names []string
	for _, g := range r.Gates {
		names = append(names, operation.StationName(&g.Station))
	}
	t.Line("%s at %g kn: %s", strings.Join(names, " > "), r.Speed, r.Summary)
	for i, g := range r.Gates {
		course := ""
		if g.Course != nil {
			course = fmt.Sprintf(" on %.0f°", *g.Course)
		}
		t.Line("Gate %d: after %g nmi, %g nmi through%s, %s.", i+1, g.Leg, g.Distance, course,
			g.Limits.text())
	}
	t.Gap()
	describeTransits(t, r.Windows, r.Total)
}

// TakesTurn reports whether the input takes long to compute, so that it waits for a turn.
func (in *RoutesInput) TakesTurn() bool { return in.Span.Long() || len(in.Gates) > 1 }
