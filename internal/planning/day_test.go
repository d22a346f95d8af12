package planning

import (
	"strings"
	"testing"
	"time"

	"leadline/internal/tides"
)

// TestNearTide checks the article of the tide that a day is near.
func TestNearTide(t *testing.T) {
	for kind, want := range map[tides.SpringKind]string{
		"equatorial": ", near an equatorial tide.", "tropic": ", near a tropic tide.",
	} {
		d := Day{Tides: &DayTides{Events: []tides.TideEvent{{}}}, Spring: &DaySpring{Kind: kind}}
		if got := d.tideSentence(); !strings.HasSuffix(got, want) {
			t.Errorf("%s: %q, want %q", kind, got, want)
		}
	}
}

// TestSunOnlyRises checks a day with one of the two events.
func TestSunOnlyRises(t *testing.T) {
	sunrise := time.Date(2027, 5, 10, 3, 4, 0, 0, time.UTC)
	d := Day{Light: &DayLight{Sunrise: &sunrise}, Moon: &DayMoon{Phase: "full_moon"}}
	if got, want := d.lightSentence(), "Sun: sunrise 03:04, no sunset; full moon."; got != want {
		t.Errorf("a sun that only rises: %q, want %q", got, want)
	}
}
