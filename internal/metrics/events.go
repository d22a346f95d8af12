package metrics

import (
	"maps"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// eventMetrics holds the counters of events, webhooks and watches.
type eventMetrics struct {
	kinds, outcomes, evaluated, directions *words // values from our own code

	posted, unposted *prometheus.CounterVec
	attempts         *prometheus.CounterVec
	attempt, lag     *prometheus.HistogramVec
	evaluations      *prometheus.CounterVec
	lateness         *prometheus.HistogramVec
	steps            *prometheus.CounterVec
}

func (m *Metrics) newEventMetrics() *eventMetrics {
	return &eventMetrics{
		kinds: open(), outcomes: open(), evaluated: open(), directions: open(),
		posted:   m.counter("events_posted_total", "Events that were stored.", "kind"),
		unposted: m.counter("events_unposted_total", "Events that could not be stored.", "kind"),
		attempts: m.counter("webhook_attempts_total", "Requests to webhook endpoints.", "outcome"),
		attempt: m.histogram("webhook_attempt_seconds",
			"Duration of requests to webhook endpoints."),
		lag: m.histogram("webhook_lag_seconds",
			"Time from when an attempt was due to its beginning."),
		evaluations: m.counter("watch_evaluations_total", "Evaluations of watches.", "outcome"),
		lateness: m.histogram("watch_lateness_seconds",
			"Time from when an evaluation was due to its end."),
		steps: m.counter("watch_steps_total", "Changes that watches announced.", "direction"),
	}
}

// Posted counts an event of a kind that was stored.
func (m *Metrics) Posted(kind string) {
	if m != nil {
		m.events.posted.WithLabelValues(m.events.kinds.known(kind)).Inc()
	}
}

// Unposted counts an event of a kind that could not be stored.
func (m *Metrics) Unposted(kind string) {
	if m != nil {
		m.events.unposted.WithLabelValues(m.events.kinds.known(kind)).Inc()
	}
}

// Attempt counts a request to a webhook endpoint. lag is the time from when it was due.
func (m *Metrics) Attempt(outcome string, took, lag time.Duration) {
	if m == nil {
		return
	}
	m.events.attempts.WithLabelValues(m.events.outcomes.known(outcome)).Inc()
	m.events.attempt.WithLabelValues().Observe(took.Seconds())
	m.events.lag.WithLabelValues().Observe(lag.Seconds())
}

// Evaluation counts an evaluation of a watch. direction is that of the announced change, or "".
func (m *Metrics) Evaluation(outcome string, late time.Duration, direction string) {
	if m == nil {
		return
	}
	m.events.evaluations.WithLabelValues(m.events.evaluated.known(outcome)).Inc()
	m.events.lateness.WithLabelValues().Observe(late.Seconds())
	if direction != "" {
		m.events.steps.WithLabelValues(m.events.directions.known(direction)).Inc()
	}
}

// Webhooks describes the deliveries and watches at one moment.
type Webhooks struct {
	Slots, Endpoints, Watches map[string]int // by lane, by state, by state
	Pending                   int            // deliveries
	Oldest                    time.Duration  // age of the oldest pending delivery
	ClockDoubted              bool           // receivers' clocks differ from ours
}

// Webhooks registers the gauges of deliveries and watches. read is called whenever metrics are
// read, and returns false if the store does not respond. Webhooks is called once.
func (m *Metrics) Webhooks(read func() (Webhooks, bool)) {
	m.registry.MustRegister(webhookGauges{read})
}

// webhookGauges collects the gauges of Webhooks.
type webhookGauges struct{ read func() (Webhooks, bool) }

func gauge(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("leadline_"+name, help, labels, nil)
}

var (
	slotsDesc     = gauge("webhook_slots", "Slots of deliveries in use.", "lane")
	endpointsDesc = gauge("webhook_endpoints", "Webhook endpoints.", "state")
	pendingDesc   = gauge("webhook_pending", "Deliveries that wait for an attempt.")
	oldestDesc    = gauge("webhook_oldest_seconds", "Age of the oldest of them.")
	watchesDesc   = gauge("watches", "Watches.", "state")
	clockDesc     = gauge("webhook_clock_doubted",
		"1 if the clocks of five receivers in a row differ from ours by over two minutes.")
)

// Describe implements prometheus.Collector.
func (webhookGauges) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		slotsDesc, endpointsDesc, pendingDesc, oldestDesc, watchesDesc, clockDesc,
	} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (g webhookGauges) Collect(to chan<- prometheus.Metric) {
	now, ok := g.read()
	if !ok {
		return
	}
	send := func(d *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	each := func(d *prometheus.Desc, counts map[string]int) {
		for _, label := range slices.Sorted(maps.Keys(counts)) {
			send(d, float64(counts[label]), label)
		}
	}
	each(slotsDesc, now.Slots)
	each(endpointsDesc, now.Endpoints)
	each(watchesDesc, now.Watches)
	send(pendingDesc, float64(now.Pending))
	send(oldestDesc, now.Oldest.Seconds())
	doubted := 0.0
	if now.ClockDoubted {
		doubted = 1
	}
	send(clockDesc, doubted)
}
