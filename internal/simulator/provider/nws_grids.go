package provider

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// gridHours is the reach of grids; their periods of waves end sooner.
const (
	gridHours   = 7*24 + 6
	periodHours = 4*24 + 4
)

// cellOfPath finds the cell in the path of a request.
func (a *atlas) cellOfPath(r *http.Request) (cell, *problem) {
	xText, yText, _ := strings.Cut(r.PathValue("cell"), ",")
	x, err1 := strconv.Atoi(xText)
	y, err2 := strconv.Atoi(yText)
	c, ok := a.cellAt(officeOf(r.PathValue("office")), x, y)
	if err1 != nil || err2 != nil || !ok {
		return cell{}, missing("InvalidGridpoint", "InvalidGridpoint",
			"Requested gridpoint "+r.PathValue("office")+":"+r.PathValue("cell")+" does not exist")
	}
	return c, nil
}

// updated returns the time at which the office last sent the grid.
func (c cell) updated(now time.Time) time.Time {
	if !c.set.Updated.IsZero() {
		return c.set.Updated.UTC()
	}
	return c.office.updated(now)
}

// reach counts the hours of the grid.
func (c cell) reach(start time.Time) int {
	if c.set.Until.IsZero() {
		return gridHours
	}
	return max(1, int(c.set.Until.Sub(start)/time.Hour))
}

// modified is the date of last change: none with a setting, which changes the
// grid without its date.
func (c cell) modified(updated time.Time) time.Time {
	if c.isSet {
		return time.Time{}
	}
	return updated
}

// elevation is in meters.
func (c cell) elevation() float64 {
	if c.afloat() {
		return 0
	}
	return metersOfFeet(float64(3 + scramble("ground", c.name())%40))
}

// square is the outline of the cell.
func (c cell) square() object {
	dy, dx := c.office.sides()
	return squareGeometry(c.latitude, c.longitude, dy/2, dx/2)
}

// gridpoint serves /gridpoints/{office}/{x},{y}.
func (s *weatherService) gridpoint(r *http.Request) (reply, *problem) {
	c, trouble := s.cellOfPath(r)
	if trouble != nil {
		return reply{}, trouble
	}
	updated := c.updated(s.now())
	start := updated.Truncate(time.Hour)
	properties := object{
		{"@id", c.url()},
		{"@type", "wx:Gridpoint"},
		{"updateTime", stamp(updated)},
		{"validTimes", stamp(start) + "/" + isoHours(c.reach(start))},
		{"elevation", quantity("wmoUnit:m", c.elevation())},
		{"forecastOffice", nwsRoot + "/offices/" + c.office.ID},
		{"gridId", c.office.GridID},
		{"gridX", strconv.Itoa(c.x)},
		{"gridY", strconv.Itoa(c.y)},
	}
	return reply{
		body: object{
			{"@context", ldContext(`"@version":"1.1","wmoUnit":"https://codes.wmo.int/common/unit/","nwsUnit":"https://api.weather.gov/ontology/unit/"`)},
			{"id", c.url()},
			{"type", "Feature"},
			{"geometry", c.square()},
			{"properties", append(properties, s.layers(c, start)...)},
		},
		age: lasting(s.now(), time.Hour, c.name()), shared: time.Hour, modified: c.modified(updated),
	}, nil
}

// gridHour holds one hour of a grid: layers that settings can change are
// of the Hour, the others of the conditions.
type gridHour struct {
	conditions
	Hour
	changedSea bool
}

func (c cell) gridHour(at time.Time) gridHour {
	weather := c.conditions(at)
	visibility := scramble("visibility", c.office.ID)%3 > 0 // two offices of three send it
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

// train is the height of one part of the sea, unknown with the sea itself.
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

// windWavePeriod is that of the sea, if a setting has changed it.
func (g gridHour) windPeriod() *float64 {
	if g.changedSea {
		return g.Period
	}
	return new(float64(g.windWavePeriod))
}

// layer is the values of one quantity of a grid.
type layer struct {
	name, unit string
	hours      int                   // how far it reaches
	read       func(gridHour) string // as JSON, "" without a span; nil for an empty layer
}

// layers returns all layers of a cell from start.
func (s *weatherService) layers(c cell, start time.Time) object {
	hours := make([]gridHour, c.reach(start))
	for i := range hours {
		hours[i] = c.gridHour(start.Add(time.Duration(i) * time.Hour))
	}
	var out object
	for _, l := range gridLayers {
		var values any
		switch l.name {
		case "maxTemperature":
			values = extremeTemperatures(hours, start, c.longitude, 7, 13, 1)
		case "minTemperature":
			values = extremeTemperatures(hours, start, c.longitude, 19, 14, -1)
		case "hazards":
			values = object{{"values", s.hazards(c, start, len(hours))}}
		default:
			values = l.body(hours, start)
		}
		out = append(out, member{l.name, values})
	}
	for _, name := range emptyLayers {
		out = append(out, member{name, layer{}.body(nil, start)})
	}
	return out
}

// hazards are the codes of the alerts of a cell's zone, each from its onset
// to its end, as the grid has them.
func (s *weatherService) hazards(c cell, start time.Time, hours int) []object {
	alerts := s.settings.alertsIn(c.forecastZone(), s.now())
	return spansOf(start, hours, func(i int) string {
		at := start.Add(time.Duration(i) * time.Hour)
		var codes []string
		for _, a := range alerts {
			phenomenon, significance, ok := strings.Cut(a.Code, ".")
			code := fmt.Sprintf(`{"phenomenon":%q,"significance":%q,"event_number":null}`,
				phenomenon, significance)
			end := a.Ends
			if end.IsZero() {
				end = a.Expires
			}
			if ok && !a.Onset.After(at) && at.Before(end) && !slices.Contains(codes, code) {
				codes = append(codes, code)
			}
		}
		return "[" + strings.Join(codes, ",") + "]"
	})
}

// body is the layer as JSON: empty, without a unit, if nothing is known of any hour.
func (l layer) body(hours []gridHour, start time.Time) object {
	runs := []object{}
	if l.read != nil {
		runs = spansOf(start, min(l.hours, len(hours)), func(i int) string {
			if strings.HasPrefix(l.name, "wavePeriod") && i >= periodHours && !hours[i].changedSea {
				return ""
			}
			return l.read(hours[i])
		})
	}
	unknown := !slices.ContainsFunc(runs, func(run object) bool {
		return string(run[1].value.(json.RawMessage)) != "null"
	})
	switch {
	case unknown && l.name != "windChill" && l.name != "heatIndex":
		return object{{"values", []object{}}}
	case l.unit == "":
		return object{{"values", runs}}
	}
	return object{{"uom", l.unit}, {"values", runs}}
}

// spansOf merges equal texts, which are JSON, of some hours. Empty texts are in no span.
func spansOf(start time.Time, hours int, text func(i int) string) []object {
	runs := []object{}
	for from := 0; from < hours; {
		value, to := text(from), from+1
		for to < hours && text(to) == value {
			to++
		}
		if value != "" {
			runs = append(runs, spanOf(start, from, to, json.RawMessage(value)))
		}
		from = to
	}
	return runs
}

// spanOf is a value between two hours.
func spanOf(start time.Time, from, to int, value any) object {
	return object{
		{"validTime", stamp(start.Add(time.Duration(from)*time.Hour)) + "/" + isoHours(to-from)},
		{"value", value},
	}
}

// isoHours writes hours as an ISO 8601 duration: PT3H, P1DT19H, P7D.
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

// extremeTemperatures are the highest (sign 1) or lowest (sign -1) temperatures of
// the days or nights that begin at an hour of the sun's clock; what has begun
// before start is cut.
func extremeTemperatures(
	weather []gridHour, start time.Time, longitude float64, hour, length, sign int,
) object {
	runs := []object{}
	first := (hour - start.Hour() - int(math.Round(longitude/15)) + 48) % 24
	for begin := first - 24; begin < len(weather); begin += 24 {
		from, to := max(0, begin), min(len(weather), begin+length)
		if from >= to {
			continue
		}
		best := weather[from].temperature
		for _, c := range weather[from:to] {
			best = sign * max(sign*best, sign*c.temperature)
		}
		runs = append(runs, spanOf(start, from, to, celsius(best)))
	}
	return object{{"uom", unitCelsius}, {"values", runs}}
}

// The units of the layers.
const (
	unitCelsius    = "wmoUnit:degC"
	unitPercent    = "wmoUnit:percent"
	unitDegrees    = "wmoUnit:degree_(angle)"
	unitKilometers = "wmoUnit:km_h-1"
	unitMeters     = "wmoUnit:m"
	unitMillis     = "wmoUnit:mm"
	unitSeconds    = "nwsUnit:s" // the one unit that is not the WMO's
)

func numeral(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// figures reads numbers that may be unknown, in a unit.
func figures(convert func(float64) float64, of func(gridHour) *float64) func(gridHour) string {
	return func(g gridHour) string {
		v := of(g)
		switch {
		case v == nil:
			return "null"
		case convert == nil:
			return numeral(*v)
		}
		return numeral(convert(*v))
	}
}

// wholes reads whole numbers.
func wholes(of func(gridHour) int) func(gridHour) string {
	return func(g gridHour) string { return strconv.Itoa(of(g)) }
}

// fahrenheits reads temperatures.
func fahrenheits(of func(gridHour) int) func(gridHour) string {
	return func(g gridHour) string { return numeral(celsius(of(g))) }
}

func readWindChill(g gridHour) string {
	if g.temperature > 50 {
		return "null"
	}
	return numeral(celsius(g.temperature - g.wind/3))
}

func noSnow(gridHour) int { return 0 }

// gridLayers are the layers in the order of the service. Layers of waves are zero
// throughout over land, as they are in real grids. Layers without a reader are
// empty, as at nearly all offices.
var gridLayers = []layer{
	{"temperature", unitCelsius, gridHours, fahrenheits(func(g gridHour) int { return g.temperature })},
	{"dewpoint", unitCelsius, gridHours, fahrenheits(func(g gridHour) int { return g.dew })},
	{name: "maxTemperature"},
	{name: "minTemperature"},
	{"relativeHumidity", unitPercent, gridHours, wholes(func(g gridHour) int { return g.humidity })},
	{"apparentTemperature", unitCelsius, gridHours, fahrenheits(func(g gridHour) int { return g.temperature })},
	{"wetBulbGlobeTemperature", unitCelsius, gridHours, fahrenheits(func(g gridHour) int { return g.temperature - 2 })},
	{"heatIndex", unitCelsius, gridHours, func(gridHour) string { return "null" }},
	{"windChill", unitCelsius, gridHours, readWindChill},
	{"skyCover", unitPercent, gridHours, wholes(func(g gridHour) int { return g.sky })},
	{"windDirection", unitDegrees, gridHours, figures(nil, func(g gridHour) *float64 { return g.From })},
	{"windSpeed", unitKilometers, gridHours, figures(kilometersPerHour, func(g gridHour) *float64 { return g.Wind })},
	{"windGust", unitKilometers, gridHours, figures(kilometersPerHour, func(g gridHour) *float64 { return g.Gust })},
	{"weather", "", gridHours, func(g gridHour) string { return weatherEntries(g.Weather) }},
	{name: "hazards"},
	{"probabilityOfPrecipitation", unitPercent, gridHours, wholes(func(g gridHour) int { return g.rain })},
	{"quantitativePrecipitation", unitMillis, gridHours, func(g gridHour) string {
		return numeral(math.Round(float64(g.rain)*25.4) / 1000)
	}},
	{"iceAccumulation", unitMillis, gridHours, wholes(noSnow)},
	{"snowfallAmount", unitMillis, gridHours, wholes(noSnow)},
	{name: "snowLevel"},
	{name: "ceilingHeight"},
	{"visibility", unitMeters, gridHours, figures(nil, func(g gridHour) *float64 { return g.Visibility })},
	{"transportWindSpeed", unitKilometers, gridHours, func(g gridHour) string {
		return numeral(kilometersPerHour(float64(g.wind + 3)))
	}},
	{"transportWindDirection", unitDegrees, gridHours, wholes(func(g gridHour) int { return g.direction })},
	{"mixingHeight", unitMeters, gridHours, func(g gridHour) string { return numeral(metersOfFeet(float64(1200 + 20*g.wind))) }},
	{name: "hainesIndex"},
	{"lightningActivityLevel", "", gridHours, wholes(func(gridHour) int { return 1 })},
	{name: "twentyFootWindSpeed"},
	{name: "twentyFootWindDirection"},
	{"waveHeight", unitMeters, gridHours, figures(metersOfFeet, func(g gridHour) *float64 { return g.Seas })},
	{"wavePeriod", unitSeconds, gridHours, figures(nil, func(g gridHour) *float64 { return g.Period })},
	{name: "waveDirection"},
	{"primarySwellHeight", unitMeters, gridHours, figures(metersOfFeet, func(g gridHour) *float64 { return g.train(g.swell, g.Swell) })},
	{"primarySwellDirection", unitDegrees, gridHours, wholes(func(g gridHour) int { return g.swellFrom })},
	{"secondarySwellHeight", unitMeters, gridHours, figures(metersOfFeet, func(g gridHour) *float64 { return g.train(g.swell2, nil) })},
	{"secondarySwellDirection", unitDegrees, gridHours, wholes(func(g gridHour) int { return g.swell2From })},
	{"wavePeriod2", unitSeconds, gridHours, figures(nil, gridHour.windPeriod)},
	{"windWaveHeight", unitMeters, gridHours, figures(metersOfFeet, func(g gridHour) *float64 {
		if g.changedSea {
			return g.Seas
		}
		return new(float64(g.windSea))
	})},
}

// emptyLayers come after the waves.
var emptyLayers = strings.Fields(`dispersionIndex pressure probabilityOfTropicalStormWinds
	probabilityOfHurricaneWinds potentialOf15mphWinds potentialOf25mphWinds potentialOf35mphWinds
	potentialOf45mphWinds potentialOf20mphWindGusts potentialOf30mphWindGusts
	potentialOf40mphWindGusts potentialOf50mphWindGusts potentialOf60mphWindGusts
	grasslandFireDangerIndex probabilityOfThunder davisStabilityIndex atmosphericDispersionIndex
	lowVisibilityOccurrenceRiskIndex stability redFlagThreatIndex`)

// weatherEntries writes weather as JSON: if there is none, one entry of nulls.
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
			{"visibility", quantity("wmoUnit:km", nil)}, {"attributes", []string{}},
		}, "")
		if err != nil {
			panic(err) // texts can always be encoded
		}
		out = append(out, string(entry))
	}
	return "[" + strings.Join(out, ",") + "]"
}
