package site

import (
	"context"
	"errors"
	"net/http"
	"sync"
)

// flights makes one response for the requests of a key that come at a time. It is safe for
// concurrent use. The package singleflight cannot replace it: there, no request can leave.
type flights struct {
	mu   sync.Mutex
	open map[string]*flight
}

// flight is a response that is being made.
type flight struct {
	context.Context // ends when no request waits for the response
	cancel          context.CancelFunc
	waiting         int           // requests
	landed          chan struct{} // closed when made is set
	made            Response
}

func newFlights() *flights { return &flights{open: map[string]*flight{}} }

// Do returns the response of a key. The first request makes it with the values of its own context;
// the others wait. It is made to its end if one of them still waits for it, and else given up.
func (f *flights) Do(
	ctx context.Context, key string, make func(context.Context) Response,
) Response {
	if ctx.Err() != nil {
		return left{}
	}
	own, first := f.join(ctx, key)
	stop := context.AfterFunc(ctx, func() { f.leave(key, own) })
	defer func() {
		if stop() { // else it has run, or runs: each request leaves once
			f.leave(key, own)
		}
	}()
	if first {
		f.land(key, own, make)
	}
	select {
	case <-own.landed:
		return own.made
	case <-ctx.Done():
		return left{}
	}
}

// join adds a request to those that wait for the response of a key. first reports whether it must
// make the response.
func (f *flights) join(ctx context.Context, key string) (own *flight, first bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	own = f.open[key]
	if first = own == nil; first {
		own = &flight{landed: make(chan struct{}),
			made: failure{errors.New("a panic while the response was made")}}
		own.Context, own.cancel = context.WithCancel(context.WithoutCancel(ctx))
		f.open[key] = own
	}
	own.waiting++
	return own, first
}

// leave removes a request whose client has left.
func (f *flights) leave(key string, own *flight) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if own.waiting--; own.waiting == 0 {
		own.cancel()
		f.close(key, own)
	}
}

// land makes the response and ends the flight, also after a panic.
func (f *flights) land(key string, own *flight, make func(context.Context) Response) {
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		own.cancel()
		f.close(key, own)
		close(own.landed)
	}()
	made := make(own)
	if own.Err() != nil { // the response may lack what was not computed
		made = left{}
	}
	own.made = made
}

// close lets the next request for a key begin a new flight. The caller holds mu.
func (f *flights) close(key string, own *flight) {
	if f.open[key] == own {
		delete(f.open, key)
	}
}

// left is the response to clients that have left.
type left struct{}

func (left) Serve(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
