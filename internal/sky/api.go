// Package sky computes sun and moon. (to be completed by its author)
package sky

import "time"

// Place is a point at sea level.
type Place struct{ Latitude, Longitude float64 } // degrees north, east

// State says how a body stays on one side of an altitude through a whole span.
type State string

// The states; empty where the body crosses.
const (
	AlwaysUp   State = "always_up"
	AlwaysDown State = "always_down"
)

// Crossing is when a body passes an altitude within a span. Usually one time each; none or two are possible.
type Crossing struct {
	Rise, Set []time.Time // UTC
	State     State
}

// SunDay is what the sun does in a span (a civil day of 23 to 25 hours).
type SunDay struct {
	Sun, Civil, Nautical, Astronomical Crossing // upper limb with 34' refraction; centre at -6, -12, -18 degrees
	GoldenUpper                        Crossing // centre at +6 degrees
	GoldenLower                        Crossing // centre at -4 degrees: golden hour above, blue hour below down to -6
	Noon                               []time.Time
	DayLength                          time.Duration // time above the horizon within the span
}

// Sun returns what the sun does at p in [from, to).
func Sun(p Place, from, to time.Time) SunDay { panic("stub") }

// Position is where a body stands.
type Position struct {
	Azimuth     float64 // degrees true
	Altitude    float64 // degrees, topocentric, without refraction
	Refracted   float64 // degrees, with standard refraction
	Declination float64 // degrees
	HourAngle   float64 // degrees, west positive, -180..180
	Distance    float64 // km, topocentric
}

// SunPosition returns where the sun stands.
func SunPosition(p Place, t time.Time) Position { panic("stub") }

// MoonPosition returns where the moon stands.
func MoonPosition(p Place, t time.Time) Position { panic("stub") }

// MoonState is the moon seen from the centre of the earth.
type MoonState struct {
	Phase        string  // new_moon, waxing_crescent, first_quarter, ... waning_crescent
	Elongation   float64 // degrees of ecliptic longitude from the sun, 0..360
	Age          float64 // days since the new moon before
	Illumination float64 // fraction 0..1
	Distance     float64 // km, geocentric
}

// Moon returns the moon's state.
func Moon(t time.Time) MoonState { panic("stub") }

// MoonDay is what the moon does in a span.
type MoonDay struct {
	Moon    Crossing // upper limb
	Transit []time.Time
	// NextRise and NextSet are the first after the span's beginning, also where the span has none.
	NextRise, NextSet time.Time
}

// MoonTimes returns what the moon does at p in [from, to).
func MoonTimes(p Place, from, to time.Time) MoonDay { panic("stub") }

// MoonEvent is a principal phase or an apsis.
type MoonEvent struct {
	Name     string // new_moon, first_quarter, full_moon, last_quarter, perigee, apogee
	Time     time.Time
	Distance float64 // km, apsides only
}

// NextPhases returns the four principal phases after t, in order of time.
func NextPhases(t time.Time) []MoonEvent { panic("stub") }

// NextApsides returns the next perigee and apogee after t, in order of time.
func NextApsides(t time.Time) []MoonEvent { panic("stub") }
