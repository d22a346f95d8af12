package tides

import (
	"fmt"
	"math"
	"time"

	"leadline/internal/facts"
	"leadline/internal/operation"
	"leadline/internal/render"
	"leadline/internal/stations"
)

// longestRanges is the longest span whose days have ranges: further days cost more tokens than
// they are read.
const longestRanges = 7 * facts.Day

// rangesOf returns the range of the present tide, and the greatest of each day of high and low
// waters, as parts of the station's mean range (NOAA's datum MN): above 100 % toward spring tides,
// below toward neaps. A station without that datum, as all subordinate ones, has the ranges alone.
// It returns "" for heights, long spans, and results without neighboring high and low waters.
func (p TidePredictions) rangesOf(st stations.Station, h facts.Unit) string {
	if p.Series != nil || p.Span.To.Sub(p.Span.From) > longestRanges || p.input.filtered() != "" {
		return ""
	}
	mean, _ := st.Level("MN")
	figure := func(height float64) string {
		if mean == 0 {
			return render.Number(height, 2)
		}
		return fmt.Sprintf("%s (%.0f %%)", render.Number(height, 2), 100*height/h.Of(mean))
	}
	var now string
	var days []string
	if n := p.Now; n != nil && n.Previous != nil && n.Next != nil && n.Previous.Type != n.Next.Type {
		now = "now " + figure(math.Abs(p.Now.Next.Height-p.Now.Previous.Height))
	}
	for _, d := range p.dayRanges() {
		days = append(days, d.date+" "+figure(d.height))
	}
	if now == "" && days == nil {
		return ""
	}
	of := ""
	if mean > 0 {
		of = fmt.Sprintf(" (of mean %s)", render.Number(h.Of(mean), 2))
	}
	return fmt.Sprintf("Predicted range, %s%s: %s", p.HeightUnit, of,
		operation.Join(", ", append([]string{now}, days...)...))
}

// dayRange is the greatest range of a tide that ends on a day.
type dayRange struct {
	date   string // Sat 28
	height float64
}

// dayRanges returns the greatest range that ends on each whole day of the result. Two highs in a
// row, which offsets can give, have no range between them.
func (p TidePredictions) dayRanges() (list []dayRange) {
	var of time.Time
	for i := 1; i < len(p.Extremes); i++ {
		e := p.Extremes[i]
		day := facts.DayStart(e.Time)
		end := facts.DayStart(day.AddDate(0, 0, 1)).Add(-time.Minute)
		if day.Before(p.Span.From) || end.After(p.Span.To) || e.Type == p.Extremes[i-1].Type {
			continue
		}
		height := math.Abs(e.Height - p.Extremes[i-1].Height)
		if !day.Equal(of) {
			of = day
			list = append(list, dayRange{e.Time.Format("Mon 2"), height})
		} else if last := &list[len(list)-1]; height > last.height {
			last.height = height
		}
	}
	return list
}
