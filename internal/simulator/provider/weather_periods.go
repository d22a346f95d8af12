package provider

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// hourlyPeriods is how many hours the hourly forecast has.
const hourlyPeriods = 156

// A period is some hours of a forecast in words.
type period struct {
	number     int
	name       string
	from, to   time.Time // local
	day        bool
	conditions []conditions // hour by hour
}

// periodTerms are the terms of the context of forecasts in words.
const periodTerms = `"@version":"1.1","wx":"https://api.weather.gov/ontology#","geo":"http://www.opengis.net/ont/geosparql#","unit":"http://codes.wmo.int/common/unit/","@vocab":"https://api.weather.gov/ontology#"`

// halfDays answers /gridpoints/{office}/{x},{y}/forecast.
func (s *weatherService) halfDays(r *http.Request) (reply, *problem) {
	return s.forecast(r, "BaselineForecastGenerator", func(c cell) []object {
		return periodBodies(s.halves(c, 14), period.half)
	})
}

// hourly answers /gridpoints/{office}/{x},{y}/forecast/hourly. Its first hour
// is that of the grid, which may be over.
func (s *weatherService) hourly(r *http.Request) (reply, *problem) {
	return s.forecast(r, "HourlyForecastGenerator", func(c cell) []object {
		start := c.updated(s.now()).Truncate(time.Hour).In(location(c.office.zone))
		var periods []period
		for i := range hourlyPeriods {
			from := start.Add(time.Duration(i) * time.Hour)
			periods = append(periods, c.period(i+1, "", from, from.Add(time.Hour)))
		}
		return periodBodies(periods, period.hour)
	})
}

func periodBodies(periods []period, body func(period) object) []object {
	var out []object
	for _, p := range periods {
		out = append(out, body(p))
	}
	return out
}

func (s *weatherService) forecast(r *http.Request, generator string, periods func(cell) []object) (reply, *problem) {
	c, trouble := s.cellOf(r)
	switch {
	case trouble != nil:
		return reply{}, trouble
	case c.surface == marine:
		return reply{}, marineForecast()
	}
	updated := c.updated(s.now())
	return reply{
		body: object{
			{"@context", ldContext(periodTerms)},
			{"type", "Feature"},
			{"geometry", c.outline()},
			{"properties", object{
				{"units", "us"},
				{"forecastGenerator", generator},
				{"generatedAt", stamp(s.now().Truncate(time.Second))},
				{"updateTime", stamp(updated)},
				{"validTimes", stamp(updated.Truncate(time.Hour)) + "/" + duration(c.reach(updated.Truncate(time.Hour)))},
				{"elevation", quantity("wmoUnit:m", c.elevation())},
				{"periods", periods(c)},
			}},
		},
		age: countdown(s.now(), time.Hour, c.id()), shared: time.Hour, modified: c.modified(updated),
	}, nil
}

// period gathers the conditions of some hours.
func (c cell) period(number int, name string, from, to time.Time) period {
	p := period{number: number, name: name, from: from, to: to, day: from.Hour() >= 6 && from.Hour() < 18}
	for at := from; at.Before(to); at = at.Add(time.Hour) {
		p.conditions = append(p.conditions, c.conditions(at))
	}
	return p
}

// halves are the days and nights from the hour of the grid on.
func (s *weatherService) halves(c cell, n int) []period {
	from := c.updated(s.now()).Truncate(time.Hour).In(location(c.office.zone))
	today := from
	var periods []period
	for i := range n {
		to := nextHalf(from)
		periods = append(periods, c.period(i+1, halfName(today, from), from, to))
		from = to
	}
	return periods
}

// nextHalf is the next six o'clock.
func nextHalf(t time.Time) time.Time {
	for _, hour := range []int{6, 18} {
		if at := time.Date(t.Year(), t.Month(), t.Day(), hour, 0, 0, 0, t.Location()); at.After(t) {
			return at
		}
	}
	return time.Date(t.Year(), t.Month(), t.Day()+1, 6, 0, 0, 0, t.Location())
}

// halfName names a day or a night: Today, Tonight, Wednesday Night.
func halfName(today, from time.Time) string {
	first, hour := from.Equal(today), from.Hour()
	switch {
	case first && hour < 6:
		return "Overnight"
	case first && hour >= 12 && hour < 18:
		return "This Afternoon"
	case first && hour < 12:
		return "Today"
	case hour >= 18 && from.YearDay() == today.YearDay():
		return "Tonight"
	case hour >= 18:
		return from.Weekday().String() + " Night"
	}
	return from.Weekday().String()
}

func (p period) head() object {
	return object{
		{"number", p.number},
		{"name", p.name},
		{"startTime", stamp(p.from)},
		{"endTime", stamp(p.to)},
		{"isDaytime", p.day},
		{"temperature", p.temperature()},
		{"temperatureUnit", "F"},
		{"temperatureTrend", nil},
		{"probabilityOfPrecipitation", quantity("wmoUnit:percent", p.most(func(c conditions) int { return c.rain }))},
	}
}

// half is a period of half a day.
func (p period) half() object {
	return append(p.head(), object{
		{"windSpeed", p.windSpeed()},
		{"windDirection", eighth(p.conditions[0].direction)},
		{"icon", p.icon("medium")},
		{"shortForecast", p.short()},
		{"detailedForecast", p.words()},
	}...)
}

// hour is a period of one hour.
func (p period) hour() object {
	c := p.conditions[0]
	return append(p.head(), object{
		{"dewpoint", quantity(degC, celsius(c.dew))},
		{"relativeHumidity", quantity(percent, c.humidity)},
		{"windSpeed", p.windSpeed()},
		{"windDirection", eighth(c.direction)},
		{"icon", p.icon("small")},
		{"shortForecast", p.short()},
		{"detailedForecast", ""},
	}...)
}

func (p period) most(f func(conditions) int) int {
	most := f(p.conditions[0])
	for _, c := range p.conditions {
		most = max(most, f(c))
	}
	return most
}

func (p period) least(f func(conditions) int) int {
	return -p.most(func(c conditions) int { return -f(c) })
}

// temperature is the high of a day, the low of a night.
func (p period) temperature() int {
	f := func(c conditions) int { return c.temperature }
	if p.day {
		return p.most(f)
	}
	return p.least(f)
}

func (p period) windSpeed() string {
	low, high := milesPerHour(p.least(wind)), milesPerHour(p.most(wind))
	if low == high {
		return fmt.Sprintf("%d mph", high)
	}
	return fmt.Sprintf("%d to %d mph", low, high)
}

func wind(c conditions) int { return c.wind }

func (p period) short() string {
	c := p.conditions[len(p.conditions)/2]
	clear, night := "Sunny", !p.day
	if night {
		clear = "Clear"
	}
	switch {
	case c.rain >= 60:
		return "Rain Showers Likely"
	case c.rain >= 30:
		return "Chance Rain Showers"
	case c.sky >= 70:
		return "Mostly Cloudy"
	case c.sky >= 30 && night:
		return "Partly Cloudy"
	}
	if c.sky >= 30 {
		return "Partly Sunny"
	}
	return clear
}

func (p period) icon(size string) string {
	c, half := p.conditions[len(p.conditions)/2], "night"
	if p.day {
		half = "day"
	}
	name := "few"
	switch {
	case c.rain >= 30:
		name = "rain_showers," + strconv.Itoa(c.rain/10*10)
	case c.sky >= 70:
		name = "bkn"
	case c.sky >= 30:
		name = "sct"
	}
	return fmt.Sprintf("%s/icons/land/%s/%s?size=%s", api, half, name, size)
}

// words is the forecast in words.
func (p period) words() string {
	kind := "with a low around"
	if p.day {
		kind = "with a high near"
	}
	short := p.short()
	speed := p.windSpeed()
	if !strings.Contains(speed, " to ") {
		speed = "around " + speed
	}
	return fmt.Sprintf("%s, %s %d. %s wind %s.", short[:1]+strings.ToLower(short[1:]), kind, p.temperature(), longWinds[eighth(p.conditions[0].direction)], speed)
}

// longWinds are the directions spelled out.
var longWinds = map[string]string{"N": "North", "NE": "Northeast", "E": "East", "SE": "Southeast", "S": "South", "SW": "Southwest", "W": "West", "NW": "Northwest"}

// observersWithin is how far stations are listed, kilometres, and how many of them.
const observersWithin, observersMost = 400.0, 40

// observers answers /gridpoints/{office}/{x},{y}/stations, nearest first.
func (s *weatherService) observers(r *http.Request) (reply, *problem) {
	c, trouble := s.cellOf(r)
	if trouble != nil {
		return reply{}, trouble
	}
	most := observersMost
	if text := r.URL.Query().Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > 500 {
			return reply{}, badRequest("limit", strconv.Quote(text)+" is not a valid limit")
		}
		most = n
	}
	features, urls := []object{}, []string{}
	for _, o := range nearestObservers(c.latitude, c.longitude, most) {
		features = append(features, o.observer(c.latitude, c.longitude))
		urls = append(urls, api+"/stations/"+o.observatory)
	}
	return reply{
		body: object{
			{"@context", ldContext(placeTerms + `,"observationStations":{"@container":"@list","@type":"@id"}`)},
			{"type", "FeatureCollection"},
			{"features", features},
			{"observationStations", urls},
			{"pagination", object{{"next", nextObservers(urls)}}},
		},
		age: countdown(s.now(), 24*time.Hour, c.id()), shared: 2 * time.Minute,
	}, nil
}

// nextObservers is the address of a next page, which is there even where
// nothing follows.
func nextObservers(urls []string) string {
	var query strings.Builder
	for i, u := range urls {
		fmt.Fprintf(&query, "id%%5B%d%%5D=%s&", i, u[strings.LastIndexByte(u, '/')+1:])
	}
	return api + "/stations?" + query.String() + "cursor=eyJzIjo1MDB9"
}

func nearestObservers(latitude, longitude float64, most int) []*office {
	var list []*office
	km := func(o *office) float64 { return kilometers(latitude, longitude, o.latitude, o.longitude) }
	for i := range offices {
		if o := &offices[i]; km(o) <= observersWithin {
			list = append(list, o)
		}
	}
	slices.SortFunc(list, func(a, b *office) int { return cmp.Compare(km(a), km(b)) })
	return list[:min(len(list), most)]
}

// observer is the office's station as lists have it, with its distance from a place.
func (o *office) observer(latitude, longitude float64) object {
	url := api + "/stations/" + o.observatory
	return object{
		{"id", url},
		{"type", "Feature"},
		{"geometry", pointGeometry(o.latitude, o.longitude)},
		{"properties", object{
			{"@id", url},
			{"@type", "wx:ObservationStation"},
			{"elevation", quantity("wmoUnit:m", o.elevation())},
			{"stationIdentifier", o.observatory},
			{"name", o.observation},
			{"timeZone", o.zone},
			{"distance", quantity("wmoUnit:m", 1000*kilometers(latitude, longitude, o.latitude, o.longitude))},
			{"bearing", quantity(trueDegrees, bearing(latitude, longitude, o.latitude, o.longitude))},
			{"forecast", api + "/zones/forecast/" + o.land},
			{"county", api + "/zones/county/" + o.county},
			{"fireWeatherZone", api + "/zones/fire/" + o.fire},
		}},
	}
}

// elevation of the station in metres.
func (o *office) elevation() float64 { return metres(10 + int(scramble("elevation", o.id)%60)) }

// observation answers /stations/{id}/observations/latest: 53 minutes past the hour.
func (s *weatherService) observation(r *http.Request) (reply, *problem) {
	id := r.PathValue("station")
	for i := range offices {
		if o := &offices[i]; o.observatory == id {
			at := s.now().Add(-53 * time.Minute).Truncate(time.Hour).Add(53 * time.Minute)
			return reply{body: o.observed(at), age: countdown(s.now(), 5*time.Minute, id), shared: 5 * time.Minute, modified: at}, nil
		}
	}
	return reply{}, notFound()
}

// observed is what the office's station observed. Its winds come in tenths of
// a metre a second, so their km/h are no whole knots; calm air has no
// gust, and the rain gauge reports nothing.
func (o *office) observed(at time.Time) object {
	c := o.conditions(o.latitude, o.longitude, ashore, at)
	url := api + "/stations/" + o.observatory
	measured := func(unit string, value any) object { return checked(unit, value, "V") }
	missing := func(unit string) object { return checked(unit, nil, "Z") }
	gusts := missing(speed)
	if c.wind >= 10 {
		gusts = measured(speed, observedSpeed(c.gust))
	}
	pressure := 101300 + 10*(c.sky-50)
	return object{
		{"@context", ldContext(placeTerms)},
		{"id", url + "/observations/" + stamp(at)},
		{"type", "Feature"},
		{"geometry", pointGeometry(o.latitude, o.longitude)},
		{"properties", object{
			{"@id", url + "/observations/" + stamp(at)},
			{"@type", "wx:ObservationStation"},
			{"elevation", quantity("wmoUnit:m", o.elevation())},
			{"station", url},
			{"stationId", o.observatory},
			{"stationName", o.observation},
			{"timestamp", stamp(at)},
			{"rawMessage", o.metar(c, at, pressure)},
			{"textDescription", c.skyWords()},
			{"icon", api + "/icons/land/day/sct?size=medium"},
			{"presentWeather", []string{}},
			{"temperature", measured(degC, math.Round(celsius(c.temperature)*10)/10)},
			{"dewpoint", measured(degC, math.Round(celsius(c.dew)*10)/10)},
			{"windDirection", measured(trueDegrees, c.direction)},
			{"windSpeed", measured(speed, observedSpeed(c.wind))},
			{"windGust", gusts},
			{"barometricPressure", measured("wmoUnit:Pa", pressure)},
			{"seaLevelPressure", measured("wmoUnit:Pa", pressure+10)},
			{"visibility", checked(metre, 16090, "C")},
			{"maxTemperatureLast24Hours", quantity(degC, nil)},
			{"minTemperatureLast24Hours", quantity(degC, nil)},
			{"precipitationLastHour", missing(milli)},
			{"precipitationLast3Hours", missing(milli)},
			{"precipitationLast6Hours", missing(milli)},
			{"relativeHumidity", measured(percent, c.humidity)},
			{"windChill", checked(degC, nil, "V")},
			{"heatIndex", checked(degC, nil, "V")},
			{"cloudLayers", []object{{{"base", quantity(metre, 1680)}, {"amount", "BKN"}}}},
		}},
	}
}

// checked is a quantity with the letter of its quality control.
func checked(unit string, value any, letter string) object {
	return append(quantity(unit, value), member{"qualityControl", letter})
}

func observedSpeed(knots int) float64 {
	tenths := math.Round(float64(knots) * 5.14444)
	return math.Round(tenths*36) / 100
}

func (c conditions) skyWords() string {
	switch {
	case c.sky >= 70:
		return "Mostly Cloudy"
	case c.sky >= 30:
		return "Partly Cloudy"
	}
	return "Clear"
}

// metar is the report in code.
func (o *office) metar(c conditions, at time.Time, pressure int) string {
	signed := func(f int) string {
		t := int(math.Round(celsius(f)))
		if t < 0 {
			return fmt.Sprintf("M%02d", -t)
		}
		return fmt.Sprintf("%02d", t)
	}
	return fmt.Sprintf("%s %sZ %03d%02dKT 10SM BKN055 %s/%s A%04d", o.observatory, at.Format("021504"), c.direction, c.wind,
		signed(c.temperature), signed(c.dew), int(math.Round(float64(pressure)*0.02953)))
}
