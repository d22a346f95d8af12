package accounts

import (
	"crypto/sha256"
	"errors"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"leadline/e2e/product"
	"leadline/internal/accounts"
	"leadline/internal/server"
	"leadline/store"
	"leadline/store/bolt"
)

// ticketIn returns the ticket of a link from the store of a folder, which no process has open, and
// the time from the creation of the account mate@example.org to its expiry.
func ticketIn(t *testing.T, folder, link string) (ticket store.Ticket, life time.Duration) {
	t.Helper()
	s, err := bolt.Open(filepath.Join(folder, server.StoreFile), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	u, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	ticket, err = s.Ticket(t.Context(), sha256.Sum256([]byte(u.Query().Get("ticket"))))
	if err != nil {
		t.Fatalf("%s: %v", link, err)
	}
	account, err := s.AccountByEmail(t.Context(), "mate@example.org")
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		t.Fatal(err)
	}
	return ticket, ticket.Expires.Sub(account.Created)
}

const aTicket = `\?ticket=ldt_[A-Za-z0-9_-]{43}`

// TestLinks checks that invite and reset print a link to the server's address, or to its likely
// one, on standard output, and describe it on standard error.
func TestLinks(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	product.At(t, folder, "accounts", "add", "mate@example.org")
	r := product.ServeOn(t, folder)
	assumed := "the link assumes that one will at http://127.0.0.1:8080"
	for _, test := range []struct {
		line, link, says string
		alone            bool
	}{
		{
			"accounts invite Cook@example.org", r.Base + "/oauth/join",
			"the link creates an account for cook@example.org, on the plan free; it can be used once " +
				"within 24 hours; no mail was sent\n", false,
		},
		{
			"accounts reset mate@example.org", r.Base + "/oauth/password",
			"the link sets a new password for mate@example.org, which ends its sessions, connected apps " +
				"and provider identities; it can be used once within 24 hours; no mail was sent", false,
		},
		{
			"accounts invite cook@example.org --plan pro", "http://127.0.0.1:8080/oauth/join", assumed, true,
		},
		{
			"accounts invite cook@example.org --plan pro --listen :9000", "http://localhost:9000/oauth/join",
			"on the plan pro", true,
		},
		{"accounts invite cook@example.org --listen :9000 --tls-cert x --tls-key y", "https://localhost:9000/oauth/join", "no server runs", true},
		{"accounts reset mate@example.org --base-url https://tides.example.org", "https://tides.example.org/oauth/password", "the link sets", true},
	} {
		if test.alone {
			r.Stop()
		}
		out, stderr, err := product.RunOn(folder, strings.Fields(test.line)...)
		if err != nil || !regexp.MustCompile("^"+regexp.QuoteMeta(test.link)+aTicket+
			"\n$").MatchString(out) || !strings.Contains(stderr, test.says) {
			t.Errorf("%s prints %q, %q, %v, want a link to %s and %q",
				test.line, out, stderr, err, test.link, test.says)
		}
		if test.alone {
			kept, life := ticketIn(t, folder, strings.TrimSpace(out))
			if kept.Kind != strings.Fields(test.line)[1] ||
				(life-accounts.LinkLife).Abs() > time.Hour {
				t.Errorf("%s: %s with %v is kept", test.line, kept.Kind, life)
			}
		}
	}
	if log := r.Log.String(); strings.Contains(log, "ldt_") {
		t.Errorf("the log has a ticket:\n%s", log)
	}
}

// TestLinkFaults checks that no link is created that could not be used, and that
// the error has the reason.
func TestLinkFaults(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, test := range []product.RefusedLine{
		{Line: "accounts reset mate@example.org", Says: "no store in FOLDER yet"},
		{Line: "accounts add mate@example.org"},
		{
			Line: "accounts invite mate@example.org",
			Says: "account mate@example.org exists already; leadline accounts reset makes a link",
		},
		{Line: "accounts invite mate", Says: "must be an e-mail address alone"},
		{Line: "accounts invite cook@example.org --plan gold", Says: `invalid plan "gold": must be one of free, pro`},
		{
			Line: "accounts invite cook@example.org --signup closed",
			Says: "signup is closed, so invitations cannot be used",
		},
		{Line: "accounts invite cook@example.org --signup ajar", Says: `invalid --signup "ajar": must be closed, invite or open`},
		{
			Line: "accounts invite cook@example.org --listen 127.0.0.1:0",
			Says: "the port is not known before the server runs",
		},
		{
			Line: "accounts invite cook@example.org --base-url http://tides.example.org",
			Says: "nobody can sign in at http://tides.example.org",
		},
		{
			Line: "accounts reset mate@example.org --base-url http://tides.example.org",
			Says: "nobody can sign in at http://tides.example.org",
		},
		{Line: "accounts reset mate@example.org --signup closed"},
		{Line: "accounts reset cook@example.org", Says: "no account cook@example.org"},
	} {
		if out, err := test.In(t, folder); err != nil && out != "" {
			t.Errorf("%s prints %q", test.Line, out)
		}
	}
}

// TestOwnersLink checks that a server without accounts prints the link that creates
// the first one, outside its log, unless sign-up is closed.
func TestOwnersLink(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(
		`(?m)^No account exists yet\. .* 24 hours:\n\n  (\S+/oauth/join` + aTicket + `)$`)
	folder := t.TempDir()
	r := product.ServeOn(t, folder)
	found := link.FindStringSubmatch(r.Log.String())
	if found == nil || !strings.HasPrefix(found[1], r.Base+"/") {
		t.Fatalf("the start prints no link to %s:\n%s", r.Base, r.Log)
	}
	r.Stop()
	if kept, _ := ticketIn(t, folder, found[1]); kept.Kind != "owner" ||
		string(kept.Data) != `{"plan":"pro"}` {
		t.Errorf("%s %s is kept", kept.Kind, kept.Data)
	}
	product.At(t, folder, "accounts", "add", "mate@example.org")
	for _, test := range []struct {
		folder, says string
		flags        []string
	}{
		{folder, "", nil},
		{t.TempDir(), "", []string{"--signup", "closed"}},
		{t.TempDir(), "nobody can sign in", []string{"--base-url", "http://tides.example.org"}},
	} {
		r := product.ServeOn(t, test.folder, test.flags...)
		if log := r.Log.String(); strings.Contains(log, "ldt_") ||
			!strings.Contains(log, test.says) {
			t.Errorf("with %v the start prints\n%s", test.flags, log)
		}
		if test.says != "" {
			_, _, err := product.RunOn(test.folder, "accounts", "invite", "mate@example.org")
			if err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("inviting ends with %v, want %q", err, test.says)
			}
		}
		r.Stop()
	}
}

// TestNobodyCanSignIn checks that a server whose accounts were all created on the
// command line logs how people can sign in, until one does.
func TestNobodyCanSignIn(t *testing.T) {
	folder := t.TempDir()
	product.At(t, folder, "accounts", "add", "mate@example.org")
	const hint = "leadline accounts reset mate@example.org"
	r := product.ServeOn(t, folder, "--base-url", product.Stated)
	if !strings.Contains(r.Log.String(), hint) {
		t.Errorf("the start prints\n%s\nwant %q", r.Log, hint)
	}
	v := product.NewVisitor(t, r.Base)
	link := strings.TrimSpace(product.At(t, folder, "accounts", "reset", "mate@example.org"))
	_, page, _ := v.Ask(link, nil)
	if status, said, _ := v.Ask("/oauth/password",
		v.Form(page, "/oauth/password", "password",
			"a lead and a long line")); status != http.StatusSeeOther {
		t.Fatalf("setting the password: %d\n%s", status, said)
	}
	r.Stop()
	if r = product.ServeOn(t, folder); strings.Contains(r.Log.String(), hint) {
		t.Errorf("the start prints\n%s\nwithout need", r.Log)
	}
}
