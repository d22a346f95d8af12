package store

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestCheckName(t *testing.T) {
	for name, ok := range map[string]bool{
		"a": true, "zoë@example.org": true, strings.Repeat("x", 1024): true, "a\nb": true,
		"": false, "a\x00b": false, "\x00": false, "a\xffb": false, strings.Repeat("x", 1025): false,
	} {
		if err := CheckName(name); (err == nil) != ok || !ok && !errors.Is(err, ErrUnavailable) {
			t.Errorf("CheckName(%.20q) = %v, want success: %v", name, err, ok)
		}
	}
}

func TestSecond(t *testing.T) {
	noon := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	east := time.FixedZone("", 5*3600+1800)
	before := time.Date(1969, 7, 20, 20, 17, 40, 0, time.UTC)
	for given, want := range map[time.Time]time.Time{
		noon.Add(999 * time.Millisecond): noon, noon.In(east): noon, {}: {},
		time.Time{}.In(east): {}, before.Add(time.Nanosecond): before,
	} {
		if got := Second(given); got != want {
			t.Errorf("Second(%v) = %v, want %v", given, got, want)
		}
	}
}

func TestEarlier(t *testing.T) {
	never, soon := time.Time{}, time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	late := soon.AddDate(1, 0, 0)
	for _, test := range []struct{ a, b, want time.Time }{
		{soon, late, soon}, {late, soon, soon}, {soon, soon, soon},
		{never, soon, soon}, {soon, never, soon}, {never, never, never},
	} {
		if got := Earlier(test.a, test.b); got != test.want {
			t.Errorf("Earlier(%v, %v) = %v, want %v", test.a, test.b, got, test.want)
		}
	}
}

// TestDay checks that a day begins at 00:00 UTC in every zone.
func TestDay(t *testing.T) {
	west := time.FixedZone("", -8*3600)
	for _, test := range []struct {
		at   time.Time
		want Day
	}{
		{time.Date(2026, 11, 30, 23, 59, 59, 999, time.UTC), 20261130},
		{time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC), 20261201},
		{time.Date(2026, 12, 31, 15, 59, 59, 0, west), 20261231},
		{time.Date(2026, 12, 31, 16, 0, 0, 0, west), 20270101},
	} {
		if got := DayOf(test.at); got != test.want {
			t.Errorf("DayOf(%v) = %d, want %d", test.at, got, test.want)
		}
	}
	for day, next := range map[Day]Day{
		20261121: 20261122, 20261231: 20270101, 20280228: 20280229, 20270228: 20270301,
	} {
		if got := day.Next(); got != next {
			t.Errorf("Day(%d).Next() = %d, want %d", day, got, next)
		}
	}
	want := time.Date(2027, 2, 3, 0, 0, 0, 0, time.UTC)
	if got := Day(20270203).Start(); got != want {
		t.Errorf("20270203 starts at %v, want %v", got, want)
	}
}
