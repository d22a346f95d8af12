package sky

import (
	"math"

	"github.com/soniakeys/meeus/v3/moonposition"
	"github.com/soniakeys/meeus/v3/nutation"
)

const (
	astronomicalUnit = 149597870.7 // km, IAU 2012 resolution B2
	sunRadius        = 695700      // km, IAU 2015 resolution B3
	moonRadius       = 1737.4      // km, IAU working group on cartographic coordinates, 2015
	arcSecond        = math.Pi / 180 / 3600
)

// vector is a geocentric position in km: z along the earth's true axis, x and y in the
// true equator of date, x towards the mean equinox. Counting from the mean equinox puts
// the equation of the equinoxes into the vector, so that mean sidereal time is the only
// rotation it needs.
type vector struct{ x, y, z float64 }

// frame is the equator and equinox of a date, in radians.
type frame struct {
	obliquity float64 // true
	nutation  float64 // in longitude
}

// frameAt returns the frame at i. Nutation uses the whole of Meeus' table 22.A (0.0005"
// of truncation), and the mean obliquity uses his (22.2).
func frameAt(i instant) frame {
	jde := i.jde()
	longitude, obliquity := nutation.Nutation(jde)
	return frame{(nutation.MeanObliquity(jde) + obliquity).Rad(), longitude.Rad()}
}

// towards returns the frame at fraction x of the way from f to g. Over a day the result
// differs from the true frame by less than 0.01".
func (f frame) towards(g frame, x float64) frame {
	return frame{f.obliquity + x*(g.obliquity-f.obliquity), f.nutation + x*(g.nutation-f.nutation)}
}

// vector converts ecliptic coordinates of the mean equinox of date (radians, and a
// distance in km) to a vector. Meeus, 2nd ed., (13.3) and (13.4); the equation of the
// equinoxes is nutation times the cosine of the obliquity, page 88.
func (f frame) vector(longitude, latitude, distance float64) vector {
	sinL, cosL := math.Sincos(longitude + f.nutation)
	sinB, cosB := math.Sincos(latitude)
	sinE, cosE := math.Sincos(f.obliquity)
	x, y := cosL*cosB, sinL*cosB*cosE-sinB*sinE
	s, c := math.Sincos(f.nutation * cosE)
	return vector{
		x: distance * (x*c + y*s),
		y: distance * (y*c - x*s),
		z: distance * (sinL*cosB*sinE + sinB*cosE),
	}
}

// body returns the apparent position of a body from the center of the earth.
type body func(instant, frame) vector

func sun(i instant, f frame) vector  { return f.vector(sunEcliptic(i)) }
func moon(i instant, f frame) vector { return f.vector(moonEcliptic(i)) }

// sunEcliptic returns the sun's apparent longitude and latitude without nutation, in
// radians, and its distance in km. Meeus, 2nd ed., chapter 25, higher accuracy: the FK5
// correction of (25.9) and the aberration of (25.10). Accurate to 1".
func sunEcliptic(i instant) (longitude, latitude, distance float64) {
	l, b, r := earth((i.jde() - j2000) / (10 * century))
	return l + math.Pi - 0.09033*arcSecond - 20.4898*arcSecond/r, -b, r * astronomicalUnit
}

// moonEcliptic returns the moon's apparent longitude and latitude without nutation, in
// radians, and its distance in km. Meeus, 2nd ed., chapter 47: about 10" in longitude, 4"
// in latitude. The series include light-time.
func moonEcliptic(i instant) (longitude, latitude, distance float64) {
	l, b, r := moonposition.Position(i.jde())
	return l.Rad(), b.Rad(), r
}
