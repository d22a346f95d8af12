package place

import (
	"fmt"
	"math"

	"leadline/internal/coast"
	"leadline/internal/operation"
	"leadline/internal/render"
	"leadline/internal/waters"
)

// ForPlace holds the requested place. It is absent from results for which the caller named a
// station.
type ForPlace struct {
	Place *NamedPlace `json:"place,omitempty" schema:"-"`
}

// NamedPlace is a place and its distance from the station of the result.
type NamedPlace struct {
	Asked      string       `json:"asked" doc:"The place of the request."`
	Name       string       `json:"name" doc:"Name of the place that was found."`
	Match      StationMatch `json:"match" doc:"How the request names the place: by the id, the name or words of it, another name of NOAA's, a place nearby, or a similar spelling."`
	DistanceKm *float64     `json:"distanceKm" doc:"Kilometers from the place to the station; null if that is not known, or if the result is for the place itself."`
	Latitude   *float64     `json:"latitude,omitempty" doc:"Latitude of the place, degrees north; left out if the name is that of a station."`
	Longitude  *float64     `json:"longitude,omitempty" doc:"Longitude of the place, degrees east; left out if the name is that of a station."`

	Water        coast.Water   `json:"water,omitempty" doc:"Water of the station: ocean, inlet, bay, lagoon, waterway, river or lake; left out if it is not known."`
	Faces        Faces         `json:"faces,omitempty" doc:"Water that the place faces: ocean, both if other water near it has another tide, or that of the station; left out if it is not known."`
	AlongKm      *float64      `json:"alongKm,omitempty" doc:"Kilometers from the shore of the place to the station over water; left out off the open coast, and if the way is not known."`
	Alternatives []Alternative `json:"alternatives,omitempty" doc:"Stations of the other water of the place, whose tide differs by over 30 minutes or a quarter; left out if there are none."`

	warning string // about a distant station, for the first line of texts
	small   bool   // hardly any tide
	bare    bool   // the place faces the open sea, and the station is not of that
	across  bool   // the place does not face the water of the station, the open sea
}

// Away returns the water and the distance of a station from the requested place, and the other
// water of the place, as text that follows its name.
func (p ForPlace) Away() string {
	if p.Place == nil {
		return ""
	}
	return render.Escape(operation.Join(": ", ", "+p.Place.String(), p.Place.warning))
}

// String returns the water of the station and its distance from the place, and the other water of
// the place if its tide differs.
func (p NamedPlace) String() string {
	if p.DistanceKm == nil {
		return operation.Join(", ", onWater(p.Water), "taken for "+p.Asked)
	}
	text := fmt.Sprintf("%s km from %s", render.Short(*p.DistanceKm, 1), p.Name)
	if p.AlongKm != nil {
		text = fmt.Sprintf("%s km along the coast from %s", render.Short(*p.AlongKm, 1), p.Name)
	}
	if p.Water != "" {
		text = onWater(p.Water) + ", " + text
	}
	if p.across {
		text += ", which does not face it"
	}
	for _, a := range p.Alternatives {
		text += fmt.Sprintf(" (%s)", a)
	}
	if p.bare {
		text += ", not on the open coast"
	}
	if p.small {
		text += ", hardly any tide"
	}
	return text
}

// At returns the subject of a result about a point as text: its station, its place, or its
// coordinates.
func (p ForPlace) At(station *coast.Station, latitude, longitude float64) string {
	switch {
	case station != nil:
		return operation.StationName(station) + p.Away()
	case p.Place != nil:
		return render.Escape(p.Place.Name) + " (" + operation.Position(latitude, longitude) + ")"
	}
	return operation.Position(latitude, longitude)
}

// About returns the place of a result.
func (p *ForPlace) About() *ForPlace { return p }

// Alternative is a station of the other water of a place.
type Alternative struct {
	Station      string      `json:"station" doc:"Station id."`
	Name         string      `json:"name" doc:"Name of the station."`
	Water        coast.Water `json:"water,omitempty" doc:"Water of the station; left out if it is not known."`
	DistanceKm   float64     `json:"distanceKm" doc:"Kilometers from the place in a straight line."`
	MinutesLater int         `json:"minutesLater" doc:"Minutes by which its tide follows that of the result, as a mean; negative if it is earlier."`
	RangeRatio   float64     `json:"rangeRatio" doc:"Its range of tide divided by that of the result, as a mean."`
}

// String describes the other water for the first line of a text.
func (a Alternative) String() string {
	return fmt.Sprintf("%s at %s %s, %s km: %s", waterName(a.Water), a.Station, a.Name,
		render.Short(a.DistanceKm, 1), a.Differs())
}

// Differs describes how the tide of the other water differs.
func (a Alternative) Differs() string {
	minutes, when := a.MinutesLater, "later"
	if minutes < 0 {
		minutes, when = -minutes, "earlier"
	}
	text := fmt.Sprintf("%d min %s", minutes, when)
	if minutes >= 60 {
		text = fmt.Sprintf("%d h %02d min %s", minutes/60, minutes%60, when)
	}
	return text + " with " + timesRange(a.RangeRatio)
}

// timesRange describes the ratio of two ranges.
func timesRange(ratio float64) string {
	switch {
	case math.Round(ratio*100) == 100:
		return "the same range"
	case ratio < 2:
		return render.Short(ratio, 2) + " times the range"
	}
	return render.Short(ratio, 1) + " times the range"
}

// waterName returns a water with its article.
func waterName(w coast.Water) string {
	switch w {
	case "":
		return "the other water"
	case waters.Ocean:
		return "the open coast"
	case waters.Inlet:
		return "the water near the open coast"
	}
	return "the " + string(w)
}

// onWater returns the water of a station with its preposition, or "" if it is not known.
func onWater(w coast.Water) string {
	switch w {
	case "":
		return ""
	case waters.Inlet:
		return "near the open coast"
	}
	return "on the " + string(w)
}
