package dispatch

import (
	"context"
	"fmt"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"leadline/internal/events/sender"
	"leadline/internal/trials"
)

// deadHost accepts connections and never responds. Each has an address of its own: Linux routes
// all of 127.0.0.0/8 to the loopback interface.
type deadHost struct {
	listener net.Listener
	mu       sync.Mutex
	conns    []net.Conn
}

func newDeadHost(t testing.TB, n int) *deadHost {
	t.Helper()
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.%d.%d:0", 1+n/250, 1+n%250))
	if err != nil {
		t.Fatal(err)
	}
	h := &deadHost{listener: l}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			h.mu.Lock()
			h.conns = append(h.conns, c)
			h.mu.Unlock()
		}
	}()
	return h
}

// close ends the attempts that wait for a response.
func (h *deadHost) close() {
	h.listener.Close()
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.conns {
		c.Close()
	}
}

func TestMain(m *testing.M) {
	trials.Sets{Long: []func(*testing.T){TestIsolation}}.Select()
	os.Exit(m.Run())
}

// TestDeadReceivers checks that others receive their events while more receivers than there are
// slots are down. The attempts at those end after the others have received theirs, or else they
// would have waited for them.
func TestDeadReceivers(t *testing.T) {
	const dead, healthy = fastSlots + slowSlots + 10, 100
	in := newReceiver()
	url := listen(t, in)
	var hosts []*deadHost
	for n := range dead {
		hosts = append(hosts, newDeadHost(t, n))
	}
	w := newSetup(t, in, dead+healthy, nil, func(n int) string {
		if n < dead {
			return "http://" + hosts[n].listener.Addr().String()
		}
		return url
	})
	ended := make(chan struct{})
	w.dispatcher.c.Send = func(ctx context.Context, q sender.Request) sender.Report {
		report := w.sender.Send(ctx, q)
		if q.URL != url {
			<-ended
		}
		return report
	}
	w.run()
	cause := func(from, to int) {
		var all sync.WaitGroup
		for n := from; n < to; n++ {
			all.Go(func() {
				if err := w.cause(n); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
	cause(0, dead)
	trials.WaitFor(t, "an attempt at each dead receiver", func() bool {
		_, _, attempts := w.dispatcher.Slots()
		return attempts == dead
	})
	cause(dead, dead+healthy)
	in.take(t, healthy)
	for _, h := range hosts {
		h.close()
	}
	close(ended)
	w.stop()
}

// TestIsolation checks that receivers which are down do not delay others: their 99th percentile is
// at most three times that of the same load without dead receivers, measured just before on the
// same setup. A busy machine delays single rounds, so one of several rounds is enough.
func TestIsolation(t *testing.T) {
	size := isolation{endpoints: 3000, dead: 300, events: 1500, every: 2 * time.Millisecond}
	if trials.Kills() == 100 {
		size = isolation{endpoints: 10_000, dead: 100, events: 10_000, every: 2 * time.Millisecond}
	}
	const most, rounds = 3.0, 6
	for round := range rounds {
		without, with := size.measure(t)
		if float64(with) <= most*float64(without) {
			return
		}
		t.Logf("round %d: p99 %v without dead receivers, %v with", round, without, with)
	}
	t.Errorf("with dead receivers p99 is more than %v times as long in all rounds", most)
}

// isolation is the size of one measurement: every fifth of the events goes to a dead receiver.
type isolation struct {
	endpoints, dead, events int
	every                   time.Duration
}

// measure returns the 99th percentile of the delay of healthy receivers without and with dead
// ones.
func (m isolation) measure(t *testing.T) (without, with time.Duration) {
	in := newReceiver()
	url := listen(t, in)
	var hosts []*deadHost
	for n := range m.dead {
		hosts = append(hosts, newDeadHost(t, n))
	}
	w := newSetup(t, in, m.endpoints, nil, func(n int) string {
		if n < m.dead {
			return "http://" + hosts[n].listener.Addr().String()
		}
		return url
	})
	w.run()
	healthy := func(i int) int { return m.dead + i%(m.endpoints-m.dead) }
	w.load(200, m.every, func(i int) (int, bool) { return healthy(i), true }) // opens connections
	delays := w.load(m.events, m.every, func(i int) (int, bool) { return healthy(i), true })
	without = quantile(delays, 0.99)
	delays = w.load(m.events, m.every, func(i int) (int, bool) {
		if i%5 == 0 {
			return i / 5 % m.dead, false
		}
		return healthy(i), true
	})
	with = quantile(delays, 0.99)
	for _, h := range hosts {
		h.close()
	}
	w.stop()
	return without, with
}
