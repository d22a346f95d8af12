package probe

import (
	"context"
	"fmt"
	"strings"
	"time"

	"leadline/internal/derived"
	"leadline/internal/noaa"
	"leadline/internal/nws"
	"leadline/internal/upstream"
)

// probe is one thing that Leadline reads from a provider.
type probe struct {
	name string
	ask  func(context.Context, Config) (found, error)
}

// place is a station.
type place struct{ id, name string }

// about names a probe.
func (p place) about(what string) string {
	return strings.TrimSpace(what + ", " + p.name + " " + p.id)
}

// The stations were chosen for what they have: no gauge measures everything. Two of the predictions
// are of subordinate stations, 8557863 and ACT0091.
var (
	boston       = place{"8443970", "Boston"}
	providence   = place{"8454000", "Providence"}
	battery      = place{"8518750", "The Battery"}
	narrows      = place{"8517986", "Verrazzano-Narrows Bridge"}
	sewellsPoint = place{"8638610", "Sewells Point"}
	charleston   = place{"8665530", "Charleston"}
	keyWest      = place{"8724580", "Key West"}
	stPetersburg = place{"8726520", "St. Petersburg"}
	galveston    = place{"8771450", "Galveston Pier 21"}
	sanDiego     = place{"9410170", "San Diego"}
	sanFrancisco = place{"9414290", "San Francisco"}
	seattle      = place{"9447130", "Seattle"}
	anchorage    = place{"9455920", "Anchorage"}
	honolulu     = place{"1612340", "Honolulu"}
	guam         = place{"1630000", "Apra Harbor"}
	milwaukee    = place{"9087057", "Milwaukee"}
	rehoboth     = place{"8557863", "Rehoboth Beach"}
	everywhere   = place{"", "all stations"}
	capeHenry    = place{"cb0102", "Cape Henry"}
	newportNews  = place{"cb1401", "Newport News"}
	newYorkMeter = place{"n03020", "The Narrows"}
	estesHead    = place{"EPT0003", "Estes Head"}
	goldenGate   = place{"SFB1202", "Golden Gate Bridge"}
	friarRoads   = place{"ACT0091", "Friar Roads"}
	weakCurrent  = place{"PUG1613", "Puget Sound"}
	alcatraz     = place{"PCT0291", "Alcatraz Island"}
)

// The bins that are predicted at two stations.
const goldenGateBin, alcatrazBin = 17, 1

// probes returns all probes, in the order of their services.
func probes() []probe {
	list := append(levels(), weather()...)
	list = append(list, predictions()...)
	list = append(list, metadata()...)
	list = append(list, statistics()...)
	return append(list, forecasts()...)
}

// levels returns the probes of water levels.
func levels() []probe {
	at := func(l noaa.Level) time.Time { return l.Time }
	level := func(of place, what string, step noaa.Step, datum string, when span) probe {
		return rows(of, what, "m "+datum, when, at, func(ctx context.Context, c *noaa.Client, id string,
			p noaa.Period) (noaa.Records[noaa.Level], error) {
			return c.Levels(ctx, id, datum, step, p)
		})
	}
	return []probe{
		level(boston, "newest water level", noaa.SixMinute, "MLLW", newest),
		level(seattle, "water levels, 6 min", noaa.SixMinute, "MLLW", lastDay),
		level(guam, "water levels, 6 min", noaa.SixMinute, "STND", lastDay),
		level(milwaukee, "water levels, 6 min", noaa.SixMinute, "IGLD", lastDay),
		level(battery, "water levels, 1 min", noaa.OneMinute, "MLLW", lastDay),
		level(sanFrancisco, "hourly heights", noaa.Hourly, "NAVD", verified(7)),
		rows(keyWest, "verified highs and lows", "m MLLW", verified(28),
			func(h noaa.HighLow) time.Time { return h.Time }, onDatum((*noaa.Client).HighLows, "MLLW")),
		rows(milwaukee, "daily means", "m IGLD", verified(28),
			func(d noaa.DailyMean) time.Time { return d.Day }, onDatum((*noaa.Client).DailyMeans, "IGLD")),
		rows(honolulu, "daily maxima and minima", "m MLLW", verified(28),
			func(d noaa.DailyExtreme) time.Time { return d.Time },
			onDatum((*noaa.Client).DailyExtremes, "MLLW")),
		rows(galveston, "monthly means", "m MLLW", verified(365),
			func(m noaa.MonthlyMean) time.Time {
				return time.Date(m.Year, time.Month(m.Month), 1, 0, 0, 0, 0, time.UTC)
			}, onDatum((*noaa.Client).MonthlyMeans, "MLLW")),
	}
}

// onDatum returns a method of the client with its datum.
func onDatum[R any](
	ask func(*noaa.Client, context.Context, string, string, noaa.Period) (noaa.Records[R], error),
	datum string,
) func(context.Context, *noaa.Client, string, noaa.Period) (noaa.Records[R], error) {
	return func(ctx context.Context, c *noaa.Client, id string, p noaa.Period,
	) (noaa.Records[R], error) {
		return ask(c, ctx, id, datum, p)
	}
}

// weather returns the probes of instruments and of measured currents.
func weather() []probe {
	reading := func(of place, product, unit string, hourly bool, when span) probe {
		return rows(of, strings.ReplaceAll(product, "_", " "), unit, when,
			func(r noaa.Reading) time.Time { return r.Time },
			func(ctx context.Context, c *noaa.Client, id string, p noaa.Period,
			) (noaa.Records[noaa.Reading], error) {
				return c.Readings(ctx, id, product, hourly, p)
			})
	}
	current := func(of place, what string, bin *int, hourly, detailed bool, when span) probe {
		return rows(of, what, "cm/s", when, func(r noaa.Current) time.Time { return r.Time },
			func(ctx context.Context, c *noaa.Client, id string, p noaa.Period,
			) (noaa.Records[noaa.Current], error) {
				return c.Currents(ctx, id, bin, hourly, detailed, p)
			})
	}
	wind := func(of place, what string, hourly bool, when span) probe {
		return rows(of, what, "m/s", when, func(w noaa.Wind) time.Time { return w.Time },
			func(ctx context.Context, c *noaa.Client, id string, p noaa.Period,
			) (noaa.Records[noaa.Wind], error) {
				return c.Winds(ctx, id, hourly, p)
			})
	}
	return []probe{
		wind(keyWest, "newest wind", false, newest),
		wind(sanFrancisco, "hourly wind", true, lastDay),
		reading(honolulu, "air_temperature", "°C", false, newest),
		reading(charleston, "water_temperature", "°C", false, lastDay),
		reading(anchorage, "air_pressure", "mb", true, lastDay),
		reading(providence, "conductivity", "mS/cm", false, newest),
		reading(providence, "salinity", "PSU", false, newest),
		reading(stPetersburg, "humidity", "%", false, newest),
		reading(galveston, "visibility", "km", false, newest),
		reading(sewellsPoint, "visibility", "km", false, newest),
		reading(narrows, "air_gap", "m", false, newest),
		current(capeHenry, "newest current", nil, false, false, newest),
		current(newportNews, "hourly current", nil, true, false, lastDay),
		current(newYorkMeter, "current of all bins in detail", new(int), false, true, newest),
	}
}

// What the data service calls hilo and max_slack.
const (
	highLow  = "tide predictions, high and low"
	maxSlack = "current predictions, maximum and slack"
)

// predictions returns the probes of predictions, which are compared with ours.
func predictions() []probe {
	return []probe{
		events(boston, highLow), events(sanDiego, highLow), events(anchorage, highLow),
		events(rehoboth, highLow), heights(galveston),
		events(estesHead, maxSlack), velocities(goldenGate), events(friarRoads, maxSlack),
		weak(weakCurrent),
	}
}

// metadata returns the probes of lists and documents about stations.
func metadata() []probe {
	var list []probe
	for _, kind := range []string{
		"waterlevels", "met", "currents", "watertemp", "currentpredictions",
	} {
		list = append(list, document(place{kind, "type"}, "list of stations",
			(*noaa.Client).Stations, listed[noaa.Station]))
	}
	return append(list,
		document(seattle, "station", (*noaa.Client).Station, func(s noaa.Station) string {
			return fmt.Sprintf("%s at %.4f, %.4f", s.Name, s.Latitude, s.Longitude)
		}),
		document(battery, "details", (*noaa.Client).Details,
			func(d noaa.Details) string { return "established " + day(d.Established) }),
		document(keyWest, "sensors", (*noaa.Client).Sensors, listed[noaa.Sensor]),
		document(boston, "products", (*noaa.Client).Products, listed[noaa.Product]),
		document(galveston, "notices", (*noaa.Client).Notices, listed[noaa.Notice]),
		document(charleston, "disclaimers", (*noaa.Client).Disclaimers, listed[noaa.Notice]),
		document(sanDiego, "bench marks", (*noaa.Client).Benchmarks, listed[noaa.Benchmark]),
		document(sewellsPoint, "datums", (*noaa.Client).Datums, datums),
		document(seattle, "superseded datums", (*noaa.Client).SupersededDatums, datums),
		document(stPetersburg, "flood levels", (*noaa.Client).FloodLevels,
			func(f noaa.FloodLevels) string { return "minor " + number(f.NOSMinor, "m STND") }),
		document(honolulu, "constituents", (*noaa.Client).Harmonics, listed[noaa.Harmonic]),
		document(rehoboth, "tide offsets", (*noaa.Client).TideOffsets,
			func(o noaa.TideOffsets) string {
				return fmt.Sprintf("type %s, high water %d min after %s", o.Type, o.HighMinutes, o.Reference)
			}),
		document(goldenGate, "constituents of the current",
			with((*noaa.Client).CurrentHarmonics, goldenGateBin), func(h noaa.CurrentHarmonics) string {
				return plural(len(h.Constituents), "row") + " at " + number(h.Depth, "m")
			}),
		document(alcatraz, "current offsets", with((*noaa.Client).CurrentOffsets, alcatrazBin),
			func(o noaa.CurrentOffsets) string {
				return fmt.Sprintf("flood %d min after %s", o.Flood, o.Reference)
			}),
		document(goldenGate, "directions of the current",
			with((*noaa.Client).CurrentDirections, goldenGateBin),
			func(d noaa.CurrentDirections) string {
				return "flood " + number(d.Flood, "°") + ", ebb " + number(d.Ebb, "°")
			}),
		document(capeHenry, "bins", (*noaa.Client).Bins,
			func(b noaa.Bins) string { return plural(b.Count, "bin") + " of " + number(b.Size, "m") }),
		document(newportNews, "deployments", (*noaa.Client).Deployments,
			func(m noaa.CurrentMeter) string { return plural(len(m.Deployments), "row") }),
	)
}

func datums(d noaa.Datums) string {
	return plural(len(d.Levels), "row") + " of epoch " + d.Epoch
}

// with returns a method of the client with its last argument: a bin, a datum, a year.
func with[T, A any](
	ask func(*noaa.Client, context.Context, string, A) (upstream.Value[T], error), argument A,
) func(*noaa.Client, context.Context, string) (upstream.Value[T], error) {
	return func(c *noaa.Client, ctx context.Context, id string) (upstream.Value[T], error) {
		return ask(c, ctx, id, argument)
	}
}

// statistics returns the probes of derived products.
func statistics() []probe {
	list := []probe{
		document(battery, "sea level trend", (*noaa.Client).Trends, func(t []noaa.Trend) string {
			return number(t[0].Trend, "mm a year") + " to " + t[0].End
		}),
		document(battery, "sea level scenarios", (*noaa.Client).Scenarios, listed[noaa.Scenario]),
		document(battery, "extremes", with((*noaa.Client).Extremes, ""), func(e noaa.Extremes) string {
			return plural(len(e.Highs), "high") + ", " + plural(len(e.Lows), "low")
		}),
		document(sewellsPoint, "exceedance", with((*noaa.Client).Exceedance, ""),
			func(e noaa.Extremes) string {
				return "1 % of years above " + number(e.P1, "m "+e.Datum)
			}),
		document(seattle, "top ten", with((*noaa.Client).TopTen, "MLLW"), listed[noaa.TopLevel]),
		document(everywhere, "peak events", func(c *noaa.Client, ctx context.Context, _ string,
		) (upstream.Value[[]noaa.Peak], error) {
			return c.Peaks(ctx, 0)
		}, listed[noaa.Peak]),
		{boston.about("flood days"), func(ctx context.Context, c Config) (found, error) {
			p := verified(28)(c.Now())
			got, err := c.Water.FloodDaily(ctx, boston.id, p.From, p.To)
			return found{words: listed(got.Data)}, err
		}},
		document(boston, "flood outlook", with((*noaa.Client).FloodOutlook, 0),
			func(o noaa.FloodOutlook) string {
				return fmt.Sprintf("%d: %s to %s days", o.Year, number(o.Low, ""), number(o.High, ""))
			}),
		document(boston, "flood projections", (*noaa.Client).FloodProjections,
			listed[noaa.FloodProjection]),
	}
	for _, p := range []derived.Product{
		derived.FloodYears, derived.FloodMonths, derived.FloodSeasons,
	} {
		list = append(list, document(boston, p.What, func(c *noaa.Client, ctx context.Context, id string,
		) (upstream.Value[[]noaa.FloodCount], error) {
			return c.FloodCounts(ctx, p, id, 2020, 3)
		}, listed[noaa.FloodCount]))
	}
	return list
}

// spots are places all around the coast, each in the area of another office.
var spots = []struct {
	name                string
	latitude, longitude float64
}{
	{"Casco Bay", 43.66, -70.2}, {"Boston Harbor", 42.33, -70.95}, {"New York Harbor", 40.66, -74.05},
	{"Chesapeake Bay mouth", 36.97, -76.1}, {"Charleston Harbor", 32.76, -79.88},
	{"Biscayne Bay", 25.68, -80.2}, {"Key West", 24.53, -81.81}, {"Tampa Bay", 27.62, -82.6},
	{"Galveston Bay", 29.38, -94.8}, {"San Diego Bay", 32.69, -117.18},
	{"San Francisco Bay", 37.81, -122.4}, {"Columbia River bar", 46.24, -124.09},
	{"Puget Sound", 47.6, -122.38}, {"Juneau", 58.29, -134.4}, {"Anchorage", 61.23, -149.9},
	{"Honolulu", 21.29, -157.87}, {"Guam", 13.44, 144.65}, {"San Juan", 18.47, -66.12},
	{"Milwaukee", 43.03, -87.88}, {"Duluth", 46.77, -92.08},
}

// texts are text products and the places that they are filed under.
var texts = []struct{ product, place string }{
	{"CWF", "BOX"}, {"CWF", "AER"}, {"CWF", "HFO"}, {"SRF", "OKX"}, {"SRF", "MFL"}, {"SRF", "LOX"},
	{"NSH", "GRB"}, {"GLF", "LM"}, {"OFF", "PZ7"},
}

// forecasts returns the probes of the weather service.
func forecasts() []probe {
	boston := spots[1]
	alerts := func(a nws.Alerts) string { return plural(len(a.Alerts), "alert") }
	list := []probe{
		weatherProbe("alerts at a point, Boston Harbor", func(ctx context.Context, c *nws.Client,
		) (upstream.Value[nws.Alerts], error) {
			return c.AlertsAt(ctx, boston.latitude, boston.longitude)
		}, alerts),
		weatherProbe("alerts in zones, all coasts", func(ctx context.Context, c *nws.Client,
		) (upstream.Value[nws.Alerts], error) {
			return c.AlertsIn(ctx, "ANZ230", "AMZ350", "GMZ335", "PZZ530", "PKZ740", "LMZ644")
		}, alerts),
		weatherProbe("coastal zone, Boston Harbor", func(ctx context.Context, c *nws.Client,
		) (upstream.Value[*nws.Zone], error) {
			return c.CoastalZone(ctx, boston.latitude, boston.longitude)
		}, zone),
		weatherProbe("land zone, Boston", func(ctx context.Context, c *nws.Client,
		) (upstream.Value[*nws.Zone], error) {
			return c.LandZone(ctx, 42.3548, -71.0534)
		}, zone),
	}
	for _, z := range []struct{ zone, office string }{{"GMZ031", "KEY"}, {"GMZ040", "NH2"}} {
		list = append(list, weatherProbe("text of zone "+z.zone, func(ctx context.Context, c *nws.Client,
		) (upstream.Value[nws.Bulletin], error) {
			return c.BulletinFor(ctx, z.zone, z.office)
		}, segments))
	}
	for _, t := range texts {
		list = append(list, weatherProbe("text "+t.product+" of "+t.place, func(ctx context.Context,
			c *nws.Client) (upstream.Value[nws.Bulletin], error) {
			return c.Bulletin(ctx, t.product, t.place)
		}, segments))
	}
	return append(list, grids()...)
}

// grids returns the probes of grids. They come last: if they fail, they are enough to open the
// breaker.
func grids() []probe {
	var list []probe
	for _, s := range spots {
		list = append(list, probe{"grid, " + s.name, func(ctx context.Context, c Config) (found, error) {
			p, err := c.Weather.Point(ctx, s.latitude, s.longitude)
			if err != nil {
				return found{}, err
			}
			if p.Data.Grid == "" {
				return found{words: "zone " + p.Data.Zone + " without a grid"}, nil
			}
			g, err := c.Weather.Grid(ctx, p.Data.Grid, p.Data.X, p.Data.Y)
			return found{words: fmt.Sprintf("%s %d,%d, zone %s, %s, of %s UTC", p.Data.Grid, p.Data.X,
				p.Data.Y, p.Data.Zone, plural(len(g.Data.Layers), "layer"),
				g.Data.Updated.Format(minute))}, err
		}})
	}
	return list
}

// weatherProbe is a probe of the weather service with one result.
func weatherProbe[T any](
	name string, ask func(context.Context, *nws.Client) (upstream.Value[T], error),
	say func(T) string,
) probe {
	return probe{name, func(ctx context.Context, c Config) (found, error) {
		got, err := ask(ctx, c.Weather)
		if err != nil {
			return found{}, err
		}
		return found{words: say(got.Data)}, nil
	}}
}

func zone(z *nws.Zone) string {
	if z == nil {
		return "none there"
	}
	return z.ID + " of " + z.Office
}

// segments describes a text and how much of it was read as periods.
func segments(b nws.Bulletin) string {
	periods, rip := 0, 0
	for _, s := range b.Segments {
		periods, rip = periods+len(s.Periods), rip+len(s.Rip)
	}
	words := plural(len(b.Segments), "segment") + ", " + plural(periods, "period")
	if rip > 0 {
		words += ", " + plural(rip, "day") + " of rip currents"
	}
	return words + ", of " + b.Issued.Format(minute) + " UTC"
}
