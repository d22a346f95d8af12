package decide

import (
	"strings"
	"testing"
	"time"

	"leadline/internal/coast"
)

// forecast returns six hours of a grid from noon on and a text of one period: wind of 10, 12, 15,
// 16, 20 and 8 kn, gusts 5 kn above it, seas of 1 to 6 ft, and no rain; in the text 10 kn and 2 ft.
func forecast() *Facts {
	f := &Facts{Zone: time.UTC, Grid: Grid{Waves: true}}
	f.Grid.Source = coast.Source{ID: WindForecast, Kind: coast.Forecast, Freshness: coast.Fresh}
	f.Text.Source = coast.Source{ID: MarineText, Kind: coast.Forecast, Freshness: coast.Fresh}
	for i, wind := range []float64{10, 12, 15, 16, 20, 8} {
		at := noon.Add(time.Duration(i) * time.Hour)
		f.Grid.Hours = append(f.Grid.Hours, Hour{From: at, To: at.Add(time.Hour), Wind: &wind,
			Gust: pointer(wind + 5), Height: pointer(float64(i + 1)), Wet: pointer(0)})
	}
	f.Text.Periods = []Period{{From: noon.Add(-time.Hour), To: noon.Add(6 * time.Hour),
		Wind: pointer(10), Seas: pointer(2)}}
	return f
}

// TestEvaluateBounds has cases worked by hand from the forecast above: what keeps each of its hours
// outside. The limits are values that forecasts may have, too.
func TestEvaluateBounds(t *testing.T) {
	wind, gust, seas := Bounds{Wind: pointer(15)}, Bounds{Gust: pointer(20)}, Bounds{Seas: pointer(4)}
	dry, both := Bounds{Dry: true}, Bounds{Wind: pointer(15), Seas: pointer(2)}
	half := func(f *Facts) *Period { // divides the text after three hours
		last := f.Text.Periods[0]
		f.Text.Periods[0].To, last.From = noon.Add(3*time.Hour), noon.Add(3*time.Hour)
		f.Text.Periods = append(f.Text.Periods, last)
		return &f.Text.Periods[1]
	}
	for _, c := range []struct {
		name   string
		bounds Bounds
		change func(f *Facts)
		want   string // the hours within bounds are "in"
	}{
		{"at the limit", wind, func(*Facts) {}, "in in in wind wind in"},
		{"gusts", gust, func(*Facts) {}, "in in in gust gust in"},
		{"seas", seas, func(*Facts) {}, "in in in in seas seas"},
		{"the first bound counts", both, func(*Facts) {}, "in in seas wind wind seas"},
		{"dry", dry, func(f *Facts) { f.Grid.Hours[1].Wet = pointer(20) }, "in rain in in in in"},
		{"weather not given", dry, func(f *Facts) { f.Grid.Hours[1].Wet = nil },
			"in not known in in in in"},
		{"thunder in the text", dry, func(f *Facts) { half(f).Thunder = pointer(30) },
			"in in in rain rain rain"},
		{"stronger in the text", wind, func(f *Facts) { half(f).Wind = pointer(20) },
			"in in in wind wind wind"},
		{"gusts of the text are at least its wind", gust, func(f *Facts) { half(f).Wind = pointer(25) },
			"in in in gust gust gust"},
		{"an hour without wind", wind, func(f *Facts) { f.Grid.Hours[1].Wind = nil },
			"in not known in wind wind in"},
		{"wind that nobody asked for", gust, func(f *Facts) { f.Grid.Hours[1].Wind = nil },
			"in in in gust gust in"},
		{"an hour that is missing", wind,
			func(f *Facts) { f.Grid.Hours = append(f.Grid.Hours[:1], f.Grid.Hours[2:]...) },
			"in not known in wind wind in"},
		{"a gap in the text", wind, func(f *Facts) { half(f).From = noon.Add(4 * time.Hour) },
			"in in in wind wind in"},
		{"a gap in the text, light wind", gust, func(f *Facts) {
			half(f).From = noon.Add(5 * time.Hour)
			f.Grid.Hours[3].Gust = pointer(9)
		}, "in in in not known gust in"},
		{"a text not read in full", wind, func(f *Facts) { half(f).Unmeasured = true },
			"in in in wind wind not known"},
		{"the text ends first", wind, func(f *Facts) { f.Text.Periods[0].To = noon.Add(2 * time.Hour) },
			"in in"},
		{"no text is written", wind, func(f *Facts) { f.Text = Text{Fact: Fact{Waived: "none"}} },
			"in in in wind wind in"},
		{"no waves in the grid", seas, func(f *Facts) { f.Grid.Waves = false }, "in in in in in in"},
		{"high seas in the text", seas,
			func(f *Facts) { f.Grid.Waves, half(f).Seas = false, pointer(5) }, "in in in seas seas seas"},
		{"seas in neither", seas, func(f *Facts) { f.Grid.Waves, half(f).Seas = false, nil },
			"in in in not known not known not known"},
		{"waves missing in the grid", seas, func(f *Facts) { f.Grid.Hours[0].Height = nil },
			"not known in in in seas seas"},
		{"the service does not answer", wind, func(f *Facts) { f.Grid.Absent = "NWS is down" },
			"missing wind-forecast: NWS is down"},
		{"the text is not found", dry, func(f *Facts) { f.Text.Absent = "NWS is down" },
			"missing marine-text: NWS is down"},
		{"a stale grid", wind, func(f *Facts) { f.Grid.Source.Freshness = coast.Stale },
			"missing wind-forecast: it is too old"},
		{"no hours", wind, func(f *Facts) { f.Grid.Hours = nil }, ""},
	} {
		f := forecast()
		c.change(f)
		if got := described(EvaluateBounds(c.bounds, noon, f)); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// described returns what keeps hours outside, as one line.
func described(b BoundedHours) string {
	if m := b.Missing; m != nil {
		return "missing " + m.Input + ": " + m.Reason
	}
	var list []string
	for _, h := range b.Hours {
		if h.Outside == "" {
			h.Outside = "in"
		}
		list = append(list, h.Outside)
	}
	return strings.Join(list, " ")
}

// TestBoundedHours checks that hours follow one another from the present minute to the end of the
// forecast.
func TestBoundedHours(t *testing.T) {
	got := EvaluateBounds(Bounds{}, noon.Add(20*time.Minute), forecast())
	var times []string
	for _, h := range got.Hours {
		times = append(times, h.From.Format("15:04-")+h.To.Format("15:04"))
	}
	const want = "12:20-13:00 13:00-14:00 14:00-15:00 15:00-16:00 16:00-17:00 17:00-18:00"
	if text := strings.Join(times, " "); text != want || len(got.Sources) != 2 {
		t.Errorf("%s, %d sources, want %s", text, len(got.Sources), want)
	}
}

// TestWet lists kinds of weather of the grid.
func TestWet(t *testing.T) {
	for kind, want := range map[string]bool{
		"rain": true, "rain_showers": true, "freezing_rain": true, "drizzle": true, "snow": true,
		"freezing_drizzle": true, "snow_showers": true, "sleet": true, "hail": true,
		"thunderstorms": true, "fog": false, "haze": false, "smoke": false, "freezing_spray": false,
		"frost": false, "": false,
	} {
		if got := Wet(kind); got != want {
			t.Errorf("Wet(%q) = %v, want %v", kind, got, want)
		}
	}
}
