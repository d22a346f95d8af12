package providers

import (
	"regexp"
	"testing"

	"leadline/e2e/product"
)

// TestNow checks what leadline now prints of providers: observations with their age, apart from
// predictions, the coastal waters text, and alerts.
func TestNow(t *testing.T) {
	t.Parallel()
	_, root := product.SimulateForCommands(t)
	out, stderr, err := product.RunCommand(t, nil, "now", "8443970", "--coops-url", root,
		"--nws-url", root, "--contact", product.Contact)
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	for _, want := range []string{
		`\n  tide  .* (low|high) -?\d+\.\d\d ft at .*`,
		`\n  water    -?\d+\.\d\d ft at .*, \d+\.\d\d (above|below) the prediction  observed, \d+ minutes? old\n`,
		`\n  wind     [NESW]+ \d+ kn, gusts \d+  observed .*, \d+ minutes? old\n`,
		`\n           today up to \d+ kn.*  coastal waters text\n`,
		`\n  alert  .*Small Craft Advisory until `,
	} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
}
