package place

import (
	"fmt"

	"leadline/internal/coast"
	"leadline/internal/facts"
	"leadline/internal/locate"
	"leadline/internal/operation"
	"leadline/internal/places"
	"leadline/internal/render"
	"leadline/internal/stations"
	"leadline/internal/waters"
)

// StationOrPlace holds the arguments of operations that take a station, or the name of a
// place near one.
type StationOrPlace struct {
	Station string `json:"station,omitempty" doc:"Station id, as 8443970; or give place." pattern:"^\\w{4,16}$" form:"text of 4 to 16 letters, digits and underscores" example:"8443970"`
	InPlace
	// Water is not listed: the note of a place with two waters names it.
	Water WaterSide `json:"water,omitempty" doc:"Of a place with two waters." unlisted:"true"`
}

// InPlace is the argument that names a place.
type InPlace struct {
	Place string `json:"place,omitempty" doc:"Homer, AK; or a ZIP code." example:"Half Moon Bay, CA"`
}

// Validate requires either a station or a place.
func (p *StationOrPlace) Validate() error {
	switch {
	case p.Station == "" && p.Place == "":
		return facts.Invalid("station", "required", `station is required: an id, or place in its `+
			`stead. Example: "station": "8443970", or "place": "Half Moon Bay, CA".`)
	case p.Station != "" && p.Place != "":
		return facts.Invalid("place", "place",
			`give station or place, not both. Example: "station": "8443970".`)
	case p.Water != "" && p.Place == "":
		return facts.Invalid("water", "place", `water chooses one of the waters of a place: give it `+
			`with place. Example: "place": "Daytona Beach, FL", "water": "ocean".`)
	}
	return nil
}

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

// Resolver returns the resolver of the place, whose text may ask for one of its waters.
func (p StationOrPlace) Resolver(
	fs facts.Set, can stations.Filter, does string, within Reach,
) Resolver {
	return Resolver{Facts: fs, Text: p.Place, Can: can, Does: does, Within: within,
		water: waters.Side(p.Water)}
}

// AtNamedPlace holds the arguments of operations about a point, which is given by
// coordinates, a station, or the name of a place.
type AtNamedPlace struct {
	operation.AtPlace
	InPlace
}

// CheckPoint requires exactly one of the ways to name the point.
func (p AtNamedPlace) CheckPoint() error {
	if p.Place == "" {
		return p.Check(true)
	}
	if p.Given() || p.Longitude != nil {
		return facts.Invalid("place", "place", `give place, station, or latitude and longitude, not `+
			`two of them. Example: "place": "Half Moon Bay, CA".`)
	}
	return nil
}

// Resolve replaces the name of a place with its position. A name that only a station has is
// replaced with that station, and a position as text with its coordinates. Coordinates that are
// swapped or lack a sign are refused.
func (p *AtNamedPlace) Resolve(fs facts.Set) (Resolved, error) {
	text, path := p.Place, "place"
	if latitude, longitude, ok := places.Pair(text); ok {
		p.Latitude, p.Longitude, p.Place = &latitude, &longitude, ""
	} else if p.Latitude != nil {
		path = "latitude"
	}
	switch {
	case p.Latitude != nil:
		if wrong := locate.WrongPair(fs.Stations, *p.Latitude, *p.Longitude); wrong != "" {
			return Resolved{}, facts.Invalid(path, "position", "%s", wrong)
		}
		return Resolved{}, nil
	case text == "":
		return Resolved{}, nil
	}
	p.Place = ""
	at, err := pointNamed(fs, text)
	if err != nil {
		return at, err
	}
	if at.Point == nil {
		p.Station = at.ID
		return at, nil
	}
	p.Latitude, p.Longitude = &at.Point.Latitude, &at.Point.Longitude
	return atPosition(fs, text, *at.Point), nil
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

// Where returns the arguments that name the station.
func (p *StationOrPlace) Where() *StationOrPlace { return p }

// About returns the place of a result.
func (p *ForPlace) About() *ForPlace { return p }
