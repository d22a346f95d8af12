package site

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"leadline/internal/coast"
	"leadline/internal/operation"
	"leadline/internal/web/view"
)

// patience limits how long a page waits for all providers together. What has not come by then
// is named as missing; the requests go on, so that the next request finds their responses.
const patience = 800 * time.Millisecond

// Gathering asks the parts of a page at once.
type Gathering struct {
	Computed context.Context // for parts that need no provider
	live     context.Context // ends when the page has waited long enough
	log      *slog.Logger
	running  sync.WaitGroup
}

// Gather begins to run the parts of a page.
func (s *Shared) Gather(computed, live context.Context) *Gathering {
	return &Gathering{Computed: computed, live: live, log: s.Log}
}

// Outcome is the result of an operation, or the reason why it failed.
type Outcome[Out any] struct {
	Result Out
	Availability
}

// Availability is the state of a part of a page that asks a provider.
type Availability struct {
	State string // here, late, absent or down
	Why   string // a sentence, unless it is here
}

// The states of a part.
const (
	Here   = "here"
	Late   = "late"
	Absent = "absent"
	Down   = "down"
)

// Here reports whether the part has its facts.
func (a Availability) Here() bool { return a.State == Here }

// Care reports whether the reader must know that the facts are missing.
func (a Availability) Care() bool { return a.State == Late || a.State == Down }

// Compute runs an operation that needs no provider.
func Compute[In, Out any](g *Gathering, into *Outcome[Out], h operation.Handler[In, Out], in In) {
	run(g, g.Computed, into, h, in)
}

// Ask runs an operation that may ask a provider.
func Ask[In, Out any](g *Gathering, into *Outcome[Out], h operation.Handler[In, Out], in In) {
	run(g, g.live, into, h, in)
}

func run[In, Out any](
	g *Gathering, ctx context.Context, into *Outcome[Out], h operation.Handler[In, Out], in In,
) {
	g.running.Go(func() {
		defer g.recoverPanic(&into.Availability)
		result, err := operation.Run(ctx, h, in)
		if _, known := coast.AsError(err); !known && err != nil && ctx.Err() == nil {
			g.log.Error("part of a page", "error", err)
		}
		*into = Outcome[Out]{result, stateOf(ctx, err)}
	})
}

// Wait waits for all parts.
func (g *Gathering) Wait() { g.running.Wait() }

// Prepare runs a computation while others run. Who needs its result runs it again: it is computed
// once.
func (g *Gathering) Prepare(once func()) {
	g.running.Go(func() {
		defer g.recoverPanic(&Availability{})
		once()
	})
}

// recoverPanic turns a panic of an operation into a part that is down: it must not end the
// process.
func (g *Gathering) recoverPanic(state *Availability) {
	if p := recover(); p != nil {
		g.log.Error("part of a page", "panic", p, "stack", string(debug.Stack()))
		*state = Availability{Down, "could not be asked, because of a fault of this server"}
	}
}

// Reason returns the message of an error, and logs an error that is a fault of the program.
func (s *Shared) Reason(err error) string {
	if unexpected(err) {
		s.Log.Error("page", "error", err)
	}
	e, _ := coast.AsError(err)
	return e.Message
}

// unexpected reports whether an error is a fault of the program, and not that the client has left.
func unexpected(err error) bool {
	_, known := coast.AsError(err)
	return !known && !errors.Is(err, context.Canceled)
}

// predicate returns what a message says of a provider, without its name and without advice for
// programs: "returned 503".
func predicate(message string) string {
	if strings.Contains(message, "requests waiting") {
		return "is still answering other requests of this address"
	}
	sentence, _, _ := strings.Cut(message, ". ")
	for _, provider := range []string{coast.COOPS, coast.NWS} {
		if text, ok := strings.CutPrefix(sentence, provider+" "); ok {
			return strings.TrimSuffix(text, ".")
		}
	}
	return "has not answered"
}

// Transient returns the state of an input that is missing because its provider has not responded,
// if p has one among these.
func Transient(p coast.Provenance, inputs ...string) (a Availability, ok bool) {
	for _, m := range p.Missing {
		if m.Transient() && slices.Contains(inputs, m.Input) {
			return Availability{Late, predicate(m.Reason)}, true
		}
	}
	return Availability{}, false
}

// stateOf returns the state of a part whose operation returned err.
func stateOf(ctx context.Context, err error) Availability {
	if err == nil {
		return Availability{State: Here}
	}
	e, _ := coast.AsError(err)
	switch {
	case e.Transient() && ctx.Err() != nil:
		return Availability{Late, "has not answered in time"}
	case e.Transient():
		return Availability{Down, predicate(e.Message)}
	}
	return Availability{Absent, view.Sentence(e.Message)}
}
