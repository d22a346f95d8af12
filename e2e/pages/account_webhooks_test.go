package pages

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"leadline/e2e/product"
	"leadline/internal/events"
	"leadline/internal/trials"
	"leadline/store"
)

// hookPages is a server whose webhooks may be on loopback, and on which people sign in.
type hookPages struct {
	*testing.T
	*product.Product
	folder string
	log    *product.Journal
}

// newHookPages starts a server. An account has n units a month.
func newHookPages(t *testing.T, root string, n int) *hookPages {
	t.Helper()
	s, log := product.WebhookSetup(t, root, n), &product.Journal{}
	s.Offline, s.Log = root == "", log
	return &hookPages{t, s.Start(t), s.Folder, log}
}

// hookOwner is a browser in which somebody is signed in.
type hookOwner struct {
	*product.Visitor
	account string
}

// person returns the browser of a new account of the plan team.
func (s *hookPages) person() hookOwner {
	s.Helper()
	id := product.NewAccount(s.T, s.Storage(), "team")
	return hookOwner{s.SignIn(s.T, id), id}
}

// see gets a page, which must have a status and contain texts.
func (v hookOwner) see(path string, status int, texts ...string) (page string) {
	v.Helper()
	got, page, _ := v.Ask(path, nil)
	v.check("GET "+path, got, status, page, texts)
	return page
}

// send sends the form of a page to an address, which must respond with a status and texts, and
// returns the page and the address of a redirection.
func (v hookOwner) send(page, action string, status int, texts []string, fields ...string) (
	string, string,
) {
	v.Helper()
	got, text, to := v.Ask(action, v.Form(page, action, fields...))
	v.check("POST "+action, got, status, text, texts)
	return text, strings.TrimPrefix(to.String(), v.Base)
}

func (v hookOwner) check(what string, got, want int, page string, texts []string) {
	v.Helper()
	_, main, _ := strings.Cut(page, "<main")
	if got != want {
		v.Fatalf("%s: %d, want %d\n%s", what, got, want, main)
	}
	for _, text := range texts {
		if !strings.Contains(page, text) {
			v.Errorf("%s lacks %q", what, text)
		}
	}
}

// until gets a page until it contains a text, and returns it.
func (v hookOwner) until(path, text string) (page string) {
	v.Helper()
	trials.WaitFor(v.T, fmt.Sprintf("%q on %s", text, path), func() bool {
		_, page, _ = v.Ask(path, nil)
		return strings.Contains(page, text)
	})
	return page
}

const webhookPages, watchPages = "/account/webhooks", "/account/watches"

var (
	secretShown = regexp.MustCompile(`whsec_[A-Za-z0-9+/]{43}=`)
	webhookLink = regexp.MustCompile(`/account/webhooks/we_\w{14}`)
)

// add adds a webhook for a receiver, and returns its page when it is enabled, and its secret.
func (v hookOwner) add(r *product.Receiver) (path, secret string) {
	v.Helper()
	form := v.Form(v.see(webhookPages, 200), webhookPages, "url", r.URL, "events", "*",
		"description", "harbor")
	status, page, _ := v.Ask(webhookPages, form)
	page = plainSecrets(page)
	secret, path = secretShown.FindString(page), webhookLink.FindString(page)
	if status != http.StatusOK || secret == "" || path == "" {
		v.Fatalf("adding: %d\n%s", status, page)
	}
	r.Trust(secret)
	status, again, _ := v.Ask(webhookPages, form)
	v.check("the form again", status, http.StatusConflict, again, []string{"was sent before"})
	if secretShown.MatchString(plainSecrets(again)) ||
		strings.Count(again, `<th scope="row"><a href="/account/webhooks/`) != 1 {
		v.Errorf("the form again shows a secret or has added another webhook:\n%s", again)
	}
	v.until(path, `<span class="kind good">enabled</span>`)
	return path, secret
}

// plainSecrets returns a page with the characters of secrets as they are.
func plainSecrets(page string) string { return strings.ReplaceAll(page, "&#43;", "+") }

// TestWebhookPages adds a webhook, tests it, replays deliveries, rotates its secret, disables,
// enables, changes and deletes it, with the forms of its pages. The receiver verifies all that it
// gets.
func TestWebhookPages(t *testing.T) {
	t.Parallel()
	s := newHookPages(t, "", 100)
	v, r := s.person(), product.NewReceiver(t)
	v.see(webhookPages, 200, "No webhook yet.")
	path, secret := v.add(r)
	one := v.see(path, 200, "harbor", r.URL, "all kinds", "webhook.test")

	_, delivered := v.send(one, path+"/test", 303, nil)
	text := v.see(delivered, 200, `<span class="kind good">204</span>`, "webhook-id: msg_",
		"webhook-timestamp: ", "&#34;type&#34;: &#34;webhook.test&#34;")
	if strings.Contains(text, "v1,") || !strings.HasPrefix(delivered, path+"/deliveries/msg_") {
		t.Errorf("the delivery at %s shows a signature", delivered)
	}
	v.send(text, delivered+"/replay", 303, nil)
	replayed := r.Awaits(events.WebhookTest, 3)[2]
	if replayed.Header.Get("leadline-replay") != "true" {
		t.Errorf("the replay has the header %v", replayed.Header)
	}
	rotated := v.rotate(path, r)
	v.fails(path, r)
	v.changes(path, r)
	v.deletes(path)
	for _, hidden := range []string{secret, rotated} {
		product.WantAbsent(t, hidden, map[string]string{"the log": s.log.String()})
	}
}

// rotate replaces the secret of a webhook and returns the new one.
func (v hookOwner) rotate(path string, r *product.Receiver) (secret string) {
	v.Helper()
	form := v.Form(v.see(path+"/rotate", 200), path+"/rotate", "keepOld", "1h")
	_, page, _ := v.Ask(path+"/rotate", form)
	if secret = secretShown.FindString(plainSecrets(page)); secret == "" {
		v.Fatalf("no new secret:\n%s", page)
	}
	v.check("rotate", 200, 200, page, []string{"is replaced", "The old secret signs as well until"})
	status, again, _ := v.Ask(path+"/rotate", form)
	v.check("rotate again", status, http.StatusConflict, again, []string{"was sent before"})
	if secretShown.MatchString(plainSecrets(again)) {
		v.Error("the form again shows a secret")
	}
	r.Awaits(events.WebhookTest, 4) // signed with the old secret too
	r.Trust(secret)
	v.send(v.see(path, 200), path+"/test", 303, nil)
	return secret
}

// fails lets a receiver fail, disables its webhook, enables it and replays what was skipped.
func (v hookOwner) fails(path string, r *product.Receiver) {
	v.Helper()
	hourAgo := product.Now().Add(-time.Hour).Format("2006-01-02T15:04")
	r.Respond(http.StatusInternalServerError)
	_, failed := v.send(v.see(path, 200), path+"/test", 303, nil)
	v.see(failed, 200, `<span class="kind fault">500</span>`, `<span class="kind care">pending</span>`)
	one := v.see(path, 200, "Fails since", path+"/replay")
	v.send(one, path+"/disable", 303, nil)
	v.see(path, 200, `<span class="kind">disabled</span>`, path+"/enable")
	v.see(path+"?state=skipped", 200, failed)
	v.see(path+"?state=failed", 200, "No delivery is failed.")
	v.see(path+"?state=lost", 200, failed)
	v.send(
		one,
		path+"/test",
		400,
		[]string{"is disabled and receives nothing. Enable it first.</p>"},
	)
	v.send(one, path+"/replay", 400, []string{"Enable it first.</p>"}, "since", hourAgo)
	r.Respond(http.StatusNoContent)
	v.send(v.see(path, 200), path+"/enable", 303, nil)
	one = v.until(path, `<span class="kind good">enabled</span>`)
	v.send(one, path+"/replay", 303, nil, "since", hourAgo)
	v.until(failed, `<span class="kind good">delivered</span>`)
	v.send(one, path+"/replay", 400, []string{"No delivery has failed or was skipped since then"},
		"since", hourAgo)
	v.send(one, path+"/replay", 400, []string{"The time must be within the last 30 days",
		`value="2020-01-01T00:00"`}, "since", "2020-01-01T00:00")
}

// changes changes the fields of a webhook. A refused form comes back with what was typed.
func (v hookOwner) changes(path string, r *product.Receiver) {
	v.Helper()
	one := v.see(path, 200)
	v.send(one, path, 303, nil, "url", r.URL, "description", "pier", "events", "quota.warning")
	one = v.see(path, 200, "“pier”", `value="quota.warning" checked`,
		`<span class="kind good">enabled</span>`)
	v.send(
		one,
		path,
		400,
		[]string{
			"The address must begin with https://.",
			`value="ftp://x"`,
			`value="dock"`,
		},
		"url",
		"ftp://x",
		"description",
		"dock",
		"events",
		"*",
	)
	v.send(
		one,
		path,
		400,
		[]string{"The list of events must name at least one kind."},
		"url",
		r.URL,
	)
	v.see(path, 200, "“pier”", r.URL)
}

// deletes deletes a webhook.
func (v hookOwner) deletes(path string) {
	v.Helper()
	ask := v.see(path+"/delete", 200, "cannot be undone")
	if _, to := v.send(ask, path+"/delete", 303, nil); to != webhookPages {
		v.Errorf("after the deletion: %s", to)
	}
	v.see(path, 404)
	v.send(ask, path+"/delete", 404, nil)
	v.see(webhookPages, 200, "No webhook yet.")
}

// TestForeignWebhookPages requests every page and sends every form of webhooks and watches with
// the ids of another account, and with ids that nothing has.
func TestForeignWebhookPages(t *testing.T) {
	t.Parallel()
	_, root := product.Simulate(t, nil)
	s := newHookPages(t, root, 100)
	ann, bob, r := s.person(), s.person(), product.NewReceiver(t)
	stranger := product.NewVisitor(t, s.URL)
	path, _ := ann.add(r)
	_, delivery := ann.send(ann.see(path, 200), path+"/test", 303, nil)
	watch := ann.watch()
	for _, page := range []string{
		path, path + "/rotate", path + "/delete", delivery, watch, watch + "/delete",
	} {
		ann.see(page, 200)
		bob.see(page, 404, "There is no such page")
		status, _, to := stranger.Ask(page, nil)
		back := url.Values{"next": {page}}
		if status != http.StatusSeeOther || to.RequestURI() != "/oauth/login?"+back.Encode() {
			t.Errorf("GET %s of nobody: %d to %s, want 303 to sign in", page, status, to)
		}
	}
	for _, action := range []string{
		path, path + "/enable", path + "/disable", path + "/test", path + "/rotate", path + "/delete",
		path + "/replay", delivery + "/replay", watch + "/delete", webhookPages + "/we_1/enable",
	} {
		sendForeign(ann, bob, action)
	}
	for _, nothing := range []string{
		webhookPages + "/we_00000000000000", webhookPages + "/we_1", webhookPages + "/%00",
		path + "/deliveries/msg_" + strings.Repeat("0", 32), path + "/deliveries/x",
		path + "?before=x", watchPages + "/wt_00000000000000", watchPages + "/x",
	} {
		ann.see(nothing, 404)
	}
	ann.see(path, 200, "harbor", r.URL, `<span class="kind good">enabled</span>`)
	ann.see(watch, 200, "Boston")
}

// sendForeign sends a form about something of Ann: as Bob, and as Ann with the token of Bob.
func sendForeign(ann, bob hookOwner, action string) {
	bob.Helper()
	given := bob.Form(bob.see(watchPages, 200), watchPages)
	given.Set("url", "https://hooks.example.com/")
	given.Set("events", "*")
	given.Set("since", product.Now().Format("2006-01-02T15:04"))
	for name := range given {
		if !slices.Contains(fieldsOf(action), name) {
			given.Del(name)
		}
	}
	if status, page, _ := bob.Ask(action, given); status != http.StatusNotFound {
		bob.Errorf("POST %s: %d, want 404\n%s", action, status, page)
	}
	if status, page, _ := ann.Ask(action, given); status != http.StatusForbidden {
		bob.Errorf("POST %s with the token of another browser: %d, want 403\n%s", action, status, page)
	}
}

// fieldsOf returns the fields of the form that is sent to an address.
func fieldsOf(action string) []string {
	switch action[strings.LastIndexByte(action, '/')+1:] {
	case "enable", "disable", "test", "delete":
		return []string{"token"}
	case "rotate":
		return []string{"token", "form"}
	case "replay":
		if strings.Contains(action, "/deliveries/") {
			return []string{"token"}
		}
		return []string{"token", "since"}
	}
	return []string{"token", "url", "events"}
}

// watch creates a watch with the form of its page, and returns the address of its page.
func (v hookOwner) watch() (path string) {
	v.Helper()
	form := v.Form(v.see(watchPages, 200), watchPages, "stationId", " 8443970 ", "activity", "boating",
		"localDate", product.Days(7), "localTime", "09:00", "name", "Saturday trip")
	status, page, to := v.Ask(watchPages, form)
	if status != http.StatusSeeOther || !strings.HasPrefix(to.Path, watchPages+"/wt_") {
		v.Fatalf("watching: %d to %s\n%s", status, to, page)
	}
	status, page, _ = v.Ask(watchPages, form)
	v.check("the form again", status, http.StatusConflict, page, []string{"was sent before"})
	if n := strings.Count(page, `href="/account/watches/wt_`); n != 1 {
		v.Errorf("%d watches after the form was sent twice, want 1", n)
	}
	return to.Path
}

// TestWatchPages creates and deletes a watch. Only the one that is created costs a unit.
func TestWatchPages(t *testing.T) {
	t.Parallel()
	_, root := product.Simulate(t, nil)
	s := newHookPages(t, root, 100)
	v := s.person()
	page := v.see(watchPages, 200, "No watch yet.", "No webhook receives the changes")
	fields := []string{"stationId", "9999999", "activity", "boating", "localDate", "2020-01-01",
		"localTime", "09:00", "name", "Sunday"}
	page, _ = v.send(page, watchPages, 400, []string{"No station has this id.", `value="9999999"`,
		`value="2020-01-01"`, `value="Sunday"`, `<option value="boating" selected>`}, fields...)
	fields[1] = "8443970"
	page, _ = v.send(page, watchPages, 400, []string{"is past: it is"}, fields...)
	v.send(page, watchPages, 400, []string{"The day and the time must be a date and"},
		append(fields, "localDate", "x")...)
	path := v.watch()
	v.see(path, 200, "Saturday trip", "Boston", "boating", ", 09:00", "1 so far, at most\n",
		"Nothing has changed in a way that matters")
	v.see(watchPages, 200, "Saturday trip", `<span class="kind good">active</span>`)
	if _, list, _ := v.Ask("/account", nil); !strings.Contains(list, "1 of 100") {
		t.Errorf("the overview counts other units than 1:\n%s", list)
	}
	ask := v.see(path+"/delete", 200, "Saturday trip")
	v.send(ask, path+"/delete", 303, nil)
	v.see(path, 404)
	product.At(t, s.folder, "accounts", "plan", v.account+"@example.org", "free")
	v.see(watchPages, 200, "The plan free has no watches.", "trip-health")
	v.send(page, watchPages, 403, []string{"The plan free has no watches."}, fields...)
}

// TestPagesWithoutDeliveries checks what the pages say on a server that sends no events and
// evaluates no watches.
func TestPagesWithoutDeliveries(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	r := product.ServeOn(t, folder, "--webhooks", "off")
	v := hookOwner{Visitor: product.NewVisitor(t, r.Base)}
	link := product.JoinLink.FindString(r.Log.String())
	_, page, _ := v.Ask(strings.TrimPrefix(link, r.Base), nil)
	v.Ask("/oauth/join", v.Form(page, "/oauth/join", "email", "ann@example.org", "password",
		"a lead and a long line"))
	v.see(webhookPages, 200, "This\nserver sends no events", "/api/developer/events")
	v.see(watchPages, 200, "This server evaluates no watches", "trip-health")
}

// TestHostileReply checks that the reply of a receiver is text on the page of its delivery, and
// that long lists have pages.
func TestHostileReply(t *testing.T) {
	t.Parallel()
	s := newHookPages(t, "", 100)
	v, r := s.person(), product.NewReceiver(t)
	path, _ := v.add(r)
	id := strings.TrimPrefix(path, webhookPages+"/")
	_, delivery := v.send(v.see(path, 200), path+"/test", 303, nil)
	status := fmt.Sprintf(`</code><script>alert("%s")</script>`, strings.Repeat("x", 900))
	now := store.Second(product.Now())
	err := s.Storage().Store.Finish(t.Context(), []store.Result{{
		Endpoint: id, Event: delivery[strings.LastIndexByte(delivery, '/')+1:], URL: r.URL,
		Attempt: store.Attempt{At: now, Status: 500, Error: "status", Reply: status},
		State:   store.DeliveryFailed, Tries: 2,
	}})
	if err != nil {
		t.Fatal(err)
	}
	page := v.see(delivery, 200, `&lt;/code&gt;&lt;script&gt;alert(&#34;xxx`, `kind fault">500`)
	if strings.Contains(page, "<script>") {
		t.Error("the reply is markup")
	}
	var ids events.IDs
	for range 60 {
		e := store.Event{
			ID: ids.New(now), Type: "quota.warning", Account: v.account, Created: now,
			Expires: now.Add(time.Hour), Body: []byte(`{"type":"quota.warning"}`),
		}
		if _, err := s.Storage().Store.Post(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	const row = `<small class="address">msg_`
	page = v.see(path, 200, "Earlier deliveries")
	if len(page) > 50_000 {
		t.Errorf("a full page has %d bytes, want at most 50 kB", len(page))
	}
	next := regexp.MustCompile(`href="([^"]*before=[^"]*)"`).FindStringSubmatch(page)[1]
	later := v.see(strings.ReplaceAll(next, "&amp;", "&"), 200)
	if a, b := strings.Count(page, row), strings.Count(later, row); a != 40 || b != 22 {
		t.Errorf("pages of %d and %d deliveries, want 40 and 22", a, b)
	}
}
