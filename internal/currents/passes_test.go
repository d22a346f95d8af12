package currents

import (
	"math"
	"math/rand/v2"
	"testing"

	"leadline/internal/directory"
	"leadline/internal/trials"
)

// TestReversedWay checks that a reversed course has the reversed current, and that swapping flood
// and ebb with the sign of the velocity changes nothing.
func TestReversedWay(t *testing.T) {
	random := rand.New(rand.NewPCG(72, 1))
	for range trials.Cases() {
		flood, ebb, course := 360*random.Float64(), 360*random.Float64(), 360*random.Float64()
		back, v := math.Mod(course+180, 360), 5*random.NormFloat64()
		of := func(flood, ebb, course float64) way {
			w, err := wayThrough("", directory.Directions{Flood: &flood, Ebb: &ebb}, "", &course)
			if err != nil {
				t.Fatal(err)
			}
			return w
		}
		there := of(flood, ebb, course).along(v)
		if again := of(flood, ebb, back).along(v); math.Abs(there+again) > 1e-9 {
			t.Errorf("course %v: %v there and %v back", course, there, again)
		}
		if swapped := of(ebb, flood, course).along(-v); math.Abs(there-swapped) > 1e-9 {
			t.Errorf("course %v: %v, and %v with flood and ebb swapped", course, there, swapped)
		}
		if math.Abs(there) > math.Abs(v)+1e-9 {
			t.Errorf("course %v: %v along of %v", course, there, v)
		}
	}
}

// TestOverallRange checks the range of a route: gates without a direction count as against the
// vessel, so that a current against it is never lost in a range without signs.
func TestOverallRange(t *testing.T) {
	pass := func(lowest, highest float64, unsigned bool) GatePassed {
		most := max(-lowest, highest)
		return GatePassed{Window: CurrentRange{Lowest: lowest, Highest: highest, MaxCurrent: most,
			unsigned: unsigned}}
	}
	against, with, any := pass(-2.98, -0.92, false), pass(0.5, 3.5, false), pass(0.58, 1.2, true)
	for _, c := range []struct {
		gates           []GatePassed
		lowest, highest float64
		text            string
	}{
		{[]GatePassed{against}, -2.98, -0.92, "0.92 kn to 2.98 kn against"},
		{[]GatePassed{against, with}, -2.98, 3.5, "2.98 kn against to 3.50 kn with"},
		{[]GatePassed{any, any}, 0.58, 1.2, "0.58 kn to 1.20 kn"},
		{[]GatePassed{against, any}, -2.98, -0.58,
			"0.58 kn to 2.98 kn against"},
		{[]GatePassed{any, with}, -1.2, 3.5,
			"1.20 kn against to 3.50 kn with"},
	} {
		got := overall(c.gates)
		if got.Lowest != c.lowest || got.Highest != c.highest || got.Text != c.text {
			t.Errorf("%v to %v: %q, want %v to %v: %q", got.Lowest, got.Highest, got.Text, c.lowest,
				c.highest, c.text)
		}
	}
}
