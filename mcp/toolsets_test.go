package mcp

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"

	"leadline/internal/access"
	"leadline/internal/access/accesstest"
	"leadline/internal/operation"
	"leadline/tools"
)

// at returns the endpoint as served at an address with a query.
func at(h http.Handler, query string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.URL.RawQuery = query
		h.ServeHTTP(w, r)
	})
}

// offered returns the names in a tools/list response.
func offered(t *testing.T, got reply) []string {
	t.Helper()
	var list struct{ Tools []struct{ Name string } }
	if err := json.Unmarshal(got.Result, &list); err != nil {
		t.Fatalf("%v: %.300s", err, got.body)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	return names
}

// planningTools returns the names of the set planning in the order of tools/list.
func planningTools(t *testing.T) []string {
	t.Helper()
	return namesOf(newTools(t).Toolsets()[1].Tools)
}

// TestToolsets checks which tools an address offers, in both eras.
func TestToolsets(t *testing.T) {
	s := newProduct(t)
	sets := newTools(t).Toolsets()
	core, planning := namesOf(sets[0].Tools), namesOf(sets[1].Tools)
	both := namesOf(slices.Concat(sets[0].Tools, sets[1].Tools))
	for query, want := range map[string][]string{
		"":                                          core,
		"toolsets=core":                             core,
		"toolsets=planning":                         planning,
		"toolsets=core,planning":                    both,
		"toolsets=planning,%20core":                 both,
		"toolsets=planning&toolsets=core":           both,
		"toolsets=planning,planning":                planning,
		"tools=noaa_search_stations":                {"noaa_search_stations"},
		"tools=noaa_search_stations,":               nil, // an empty name
		"tools=leadline_whoami,astro_get_sun_times": {"astro_get_sun_times", "leadline_whoami"},
		"tools=leadline_trip_health":                {"leadline_trip_health"},
		"session=1":                                 core, // the client's own parameter
	} {
		legacy := post(t, at(s, query), request("tools/list", "{}"))
		body, header := modernize(t, request("tools/list", "{}"))
		modern := post(t, at(s, query), body, header...)
		for _, got := range []reply{legacy, modern} {
			if want == nil {
				if got.status != http.StatusBadRequest {
					t.Errorf("?%s: status %d, want 400", query, got.status)
				}
				continue
			}
			if names := offered(t, got); !slices.Equal(names, want) {
				t.Errorf("?%s offers %v, want %v", query, names, want)
			}
		}
	}
}

// TestUnknownToolset checks that every method refuses an address with an unknown name, and
// that the error lists the known names.
func TestUnknownToolset(t *testing.T) {
	s := newProduct(t)
	for _, test := range []struct{ query, want string }{
		{"toolsets=plan", `unknown tool set "plan"; the tool sets are core and planning`},
		{"toolsets=", `unknown tool set ""`},
		{"toolsets=core,sky", `unknown tool set "sky"`},
		{"tools=noaa_search_station", `did you mean "noaa_search_stations"?`},
		{"tools=xyz", `the tools are astro_get_moon_phase, `},
		{"toolset=planning", `did you mean "toolsets"?`},
		{"toolsets=core&tools=leadline_whoami", "not both"},
		{"toolsets=%zz", "cannot be read"},
	} {
		for _, body := range []string{handshake, request("tools/list", "{}"), ping} {
			got := post(t, at(s, test.query), body)
			if got.status != http.StatusBadRequest || got.Error == nil ||
				!strings.Contains(got.Error.Message, test.want) {
				t.Errorf("?%s, %.60s: %d %s, want 400 with %q", test.query, body, got.status,
					got.body, test.want)
			}
		}
	}
}

// TestCallOfToolset checks that an address serves only the tools that it offers.
func TestCallOfToolset(t *testing.T) {
	s := newProduct(t)
	tides := call("noaa_get_tide_predictions", `{"station":"8443970"}`)
	places := call("leadline_find_places", `{"query":"Half Moon Bay, CA"}`)
	for _, test := range []struct{ query, body, want string }{
		{"", tides, "Boston"},
		{"toolsets=planning", places, "9414131"},
		{"tools=leadline_find_places", places, "9414131"},
		{"", places, `unknown tool \"leadline_find_places\"; it belongs to the tool set planning`},
		{"toolsets=planning", tides, `unknown tool \"noaa_get_tide_predictions\"; it belongs to`},
		{"tools=leadline_whoami", places, `unknown tool \"leadline_find_places\"`},
		{"toolsets=planning", call("leadline_find_place", `{}`), `did you mean \"leadline_find_places\"`},
	} {
		body, header := modernize(t, test.body)
		for era, got := range map[string]reply{
			"legacy": post(t, at(s, test.query), test.body),
			"modern": post(t, at(s, test.query), body, header...),
		} {
			refused := got.Error != nil && got.Error.Code == -32602
			if !strings.Contains(string(got.body), test.want) ||
				refused != strings.Contains(test.want, "unknown") && !strings.Contains(test.want, "mean") {
				t.Errorf("?%s, %s: %.300s, want %s", test.query, era, got.body, test.want)
			}
		}
	}
}

// TestToolsetsAreShort checks that the sets planning and everyday have at most 6,000 tokens of four
// characters each, planning and core together at most 15,000, and each tool of planning at most
// 640, with the response around the list.
func TestToolsetsAreShort(t *testing.T) {
	s := newProduct(t)
	limits := map[string]int{"toolsets=planning": 6_000, "toolsets=core,planning": 15_000,
		"toolsets=everyday": 6_000}
	for _, tool := range planningTools(t) {
		limits["tools="+tool] = 640
	}
	for query, limit := range limits {
		got := post(t, at(s, query), request("tools/list", "{}"))
		tokens := len(got.body) / 4
		t.Logf("?%s: %d tokens", query, tokens)
		if tokens > limit {
			t.Errorf("?%s has %d tokens, want at most %d", query, tokens, limit)
		}
	}
}

// TestToolsetsAreTheSame checks that the list of an address has the same bytes for all callers with
// a key or a token, and that others have it without the tool that leadline_best_times replaces.
func TestToolsetsAreTheSame(t *testing.T) {
	gate, anonymous, signedIn := newEndpoints(t, accesstest.Roomy(t))
	account := gate.Account(t, access.Pro)
	const query = "toolsets=planning"
	all := planningTools(t)
	without := slices.DeleteFunc(slices.Clone(all), func(name string) bool {
		return name == "leadline_best_window"
	})
	open := post(t, at(anonymous, query), request("tools/list", "{}"))
	if got := offered(t, open); !slices.Equal(got, without) || len(without) != len(all)-1 {
		t.Errorf("offers %v, want %v", got, without)
	}
	var want []byte
	for _, credential := range []string{gate.Key(t, account), gate.Token(t, account)} {
		got := post(t, at(signedIn, query), request("tools/list", "{}"),
			"Authorization", "Bearer "+credential)
		if names := offered(t, got); !slices.Equal(names, all) {
			t.Errorf("offers %v, want %v", names, all)
		}
		if want != nil && string(got.body) != string(want) {
			t.Errorf("%.100s, want %.100s", got.body, want)
		}
		want = got.body
	}
}

// TestStdioToolsets checks the tool sets of a server on standard input and output.
func TestStdioToolsets(t *testing.T) {
	s := newProductOffering(t, "planning")
	got := converse(t, s, handshake,
		`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
		strings.Replace(call("leadline_find_places", `{"query":"94019"}`), `"id":7`, `"id":3`, 1),
		strings.Replace(call("noaa_get_tide_predictions", `{}`), `"id":7`, `"id":4`, 1),
	)
	if got, want := offered(t, got["2"]), planningTools(t); !slices.Equal(got, want) {
		t.Errorf("offers %v, want %v", got, want)
	}
	if !strings.Contains(string(got["3"].Result), "9414131") {
		t.Errorf("places near 94019 = %s, want station 9414131", got["3"].Result)
	}
	if e := got["4"].Error; e == nil || !strings.Contains(e.Message, "unknown tool") {
		t.Errorf("a call of core = %+v, want an unknown tool", e)
	}
}

// TestUnknownDefaultToolset checks that a server with an unknown default tool set does not
// start.
func TestUnknownDefaultToolset(t *testing.T) {
	_, err := New(Config{
		Toolsets: []tools.Toolset{{Name: "core"}}, Offer: []string{"nothing"},
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	if err == nil || !strings.Contains(err.Error(), `invalid --toolsets: unknown tool set "nothing"`) {
		t.Errorf("New = %v, want an invalid --toolsets", err)
	}
}

// TestKeptLists checks that the number of cached lists is bounded, however many combinations
// of tools callers choose, and that lists beyond the bound are correct.
func TestKeptLists(t *testing.T) {
	s := newProduct(t)
	core := offered(t, post(t, s, request("tools/list", "{}")))
	for _, first := range core {
		for _, second := range core {
			want := []string{first, second}
			slices.Sort(want)
			want = slices.Compact(want)
			got := post(t, at(s, "tools="+second+","+first), request("tools/list", "{}"))
			if names := offered(t, got); !slices.Equal(names, want) {
				t.Fatalf("?tools=%s,%s offers %v", second, first, names)
			}
		}
	}
	if n := len(s.guard.tools.kept); n != mostLists {
		t.Errorf("%d lists are kept, want %d", n, mostLists)
	}
}

// FuzzToolsets checks that every query chooses known tools or is an error.
func FuzzToolsets(f *testing.F) {
	for _, query := range []string{
		"", "toolsets=core", "tools=a,b", "toolsets=%zz", "tools=&tools=a", "toolsets=x;tools=y",
	} {
		f.Add(query)
	}
	tool := func(name string) operation.Tool { return operation.Tool{Name: name} }
	c, err := newChoice([]tools.Toolset{
		{Name: "core", Tools: []operation.Tool{tool("a"), tool("b")}},
		{Name: "more", Tools: []operation.Tool{tool("b"), tool("c")}},
	}, nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, query string) {
		o, _, err := c.read(query)
		if n := len(c.namesOf(o)); err == nil && (n == 0 || o >= 1<<3) || err != nil && o != 0 {
			t.Errorf("read(%q) = %b, %v", query, o, err)
		}
	})
}
