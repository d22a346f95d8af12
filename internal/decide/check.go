package decide

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// check holds the facts of one span against the table.
type check struct {
	facts    *Facts
	activity Activity
	from, to time.Time // the span; both ends are in it
	now      time.Time

	findings []finding // each code once, its worst value, in the order of the table; unraised ones without severity
	lacking  []lack
}

// finding is the worst value of a quantity, and what it raises.
type finding struct {
	code      string
	severity  Severity // empty: nothing
	value     float64
	unit      string  // empty: there are no numbers
	threshold float64 // where there is a severity
	past      bool    // only what lies beyond the threshold reaches it
	down      bool
	at        time.Time // zero: none
	source    string
	station   string
	height    bool // the value stands above the datum

	wind, from float64    // of wind_against_current: kn, degrees
	seas       float64    // of seas_against_current: ft; from is theirs
	left       float64    // of flooding_residual: ft from prediction to flood level
	risk       RipLevel   // of rip_current
	text       bool       // and the wind is that of the text
	period     float64    // of steep_seas and long_swell: s
	event      string     // of an alert
	grave      string     // the CAP severity that has raised an alert, if one has
	until      *time.Time // of an alert; nil until further notice
}

// lack is a fact that applies and is missing.
type lack struct {
	input
	code     string
	how, why string // no, stale, undated, incomplete; and why so
	need     need
}

func newCheck(r Request, f *Facts) *check {
	return &check{facts: f, activity: r.Activity, from: r.At, to: r.At.Add(r.Activity.Span()), now: r.Now}
}

// line is a code's place in the table.
func line(code string) int {
	return slices.IndexFunc(thresholds, func(t Threshold) bool { return t.Code == code })
}

// measure holds a value of a quantity against its bounds for the activity,
// and keeps the worst.
func (c *check) measure(f finding) {
	t := threshold(f.code)
	if !t.For(c.activity) {
		return
	}
	if t.words == "" { // where it has words, the limits depend on a second number
		s, b := t.limits(c.activity, c.facts.Floor).severity(f.value, t.Down)
		f.severity, f.threshold, f.past = s, b.value, b.past
	}
	f.unit, f.down = t.Unit, t.Down
	if f.station == "" {
		f.station = c.facts.Station.ID
	}
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

// found is the worst value of a quantity, nil where there is none.
func (c *check) found(code string) *finding {
	i := slices.IndexFunc(c.findings, func(f finding) bool { return f.code == code })
	if i < 0 {
		return nil
	}
	return &c.findings[i]
}

// during yields the part of a series in the span.
func (c *check) during(s Series, yield func(t time.Time, v float64)) {
	if len(s.Values) == 0 || s.Step <= 0 {
		return
	}
	first := max(0, int(math.Ceil(float64(c.from.Sub(s.Start))/float64(s.Step))))
	for i := first; i < len(s.Values); i++ {
		t := s.Start.Add(time.Duration(i) * s.Step)
		if t.After(c.to) {
			return
		}
		yield(t, s.Values[i])
	}
}

// covers reports whether a series says something of the whole span.
func (c *check) covers(s Series) bool {
	return len(s.Values) > 0 && !c.from.Before(s.Start) && !c.to.After(s.Start.Add(time.Duration(len(s.Values)-1)*s.Step))
}

// hours are those of the grid that the span touches.
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

// periods are those of the text that the span touches.
func (c *check) periods() []Period {
	var list []Period
	for _, p := range c.facts.Text.Periods {
		if p.From.Before(c.to) && p.To.After(c.from) {
			list = append(list, p)
		}
	}
	return list
}

// later is the first instant of a stretch that lies in the span.
func (c *check) later(t time.Time) time.Time {
	if t.Before(c.from) {
		return c.from
	}
	return t
}

// gauge is the nearest gauge, where it has something to say.
func (c *check) gauge() *Gauge {
	if c.activity != CoastalLiving || c.tooFarForGauge() {
		return nil
	}
	return c.facts.Gauge
}

func round(v, steps float64) float64 { return math.Round(v*steps)/steps + 0 }

// height writes feet as far as a reader can see them.
func height(feet float64) string { return number(round(feet, 100)) }

// clock writes a time in the station's zone, with its day where that is not
// the day asked for.
func (c *check) clock(t time.Time) string {
	t = t.In(c.facts.Zone)
	if asked := c.from.In(c.facts.Zone); t.YearDay() == asked.YearDay() && t.Year() == asked.Year() {
		return t.Format("15:04")
	}
	return t.Format("15:04 on Mon 2 Jan")
}

// number writes a number without needless digits.
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
