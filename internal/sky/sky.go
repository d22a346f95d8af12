// Package sky computes positions, rise, set and meridian transit of the sun and the moon,
// and the moon's phases and apsides. The inputs are a place and a time or a span. The
// package reads no clock, uses no network and has no state, so calls may run in parallel.
//
// Series give the apparent geocentric positions of the bodies: VSOP87 for the sun
// (earth.go), Meeus' chapter 47 for the moon (bodies.go). For a span, each day of
// universal time gets a Chebyshev fit of the position (track.go). The fit is sampled each
// hour as seen from the site. A root finder runs where the altitude crosses the threshold
// or has a turning point close to it (crossing.go, watch.go). A day may have no sunrise,
// which is reported as a State, or two.
//
// Intervals of light (light.go) begin and end with these events.
//
// The horizon is the sea horizon with 34' of refraction. Actual refraction moves rise and
// set by a minute or two, a hill by far more. The computed times lie within a second or
// two of a rigorous calculation with the same horizon; the error is larger only where the
// body grazes the horizon. Times are UTC, rounded to the millisecond. The series are
// valid from 1900 to 2100. Outside that period errors grow slowly; delta-T is constant
// before 1900 and after 2150.
//
// A Place must have finite numbers and a latitude from -90 to 90. At the poles, the
// meridian of the given longitude defines azimuth, hour angle and transit.
package sky

// Place is a point at sea level, on the ellipsoid of WGS 84.
type Place struct{ Latitude, Longitude float64 } // degrees north, east
