package chart

import (
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
	if want := "1,500 REST and 500 MCP in 4 days"; !strings.Contains(s.Desc, want) {
		t.Errorf("the description is %q, want %q in it", s.Desc, want)
	}
	checkTexts(t, "bars", month().Draw(BarsNarrow))
}
