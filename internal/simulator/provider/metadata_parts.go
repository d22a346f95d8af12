package provider

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// partOf finds how a part of a station is made, by its name in paths and in
// expand; nil for an unknown name. Unknown stations have all parts too, empty
// and with status 200.
func partOf(name string) func(a *inquiry, id string) any {
	return map[string]func(*inquiry, string) any{
		"benchmarks":               (*inquiry).benchmarks,
		"bins":                     (*inquiry).binList,
		"currentpredictionoffsets": (*inquiry).currentpredictionoffsets,
		"datums":                   (*inquiry).levels,
		"deployments":              (*inquiry).deployments,
		"details":                  (*inquiry).details,
		"disclaimers":              (*inquiry).disclaimers,
		"floodlevels":              (*inquiry).floodlevels,
		"harcon":                   (*inquiry).harcon,
		"nearby":                   (*inquiry).nearby,
		"notices":                  (*inquiry).notices,
		"ofsmapoffsets":            (*inquiry).ofsmapoffsets,
		"products":                 (*inquiry).products,
		"sensors":                  (*inquiry).sensors,
		"supersededdatums":         (*inquiry).supersededdatums,
		"tidepredoffsets":          (*inquiry).tidepredoffsets,
	}[name]
}

type details struct {
	ID           string `json:"id"`
	Established  string `json:"established"`
	Removed      string `json:"removed"`
	Noaachart    string `json:"noaachart"`
	Timemeridian *int   `json:"timemeridian"`
	Timezone     double `json:"timezone"`
	Origyear     string `json:"origyear"`
	Self         string `json:"self"`
}

func (a *inquiry) details(id string) any {
	d := details{ID: id, Self: address(id, "details")}
	if g := a.gaugeOf(id); g != nil {
		meridian := g.meridian()
		d.Established, d.Origyear = strconv.Itoa(g.since)+"-01-01 00:00:00", strconv.Itoa(max(g.since, 1980))+"-09-13 00:00:00"
		d.Timemeridian, d.Timezone = &meridian, double(g.offset.Hours())
	}
	return d
}

type sensor struct {
	Status    int     `json:"status"`
	Refdatum  string  `json:"refdatum"`
	SensorID  string  `json:"sensorID"`
	Name      string  `json:"name"`
	Elevation *single `json:"elevation"`
	Message   string  `json:"message"`
	Dcp       int     `json:"dcp"`
}

type sensorList struct {
	Units   string   `json:"units"`
	Sensors []sensor `json:"sensors"`
	Self    string   `json:"self"`
}

// sensorNames are the sensors behind products.
var sensorNames = []struct{ product, id, name string }{
	{"wind", "C1", "Wind"}, {"air_temperature", "D1", "Air Temperature"}, {"water_temperature", "E1", "Water Temperature"},
	{"air_pressure", "F1", "Barometric Pressure"}, {"conductivity", "G1", "Conductivity"}, {"humidity", "K1", "Relative Humidity"},
	{"visibility", "Q1", "Visibility"}, {"air_gap", "X1", "Air Gap"},
}

func (a *inquiry) sensors(id string) any {
	list := sensorList{Units: a.units(), Sensors: []sensor{}, Self: address(id, "sensors")}
	g := a.gaugeOf(id)
	if g == nil {
		return list
	}
	for i, s := range sensorNames {
		if g.offers(s.product) {
			height := rounded(3+0.7*float64(i), a.metric)
			list.Sensors = append(list.Sensors, sensor{1, "MSL", s.id, s.name, &height, "", 1})
		}
	}
	if g.level {
		list.Sensors = append(list.Sensors, sensor{1, "", "Y1", "Microwave WL", nil, "", 1})
	}
	return list
}

type meterBin struct {
	Num      int    `json:"num"`
	Depth    single `json:"depth"`
	Distance single `json:"distance"`
	QCFlag   int    `json:"qc_flag"`
	PingInt  *int   `json:"ping_int"`
	IsPICS   bool   `json:"is_pics"`
}

type meterBins struct {
	Units          *string    `json:"units"`
	NbrOfBins      int        `json:"nbr_of_bins"`
	MaxPICSBin     *int       `json:"max_pics_bin,omitempty"`
	BinSize        *single    `json:"bin_size"`
	CenterBin1Dist *single    `json:"center_bin_1_dist"`
	RealTimeBin    *int       `json:"real_time_bin"`
	Bins           []meterBin `json:"bins"`
	Self           *string    `json:"self"`
}

// binList lists the bins of a meter. All others have the empty shell.
func (a *inquiry) binList(id string) any {
	m, ok := meterOf(id)
	if !ok {
		return meterBins{}
	}
	units, self := a.units(), address(id, "bins")
	size, first := rounded(1, a.metric), rounded(1.9, a.metric)
	list := meterBins{Units: &units, NbrOfBins: m.bins, MaxPICSBin: &m.bins, BinSize: &size, CenterBin1Dist: &first, RealTimeBin: &m.bin, Self: &self}
	for n := 1; n <= m.bins; n++ {
		distance := 0.9 + float64(n)
		list.Bins = append(list.Bins, meterBin{Num: n, Depth: rounded(distance+1.2, a.metric), Distance: rounded(distance, a.metric), QCFlag: 1, IsPICS: true})
	}
	return list
}

type deployment struct {
	Deployed  string `json:"deployed"`
	Retrieved string `json:"retrieved"`
}

// meterStays is the document of a station's deployments.
type meterStays struct {
	Units            string       `json:"units"`
	FloodDirection   *double      `json:"flood_direction_degrees"`
	Orientation      string       `json:"orientation"`
	SensorDepth      *single      `json:"sensor_depth"`
	Depth            *single      `json:"depth"`
	MeasuredDepth    *single      `json:"measured_depth"`
	HeightFromBottom *single      `json:"height_from_bottom"`
	FirstGood        string       `json:"first_good_data"`
	LastGood         string       `json:"last_good_data"`
	Deployments      []deployment `json:"deployments"`
	Self             string       `json:"self"`
}

func (a *inquiry) deployments(id string) any {
	list := meterStays{Units: a.units(), Deployments: []deployment{}, Self: address(id, "deployments")}
	if _, ok := meterOf(id); ok {
		flood, above := double(310), rounded(8, a.metric)
		sensor, depth := rounded(4.5, a.metric), rounded(12.5, a.metric)
		list.FloodDirection, list.Orientation, list.SensorDepth = &flood, "up", &sensor
		list.Depth, list.MeasuredDepth, list.HeightFromBottom = &depth, &depth, &above
		list.FirstGood, list.LastGood = "2005-06-01 00:06:00", ""
		list.Deployments = append(list.Deployments, deployment{Deployed: "2005-06-01 00:00:00.0"})
	}
	return list
}

type namedValue struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// people are the pages for people of a station, by what they are called.
var people = []struct{ name, page string }{
	{"Water Levels", "waterlevels.html?id="}, {"Reports", "reports.html?id="}, {"Tide Predictions", "noaatidepredictions.html?id="},
	{"Meteorological", "met.html?id="}, {"Benchmarks", "benchmarks.html?id="}, {"Datums", "datums.html?id="}, {"Harmonic", "harcon.html?id="},
	{"Sea Level Trends", "sltrends/sltrends_station.shtml?id="}, {"Extreme Water Levels", "est/est_station.shtml?stnid="},
	{"Physical Oceanagraphy", "physocean.html?id="},
}

func (a *inquiry) products(id string) any {
	list := struct {
		Products []namedValue `json:"products"`
		Self     string       `json:"self"`
	}{[]namedValue{}, address(id, "products")}
	g := a.gaugeOf(id)
	if g == nil {
		return list
	}
	has := map[string]bool{
		"Water Levels": g.level, "Reports": g.level, "Benchmarks": g.level, "Datums": g.level, "Tide Predictions": g.tidal, "Harmonic": g.tidal,
		"Meteorological": g.weather, "Sea Level Trends": g.published, "Extreme Water Levels": g.published, "Physical Oceanagraphy": g.offers("water_temperature"),
	}
	for _, k := range people {
		if has[k.name] {
			list.Products = append(list.Products, namedValue{k.name, "https://tidesandcurrents.noaa.gov/" + k.page + id})
		}
	}
	return list
}

type disclaimers struct {
	Disclaimers []any   `json:"disclaimers"`
	Self        *string `json:"self"`
}

type remark struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

func (a *inquiry) disclaimers(id string) any {
	self := address(id, "disclaimers")
	list := disclaimers{[]any{}, &self}
	if s, ok := a.predicted(id); ok && s.Disclaimer() != "" {
		list.Disclaimers = append(list.Disclaimers, remark{"Datum", s.Disclaimer()})
	}
	return list
}

func (a *inquiry) notices(id string) any {
	return struct {
		Notices []remark `json:"notices"`
		Self    string   `json:"self"`
	}{[]remark{}, address(id, "notices")}
}

type neighbour struct {
	StationType string `json:"stationType"`
	Distance    single `json:"distance"`
	place
}

// nearby lists the 25 gauges nearest to a gauge, itself first.
func (a *inquiry) nearby(id string) any {
	list := struct {
		envelope
		Self string `json:"self"`
	}{enclose([]any{}), address(id, "nearby")}
	g := a.gaugeOf(id)
	if g == nil {
		return list
	}
	var near []neighbour
	for _, other := range a.measuring() {
		self, none := site+Metadata+"stations/"+other.id+".json", ""
		n := neighbour{StationType: other.kinds(), Distance: single(float32(kilometres(g, other)))}
		n.place = place{ID: other.id, Name: other.name + ", " + other.state, Lat: double(other.latitude), Lng: double(other.longitude), Portscode: &none, Self: &self}
		near = append(near, n)
	}
	slices.SortStableFunc(near, func(x, y neighbour) int {
		if x.Distance < y.Distance {
			return -1
		}
		return 1
	})
	for _, n := range near[:25] {
		list.Stations = append(list.Stations, n)
	}
	list.Count = len(list.Stations)
	return list
}

// kinds says in words what the gauge measures.
func (g *gauge) kinds() string {
	var kinds []string
	if g.level {
		kinds = append(kinds, "Water Level")
	}
	if g.weather {
		kinds = append(kinds, "Meteorological", "Physical")
	}
	return strings.Join(kinds, ",")
}

// kilometres is the distance between two gauges on a sphere.
func kilometres(a, b *gauge) float64 {
	const degree = math.Pi / 180
	sinLat := math.Sin((b.latitude - a.latitude) * degree / 2)
	sinLon := math.Sin((b.longitude - a.longitude) * degree / 2)
	h := sinLat*sinLat + math.Cos(a.latitude*degree)*math.Cos(b.latitude*degree)*sinLon*sinLon
	return 2 * 6371 * math.Asin(math.Sqrt(h))
}

type benchmark struct {
	Designation string `json:"designation"`
	VM          int    `json:"vm"`
	Lat         double `json:"lat"`
	Lng         double `json:"lng"`
	Description string `json:"description"`
	Published   bool   `json:"published"`
	Stamping    string `json:"stamping"`
}

func (a *inquiry) benchmarks(id string) any {
	list := struct {
		Benchmarks []benchmark `json:"benchmarks"`
		ToReach    string      `json:"to_reach"`
		Self       string      `json:"self"`
	}{[]benchmark{}, "", address(id, "benchmarks")}
	if g := a.gaugeOf(id); g != nil && g.level {
		list.Benchmarks = append(list.Benchmarks, benchmark{
			id[:3] + " " + id[3:] + " A", 1000 + int(g.seed%9000), double(g.latitude), double(g.longitude),
			"The bench mark is a disk set in concrete.\r\n\r\nIt stands near the tide station.", true, id + " A",
		})
		list.ToReach = "The tidal bench marks are near the tide station."
	}
	return list
}

func (a *inquiry) ofsmapoffsets(id string) any { return link{address(id, "ofsmapoffsets")} }
