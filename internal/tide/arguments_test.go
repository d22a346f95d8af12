package tide

import (
	"math"
	"testing"
	"time"
)

func TestConstituents(t *testing.T) {
	list := Constituents()
	if len(list) != count {
		t.Fatalf("%d constituents, want %d", len(list), count)
	}
	for i, c := range list {
		if c.Number != i+1 || c.Description == "" {
			t.Errorf("%d: %+v", i, c)
		}
		if got, ok := Lookup(c.Name); !ok || got != i {
			t.Errorf("Lookup(%q) = %d, %v, want %d", c.Name, got, ok, i)
		}
	}
	for name := range aliases {
		if _, ok := Lookup(name); !ok {
			t.Errorf("alias %q leads nowhere", name)
		}
	}
	for _, name := range []string{"", "M22", "Z0"} {
		if i, ok := Lookup(name); ok || i != 0 {
			t.Errorf("Lookup(%q) = %d, %v", name, i, ok)
		}
	}
}

// The published speeds are the mean motions of the epoch 1900, but for M1,
// whose speed holds the perigee that its V0 leaves out.
func TestSpeeds(t *testing.T) {
	for _, d := range definitions {
		if d.Name == "M1" {
			d.p = 1
		}
		if got := d.speed(); math.Abs(got-d.Speed) > 0.5e-7 {
			t.Errorf("speed of %s = %.7f, want %.7f", d.Name, got, d.Speed)
		}
	}
}

// Worked by hand from the names: 2SM2 of members, and speeds as products.
func TestCompounds(t *testing.T) {
	for name, members := range map[string]string{"2SM2": "2S2-M2", "MN4": "M2+N2", "M6": "3M2", "MK3": "M2+K1", "2MK3": "2M2-K1"} {
		i, _ := Lookup(name)
		got, want := multiply(members), definitions[i]
		if got.T != want.T || got.s != want.s || got.h != want.h || got.p != want.p || wrapDegrees(got.c-want.c) != 0 {
			t.Errorf("%s from members: %+v, want %+v", name, got, want)
		}
	}
	i, _ := Lookup("5MS12")
	if got, want := definitions[i].Speed, 5*28.9841042+30; math.Abs(got-want) > 3e-7 {
		t.Errorf("speed of 5MS12 = %.7f, want %.7f", got, want)
	}
}

func wrapDegrees(c int) int { return ((c % 360) + 360) % 360 }

// At the ends of the node's cycle the inclination I is 28.6° and 18.3°, and
// the factors have their familiar extremes: SP 98, Table 12 and section 5.
func TestNodeFactors(t *testing.T) {
	tests := []struct {
		n, i, m2, o1, k1, k2, mf float64
	}{
		{0, 28.60, 0.963, 1.183, 1.113, 1.317, 1.452},
		{180, 18.31, 1.038, 0.806, 0.882, 0.748, 0.626},
	}
	for _, test := range tests {
		n := nodeAt(longitudes{n: test.n})
		f := n.factors()
		got := [...]float64{n.i / degree, f[f78], f[f75], f[f227], f[f235], f[f74]}
		want := [...]float64{test.i, test.m2, test.o1, test.k1, test.k2, test.mf}
		for i := range got {
			if tolerance := []float64{0.02, 0.001, 0.001, 0.001, 0.001, 0.002}[i]; math.Abs(got[i]-want[i]) > tolerance {
				t.Errorf("N=%v: value %d = %.4f, want %.4f", test.n, i, got[i], want[i])
			}
		}
		if math.Abs(n.nu)+math.Abs(n.xi)+math.Abs(n.nu1)+math.Abs(n.nu2) > 1e-9 {
			t.Errorf("N=%v: the intersection stands off the equinox: %+v", test.n, n)
		}
	}
}

// The greatest values of the node angles: ν 13.02°, ξ 11.98°, ν' 8.86° and
// 2ν” 17.7° (SP 98, Table 6).
func TestNodeAngles(t *testing.T) {
	var top node
	for n := range 360 {
		a := nodeAt(longitudes{n: float64(n)})
		top.nu, top.xi = max(top.nu, a.nu/degree), max(top.xi, a.xi/degree)
		top.nu1, top.nu2 = max(top.nu1, a.nu1/degree), max(top.nu2, a.nu2/degree)
	}
	for _, test := range []struct{ got, want float64 }{{top.nu, 13.02}, {top.xi, 11.98}, {top.nu1, 8.86}, {top.nu2, 17.74}} {
		if math.Abs(test.got-test.want) > 0.1 {
			t.Errorf("greatest angle = %.2f, want %.2f", test.got, test.want)
		}
	}
}

// Worked by hand for 2000-01-01 00:00 UTC, half a day before the epoch of the
// longitudes: s = 218.31646 − 6.58820 = 211.72826, h = 280.46645 − 0.49282 =
// 279.97363, p = 83.35324 − 0.05570 = 83.29754.
func TestEquilibrium(t *testing.T) {
	l := longitudesAt(newYearsDay(2000))
	for name, want := range map[string]float64{
		"S2": 0,       // 2·180
		"K1": 9.9736,  // 180 + h − 90
		"P1": -9.9736, // 180 − h + 90
		"M2": 136.4907,
		"N2": 8.0599, // M2 − s + p
		"SA": 279.9736,
	} {
		i, _ := Lookup(name)
		got := math.Remainder(definitions[i].equilibrium(l)-want, 360)
		if math.Abs(got) > 0.0005 {
			t.Errorf("V0 of %s is off by %.4f°", name, got)
		}
	}
}

func TestYears(t *testing.T) {
	for _, number := range []int{1, 1799, 1900, 2000, 2026, 2201, 9999} {
		y := yearOf(newYearsDay(number))
		if y.number != number {
			t.Fatalf("year of New Year's Day %d is %d", number, y.number)
		}
		if yearOf(y.start) != y {
			t.Errorf("%d was not kept", number)
		}
		for i := range y.factor {
			if !(y.factor[i] > 0 && y.factor[i] < 5) || math.IsNaN(y.argument[i]) {
				t.Errorf("%d: f %v and V0+u %v of %s", number, y.factor[i], y.argument[i], definitions[i].Name)
			}
		}
	}
	// The year of the last second before New Year is the old one.
	if got := yearOf(newYearsDay(2027) - 0.5).number; got != 2026 {
		t.Errorf("half a second before 2027 it is %d", got)
	}
}

func TestUnix(t *testing.T) {
	for _, test := range []struct {
		in   time.Time
		want float64
	}{
		{time.Date(1970, 1, 1, 0, 1, 0, 5e8, time.UTC), 60.5},
		{time.Date(-400, 1, 1, 0, 0, 0, 0, time.UTC), earliest},
		{time.Date(123456, 1, 1, 0, 0, 0, 0, time.UTC), latest - 1},
	} {
		if got := unix(test.in); got != test.want {
			t.Errorf("unix(%v) = %v, want %v", test.in, got, test.want)
		}
	}
}
