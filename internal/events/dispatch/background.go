package dispatch

import (
	"context"
	"time"
)

// storeCall limits one call of the store.
const storeCall = 10 * time.Second

// background makes calls of the store in other goroutines.
type background struct {
	calls  context.Context // of all calls; outlives the context of Run
	did    chan func()     // what follows from calls that have ended, for the goroutine of the run
	closed chan struct{}   // when the run is over
}

func newBackground(calls context.Context) background {
	return background{calls, make(chan func()), make(chan struct{})}
}

// inBackground makes a call in another goroutine. Then it sends a call of then with the error to
// did, unless the run is over.
func (b *background) inBackground(call func(context.Context) error, then func(error)) {
	go func() {
		ctx, cancel := context.WithTimeout(b.calls, storeCall)
		defer cancel()
		err := call(ctx)
		select {
		case b.did <- func() { then(err) }:
		case <-b.closed:
		}
	}()
}
