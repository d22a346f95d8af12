package tide

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"leadline/internal/trials"
)

func at(minutes ...float64) []turn {
	var list []turn
	for i, m := range minutes {
		list = append(list, turn{at: 60 * m, high: i%2 == 0})
	}
	return list
}

// high and low are turns at a minute with a height in meters.
func high(minute, height float64) turn { return turn{at: 60 * minute, height: height, high: true} }
func low(minute, height float64) turn  { return turn{at: 60 * minute, height: height} }

func TestSettle(t *testing.T) {
	h, l := high, low
	tests := []struct {
		name     string
		in, want []turn
	}{
		{"nothing", nil, nil},
		{"two hours stay", at(0, 120, 240), at(0, 120, 240)},
		{"a pair goes", at(0, 360, 463, 800), append(at(0), at(0, 800)[1])},
		{"the closer of two overlapping pairs goes", at(0, 100, 190, 800),
			[]turn{at(0)[0], at(0, 800)[1]}},
		{"its neighbors meet and stay", at(0, 90, 100, 190), []turn{at(0)[0], at(0, 190)[1]}},
		{"its neighbors meet and go", at(0, 40, 60, 100), nil},
		{"the earlier of equal pairs goes", at(0, 60, 120), []turn{{at: 7200, high: true}}},
		{"0.1 ft stays", []turn{l(0, 1), h(58, 1.03048)}, []turn{l(0, 1), h(58, 1.03048)}},
		{"less than 0.1 ft goes", []turn{l(0, 1), h(119.9, 1.03047)}, nil},
		{"a pair 3.75 m apart stays", []turn{l(0, 0), h(100, 3.75)}, []turn{l(0, 0), h(100, 3.75)}},
		{"a high below the low goes", []turn{h(0, 1), l(100, 1.03)}, nil},
		{"two highs stay", []turn{h(0, 1), h(30, 1)}, []turn{h(0, 1), h(30, 1)}},
		{"the smallest gap has too large a difference, the next one goes",
			[]turn{l(0, 1), h(20, 1.5), l(50, 1.48), h(300, 2)}, []turn{l(0, 1), h(300, 2)}},
		{"neighbors that meet are compared by their own heights",
			[]turn{l(0, 1), h(40, 1.1), l(60, 1.09), h(100, 1.02)}, nil},
		{"neighbors that meet stay by their own heights",
			[]turn{l(0, 1), h(40, 1.1), l(60, 1.09), h(100, 1.2)}, []turn{l(0, 1), h(100, 1.2)}},
	}
	for _, test := range tests {
		if got := settle(slices.Clone(test.in)); !slices.Equal(got, test.want) {
			t.Errorf("%s: settle(%v) = %v, want %v", test.name, test.in, got, test.want)
		}
	}
}

// TestSettleProperties checks that the result for random turns is in order, alternates as
// before and has no close pair. It equals the result of removing close pairs one by one.
// A list split at a gap of two hours gives the same on both sides.
func TestSettleProperties(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range trials.Cases() {
		var list []turn
		now := 0.0
		for i := range random.IntN(30) {
			now += float64(1+random.IntN(16)) * 600 // ties are common
			height := float64(random.IntN(8)) / 100
			list = append(list, turn{at: now, high: i%2 == 0, height: height})
		}
		got := settle(slices.Clone(list))
		for i := 1; i < len(got); i++ {
			a, b := got[i-1], got[i]
			if a.at >= b.at || a.high == b.high {
				t.Fatalf("settle(%v) = %v: rows do not alternate", list, got)
			}
			if b.at-a.at < 7200 && math.Abs(b.height-a.height) < 0.03048 {
				t.Fatalf("settle(%v) = %v: a close pair remains", list, got)
			}
		}
		if want := oneByOne(slices.Clone(list)); !slices.Equal(got, want) {
			t.Fatalf("settle(%v) = %v, want %v", list, got, want)
		}
		for i := 1; i < len(list); i++ {
			if list[i].at-list[i-1].at < 7200 {
				continue
			}
			parts := append(settle(slices.Clone(list[:i])), settle(slices.Clone(list[i:]))...)
			if !slices.Equal(parts, got) {
				t.Fatalf("split at %d: %v, want %v", i, parts, got)
			}
		}
	}
}

// oneByOne applies the rule literally to the whole list at once: it sorts all close pairs
// by their gaps, removes the first, and repeats.
func oneByOne(list []turn) []turn {
	for {
		var places []int
		for i := 1; i < len(list); i++ {
			rise := math.Abs(list[i].height - list[i-1].height)
			if list[i].at-list[i-1].at < 7200 && rise < 0.03048 {
				places = append(places, i)
			}
		}
		if len(places) == 0 {
			return list
		}
		slices.SortStableFunc(places, func(i, j int) int {
			return cmp.Compare(list[i].at-list[i-1].at, list[j].at-list[j-1].at)
		})
		list = slices.Delete(list, places[0]-1, places[0]+1)
	}
}

func TestComplete(t *testing.T) {
	s := request{from: 6000 * 60, to: 7000 * 60}
	tests := []struct {
		name     string
		list     []turn
		from, to float64 // minutes
		want     bool
	}{
		{"nothing at all", nil, 5900, 7100, true},
		{"room before and after", at(6100, 6500), 5970, 7000, true},
		{"too close to the edge", at(6050, 6500), 5970, 7100, false},
		{"a gap before the first of the span", at(5910, 6050, 6500), 5900, 7100, true},
		{"a chain from the edge", at(5910, 5990, 6050, 6500), 5900, 7100, false},
		{"a chain to the edge", at(6300, 6990, 7050), 5800, 7150, false},
		{"a chain that ends", at(6300, 6990, 7050), 5800, 7170, true},
	}
	for _, test := range tests {
		if got := complete(test.list, 60*test.from, 60*test.to, s); got != test.want {
			t.Errorf("%s: complete = %v, want %v", test.name, got, test.want)
		}
	}
}
