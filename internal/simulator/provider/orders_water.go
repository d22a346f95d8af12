package provider

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"leadline/internal/stations"
)

// Water is what a gauge measures to order. What it does not name stays
// built-in.
type Water struct {
	Residual    func(time.Time) float64 // observed less predicted level, metres
	Temperature func(time.Time) float64 // of the water, degrees Celsius
	Newest      time.Time               // of the last row of each product: nothing is measured after it
	// Empty says which rows have no values; built-in one in some hundreds. The
	// newest value (date=latest) is that of the last row with one.
	Empty func(product string, at time.Time) bool
	// Sensors are the products of the station, water_level among them: they
	// decide which lists name it. Without any (empty, not nil) it is no gauge.
	Sensors []string
	Floods  *Floods
}

// Floods are the flood levels of a station, metres above its datum (STND).
// What is nil is null.
type Floods struct {
	NOSMinor, NOSModerate, NOSMajor *float64
	NWSMinor, NWSModerate, NWSMajor *float64
	Action                          *float64
}

// Steady is a residual or temperature that stays.
func Steady(value float64) func(time.Time) float64 {
	return func(time.Time) float64 { return value }
}

// SetWater orders what a station measures. Without Sensors it must be a gauge;
// with them a station of tide predictions can become one, whose water level
// can be measured where its datums are known. Anything else is an error.
func (p *Provider) SetWater(station string, w Water) error {
	g, err := p.obeying(station, w)
	if err != nil {
		return err
	}
	put(&p.mu, &p.ordered, station, g)
	return nil
}

// obeying is the gauge as ordered, nil where the station is to be none.
func (p *Provider) obeying(id string, w Water) (*gauge, error) {
	g := p.gauge[id]
	if s, ok := p.predicted(id); g == nil && ok && s.Kind == stations.Tide && w.Sensors != nil {
		g = coastal(p.stations, s, p.zones[s.Zone])
	}
	switch {
	case g == nil:
		return nil, fmt.Errorf("%q is no gauge, nor a tide station with sensors to order", id)
	case w.Sensors == nil:
		made := *g
		made.order = w
		return &made, nil
	case len(w.Sensors) == 0:
		return nil, nil
	}
	if i := slices.IndexFunc(w.Sensors, func(name string) bool { return !slices.Contains(sensorProducts(), name) }); i >= 0 {
		return nil, fmt.Errorf("%q is no sensor: they are %s", w.Sensors[i], strings.Join(sensorProducts(), ", "))
	}
	made := *g
	made.order = w
	has := func(product string) bool { return slices.Contains(w.Sensors, product) }
	made.level = has("water_level")
	made.weather = has("wind") || has("air_temperature") || has("air_pressure")
	if made.level && !g.tidal && g.lake == nil {
		return nil, fmt.Errorf("the datums of %q are not known: its water level cannot be measured", id)
	}
	return &made, nil
}

// sensorProducts are the products of sensors.
func sensorProducts() []string {
	names := []string{"water_level", "salinity"}
	for _, s := range sensorNames {
		names = append(names, s.product)
	}
	return names
}

// gaugeOf is the gauge with an id, as ordered; nil for none.
func (p *Provider) gaugeOf(id string) *gauge {
	p.mu.Lock()
	defer p.mu.Unlock()
	g, given := p.ordered[id]
	if !given {
		g = p.gauge[id]
	}
	e, revised := p.epochs[id]
	if g == nil || !revised {
		return g
	}
	made := *g
	made.epoch = &e
	return &made
}

// measuring are all gauges as ordered, in order of id.
func (p *Provider) measuring() []*gauge {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.ordered) == 0 {
		return p.gauges
	}
	var all []*gauge
	for _, g := range p.gauges {
		if _, given := p.ordered[g.id]; !given {
			all = append(all, g)
		}
	}
	for _, g := range p.ordered {
		if g != nil {
			all = append(all, g)
		}
	}
	slices.SortFunc(all, func(a, b *gauge) int { return strings.Compare(a.id, b.id) })
	return all
}

// levels are the flood levels as the metadata service writes them.
func (f Floods) levels(self string, metric bool) floodLevels {
	height := func(metres *float64) *hundredths {
		switch {
		case metres == nil:
			return nil
		case metric:
			return new(hundredths(*metres))
		}
		return new(hundredths(*metres / metresPerFoot))
	}
	return floodLevels{
		NOSMinor: height(f.NOSMinor), NOSModerate: height(f.NOSModerate), NOSMajor: height(f.NOSMajor),
		NWSMinor: height(f.NWSMinor), NWSModerate: height(f.NWSModerate), NWSMajor: height(f.NWSMajor),
		Action: height(f.Action), Self: self,
	}
}
