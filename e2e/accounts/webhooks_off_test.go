package accounts

import (
	"regexp"
	"strings"
	"testing"

	"leadline/e2e/product"
)

// TestWebhooksOff checks that a server with --webhooks off says so at start, and that commands
// that would send something say so too.
func TestWebhooksOff(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	r := product.ServeOn(t, folder, "--webhooks", "off")
	const start, note = "  webhooks off: events are stored and not sent\n",
		"nothing is sent, because --webhooks is off\n"
	if !strings.Contains(r.Log.String(), start) {
		t.Errorf("the start prints\n%s\nwithout %q", r.Log, start)
	}
	const ann = "--account=ann@example.org"
	product.At(t, folder, "accounts", "add", "ann@example.org")
	_, stderr, err := product.RunOn(
		folder,
		"webhooks",
		"create",
		"https://hooks.example.com/leadline",
		ann,
	)
	id := regexp.MustCompile(`we_\w{14}`).FindString(stderr)
	if err != nil || id == "" || !strings.Contains(stderr, note) {
		t.Fatalf("create prints %q, %v, want %q", stderr, err, note)
	}
	for _, command := range []string{"list", "rotate " + id, "disable " + id, "enable " + id} {
		args := append([]string{"webhooks"}, strings.Fields(command)...)
		_, stderr, err := product.RunOn(folder, append(args, ann)...)
		if sends := !strings.HasPrefix(command, "disable"); err != nil ||
			strings.Contains(stderr, note) != sends {
			t.Errorf("webhooks %s prints %q, %v, want the note: %v", command, stderr, err, sends)
		}
	}
	if _, _, err := product.RunOn(folder, "webhooks", "test", id, ann); err == nil ||
		!strings.Contains(err.Error(), "--webhooks off") {
		t.Errorf("webhooks test ends with %v, want an error about --webhooks off", err)
	}
}
