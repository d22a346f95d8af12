package provider

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// placeTerms are the terms of the JSON-LD context of points, zones and stations.
const placeTerms = `"@version":"1.1","wx":"https://api.weather.gov/ontology#","s":"https://schema.org/","geo":"http://www.opengis.net/ont/geosparql#","unit":"http://codes.wmo.int/common/unit/","@vocab":"https://api.weather.gov/ontology#","geometry":{"@id":"s:GeoCoordinates","@type":"geo:wktLiteral"},"city":"s:addressLocality","state":"s:addressRegion","distance":{"@id":"s:Distance","@type":"s:QuantitativeValue"},"bearing":{"@type":"s:QuantitativeValue"},"value":{"@id":"s:value"},"unitCode":{"@id":"s:unitCode","@type":"@id"},"forecastOffice":{"@type":"@id"},"forecastGridData":{"@type":"@id"},"publicZone":{"@type":"@id"},"county":{"@type":"@id"}`

// ldContext is a JSON-LD context with the terms given.
func ldContext(terms string) json.RawMessage {
	return json.RawMessage(`["https://geojson.org/geojson-ld/geojson-context.jsonld",{` + terms + `}]`)
}

// point answers /points/{lat},{lon}. Whether the point is covered comes before
// whether it is written as the service likes it: 0.0,0.0 is not found.
func (s *weatherService) point(r *http.Request) (reply, *problem) {
	text := r.PathValue("point")
	latitude, longitude, ok := readPoint(text)
	if !ok {
		return reply{}, badRequest("point", fmt.Sprintf("%q does not appear to be a valid coordinate", text))
	}
	name := pointName(latitude, longitude)
	kind := s.surface(latitude, longitude)
	c, gridded := s.locate(latitude, longitude)
	if kind == outside || kind != gridless && !gridded || c.order.Uncovered {
		return reply{}, &problem{status: http.StatusNotFound, kind: "InvalidPoint", title: "Data Unavailable For Requested Point",
			detail: "Unable to provide data for requested point " + name}
	}
	if name != text {
		return reply{}, adjustPrecision(name)
	}
	properties := highSeas(latitude, longitude)
	if gridded {
		properties = s.grounds(c, latitude, longitude)
	}
	return reply{
		body: object{
			{"@context", ldContext(placeTerms)},
			{"id", api + "/points/" + name},
			{"type", "Feature"},
			{"geometry", pointGeometry(latitude, longitude)},
			{"properties", append(object{{"@id", api + "/points/" + name}, {"@type", "wx:Point"}}, properties...)},
		},
		age:    countdown(s.now(), 24*time.Hour, name),
		shared: 2 * time.Minute,
	}, nil
}

func adjustPrecision(name string) *problem {
	return &problem{status: http.StatusMovedPermanently, kind: "AdjustPointPrecision", title: "Adjusting Precision Of Point Coordinate",
		detail: "The precision of latitude/longitude points is limited to 4 decimal digits for efficiency. " +
			"The location attribute contains your request mapped to the nearest supported point. " +
			"If your client supports it, you will be redirected.",
		location: "/points/" + name}
}

// readPoint reads "lat,lon".
func readPoint(text string) (latitude, longitude float64, ok bool) {
	a, b, _ := strings.Cut(text, ",")
	latitude, err1 := strconv.ParseFloat(a, 64)
	longitude, err2 := strconv.ParseFloat(b, 64)
	ok = err1 == nil && err2 == nil && math.Abs(latitude) <= 90 && math.Abs(longitude) <= 180
	return latitude, longitude, ok
}

func pointName(latitude, longitude float64) string {
	return decimal(latitude) + "," + decimal(longitude)
}

func pointGeometry(latitude, longitude float64) object {
	return object{{"type", "Point"}, {"coordinates", []json.Number{json.Number(decimal6(longitude)), json.Number(decimal6(latitude))}}}
}

// decimal6 writes a coordinate with up to six decimals.
func decimal6(degrees float64) string {
	return strconv.FormatFloat(math.Round(degrees*1e6)/1e6+0, 'f', -1, 64)
}

// countdown is what is left of the time for which an answer may be kept,
// when its last renewal lies somewhere within that.
func countdown(now time.Time, whole time.Duration, name string) time.Duration {
	seconds := uint64(whole / time.Second)
	return whole - time.Duration((uint64(now.Unix())+scramble(name))%seconds)*time.Second
}

// grounds are the properties of a point with a cell.
func (s *weatherService) grounds(c cell, latitude, longitude float64) object {
	o := c.office
	kind, county, fire := "land", any(api+"/zones/county/"+o.county), any(api+"/zones/fire/"+o.fire)
	if c.afloat() {
		kind, county, fire = "marine", nil, nil
	}
	return object{
		{"cwa", o.id},
		{"type", kind},
		{"forecastOffice", api + "/offices/" + o.id},
		{"gridId", o.grid},
		{"gridX", c.x},
		{"gridY", c.y},
		{"forecast", c.url() + "/forecast"},
		{"forecastHourly", c.url() + "/forecast/hourly"},
		{"forecastGridData", c.url()},
		{"observationStations", c.url() + "/stations"},
		{"relativeLocation", relativeLocation(latitude, longitude)},
		{"forecastZone", api + "/zones/forecast/" + c.forecastZone()},
		{"county", county},
		{"fireWeatherZone", fire},
		{"timeZone", s.clockZone(c, latitude, longitude)},
		{"radarStation", orNull(o.radar)},
	}
}

// clockZone is the zone of the nearest tide station, or the office's far from any.
func (s *weatherService) clockZone(c cell, latitude, longitude float64) string {
	near := s.stations.Nearest(latitude, longitude, 1, americanTideStation)[0]
	if near.Kilometers > griddedWithin {
		return c.office.zone
	}
	return near.Station.Zone
}

// highSeas are the properties of a point beyond every grid.
func highSeas(latitude, longitude float64) object {
	o, zone := nearestCentre(latitude, longitude)
	near, _ := nearestWater(latitude, longitude, (*office).ocean)
	return object{
		{"cwa", o.id},
		{"type", "marine"},
		{"forecastOffice", api + "/offices/" + o.id},
		{"gridId", nil},
		{"gridX", nil},
		{"gridY", nil},
		{"forecast", nil},
		{"forecastHourly", nil},
		{"forecastGridData", nil},
		{"observationStations", nil},
		{"relativeLocation", relativeLocation(latitude, longitude)},
		{"forecastZone", api + "/zones/forecast/" + zone.id},
		{"county", nil},
		{"fireWeatherZone", nil},
		{"timeZone", near.zone},
		{"radarStation", orNull(near.radar)},
	}
}

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// relativeLocation says near which town a point is: how far, and in which
// direction from there.
func relativeLocation(latitude, longitude float64) object {
	t := nearestTown(latitude, longitude)
	return object{
		{"type", "Feature"},
		{"geometry", pointGeometry(t.latitude, t.longitude)},
		{"properties", object{
			{"city", t.name},
			{"state", t.state},
			{"distance", quantity("wmoUnit:m", 1000*kilometers(t.latitude, t.longitude, latitude, longitude))},
			{"bearing", quantity("wmoUnit:degree_(angle)", bearing(t.latitude, t.longitude, latitude, longitude))},
		}},
	}
}
