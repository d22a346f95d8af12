package tide

import (
	"math"
)

const degree = math.Pi / 180

// longitudes holds the mean longitudes in degrees, at most some turns from zero.
type longitudes struct {
	s  float64 // of the moon
	h  float64 // of the sun
	p  float64 // of the lunar perigee
	n  float64 // of the moon's ascending node
	p1 float64 // of the solar perigee
}

// longitudesAt returns the mean longitudes at a Unix time, with UTC used directly. Meeus,
// Astronomical Algorithms, chapters 25 and 47: the polynomials to the square of time.
// With Schureman's own polynomials for the epoch 1900 (SP 98, Table 1), heights differ
// from the published ones by 0.001 m more.
func longitudesAt(unix float64) longitudes {
	const j2000 = 946728000 // Unix time of 2000-01-01 12:00, JD 2451545.0
	c := (unix - j2000) / (36525 * 86400)
	at := func(a, b, d float64) float64 { return math.Mod(a+c*(b+c*d), 360) }
	return longitudes{
		s:  at(218.3164591, 481267.88134236, -0.0013268),
		h:  at(280.46645, 36000.76983, 0.0003032),
		p:  at(83.3532430, 4069.0137111, -0.0103238),
		n:  at(125.0445550, -1934.1361849, 0.0020762),
		p1: at(282.93735, 1.71953, 0.0004591),
	}
}

// node holds the effects of the position of the moon's node on the constituents: angles
// in radians, names as in SP 98.
type node struct {
	i   float64 // I, inclination of the moon's orbit to the equator
	xi  float64 // ξ, longitude in the orbit of its intersection with the equator
	nu  float64 // ν, right ascension of that intersection
	nu1 float64 // ν', of K1
	nu2 float64 // 2ν'', of K2
	p   float64 // P, mean longitude of the perigee from the intersection
	r   float64 // R, of L2
	q   float64 // Q, of M1
}

// nodeAt returns the node angles for the longitudes l.
func nodeAt(l longitudes) node {
	// SP 98, page 156: obliquity 23.452°, inclination of the orbit to the
	// ecliptic 5.145°.
	sinHalf, cosHalf := math.Sincos(wrap(l.n*degree) / 2)
	a := math.Atan2(1.01883*sinHalf, cosHalf)
	b := math.Atan2(0.64412*sinHalf, cosHalf)
	n := node{
		i:  math.Acos(0.91370 - 0.03569*math.Cos(l.n*degree)),
		nu: wrap(a - b),
		xi: wrap(l.n*degree - a - b),
	}
	n.p = l.p*degree - n.xi
	sinP, cosP := math.Sincos(n.p)
	sin2P, cos2P := math.Sincos(2 * n.p)
	sinI, sin2I, tan := math.Sin(n.i), math.Sin(2*n.i), math.Tan(n.i/2)
	n.nu1 = math.Atan2(sin2I*math.Sin(n.nu), sin2I*math.Cos(n.nu)+0.3347)             // (224)
	n.nu2 = math.Atan2(sinI*sinI*math.Sin(2*n.nu), sinI*sinI*math.Cos(2*n.nu)+0.0727) // (232)
	n.r = math.Atan2(sin2P, 1/(6*tan*tan)-cos2P)                                      // (214)
	n.q = math.Atan2(0.483*sinP, cosP)                                                // (203), mean I
	return n
}

// wrap reduces an angle to −π to π.
func wrap(radians float64) float64 { return math.Remainder(radians, 2*math.Pi) }

// correction returns u in radians.
func (n *node) correction(k nodal) float64 {
	return float64(k.xi)*n.xi + float64(k.nu)*n.nu + float64(k.nu1)*n.nu1 +
		float64(k.nu2)*n.nu2 + float64(k.r)*n.r + float64(k.q)*n.q
}

// factor identifies a node factor by the number of its equation in SP 98.
type factor int

// The node factors.
const (
	f73  factor = iota // Mm
	f74                // Mf
	f75                // O1
	f76                // J1
	f77                // OO1
	f78                // M2
	f79                // KJ2
	f149               // M3
	f206               // M1
	f215               // L2
	f227               // K1
	f235               // K2
	factorCount
)

// factors returns all node factors: equations 73 to 79, 149, 206 (with the mean value of
// I, as in 203 and 197), 215, 227 and 235 of SP 98.
func (n *node) factors() (f [factorCount]float64) {
	sin, sin2 := math.Sin(n.i), math.Sin(2*n.i)
	sinHalf, cosHalf := math.Sincos(n.i / 2)
	tan2 := sinHalf * sinHalf / (cosHalf * cosHalf)
	cos2P := math.Cos(2 * n.p)
	f[f73] = (2.0/3 - sin*sin) / 0.5021
	f[f74] = sin * sin / 0.1578
	f[f75] = sin * cosHalf * cosHalf / 0.3800
	f[f76] = sin2 / 0.7214
	f[f77] = sin * sinHalf * sinHalf / 0.0164
	f[f78] = math.Pow(cosHalf, 4) / 0.9154
	f[f79] = sin * sin / 0.1565
	f[f149] = math.Pow(cosHalf, 6) / 0.8758
	f[f206] = f[f75] * math.Sqrt(2.310+1.435*cos2P)
	f[f215] = f[f78] * math.Sqrt(1-12*tan2*cos2P+36*tan2*tan2)
	f[f227] = math.Sqrt(0.8965*sin2*sin2 + 0.6001*sin2*math.Cos(n.nu) + 0.1006)
	f[f235] = math.Sqrt(19.0444*math.Pow(sin, 4) + 2.7702*sin*sin*math.Cos(2*n.nu) + 0.0981)
	return f
}
