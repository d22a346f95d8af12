package sky

import (
	"testing"
	"time"
)

// BenchmarkMonth computes the largest result of the sun and moon tools: 31 civil days at
// one place, sun and moon. Its target is 4 ms.
func BenchmarkMonth(b *testing.B) {
	p := Place{40.467, -74.009}
	start := time.Date(2026, 11, 1, 4, 0, 0, 0, time.UTC)
	b.ReportAllocs()
	for b.Loop() {
		for day := range 31 {
			from := start.Add(time.Duration(day) * 24 * time.Hour)
			Sun(p, from, from.Add(24*time.Hour))
			MoonTimes(p, from, from.Add(24*time.Hour))
		}
	}
}

func BenchmarkSunDay(b *testing.B) {
	from := time.Date(2026, 11, 1, 4, 0, 0, 0, time.UTC)
	for b.Loop() {
		Sun(Place{40.467, -74.009}, from, from.Add(24*time.Hour))
	}
}

func BenchmarkMoonDay(b *testing.B) {
	from := time.Date(2026, 11, 1, 4, 0, 0, 0, time.UTC)
	for b.Loop() {
		MoonTimes(Place{40.467, -74.009}, from, from.Add(24*time.Hour))
	}
}

func BenchmarkSunPosition(b *testing.B) {
	t := time.Date(2026, 11, 1, 4, 0, 0, 0, time.UTC)
	for b.Loop() {
		SunPosition(Place{40.467, -74.009}, t)
	}
}

func BenchmarkMoonState(b *testing.B) {
	t := time.Date(2026, 11, 1, 4, 0, 0, 0, time.UTC)
	for b.Loop() {
		Moon(t)
	}
}

// BenchmarkYearOfDaylight computes the light of a year of tide windows. Its target is 7 ms.
func BenchmarkYearOfDaylight(b *testing.B) {
	from := time.Date(2026, 11, 1, 4, 0, 0, 0, time.UTC)
	for b.Loop() {
		When(Place{40.467, -74.009}, from, from.AddDate(1, 0, 0), Daylight)
	}
}

func BenchmarkYearOfMoonlight(b *testing.B) {
	from := time.Date(2026, 11, 1, 4, 0, 0, 0, time.UTC)
	for b.Loop() {
		When(Place{40.467, -74.009}, from, from.AddDate(1, 0, 0), Moonlit)
	}
}
