package provider

import (
	_ "embed" // the table of offices
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"
)

// office is a forecast office. It serves the part of the coast, or of the country, that is nearest
// to it. Codes, names and places are real, outlines are not.
type office struct {
	ID            string       `json:"id"`       // three letters: cwa and location of products
	GridID        string       `json:"grid"`     // of its grid, usually ID; a center has no grid
	Issuer        string       `json:"issuer"`   // four letters, in the header of its texts
	Place         string       `json:"place"`    // its seat in the header of its texts
	Heading       string       `json:"bulletin"` // of its WMO bulletins: FZUS56
	Zone          string       `json:"zone"`     // IANA name
	Land          string       `json:"land"`     // its forecast zone ashore
	LandName      string       `json:"landName"`
	County        string       `json:"county"`
	Fire          string       `json:"fire"`
	Town          string       `json:"town"` // relative location of its points
	State         string       `json:"state"`
	TownLatitude  float64      `json:"townLatitude"`
	TownLongitude float64      `json:"townLongitude"`
	Latitude      float64      `json:"latitude"` // of the cell X, Y
	Longitude     float64      `json:"longitude"`
	X             int          `json:"x"`
	Y             int          `json:"y"`
	Seaward       float64      `json:"seaward"` // direction from which its swell comes, degrees true
	Blow          float64      `json:"blow"`    // knots added over its waters
	Synopsis      string       `json:"synopsis"`
	Waters        []marineZone `json:"waters"`
}

// marineZone is a marine zone with a representative position.
type marineZone struct {
	ID        string   `json:"id"`
	Exposure  exposure `json:"exposure"`
	Latitude  float64  `json:"latitude"`
	Longitude float64  `json:"longitude"`
	Name      string   `json:"name"`
}

// exposure is the exposure of a position to wind and sea.
type exposure string

const (
	ashore  exposure = ""
	bay     exposure = "bay"
	openSea exposure = "sea"
)

//go:embed offices.json
var officeTable []byte

// offices are the coastal offices, the offices of the Great Lakes (which have no tide stations),
// and a few far from any coast. centers cover the high seas of two oceans.
var offices, centers = readOffices(officeTable)

func readOffices(table []byte) (offices, centers []*office) {
	var all []*office
	if err := json.Unmarshal(table, &all); err != nil {
		panic(err) // the table is embedded
	}
	for _, o := range all {
		if o.GridID == "" {
			centers = append(centers, o)
		} else {
			offices = append(offices, o)
		}
	}
	return offices, centers
}

// officeOf returns an office by its id or the id of its grid, nil if there is none.
func officeOf(id string) *office {
	for _, o := range slices.Concat(offices, centers) {
		if o.ID == id || o.GridID == id && id != "" {
			return o
		}
	}
	return nil
}

// onLakes reports whether the office covers the Great Lakes.
func (o *office) onLakes() bool { return o.writesFor("L") }

// ocean reports whether the office covers coastal waters.
func (o *office) ocean() bool { return len(o.Waters) > 0 && !o.onLakes() && o.GridID != "" }

// writesFor reports whether the codes of the office's waters begin with prefix.
func (o *office) writesFor(prefix string) bool {
	return len(o.Waters) > 0 && strings.HasPrefix(o.Waters[0].ID, prefix)
}

// updated returns the time at which the office last sent its grids: once an hour, at a minute that
// depends on the office.
func (o *office) updated(now time.Time) time.Time {
	shift := time.Duration(scramble("grid", o.ID)%3600) * time.Second
	return now.Add(-shift).Truncate(time.Hour).Add(shift).UTC()
}

// nearestWater returns the nearest marine zone of the office, nil without waters.
func (o *office) nearestWater(latitude, longitude float64) (nearest *marineZone, km float64) {
	km = math.Inf(1)
	for i := range o.Waters {
		w := &o.Waters[i]
		if d := kilometers(latitude, longitude, w.Latitude, w.Longitude); d < km {
			nearest, km = w, d
		}
	}
	return nearest, km
}

// nearestOffice returns the office of a list with the least distance, as far returns it.
func nearestOffice(list []*office, far func(*office) float64) (nearest *office, km float64) {
	km = math.Inf(1)
	for _, o := range list {
		if d := far(o); d < km {
			nearest, km = o, d
		}
	}
	return nearest, km
}
