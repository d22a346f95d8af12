package noaa

import (
	"context"
	"slices"
	"strings"
	"time"

	"leadline/internal/coast"
	"leadline/internal/upstream"
)

// Reading is one value of an instrument at a station.
type Reading struct {
	Time time.Time // UTC
	// Value is in degrees Celsius, mb, m (air gap), mS/cm, km (visibility),
	// percent (humidity) or PSU (salinity).
	Value   *float64
	Sigma   *float64 // of an air gap, m: standard deviation of the samples
	Gravity *float64 // of salinity: specific gravity
	Flags   string   // X,N,R; of an air gap O,F,R,L; empty of salinity
}

// instruments maps the products with one value a row to their caching classes.
var instruments = map[string]upstream.Class{
	"air_gap":           live,
	"air_pressure":      live,
	"visibility":        live,
	"air_temperature":   slow,
	"water_temperature": slow,
	"conductivity":      slow,
	"humidity":          slow,
	"salinity":          slow,
}

var readingFormat = format[Reading]{list: "data", at: func(r Reading) time.Time { return r.Time },
	fill: fromRows(func(r *record) Reading {
		return Reading{Time: r.instant("t"), Value: r.value("v"), Sigma: r.number("s"),
			Flags: r.sharedText("f")}
	})}

// Only salinity names its value s, and has a second one.
var salinityFormat = format[Reading]{list: "data", at: readingFormat.at,
	fill: fromRows(func(r *record) Reading {
		return Reading{Time: r.instant("t"), Value: r.value("s"), Gravity: r.number("g"),
			Flags: r.sharedText("f")}
	})}

// Readings returns the values of a station's instrument every six minutes, or hourly:
// air_temperature, water_temperature, air_pressure, conductivity, visibility, humidity, salinity
// or air_gap (the clearance under a bridge). Errors: StationNotFound, ProductUnavailable,
// RangeTooLong (over 310 days), InvalidRequest, ProviderUnavailable.
func (c *Client) Readings(
	ctx context.Context, station, product string, hourly bool, p Period,
) (Records[Reading], error) {
	class, ok := instruments[product]
	if !ok {
		return Records[Reading]{}, coast.Errorf(coast.InvalidRequest,
			"No instrument reads %q: ask for wind, or for one of %s.", product, instrumentNames())
	}
	f := readingFormat
	if product == "salinity" {
		f = salinityFormat
	}
	out, _, err := getPeriod(ctx, c, instrument(product, station, hourly, class), f, p)
	return out, err
}

func instrumentNames() string {
	var names []string
	for name := range instruments {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// instrument returns a query for an instrument. Its limit is a month, also for hourly values:
// their limit of a year is reported elsewhere but not documented.
func instrument(product, station string, hourly bool, class upstream.Class) dataQuery {
	q := newDataQuery(product, station, 31, class)
	if hourly {
		q = q.with("interval", "h")
	}
	return q
}

// Wind is the wind at a station.
type Wind struct {
	Time        time.Time // UTC
	Speed, Gust *float64  // m/s
	Direction   *float64  // degrees true, from
	Compass     string    // the same in letters (ESE); may be empty
	Flags       string    // X,R
}

var windFormat = format[Wind]{list: "data", at: func(w Wind) time.Time { return w.Time },
	fill: fromRows(func(r *record) Wind {
		return Wind{
			Time:      r.instant("t"),
			Speed:     r.value("s"),
			Gust:      r.number("g"),
			Direction: r.value("d"),
			Compass:   r.text("dr"),
			Flags:     r.sharedText("f"),
		}
	})}

// Winds returns the winds at a station every six minutes, or hourly. Errors as Readings.
func (c *Client) Winds(
	ctx context.Context, station string, hourly bool, p Period,
) (Records[Wind], error) {
	out, _, err := getPeriod(ctx, c, instrument("wind", station, hourly, live), windFormat, p)
	return out, err
}
