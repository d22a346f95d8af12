package chart

import (
	"fmt"
	"math"
	"strconv"
)

// Bars is a chart of daily numbers in two parts, such as requests over REST and MCP.
type Bars struct {
	Title  string   // with the month
	Days   []string // of the month
	Lower  []int    // one per day; fewer than Days if some are in the future
	Upper  []int
	Labels [2]string // of Lower and Upper
	Share  float64   // even share of a limit, a dashed line; 0: no line
}

// Draw lays out the bars.
func (c Bars) Draw(size Size) *Scene {
	s := &Scene{W: size.W, H: size.H, Title: c.Title}
	if len(c.Days) == 0 {
		return s.empty("There are no days to draw.")
	}
	area := box{46, 24, s.W - 8, s.H - 24}
	most := 1
	for i := range c.Days {
		most = max(most, valueAt(c.Lower, i)+valueAt(c.Upper, i))
	}
	step := max(niceStep(float64(most)*1.08, 4), 1)
	top := math.Ceil(float64(most)/step) * step
	area.x0 = max(area.x0, toAxis+room(Thousands(int(top)), axisSize, false)+2)
	y := scale{area.y1, (area.y1 - area.y0) / top}
	for v := 0.0; v <= top; v += step {
		at := crisp(y.y(v))
		s.line(Grid, 1, point{area.x0, at}, point{area.x1, at})
		s.text(Soft, point{area.x0 - toAxis, at + 4},
			words{text: Thousands(int(v)), size: axisSize, anchor: end})
	}
	c.bars(s, area, y)
	right := c.legend(s, area.x0)
	if c.Share > 0 && c.Share <= top {
		at := y.y(c.Share)
		s.dashes(area.x0, area.x1, at)
		s.dashes(right, right+18, 9.5)
		label := "even share"
		if more := label + " " + Thousands(int(math.Round(c.Share))); right+23+
			room(more, axisSize, false) <= s.W {
			label = more
		}
		s.text(Ink, point{right + 23, 14}, words{text: label, size: axisSize})
	}
	s.Desc = c.describe()
	return s
}

// dashes draws a dashed horizontal line.
func (s *Scene) dashes(x0, x1, y float64) {
	s.add(item{
		kind: lineItem, role: Axis, width: 1.5, dashed: true, a: point{x0, y}, b: point{x1, y},
	})
}

func valueAt(values []int, i int) int {
	if i < len(values) {
		return values[i]
	}
	return 0
}

// bars draws a bar for each day over 72 % of its width, with one unit between its parts.
func (c Bars) bars(s *Scene, area box, y scale) {
	per := (area.x1 - area.x0) / float64(len(c.Days))
	every := 5
	if per > 40 {
		every = 1
	}
	for i, day := range c.Days {
		left := area.x0 + per*float64(i) + per*0.14
		lower, upper := valueAt(c.Lower, i), valueAt(c.Upper, i)
		border := math.Round(y.y(float64(lower)))
		x0, x1 := math.Round(left), math.Round(left+per*0.72)
		if lower > 0 {
			s.rect(BarA, box{x0, border, x1, math.Round(area.y1)}, 0)
		}
		if upper > 0 {
			s.rect(BarB, box{x0, math.Round(y.y(float64(lower + upper))), x1, border - 1}, 0)
		}
		if i%every == 0 {
			s.text(Soft, point{left + per*0.36, area.y1 + 16},
				words{text: day, size: axisSize, anchor: middle})
		}
	}
}

// legend draws the legend of the parts and returns its right end.
func (c Bars) legend(s *Scene, x float64) float64 {
	for i, r := range []Role{BarA, BarB} {
		s.rect(r, box{x, 4, x + 11, 15}, 2)
		s.text(Ink, point{x + 16, 14}, words{text: c.Labels[i], size: axisSize})
		x += 30 + room(c.Labels[i], axisSize, false)
	}
	return x
}

// describe returns the sums of both parts, and the day that has the most.
func (c Bars) describe() string {
	lower, upper, most, busiest := 0, 0, 0, ""
	for i, day := range c.Days {
		lower, upper = lower+valueAt(c.Lower, i), upper+valueAt(c.Upper, i)
		if sum := valueAt(c.Lower, i) + valueAt(c.Upper, i); sum > most {
			most, busiest = sum, day
		}
	}
	text := fmt.Sprintf("%s: %s %s and %s %s in %d days.", c.Title,
		Thousands(lower), c.Labels[0], Thousands(upper), c.Labels[1], len(c.Days))
	if most > 0 {
		text += " Day " + busiest + " has the most, " + Thousands(most) + "."
	}
	return text
}

// Thousands writes a number with commas.
func Thousands(v int) string {
	s := strconv.Itoa(v)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
