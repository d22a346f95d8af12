package cli

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"leadline/internal/coast"
	"leadline/internal/stations"
	"leadline/internal/verify"
)

// comparisonOf returns a comparison of n stations of which the first respond, before an outage.
func comparisonOf(n, respond int, each bool) *comparison {
	c := &comparison{each: each}
	for i := range n {
		c.list = append(c.list, stations.Station{ID: fmt.Sprintf("%07d", i), Kind: stations.Tide})
	}
	c.compare = func(_ context.Context, st stations.Station) verify.Result {
		r := verify.Result{ID: st.ID, Kind: st.Kind, Events: 12}
		if st.ID >= fmt.Sprintf("%07d", respond) {
			r.Err = coast.Errorf(coast.ProviderUnavailable, "down")
		}
		return r
	}
	return c
}

// TestOutageOfVerify checks that a comparison of fewer than nine tenths of the stations is an
// error, and that its output says so first.
func TestOutageOfVerify(t *testing.T) {
	for _, test := range []struct {
		n, respond  int
		each        bool
		first, last string
		fails       string
	}{
		{2109, 2109, false, "2109 of 2109 stations compared; 0 with", "are 0.000 m.", ""},
		{100, 90, false, "90 of 100 stations compared; 0 with",
			"10 not compared: NOAA did not respond (0000090, 0000091, ", ""},
		{100, 89, false, "Incomplete: 89 of 100 stations compared.", ", 0000098 and 1 more).",
			"incomplete: 89 of 100"},
		{2109, 417, false, "Incomplete: 417 of 2109 stations compared.", " and 1682 more).",
			"incomplete: 417 of 2109"},
		{20, 2, true, "Incomplete: 2 of 20 stations compared.", "0000019        not compared: down",
			"incomplete: 2 of 20"},
		{20, 18, true, "STATION", "0000019        not compared: down", ""},
		{20, 0, true, "Incomplete: 0 of 20 stations compared.", "0000019        not compared: down",
			"no station could be compared: 0000000: down"},
	} {
		var out bytes.Buffer
		c := comparisonOf(test.n, test.respond, test.each)
		c.run(t.Context(), func() {})
		err := (&program{streams: Streams{Out: &out}}).printComparison(t.Context(), *c)
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		last := strings.TrimSpace(lines[len(lines)-1])
		if !strings.HasPrefix(lines[0], test.first) || !strings.Contains(last, test.last) ||
			(err == nil) != (test.fails == "") ||
			err != nil && !strings.HasPrefix(err.Error(), test.fails) {
			t.Errorf("%d of %d: %v with\n%s\nwant %q, %q and the error %q", test.respond, test.n, err,
				&out, test.first, test.last, test.fails)
		}
	}
}

// TestInterruptedVerify checks that an interrupted comparison prints what was compared and fails,
// and does not count the station that was interrupted.
func TestInterruptedVerify(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	c := comparisonOf(50, 50, false)
	answer := c.compare
	c.compare = func(ctx context.Context, st stations.Station) verify.Result {
		if st.ID == "0000007" {
			stop()
		}
		return answer(ctx, st)
	}
	c.run(ctx, func() {})
	var out bytes.Buffer
	err := (&program{streams: Streams{Out: &out}}).printComparison(ctx, *c)
	if want := "interrupted: 7 of 50 stations compared"; fmt.Sprint(err) != want ||
		!strings.Contains(out.String(), "\n7 of 50 stations compared; 0 with") {
		t.Errorf("%v with\n%s\nwant %s", err, &out, want)
	}
}
