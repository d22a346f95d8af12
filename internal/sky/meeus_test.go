package sky

import (
	"fmt"
	"math"
	"testing"
	"time"
)

// The examples of Meeus, Astronomical Algorithms, 2nd ed., and the one of Reda
// and Andreas, Solar Position Algorithm for Solar Radiation Applications,
// NREL/TP-560-34302, 2003 (revised 2008).

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > within {
		t.Errorf("%s = %.8f, want %.8f within %g", what, got, want, within)
	}
}

// ephemeris is the instant of a Julian ephemeris day.
func ephemeris(jde float64) (instant, frame) {
	i := ofJDE(jde)
	return i, frameAt(i)
}

// Examples 12.a and 12.b.
func TestSiderealTime(t *testing.T) {
	near(t, "sidereal time of 1987-04-10 0h", turn(degrees(siderealTime(2446895.5-j2000))), 197.693195,
		1e-6)
	near(t, "sidereal time of 1987-04-10 19:21", turn(degrees(siderealTime(2446896.30625-j2000))),
		128.7378734, 1e-6)
}

// Example 22.a.
func TestFrame(t *testing.T) {
	_, f := ephemeris(2446895.5)
	near(t, "nutation in longitude, seconds of arc", f.nutation/arcSecond, -3.788, 0.001)
	near(t, "true obliquity, degrees", degrees(f.obliquity), 23+26.0/60+36.850/3600, 0.001/3600)
}

// The worked example of Reda and Andreas, table A5.1.
func TestEarth(t *testing.T) {
	l, b, r := earth((2452930.312847 + 67.0/86400 - j2000) / 365250)
	near(t, "longitude", turn(degrees(l)), 24.0182616917, 1e-6)
	near(t, "latitude", degrees(b), -0.0001011219, 1e-8)
	near(t, "radius", r, 0.9965422974, 1e-9)
}

// Example 25.b, the sun on 1992-10-13 at 0h TD: the apparent place.
func TestMeeusSun(t *testing.T) {
	i, f := ephemeris(2448908.5)
	longitude, latitude, distance := sunEcliptic(i)
	near(t, "longitude", turn(degrees(longitude+f.nutation)), 199+54.0/60+21.818/3600, 0.2/3600)
	near(t, "latitude", latitude/arcSecond, 0.721, 0.1)
	near(t, "distance", distance/astronomicalUnit, 0.99760775, 2e-7)
	near(t, "declination", declination(sun(i, f)), -(7 + 47.0/60 + 1.74/3600), 0.2/3600)
}

// Example 47.a, the moon on 1992-04-12 at 0h TD.
func TestMeeusMoon(t *testing.T) {
	i, f := ephemeris(2448724.5)
	longitude, latitude, distance := moonEcliptic(i)
	near(t, "longitude", turn(degrees(longitude)), 133.162655, 2e-6)
	near(t, "apparent longitude", turn(degrees(longitude+f.nutation)), 133.167265, 2e-6)
	near(t, "latitude", degrees(latitude), -3.229126, 2e-6)
	near(t, "distance", distance, 368409.7, 0.1)
	v := moon(i, f)
	near(t, "declination", declination(v), 13.768368, 2e-6)
	near(t, "right ascension", turn(degrees(math.Atan2(v.y, v.x)+f.nutation*math.Cos(f.obliquity))),
		134.688470, 3e-6)
}

func declination(v vector) float64 {
	return degrees(math.Asin(v.z / math.Sqrt(v.x*v.x+v.y*v.y+v.z*v.z)))
}

// Example 48.a, at the same time.
func TestMeeusIllumination(t *testing.T) {
	near(t, "illuminated fraction", Moon(ofJDE(2448724.5).time()).Illumination, 0.6786, 0.0001)
}

// Examples 49.a and 49.b, and the true new moon that Meeus gives for 49.a,
// 1977-02-18 at 3:37:40 TD.
func TestMeeusPhases(t *testing.T) {
	e := NextPhases(time.Date(1977, 2, 15, 0, 0, 0, 0, time.UTC))[0]
	near(t, e.Name+" of 49.a", instantOf(e.Time).jde(), 2443192.65118, 0.00001)
	truth := j2000 + float64(instantOf(time.Date(1977, 2, 18, 3, 37, 40, 0, time.UTC)))
	near(t, "seconds from the true new moon", (instantOf(e.Time).jde()-truth)*86400, 0, 5)
	last := NextPhases(time.Date(2044, 1, 20, 0, 0, 0, 0, time.UTC))[0]
	near(t, last.Name+" of 49.b", instantOf(last.Time).jde(), 2467636.49186, 0.00001)
}

// Example 50.a.
func TestMeeusApogee(t *testing.T) {
	e := NextApsides(time.Date(1988, 10, 1, 0, 0, 0, 0, time.UTC))[0]
	near(t, e.Name+" of 50.a", instantOf(e.Time).jde(), 2447442.3543, 0.0001)
	near(t, "parallax, seconds of arc", math.Asin(6378.14/e.Distance)/arcSecond, 3240.679, 0.001)
}

// Values of the tables of Espenak and Meeus, NASA/TP-2006-214141, and the
// joints of the polynomials.
func TestDeltaT(t *testing.T) {
	for year, want := range map[float64]float64{
		1900: -2.8, 1920: 21.2, 1950: 29.1, 1975: 45.5,
		2000: 63.9, 2050: 93, 2100: 203, 2150: 328,
	} {
		near(t, fmt.Sprintf("delta-T of %.0f", year), deltaT(instant((year-2000)*365.2425)), want, 0.5)
	}
	for _, row := range deltaTs {
		joint := instant((row.until-2000)*365.2425 - 0.5)
		near(t, fmt.Sprintf("step of delta-T at %.0f", row.until), deltaT(joint+0.01)-deltaT(joint-0.01),
			0, 0.06)
	}
	if got, want := deltaT(-1e6), deltaT(-36525); got != want {
		t.Errorf("delta-T long ago = %v, want %v", got, want)
	}
}

// The new moon of February 1977: Meeus, example 49.a, 3:37:42 TD.
func ExampleNextPhases() {
	e := NextPhases(time.Date(1977, 2, 15, 0, 0, 0, 0, time.UTC))[0]
	fmt.Println(e.Name, e.Time.Round(time.Second))
	// Output: new_moon 1977-02-18 03:36:54 +0000 UTC
}

// The apogee of October 1988: Meeus, example 50.a, 20:30 TD.
func ExampleNextApsides() {
	e := NextApsides(time.Date(1988, 10, 1, 0, 0, 0, 0, time.UTC))[0]
	fmt.Printf("%s %s %.0f km\n", e.Name, e.Time.Format("2006-01-02 15:04"), e.Distance)
	// Output: apogee 1988-10-07 20:29 405977 km
}

// The moon of 1992-04-12 at 0h TD, which was 23:59:01 UT: Meeus, examples 47.a
// and 48.a.
func ExampleMoon() {
	m := Moon(time.Date(1992, 4, 11, 23, 59, 1, 0, time.UTC))
	fmt.Printf("%s, %.2f lit, %.0f km\n", m.Phase, m.Illumination, m.Distance)
	// Output: waxing_gibbous, 0.68 lit, 368410 km
}
