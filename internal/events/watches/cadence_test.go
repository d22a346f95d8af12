package watches

import (
	"testing"
	"time"
)

// TestCadence checks how often watches are evaluated, and that all watches of a station are
// evaluated at the same instants.
func TestCadence(t *testing.T) {
	for _, test := range []struct{ ahead, least, want time.Duration }{
		{100 * time.Hour, 0, 6 * time.Hour},
		{72*time.Hour + time.Second, 0, 6 * time.Hour},
		{72 * time.Hour, 0, 2 * time.Hour},
		{24 * time.Hour, 0, 30 * time.Minute},
		{6 * time.Hour, 0, 10 * time.Minute},
		{-time.Minute, 0, 10 * time.Minute},
		{time.Hour, time.Hour, time.Hour},
		{100 * time.Hour, time.Hour, 6 * time.Hour},
	} {
		if got := interval(test.ahead, test.least); got != test.want {
			t.Errorf("interval(%v, %v) = %v, want %v", test.ahead, test.least, got, test.want)
		}
	}
	for ahead, want := range map[time.Duration]int{
		7 * 24 * time.Hour: 129, 24 * time.Hour: 84, 6 * time.Hour: 43, 0: 3,
	} {
		if got := mostUnits(noon, noon.Add(ahead), 0); got != want {
			t.Errorf("mostUnits(%v ahead) = %d, want %d", ahead, got, want)
		}
	}
	at := noon.AddDate(0, 0, 5)
	first := nextEvaluation(noon, at, "8443970", 0)
	again := nextEvaluation(noon.Add(time.Minute), at.Add(time.Hour), "8443970", 0)
	if first != again {
		t.Errorf("two watches of a station are evaluated at %v and %v", first, again)
	}
	if d := first.Sub(noon); d <= 0 || d > 6*time.Hour+jitter {
		t.Errorf("the next evaluation is in %v, want within 6 h", d)
	}
	if other := nextEvaluation(noon, at, "9414290", 0); other == first {
		t.Errorf("two stations are evaluated at the same time %v", first)
	}
	if first != first.Truncate(time.Second) {
		t.Errorf("an evaluation is at %v, between two seconds: the store would evaluate it twice", first)
	}
	end := nextEvaluation(at.Add(14*time.Minute), at, "8443970", 0)
	if want := at.Add(grace); !end.Equal(want) && end.After(want) {
		t.Errorf("the last evaluation is at %v, after the end %v", end, want)
	}
}
