package providers

import (
	"fmt"
	"testing"

	"leadline/e2e/product"
	"leadline/internal/planning"
	"leadline/tools"
)

// BenchmarkTripHealth makes a decision about a boat trip at Boston with cached
// provider responses: current, grid, text and alerts.
func BenchmarkTripHealth(b *testing.B) {
	in := planning.TripHealthInput{
		StationID: "8443970",
		Trip:      planning.Trip{Activity: "boating", LocalDate: product.Days(1), LocalTime: "09:00"},
	}
	benchmarkDecision(b, func(set *tools.Set) error {
		_, err := set.Decisions.TripHealth(b.Context(), in)
		return err
	})
}

// BenchmarkBestWindow ranks twelve times for the same trip.
func BenchmarkBestWindow(b *testing.B) {
	in := planning.BestWindowInput{StationID: "8443970", Activity: "boating"}
	for hour := range 12 {
		in.Candidates = append(in.Candidates,
			planning.WindowTime{LocalDate: product.Days(1), LocalTime: fmt.Sprintf("%02d:00", 6+hour)})
	}
	benchmarkDecision(b, func(set *tools.Set) error {
		_, err := set.Decisions.BestWindow(b.Context(), in)
		return err
	})
}

func benchmarkDecision(b *testing.B, decide func(*tools.Set) error) {
	_, root := product.Simulate(b, product.Noon)
	p := product.Setup{Root: root, Now: product.Noon}.Start(b).Join(b)
	b.ReportAllocs()
	for b.Loop() {
		if err := decide(p.Tools()); err != nil {
			b.Fatal(err)
		}
	}
}
