package pages

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"leadline/e2e/product"
	"leadline/internal/chart"
	"leadline/internal/config"
	"leadline/internal/trials"
	"leadline/store"
)

// holder is a browser in which the owner of an account is signed in, and the server with a clock
// that tests set.
type holder struct {
	*product.Visitor
	server  *product.Product
	folder  string // data folder of the server
	account store.Account
	clock   *atomic.Pointer[time.Time]
}

// newHolder starts a server, creates the first account with the printed link on the plan free, and
// returns its owner.
func newHolder(t *testing.T, now time.Time) *holder {
	t.Helper()
	h := &holder{clock: &atomic.Pointer[time.Time]{}, folder: t.TempDir()}
	h.clock.Store(&now)
	log := &product.Journal{}
	s := product.Setup{
		Now: func() time.Time { return *h.clock.Load() }, Folder: h.folder, Offline: true, Whole: true,
		Log: log, With: func(c *config.Config) { c.Plans = "" },
		Alone: true, // refused requests are those of one instance, and the page says so
	}
	h.server = s.Start(t)
	h.Visitor = product.NewVisitor(t, h.server.URL)
	link := h.await(func() string { return product.JoinLink.FindString(log.String()) })
	_, page, _ := h.Ask(strings.TrimPrefix(link, h.Base), nil)
	_, _, to := h.Ask("/oauth/join", h.Form(page, "/oauth/join", "email", "owner@example.org",
		"password", "a lead and a long line"))
	if to.Path != "/account" {
		t.Errorf("the first page after the link is %s, want /account", to)
	}
	var err error
	if h.account, err = h.store().AccountByEmail(t.Context(), "owner@example.org"); err != nil {
		t.Fatal(err)
	}
	h.plan("free")
	return h
}

// await calls f until it returns a text.
func (h *holder) await(f func() string) (text string) {
	h.Helper()
	trials.WaitFor(h.T, "a text", func() bool {
		text = f()
		return text != ""
	})
	return text
}

func (h *holder) store() store.Store { return h.server.Storage().Store }

// plan moves the account to a plan.
func (h *holder) plan(name string) {
	h.Helper()
	if err := h.store().SetPlan(h.Context(), h.account.ID, name); err != nil {
		h.Fatal(err)
	}
}

// use adds requests on a surface of a day.
func (h *holder) use(day store.Day, surface string, served, refused int) {
	h.Helper()
	err := h.store().AddUses(h.Context(), []store.Use{{
		Account: h.account.ID, Day: day, Surface: surface,
		Served: uint32(served), Refused: uint32(refused),
	}})
	if err != nil {
		h.Fatal(err)
	}
}

// spend uses units of a month.
func (h *holder) spend(month store.Month, units int) {
	h.Helper()
	_, _, err := h.store().Reserve(h.Context(), h.account.ID, month, uint64(units), 1_000_000)
	if err != nil {
		h.Fatal(err)
	}
}

// page returns a page of the account.
func (h *holder) page(path string) opened {
	h.Helper()
	r, err := http.NewRequestWithContext(h.Context(), http.MethodGet, h.Base+path, nil)
	if err != nil {
		h.Fatal(err)
	}
	answer, err := h.Do(r)
	if err != nil {
		h.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		h.Fatal(err)
	}
	return newOpened(path, answer.StatusCode, answer.Header, string(body))
}

// wants checks that the words of a page have texts, and lack those after "!".
func (o opened) wants(t *testing.T, texts ...string) {
	t.Helper()
	words := strings.NewReplacer(" .", ".", "“ ", "“", " ”", "”").Replace(o.words())
	for _, text := range texts {
		lacks, not := strings.CutPrefix(text, "!")
		if strings.Contains(words, lacks) == not {
			t.Errorf("%s: contains %q: %v, in\n%s", o.path, lacks, !not, words)
		}
	}
}

// TestUsageOfMonths checks the usage page of 14 months with a leap day.
func TestUsageOfMonths(t *testing.T) {
	h := newHolder(t, time.Date(2028, 11, 21, 12, 0, 0, 0, time.UTC))
	for i := range 14 {
		first := time.Date(2028, time.Month(11-i), 1, 0, 0, 0, 0, time.UTC)
		h.spend(store.MonthOf(first), 1000+i)
		h.use(store.DayOf(first), "rest", 1200+i, i)
		h.use(store.DayOf(first), "mcp", 30, 0)
	}
	h.use(20280229, "mcp", 77, 5)
	h.use(20281121, "rest", 12345, 0)
	now := h.page("/account/usage")
	now.wantBalanced(t)
	now.wantPolicy(t)
	now.wantIDs(t)
	now.wantTitles(t, "Usage", "Usage")
	// 1,000 units in 20.5 of 30 days
	now.wants(
		t,
		"1,000 of 10,000 requests used, 10 %.",
		"At this pace the month ends at 1,460.",
		"Requests served: 13,545 over REST, 30 over MCP. Refused: 0.",
		"21 Nov 2028 12,345 0 0 0",
		"1 Nov 2028 1,200 30 0 0",
		"Together 13,545 30 0 0",
		"!22 Nov 2028",
		"!used up",
		"!Refused for a limit",
		"next month begins on 1 Dec 2028, 00:00 UTC",
	)
	if n := strings.Count(now.body, "<option "); n != 14 {
		t.Errorf("%d months, want 14", n)
	}
	for _, want := range []string{
		`<option value="2028-11" selected>November 2028`, `<option value="2027-10">October 2027`,
		"Served requests a day, November 2028: 13,545 REST and 30 MCP in 30 days. Day 21 has the most, " +
			"12,345.", `<meter min="0" max="10000" low="8000" high="9500" optimum="0"`,
	} {
		if !strings.Contains(now.body, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	leap := h.page("/account/usage?month=2028-02")
	leap.wantBalanced(t)
	leap.wantIDs(t)
	leap.wants(t, "Requests a day, February 2028", "29 Feb 2028 0 77 0 5", "1,009 were charged to",
		"Requests served: 1,209 over REST, 107 over MCP. Refused: 14.",
		"Refused for a limit, a scope or the plan", "!30 Feb", "November 2028", "1,000 of 10,000")
	if !strings.Contains(leap.body,
		"Refused requests a day, February 2028: 9 REST and 5 MCP in 29 days") {
		t.Error("the page lacks the chart of refused requests")
	}
	h.page("/account/usage?month=2027-10").wants(t, "1 Oct 2027 1,213 30 13 0", "31 Oct 2027")
	for _, bad := range []string{"2027-09", "2028-12", "2028-13", "November", "%3Cscript%3E"} {
		h.page("/account/usage?month="+bad).wants(t,
			"one of the 14 that are kept, from 2027-10 to 2028-11", "21 Nov 2028 12,345")
	}
}

// TestUsageForecast checks when the pages say how the month will end, and when its 10,000 requests
// will be used up.
func TestUsageForecast(t *testing.T) {
	for _, test := range []struct {
		now           string
		used, percent int
		forecast      string // "" if there is none
		usedUp        string // day on which nothing is left, or ""
	}{
		{"2026-11-01T23:59:59Z", 500, 5, "", ""},
		{"2026-11-02T00:00:00Z", 500, 5, "15,000", "21 Nov 2026"},
		{"2026-11-16T00:00:00Z", 0, 0, "", ""},
		{"2026-11-16T00:00:00Z", 1, 0, "2", ""},
		{"2026-11-22T00:00:00Z", 8330, 83, "11,900", "26 Nov 2026"},
		{"2026-11-30T23:59:59Z", 1234, 12, "1,234", ""}, // not 1,230, which is less than now
		{"2028-02-15T12:00:00Z", 1000, 10, "2,000", ""}, // in half of 29 days
		{"2026-11-29T00:00:00Z", 9999, 99, "10,700", "29 Nov 2026"},
		{"2026-11-16T00:00:00Z", 10000, 100, "", ""},
	} {
		now, err := time.Parse(time.RFC3339, test.now)
		if err != nil {
			t.Fatal(err)
		}
		h := newHolder(t, now)
		if test.used > 0 {
			h.spend(store.MonthOf(now), test.used)
		}
		month := fmt.Sprintf("%s of 10,000 requests used, %d %%.", chart.Thousands(test.used),
			test.percent)
		wants := []string{"!At this pace"}
		switch {
		case test.usedUp != "":
			wants = []string{month + " At this pace the month ends at " + test.forecast +
				": the 10,000 of the plan are used up about " + test.usedUp + "."}
		case test.forecast != "":
			wants = []string{month + " At this pace the month ends at " + test.forecast + "."}
		case test.percent == 100:
			wants = append(wants, month+
				" Requests with a credential are refused until 1 Dec 2026, 00:00 UTC.")
		default:
			wants = append(wants, month)
		}
		h.page("/account/usage").wants(t, wants...)
		h.page("/account").wants(t, wants...)
		h.server.Stop()
	}
}

// TestEmptyUsage checks the pages of an account without requests.
func TestEmptyUsage(t *testing.T) {
	h := newHolder(t, product.Noon())
	for _, month := range []string{"", "?month=2026-02"} {
		page := h.page("/account/usage" + month)
		page.wantBalanced(t)
		page.wants(t, "No request was counted in ", "!charged to the month", "!As a table",
			"0 of 10,000 requests used, 0 %.")
		if strings.Contains(page.body, "<figure>") {
			t.Error("there is a chart without requests")
		}
	}
	csv := h.page("/account/usage.csv")
	if csv.body != "day,surface,served,refused\r\n" {
		t.Errorf("the CSV is %q", csv.body)
	}
}

// TestUsageCSV checks the file with the days of 14 months.
func TestUsageCSV(t *testing.T) {
	h := newHolder(t, time.Date(2028, 11, 21, 12, 0, 0, 0, time.UTC))
	h.use(20270930, "rest", 1, 1) // too old
	h.use(20271001, "rest", 1234, 5)
	h.use(20280229, "mcp", 77, 0)
	h.use(20280229, "rest", 8, 0)
	h.use(20281121, "=1+1", 1, 1) // no surface of this program
	csv := h.page("/account/usage.csv")
	want := "day,surface,served,refused\r\n2027-10-01,rest,1234,5\r\n2028-02-29,mcp,77,0\r\n" +
		"2028-02-29,rest,8,0\r\n"
	if csv.body != want {
		t.Errorf("the CSV is %q, want %q", csv.body, want)
	}
	for name, want := range map[string]string{
		"Content-Type":           "text/csv; charset=utf-8",
		"Content-Disposition":    `attachment; filename="leadline-usage-2028-11-21.csv"`,
		"Cache-Control":          "private, no-store",
		"X-Content-Type-Options": "nosniff",

		"Cross-Origin-Resource-Policy": "same-origin",
	} {
		if got := csv.header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	stranger := product.NewVisitor(t, h.Base)
	for _, path := range []string{"/account/usage.csv", "/account/usage", "/account/requests"} {
		if status, _, to := stranger.Ask(path, nil); status != http.StatusSeeOther ||
			to.Path != "/oauth/login" || to.Query().Get("next") != path {
			t.Errorf("signed out, %s is %d to %s, want the page of signing in", path, status, to)
		}
	}
}

var (
	secretCode  = regexp.MustCompile(`<pre class="secret"><code>(ldl_live_\w+)</code>`)
	scopesField = regexp.MustCompile(`name="scopes" value="([^"]+)"`)
)

// firstKey creates a key with the form of the first steps and returns the page that shows it.
func (h *holder) firstKey() (secret string, shown opened) {
	h.Helper()
	page := h.page("/account")
	form := h.Form(page.body, "/account/keys")
	form["scopes"] = nil
	for _, m := range scopesField.FindAllStringSubmatch(page.body, -1) {
		form.Add("scopes", m[1])
	}
	status, text, _ := h.Ask("/account/keys", form)
	m := secretCode.FindStringSubmatch(text)
	if status != http.StatusOK || m == nil {
		h.Fatalf("creating the first key: %d\n%s", status, text)
	}
	return m[1], newOpened("/account/keys", status, nil, text)
}

// TestOverview checks what the first page of an account shows, from the first visit to refused
// requests.
func TestOverview(t *testing.T) {
	h := newHolder(t, product.Noon())
	first := h.page("/account")
	first.wantBalanced(t)
	first.wantPolicy(t)
	first.wantIDs(t)
	first.wantTitles(t, "Overview", "Overview")
	first.wants(
		t,
		"First steps",
		"300 requests a minute instead of 30.",
		"Create my first key",
		"such as Claude Code.",
		"The internet cannot reach this address, so Claude on the web",
		"It may read predictions, observations and forecasts over REST and use the tools over MCP, and",
		"Requests in any 60 seconds over REST 300 ",
		"over MCP 300 ",
		"a month, together 10,000 ",
		"Decisions for programs no ",
		"Webhook endpoints 1 ",
		"Watches no ",
		"!Refused requests",
		"!Needs attention",
	)
	h.plan("pro")
	h.page("/account").wants(t, "3,000 requests a minute instead",
		"the tools over MCP and request planning", "Decisions for programs yes ",
		"Webhook endpoints 5 ", "Watches 100, every 10 minutes ")
	key, _ := h.firstKey()
	h.page("/account").wants(t, "!First steps", "Refused requests", "No request was refused since")

	for i := range 7 {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
			fmt.Sprintf("%s/api/v1/stations/9999%03d?key=%s", h.Base, i, key), nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+key)
		answer, err := h.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
	}
	page := h.page("/account")
	page.wants(t, "All 7 refused requests", "GET /api/v1/stations/9999006", "REST 400",
		"invalid_request", "by ldl_live_"+key[9:16]+"…", "20 Nov 2026, 17:00:00 UTC",
		"!GET /api/v1/stations/9999001")
	all := h.page("/account/requests")
	all.wantBalanced(t)
	all.wantTitles(t, "Refused requests", "Refused requests")
	all.wants(t, "GET /api/v1/stations/9999000", "The newest 50 since this server started")
	if strings.Contains(page.body+all.body, key) {
		t.Error("a page shows the key of a refused request")
	}
	other := h.another("mate@example.org")
	for _, path := range []string{"/account", "/account/requests"} {
		if body := other.page(path).body; strings.Contains(body, "9999") {
			t.Errorf("another account sees refused requests at %s:\n%s", path, body)
		}
	}
}

// another returns the browser of another person, who has joined the server with an invitation.
func (h *holder) another(email string) *holder {
	h.Helper()
	invitation := product.At(h.T, h.folder, "accounts", "invite", email)
	o := &holder{Visitor: product.NewVisitor(h.T, h.Base), server: h.server, clock: h.clock}
	link := strings.TrimPrefix(product.JoinLink.FindString(invitation), h.Base)
	_, page, _ := o.Ask(link, nil)
	o.Ask("/oauth/join", o.Form(page, "/oauth/join", "password", "a lead and a long line"))
	return o
}

// TestTroubles checks that the first page shows what has failed lately.
func TestTroubles(t *testing.T) {
	h := newHolder(t, product.Noon())
	h.plan("pro")
	for _, days := range []string{"14", "15"} {
		form := h.Form(
			h.page("/account/keys").body,
			"/account/keys",
			"name",
			"<b>"+days+"</b>",
			"scopes",
			"raw:read",
			"days",
			days,
		)
		if status, text, _ := h.Ask("/account/keys", form); status != http.StatusOK {
			t.Fatalf("creating a key: %d\n%s", status, text)
		}
	}
	if err := h.store().AddEndpoint(t.Context(), store.Endpoint{
		ID: "we_4fT9kQ2mZx7LbN", Account: h.account.ID, URL: "https://hooks.example.com/x",
		Kinds: []string{"*"}, State: store.EndpointSuspended, Reason: store.ReasonFailing,
		Created: product.Noon(),
	}, 5); err != nil {
		t.Fatal(err)
	}
	failing := store.Endpoint{
		ID: "we_4fT9kQ2mZx7LbP", Account: h.account.ID, URL: "https://pier.example.com/x",
		Description: "pier", Kinds: []string{"*"}, State: store.EndpointEnabled, Created: product.Noon(),
	}
	failing.Health.FailingSince = product.Noon().Add(-time.Hour)
	failing.Health.Last = store.Attempt{At: product.Noon(), Status: 500}
	if err := h.store().AddEndpoint(t.Context(), failing, 5); err != nil {
		t.Fatal(err)
	}
	if err := h.store().AddWatch(t.Context(), store.Watch{
		ID: "wt_8Lq2VnR5sYc1Kd", Account: h.account.ID, Station: "8443970", State: "paused",
		Request:  []byte(`{"request":{"stationId":"8443970"}}`),
		Standing: []byte("{}"),
		At:       product.Noon().AddDate(0, 0, 30),
		Due:      product.Noon().AddDate(0, 0, 29), Ends: product.Noon().AddDate(0, 0, 30),
		Created: product.Noon(),
	}, 5); err != nil {
		t.Fatal(err)
	}
	page := h.page("/account")
	page.wants(t, "The watch “of station 8443970” is paused", "Needs attention",
		"The webhook “hooks.example.com” is suspended. It has failed for five days. "+
			"Correct the receiver, enable it, and replay what it has missed. See its deliveries",
		"The webhook “pier” has failed since 20 Nov 2026, 16:00 UTC. Its last attempt: 500. "+
			"See its deliveries",
		"The key “<b>14</b>” ends on 4 Dec 2026, 17:00 UTC. Replace it", "!15")
	page.wantBalanced(t)
	link := regexp.MustCompile(`/account/keys/\w{7}/replace`).FindString(page.body)
	if replace := h.page(link); replace.status != http.StatusOK {
		t.Errorf("%q is %d, want the form that replaces the key", link, replace.status)
	}
}
