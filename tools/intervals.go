package tools

import (
	"context"
	"slices"
	"strings"
	"time"

	"leadline/internal/coast"
	"leadline/internal/facts"
	"leadline/internal/sky"
	"leadline/internal/stations"
	"leadline/internal/tide"
)

// InLight is the argument that limits results to one kind of light.
type InLight struct {
	Light Light `json:"light,omitempty" doc:"In this light; dark: sun below -12°." example:"daylight"`
}

// lit reports whether the argument limits the result.
func (l InLight) lit() bool { return l.Light != "" && l.Light != "any" }

// longestWindows is the longest span of windows and ranks: a leap year, which can include the
// extra hour of a clock change.
const longestWindows = 366*24*time.Hour + time.Hour

// usualWindows is the default span of windows and ranks in hours.
const usualWindows = 30 * 24

// windowSpan returns the span of windows and ranks: by default 30 days from now.
func windowSpan(given Span) Span {
	if given.Given() == "" {
		given.Range = usualWindows
	}
	return given
}

// withinYear returns RangeTooLong if a span is longer than the limit of windows and ranks.
func withinYear(span facts.Interval) error {
	length := span.To.Sub(span.From)
	if length <= longestWindows {
		return nil
	}
	e := coast.Errorf(coast.RangeTooLong, "The span is %.0f days long; windows, top and light take "+
		`at most 366 days. Ask for one year at a time. Example: "begin_date": "2027-01-01", `+
		`"end_date": "2027-12-31".`, length.Hours()/24)
	e.Issues = []coast.Issue{{Path: "range", Code: "range_too_long", Message: e.Message}}
	return e
}

// interval is a part of a span, [from, to), with the reasons for which it begins and ends.
type interval struct {
	from, to       time.Time
	begins, closes string
}

// These are the reasons for which windows begin and end. Events of the light are further
// reasons.
const (
	becauseLevel   = "level"
	becauseSpan    = "span"
	becauseHours   = "hours"
	becauseWeekday = "weekday"
	becauseSlack   = "slack"
)

// intervalOf returns a span of the tide with the reasons why it begins and ends.
func intervalOf(s tide.Span, span facts.Interval) interval {
	i := interval{s.From, s.To, becauseLevel, becauseLevel}
	if !i.from.After(span.From) {
		i.begins = becauseSpan
	}
	if !i.to.Before(span.To) {
		i.closes = becauseSpan
	}
	return i
}

// intervalsOf returns spans of the tide or of a current with the reasons for their ends.
func intervalsOf(list []tide.Span, span facts.Interval) []interval {
	out := make([]interval, len(list))
	for i, s := range list {
		out[i] = intervalOf(s, span)
	}
	return out
}

// turning returns intervals that begin and end with a slack where others do with the level.
func turning(list []interval) []interval {
	for i := range list {
		if list[i].begins == becauseLevel {
			list[i].begins = becauseSlack
		}
		if list[i].closes == becauseLevel {
			list[i].closes = becauseSlack
		}
	}
	return list
}

// open lists the ends of an interval at which the span ends.
func (i interval) open() (ends []WindowEnd) {
	if i.begins == becauseSpan {
		ends = append(ends, "from")
	}
	if i.closes == becauseSpan {
		ends = append(ends, "to")
	}
	return ends
}

// common returns the intersection of two lists that are in order of time. If both have an
// edge at the same instant, the edge in a counts.
func common(a, b []interval) []interval {
	both := []interval{}
	for len(a) > 0 && len(b) > 0 {
		i := a[0]
		if b[0].from.After(i.from) {
			i.from, i.begins = b[0].from, b[0].begins
		}
		if b[0].to.Before(i.to) {
			i.to, i.closes = b[0].to, b[0].closes
		}
		if i.from.Before(i.to) {
			both = append(both, i)
		}
		if a[0].to.Before(b[0].to) {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return both
}

// whole reports whether the interval covers the whole span.
func (i interval) whole() bool { return i.begins == becauseSpan && i.closes == becauseSpan }

// minutes returns the first and the last whole minute in an interval. ok is false if less
// than a minute lies between them.
func (i interval) minutes() (first, last time.Time, ok bool) {
	first, last = i.from.Truncate(time.Minute), i.to.Truncate(time.Minute)
	if first.Before(i.from) {
		first = first.Add(time.Minute)
	}
	return first, last, first.Before(last)
}

// lightOf returns the parts of the intervals in which a place has the given light. It computes the
// light of their whole span: for each tide of a year alone, that takes five times as long.
func lightOf(
	ctx context.Context, at sky.Place, list []interval, light sky.Light,
) ([]interval, error) {
	if len(list) == 0 {
		return list, context.Cause(ctx)
	}
	parts, err := litParts(ctx, at, list[0].from, list[len(list)-1].to, light)
	lit := make([]interval, len(parts))
	for i, part := range parts {
		lit[i] = interval{part.From, part.To, lightBegins[light], lightEnds[light]}
	}
	return common(list, lit), err
}

// longestLight limits the span whose light is computed between two looks at the context: moonlight
// takes longer than tides. Ours.
const longestLight = 92 * facts.Day

// litParts returns the parts of [from, to) in which a place has the given light, as When does, or
// the cause of the end of ctx.
func litParts(
	ctx context.Context, at sky.Place, from, to time.Time, light sky.Light,
) (all []sky.Interval, err error) {
	for ; from.Before(to); from = from.Add(longestLight) {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		end := from.Add(longestLight)
		if end.After(to) {
			end = to
		}
		for _, i := range sky.When(at, from, end, light) {
			if n := len(all) - 1; n >= 0 && all[n].To.Equal(i.From) {
				all[n].To = i.To
				continue
			}
			all = append(all, i)
		}
	}
	return all, context.Cause(ctx)
}

// These are the events at which each kind of light begins and ends.
var (
	lightBegins = map[sky.Light]string{
		sky.Daylight: "sunrise", sky.Civil: "dawn", sky.Dark: "dusk", sky.Moonlit: "moonlight",
	}
	lightEnds = map[sky.Light]string{
		sky.Daylight: "sunset", sky.Civil: "dusk", sky.Dark: "dawn", sky.Moonlit: "moonlight",
	}
)

// OnDays are the arguments that limit windows to days of the week and to times of the day.
type OnDays struct {
	Weekdays string `json:"weekdays,omitempty" pattern:"^(mon|tue|wed|thu|fri|sat|sun)(,(mon|tue|wed|thu|fri|sat|sun))*$" form:"days out of mon, tue, wed, thu, fri, sat and sun, comma-separated" doc:"Days of the station's week, comma-separated." example:"sat,sun"`
	InHours
}

// InHours is the argument that limits windows to times of the day.
type InHours struct {
	Clock string `json:"hours,omitempty" pattern:"^([01]\\d|2[0-3]):[0-5]\\d-([01]\\d|2[0-3]):[0-5]\\d$" form:"two times of 24 hours, HH:MM-HH:MM" doc:"By the station's clock; may pass midnight." example:"06:00-20:30"`
}

// given reports whether the arguments limit anything.
func (o OnDays) given() bool { return o.Weekdays != "" || o.Clock != "" }

// has reports whether the arguments allow an instant.
func (o OnDays) has(t time.Time, zone *time.Location) bool {
	return len(o.of([]interval{{from: t, to: t.Add(time.Second)}}, zone)) > 0
}

// of returns the parts of the intervals that the arguments allow. On days of a clock change,
// too, local clock time counts.
func (o OnDays) of(list []interval, zone *time.Location) []interval {
	if len(list) == 0 || !o.given() {
		return list
	}
	from, to := list[0].from.In(zone), list[len(list)-1].to.In(zone)
	if o.Weekdays != "" {
		list = common(list, o.days(from, to))
	}
	if o.Clock != "" {
		list = common(list, o.clock(from, to))
	}
	return list
}

// days returns the allowed days of the week, with consecutive days joined.
func (o OnDays) days(from, to time.Time) []interval {
	names := strings.Split(o.Weekdays, ",")
	days := []interval{}
	for day := facts.DayStart(from); day.Before(to); day = facts.NextDay(day) {
		next := facts.NextDay(day)
		switch n := len(days) - 1; {
		case !slices.Contains(names, strings.ToLower(day.Format("Mon"))):
		case n >= 0 && days[n].to.Equal(day):
			days[n].to = next
		default:
			days = append(days, interval{day, next, becauseWeekday, becauseWeekday})
		}
	}
	return days
}

// clock returns the allowed interval of each day.
func (o OnDays) clock(from, to time.Time) []interval {
	first, last, _ := strings.Cut(o.Clock, "-")
	times := []interval{}
	day := facts.DayStart(from.AddDate(0, 0, -1)) // its interval can extend past midnight
	for ; day.Before(to); day = facts.NextDay(day) {
		begin, end := readingOn(day, first), readingOn(day, last)
		if last <= first {
			end = readingOn(facts.NextDay(day), last)
		}
		for _, i := range begin.until(end) {
			if i.from.Before(i.to) {
				i.begins, i.closes = becauseHours, becauseHours
				times = append(times, i)
			}
		}
	}
	return times
}

// reading holds the instants at which a clock shows a time of day: the first, and a second
// one if a clock change repeats it.
type reading struct{ first, again time.Time }

// repeated reports whether the reading occurs twice.
func (r reading) repeated() bool { return !r.again.IsZero() }

// until returns the intervals in which the clock shows a time from r on and before end.
func (r reading) until(end reading) []interval {
	switch {
	case r.repeated() && end.repeated():
		return []interval{{from: r.first, to: end.first}, {from: r.again, to: end.again}}
	case r.repeated():
		change, _ := r.again.ZoneBounds()
		return []interval{{from: r.first, to: change}, {from: r.again, to: end.first}}
	case end.repeated():
		change, _ := end.again.ZoneBounds()
		return []interval{{from: r.first, to: end.first}, {from: change, to: end.again}}
	}
	return []interval{{from: r.first, to: end.first}}
}

// readingOn returns when the clock shows the given time, as 15:04, on a day. If a clock
// change skips that time, it returns the instant of the change.
func readingOn(day time.Time, clock string) reading {
	form, _ := time.Parse("15:04", clock) // the pattern of the argument allows no other form
	y, m, d := day.Date()
	wall := time.Date(y, m, d, form.Hour(), form.Minute(), 0, 0, time.UTC)
	t, repeated, err := facts.Civil("hours", wall, facts.Zone{Location: day.Location()})
	switch {
	case err != nil:
		return reading{first: changeNear(t)}
	case repeated:
		return reading{t, facts.Again(t)}
	}
	return reading{first: t}
}

// changeNear returns the clock change nearest to an instant.
func changeNear(t time.Time) time.Time {
	start, end := t.ZoneBounds()
	if !end.IsZero() && (start.IsZero() || end.Sub(t) < t.Sub(start)) {
		return end
	}
	return start
}

// stretch returns the time of a window for a sentence: Wed 25 Nov, 15:07 to 16:53 PST.
func stretch(from, to time.Time) string {
	form := "15:04 MST"
	if from.YearDay() != to.YearDay() {
		form = "Mon 2 Jan 15:04 MST"
	}
	return from.Format("Mon 2 Jan, 15:04") + " to " + to.Format(form)
}

// part returns one page of rows: at most limit rows from offset on. It also returns the
// offset of the next page, or nil on the last page.
func part[Row any](rows []Row, offset, limit int) (list []Row, next *int) {
	list = rows[min(offset, len(rows)):]
	if len(list) > limit {
		after := offset + limit
		return list[:limit], &after
	}
	return list, nil
}

// placeOf returns the position of a station.
func placeOf(st stations.Station) sky.Place {
	return sky.Place{Latitude: facts.Degrees(st.Latitude), Longitude: facts.Degrees(st.Longitude)}
}

// until returns the time of day of a later time, with the date if it differs.
func until(from, t time.Time) string {
	if from.YearDay() == t.YearDay() {
		return t.Format("15:04")
	}
	return t.Format("15:04 Mon 2 Jan")
}

// lightName returns the name of a light for sentences.
func lightName(light string) string {
	names := map[string]string{"civil": "daylight or civil twilight", "dark": "the dark",
		"moonlit": "moonlight"}
	if name, ok := names[light]; ok {
		return name
	}
	return light
}

// holds reports whether an instant lies in one of the intervals.
func holds(parts []sky.Interval, t time.Time) bool {
	return slices.ContainsFunc(parts, func(p sky.Interval) bool {
		return !t.Before(p.From) && t.Before(p.To)
	})
}
