package provider

import (
	"math"
	"net/http"
	"time"
)

// point serves /points/{lat},{lon}. Whether the point is covered is checked before
// how it is written: 0.0,0.0 is not found.
func (s *weatherService) point(r *http.Request) (reply, *problem) {
	text := r.PathValue("point")
	latitude, longitude, ok := readPoint(text)
	if !ok {
		return reply{}, badParameter("point", text, "coordinate")
	}
	name := pointName(latitude, longitude)
	kind := s.surfaceAt(latitude, longitude)
	c, gridded := s.locate(latitude, longitude)
	if kind == uncovered || kind != highSeas && !gridded {
		return reply{}, missing("InvalidPoint", "Data Unavailable For Requested Point",
			"Unable to provide data for requested point "+name)
	}
	if name != text {
		return reply{}, adjustPrecision(name)
	}
	return reply{
		body: object{
			{"@context", ldContext(placeTerms)},
			{"id", nwsRoot + "/points/" + name},
			{"type", "Feature"},
			{"geometry", pointGeometry(latitude, longitude)},
			{"properties", append(
				object{{"@id", nwsRoot + "/points/" + name}, {"@type", "wx:Point"}},
				s.pointProperties(c, latitude, longitude)...,
			)},
		},
		age:    lasting(s.now(), 24*time.Hour, name),
		shared: 2 * time.Minute,
	}, nil
}

func adjustPrecision(name string) *problem {
	return &problem{
		status: http.StatusMovedPermanently, kind: "AdjustPointPrecision",
		title: "Adjusting Precision Of Point Coordinate",
		detail: "The precision of latitude/longitude points is limited to 4 decimal digits for " +
			"efficiency. The location attribute contains your request mapped to the nearest supported " +
			"point. If your client supports it, you will be redirected.",
		location: "/points/" + name,
	}
}

// pointProperties are those of a point in a cell; on the high seas, without a
// cell, all that belongs to a grid is null.
func (a *atlas) pointProperties(c cell, latitude, longitude float64) object {
	o, kind, zone, timeZone, radar := c.office, "marine", "", "", ""
	gridded := object{
		{"gridId", nil}, {"gridX", nil}, {"gridY", nil}, {"forecast", nil},
		{"forecastHourly", nil}, {"forecastGridData", nil}, {"observationStations", nil},
	}
	var county, fire any
	if o == nil {
		center, w := centerOf(latitude, longitude)
		near, _ := nearestOffice(offices, func(o *office) float64 {
			if _, km := o.nearestWater(latitude, longitude); o.ocean() {
				return km
			}
			return math.Inf(1)
		})
		o, zone, timeZone, radar = center, w.ID, near.Zone, near.Radar
	} else {
		zone, timeZone, radar = c.forecastZone(), a.timeZone(c, latitude, longitude), o.Radar
		values := []any{o.GridID, c.x, c.y, c.url() + "/forecast", c.url() + "/forecast/hourly",
			c.url(), c.url() + "/stations"}
		for i, v := range values {
			gridded[i].value = v
		}
		if !c.afloat() {
			kind, county, fire = "land", zoneURL(o.County, "county"), zoneURL(o.Fire, "fire")
		}
	}
	head := object{{"cwa", o.ID}, {"type", kind}, {"forecastOffice", nwsRoot + "/offices/" + o.ID}}
	return append(append(head, gridded...), object{
		{"relativeLocation", relativeLocation(latitude, longitude)},
		{"forecastZone", zoneURL(zone, "forecast")},
		{"county", county},
		{"fireWeatherZone", fire},
		{"timeZone", timeZone},
		{"radarStation", orNull(radar)},
	}...)
}

// timeZone is that of the nearest tide station, or the office's far from any.
func (a *atlas) timeZone(c cell, latitude, longitude float64) string {
	near := a.coastStation(latitude, longitude, true)
	if near.Kilometers > griddedWithin {
		return c.office.Zone
	}
	return near.Station.Zone
}

// relativeLocation is the town near a point: how far, and in which direction
// from there.
func relativeLocation(latitude, longitude float64) object {
	o, _ := nearestOffice(offices, func(o *office) float64 {
		return kilometers(latitude, longitude, o.TownLatitude, o.TownLongitude)
	})
	far := kilometers(o.TownLatitude, o.TownLongitude, latitude, longitude)
	course := bearing(o.TownLatitude, o.TownLongitude, latitude, longitude)
	return object{
		{"type", "Feature"},
		{"geometry", pointGeometry(o.TownLatitude, o.TownLongitude)},
		{"properties", object{
			{"city", o.Town},
			{"state", o.State},
			{"distance", quantity("wmoUnit:m", 1000*far)},
			{"bearing", quantity("wmoUnit:degree_(angle)", course)},
		}},
	}
}
