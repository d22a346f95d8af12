package decide

import (
	"cmp"
	"math"
	"slices"
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

// read finds all that the span holds.
func (c *check) read() *check {
	c.air()
	c.sea()
	c.flow()
	c.weather()
	c.light()
	c.level()
	c.temperature()
	c.rising()
	c.rate()
	c.rips()
	c.flooding()
	slices.SortStableFunc(c.findings, func(a, b finding) int { return cmp.Compare(line(a.code), line(b.code)) })
	c.alerts()
	c.absences()
	return c
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
