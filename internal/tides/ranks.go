package tides

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"leadline/internal/almanac"
	"leadline/internal/coast"
	"leadline/internal/directory"
	"leadline/internal/facts"
	"leadline/internal/intervals"
	"leadline/internal/operation"
	"leadline/internal/place"
	"leadline/internal/render"
	"leadline/internal/sky"
	"leadline/internal/stations"
	"leadline/internal/tide"
)

// TideRanksInput requests the lowest or highest tides of a span, the king tides of a year,
// or the spring and neap tides of a span.
type TideRanksInput struct {
	place.StationOrPlace
	What TideRanking `json:"what" default:"lowest" doc:"Low waters, high waters, king tides of a year, or spring and neap tides."`
	Year int         `json:"year,omitempty" min:"1901" max:"2099" doc:"Of king tides; this one, from October on the next." example:"2027"`
	intervals.InLight
	intervals.OnDays
	Limit int `json:"limit" default:"10" min:"1" max:"100" doc:"Rows to return."`
	operation.Span
	operation.OnDatum
	operation.InUnits
	operation.InZone
	intervals.Extent
}

// Validate rejects arguments that do not apply to the requested ranking.
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
	case !ofEvents && (in.Lit() || in.OnDays.Limited()):
		return facts.Invalid("light", "condition", "light, weekdays and hours select from the lowest "+
			`and the highest tides, not from %s. Leave them out, or send "what": "highest".`, in.What)
	}
	return nil
}

// TideRank is a high or low water, ranked by height.
type TideRank struct {
	Rank     int        `json:"rank" doc:"1 is the lowest or the highest."`
	Time     time.Time  `json:"time" doc:"The minute that NOAA publishes."`
	Type     TideType   `json:"type" doc:"High or low water."`
	Height   float64    `json:"height" doc:"Height above the datum."`
	Sunrise  *time.Time `json:"sunrise" doc:"Sunrise of that day; null if the sun does not rise."`
	Sunset   *time.Time `json:"sunset" doc:"Sunset of that day; null if the sun does not set."`
	Previous *TideEvent `json:"previous" doc:"Event before; null if it is not known."`
	Next     *TideEvent `json:"next" doc:"Event after; null if it is not known."`
}

// TideRanks are the ranked tides. Only the requested list is set.
type TideRanks struct {
	coast.Frame    `always:"station datum units timeZone" never:"quoted"`
	Place          *place.NamedPlace        `json:"place,omitempty" doc:"Place of the request; left out if the request names a station."`
	HeightUnit     coast.HeightUnit         `json:"heightUnit" doc:"Unit of heights."`
	PredictionKind directory.PredictionKind `json:"predictionKind" doc:"How the predictions are made: from constants of the station (harmonic), or from those of a reference station (subordinate)."`
	Span           coast.Span               `json:"span" doc:"Span of the result, both ends included."`
	What           TideRanking              `json:"what" doc:"What the tides are ranked by."`
	Light          intervals.Light          `json:"light" doc:"Light that events are limited to."`
	Summary        string                   `json:"summary" doc:"Result in a sentence."`
	Ranks          []TideRank               `json:"ranks,omitzero" doc:"Ranked tides of lowest and highest, by height; left out of others."`
	KingTides      []KingTide               `json:"kingTides,omitzero" doc:"Groups of king tides by height; left out unless what is king."`
	Springs        []SpringTide             `json:"springs,omitzero" doc:"Spring and neap tides in order of time; left out unless what is springs."`
}

// TideRanks ranks the predicted tides of a station. Errors: those of TidePredictions.
func (s Operations) TideRanks(ctx context.Context, in TideRanksInput) (TideRanks, error) {
	at, st, tides, err := s.At(&in.StationOrPlace, &in.OnDatum)
	if err != nil {
		return TideRanks{}, err
	}
	fs := s.facts.Set()
	r := ranking{
		in: in, st: st, at: at.Sky(st), home: fs.Local(st), tides: tides,
		unit: facts.HeightsIn(in.Units),
	}
	if err := r.readSpan(fs); err != nil {
		return TideRanks{}, err
	}
	out := TideRanks{
		Frame: Frame(fs, st, string(in.Datum), in.Units, r.zone),
		Place: at.Place.Place, HeightUnit: coast.HeightUnit(r.unit.Name),
		PredictionKind: directory.KindOf(st),
		Span:           coast.Span{From: r.span.From, To: r.span.To}, What: in.What, Light: "any",
	}
	if in.Lit() {
		out.Light = in.Light
	}
	at.Explain(&out.Provenance)
	out.Notes = append(append(out.Notes, r.span.Notes...), r.span.NewYear()...)
	out.Notes = append(out.Notes, fs.Far(st, r.span)...)
	r.out = &out
	switch in.What {
	case "king":
		err = r.kings(ctx, fs)
	case "springs":
		err = r.springs(ctx, fs)
	default:
		out.Notes = append(out.Notes, at.ItselfNote("Light is")...)
		err = r.rank(ctx, fs)
	}
	return out, err
}

// ranking computes the rows of a result.
type ranking struct {
	in    TideRanksInput
	st    stations.Station
	at    sky.Place      // whose light counts
	home  *time.Location // of the station
	tides tide.Tides
	span  facts.Interval
	unit  facts.Unit
	zone  facts.Zone // of the result
	out   *TideRanks
}

// readSpan resolves the span and the time zone.
func (r *ranking) readSpan(fs facts.Set) (err error) {
	if r.in.What == "king" {
		if r.zone, err = fs.Zone(r.st, string(r.in.TimeZone)); err == nil {
			r.span = r.year(fs.Now)
		}
		return err
	}
	r.zone, r.span, err = r.in.Extent.Resolve(fs, r.in.Span, string(r.in.TimeZone), r.st)
	return err
}

// rank lists the lowest or highest waters.
func (r ranking) rank(ctx context.Context, fs facts.Set) error {
	// Neighboring events outside the span are listed too. A diurnal tide can have days
	// without events.
	const reach = 3 * 24 * time.Hour
	events := r.tides.Extremes(r.span.From.Add(-reach), r.span.To.Add(reach))
	order := tide.Lowest
	if r.in.What == "highest" {
		order = tide.Highest
	}
	lit, err := r.light(ctx)
	if err != nil {
		return err
	}
	rows := []TideRank{}
	for _, e := range order(within(events, r.span)) {
		if len(rows) == r.in.Limit {
			break
		}
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if r.in.OnDays.Allows(e.Time, r.home) && lit(e.Time) {
			rows = append(rows, r.row(len(rows)+1, e, events))
		}
	}
	r.out.Ranks = rows
	r.out.Sources = append(r.out.Sources, fs.Calculated("sun", "Sun, computed here",
		"https://gml.noaa.gov/grad/solcalc/"))
	r.out.Summary = r.out.summary()
	return nil
}

// light returns a function that reports whether an instant of the span has the requested
// light.
func (r ranking) light(ctx context.Context) (func(time.Time) bool, error) {
	at, light := r.at, sky.Light(r.in.Light)
	switch {
	case !r.in.Lit():
		return func(time.Time) bool { return true }, nil
	case light != sky.Moonlit:
		return func(t time.Time) bool {
			return len(sky.When(at, t, t.Add(time.Second), light)) > 0
		}, nil
	}
	// Computing the moon for a single instant costs as much as for several days.
	parts, err := intervals.LitParts(ctx, at, r.span.From, r.span.To.Add(time.Minute), light)
	return func(t time.Time) bool { return intervals.Holds(parts, t) }, err
}

// row returns the row for an event.
func (r ranking) row(rank int, e tide.Extreme, events []tide.Extreme) TideRank {
	event := tideEvent(e, r.unit, r.zone)
	row := TideRank{Rank: rank, Time: event.Time, Type: event.Type, Height: event.Height}
	day := facts.DayStart(e.Time.In(r.home))
	sun := sky.Sun(r.at, day, facts.NextDay(day)).Sun
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

// first returns the first time at which a sun event occurs, to the minute.
func (r ranking) first(times []time.Time) *time.Time {
	if len(times) == 0 {
		return nil
	}
	t := times[0].Round(time.Minute).In(r.zone.Location)
	return &t
}

// summary describes the first row in a sentence.
func (t TideRanks) summary() string {
	light := ""
	if t.Light != "any" {
		light = " in " + intervals.LightName(string(t.Light))
	}
	if len(t.Ranks) == 0 {
		return "No such tide" + light + "."
	}
	first := t.Ranks[0]
	return fmt.Sprintf("%s %s water%s: %s %s at %s.", titled(string(t.What)), first.Type, light,
		render.Number(first.Height, 2), t.HeightUnit, longClock(first.Time))
}

// titled returns a word with its first letter capitalized.
func titled(word string) string { return string(word[0]-'a'+'A') + word[1:] }

// describeRanks writes ranked tides.
func describeRanks(t *render.Answer, rows []TideRank, unit string) {
	if len(rows) == 0 {
		return
	}
	columns := []string{"rank", "time", "type", "height " + unit, "sunrise", "sunset"}
	t.Rows(columns, len(rows), func(i int) []render.Cell {
		r := rows[i]
		cells := []render.Cell{
			render.Figure(float64(r.Rank), 0).As("%s."),
			render.Word(r.Time.Format("Mon 2006-01-02 15:04 MST")),
			render.Word(string(r.Type)), render.Figure(r.Height, 2),
		}
		if r.Sunrise != nil && r.Sunset != nil {
			cells = append(cells, render.Word(r.Sunrise.Format("15:04")).As(", sun %s"),
				render.Word(r.Sunset.Format("15:04")).As(" to %s"))
		}
		return cells
	})
}

// KingTide is a group of high waters that are among the highest of a year.
type KingTide struct {
	Rank            int                `json:"rank" doc:"Rank among the king tides of the year, 1 is the highest."`
	From            time.Time          `json:"from" doc:"Time of the first high water of the group."`
	To              time.Time          `json:"to" doc:"Time of the last high water of the group."`
	Days            int                `json:"days" doc:"Days from the first to the last high water, both included."`
	Highs           int                `json:"highs" doc:"Number of high waters of the group."`
	Highest         TideMinute         `json:"highest" doc:"The highest high water of the group."`
	AboveMHHW       *float64           `json:"aboveMHHW" doc:"Height of the highest above MHHW; null if the station has no MHHW."`
	Of19Years       float64            `json:"of19Years" doc:"Percentage of the high waters of 19 years that are lower."`
	PerigeeHours    float64            `json:"perigeeHours" doc:"Hours from the moon's nearest perigee to the highest."`
	Phase           almanac.LunarEvent `json:"phase" doc:"The moon's nearest principal phase."`
	BelowMinorFlood []FloodBelow       `json:"belowMinorFlood" doc:"How far the highest is below each minor flood level."`
}

// FloodBelow reports the difference between a flood level and a tide.
type FloodBelow struct {
	Authority directory.FloodAuthority `json:"authority" doc:"Who defines the flood level."`
	Basis     directory.FloodBasis     `json:"basis" doc:"Whether it is published or derived."`
	Height    float64                  `json:"height" doc:"How far the tide is below the level; negative if it is above."`
}

// year returns the calendar year of king tides at the station: by default the current year,
// and from October on the next one.
func (r ranking) year(now time.Time) facts.Interval {
	year := r.in.Year
	if today := now.In(r.home); year == 0 {
		year = today.Year()
		if today.Month() >= time.October {
			year++
		}
	}
	first := facts.DayStart(time.Date(year, 1, 1, 12, 0, 0, 0, r.home))
	next := facts.DayStart(time.Date(year+1, 1, 1, 12, 0, 0, 0, r.home))
	return facts.Interval{
		From: first.In(r.zone.Location), To: next.Add(-time.Minute).In(r.zone.Location),
	}
}

// kings lists the king tides of the year in order of height.
func (r ranking) kings(ctx context.Context, fs facts.Set) error {
	// The nineteen years around the year cover the moon's whole cycle of 18.6 years.
	const before = 9
	from := r.span.From.AddDate(-before, 0, 0)
	cycle, err := extremesOf(ctx, r.tides, from, r.span.To.AddDate(before, 0, 0))
	if err != nil {
		return err
	}
	floods := r.floods(ctx, fs)
	kings := tide.KingTides(within(cycle, r.span))
	slices.SortFunc(kings, func(a, b tide.KingTide) int { return a.Rank - b.Rank })
	r.out.KingTides = []KingTide{}
	for _, k := range kings[:min(len(kings), r.in.Most(r.in.Limit))] {
		r.out.KingTides = append(r.out.KingTides, r.king(k, cycle, floods))
	}
	r.out.Summary = fmt.Sprintf("%s in %d.", operation.Plural(len(kings), "king tide"),
		r.span.From.In(r.home).Year())
	if len(kings) > 0 {
		highest := r.out.KingTides[0].Highest
		r.out.Summary += fmt.Sprintf(" The highest is %s %s at %s.", render.Number(highest.Height, 2),
			r.unit.Name, longClock(highest.Time))
	}
	r.out.Sources = append(r.out.Sources, fs.Calculated("king-tides",
		"King tides: the highest 2 % of a year's high waters", facts.StationPage(r.st.ID)))
	r.out.Notes = append(r.out.Notes, "King tide has no official definition. Here it is a group of "+
		"the highest 2 % of a calendar year's high waters. Whether it floods depends on the weather.")
	return context.Cause(ctx)
}

// king returns the row for a king tide.
func (r ranking) king(
	k tide.KingTide, cycle []tide.Extreme, floods []directory.FloodLevel,
) KingTide {
	first, last := k.Highs[0].Time, k.Highs[len(k.Highs)-1].Time
	row := KingTide{
		Rank: k.Rank, From: first.In(r.zone.Location), To: last.In(r.zone.Location),
		Days: days(first.In(r.home), last.In(r.home)), Highs: len(k.Highs),
		Highest: TideMinute{
			k.Highest.Time.In(r.zone.Location), r.unit.Of(k.Highest.Height),
		},
		Of19Years:    math.Round(tide.Percentile(cycle, k.Highest.Height)*100) / 100,
		PerigeeHours: math.Round(k.Highest.Time.Sub(nearestPerigee(k.Highest.Time)).Hours()),
		Phase:        almanac.LunarEvent(nearestPhase(k.Highest.Time)), BelowMinorFlood: []FloodBelow{},
	}
	mhhw, ok := r.st.Level("MHHW")
	if zero, found := r.st.Level(string(r.in.Datum)); ok && found {
		above := r.unit.Of(k.Highest.Height - (mhhw - zero))
		row.AboveMHHW = &above
	}
	for _, f := range floods {
		row.BelowMinorFlood = append(row.BelowMinorFlood, FloodBelow{f.Authority, f.Basis,
			math.Round((f.Height-row.Highest.Height)*r.unit.Steps)/r.unit.Steps + 0})
	}
	return row
}

// days returns the number of civil days from one time to another, both included.
func days(from, to time.Time) int {
	n := 1
	for day := facts.NextDay(from); !day.After(to); day = facts.NextDay(day) {
		n++
	}
	return n
}

// floods returns the levels of minor flooding at the station, or none if there are none. If
// the provider does not respond, the levels are listed in missing.
func (r ranking) floods(ctx context.Context, fs facts.Set) []directory.FloodLevel {
	if r.st.Subordinate() || r.in.IsComputed() {
		return nil
	}
	ctx, cancel := operation.WithAdditionTimeout(ctx)
	defer cancel()
	levels, err := directory.FloodLevelsOf(ctx, fs, directory.StationFloodLevelsInput{
		StationOrPlace: place.StationOrPlace{Station: r.st.ID}, OnDatum: r.in.OnDatum,
		InUnits: r.in.InUnits,
	})
	if err != nil {
		if e, known := coast.AsError(err); !known || e.Code != coast.ProductUnavailable {
			r.out.Missing = append(r.out.Missing, coast.Missing{
				Input: "belowMinorFlood", Reason: "NOAA has not answered with its flood levels",
			})
		}
		return nil
	}
	facts.Merge(&r.out.Provenance, levels.Provenance)
	return slices.DeleteFunc(levels.Levels,
		func(l directory.FloodLevel) bool { return l.Level != "minor" })
}

// nearestPerigee returns the perigee of the moon that is nearest to a time.
func nearestPerigee(t time.Time) time.Time {
	nearest := t.AddDate(-1, 0, 0)
	const months = 3 // lunar months: at most 28.6 days from perigee to perigee
	at := t.AddDate(0, 0, -30)
	for range months {
		for _, e := range sky.NextApsides(at) {
			if e.Name == "perigee" {
				at = e.Time
			}
		}
		if t.Sub(at).Abs() < t.Sub(nearest).Abs() {
			nearest = at
		}
	}
	return nearest
}

// nearestPhase returns the principal phase of the moon that is nearest to a time.
func nearestPhase(t time.Time) string {
	nearest := sky.MoonEvent{}
	for _, e := range sky.NextPhases(t.AddDate(0, 0, -9)) {
		if nearest.Name == "" || t.Sub(e.Time).Abs() < t.Sub(nearest.Time).Abs() {
			nearest = e
		}
	}
	return nearest.Name
}

// SpringTide is the greatest or the smallest range within 25 hours near a phase of the moon.
type SpringTide struct {
	Kind      SpringKind  `json:"kind" doc:"Kind of range."`
	Phase     SpringPhase `json:"phase" doc:"Phase of the moon, or its declination at diurnal stations."`
	PhaseTime time.Time   `json:"phaseTime" doc:"Time of the phase."`
	High      TideMinute  `json:"high" doc:"The high water."`
	Low       TideMinute  `json:"low" doc:"The low water."`
	Range     float64     `json:"range" doc:"Height of the high above the low water."`
	LagHours  float64     `json:"lagHours" doc:"Hours from the phase to the middle of the two waters."`
	Apsis     Apsis       `json:"apsis,omitempty" doc:"Extreme of the moon's distance within 2 days; left out if no extreme is that near."`
}

// diurnal reports whether a station's tide follows the moon's declination rather than its
// phase: if its form number is at least 1.5 (Courtier, 1938).
func (r ranking) diurnal(fs facts.Set) bool {
	st := r.st
	if st.Subordinate() {
		reference, err := fs.TideStation(st.Reference)
		if err != nil {
			return false
		}
		st = reference
	}
	form, ok := directory.FormNumber(st)
	return ok && form >= 1.5
}

// springs lists the spring and neap tides of the span, or the tropic and equatorial ones.
func (r ranking) springs(ctx context.Context, fs facts.Set) (err error) {
	diurnal := r.diurnal(fs)
	phases := almanac.PhasesOver(r.span)
	names := map[bool]string{true: "spring", false: "neap"}
	if diurnal {
		if phases, err = declinations(ctx, r.span); err != nil {
			return err
		}
		names = map[bool]string{true: "tropic", false: "equatorial"}
		r.out.Notes = append(r.out.Notes, "The tide here is diurnal: its range follows the moon's "+
			"declination, not its phase. The rows are tropic tides (great ranges, greatest declination) "+
			"and equatorial tides.")
	}
	const before, after = 3 * 24 * time.Hour, 6 * 24 * time.Hour
	events := r.tides.Extremes(r.span.From.Add(-before), r.span.To.Add(after))
	motions := make([]tide.MoonPhase, len(phases))
	for i, p := range phases {
		motions[i] = p.MoonPhase
	}
	r.out.Springs = []SpringTide{}
	for _, s := range tide.SpringTides(events, motions) {
		i := slices.Index(motions, s.Moon)
		r.out.Springs = append(r.out.Springs, r.spring(s, phases[i].Name, names[s.Moon.Spring]))
	}
	r.out.Summary = fmt.Sprintf("%s and %s tides: %d.", titled(names[true]), names[false],
		len(r.out.Springs))
	if n := r.in.Most(r.in.Limit); len(r.out.Springs) > n {
		r.out.Notes = append(r.out.Notes, fmt.Sprintf("These are the first %d of %d; limit is at most "+
			"100.", n, len(r.out.Springs)))
		r.out.Springs = r.out.Springs[:n]
	}
	r.out.Sources = append(r.out.Sources, fs.Calculated("spring-tides",
		"Ranges of the predicted tide near the moon's phases", facts.StationPage(r.st.ID)))
	return context.Cause(ctx)
}

// spring returns the row for a spring or neap tide.
func (r ranking) spring(s tide.SpringTide, phase, kind string) SpringTide {
	row := SpringTide{
		Kind: SpringKind(kind), Phase: SpringPhase(phase),
		PhaseTime: s.Moon.Time.Round(time.Minute).In(r.zone.Location),
		High:      TideMinute{s.High.Time.In(r.zone.Location), r.unit.Of(s.High.Height)},
		Low:       TideMinute{s.Low.Time.In(r.zone.Location), r.unit.Of(s.Low.Height)},
		Range:     r.unit.Of(s.Range()), LagHours: math.Round(s.Lag().Hours()),
	}
	const reach = 2 * 24 * time.Hour
	for _, e := range sky.NextApsides(s.Moon.Time.Add(-reach)) {
		if e.Time.Sub(s.Moon.Time).Abs() <= reach {
			row.Apsis = Apsis(e.Name)
		}
	}
	return row
}

// declinations returns the times at which the moon's declination is greatest, north or south,
// and at which it is zero. The times are accurate to the hour, because the range of the tide
// changes over days.
func declinations(ctx context.Context, span facts.Interval) ([]almanac.PhaseOfMoon, error) {
	const step = time.Hour
	list := []almanac.PhaseOfMoon{}
	before, now := declination(span.From.Add(-step)), declination(span.From)
	for t := span.From; !t.After(span.To); t = t.Add(step) {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		next := declination(t.Add(step))
		switch {
		case now >= before && now > next, now <= before && now < next:
			list = append(list, almanac.PhaseOfMoon{MoonPhase: tide.MoonPhase{Time: t, Spring: true},
				Name: "greatest_declination"})
		case now > 0 != (next > 0):
			list = append(list,
				almanac.PhaseOfMoon{MoonPhase: tide.MoonPhase{Time: t}, Name: "over_the_equator"})
		}
		before, now = now, next
	}
	return list, nil
}

// declination returns the moon's declination without the parallax of a place on the rotating
// Earth. It averages over the two poles, where the parallax is opposite.
func declination(t time.Time) float64 {
	north := sky.MoonPosition(sky.Place{Latitude: 90}, t).Declination
	south := sky.MoonPosition(sky.Place{Latitude: -90}, t).Declination
	return (north + south) / 2
}

// Computed returns the request without facts that a provider must be asked for.
func (in TideRanksInput) Computed() TideRanksInput {
	in.SetComputed()
	return in
}

// All returns the request for all king tides of the year, or all spring tides of the span. Other
// tides have no end: their limit applies.
func (in TideRanksInput) All() TideRanksInput {
	in.SetWhole()
	return in
}

// OfCalendar returns the request for what All requests, in the horizon of calendars or in its own
// span if it has one, without asking a provider.
func (in TideRanksInput) OfCalendar() TideRanksInput {
	in.SetCalendar()
	in.SetComputed()
	return in
}

// Describe writes the summary, then a row for each tide.
func (r TideRanks) Describe(t *render.Answer) {
	t.Line("%s%s: %s", operation.StationName(r.Station), place.ForPlace{Place: r.Place}.Away(),
		r.Summary)
	t.Gap()
	unit := string(r.HeightUnit)
	describeRanks(t, r.Ranks, unit)
	for _, k := range r.KingTides {
		t.Line("%d. %s to %s, %s, highest %s %s at %s", k.Rank, k.From.Format("Mon 2006-01-02"),
			k.To.Format("Mon 2006-01-02"), operation.Plural(k.Highs, "high water"),
			render.Number(k.Highest.Height, 2), unit, k.Highest.Time.Format("Mon 2006-01-02 15:04 MST"))
		for _, f := range k.BelowMinorFlood {
			t.Line("- %s %s below minor flooding (%s, %s)", render.Number(f.Height, 2), unit, f.Authority,
				f.Basis)
		}
	}
	for _, s := range r.Springs {
		t.Line("%s: range %s %s, high water %s at %s", s.Kind, render.Number(s.Range, 2), unit,
			render.Number(s.High.Height, 2), s.High.Time.Format("Mon 2006-01-02 15:04 MST"))
	}
}

// TakesTurn reports whether the input takes long to compute, so that it waits for a turn.
func (in *TideRanksInput) TakesTurn() bool { return in.Span.Long() || in.What == "king" }
