package currents

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"leadline/internal/coast"
	"leadline/internal/directory"
	"leadline/internal/facts"
	"leadline/internal/intervals"
	"leadline/internal/operation"
	"leadline/internal/passage"
	"leadline/internal/place"
	"leadline/internal/render"
	"leadline/internal/sky"
	"leadline/internal/tide"
)

// TransitsInput requests when a vessel can go through a pass.
type TransitsInput struct {
	place.StationOrPlace
	Distance   float64          `json:"distance" min:"0" max:"20" doc:"Nautical miles through; 0: a point." example:"1.5"`
	Speed      float64          `json:"speed" min:"0.5" max:"40" doc:"Knots through the water." example:"6"`
	Direction  TransitDirection `json:"direction,omitempty" doc:"Way through; or course." example:"with_flood"`
	Course     *float64         `json:"course,omitempty" min:"0" max:"360" doc:"Degrees true." example:"90"`
	MaxCurrent float64          `json:"max_current" default:"4" min:"0" max:"20" doc:"Highest current in knots."`
	MaxAgainst *float64         `json:"max_against,omitempty" min:"0" max:"20" doc:"Against the vessel; default: half of speed." example:"2"`
	intervals.InLight
	intervals.InHours
	Limit int `json:"limit" default:"20" min:"1" max:"200" doc:"Windows to return."`
	operation.Span
	operation.InZone
	intervals.Extent
}

// Validate requires one way through the pass. A pass without length needs none.
func (in *TransitsInput) Validate() error {
	if err := in.StationOrPlace.Validate(); err != nil {
		return err
	}
	return oneWay("", in.Distance, in.Direction, in.Course)
}

// oneWay requires a direction or a course through a pass with a length.
func oneWay(at string, distance float64, direction TransitDirection, course *float64) error {
	switch {
	case direction != "" && course != nil:
		return facts.Invalid(at+"direction", "condition", "%sdirection and course exclude each other. "+
			`Give one of them. Example: "direction": "with_flood".`, at)
	case distance > 0 && direction == "" && course == nil:
		return facts.Invalid(at+"direction", "required", "%sdirection is required: with_flood or "+
			`with_ebb, the way that the current carries the vessel, or course in degrees true. `+
			`Example: "direction": "with_flood".`, at)
	}
	return nil
}

// TransitLimits are the limits of a pass, in knots.
type TransitLimits struct {
	MaxCurrent float64  `json:"maxCurrent" doc:"Highest speed of the current in any direction, knots."`
	MaxAgainst *float64 `json:"maxAgainst" doc:"Highest current against the vessel, knots; null for a pass without length, where it does not count."`
}

// Transit is a series of departures at which every limit is kept.
type Transit struct {
	DepartFrom time.Time             `json:"departFrom" doc:"First minute of departure."`
	DepartTo   time.Time             `json:"departTo" doc:"Last minute of departure."`
	Minutes    int                   `json:"minutes" doc:"Minutes from the first departure to the last."`
	Current    CurrentRange          `json:"current" doc:"The predicted current that the trips of the window meet, the first and the last included."`
	Best       TransitTrip           `json:"best" doc:"The shortest trip; of equal ones, the one with the least current against it, or at a point the least current."`
	Open       []intervals.WindowEnd `json:"open,omitempty" doc:"Ends at which the span ends, so that departures before or after it may be possible; left out if there are none."`
	Gates      []GatePassed          `json:"gates,omitzero" doc:"Gates of the best trip of a route, in order; left out of transits."`
}

// CurrentRange is the range of the predicted current over a window of departures.
type CurrentRange struct {
	From       time.Time `json:"from" doc:"First minute: when the first trip enters."`
	To         time.Time `json:"to" doc:"Last minute: when the last trip leaves."`
	Lowest     float64   `json:"lowest" doc:"Lowest current along the course, knots, negative against the vessel; in a pass without a direction, the lowest speed."`
	Highest    float64   `json:"highest" doc:"Highest current along the course, knots, negative against the vessel; in a pass without a direction, the highest speed."`
	MaxCurrent float64   `json:"maxCurrent" doc:"Highest speed of the current in any direction, knots."`
	Text       string    `json:"text" doc:"The range in words, such as 3.00 kn against to 3.40 kn with."`
	unsigned   bool      // there is no direction
}

// TransitTrip is one trip.
type TransitTrip struct {
	Reason     string    `json:"reason" doc:"What makes it the best trip of the window. It does not say that the window is good."`
	Depart     time.Time `json:"depart" doc:"Departure."`
	Arrive     time.Time `json:"arrive" doc:"Arrival at the end, rounded up to the minute."`
	Minutes    int       `json:"minutes" doc:"Length of the trip."`
	MaxCurrent float64   `json:"maxCurrent" doc:"Highest current in any direction, knots."`
	MaxWith    float64   `json:"maxWith" doc:"Highest current along the course, knots."`
	MaxAgainst float64   `json:"maxAgainst" doc:"Highest current against the course, knots; in a pass without a direction, all of it."`
	MaxAcross  float64   `json:"maxAcross" doc:"Highest current across the course, knots; it is not subtracted."`
	Turns      int       `json:"turns" doc:"How often the current along the course turns during the trip."`
}

// Transits are the departures of a span.
type Transits struct {
	coast.Frame    `always:"station timeZone" never:"datum datumEpoch units quoted"`
	Place          *place.NamedPlace        `json:"place,omitempty" doc:"Place of the request; left out if the request names a station."`
	SpeedUnit      coast.SpeedUnit          `json:"speedUnit" doc:"Unit of speeds: kn."`
	DistanceUnit   MarineMiles              `json:"distanceUnit" doc:"Unit of distances: nautical miles."`
	PredictionKind directory.PredictionKind `json:"predictionKind" doc:"How the predictions are made: from constants of the station (harmonic), or from those of a reference station (subordinate)."`
	Bin            *int                     `json:"bin" doc:"Depth bin; null if it is not known."`
	Directions     directory.Directions     `json:"directions" doc:"Directions of flood and ebb."`
	Span           coast.Span               `json:"span" doc:"Span of departures, both ends included."`
	Distance       float64                  `json:"distance" doc:"Distance through the pass."`
	Speed          float64                  `json:"speed" doc:"Speed through the water."`
	Direction      *TransitDirection        `json:"direction" doc:"Requested way through the pass; null if the request has a course or the pass has no length."`
	Course         *float64                 `json:"course" doc:"Course in degrees true; null if it is not known."`
	Limits         TransitLimits            `json:"limits" doc:"The limits that are kept."`
	Light          intervals.Light          `json:"light" doc:"Light that departures are limited to."`
	Total          int                      `json:"total" doc:"Number of windows in the span."`
	Summary        string                   `json:"summary" doc:"Result in a sentence."`
	Windows        []Transit                `json:"windows" doc:"Departures in order of time, at most limit windows."`
}

// These are the bounds of the span of departures.
const (
	usualTransits   = 7 * 24 // hours
	longestTransits = 31*facts.Day + time.Hour
)

// Transits computes the departures at which a vessel can go through a pass in the predicted
// current. Errors: those of CurrentWindows, and ProductUnavailable for a course at a station
// without directions.
func (s Operations) Transits(ctx context.Context, in TransitsInput) (Transits, error) {
	fs := s.facts.Set()
	at, err := currentAt(ctx, fs, &AtCurrentStation{StationOrPlace: in.StationOrPlace})
	if err != nil {
		return Transits{}, err
	}
	z, span, err := in.departures(fs, at)
	if err != nil {
		return Transits{}, err
	}
	directions := directory.DirectionsOf(at.st)
	course, err := wayThrough(at.st.ID, directions, in.Direction, in.Course)
	if err != nil {
		return Transits{}, err
	}
	limits := limitsOf(in.Speed, in.Distance, in.MaxCurrent, in.MaxAgainst)
	out := Transits{
		Frame: at.frame(fs, "", z), Place: at.Place.Place, SpeedUnit: coast.Knots, DistanceUnit: "nmi",
		PredictionKind: directory.KindOf(at.st), Bin: facts.BinOf(at.st), Directions: directions,
		Span: coast.Span{From: span.From, To: span.To}, Distance: in.Distance, Speed: in.Speed,
		Course: course.course, Limits: limits, Light: "any",
	}
	if in.Direction != "" {
		out.Direction = &in.Direction
	}
	if in.Lit() {
		out.Light = in.Light
	}
	out.Notes = append(append(out.Notes, span.Notes...), span.NewYear()...)
	out.Notes = append(out.Notes, fs.Far(at.st, span)...)
	d := departures{span: span, zone: z, home: fs.Local(at.st), at: place.PositionOf(at.st),
		light: in.InLight, days: intervals.OnDays{InHours: in.InHours}}
	if err := d.limit(ctx); err != nil {
		return Transits{}, err
	}
	gate := limits.gate(in.Distance)
	gate.Stream = course.stream(at.Currents, d.first(), d.minutes()+reachOf(in.Speed, gate))
	list, err := d.search(ctx, in.Speed, []passage.Gate{gate}, []way{course})
	if err != nil {
		return Transits{}, err
	}
	for i := range list {
		list[i].Gates = nil // the trip says the same
	}
	out.Total, out.Windows = len(list), list[:min(len(list), in.Most(in.Limit))]
	out.Summary = transitSummary(list)
	out.Notes = append(out.Notes, fmt.Sprintf("The whole pass has the current of one "+
		"station: %s%s. Weather, other traffic and the depth are not considered.",
		operation.StationTitle(out.Station),
		awayFrom(out.Place)))
	out.Notes = append(out.Notes, d.why(list, in.Speed, gate)...)
	out.Notes = append(out.Notes, acrossNote(list, in.Speed)...)
	out.Sources = append(out.Sources, fs.Calculated("transits",
		"Departures at which a passage keeps its limits", facts.StationPage(at.st.ID)))
	return out, nil
}

// awayFrom returns the distance of a station from the requested place.
func awayFrom(place *place.NamedPlace) string {
	if place == nil || place.DistanceKm == nil {
		return ""
	}
	return fmt.Sprintf(", %s km from %s", render.Short(*place.DistanceKm, 1), place.Name)
}

// departures resolves the span of departures, and the zone of the result.
func (in TransitsInput) departures(
	fs facts.Set, at currentStation,
) (facts.Zone, facts.Interval, error) {
	if in.OverHorizon(in.Span) {
		return in.Resolve(fs, in.Span, string(in.TimeZone), at.st)
	}
	return departureSpan(fs, in.Span, in.InZone, at, usualTransits)
}

// departureSpan returns the span of departures and the zone of the result.
func departureSpan(
	fs facts.Set, in operation.Span, zone operation.InZone, at currentStation, usual int,
) (z facts.Zone, span facts.Interval, err error) {
	if in.Given() == "" {
		in.Range = usual
	}
	z, span, err = fs.Forward(in, string(zone.TimeZone), at.st)
	if err != nil {
		return z, span, err
	}
	if length := span.To.Sub(span.From); length > longestTransits {
		e := coast.Errorf(coast.RangeTooLong, "The span is %.0f days long; departures take at most 31. "+
			`Ask for one month at a time. Example: "begin_date": "2027-01-01", "end_date": `+
			`"2027-01-31".`, length.Hours()/24)
		e.Issues = []coast.Issue{{Path: "range", Code: "range_too_long", Message: e.Message}}
		return z, span, e
	}
	return z, span, nil
}

// limitsOf returns the limits of a pass. By default the current against the vessel is at most
// half its speed. A pass without length only limits the current.
func limitsOf(speed, distance, current float64, against *float64) TransitLimits {
	l := TransitLimits{MaxCurrent: current}
	if distance > 0 {
		most := min(speed/2, current)
		if against != nil {
			most = *against
		}
		l.MaxAgainst = &most
	}
	return l
}

// gate returns the gate of a pass without its stream.
func (l TransitLimits) gate(distance float64) passage.Gate {
	g := passage.Gate{Distance: distance, Current: l.MaxCurrent}
	if l.MaxAgainst != nil {
		g.Against = *l.MaxAgainst
	}
	return g
}

// reachOf returns the minutes of the longest passing that keeps the limits of a gate.
func reachOf(speed float64, g passage.Gate) int {
	slowest := max(passage.Slowest, speed-min(g.Against, g.Current))
	return int(math.Ceil(60*(g.Leg/speed+g.Distance/slowest))) + 2
}

// way is a course through a pass.
type way struct {
	course     *float64 // degrees true; nil if it is not known
	flood, ebb float64  // parts of the flood and of the ebb along the course, -1 to 1
	any        bool     // there is no course: all of the current counts as against it
}

// wayThrough returns the way in a direction or on a course.
func wayThrough(
	id string, d directory.Directions, direction TransitDirection, course *float64,
) (way, error) {
	switch {
	case direction == "with_flood":
		return way{course: d.Flood, flood: 1, ebb: -1}, nil
	case direction == "with_ebb":
		return way{course: d.Ebb, flood: -1, ebb: 1}, nil
	case course == nil: // a pass without length: the worst case
		return way{flood: -1, ebb: -1, any: true}, nil
	case d.Flood == nil || d.Ebb == nil:
		return way{}, coast.Errorf(coast.ProductUnavailable, "NOAA gives no direction of flood or ebb "+
			`at %s: leave out course. Give the way as "direction": "with_flood" or "with_ebb".`, id)
	}
	return way{course: course, flood: cosine(*course - *d.Flood), ebb: cosine(*course - *d.Ebb)}, nil
}

func cosine(degrees float64) float64 { return math.Cos(degrees * math.Pi / 180) }

// along returns the part of a velocity along the way; flood is positive in velocity.
func (w way) along(velocity float64) float64 {
	if velocity < 0 {
		return -velocity * w.ebb
	}
	return velocity * w.flood
}

// stream returns the current at consecutive minutes.
func (w way) stream(c tide.Currents, from time.Time, minutes int) passage.Stream {
	s := passage.Stream{Along: make([]float64, minutes), Speeds: make([]float64, minutes)}
	c.Velocities(from, time.Minute, s.Along)
	for i, v := range s.Along {
		s.Speeds[i], s.Along[i] = math.Abs(v), w.along(v)
	}
	return s
}

// departures are the minutes of a span at which trips can begin.
type departures struct {
	span  facts.Interval
	zone  facts.Zone     // of the result
	home  *time.Location // of the first pass
	at    sky.Place      // of the first pass
	light intervals.InLight
	days  intervals.OnDays

	ranges []passage.Range // the minutes in the requested light, on the requested days and hours
}

// first returns the first whole minute.
func (d departures) first() time.Time {
	first := d.span.From.Truncate(time.Minute)
	if first.Before(d.span.From) {
		first = first.Add(time.Minute)
	}
	return first
}

// minutes returns the number of whole minutes in the span.
func (d departures) minutes() int {
	if d.first().After(d.span.To) {
		return 0
	}
	return int(d.span.To.Sub(d.first())/time.Minute) + 1
}

// limit sets the ranges.
func (d *departures) limit(ctx context.Context) (err error) {
	if d.minutes() == 0 {
		return nil
	}
	end := d.first().Add(time.Duration(d.minutes()) * time.Minute)
	list := []intervals.Interval{{From: d.first(), To: end}}
	list = d.days.Within(list, d.home)
	if d.light.Lit() {
		if list, err = intervals.LightOf(ctx, d.at, list, sky.Light(d.light.Light)); err != nil {
			return err
		}
	}
	for _, i := range list {
		minute := func(t time.Time) int {
			return int(math.Ceil(t.Sub(d.first()).Minutes()))
		}
		if r := (passage.Range{First: minute(i.From), Last: minute(i.To) - 1}); r.First <= r.Last {
			d.ranges = append(d.ranges, r)
		}
	}
	return context.Cause(ctx)
}

// search returns the windows of departure. Each gate has its way.
func (d departures) search(
	ctx context.Context, speed float64, gates []passage.Gate, ways []way,
) ([]Transit, error) {
	list, inKnots := []Transit{}, facts.SpeedsIn(coast.English)
	for _, w := range passage.Windows(speed, gates, d.ranges) {
		t := Transit{
			DepartFrom: d.minute(w.First), DepartTo: d.minute(w.Last), Minutes: w.Last - w.First,
			Best: TransitTrip{
				Depart: d.minute(w.Best.Depart), Arrive: d.minute(w.Best.Arrive), Minutes: w.Best.Minutes(),
				Reason: bestBecause(gates),
			},
		}
		for i, p := range w.Best.Gates {
			t.Best.MaxCurrent = max(t.Best.MaxCurrent, inKnots.Of(p.Current))
			t.Best.MaxWith = max(t.Best.MaxWith, inKnots.Of(p.With))
			t.Best.MaxAgainst = max(t.Best.MaxAgainst, inKnots.Of(p.Against))
			t.Best.MaxAcross = max(t.Best.MaxAcross, inKnots.Of(p.Across))
			t.Best.Turns += p.Turns
			t.Gates = append(t.Gates, GatePassed{
				Enter: d.instant(p.Enter), Leave: d.instant(p.Leave),
				MaxCurrent: inKnots.Of(p.Current), MaxWith: inKnots.Of(p.With),
				MaxAgainst: inKnots.Of(p.Against), MaxAcross: inKnots.Of(p.Across), Turns: p.Turns,
				Window: d.rangeOf(w.Met[i], ways[i]),
			})
		}
		t.Current = overall(t.Gates)
		if w.First == 0 {
			t.Open = append(t.Open, "from")
		}
		if w.Last == d.minutes()-1 {
			t.Open = append(t.Open, "to")
		}
		list = append(list, t)
	}
	return list, context.Cause(ctx)
}

// bestBecause returns what makes a trip the best.
func bestBecause(gates []passage.Gate) string {
	if len(gates) == 1 && gates[0].Distance == 0 && gates[0].Leg == 0 {
		return "least current"
	}
	return "shortest trip; of equal ones, the least current against it"
}

// rangeOf returns the current that the trips of a window meet at a gate.
func (d departures) rangeOf(m passage.Met, w way) CurrentRange {
	knots := facts.SpeedsIn(coast.English)
	r := CurrentRange{From: d.minute(m.First), To: d.minute(m.Last), Lowest: knots.Of(m.Lowest),
		Highest: knots.Of(m.Highest), MaxCurrent: knots.Of(m.Most), unsigned: w.any}
	if w.any { // all of it counts as against the vessel
		r.Lowest, r.Highest = -r.Highest, -r.Lowest
	}
	return r.worded()
}

// overall returns the range over all gates of a window. The current of a gate without a direction
// counts as against the vessel, as in the search, unless all gates are without one.
func overall(gates []GatePassed) CurrentRange {
	directed := func(g GatePassed) bool { return !g.Window.unsigned }
	out := gates[0].Window
	out.Lowest, out.Highest = math.Inf(1), math.Inf(-1)
	out.unsigned = !slices.ContainsFunc(gates, directed)
	for _, g := range gates {
		w := g.Window
		if w.unsigned && !out.unsigned {
			w.Lowest, w.Highest = -w.Highest, -w.Lowest
		}
		out.To, out.MaxCurrent = w.To, max(out.MaxCurrent, w.MaxCurrent)
		out.Lowest, out.Highest = min(out.Lowest, w.Lowest), max(out.Highest, w.Highest)
	}
	return out.worded()
}

// worded returns the range with its text.
func (r CurrentRange) worded() CurrentRange {
	r.Text = r.Words(func(v float64) string { return render.Number(v, 2) + " kn" })
	return r
}

// Words describes the range, such as 3.00 kn against to 3.40 kn with. quantity writes a speed.
func (r CurrentRange) Words(quantity func(float64) string) string {
	span := func(least, most float64, way string) string {
		from, to := quantity(least), quantity(most)
		if from == to {
			return to + way
		}
		return from + " to " + to + way
	}
	text := quantity(-r.Lowest) + " against to " + quantity(r.Highest) + " with"
	switch {
	case r.unsigned:
		text = span(r.Lowest, r.Highest, "")
	case r.Lowest >= 0:
		text = span(r.Lowest, r.Highest, " with")
	case r.Highest <= 0:
		text = span(-r.Highest, -r.Lowest, " against")
	}
	if most := quantity(r.MaxCurrent); most != quantity(max(-r.Lowest, r.Highest)) {
		text += ", at most " + most + " in any direction"
	}
	return text
}

// minute returns the time of a minute of the search.
func (d departures) minute(n int) time.Time {
	return d.first().Add(time.Duration(n) * time.Minute).In(d.zone.Location)
}

// instant returns the nearest minute to a time of the search.
func (d departures) instant(minutes float64) time.Time { return d.minute(int(math.Round(minutes))) }

// acrossNote returns a note if trips meet a current of half of the vessel's speed or more (ours)
// that is neither with nor against it: the search counts the part along the course alone.
func acrossNote(list []Transit, speed float64) []string {
	most := 0.0
	for _, t := range list {
		if r := t.Current; !r.unsigned && r.MaxCurrent > max(-r.Lowest, r.Highest)+0.005 {
			most = max(most, r.MaxCurrent)
		}
	}
	if most < speed/2 {
		return nil
	}
	note := fmt.Sprintf("The current reaches %.2f kn in a direction other than the course. Its part "+
		"across the course is not subtracted from the speed of %g kn", most, speed)
	if most >= speed {
		note += ": the vessel may not hold the course"
	}
	return []string{note + "."}
}

// why returns notes for a list without windows, or with a single one that is the whole span.
func (d departures) why(list []Transit, speed float64, gates ...passage.Gate) []string {
	whole := len(list) == 1 && list[0].Open != nil && list[0].Minutes == d.minutes()-1
	if whole {
		return []string{"Every minute of the span keeps the limits."}
	}
	if len(list) > 0 {
		return nil
	}
	if d.minutes() == 0 || len(d.ranges) == 0 {
		return []string{"No minute of the span is in the requested light or hours, or on the requested " +
			"days."}
	}
	var notes []string
	for i, g := range gates {
		in := "the pass"
		if len(gates) > 1 {
			in = fmt.Sprintf("gate %d", i+1)
		}
		fastest, against := slices.Max(g.Speeds), -slices.Min(g.Along)
		notes = append(notes, fmt.Sprintf("In %s the current reaches %.2f kn, and %.2f kn against the "+
			"course.", in, fastest, max(against, 0)))
	}
	text := "No departure keeps the limits."
	if slices.ContainsFunc(gates, func(g passage.Gate) bool {
		return g.Distance > 0 && -slices.Min(g.Along) >= speed-passage.Slowest
	}) {
		text += fmt.Sprintf(" At times the current is faster than a vessel of %g kn: it must make more "+
			"than %g kn over ground.", speed, passage.Slowest)
	}
	return append([]string{text}, notes...)
}

// transitSummary returns the number of windows, and the first.
func transitSummary(list []Transit) string {
	if len(list) == 0 {
		return "No departure keeps the limits."
	}
	first := list[0]
	return fmt.Sprintf("%s; the first on %s, current %s; %s at %s, %d min.",
		operation.Plural(len(list), "window"), intervals.Stretch(first.DepartFrom, first.DepartTo),
		first.Current.Text,
		first.Best.name(), intervals.Until(first.DepartFrom, first.Best.Depart), first.Best.Minutes)
}

// Describe writes the passage and its limits, then a row for each window.
func (t Transits) Describe(text *render.Answer) {
	text.Line("%s%s, %g nmi at %g kn%s, %s: %s", operation.StationName(t.Station),
		place.ForPlace{Place: t.Place}.Away(),
		t.Distance, t.Speed, t.through(), t.Limits.text(), t.Summary)
	text.Gap()
	describeTransits(text, t.Windows, t.Total)
}

// through returns the way through the pass.
func (t Transits) through() string {
	switch {
	case t.Direction != nil:
		return map[TransitDirection]string{
			"with_flood": " in the direction of the flood", "with_ebb": " in the direction of the ebb",
		}[*t.Direction]
	case t.Course != nil:
		return fmt.Sprintf(" on %.0f°", *t.Course)
	}
	return ""
}

// text returns the limits.
func (l TransitLimits) text() string {
	if l.MaxAgainst == nil {
		return fmt.Sprintf("current at most %g kn", l.MaxCurrent)
	}
	return fmt.Sprintf("current at most %g kn, against at most %g", l.MaxCurrent, *l.MaxAgainst)
}

// name returns what makes the trip the best, without what decides between equal ones.
func (t TransitTrip) name() string {
	name, _, _ := strings.Cut(t.Reason, ";")
	return name
}

// currentText describes the current of a trip in knots.
func currentText(highest, with, against, across float64, turns int) string {
	text := "current up to " + render.Number(highest, 2)
	for _, part := range []struct {
		speed float64
		name  string
	}{{with, "with"}, {against, "against"}, {across, "across"}} {
		if part.speed > 0 {
			text += ", " + render.Number(part.speed, 2) + " " + part.name
		}
	}
	if turns > 0 {
		text += ", turns " + operation.Plural(turns, "time")
	}
	return text
}

// describeTransits writes a row for each window.
func describeTransits(text *render.Answer, list []Transit, total int) {
	for _, w := range list[:min(len(list), operation.TextRows)] {
		cut := ""
		if len(w.Open) > 0 {
			cut = ", cut by the span"
		}
		text.Line("depart %s to %s (%d min%s), current until %s %s; %s %s, arrive %s, %d min, %s",
			w.DepartFrom.Format("Mon 2006-01-02 15:04"), intervals.Until(w.DepartFrom, w.DepartTo),
			w.Minutes,
			cut, intervals.Until(w.DepartFrom, w.Current.To), w.Current.Text, w.Best.name(),
			intervals.Until(w.DepartFrom, w.Best.Depart), intervals.Until(w.DepartFrom, w.Best.Arrive),
			w.Best.Minutes,
			currentText(w.Best.MaxCurrent, w.Best.MaxWith, w.Best.MaxAgainst, w.Best.MaxAcross,
				w.Best.Turns))
		for i, g := range w.Gates {
			text.Line("- gate %d: %s to %s, %s; window %s to %s, %s", i+1,
				intervals.Until(w.DepartFrom, g.Enter),
				intervals.Until(w.DepartFrom, g.Leave),
				currentText(g.MaxCurrent, g.MaxWith, g.MaxAgainst, g.MaxAcross, g.Turns),
				intervals.Until(w.DepartFrom, g.Window.From), intervals.Until(w.DepartFrom, g.Window.To),
				g.Window.Text)
		}
	}
	if more := total - len(list); more > 0 {
		text.Gap()
		text.Line("%d more; raise limit, or begin later.", more)
	}
}

// All returns the request for all rows of its span.
func (in TransitsInput) All() TransitsInput {
	in.SetWhole()
	return in
}

// OfCalendar returns the request for all rows in the horizon of calendars, or in its own span if it
// has one.
func (in TransitsInput) OfCalendar() TransitsInput {
	in.SetCalendar()
	return in
}

// TakesTurn reports whether the input takes long to compute, so that it waits for a turn.
func (in *TransitsInput) TakesTurn() bool { return in.Span.Long() }

// GatePassed is a gate of a trip.
type GatePassed struct {
	Enter      time.Time `json:"enter" doc:"Begin of the gate, to the minute."`
	Leave      time.Time `json:"leave" doc:"End of the gate, to the minute."`
	MaxCurrent float64   `json:"maxCurrent" doc:"Highest current in any direction, knots."`
	MaxWith    float64   `json:"maxWith" doc:"Highest current along the course, knots."`
	MaxAgainst float64   `json:"maxAgainst" doc:"Highest current against the course, knots; at a gate without a direction, all of it."`
	MaxAcross  float64   `json:"maxAcross" doc:"Highest current across the course, knots."`
	Turns      int       `json:"turns" doc:"How often the current along the course turns in the gate."`

	Window CurrentRange `json:"window" doc:"The predicted current that the trips of the window meet at the gate."`
}
