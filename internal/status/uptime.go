package status

import (
	"context"
	"log/slog"
	"time"

	"leadline/internal/coast"
	"leadline/store"
)

const (
	// punctual limits how late the recorder may wake. If it wakes later, the process slept.
	punctual = 5 * time.Second
	// mostMinutes limits the minutes that wait for the store.
	mostMinutes = 24 * 60
	// markWithin limits the time of the writes of a minute. It is shorter than punctual, so that
	// the minutes of an outage of the store count.
	markWithin = 3 * time.Second
)

// UptimeConfig configures an Uptime.
type UptimeConfig struct {
	Store      store.Uptime
	Components func() []Component // the last known states, without a new check
	Now        func() time.Time
	Log        *slog.Logger
}

// Uptime records the states of the components once a minute. Minutes that the store does not accept
// are recorded later, in order. A minute in which the process did not run throughout is not
// recorded, and neither is a component that nobody has used lately.
type Uptime struct {
	c       UptimeConfig
	waiting []minuteOf // the oldest first
	failing bool       // a failure of the store is logged
}

// minuteOf holds the states of components in the minute that begins at a time.
type minuteOf struct {
	at     time.Time
	states map[string]string
}

// NewUptime returns an Uptime. Its Run records.
func NewUptime(c UptimeConfig) *Uptime { return &Uptime{c: c} }

// Run records minutes until ctx ends.
func (u *Uptime) Run(ctx context.Context) {
	for {
		began := u.c.Now()
		if !u.wait(ctx, began.Truncate(time.Minute).Add(time.Minute)) {
			return
		}
		u.end(ctx, began)
	}
}

// wait waits until a time of the clock. It returns false if ctx ends first.
func (u *Uptime) wait(ctx context.Context, until time.Time) bool {
	for now := u.c.Now(); now.Before(until); now = u.c.Now() { // a timer may be early
		select {
		case <-time.After(until.Sub(now)):
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// end records the minute that has ended, if the process ran throughout: it began to wait at the
// beginning of that minute and woke at its end.
func (u *Uptime) end(ctx context.Context, began time.Time) {
	now := u.c.Now()
	start := began.Truncate(time.Minute)
	late := now.Sub(start.Add(time.Minute))
	if began.Sub(start) < punctual && 0 <= late && late < punctual {
		u.add(minuteOf{start, recorded(u.c.Components(), now)})
	}
	u.write(ctx)
}

// add adds a minute to those that wait for the store.
func (u *Uptime) add(m minuteOf) {
	if len(m.states) == 0 {
		return
	}
	u.waiting = append(u.waiting, m)
	u.waiting = u.waiting[max(0, len(u.waiting)-mostMinutes):]
}

// write records the minutes that wait.
func (u *Uptime) write(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, markWithin)
	defer cancel()
	for len(u.waiting) > 0 {
		m := u.waiting[0]
		if err := u.c.Store.MarkMinute(ctx, m.at, m.states); err != nil {
			if !u.failing && ctx.Err() != context.Canceled {
				u.c.Log.Warn("record the states of components", "error", err)
			}
			u.failing = true
			return
		}
		u.failing, u.waiting = false, u.waiting[1:]
	}
}

// recorded returns the states of components as they are recorded, without those that are unknown.
// The API and MCP answer as long as the process runs: a minute without a request counts as well.
func recorded(list []Component, now time.Time) map[string]string {
	states := map[string]string{}
	for _, c := range list {
		if c.Name == APIName || c.Name == MCPName || known(c, now) != "" {
			states[string(c.Name)] = recordedStates[c.Status]
		}
	}
	return states
}

// recordedStates are the states of a minute by those of a component.
var recordedStates = map[coast.ServiceStatus]string{
	Operational: store.ComponentOK, Degraded: store.ComponentDegraded, Down: store.ComponentDown,
}
