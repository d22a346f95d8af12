package dispatch

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"leadline/internal/access/credential"
	"leadline/internal/events"
	"leadline/internal/events/sender"
	"leadline/internal/events/signature"
	"leadline/internal/trials"
	"leadline/store/bolt"
)

// Environment variables of the child process: the test binary again, which is killed.
const (
	childOf     = "LEADLINE_EVENTS_CHILD"  // the file that the child opens
	childPepper = "LEADLINE_EVENTS_PEPPER" // the pepper of the secrets in it
	childPosts  = "LEADLINE_EVENTS_POSTS"  // whether the child posts events, or delivers alone
	childClock  = "LEADLINE_EVENTS_CLOCK"  // the time at which the child starts
)

const (
	killedPosters   = 16
	killedEndpoints = 40
)

// TestChild is the process that TestKill starts and kills. Otherwise it does nothing.
func TestChild(t *testing.T) {
	if path := os.Getenv(childOf); path != "" {
		from, err := time.Parse(time.RFC3339Nano, os.Getenv(childClock))
		if err != nil {
			t.Fatal(err)
		}
		t.Fatal(deliver(path, os.Getenv(childPepper), os.Getenv(childPosts) == "yes", running(from)))
	}
}

// deliver runs in the process that will be killed: a dispatcher, and callers that post events. It
// prints a line for each call that has returned, in one write each.
func deliver(path, pepper string, posts bool, now func() time.Time) error {
	p, err := credential.ReadPepper(pepper)
	if err != nil {
		return err
	}
	s, err := bolt.Open(path, bolt.Options{})
	if err != nil {
		return err
	}
	client, err := sender.New(sender.Config{Private: loopback, Version: "1.2.3", Now: now})
	if err != nil {
		return err
	}
	d := New(Config{
		Store: s, Owner: "child", Open: signature.NewSealer(p).Open, Send: client.Send,
		Now: now,
	})
	var ids events.IDs
	errs := make(chan error)
	if posts {
		for g := range killedPosters {
			go func() { errs <- postAll(s, d, &ids, g, now) }()
		}
	}
	go func() { errs <- d.Run(context.Background()) }()
	return <-errs
}

// postAll posts events until a call fails.
func postAll(s *bolt.Store, d *Dispatcher, ids *events.IDs, g int, now func() time.Time) error {
	for n := g; ; n++ {
		at := now()
		id := ids.New(at)
		if _, err := s.Post(context.Background(), event(id, n%killedEndpoints, at)); err != nil {
			return err
		}
		d.Wake()
		fmt.Fprintf(os.Stdout, "%s\n", id)
		time.Sleep(time.Millisecond)
	}
}

// recorder is a receiver that records the events that arrive, and refuses some first attempts.
type recorder struct {
	mu       sync.Mutex
	received map[string]int // times, by id
	wrong    []string       // ids of events with another body
	random   *rand.Rand
}

func (l *recorder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	id := r.Header.Get("webhook-id")
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil || r.Header.Get("leadline-attempt") == "1" && l.random.IntN(100) == 0 {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	l.received[id]++
	if !bytes.Equal(body, bodyOf(id)) {
		l.wrong = append(l.wrong, id)
	}
	w.WriteHeader(http.StatusNoContent)
}

// missing returns the events of a list that were not received.
func (l *recorder) missing(list []string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var missing []string
	for _, id := range list {
		if l.received[id] == 0 {
			missing = append(missing, id)
		}
	}
	return missing
}

// count returns the number of events and of requests.
func (l *recorder) count() (events, requests int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, n := range l.received {
		requests += n
	}
	return len(l.received), requests
}

// TestKill kills a process repeatedly while it posts and delivers events. Every event whose
// posting returned must be received, with equal bytes.
func TestKill(t *testing.T) {
	t.Parallel()
	path, pepper := filepath.Join(t.TempDir(), "leadline.db"), credential.NewPepper()
	l := &recorder{received: map[string]int{}, random: rand.New(rand.NewPCG(1, 2))}
	url := listen(t, l)
	s, err := bolt.Open(path, bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	addEndpoints(t, s, signature.NewSealer(pepper), killedEndpoints, func(int) string { return url })
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(3, 4))
	now := running(noon)
	var posted []string
	for range trials.Kills() {
		c := startChild(t, path, pepper, "yes", now())
		for range 100 + random.IntN(500) {
			if !c.output.Scan() {
				t.Fatalf("the process ended by itself after %d events", len(posted))
			}
			posted = append(posted, c.output.Text())
		}
		posted = append(posted, c.kill()...)
	}
	startChild(t, path, pepper, "no", now())
	t.Cleanup(func() {
		if lost := l.missing(posted); len(lost) > 0 {
			t.Errorf("%d of %d events were lost, the first is %s", len(lost), len(posted), lost[0])
		}
	})
	trials.WaitFor(t, "every event received", func() bool { return len(l.missing(posted)) == 0 })
	events, requests := l.count()
	t.Logf("%d kills, %d events posted, %d received, %d repeated", trials.Kills(), len(posted), events,
		requests-events)
	if len(l.wrong) > 0 {
		t.Errorf("%d events arrived with another body, the first is %s", len(l.wrong), l.wrong[0])
	}
}

// child is a process that posts and delivers events until it is killed.
type child struct {
	cmd    *exec.Cmd
	output *bufio.Scanner // a line for each event
}

func startChild(
	t *testing.T, path string, pepper credential.Pepper, posts string, from time.Time,
) *child {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestChild$")
	cmd.Env = append(os.Environ(), childOf+"="+path, childPepper+"="+pepper.Text(),
		childPosts+"="+posts, childClock+"="+from.Format(time.RFC3339Nano))
	cmd.Stderr = os.Stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c := &child{cmd, bufio.NewScanner(pipe)}
	t.Cleanup(func() { c.kill() })
	return c
}

// kill kills the process and returns the rest of its output, without a line that is not whole.
func (c *child) kill() []string {
	_ = c.cmd.Process.Kill()
	var rest []string
	for c.output.Scan() {
		if line := c.output.Text(); strings.HasPrefix(line, "msg_") && len(line) == 36 {
			rest = append(rest, line)
		}
	}
	_ = c.cmd.Wait()
	return rest
}
