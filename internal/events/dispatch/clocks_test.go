package dispatch

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// TestClockCheck checks that five hosts in a row cast doubt on our clock, and one warning is
// logged.
func TestClockCheck(t *testing.T) {
	const off = 3 * time.Minute
	for _, test := range []struct {
		name     string
		ahead    []time.Duration // of our clock, by host
		repeat   bool            // whether all are one host
		doubted  bool
		warnings int
	}{
		{"right", []time.Duration{0, time.Minute, 0, -time.Minute, 0, 0}, false, false, 0},
		{"four", []time.Duration{off, off, off, off}, false, false, 0},
		{"five", []time.Duration{off, off, off, off, off}, false, true, 1},
		{"behind", []time.Duration{-off, -off, -off, -off, -off}, false, true, 1},
		{"many", []time.Duration{off, off, off, off, off, off, off, off, off, off}, false, true, 1},
		{"one host", []time.Duration{off, off, off, off, off, off}, true, false, 0},
		{"one agrees", []time.Duration{off, off, off, off, 0, off, off}, false, false, 0},
		{"set right", []time.Duration{off, off, off, off, off, 0}, false, false, 1},
	} {
		var log bytes.Buffer
		c := newClockCheck(slog.New(slog.NewTextHandler(&log, nil)))
		for i, ahead := range test.ahead {
			host := fmt.Sprintf("host-%d.example", i)
			if test.repeat {
				host = "host.example"
			}
			c.see(host, noon.Add(-ahead), noon)
			c.see(host, time.Time{}, noon) // a response without Date
		}
		if warnings := strings.Count(log.String(), "WARN"); c.doubted() != test.doubted ||
			warnings != test.warnings {
			t.Errorf("%s: doubted %v, %d warnings, want %v, %d", test.name, c.doubted(), warnings,
				test.doubted, test.warnings)
		}
	}
}
