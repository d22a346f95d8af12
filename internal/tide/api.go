// Package tide predicts tides and tidal currents from harmonic constants the
// way NOAA does. (paragraph to be completed by the engine's author)
package tide

import "time"

// Constituent is one of the known constituents: NOAA's 37 in NOAA's order
// and numbers, then the 83 that only Anchorage has.
type Constituent struct {
	Number      int     // NOAA's number, from 1
	Name        string  // NOAA's name, such as M2
	Description string  // what raises it, in a few words
	Speed       float64 // degrees per hour
}

// Constituents returns all constituents in order of their number. The caller must not change the slice.
func Constituents() []Constituent { panic("stub") }

// Lookup returns the index in Constituents of the constituent with NOAA's name.
func Lookup(name string) (index int, ok bool) { panic("stub") }

// Harmonic is one constituent of a station.
type Harmonic struct {
	Constituent int     // index in Constituents
	Amplitude   float64 // metres for tides, knots for currents
	Phase       float64 // Greenwich phase lag G, degrees
}

// Curve is the harmonic sum of one station, compiled for evaluation. It is
// immutable and may be shared by goroutines.
type Curve struct{}

// NewCurve compiles a station's constants.
func NewCurve(harmonics []Harmonic) *Curve { panic("stub") }

// At is the sum at t: metres above mean sea level, or knots (flood positive) without the mean flow.
func (c *Curve) At(t time.Time) float64 { panic("stub") }

// Rate is the rate of change at t, per hour.
func (c *Curve) Rate(t time.Time) float64 { panic("stub") }

// Offsets turn the extrema of a reference station into those of a subordinate one.
type Offsets struct {
	HighMinutes, LowMinutes int
	High, Low               float64 // ratio, or metres if Fixed
	Fixed                   bool
}

// Tides predicts the tide at one station. For a reference station Curve is
// its own and Level the height of mean sea level above the datum asked for.
// For a subordinate one Curve is the reference's, Level the reference's MSL
// above its MLLW, and Offsets is set; heights then are above the
// subordinate's MLLW.
type Tides struct {
	Curve   *Curve
	Level   float64 // metres
	Offsets *Offsets
}

// Extreme is a high or a low water.
type Extreme struct {
	Time   time.Time // UTC, rounded to the minute as published
	Height float64   // metres above the datum, not rounded
	High   bool
}

// Extremes returns the high and low waters whose published minute lies in [from, to], in order of time.
func (t Tides) Extremes(from, to time.Time) []Extreme { panic("stub") }

// Heights fills out with the heights (metres above the datum) at from, from+step, ...
// Subordinate stations are interpolated between their own high and low waters.
func (t Tides) Heights(from time.Time, step time.Duration, out []float64) { panic("stub") }

// CurrentOffsets turn the events of a reference bin into those of a subordinate station.
type CurrentOffsets struct {
	SlackBeforeFlood, SlackBeforeEbb, Flood, Ebb int // minutes
	FloodRatio, EbbRatio                         float64
}

// Currents predicts the tidal current along one station's major axis.
type Currents struct {
	Curve   *Curve
	Mean    float64 // mean flow along the axis, knots, flood positive
	Offsets *CurrentOffsets
}

// Phase is what a current does at an event: Flood, Ebb or Slack.
type Phase string

// The phases.
const (
	Flood Phase = "flood"
	Ebb   Phase = "ebb"
	Slack Phase = "slack"
)

// CurrentEvent is a maximum, a relaxation (Min) or a slack.
type CurrentEvent struct {
	Time     time.Time // UTC, rounded to the minute as published
	Phase    Phase
	Velocity float64 // knots, flood positive, not rounded
	Min      bool    // a local minimum of speed within one phase, which NOAA lists as a second flood or ebb
	Next     Phase   // at a slack: the phase that follows (Flood or Ebb), else empty
}

// Events returns the events whose published minute lies in [from, to], in order of time.
func (c Currents) Events(from, to time.Time) []CurrentEvent { panic("stub") }

// Velocities fills out with signed velocities (knots, flood positive) at from, from+step, ...
func (c Currents) Velocities(from time.Time, step time.Duration, out []float64) { panic("stub") }
