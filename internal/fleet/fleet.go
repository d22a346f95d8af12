// Package fleet makes this process one of the instances that use a store together. It enrolls in
// the store, sends heartbeats, describes the other instances, and runs the jobs that only one
// instance may run at a time. It does not know what the jobs do, and does not report changes of the
// store.
package fleet

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"leadline/store"
)

const (
	beatEvery = 2 * time.Second
	// beatWithin limits the time of a call of the store.
	beatWithin = 5 * time.Second
	// strangeAfter is the time without a heartbeat after which an instance takes a new id: its
	// claims and shares have ended by then.
	strangeAfter = 60 * time.Second

	// mostDifference limits the difference between the clocks of an instance and of the store.
	// Times of calls and grace periods of a minute come from both.
	mostDifference = 5 * time.Second
)

// Config configures a Member.
type Config struct {
	Store   store.Instances
	Name    string // for people
	Version string
	NewID   func() string // returns a new UUID
	Log     *slog.Logger

	// Now is the wall clock, which is compared with that of the store. nil: it is not compared,
	// because no other clock uses the store.
	Now func() time.Time
}

// Member is this process among the instances of a store. It is safe for concurrent use.
type Member struct {
	c       Config
	started time.Time

	mu         sync.RWMutex
	id         string
	live       []store.Instance
	heard      time.Time     // when the last successful heartbeat was sent
	difference time.Duration // of our clock from that of the store
	failing    bool          // the last heartbeat failed
	doubted    bool          // the clocks differ too much
}

// Join enrolls this process and returns it. It fails if the clocks of this machine and of the store
// differ by more than 5 seconds. The caller must call Leave.
func Join(ctx context.Context, c Config) (*Member, error) {
	m := &Member{c: c, started: time.Now()}
	if c.Now != nil {
		m.started = c.Now()
	}
	if err := m.enroll(ctx); err != nil {
		return nil, fmt.Errorf("enroll as an instance of the store: %w", err)
	}
	if d := m.Difference(); d.Abs() > mostDifference {
		err := fmt.Errorf("the clock of this machine is %v %s that of the database: synchronize both, "+
			"they may differ by %v", d.Abs().Round(time.Second), side(d), mostDifference)
		return nil, errors.Join(err, m.Leave())
	}
	return m, nil
}

// side returns where a clock with a difference is from another one.
func side(difference time.Duration) string {
	if difference > 0 {
		return "ahead of"
	}
	return "behind"
}

// enroll takes a new id and sends the first heartbeat.
func (m *Member) enroll(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, beatWithin)
	defer cancel()
	id := m.c.NewID()
	slot, err := m.c.Store.Enroll(ctx, store.Instance{
		ID: id, Name: m.c.Name, Version: m.c.Version, Started: m.started,
	})
	if err != nil {
		return err
	}
	m.mu.Lock()
	m.id = id
	m.mu.Unlock()
	m.c.Log.Debug("enrolled as an instance of the store", "instance", m.c.Name, "id", id, "slot", slot)
	return m.beat(ctx)
}

// beat sends a heartbeat.
func (m *Member) beat(ctx context.Context) error {
	sent := time.Now()
	var before time.Time
	if m.c.Now != nil {
		before = m.c.Now()
	}
	state, err := m.c.Store.Heartbeat(ctx, m.ID())
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.live, m.heard = state.Live, sent
	if m.c.Now != nil {
		m.difference = before.Add(time.Since(sent) / 2).Sub(state.Now)
	}
	return nil
}

// Run sends heartbeats until ctx ends.
func (m *Member) Run(ctx context.Context) {
	ticker := time.NewTicker(beatEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
		if err := m.renew(ctx); ctx.Err() == nil {
			m.report(err)
		}
	}
}

// renew sends a heartbeat, or takes a new id if the old one is lost or may be.
func (m *Member) renew(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, beatWithin)
	defer cancel()
	if m.Silent() < strangeAfter {
		if err := m.beat(ctx); !errors.Is(err, store.ErrNotFound) {
			return err
		}
	}
	return m.enroll(ctx)
}

// report logs the beginning and the end of failures and of a difference of the clocks.
func (m *Member) report(err error) {
	difference := m.Difference()
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case err != nil && !m.failing:
		m.c.Log.Warn("heartbeats of this instance fail", "error", err)
	case err == nil && m.failing:
		m.c.Log.Info("heartbeats of this instance succeed again")
	}
	m.failing = err != nil
	doubted := difference.Abs() > mostDifference
	if doubted && !m.doubted {
		m.c.Log.Warn("the clocks of this machine and of the database differ: synchronize both",
			"difference", difference.Round(time.Millisecond), "most", mostDifference)
	}
	m.doubted = doubted
}

// Leave ends the membership. Run must have ended.
func (m *Member) Leave() error {
	ctx, cancel := context.WithTimeout(context.Background(), beatWithin)
	defer cancel()
	return m.c.Store.Leave(ctx, m.ID())
}

// ID returns the id of this instance.
func (m *Member) ID() string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.id
}

// Name returns the name of this instance.
func (m *Member) Name() string { return m.c.Name }

// Instances returns the live instances as of the last heartbeat, in order of their slots.
func (m *Member) Instances() []store.Instance {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.live
}

// Live returns the number of live instances as of the last heartbeat, at least 1.
func (m *Member) Live() int { return max(1, len(m.Instances())) }

// Silent returns the time since the last successful heartbeat.
func (m *Member) Silent() time.Duration {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return time.Since(m.heard)
}

// Difference returns by how much the clock of this machine is ahead of that of the store.
func (m *Member) Difference() time.Duration {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.difference
}

// Shares sets the shares of rate limits that this instance holds: see store.Instances.
func (m *Member) Shares(
	ctx context.Context, list []store.ShareRequest,
) ([]store.Share, error) {
	return m.c.Store.Shares(ctx, m.ID(), list)
}
