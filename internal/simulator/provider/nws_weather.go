package provider

import (
	"math"
	"slices"
	"time"
)

// conditions are sea and sky at one place in one hour, in the units in which forecasters enter
// them: knots, feet, degrees Fahrenheit.
type conditions struct {
	wind, gust             int // knots
	direction              int // from which the wind blows, tens of degrees, 10 to 360
	temperature, dew       int // degrees Fahrenheit
	humidity               int // percent
	sky, rain              int // percent
	fog                    bool
	sea, windSea           int // feet
	swell, swell2          int // feet
	swellFrom, swell2From  int // tens of degrees
	period, windWavePeriod int // seconds
}

// steadyFor is the time for which wind and sea stay the same; temperatures change each hour.
const steadyFor = 3 * time.Hour

// conditionsAt returns the conditions at a place of an office in an hour. They depend on nothing
// else, so grids and texts for the same hour agree.
func (o *office) conditionsAt(latitude, longitude float64, e exposure, at time.Time) conditions {
	var c conditions
	s := spot{latitude, longitude, at.UTC().Truncate(steadyFor)}
	o.setWind(&c, s, e)
	o.setSea(&c, s, e)
	c.setSky(s, e, at)
	return c
}

// conditions returns the conditions at the center of a cell, without settings.
func (c cell) conditions(at time.Time) conditions {
	return c.office.conditionsAt(c.latitude, c.longitude, c.exposure(), at)
}

// conditionsOver returns the conditions of a zone, taken from the cell at its position.
func (o *office) conditionsOver(w *marineZone, at time.Time) conditions {
	latitude, longitude := w.Latitude, w.Longitude
	if o.GridID != "" {
		latitude, longitude = o.middle(o.cellOf(latitude, longitude))
	}
	return o.conditionsAt(latitude, longitude, w.Exposure, at)
}

// spot is a place at the beginning of a period of steadyFor.
type spot struct {
	latitude, longitude float64
	at                  time.Time
}

// wave returns a smooth disturbance between -1 and 1 with a period in hours that travels over the
// map.
func (s spot) wave(hours float64, shift float64) float64 {
	t := float64(s.at.Unix()) / 3600 / hours
	_, t = math.Modf(t)
	return math.Sin(2*math.Pi*t + 0.9*s.latitude + 0.6*s.longitude + shift)
}

// daylight returns 1 at three in the afternoon, solar time, and -1 at three in the morning.
func (s spot) daylight(at time.Time) float64 {
	h := float64(at.Unix()%86400)/3600 + s.longitude/15
	return math.Cos((h - 15) / 12 * math.Pi)
}

func (o *office) setWind(c *conditions, s spot, e exposure) {
	speed := 9 + 4.5*s.wave(53, 0) + 3*s.wave(19, 1) + 1.5*s.daylight(s.at)
	turn := 90*s.wave(71, 2) + 40*s.wave(29, 3)
	switch e {
	case ashore:
		speed *= 0.7
	case bay:
		speed = 0.9*speed + o.Blow*0.8
	case openSea:
		speed = 1.15*speed + o.Blow
	}
	c.wind = int(max(0, math.Round(speed)))
	c.gust = int(math.Round(float64(c.wind)*1.3)) + 2
	c.direction = tens(o.Seaward + turn)
}

// tens rounds a direction to ten degrees; north is 360.
func tens(degrees float64) int {
	d := (int(math.Round(degrees/10))*10%360 + 360) % 360
	if d == 0 {
		return 360
	}
	return d
}

// setSea sets the waves: none ashore, no swell in bays and lakes. The wind sea depends on the wind,
// the swell on the coast: it is long and high in the Pacific.
func (o *office) setSea(c *conditions, s spot, e exposure) {
	if e == ashore {
		return
	}
	u := float64(c.wind)
	windSea := 0.0115 * u * u
	if e == bay {
		windSea *= 0.4
	}
	c.windSea = int(math.Round(windSea))
	c.windWavePeriod = 2 + c.wind/6
	c.period = c.windWavePeriod
	if e == openSea && !o.onLakes() {
		o.setSwell(c, s)
	}
	high := math.Sqrt(float64(c.windSea*c.windSea + c.swell*c.swell + c.swell2*c.swell2))
	c.sea = max(1, int(math.Round(high)))
}

func (o *office) setSwell(c *conditions, s spot) {
	height, second, period := 2.5+1.4*s.wave(97, 4), 0.8+0.6*s.wave(61, 5), 8+1.4*s.wave(83, 6)
	if o.Seaward > 200 { // the Pacific
		height, second, period = 5+2.4*s.wave(97, 4), 2+s.wave(61, 5), 12+2.4*s.wave(83, 6)
	}
	c.swell, c.swell2 = int(math.Round(height)), int(math.Round(second))
	c.period = int(math.Round(period))
	c.swellFrom = tens(o.Seaward + 15*s.wave(89, 7))
	c.swell2From = tens(o.Seaward - 70)
}

// setSky sets temperature, moisture and sky. The annual variation grows with the latitude and lags
// by a month; the daily one is small at sea.
func (c *conditions) setSky(s spot, e exposure, at time.Time) {
	daily, north := 7.0, math.Abs(s.latitude)
	if e != ashore {
		daily = 2
	}
	year := math.Cos((float64(at.YearDay())-205)/365.25*2*math.Pi) * math.Copysign(1, s.latitude)
	t := 86 - 0.012*north*north - 0.25*north + 0.42*north*year
	t += daily*s.daylight(at) + 4*s.wave(113, 8)
	c.temperature = int(math.Round(t))
	c.dew = c.temperature - int(math.Round(9+7*s.wave(43, 9)+0.4*daily*s.daylight(at)))
	c.dew = min(c.dew, c.temperature)
	c.humidity = relativeHumidity(celsius(c.temperature), celsius(c.dew))
	c.sky = int(math.Round(50 + 45*s.wave(37, 10)))
	c.rain = max(0, (c.sky-70)*3)
	c.fog = c.humidity >= 93
}

// relativeHumidity returns percent, by Magnus' formula with the constants of Alduchov and Eskridge
// (1996).
func relativeHumidity(temperature, dew float64) int {
	vapor := func(t float64) float64 { return math.Exp(17.625 * t / (243.04 + t)) }
	return int(math.Round(100 * vapor(dew) / vapor(temperature)))
}

// weather returns rain, thunder or fog.
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

// gustyFrom is the wind below which there is no gust, knots.
const gustyFrom = 3

// hour returns the conditions as an hour of a grid without settings.
func (c conditions) hour(at time.Time, visibility bool) Hour {
	number := func(n int) *float64 { return new(float64(n)) }
	h := Hour{
		At: at.UTC(), Wind: number(c.wind), From: number(c.direction),
		Seas: number(c.sea), Period: number(c.period), Weather: c.weather(),
	}
	if c.wind >= gustyFrom {
		h.Gust = number(c.gust)
	}
	if visibility && c.fog {
		h.Visibility = new(1609.344)
	} else if visibility {
		h.Visibility = new(16093.44)
	}
	return h
}

// weatherSpan is a part of a forecast, hour by hour.
type weatherSpan []conditions

func (list weatherSpan) most(of func(conditions) int) int {
	return of(slices.MaxFunc(list, func(a, b conditions) int { return of(a) - of(b) }))
}

func (list weatherSpan) least(of func(conditions) int) int {
	return of(slices.MinFunc(list, func(a, b conditions) int { return of(a) - of(b) }))
}

func windOf(c conditions) int { return c.wind }
func seaOf(c conditions) int  { return c.sea }
func rainOf(c conditions) int { return c.rain }

// nextHalf returns the next six o'clock, when days and nights of forecasts begin.
func nextHalf(t time.Time) time.Time {
	for _, hour := range []int{6, 18} {
		if at := time.Date(t.Year(), t.Month(), t.Day(), hour, 0, 0, 0, t.Location()); at.After(t) {
			return at
		}
	}
	return time.Date(t.Year(), t.Month(), t.Day()+1, 6, 0, 0, 0, t.Location())
}

// periodName returns the name of the period that begins at from; the first period begins at first.
func periodName(first, from time.Time) string {
	switch hour := from.Hour(); {
	case from.Equal(first) && hour < 4:
		return "Overnight"
	case from.Equal(first) && hour < 10:
		return "Today"
	case from.Equal(first) && hour < 13:
		return "Rest of Today"
	case from.Equal(first) && hour < 17:
		return "This Afternoon"
	case from.Equal(first), hour == 18 && from.YearDay() == first.YearDay():
		return "Tonight"
	case hour == 18:
		return from.Weekday().String() + " Night"
	}
	return from.Weekday().String()
}

// Conversions to the units of grids. Forecasters enter whole knots, feet and degrees Fahrenheit, so
// grids have multiples of these.
func celsius(fahrenheit int) float64          { return float64(fahrenheit-32) * 5 / 9 }
func kilometersPerHour(knots float64) float64 { return math.Round(knots*1852) / 1000 }
func metersOfFeet(feet float64) float64       { return math.Round(feet*3048) / 10000 }

// compassNames are the eight names of directions.
var compassNames = []string{"N", "NE", "E", "SE", "S", "SW", "W", "NW"}

func compassName(degrees int) string { return compassNames[(degrees*2+45)/90%8] }
