package provider

import (
	"cmp"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
)

// coastWithin is the greatest distance from the coast in a coastal zone, kilometers.
const coastWithin = 20.0

// nwsZone is one zone of the tables.
type nwsZone struct {
	id, name, kind string // kind is public, county, fire, coastal or offshore
	office         *office
	water          *marineZone // of marine zones
}

// zoneList is every zone, office by office.
var zoneList = listOfZones()

func listOfZones() (list []nwsZone) {
	for _, o := range slices.Concat(offices, centers) {
		kind := "offshore"
		if o.GridID != "" {
			kind = "coastal"
			list = append(list, nwsZone{o.Land, o.LandName, "public", o, nil},
				nwsZone{o.County, o.LandName, "county", o, nil}, nwsZone{o.Fire, o.LandName, "fire", o, nil})
		}
		for i := range o.Waters {
			list = append(list, nwsZone{o.Waters[i].ID, o.Waters[i].Name, kind, o, &o.Waters[i]})
		}
	}
	return list
}

// zoneTypes are the words of addresses and queries, and the kinds behind them.
var zoneTypes = map[string][]string{
	"land": {"public"}, "marine": {"coastal", "offshore"}, "forecast": {"public", "coastal", "offshore"},
	"public": {"public"}, "coastal": {"coastal"}, "offshore": {"offshore"}, "fire": {"fire"}, "county": {"county"},
}

var zoneCode = regexp.MustCompile(`^[A-Z]{2}[CZ][0-9]{3}$`)

// zoneOf finds the zone with an id; one of no table gets the first office whose
// zones begin like it.
func zoneOf(id string) nwsZone {
	like := nwsZone{id: id, name: id, office: offices[0]}
	for _, z := range slices.Backward(zoneList) {
		if z.id == id {
			return z
		}
		if strings.HasPrefix(z.id, id[:2]) {
			like.office = z.office
		}
	}
	return like
}

// zoneURL is the address of a zone: one for all kinds that have forecasts.
func zoneURL(id, kind string) string {
	if kind != "county" && kind != "fire" {
		kind = "forecast"
	}
	return nwsRoot + "/zones/" + kind + "/" + id
}

// listZones serves /zones?type=&point=.
func (s *weatherService) listZones(r *http.Request) (reply, *problem) {
	q := r.URL.Query()
	kind, zones := q.Get("type"), zoneList
	if _, ok := zoneTypes[kind]; !ok && kind != "" {
		return reply{}, badParameter("type", kind, "zone type")
	}
	if q.Has("point") {
		latitude, longitude, ok := readPoint(q.Get("point"))
		if !ok {
			return reply{}, badParameter("point", q.Get("point"), "coordinate")
		}
		zones = s.zonesAt(latitude, longitude)
	}
	features := []object{}
	for _, z := range zones {
		if kind == "" || slices.Contains(zoneTypes[kind], z.kind) {
			features = append(features, z.feature(q.Get("include_geometry") != "false"))
		}
	}
	return reply{
		body: object{
			{"@context", ldContext(placeTerms)}, {"type", "FeatureCollection"}, {"features", features},
		},
		age: 24 * time.Hour, shared: 2 * time.Minute,
	}, nil
}

// zonesAt are the zones of a point: those of the land or of the high seas, and
// the coastal zone if its water is near.
func (a *atlas) zonesAt(latitude, longitude float64) []nwsZone {
	if a.surfaceAt(latitude, longitude) == highSeas {
		_, w := centerOf(latitude, longitude)
		return []nwsZone{zoneOf(w.ID)}
	}
	c, ok := a.locate(latitude, longitude)
	if !ok {
		return nil
	}
	var zones []nwsZone
	if !c.afloat() {
		elsewhere := func(z nwsZone) bool { return z.office != c.office || z.water != nil }
		zones = slices.DeleteFunc(slices.Clone(zoneList), elsewhere)
	}
	if c.water != nil && (c.afloat() || a.shore(latitude, longitude, c.office) <= coastWithin) {
		zones = append(zones, zoneOf(c.water.ID))
	}
	return zones
}

// centerOf returns the center whose waters are nearest, and the water.
func centerOf(latitude, longitude float64) (*office, *marineZone) {
	o, _ := nearestOffice(centers, func(o *office) float64 {
		_, km := o.nearestWater(latitude, longitude)
		return km
	})
	w, _ := o.nearestWater(latitude, longitude)
	return o, w
}

// shore returns the distance of the coast: the nearest tide station, on the lakes the
// nearest spot of a zone.
func (a *atlas) shore(latitude, longitude float64, o *office) float64 {
	if o.onLakes() {
		_, km := o.nearestWater(latitude, longitude)
		return km
	}
	return a.coastStation(latitude, longitude, true).Kilometers
}

// oneZone serves /zones/{type}/{id}.
func (s *weatherService) oneZone(r *http.Request) (reply, *problem) {
	kind, id := r.PathValue("type"), r.PathValue("zone")
	for _, z := range zoneList {
		if z.id == id && slices.Contains(zoneTypes[kind], z.kind) {
			body := append(object{{"@context", ldContext(placeTerms)}}, z.feature(true)...)
			return reply{body: body, age: 24 * time.Hour, shared: 2 * time.Minute}, nil
		}
	}
	if _, ok := zoneTypes[kind]; !ok || !zoneCode.MatchString(id) {
		return reply{}, noSuchPage()
	}
	return reply{}, missing("InvalidZone", "InvalidZone", kind+" zone "+id+" does not exist")
}

func (z nwsZone) feature(geometry bool) object {
	o, url := z.office, zoneURL(z.id, z.kind)
	state, grid := any(z.id[:2]), cmp.Or(o.GridID, o.ID)
	if z.water != nil {
		state = nil
	}
	var outline any
	if geometry {
		outline = z.square()
	}
	return object{
		{"id", url},
		{"type", "Feature"},
		{"geometry", outline},
		{"properties", object{
			{"@id", url},
			{"@type", "wx:Zone"},
			{"id", z.id},
			{"type", z.kind},
			{"name", z.name},
			{"effectiveDate", "2025-03-18T18:00:00+00:00"},
			{"expirationDate", "2200-01-01T00:00:00+00:00"},
			{"state", state},
			{"forecastOffice", nwsRoot + "/offices/" + o.ID},
			{"gridIdentifier", grid},
			{"awipsLocationIdentifier", grid},
			{"cwa", []string{o.ID}},
			{"forecastOffices", []string{nwsRoot + "/offices/" + o.ID}},
			{"timeZone", []string{o.Zone}},
			{"observationStations", []string{}},
			{"radarStation", orNull(strings.TrimPrefix(o.Radar, "K"))},
		}},
	}
}

// square replaces the outline of a zone: 20 km around its spot.
func (z nwsZone) square() object {
	latitude, longitude := z.office.Latitude, z.office.Longitude
	if z.water != nil {
		latitude, longitude = z.water.Latitude, z.water.Longitude
	}
	dy := coastWithin / degreeKilometers
	return squareGeometry(latitude, longitude, dy, dy/math.Cos(latitude*math.Pi/180))
}
