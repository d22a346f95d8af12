package providers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"leadline/e2e/product"
	"leadline/internal/coast"
	"leadline/internal/config"
	"leadline/internal/simulator/provider"
	"leadline/internal/trials"
	"leadline/tools"
)

// reply is the response to a call, with its error: calls are made concurrently.
type reply struct {
	call
	body   []byte // of a tool the structured content
	failed bool   // a status other than 200, or a result marked as an error
	status int
	retry  string // Retry-After
	from   time.Time
	to     time.Time // by product.Now, as from
	err    error
}

// ask calls a tool, or, without a tool, requests a path of REST.
func (c call) ask(base string) (r reply) {
	r = reply{call: c, from: product.Now()}
	defer func() { r.to = product.Now() }()
	var answer *http.Response
	if c.tool == "" {
		answer, r.err = http.Get(base + c.args)
	} else {
		answer, r.err = http.Post(base+"/mcp?view=full", "application/json",
			strings.NewReader(product.CallOf(c.tool, c.args)))
	}
	if r.err != nil {
		return r
	}
	defer answer.Body.Close()
	r.status, r.retry = answer.StatusCode, answer.Header.Get("Retry-After")
	r.failed = r.status != http.StatusOK
	if r.body, r.err = io.ReadAll(answer.Body); r.err == nil && c.tool != "" {
		var message struct{ Result toolResult }
		r.err = json.Unmarshal(r.body, &message)
		r.body, r.failed = message.Result.StructuredContent, message.Result.IsError
	}
	return r
}

// askAll makes all calls concurrently.
func askAll(base string, calls []call) []reply {
	replies := make([]reply, len(calls))
	var all sync.WaitGroup
	for i, c := range calls {
		all.Go(func() { replies[i] = c.ask(base) })
	}
	all.Wait()
	return replies
}

// unavailable checks that a reply is provider_unavailable, with the time to retry. A server
// without a network does not give a time, because no later request can succeed.
func (r reply) unavailable() error {
	var failed struct{ Error coast.Error }
	if err := json.Unmarshal(r.body, &failed); err != nil || r.err != nil {
		return fmt.Errorf("%v %v in %.200s", r.err, err, r.body)
	}
	e := failed.Error
	switch {
	case !r.failed || e.Code != coast.ProviderUnavailable || e.Message == "":
		return fmt.Errorf("result %.300s, want provider_unavailable", r.body)
	case strings.Contains(e.Message, "--offline"):
		if e.RetryAfterSeconds != 0 || r.retry != "" || bytes.Contains(r.body, []byte("ry again")) {
			return fmt.Errorf("offline, but with a time to retry: %s", r.body)
		}
	case e.RetryAfterSeconds < 1:
		return fmt.Errorf("no time to retry: %s", r.body)
	case r.tool == "" && (r.status != http.StatusServiceUnavailable ||
		r.retry != strconv.Itoa(e.RetryAfterSeconds)):
		return fmt.Errorf("status %d, Retry-After %q, want 503 and %d",
			r.status, r.retry, e.RetryAfterSeconds)
	}
	return nil
}

// lacks checks that a reply is a result with exactly these inputs missing.
func (r reply) lacks(inputs ...string) error {
	var p provenance
	if err := json.Unmarshal(r.body, &p); err != nil || r.err != nil || r.failed {
		return fmt.Errorf("%v %v in %.300s, want an answer", r.err, err, r.body)
	}
	for _, input := range inputs {
		if !slices.ContainsFunc(p.Missing,
			func(m coast.Missing) bool { return m.Input == input && m.Reason != "" }) {
			return fmt.Errorf("missing has no %q: %+v", input, p.Missing)
		}
	}
	return nil
}

// ways are the kinds of failure, with their parameters.
var ways = []provider.Fault{
	{Kind: provider.Refuse}, {Kind: provider.Reset}, {Kind: provider.Hang}, {Kind: provider.Drip},
	{Kind: provider.Slow, Delay: time.Minute},
	{Kind: provider.TooMany, RetryAfter: 7}, {Kind: provider.Blocked}, {Kind: provider.Broken},
	{Kind: provider.Unavailable, RetryAfter: 3}, {Kind: provider.GatewayTime},
	{Kind: provider.Truncated}, {Kind: provider.Huge}, {Kind: provider.Garbage},
	{Kind: provider.WrongType},
}

// outage is one failing service of a provider, and its effects.
type outage struct {
	service string
	fail    []call     // calls that fail without it
	narrow  []narrowed // calls with narrower results
}

type narrowed struct {
	call
	missing []string
}

var outages = []outage{
	{provider.Data, []call{
		{"noaa_get_water_levels", `{"station":"8443970"}`},
		{
			"noaa_get_water_levels",
			`{"station":"8443970","interval":"1","range":200,"datum":"HAT"}`,
		}, // in several parts
		{"noaa_get_water_level_summaries", `{"station":"8443970","product":"high_low"}`},
		{"noaa_get_water_level_summaries", `{"station":"8443970","product":"monthly_mean"}`},
		{"noaa_get_currents", `{"station":"cb0102"}`},
		{"noaa_get_meteorological_data", `{"station":"8443970","product":"wind"}`},
		{"noaa_get_meteorological_data", `{"station":"8443970","product":"all"}`},
		{"", "/api/v1/stations/8443970/water-levels"},
		{"", "/api/v1/stations/8443970/conditions"},
	}, nil},
	{provider.Metadata, []call{
		{"noaa_get_station_sensors", `{"station":"8443970"}`},
		{"noaa_get_station_datums", `{"station":"8443970","epoch":"superseded"}`},
		{"noaa_get_water_levels", `{"station":"9446482"}`}, // which is not embedded
		{"noaa_search_stations", `{"type":"met"}`},
		{"noaa_get_current_predictions", `{"station":"EPT0003","bin":8}`}, // nor is this bin
		{"noaa_get_harmonic_constituents", `{"station":"EPT0003","bin":8}`},
		{"", "/api/v1/stations?type=airgap"},
		{"", "/api/v1/stations/nearest?lat=42&lon=-71&type=watertemp"},
	}, []narrowed{
		{
			call{
				"noaa_get_station_info",
				`{"station":"8443970","expand":["details","sensors","products","notices","disclaimers","benchmarks"]}`,
			}, []string{
				"observations", "details", "sensors", "products", "notices", "disclaimers", "benchmarks",
			},
		},
		{call{"noaa_get_station_datums", `{"station":"8443970"}`}, []string{"extremes on record"}},
		{
			call{"noaa_get_station_flood_levels", `{"station":"8443970"}`},
			[]string{"published flood levels"},
		},
		{
			call{"noaa_get_current_station_bins", `{"station":"EPT0003"}`},
			[]string{"depths and further bins"},
		},
		{
			call{"", "/api/v1/stations/8443970"},
			[]string{"observations", "details", "products", "published flood levels"},
		},
		{call{"", "/api/v1/stations/EPT0003"}, []string{"depths and further bins"}},
	}},
	{provider.Derived, []call{
		{"noaa_get_sea_level_trends", `{"station":"8443970"}`},
		{"noaa_get_sea_level_trends", `{}`},
		{"noaa_get_extreme_water_levels", `{"station":"8443970"}`},
		{"noaa_get_high_tide_flooding", `{"station":"8443970"}`},
		{"noaa_get_high_tide_flooding", `{"station":"8443970","report":"daily"}`},
		{"noaa_get_high_tide_flooding", `{"station":"8443970","report":"projections"}`},
		{"noaa_get_top_ten_water_levels", `{"station":"8443970"}`},
		{"noaa_get_top_ten_water_levels", `{"station":"8443970","analysis":"peaks"}`},
	}, nil},
	{provider.Weather, []call{
		{"nws_get_wind_forecast", `{"latitude":42.35,"longitude":-71.05}`},
		{"nws_get_wind_forecast", `{"station":"9414290"}`},
		{"nws_get_marine_forecast", `{"latitude":42.35,"longitude":-71.05}`},
		{"nws_get_marine_forecast", `{"station":"9414290"}`},
		{"", "/api/v1/stations/8443970/forecast"},
	}, nil},
}

// untouched are calls that do not depend on the providers.
var untouched = []call{
	{"noaa_get_tide_predictions", `{"station":"8443970"}`},
	{"noaa_get_current_predictions", `{"station":"ACT0091"}`},
	{"noaa_search_stations", `{"query":"boston"}`},
	{
		"noaa_find_nearest_stations",
		`{"latitude":42.35,"longitude":-71.05,"type":"tidepredictions"}`,
	},
	{"noaa_get_harmonic_constituents", `{"station":"8443970"}`},
	{"noaa_get_tide_prediction_offsets", `{"station":"8557863"}`},
	{"astro_get_sun_times", `{"station":"8443970"}`},
	{"astro_get_moon_phase", `{}`},
	{"leadline_whoami", `{}`},
	{"", "/api/v1/stations/8443970/predictions"},
	{"", "/api/v1/astronomy?lat=42.35&lon=-71.05"},
	{"", "/api/developer/status"},
}

// alarm fails the test for errors in a log: a provider's failure is a warning, a
// panic or an unexpected error is not.
type alarm struct{ t *testing.T }

func (a alarm) Write(line []byte) (int, error) {
	a.t.Errorf("logged as an error: %.2000s", line)
	return len(line), nil
}

// errorsOnly omits warnings from the log.
func errorsOnly(c *config.Config) { c.LogLevel = slog.LevelError }

// TestFaultsCold makes each service fail in each way, with an empty cache, or each way for one of
// them. Dependent calls are unavailable or narrower; others succeed. Without a deadline, requests
// would not end.
func TestFaultsCold(t *testing.T) {
	const deadline = 300 * time.Millisecond
	simulators, roots := make([]*provider.Provider, len(outages)), make([]string, len(outages))
	for i := range outages {
		simulators[i], roots[i] = product.Simulate(t, nil)
	}
	before := goroutines(0)
	for n, fault := range ways {
		for i, o := range outages {
			if !trials.Thorough() && i != n%len(outages) {
				continue
			}
			simulators[i].Heal()
			simulators[i].Fail(o.service, fault)
			p := product.Setup{
				Root: roots[i], Deadline: deadline, Log: alarm{t}, With: errorsOnly,
				Alone: true, // goroutines are counted
			}.Start(t)
			for at, r := range askAll(p.URL, o.questions()) {
				if err := o.judge(at, r); err != nil {
					t.Errorf("%s %s, %s %s: %v", o.service, fault.Kind, r.tool, r.args, err)
				}
			}
			p.Stop()
		}
	}
	if after := goroutines(before); after > before {
		stacks := make([]byte, 1<<20)
		t.Errorf("%d goroutines, want the %d from before:\n%s",
			after, before, stacks[:runtime.Stack(stacks, true)])
	}
}

// questions returns all calls of an outage.
func (o outage) questions() []call {
	list := slices.Clone(o.fail)
	for _, n := range o.narrow {
		list = append(list, n.call)
	}
	return append(list, untouched...)
}

// judge checks the reply to a call of the outage.
func (o outage) judge(at int, r reply) error {
	if at < len(o.fail) {
		return r.unavailable()
	}
	if at -= len(o.fail); at < len(o.narrow) {
		return r.lacks(o.narrow[at].missing...)
	}
	return r.lacks()
}

// goroutines returns the number of goroutines after connections have ended: when it is at most
// want, or the least of many counts.
func goroutines(want int) int {
	http.DefaultClient.CloseIdleConnections()
	least, tries := runtime.NumGoroutine(), 200
	if want > 0 {
		tries = 10_000
	}
	for ; least > want && tries > 0; tries-- {
		time.Sleep(time.Millisecond)
		least = min(least, runtime.NumGoroutine())
	}
	return least
}

// TestFaultsOfParts makes one kind of document of the weather service fail: the
// rest is returned, and missing parts are named.
func TestFaultsOfParts(t *testing.T) {
	const point, station = `{"latitude":42.35,"longitude":-71.05}`, "/api/v1/stations/8443970/forecast"
	for _, test := range []struct {
		prefix   string
		narrowed []narrowed
		gone     []string // names of members that must be null
	}{
		{"/gridpoints", []narrowed{{call{"", station}, []string{"wind forecast"}}}, []string{"wind"}},
		{
			"/products", []narrowed{
				{call{"nws_get_marine_forecast", point}, []string{"marine text", "rip-current risk"}},
				{call{"", station}, []string{"marine text"}},
			}, []string{"text"},
		},
		{
			"/alerts", []narrowed{
				{call{"nws_get_marine_forecast", point}, []string{"alerts"}},
				{call{"", station}, []string{"alerts"}},
			}, []string{"alertsAsOf"},
		},
		{
			"/zones", []narrowed{
				{call{"nws_get_marine_forecast", point}, []string{"marine text", "alerts for the water"}},
				{call{"", station}, []string{"marine text", "alerts for the water"}},
			}, []string{"zone", "text"},
		},
	} {
		p, root := product.Simulate(t, product.Noon)
		p.Fail(test.prefix, provider.Fault{Kind: provider.Garbage})
		for _, n := range test.narrowed {
			r := n.ask(product.Setup{Root: root, Now: product.Noon}.Start(t).URL)
			if err := r.lacks(n.missing...); err != nil {
				t.Errorf("%s fails, %s %s: %v", test.prefix, n.tool, n.args, err)
			}
			for _, name := range test.gone {
				if !strings.Contains(string(r.body), `"`+name+`":null`) {
					t.Errorf("%s fails, %s %s: %s is not null in %.300s",
						test.prefix, n.tool, n.args, name, r.body)
				}
			}
			for _, fault := range faultsOf(t, r.body, product.Noon(), product.Noon()) {
				t.Errorf("%s fails, %s %s: %s", test.prefix, n.tool, n.args, fault)
			}
		}
	}
}

// TestConditionsTakeOneRoundTrip checks that the parts of a result are requested concurrently: the
// provider responds to none of the requests before it has all of them.
func TestConditionsTakeOneRoundTrip(t *testing.T) {
	simulator, err := provider.New(provider.Config{Now: product.Now})
	if err != nil {
		t.Fatal(err)
	}
	const requests = 5
	var got atomic.Int64
	all := make(chan bool)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got.Add(1) == requests {
			close(all)
		}
		select {
		case <-all:
			simulator.ServeHTTP(w, r)
		case <-r.Context().Done(): // after the deadline of a fetch
		}
	}))
	t.Cleanup(server.Close)
	p := product.Setup{Root: server.URL, Deadline: longFetch}.Start(t)
	r := call{"", "/api/v1/stations/8443970/conditions"}.ask(p.URL)
	if err := r.lacks(); err != nil {
		t.Fatal(err)
	}
	var result provenance
	product.Decode(t, string(r.body), &result)
	if len(result.Missing) > 0 {
		t.Errorf("conditions lack %+v", result.Missing)
	}
	if got.Load() != requests || simulator.Requests(provider.Data) != requests {
		t.Errorf("conditions cost %d requests, want %d", got.Load(), requests)
	}
}

// TestOffline checks that no provider is requested, and that calls for uncached
// data return the reason.
func TestOffline(t *testing.T) {
	p, root := product.Simulate(t, nil)
	served := product.Setup{Root: root, Offline: true, Whole: true}.Start(t)
	for _, c := range slices.Concat(liveCalls(), untouched, []call{{"", "/api/v1/stations/9063020"}}) {
		r := c.ask(served.URL)
		if err := r.unavailable(); r.failed && err != nil {
			t.Errorf("%s %s: %v", c.tool, c.args, err)
		}
	}
	for _, o := range outages {
		for _, c := range o.fail {
			r := c.ask(served.URL)
			if err := r.unavailable(); err != nil ||
				!strings.Contains(string(r.body), "--offline") {
				t.Errorf("%s %s: %v, want the reason in %s", c.tool, c.args, err, r.body)
			}
		}
	}
	var status tools.Status
	product.Decode(t, product.OverREST(t, served.URL+"/api/developer/status"), &status)
	if status.Status != "degraded" || !strings.Contains(status.Components[2].Message, "--offline") {
		t.Errorf("status %+v, want degraded, because of --offline", status)
	}
	if got := p.Requests(""); got != 0 {
		t.Errorf("%d requests were made, want none", got)
	}
}
