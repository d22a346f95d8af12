package accounts

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"leadline/e2e/product"
	"leadline/internal/access"
	"leadline/internal/access/credential"
	"leadline/internal/selfservice"
	"leadline/internal/server"
	"leadline/store"
)

// TestDrain checks that after SIGTERM the server reports that it is not ready and
// still responds, that requests in flight end, and that unused units of quota
// leases return to the store, so that the count is exact.
func TestDrain(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	ctx, end := context.WithCancelCause(t.Context())
	portFile := filepath.Join(folder, "port")
	log := &product.Journal{}
	done := make(chan error, 1)
	go func() {
		args := []string{
			"--data", folder, "--listen", "127.0.0.1:0", "--port-file", portFile, "--offline",
			"--drain-wait", "3s", "--store-timeout", "5s", // the default is short for a busy machine
		}
		done <- product.Run(ctx, args, func(string) string { return "" },
			product.Streams{In: strings.NewReader(""), Out: io.Discard, Err: log})
	}()
	base := "http://127.0.0.1:" + product.PortIn(t, portFile, done)
	key := strings.TrimSpace(
		product.At(t, folder, "keys", "create", "--account", "mate@example.org"),
	)
	ask := product.Query{Path: "/api/v1/stations/8443970", Key: key, Status: 200}
	for range 5 {
		if answer, body := ask.AnswerOf(t, base); answer.StatusCode != 200 {
			t.Fatalf("%d %s", answer.StatusCode, body)
		}
	}
	end(server.Stopped{Signal: syscall.SIGTERM})
	for ready := 200; ready == 200; {
		answer, body := product.Query{Path: "/readyz", Status: 503}.AnswerOf(t, base)
		if ready = answer.StatusCode; ready != 200 &&
			(ready != 503 || !strings.Contains(body, "shutting down")) {
			t.Errorf("/readyz while it drains: %d %s", ready, body)
		}
	}
	answer, body := ask.AnswerOf(t, base)
	if answer.StatusCode != 200 || answer.Header.Get("X-Quota-Month-Remaining") != "9994" {
		t.Errorf("while it drains: %d %v %s", answer.StatusCode, answer.Header, body)
	}
	if err := <-done; err != nil {
		t.Errorf("serving ended with %v\n%s", err, log)
	}
	var accounts []struct{ UsedThisMonth int }
	product.Decode(t, product.At(t, folder, "accounts", "list", "--json"), &accounts)
	if len(accounts) != 1 || accounts[0].UsedThisMonth != 6 {
		t.Errorf("afterwards %+v, want 6 used", accounts)
	}
}

// TestDrainWait checks which values the setting refuses.
func TestDrainWait(t *testing.T) {
	for _, wait := range []string{"soon", "-1s", "5"} {
		env := map[string]string{"LEADLINE_DATA": t.TempDir()}
		_, _, err := product.RunCommand(t, env, "--drain-wait", wait)
		if err == nil || !strings.Contains(err.Error(), "must be a duration such as 5s") {
			t.Errorf("--drain-wait %s: %v", wait, err)
		}
	}
}

// TestMetricsReport checks that the metrics count requests, with labels from closed
// lists, and without keys.
func TestMetricsReport(t *testing.T) {
	folder := t.TempDir()
	r := product.ServeOn(t, folder, "--admin-listen", "127.0.0.1:0")
	key := strings.TrimSpace(product.At(t, folder, "keys", "create", "--account",
		"mate@example.org", "--plan", "pro"))
	for _, q := range []product.Query{
		{Path: "/api/v1/stations/8443970/predictions", Key: key, Status: 200},
		{Path: "/api/v1/stations/" + key, Key: key, Status: 400}, {Path: "/" + key, Status: 404},
		{Method: "POST", Path: "/mcp", Key: key, Body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"leadline_whoami"}}`, Status: 200},
		{Method: "POST", Path: "/mcp", Key: key, Body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"noaa_get_water_levels","arguments":{"station":"8443970"}}}`, Status: 200},
	} {
		if answer, body := q.AnswerOf(t, r.Base); answer.StatusCode != q.Status {
			t.Errorf("%s: %d %s", q.Path, answer.StatusCode, body)
		}
	}
	metrics := regexp.MustCompile(`(?m)^  metrics  (http://\S+)/metrics$`)
	operator := metrics.FindStringSubmatch(r.Log.String())
	if operator == nil {
		t.Fatalf("the server does not print the operator's address: %s", r.Log)
	}
	answer, body := product.Query{Path: "/metrics", Status: 200}.AnswerOf(t, operator[1])
	for _, want := range []string{
		`leadline_http_requests_total{route="/api/v1/stations/{id}/predictions",status="200",surface="rest",tier="pro"} 1`,
		`leadline_http_requests_total{route="/api/v1/stations/{id}",status="400",surface="rest",tier="pro"} 1`,
		`leadline_http_requests_total{route="other",status="404",surface="rest",tier="anonymous"} 1`,
		`leadline_http_requests_total{route="/mcp",status="200",surface="mcp",tier="pro"} 2`,
		`leadline_tool_calls_total{outcome="ok",tool="leadline_whoami"} 1`,
		`leadline_tool_calls_total{outcome="provider_unavailable",tool="noaa_get_water_levels"} 1`,
		`leadline_quota_refills_total{outcome="ok"} 1`,
		`leadline_store_writes_total{outcome="ok"}`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("%d, the metrics lack %s", answer.StatusCode, want)
		}
	}
	if strings.Contains(body, key[len(credential.Prefix):len(credential.Prefix)+12]) {
		t.Error("the metrics hold a key")
	}
}

// TestWhoamiIsTrue checks whoami for every kind of caller.
func TestWhoamiIsTrue(t *testing.T) {
	server := product.MountAlone(t) // what remains of limits is exact
	k := server.Storage()
	free, pro := product.NewKey(t, k, access.Free),
		product.NewKey(t, k, access.Pro, credential.MCPUse, credential.DecisionRead)
	for _, test := range []struct {
		key, tier, by string
		limits, left  string
		scopes        string
	}{
		{"", "anonymous", "client address 127.0.0.1", "65535 <nil>", "65534 <nil>", "[raw:read mcp:use]"},
		{
			free, "free", "API key " + free[:len(credential.Prefix)+7] + "… of the account", "300 10000",
			"299 9999", fmt.Sprint(credential.Scopes()),
		},
		{
			pro, "pro", "API key " + pro[:len(credential.Prefix)+7] + "… of the account", "3000 250000",
			"2999 249999", "[mcp:use decision:read]",
		},
	} {
		_, body := product.Query{
			Method: "POST", Path: "/mcp?view=full", Key: test.key,
			Body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"leadline_whoami"}}`, Status: 200,
		}.AnswerOf(t, server.URL)
		var got struct {
			Result struct {
				StructuredContent struct {
					Tier, IdentifiedBy, HowToGetMore string
					Limits, Remaining                map[string]any
					Scopes                           []string
				}
			}
		}
		if err := json.Unmarshal([]byte(body), &got); err != nil {
			t.Fatalf("%v: %s", err, body)
		}
		who := got.Result.StructuredContent
		if who.Tier != test.tier || !strings.HasPrefix(who.IdentifiedBy, test.by) ||
			fmt.Sprint(who.Scopes) != test.scopes || who.HowToGetMore == "" ||
			fmt.Sprint(who.Limits["minute"], " ", who.Limits["month"]) != test.limits ||
			fmt.Sprint(who.Remaining["minute"], " ", who.Remaining["month"]) != test.left {
			t.Errorf("whoami of %s: %+v", test.tier, who)
		}
	}
}

// TestRevokeByItself checks that a key can revoke itself, and no other key.
func TestRevokeByItself(t *testing.T) {
	server := product.Mount(t)
	k := server.Storage()
	key, other := product.NewKey(t, k, access.Free), product.NewKey(t, k, access.Free)
	id := func(key string) string { return `{"id":"` + key[len(credential.Prefix):][:7] + `"}` }
	for _, q := range []product.Query{
		{Method: "POST", Path: "/api/developer/keys/revoke", Key: key, Body: id(other), Status: 403},
		{Method: "POST", Path: "/api/developer/keys/revoke", Key: key, Body: id(key), Status: 200},
		{Path: "/api/developer/keys", Key: key, Status: 401},
		{Path: "/api/developer/keys", Key: other, Status: 200},
	} {
		if answer, body := q.AnswerOf(t, server.URL); answer.StatusCode != q.Status {
			t.Errorf("%s: %d %s, want %d", q.Path, answer.StatusCode, body, q.Status)
		}
	}
}

// TestRaceToRevoke checks that no request that begins after the revocation of its
// key is served, among many concurrent ones.
func TestRaceToRevoke(t *testing.T) {
	folder := t.TempDir()
	// Refused keys count for the rate limit of the address.
	r := product.ServeOn(t, folder, "--plans", product.RoomyPlans(t))
	key := strings.TrimSpace(product.At(t, folder, "keys", "create", "--account",
		"mate@example.org", "--plan", "pro"))
	revoked := make(chan struct{})
	var callers sync.WaitGroup
	for range 8 {
		callers.Go(func() {
			for {
				select {
				case <-revoked:
					if got := product.UsageWith(t, r.Base, key); got != http.StatusUnauthorized {
						t.Errorf("after the revocation: %d", got)
					}
					return
				default:
					product.UsageWith(t, r.Base, key)
				}
			}
		})
	}
	product.At(t, folder, "keys", "revoke", key)
	close(revoked)
	callers.Wait()
}

// TestKeysInABrowser checks that a signed-in person can create, replace and revoke
// the keys of the account, and that a page of another site cannot.
func TestKeysInABrowser(t *testing.T) {
	server := product.MountAlone(t) // what remains of the quota is exact
	k := server.Storage()
	key := product.NewKey(t, k, access.Pro)
	id, _ := credential.KeyID(key)
	record, err := k.Keys.Key(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Store.AddSession(t.Context(), store.Session{
		Hash: sha256.Sum256([]byte("s3cret")), Account: record.Account, Created: product.Noon(),
		Expires: product.Noon().Add(time.Hour),
	}); err != nil {
		t.Fatal(err)
	}
	var left string // of the monthly quota, by the last response
	ask := func(method, path, site, body string, status int) (made selfservice.MadeKey) {
		t.Helper()
		r, err := http.NewRequestWithContext(
			t.Context(),
			method,
			server.URL+"/api/developer/keys"+path,
			strings.NewReader(body),
		)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Sec-Fetch-Site", site)
		r.AddCookie(&http.Cookie{Name: credential.SessionCookie(false), Value: "s3cret"})
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		said, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != status {
			t.Errorf(
				"%s %s %s: %d %s %v, want %d",
				method,
				path,
				body,
				answer.StatusCode,
				said,
				err,
				status,
			)
		}
		left = answer.Header.Get("X-Quota-Month-Remaining")
		json.Unmarshal(said, &made)
		return made
	}
	wantLeft := func(what, want string) {
		t.Helper()
		if left != want {
			t.Errorf("after %s %s units are left, want %s", what, left, want)
		}
	}
	const ours, theirs = "same-origin", "cross-site"
	made := ask("POST", "", ours, `{"name":"boat","scopes":["raw:read"],"days":30}`, 200)
	wantLeft("a key was created", "249999")
	if dataWith(t, server.URL, made.Key) != 200 || made.Record.Name != "boat" ||
		!made.Record.ExpiresAt.Equal(product.Noon().AddDate(0, 0, 30)) {
		t.Errorf("made %+v", made)
	}
	next := ask("POST", "/reroll", ours, `{"id":"`+made.Record.ID+`","grace":"0s"}`, 200)
	wantLeft("a question and a replacement", "249997")
	if dataWith(t, server.URL, next.Key) != 200 || dataWith(t, server.URL, made.Key) != 401 ||
		next.Record.Replaces != made.Record.ID {
		t.Errorf("replaced by %+v", next)
	}
	ask("POST", "/revoke", ours, `{"id":"`+next.Record.ID+`"}`, 200)
	wantLeft("another question and a revocation", "249996")
	if got := dataWith(t, server.URL, next.Key); got != 401 {
		t.Errorf("revoked, yet %d", got)
	}
	ask("GET", "", ours, "", 200)
	ask("POST", "", theirs, `{"scopes":["raw:read"]}`, 403)
	ask("POST", "", ours, `{"scopes":["everything"]}`, 400)
	wantLeft("refused requests", "249996")
	for range 48 { // with the first one, and one more
		newKeyOf(t, k, record.Account)
	}
	ask("POST", "", ours, `{"scopes":["raw:read"]}`, 200)
	ask("POST", "", ours, `{"scopes":["raw:read"]}`, 400)
	wantLeft("keys up to the bound", "249995")
	other, _ := credential.KeyID(product.NewKey(t, k, access.Free))
	ask("POST", "/revoke", ours, `{"id":"`+other+`"}`, 404)
}

// newKeyOf creates a key as the command line does, without using the quota.
func newKeyOf(t *testing.T, k *server.Storage, account string) {
	t.Helper()
	n := credential.NewKey{Account: account, Scopes: []string{credential.RawRead}}
	if _, _, err := k.Keys.Create(t.Context(), n); err != nil {
		t.Fatal(err)
	}
}

// dataWith returns the status of a data route with a key.
func dataWith(t *testing.T, base, key string) int {
	t.Helper()
	answer, _ := product.Query{
		Path:   "/api/v1/stations/8443970",
		Key:    key,
		Status: 200,
	}.AnswerOf(
		t,
		base,
	)
	return answer.StatusCode
}
