package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// runAt is run at a time, with environment variables.
func runAt(
	t *testing.T, now string, env map[string]string, args ...string,
) (out, stderr string, code int) {
	t.Helper()
	at, err := time.Parse(time.RFC3339, now)
	if err != nil {
		t.Fatal(err)
	}
	var o, e bytes.Buffer
	p := newProgram(args, Streams{In: strings.NewReader(""), Out: &o, Err: &e})
	p.config.Getenv = func(name string) string { return env[name] }
	p.now = func() time.Time { return at }
	code = p.execute(t.Context())
	return o.String(), e.String(), code
}

// beforeLow is before NOAA's low water of 0.18 ft at 7:26 EST in Boston.
const beforeLow = "2026-11-28T11:00:00Z"

// TestNow checks what is computed, and that what providers know is missing without them.
func TestNow(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"boston", "Boston, MA  Sat 28 Nov 06:00 EST\n  tide at  Boston, MA (8443970), on the bay, "},
		{"boston", "  tide     falling to low 0.18 ft at 07:26, in 1 h 26 min  now 1.74 ft\n"},
		{"boston", "\n           then high 11.31 ft at 13:39  above MLLW, predicted"},
		{"boston --short", "falling to low 0.2 ft at 07:26"},
		{"boston --units metric", "falling to low 0.05 m at 07:26"},
		{"boston", "\n           slack at 08:00, in 2 h 0 min, then strongest flood 0.33 kn at 10:53"},
		{"boston", "sky      sunrise 06:50, sunset 16:13; moon 8"},
		{"boston", "observed water level, observed wind"},
		{"boston", "wind, alerts: NWS gets no requests, because this command sends none."},
		{"42.36,-71.05", "Boston, MA (8443970)"},
		{"ACT0091", "Eastport, Friar Roads, ME (ACT0091)  Sat 28 Nov 06:00 EST\n  tide at  Eastport"},
	} {
		args := append([]string{"now", "--offline"}, strings.Fields(test.args)...)
		out, stderr, code := runAt(t, beforeLow, nil, args...)
		if code != 0 || stderr != "" || !strings.Contains(out, test.want) {
			t.Errorf("now %s: exit code %d, %q, %s\nwant %q", test.args, code, stderr, out, test.want)
		}
		for _, never := range []string{"\n  water", "\n  wind", "\n  alert", "\x1b", "▼"} {
			if strings.Contains(out, never) {
				t.Errorf("now %s has %q:\n%s", test.args, never, out)
			}
		}
	}
	out, _, _ := runAt(t, beforeLow, nil, "now", "--offline", "boston", "--json")
	var all struct {
		Results map[string]struct{ Station struct{ ID string } }
		Missing []struct{ Input string }
	}
	err := json.Unmarshal([]byte(out), &all)
	if err != nil || all.Results["tide"].Station.ID != "8443970" || len(all.Missing) == 0 ||
		all.Results["current"].Station.ID != "ACT1206" {
		t.Errorf("now --json: %v\n%s", err, out)
	}
	for _, test := range []struct{ args, want string }{
		{"", "missing STATION or PLACE; usage: leadline now"},
		{"denver", "inland"},
		{"boston --units feet", `invalid argument "feet" for "--units" flag: must be english or nautical or metric`},
		{"boston --color blue", `invalid --color "blue": must be auto, always or never`},
	} {
		args := append([]string{"now", "--offline"}, strings.Fields(test.args)...)
		_, stderr, code := runAt(t, beforeLow, nil, args...)
		if code != 1 || !strings.Contains(stderr, test.want) {
			t.Errorf("now %s: exit code %d, %q, want %q", test.args, code, stderr, test.want)
		}
	}
}

// TestPredictedNow checks the mark at now, and the next event, which is bold.
func TestPredictedNow(t *testing.T) {
	const next = "\n  \x1b[1mSat 2026-11-28 07:26 -05:00\x1b[0m  \x1b[1mlow\x1b[0m   \x1b[1m  0.18 ft"
	out, _, _ := runAt(t, beforeLow, nil, "predict", "8443970", "--color", "always")
	mark := strings.Index(out, "\n> \x1b[36mSat 2026-11-28 06:00 -05:00\x1b[0m  \x1b[36mnow")
	if mark < 0 || strings.Count(out, next) != 1 || strings.Index(out, next) < mark {
		t.Errorf("no mark before the next event:\n%q", out)
	}
	out, _, _ = runAt(t, "2026-11-29T04:00:00Z", nil, "predict", "8443970", "today", "--short")
	if !strings.Contains(out, "low      0.2 ft\n") || !strings.Contains(out, "rising\n\n") {
		t.Errorf("no mark behind the last event of the day:\n%s", out)
	}
	out, _, _ = runAt(t, beforeLow, nil, "predict", "8443970", "tomorrow")
	if strings.Contains(out, ">") || !strings.Contains(out, "\n\nSun 2026-11-29") {
		t.Errorf("another day has a mark:\n%s", out)
	}
}
