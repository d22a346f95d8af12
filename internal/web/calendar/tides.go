package calendar

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"leadline/internal/chart"
	"leadline/internal/coast"
	"leadline/internal/ical"
	"leadline/internal/intervals"
	"leadline/internal/operation"
	"leadline/internal/tides"
	"leadline/internal/web/site"
	"leadline/internal/web/view"
)

// windowsCalendarQuery holds the parameters of the calendar of tide windows.
type windowsCalendarQuery struct {
	tides.TideWindowsInput
	alarm
}

// windowsCalendar makes the calendar of the windows in which the tide is on one side of a level.
func windowsCalendar(
	s *site.Shared, ctx context.Context, q windowsCalendarQuery,
) (calendarFile, error) {
	out, err := operation.Run(ctx, s.Set.Tides.TideWindows, q.TideWindowsInput.OfCalendar())
	if err != nil {
		return calendarFile{}, err
	}
	c := out.Condition
	b := newBuilder(s, "windows", out.Frame, q.Span, q.alarm, c.Side, millimeters(c.Level, out),
		c.Datum, c.Light, q.Weekdays, q.Clock, q.MinMinutes)
	d := windowWords{out, heightsOf(out.Frame, out.HeightUnit)}
	for _, w := range out.Windows {
		if b.window(w.From, w.To, w.Open, d.event(w)) {
			b.say("always", b.today, "All the time: "+d.name(), fmt.Sprintf("%s It is so in the whole "+
				"span, from %s to %s. %s", d.about(), w.From.Format("2 Jan 2006"), w.To.Format("2 Jan 2006"),
				strings.Join(out.Notes, " ")))
		}
	}
	return b.finish(view.Capital(d.name()), d.about()), nil
}

// millimeters returns a level in a unit that does not depend on the request.
func millimeters(level float64, out tides.TideWindows) int {
	if out.HeightUnit == "ft" {
		level *= 0.3048
	}
	return int(math.Round(level * 1000))
}

// heights writes heights of a result.
type heights struct {
	unit string
	zero string // MLLW (epoch 1983-2001)
}

func heightsOf(f coast.Frame, unit coast.HeightUnit) heights {
	return heights{string(unit), string(f.Datum) + view.EpochText(f.DatumEpoch)}
}

// of writes a height with its unit.
func (h heights) of(v float64) string { return chart.Quantity(v, h.unit) }

// windowWords describes windows of the tide.
type windowWords struct {
	out tides.TideWindows
	heights
}

// level writes the level of the condition as it was requested.
func (d windowWords) level() string { return view.LevelText(d.out.Condition.Level, d.unit) }

// name describes the condition: tide below 0 ft in daylight.
func (d windowWords) name() string {
	c := d.out.Condition
	text := "tide " + string(c.Side) + " " + d.level()
	if light := lightWords[string(c.Light)]; light != "" {
		text += " " + light
	}
	return text
}

// lightWords are the kinds of light in words.
var lightWords = map[string]string{
	"daylight": "in daylight", "civil": "in daylight or civil twilight", "dark": "in the dark",
	"moonlit": "in moonlight",
}

// about describes the condition in sentences.
func (d windowWords) about() string {
	c := d.out.Condition
	text := "The predicted tide is " + string(c.Side) + " " + d.level() + " on " + d.zero
	if light := lightWords[string(c.Light)]; light != "" {
		text += ", " + light
	}
	if text += "."; c.Sum != "" {
		text += " " + view.Capital(c.Sum) + "."
	}
	if d.out.PredictionKind == "subordinate" {
		text += " Heights between high and low water are interpolated."
	}
	return text
}

// event returns the event of a window.
func (d windowWords) event(w tides.TideWindow) ical.Event {
	extreme := "lowest"
	if d.out.Condition.Side == "above" {
		extreme = "highest"
	}
	return ical.Event{
		Start: w.From, End: w.To,
		Summary: fmt.Sprintf("Tide %s %s, %s, %s %s", d.out.Condition.Side, d.level(),
			clockSpan(w.From, w.To), extreme, d.of(w.Extreme.Height)),
		Description: fmt.Sprintf("%s %s %s at %s. %s", d.about(), view.Capital(extreme),
			d.of(w.Extreme.Height), w.Extreme.Time.Format("15:04 MST"),
			d.edge("begins", string(w.BeginsBecause), w.RateAtFrom)+
				" "+d.edge("ends", string(w.EndsBecause), w.RateAtTo)),
	}
}

// edge says why a window begins or ends, and how fast the water moves there.
func (d windowWords) edge(verb, cause string, rate float64) string {
	text := "It " + verb + " " + causeWords(cause)
	direction := " rises "
	if rate < 0 {
		direction = " falls "
	}
	return text + "; the water" + direction + "by " + d.of(math.Abs(rate)) + " an hour there."
}

// causeWords names what bounds a window.
func causeWords(cause string) string {
	switch cause {
	case "level":
		return "at the level"
	case "hours":
		return "with the chosen hours"
	case "weekday":
		return "with the chosen days"
	case "span":
		return "with the span, and may be longer"
	}
	return "at " + cause // sunrise, sunset, dawn, dusk, moonlight
}

// clockSpan writes the times of a window by the clock of its zone, with the zone's name.
func clockSpan(from, to time.Time) string {
	form := "15:04 MST"
	if !view.SameDay(from, to) {
		form = "Mon 15:04 MST"
	}
	return from.Format("15:04") + " to " + to.Format(form)
}

// ranksCalendarQuery holds the parameters of the calendar of tide ranks.
type ranksCalendarQuery struct {
	tides.TideRanksInput
	alarm
}

// ranksCalendar makes the calendar of the lowest or highest tides of each calendar year, its king
// tides, or the spring and neap tides. Ranks are those of a calendar year, or of the span of the
// request: those of a horizon that moves would change every day.
func ranksCalendar(
	s *site.Shared, ctx context.Context, q ranksCalendarQuery,
) (calendarFile, error) {
	in := q.TideRanksInput.OfCalendar()
	requests := []tides.TideRanksInput{in}
	if in.Given() == "" && in.Year == 0 && in.What != "springs" {
		requests = ofYears(in, s.Minute())
	}
	var b *builder
	var d rankWords
	for _, in := range requests {
		out, err := operation.Run(ctx, s.Set.Tides.TideRanks, in)
		if err != nil {
			return calendarFile{}, err
		}
		d = rankWords{out, heightsOf(out.Frame, out.HeightUnit), in.Given() != "" && len(requests) == 1}
		if b == nil {
			span := q.Span
			if q.Year != 0 {
				span.Date = "given" // that of the year
			}
			b = newBuilder(s, string(out.What), out.Frame, span, q.alarm, out.Light, q.Weekdays, q.Clock)
		}
		d.addTo(b)
	}
	return b.finish(d.name(), d.about()), nil
}

// ofYears returns the requests for the calendar years that the horizon of calendars touches.
func ofYears(in tides.TideRanksInput, now time.Time) (list []tides.TideRanksInput) {
	first := now.AddDate(0, 0, -intervals.CalendarDaysBack-1).Year()
	last := now.AddDate(0, 0, intervals.CalendarDaysAhead+1).Year()
	for year := first; year <= last; year++ {
		next := in
		if in.What == "king" {
			next.Year = year
		} else {
			next.Begin, next.End = fmt.Sprintf("%d-01-01", year), fmt.Sprintf("%d-12-31", year)
		}
		list = append(list, next)
	}
	return list
}

// rankWords describes ranked tides.
type rankWords struct {
	out tides.TideRanks
	heights
	ofSpan bool // the ranks are those of a span that the request names
}

func (d rankWords) addTo(b *builder) {
	for _, r := range byTime(d.out.Ranks) {
		b.add(r.Time, d.rank(r))
	}
	for _, k := range slices.SortedFunc(slices.Values(d.out.KingTides),
		func(a, b tides.KingTide) int { return a.From.Compare(b.From) }) {
		b.add(k.From, d.king(k, b.home))
	}
	for _, t := range d.out.Springs {
		b.add(t.High.Time, d.spring(t, b.home))
	}
}

// byTime returns ranked tides in order of time.
func byTime(ranks []tides.TideRank) []tides.TideRank {
	return slices.SortedFunc(slices.Values(ranks), func(a, b tides.TideRank) int {
		return a.Time.Compare(b.Time)
	})
}

// name describes the list.
func (d rankWords) name() string {
	light := ""
	if words := lightWords[string(d.out.Light)]; words != "" {
		light = " " + words
	}
	switch d.out.What {
	case "king":
		return "King tides"
	case "springs":
		return "Spring and neap tides"
	case "highest":
		return "Highest tides" + light
	}
	return "Lowest tides" + light
}

// about describes the list in a sentence.
func (d rankWords) about() string {
	text := "Predicted, in " + d.unit + " on " + d.zero + "."
	if d.out.What == "king" {
		text += " King tide has no official definition: here it is a group of the highest 2 % of a " +
			"calendar year’s high waters. Whether it floods depends on the weather."
	}
	return text
}

// rank returns the event of a ranked tide.
func (d rankWords) rank(r tides.TideRank) ical.Event {
	of := "of " + r.Time.Format("2006")
	if d.ofSpan {
		of = "of its span"
	}
	place := string(d.out.What) + " " + of
	if r.Rank > 1 {
		place = "number " + fmt.Sprint(r.Rank) + " of the " + string(d.out.What) + " " + of
	}
	light := ""
	if words := lightWords[string(d.out.Light)]; words != "" {
		light = " " + words
	}
	return ical.Event{
		Start: r.Time,
		Summary: fmt.Sprintf("%s tide %s, %s, %s%s", view.Capital(string(r.Type)), d.of(r.Height),
			r.Time.Format("15:04 MST"), place, light),
		Description: d.about(),
	}
}

// king returns the event of a king tide: the days of its high waters.
func (d rankWords) king(k tides.KingTide, home *time.Location) ical.Event {
	first, last := dayOf(k.From, home), dayOf(k.To, home)
	above := ""
	if k.AboveMHHW != nil {
		above = ", " + d.of(*k.AboveMHHW) + " above MHHW"
	}
	return ical.Event{
		Start: first, End: last.AddDate(0, 0, 1), AllDay: true,
		Summary: fmt.Sprintf("King tide, highest %s %s", d.of(k.Highest.Height),
			k.Highest.Time.Format("Mon 2 Jan 15:04 MST")),
		Description: fmt.Sprintf("%s Number %d of the year%s. %s, the first %s, the last %s.", d.about(),
			k.Rank, above, view.Plural(k.Highs, "high water"), k.From.Format("2 Jan 15:04 MST"),
			k.To.Format("2 Jan 15:04 MST")),
	}
}

// spring returns the event of a spring or neap tide.
func (d rankWords) spring(t tides.SpringTide, home *time.Location) ical.Event {
	day := dayOf(t.High.Time, home)
	apsis := ""
	if t.Apsis != "" {
		apsis = ", near the moon’s " + string(t.Apsis)
	}
	return ical.Event{
		Start: day, End: day.AddDate(0, 0, 1), AllDay: true,
		Summary: fmt.Sprintf("%s tide, range %s", view.Capital(string(t.Kind)), d.of(t.Range)),
		Description: fmt.Sprintf("%s High %s at %s, low %s at %s. %s at %s%s.", d.about(),
			d.of(t.High.Height), t.High.Time.Format("Mon 2 Jan 15:04 MST"), d.of(t.Low.Height),
			t.Low.Time.Format("Mon 2 Jan 15:04 MST"), view.Capital(view.Spaced(string(t.Phase))),
			t.PhaseTime.Format("Mon 2 Jan 15:04 MST"), apsis),
	}
}

// dayOf returns the midnight that begins the day of a time.
func dayOf(t time.Time, zone *time.Location) time.Time {
	y, m, d := t.In(zone).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, zone)
}
