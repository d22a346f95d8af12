package pages

import (
	"encoding/xml"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"

	"leadline/e2e/product"
	"leadline/internal/config"
	"leadline/internal/simulator/provider"
	"leadline/internal/stations"
	"leadline/internal/trials"
	"leadline/internal/verify"
	"leadline/tools"
)

// verifyNow runs a check of a few stations on the store of a product, without its pauses.
func verifyNow(t *testing.T, p *product.Product, now func() time.Time, ids ...string) {
	t.Helper()
	set := p.Tools()
	var list []stations.Station
	for _, id := range ids {
		st, ok := set.Stations.Station(id)
		if !ok {
			t.Fatalf("no station %s", id)
		}
		list = append(list, st)
	}
	comparer := verify.Comparer{Stations: set.Stations, Water: set.NOAA, Now: now}
	job := verify.NewJob(verify.JobConfig{
		Store: p.Storage().Store, Stations: func() []stations.Station { return list },
		Compare: comparer.Compare, Now: now, Log: slog.New(slog.DiscardHandler),
	})
	for range len(list) + 5 {
		job.Step(t.Context())
	}
}

// badge checks the picture and returns its text alternative.
func badge(t *testing.T, base string) string {
	t.Helper()
	o := open(t, base, "/verification.svg")
	var svg struct {
		Label string `xml:"aria-label,attr"`
		Title string `xml:"title"`
	}
	if err := xml.Unmarshal([]byte(o.body), &svg); err != nil || o.status != 200 ||
		svg.Label != svg.Title || o.header.Get("Content-Type") != "image/svg+xml" {
		t.Errorf("the badge is %d %q: %v", o.status, o.body, err)
	}
	if got := o.header.Get("Cache-Control"); got != "public, max-age=3600" {
		t.Errorf("the badge is kept %s", got)
	}
	return strings.ReplaceAll(svg.Label, "\u00a0", " ")
}

// verification returns the field of the status over REST.
func verification(t *testing.T, base string) verify.Summary {
	t.Helper()
	var got tools.Status
	product.Decode(t, product.OverREST(t, base+"/api/developer/status"), &got)
	if got.Verification == nil {
		t.Fatal("the status has no verification")
	}
	return *got.Verification
}

// TestVerificationPage checks the page, the badge and the status without a result, with a station
// that differs, and with an old result.
func TestVerificationPage(t *testing.T) {
	clock := product.Noon()
	now := func() time.Time { return clock }
	sim, root := product.Simulate(t, now)
	p := product.Setup{Root: root, Now: now, Fetched: now, Deadline: time.Minute,
		Patience: time.Minute}.Start(t)
	o := open(t, p.URL, "/verification")
	o.wantTitles(t, "Verification", "Verification")
	o.wantBalanced(t)
	o.wantPolicy(t)
	o.wantIDs(t)
	const none = "There is no result: this server does not compare its predictions with NOAA’s."
	o.says(t, []string{none, "switched off", "--verify-monthly"}, []string{"Newest result", "None"})
	if got := badge(t, p.URL); got != "predictions: no result" {
		t.Errorf("the badge says %q", got)
	}
	open(t, p.URL, "/status").says(t, []string{none}, nil)
	if got := verification(t, p.URL); got.State != verify.Off || got.CheckedAt != nil {
		t.Errorf("the status has %+v", got)
	}

	err := sim.SetEpoch("8443970", provider.Epoch{First: 2002, Last: 2020, Raise: 0.06})
	if err != nil {
		t.Fatal(err)
	}
	verifyNow(t, p, now, "8443970", "8518750", "9414290", "EPT0003_11")
	clock = clock.Add(time.Minute)
	o = open(t, p.URL, "/verification")
	o.wantBalanced(t)
	o.wantPolicy(t)
	o.wantIDs(t)
	const result = "On 20 Nov 2026, 4 of 4 stations were compared with NOAA’s predictions. One " +
		"station differs by more than rounding explains; the largest difference is 0.060 m and 0.001 kn."
	o.says(t, []string{result, "Stations that differ 1", "0.060 m at Boston", "Boston 8443970",
		"0.060 m 0 0 of 12 0 20 Nov 2026"}, []string{"New York", "out of date:"})
	if !strings.Contains(o.body, `href="/stations/8443970"`) || !o.cachedByAll() {
		t.Errorf("the page has no link to the station, or is %s", o.header.Get("Cache-Control"))
	}
	const amber = "predictions: 0.060 m and 0.001 kn max, 4 stations, 2026-11, 1 differ"
	if got := badge(t, p.URL); got != amber {
		t.Errorf("the badge says %q", got)
	}
	open(t, p.URL, "/status").says(t, []string{result}, nil)
	got := verification(t, p.URL)
	if got.State != verify.Current || got.Stations != 4 || got.Compared != 4 || got.Differing != 1 ||
		got.LargestHeightMeters == nil || math.Abs(*got.LargestHeightMeters-0.06) > 0.0011 {
		t.Errorf("the status has %+v", got)
	}

	clock = clock.AddDate(0, 0, 46)
	open(t, p.URL, "/verification").says(t, []string{"The newest result is out of date. On 20 Nov"},
		nil)
	if got := badge(t, p.URL); got != "predictions: out of date, result of 2026-11" {
		t.Errorf("the badge says %q", got)
	}
	open(t, p.URL, "/status").says(t, []string{"The newest result is out of date."}, nil)
}

// TestVerificationRuns checks that the check begins if the operator has switched it on, and that it
// does not if providers are not asked.
func TestVerificationRuns(t *testing.T) {
	sim, root := product.Simulate(t, nil)
	on := func(c *config.Config) { c.VerifyMonthly = true }
	p := product.Setup{Root: root, Whole: true, With: on}.Start(t)
	trials.WaitFor(t, "a check that runs", func() bool {
		return sim.Requests(provider.Data) > 0 && verification(t, p.URL).State == verify.Waiting
	})
	offline := product.Setup{Root: root, Whole: true, Offline: true, With: on}.Start(t)
	if got := verification(t, offline.URL); got.State != verify.Off {
		t.Errorf("with --offline the status has %+v", got)
	}
	open(t, offline.URL, "/verification").says(t, []string{"switched off"}, []string{"is running"})
}
