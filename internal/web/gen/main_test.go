package main

import (
	"encoding/binary"
	"math"
	"testing"
)

// TestSimplified checks that a ring stays within the tolerance of its place: fine near stations,
// coarse elsewhere, and closed.
func TestSimplified(t *testing.T) {
	near := cells{}
	near.add(-71, 42)
	var ring []point
	for i := range 721 { // a circle of 5 degrees through the station
		sin, cos := math.Sincos(float64(i) * math.Pi / 360)
		ring = append(ring, point{-76 + 5*cos, 42 + 5*sin})
	}
	if !near.any(ring) || near.any([]point{{0, 0}, {10, 10}}) {
		t.Error("any does not distinguish a ring near a station from a far one")
	}
	got := near.simplified(ring)
	if got[0] != ring[0] || got[len(got)-1] != ring[len(ring)-1] {
		t.Error("the simplified ring does not have the ends of the ring")
	}
	if len(got) > 60 || len(got) < 10 {
		t.Errorf("%d of %d points remain, want 10 to 60", len(got), len(ring))
	}
	for _, p := range ring {
		least := math.Inf(1)
		for i, b := range got[1:] {
			least = min(least, distance(p, got[i], b))
		}
		if most := near.tolerance(p); least > most+1e-9 {
			t.Errorf("%v is %.4f degrees from the simplified ring, want at most %.3f", p, least, most)
		}
	}
}

// TestAppendRing checks that the file has the points in units of 1/400 degrees.
func TestAppendRing(t *testing.T) {
	ring := []point{{-71.05, 42.35}, {-71.06, 42.35}, {179.9975, -0.0025}}
	file := appendRing(nil, ring)
	n, size := binary.Uvarint(file)
	if file = file[size:]; n != 3 {
		t.Fatalf("the file has %d points, want 3", n)
	}
	var x, y int64
	for _, p := range ring {
		dx, size := binary.Varint(file)
		dy, more := binary.Varint(file[size:])
		file, x, y = file[size+more:], x+dx, y+dy
		if math.Abs(float64(x)/perDegree-p.x) > 0.5/perDegree ||
			math.Abs(float64(y)/perDegree-p.y) > 0.5/perDegree {
			t.Errorf("a point is %d %d, want %v", x, y, p)
		}
	}
	if len(file) != 0 {
		t.Errorf("%d bytes follow the ring", len(file))
	}
}

// TestParse checks that damaged output of the script is refused.
func TestParse(t *testing.T) {
	for _, line := range []string{"", "1 2", "1 2 3 4 5", "1 2 3 4 5 x", "1 2 3 4 5 6 7"} {
		if got, err := parse(line); err == nil {
			t.Errorf("parse(%q) = %v, want an error", line, got)
		}
	}
	got, err := parse("-7105000 4235000 0 0 100000 -50000")
	if err != nil || len(got) != 3 || got[0] != (point{-71.05, 42.35}) || got[2] != (point{1, -0.5}) {
		t.Errorf("parse = %v, %v", got, err)
	}
}
