package almanac

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"leadline/internal/coast"
	"leadline/internal/facts"
	"leadline/internal/operation"
	"leadline/internal/place"
	"leadline/internal/render"
	"leadline/internal/sky"
	"leadline/internal/tide"
)

// MoonPhaseInput requests data on the moon, with or without a place.
type MoonPhaseInput struct {
	Date  string `json:"date,omitempty" doc:"Day, as 2026-11-20, or weekend; default: today." example:"2026-11-20"`
	Begin string `json:"begin_date,omitempty" doc:"First of several days, with end_date." example:"2026-11-20"`
	End   string `json:"end_date,omitempty" doc:"Last day; at most 31 in all." example:"2026-11-26"`
	Event string `json:"event,omitempty" enum:"new_moon first_quarter full_moon last_quarter perigee apogee" doc:"Only the next of this kind." example:"full_moon"`
	place.AtNamedPlace
	operation.InPlaceZone
}

// Validate accepts at most one way to name the days and one way to name the place.
func (in *MoonPhaseInput) Validate() error {
	if in.Date != "" && in.Begin+in.End != "" {
		return facts.InvalidSpan(
			"date",
			`give date, or begin_date and end_date, not both. Example: "date": "2026-11-20".`,
		)
	}
	if (in.Begin == "") != (in.End == "") {
		return facts.InvalidSpan(
			"begin_date",
			`begin_date and end_date go together. Example: `+
				`"begin_date": "2026-11-20", "end_date": "2026-11-26".`,
		)
	}
	if in.Event != "" && in.Begin != "" {
		return facts.Invalid("event", "condition", "event returns the next one after date, not those "+
			`of a span. Give date. Example: "event": "full_moon", "date": "2026-11-20".`)
	}
	if in.Place == "" {
		return in.Check(false)
	}
	return in.AtNamedPlace.CheckPoint()
}

// MoonDay describes the moon on one civil day.
type MoonDay struct {
	Date         string      `json:"date" format:"date" doc:"Civil day of the time zone."`
	At           time.Time   `json:"at" doc:"Time of the values: now for today, else noon."`
	Phase        LunarPhase  `json:"phase" doc:"Phase of the moon."`
	AgeDays      float64     `json:"ageDays" doc:"Days since new moon."`
	Illumination float64     `json:"illumination" doc:"Illuminated fraction of the moon's disk, 0 to 1."`
	DistanceKm   float64     `json:"distanceKm" doc:"Kilometers from the earth's center to the moon's."`
	Moonrise     *time.Time  `json:"moonrise" doc:"Time of moonrise; null on days without one."`
	Moonset      *time.Time  `json:"moonset" doc:"Time of moonset; null on days without one."`
	Moonrises    []time.Time `json:"moonrises,omitempty" doc:"Both moonrises of a day with two, in order; left out of other days."`
	Moonsets     []time.Time `json:"moonsets,omitempty" doc:"Both moonsets of a day with two, in order; left out of other days."`
	Transit      *time.Time  `json:"transit" doc:"When the moon crosses the meridian; null on days without a transit."`
	NextMoonrise *time.Time  `json:"nextMoonrise,omitempty" doc:"Next moonrise after a day without one; left out of other days."`
	NextMoonset  *time.Time  `json:"nextMoonset,omitempty" doc:"Next moonset after a day without one; left out of other days."`
	State        MoonState   `json:"state,omitempty" doc:"Whether the moon crosses the horizon on that day; left out of results without a place."`

	underfoot []time.Time // lower transits
}

// MoonEvent is a future principal phase, perigee or apogee.
type MoonEvent struct {
	Event      LunarEvent `json:"event" doc:"A principal phase, perigee or apogee."`
	Time       time.Time  `json:"time" doc:"When it happens."`
	DistanceKm float64    `json:"distanceKm,omitempty" doc:"Kilometers from the earth's center at perigee and apogee; left out of phases."`
}

// MoonPhase describes the moon day by day, and its next events.
type MoonPhase struct {
	coast.Frame
	Latitude         *float64    `json:"latitude,omitempty"`
	Longitude        *float64    `json:"longitude,omitempty"`
	IlluminationUnit string      `json:"illuminationUnit"` // fraction
	Days             []MoonDay   `json:"days"`
	Next             []MoonEvent `json:"next"` // four principal phases, perigee, apogee, in order of time
	place.ForPlace
	now   time.Time
	input MoonPhaseInput
}

// SchemaName returns the name in documents, where MoonPhase is the phase itself.
func (MoonPhase) SchemaName() string { return "Moon" }

// MoonPhase returns the moon's phase, age, illumination and distance. With a place it also
// returns rise and set, within 2 s at latitudes up to 60 degrees.
func (s Operations) MoonPhase(_ context.Context, in MoonPhaseInput) (MoonPhase, error) {
	fs := s.facts.Set()
	at, err := in.AtNamedPlace.Resolve(fs)
	if err != nil {
		return MoonPhase{}, err
	}
	sp, err := fs.Place(in.AtPlace, at.Zone(in.InPlaceZone))
	if err != nil {
		return MoonPhase{}, err
	}
	days, err := moonDays(fs, in, sp.Zone)
	if err != nil {
		return MoonPhase{}, err
	}
	out := MoonPhase{
		Frame: fs.SkyFrame(sp, facts.Moon), IlluminationUnit: "fraction", Days: []MoonDay{},
		now: fs.Minute(), ForPlace: at.Place, input: in,
	}
	at.Explain(&out.Provenance)
	if in.AtPlace.Given() {
		out.Latitude, out.Longitude = &sp.Latitude, &sp.Longitude
		out.Notes = append(out.Notes, coast.HorizonNote)
	} else if in.Event == "" {
		out.Missing = append(out.Missing, coast.Missing{
			Input:  "moonrise, moonset, transit",
			Reason: "they need a place: give place, station, or latitude and longitude",
		})
	}
	if in.Event != "" {
		out.Next = out.next(days[0].From, sp.Zone)
		return out, nil
	}
	for _, d := range days {
		out.Days = append(out.Days, MoonOn(fs, d, sp, in.AtPlace.Given()))
	}
	out.Next = moonEvents(out.Days[0].At, sp.Zone)
	return out, nil
}

// next returns the next event of the requested kind: after the beginning of a requested day, else
// after the time of the result.
func (m MoonPhase) next(day time.Time, z facts.Zone) []MoonEvent {
	if m.input.Date+m.input.Begin == "" {
		day = m.now
	}
	return slices.DeleteFunc(moonEvents(day.Add(-time.Second), z), func(e MoonEvent) bool {
		return string(e.Event) != m.input.Event
	})
}

func moonDays(fs facts.Set, in MoonPhaseInput, z facts.Zone) ([]facts.Interval, error) {
	if in.Begin == "" {
		return fs.Days("date", in.Date, 1, z)
	}
	first, err := fs.Day("begin_date", in.Begin, z)
	if err != nil {
		return nil, err
	}
	last, err := fs.Day("end_date", in.End, z)
	if err != nil {
		return nil, err
	}
	count := int(math.Round(last.Sub(first).Hours()/24)) + 1
	if count < 1 {
		return nil, facts.InvalidSpan(
			"begin_date", "begin_date %s is after end_date %s. Give the earlier one as begin_date.",
			coast.Quote(in.Begin), coast.Quote(in.End),
		)
	}
	if count > 31 {
		e := coast.Errorf(
			coast.RangeTooLong, "The span is %d days long; it may be at most 31. Ask for it in parts.",
			count,
		)
		e.Issues = []coast.Issue{{Path: "end_date", Code: "range_too_long", Message: e.Message}}
		return nil, e
	}
	return fs.Days("begin_date", in.Begin, count, z)
}

// MoonOn returns the moon on a day: now on the present day, else at noon. Its rise and set need a
// place.
func MoonOn(fs facts.Set, d facts.Interval, sp facts.Place, placed bool) MoonDay {
	at := time.Date(d.From.Year(), d.From.Month(), d.From.Day(), 12, 0, 0, 0, d.From.Location())
	if now := fs.Minute(); !now.Before(d.From) && now.Before(d.To) {
		at = now.In(sp.Zone.Location)
	}
	moon := sky.Moon(at)
	day := MoonDay{
		Date:         d.From.Format(time.DateOnly),
		At:           at,
		Phase:        LunarPhase(moon.Phase),
		AgeDays:      math.Round(moon.Age*100) / 100,
		Illumination: thousandths(moon.Illumination),
		DistanceKm:   math.Round(moon.Distance),
	}
	if !placed {
		return day
	}
	day.risings(sky.MoonTimes(sp.Place, d.From, d.To), sp.Zone)
	return day
}

func (day *MoonDay) risings(m sky.MoonDay, z facts.Zone) {
	day.Moonrise, day.Moonset = first(m.Moon.Rise, z), first(m.Moon.Set, z)
	if len(m.Moon.Rise) > 1 {
		day.Moonrises = inZone(m.Moon.Rise, z)
	}
	if len(m.Moon.Set) > 1 {
		day.Moonsets = inZone(m.Moon.Set, z)
	}
	day.Transit, day.underfoot = first(m.Transit, z), inZone(m.Lower, z)
	if day.Moonrise == nil && !m.NextRise.IsZero() {
		day.NextMoonrise = first([]time.Time{m.NextRise}, z)
	}
	if day.Moonset == nil && !m.NextSet.IsZero() {
		day.NextMoonset = first([]time.Time{m.NextSet}, z)
	}
	day.State = "rises_and_sets"
	if m.Moon.State != "" {
		day.State = MoonState(string(m.Moon.State))
	}
}

// Rises returns the moonrises of the day, in order.
func (day MoonDay) Rises() []time.Time { return listOf(day.Moonrise, day.Moonrises) }

// Sets returns the moonsets of the day, in order.
func (day MoonDay) Sets() []time.Time { return listOf(day.Moonset, day.Moonsets) }

func moonEvents(after time.Time, z facts.Zone) []MoonEvent {
	events := append(sky.NextPhases(after), sky.NextApsides(after)...)
	slices.SortFunc(events, func(a, b sky.MoonEvent) int { return a.Time.Compare(b.Time) })
	rows := make([]MoonEvent, len(events))
	for i, e := range events {
		rows[i] = MoonEvent{LunarEvent(e.Name), e.Time.Round(time.Second).In(z.Location),
			math.Round(e.Distance)}
	}
	return rows
}

// Describe writes the data on the moon for the first day, then a row for each day and the
// next events.
func (m MoonPhase) Describe(t *render.Answer) {
	if m.input.Event != "" {
		t.Line("Next: %s", m.Next[0].text())
		return
	}
	first := m.Days[0]
	where := ""
	if m.Latitude != nil {
		where = " at " + m.At(m.Station, *m.Latitude, *m.Longitude)
	}
	t.Line("Moon%s, %s: %s, %s %% lit", where, render.Clock(first.At, m.now),
		facts.Spaced(string(first.Phase)), render.Short(first.Illumination*100, 1))
	t.Gap()
	for _, d := range m.Days {
		t.Line("%s", d.text())
	}
	t.Gap()
	t.Line("Next:")
	for _, e := range m.Next {
		t.Line("%s", e.text())
	}
}

// text returns the event with its time and, of an extreme of the distance, the distance.
func (e MoonEvent) text() string {
	distance := ""
	if e.DistanceKm > 0 {
		distance = ", " + render.Short(e.DistanceKm, 0) + " km"
	}
	at := e.Time.Round(time.Minute)
	return operation.Join(" ", at.Format("Mon 2006-01-02 15:04"), render.Zone(at),
		facts.Spaced(string(e.Event))) + distance
}

// text returns the row of a day.
func (d MoonDay) text() string {
	rise, set := "no moonrise", "no moonset"
	switch {
	case d.State == "":
		rise, set = "", ""
	case d.State != "rises_and_sets":
		rise, set = facts.Spaced(string(d.State)), ""
	}
	return operation.Join(", ", fmt.Sprintf("%s %s", d.At.Format("Mon 2006-01-02"),
		facts.Spaced(string(d.Phase))),
		render.Short(d.Illumination*100, 1)+" % lit", render.Short(d.AgeDays, 1)+" days old",
		render.Short(d.DistanceKm, 0)+" km", timed("rise", d.Rises(), rise),
		timed("set", d.Sets(), set), timed("transit", listOf(d.Transit, nil), ""),
		timed("underfoot", d.underfoot, ""),
		d.later("rise", d.NextMoonrise), d.later("set", d.NextMoonset))
}

// later returns the time of the next moonrise or moonset, for a day that does not have one.
func (d MoonDay) later(what string, at *time.Time) string {
	if at == nil {
		return ""
	}
	return "next " + what + " " + at.Round(time.Minute).Format("Mon 2 Jan 15:04")
}

// timed returns an event with its times of day to the nearest minute, or the given text if
// there is no event.
func timed(what string, at []time.Time, without string) string {
	if len(at) == 0 {
		return without
	}
	clocks := make([]string, len(at))
	for i, t := range at {
		clocks[i] = t.Round(time.Minute).Format("15:04")
	}
	return what + " " + strings.Join(clocks, " and ")
}

// MoonPhases returns the principal phases of the moon from one time to another, in order.
func MoonPhases(from, to time.Time) []MoonEvent {
	list := []MoonEvent{}
	for _, p := range PhasesOver(facts.Interval{From: from, To: to.Add(-time.Second)}) {
		list = append(list, MoonEvent{Event: LunarEvent(p.Name), Time: p.Time})
	}
	return list
}

// PhaseOfMoon is a phase or a declination event of the moon, with its name.
type PhaseOfMoon struct {
	tide.MoonPhase
	Name string
}

// PhasesOver returns the principal phases in a span: spring tides follow new and full moon.
func PhasesOver(span facts.Interval) []PhaseOfMoon {
	list := []PhaseOfMoon{}
	for at := span.From.Add(-time.Second); ; {
		for _, e := range sky.NextPhases(at) {
			if e.Time.After(span.To) {
				return list
			}
			spring := e.Name == "new_moon" || e.Name == "full_moon"
			list = append(list, PhaseOfMoon{tide.MoonPhase{Time: e.Time, Spring: spring}, e.Name})
			at = e.Time
		}
	}
}
