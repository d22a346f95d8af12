package provider

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// gridHours is the length of grids. Wave periods end after periodHours.
const (
	gridHours   = 7*24 + 6
	periodHours = 4*24 + 4
)

// cellOfPath returns the cell in the path of a request.
func (a *atlas) cellOfPath(r *http.Request) (c cell, ok bool) {
	xText, yText, _ := strings.Cut(r.PathValue("cell"), ",")
	x, err1 := strconv.Atoi(xText)
	y, err2 := strconv.Atoi(yText)
	c, ok = a.cellAt(officeOf(r.PathValue("office")), x, y)
	return c, ok && err1 == nil && err2 == nil
}

// updated returns the time at which the office last sent the grid.
func (c cell) updated(now time.Time) time.Time {
	if !c.set.Updated.IsZero() {
		return c.set.Updated.UTC()
	}
	return c.office.updated(now)
}

// reach returns the length of the grid in hours.
func (c cell) reach(start time.Time) int {
	if c.set.Until.IsZero() {
		return gridHours
	}
	return max(1, int(c.set.Until.Sub(start)/time.Hour))
}

// elevation returns the elevation of the cell in meters.
func (c cell) elevation() float64 {
	if c.afloat() {
		return 0
	}
	return metersOfFeet(float64(3 + scramble("ground", c.name())%40))
}

// gridpoint serves /gridpoints/{office}/{x},{y}.
func (s *weatherService) gridpoint(r *http.Request) (reply, *problem) {
	c, ok := s.cellOfPath(r)
	if !ok {
		return missing("InvalidGridpoint", "InvalidGridpoint",
			"Requested gridpoint "+r.PathValue("office")+":"+r.PathValue("cell")+" does not exist")
	}
	updated := c.updated(s.now())
	start := updated.Truncate(time.Hour)
	found := feature(append(object{
		{"updateTime", stamp(updated)},
		{"validTimes", stamp(start) + "/" + isoHours(c.reach(start))},
		{"elevation", object{{"unitCode", unitMeters}, {"value", c.elevation()}}},
	}, layers(c, start)...))
	if !c.isSet { // a setting changes the grid without its date
		found.modified = updated
	}
	return found, nil
}

// gridHour is one hour of a grid. Layers that settings can change are in the Hour, the others in
// the conditions.
type gridHour struct {
	conditions
	Hour
	changedSea bool
}

func (c cell) gridHour(at time.Time) gridHour {
	weather := c.conditions(at)
	visibility := scramble("visibility", c.office.ID)%3 > 0 // two of three offices send it
	g := gridHour{conditions: weather, Hour: weather.hour(at, visibility)}
	if c.set.Hour != nil {
		before := g.Hour
		g.Hour = c.set.Hour(before)
		g.changedSea = g.Swell != nil || !sameNumber(g.Seas, before.Seas) ||
			!sameNumber(g.Period, before.Period)
	}
	return g
}

func sameNumber(a, b *float64) bool { return a == b || a != nil && b != nil && *a == *b }

// train returns the height of one part of the sea, which is unknown if the sea is.
func (g gridHour) train(builtIn int, changed *float64) *float64 {
	switch {
	case g.Seas == nil:
		return changed
	case !g.changedSea:
		return new(float64(builtIn))
	case changed == nil:
		return new(0.0)
	}
	return changed
}

// windPeriod returns the period of the wind waves, or the period of the sea if a setting has
// changed it.
func (g gridHour) windPeriod() *float64 {
	if g.changedSea {
		return g.Period
	}
	return new(float64(g.windWavePeriod))
}

// layer is one quantity of a grid.
type layer struct {
	name, unit string
	read       func(gridHour) string // returns JSON, "" for hours outside of all spans
}

// layers returns all layers of a cell from start.
func layers(c cell, start time.Time) object {
	hours := make([]gridHour, c.reach(start))
	for i := range hours {
		hours[i] = c.gridHour(start.Add(time.Duration(i) * time.Hour))
	}
	var out object
	for _, l := range gridLayers {
		out = append(out, member{l.name, l.body(hours, start)})
	}
	return out
}

// body returns the layer in JSON: empty, without a unit, if every hour is unknown.
func (l layer) body(hours []gridHour, start time.Time) object {
	runs := spansOf(start, len(hours), func(i int) string {
		if strings.HasPrefix(l.name, "wavePeriod") && i >= periodHours && !hours[i].changedSea {
			return ""
		}
		return l.read(hours[i])
	})
	known := slices.ContainsFunc(runs, func(run object) bool {
		return string(run[1].value.(json.RawMessage)) != "null"
	})
	switch {
	case !known:
		return object{{"values", []object{}}}
	case l.unit == "":
		return object{{"values", runs}}
	}
	return object{{"uom", l.unit}, {"values", runs}}
}

// spansOf merges hours with equal JSON values into spans. Hours with an empty value are in no span.
func spansOf(start time.Time, hours int, text func(i int) string) []object {
	runs := []object{}
	for from := 0; from < hours; {
		value, to := text(from), from+1
		for to < hours && text(to) == value {
			to++
		}
		if value != "" {
			begin := start.Add(time.Duration(from) * time.Hour)
			runs = append(runs, object{
				{"validTime", stamp(begin) + "/" + isoHours(to-from)},
				{"value", json.RawMessage(value)},
			})
		}
		from = to
	}
	return runs
}

// isoHours formats hours as an ISO 8601 duration: PT3H, P1DT19H, P7D.
func isoHours(hours int) string {
	text := "P"
	if hours >= 24 {
		text += fmt.Sprintf("%dD", hours/24)
	}
	if hours%24 > 0 {
		text += fmt.Sprintf("T%dH", hours%24)
	}
	return text
}

// Units of the layers.
const (
	unitDegrees    = "wmoUnit:degree_(angle)"
	unitKilometers = "wmoUnit:km_h-1"
	unitMeters     = "wmoUnit:m"
	unitSeconds    = "nwsUnit:s" // the only unit that is not the WMO's
)

func numeral(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// figures returns a reader of numbers that may be unknown, in the unit of the layer.
func figures(
	convert func(float64) float64, of func(gridHour) *float64,
) func(gridHour) string {
	return func(g gridHour) string {
		if v := of(g); v != nil {
			return numeral(convert(*v))
		}
		return "null"
	}
}

func inKilometers(of func(gridHour) *float64) func(gridHour) string {
	return figures(kilometersPerHour, of)
}

func inMeters(of func(gridHour) *float64) func(gridHour) string { return figures(metersOfFeet, of) }

func plain(of func(gridHour) *float64) func(gridHour) string {
	return figures(func(v float64) float64 { return v }, of)
}

// wholes returns a reader of whole numbers.
func wholes(of func(gridHour) int) func(gridHour) string {
	return func(g gridHour) string { return strconv.Itoa(of(g)) }
}

// gridLayers are the layers that clients read, in the order of the service. Layers of waves are
// zero throughout over land, as in real grids. No office of the simulator sends waveDirection.
var gridLayers = []layer{
	{"windDirection", unitDegrees, plain(func(g gridHour) *float64 { return g.From })},
	{"windSpeed", unitKilometers, inKilometers(func(g gridHour) *float64 { return g.Wind })},
	{"windGust", unitKilometers, inKilometers(func(g gridHour) *float64 { return g.Gust })},
	{"weather", "", func(g gridHour) string { return weatherEntries(g.Weather) }},
	{"visibility", unitMeters, plain(func(g gridHour) *float64 { return g.Visibility })},
	{"waveHeight", unitMeters, inMeters(func(g gridHour) *float64 { return g.Seas })},
	{"wavePeriod", unitSeconds, plain(func(g gridHour) *float64 { return g.Period })},
	{"waveDirection", "", func(gridHour) string { return "" }},
	{"primarySwellHeight", unitMeters, inMeters(func(g gridHour) *float64 {
		return g.train(g.swell, g.Swell)
	})},
	{"primarySwellDirection", unitDegrees, wholes(func(g gridHour) int { return g.swellFrom })},
	{"secondarySwellHeight", unitMeters, inMeters(func(g gridHour) *float64 {
		return g.train(g.swell2, nil)
	})},
	{"secondarySwellDirection", unitDegrees, wholes(func(g gridHour) int { return g.swell2From })},
	{"wavePeriod2", unitSeconds, plain(gridHour.windPeriod)},
	{"windWaveHeight", unitMeters, inMeters(func(g gridHour) *float64 {
		if g.changedSea {
			return g.Seas
		}
		return new(float64(g.windSea))
	})},
}

// weatherEntries returns weather in JSON: one entry of nulls if there is none.
func weatherEntries(list []Condition) string {
	if list == nil {
		return ""
	}
	if len(list) == 0 {
		list = []Condition{{}}
	}
	var out []string
	for _, c := range list {
		entry, err := encodeJSON(object{
			{"coverage", orNull(c.Coverage)}, {"weather", orNull(c.Weather)},
			{"intensity", orNull(c.Intensity)},
		}, "")
		if err != nil {
			panic(err) // texts can always be encoded
		}
		out = append(out, string(entry))
	}
	return "[" + strings.Join(out, ",") + "]"
}
