package pages

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"leadline/e2e/product"
	"leadline/internal/trials"
)

// wrong returns values that hardly any parameter takes. Each is sent as every parameter, the first
// ones in every run.
func wrong() []string {
	values := []string{
		"Nowhere/Never", "\u202eevil\U000E0041", "1e999", "\x00", "2027-02-30",
		"", " ", "-1", "NaN", "\xff\xfe", "null", "[]", "{}", strings.Repeat("9", 400),
		"2027-13-01T99:99", "../../etc/passwd",
	}
	if trials.Thorough() {
		return values
	}
	return values[:5]
}

// prober sends wrong values to one server, each from another address, and reports responses of 5xx.
type prober struct {
	t    *testing.T
	base string
	sent int
}

func (p *prober) do(method, path, accept, body string) (status int, text string) {
	p.t.Helper()
	p.sent++
	r, err := http.NewRequestWithContext(p.t.Context(), method, p.base+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatalf("%s %q: %v", method, path, err)
	}
	r.Header.Set("Accept", accept)
	r.Header.Set("X-Forwarded-For", fmt.Sprintf("10.%d.%d.%d", p.sent>>16, p.sent>>8&255, p.sent&255))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		p.t.Fatalf("%s %q: %v", method, path, err)
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		p.t.Errorf("%s %q: %v", method, path, err)
	}
	return response.StatusCode, string(read)
}

// get requests a path with a query, and reports a fault of the server.
func (p *prober) get(path, accept string, q url.Values) string {
	p.t.Helper()
	status, body := p.do(http.MethodGet, path+"?"+q.Encode(), accept, "")
	if status >= 500 && !unavailable(body) {
		p.t.Errorf("GET %s?%s: status %d, %.200s", path, q.Encode(), status, body)
	}
	return body
}

// unavailable reports whether a response names a provider as the cause: simulated stations have
// not every product.
func unavailable(body string) bool { return strings.Contains(body, "provider_unavailable") }

// TestWrongValues sends wrong values as every parameter of every route, tool, calendar, picture,
// form and page: none is a fault of the server, and no page repeats a hidden character.
func TestWrongValues(t *testing.T) {
	p := &prober{t: t, base: product.Setup{Now: product.Noon}.Start(t).URL}
	t.Run("routes", func(t *testing.T) { (&prober{t: t, base: p.base}).routes() })
	t.Run("tools", func(t *testing.T) { (&prober{t: t, base: p.base, sent: 1 << 16}).tools() })
	t.Run("pages", func(t *testing.T) { (&prober{t: t, base: p.base, sent: 2 << 16}).pages() })
}

// routes sends wrong values to the routes of the OpenAPI documents.
func (p *prober) routes() {
	for _, document := range []string{
		"/openapi.json", "/api/developer/openapi.json", "/api/planning/openapi.json",
	} {
		_, text := p.do(http.MethodGet, document, "*/*", "")
		type parameter struct {
			Name, In string
			Ref      string `json:"$ref"`
		}
		var d struct {
			Paths map[string]map[string]struct {
				Parameters  []parameter
				RequestBody json.RawMessage
			}
			Components struct{ Parameters map[string]parameter }
		}
		if err := json.Unmarshal([]byte(text), &d); err != nil || len(d.Paths) == 0 {
			p.t.Fatalf("%s: %v, %d paths", document, err, len(d.Paths))
		}
		for _, route := range slices.Sorted(maps.Keys(d.Paths)) {
			filled := strings.NewReplacer("{id}", "8443970", "{station}", "8443970").Replace(route)
			for method, operation := range d.Paths[route] {
				for _, value := range wrong() {
					if operation.RequestBody != nil {
						p.bodies(strings.ToUpper(method), filled, value)
					}
					for _, of := range operation.Parameters {
						if of.Ref != "" {
							of = d.Components.Parameters[path.Base(of.Ref)]
						}
						if of.Name == "" {
							p.t.Fatalf("%s: a parameter of %s has no name", document, route)
						}
						if method == "get" && of.In == "query" {
							p.get(filled, "*/*", url.Values{of.Name: {value}})
						}
					}
				}
			}
		}
	}
}

// bodies sends a wrong value as the body and as members of it.
func (p *prober) bodies(method, path, value string) {
	quoted, _ := json.Marshal(value)
	for _, body := range []string{
		value, string(quoted), `{"stationId":` + string(quoted) + `}`,
		`{"stationId":"8443970","localDate":` + string(quoted) + `,"localTime":"10:00"}`,
		`{"stationId":"8443970","localDate":"2026-11-22","localTime":` + string(quoted) + `}`,
		`{"stationId":8443970,"rules":[` + string(quoted) + `]}`,
	} {
		status, text := p.do(method, path, "*/*", body)
		if status >= 500 && !unavailable(text) {
			p.t.Errorf("%s %s %q: status %d, %.200s", method, path, body, status, text)
		}
	}
}

// tools sends wrong values as every argument of every tool.
func (p *prober) tools() {
	call := func(method, params string) string {
		const accept = "application/json, text/event-stream"
		_, text := p.do(http.MethodPost, "/mcp?toolsets=core,planning", accept,
			`{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+params+`}`)
		return text
	}
	var list struct {
		Result struct {
			Tools []struct {
				Name        string
				InputSchema struct{ Properties map[string]any }
			}
		}
	}
	text := call("tools/list", "{}")
	if err := json.Unmarshal([]byte(text), &list); err != nil || len(list.Result.Tools) == 0 {
		p.t.Fatalf("tools/list: %v, %.300s", err, text)
	}
	for _, tool := range list.Result.Tools {
		for name := range tool.InputSchema.Properties {
			for i, value := range wrong() {
				if i > 0 && !trials.Thorough() {
					break // calls take longer than the other requests
				}
				quoted, _ := json.Marshal(value)
				for _, argument := range []string{
					string(quoted), "-1", "1e308", "[[]]", `{"a":{}}`, "null",
				} {
					arguments := fmt.Sprintf(`{%q:%s}`, name, argument)
					if name != "station" && name != "place" {
						arguments = fmt.Sprintf(`{"station":"8443970",%q:%s}`, name, argument)
					}
					text := call("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool.Name, arguments))
					if strings.Contains(text, "-32603") || strings.Contains(text, "internal error") {
						p.t.Errorf("%s %s: %.300s", tool.Name, arguments, text)
					}
					if i > 0 {
						break // the other arguments once
					}
				}
			}
		}
	}
}

// pages sends wrong values as every field of the forms of pages, and of calendars and pictures.
func (p *prober) pages() {
	fields := map[string]map[string]bool{}
	add := func(path string, names ...string) {
		if fields[path] == nil {
			fields[path] = map[string]bool{}
		}
		for _, name := range names {
			fields[path][name] = true
		}
	}
	for _, path := range []string{
		"/", "/search", "/near", "/planning", "/planning/tide-windows", "/planning/current-windows",
		"/planning/transits", "/planning/routes", "/planning/tide-ranks", "/stations/8443970",
		"/stations/PUG1701", "/docs", "/stations/8443970/2027", "/calendars",
	} {
		add(path, "units", "time_zone", "date", "q")
		status, body := p.do(http.MethodGet, path, browser, "")
		if status != http.StatusOK {
			continue // it is at another path
		}
		for form := range newOpened(path, status, nil, body).document().Descendants() {
			if form.Type != html.ElementNode || form.Data != "form" {
				continue
			}
			action, err := url.Parse(attribute(form, "action"))
			if err != nil || strings.EqualFold(attribute(form, "method"), "post") {
				continue
			}
			to := action.Path
			if to == "" {
				to = path
			}
			for node := range form.Descendants() {
				if name := attribute(node, "name"); name != "" {
					add(to, name)
				}
			}
		}
	}
	names := []string{"station", "place", "below", "above", "at_most", "at_least", "distance", "speed",
		"direction", "course", "what", "year", "limit", "light", "weekdays", "hours", "alarm", "units",
		"time_zone", "begin_date", "end_date", "range", "datum", "min_minutes", "max_current"}
	for _, path := range []string{
		"/calendars/tide-windows.ics", "/calendars/current-windows.ics", "/calendars/transits.ics",
		"/calendars/tide-ranks.ics", "/stations/8443970/tide.ics", "/stations/8443970/tide.svg",
		"/stations/8443970/tide.png", "/stations/PUG1701/current.svg",
	} {
		add(path, names...)
	}
	for _, path := range slices.Sorted(maps.Keys(fields)) {
		for _, name := range slices.Sorted(maps.Keys(fields[path])) {
			for _, value := range wrong() {
				body := p.get(path, browser, url.Values{name: {value}})
				isPage := strings.HasPrefix(strings.TrimSpace(body), "<!")
				if isPage && strings.ContainsAny(body, "\u202e\U000E0041") {
					p.t.Errorf("%s?%s: the page repeats a hidden character", path, name)
				}
			}
		}
	}
}
