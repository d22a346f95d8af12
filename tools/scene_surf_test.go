package tools

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"leadline/internal/nws"
)

// newYork is the zone of the texts of these tests.
func newYork(t *testing.T) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// surfText is a surf zone forecast of one zone, issued on Tuesday 18 August 2026
// at 04:11 local time, with some lines.
func surfText(t *testing.T, lines ...string) (nws.Segment, time.Time) {
	t.Helper()
	issued := time.Date(2026, 8, 18, 8, 11, 0, 0, time.UTC)
	b, err := nws.ParseBulletin("SRFMHX\n\nNCZ203-182015-\nOuter Banks-\n411 AM EDT Tue Aug 18 2026\n\n"+strings.Join(lines, "\n")+"\n\n$$\n", issued)
	if err != nil {
		t.Fatal(err)
	}
	return b.Segments[0], issued
}

// TestRisksInTime puts the risks of surf zone forecasts in time: levels are 0 for
// unstated, 1 for low, 2 for moderate, 3 for high.
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
			[]string{".TODAY...", rip("Low"), ".TONIGHT...", "Weather.....Rain.", ".WEDNESDAY...", rip("High")},
			"18 04-18 18 1, 18 18-19 06 3, 19 06-20 00 3"},
		"an outlook without risks": {
			[]string{".TODAY...", rip("Low"), ".WEDNESDAY...Surf around 2 feet.", ".THURSDAY...Surf around 2 feet."},
			"18 04-19 00 1"},
		"a day without a risk between two": {
			[]string{".TODAY...", rip("Low"), ".WEDNESDAY...", "Surf Height.....2 feet.", ".THURSDAY...", rip("Low")},
			"18 04-18 18 1, 18 18-19 06 0, 19 06-20 06 0, 20 06-21 06 1"},
		"areas: the worst counts": {
			[]string{".TODAY...", "Rip Current Risk*...", "   North of Cape Hatteras...Low.", "   South of Cape Hatteras...High.", ".WEDNESDAY...", rip("Low")},
			"18 04-18 18 3, 18 18-19 06 3, 19 06-20 00 1"},
		"an area that cannot be read": {
			[]string{".TODAY...", "Rip Current Risk*...", "   North of Cape Hatteras...Low.", "   South of Cape Hatteras...Extreme."},
			"18 04-19 00 0"},
		"an area that cannot be read beside a high one": {
			[]string{".TODAY...", "Rip Current Risk*...", "   North of Cape Hatteras...High.", "   South of Cape Hatteras...Extreme."},
			"18 04-19 00 3"},
		"before any period":   {[]string{rip("Moderate"), ".TODAY...Sunny.", ".WEDNESDAY...Sunny."}, "18 04-19 00 2"},
		"without any period":  {[]string{rip("High")}, "18 04-18 16 3"},
		"several days in one": {[]string{".TODAY THROUGH WEDNESDAY...", rip("High")}, "18 04-20 00 3"},
		"no risk":             {[]string{".TODAY...", "Surf Height.....2 feet."}, ""},
		"only a day to come":  {[]string{".WEDNESDAY...", rip("High")}, "18 04-20 00 3"},
	} {
		s, issued := surfText(t, c.lines...)
		var got []string
		for _, r := range risksOf(s, issued, zone) {
			got = append(got, fmt.Sprintf("%s-%s %d", r.From.In(zone).Format("2 15"), r.To.In(zone).Format("2 15"), r.Level))
		}
		if got := strings.Join(got, ", "); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
