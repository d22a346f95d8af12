package planning

import (
	"testing"

	"leadline/internal/coast"
	"leadline/internal/decide"
)

// TestSure checks that a stale forecast has its age after the confidence, and a fresh one, or a
// prediction, does not.
func TestSure(t *testing.T) {
	age := func(minutes int) *int { return &minutes }
	trip := TripHours{Confidence: decide.Low, sure: "facts that decide are missing"}
	trip.Sources = []coast.Source{
		{Label: "Tide", Kind: coast.Prediction, Freshness: coast.Stale, AgeMinutes: age(9000)},
		{Label: "Grid", Kind: coast.Forecast, Freshness: coast.Stale, AgeMinutes: age(300)},
		{Label: "Text", Kind: coast.Forecast, Freshness: coast.Fresh, AgeMinutes: age(60)},
		{Label: "Alerts", Kind: coast.Forecast, Freshness: coast.Stale},
	}
	const want = "Confidence low: facts that decide are missing. Grid: 5 hours old."
	if got := trip.Sure(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := (TripHours{}).Sure(); got != "" {
		t.Errorf("without a verdict: %q", got)
	}
}
