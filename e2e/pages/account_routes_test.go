package pages

import (
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"leadline/e2e/product"
	"leadline/internal/access"
)

var (
	// accountRoute matches a route with an id in the table of package account.
	accountRoute = regexp.MustCompile(`"((?:GET|POST) /account/[^"]*\{[^"]*)":`)
	// changing matches what differs between two exports of an account.
	changing = regexp.MustCompile(`"(exportedAt|lastSeenOn)": "[^"]*"`)
)

// routeFields are the fields of the forms, besides the token, by the last part of the route.
var routeFields = map[string]url.Values{
	"{id}":    {"events": {"*"}, "description": {"pier"}},
	"enable":  {},
	"disable": {},
	"test":    {},
	"replay":  {},
	"rotate":  {"keepOld": {"1h"}},
	"replace": {"grace": {"1h"}},
	"revoke":  {},
	"delete":  {},
}

// accountRoutes returns the routes of the account pages with an id, as the source of their package
// has them. Those that end what they name are last.
func accountRoutes(t *testing.T) (list []string) {
	t.Helper()
	source, err := os.ReadFile("../../internal/web/account/account.go")
	if err != nil {
		t.Fatal(err)
	}
	var last []string
	for _, m := range accountRoute.FindAllStringSubmatch(string(source), -1) {
		if part := lastPart(m[1]); m[1][0] == 'P' && (part == "revoke" || part == "delete") {
			last = append(last, m[1])
		} else {
			list = append(list, m[1])
		}
	}
	if len(list) == 0 || len(last) == 0 {
		t.Fatalf("routes: %q, and those that end something: %q, want both", list, last)
	}
	return append(list, last...)
}

func lastPart(route string) string { return route[strings.LastIndex(route, "/")+1:] }

// request sends a request for a route with ids in place of its parameters, as a person with a fresh
// form would.
func (v hookOwner) request(route string, ids *strings.Replacer) (status int, text string) {
	v.Helper()
	method, path, _ := strings.Cut(ids.Replace(route), " ")
	if strings.Contains(path, "{") {
		v.Fatalf("%s: this test has no ids for it", route)
	}
	if method == http.MethodGet {
		status, text, _ = v.Ask(path, nil)
		return status, text
	}
	part := lastPart(route)
	fields, ok := routeFields[part]
	if !ok {
		v.Fatalf("%s: this test has no fields for its form", route)
	}
	sent := v.Form(v.see("/account/keys", 200), "/account/keys")
	if part != "rotate" && part != "replace" {
		sent.Del("form")
	}
	for name, values := range fields {
		sent[name] = values
	}
	if strings.HasSuffix(route, "/webhooks/{id}/replay") {
		sent.Set("since", product.Now().Format("2006-01-02T15:04"))
	}
	status, text, _ = v.Ask(path, sent)
	return status, text
}

// TestCase78AccountRoutesApart requests every route of the account pages that has an id, with the
// ids of another account and with ids that nothing has. The responses are the same, and the other
// account is as before. Then its owner requests the same routes, and finds what they name.
func TestCase78AccountRoutesApart(t *testing.T) {
	t.Parallel()
	_, root := product.Simulate(t, nil)
	s := newHookPages(t, root, 100)
	ann, bob := s.person(), s.person()
	hook, _ := ann.add(product.NewReceiver(t))
	_, delivery := ann.send(ann.see(hook, 200), hook+"/test", 303, nil)
	ann.until(delivery, `<span class="kind good">delivered</span>`)
	_, key := ann.NewKeyOf("boat")
	watch := ann.watch()
	own := strings.NewReplacer(
		"/deliveries/{event}", strings.TrimPrefix(delivery, hook), "/account/webhooks/{id}", hook,
		"/account/watches/{id}", watch, "{id}", key)
	nothing := strings.NewReplacer(
		"{event}", "msg_"+strings.Repeat("0", 32), "webhooks/{id}", "webhooks/we_00000000000000",
		"watches/{id}", "watches/wt_00000000000000", "keys/{id}", "keys/0000000")
	routes := accountRoutes(t)
	before := ann.export()
	for _, route := range routes {
		status, page := bob.request(route, own)
		other, same := bob.request(route, nothing)
		if status != http.StatusNotFound || other != status || page != same {
			t.Errorf("%s: %d with the ids of another account, %d with unknown ones, "+
				"want 404 and the same page", route, status, other)
		}
	}
	if after := ann.export(); after != before {
		t.Errorf("the account was\n%s\nand is now\n%s", before, after)
	}
	for _, route := range routes {
		if status, page := ann.request(route, own); slices.Contains([]int{403, 404, 409}, status) {
			t.Errorf("%s of the owner: %d\n%s", route, status, page)
		}
	}
}

// formRoute matches a route that takes a form in the table of package account.
var formRoute = regexp.MustCompile(`"POST (/account[^"]*)":`)

// TestCase16FormsOfOtherSites sends the forms of all pages of people who are signed in as a page of
// another site would make the browser do. All are refused, and nothing has changed.
func TestCase16FormsOfOtherSites(t *testing.T) {
	t.Parallel()
	s := newHookPages(t, "", 100)
	v := s.person()
	source, err := os.ReadFile("../../internal/web/account/account.go")
	if err != nil {
		t.Fatal(err)
	}
	paths := []string{"/account/security", "/account/apps", "/oauth/login", "/oauth/logout"}
	for _, m := range formRoute.FindAllStringSubmatch(string(source), -1) {
		paths = append(
			paths,
			strings.NewReplacer("{id}", "7LqQBDD", "{event}", "msg_1").Replace(m[1]),
		)
	}
	if len(paths) < 15 {
		t.Fatalf("%d forms, want those of all pages", len(paths))
	}
	before := v.export()
	for _, path := range paths {
		for header, value := range map[string]string{
			"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site",
		} {
			form := v.Form(v.see("/account/keys", 200), "/account/keys", "decision", "everywhere")
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, v.Base+path,
				strings.NewReader(form.Encode()))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.Header.Set(header, value)
			answer, err := v.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
			if answer.StatusCode != http.StatusForbidden {
				t.Errorf("%s with %s: %s: %d, want 403", path, header, value, answer.StatusCode)
			}
		}
	}
	if after := v.export(); after != before {
		t.Errorf("the account was\n%s\nand is now\n%s", before, after)
	}
}

// TestCase79FormsAreLimited checks that an account cannot send many forms that create something,
// and that the response says how long to wait.
func TestCase79FormsAreLimited(t *testing.T) {
	t.Parallel()
	p := product.Setup{Offline: true}.Start(t)
	v := p.SignIn(t, product.NewAccount(t, p.Storage(), access.Free))
	for range 100 {
		_, page, _ := v.Ask("/account/keys", nil)
		form := v.Form(page, "/account/keys", "name", "without a scope")
		answer, err := v.PostForm(v.Base+"/account/keys", form)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode == http.StatusTooManyRequests {
			if wait := answer.Header.Get("Retry-After"); wait == "" {
				t.Error("429 without Retry-After")
			}
			return
		}
	}
	t.Error("100 forms are accepted, want a limit")
}

// export returns the data of the account, without what differs between two exports.
func (v hookOwner) export() string {
	v.Helper()
	return changing.ReplaceAllString(v.see("/account/export.json", 200), "")
}
