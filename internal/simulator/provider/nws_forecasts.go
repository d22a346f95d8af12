package provider

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// forecastPeriod is some hours of a forecast in words.
type forecastPeriod struct {
	name     string
	from, to time.Time // local
	day      bool
	weatherSpan
}

// halfDays serves /gridpoints/{office}/{x},{y}/forecast.
func (s *weatherService) halfDays(r *http.Request) (reply, *problem) {
	return s.forecast(r, "BaselineForecastGenerator", func(c cell, from time.Time) (list []object) {
		first := from
		for i := range 14 {
			p := c.period(periodName(first, from), from, nextHalf(from))
			list = append(list, append(p.head(i+1), p.words(p.detailed())...))
			from = p.to
		}
		return list
	})
}

// hourly serves /gridpoints/{office}/{x},{y}/forecast/hourly. Its first hour
// is that of the grid, which may be over.
func (s *weatherService) hourly(r *http.Request) (reply, *problem) {
	return s.forecast(r, "HourlyForecastGenerator", func(c cell, from time.Time) (list []object) {
		for i := range 156 {
			at := from.Add(time.Duration(i) * time.Hour)
			p := c.period("", at, at.Add(time.Hour))
			body := append(p.head(i+1), object{
				{"dewpoint", quantity(unitCelsius, celsius(p.weatherSpan[0].dew))},
				{"relativeHumidity", quantity(unitPercent, p.weatherSpan[0].humidity)},
			}...)
			list = append(list, append(body, p.words("")...))
		}
		return list
	})
}

func (s *weatherService) forecast(
	r *http.Request, generator string, periods func(c cell, from time.Time) []object,
) (reply, *problem) {
	c, trouble := s.cellOfPath(r)
	switch {
	case trouble != nil:
		return reply{}, trouble
	case c.surface == marine:
		return reply{}, missing("MarineForecastNotSupported", "Marine Forecast Not Supported",
			"Forecasts for marine areas are not yet supported by this API.")
	}
	updated := c.updated(s.now())
	start := updated.Truncate(time.Hour)
	return reply{
		body: object{
			{"@context", ldContext(`"@version":"1.1","wx":"https://api.weather.gov/ontology#","geo":"http://www.opengis.net/ont/geosparql#","unit":"http://codes.wmo.int/common/unit/","@vocab":"https://api.weather.gov/ontology#"`)},
			{"type", "Feature"},
			{"geometry", c.square()},
			{"properties", object{
				{"units", "us"},
				{"forecastGenerator", generator},
				{"generatedAt", stamp(s.now().Truncate(time.Second))},
				{"updateTime", stamp(updated)},
				{"validTimes", stamp(start) + "/" + isoHours(c.reach(start))},
				{"elevation", quantity("wmoUnit:m", c.elevation())},
				{"periods", periods(c, start.In(zoneNamed(c.office.Zone)))},
			}},
		},
		age: lasting(s.now(), time.Hour, c.name()), shared: time.Hour, modified: c.modified(updated),
	}, nil
}

// period gathers the conditions of some hours.
func (c cell) period(name string, from, to time.Time) forecastPeriod {
	p := forecastPeriod{name: name, from: from, to: to, day: from.Hour() >= 6 && from.Hour() < 18}
	for at := from; at.Before(to); at = at.Add(time.Hour) {
		p.weatherSpan = append(p.weatherSpan, c.conditions(at))
	}
	return p
}

func (p forecastPeriod) head(number int) object {
	return object{
		{"number", number},
		{"name", p.name},
		{"startTime", stamp(p.from)},
		{"endTime", stamp(p.to)},
		{"isDaytime", p.day},
		{"temperature", p.temperature()},
		{"temperatureUnit", "F"},
		{"temperatureTrend", nil},
		{"probabilityOfPrecipitation", quantity("wmoUnit:percent", p.most(rainOf))},
	}
}

func (p forecastPeriod) words(detailed string) object {
	half := "night"
	if p.day {
		half = "day"
	}
	return object{
		{"windSpeed", p.windSpeed()},
		{"windDirection", compassName(p.weatherSpan[0].direction)},
		{"icon", nwsRoot + "/icons/land/" + half + "/sct?size=medium"},
		{"shortForecast", p.weatherSpan[len(p.weatherSpan)/2].skyWords()},
		{"detailedForecast", detailed},
	}
}

// temperature is the high of a day, the low of a night.
func (p forecastPeriod) temperature() int {
	f := func(c conditions) int { return c.temperature }
	if p.day {
		return p.most(f)
	}
	return p.least(f)
}

func (p forecastPeriod) windSpeed() string {
	low, high := milesPerHour(p.least(windOf)), milesPerHour(p.most(windOf))
	if low == high {
		return fmt.Sprintf("%d mph", high)
	}
	return fmt.Sprintf("%d to %d mph", low, high)
}

func (p forecastPeriod) detailed() string {
	return fmt.Sprintf("%s, with a temperature near %d. Wind %s.",
		p.weatherSpan[len(p.weatherSpan)/2].skyWords(), p.temperature(), p.windSpeed())
}

func (c conditions) skyWords() string {
	switch {
	case c.rain >= 30:
		return "Chance Rain Showers"
	case c.sky >= 70:
		return "Mostly Cloudy"
	case c.sky >= 30:
		return "Partly Cloudy"
	}
	return "Clear"
}

// observersWithin is the greatest distance of listed stations, kilometers.
const observersWithin = 400.0

// observers serves /gridpoints/{office}/{x},{y}/stations, nearest first.
func (s *weatherService) observers(r *http.Request) (reply, *problem) {
	c, trouble := s.cellOfPath(r)
	if trouble != nil {
		return reply{}, trouble
	}
	km := func(o *office) float64 {
		return kilometers(c.latitude, c.longitude, o.Latitude, o.Longitude)
	}
	tooFar := func(o *office) bool { return km(o) > observersWithin }
	near := slices.DeleteFunc(slices.Clone(offices), tooFar)
	slices.SortFunc(near, func(a, b *office) int { return cmp.Compare(km(a), km(b)) })
	features, urls, next := []object{}, []string{}, nwsRoot+"/stations?"
	for i, o := range near {
		url := nwsRoot + "/stations/" + o.Observes
		features, urls = append(features, o.observer(url, c)), append(urls, url)
		next += "id%5B" + strconv.Itoa(i) + "%5D=" + o.Observes + "&"
	}
	return reply{
		body: object{
			{"@context", ldContext(placeTerms + `,"observationStations":{"@container":"@list","@type":"@id"}`)},
			{"type", "FeatureCollection"},
			{"features", features},
			{"observationStations", urls},
			{"pagination", object{{"next", next + "cursor=eyJzIjo1MDB9"}}}, // even if nothing follows
		},
		age: lasting(s.now(), 24*time.Hour, c.name()), shared: 2 * time.Minute,
	}, nil
}

// observer is the office's station as lists have it, with its distance from a cell.
func (o *office) observer(url string, from cell) object {
	return object{
		{"id", url},
		{"type", "Feature"},
		{"geometry", pointGeometry(o.Latitude, o.Longitude)},
		{"properties", object{
			{"@id", url},
			{"@type", "wx:ObservationStation"},
			{"elevation", quantity("wmoUnit:m", o.elevation())},
			{"stationIdentifier", o.Observes},
			{"name", o.ObservesName},
			{"timeZone", o.Zone},
			{"distance", quantity("wmoUnit:m", 1000*kilometers(from.latitude, from.longitude, o.Latitude, o.Longitude))},
			{"bearing", quantity(unitDegrees, bearing(from.latitude, from.longitude, o.Latitude, o.Longitude))},
			{"forecast", zoneURL(o.Land, "forecast")},
			{"county", zoneURL(o.County, "county")},
			{"fireWeatherZone", zoneURL(o.Fire, "fire")},
		}},
	}
}

// elevation of the station in meters.
func (o *office) elevation() float64 {
	return metersOfFeet(float64(10 + scramble("elevation", o.ID)%60))
}

// observation serves /stations/{id}/observations/latest: 53 minutes past the hour.
func (s *weatherService) observation(r *http.Request) (reply, *problem) {
	id := r.PathValue("station")
	i := slices.IndexFunc(offices, func(o *office) bool { return o.Observes == id })
	if i < 0 {
		return reply{}, noSuchPage()
	}
	at := s.now().Add(-53 * time.Minute).Truncate(time.Hour).Add(53 * time.Minute)
	return reply{
		body: offices[i].observed(at), age: lasting(s.now(), 5*time.Minute, id),
		shared: 5 * time.Minute, modified: at,
	}, nil
}

// observed is the observation of the office's station. Calm air has no gust, and the
// rain gauge reports nothing.
func (o *office) observed(at time.Time) object {
	c := o.conditionsAt(o.Latitude, o.Longitude, ashore, at)
	url := nwsRoot + "/stations/" + o.Observes
	checked := func(unit string, value any, letter string) object {
		return append(quantity(unit, value), member{"qualityControl", letter})
	}
	degrees := func(fahrenheit int) object {
		return checked(unitCelsius, math.Round(celsius(fahrenheit)*10)/10, "V")
	}
	gusts := checked(unitKilometers, nil, "Z")
	if c.wind >= 10 {
		gusts = checked(unitKilometers, kilometersPerHour(float64(c.gust)), "V")
	}
	pressure := 101300 + 10*(c.sky-50)
	return object{
		{"@context", ldContext(placeTerms)},
		{"id", url + "/observations/" + stamp(at)},
		{"type", "Feature"},
		{"geometry", pointGeometry(o.Latitude, o.Longitude)},
		{"properties", object{
			{"@id", url + "/observations/" + stamp(at)},
			{"@type", "wx:ObservationStation"},
			{"elevation", quantity("wmoUnit:m", o.elevation())},
			{"station", url},
			{"stationId", o.Observes},
			{"stationName", o.ObservesName},
			{"timestamp", stamp(at)},
			{"rawMessage", fmt.Sprintf("%s %sZ %03d%02dKT 10SM BKN055", o.Observes, at.Format("021504"), c.direction, c.wind)},
			{"textDescription", c.skyWords()},
			{"icon", nwsRoot + "/icons/land/day/sct?size=medium"},
			{"presentWeather", []string{}},
			{"temperature", degrees(c.temperature)},
			{"dewpoint", degrees(c.dew)},
			{"windDirection", checked(unitDegrees, c.direction, "V")},
			{"windSpeed", checked(unitKilometers, kilometersPerHour(float64(c.wind)), "V")},
			{"windGust", gusts},
			{"barometricPressure", checked("wmoUnit:Pa", pressure, "V")},
			{"seaLevelPressure", checked("wmoUnit:Pa", pressure+10, "V")},
			{"visibility", checked(unitMeters, 16090, "C")},
			{"maxTemperatureLast24Hours", quantity(unitCelsius, nil)},
			{"minTemperatureLast24Hours", quantity(unitCelsius, nil)},
			{"precipitationLastHour", checked(unitMillis, nil, "Z")},
			{"precipitationLast3Hours", checked(unitMillis, nil, "Z")},
			{"precipitationLast6Hours", checked(unitMillis, nil, "Z")},
			{"relativeHumidity", checked(unitPercent, c.humidity, "V")},
			{"windChill", checked(unitCelsius, nil, "V")},
			{"heatIndex", checked(unitCelsius, nil, "V")},
			{"cloudLayers", []object{{{"base", quantity(unitMeters, 1680)}, {"amount", "BKN"}}}},
		}},
	}
}
