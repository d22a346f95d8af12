package provider

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// coastWithin is the distance from the coast within which a point has a coastal zone, kilometers.
const coastWithin = 20.0

// nwsZone is one zone of the tables.
type nwsZone struct {
	id, name, kind string // kind is public, county, fire, coastal or offshore
	office         *office
	water          *marineZone // of marine zones
}

// zoneList lists every zone, office by office.
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

var zoneCode = regexp.MustCompile(`^[A-Z]{2}[CZ][0-9]{3}$`)

// zoneOf returns the zone with an id. An unknown zone gets the first office whose zones begin with
// the same two letters.
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

// zoneURL returns the URL of a zone. All kinds that have forecasts share one path.
func zoneURL(id, kind string) string {
	if kind != "county" && kind != "fire" {
		kind = "forecast"
	}
	return nwsRoot + "/zones/" + kind + "/" + id
}

// listZones serves /zones?type=&point=.
func (s *weatherService) listZones(r *http.Request) (reply, *problem) {
	latitude, longitude, ok := readPoint(r.URL.Query().Get("point"))
	if !ok {
		return badParameter()
	}
	var list []object
	for _, z := range s.zonesAt(latitude, longitude) {
		if z.kind == r.URL.Query().Get("type") {
			list = append(list, object{
				{"id", z.id},
				{"type", z.kind},
				{"name", z.name},
				{"cwa", []string{z.office.ID}},
				{"timeZone", []string{z.office.Zone}},
			})
		}
	}
	return collection(list), nil
}

// zonesAt returns the zones of a point: the zones of the land or of the high seas, and the
// coastal zone if its water is near.
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

// shore returns the distance from the coast: from the nearest tide station, on the lakes from the
// nearest zone.
func (a *atlas) shore(latitude, longitude float64, o *office) float64 {
	if o.onLakes() {
		_, km := o.nearestWater(latitude, longitude)
		return km
	}
	return a.coastStation(latitude, longitude, true).Kilometers
}
