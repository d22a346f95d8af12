package decide

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// check compares the facts of one span with the table of thresholds.
//
// The span is half-open, [from, to): what ends at from or begins at to does not meet it. Levels,
// speeds and the sun's altitude are continuous: their value at the end counts in the span and in
// the next hour. So the worst of the hours is the worst of the span. How long the tide has been
// rising is judged at to.
type check struct {
	facts    *Facts
	activity Activity
	from, to time.Time
	now      time.Time
	asked    time.Time // the requested time; texts name the days of other times

	// findings holds the worst value of each code, in the order of the table. Values that
	// raise nothing have no severity.
	findings []finding
	lacking  []lack
}

// finding is the worst value of a quantity and what it raises.
type finding struct {
	code      string
	severity  Severity // empty: nothing
	value     float64
	unit      string    // empty: there are no numbers
	threshold float64   // if there is a severity
	past      bool      // only values beyond the threshold reach it
	down      bool      // lower values are worse
	at        time.Time // zero: none
	source    string
	station   string
	height    bool // the value is a height above the datum

	wind, from float64    // of wind_against_current: kn, degrees
	seas       float64    // of seas_against_current: ft; from is the direction of the seas
	left       float64    // of flooding_residual: ft from prediction to flood level
	low        float64    // of low_water_observed: lowest predicted level, ft
	lowAt      time.Time  // of low
	risk       RipLevel   // of rip_current
	text       bool       // the wind is from the text
	period     float64    // of steep_seas and long_swell: s
	quote      string     // of unread_text
	event      string     // of an alert
	grave      string     // the CAP severity that raised an alert, if any
	until      *time.Time // of an alert; nil until further notice
}

// lack is a fact that applies and is missing.
type lack struct {
	input
	code     string
	how, why string // no, stale, undated or incomplete, and the reason
	need     need
}

func newCheck(r Request, f *Facts) *check {
	return &check{
		facts:    f,
		activity: r.Activity,
		from:     r.At,
		to:       r.At.Add(r.Activity.Span()),
		now:      r.Now,
		asked:    r.At,
	}
}

// hour returns the check of the hour of the span that begins at from. The last hour of a span may
// be shorter.
func (c *check) hour(from time.Time) *check {
	return &check{facts: c.facts, activity: c.activity, from: from,
		to: earlier(c.to, from.Add(time.Hour)), now: c.now, asked: c.asked}
}

// within reports whether an instant, such as a high water, is in the span or at its end.
func (c *check) within(t time.Time) bool { return !t.Before(c.from) && !t.After(c.to) }

// line returns the index of a code in the table.
func line(code string) int {
	return slices.IndexFunc(thresholds, func(t Threshold) bool { return t.Code == code })
}

// measure compares a value of a quantity with its bounds for the activity and stores the
// worst value.
func (c *check) measure(f finding) {
	t := threshold(f.code)
	if !t.For(c.activity) {
		return
	}
	if t.words == "" { // otherwise the limits depend on a second number
		s, b := t.limits(c.activity, c.facts.Floor).severity(f.value, t.Down)
		f.severity, f.threshold, f.past = s, b.value, b.past
	}
	f.unit, f.down = t.Unit, t.Down
	if f.station == "" {
		f.station = c.facts.Station.ID
	}
	c.keep(f)
}

// keep stores a finding unless a worse one of its code is there.
func (c *check) keep(f finding) {
	i := slices.IndexFunc(c.findings, func(have finding) bool { return have.code == f.code })
	if i < 0 {
		c.findings = append(c.findings, f)
	} else if f.worse(c.findings[i]) {
		c.findings[i] = f
	}
}

func (f finding) worse(than finding) bool {
	switch {
	case f.severity != than.severity:
		return f.severity.rank() > than.severity.rank()
	case f.value == than.value:
		return f.at.Before(than.at)
	}
	return f.value > than.value != f.down
}

// has reports whether a code was measured.
func (c *check) has(code string) bool { return c.found(code) != nil }

// found returns the worst value of a quantity, or nil if there is none.
func (c *check) found(code string) *finding {
	i := slices.IndexFunc(c.findings, func(f finding) bool { return f.code == code })
	if i < 0 {
		return nil
	}
	return &c.findings[i]
}

// during yields the values of a series within the span.
func (c *check) during(s Series, yield func(t time.Time, v float64)) {
	if len(s.Values) == 0 || s.Step <= 0 {
		return
	}
	for i := s.index(c.from); i < len(s.Values); i++ {
		t := s.Start.Add(time.Duration(i) * s.Step)
		if t.After(c.to) {
			return
		}
		yield(t, s.Values[i])
	}
}

// covers reports whether a series covers the whole span, to its last instant.
func (c *check) covers(s Series) bool { return s.covers(c.from, c.to) }

// index returns the index of the first value at a time or after it.
func (s Series) index(t time.Time) int {
	return max(0, int(math.Ceil(float64(t.Sub(s.Start))/float64(s.Step))))
}

func (s Series) covers(from, to time.Time) bool {
	return len(s.Values) > 0 && !from.Before(s.Start) &&
		!to.After(s.Start.Add(time.Duration(len(s.Values)-1)*s.Step))
}

// hours returns the hours of the grid that overlap the span.
func (c *check) hours() []Hour {
	hours := c.facts.Grid.Hours
	first := slices.IndexFunc(hours, func(h Hour) bool { return h.To.After(c.from) })
	if first < 0 {
		return nil
	}
	end := first
	for end < len(hours) && hours[end].From.Before(c.to) {
		end++
	}
	return hours[first:end]
}

// periods returns the periods of the text that overlap the span.
func (c *check) periods() []Period {
	var list []Period
	for _, p := range c.facts.Text.Periods {
		if p.From.Before(c.to) && p.To.After(c.from) {
			list = append(list, p)
		}
	}
	return list
}

// later returns the later of t and the beginning of the span.
func (c *check) later(t time.Time) time.Time {
	if t.Before(c.from) {
		return c.from
	}
	return t
}

// gauge returns the nearest gauge if it applies to the activity and the span, else nil.
func (c *check) gauge() *Gauge {
	if c.activity != CoastalLiving || c.tooFarForGauge() {
		return nil
	}
	return c.facts.Gauge
}

func round(v, steps float64) float64 { return math.Round(v*steps)/steps + 0 }

// height formats feet with at most two decimals.
func height(feet float64) string { return number(round(feet, 100)) }

// clock formats a time in the station's zone, with the day if it is not the requested day.
func (c *check) clock(t time.Time) string {
	t = t.In(c.facts.Zone)
	if asked := c.asked.In(c.facts.Zone); t.YearDay() == asked.YearDay() && t.Year() == asked.Year() {
		return t.Format("15:04")
	}
	return t.Format("15:04 on Mon 2 Jan")
}

// number formats a number with at most three decimals and no trailing zeros.
func number(v float64) string { return strconv.FormatFloat(round(v, 1000), 'f', -1, 64) }

func signed(v float64) string {
	if v > 0 {
		return "+" + height(v)
	}
	return height(v)
}

func length(d time.Duration) string {
	switch {
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	case d < 48*time.Hour:
		return fmt.Sprintf("%.0f h", d.Hours())
	}
	return fmt.Sprintf("%.0f days", d.Hours()/24)
}

func title(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func listed(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}

func (c *check) tooFarForGauge() bool { return c.from.Sub(c.now) > gaugeReach }
