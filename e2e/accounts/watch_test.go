package accounts

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"leadline/e2e/product"
	"leadline/internal/decide"
	"leadline/internal/events"
	"leadline/internal/simulator/provider"
)

// TestWatchOutage evaluates a watch while the weather service is down for two hours. The outage is
// announced once and its end once, and nothing gets better because facts are missing. Each
// evaluation has a server of its own, whose cache and breaker are new.
func TestWatchOutage(t *testing.T) {
	t.Parallel()
	var elapsed atomic.Int64 // of the clock of the product and of the providers
	now := func() time.Time { return product.Noon().Add(time.Duration(elapsed.Load())) }
	simulator, root := product.Simulate(t, now)
	at := product.Noon().Add(20 * time.Hour)
	request := events.TripRequest{
		StationID: "8443970", Activity: "boating", LocalDate: at.Format(time.DateOnly),
		LocalTime: "09:00",
	}
	var standing decide.Standing
	var directions []decide.Direction
	evaluate := func(after time.Duration) {
		t.Helper()
		elapsed.Add(int64(after))
		p := product.Setup{Root: root, Now: now, Deadline: time.Minute}.Start(t)
		defer p.Stop()
		d, err := p.Tools().Decisions.Judge(t.Context(), request)
		if err != nil {
			t.Fatal(err)
		}
		if standing.Steps == nil {
			standing = decide.Begin(&d)
			if len(d.MissingInputs) > 0 {
				t.Fatalf("with all providers %v are missing", d.MissingInputs)
			}
			return
		}
		var step *decide.Step
		if standing, step = decide.Progress(standing, &d, now()); step != nil {
			directions = append(directions, step.Direction)
		}
	}
	evaluate(0)
	evaluate(30 * time.Minute)
	simulator.Fail(provider.Weather, provider.Fault{Kind: provider.Broken})
	for range 3 {
		evaluate(30 * time.Minute)
	}
	simulator.Heal()
	for range 2 {
		evaluate(30 * time.Minute)
	}
	want := []decide.Direction{decide.Lost, decide.Restored}
	if !slices.Equal(directions, want) {
		t.Errorf("an outage of the weather service is announced as %v, want %v", directions, want)
	}
}
