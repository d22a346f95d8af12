package providers

import (
	"context"
	"encoding/json"
	"html"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"leadline/e2e/product"
	"leadline/internal/trials"
)

// verdict matches the sentence of the page, after the shape of its state.
var verdict = regexp.MustCompile(`(?s)<h2 id="verdict"><svg.*?</svg> (.*?)</h2>`)

// TestTenTrips asks ten questions of boaters, walkers, surfers, anglers and photographers, each in
// one step, on the page, in a terminal and over MCP: the page and the terminal say the same
// sentence, and the tool names the best times, or says why there are none.
func TestTenTrips(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../trips.json")
	if err != nil {
		t.Fatal(err)
	}
	var trips []struct{ Place, Day, Activity string }
	if err := json.Unmarshal(text, &trips); err != nil || len(trips) != 10 {
		t.Fatalf("%d trips, %v", len(trips), err)
	}
	if !trials.Thorough() {
		trips = trips[:2] // all ten wait 20 s for their turns at the provider
	}
	_, root := product.SimulateForCommands(t)
	base := served(t, root)
	for _, trip := range trips {
		args, _ := json.Marshal(map[string]string{"place": trip.Place, "date": trip.Day,
			"activity": trip.Activity})
		call, reply := product.CallOf("leadline_best_times", string(args)), ""
		trials.WaitFor(t, "the turns of all requests at the provider", func() bool {
			reply = product.PostTo(t, base+"/mcp?toolsets=everyday", call)
			return !strings.Contains(reply, "requests wait")
		})
		if strings.Contains(reply, `"isError":true`) || !strings.Contains(reply,
			"best times in daylight") && !strings.Contains(reply, "no time in daylight") {
			t.Errorf("%s: the tool answers %s", args, reply)
		}
		asked := url.Values{"place": {trip.Place}, "date": {trip.Day}, "activity": {trip.Activity}}
		found := verdict.FindStringSubmatch(product.OverREST(t, base+"/planning/trip?"+
			asked.Encode()))
		if found == nil {
			t.Errorf("%s: the page has no sentence", args)
			continue
		}
		sentence := html.UnescapeString(found[1])
		out, stderr, code := product.RunForCode(t, "trip", trip.Place, trip.Day, trip.Activity,
			"--coops-url", root, "--nws-url", root, "--contact", product.Contact)
		if !strings.Contains(strings.Join(strings.Fields(out), " "), sentence) || code == 1 {
			t.Errorf("%s: the page says %q, the terminal, with code %d:\n%s%s", args, sentence, code, out,
				stderr)
		}
	}
}

// served runs the program as a server of the present day, as its commands are, and returns its
// address.
func served(t *testing.T, providers string) string {
	t.Helper()
	folder := t.TempDir()
	portFile := filepath.Join(folder, "port")
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- product.Run(ctx, []string{"--listen", "127.0.0.1:0", "--port-file", portFile,
			"--log-level", "error", "--data", folder, "--drain-wait", "0s", "--coops-url", providers,
			"--nws-url", providers, "--plans", product.RoomyPlans(t)},
			func(string) string { return "" },
			product.Streams{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard})
	}()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Errorf("serve = %v", err)
		}
	})
	return "http://127.0.0.1:" + product.PortIn(t, portFile, done)
}
