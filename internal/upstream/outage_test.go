package upstream

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"
)

// journal is a log that can be read while it is written.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(b)
}

// lines returns the level, message and time since start of each line.
func (j *journal) lines(t *testing.T, start time.Time) (list []string) {
	t.Helper()
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, line := range strings.Split(strings.TrimSpace(j.text.String()), "\n") {
		when, rest, _ := strings.Cut(strings.TrimPrefix(line, "time="), " level=")
		level, rest, _ := strings.Cut(rest, ` msg="`)
		message, _, ok := strings.Cut(rest, `"`)
		at, err := time.Parse(time.RFC3339Nano, when)
		if !ok || err != nil {
			t.Fatalf("line %q: %v", line, err)
		}
		list = append(list, fmt.Sprintf("%s %s %v", level, message, at.Sub(start).Truncate(time.Minute)))
	}
	return list
}

func (j *journal) whole() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

func newJournal() (*journal, *slog.Logger) {
	j := &journal{}
	return j, slog.New(slog.NewTextHandler(j, nil))
}

// TestOutageLog sends three requests a minute to a provider that is down from 0:10 to 2:50.
func TestOutageLog(t *testing.T) {
	j, log := newJournal()
	inBubble(t, Config{Log: log}, func(t *testing.T, p *provider, c *Client) {
		start := time.Now()
		for n := range 3 * 60 * 4 {
			switch time.Since(start) {
			case 10 * time.Minute:
				p.set(status(503))
			case 170 * time.Minute:
				p.set(number)
			}
			getNumber(t.Context(), c, p.request(fmt.Sprint("/", n), minutes))
			time.Sleep(time.Until(start.Add(time.Duration(n+1) * 20 * time.Second)))
		}
		got := strings.Join(j.lines(t, start), "\n")
		const want = "WARN provider is down 10m0s\nWARN provider is still down 1h10m0s\n" +
			"WARN provider is still down 2h10m0s\nINFO provider is back 2h50m0s"
		if got != want {
			t.Errorf("the log of four hours:\n%s\nwant\n%s", got, want)
		}
		for _, word := range []string{"since=", "failures=", "host=provider.test", "returned 503"} {
			if !strings.Contains(j.whole(), word) {
				t.Errorf("the log has no %q:\n%s", word, j.whole())
			}
		}
	})
}

// TestFlappingLog checks that a provider whose one product fails all day has at most two lines an
// hour. A longer outage after that has its own.
func TestFlappingLog(t *testing.T) {
	j, log := newJournal()
	inBubble(t, Config{Log: log}, func(t *testing.T, p *provider, c *Client) {
		start := time.Now()
		one := func(n int, fails bool) {
			p.set(number)
			if fails {
				p.set(body("nonsense"))
			}
			getNumber(t.Context(), c, p.request(fmt.Sprint("/", n), minutes))
			time.Sleep(time.Until(start.Add(time.Duration(n+1) * 10 * time.Second)))
		}
		for n := range 6 * 50 {
			one(n, n%3 == 0)
		}
		for n := range 12 {
			one(300+n, true)
		}
		one(312, false)
		got := strings.Join(j.lines(t, start), "\n")
		const want = "WARN provider is down 0s\nINFO provider is back 0s\n" +
			"WARN provider is still down 51m0s\nINFO provider is back 52m0s"
		if got != want {
			t.Errorf("the log of 52 minutes:\n%s\nwant\n%s", got, want)
		}
	})
}

// TestUnsavedLog checks that a file that cannot be written has one line an hour.
func TestUnsavedLog(t *testing.T) {
	j, log := newJournal()
	start := time.Date(2026, 12, 31, 23, 58, 0, 0, time.UTC)
	now := start
	c := newClient(t, Config{Log: log, Now: func() time.Time { return now }})
	for n := range 24 {
		now = start.Add(time.Duration(n) * 5 * time.Minute)
		if n < 20 {
			c.logSave(errors.New("disk full"))
		} else {
			c.logSave(nil)
		}
	}
	var messages []string
	for _, line := range strings.Split(strings.TrimSpace(j.text.String()), "\n") {
		_, rest, _ := strings.Cut(line, ` msg="`)
		message, _, _ := strings.Cut(rest, `"`)
		messages = append(messages, message)
	}
	const want = "cache is not saved, cache is not saved, cache is saved again"
	if got := strings.Join(messages, ", "); got != want {
		t.Errorf("the log of two hours: %s, want %s", got, want)
	}
}
