package provider

import (
	"math"
	"net/http"
)

// point serves /points/{lat},{lon}. On the high seas a point has a zone and a center, but no cell.
func (s *weatherService) point(r *http.Request) (reply, *problem) {
	latitude, longitude, ok := readPoint(r.PathValue("point"))
	if !ok {
		return badParameter()
	}
	c, gridded := s.locate(latitude, longitude)
	switch {
	case gridded:
		return feature(s.gridded(c, latitude, longitude)), nil
	case s.surfaceAt(latitude, longitude) == highSeas:
		return feature(highSeasPoint(latitude, longitude)), nil
	}
	return missing("InvalidPoint", "Data Unavailable For Requested Point",
		"Unable to provide data for requested point "+pointName(latitude, longitude))
}

// gridded returns the properties of a point in a cell.
func (a *atlas) gridded(c cell, latitude, longitude float64) object {
	o, kind := c.office, "marine"
	var county, fire any
	if !c.afloat() {
		kind, county, fire = "land", zoneURL(o.County, "county"), zoneURL(o.Fire, "fire")
	}
	return object{
		{"cwa", o.ID},
		{"type", kind},
		{"gridId", o.GridID},
		{"gridX", c.x},
		{"gridY", c.y},
		{"relativeLocation", relativeLocation(latitude, longitude)},
		{"forecastZone", zoneURL(c.forecastZone(), "forecast")},
		{"county", county},
		{"fireWeatherZone", fire},
		{"timeZone", a.timeZone(c, latitude, longitude)},
	}
}

// highSeasPoint returns the properties of a point without a cell.
func highSeasPoint(latitude, longitude float64) object {
	center, w := centerOf(latitude, longitude)
	near, _ := nearestOffice(offices, func(o *office) float64 {
		if _, km := o.nearestWater(latitude, longitude); o.ocean() {
			return km
		}
		return math.Inf(1)
	})
	return object{
		{"cwa", center.ID},
		{"type", "marine"},
		{"gridId", nil},
		{"gridX", nil},
		{"gridY", nil},
		{"relativeLocation", relativeLocation(latitude, longitude)},
		{"forecastZone", zoneURL(w.ID, "forecast")},
		{"county", nil},
		{"fireWeatherZone", nil},
		{"timeZone", near.Zone},
	}
}

// timeZone returns the time zone of the nearest tide station, or the office's if no station is
// near.
func (a *atlas) timeZone(c cell, latitude, longitude float64) string {
	near := a.coastStation(latitude, longitude, true)
	if near.Kilometers > griddedWithin {
		return c.office.Zone
	}
	return near.Station.Zone
}

// relativeLocation returns the town near a point.
func relativeLocation(latitude, longitude float64) object {
	o, _ := nearestOffice(offices, func(o *office) float64 {
		return kilometers(latitude, longitude, o.TownLatitude, o.TownLongitude)
	})
	town := object{{"city", o.Town}, {"state", o.State}}
	return object{{"type", "Feature"}, {"properties", town}}
}
