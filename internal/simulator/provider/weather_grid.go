package provider

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// gridHours is how far grids reach; their periods of waves end sooner.
const (
	gridHours   = 7*24 + 6
	periodHours = 4*24 + 4
)

// cellOf finds the cell that a request's path names.
func (s *weatherService) cellOf(r *http.Request) (cell, *problem) {
	name := r.PathValue("office") + ":" + r.PathValue("cell")
	xText, yText, _ := strings.Cut(r.PathValue("cell"), ",")
	x, err1 := strconv.Atoi(xText)
	y, err2 := strconv.Atoi(yText)
	c, ok := s.at(officeOf(r.PathValue("office")), x, y)
	if err1 != nil || err2 != nil || !ok || c.order.Uncovered {
		return cell{}, &problem{status: http.StatusNotFound, kind: "InvalidGridpoint", title: "InvalidGridpoint",
			detail: "Requested gridpoint " + name + " does not exist"}
	}
	return c, nil
}

// updated is when the office last sent its grids: once an hour, at a minute of its own.
func (o *office) updated(now time.Time) time.Time {
	shift := time.Duration(scramble("grid", o.id)%3600) * time.Second
	return now.Add(-shift).Truncate(time.Hour).Add(shift).UTC()
}

// gridpoint answers /gridpoints/{office}/{x},{y}.
func (s *weatherService) gridpoint(r *http.Request) (reply, *problem) {
	c, trouble := s.cellOf(r)
	if trouble != nil {
		return reply{}, trouble
	}
	updated := c.updated(s.now())
	start := updated.Truncate(time.Hour)
	properties := object{
		{"@id", c.url()},
		{"@type", "wx:Gridpoint"},
		{"updateTime", stamp(updated)},
		{"validTimes", stamp(start) + "/" + duration(c.reach(start))},
		{"elevation", quantity("wmoUnit:m", c.elevation())},
		{"forecastOffice", api + "/offices/" + c.office.id},
		{"gridId", c.office.grid},
		{"gridX", strconv.Itoa(c.x)},
		{"gridY", strconv.Itoa(c.y)},
	}
	return reply{
		body: object{
			{"@context", ldContext(`"@version":"1.1","wmoUnit":"https://codes.wmo.int/common/unit/","nwsUnit":"https://api.weather.gov/ontology/unit/"`)},
			{"id", c.url()},
			{"type", "Feature"},
			{"geometry", c.outline()},
			{"properties", append(properties, s.layers(c, start)...)},
		},
		age: countdown(s.now(), time.Hour, c.id()), shared: time.Hour, modified: c.modified(updated),
	}, nil
}

func (c cell) elevation() float64 {
	if c.afloat() {
		return 0
	}
	return metres(3 + int(scramble("ground", c.id())%40))
}

// outline is the cell's square.
func (c cell) outline() object {
	dy, dx := c.office.steps()
	var ring [5][2]float64
	for i, side := range [5][2]float64{{-1, 1}, {-1, -1}, {1, -1}, {1, 1}, {-1, 1}} {
		ring[i] = [2]float64{round4(wrap(c.longitude + side[0]*dx/2)), round4(c.latitude + side[1]*dy/2)}
	}
	return object{{"type", "Polygon"}, {"coordinates", [1][5][2]float64{ring}}}
}

func round4(x float64) float64 { return math.Round(x*1e4) / 1e4 }

// A reading is what a layer says of an hour, as JSON.
type reading func(conditions) string

// A layer of a grid is the values of one quantity.
type layer struct {
	name, unit string
	hours      int // how far it reaches, 0 for not at all: such a layer is empty, without unit
	read       reading
}

// layers reads all layers of a cell from start.
func (s *weatherService) layers(c cell, start time.Time) object {
	weather := make([]conditions, c.reach(start))
	for i := range weather {
		weather[i] = c.conditions(start.Add(time.Duration(i) * time.Hour))
	}
	var out object
	for _, l := range c.layerList() {
		if l.hours == gridHours {
			l.hours = len(weather)
		}
		l.hours = min(l.hours, len(weather))
		out = append(out, member{l.name, l.body(l.values(weather, start))})
	}
	for i := range out {
		switch out[i].name {
		case "maxTemperature":
			out[i].value = extremes(weather, start, c.longitude, 7, 13, func(a, b int) int { return max(a, b) })
		case "minTemperature":
			out[i].value = extremes(weather, start, c.longitude, 19, 14, func(a, b int) int { return min(a, b) })
		case "hazards":
			out[i].value = object{{"values", s.hazards(c, start, len(weather))}}
		}
	}
	return c.order.revised(out, weather, start)
}

func (l layer) body(values []object) object {
	if l.unit == "" || l.hours == 0 {
		return object{{"values", values}}
	}
	return object{{"uom", l.unit}, {"values", values}}
}

// values reads the layer hour by hour.
func (l layer) values(weather []conditions, start time.Time) []object {
	return merged(start, l.hours, func(i int) string { return l.read(weather[i]) })
}

// merged are the runs of equal texts, which are JSON, of some hours.
func merged(start time.Time, hours int, text func(i int) string) []object {
	runs := []object{}
	for from := 0; from < hours; {
		value, to := text(from), from+1
		for to < hours && text(to) == value {
			to++
		}
		runs = append(runs, run(start, from, to, json.RawMessage(value)))
		from = to
	}
	return runs
}

// run is a value that holds between two hours.
func run(start time.Time, from, to int, value any) object {
	return object{
		{"validTime", stamp(start.Add(time.Duration(from)*time.Hour)) + "/" + duration(to-from)},
		{"value", value},
	}
}

// extremes are the highest or lowest temperatures of the days or nights that
// begin at an hour of the sun's clock; what has begun before start is cut.
func extremes(weather []conditions, start time.Time, longitude float64, hour, length int, better func(a, b int) int) object {
	runs := []object{}
	first := (hour - start.Hour() - int(math.Round(longitude/15)) + 48) % 24
	for begin := first - 24; begin < len(weather); begin += 24 {
		from, to := max(0, begin), min(len(weather), begin+length)
		if from >= to {
			continue
		}
		best := weather[from].temperature
		for _, c := range weather[from:to] {
			best = better(best, c.temperature)
		}
		runs = append(runs, run(start, from, to, celsius(best)))
	}
	return object{{"uom", degC}, {"values", runs}}
}

// duration writes hours as ISO 8601 has them: PT3H, P1DT19H, P7D.
func duration(hours int) string {
	text := "P"
	if hours >= 24 {
		text += fmt.Sprintf("%dD", hours/24)
	}
	if hours%24 > 0 {
		text += fmt.Sprintf("T%dH", hours%24)
	}
	return text
}

// The units of the layers.
const (
	degC        = "wmoUnit:degC"
	percent     = "wmoUnit:percent"
	trueDegrees = "wmoUnit:degree_(angle)"
	speed       = "wmoUnit:km_h-1"
	metre       = "wmoUnit:m"
	milli       = "wmoUnit:mm"
	seconds     = "nwsUnit:s" // the one unit that is not the WMO's
)

func numeral(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

func null(conditions) string { return "null" }

// whole and scaled make readings of what is an integer.
func whole(f func(conditions) int) reading {
	return func(c conditions) string { return strconv.Itoa(f(c)) }
}

func scaled(unit func(int) float64, f func(conditions) int) reading {
	return func(c conditions) string { return numeral(unit(f(c))) }
}

// layerList is every layer in the order of the service; highs, lows and
// hazards are filled in by themselves. What hardly any
// office fills is empty here as well; some offices send visibility.
func (c cell) layerList() []layer {
	wind := func(c conditions) int { return c.wind }
	direction := func(c conditions) int { return c.direction }
	temperature := func(c conditions) int { return c.temperature }
	list := []layer{
		{"temperature", degC, gridHours, scaled(celsius, temperature)},
		{"dewpoint", degC, gridHours, scaled(celsius, func(c conditions) int { return c.dew })},
		{name: "maxTemperature"},
		{name: "minTemperature"},
		{"relativeHumidity", percent, gridHours, whole(func(c conditions) int { return c.humidity })},
		{"apparentTemperature", degC, gridHours, scaled(celsius, temperature)},
		{"wetBulbGlobeTemperature", degC, gridHours, scaled(celsius, func(c conditions) int { return c.temperature - 2 })},
		{"heatIndex", degC, gridHours, null},
		{"windChill", degC, gridHours, windChill},
		{"skyCover", percent, gridHours, whole(func(c conditions) int { return c.sky })},
		{"windDirection", trueDegrees, gridHours, whole(direction)},
		{"windSpeed", speed, gridHours, scaled(kilometersPerHour, wind)},
		{"windGust", speed, gridHours, gust},
		{"weather", "", gridHours, showers},
		{name: "hazards"},
		{"probabilityOfPrecipitation", percent, gridHours, whole(func(c conditions) int { return c.rain })},
		{"quantitativePrecipitation", milli, gridHours, func(c conditions) string { return numeral(math.Round(float64(c.rain)*25.4) / 1000) }},
		{"iceAccumulation", milli, gridHours, whole(dry)},
		{"snowfallAmount", milli, gridHours, whole(dry)},
		{name: "snowLevel"},
		{name: "ceilingHeight"},
		c.visibility(),
		{"transportWindSpeed", speed, gridHours, scaled(kilometersPerHour, func(c conditions) int { return c.wind + 3 })},
		{"transportWindDirection", trueDegrees, gridHours, whole(direction)},
		{"mixingHeight", metre, gridHours, scaled(metres, func(c conditions) int { return 1200 + 20*c.wind })},
		{name: "hainesIndex"},
		{"lightningActivityLevel", "", gridHours, whole(func(conditions) int { return 1 })},
		{name: "twentyFootWindSpeed"},
		{name: "twentyFootWindDirection"},
	}
	return append(append(list, c.waveLayers()...), emptyLayers...)
}

func dry(conditions) int { return 0 }

// waveLayers are zero throughout over land, as they are in the real grids.
func (c cell) waveLayers() []layer {
	return []layer{
		{"waveHeight", metre, gridHours, scaled(metres, func(c conditions) int { return c.sea })},
		{"wavePeriod", seconds, periodHours, whole(func(c conditions) int { return c.period })},
		{name: "waveDirection"},
		{"primarySwellHeight", metre, gridHours, scaled(metres, func(c conditions) int { return c.swell })},
		{"primarySwellDirection", trueDegrees, gridHours, whole(func(c conditions) int { return c.swellFrom })},
		{"secondarySwellHeight", metre, gridHours, scaled(metres, func(c conditions) int { return c.swell2 })},
		{"secondarySwellDirection", trueDegrees, gridHours, whole(func(c conditions) int { return c.swell2From })},
		{"wavePeriod2", seconds, periodHours, whole(func(c conditions) int { return c.windPeriod })},
		{"windWaveHeight", metre, gridHours, scaled(metres, func(c conditions) int { return c.windSea })},
	}
}

// emptyLayers are those that come after the waves.
var emptyLayers = []layer{
	{name: "dispersionIndex"}, {name: "pressure"}, {name: "probabilityOfTropicalStormWinds"}, {name: "probabilityOfHurricaneWinds"},
	{name: "potentialOf15mphWinds"}, {name: "potentialOf25mphWinds"}, {name: "potentialOf35mphWinds"}, {name: "potentialOf45mphWinds"},
	{name: "potentialOf20mphWindGusts"}, {name: "potentialOf30mphWindGusts"}, {name: "potentialOf40mphWindGusts"},
	{name: "potentialOf50mphWindGusts"}, {name: "potentialOf60mphWindGusts"}, {name: "grasslandFireDangerIndex"},
	{name: "probabilityOfThunder"}, {name: "davisStabilityIndex"}, {name: "atmosphericDispersionIndex"},
	{name: "lowVisibilityOccurrenceRiskIndex"}, {name: "stability"}, {name: "redFlagThreatIndex"},
}

// visibility is sent by two offices of three.
func (c cell) visibility() layer {
	if scramble("visibility", c.office.id)%3 == 0 {
		return layer{name: "visibility"}
	}
	return layer{"visibility", metre, gridHours, func(c conditions) string { return numeral(c.visibility()) }}
}

// visibility is a mile in fog, else ten, in metres.
func (c conditions) visibility() float64 {
	if c.fog {
		return 1609.344
	}
	return 16093.44
}

// gustyFrom is the wind below which no gust is given, knots.
const gustyFrom = 3

// gust is null in a calm.
func gust(c conditions) string {
	if c.wind < gustyFrom {
		return "null"
	}
	return numeral(kilometersPerHour(c.gust))
}

// windChill is given below 50 degrees Fahrenheit alone.
func windChill(c conditions) string {
	if c.temperature > 50 {
		return "null"
	}
	return numeral(celsius(c.temperature - c.wind/3))
}

// showers is the weather as JSON.
func showers(c conditions) string { return weatherEntries(c.weather()) }

// weather is rain, thunder or fog.
func (c conditions) weather() []Condition {
	switch {
	case c.rain >= 60:
		return []Condition{{"likely", "rain_showers", "moderate"}, {"slight_chance", "thunderstorms", ""}}
	case c.rain >= 30:
		return []Condition{{"chance", "rain_showers", "light"}}
	case c.fog:
		return []Condition{{"patchy", "fog", ""}}
	}
	return []Condition{}
}

// weatherEntries writes weather as JSON: where there is none, one entry of nulls.
func weatherEntries(list []Condition) string {
	if len(list) == 0 {
		list = []Condition{{}}
	}
	var out []string
	for _, c := range list {
		out = append(out, fmt.Sprintf(`{"coverage":%s,"weather":%s,"intensity":%s,"visibility":{"unitCode":"wmoUnit:km","value":null},"attributes":[]}`,
			quoted(c.Coverage), quoted(c.Weather), quoted(c.Intensity)))
	}
	return "[" + strings.Join(out, ",") + "]"
}

// quoted writes a word, null for none.
func quoted(word string) string {
	if word == "" {
		return "null"
	}
	return strconv.Quote(word)
}
