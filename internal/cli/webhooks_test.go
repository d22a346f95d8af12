package cli

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"leadline/internal/admin"
	"leadline/internal/events"
	"leadline/internal/events/endpoints"
	"leadline/internal/events/sender"
	"leadline/internal/events/watches"
)

// ledger is a data folder with the account of Ann, on the plan pro.
type ledger struct {
	*testing.T
	folder string
}

func newLedger(t *testing.T, folder string) ledger {
	t.Helper()
	l := ledger{t, folder}
	l.ok("accounts add ann@example.org --plan pro")
	return l
}

// run runs a command line, whose words have no spaces, about the account of Ann.
func (l ledger) run(line string) (out, stderr string, code int) {
	l.Helper()
	args := append(strings.Fields(line), "--data", l.folder)
	if !strings.HasPrefix(line, "accounts ") && !strings.Contains(line, "--account ") {
		args = append(args, "--account", "ann@example.org")
	}
	return unchecked(l, args...)
}

// unchecked executes a command line as run does, except that it opens a store without another
// process that checks its pages: commands that follow each other have no damage between them.
func unchecked(t testing.TB, args ...string) (out, stderr string, code int) {
	t.Helper()
	var o, e bytes.Buffer
	p := newProgram(args, Streams{In: strings.NewReader(""), Out: &o, Err: &e})
	p.config.Getenv = func(string) string { return "" }
	p.inspect = nil
	code = p.execute(t.Context())
	return o.String(), e.String(), code
}

// ok runs a command line that must succeed.
func (l ledger) ok(line string) (out, stderr string) {
	l.Helper()
	out, stderr, code := l.run(line)
	if code != 0 {
		l.Fatalf("leadline %s: exit code %d, %q", line, code, stderr)
	}
	return out, stderr
}

// checks runs a command line and compares its exit code and output: standard output, or standard
// error if the command must fail.
func (l ledger) checks(line string, code int, want string) {
	l.Helper()
	out, stderr, got := l.run(line)
	if code != 0 {
		out = stderr
	}
	if got != code || !regexp.MustCompile(want).MatchString(out) {
		l.Errorf("leadline %s: exit code %d, want %d\n%s%s\nwant %s", line, got, code, out, stderr, want)
	}
}

// create registers an endpoint and returns its id.
func (l ledger) create(line string) (id string) {
	l.Helper()
	_, stderr := l.ok("webhooks create " + line)
	id = regexp.MustCompile(`we_[0-9A-Za-z]{14}`).FindString(stderr)
	if id == "" {
		l.Fatalf("leadline webhooks create %s prints %q, without an id", line, stderr)
	}
	return id
}

const hookURL = "https://hooks.example.com/leadline"

// TestWebhookCommands runs the commands for endpoints without a server.
func TestWebhookCommands(t *testing.T) {
	l := newLedger(t, t.TempDir())
	out, stderr := l.ok("webhooks create " + hookURL + " --events quota.warning,quota.exceeded")
	if !regexp.MustCompile(`^whsec_[A-Za-z0-9+/]{43}=\n$`).MatchString(out) ||
		strings.Contains(stderr, "whsec_") || !strings.Contains(stderr, "copy the secret now") ||
		!strings.Contains(stderr, "no server runs on "+l.folder+": the test is sent when one does\n") {
		t.Errorf("create prints %q and %q, want only the secret on standard output", out, stderr)
	}
	id := regexp.MustCompile(`we_[0-9A-Za-z]{14}`).FindString(stderr)
	_, stderr = l.ok("webhooks rotate " + id + " --webhooks off")
	if !strings.Contains(stderr, "nothing is sent, because --webhooks is off\n") {
		t.Errorf("rotate --webhooks off prints %q, without the reason why no test is sent", stderr)
	}
	for _, step := range []struct {
		line string
		code int
		want string
	}{
		{"webhooks list", 0, `(?m)^` + id + `  pending  2 kinds  2        -     ` + hookURL + `$`},
		{"webhooks list --json", 0, `"id": "` + id + `"`},
		{"webhooks rotate " + id[:7], 0, `^whsec_[^\n]*\n$`},
		{"webhooks rotate 0000", 1, `no endpoint of ann@example.org has an id that begins with "0000"`},
		{"webhooks test " + id[3:8], 0, `^$`},
		{"webhooks deliveries " + id, 0,
			`(?m)^msg_[0-9a-f]{16}  webhook.test  pending  [-0-9]{10} [:0-9]{5}  -$`},
		{"webhooks deliveries " + id + " --state failed", 0, `^$`},
		{"webhooks disable " + id, 0, `^endpoint ` + id + " is disabled\n$"},
		{"webhooks test " + id, 1, `receives nothing\. Enable it first with ` +
			"leadline webhooks enable " + id + " --account EMAIL"},
		{"webhooks deliveries " + id + " --state skipped --json", 0, `"state": "skipped"`},
		{"webhooks enable " + id, 0, id + " is pending: a 2xx response to its test enables it\n$"},
		{"webhooks replay " + id + " --since 1h", 1, "is pending and receives nothing"},
		{"webhooks replay " + id + " --since 1h --state failed", 0, "^0 events are sent again\n$"},
		{"webhooks remove " + id[3:7], 1, "the endpoint " + id + " was not removed: .* pass --yes"},
		{"webhooks remove " + id[3:7] + " --yes", 0,
			"^endpoint " + id + " removed, with its deliveries: " + hookURL},
		{"webhooks list", 0, "^$"},
		{"watches list", 0, "^$"},
		{"watches list --json", 0, `^\[\]` + "\n$"},
		{"watches remove 0000 --yes", 1, "no watch of ann@example.org has an id that begins with"},
	} {
		l.checks(step.line, step.code, step.want)
	}
}

// TestEventPages continues the lists of deliveries and of events.
func TestEventPages(t *testing.T) {
	l := newLedger(t, t.TempDir())
	id := l.create(hookURL)
	l.ok("webhooks test " + id)
	for _, list := range []string{"webhooks deliveries " + id, "events list"} {
		newest, stderr := l.ok(list + " --limit 1")
		more := regexp.MustCompile(`there are more: (--before msg_[0-9a-f]{16}) continues`)
		found := more.FindStringSubmatch(stderr)
		if strings.Count(newest, "\n") != 2 || found == nil {
			t.Fatalf("leadline %s --limit 1 prints\n%s%s", list, newest, stderr)
		}
		oldest, stderr := l.ok(list + " " + found[1])
		if strings.Count(oldest, "\n") != 2 || oldest == newest || more.MatchString(stderr) {
			t.Errorf("leadline %s %s prints\n%s%s\nwant the last one", list, found[1], oldest, stderr)
		}
	}
	l.checks("events list", 0, `(?m)^msg_\w{16}  webhook.test  [-0-9]{10} [:0-9]{5}  `+id+` requested\n`+
		`msg_\w{16}  webhook.test  .*  `+id+` created$`)
	l.checks("events list --type quota.warning --json", 0, `^\[\]`+"\n$")
}

// TestWebhookErrors checks that errors of the API are in the words of the command line.
func TestWebhookErrors(t *testing.T) {
	l := newLedger(t, t.TempDir())
	l.ok("accounts add bob@example.org")
	l.ok("webhooks create " + hookURL + " --account bob@example.org")
	id := l.create(hookURL)
	long := strings.Repeat("x", 121)
	for _, test := range []struct{ line, want string }{
		{"list --account nobody@example.org", "no account nobody@example.org; "},
		{"create " + hookURL + " --account bob@example.org", "Delete one with leadline webhooks remove "},
		{"create ftp://hooks.example.com", "URL must begin with https://."},
		{"create " + hookURL + " --events tide", `--events must be "*" or name kinds of `},
		{"create " + hookURL + " --description " + long, "--description must be one line"},
		{"rotate " + id + " --keep-old 2h", `invalid keep-old "2h": must be 0, 1h, 24h or 7d`},
		{"deliveries " + id + " --limit 0", `invalid limit "0": must be a number from 1 to 1000`},
		{"replay " + id, "missing EVENT or --since; leadline webhooks replay --help"},
		{"replay " + id + " msg_0000 --since 1h", "--until: must be given without EVENT"},
		{"replay " + id + " msg_0000", "leadline webhooks deliveries " + id + " prints them"},
		{"replay " + id + " --since 2000h", "--since must be within the last 30 days"},
		{"replay " + id + " --since 2099-01-01T00:00:00Z", "--since must not be in the future"},
		{"replay " + id + " --since 1h --until 2h", "--until must be later than the start of the span, "},
		{"replay " + id + " --since noon", `invalid --since "noon": must be a duration such as 2h, or`},
		{"replay " + id + " --since 1h --state pending", `invalid state "pending": must be one of `},
	} {
		out, stderr, code := l.run("webhooks " + test.line)
		if code != 1 || out != "" || !strings.Contains(stderr, test.want) ||
			regexp.MustCompile(`PATCH|GET /|"url"|\["`).MatchString(stderr) {
			t.Errorf("webhooks %s: exit code %d, %q, %q, want %q", test.line, code, out, stderr, test.want)
		}
	}
}

// TestWebhookServer runs commands against a server that makes deliveries. The receiver responds
// with the status in the path.
func TestWebhookServer(t *testing.T) {
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status, err := strconv.Atoi(r.URL.Path[1:])
		if err != nil {
			t.Error(err)
		}
		w.WriteHeader(status)
	}))
	defer receiver.Close()
	folder, _, _ := serving(t, "--webhook-private", "127.0.0.0/8")
	l := newLedger(t, folder)
	good, bad := l.create(receiver.URL+"/204"), l.create(receiver.URL+"/500")
	l.checks("webhooks test "+good, 0, good+` responded with 204 after \d+ ms; it is enabled`+"\n$")
	l.checks("webhooks test "+bad, 1, bad+" failed: 500: it must respond with 2xx\n$")
	l.checks("webhooks list", 0, `(?m)^`+good+`  enabled  all     0        204   `+receiver.URL+`/204$`)
	_, stderr := l.ok("webhooks list")
	if !regexp.MustCompile(bad + `: all attempts since .* UTC failed`).MatchString(stderr) {
		t.Errorf("webhooks list prints %q, without the failing endpoint", stderr)
	}
	l.checks("webhooks enable "+good, 0, "^endpoint "+good+" is enabled already\n$")
	l.checks("webhooks replay "+good+" --since 1h --state delivered", 0, "^2 events are sent again\n$")
	out, _ := l.ok("webhooks deliveries " + bad + " --json")
	var list []struct{ Event string }
	if err := json.Unmarshal([]byte(out), &list); err != nil || len(list) != 2 {
		t.Fatalf("deliveries of %s are %s, %v, want 2", bad, out, err)
	}
	for _, id := range []string{list[0].Event, list[0].Event[:20]} {
		l.checks("webhooks deliveries "+bad+" "+id, 0, `(?s)^event +`+list[0].Event+"\ntype +webhook.test\n"+
			`created .* UTC\nstate +pending, next attempt .* UTC\n\nATTEMPT.*  500      \d+ ms  -`)
	}
	l.checks("webhooks replay "+good+" "+list[0].Event, 1, "no delivery of "+good+" has")
}

// TestEventTables checks that tables have at most 100 columns, also with the longest values.
func TestEventTables(t *testing.T) {
	at := time.Date(2026, 11, 22, 15, 4, 0, 0, time.UTC)
	status, reason := 500, endpoints.SuspensionReason("failing")
	word, longest := sender.ErrorWord("too_large"), sender.ErrorWord("blocked_address")
	attempt := admin.Attempt{At: at, Status: &status, Millis: 15000, Error: &word,
		Reply: strings.Repeat("reply ", 150)}
	waiting := watches.WaitingFor("NOAA CO-OPS")
	long := strings.Repeat("é", 200)
	watch := admin.Watch{ID: "wt_8Lq2VnR5sYc1Kd", Name: long, State: "waiting", WaitingFor: &waiting,
		RequestedFor: at}
	watch.Summary.State, watch.Units.Used, watch.Units.Max = "action-needed", 1000, 1000
	watch.Request.StationID, watch.Request.Activity = "8443970", "coastal-living"
	event := "msg_019a8f3c7b1e7c3a9d5e2f4061728394"
	for name, rows := range map[string][][]string{
		"webhooks": webhookRows([]admin.Webhook{{
			ID: "we_4fT9kQ2mZx7LbN", URL: hookURL + long, State: "suspended", DisabledReason: &reason,
			Events: make([]events.Subscription, 8), Pending: 10000, Last: &attempt,
		}}),
		"deliveries": deliveryRows([]admin.Delivery{{
			Event: event, Type: "status.maintenance.scheduled", State: "delivered", CreatedAt: at,
			Attempts: append(make([]admin.Attempt, 11), admin.Attempt{Error: &longest}),
		}}),
		"attempts": attemptRows([]admin.Attempt{attempt}),
		"events": eventRows([]admin.Event{{
			ID: event, Type: "status.maintenance.scheduled", CreatedAt: at,
			Body: []byte(`{"data":{"maintenance":{"title":"` + long + `","status":"scheduled"}}}`),
		}}),
		"watches": watchRows([]admin.Watch{watch}),
	} {
		var table strings.Builder
		if err := printTable(&table, rows); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(table.String()) {
			if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > tableWidth {
				t.Errorf("the table of %s has %d columns:\n%s", name, n, &table)
			}
		}
		if last := rows[1][len(rows[1])-1]; name != "deliveries" && !strings.HasSuffix(last, "…") {
			t.Errorf("the table of %s ends with %q, want it shortened", name, last)
		}
	}
}

// TestSubject checks what the table of events says about each kind.
func TestSubject(t *testing.T) {
	for body, want := range map[string]string{
		`{"data":{"endpoint":"we_4fT9","cause":"created"}}`: "we_4fT9 created",
		`{"data":{"cause":"watch","direction":"worse","watch":{"name":"Saturday trip"},` +
			`"request":{"stationId":"8443970","activity":"boating"}}}`: "worse 8443970 boating Saturday trip",
		`{"data":{"cause":"operation","direction":"changed","watch":null,` +
			`"request":{"stationId":"8443970","activity":"boating"}}}`: "changed 8443970 boating",
		`{"data":{"month":"2026-11","level":"critical"}}`:                         "2026-11 critical",
		`{"data":{"component":"nws","from":"operational","to":"degraded"}}`:       "nws degraded",
		`{"data":{"incident":{"title":"NOAA is slow","status":"investigating"}}}`: "investigating NOAA is slow",
		`{"data":{}}`: "-",
		`not JSON`:    "-",
	} {
		if got := subject([]byte(body)); got != want {
			t.Errorf("subject(%s) = %q, want %q", body, got, want)
		}
	}
}

// TestParseAgo checks the values of --since.
func TestParseAgo(t *testing.T) {
	now := time.Date(2026, 11, 22, 15, 4, 5, 6, time.UTC)
	for text, want := range map[string]string{
		"2h": "2026-11-22T13:04:05Z", "90m": "2026-11-22T13:34:05Z", "0s": "2026-11-22T15:04:05Z",
		"2026-11-21 22:00": "2026-11-21T22:00:00Z", "2026-11-21T17:00:00-05:00": "2026-11-21T22:00:00Z",
		"": "0001-01-01T00:00:00Z",
	} {
		got, err := parseAgo(now, "since", text)
		if err != nil || got.Format(time.RFC3339) != want {
			t.Errorf("parseAgo(%q) = %s, %v, want %s", text, got.Format(time.RFC3339), err, want)
		}
	}
	for _, text := range []string{"-2h", "2", "yesterday"} {
		if got, err := parseAgo(now, "since", text); err == nil {
			t.Errorf("parseAgo(%q) = %s, want an error", text, got)
		}
	}
}

// TestExplanations checks that every error of an attempt is explained.
func TestExplanations(t *testing.T) {
	for _, word := range sender.ErrorWord("").Values() {
		if explanations[word] == "" {
			t.Errorf("the error %s of an attempt has no explanation", word)
		}
	}
	for _, word := range endpoints.SuspensionReason("").Values() {
		if suspensions[word] == "" {
			t.Errorf("the reason %s of a suspension has no explanation", word)
		}
	}
}
