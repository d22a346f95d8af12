package decide

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"leadline/internal/coast"
)

// Bounds limit the forecast of hours. A nil bound does not count.
type Bounds struct {
	Wind, Gust *float64 // kn
	Seas       *float64 // ft
	Dry        bool     // no rain, snow, hail or thunderstorm, however small their chance
}

// Unforecast is the Outside of an hour of which a bounded value is not known.
const Unforecast = "not known"

// BoundedHour is an hour, [From, To), or the rest of the present one.
type BoundedHour struct {
	coast.Span
	// Outside names the first bound that the hour exceeds: wind, gust, seas or rain. Otherwise it is
	// Unforecast, or "" for an hour within all bounds.
	Outside string
}

// BoundedHours are the hours that forecasts cover.
type BoundedHours struct {
	Hours   []BoundedHour  // from now on, in order of time, without gaps; none if Missing is set
	Missing *coast.Missing // the forecast of which nothing is known, and why
	Sources []coast.Source // of the forecasts
}

// EvaluateBounds compares the hours from now to the end of the forecasts with bounds. As in a
// decision, the larger value of grid and coastal waters text counts, and what either of them does
// not give is not known: where a text is written, hours beyond its end are beyond the forecasts.
func EvaluateBounds(b Bounds, now time.Time, f *Facts) (out BoundedHours) {
	all := &check{facts: f, from: now, to: now.Add(forecastReach), now: now, asked: now}
	for _, id := range []string{WindForecast, MarineText} {
		fact := f.fact(id)
		if fact.Waived != "" {
			continue
		}
		out.Sources = append(out.Sources, fact.Source)
		if how, why := (gaps{all}).absence(id, fact); why != "" && how != "incomplete" {
			out.Missing = &coast.Missing{Input: id, Reason: why}
			return out
		}
	}
	ends := all.forecastEnd()
	for from := now; from.Before(ends); {
		next := earlier(from.Truncate(time.Hour).Add(time.Hour), ends)
		c := &check{facts: f, from: from, to: next, now: now, asked: now}
		out.Hours = append(out.Hours, BoundedHour{coast.Span{From: from, To: next}, c.outside(b)})
		from = next
	}
	return out
}

// forecastEnd returns the end of the forecasts: of the grid, or of the text if that ends earlier.
func (c *check) forecastEnd() time.Time {
	grid, text := c.from, c.from
	for _, h := range c.hours() {
		grid = later(grid, h.To)
	}
	for _, p := range c.periods() {
		text = later(text, p.To)
	}
	if c.facts.Text.Waived != "" {
		text = grid
	}
	return earlier(earlier(grid, text), c.to)
}

// bounded is a quantity with a bound, in grid and text.
type bounded struct {
	name  string
	limit *float64
	grid  func(Hour) *float64
	text  func(Period) *float64
}

// quantities returns the bounded quantities.
func (b Bounds) quantities() []bounded {
	all := []bounded{
		{"wind", b.Wind, func(h Hour) *float64 { return h.Wind },
			func(p Period) *float64 { return p.Wind }},
		{"gust", b.Gust, func(h Hour) *float64 { return h.Gust },
			func(p Period) *float64 { return cmp.Or(p.Gust, p.Wind) }}, // texts leave out slight gusts
		{"seas", b.Seas, func(h Hour) *float64 { return h.Height },
			func(p Period) *float64 { return p.Seas }},
		{"rain", nil, func(h Hour) *float64 { return h.Wet },
			func(p Period) *float64 { return p.Thunder }},
	}
	if b.Dry {
		all[3].limit = new(float64)
	}
	return slices.DeleteFunc(all, func(q bounded) bool { return q.limit == nil })
}

// outside returns BoundedHour.Outside of an hour.
func (c *check) outside(b Bounds) string {
	known := c.textRead()
	for _, q := range b.quantities() {
		over := func(v *float64) bool { return v != nil && *v > *q.limit }
		byText := q.name == "seas" && !c.facts.Grid.Waves // land, bay and harbor cells
		if slices.ContainsFunc(c.periods(), func(p Period) bool { return over(q.text(p)) }) ||
			!byText && slices.ContainsFunc(c.hours(), func(h Hour) bool { return over(q.grid(h)) }) {
			return q.name
		}
		known = known && c.given(func(h Hour) bool { return byText || q.grid(h) != nil }) &&
			(!byText || c.facts.Text.Waived == "" && gaps{c}.seasInText())
	}
	if !known {
		return Unforecast
	}
	return ""
}

// textRead reports whether the text covers the span and is read in full, or none is written for the
// place.
func (c *check) textRead() bool {
	return c.facts.Text.Waived != "" || gaps{c}.textGap() == "" &&
		!slices.ContainsFunc(c.periods(), func(p Period) bool { return p.Unmeasured })
}

// given reports whether the grid has hours throughout the span, each with what has reports.
func (c *check) given(has func(Hour) bool) bool {
	reached := c.from
	for _, h := range c.hours() {
		if h.From.After(reached) || !has(h) {
			return false
		}
		reached = h.To
	}
	return !reached.Before(c.to)
}

// Wet reports whether a kind of weather, in the words of the grid, is precipitation.
func Wet(kind string) bool {
	return slices.ContainsFunc([]string{"rain", "drizzle", "snow", "sleet", "hail", "thunderstorms"},
		func(word string) bool { return strings.Contains(kind, word) })
}
