package store

import (
	"testing"
	"time"
)

// TestMonth checks that a month begins at 00:00 UTC in every zone.
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
		t.Errorf("Month(202612).Next() = %d, want 202701", got)
	}
	want := time.Date(2027, 2, 1, 0, 0, 0, 0, time.UTC)
	if got := Month(202702).Start(); !got.Equal(want) {
		t.Errorf("202702 starts at %v, want %v", got, want)
	}
}
