package provider

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"leadline/internal/stations"
)

// documents returns the documents of a station by name. Unknown stations have all of them too,
// empty and with status 200.
func documents() map[string]func(*document, string) any {
	return map[string]func(*document, string) any{
		"benchmarks":               (*document).benchmarks,
		"bins":                     (*document).meterBins,
		"currentpredictionoffsets": (*document).currentpredictionoffsets,
		"datums":                   (*document).datums,
		"deployments":              (*document).deployments,
		"details":                  (*document).details,
		"disclaimers":              (*document).disclaimers,
		"floodlevels":              (*document).floodlevels,
		"harcon":                   (*document).harcon,
		"notices":                  noNotices,
		"products":                 (*document).pages,
		"sensors":                  (*document).sensorList,
		"supersededdatums":         (*document).supersededdatums,
		"tidepredoffsets":          (*document).tidepredoffsets,
	}
}

func (d *document) details(id string) any {
	established, origin, zone, meridian := "", "", double(0), any(nil)
	if g := d.gaugeOf(id); g != nil {
		established = strconv.Itoa(g.since) + "-01-01 00:00:00"
		origin = strconv.Itoa(max(g.since, 1980)) + "-09-13 00:00:00"
		zone, meridian = double(g.offset.Hours()), g.meridian()
	}
	return object{
		{"established", established}, {"removed", ""}, {"noaachart", ""},
		{"timemeridian", meridian},
		{"timezone", zone}, {"origyear", origin},
	}
}

// sensorNames are the sensors of products.
var sensorNames = []struct{ product, id, name string }{
	{"wind", "C1", "Wind"}, {"air_temperature", "D1", "Air Temperature"},
	{"water_temperature", "E1", "Water Temperature"},
	{"air_pressure", "F1", "Barometric Pressure"}, {"conductivity", "G1", "Conductivity"},
	{"humidity", "K1", "Relative Humidity"},
	{"visibility", "Q1", "Visibility"}, {"air_gap", "X1", "Air Gap"},
}

func (d *document) sensorList(id string) any {
	sensors := []object{}
	add := func(datum, sensor, name string, elevation any) {
		sensors = append(sensors, object{
			{"status", 1}, {"refdatum", datum}, {"sensorID", sensor}, {"name", name},
			{"elevation", elevation}, {"message", ""}, {"dcp", 1},
		})
	}
	g := d.gaugeOf(id)
	for i, s := range sensorNames {
		if g != nil && g.offers(s.product) {
			add("MSL", s.id, s.name, d.rounded(3+0.7*float64(i)))
		}
	}
	if g != nil && g.level {
		add("", "Y1", "Microwave WL", nil)
	}
	return object{{"units", d.units()}, {"sensors", sensors}}
}

// meterBins lists the bins of a meter. For all other stations the document is empty.
func (d *document) meterBins(id string) any {
	m, ok := meterOf(id)
	if !ok {
		return object{
			{"units", nil}, {"nbr_of_bins", 0}, {"bin_size", nil}, {"center_bin_1_dist", nil},
			{"real_time_bin", nil}, {"bins", nil},
		}
	}
	var bins []object
	for n := 1; n <= m.bins; n++ {
		distance := 0.9 + float64(n)
		bins = append(bins, object{
			{"num", n}, {"depth", d.rounded(distance + 1.2)}, {"distance", d.rounded(distance)},
		})
	}
	return object{
		{"units", d.units()}, {"nbr_of_bins", m.bins},
		{"bin_size", d.rounded(1)},
		{"center_bin_1_dist", d.rounded(1.9)}, {"real_time_bin", m.bin}, {"bins", bins},
	}
}

func (d *document) deployments(id string) any {
	stays, orientation, first := []object{}, "", ""
	var flood, sensor, depth, height any
	if _, ok := meterOf(id); ok {
		stays = append(stays, object{{"deployed", deployed}, {"retrieved", ""}})
		orientation, first, flood = "up", "2005-06-01 00:06:00", double(310)
		sensor, depth, height = d.rounded(4.5), d.rounded(12.5), d.rounded(8)
	}
	return object{
		{"units", d.units()}, {"flood_direction_degrees", flood}, {"orientation", orientation},
		{"sensor_depth", sensor}, {"depth", depth}, {"measured_depth", depth},
		{"height_from_bottom", height},
		{"first_good_data", first}, {"last_good_data", ""},
		{"deployments", stays},
	}
}

// pages lists the web pages of a station.
func (d *document) pages(id string) any {
	g := d.gaugeOf(id)
	if g == nil {
		g = &gauge{}
	}
	products := []object{}
	for _, k := range []struct {
		name, page string
		has        bool
	}{
		{"Water Levels", "waterlevels.html?id=", g.level},
		{"Tide Predictions", "noaatidepredictions.html?id=", g.tidal},
		{"Meteorological", "met.html?id=", g.weather},
		{"Benchmarks", "benchmarks.html?id=", g.level},
		{"Datums", "datums.html?id=", g.level},
		{"Sea Level Trends", "sltrends/sltrends_station.shtml?id=", g.published},
		{"Physical Oceanagraphy", "physocean.html?id=", g.offers("water_temperature")},
	} {
		if k.has {
			url := "https://tidesandcurrents.noaa.gov/" + k.page + id
			products = append(products, object{{"name", k.name}, {"value", url}})
		}
	}
	return object{{"products", products}}
}

func (d *document) disclaimers(id string) any {
	list := []object{}
	if s, ok := d.predictedStation(id); ok && s.Disclaimer() != "" {
		list = append(list, object{{"name", "Datum"}, {"text", s.Disclaimer()}})
	}
	return object{{"disclaimers", list}}
}

func noNotices(*document, string) any { return object{{"notices", []object{}}} }

func (d *document) benchmarks(id string) any {
	list := []object{}
	if g := d.gaugeOf(id); g != nil && g.level {
		list = append(list, object{
			{"designation", id[:3] + " " + id[3:] + " A"},
			{"lat", double(g.latitude)},
			{"lng", double(g.longitude)},
			{"description", "The bench mark is a disk set in concrete.\r\n\r\n" +
				"It stands near the tide station."},
			{"published", true},
			{"stamping", id + " A"},
		})
	}
	return object{{"benchmarks", list}}
}

func (d *document) floodlevels(id string) any {
	var f Floods
	if g := d.gaugeOf(id); g != nil && g.set.Floods != nil {
		f = *g.set.Floods
	} else if g != nil {
		f = d.publishedFloods(g)
	}
	return object{
		{"nos_minor", d.hundredth(f.NOSMinor)}, {"nos_moderate", d.hundredth(f.NOSModerate)},
		{"nos_major", d.hundredth(f.NOSMajor)},
		{"nws_minor", d.hundredth(f.NWSMinor)}, {"nws_moderate", d.hundredth(f.NWSModerate)},
		{"nws_major", d.hundredth(f.NWSMajor)},
		{"action", d.hundredth(f.Action)},
	}
}

// publishedFloods returns the flood levels without a setting. The NWS levels are the NOS levels,
// rounded to tenths of the unit.
func (d *document) publishedFloods(g *gauge) Floods {
	levels, ok := g.floods()
	if !ok {
		return Floods{}
	}
	nws := levels
	for i := range nws {
		unit := metersPerFoot
		if d.metric {
			unit = 1
		}
		nws[i] = math.Round(nws[i]/unit*10) / 10 * unit
	}
	return Floods{&levels[0], &levels[1], &levels[2], &nws[0], &nws[1], &nws[2], nil}
}

// datumTexts are the names and descriptions of datums, in the order of the document.
var datumTexts = [][2]string{
	{"STND", "Station Datum"}, {"MHHW", "Mean Higher-High Water"}, {"MHW", "Mean High Water"},
	{"DTL", "Mean Diurnal Tide Level"},
	{"MTL", "Mean Tide Level"}, {"MSL", "Mean Sea Level"}, {"MLW", "Mean Low Water"},
	{"MLLW", "Mean Lower-Low Water"},
	{"GT", "Great Diurnal Range"}, {"MN", "Mean Range of Tide"},
	{"DHQ", "Mean Diurnal High Water Inequality"},
	{"DLQ", "Mean Diurnal Low Water Inequality"}, {"HWI", "Greenwich High Water Interval (in hours)"},
	{"LWI", "Greenwich Low Water Interval (in hours)"},
	{"NAVD88", "North American Vertical Datum of 1988"},
	{"CRD", "Columbia River Datum"}, {"IGLD", "International Great Lakes Datum 1985"},
	{"LWD", "Low Water Datum"},
}

// datums lists a station's datums. Stations that only have predictions have them too, if they
// have constants.
func (d *document) datums(id string) any {
	g := d.gaugeOf(id)
	if s, ok := d.predictedStation(id); g == nil && ok {
		g = &gauge{id: id, station: s, epoch: d.epochOf(id)}
	}
	return d.datumDocument(g)
}

// supersededdatums lists the datums of the previous epoch. Only stations that a setting has revised
// have them.
func (d *document) supersededdatums(id string) any {
	var g *gauge
	if s, ok := d.predictedStation(id); ok && d.epochOf(id) != nil {
		g = &gauge{id: id, station: s}
	}
	return d.datumDocument(g)
}

// datumDocument returns the list of a gauge's datums, empty for nil.
func (d *document) datumDocument(g *gauge) object {
	if g == nil {
		g = &gauge{}
	}
	list, periods, accepted, years := []object{}, []string{}, "", ""
	for _, about := range datumTexts {
		value, ok := g.datumValue(about[0])
		if !ok {
			continue
		}
		written, label := d.rounded(value), about[0]
		if strings.HasSuffix(label, "WI") {
			written = single(math.Round(value*100) / 100)
		}
		if label == "CRD" {
			label = "CRD_OFFSET"
		}
		list = append(list, object{{"name", label}, {"description", about[1]}, {"value", written}})
	}
	epoch := g.station.Epoch()
	if g.epoch != nil {
		epoch = stations.Years{First: g.epoch.First, Last: g.epoch.Last}
	}
	if epoch.First > 0 {
		accepted, years = "Apr 17 2003", fmt.Sprintf("%d-%d", epoch.First, epoch.Last)
		periods = append(periods, fmt.Sprintf("01/01/%d - 12/31/%d", epoch.First, epoch.Last))
	}
	out := object{
		{"accepted", accepted}, {"superseded", ""}, {"epoch", years}, {"units", d.units()},
		{"OrthometricDatum", nil}, {"datums", list},
	}
	if _, ok := g.datumValue("NAVD88"); ok {
		out[4].value = "NAVD88"
	}
	out = append(out, d.datumExtreme(g, "LAT", "LAT", "20320212", "20:18", 0)...)
	out = append(out, d.datumExtreme(g, "HAT", "HAT", "20111027", "12:48", 0)...)
	out = append(out, d.datumExtreme(g, "min", "LAT", "19760202", "21:30", -0.6)...)
	out = append(out, d.datumExtreme(g, "max", "HAT", "20121030", "01:12", 1.1)...)
	return append(out, member{"DatumAnalysisPeriod", periods})
}

// datumExtreme returns a height some meters above a datum, with its date and time. They are empty
// if the gauge does not have the datum.
func (d *document) datumExtreme(g *gauge, name, datum, date, clock string, more float64) object {
	meters, _, ok := g.mean(datum)
	if g.lake != nil || !ok {
		return object{{name, nil}, {name + "date", ""}, {name + "time", ""}}
	}
	if meters += more; !d.metric {
		meters /= metersPerFoot
	}
	value := single(math.Round(meters*1000) / 1000)
	return object{{name, value}, {name + "date", date}, {name + "time", clock}}
}
