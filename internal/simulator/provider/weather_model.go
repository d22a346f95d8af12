package provider

import (
	"math"
	"time"
)

// conditions are sea and sky at one spot in one hour, in the units in which
// forecasters enter them: knots, feet, degrees Fahrenheit.
type conditions struct {
	wind, gust         int // knots
	direction          int // where the wind comes from, tens of degrees, 10 to 360
	temperature, dew   int // degrees Fahrenheit
	humidity           int // percent
	sky, rain          int // percent
	fog                bool
	sea, windSea       int // feet
	swell, swell2      int // feet
	swellFrom          int // tens of degrees
	swell2From         int
	period, windPeriod int     // seconds
	said               *saying // what a grid says by order, nil where it has none
}

// step is how long wind and sea stay the same; temperatures change each hour.
const step = 3 * time.Hour

// conditions of a spot of an office at an hour. They depend on nothing else,
// so that grids, words and texts that overlap in time agree.
func (o *office) conditions(latitude, longitude float64, e exposure, at time.Time) conditions {
	var c conditions
	s := spot{latitude, longitude, at.UTC().Truncate(step)}
	o.blowOver(&c, s, e)
	o.raiseSea(&c, s, e)
	c.warm(s, e, at)
	return c
}

// conditions of the middle of a cell.
func (c cell) conditions(at time.Time) conditions {
	w := c.office.conditions(c.latitude, c.longitude, c.exposure(), at)
	if c.order.Hour != nil {
		w.obey(c.order.Hour, w.hour(at, c.visibility()))
	}
	return w
}

// A spot is a place at the beginning of a step.
type spot struct {
	latitude, longitude float64
	at                  time.Time
}

// swing is a smooth disturbance between -1 and 1 with a period of some
// hours that travels over the map.
func (s spot) swing(hours float64, shift float64) float64 {
	t := float64(s.at.Unix()) / 3600 / hours
	_, t = math.Modf(t)
	return math.Sin(2*math.Pi*t + 0.9*s.latitude + 0.6*s.longitude + shift)
}

// day is 1 at three in the afternoon, by the sun, and -1 at three at night.
func (s spot) day(at time.Time) float64 {
	h := float64(at.Unix()%86400)/3600 + s.longitude/15
	return math.Cos((h - 15) / 12 * math.Pi)
}

// blowOver sets the wind.
func (o *office) blowOver(c *conditions, s spot, e exposure) {
	speed := 9 + 4.5*s.swing(53, 0) + 3*s.swing(19, 1) + 1.5*s.day(s.at)
	turn := 90*s.swing(71, 2) + 40*s.swing(29, 3)
	switch e {
	case ashore:
		speed *= 0.7
	case bay:
		speed = 0.9*speed + o.blow*0.8
	case openSea:
		speed = 1.15*speed + o.blow
	}
	c.wind = int(max(0, math.Round(speed)))
	c.gust = int(math.Round(float64(c.wind)*1.3)) + 2
	c.direction = tens(o.seaward + turn)
}

// tens rounds a direction to ten degrees, north being 360.
func tens(degrees float64) int {
	d := (int(math.Round(degrees/10))*10%360 + 360) % 360
	if d == 0 {
		return 360
	}
	return d
}

// raiseSea sets the waves: none ashore, no swell in bays and lakes. The wind
// sea follows the wind, the swell the coast: long and high in the Pacific.
func (o *office) raiseSea(c *conditions, s spot, e exposure) {
	if e == ashore {
		return
	}
	u := float64(c.wind)
	windSea := 0.0115 * u * u
	if e == bay {
		windSea *= 0.4
	}
	c.windSea = int(math.Round(windSea))
	c.windPeriod = 2 + c.wind/6
	c.period = c.windPeriod
	if e == openSea && !o.lake() {
		o.swell(c, s)
	}
	high := math.Sqrt(float64(c.windSea*c.windSea + c.swell*c.swell + c.swell2*c.swell2))
	c.sea = max(1, int(math.Round(high)))
}

func (o *office) swell(c *conditions, s spot) {
	if o.seaward > 200 { // the Pacific
		c.swell = int(math.Round(5 + 2.4*s.swing(97, 4)))
		c.swell2 = int(math.Round(2 + s.swing(61, 5)))
		c.period = int(math.Round(12 + 2.4*s.swing(83, 6)))
	} else {
		c.swell = int(math.Round(2.5 + 1.4*s.swing(97, 4)))
		c.swell2 = int(math.Round(0.8 + 0.6*s.swing(61, 5)))
		c.period = int(math.Round(8 + 1.4*s.swing(83, 6)))
	}
	c.swellFrom = tens(o.seaward + 15*s.swing(89, 7))
	c.swell2From = tens(o.seaward - 70)
}

// warm sets temperature, moisture and sky. The year's swing grows with the
// latitude and is late by a month, the day's is small at sea.
func (c *conditions) warm(s spot, e exposure, at time.Time) {
	daily, north := 7.0, math.Abs(s.latitude)
	if e != ashore {
		daily = 2
	}
	year := math.Cos((float64(at.YearDay())-205)/365.25*2*math.Pi) * math.Copysign(1, s.latitude)
	t := 86 - 0.012*north*north - 0.25*north + 0.42*north*year + daily*s.day(at) + 4*s.swing(113, 8)
	c.temperature = int(math.Round(t))
	c.dew = c.temperature - int(math.Round(9+7*s.swing(43, 9)+0.4*daily*s.day(at)))
	c.dew = min(c.dew, c.temperature)
	c.humidity = humidity(celsius(c.temperature), celsius(c.dew))
	c.sky = int(math.Round(50 + 45*s.swing(37, 10)))
	c.rain = max(0, (c.sky-70)*3)
	c.fog = c.humidity >= 93
}

// humidity is the relative humidity, percent, by Magnus' formula with the
// constants of Alduchov and Eskridge (1996).
func humidity(temperature, dew float64) int {
	vapour := func(t float64) float64 { return math.Exp(17.625 * t / (243.04 + t)) }
	return int(math.Round(100 * vapour(dew) / vapour(temperature)))
}

// The units in which grids are written. Grids are kept in the forecasters'
// units, which shows in the steps of these.
func celsius(fahrenheit int) float64 { return float64(fahrenheit-32) * 5 / 9 }

func kilometersPerHour[N int | float64](knots N) float64 {
	return math.Round(float64(knots)*1852) / 1000
}

func metres[N int | float64](feet N) float64 { return math.Round(float64(feet)*3048) / 10000 }

// milesPerHour is for the forecasts in words.
func milesPerHour(knots int) int { return int(math.Round(float64(knots) * 1.852 / 1.609344)) }

// winds are the eight names of directions.
var winds = []string{"N", "NE", "E", "SE", "S", "SW", "W", "NW"}

func eighth(degrees int) string { return winds[(degrees*2+45)/90%8] }
