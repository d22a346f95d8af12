package provider

import (
	"math"
	"slices"
	"time"
)

// scalar is how one scalar reading moves and is written.
type scalar struct {
	mean, season, swing float64 // in metric units
	north               float64 // change with each degree north of the 38th parallel
	decimals            int
	flags, lost         string // the flags of a row, and those of one without a value
	english             func(float64) float64
}

func same(x float64) float64       { return x }
func fahrenheit(x float64) float64 { return x*9/5 + 32 }
func nautical(x float64) float64   { return x / 1.852 }

// scalars are the scalar products.
var scalars = map[string]scalar{
	"air_temperature":   {14, 9, 6, -0.5, 1, "0,0,0", "1,1,1", fahrenheit},
	"water_temperature": {14, 6, 1.5, -0.4, 1, "0,0,0", "1,1,1", fahrenheit},
	"air_pressure":      {1015, 0, 14, 0, 1, "0,0,0", "1,1,1", same},
	"humidity":          {72, 3, 20, 0, 1, "0,0,0", "1,1,1", same},
	"visibility":        {7, 0, 3, 0, 2, "0,0,0", "1,1,1", nautical},
	"conductivity":      {38, 3, 3, 0, 2, "0,0,0", "1,1,1", same},
	"salinity":          {27, 1, 2, 0, 2, "", "", same},
}

// readings answers the products of sensors other than those of the water level.
func (p *Provider) readings(q *query) ([]byte, error) {
	step, err := q.every("6", "h")
	if err != nil {
		return nil, err
	}
	g := p.gaugeOf(q.station)
	if g == nil || !g.offers(q.product) {
		return nil, none(noData)
	}
	at := g.span(q.grid(step, 0), newestReading(q.now))
	write := g.writer(q)
	r := g.open(q)
	r.body = slices.Grow(r.body, 64*at.size())
	q.readings(g, at, make([]float64, at.size()), func(t time.Time, _ float64, lost bool) {
		r.next(",")
		r.body = q.appendTime(append(r.body, `{"t":"`...), t)
		r.body = write(r.body, t, lost)
	})
	return r.close(dataClose, noData)
}

// writer returns what ends a row of the product after its time.
func (g *gauge) writer(q *query) func(b []byte, t time.Time, lost bool) []byte {
	switch q.product {
	case "wind":
		return g.wind(q)
	case "air_gap":
		return g.airGap(q)
	case "salinity":
		return g.salinity()
	}
	k, s := scalars[q.product], newSwing(g.seed, q.product)
	return func(b []byte, t time.Time, lost bool) []byte {
		b = append(b, `", "v":"`...)
		flags := k.lost
		if !lost {
			flags = k.flags
			value := k.at(g, s, t)
			if order := g.order.Temperature; order != nil && q.product == "water_temperature" {
				value = order(t)
			}
			if !q.metric {
				value = k.english(value)
			}
			b = appendFixed(b, value, k.decimals)
		}
		return append(append(append(b, `", "f":"`...), flags...), `"}`...)
	}
}

// at is the scalar at an instant, in metric units.
func (k scalar) at(g *gauge, s swing, t time.Time) float64 {
	return k.mean + k.season*season(t) + k.swing*s.at(t) + k.north*(g.latitude-38)
}

// points are the sixteen points of the compass.
var points = []string{"N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW", "NW", "NNW"}

func point(degrees float64) string { return points[int(math.Round(degrees/22.5))%16] }

// wind writes speed, direction from, its point and gusts: one decimal in
// metres per second, two in knots.
func (g *gauge) wind(q *query) func(b []byte, t time.Time, lost bool) []byte {
	speed, turn, gust := newSwing(g.seed, "speed"), newSwing(g.seed, "direction"), newSwing(g.seed, "gust")
	unit, decimals := 3600/1852.0, 2
	if q.metric {
		unit, decimals = 1, 1
	}
	return func(b []byte, t time.Time, lost bool) []byte {
		if lost {
			return append(b, `", "s":"", "d":"", "dr":"", "g":"", "f":"1,1"}`...)
		}
		s := max(0, 5.5+5*speed.at(t))
		d := math.Mod(225+150*turn.at(t)+360, 360)
		b = appendFixed(append(b, `", "s":"`...), s*unit, decimals)
		b = appendFixed(append(b, `", "d":"`...), d, decimals)
		b = append(append(b, `", "dr":"`...), point(d)...)
		b = appendFixed(append(b, `", "g":"`...), s*unit*(1.3+0.15*gust.at(t)), decimals)
		return append(b, `", "f":"0,0"}`...)
	}
}

// airGap writes the clearance under a bridge.
func (g *gauge) airGap(q *query) func(b []byte, t time.Time, lost bool) []byte {
	s := newSwing(g.seed, "gap")
	return func(b []byte, t time.Time, lost bool) []byte {
		if lost {
			return append(b, `", "v":"", "s":"", "f":"1,1,1,1"}`...)
		}
		b = q.appendLevel(append(b, `", "v":"`...), 66+0.9*s.at(t))
		b = appendFixed(append(b, `", "s":"`...), q.length(0.01), 3)
		return append(b, `", "f":"0,0,0,0"}`...)
	}
}

// salinity writes practical salinity and specific gravity, without flags.
func (g *gauge) salinity() func(b []byte, t time.Time, lost bool) []byte {
	k, s := scalars["salinity"], newSwing(g.seed, "salinity")
	return func(b []byte, t time.Time, lost bool) []byte {
		if lost {
			return append(b, `", "s":"", "g":""}`...)
		}
		v := k.at(g, s, t)
		b = appendFixed(append(b, `", "s":"`...), v, 2)
		b = appendFixed(append(b, `", "g":"`...), 1+0.00079*v+0.0005, 3)
		return append(b, `"}`...)
	}
}
