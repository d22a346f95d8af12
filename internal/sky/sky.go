// Package sky computes where the sun and the moon stand, when they rise, set
// and cross the meridian, and the moon's phases and apsides. A place and a time
// (or a span) come in, values go out; it reads no clock, asks no network and
// keeps nothing between calls, so calls may run in parallel.
//
// How it works. Series give the bodies' apparent geocentric places: VSOP87 for
// the sun (earth.go), Meeus' chapter 47 for the moon (bodies.go). For a span,
// each day of universal time gets a Chebyshev fit of the place (track.go), the
// fit is sampled each hour as seen from the site, and wherever the altitude
// changes its side, or turns close to the line, a root finder closes in
// (crossing.go, watch.go). Nothing assumes that a day has one sunrise: it may
// have none, which is a State, or two.
//
// The horizon is that of the sea, with 34' of refraction. Real air moves rise
// and set by a minute or two, a hill by far more; the computed times lie within
// a second or two of a rigorous calculation with the same horizon, more only
// where the body grazes the horizon. Times are UTC, rounded to the millisecond.
// The series serve 1900 to 2100; outside delta-T is held, and errors grow
// slowly.
//
// A Place must hold finite numbers, latitude -90..90. At the poles themselves
// the meridian of the given longitude decides azimuth, hour angle and transit.
package sky

// Place is a point at sea level, on the ellipsoid of WGS 84.
type Place struct{ Latitude, Longitude float64 } // degrees north, east
