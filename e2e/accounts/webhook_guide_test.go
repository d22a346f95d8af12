package accounts

import (
	"encoding/base64"
	"fmt"
	"io/fs"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"leadline/e2e/product"
	"leadline/internal/access"
)

// TestGuideSignature signs the request in the guide with the official library.
func TestGuideSignature(t *testing.T) {
	guide := product.Document(t, "webhooks.md")
	find := func(pattern string) string {
		t.Helper()
		found := regexp.MustCompile(pattern).FindStringSubmatch(guide)
		if found == nil {
			t.Fatalf("docs/webhooks.md lacks %s", pattern)
		}
		return found[1]
	}
	key, err := base64.StdEncoding.DecodeString(find("with `whsec_([^`]+)`"))
	if err != nil || len(key) != 32 {
		t.Fatalf("the secret of the guide has %d bytes, %v, want 32", len(key), err)
	}
	webhook, err := standardwebhooks.NewWebhookRaw(key)
	if err != nil {
		t.Fatal(err)
	}
	seconds, err := strconv.ParseInt(find(`webhook-timestamp: (\d+)`), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	want, err := webhook.Sign(find(`webhook-id: (\S+)`), time.Unix(seconds, 0),
		[]byte(find(`\n\n(\{"type".*\})\n`)))
	if err != nil {
		t.Fatal(err)
	}
	if got := find(`webhook-signature: (\S+)`); got != want {
		t.Errorf("the signature of the guide is %s, want %s", got, want)
	}
}

// TestGuideLimits compares the limits in the guide with the constants of the code, and those of
// accounts with the built-in plans.
func TestGuideLimits(t *testing.T) {
	code := codeOf(t, "internal/events", "internal/decide", "internal/facts", "store")
	plans := access.BuiltIn()
	free, _ := plans.Of(access.Free)
	pro, _ := plans.Of(access.Pro)
	limits := map[string]struct{ limit, code string }{
		"endpoints of an account": {
			fmt.Sprintf("free %d, pro %d", free.Endpoints, pro.Endpoints), "",
		},
		"URL; description": {
			"2,048; 120 characters", "maxURL = 2048; maxDescription = 120",
		},
		"body of an event": {
			"16 KiB", "MaxBody = 16 << 10",
		},
		"deliveries that wait for an endpoint": {
			"10,000; further ones are skipped", "MostPending = 10_000",
		},
		"tests that an account requests": {
			"10 an hour", "testsAnHour = 10",
		},
		"one attempt": {
			"15 s, of which 5 s to connect and 5 s for TLS",
			"dial: 5 * time.Second, handshake: 5 * time.Second, total: 15 * time.Second",
		},
		"body of a response": {
			"64 KiB are read, 1 KiB is kept for 30 days", "maxRead = 64 << 10; maxReply = 1 << 10",
		},
		"`Retry-After`": {
			"at most 24 hours", "maxPause = 24 * time.Hour",
		},
		"attempts at a host, of endpoints that are pending or fail": {
			"60 a minute", "hostBurst = 30; hostEvery = 2 * time.Second",
		},
		"attempts of a delivery that are listed": {
			"the last 12", "MostAttempts = 12",
		},
		"changes that send a test: a new endpoint, URL or secret, `enabled: true`": {
			"30 an hour", "changesAnHour = 30",
		},
		"replays of many deliveries, by an account": {
			"10 calls an hour, 1,000 deliveries each", "bulksAnHour = 10; MostReplayed = 1000",
		},
		"replays of one delivery, by an account": {
			"100 an hour", "replaysAnHour = 100",
		},
		"events": {
			"30 days; the newest 10,000 of an account",
			"Retention = 30 * 24 * time.Hour; MostEvents = 10_000",
		},
		"suspension": {
			"after 5 days and at least 12 attempts without success",
			"suspendedAfter = 5 * 24 * time.Hour; suspendedFailures = 12",
		},
		"both secrets after a rotation": {
			"at most 7 days", "",
		},
		"watches that have not ended": {
			fmt.Sprintf("free %d, pro %d", free.Watches, pro.Watches), "",
		},
		"time of a watch": {
			"at most 366 days ahead", "",
		},
		"name of a watch": {
			"64 characters", "MaxWatchName = 64",
		},
		"changes of a watch that are listed": {
			"the last 20", "mostListed = 20",
		},
		"a watch that has ended": {
			"7 days", "WatchRetention = 7 * 24 * time.Hour",
		},
	}
	listed := product.TableRows(t, "webhooks.md", "what | limit")
	for _, row := range listed {
		if want, ok := limits[row[0]]; !ok || row[1] != want.limit {
			t.Errorf("the guide says of %s: %s, want %q", row[0], row[1], want.limit)
		}
		for part := range strings.SplitSeq(limits[row[0]].code, "; ") { // "" is in any code
			if !regexp.MustCompile(regexp.QuoteMeta(part) + `\b`).MatchString(code) {
				t.Errorf("the code lacks %q, which the guide gives as %s: %s", part, row[0], row[1])
			}
		}
	}
	if len(listed) != len(limits) {
		t.Errorf("the guide has %d limits, want %d", len(listed), len(limits))
	}
}

// codeOf returns the code in folders, without tests, with single spaces.
func codeOf(t *testing.T, folders ...string) string {
	t.Helper()
	var all strings.Builder
	for _, folder := range folders {
		err := fs.WalkDir(
			product.Tree(),
			folder,
			func(path string, d fs.DirEntry, err error) error {
				if err != nil || !strings.HasSuffix(path, ".go") ||
					strings.HasSuffix(path, "_test.go") {
					return err
				}
				text, err := fs.ReadFile(product.Tree(), path)
				all.WriteString(strings.Join(strings.Fields(string(text)), " ") + "\n")
				return err
			},
		)
		if err != nil {
			t.Fatal(err)
		}
	}
	return all.String()
}

// TestSmallerPlan moves an account with two endpoints and a watch to the plan free: both endpoints
// get events, none can be added, and the watch can be removed with a command.
func TestSmallerPlan(t *testing.T) {
	t.Parallel()
	_, root := product.Simulate(t, nil)
	s := product.WebhookSetup(t, root, 100)
	p := s.Start(t)
	c := product.AccountClient{T: t, Base: p.URL, Key: product.NewKey(t, p.Storage(), access.Pro)}
	first, second := product.NewReceiver(t), product.NewReceiver(t)
	c.Register(first)
	c.Register(second)
	c.Call("POST", watches, fmt.Sprintf(`{"stationId":"8443970","activity":"boating","localDate":%q,
		"localTime":"09:00"}`, product.Days(7)), 200)
	email := hookSite{c, s.Folder, nil}.email()
	product.At(t, s.Folder, "accounts", "plan", email, "free")
	product.At(t, s.Folder, "incidents", "create", "--title", "Slow",
		"--message", "NOAA answers late.")
	first.Awaits("status.incident.created", 1)
	second.Awaits("status.incident.created", 1)
	refused := c.Call("POST", hooks, `{"url":"http://127.0.0.1:9/"}`, http.StatusForbidden)
	if !strings.Contains(string(refused), "The plan free has 1 webhook endpoint") {
		t.Errorf("a third endpoint: %s", refused)
	}
	id := regexp.MustCompile(`wt_\w{14}`).
		FindString(product.At(t, s.Folder, "watches", "list", "--account", email))
	c.Call("GET", watches+"/"+id, "", http.StatusOK)
	product.At(t, s.Folder, "watches", "remove", id, "--account", email, "--yes")
}
