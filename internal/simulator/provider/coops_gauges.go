package provider

import (
	"math"
	"slices"
	"strings"
	"time"

	"leadline/internal/stations"
)

// gauge is a station that measures something other than currents.
type gauge struct {
	id, name, state     string
	latitude, longitude float64
	local
	station   stations.Station
	lake      *lake // nil on the coast
	tidal     bool  // station is set, and its tide is predicted
	level     bool  // measures the water level
	weather   bool  // measures wind, air, water temperature and pressure
	more      []string
	published bool // has all flood levels, and the derived products
	since     int  // first year with data
	seed      uint64
	order     Water
	epoch     *Epoch // revision of the datums, nil for none
}

// lake is the water of a gauge on the Great Lakes, metres on IGLD 1985.
type lake struct {
	low  float64 // low water datum
	mean float64 // mean level
}

// The lakes, with their low water datums.
var (
	superior = &lake{183.2, 183.45}
	michigan = &lake{176.0, 176.45} // and Huron
	erie     = &lake{173.5, 174.20}
	ontario  = &lake{74.2, 74.80}
)

// wellKnown are the gauges that tests ask for: with weather, published flood
// levels and derived products. more are further products.
var wellKnown = []struct {
	id, name string
	since    int
	more     []string
}{
	{"1612340", "Honolulu", 1905, nil},
	{"8443970", "Boston", 1921, []string{"conductivity", "salinity"}},
	{"8454000", "Providence", 1938, []string{"conductivity", "salinity"}},
	{"8461490", "New London", 1938, nil},
	{"8518750", "The Battery", 1920, nil},
	{"8638610", "Sewells Point", 1927, []string{"humidity", "visibility"}},
	{"8724580", "Key West", 1913, nil},
	{"8726520", "St. Petersburg", 1947, []string{"humidity", "conductivity", "salinity"}},
	{"8771450", "Galveston Pier 21", 1904, []string{"visibility"}},
	{"9410170", "San Diego", 1906, nil},
	{"9414290", "San Francisco", 1897, []string{"humidity"}},
	{"9447130", "Seattle", 1899, nil},
}

// lakeGauges stand on the Great Lakes. They have no predictions and no flood levels.
var lakeGauges = []struct {
	id, name, state     string
	latitude, longitude float64
	zone                string
	lake                *lake
}{
	{"9052030", "Oswego", "NY", 43.46417, -76.51183, "America/New_York", ontario},
	{"9052058", "Rochester", "NY", 43.26903, -77.62575, "America/New_York", ontario},
	{"9063020", "Buffalo", "NY", 42.877445, -78.89047, "America/New_York", erie},
	{"9063063", "Cleveland", "OH", 41.54086, -81.635475, "America/New_York", erie},
	{"9063085", "Toledo", "OH", 41.693554, -83.472275, "America/New_York", erie},
	{"9075014", "Harbor Beach", "MI", 43.84639, -82.64306, "America/Detroit", michigan},
	{"9087044", "Calumet Harbor", "IL", 41.72972, -87.53833, "America/Chicago", michigan},
	{"9087057", "Milwaukee", "WI", 43.001972, -87.88764, "America/Chicago", michigan},
	{"9099018", "Marquette C.G.", "MI", 46.545555, -87.37861, "America/Detroit", superior},
	{"9099064", "Duluth", "MN", 46.77575, -92.092026, "America/Chicago", superior},
}

// weatherGauges measure no water level: weather, or the air gap under a bridge.
var weatherGauges = []struct {
	id, name, state     string
	latitude, longitude float64
	zone                string
	more                []string
}{
	{"8517986", "Verrazzano-Narrows Air Gap", "NY", 40.6063, -74.0450, "America/New_York", []string{"air_gap"}},
	{"9446482", "Tacoma MET", "WA", 47.27583, -122.41778, "America/Los_Angeles", nil},
	{"9449427", "Cherry Point North Dock", "WA", 48.86431, -122.76425, "America/Los_Angeles", nil},
}

// catalogue chooses which stations measure: the well-known ones, every third
// other reference station of the states for the water level alone, some of
// the Great Lakes, some without water.
func catalogue(d *stations.Directory, zones map[string]local) (all []*gauge, byID map[string]*gauge) {
	byID = map[string]*gauge{}
	add := func(g *gauge) { all, byID[g.id] = append(all, g), g }
	for _, k := range wellKnown {
		if s, ok := d.Station(k.id); ok {
			g := coastal(d, s, zones[s.Zone])
			g.name, g.since, g.more = k.name, k.since, k.more
			g.weather, g.published = true, true
			add(g)
		}
	}
	n := 0
	for _, s := range d.All(stations.Tide) {
		if s.Subordinate() || byID[s.ID] != nil || s.State == "" || !measurable(d, s) {
			continue
		}
		if n++; n%3 == 0 {
			add(coastal(d, s, zones[s.Zone]))
		}
	}
	for _, k := range lakeGauges {
		g := &gauge{id: k.id, name: k.name, state: k.state, latitude: k.latitude, longitude: k.longitude}
		g.lake, g.level, g.weather, g.since = k.lake, true, true, 1918
		add(g.at(load(k.zone)))
	}
	for _, k := range weatherGauges {
		g := &gauge{id: k.id, name: k.name, state: k.state, latitude: k.latitude, longitude: k.longitude}
		g.weather, g.more, g.since = true, k.more, 2008
		add(g.at(load(k.zone)))
	}
	slices.SortFunc(all, func(a, b *gauge) int { return strings.Compare(a.id, b.id) })
	return all, byID
}

// measurable reports whether levels can be given on the staff and on the chart's datum.
func measurable(d *stations.Directory, s stations.Station) bool {
	_, staff := d.Tides(s, "STND")
	_, chart := d.Tides(s, "MLLW")
	return staff && chart
}

// coastal is a gauge at a tide station, for the water level alone.
func coastal(d *stations.Directory, s stations.Station, zone local) *gauge {
	g := &gauge{id: s.ID, name: s.Name, state: s.State, latitude: s.Latitude, longitude: s.Longitude, station: s}
	g.tidal, g.level = measurable(d, s), true
	g.since = 1950 + int(hash(s.ID)%50)
	return g.at(zone)
}

// at sets what follows from the id and the zone, and returns the gauge.
func (g *gauge) at(zone local) *gauge {
	g.seed = hash(g.id)
	g.local = zone
	return g
}

// offers reports whether the gauge measures a meteorological or physical product.
func (g *gauge) offers(product string) bool {
	if g.order.Sensors != nil {
		return product != "water_level" && slices.Contains(g.order.Sensors, product)
	}
	switch product {
	case "air_temperature", "water_temperature", "wind", "air_pressure":
		return g.weather
	}
	return slices.Contains(g.more, product)
}

// seed is a number that depends on the id alone.
func hash(id string) uint64 {
	h := uint64(14695981039346656037) // FNV-1a
	for i := range len(id) {
		h = (h ^ uint64(id[i])) * 1099511628211
	}
	return mix(h)
}

// mix spreads the bits of a number: the finalizer of SplitMix64.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// fraction is a number from 0 to 1 that depends on a seed and a count.
func fraction(seed uint64, n int64) float64 {
	return float64(mix(seed^mix(uint64(n)+0x9e3779b97f4a7c15))>>11) / (1 << 53)
}

// swing is a smooth disturbance between -1 and 1: four waves, from some
// hours to some days long, whose lengths and phases come from a seed.
type swing struct{ speed, phase [4]float64 }

var swingHours = [4]float64{9.7, 31, 77, 190}

func newSwing(seed uint64, salt string) swing {
	var s swing
	seed ^= mix(uint64(len(salt))*131 + uint64(salt[0]))
	for i, hours := range swingHours {
		s.speed[i] = 2 * math.Pi / (hours * (0.9 + 0.2*fraction(seed, int64(i))))
		s.phase[i] = 2 * math.Pi * fraction(seed, int64(i+8))
	}
	return s
}

var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func (s swing) at(t time.Time) float64 {
	hours := float64(t.Unix()-epoch.Unix()) / 3600
	sum := 0.0
	for i, speed := range s.speed {
		sum += math.Cos(speed*hours + s.phase[i])
	}
	return sum / 4
}

// season is the time of year as a cosine, 1 in the middle of July.
func season(t time.Time) float64 {
	return math.Cos(2 * math.Pi * (float64(t.YearDay()) - 196) / 365.25)
}
