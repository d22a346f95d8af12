package web

import (
	"context"
	"strings"
	"sync"
	"time"

	"leadline/internal/coast"
	"leadline/tools"
)

// patience limits how long a page waits for all providers together. What has not come by then
// is named as missing; the requests go on, so that the next request finds their responses.
const patience = 800 * time.Millisecond

// gathering asks the parts of a page at once.
type gathering struct {
	computed context.Context // for parts that need no provider
	live     context.Context // ends when the page has waited long enough
	cancel   context.CancelFunc
	wait     sync.WaitGroup
}

func gather(ctx context.Context, patience time.Duration) *gathering {
	live, cancel := context.WithTimeout(ctx, patience)
	return &gathering{computed: ctx, live: live, cancel: cancel}
}

// done waits for all parts.
func (g *gathering) done() {
	g.wait.Wait()
	g.cancel()
}

// answer is the result of an operation, or the reason why there is none.
type answer[Out any] struct {
	Result Out
	asked
}

// compute runs an operation that needs no provider.
func compute[In, Out any](g *gathering, into *answer[Out], h tools.Handler[In, Out], in In) {
	run(g, g.computed, into, h, in)
}

// ask runs an operation that may ask a provider.
func ask[In, Out any](g *gathering, into *answer[Out], h tools.Handler[In, Out], in In) {
	run(g, g.live, into, h, in)
}

func run[In, Out any](
	g *gathering, ctx context.Context, into *answer[Out], h tools.Handler[In, Out], in In,
) {
	g.wait.Go(func() {
		result, err := tools.Run(ctx, h, in)
		*into = answer[Out]{result, stateOf(ctx, err)}
	})
}

// withoutTools removes the sentences that name tools, which a person cannot call.
func withoutTools(message string) string {
	var kept []string
	for sentence := range strings.SplitSeq(message, ". ") {
		if !strings.Contains(sentence, "noaa_") && !strings.Contains(sentence, "nws_") {
			kept = append(kept, strings.TrimSuffix(sentence, "."))
		}
	}
	return strings.Join(kept, ". ")
}

// stateOf returns the state of a part whose operation returned err.
func stateOf(ctx context.Context, err error) asked {
	if err == nil {
		return asked{State: here}
	}
	e, _ := coast.AsError(err)
	switch e.Code {
	case coast.ProviderUnavailable, coast.Overloaded, coast.StoreUnavailable, coast.Internal:
		if ctx.Err() != nil {
			return asked{late, "has not answered in time"}
		}
		return asked{down, withoutTools(e.Message)}
	}
	return asked{absent, withoutTools(e.Message)}
}
