package search

import (
	"testing"
)

func TestCoordinate(t *testing.T) {
	for _, c := range []struct {
		text string
		want float64
		ok   bool
	}{
		{"42.357913", 42.36, true}, {" -71.051379 ", -71.05, true}, {"−71.05", -71.05, true},
		{"91", 0, false}, {"NaN", 0, false}, {"", 0, false}, {"Inf", 0, false}, {"0x1p3", 8, true},
	} {
		if got, ok := coordinate(c.text, 90); got != c.want || ok != c.ok {
			t.Errorf("coordinate(%q) = %v, %v, want %v, %v", c.text, got, ok, c.want, c.ok)
		}
	}
}
