package limit

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"leadline/internal/coast"
)

// queued joins a calculation of a caller to full turns, and returns its ticket.
func queued(t *testing.T, q *Turns, caller string) *ticket {
	t.Helper()
	ticket, err := q.join(caller)
	if err != nil || ticket == nil {
		t.Fatalf("join %s = %v, %v, want a ticket", caller, ticket, err)
	}
	return ticket
}

// TestTurnsAreFair checks the order of turns: round robin by caller, and four of accounts for one
// of the others.
func TestTurnsAreFair(t *testing.T) {
	q := NewTurns(1)
	if ticket, err := q.join("first"); ticket != nil || err != nil {
		t.Fatalf("join = %v, %v, want a turn at once", ticket, err)
	}
	tickets := map[string]*ticket{}
	for _, caller := range []string{"x", "account a", "y", "account b"} {
		for n := range 3 {
			tickets[fmt.Sprint(caller, " ", n)] = queued(t, q, caller)
		}
	}
	var order []string
	for range len(tickets) {
		q.leave()
		for name, ticket := range tickets {
			select {
			case <-ticket.called:
				order = append(order, name)
				delete(tickets, name)
			default:
			}
		}
	}
	want := "account a 0, account b 0, account a 1, account b 1, x 0, " +
		"account a 2, account b 2, y 0, x 1, y 1, x 2, y 2"
	if got := strings.Join(order, ", "); got != want {
		t.Errorf("order %s, want %s", got, want)
	}
	if q.leave(); q.running != 0 || len(q.lines) != 0 {
		t.Errorf("%d run and %d callers wait after the last one", q.running, len(q.lines))
	}
}

// TestMostTurns checks that a caller with as many waiting calculations as may is refused, and no
// other one.
func TestMostTurns(t *testing.T) {
	q := NewTurns(1)
	q.join("x")
	for range mostTurns {
		queued(t, q, "x")
	}
	var refused *coast.Error
	if _, err := q.join("x"); !errors.As(err, &refused) || refused.Code != coast.Overloaded ||
		refused.RetryAfterSeconds != 1 {
		t.Errorf("beyond the limit: %v, want %s", err, coast.Overloaded)
	}
	queued(t, q, "y")
}

// TestMostWaiting checks that a full queue has room for a caller that has fewer waiting
// calculations than another one, whose last one is refused.
func TestMostWaiting(t *testing.T) {
	q := NewTurns(1)
	q.join("first")
	var last []*ticket
	for caller := range mostWaiting / mostTurns {
		for range mostTurns - 1 {
			queued(t, q, fmt.Sprint(caller))
		}
		last = append(last, queued(t, q, fmt.Sprint(caller)))
	}
	queued(t, q, "other")
	refused := 0
	for _, l := range last {
		select {
		case <-l.called:
			refused++
			if !l.refused {
				t.Error("a calculation got a turn, want it refused")
			}
		default:
		}
	}
	if refused != 1 || q.total != mostWaiting {
		t.Errorf("%d refused, %d wait, want 1 and %d", refused, q.total, mostWaiting)
	}
	if _, err := q.join("0"); err == nil && len(q.lines["0"].tickets) > mostTurns {
		t.Error("a caller with the most calculations got another place")
	}
}

// TestTurnsEnd checks that a calculation whose caller leaves, or that waits for too long, gives
// up its place, and that its turn is not lost.
func TestTurnsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewTurns(1)
		end, err := q.Take(t.Context(), "x")
		if err != nil {
			t.Fatal(err)
		}
		gone, leave := context.WithCancel(t.Context())
		go func() {
			time.Sleep(time.Second)
			leave()
		}()
		if _, err := q.Take(gone, "x"); !errors.Is(err, context.Canceled) {
			t.Errorf("a caller that leaves: %v", err)
		}
		start := time.Now()
		if _, err := q.Take(t.Context(), "x"); err == nil || time.Since(start) != turnWithin {
			t.Errorf("a calculation waits %v, error %v, want %v", time.Since(start), err, turnWithin)
		}
		if len(q.lines)+len(q.waiting[0])+len(q.waiting[1]) != 0 {
			t.Error("a calculation that has ended waits")
		}
		end()
		if end, err = q.Take(t.Context(), "x"); err != nil {
			t.Errorf("after all have ended: %v", err)
		}
		end()
	})
}
