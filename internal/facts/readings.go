package facts

import (
	"context"
	"slices"
	"strings"
	"time"

	"leadline/internal/coast"
	"leadline/internal/noaa"
	"leadline/internal/stations"
)

// WeatherOrigin returns the origin of the observations of a product.
func WeatherOrigin(station, product string) Origin {
	return COOPS("observed-"+dashed(product), "Observed "+Spaced(product), coast.Observation,
		"https://tidesandcurrents.noaa.gov/met.html?id="+station)
}

// LifetimeOf returns the lifetime of a product's values.
func LifetimeOf(product string) Lifetime {
	switch product {
	case "wind", "air_pressure", "air_gap", "visibility":
		return QuickLifetime
	}
	return SlowLifetime
}

// Quantity is one measured number of a product over time, in NOAA's metric units.
type Quantity struct {
	Name   string
	Points []Sample
}

// Sample is a value at a time, nil if NOAA sent none, and the names of NOAA's flags on it.
type Sample struct {
	Time  time.Time
	Value *float64
	Flags []string
}

// add adds a value. An impossible value is missing.
func (q *Quantity) add(at time.Time, v *float64, flags []string) {
	q.Points = append(q.Points, Sample{at, measured[q.Name].bounds.Possible(v), flags})
}

// Newest returns the last sample whose value NOAA does not doubt.
func (q Quantity) Newest() (Sample, bool) {
	for _, p := range slices.Backward(q.Points) {
		if p.Value != nil && !noaa.Doubtful(p.Flags) {
			return p, true
		}
	}
	return Sample{}, false
}

// Doubted returns the last sample that has a value if NOAA doubts it.
func (q Quantity) Doubted() (Sample, bool) {
	for _, p := range slices.Backward(q.Points) {
		if p.Value != nil {
			return p, noaa.Doubtful(p.Flags)
		}
	}
	return Sample{}, false
}

// Readings are the observations of one product.
type Readings struct {
	Retrieval
	Quantities []Quantity
}

// Readings requests one product over a span, or the newest value for an instant.
func (s Set) Readings(
	ctx context.Context, st stations.Station, product string, hourly bool, span Interval,
) (Readings, error) {
	if product == "wind" {
		return s.winds(ctx, st, hourly, span)
	}
	found, err := s.Water.Readings(ctx, st.ID, product, hourly, span.Period())
	out := Readings{Retrieved(found, func(r noaa.Reading) (time.Time, bool) {
		return r.Time, measured[product].bounds.Possible(r.Value) != nil &&
			!noaa.Doubtful(r.Flagged(product))
	}), []Quantity{{Name: product}}}
	gravity := Quantity{Name: "specific_gravity"}
	for _, r := range found.Rows {
		flags := r.Flagged(product)
		out.Quantities[0].add(r.Time, r.Value, flags)
		gravity.add(r.Time, r.Gravity, flags)
	}
	if product == "salinity" {
		out.Quantities = append(out.Quantities, gravity)
	}
	return out, s.unsensed(ctx, st, product, span, err)
}

func (s Set) winds(
	ctx context.Context, st stations.Station, hourly bool, span Interval,
) (Readings, error) {
	found, err := s.Water.Winds(ctx, st.ID, hourly, span.Period())
	speed, gust, from := Quantity{Name: "wind_speed"}, Quantity{Name: "wind_gust"},
		Quantity{Name: "wind_direction"}
	for _, r := range found.Rows {
		flags := r.Flagged()
		speed.add(r.Time, r.Speed, flags)
		gust.add(r.Time, r.Gust, flags)
		from.add(r.Time, r.Direction, flags)
	}
	return Readings{Retrieved(found, func(r noaa.Wind) (time.Time, bool) {
		return r.Time, measured["wind_speed"].bounds.Possible(r.Speed) != nil &&
			!noaa.Doubtful(r.Flagged())
	}), []Quantity{speed, gust, from}}, s.unsensed(ctx, st, "wind", span, err)
}

// sensorWords are in the names of the sensors that NOAA lists for a station, by product.
var sensorWords = map[string]string{
	"wind": "wind", "air_temperature": "air temp", "water_temperature": "water temp",
	"air_pressure": "barometric", "humidity": "humidity", "visibility": "visibility",
	"air_gap": "air gap", "conductivity": "conductivity", "salinity": "conductivity",
	"water_level": "wl", // "Microwave WL"
}

// unsensed completes the error that NOAA has no newest value of a product, by its list of sensors:
// a sensor does not report now, or the station does not have it. Without the list the error is
// returned unchanged.
func (s Set) unsensed(
	ctx context.Context, st stations.Station, product string, span Interval, err error,
) error {
	if !noaa.IsNoData(err) || !span.newest(s.Now) {
		return err
	}
	sensors, unlisted := s.Water.Sensors(ctx, st.ID)
	if unlisted != nil {
		return err
	}
	for _, sensor := range sensors.Data {
		if strings.Contains(strings.ToLower(sensor.Name), sensorWords[product]) {
			return coast.Errorf(coast.ProductUnavailable, "%s (%s) has the sensor, but NOAA has no value "+
				"of it at the moment: ask again later, or for an earlier time.", st.ID, st.Name)
		}
	}
	if product == "water_level" {
		return err // gauges may have other names
	}
	return coast.Errorf(coast.ProductUnavailable, "NOAA lists no such sensor at %s (%s): see which "+
		"products the station has.", st.ID, st.Name)
}

// NewestReadings requests the newest values of several products concurrently. Products that could
// not be obtained are in missing. If none could be obtained, it returns an error.
func (s Set) NewestReadings(
	ctx context.Context, p *coast.Provenance, st stations.Station, products []string,
) ([]Quantity, error) {
	now := Interval{From: s.Now, To: s.Now}
	got, errs := make([]Readings, len(products)), make([]error, len(products))
	parts := make([]func(), len(products))
	for i, product := range products {
		parts[i] = func() { got[i], errs[i] = s.Readings(ctx, st, product, false, now) }
	}
	Concurrently(parts...)
	var all []Quantity
	for i, product := range products {
		o := WeatherOrigin(st.ID, product)
		if errs[i] != nil {
			s.Missing(p, o, Spaced(product), errs[i])
			continue
		}
		p.Sources = append(p.Sources, s.Observation(o, LifetimeOf(product), got[i].Newest, now, false,
			got[i].Received))
		all = append(all, got[i].Quantities...)
	}
	return all, AllFailed(errs)
}
