package sky

import (
	"math"
	"time"
)

// instant counts days of universal time from J2000.0, 2000-01-01 12:00. UTC is used as
// UT1: they differ by less than 0.9 s.
type instant float64

const (
	j2000     = 2451545.0 // Julian day of J2000.0
	j2000Unix = 946728000 // the same in Unix seconds
	century   = 36525.0   // days
)

// instantOf converts a time, exact to 0.2 microseconds within a century of 2000.
func instantOf(t time.Time) instant {
	return instant((float64(t.Unix()-j2000Unix) + float64(t.Nanosecond())/1e9) / 86400)
}

// time returns the time in UTC, rounded to the millisecond.
func (i instant) time() time.Time {
	return time.UnixMilli(int64(math.Round(float64(i)*86400e3)) + j2000Unix*1000).UTC()
}

// jde returns the Julian ephemeris day, the uniform time scale of the series.
func (i instant) jde() float64 { return j2000 + float64(i) + deltaT(i)/86400 }

// ofJDE is the inverse of jde, to a millisecond: delta-T changes by less than that in a
// minute.
func ofJDE(jde float64) instant {
	i := instant(jde - j2000)
	return i - instant(deltaT(i)/86400)
}

// deltaTs holds delta-T = TD - UT in seconds as polynomials of the year less origin.
// Source: Espenak and Meeus, Polynomial Expressions for Delta T, in Five Millennium Canon
// of Solar Eclipses, NASA/TP-2006-214141, 2006. The last row is -20 + 32((y-1820)/100)^2
// - 0.5628(2150-y), multiplied out. For the 2020s the polynomial is some 6 s above the
// values measured since; that moves the moon by 3 arc seconds and moonrise by 0.2 s.
var deltaTs = [...]struct {
	until, origin float64
	terms         [6]float64
}{
	{1920, 1900, [6]float64{-2.79, 1.494119, -0.0598939, 0.0061966, -0.000197}},
	{1941, 1920, [6]float64{21.20, 0.84493, -0.076100, 0.0020936}},
	{1961, 1950, [6]float64{29.07, 0.407, -1.0 / 233, 1.0 / 2547}},
	{1986, 1975, [6]float64{45.45, 1.067, -1.0 / 260, -1.0 / 718}},
	{2005, 2000, [6]float64{63.86, 0.3345, -0.060374, 0.0017275, 0.000651814, 0.00002373599}},
	{2050, 2000, [6]float64{62.92, 0.32217, 0.005589}},
	{2150, 1820, [6]float64{-205.724, 0.5628, 0.0032}},
}

// deltaT returns TD - UT in seconds. Before 1900 and after 2150 it returns the value of
// that year: a plain bound is better than an extrapolation with an error of minutes.
func deltaT(i instant) float64 {
	year := min(max(2000+(float64(i)+0.5)/365.2425, 1900), 2150)
	row := 0
	for row < len(deltaTs)-1 && year >= deltaTs[row].until {
		row++
	}
	return horner(year-deltaTs[row].origin, deltaTs[row].terms[:])
}

// horner evaluates terms[0] + terms[1] x + terms[2] x^2 ...
func horner(x float64, terms []float64) float64 {
	sum := 0.0
	for n := len(terms) - 1; n >= 0; n-- {
		sum = sum*x + terms[n]
	}
	return sum
}

// siderealTime returns the mean sidereal time at Greenwich in radians, not reduced to one
// turn. Meeus, Astronomical Algorithms, 2nd ed., (12.4).
func siderealTime(i instant) float64 {
	d := float64(i)
	t := d / century
	return radians(280.46061837 + 360.98564736629*d + t*t*(0.000387933-t/38710000))
}

func radians(degrees float64) float64 { return degrees * (math.Pi / 180) }
func degrees(radians float64) float64 { return radians * (180 / math.Pi) }

// turn reduces an angle in degrees to [0, 360).
func turn(degrees float64) float64 {
	if d := degrees - 360*math.Floor(degrees/360); d < 360 {
		return d
	}
	return 0 // a tiny negative angle, rounded up to the full turn
}
