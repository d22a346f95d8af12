package pages

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"leadline/e2e/product"
	"leadline/internal/server"
	"leadline/internal/simulator/provider"
	"leadline/internal/trials"
)

// computed are words of the page of Boston that need no provider.
var computed = []string{
	"Predicted tide at 12:00 PM", "Next low water 1:18 PM", "Fri 20 Nov", "Sunrise 6:41 AM",
	"waxing gibbous", "Flood sets 299° true", "The same facts for programs", "Where it is",
}

// comforting are words that a page without observations, forecasts or alerts must not have.
var comforting = []string{
	"No alert", "reports no readings", "No flood levels are published", "has no coastal waters text",
	"has no grid forecast", "stayed within", "as predicted", "Observed at",
}

// says checks that the text of a page has some words and lacks others.
func (o opened) says(t *testing.T, has, lacks []string) {
	t.Helper()
	text := o.words()
	for _, want := range has {
		if !strings.Contains(text, want) {
			t.Errorf("%s lacks %q in %.6000s", o.path, want, text)
		}
	}
	for _, bad := range lacks {
		if i := strings.Index(text, bad); i >= 0 {
			t.Errorf("%s has %q: %q", o.path, bad, text[max(0, i-100):min(len(text), i+100)])
		}
	}
}

// failAll makes all services of a simulator fail.
func failAll(p *provider.Provider, f provider.Fault) {
	for _, service := range []string{
		provider.Data, provider.Metadata, provider.Derived, provider.Weather,
	} {
		p.Fail(service, f)
	}
}

// TestPagesWithLateProviders checks that a page does not wait for providers that send nothing, and
// that the next request finds what has come since.
func TestPagesWithLateProviders(t *testing.T) {
	sim, root := product.Simulate(t, product.Noon)
	failAll(sim, provider.Fault{Kind: provider.Hang})
	p := product.Setup{
		Root:     root,
		Now:      product.Noon,
		Deadline: time.Hour,
		Patience: time.Millisecond,
	}.Start(
		t,
	)
	o := open(t, p.URL, "/stations/8443970")
	if got := o.header.Get("Cache-Control"); o.status != 200 || got != "private, no-store" {
		t.Errorf("with late providers: %d, %s", o.status, got)
	}
	o.says(t, append([]string{
		"Observations: NOAA has not answered in time. Predictions do not depend on it.",
		"Alerts could not be read: the weather service has not answered in time. Look at weather.gov",
		"The wind forecast is missing: the weather service has not answered in time.",
		"Readings are missing: NOAA has not answered in time.",
	}, computed...), comforting)
	if o := open(t, p.URL, "/"); o.status != 200 || o.cachedByAll() {
		t.Errorf("home with late providers: %d %s", o.status, o.header.Get("Cache-Control"))
	} else {
		o.says(t, []string{"Predicted: 2.1 ft at 12:00 PM", "next low water 1:18 PM"}, nil)
	}
	if o := open(t, p.URL, "/stations/9063020"); o.status != 503 ||
		!strings.Contains(o.words(), "cannot be looked up at the moment") {
		t.Errorf("a station outside the directory: %d %.300s", o.status, o.words())
	}
}

// TestPagesAfterLateProviders checks that the responses that came too late for a page are on the
// next one.
func TestPagesAfterLateProviders(t *testing.T) {
	sim, root := product.Simulate(t, product.Noon)
	failAll(sim, provider.Fault{Kind: provider.Slow, Delay: 100 * time.Millisecond})
	p := product.Setup{
		Root:     root,
		Now:      product.Noon,
		Deadline: time.Hour,
		Patience: 10 * time.Millisecond,
	}.Start(
		t,
	)
	if o := open(t, p.URL, "/stations/8443970"); o.cachedByAll() {
		t.Fatal("nothing was late")
	}
	var o opened
	trials.WaitFor(t, "the complete page", func() bool {
		o = open(t, p.URL, "/stations/8443970")
		return o.cachedByAll()
	})
	o.says(t, []string{"Observed at 11:54 AM", "Small Craft Advisory"}, nil)
}

// TestPagesWithoutProviders checks pages while providers fail in several ways.
func TestPagesWithoutProviders(t *testing.T) {
	for _, kind := range []provider.Kind{
		provider.Unavailable, provider.Garbage, provider.Refuse, provider.Blocked,
	} {
		sim, root := product.Simulate(t, product.Noon)
		failAll(sim, provider.Fault{Kind: kind})
		p := product.Setup{
			Root: root, Now: product.Noon, Deadline: 50 * time.Millisecond, Patience: time.Minute,
		}.Start(t)
		o := open(t, p.URL, "/stations/8443970")
		if got := o.header.Get("Cache-Control"); o.status != 200 || got != "private, no-store" {
			t.Errorf("%s: %d, %s", kind, o.status, got)
		}
		o.says(t, append([]string{
			"Observations: NOAA ", "Alerts could not be read: the weather service ",
			"The wind forecast is missing: the weather service ", "Readings are missing: NOAA ",
		}, computed...), append([]string{"NOAA NOAA", ".."}, comforting...))
		p.Stop()
	}
}

// TestPagesWithOneProvider checks that the failure of one service takes away only its parts.
func TestPagesWithOneProvider(t *testing.T) {
	for _, c := range []struct {
		name, service string
		has, lacks    []string
	}{
		{
			"observations", provider.Data,
			[]string{"Observations: NOAA ", "Small Craft Advisory", "National Weather Service, issued"},
			[]string{"Observed at", "stayed within", "Alerts could not be read"},
		},
		{
			"weather", provider.Weather,
			[]string{"Observed at 11:54 AM", "Alerts could not be read"},
			[]string{"No alert", "do not depend on it", "Small Craft", "National Weather Service, issued"},
		},
		{
			"texts", "/products",
			[]string{"The coastal waters forecast is missing", "Small Craft Advisory", "Observed at"},
			[]string{"has no coastal waters text", "Alerts could not be read"},
		},
		{
			"alerts", "/alerts",
			[]string{"Alerts could not be read", "National Weather Service, issued", "Observed at"},
			[]string{"No alert", "Small Craft"},
		},
		{
			"grids", "/gridpoints",
			[]string{"The wind forecast is missing", "Small Craft Advisory", "Observed at"},
			[]string{"has no grid forecast"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			sim, root := product.Simulate(t, product.Noon)
			sim.Fail(c.service, provider.Fault{Kind: provider.Unavailable})
			p := product.Setup{
				Root: root, Now: product.Noon, Deadline: time.Second, Patience: time.Minute,
			}.Start(t)
			o := open(t, p.URL, "/stations/8443970")
			if o.cachedByAll() {
				t.Errorf("without %s the page is %s", c.name, o.header.Get("Cache-Control"))
			}
			o.says(t, append(c.has, computed...), c.lacks)
		})
	}
}

// TestPagesWithStaleFacts checks that old facts are shown as old.
func TestPagesWithStaleFacts(t *testing.T) {
	sim, root := product.Simulate(t, product.Noon)
	sim.SetWater("8443970", provider.Water{Newest: product.Noon().Add(-150 * time.Minute)})
	clock := product.Noon()
	p := product.Setup{
		Root:     root,
		Now:      func() time.Time { return clock },
		Deadline: 10 * time.Second,
		Patience: time.Minute,
	}.Start(
		t,
	)
	open(t, p.URL, "/stations/8443970").says(t,
		[]string{"Observed at 9:30 AM (2 h ago, stale)", "Alerts as of 12:00 PM."}, nil)
	sim.SetAlerts("ANZ230")
	failAll(sim, provider.Fault{Kind: provider.Unavailable})
	clock = clock.Add(40 * time.Minute)
	o := open(t, p.URL, "/stations/8443970")
	o.says(t, []string{"The list of alerts, as of 12:00 PM, may lack some"}, []string{"No alert"})
	if o.cachedByAll() {
		t.Error("a page with stale alerts is public")
	}
}

// TestPagesWithoutAlerts checks that a page says that there is no alert only with the list and its
// time.
func TestPagesWithoutAlerts(t *testing.T) {
	sim, root := product.Simulate(t, product.Noon)
	p := product.Setup{
		Root:     root,
		Now:      product.Noon,
		Deadline: time.Minute,
		Patience: time.Minute,
	}.Start(
		t,
	)
	open(t, p.URL, "/stations/9063020").says(t, []string{
		"No alert of the weather service is in force for Dunkirk to Buffalo",
		"as of 12:00 PM.",
	}, []string{"Alerts could not"})
	sim.Fail("/alerts", provider.Fault{Kind: provider.Garbage})
	open(t, p.URL, "/stations/9414290").says(t, []string{"Alerts could not be read"},
		[]string{"No alert"})
}

// TestPagesWithoutReadings checks a gauge whose rows are empty, and one hour without a value.
func TestPagesWithoutReadings(t *testing.T) {
	sim, root := product.Simulate(t, product.Noon)
	sim.SetWater("8443970", provider.Water{
		Empty: func(product string, _ time.Time) bool { return product == "water_level" },
	})
	hour := product.Noon().Add(-5 * time.Hour)
	sim.SetWater("9414290", provider.Water{Empty: func(_ string, at time.Time) bool {
		return at.After(hour) && at.Before(hour.Add(time.Hour))
	}})
	p := product.Setup{
		Root:     root,
		Now:      product.Noon,
		Deadline: time.Minute,
		Patience: time.Minute,
	}.Start(
		t,
	)
	open(t, p.URL, "/stations/8443970").says(t, computed, []string{
		"Observed at", "stayed within", "prediction and observation",
	})
	gap := func(h provider.Hour) provider.Hour {
		if h.At.After(product.Noon().Add(5*time.Hour)) &&
			h.At.Before(product.Noon().Add(9*time.Hour)) {
			h.Wind, h.Gust, h.From = nil, nil, nil
		}
		return h
	}
	if err := sim.SetGrid("37.8063,-122.4659", provider.Grid{Hour: gap}); err != nil {
		t.Fatal(err)
	}
	o := open(t, p.URL, "/stations/9414290")
	o.says(t, []string{
		"Observed at", "prediction and observation", "National Weather Service, issued",
	}, []string{"The wind forecast is missing"})
	if strings.Contains(o.body, "NaN") {
		t.Error("a gap is drawn as NaN")
	}
}

// TestCrowdedPages checks that an address that opens many stations gets pages with their computed
// parts alone, and costs no request to a provider.
func TestCrowdedPages(t *testing.T) {
	sim, root := product.Simulate(t, product.Noon)
	p := product.Setup{
		Root:     root,
		Now:      product.Noon,
		Deadline: time.Minute,
		Patience: time.Minute,
	}.Start(
		t,
	)
	const most = 20
	list := regexp.MustCompile(`"(/stations/(?:\d{7}|[A-Z]{3}\d{4}))"`).
		FindAllStringSubmatch(open(t, p.URL, "/stations?state=RI").body, most-1)
	list = append(list, []string{"", "/stations/8443970"})
	for _, link := range list {
		if o := open(t, p.URL, link[1]); o.status != 200 ||
			strings.Contains(o.words(), "many stations were opened") {
			t.Fatalf("%s: %d is crowded too early", link[1], o.status)
		}
	}
	before := sim.Requests("")
	o := open(t, p.URL, "/stations/9414290")
	o.says(t, []string{
		"Observations, forecasts, alerts and flood levels are left out: many stations were opened",
		"Predicted tide at 9:00 AM", "Sunrise", "providers are not asked",
	}, comforting)
	if got := o.header.Get("Cache-Control"); got != "private, no-store" {
		t.Errorf("a crowded page is %s", got)
	}
	unknown := open(t, p.URL, "/stations/1234567")
	if unknown.status != http.StatusTooManyRequests || unknown.header.Get("Retry-After") != "60" {
		t.Errorf("an unknown station: %d %v, want 429", unknown.status, unknown.header)
	}
	if after := sim.Requests(""); after != before {
		t.Errorf("crowded pages cost %d requests to providers", after-before)
	}
	if o := open(t, p.URL, "/stations/8443970"); !o.cachedByAll() {
		t.Errorf("an opened station is no longer served from memory: %v", o.header)
	}
}

// TestOfflinePages checks the pages of a server that asks no provider.
func TestOfflinePages(t *testing.T) {
	p := product.Mounted(t)
	o := open(t, p.URL, "/stations/8443970")
	o.says(t, append([]string{
		"This server does not ask providers: observations, forecasts and alerts are left out.",
	}, computed...), append(slices.Clone(comforting), "has not answered",
		"Alerts could not"))
	if !o.cachedByAll() {
		t.Errorf("a page without providers is %s", o.header.Get("Cache-Control"))
	}
}

// TestPagesWithoutStore checks that pages need no store.
func TestPagesWithoutStore(t *testing.T) {
	built, err := server.Build(
		t.Context(),
		product.Setup{Now: product.Noon, Offline: true}.Config(t),
	)
	if err != nil {
		t.Fatal(err)
	}
	p := httptest.NewServer(built.Handler())
	t.Cleanup(func() {
		p.Close()
		built.Close() // fails: the store is closed
	})
	if err := built.Storage().Close(); err != nil {
		t.Fatal(err)
	}
	if o := open(t, p.URL, "/readyz"); o.status != 503 {
		t.Errorf("/readyz without the store: %d, want 503", o.status)
	}
	for _, path := range []string{
		"/", "/stations", "/stations/8443970", "/stations/8443970/tide.png",
	} {
		if o := open(t, p.URL, path); o.status != 200 {
			t.Errorf("%s without the store: %d %.200s", path, o.status, o.body)
		}
	}
}
