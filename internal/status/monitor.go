package status

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"
	"unicode"
	"unicode/utf8"

	"leadline/internal/coast"
	"leadline/store"
)

// The intervals of a Monitor are ours.
const (
	monitorEvery = 15 * time.Second

	// sleptAfter is the number of intervals between two evaluations from which on the process has
	// slept. A difference of one interval between two clocks means that one was set.
	sleptAfter = 3

	// checkCounts is the age from which on the last check of a component says nothing about it.
	checkCounts = 15 * time.Minute

	// saveEvery is the impaired time after which it is stored, for an announcement after a restart.
	saveEvery = 5 * time.Minute

	storeTimeout = 5 * time.Second
)

// monitorFact is the name of the fact that holds the last announced states.
const monitorFact = "monitor"

// Transition is a change of the announced state of a component.
type Transition struct {
	Component string
	From, To  string
	Since     time.Time // when the state To began

	// Duration counts the time in the state To so far. If the component has recovered, it counts
	// the time in which it was impaired. Time in which nobody observed it does not count.
	Duration time.Duration

	Service string // state of the whole service when the transition is announced
	Message string // a sentence: what was measured
}

// MonitorConfig configures a Monitor.
type MonitorConfig struct {
	Store      store.Meta
	Components func(context.Context) []Component
	Event      func(Transition) (store.Event, error) // returns the event that announces a transition
	Now        func() time.Time                      // the wall clock
	Log        *slog.Logger

	// Every is the interval of evaluations, 0 for 15 seconds. All times up to an announcement are
	// multiples of it.
	Every time.Duration
}

// Monitor announces when components stop and start working. What it has announced is a fact in
// the store, which it replaces in the transaction that posts the event. So neither a restart nor
// another instance repeats an announcement. While the store fails, announcements wait in memory.
//
// A component without recent checks is unknown: the state that was announced last remains. So is
// a provider in a server that runs offline. After the process has slept, or the clock was set,
// the observation starts over. Maintenance changes nothing: what fails is announced.
//
// With several instances, one should run a Monitor. If several do and they measure different
// states, each announces its own, but no sooner than after the full time since the announcement
// of another.
type Monitor struct {
	c MonitorConfig

	components map[string]*watched
	service    string // state of the whole service

	fact   []byte              // as it was read or written last; nil if there is no fact
	stored map[string]standing // its content
	failed bool                // the last access to the store

	wall, ticks time.Time // of the last evaluation: by the wall clock, and by the monotonic clock
}

// NewMonitor returns a Monitor that has observed nothing yet.
func NewMonitor(c MonitorConfig) *Monitor {
	c.Every = cmp.Or(c.Every, monitorEvery)
	return &Monitor{c: c, components: map[string]*watched{}}
}

// Run evaluates the components until ctx ends, and returns its error.
func (m *Monitor) Run(ctx context.Context) error {
	ticks := time.NewTicker(m.c.Every)
	defer ticks.Stop()
	for {
		m.evaluate(ctx)
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// evaluate observes the components and announces what has changed.
func (m *Monitor) evaluate(ctx context.Context) {
	err := m.read(ctx)
	m.observe(m.c.Components(ctx))
	if err == nil {
		err = m.announce(ctx)
	}
	if ctx.Err() == nil {
		m.log(err)
	}
}

// log reports the beginning and the end of a failure to announce.
func (m *Monitor) log(err error) {
	switch {
	case err != nil && !m.failed:
		m.c.Log.Warn("states of components cannot be announced", "error", err)
	case err == nil && m.failed:
		m.c.Log.Info("states of components can be announced again")
	}
	m.failed = err != nil
}

// observe adds an observation of each component and decides what is to be announced.
func (m *Monitor) observe(list []Component) {
	elapsed, gap := m.elapsed()
	now := store.Second(m.c.Now())
	m.service = Overall(list)
	for _, c := range list {
		w := m.component(string(c.Name))
		if gap {
			w.restart()
		}
		w.observe(known(c, now), c.Message, now, elapsed)
		w.decide()
	}
}

// component returns a component by its name.
func (m *Monitor) component(name string) *watched {
	w, ok := m.components[name]
	if !ok {
		w = &watched{name: name, every: m.c.Every}
		w.follow(announcedOf(m.stored, name))
		m.components[name] = w
	}
	return w
}

// elapsed returns the time since the last evaluation. It reports a gap if that was too long ago,
// or if the clocks disagree about it: then the process slept, or the clock was set.
func (m *Monitor) elapsed() (_ time.Duration, gap bool) {
	ticks, wall := time.Now(), m.c.Now().Round(0) // without the monotonic clock
	elapsed, shown := ticks.Sub(m.ticks), wall.Sub(m.wall)
	first := m.ticks.IsZero()
	m.ticks, m.wall = ticks, wall
	if first || elapsed > sleptAfter*m.c.Every || (shown-elapsed).Abs() > m.c.Every {
		return 0, true
	}
	return elapsed, false
}

// known returns the state of a component, or "" if it is unknown. A check in the future was made
// before the clock was set back.
func known(c Component, now time.Time) string {
	if c.unknown || c.CheckedAt == nil || now.Sub(*c.CheckedAt).Abs() > checkCounts {
		return ""
	}
	return string(c.Status)
}

// announcedOf returns the state of a component that was announced last.
func announcedOf(stored map[string]standing, name string) standing {
	if s, ok := stored[name]; ok {
		return s
	}
	return standing{State: Operational}
}

// read reads the fact. Where another instance has announced a state meanwhile, it follows.
func (m *Monitor) read(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	fact, err := m.c.Store.Meta(ctx, monitorFact)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("read the fact %s: %w", monitorFact, err)
	}
	stored := map[string]standing{}
	if fact != nil {
		if err := json.Unmarshal(fact, &stored); err != nil {
			return fmt.Errorf("read the fact %s: %w", monitorFact, err)
		}
	}
	for name, w := range m.components {
		was, is := announcedOf(m.stored, name), announcedOf(stored, name)
		if is.State != was.State || !is.Since.Equal(was.Since) {
			w.follow(is)
		}
		w.impaired = max(w.impaired, time.Duration(is.Impaired)*time.Second)
	}
	m.fact, m.stored = fact, stored
	return nil
}

// mostConflicts limits how often one evaluation repeats an announcement after a conflict.
const mostConflicts = 3

// announce posts what is pending, if the fact is as it was read. If it is not, it reads it again.
func (m *Monitor) announce(ctx context.Context) (err error) {
	for range mostConflicts {
		if !m.due() {
			return nil
		}
		if err = m.swap(ctx); !errors.Is(err, store.ErrConflict) {
			return err
		}
		if err := m.read(ctx); err != nil {
			return err
		}
	}
	return err
}

// due reports whether the fact must be replaced.
func (m *Monitor) due() bool {
	for name, w := range m.components {
		saved := time.Duration(announcedOf(m.stored, name).Impaired) * time.Second
		if len(w.pending) > 0 || w.announced != Operational && w.impaired-saved >= saveEvery {
			return true
		}
	}
	return false
}

// swap replaces the fact and posts the pending transitions.
func (m *Monitor) swap(ctx context.Context) error {
	stored := maps.Clone(m.stored)
	var posted []Transition
	var events []store.Event
	for _, name := range slices.Sorted(maps.Keys(m.components)) {
		w := m.components[name]
		stored[name] = w.standing()
		for _, t := range w.pending {
			t.Service = m.service
			event, err := m.c.Event(t)
			if err != nil {
				return fmt.Errorf("make the event of %s: %w", name, err)
			}
			posted, events = append(posted, t), append(events, event)
		}
	}
	fact, err := json.Marshal(stored)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	if err := m.c.Store.SwapMeta(ctx, monitorFact, m.fact, fact, events...); err != nil {
		return fmt.Errorf("replace the fact %s: %w", monitorFact, err)
	}
	m.fact, m.stored = fact, stored
	for _, w := range m.components {
		w.pending = nil
	}
	for _, t := range posted {
		m.c.Log.Info("state of a component announced", "component", t.Component, "from", t.From,
			"to", t.To, "since", t.Since.Format(time.RFC3339), "message", t.Message)
	}
	return nil
}

// subjects are the subjects of messages that begin with a verb, by component.
var subjects = map[string]string{
	StoreName: "The store", COOPSName: coast.COOPS, NWSName: coast.NWS,
}

// sentence returns the message of a component as a sentence.
func sentence(name, message string) string {
	first, size := utf8.DecodeRuneInString(message)
	if subject, ok := subjects[name]; ok && unicode.IsLower(first) {
		return subject + " " + message + "."
	}
	return string(unicode.ToUpper(first)) + message[size:] + "."
}
