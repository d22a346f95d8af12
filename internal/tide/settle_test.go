package tide

import (
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

func TestSettle(t *testing.T) {
	tests := []struct {
		name     string
		in, want []turn
	}{
		{"nothing", nil, nil},
		{"two hours stay", at(0, 120, 240), at(0, 120, 240)},
		{"a pair goes", at(0, 360, 463, 800), append(at(0), at(0, 800)[1])},
		{"the closer of two overlapping pairs goes", at(0, 100, 190, 800), []turn{at(0)[0], at(0, 800)[1]}},
		{"its neighbours meet and stay", at(0, 90, 100, 190), []turn{at(0)[0], at(0, 190)[1]}},
		{"its neighbours meet and go", at(0, 40, 60, 100), nil},
		{"the earlier of equal pairs goes", at(0, 60, 120), []turn{{at: 7200, high: true}}},
	}
	for _, test := range tests {
		if got := settle(slices.Clone(test.in)); !slices.Equal(got, test.want) {
			t.Errorf("%s: settle(%v) = %v, want %v", test.name, test.in, got, test.want)
		}
	}
}

// byTheLetter is the rule as it is told: the closest pair first, both dropped, until none is left.
func byTheLetter(list []turn) []turn {
	for {
		best := -1
		for i := 1; i < len(list); i++ {
			gap := list[i].at - list[i-1].at
			if gap < apart && (best < 0 || gap < list[best].at-list[best-1].at) {
				best = i
			}
		}
		if best < 0 {
			return list
		}
		list = slices.Delete(list, best-1, best+1)
	}
}

func TestSettleByTheLetter(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range trials.Cases() {
		var list []turn
		now := 0.0
		for range random.IntN(30) {
			now += float64(1+random.IntN(16)) * 600 // ties are common
			list = append(list, turn{at: now})
		}
		want := byTheLetter(slices.Clone(list))
		if got := settle(slices.Clone(list)); !slices.Equal(got, want) {
			t.Fatalf("settle(%v) = %v, want %v", list, got, want)
		}
	}
}

func TestComplete(t *testing.T) {
	s := span{from: 6000 * 60, to: 7000 * 60}
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
