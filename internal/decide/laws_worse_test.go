package decide

import (
	"math"
	"slices"
	"time"
)

// This file makes one number of a case worse or removes it.

// change alters one number of the facts and reports whether there was one to alter. The parts
// that it alters must not be shared with other facts.
type change struct {
	name  string
	alter func(c *judged, f *Facts) bool
}

var worse = []change{
	{"more wind", hourly(func(h *Hour) **float64 { return &h.Wind }, +1)},
	{"more gust", hourly(func(h *Hour) **float64 { return &h.Gust }, +1)},
	{"higher seas", hourly(func(h *Hour) **float64 { return &h.Height }, +1)},
	{"shorter waves", hourly(func(h *Hour) **float64 { return &h.Period }, -1)},
	{"more thunder", hourly(func(h *Hour) **float64 { return &h.Thunder }, +20)},
	{"more fog", hourly(func(h *Hour) **float64 { return &h.Fog }, +20)},
	{"less visibility", hourly(func(h *Hour) **float64 { return &h.Visibility }, -1)},
	{"more wind in the text", periodic(func(p *Period) **float64 { return &p.Wind })},
	{"more gust in the text", periodic(func(p *Period) **float64 { return &p.Gust })},
	{"higher seas in the text", periodic(func(p *Period) **float64 { return &p.Seas })},
	{"more thunder in the text", periodic(func(p *Period) **float64 { return &p.Thunder })},
	{"more fog in the text", periodic(func(p *Period) **float64 { return &p.Fog })},
	{"faster current", fasterCurrent},
	{"lower sun", lowerSun},
	{"colder water", colderWater},
	{"higher swell", swelling(func(s *Swell) **float64 { return &s.Height })},
	{"longer swell", swelling(func(s *Swell) **float64 { return &s.Period })},
	{"more risk of rip currents", moreRip},
	{"lower or higher level", worseLevel},
	{"lower or higher turn", worseTurn},
	{"higher gauge", higherGauge},
	{"higher or lower residual", worseResidual},
	{"lower flood level", lowerFloodLevel},
	{"one alert more", oneAlertMore},
}

func worseningImprovesNothing(c *judged, fails func(string, ...any)) {
	for _, w := range worse {
		f := *c.facts
		if !w.alter(c, &f) {
			continue
		}
		if after := outcomeOf(c.request, &f).state; badness[after] < badness[c.decision.State] {
			fails("%s: %s, before %s", w.name, after, c.decision.State)
		}
	}
}

var silences = []change{
	{"no wind", silent(func(h *Hour) **float64 { return &h.Wind })},
	{"no gust", silent(func(h *Hour) **float64 { return &h.Gust })},
	{"no direction", silent(func(h *Hour) **float64 { return &h.Direction })},
	{"no thunder", silent(func(h *Hour) **float64 { return &h.Thunder })},
	{"no fog", silent(func(h *Hour) **float64 { return &h.Fog })},
	{"no period of waves", silent(func(h *Hour) **float64 { return &h.Period })},
	{"no gauge level", func(_ *judged, f *Facts) bool { f.Level.Height = nil; return true }},
	{"no flood level", func(_ *judged, f *Facts) bool { f.Flood.Level = nil; return true }},
	{"no period of the swell", func(c *judged, f *Facts) bool {
		h := c.hour(f)
		if h == nil || len(h.Swells) == 0 {
			return false
		}
		h.Swells = slices.Clone(h.Swells)
		h.Swells[0].Period = nil
		return true
	}},
	{"no swell", func(c *judged, f *Facts) bool {
		h := c.hour(f)
		if h != nil {
			h.Swells = nil
		}
		return h != nil
	}},
	{"no direction of the waves", silent(func(h *Hour) **float64 { return &h.WavesFrom })},
	{"no risk of rip currents", func(c *judged, f *Facts) bool { return c.rip(f, RipUnstated) }},
	{
		"no surf zone forecast in the text",
		func(_ *judged, f *Facts) bool { f.Surf.Risks = nil; return true },
	},
	{"no temperature", func(_ *judged, f *Facts) bool { f.Water.Temperature = nil; return true }},
	{"no period of the text", func(_ *judged, f *Facts) bool { f.Text.Periods = nil; return true }},
}

func silenceImprovesNothing(c *judged, fails func(string, ...any)) {
	before := outcome{c.decision.State, c.decision.Confidence}
	for _, s := range silences {
		f := *c.facts
		if !s.alter(c, &f) {
			continue
		}
		if after := outcomeOf(c.request, &f); after.better(before) {
			fails("%s: %v, before %v", s.name, after, before)
		}
	}
}

// inSpan returns the index of one of the intervals that overlap the span, or -1 if none
// does.
func (c *judged) inSpan(count int, stretch func(i int) (from, to time.Time)) int {
	var touched []int
	for i := range count {
		if from, to := stretch(i); from.Before(c.decision.Assessed.To) && to.After(c.request.At) {
			touched = append(touched, i)
		}
	}
	if len(touched) == 0 {
		return -1
	}
	return touched[c.dice.IntN(len(touched))]
}

func (c *judged) hour(f *Facts) *Hour {
	i := c.inSpan(len(f.Grid.Hours),
		func(i int) (from, to time.Time) { return f.Grid.Hours[i].From, f.Grid.Hours[i].To })
	if i < 0 {
		return nil
	}
	f.Grid.Hours = slices.Clone(f.Grid.Hours)
	return &f.Grid.Hours[i]
}

// hourly adds some amount to a number of one hour of the grid, which remains 0 or more.
func hourly(number func(h *Hour) **float64, some float64) func(c *judged, f *Facts) bool {
	return func(c *judged, f *Facts) bool {
		h := c.hour(f)
		if h == nil || *number(h) == nil {
			return false
		}
		*number(h) = pointer(max(0, tenth(**number(h)+some*c.much())))
		return true
	}
}

// much returns how much worse a number becomes: a little, or a lot.
func (c *judged) much() float64 {
	if c.dice.one(0.5) {
		return c.dice.tenths(0.1, 1)
	}
	return c.dice.tenths(1, 20)
}

func silent(number func(h *Hour) **float64) func(c *judged, f *Facts) bool {
	return func(c *judged, f *Facts) bool {
		h := c.hour(f)
		if h != nil {
			*number(h) = nil
		}
		return h != nil
	}
}

func periodic(number func(p *Period) **float64) func(c *judged, f *Facts) bool {
	return func(c *judged, f *Facts) bool {
		i := c.inSpan(len(f.Text.Periods),
			func(i int) (from, to time.Time) { return f.Text.Periods[i].From, f.Text.Periods[i].To })
		if i < 0 {
			return false
		}
		f.Text.Periods = slices.Clone(f.Text.Periods)
		p := number(&f.Text.Periods[i])
		if *p == nil {
			return false
		}
		*p = pointer(**p + c.much())
		return true
	}
}

// one alters one value of a series, within the span if the series has one there.
func (c *judged) one(s *Series, alter func(v float64) float64) bool {
	if len(s.Values) == 0 {
		return false
	}
	i := c.inSpan(len(s.Values), func(i int) (from, to time.Time) {
		at := s.Start.Add(time.Duration(i) * s.Step)
		return at, at.Add(time.Nanosecond)
	})
	if i < 0 {
		i = c.dice.IntN(len(s.Values))
	}
	s.Values = slices.Clone(s.Values)
	s.Values[i] = alter(s.Values[i])
	return true
}

func fasterCurrent(c *judged, f *Facts) bool {
	return c.one(&f.Current.Velocities,
		func(v float64) float64 { return v + math.Copysign(c.much(), v) })
}

func lowerSun(c *judged, f *Facts) bool {
	return c.one(&f.Sun.Altitudes, func(v float64) float64 { return v - c.much() })
}

func colderWater(c *judged, f *Facts) bool {
	if f.Water.Temperature == nil {
		return false
	}
	f.Water.Temperature = pointer(*f.Water.Temperature - c.much())
	return true
}

// worseward returns the direction that is worse: down for boats, up for the coast.
func (c *judged) worseward() float64 {
	if c.request.Activity == CoastalLiving {
		return c.much()
	}
	return -c.much()
}

// swelling adds some amount to a number of one train, of an hour or of a period of the
// text.
func swelling(number func(s *Swell) **float64) func(c *judged, f *Facts) bool {
	return func(c *judged, f *Facts) bool {
		h := c.hour(f)
		if h == nil || len(h.Swells) == 0 {
			return false
		}
		h.Swells = slices.Clone(h.Swells)
		v := number(&h.Swells[c.dice.IntN(len(h.Swells))])
		if *v == nil {
			return false
		}
		*v = pointer(tenth(**v + c.much()))
		return true
	}
}

func moreRip(c *judged, f *Facts) bool { return c.rip(f, RipHigh) }

// rip sets the risk of one period that overlaps the span.
func (c *judged) rip(f *Facts, level RipLevel) bool {
	i := c.inSpan(len(f.Surf.Risks),
		func(i int) (from, to time.Time) { return f.Surf.Risks[i].From, f.Surf.Risks[i].To })
	if i < 0 {
		return false
	}
	f.Surf.Risks = slices.Clone(f.Surf.Risks)
	f.Surf.Risks[i].Level = level
	return true
}

// worseLevel makes one level worse. For beachcombers, whom rising water can cut off, it
// makes the whole curve rise faster from the requested time on.
func worseLevel(c *judged, f *Facts) bool {
	if c.request.Activity == Beachcombing {
		s := &f.Tide.Heights
		s.Values = slices.Clone(s.Values)
		perHour := c.much()
		for i := range s.Values {
			hours := s.Start.Add(time.Duration(i) * s.Step).Sub(c.request.At).Hours()
			s.Values[i] += perHour * max(0, hours)
		}
		return len(s.Values) > 0
	}
	return c.one(&f.Tide.Heights, func(v float64) float64 { return v + c.worseward() })
}

func worseTurn(c *judged, f *Facts) bool {
	if len(f.Tide.Turns) == 0 {
		return false
	}
	f.Tide.Turns = slices.Clone(f.Tide.Turns)
	f.Tide.Turns[c.dice.IntN(len(f.Tide.Turns))].Height += c.worseward()
	return true
}

func higherGauge(c *judged, f *Facts) bool { return c.raise(&f.Level.Height) }

func worseResidual(c *judged, f *Facts) bool {
	if f.Level.Residual == nil {
		return false
	}
	f.Level.Residual = pointer(*f.Level.Residual + c.worseward())
	return true
}

func lowerFloodLevel(c *judged, f *Facts) bool {
	if f.Flood.Level == nil {
		return false
	}
	f.Flood.Level = pointer(*f.Flood.Level - c.much())
	return true
}

func (c *judged) raise(p **float64) bool {
	if *p == nil {
		return false
	}
	*p = pointer(**p + c.much())
	return true
}

func oneAlertMore(c *judged, f *Facts) bool {
	if !had(f.Alerts.Fact) {
		return false
	}
	more := Alert{Event: c.dice.pick(eventNames), Severity: c.dice.pick(severityNames)}
	at := c.dice.IntN(len(f.Alerts.List) + 1)
	f.Alerts.List = slices.Insert(slices.Clone(f.Alerts.List), at, more)
	return true
}
