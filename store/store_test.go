package store

import (
	"testing"
	"time"
)

// TestMonth: a month turns over at 00:00 UTC, wherever the clock stands.
func TestMonth(t *testing.T) {
	east := time.FixedZone("", 14*3600)
	for _, test := range []struct {
		at   time.Time
		want Month
	}{
		{time.Date(2026, 11, 30, 23, 59, 59, 999, time.UTC), 202611},
		{time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC), 202612},
		{time.Date(2026, 12, 1, 13, 59, 59, 0, east), 202611},
		{time.Date(2027, 1, 1, 14, 0, 0, 0, east), 202701},
	} {
		if got := MonthOf(test.at); got != test.want {
			t.Errorf("MonthOf(%v) = %d, want %d", test.at, got, test.want)
		}
	}
	if got := Month(202612).Next(); got != 202701 {
		t.Errorf("after 202612 comes %d", got)
	}
	if got, want := Month(202702).Start(), time.Date(2027, 2, 1, 0, 0, 0, 0, time.UTC); !got.Equal(want) {
		t.Errorf("202702 starts at %v, want %v", got, want)
	}
}
