package cli

import (
	"strings"
	"testing"
)

// TestPredictChart checks the curve above the table in both styles, and the
// errors.
func TestPredictChart(t *testing.T) {
	args := []string{"predict", "8443970", "--begin-date", "2026-11-21", "--hours", "48"}
	table, _, _ := run(t, args...)
	for style, want := range map[string]string{"ascii": "*", "braille": "⠤"} {
		out, stderr, code := run(t, append(args, "--chart="+style)...)
		curve, ok := strings.CutSuffix(out, "\n"+table)
		ok = ok && strings.HasPrefix(curve, "ft above MLLW\n") && strings.Contains(curve, want)
		if code != 0 || !ok || !strings.Contains(curve, "Sun 22") {
			t.Errorf("--chart=%s: exit code %d, %q\n%s", style, code, stderr, out)
		}
	}
	out, _, _ := run(t, "predict", "8447355", "--begin-date", "2026-11-21", "--chart=ascii")
	if !strings.Contains(out, "interpolated along the reference station's curve (Leadline,") {
		t.Errorf("the curve of a subordinate station has no source:\n%s", out)
	}
	for _, c := range []struct{ args, want string }{
		{"8443970 --chart --json", "[chart json]"},
		{"8443970 --chart=color", `invalid --chart "color": must be auto, braille or ascii`},
		{"8443970 --hours 300 --chart", "--chart draws at most 10 days"},
	} {
		_, stderr, code := run(t, append([]string{"predict"}, strings.Fields(c.args)...)...)
		if code != 1 || !strings.Contains(stderr, c.want) {
			t.Errorf("predict %s: exit code %d, %q", c.args, code, stderr)
		}
	}
}

func TestUTF8Locale(t *testing.T) {
	for _, c := range []struct {
		name, value string
		want        bool
	}{
		{"LANG", "en_US.UTF-8", true},
		{"LC_ALL", "C.utf8", true},
		{"LC_ALL", "C", false},
		{"", "", false},
	} {
		got := utf8Locale(func(name string) string {
			if name == c.name {
				return c.value
			}
			return ""
		})
		if got != c.want {
			t.Errorf("utf8Locale with %s=%s = %v, want %v", c.name, c.value, got, c.want)
		}
	}
}
