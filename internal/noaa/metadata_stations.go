package noaa

import (
	"context"
	"net/url"
	"strings"
	"time"

	"leadline/internal/upstream"
)

// Station is one row of the metadata service's lists. Values that a list does not have are empty
// or nil.
type Station struct {
	ID, Name, State     string // state in two letters, empty outside the states and territories
	Latitude, Longitude float64
	Offset              *float64 // hours of local standard time from UTC, -8 in Seattle
	ObservesDST         *bool
	Tidal, GreatLakes   bool // set only in the lists of water levels
	// Type of tide predictions: R harmonic, S subordinate; of current predictions: H harmonic, S
	// subordinate, W weak and variable.
	Type                string
	Reference           string // tide predictions: the reference station; R stations may have one too
	Bin                 *int   // current predictions: the bin of the row
	Depth               *float64
	DepthType           string // S below the surface, B above the bottom, U unknown
	TideType            string // Mixed, Diurnal, Semidiurnal
	ZoneName            string // "PST"
	Affiliations, Port  string // networks such as NWLON; two letters of a PORTS
	FloodDays           *bool  // days of flooding are counted here
	Project             string // current meters: the survey
	Deployed, Retrieved *time.Time
}

// Stations lists the stations of one kind: waterlevels, tidepredictions, currentpredictions, met,
// ...; without a kind the service lists waterlevels. currentpredictions have one row for each
// bin, first the default bin of an id. Rows without a position are omitted. Depths are in meters
// from the level that DepthType names.
func (c *Client) Stations(ctx context.Context, kind string) (upstream.Value[[]Station], error) {
	q := newDocumentQuery("", "", strings.TrimSpace(kind+" stations"))
	q.path = metadataRoot + ".json"
	if kind != "" {
		q.query.Set("type", kind)
	}
	return getDocument(ctx, c, q, readStations)
}

// Station returns one station; for a current station with several bins, the first row. Ids are
// case-sensitive: cb0102, PUG1515.
func (c *Client) Station(ctx context.Context, id string) (upstream.Value[Station], error) {
	q := newDocumentQuery(id, "", "")
	q.path = metadataRoot + "/" + url.PathEscape(id) + ".json"
	q.class.Negative = day // new stations are rare
	return getDocument(ctx, c, q, func(body []byte) (Station, error) { return readStation(body, id) })
}

func readStation(body []byte, id string) (Station, error) {
	list, err := readStations(body)
	if err != nil {
		return Station{}, err
	}
	if !strings.EqualFold(list[0].ID, id) {
		w := new(decoding)
		w.unknown("station %.20q is not the requested one", list[0].ID)
		return Station{}, w.err
	}
	return list[0], nil
}

func readStations(body []byte) ([]Station, error) {
	r := openDocument(body)
	r.need("stations")
	var list []Station
	rows := 0
	r.each("stations", func(row *record) {
		rows++
		if s, ok := row.stationRow(); ok {
			list = append(list, s)
		}
	})
	if rows > 0 && len(list) == 0 {
		r.unknown("no station has a position")
	}
	return nonEmpty(list, r.err)
}

// stationRow reads a row of a list of stations; ok is false if it does not have a position.
func (r *record) stationRow() (s Station, ok bool) {
	s = Station{
		ID: r.requiredText("id"), Name: r.text("name"), State: r.text("state"),
		Offset: r.number("timezonecorr", "timezone_offset"), ObservesDST: r.flag("observedst"),
		Tidal: r.isSet("tidal"), GreatLakes: r.isSet("greatlakes"),
		Type: r.text("type"), Reference: r.text("reference_id"),
		Bin: r.integer("currbin"), Depth: r.number("depth"), DepthType: r.text("depthType"),
		TideType: r.text("tideType"), ZoneName: r.text("timezone"),
		Affiliations: r.text("affiliations"), Port: r.text("portscode"),
		FloodDays: r.flag("HTFhistorical"), Project: r.text("project"),
		Deployed: r.moment("deployed"), Retrieved: r.moment("retrieved"),
	}
	latitude, longitude := r.number("lat"), r.number("lng", "lon")
	if latitude == nil || longitude == nil {
		return s, false
	}
	s.Latitude, s.Longitude = *latitude, *longitude
	if s.Latitude < -90 || s.Latitude > 90 || s.Longitude < -180 || s.Longitude > 180 {
		r.unknown("%s is at %v, %v", s.ID, s.Latitude, s.Longitude)
	}
	return s, true
}

// Details holds the history of a station. The service does not give the time zone: use the days
// only.
type Details struct {
	// Removed is nil while the station exists; Origin begins the current series.
	Established, Removed, Origin *time.Time
	Chart                        string   // number of the nautical chart
	Meridian                     *float64 // of the local standard time, degrees east
	Offset                       *float64 // hours of local standard time from UTC
}

// Details returns the history of a water-level station.
func (c *Client) Details(ctx context.Context, id string) (upstream.Value[Details], error) {
	return getDocument(ctx, c, newDocumentQuery(id, "details", "details"), readDetails)
}

func readDetails(body []byte) (Details, error) {
	r := openDocument(body)
	r.need("established")
	d := Details{
		Established: r.moment("established"), Removed: r.moment("removed"), Origin: r.moment("origyear"),
		Chart: r.text("noaachart"), Meridian: r.number("timemeridian"), Offset: r.number("timezone"),
	}
	if r.err == nil && d == (Details{}) {
		return d, errNoData
	}
	return d, r.err
}

// Sensor is an instrument of a station.
type Sensor struct {
	ID, Name  string   // "F1", "Barometric Pressure"
	Elevation *float64 // m above Datum
	Datum     string   // MSL, MLLW, Site Elevation; empty without an elevation
	Status    *int     // 1: working
	Message   string   // describes a problem
	DCP       *int     // number of the data collection platform
}

// Sensors lists the instruments of a station.
func (c *Client) Sensors(ctx context.Context, id string) (upstream.Value[[]Sensor], error) {
	return getDocument(ctx, c, newDocumentQuery(id, "sensors", "sensors"), readSensors)
}

func readSensors(body []byte) ([]Sensor, error) {
	r := openDocument(body)
	unit := r.factor(lengths, 1, "units")
	return readRows(r, "sensors", func(s *record) Sensor {
		return Sensor{
			ID: s.requiredText("sensorID"), Name: s.text("name"),
			Elevation: scaled(s.number("elevation"), unit), Datum: s.text("refdatum"),
			Status: s.integer("status"), Message: s.text("message"), DCP: s.integer("dcp"),
		}
	})
}

// Product is a page of the provider's site about a station.
type Product struct{ Name, URL string }

// Products lists the pages of the provider's site about a station.
func (c *Client) Products(ctx context.Context, id string) (upstream.Value[[]Product], error) {
	return getDocument(ctx, c, newDocumentQuery(id, "products", "products"), readProducts)
}

func readProducts(body []byte) ([]Product, error) {
	return readRows(openDocument(body), "products", func(row *record) Product {
		return Product{Name: row.requiredText("name"), URL: row.text("value")}
	})
}

// Notice is a notice of the provider about a station. Its text may contain HTML, as received.
type Notice struct{ Name, Text string }

// Notices lists the current problems of a station; if there are none, the error is
// product_unavailable.
func (c *Client) Notices(ctx context.Context, id string) (upstream.Value[[]Notice], error) {
	return getDocument(ctx, c, newDocumentQuery(id, "notices", "notices"), readNotices("notices"))
}

// Disclaimers lists the caveats about a station's data; if there are none, the error is
// product_unavailable.
func (c *Client) Disclaimers(ctx context.Context, id string) (upstream.Value[[]Notice], error) {
	return getDocument(ctx, c, newDocumentQuery(id, "disclaimers", "disclaimers"),
		readNotices("disclaimers"))
}

func readNotices(name string) func(body []byte) ([]Notice, error) {
	return func(body []byte) ([]Notice, error) {
		return readRows(openDocument(body), name, func(row *record) Notice {
			row.need("name", "text")
			return Notice{Name: row.text("name"), Text: row.text("text")}
		})
	}
}

// Benchmark is a mark on land by which a station's levels are checked.
type Benchmark struct {
	Designation, Stamping string // "944 7130 TIDAL 7", "NO 7"
	Description           string // of its location
	Latitude, Longitude   *float64
	Published             *bool
	Established           string // day, yyyy-mm-dd
	Agency                string
	Monument, Setting     string // kind of mark, and what it is set in
	Condition             string // "Good", "Destroyed"
	PID                   string // the geodetic survey's identifier
}

// Benchmarks lists the bench marks of a station.
func (c *Client) Benchmarks(ctx context.Context, id string) (upstream.Value[[]Benchmark], error) {
	return getDocument(ctx, c, newDocumentQuery(id, "benchmarks", "bench marks"), readBenchmarks)
}

func readBenchmarks(body []byte) ([]Benchmark, error) {
	return readRows(openDocument(body), "benchmarks", func(row *record) Benchmark {
		row.need("designation")
		return Benchmark{
			Designation: row.text("designation"), Stamping: row.text("stamping"),
			Description: row.text("description"),
			Latitude:    row.number("lat"), Longitude: row.number("lng", "lon"),
			Published:   row.flag("published"),
			Established: row.isoDay("dateEst"), Agency: row.text("agency"),
			Monument: row.text("monumentTypeDescr"), Setting: row.text("settingClassDescr"),
			Condition: row.text("monumentCondDescr"), PID: row.text("idbPid"),
		}
	})
}

// mile is the statute mile in kilometers.
const mile = 1.609344

// Nearby is a station near another one.
type Nearby struct {
	ID, Name string
	// Kilometers is rough. The service counts 69.1 miles for each degree of latitude and 53 for each
	// of longitude, which is right at 40 degrees north. At Seattle it is 12 percent too much along
	// the parallel. Positions give a better distance.
	Kilometers          float64
	Latitude, Longitude *float64
	Kind                string // "Water Level,Meteorological,Physical"
}

// Nearby lists the stations near one, the nearest first; usually the first is that station itself,
// at 0.
func (c *Client) Nearby(ctx context.Context, id string) (upstream.Value[[]Nearby], error) {
	return getDocument(ctx, c, newDocumentQuery(id, "nearby", "stations nearby"), readNearby)
}

func readNearby(body []byte) ([]Nearby, error) {
	return readRows(openDocument(body), "stations", func(row *record) Nearby {
		return Nearby{
			ID: row.requiredText("id"), Name: row.text("name"),
			Kilometers: row.required("distance") * mile,
			Latitude:   row.number("lat"), Longitude: row.number("lng", "lon"),
			Kind: row.text("stationType"),
		}
	})
}
