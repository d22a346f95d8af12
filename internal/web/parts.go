package web

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
)

// patience limits how long a page waits for all providers together. What has not come by then
// is named as missing; the requests go on, so that the next request finds their responses.
const patience = 800 * time.Millisecond

// gathering asks the parts of a page at once.
type gathering struct {
	computed context.Context // for parts that need no provider
	live     context.Context // ends when the page has waited long enough
	log      *slog.Logger
	wait     sync.WaitGroup
}

func (s *Shared) gather(computed, live context.Context) *gathering {
	return &gathering{computed: computed, live: live, log: s.Log}
}

// outcome is the result of an operation, or the reason why it failed.
type outcome[Out any] struct {
	Result Out
	asked
}

// compute runs an operation that needs no provider.
func compute[In, Out any](g *gathering, into *outcome[Out], h operation.Handler[In, Out], in In) {
	run(g, g.computed, into, h, in)
}

// ask runs an operation that may ask a provider.
func ask[In, Out any](g *gathering, into *outcome[Out], h operation.Handler[In, Out], in In) {
	run(g, g.live, into, h, in)
}

func run[In, Out any](
	g *gathering, ctx context.Context, into *outcome[Out], h operation.Handler[In, Out], in In,
) {
	g.wait.Go(func() {
		defer g.recoverPanic(&into.asked)
		result, err := operation.Run(ctx, h, in)
		if _, known := coast.AsError(err); !known && err != nil && ctx.Err() == nil {
			g.log.Error("part of a page", "error", err)
		}
		*into = outcome[Out]{result, stateOf(ctx, err)}
	})
}

// prepare runs a computation while others run. Who needs its result runs it again: it is computed
// once.
func (g *gathering) prepare(once func()) {
	g.wait.Go(func() {
		defer g.recoverPanic(&asked{})
		once()
	})
}

// recoverPanic turns a panic of an operation into a part that is down: it must not end the
// process.
func (g *gathering) recoverPanic(state *asked) {
	if p := recover(); p != nil {
		g.log.Error("part of a page", "panic", p, "stack", string(debug.Stack()))
		*state = asked{down, "could not be asked, because of a fault of this server"}
	}
}

// reason returns the message of an error, and logs an error that is a fault of the program.
func (s *Shared) reason(err error) string {
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

// asSentence returns a message for people, with a period at its end: without its example of an
// argument, which is for programs. The hints of an error are not in its message: a page has links
// of its own.
func asSentence(message string) string {
	text, _, _ := strings.Cut(message, " Example: ")
	return strings.TrimSuffix(text, ".") + "."
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

// transient returns the state of an input that is missing because its provider has not responded,
// if p has one among these.
func transient(p coast.Provenance, inputs ...string) (a asked, ok bool) {
	for _, m := range p.Missing {
		if m.Transient() && slices.Contains(inputs, m.Input) {
			return asked{late, predicate(m.Reason)}, true
		}
	}
	return asked{}, false
}

// stateOf returns the state of a part whose operation returned err.
func stateOf(ctx context.Context, err error) asked {
	if err == nil {
		return asked{State: here}
	}
	e, _ := coast.AsError(err)
	switch {
	case e.Transient() && ctx.Err() != nil:
		return asked{late, "has not answered in time"}
	case e.Transient():
		return asked{down, predicate(e.Message)}
	}
	return asked{absent, asSentence(e.Message)}
}
