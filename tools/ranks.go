package tools

import (
	"context"
	"fmt"
	"slices"
	"time"

	"leadline/internal/coast"
	"leadline/internal/facts"
	"leadline/internal/render"
	"leadline/internal/sky"
	"leadline/internal/stations"
	"leadline/internal/tide"
)

// TideRanksInput requests the lowest or highest tides of a span, the king tides of a year,
// or the spring and neap tides of a span.
type TideRanksInput struct {
	StationOrPlace
	What string `json:"what" default:"lowest" enum:"lowest highest king springs" doc:"Low waters, high waters, king tides of a year, or spring and neap tides."`
	Year int    `json:"year,omitempty" min:"1901" max:"2099" doc:"Of king tides; this one, from October on the next." example:"2027"`
	InLight
	OnDays
	Limit int `json:"limit" default:"10" min:"1" max:"100" doc:"Rows to return."`
	Span
	OnDatum
	InUnits
	InZone
}

// Validate refuses arguments that do not apply to what is requested.
func (in *TideRanksInput) Validate() error {
	if err := in.StationOrPlace.Validate(); err != nil {
		return err
	}
	ofEvents := in.What == "lowest" || in.What == "highest"
	switch {
	case in.What == "king" && in.Given() != "":
		return facts.InvalidSpan("year",
			`King tides are those of a calendar year: give year, not %s. Example: "year": 2027.`, in.Given())
	case in.What != "king" && in.Year != 0:
		return facts.Invalid("year", "condition", "year belongs to king tides; for %s give a span. "+
			`Example: "begin_date": "2027-01-01", "end_date": "2027-12-31".`, in.What)
	case !ofEvents && (in.lit() || in.OnDays.given()):
		return facts.Invalid("light", "condition", "light, weekdays and hours select from the lowest "+
			`and the highest tides, not from %s. Leave them out, or send "what": "highest".`, in.What)
	}
	return nil
}

// TideRank is a high or low water by its height.
type TideRank struct {
	Rank     int        `json:"rank" doc:"1 is the lowest or the highest."`
	Time     time.Time  `json:"time" doc:"The minute that NOAA publishes."`
	Type     string     `json:"type" enum:"high low"`
	Height   float64    `json:"height" doc:"Above the datum."`
	Sunrise  *time.Time `json:"sunrise" doc:"Of that day; null where there is none."`
	Sunset   *time.Time `json:"sunset" doc:"Of that day; null where there is none."`
	Previous *TideEvent `json:"previous" doc:"The event before."`
	Next     *TideEvent `json:"next" doc:"The event after."`
}

// TideRanks are the tides that were requested: one of the lists.
type TideRanks struct {
	coast.Frame
	Place          *NamedPlace  `json:"place,omitempty" doc:"The place that was asked for."`
	HeightUnit     string       `json:"heightUnit"`
	PredictionKind string       `json:"predictionKind" enum:"harmonic subordinate" doc:"From constants of its own, or from a reference station."`
	Span           Between      `json:"span" doc:"Both ends included."`
	What           string       `json:"what" enum:"lowest highest king springs"`
	Light          string       `json:"light" enum:"any daylight civil dark moonlit"`
	Summary        string       `json:"summary"`
	Ranks          []TideRank   `json:"ranks,omitzero" doc:"Of lowest and highest, by height."`
	KingTides      []KingTide   `json:"kingTides,omitzero" doc:"Of king, by height."`
	Springs        []SpringTide `json:"springs,omitzero" doc:"Of springs, in order of time."`
}

// TideRanks ranks the predicted tides of a station. Errors: those of TidePredictions.
func (s waterTools) TideRanks(ctx context.Context, in TideRanksInput) (TideRanks, error) {
	at, err := s.tidePlace(&in.StationOrPlace, in.OnDatum)
	if err != nil {
		return TideRanks{}, err
	}
	st, err := s.facts.TideStation(in.Station)
	if err != nil {
		return TideRanks{}, err
	}
	in.Datum = in.OnDatum.of(st)
	tides, err := s.facts.Tides(st, in.Datum)
	if err != nil {
		return TideRanks{}, err
	}
	fs := s.facts.Set()
	r := ranking{in: in, st: st, tides: tides, unit: facts.HeightsIn(in.Units)}
	if err := r.readSpan(fs); err != nil {
		return TideRanks{}, err
	}
	out := TideRanks{
		Frame: tideFrame(fs, st, TidePredictionsInput{OnDatum: in.OnDatum, InUnits: in.InUnits}, r.zone),
		Place: at.place.Place, HeightUnit: r.unit.Name, PredictionKind: facts.PredictionKind(st),
		Span: Between{r.span.From, r.span.To}, What: in.What, Light: "any",
	}
	if in.lit() {
		out.Light = in.Light
	}
	at.explain(&out.Provenance)
	out.Notes = append(append(out.Notes, r.span.Notes...), r.span.NewYear()...)
	out.Notes = append(out.Notes, fs.Far(st, r.span)...)
	r.out = &out
	switch in.What {
	case "king":
		r.kings(ctx, fs)
	case "springs":
		r.springs(fs)
	default:
		r.rank(fs)
	}
	return out, nil
}

// ranking computes the rows of a result.
type ranking struct {
	in    TideRanksInput
	st    stations.Station
	tides tide.Tides
	span  facts.Interval
	unit  facts.Unit
	zone  facts.Zone
	out   *TideRanks
}

// readSpan resolves the span and the zone.
func (r *ranking) readSpan(fs facts.Set) (err error) {
	if r.in.What == "king" {
		if r.zone, err = fs.Zone(r.st.Zone, r.in.TimeZone); err == nil {
			r.span = r.year(fs.Now)
		}
		return err
	}
	r.zone, r.span, err = fs.Forward(windowSpan(r.in.Span), r.in.TimeZone, r.st.Zone)
	if err == nil {
		err = withinYear(r.span)
	}
	return err
}

// local returns the zone of the station, whose civil days count.
func local(st stations.Station) *time.Location {
	zone, err := time.LoadLocation(st.Zone)
	if err != nil {
		panic("tools: the directory has an unknown zone: " + st.Zone) // its tests load all zones
	}
	return zone
}

// rank lists the lowest or highest waters.
func (r ranking) rank(fs facts.Set) {
	// Neighbors outside the span are listed too; a diurnal tide can have one in days.
	const reach = 3 * 24 * time.Hour
	events := r.tides.Extremes(r.span.From.Add(-reach), r.span.To.Add(reach))
	order := tide.Lowest
	if r.in.What == "highest" {
		order = tide.Highest
	}
	lit := r.light()
	rows := []TideRank{}
	for _, e := range order(within(events, r.span)) {
		if len(rows) == r.in.Limit {
			break
		}
		if r.in.OnDays.has(e.Time, local(r.st)) && lit(e.Time) {
			rows = append(rows, r.row(len(rows)+1, e, events))
		}
	}
	r.out.Ranks = rows
	r.out.Sources = append(r.out.Sources, fs.Calculated("sun", "Sun, computed here",
		"https://gml.noaa.gov/grad/solcalc/"))
	r.out.Summary = r.out.summary()
}

// light returns a function that reports whether an instant of the span has the light.
func (r ranking) light() func(time.Time) bool {
	at, light := placeOf(r.st), sky.Light(r.in.Light)
	switch {
	case !r.in.lit():
		return func(time.Time) bool { return true }
	case light != sky.Moonlit:
		return func(t time.Time) bool { return len(sky.When(at, t, t.Add(time.Second), light)) > 0 }
	}
	// The moon of a single instant costs as much as that of days.
	parts := sky.When(at, r.span.From, r.span.To.Add(time.Minute), light)
	return func(t time.Time) bool { return holds(parts, t) }
}

// row returns the row of an event.
func (r ranking) row(rank int, e tide.Extreme, events []tide.Extreme) TideRank {
	event := tideEvent(e, r.unit, r.zone)
	row := TideRank{Rank: rank, Time: event.Time, Type: event.Type, Height: event.Height}
	day := facts.DayStart(e.Time.In(local(r.st)))
	sun := sky.Sun(placeOf(r.st), day, facts.NextDay(day)).Sun
	row.Sunrise, row.Sunset = r.first(sun.Rise), r.first(sun.Set)
	i := slices.Index(events, e)
	if i > 0 {
		previous := tideEvent(events[i-1], r.unit, r.zone)
		row.Previous = &previous
	}
	if i+1 < len(events) {
		next := tideEvent(events[i+1], r.unit, r.zone)
		row.Next = &next
	}
	return row
}

// first returns the first of the times of an event of the sun, to the minute.
func (r ranking) first(times []time.Time) *time.Time {
	if len(times) == 0 {
		return nil
	}
	t := times[0].Round(time.Minute).In(r.zone.Location)
	return &t
}

// summary returns the first row in a sentence.
func (t TideRanks) summary() string {
	light := ""
	if t.Light != "any" {
		light = " in " + lightName(t.Light)
	}
	if len(t.Ranks) == 0 {
		return "No such tide" + light + "."
	}
	first := t.Ranks[0]
	return fmt.Sprintf("%s %s water%s: %s %s at %s.", titled(t.What), first.Type, light,
		render.Number(first.Height, 2), t.HeightUnit, longClock(first.Time))
}

// titled returns a word with a capital letter.
func titled(word string) string { return string(word[0]-'a'+'A') + word[1:] }

// lightName returns a light as sentences name it.
func lightName(light string) string {
	names := map[string]string{"civil": "daylight or civil twilight", "dark": "the dark",
		"moonlit": "moonlight"}
	if name, ok := names[light]; ok {
		return name
	}
	return light
}

// longClock returns a time with its date and zone: 11:38 AM EST on Sat 23 Jan 2027.
func longClock(t time.Time) string { return t.Format("3:04 PM MST on Mon 2 Jan 2006") }

// describeRanks writes ranked tides.
func describeRanks(t *render.Text, rows []TideRank) {
	for _, r := range rows {
		sun := ""
		if r.Sunrise != nil && r.Sunset != nil {
			sun = fmt.Sprintf(", sun %s to %s", r.Sunrise.Format("15:04"), r.Sunset.Format("15:04"))
		}
		t.Line("%d. %s %s %s%s", r.Rank, r.Time.Format("Mon 2006-01-02 15:04 MST"), r.Type,
			render.Number(r.Height, 2), sun)
	}
}
