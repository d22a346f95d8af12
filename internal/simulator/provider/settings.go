package provider

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// Grid is the setting of a numeric forecast. Zero fields keep the built-in values.
type Grid struct {
	Hour    func(Hour) Hour // changes one hour; called by several requests at once
	Updated time.Time       // when the office last sent the grid, which begins with that hour
	Until   time.Time       // where the grid ends: a whole hour after Updated
	Afloat  bool            // the cell is on the water: its points are marine
}

// Hour is one hour of a grid. Nil fields are null in the grid; a layer that is null throughout is
// empty. A sea that a setting changes consists of wind sea and the swell of the setting.
type Hour struct {
	At         time.Time // its beginning, UTC; changing it has no effect
	Wind, Gust *float64  // knots
	From       *float64  // direction from which the wind blows, degrees
	Seas       *float64  // feet
	Period     *float64  // seconds
	Swell      *float64  // feet, of the primary swell; built-in nil
	Visibility *float64  // meters; built-in nil where the office does not send it
	Weather    []Condition
}

// Condition is a kind of weather in the service's words: chance, thunderstorms, heavy. Empty fields
// are null. An hour with an empty list has no weather; one with a nil list is in no span of the
// layer.
type Condition struct{ Coverage, Weather, Intensity string }

// Text is the setting of a zone's segment in the marine forecasts (CWF, OFF, NSH, GLF). Zero fields
// keep the built-in values.
type Text struct {
	Passage func(Passage) Passage // changes one period; called by several requests at once
	Issued  time.Time             // of the office's newest text; each earlier one is six hours older
	Expires time.Time             // of the zone's segment
	Missing bool                  // no text has a segment for the zone
}

// Passage is one period of a text.
type Passage struct {
	Name       string    // TODAY, SUNDAY NIGHT; changing it or the times has no effect
	From, To   time.Time // UTC
	Direction  string    // from which the wind blows: N, NE and so on
	Wind, Seas [2]int    // minimum and maximum, knots and feet; zero omits the sentence
	Gust       int       // knots; zero omits it
	Weather    string    // additional sentences
	Text       string    // replaces all sentences, unless empty
}

// Surf is the setting of a land zone's surf zone forecast (SRF). Zero fields keep the built-in
// values.
type Surf struct {
	Risk    func(day string) string // of rip currents; "" omits the line
	Issued  time.Time               // of the newest text; each earlier one is six hours older
	Expires time.Time               // of the zone's segment
	Missing bool                    // the text has no segment for the zone
	None    bool                    // the office issues no such text
}

// Alert is a watch, warning, advisory or statement for a zone.
type Alert struct {
	Event       string // Small Craft Advisory
	Code        string // phenomenon and significance: SC.Y; empty for none
	Severity    string // Extreme, Severe, Moderate, Minor or Unknown; Moderate if empty
	Certainty   string // Likely if empty
	Urgency     string // Expected if empty
	MessageType string // Alert, Update or Cancel; Alert if empty
	Description string
	Instruction string    // null if empty
	Sent        time.Time // the alert is not listed before
	Onset       time.Time // null if zero
	Expires     time.Time // the alert is not listed from then on
	Ends        time.Time // null if zero
	Replaces    []Alert   // earlier alerts of the zone that it refers to
}

// Water is the setting of what a gauge measures. Zero fields keep the built-in values.
type Water struct {
	Residual    func(time.Time) float64 // observed minus predicted level, meters
	Temperature func(time.Time) float64 // of the water, degrees Celsius
	Newest      time.Time               // of the last row of each product
	// Empty reports whether a row has no values; by default one in several hundred is empty. The
	// newest value (date=latest) is from the last row with a value.
	Empty func(product string, at time.Time) bool
	// Flags returns the flags of a row with values, or "" for the built-in ones, which are 0.
	Flags func(product string, at time.Time) string
	// Sensors are the products of the station, such as water_level. They determine which lists
	// include it. With an empty, non-nil list the station is not a gauge.
	Sensors []string
	Floods  *Floods
}

// Floods are the flood levels of a station, meters above station datum (STND). Nil fields are null.
type Floods struct {
	NOSMinor, NOSModerate, NOSMajor *float64
	NWSMinor, NWSModerate, NWSMajor *float64
	Action                          *float64
}

// Steady returns a residual or temperature that does not change.
func Steady(value float64) func(time.Time) float64 {
	return func(time.Time) float64 { return value }
}

// Epoch is a revision of a station's tidal datums: NOAA lists them for another epoch, and levels
// are relative to the revised datums. Station datum (STND), geodetic datums and the water itself
// do not change.
type Epoch struct {
	First, Last int     // years
	Raise       float64 // of the tidal datums above station datum, meters
	Mean        float64 // of mean sea level, meters
}

// raised returns the rise of a datum, meters. A nil Epoch raises none.
func (e *Epoch) raised(name string) float64 {
	if e == nil {
		return 0
	}
	switch name {
	case "MSL":
		return e.Mean
	case "MHHW", "MHW", "DTL", "MTL", "MLW", "MLLW", "LAT", "HAT":
		return e.Raise
	}
	return 0
}

// settings replace built-in values. They are stored by the names of cells, zones and stations.
type settings struct {
	mu sync.Mutex
	settingMaps
	texted int // number of settings of texts so far: the ids of texts depend on it
}

type settingMaps struct {
	grids     map[string]Grid // by cell (BOX/71,90) or forecast zone
	texts     map[string]Text
	surfs     map[string]Surf // by land zone
	alerts    map[string][]Alert
	waters    map[string]Water
	epochs    map[string]Epoch
	amplitude map[string]float64 // meters added to M2
}

// clearAll removes all settings.
func (s *settings) clearAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settingMaps = settingMaps{}
}

// setIn stores a value under a name in one of the maps of s.
func setIn[V any](s *settings, m *map[string]V, name string, v V) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if *m == nil {
		*m = map[string]V{}
	}
	(*m)[name] = v
}

// setFor returns the value under the first of the names that has one.
func setFor[V any](s *settings, m *map[string]V, names ...string) (v V, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range names {
		if v, ok = (*m)[name]; ok {
			return v, true
		}
	}
	return v, false
}

// newText counts a setting of a text.
func (s *settings) newText() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.texted++
}

// textEdition returns a number that grows with each setting of a text, 0 if there is none.
func (s *settings) textEdition() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.texts)+len(s.surfs) == 0 {
		return 0
	}
	return s.texted
}

// waterIDs returns the stations that have a setting of water.
func (s *settings) waterIDs() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.waters))
}
