package sky

import "math"

// Position is the position of a body seen from a place at sea level. Altitude, azimuth,
// declination and hour angle all refer to the center of the disc, the true equator of
// date and the observer's own place (topocentric). Accurate to 0.02 degrees or better for
// sun and moon alike from 1900 to 2100.
type Position struct {
	Azimuth     float64 // degrees true, clockwise from north, 0 to under 360
	Altitude    float64 // degrees, without refraction
	Refracted   float64 // degrees, with standard refraction (10 C, 1010 hPa)
	Declination float64 // degrees
	HourAngle   float64 // degrees, west positive, -180..180
	Distance    float64 // km, from the observer
}

// site is a place in the form that the equations need.
type site struct {
	sinLatitude, cosLatitude float64
	longitude                float64 // radians east
	axis, plane              float64 // km from the earth's axis and from the plane of the equator
}

// siteOf converts a place on the ellipsoid of WGS 84. Meeus, 2nd ed., chapter 11, page
// 82.
func siteOf(p Place) site {
	const radius, flattening = 6378.137, 1.0 / 298.257223563
	const shrink = (1 - flattening) * (1 - flattening)
	s, c := math.Sincos(radians(p.Latitude))
	n := radius / math.Sqrt(c*c+shrink*s*s)
	return site{s, c, radians(p.Longitude), n * c, n * shrink * s}
}

// sight is the vector from a site to a body, in km along the local axes.
type sight struct {
	east, north, up float64
	meridian, polar float64 // in the plane of the meridian: across and along the earth's axis
}

func (s site) see(v vector, i instant) sight {
	sin, cos := math.Sincos(siderealTime(i) + s.longitude)
	meridian, polar := v.x*cos+v.y*sin-s.axis, v.z-s.plane
	return sight{
		east:     v.y*cos - v.x*sin,
		north:    polar*s.cosLatitude - meridian*s.sinLatitude,
		up:       meridian*s.cosLatitude + polar*s.sinLatitude,
		meridian: meridian,
		polar:    polar,
	}
}

func (s sight) distance() float64 {
	return math.Sqrt(s.east*s.east + s.meridian*s.meridian + s.polar*s.polar)
}

func (s sight) altitude(distance float64) float64 { return degrees(math.Asin(s.up / distance)) }

func (s sight) hourAngle() float64 { return degrees(math.Atan2(-s.east, s.meridian)) }

func (s sight) position() Position {
	distance := s.distance()
	altitude := s.altitude(distance)
	return Position{
		Azimuth:     turn(degrees(math.Atan2(s.east, s.north))),
		Altitude:    altitude,
		Refracted:   altitude + refraction(altitude),
		Declination: degrees(math.Asin(s.polar / distance)),
		HourAngle:   s.hourAngle(),
		Distance:    distance,
	}
}

// refraction returns the refraction at a true altitude, in degrees: Saemundsson's
// formula, Meeus, 2nd ed., (16.4), 0.1' down to the horizon. It is not valid far below:
// from -1 degree down it decreases to zero at the nadir, a rule of ours that makes it
// continuous.
func refraction(altitude float64) float64 {
	h := max(altitude, -1)
	r := max(1.02/60/math.Tan(radians(h+10.3/(h+5.11))), 0)
	if altitude < -1 {
		r *= (altitude + 90) / 89
	}
	return r
}
