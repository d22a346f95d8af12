package provider

import (
	"math"
	"strings"
	"time"
)

// scalar describes the values and the format of one scalar product.
type scalar struct {
	mean, season, swing float64 // in metric units
	north               float64 // change with each degree north of the 38th parallel
	decimals            int
	english             func(float64) float64
}

func same(x float64) float64         { return x }
func toFahrenheit(x float64) float64 { return x*9/5 + 32 }
func toNautical(x float64) float64   { return x / 1.852 }

// scalars are the scalar products.
var scalars = map[string]scalar{
	"air_temperature":   {14, 9, 6, -0.5, 1, toFahrenheit},
	"water_temperature": {14, 6, 1.5, -0.4, 1, toFahrenheit},
	"air_pressure":      {1015, 0, 14, 0, 1, same},
	"humidity":          {72, 3, 20, 0, 1, same},
	"visibility":        {7, 0, 3, 0, 2, toNautical},
	"conductivity":      {38, 3, 3, 0, 2, same},
	"salinity":          {27, 1, 2, 0, 2, same},
}

// sensors serves the products of sensors, except water levels.
func (c *coopsService) sensors(q *query) ([]byte, error) {
	every, err := q.every("6", "h")
	if err != nil {
		return nil, err
	}
	g := c.gaugeOf(q.station)
	if g == nil || !g.offers(q.product) {
		return nil, noRows(noData)
	}
	at := g.span(q.steps(every, 0), newestReading(q.now))
	r := g.about(q)
	write := r.reading(g)
	q.readings(g, at, make([]float64, at.size()), func(t time.Time, _ float64, lost bool) {
		r.row(t)
		write(t, lost)
		r.done()
	})
	return r.finish(dataClose, noData)
}

// reading returns a function that adds the fields of a row of the product.
func (r *rows) reading(g *gauge) func(t time.Time, lost bool) {
	k, s := scalars[r.product], newSwing(g.seed, r.product)
	scalarAt := func(t time.Time) float64 {
		return k.mean + k.season*season(t) + k.swing*s.at(t) + k.north*(g.latitude-38)
	}
	switch r.product {
	case "wind":
		return r.wind(g)
	case "air_gap":
		return r.airGap(g, newSwing(g.seed, "gap"))
	case "salinity":
		return func(t time.Time, lost bool) {
			if lost {
				r.text("s", "").text("g", "")
				return
			}
			r.fixed("s", scalarAt(t), 2).fixed("g", 1+0.00079*scalarAt(t)+0.0005, 3) // the specific gravity
		}
	}
	return func(t time.Time, lost bool) {
		value := scalarAt(t)
		if set := g.set.Temperature; set != nil && r.product == "water_temperature" {
			value = set(t)
		}
		if !r.metric {
			value = k.english(value)
		}
		if lost {
			r.text("v", "").text("f", "1,1,1")
			return
		}
		r.fixed("v", value, k.decimals).text("f", g.flags(r.product, t, "0,0,0"))
	}
}

// sixteenths are the sixteen points of the compass.
var sixteenths = strings.Fields("N NNE NE ENE E ESE SE SSE S SSW SW WSW W WNW NW NNW")

// wind adds speed, direction, its compass point and gusts, with one decimal in meters per second
// and two in knots.
func (r *rows) wind(g *gauge) func(t time.Time, lost bool) {
	speed, turn := newSwing(g.seed, "speed"), newSwing(g.seed, "direction")
	gust := newSwing(g.seed, "gust")
	unit, decimals := 3600/1852.0, 2
	if r.metric {
		unit, decimals = 1, 1
	}
	return func(t time.Time, lost bool) {
		if lost {
			r.text("s", "").text("d", "").text("dr", "").text("g", "").text("f", "1,1")
			return
		}
		s := max(0, 5.5+5*speed.at(t)) * unit
		d := math.Mod(225+150*turn.at(t)+360, 360)
		r.fixed("s", s, decimals).fixed("d", d, decimals)
		r.text("dr", sixteenths[int(math.Round(d/22.5))%16])
		r.fixed("g", s*(1.3+0.15*gust.at(t)), decimals).text("f", g.flags(r.product, t, "0,0"))
	}
}

// airGap adds the clearance under a bridge.
func (r *rows) airGap(g *gauge, s swing) func(t time.Time, lost bool) {
	return func(t time.Time, lost bool) {
		if lost {
			r.text("v", "").text("s", "").text("f", "1,1,1,1")
			return
		}
		r.height("v", 66+0.9*s.at(t)).fixed("s", r.length(0.01), 3)
		r.text("f", g.flags(r.product, t, "0,0,0,0"))
	}
}
