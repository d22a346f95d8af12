package noaa

import (
	"context"
	"net/url"
	"strings"
	"time"

	"leadline/internal/upstream"
)

// Station is one row of the metadata service's lists. What a list does not
// tell is empty or nil.
type Station struct {
	ID, Name, State     string // state in two letters, empty outside the states and territories
	Latitude, Longitude float64
	Offset              *float64 // hours of local standard time from UTC, -8 in Seattle
	ObservesDST         *bool
	Tidal, GreatLakes   bool   // told in the lists of water levels alone
	Type                string // tide predictions: R harmonic, S subordinate; current predictions: H harmonic, S subordinate, W weak and variable
	Reference           string // tide predictions: the reference station; R stations may have one too
	Bin                 *int   // current predictions: the bin that the row is about
	Depth               *float64
	DepthType           string // S below the surface, B above the bottom, U unknown
	TideType            string // Mixed, Diurnal, Semidiurnal
	ZoneName            string // "PST"
	Affiliations, Port  string // networks such as NWLON, the two letters of a PORTS
	FloodDays           *bool  // whether days of flooding are counted here
	Project             string // current meters: the survey
	Deployed, Retrieved *time.Time
}

// Stations lists the stations of one kind: waterlevels, tidepredictions,
// currentpredictions, met, ... (the service takes waterlevels for none). Of
// currentpredictions there is one row for each bin, the first of an id being
// its own. Rows without a position are left out. Depths are in metres, below
// what DepthType says.
func (c *Client) Stations(ctx context.Context, kind string) (upstream.Value[[]Station], error) {
	q := about("", "", strings.TrimSpace(kind+" stations"))
	q.path = metadataRoot + ".json"
	if kind != "" {
		q.query.Set("type", kind)
	}
	return consult(ctx, c, q, readStations)
}

// Station returns one station; of a current station with several bins, the
// first row. The service has its ids in one case only: cb0102, PUG1515.
func (c *Client) Station(ctx context.Context, id string) (upstream.Value[Station], error) {
	q := about(id, "", "")
	q.path = metadataRoot + "/" + url.PathEscape(id) + ".json"
	q.class.Negative = day // stations do not appear by the hour
	return consult(ctx, c, q, func(body []byte) (Station, error) { return readStation(body, id) })
}

func readStation(body []byte, id string) (Station, error) {
	list, err := readStations(body)
	if err != nil {
		return Station{}, err
	}
	if !strings.EqualFold(list[0].ID, id) {
		w := new(wire)
		w.unknown("station %.20q is not the one asked for", list[0].ID)
		return Station{}, w.err
	}
	return list[0], nil
}

func readStations(body []byte) ([]Station, error) {
	r := openRecord(body)
	r.need("stations")
	var list []Station
	rows := 0
	r.each("stations", func(row *record) {
		rows++
		if s, ok := row.station(); ok {
			list = append(list, s)
		}
	})
	if rows > 0 && len(list) == 0 {
		r.unknown("no station has a position")
	}
	return some(list, r.err)
}

// station reads a row; ok is false where it has no position.
func (r *record) station() (s Station, ok bool) {
	s = Station{
		ID: r.certainText("id"), Name: r.text("name"), State: r.text("state"),
		Offset: r.number("timezonecorr", "timezone_offset"), ObservesDST: r.flag("observedst"),
		Tidal: r.isSet("tidal"), GreatLakes: r.isSet("greatlakes"),
		Type: r.text("type"), Reference: r.text("reference_id"),
		Bin: r.whole("currbin"), Depth: r.number("depth"), DepthType: r.text("depthType"),
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
		r.unknown("%s lies at %v, %v", s.ID, s.Latitude, s.Longitude)
	}
	return s, true
}

// Details is the history of a station. The service does not name the zone of
// its times: take their days.
type Details struct {
	Established, Removed, Origin *time.Time // Removed is nil while the station stands; Origin begins the present series
	Chart                        string     // number of the nautical chart
	Meridian                     *float64   // of the local standard time, degrees east
	Offset                       *float64   // hours of local standard time from UTC
}

// Details returns the history of a water-level station.
func (c *Client) Details(ctx context.Context, id string) (upstream.Value[Details], error) {
	return consult(ctx, c, about(id, "details", "details"), readDetails)
}

func readDetails(body []byte) (Details, error) {
	r := openRecord(body)
	r.need("established")
	d := Details{
		Established: r.moment("established"), Removed: r.moment("removed"), Origin: r.moment("origyear"),
		Chart: r.text("noaachart"), Meridian: r.number("timemeridian"), Offset: r.number("timezone"),
	}
	if r.err == nil && d == (Details{}) {
		return d, errNothing
	}
	return d, r.err
}

// Sensor is an instrument of a station.
type Sensor struct {
	ID, Name  string   // "F1", "Barometric Pressure"
	Elevation *float64 // m above Datum
	Datum     string   // MSL, MLLW, Site Elevation; empty where there is no elevation
	Status    *int     // 1: working
	Message   string   // what is the matter with it
	DCP       *int     // number of the data collection platform
}

// Sensors lists the instruments of a station.
func (c *Client) Sensors(ctx context.Context, id string) (upstream.Value[[]Sensor], error) {
	return consult(ctx, c, about(id, "sensors", "sensors"), readSensors)
}

func readSensors(body []byte) ([]Sensor, error) {
	r := openRecord(body)
	r.need("sensors")
	unit := r.factor(lengths, 1, "units")
	var list []Sensor
	r.each("sensors", func(s *record) {
		list = append(list, Sensor{
			ID: s.certainText("sensorID"), Name: s.text("name"),
			Elevation: scaled(s.number("elevation"), unit), Datum: s.text("refdatum"),
			Status: s.whole("status"), Message: s.text("message"), DCP: s.whole("dcp"),
		})
	})
	return some(list, r.err)
}
