package decide

import (
	"slices"
	"time"
)

// This file holds the law about distance in time: with equal facts a later hour is never in a
// better state, never has more confidence and never fewer missing inputs.

// laterIsNoBetter judges the hours of a case whose facts are the same at every hour.
func laterIsNoBetter(c *judged, fails func(string, ...any)) {
	f := c.lasting()
	r := c.request
	before := Decide(r, f)
	for _, ahead := range []time.Duration{
		time.Hour, 5 * time.Hour, 7 * time.Hour, 23 * time.Hour, 25 * time.Hour, 47 * time.Hour,
		71 * time.Hour, 73 * time.Hour, 95 * time.Hour, 119 * time.Hour, 143 * time.Hour,
		167 * time.Hour, 169 * time.Hour, 40 * 24 * time.Hour, 200 * 24 * time.Hour,
	} {
		r.At = c.request.At.Add(ahead)
		after := Decide(r, f)
		got, was := outcome{after.State, after.Confidence}, outcome{before.State, before.Confidence}
		if got.better(was) {
			fails("%s later: %v, before %v", ahead, got, was)
		}
		for _, id := range before.MissingInputs {
			if id == CurrentPrediction && slices.Contains(after.MissingInputs, WindForecast) {
				continue // no hour gives a wind or seas any more whose direction it lacks
			}
			if !slices.Contains(after.MissingInputs, id) {
				fails("%s later: missing %q, before %q", ahead, after.MissingInputs, before.MissingInputs)
			}
		}
		before = after
	}
}

// lasting returns facts that are the same at every hour: those of the requested time, for as long
// as the forecasts reach. Half of the texts and surf zone forecasts end some time later; these
// raise nothing before. The gauge is at its prediction, because what it observes counts for some
// hours only.
func (c *judged) lasting() *Facts {
	f := *c.facts
	for _, s := range []*Series{&f.Tide.Heights, &f.Sun.Altitudes, &f.Current.Velocities} {
		*s = c.constant(*s)
	}
	f.Tide.Turns, f.Current.Events = nil, nil
	f.Grid.Hours = c.sameHours(f.Grid.Hours)
	f.Text.Periods = c.samePeriod(f.Text.Periods)
	f.Surf.Risks = c.sameRisk(f.Surf.Risks)
	f.Alerts.List = slices.Clone(f.Alerts.List)
	for i := range f.Alerts.List {
		f.Alerts.List[i].From, f.Alerts.List[i].To = nil, nil
	}
	if f.Level.Height != nil {
		f.Level.Height, f.Level.Residual = pointer(-50), pointer(0)
	}
	return &f
}

// farthest limits how far after the requested time the facts of the law reach.
const farthest = 210 * 24 * time.Hour

// constant returns a series with one value; an empty series remains empty.
func (c *judged) constant(s Series) Series {
	if len(s.Values) == 0 {
		return s
	}
	value := s.Values[len(s.Values)/2]
	s = Series{Start: c.request.At.Add(-time.Hour), Step: time.Hour}
	for range int(farthest / time.Hour) {
		s.Values = append(s.Values, value)
	}
	return s
}

// sameHours returns one hour again and again, for as long as the longest forecast.
func (c *judged) sameHours(hours []Hour) []Hour {
	if len(hours) == 0 {
		return nil
	}
	one, list := hours[len(hours)/2], []Hour{}
	for at := c.request.At.Add(-2 * time.Hour); at.Before(c.request.At.Add(8 * 24 * time.Hour)); {
		one.From, one.To = at, at.Add(time.Hour)
		list, at = append(list, one), one.To
	}
	return list
}

func (c *judged) samePeriod(periods []Period) []Period {
	if len(periods) == 0 {
		return nil
	}
	one := periods[len(periods)/2]
	if c.dice.one(0.5) {
		one = Period{Wind: pointer(2), Seas: pointer(1), To: c.someEnd()}
	} else {
		one.To = c.request.At.Add(farthest)
	}
	one.From = c.request.At.Add(-24 * time.Hour)
	return []Period{one}
}

func (c *judged) sameRisk(risks []RipRisk) []RipRisk {
	if len(risks) == 0 {
		return nil
	}
	one := risks[len(risks)/2]
	one.To = c.request.At.Add(farthest)
	if c.dice.one(0.5) {
		one = RipRisk{Level: RipLow, To: c.someEnd()}
	}
	one.From = c.request.At.Add(-24 * time.Hour)
	return []RipRisk{one}
}

// someEnd returns the end of a forecast: up to eight days after the requested time.
func (c *judged) someEnd() time.Time {
	return c.request.At.Add(time.Duration(c.dice.IntN(8*24)) * time.Hour)
}
