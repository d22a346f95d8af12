package access_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"leadline/internal/access"
	"leadline/internal/access/accesstest"
	"leadline/internal/access/limit"
	"leadline/internal/edge"
)

// newGroupEndpoint returns an endpoint whose gate has groups, and trusts 10.0.0.0/8 as proxies.
func newGroupEndpoint(t *testing.T, groups limit.Groups) endpoint {
	t.Helper()
	c := newClock(noon)
	g := accesstest.New(t, access.BuiltIn(), c.now)
	start := c.now()
	g.Gate = access.New(access.Config{
		Store: g.Store, Keys: g.Keys, Plans: access.BuiltIn(), Groups: groups, Now: c.now,
		Elapsed:  func() time.Duration { return c.now().Sub(start) },
		Proxies:  []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")},
		AppendID: edge.AppendID, Log: slog.New(slog.DiscardHandler), Refilled: func(uint64, error) {},
	})
	t.Cleanup(func() { g.Gate.Close() })
	return endpoint{g, limit.REST, data, http.StatusOK}
}

func readGroups(t *testing.T, text string) limit.Groups {
	t.Helper()
	groups, err := limit.ReadGroups(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return groups
}

// TestBuiltInGroup checks the limit in the headers for addresses in and next to the networks
// that Anthropic publishes: 160.79.104.0/21 and 2607:6bc0::/48.
func TestBuiltInGroup(t *testing.T) {
	d := newGroupEndpoint(t, limit.BuiltInGroups())
	for _, test := range []struct {
		address, forwarded string
		limit, remaining   int
	}{
		{"160.79.104.0:1", "", 6000, 5999},
		{"160.79.111.255:1", "", 6000, 5998},
		{"[2607:6bc0::1]:1", "", 6000, 5997},
		{"[2607:6bc0:0:ffff:ffff::]:1", "", 6000, 5996},
		{"[::ffff:160.79.106.1]:1", "", 6000, 5995},
		{"10.0.0.1:1", "160.79.107.1", 6000, 5994},
		{"160.79.103.255:1", "", 30, 29},
		{"160.79.112.0:1", "", 30, 29},
		{"[2607:6bbf:ffff::1]:1", "", 30, 29},
		{"[2607:6bc0:1::1]:1", "", 30, 29},
		{"192.0.2.1:1", "160.79.107.1", 30, 29},               // not a proxy
		{"10.0.0.1:1", "160.79.107.1, 192.0.2.2", 30, 29},     // header set by the client itself
		{"160.79.107.2:1", "192.0.2.3", 6000, 5993},           // a member is not a proxy either
		{"10.0.0.1:1", "192.0.2.4, 160.79.107.1", 6000, 5992}, // the last of two hops counts
		{"10.0.0.1:1", "160.79.107.1, 10.0.0.2", 6000, 5991},  // through two proxies
		{"10.0.0.1:1", "160.79.107.1, nonsense", 30, 29},      // the proxy itself
	} {
		w := d.send(request(test.address, "X-Forwarded-For", test.forwarded))
		limit, remaining := figure(t, w, "X-RateLimit-Limit"), figure(t, w, "X-RateLimit-Remaining")
		if w.Code != 200 || limit != test.limit || remaining != test.remaining {
			t.Errorf("%s, %q: %d, %d of %d, want %d of %d", test.address, test.forwarded, w.Code, remaining,
				limit, test.remaining, test.limit)
		}
	}
}

// TestGroupShares checks that the members of a group share one limit on each surface, with any
// headers. Other addresses and callers with a credential must have their own limit.
func TestGroupShares(t *testing.T) {
	d := newGroupEndpoint(t, readGroups(t, `[
		{"name": "campus", "networks": ["192.0.2.0/25", "2001:db8::/48"], "perMinute": 40},
		{"name": "harbor", "networks": ["192.0.2.128/25"], "perMinute": 1}]`))
	key := d.Key(t, d.Account(t, access.Free))
	addresses := []string{"192.0.2.1:1", "192.0.2.127:1", "[2001:db8:0:7::1]:1"}
	for i := range 40 {
		if w := d.send(request(addresses[i%3])); w.Code != 200 ||
			figure(t, w, "X-RateLimit-Remaining") != 39-i {
			t.Fatalf("request %d: %d %v", i, w.Code, w.Header())
		}
	}
	for _, address := range addresses {
		if w := d.send(request(address)); w.Code != 429 || figure(t, w, "Retry-After") != 61 {
			t.Errorf("%s: %d, Retry-After %s, want 429, 61", address, w.Code, w.Header().Get("Retry-After"))
		}
	}
	if w := d.send(request("192.0.2.2:1", "x-api-key", "nonsense")); w.Code != 429 {
		t.Errorf("a bad credential: %d, want 429", w.Code)
	}
	if w := d.send(request("192.0.2.2:1", "x-api-key", key)); w.Code != 200 ||
		figure(t, w, "X-RateLimit-Limit") != 300 {
		t.Errorf("a key: %d, limit %s, want 200, 300", w.Code, w.Header().Get("X-RateLimit-Limit"))
	}
	mcp := d
	mcp.on = limit.MCP
	if w := mcp.send(request("192.0.2.1:1")); w.Code != 200 ||
		figure(t, w, "X-RateLimit-Remaining") != 39 {
		t.Errorf("MCP: %d %v", w.Code, w.Header())
	}
	for i, want := range []int{200, 429} {
		if w := d.send(request(fmt.Sprintf("192.0.2.%d:1", 200+i))); w.Code != want {
			t.Errorf("another group, request %d: %d, want %d", i, w.Code, want)
		}
	}
	if w := d.send(request("192.0.3.0:1")); w.Code != 200 || figure(t, w, "X-RateLimit-Limit") != 30 {
		t.Errorf("an address outside: %d, limit %s", w.Code, w.Header().Get("X-RateLimit-Limit"))
	}
}

// TestGroupOfTheFile checks that a group in the file replaces the built-in group of the same
// name, and that a group without networks removes it.
func TestGroupOfTheFile(t *testing.T) {
	for _, test := range []struct {
		file  string
		limit int
	}{
		{`[]`, 6000},
		{`[{"name": "other", "networks": ["192.0.2.0/24"], "perMinute": 5}]`, 6000},
		{`[{"name": "anthropic", "networks": ["160.79.104.0/23"], "perMinute": 50}]`, 50},
		{`[{"name": "anthropic", "networks": ["192.0.2.0/24"], "perMinute": 50}]`, 30},
		{`[{"name": "anthropic", "networks": []}]`, 30},
	} {
		w := newGroupEndpoint(t, readGroups(t, test.file)).send(request("160.79.104.1:1"))
		if got := figure(t, w, "X-RateLimit-Limit"); got != test.limit {
			t.Errorf("%s: limit %d, want %d", test.file, got, test.limit)
		}
	}
}

// TestGroupOfCaller checks that a caller without a credential has the name of its group.
func TestGroupOfCaller(t *testing.T) {
	d := newGroupEndpoint(t, limit.BuiltInGroups())
	key := d.Key(t, d.Account(t, access.Free))
	for _, test := range []struct {
		r    *http.Request
		want string
	}{
		{request("160.79.104.1:1"), "anthropic"}, {request("192.0.2.1:1"), ""},
		{request("160.79.104.1:1", "x-api-key", key), ""},
	} {
		var got access.Caller
		d.Wrap(d.on, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			if err := d.Admit(r, d.need); err != nil {
				t.Error(err)
			}
			got, _ = access.CallerFrom(r.Context())
		})).ServeHTTP(&discard{header: http.Header{}}, test.r)
		if got.Group != test.want {
			t.Errorf("%s: group %q, want %q", test.r.RemoteAddr, got.Group, test.want)
		}
	}
}

func TestReadGroupsRefuses(t *testing.T) {
	const list = "one JSON list"
	group := func(members string) string { return `[{"name": "a", ` + members + `}]` }
	many := func(n int, form string) string {
		var items []string
		for i := range n {
			items = append(items, fmt.Sprintf(form, i, i/256, i%256))
		}
		return strings.Join(items, ",")
	}
	for text, want := range map[string]string{
		``: list, `null`: list, `{}`: list, `[] []`: list, `["a"]`: list,
		group(`"networks": ["192.0.2.0/24"], "perMinute": 5, "limit": 1`):                      `unknown member "limit"`,
		group(`"networks": ["192.0.2.0/24"], "perminute": 5`):                                  `unknown member "perminute"`,
		group(`"networks": ["192.0.2.0/24"], "perMinute": "5"`):                                `invalid "perMinute": a JSON string`,
		group(`"networks": ["192.0.2.0/24"], "perMinute": 1.5`):                                list,
		group(`"networks": ["192.0.2.0/24"]`):                                                  "perMinute is missing",
		group(`"networks": ["192.0.2.0/24"], "perMinute": 0`):                                  "perMinute must be from 1 to 65535, not 0",
		group(`"networks": ["192.0.2.0/24"], "perMinute": 65536`):                              "perMinute must be from 1 to 65535, not 65536",
		group(`"networks": [], "perMinute": 5`):                                                "at least one network",
		group(`"perMinute": 5`):                                                                "at least one network",
		group(`"networks": ["192.0.2.0/33"], "perMinute": 5`):                                  `network "192.0.2.0/33": write it as`,
		group(`"networks": ["192.0.2.1"], "perMinute": 5`):                                     `network "192.0.2.1": write it as`,
		group(`"networks": ["::ffff:192.0.2.0/120"], "perMinute": 5`):                          "write it as",
		group(`"networks": ["fe80::%eth0/64"], "perMinute": 5`):                                "write it as",
		group(`"networks": ["192.0.2.1/24"], "perMinute": 5`):                                  "did you mean 192.0.2.0/24?",
		group(`"networks": ["2001:db8::1/48"], "perMinute": 5`):                                "did you mean 2001:db8::/48?",
		group(`"networks": ["192.0.2.0/24", "192.0.2.0/24"], "perMinute":5`):                   "overlap",
		group(`"networks": ["0.0.0.0/0"], "perMinute": 5`):                                     `160.79.104.0/21 of group "anthropic" overlap`,
		group(`"networks": ["160.79.105.0/24"], "perMinute": 5`):                               `160.79.104.0/21 of group "anthropic" and 160.79.105.0/24 of group "a" overlap`,
		group(`"networks": ["192.0.2.0/24", "192.0.2.64/26", "192.0.3.0/24"], "perMinute": 5`): "overlap",
		group(`"networks": ["2001:db8::/32", "2001:db8:7::/48"], "perMinute": 5`):              "overlap",
		`[{"name": "A", "networks": ["192.0.2.0/24"], "perMinute": 5}]`:                        "must be 1 to 32",
		`[{"networks": ["192.0.2.0/24"], "perMinute": 5}]`:                                     "must be 1 to 32",
		`[{"name": "a", "networks": ["192.0.2.0/24"], "perMinute": 5},
		  {"name": "a", "networks": ["192.0.3.0/24"], "perMinute": 5}]`: "duplicate name",
		`[` + many(20, `{"name": "g%d", "networks": ["10.%d.%d.0/24"], "perMinute": 5}`) +
			`]`: "21 groups: at most 20",
		group(`"perMinute": 5, "networks": [` + many(1001, `"%[2]d.%[3]d.0.0/16"`) +
			`]`): "1001 networks: at most 1000",
	} {
		if _, err := limit.ReadGroups(strings.NewReader(text)); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("ReadGroups(%.200s) = %v, want %q", text, err, want)
		}
	}
}
