package place

import (
	"leadline/internal/facts"
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

// Resolver returns the resolver of the place, whose text may ask for one of its waters.
func (p StationOrPlace) Resolver(
	fs facts.Set, can stations.Filter, does string, within Reach,
) Resolver {
	return Resolver{Facts: fs, Text: p.Place, Can: can, Does: does, Within: within,
		water: waters.Side(p.Water)}
}

// Where returns the arguments that name the station.
func (p *StationOrPlace) Where() *StationOrPlace { return p }
