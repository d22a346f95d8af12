package chart

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// TestBars checks that days without requests and days to come have no bar, and that the height
// of a bar is its number.
func TestBars(t *testing.T) {
	c := Bars{
		Title: "Requests", Days: []string{"1", "2", "3", "4"}, Labels: [2]string{"REST", "MCP"},
		Lower: []int{1000, 0, 500}, Upper: []int{500, 0, 0}, Share: 250,
	}
	s := c.Draw(BarsWide)
	var heights [2][]float64
	for _, i := range s.items {
		if i.kind == rectItem && i.a.y > 20 { // the legend is above
			heights[i.role-BarA] = append(heights[i.role-BarA], i.b.y-i.a.y)
		}
	}
	if len(heights[0]) != 2 || len(heights[1]) != 1 {
		t.Fatalf("there are %d lower and %d upper bars, want 2 and 1", len(heights[0]), len(heights[1]))
	}
	if got := heights[0][0] / heights[0][1]; got < 1.95 || got > 2.05 {
		t.Errorf("1000 is %.2f times as high as 500", got)
	}
	const want = "1,500 REST and 500 MCP in 4 days. Day 1 has the most, 1,500."
	if !strings.Contains(s.Desc, want) {
		t.Errorf("the description is %q, want %q in it", s.Desc, want)
	}
}

// TestManyBars checks invariants of random months: texts do not meet, bars stay in the picture and
// have the height of their number.
func TestManyBars(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range charts {
		c := Bars{Title: "Requests a day", Labels: [2]string{"REST", "MCP"}}
		days, passed := 28+random.IntN(4), random.IntN(32)
		most := 1 << random.IntN(24)
		c.Share = random.Float64() * float64(most)
		for i := range days {
			c.Days = append(c.Days, strconv.Itoa(i+1))
			if i < passed {
				c.Lower, c.Upper = append(c.Lower, random.IntN(most)), append(c.Upper, random.IntN(most))
			}
		}
		size := []Size{BarsWide, BarsNarrow, BarsLow, BarsLowNarrow}[random.IntN(4)]
		s := c.Draw(size)
		name := fmt.Sprintf("%+v, %v", c, size)
		checkTexts(t, name, s)
		checkSVG(t, name, s)
		for _, i := range s.items {
			outside := i.a.x < 0 || i.b.x > s.W || i.a.y < 0 || i.b.y > s.H || i.a.x >= i.b.x
			if i.kind == rectItem && outside {
				t.Errorf("%s: a bar is at %v to %v", name, i.a, i.b)
			}
		}
	}
}
