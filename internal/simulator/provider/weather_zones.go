package provider

import (
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// coastWithin is how near a coast a point must be to have a coastal zone, kilometres.
const coastWithin = 20.0

// zoneEntry is one zone of the tables.
type zoneEntry struct {
	id, name, kind string // kind is public, county, fire, coastal or offshore
	office         *office
	water          *seaZone // of marine zones
}

// zoneList is every zone, office by office.
func zoneList() []zoneEntry {
	var list []zoneEntry
	for i := range offices {
		o := &offices[i]
		list = append(list,
			zoneEntry{o.land, o.landName, "public", o, nil},
			zoneEntry{o.county, o.landName, "county", o, nil},
			zoneEntry{o.fire, o.landName, "fire", o, nil})
		list = append(list, o.marineZones("coastal")...)
	}
	for i := range centres {
		list = append(list, centres[i].marineZones("offshore")...)
	}
	return list
}

func (o *office) marineZones(kind string) []zoneEntry {
	var list []zoneEntry
	for i := range o.waters {
		w := &o.waters[i]
		list = append(list, zoneEntry{w.id, w.name, kind, o, w})
	}
	return list
}

// folders are the words of addresses and queries, and the kinds behind them.
var folders = map[string][]string{
	"land":     {"public"},
	"marine":   {"coastal", "offshore"},
	"forecast": {"public", "coastal", "offshore"},
	"public":   {"public"},
	"coastal":  {"coastal"},
	"offshore": {"offshore"},
	"fire":     {"fire"},
	"county":   {"county"},
}

// zoneName names a zone and its office; a zone of no table gets the first
// office whose zones begin like it.
func zoneName(id string) (*office, string) {
	like := &offices[0]
	for _, z := range slices.Backward(zoneList()) {
		if z.id == id {
			return z.office, z.name
		}
		if strings.HasPrefix(z.id, id[:2]) {
			like = z.office
		}
	}
	return like, id
}

func zoneFolder(id string) string {
	if id[2] == 'C' {
		return "county"
	}
	return "forecast"
}

// listZones answers /zones?type=&id=&point=.
func (s *weatherService) listZones(r *http.Request) (reply, *problem) {
	q := r.URL.Query()
	kind := or(r.PathValue("type"), q.Get("type"))
	if _, ok := folders[kind]; !ok && kind != "" {
		return reply{}, badRequest("type", strconv.Quote(kind)+" is not a valid zone type")
	}
	zones := zoneList()
	if q.Has("point") {
		latitude, longitude, ok := readPoint(q.Get("point"))
		if !ok {
			return reply{}, badRequest("point", strconv.Quote(q.Get("point"))+" does not appear to be a valid coordinate")
		}
		zones = s.zonesAt(latitude, longitude)
	}
	features := []object{}
	for _, z := range zones {
		if (kind == "" || slices.Contains(folders[kind], z.kind)) && (!q.Has("id") || slices.Contains(strings.Split(q.Get("id"), ","), z.id)) {
			features = append(features, s.zoneFeature(z, z.kind, q.Get("include_geometry") != "false"))
		}
	}
	return reply{
		body: object{{"@context", ldContext(placeTerms)}, {"type", "FeatureCollection"}, {"features", features}},
		age:  24 * time.Hour, shared: 2 * time.Minute,
	}, nil
}

// zonesAt are the zones of a point: those of the land or of the high seas, and
// the coastal zone where its water is near.
func (s *weatherService) zonesAt(latitude, longitude float64) []zoneEntry {
	kind := s.surface(latitude, longitude)
	if kind == gridless {
		_, w := nearestCentre(latitude, longitude)
		return zonesNamed(w.id)
	}
	c, ok := s.locate(latitude, longitude)
	if !ok || c.order.Uncovered {
		return nil
	}
	zones := []zoneEntry{}
	if !c.afloat() {
		zones = zonesNamed(c.office.land, c.office.county, c.office.fire)
	}
	if c.water != nil && (c.afloat() || s.shore(latitude, longitude, c.office) <= coastWithin) {
		zones = append(zones, zonesNamed(c.water.id)...)
	}
	return zones
}

// shore is how far the coast is: the nearest tide station, on the lakes the
// nearest spot of a zone.
func (s *weatherService) shore(latitude, longitude float64, o *office) float64 {
	if o.lake() {
		_, km := o.nearestWater(latitude, longitude)
		return km
	}
	return s.stations.Nearest(latitude, longitude, 1, americanTideStation)[0].Kilometers
}

// zonesNamed returns the zones with the ids.
func zonesNamed(ids ...string) []zoneEntry {
	return slices.DeleteFunc(zoneList(), func(z zoneEntry) bool { return !slices.Contains(ids, z.id) })
}

// findZone finds the zone that a request's path names.
func findZone(r *http.Request) (zoneEntry, *problem) {
	kind, id := r.PathValue("type"), r.PathValue("zone")
	for _, z := range zoneList() {
		if z.id == id && slices.Contains(folders[kind], z.kind) {
			return z, nil
		}
	}
	if _, ok := folders[kind]; !ok || !zoneCode.MatchString(id) {
		return zoneEntry{}, notFound()
	}
	return zoneEntry{}, &problem{status: http.StatusNotFound, kind: "InvalidZone", title: "InvalidZone",
		detail: kind + " zone " + id + " does not exist"}
}

// zone answers /zones/{type}/{id}.
func (s *weatherService) zone(r *http.Request) (reply, *problem) {
	z, trouble := findZone(r)
	if trouble != nil {
		return reply{}, trouble
	}
	feature := s.zoneFeature(z, r.PathValue("type"), true)
	return reply{body: append(object{{"@context", ldContext(placeTerms)}}, feature...), age: 24 * time.Hour, shared: 2 * time.Minute}, nil
}

func (s *weatherService) zoneFeature(z zoneEntry, folder string, geometry bool) object {
	if folder == "public" || folder == "coastal" || folder == "offshore" {
		folder = "forecast" // one address for all that have forecasts
	}
	o, url := z.office, api+"/zones/"+folder+"/"+z.id
	var shape any
	if geometry {
		shape = z.square()
	}
	state, grid := any(z.id[:2]), any(o.grid)
	if z.water != nil {
		state = nil
	}
	if o.grid == "" {
		grid = o.id
	}
	return object{
		{"id", url},
		{"type", "Feature"},
		{"geometry", shape},
		{"properties", object{
			{"@id", url},
			{"@type", "wx:Zone"},
			{"id", z.id},
			{"type", z.kind},
			{"name", z.name},
			{"effectiveDate", "2025-03-18T18:00:00+00:00"},
			{"expirationDate", "2200-01-01T00:00:00+00:00"},
			{"state", state},
			{"forecastOffice", api + "/offices/" + o.id},
			{"gridIdentifier", grid},
			{"awipsLocationIdentifier", grid},
			{"cwa", []string{o.id}},
			{"forecastOffices", []string{api + "/offices/" + o.id}},
			{"timeZone", []string{o.zone}},
			{"observationStations", []string{}},
			{"radarStation", orNull(strings.TrimPrefix(o.radar, "K"))},
		}},
	}
}

// square stands for a zone's outline, 20 km around its spot.
func (z zoneEntry) square() object {
	latitude, longitude := z.office.latitude, z.office.longitude
	if z.water != nil {
		latitude, longitude = z.water.latitude, z.water.longitude
	}
	dy := coastWithin / degreeKilometers
	dx := dy / math.Cos(latitude*math.Pi/180)
	w, e, s, n := round4(longitude-dx), round4(longitude+dx), round4(latitude-dy), round4(latitude+dy)
	return object{{"type", "Polygon"}, {"coordinates", [][][2]float64{{{w, s}, {e, s}, {e, n}, {w, n}, {w, s}}}}}
}

// zoneForecast answers /zones/{type}/{id}/forecast, which marine zones do not have.
func (s *weatherService) zoneForecast(r *http.Request) (reply, *problem) {
	z, trouble := findZone(r)
	switch {
	case trouble != nil:
		return reply{}, trouble
	case z.water != nil:
		return reply{}, marineForecast()
	case z.kind != "public":
		return reply{}, notFound()
	}
	c := s.settle(cell{office: z.office, x: z.office.x, y: z.office.y})
	updated := z.office.updated(s.now())
	periods := []object{}
	for _, p := range s.halves(c, 14) {
		periods = append(periods, object{{"number", p.number}, {"name", p.name}, {"detailedForecast", p.words()}})
	}
	return reply{
		body: object{
			{"@context", ldContext(`"@version":"1.1"`)},
			{"type", "Feature"},
			{"geometry", z.square()},
			{"properties", object{
				{"zone", api + "/zones/forecast/" + z.id},
				{"updated", stamp(updated.In(location(z.office.zone)))},
				{"periods", periods},
			}},
		},
		age: countdown(s.now(), time.Hour, z.id), shared: time.Hour, modified: updated,
	}, nil
}
