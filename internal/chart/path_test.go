package chart

import (
	"math"
	"regexp"
	"strconv"
	"testing"
)

var (
	pathCommand = regexp.MustCompile(`[Mlhvcsz][^Mlhvcsz]*`)
	pathNumber  = regexp.MustCompile(`-?(?:\d+(?:\.\d+)?|\.\d+)`)
	commandSize = map[byte]int{'M': 2, 'l': 2, 'h': 1, 'v': 1, 'c': 6, 's': 4}
)

// traced returns points of a path as a browser draws it: SVG 2, section 9.3.
func traced(t *testing.T, data string) []point {
	t.Helper()
	var out []point
	var at, control point
	for _, text := range pathCommand.FindAllString(data, -1) {
		command, size := text[0], commandSize[text[0]]
		var v []float64
		for _, number := range pathNumber.FindAllString(text[1:], -1) {
			n, err := strconv.ParseFloat(number, 64)
			if err != nil {
				t.Fatal(err)
			}
			v = append(v, n)
		}
		for ; size > 0 && len(v) >= size; v = v[size:] {
			from, first, to := at, at, at
			switch command {
			case 'M':
				at = point{v[0], v[1]}
				out = append(out, at)
				continue
			case 'l':
				to = point{at.x + v[0], at.y + v[1]}
				control = to
			case 'h':
				to.x += v[0]
				control = to
			case 'v':
				to.y += v[0]
				control = to
			case 'c':
				first, control = point{at.x + v[0], at.y + v[1]}, point{at.x + v[2], at.y + v[3]}
				to = point{at.x + v[4], at.y + v[5]}
			case 's':
				first = point{2*at.x - control.x, 2*at.y - control.y}
				control = point{at.x + v[0], at.y + v[1]}
				to = point{at.x + v[2], at.y + v[3]}
			}
			out = append(out, bezier(from, first, control, to)...)
			at = to
		}
		if len(v) > 0 && size > 0 {
			t.Fatalf("%q has %d numbers too many", text, len(v))
		}
	}
	return out
}

// bezier returns points of a cubic after its first.
func bezier(a, b, c, d point) (out []point) {
	const steps = 32
	for i := range steps {
		t := float64(i+1) / steps
		u := 1 - t
		at := func(a, b, c, d float64) float64 { return u*u*u*a + 3*u*u*t*b + 3*u*t*t*c + t*t*t*d }
		out = append(out, point{at(a.x, b.x, c.x, d.x), at(a.y, b.y, c.y, d.y)})
	}
	return out
}

// checkCurves checks that curves as they are written run within the tolerance of their samples and
// of the rounding to tenths.
func checkCurves(t *testing.T, name string, s *Scene) {
	t.Helper()
	for _, i := range s.items {
		if i.kind != strokeItem || i.tolerance == 0 {
			continue
		}
		var d pathData
		i.draw(&d)
		line, worst := traced(t, string(d.text)), 0.0
		for _, p := range i.points {
			for len(line) > 2 && line[1].x < p.x-1 { // the curve runs from left to right
				line = line[1:]
			}
			worst = max(worst, away(p, line))
		}
		if worst > i.tolerance+0.1 {
			t.Errorf("%s: the curve %d is %.2f units from a sample", name, i.role, worst)
		}
	}
}

// away returns the distance of a point from the part of a line that is not far to its right. A
// curve that is shorter than the rounding of a path is a line of one point.
func away(p point, line []point) float64 {
	least := math.Hypot(line[0].x-p.x, line[0].y-p.y)
	for i, b := range line[1:] {
		a := line[i]
		if a.x > p.x+1 {
			break
		}
		part := 0.0
		if length := (b.x-a.x)*(b.x-a.x) + (b.y-a.y)*(b.y-a.y); length > 0 {
			part = min(max(((p.x-a.x)*(b.x-a.x)+(p.y-a.y)*(b.y-a.y))/length, 0), 1)
		}
		least = min(least, math.Hypot(a.x+part*(b.x-a.x)-p.x, a.y+part*(b.y-a.y)-p.y))
	}
	return least
}

// TestPathData checks the separators and the commands of paths.
func TestPathData(t *testing.T) {
	var p pathData
	p.move(point{40, 34})
	p.lines(point{40.5, 34.3}, point{40.5, 30}, point{44, 30}, point{44.6, 30.7}, point{44.6, 30.7})
	p.close()
	p.move(point{0.04, -7})
	p.smooth(point{1, -6}, point{2, -7})
	p.smooth(point{3, -8}, point{4, -7})
	want := "M40 34l.5.3v-4.3h3.5l.6.7zM0-7s1 1 2 0 1-1 2 0"
	if got := string(p.text); got != want {
		t.Errorf("path = %s, want %s", got, want)
	}
}
