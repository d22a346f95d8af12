// Package stations is the embedded directory. (to be completed by its author)
package stations

import (
	"time"

	"leadline/internal/tide"
)

// Kind is what a station predicts.
type Kind string

// The kinds of the embedded rows.
const (
	Tide    Kind = "tide"
	Current Kind = "current"
)

// Station is one row of the directory. Copies are cheap; slices and maps
// reached from it are shared and must not be changed.
type Station struct {
	ID        string  // NOAA's id: 8443970, ACT0091; extra reference bins ID_BIN
	Name      string  // whole, as NOAA writes it
	State     string  // two letters, empty outside the states and territories
	Latitude  float64 // degrees north
	Longitude float64 // degrees east
	Zone      string  // IANA name
	Kind      Kind
	Reference string // id of the reference station of a subordinate one (for currents maybe ID_BIN), else empty
	// unexported fields hold what the methods below need
}

// Subordinate reports whether the station is predicted by offsets from a reference station.
func (s Station) Subordinate() bool { return s.Reference != "" }

// Harmonics returns the station's own constants, in order of number, amplitudes as published
// (metres or knots, 3 decimals; degrees, 1 decimal). Empty for subordinate stations.
func (s Station) Harmonics() []tide.Harmonic { panic("stub") }

// Datum is one level of a tide station.
type Datum struct {
	Name  string  // MHHW, MSL, NAVD88, ..., as the data names it
	Value float64 // metres above station datum (STND)
}

// Datums returns the station's own levels, highest first; empty for subordinate and current stations.
func (s Station) Datums() []Datum { panic("stub") }

// Epoch returns the first and last year of the tidal datum epoch, zero where the data has none.
func (s Station) Epoch() (first, last int) { panic("stub") }

// TideOffsets returns the offsets of a subordinate tide station, else nil.
func (s Station) TideOffsets() *tide.Offsets { panic("stub") }

// CurrentOffsets returns the offsets of a subordinate current station, else nil.
func (s Station) CurrentOffsets() *tide.CurrentOffsets { panic("stub") }

// Directions returns the flood and ebb directions in degrees true (toward), and whether they are NOAA's
// mean directions (else the harmonic axis). Current stations only.
func (s Station) Directions() (flood, ebb float64, mean bool) { panic("stub") }

// Directory is the embedded directory. It is immutable and safe for concurrent use.
type Directory struct{}

// Open checks and indexes the embedded data.
func Open() (*Directory, error) { panic("stub") }

// Built is the day on which the data was built (the version of the pinned package).
func (d *Directory) Built() time.Time { panic("stub") }

// All returns every station of kind in order of id ("" for both kinds). Shared: do not change.
func (d *Directory) All(kind Kind) []Station { panic("stub") }

// Station returns the station with the id, without regard to case.
func (d *Directory) Station(id string) (Station, bool) { panic("stub") }

// Tides returns the predictor of a tide station above its datum (NOAA's request tokens: MLLW, NAVD for NAVD88, STND ...).
// ok is false where the station has no constants or lacks the datum.
func (d *Directory) Tides(s Station, datum string) (p tide.Tides, ok bool) { panic("stub") }

// Currents returns the predictor of a current station.
func (d *Directory) Currents(s Station) (p tide.Currents, ok bool) { panic("stub") }

// Filter narrows a search; nil takes all.
type Filter func(Station) bool

// Search returns the stations that match query, best first: exact id, whole words, prefixes, substrings, spelling mistakes.
// An empty query returns all in order of id.
func (d *Directory) Search(query string, keep Filter) []Station { panic("stub") }

// Near is a station with its great-circle distance and initial bearing from a point.
type Near struct {
	Station    Station
	Kilometers float64
	Bearing    float64 // degrees true, from the point to the station
}

// Nearest returns the n nearest stations that keep takes, nearest first.
func (d *Directory) Nearest(latitude, longitude float64, n int, keep Filter) []Near { panic("stub") }
