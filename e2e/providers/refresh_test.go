package providers

import (
	"strings"
	"testing"

	"leadline/e2e/product"
)

// TestRefreshServing checks that a running server requests newer constants on command, and uses
// them at once.
func TestRefreshServing(t *testing.T) {
	t.Parallel()
	p, root := product.SimulateForCommands(t)
	p.Revise("8443970", 0.5)
	r := product.ServeOn(t, t.TempDir(), "--offline=false", "--contact", product.Contact,
		"--coops-url", root, "--nws-url", root)
	out, stderr, err := product.RunOn(r.Folder, "stations", "refresh", "8443970", "--coops-url",
		"http://127.0.0.1:1")
	if err != nil || !strings.Contains(out, "1 of 1 stations are up to date") ||
		!strings.Contains(stderr, "ignored: --coops-url; the running server uses its own settings") {
		t.Errorf("stations refresh prints %s%s%v", out, stderr, err)
	}
	answer := call{"", "/api/v1/stations/8443970/predictions"}.ask(r.Base)
	s := sourceOf(t, answer.body, "tide-prediction")
	if !strings.Contains(s.Label, "which its metadata service gave on") {
		t.Errorf("after the refresh the source is %q", s.Label)
	}
}
