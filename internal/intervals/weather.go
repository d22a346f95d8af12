package intervals

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"leadline/internal/coast"
	"leadline/internal/decide"
	"leadline/internal/facts"
	"leadline/internal/operation"
	"leadline/internal/render"
	"leadline/internal/sky"
	"leadline/internal/stations"
)

// InWeather are the arguments that limit windows to hours whose forecast keeps bounds, in the units
// of the request.
type InWeather struct {
	MaxWind *float64 `json:"max_wind,omitempty" min:"0" max:"200" doc:"Windows only in hours whose forecast wind is known and at most this." example:"15"`
	MaxGust *float64 `json:"max_gust,omitempty" min:"0" max:"200" doc:"Likewise." example:"20"`
	MaxSeas *float64 `json:"max_seas,omitempty" min:"0" max:"50" doc:"Likewise." example:"3"`
	Dry     bool     `json:"dry,omitempty" doc:"Likewise: no rain or snow."`

	forecasts Forecasts
}

// Forecasts compares the forecasts at a station, or at a place if at is not nil, with bounds.
type Forecasts func(
	ctx context.Context, fs facts.Set, st stations.Station, at *sky.Place, b decide.Bounds,
) decide.BoundedHours

// SetForecasts sets the forecasts. Without them the weather is not known.
func (w *InWeather) SetForecasts(f Forecasts) { w.forecasts = f }

// Bounded reports whether the arguments limit windows.
func (w InWeather) Bounded() bool {
	return w.MaxWind != nil || w.MaxGust != nil || w.MaxSeas != nil || w.Dry
}

// CheckBounds refuses bounds of a result without windows. The conditions are those of windows.
func (w InWeather) CheckBounds(windowed bool, conditions, example string) error {
	if windowed || !w.Bounded() {
		return nil
	}
	return facts.Invalid("max_wind", "condition", "max_wind, max_gust, max_seas and dry limit "+
		"windows: give %s, too. Example: %s, \"max_wind\": 15.", conditions, example)
}

// The units in which forecasts are compared.
var (
	knots = facts.WindsIn(coast.English)
	feet  = facts.DepthsIn(coast.English)
)

// bounds returns the bounds in the units of forecasts, to a tenth, as forecasts are.
func (w InWeather) bounds(units coast.Units) decide.Bounds {
	in := func(to, from facts.Unit, v *float64) *float64 {
		if v == nil {
			return nil
		}
		base := from.Base(*v)
		return to.Known(&base)
	}
	winds, heights := facts.WindsIn(units), facts.DepthsIn(units)
	return decide.Bounds{Wind: in(knots, winds, w.MaxWind), Gust: in(knots, winds, w.MaxGust),
		Seas: in(feet, heights, w.MaxSeas), Dry: w.Dry}
}

// Words returns the bounds for a sentence, comma-separated; "" for none.
func (w InWeather) Words(units coast.Units) string {
	dry := ""
	if w.Dry {
		dry = "no " + w.bound("rain", units)
	}
	text := operation.Join(", ", w.bound("wind", units), w.bound("gust", units),
		w.bound("seas", units), dry)
	return strings.ReplaceAll(text, " over ", " up to ")
}

// Itself returns what a result about the water has from the place itself, as the begin of a
// sentence; "" for nothing.
func (w InWeather) Itself(light InLight) string {
	switch {
	case w.Bounded() && light.Lit():
		return "Light and weather are"
	case w.Bounded():
		return "The weather is"
	case light.Lit():
		return "Light is"
	}
	return ""
}

// bound describes what exceeds the bound with a name, such as wind over 15 kn; "" if it is not set.
func (w InWeather) bound(name string, units coast.Units) string {
	limit, unit := map[string]*float64{"wind": w.MaxWind, "gust": w.MaxGust, "seas": w.MaxSeas}[name],
		facts.WindsIn(units).Name
	switch {
	case name == "rain" && w.Dry:
		return "rain or snow"
	case limit == nil:
		return ""
	case name == "seas":
		unit = facts.HeightsIn(units).Name
	case name == "gust":
		name = "gusts"
	}
	return fmt.Sprintf("%s over %s %s", name, render.Short(*limit, 2), unit)
}

// Suited returns the parts of intervals, which are in order of time, in hours within the bounds. It
// adds to the provenance what was left out and why. If no part remains because the weather is not
// known, why says so as a sentence.
func (w InWeather) Suited(
	ctx context.Context, fs facts.Set, st stations.Station, at *sky.Place, units coast.Units,
	found []Interval, zone *time.Location, to *coast.Provenance,
) (suited []Interval, why string) {
	if !w.Bounded() || len(found) == 0 {
		return found, ""
	}
	known := decide.BoundedHours{Missing: &coast.Missing{Input: decide.WindForecast,
		Reason: "no weather service is connected"}}
	if w.forecasts != nil {
		known = w.forecasts(ctx, fs, st, at, w.bounds(units))
	}
	to.Sources = append(to.Sources, known.Sources...)
	if known.Missing != nil {
		to.Missing = append(to.Missing, *known.Missing)
		return []Interval{}, fmt.Sprintf("Cannot tell: the weather of %s is not known.",
			operation.Plural(len(found), "window"))
	}
	c := cuts{found, known.Hours, fs.Minute(), zone}
	to.Notes = append(to.Notes, c.notes(func(outside string) string {
		if outside == decide.Unforecast {
			return outside
		}
		return w.bound(outside, units)
	})...)
	suited = Intersect(found, c.within())
	if n := c.after(); len(suited) == 0 && n > 0 {
		why = fmt.Sprintf("No windows yet: the weather of %s is not known yet.",
			operation.Plural(n, "window"))
	}
	return suited, why
}

// cuts are the intervals that hours cut.
type cuts struct {
	found []Interval
	hours []decide.BoundedHour
	now   time.Time
	zone  *time.Location
}

const becauseWeather = "weather"

// within returns the hours within all bounds, those that follow one another as one interval.
func (c cuts) within() []Interval {
	var list []Interval
	for _, s := range c.spells("") {
		list = append(list, Interval{s.From, s.To, becauseWeather, becauseWeather})
	}
	return list
}

// spells returns the hours that are outside by one name, those that follow one another as one.
func (c cuts) spells(outside string) (list []coast.Span) {
	for _, h := range c.hours {
		n := len(list) - 1
		switch {
		case h.Outside != outside:
		case n >= 0 && list[n].To.Equal(h.From):
			list[n].To = h.To
		default:
			list = append(list, h.Span)
		}
	}
	return list
}

// end returns the end of the forecasts.
func (c cuts) end() time.Time {
	if n := len(c.hours); n > 0 {
		return c.hours[n-1].To
	}
	return c.now
}

// after returns the number of intervals that last beyond the forecasts.
func (c cuts) after() (n int) {
	for _, i := range c.found {
		if i.To.After(c.end()) {
			n++
		}
	}
	return n
}

// mostSpells limits the spells that a note names for a reason. Ours.
const mostSpells = 4

// notes returns what the weather cuts, by reason: the number of hours, and when they are. describe
// describes what is outside by a name.
func (c cuts) notes(describe func(outside string) string) (notes []string) {
	var reasons []string
	for _, name := range []string{"wind", "gust", "seas", "rain", decide.Unforecast} {
		if cut := c.cutBy(name); len(cut) > 0 {
			reasons = append(reasons, describe(name)+" in "+c.when(cut))
		}
	}
	if len(reasons) > 0 {
		notes = append(notes, "Cut by the forecast: "+strings.Join(reasons, "; ")+".")
	}
	if n := c.after(); n > 0 {
		notes = append(notes, fmt.Sprintf("Weather not known yet after %s: %s left out or cut.",
			c.end().In(c.zone).Format("Mon 2 Jan 15:04"), operation.Plural(n, "window")))
	}
	if past := c.past(); past > 0 {
		notes = append(notes, fmt.Sprintf("No forecast of the past: %s left out or cut.",
			operation.Plural(past, "window")))
	}
	return notes
}

// cutBy returns the spells outside by a name as far as intervals have them: whole hours.
func (c cuts) cutBy(outside string) []coast.Span {
	c.hours = slices.DeleteFunc(slices.Clone(c.hours), func(h decide.BoundedHour) bool {
		return !slices.ContainsFunc(c.found, func(i Interval) bool {
			return h.To.Sub(i.From) >= time.Minute && i.To.Sub(h.From) >= time.Minute
		})
	})
	return c.spells(outside)
}

// when describes spells: 5 h (Sat 28 Nov 10:00 to 13:00, Sun 29 Nov 11:00 to 13:00).
func (c cuts) when(list []coast.Span) string {
	hours := 0
	var times []string
	for i, s := range list {
		hours += int((s.To.Sub(s.From) + time.Hour - 1) / time.Hour)
		from, to := s.From.In(c.zone), s.To.In(c.zone)
		if i < mostSpells {
			times = append(times, from.Format("Mon 2 Jan 15:04")+" to "+Until(from, to))
		}
	}
	if more := len(list) - mostSpells; more > 0 {
		times = append(times, operation.Plural(more, "more time"))
	}
	return fmt.Sprintf("%d h (%s)", hours, strings.Join(times, ", "))
}

// past returns the number of intervals that begin before now.
func (c cuts) past() (n int) {
	for _, i := range c.found {
		if i.From.Before(c.now) {
			n++
		}
	}
	return n
}
