// Package metrics counts what the program does, in the format of Prometheus. Other
// packages report each event when it ends: a request, a tool call, a request to a
// provider, a quota lease, a commit. Handler serves the counts; it belongs on the
// operator's own address.
//
//	leadline_http_requests_total              surface, route, tier, status
//	leadline_http_request_duration_seconds    surface, route
//	leadline_shared_client_requests_total     group, surface, status
//	leadline_connections_refused_total
//	leadline_tool_calls_total                 tool, outcome
//	leadline_tool_call_duration_seconds       tool
//	leadline_upstream_duration_seconds        provider, outcome
//	leadline_upstream_breaker_state           provider: 0 closed, 1 half open, 2 open
//	leadline_quota_refills_total              outcome
//	leadline_quota_units_total                outcome
//	leadline_quota_leased_units
//	leadline_instances
//	leadline_clock_difference_seconds
//	leadline_store_changes_behind_seconds
//	leadline_store_commit_duration_seconds    outcome
//	leadline_store_writes_total               outcome
//	leadline_events_posted_total              kind
//	leadline_events_unposted_total            kind
//	leadline_webhook_attempts_total           outcome
//	leadline_webhook_attempt_seconds
//	leadline_webhook_lag_seconds
//	leadline_webhook_slots                    lane
//	leadline_webhook_endpoints                state
//	leadline_webhook_pending
//	leadline_webhook_oldest_seconds
//	leadline_webhook_clock_doubted
//	leadline_watches                          state
//	leadline_watch_evaluations_total          outcome
//	leadline_watch_lateness_seconds
//	leadline_watch_steps_total                direction
//	leadline_build_info                       version, stations, go
//
// The collectors of the Go runtime and of the process are registered too. The
// values of labels are from short lists, never a caller, address or station. Any
// value that is not on the list counts as "other". So clients cannot increase the
// number of series.
package metrics

import (
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// buckets lists the upper bounds of durations, in seconds. Computed results take
// less than a millisecond; requests to providers may take ten seconds.
var buckets = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}

// Metrics holds the counters. It is safe for concurrent use. The methods that
// count do nothing on a nil Metrics.
type Metrics struct {
	registry *prometheus.Registry

	routes, tools                              *words // values that clients choose
	surfaces, tiers, results, asked, providers *words // values from our own code
	groups                                     *words // names in the operator's shorter list
	statuses                                   map[int]string

	requests *prometheus.CounterVec
	shared   *prometheus.CounterVec
	took     *prometheus.HistogramVec
	refused  *prometheus.CounterVec
	calls    *prometheus.CounterVec
	called   *prometheus.HistogramVec
	upstream *prometheus.HistogramVec
	refills  *prometheus.CounterVec
	units    *prometheus.CounterVec
	commits  *prometheus.HistogramVec
	writes   *prometheus.CounterVec
	events   *eventMetrics
}

// New returns Metrics with these routes and tools; all others count as "other".
func New(routes, tools []string) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		routes:   closed(routes), tools: closed(tools),
		surfaces: open(), tiers: open(), results: open(), asked: open(), providers: open(),
		groups:   open(),
		statuses: map[int]string{},
	}
	for status := 100; status < 600; status++ {
		if http.StatusText(status) != "" {
			m.statuses[status] = strconv.Itoa(status)
		}
	}
	m.requests = m.counter("http_requests_total",
		"Requests that got a response.", "surface", "route", "tier", "status")
	m.took = m.histogram("http_request_duration_seconds",
		"Time from the header of a request to the end of its response.", "surface", "route")
	m.shared = m.counter("shared_client_requests_total",
		"Requests from addresses that share a rate limit.", "group", "surface", "status")
	m.refused = m.counter("connections_refused_total",
		"Connections closed at once: as many of their address waited as may.")
	m.calls = m.counter("tool_calls_total", "Calls of MCP tools.", "tool", "outcome")
	m.called = m.histogram("tool_call_duration_seconds",
		"Duration of calls of MCP tools.", "tool")
	m.upstream = m.histogram("upstream_duration_seconds",
		"Duration of provider requests and of lookups in their cache.", "provider", "outcome")
	m.refills = m.counter("quota_refills_total",
		"Quota leases requested from the store.", "outcome")
	m.units = m.counter("quota_units_total", "Units of monthly quota in those leases.", "outcome")
	m.commits = m.histogram("store_commit_duration_seconds",
		"Time until a commit was on disk, or had failed.", "outcome")
	m.writes = m.counter("store_writes_total", "Writes in those commits.", "outcome")
	m.events = m.newEventMetrics()
	m.registry.MustRegister(collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func (m *Metrics) counter(name, help string, labels ...string) *prometheus.CounterVec {
	opts := prometheus.CounterOpts{Namespace: "leadline", Name: name, Help: help}
	c := prometheus.NewCounterVec(opts, labels)
	m.registry.MustRegister(c)
	return c
}

func (m *Metrics) histogram(name, help string, labels ...string) *prometheus.HistogramVec {
	opts := prometheus.HistogramOpts{Namespace: "leadline", Name: name, Help: help, Buckets: buckets}
	h := prometheus.NewHistogramVec(opts, labels)
	m.registry.MustRegister(h)
	return h
}

// Handler serves the metrics without checking credentials, so it belongs on the
// operator's own address.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// Build registers the version of the program and the date of its station data. It
// is called once.
func (m *Metrics) Build(version, stations string) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Namespace: "leadline", Name: "build_info", Help: "1; the labels identify the program.",
		ConstLabels: prometheus.Labels{"version": version, "stations": stations, "go": runtime.Version()},
	}, func() float64 { return 1 }))
}

// states lists the states of a breaker; the index of one is its value.
var states = []string{"closed", "half-open", "open"}

// Breaker registers the breaker of a provider. state returns closed, half-open or
// open, and is called whenever metrics are read. Breaker is called once for each
// provider.
func (m *Metrics) Breaker(provider string, state func() string) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Namespace: "leadline", Name: "upstream_breaker_state",
		Help:        "Breaker of a provider: 0 closed, 1 half open, 2 open.",
		ConstLabels: prometheus.Labels{"provider": provider},
	}, func() float64 { return float64(slices.Index(states, state())) }))
}

// Request counts a response. The route is its pattern, not its path; a status
// that HTTP does not define counts as "other".
func (m *Metrics) Request(route, surface, tier string, status int, took time.Duration) {
	if m == nil {
		return
	}
	route, surface = m.routes.known(route), m.surfaces.known(surface)
	m.requests.WithLabelValues(surface, route, m.tiers.known(tier), m.status(status)).Inc()
	m.took.WithLabelValues(surface, route).Observe(took.Seconds())
}

func (m *Metrics) status(status int) string {
	if text, ok := m.statuses[status]; ok {
		return text
	}
	return other
}

// Shared counts a response to a caller without a credential in a group of shared
// addresses.
func (m *Metrics) Shared(group, surface string, status int) {
	if m == nil {
		return
	}
	m.shared.WithLabelValues(m.groups.known(group), m.surfaces.known(surface), m.status(status)).Inc()
}

// Refused counts a connection that was closed at once.
func (m *Metrics) Refused() {
	if m == nil {
		return
	}
	m.refused.WithLabelValues().Inc()
}

// Call counts a call of an MCP tool. The outcome is ok, an error's code, or cut if the caller left.
func (m *Metrics) Call(tool, outcome string, took time.Duration) {
	if m == nil {
		return
	}
	tool = m.tools.known(tool)
	m.calls.WithLabelValues(tool, m.results.known(outcome)).Inc()
	m.called.WithLabelValues(tool).Observe(took.Seconds())
}

// Upstream counts a request to a provider, or a lookup in its cache. The outcomes
// are those of package upstream.
func (m *Metrics) Upstream(provider, outcome string, took time.Duration) {
	if m == nil {
		return
	}
	m.upstream.WithLabelValues(m.providers.known(provider), m.asked.known(outcome)).
		Observe(took.Seconds())
}

// Refill counts a quota lease that was requested from the store.
func (m *Metrics) Refill(units uint64, err error) {
	if m == nil {
		return
	}
	outcome := outcomeOf(err)
	m.refills.WithLabelValues(outcome).Inc()
	m.units.WithLabelValues(outcome).Add(float64(units))
}

// Leased registers the gauge of units that are leased and not spent, which a crash would lose.
func (m *Metrics) Leased(units func() uint64) {
	m.gauge("quota_leased_units", "Units of monthly quota that are leased and not spent.",
		func() float64 { return float64(units()) })
}

// Instances registers the gauges of this process as an instance of the store: the number of live
// instances, the difference of its clock, and the age of the last report of changes, if behind is
// not nil.
func (m *Metrics) Instances(
	live func() int, difference, behind func() time.Duration,
) {
	m.gauge("instances", "Live instances of the store.", func() float64 { return float64(live()) })
	m.gauge("clock_difference_seconds", "Time by which this clock is ahead of that of the store.",
		func() float64 { return difference().Seconds() })
	if behind != nil {
		m.gauge("store_changes_behind_seconds",
			"Time since all changes of the store were reported to this instance.",
			func() float64 { return behind().Seconds() })
	}
}

// gauge registers a gauge whose value is read whenever metrics are read.
func (m *Metrics) gauge(name, help string, value func() float64) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Namespace: "leadline", Name: name, Help: help,
	}, value))
}

// outcomeOf returns the label outcome of an error.
func outcomeOf(err error) string {
	if err != nil {
		return "error"
	}
	return "ok"
}

// Commit counts a commit of n writes.
func (m *Metrics) Commit(n int, took time.Duration, err error) {
	if m == nil {
		return
	}
	outcome := outcomeOf(err)
	m.commits.WithLabelValues(outcome).Observe(took.Seconds())
	m.writes.WithLabelValues(outcome).Add(float64(max(0, n)))
}
