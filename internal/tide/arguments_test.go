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
			t.Errorf("alias %q names no constituent", name)
		}
	}
	for _, name := range []string{"", "M22", "Z0"} {
		if i, ok := Lookup(name); ok || i != 0 {
			t.Errorf("Lookup(%q) = %d, %v", name, i, ok)
		}
	}
}

// The published speeds are the mean motions of the epoch 1900, except for M1, whose speed
// contains the perigee that its V0 omits.
func TestSpeeds(t *testing.T) {
	for _, d := range definitions() {
		if d.Name == "M1" {
			d.p = 1
		}
		if got := d.speed(); math.Abs(got-d.Speed) > 0.5e-7 {
			t.Errorf("speed of %s = %.7f, want %.7f", d.Name, got, d.Speed)
		}
	}
}

// The expected values are computed by hand from the names: the members of 2SM2, for
// example, and speeds as multiples of the members' speeds.
func TestCompounds(t *testing.T) {
	for name, members := range map[string]string{"2SM2": "2S2-M2", "MN4": "M2+N2", "M6": "3M2",
		"MK3": "M2+K1", "2MK3": "2M2-K1"} {
		i, _ := Lookup(name)
		got, want := multiply(members), definitions()[i]
		if got.T != want.T || got.s != want.s || got.h != want.h || got.p != want.p ||
			wrapDegrees(got.c-want.c) != 0 {
			t.Errorf("%s from members: %+v, want %+v", name, got, want)
		}
	}
	i, _ := Lookup("5MS12")
	if got, want := definitions()[i].Speed, 5*28.9841042+30; math.Abs(got-want) > 3e-7 {
		t.Errorf("speed of 5MS12 = %.7f, want %.7f", got, want)
	}
}

func wrapDegrees(c int) int { return ((c % 360) + 360) % 360 }

// The reference is the node factors and corrections as harmonic series of the longitude
// of the node, from A. T. Doodson and H. D. Warburg, Admiralty Manual of Tides (1941), an
// independent method.
func TestNode(t *testing.T) {
	tests := []struct {
		name                   string
		f0, f1, f2, f3         float64 // f0 + f1 cos N + f2 cos 2N + f3 cos 3N
		u1, u2, u3             float64 // degrees: u1 sin N + u2 sin 2N + u3 sin 3N
		factorWithin, uDegrees float64
	}{
		{"M2", 1.0004, -0.0373, 0.0002, 0, -2.14, 0, 0, 0.001, 0.05},
		{"O1", 1.0089, 0.1871, -0.0147, 0.0014, 10.80, -1.34, 0.19, 0.001, 0.1},
		{"K1", 1.0060, 0.1150, -0.0088, 0.0006, -8.86, 0.68, -0.07, 0.001, 0.1},
		{"K2", 1.0241, 0.2863, 0.0083, -0.0015, -17.74, 0.68, -0.04, 0.003, 0.15},
		{"J1", 1.0129, 0.1676, -0.0170, 0.0016, -12.94, 1.34, -0.19, 0.001, 0.1},
		{"OO1", 1.1027, 0.6504, 0.0317, -0.0014, -36.68, 4.02, -0.57, 0.004, 0.2},
		{"MF", 1.0429, 0.4135, -0.0040, 0, -23.74, 2.68, -0.38, 0.003, 0.1},
	}
	for _, test := range tests {
		i, _ := Lookup(test.name)
		for n := 0.0; n < 360; n += 7.5 {
			a := nodeAt(longitudes{n: n})
			f := a.factors()[definitions()[i].factors[0]]
			u := a.correction(definitions()[i].nodal) / degree
			x := n * degree
			wantF := test.f0 + test.f1*math.Cos(x) + test.f2*math.Cos(2*x) + test.f3*math.Cos(3*x)
			wantU := test.u1*math.Sin(x) + test.u2*math.Sin(2*x) + test.u3*math.Sin(3*x)
			if math.Abs(f-wantF) > test.factorWithin || math.Abs(u-wantU) > test.uDegrees {
				t.Errorf("%s at N=%v: f = %.4f, u = %.2f, want %.4f, %.2f", test.name, n, f, u, wantF, wantU)
			}
		}
	}
}

// The values are computed by hand for 2000-01-01 00:00 UTC, half a day before the epoch
// of the longitudes: s = 218.31646 − 6.58820 = 211.72826, h = 280.46645 − 0.49282 =
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
		got := math.Remainder(definitions()[i].equilibrium(l)-want, 360)
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
			t.Errorf("year %d is not cached", number)
		}
		for i := range y.factor {
			if !(y.factor[i] > 0 && y.factor[i] < 5) || math.IsNaN(y.argument[i]) {
				t.Errorf("%d: f %v and V0+u %v of %s", number, y.factor[i], y.argument[i],
					definitions()[i].Name)
			}
		}
	}
	// The year of the last second before New Year is the old year.
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
