package site

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"leadline/internal/coast"
)

// bodyFor returns what a handler sends to a client, or "cut" if it aborts the response.
func bodyFor(ctx context.Context, h http.HandlerFunc, path string) (body string) {
	defer func() {
		if p := recover(); p != nil {
			body = "cut"
			if p != http.ErrAbortHandler {
				body = fmt.Sprint("panic ", p)
			}
		}
	}()
	w := httptest.NewRecorder()
	h(w, httptest.NewRequest(http.MethodGet, path, nil).WithContext(ctx))
	return w.Body.String()
}

// TestPagesAreMadeOnce checks that concurrent requests for a page share the one that is made, and
// that a client that leaves does not spoil it.
func TestPagesAreMadeOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Settings{Now: time.Now})
		made, finish := 0, make(chan struct{})
		page := func(w http.ResponseWriter, r *http.Request) {
			s.Once(w, r, "key", func(ctx context.Context, _ time.Time) Response {
				made++
				<-finish
				return text(fmt.Sprint("made, ", ctx.Err()))
			})
		}
		leaving, leave := context.WithCancel(t.Context())
		var all sync.WaitGroup
		bodies := make([]string, 50)
		for i := range bodies {
			ctx := t.Context()
			if i < 2 {
				ctx = leaving
			}
			all.Go(func() { bodies[i] = bodyFor(ctx, page, "/") })
			synctest.Wait() // the first request makes the page
		}
		leave()
		synctest.Wait()
		close(finish)
		all.Wait()
		if made != 1 {
			t.Errorf("the page was made %d times", made)
		}
		for i, got := range bodies[2:] {
			if want := "made, <nil>"; got != want {
				t.Errorf("request %d: %q, want %q", i+2, got, want)
			}
		}
		if bodies[1] != "cut" {
			t.Errorf("a client that has left gets %q", bodies[1])
		}
	})
}

// TestAbandonedPages checks that a page is given up when all clients have left, that nothing of it
// is kept, and that the next client gets a new one meanwhile.
func TestAbandonedPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Settings{Now: time.Now})
		made, finish := 0, make(chan struct{})
		page := func(w http.ResponseWriter, r *http.Request) {
			s.Once(w, r, "key", func(ctx context.Context, _ time.Time) Response {
				made++
				if n := made; n == 1 {
					<-ctx.Done()
					<-finish
				}
				return text(fmt.Sprint("made, ", ctx.Err()))
			})
		}
		leaving, leave := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				if got := bodyFor(leaving, page, "/"); got != "cut" {
					t.Errorf("a client that has left gets %q", got)
				}
			})
		}
		synctest.Wait()
		leave()
		synctest.Wait()
		if got, want := bodyFor(t.Context(), page, "/"), "made, <nil>"; got != want {
			t.Errorf("the next client gets %q, want %q", got, want)
		}
		close(finish)
		all.Wait()
		if _, kept := s.memory.get("key"); !kept || made != 2 {
			t.Errorf("made %d times, kept %v, want 2, true", made, kept)
		}
	})
}

// TestPanicOfAPage checks that a panic ends the flight of its page, for all clients.
func TestPanicOfAPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Settings{Now: time.Now})
		fail := make(chan struct{})
		page := func(w http.ResponseWriter, r *http.Request) {
			s.Once(w, r, "key", func(context.Context, time.Time) Response {
				<-fail
				panic("broken")
			})
		}
		var all sync.WaitGroup
		bodies := make([]string, 2)
		for i := range bodies {
			all.Go(func() { bodies[i] = bodyFor(t.Context(), page, "/") })
			synctest.Wait()
		}
		close(fail)
		all.Wait()
		if bodies[0] != "panic broken" || !bytes.Contains([]byte(bodies[1]), []byte(coast.Internal)) {
			t.Errorf("bodies %q, want the panic and an internal error", bodies)
		}
	})
}
