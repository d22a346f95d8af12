// Package intervals computes when conditions hold: spans of time are intersected with light, days
// of the week, times of the day and hours whose weather is within bounds, with the reason for each
// end. It knows neither tides nor currents, which give it the spans, and requests no forecasts.
package intervals

import (
	"context"
	"slices"
	"strings"
	"time"

	"leadline/internal/coast"
	"leadline/internal/facts"
	"leadline/internal/operation"
	"leadline/internal/render"
	"leadline/internal/sky"
	"leadline/internal/tide"
)

// InLight is the argument that limits results to one kind of light.
type InLight struct {
	Light Light `json:"light,omitempty" doc:"In this light; dark: sun below -12°." example:"daylight"`
}

// Lit reports whether the argument limits the result.
func (l InLight) Lit() bool { return l.Light != "" && l.Light != "any" }

// longestWindows is the longest span of windows and ranks: a leap year, which can include the
// extra hour of a clock change.
const longestWindows = 366*24*time.Hour + time.Hour

// usualWindows is the default span of windows and ranks in hours.
const usualWindows = 30 * 24

// windowSpan returns the span of windows and ranks: by default 30 days from now.
func windowSpan(given operation.Span) operation.Span {
	if given.Given() == "" {
		given.Range = usualWindows
	}
	return given
}

// WithinYear returns RangeTooLong if a span is longer than the limit of windows and ranks.
func WithinYear(span facts.Interval) error {
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

// Interval is a part of a span, [from, to), with the reasons for which it begins and ends.
type Interval struct {
	From, To       time.Time
	Begins, Closes string
}

// These are the reasons for which windows begin and end. Events of the light are further
// reasons.
const (
	BecauseLevel   = "level"
	becauseSpan    = "span"
	becauseHours   = "hours"
	becauseWeekday = "weekday"
	becauseSlack   = "slack"
)

// intervalOf returns a span of the tide with the reasons why it begins and ends.
func intervalOf(s tide.Span, span facts.Interval) Interval {
	i := Interval{s.From, s.To, BecauseLevel, BecauseLevel}
	if !i.From.After(span.From) {
		i.Begins = becauseSpan
	}
	if !i.To.Before(span.To) {
		i.Closes = becauseSpan
	}
	return i
}

// IntervalsOf returns spans of the tide or of a current with the reasons for their ends.
func IntervalsOf(list []tide.Span, span facts.Interval) []Interval {
	out := make([]Interval, len(list))
	for i, s := range list {
		out[i] = intervalOf(s, span)
	}
	return out
}

// Turning returns intervals that begin and end with a slack where others do with the level.
func Turning(list []Interval) []Interval {
	for i := range list {
		if list[i].Begins == BecauseLevel {
			list[i].Begins = becauseSlack
		}
		if list[i].Closes == BecauseLevel {
			list[i].Closes = becauseSlack
		}
	}
	return list
}

// Open lists the ends of an interval at which the span ends.
func (i Interval) Open() (ends []WindowEnd) {
	if i.Begins == becauseSpan {
		ends = append(ends, "from")
	}
	if i.Closes == becauseSpan {
		ends = append(ends, "to")
	}
	return ends
}

// Intersect returns the intersection of two lists that are in order of time. If both have an
// edge at the same instant, the edge in a counts.
func Intersect(a, b []Interval) []Interval {
	both := []Interval{}
	for len(a) > 0 && len(b) > 0 {
		i := a[0]
		if b[0].From.After(i.From) {
			i.From, i.Begins = b[0].From, b[0].Begins
		}
		if b[0].To.Before(i.To) {
			i.To, i.Closes = b[0].To, b[0].Closes
		}
		if i.From.Before(i.To) {
			both = append(both, i)
		}
		if a[0].To.Before(b[0].To) {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return both
}

// Whole reports whether the interval covers the whole span.
func (i Interval) Whole() bool { return i.Begins == becauseSpan && i.Closes == becauseSpan }

// Minutes returns the first and the last whole minute in an interval. ok is false if less
// than a minute lies between them.
func (i Interval) Minutes() (first, last time.Time, ok bool) {
	first, last = i.From.Truncate(time.Minute), i.To.Truncate(time.Minute)
	if first.Before(i.From) {
		first = first.Add(time.Minute)
	}
	return first, last, first.Before(last)
}

// LightOf returns the parts of the intervals in which a place has the given light. It computes the
// light of their whole span: for each tide of a year alone, that takes five times as long.
func LightOf(
	ctx context.Context, at sky.Place, list []Interval, light sky.Light,
) ([]Interval, error) {
	if len(list) == 0 {
		return list, context.Cause(ctx)
	}
	parts, err := LitParts(ctx, at, list[0].From, list[len(list)-1].To, light)
	lit := make([]Interval, len(parts))
	for i, part := range parts {
		lit[i] = Interval{part.From, part.To, lightBegins[light], lightEnds[light]}
	}
	return Intersect(list, lit), err
}

// longestLight limits the span whose light is computed between two looks at the context: moonlight
// takes longer than tides. Ours.
const longestLight = 92 * facts.Day

// LitParts returns the parts of [from, to) in which a place has the given light, as When does, or
// the cause of the end of ctx.
func LitParts(
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

// Limited reports whether the arguments limit anything.
func (o OnDays) Limited() bool { return o.Weekdays != "" || o.Clock != "" }

// Allows reports whether the arguments allow an instant.
func (o OnDays) Allows(t time.Time, zone *time.Location) bool {
	return len(o.Within([]Interval{{From: t, To: t.Add(time.Second)}}, zone)) > 0
}

// Within returns the parts of the intervals that the arguments allow. On days of a clock change,
// too, local clock time counts.
func (o OnDays) Within(list []Interval, zone *time.Location) []Interval {
	if len(list) == 0 || !o.Limited() {
		return list
	}
	from, to := list[0].From.In(zone), list[len(list)-1].To.In(zone)
	if o.Weekdays != "" {
		list = Intersect(list, o.days(from, to))
	}
	if o.Clock != "" {
		list = Intersect(list, o.clock(from, to))
	}
	return list
}

// days returns the allowed days of the week, with consecutive days joined.
func (o OnDays) days(from, to time.Time) []Interval {
	names := strings.Split(o.Weekdays, ",")
	days := []Interval{}
	for day := facts.DayStart(from); day.Before(to); day = facts.NextDay(day) {
		next := facts.NextDay(day)
		switch n := len(days) - 1; {
		case !slices.Contains(names, strings.ToLower(day.Format("Mon"))):
		case n >= 0 && days[n].To.Equal(day):
			days[n].To = next
		default:
			days = append(days, Interval{day, next, becauseWeekday, becauseWeekday})
		}
	}
	return days
}

// clock returns the allowed interval of each day.
func (o OnDays) clock(from, to time.Time) []Interval {
	first, last, _ := strings.Cut(o.Clock, "-")
	times := []Interval{}
	day := facts.DayStart(from.AddDate(0, 0, -1)) // its interval can extend past midnight
	for ; day.Before(to); day = facts.NextDay(day) {
		begin, end := readingOn(day, first), readingOn(day, last)
		if last <= first {
			end = readingOn(facts.NextDay(day), last)
		}
		for _, i := range begin.until(end) {
			if i.From.Before(i.To) {
				i.Begins, i.Closes = becauseHours, becauseHours
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
func (r reading) until(end reading) []Interval {
	switch {
	case r.repeated() && end.repeated():
		return []Interval{{From: r.first, To: end.first}, {From: r.again, To: end.again}}
	case r.repeated():
		change, _ := r.again.ZoneBounds()
		return []Interval{{From: r.first, To: change}, {From: r.again, To: end.first}}
	case end.repeated():
		change, _ := end.again.ZoneBounds()
		return []Interval{{From: r.first, To: end.first}, {From: change, To: end.again}}
	}
	return []Interval{{From: r.first, To: end.first}}
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

// Stretch returns the time of a window for a sentence: Wed 25 Nov, 15:07 to 16:53 PST.
func Stretch(from, to time.Time) string {
	form := "15:04 MST"
	if from.YearDay() != to.YearDay() {
		form = "Mon 2 Jan 15:04 MST"
	}
	return from.Format("Mon 2 Jan, 15:04") + " to " + to.Format(form)
}

// Page returns one page of rows: at most limit rows from offset on. It also returns the
// offset of the next page, or nil on the last page.
func Page[Row any](rows []Row, offset, limit int) (list []Row, next *int) {
	list = rows[min(offset, len(rows)):]
	if len(list) > limit {
		after := offset + limit
		return list[:limit], &after
	}
	return list, nil
}

// Until returns the time of day of a later time, with the date if it differs.
func Until(from, t time.Time) string {
	if from.YearDay() == t.YearDay() {
		return t.Format("15:04")
	}
	return t.Format("15:04 Mon 2 Jan")
}

// LightName returns the name of a light for sentences.
func LightName(light string) string {
	names := map[string]string{"civil": "daylight or civil twilight", "dark": "the dark",
		"moonlit": "moonlight"}
	if name, ok := names[light]; ok {
		return name
	}
	return light
}

// Holds reports whether an instant lies in one of the intervals.
func Holds(parts []sky.Interval, t time.Time) bool {
	return slices.ContainsFunc(parts, func(p sky.Interval) bool {
		return !t.Before(p.From) && t.Before(p.To)
	})
}

// DescribeNext writes how many rows there are, and where the next ones begin.
func DescribeNext(t *render.Answer, rows, total int, next *int) {
	switch {
	case next != nil:
		t.Gap()
		t.Line("These are %d of %d windows; the next begin at offset %d.",
			min(rows, operation.TextRows), total,
			min(*next, *next-rows+operation.TextRows))
	case rows > operation.TextRows:
		t.Gap()
		t.Line("These are the first %d of %d windows; the structured result has all.",
			operation.TextRows, rows)
	}
}
