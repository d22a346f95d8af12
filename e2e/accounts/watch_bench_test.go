//go:build linux

package accounts

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"leadline/e2e/product"
	"leadline/internal/access"
	"leadline/internal/config"
	"leadline/internal/planning"
	"leadline/internal/selfservice"
	"leadline/internal/simulator/provider"
	"leadline/internal/stations"
	"leadline/internal/trials"
	"leadline/store"
)

// BenchmarkWatches lets a server evaluate 10,000 watches of 100 accounts for a minute, half of them
// within a day and the rest within a week, on 200 stations of which some are much more popular than
// others. It reports the CPU time as a part of one core, with that of the simulated providers in
// the same process, and the requests to providers. The targets are 5 % and 4 requests a second.
// Evaluations show whether the machine was too busy for the schedule, which has about 6 a second.
func BenchmarkWatches(b *testing.B) {
	const watches, stations, observed = 10_000, 200, time.Minute
	var requests atomic.Int64
	simulator, err := provider.New(provider.Config{Now: product.Now})
	if err != nil {
		b.Fatal(err)
	}
	root := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		simulator.ServeHTTP(w, r)
	}))
	defer root.Close()
	plan := fmt.Sprintf(`{"team": {"perMinute": 65535, "perMonth": 10000000,
		"features": ["decision_api"], "watches": %d}}`, watches/len(teams()))
	p := product.Setup{
		Root: root.URL, Folder: b.TempDir(), Whole: true,
		With: func(c *config.Config) { c.Plans = plansFile(b, plan) },
	}.Start(b)
	for _, id := range teams() {
		account := store.Account{ID: id, Email: id + "@example.org", Plan: "team"}
		if err := p.Storage().Store.AddAccount(b.Context(), account); err != nil {
			b.Fatal(err)
		}
	}
	fill(b, p, watches, stations)
	for b.Loop() {
		units := unitsOf(b, p)
		before, asked, watch := cpuTime(b), requests.Load(), trials.Start()
		time.Sleep(observed)
		took, used := watch.Elapsed().Seconds(), (cpuTime(b) - before).Seconds()
		evaluations := float64(unitsOf(b, p) - units)
		b.ReportMetric(100*used/took, "%core")
		b.ReportMetric(float64(requests.Load()-asked)/took, "requests/s")
		b.ReportMetric(evaluations/took, "evaluations/s")
		b.ReportMetric(1000*used/evaluations, "cpu-ms/evaluation")
	}
}

// unitsOf returns the units that all watches have cost: one for each evaluation.
func unitsOf(b *testing.B, p *product.Product) (units int) {
	b.Helper()
	for _, id := range teams() {
		list, err := p.Storage().Store.WatchesOf(b.Context(), id)
		if err != nil {
			b.Fatal(err)
		}
		for _, w := range list {
			units += w.Units
		}
	}
	return units
}

// teams returns the ids of the accounts.
func teams() (ids []string) {
	for n := range 100 {
		ids = append(ids, fmt.Sprintf("team%02d", n))
	}
	return ids
}

// fill creates watches of the accounts in turn on some of the stations with tides, by a Zipf
// distribution.
func fill(b *testing.B, p *product.Product, watches, places int) {
	b.Helper()
	dice := rand.New(rand.NewPCG(1, 2))
	popular := rand.NewZipf(dice, 1.2, 1, uint64(places-1))
	accounts := teams()
	list := p.Tools().Stations.All(stations.Tide)
	for n := range watches {
		within := 24 * time.Hour
		if n%2 == 1 {
			within = 7 * 24 * time.Hour
		}
		station := list[int(popular.Uint64())*len(list)/places]
		zone, err := time.LoadLocation(station.Zone)
		if err != nil {
			b.Fatal(err)
		}
		at := product.Now().Add(time.Hour + time.Duration(dice.Int64N(int64(within)))).In(zone)
		in := selfservice.CreateWatchInput{TripHealthInput: planning.TripHealthInput{
			StationID: station.ID,
			Trip: planning.Trip{
				Activity: "boating", LocalDate: at.Format(time.DateOnly), LocalTime: at.Format("15:04"),
			},
		}}
		caller := access.Caller{Account: accounts[n%len(accounts)], Tier: "team"}
		ctx := access.With(context.Background(), caller)
		if _, err := p.Tools().Watching.CreateWatch(ctx, in); err != nil {
			b.Fatal(err)
		}
	}
}

// plansFile writes a file of plans and returns its name.
func plansFile(b *testing.B, text string) string {
	b.Helper()
	file := filepath.Join(b.TempDir(), "plans.json")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	return file
}

// cpuTime returns the CPU time of this process.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
