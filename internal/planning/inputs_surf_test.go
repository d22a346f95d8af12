package planning

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"leadline/internal/decide"
	"leadline/internal/nws"
)

// newYork returns the time zone of the texts of these tests.
func newYork(t *testing.T) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// surfText returns a surf zone forecast of one zone with some lines, issued on Tuesday 18
// August 2026 at 04:11 local time.
func surfText(t *testing.T, lines ...string) (nws.Segment, time.Time) {
	t.Helper()
	issued := time.Date(2026, 8, 18, 8, 11, 0, 0, time.UTC)
	const head = "SRFMHX\n\nNCZ203-182015-\nOuter Banks-\n411 AM EDT Tue Aug 18 2026\n\n"
	b, err := nws.ParseBulletin(head+strings.Join(lines, "\n")+"\n\n$$\n", issued)
	if err != nil {
		t.Fatal(err)
	}
	return b.Segments[0], issued
}

// TestRisksInTime checks the times of the risks of surf zone forecasts. Levels are 0 for
// unstated, 1 for low, 2 for moderate and 3 for high.
func TestRisksInTime(t *testing.T) {
	rip := func(risk string) string { return "Rip Current Risk*..........." + risk + "." }
	zone := newYork(t)
	for name, c := range map[string]struct {
		lines []string
		want  string // days of August and hours, levels
	}{
		"two days, the night takes the higher": {
			[]string{".TODAY...", rip("Moderate"), ".WEDNESDAY...", rip("Low")},
			"18 04-18 18 2, 18 18-19 06 2, 19 06-20 00 1"},
		"a night of its own": {
			[]string{".TODAY...", rip("Low"), ".TONIGHT...", rip("High"), ".WEDNESDAY...", rip("Low")},
			"18 04-18 18 1, 18 18-19 06 3, 19 06-20 00 1"},
		"a night without a risk": {
			[]string{
				".TODAY...", rip("Low"), ".TONIGHT...", "Weather.....Rain.", ".WEDNESDAY...", rip("High"),
			},
			"18 04-18 18 1, 18 18-19 06 3, 19 06-20 00 3"},
		"an outlook without risks": {
			[]string{
				".TODAY...", rip("Low"), ".WEDNESDAY...Surf around 2 feet.", ".THURSDAY...Surf around 2 feet.",
			},
			"18 04-19 00 1"},
		"a day without a risk between two": {
			[]string{
				".TODAY...", rip("Low"), ".WEDNESDAY...", "Surf Height.....2 feet.", ".THURSDAY...", rip("Low"),
			},
			"18 04-18 18 1, 18 18-19 06 0, 19 06-20 06 0, 20 06-21 06 1"},
		"areas: the worst counts": {
			[]string{
				".TODAY...", "Rip Current Risk*...", "   North of Cape Hatteras...Low.",
				"   South of Cape Hatteras...High.", ".WEDNESDAY...", rip("Low"),
			},
			"18 04-18 18 3, 18 18-19 06 3, 19 06-20 00 1"},
		"an unreadable area": {
			[]string{
				".TODAY...", "Rip Current Risk*...", "   North of Cape Hatteras...Low.",
				"   South of Cape Hatteras...Extreme.",
			},
			"18 04-19 00 0"},
		"an unreadable area next to a high one": {
			[]string{
				".TODAY...", "Rip Current Risk*...", "   North of Cape Hatteras...High.",
				"   South of Cape Hatteras...Extreme.",
			},
			"18 04-19 00 3"},
		"before any period": {
			[]string{rip("Moderate"), ".TODAY...Sunny.", ".WEDNESDAY...Sunny."}, "18 04-19 00 2",
		},
		"without any period":  {[]string{rip("High")}, "18 04-18 16 3"},
		"several days in one": {[]string{".TODAY THROUGH WEDNESDAY...", rip("High")}, "18 04-20 00 3"},
		"no risk":             {[]string{".TODAY...", "Surf Height.....2 feet."}, ""},
		"only a day to come":  {[]string{".WEDNESDAY...", rip("High")}, "18 04-20 00 3"},
	} {
		s, issued := surfText(t, c.lines...)
		var got []string
		for _, r := range risksOf(s, issued, zone) {
			got = append(got,
				fmt.Sprintf("%s-%s %d", r.From.In(zone).Format("2 15"), r.To.In(zone).Format("2 15"), r.Level))
		}
		if got := strings.Join(got, ", "); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestHoursOfWaves checks the swell trains and the direction of the waves of a grid, with the
// layer names of the weather service.
func TestHoursOfWaves(t *testing.T) {
	from := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	layer := func(unit string, v float64) nws.Layer {
		return nws.Layer{Unit: unit, Spans: []nws.Span{{From: from, To: from.Add(time.Hour), Value: &v}}}
	}
	base := map[string]nws.Layer{
		"windDirection":  layer("degree_(angle)", 90),
		"windWaveHeight": layer("m", 0.9144), // 3 ft

		"primarySwellHeight":    layer("m", 1.8288), // 6 ft
		"primarySwellDirection": layer("degree_(angle)", 300),
		"wavePeriod":            layer("s", 14),

		"secondarySwellHeight":    layer("m", 0.6096), // 2 ft
		"secondarySwellDirection": layer("degree_(angle)", 200),
		"wavePeriod2":             layer("s", 17),
	}
	for name, c := range map[string]struct {
		set     map[string]nws.Layer
		from    string
		heights string // with their periods
	}{
		"the swell is highest": {nil, "300", "6/14 2/17"},
		"the wind sea is": {
			map[string]nws.Layer{"windWaveHeight": layer("m", 2.4384)}, "90", "6/14 2/17",
		},
		"the second swell is": {
			map[string]nws.Layer{"secondarySwellHeight": layer("m", 2.4384)}, "200", "6/14 8/17",
		},
		"the grid says it": {
			map[string]nws.Layer{"waveDirection": layer("degree_(angle)", 10)}, "10", "6/14 2/17",
		},
		"no direction of it": {map[string]nws.Layer{"primarySwellDirection": {}}, "-", "6/14 2/17"},
		"no swell": {
			map[string]nws.Layer{"primarySwellHeight": {}, "secondarySwellHeight": {}}, "90", "",
		},
		"no period of the swell": {map[string]nws.Layer{"wavePeriod": {}}, "300", "6/- 2/17"},
		"no height at all": {
			map[string]nws.Layer{"primarySwellHeight": {}, "secondarySwellHeight": {}, "windWaveHeight": {}},
			"-", "",
		},
	} {
		layers := maps.Clone(base)
		maps.Copy(layers, c.set)
		h := hoursOf(nws.Grid{From: from, To: from.Add(time.Hour), Layers: layers})[0]
		said := func(v *float64) string {
			if v == nil {
				return "-"
			}
			return fmt.Sprint(*v)
		}
		var trains []string
		for _, s := range h.Swells {
			trains = append(trains, said(s.Height)+"/"+said(s.Period))
		}
		if got := strings.Join(trains, " "); said(h.WavesFrom) != c.from || got != c.heights {
			t.Errorf("%s: from %s, swells %s, want %s, %s", name, said(h.WavesFrom), got, c.from, c.heights)
		}
	}
}

// FuzzRisks checks that the risks of any surf zone forecast have a beginning before their end,
// and a known level.
func FuzzRisks(f *testing.F) {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		f.Fatal(err)
	}
	f.Add("NCZ203-182015-\n.TODAY...\nRip Current Risk*...High.\n.WEDNESDAY...\n"+
		"Rip Current Risk*...Low.\n$$", int64(1787040660))
	f.Add("NCZ203-182015-\nRIP CURRENT RISK...MODERATE\n$$", int64(1787040660))
	// A text that expired before it was issued.
	f.Add("AAC000-081000\nRIP CURRENT RISK..00000000", int64(1787040660))
	f.Fuzz(func(t *testing.T, text string, seconds int64) {
		issued := time.Unix(seconds%(1<<33), 0)
		b, err := nws.ParseBulletin(text, issued)
		if err != nil {
			return
		}
		for _, s := range b.Segments {
			for _, r := range risksOf(s, issued, zone) {
				if !r.From.Before(r.To) || r.Level < decide.RipUnstated || r.Level > decide.RipHigh {
					t.Errorf("%+v of %q", r, text)
				}
			}
		}
	})
}
