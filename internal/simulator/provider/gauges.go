package provider

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"leadline/internal/stations"
)

// coopsService is NOAA CO-OPS: its data, metadata and derived products.
type coopsService struct {
	now func() time.Time
	*network
}

// network has the stations of the service.
type network struct {
	stations *stations.Directory
	settings *settings
	zones    map[string]civil
	gauges   []*gauge          // in order of id, without settings
	gauge    map[string]*gauge // the same by id
}

// newNetwork returns the network with settings.
func newNetwork(settings *settings) (*network, error) {
	bare, err := bareNetwork()
	if err != nil {
		return nil, err
	}
	n := *bare
	n.settings = settings
	return &n, nil
}

// bareNetwork chooses the gauges among the stations of the embedded directory. Nothing changes
// them, and all networks share them: choosing takes longer than most tests of a client.
var bareNetwork = sync.OnceValues(func() (*network, error) {
	d, err := stations.Open()
	if err != nil {
		return nil, fmt.Errorf("open the directory: %w", err)
	}
	n := &network{stations: d, zones: civilTimes(d), gauge: map[string]*gauge{}}
	n.chooseGauges()
	n.gauges = slices.SortedFunc(maps.Values(n.gauge), byID)
	return n, nil
})

func byID(a, b *gauge) int { return strings.Compare(a.id, b.id) }

// gauge is a station that measures something other than currents.
type gauge struct {
	id, name, state     string
	latitude, longitude float64
	civil
	station   stations.Station
	lake      *greatLake // nil on the coast
	tidal     bool       // station is set, and its tide is predicted
	level     bool       // measures the water level
	weather   bool       // measures wind, air, water temperature and pressure
	more      []string
	published bool // has all flood levels, and the derived products
	since     int  // first year with data
	seed      uint64
	set       Water
	epoch     *Epoch // revision of the datums, nil for none
}

// greatLake is the water of a gauge on the Great Lakes, meters on IGLD 1985.
type greatLake struct {
	low  float64 // low water datum
	mean float64 // mean level
}

// The lakes, with their low water datums.
var (
	superior = &greatLake{183.2, 183.45}
	michigan = &greatLake{176.0, 176.45} // and Huron
	erie     = &greatLake{173.5, 174.20}
	ontario  = &greatLake{74.2, 74.80}
)

// wellKnown are the gauges that tests use. They have weather, published flood levels and derived
// products; more lists additional products.
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

// otherGauges are on the Great Lakes, without predictions and flood levels, or measure only weather
// or the air gap under a bridge.
var otherGauges = []struct {
	id, name, state     string
	latitude, longitude float64
	zone                string
	lake                *greatLake
	more                []string
}{
	{"9052030", "Oswego", "NY", 43.46417, -76.51183, newYork, ontario, nil},
	{"9052058", "Rochester", "NY", 43.26903, -77.62575, newYork, ontario, nil},
	{"9063020", "Buffalo", "NY", 42.877445, -78.89047, newYork, erie, nil},
	{"9063063", "Cleveland", "OH", 41.54086, -81.635475, newYork, erie, nil},
	{"9063085", "Toledo", "OH", 41.693554, -83.472275, newYork, erie, nil},
	{"9075014", "Harbor Beach", "MI", 43.84639, -82.64306, "America/Detroit", michigan, nil},
	{"9087044", "Calumet Harbor", "IL", 41.72972, -87.53833, "America/Chicago", michigan, nil},
	{"9087057", "Milwaukee", "WI", 43.001972, -87.88764, "America/Chicago", michigan, nil},
	{"9099018", "Marquette C.G.", "MI", 46.545555, -87.37861, "America/Detroit", superior, nil},
	{"9099064", "Duluth", "MN", 46.77575, -92.092026, "America/Chicago", superior, nil},
	{"8517986", "Verrazzano-Narrows Air Gap", "NY", 40.6063, -74.0450, newYork, nil,
		[]string{"air_gap"}},
	{"9446482", "Tacoma MET", "WA", 47.27583, -122.41778, pacific, nil, nil},
	{"9449427", "Cherry Point North Dock", "WA", 48.86431, -122.76425, pacific, nil, nil},
}

const (
	newYork = "America/New_York"
	pacific = "America/Los_Angeles"
)

// chooseGauges selects the gauges: wellKnown, otherGauges, and for the water level only every third
// other reference station of the states.
func (n *network) chooseGauges() {
	for _, k := range wellKnown {
		if s, ok := n.stations.Station(k.id); ok {
			g := n.coastal(s)
			g.name, g.since, g.more = k.name, k.since, k.more
			g.weather, g.published = true, true
			n.gauge[g.id] = g
		}
	}
	every := 0
	for _, s := range n.stations.All(stations.Tide) {
		if s.Subordinate() || n.gauge[s.ID] != nil || s.State == "" || !n.measurable(s) {
			continue
		}
		if every++; every%3 == 0 {
			n.gauge[s.ID] = n.coastal(s)
		}
	}
	for _, k := range otherGauges {
		g := &gauge{id: k.id, name: k.name, state: k.state, latitude: k.latitude, longitude: k.longitude}
		g.civil, g.seed, g.since = civilOf(k.zone), hash(k.id), 2008
		g.lake, g.level, g.weather, g.more = k.lake, k.lake != nil, true, k.more
		if g.level {
			g.since = 1918
		}
		n.gauge[g.id] = g
	}
}

// measurable reports whether the station has heights above station datum and MLLW.
func (n *network) measurable(s stations.Station) bool {
	_, staff := n.stations.Tides(s, "STND")
	_, chart := n.stations.Tides(s, "MLLW")
	return staff && chart
}

// coastal returns a gauge at a tide station, for the water level only.
func (n *network) coastal(s stations.Station) *gauge {
	g := &gauge{id: s.ID, name: s.Name, state: s.State, latitude: s.Latitude, longitude: s.Longitude}
	g.station, g.civil, g.seed = s, n.zones[s.Zone], hash(s.ID)
	g.tidal, g.level, g.since = n.measurable(s), true, 1950+int(g.seed%50)
	return g
}

// predictedStation returns the station of predictions with exactly this id.
func (n *network) predictedStation(id string) (stations.Station, bool) {
	s, ok := n.stations.Station(id)
	return s, ok && s.ID == id && !strings.Contains(id, "_")
}

// gaugeOf returns the gauge with an id and its settings, nil if there is none.
func (n *network) gaugeOf(id string) *gauge {
	g := n.gauge[id]
	if w, isSet := setFor(n.settings, &n.settings.waters, id); isSet {
		g, _ = n.gaugeWith(id, w) // SetWater has checked it
	}
	if e := n.epochOf(id); g != nil && e != nil {
		revised := *g
		revised.epoch = e
		return &revised
	}
	return g
}

// epochOf returns the revision of a station's datums, nil if there is none.
func (n *network) epochOf(id string) *Epoch {
	if e, isSet := setFor(n.settings, &n.settings.epochs, id); isSet {
		return &e
	}
	return nil
}

// gaugeWith returns the gauge with a setting, nil if the setting has an empty list of sensors.
// Without Sensors the station must be a gauge. With them a station of tide predictions can become
// one; it needs datums to measure the water level.
func (n *network) gaugeWith(id string, w Water) (*gauge, error) {
	g := n.gauge[id]
	if s, ok := n.predictedStation(id); g == nil && ok && s.Kind == stations.Tide && w.Sensors != nil {
		g = n.coastal(s)
	}
	if g == nil {
		return nil, fmt.Errorf("station %q is not a gauge, nor a tide station with sensors to set", id)
	}
	changed := *g
	changed.set = w
	if w.Sensors == nil {
		return &changed, nil
	}
	if len(w.Sensors) == 0 {
		return nil, nil
	}
	for _, name := range w.Sensors {
		if !slices.Contains(sensorProducts, name) {
			return nil, fmt.Errorf("unknown sensor %q: must be one of %q", name, sensorProducts)
		}
	}
	has := func(product string) bool { return slices.Contains(w.Sensors, product) }
	changed.level = has("water_level")
	changed.weather = has("wind") || has("air_temperature") || has("air_pressure")
	if changed.level && !g.tidal && g.lake == nil {
		return nil, fmt.Errorf("water level of %q cannot be measured: its datums are not known", id)
	}
	return &changed, nil
}

// sensorProducts are the products of sensors.
var sensorProducts = []string{
	"water_level", "salinity", "wind", "air_temperature", "water_temperature", "air_pressure",
	"conductivity", "humidity", "visibility", "air_gap",
}

// measuring returns all gauges with their settings, in order of id.
func (n *network) measuring() (all []*gauge) {
	ids := n.settings.waterIDs()
	for _, g := range n.gauges {
		if !slices.Contains(ids, g.id) {
			all = append(all, g)
		}
	}
	for _, id := range ids {
		if g := n.gaugeOf(id); g != nil {
			all = append(all, g)
		}
	}
	slices.SortFunc(all, byID)
	return all
}

// offers reports whether the gauge measures a meteorological or physical product.
func (g *gauge) offers(product string) bool {
	if g.set.Sensors != nil {
		return product != "water_level" && slices.Contains(g.set.Sensors, product)
	}
	switch product {
	case "air_temperature", "water_temperature", "wind", "air_pressure":
		return g.weather
	}
	return slices.Contains(g.more, product)
}

// heights returns the station's datums, revised.
func (g *gauge) heights() []stations.Datum {
	list := g.station.Datums()
	for i := range list {
		list[i].Value += g.epoch.raised(list[i].Name)
	}
	return list
}

// mean returns a level of the epoch, meters above station datum, or a scalar that is not a level
// (above is false), meters or hours.
func (g *gauge) mean(name string) (value float64, above, ok bool) {
	if g.lake != nil {
		return g.lake.mean, true, name == "MSL"
	}
	for _, d := range g.heights() {
		if d.Name == name {
			return d.Value, true, true
		}
	}
	for _, d := range g.station.Differences() {
		if d.Name == name {
			return d.Value, false, true
		}
	}
	return 0, false, false
}

// datumValue returns a datum of a gauge, meters above station datum, or an interval in hours.
func (g *gauge) datumValue(name string) (value float64, ok bool) {
	if g.lake != nil {
		value, ok = map[string]float64{"STND": 0, "IGLD": 0, "LWD": g.lake.low}[name]
		return value, ok
	}
	value, _, ok = g.mean(name)
	return value, ok
}

// floods returns the heights at which minor, moderate and major flooding begin, meters above
// station datum. They follow NOAA's regression on the great diurnal range, which is above MLLW
// (Technical Report NOS CO-OPS 086, 2018).
func (g *gauge) floods() (levels [3]float64, ok bool) {
	lowest, _, hasDatum := g.mean("MLLW")
	diurnal, _, hasRange := g.mean("GT")
	if !g.published || !hasDatum || !hasRange {
		return levels, false
	}
	minor, moderate, major := 1.04*diurnal+0.50, 1.03*diurnal+0.80, 1.04*diurnal+1.17
	return [3]float64{lowest + minor, lowest + moderate, lowest + major}, true
}

// flags returns the flags of a row that has values.
func (g *gauge) flags(product string, t time.Time, usual string) string {
	if g.set.Flags == nil {
		return usual
	}
	return cmp.Or(g.set.Flags(product, t), usual)
}

// lost reports whether a product has no value at an instant, which is rare.
func (g *gauge) lost(product string, t time.Time) bool {
	if g.set.Empty != nil {
		return g.set.Empty(product, t)
	}
	return mix(g.seed^uint64(t.Unix()))%499 == 0
}

// span limits steps to the time in which the gauge has measured.
func (g *gauge) span(at steps, newest time.Time) steps {
	if stopped := g.set.Newest; !stopped.IsZero() && stopped.Before(newest) {
		newest = stopped
	}
	return at.since(time.Date(g.since, 1, 1, 0, 0, 0, 0, time.UTC)).until(newest)
}

// meter is a station of PORTS that measures currents.
type meter struct {
	id, name, state     string
	latitude, longitude float64
	zone                string
	bins                int // cells, numbered from 1
	bin                 int // the default
	minute              int // of each six minutes at which it measures
}

var currentMeters = []meter{
	{"cb0102", "Cape Henry LB 2CH", "VA", 36.9594, -76.0128, newYork, 12, 4, 3},
	{"cb1401", "Newport New Shipbuilding", "VA", 36.9838, -76.4436, newYork, 40, 30, 1},
	{"n03020", "The Narrows", "NY", 40.6064, -74.0380, newYork, 20, 14, 0},
}

func meterOf(id string) (meter, bool) {
	if i := slices.IndexFunc(currentMeters, func(m meter) bool { return m.id == id }); i >= 0 {
		return currentMeters[i], true
	}
	return meter{}, false
}

// weakStation is a station whose currents are only reported as weak and variable. The ids are real,
// names and positions are invented.
type weakStation struct {
	id, name            string
	latitude, longitude float64
}

var weakStations = []weakStation{
	{"ACT0261", "Weak and variable, off Maine", 44.2, -68.3},
	{"PCT0161", "Weak and variable, off California", 33.7, -118.2},
	{"PUG1613", "Weak and variable, Puget Sound", 47.65, -122.55},
}

func weakOf(id string) (weakStation, bool) {
	if i := slices.IndexFunc(weakStations, func(w weakStation) bool { return w.id == id }); i >= 0 {
		return weakStations[i], true
	}
	return weakStation{}, false
}

// civilTimeOf returns the civil time of a station of any kind. Ids are case-sensitive.
func (n *network) civilTimeOf(id string) (civil, bool) {
	if g := n.gaugeOf(id); g != nil {
		return g.civil, true
	}
	if m, ok := meterOf(id); ok {
		return n.zones[m.zone], true
	}
	if s, ok := n.predictedStation(id); ok {
		return n.zones[s.Zone], true
	}
	_, ok := weakOf(id)
	return n.zones[newYork], ok
}
