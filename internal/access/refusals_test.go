package access_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"leadline/internal/access"
	"leadline/internal/access/accesstest"
	"leadline/internal/access/credential"
	"leadline/internal/access/limit"
	"leadline/internal/coast"
	"leadline/store"
)

// refusing returns a handler that admits requests to a path and refuses them with an error.
func (d endpoint) refusing(operation string, err error) http.Handler {
	return d.Wrap(d.on, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		refused := d.Admit(r, d.need)
		if refused == nil {
			refused = err
		}
		access.Refuse(r.Context(), operation, refused)
		coast.WriteError(w, refused)
	}))
}

// ask sends a request for a path with a key.
func ask(h http.Handler, path, key string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", path, nil)
	r.RemoteAddr = "192.0.2.1:1"
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// TestRefusals checks what is recorded of refused and failed requests, and that it is only for the
// account whose credential they had.
func TestRefusals(t *testing.T) {
	c := newClock(noon)
	d := newEndpoint(t, c, `{"free": {"perMinute": 5}}`)
	ann, bob := d.Account(t, access.Free), d.Account(t, access.Free)
	key, narrow, other := d.Key(t, ann), d.Key(t, ann, credential.UsageRead), d.Key(t, bob)
	mcp := d
	mcp.on = limit.MCP
	wrong := d.refusing("", coast.Errorf(coast.InvalidRequest, "invalid value %q", key))
	ask(wrong, "/api/v1/stations", "")
	ask(wrong, "/api/v1/stations", "ldl_live_nothing")
	first := ask(wrong, "/api/v1/stations?key=1", key)
	c.add(time.Second)
	ask(d.refusing("", nil), "/api/v1/tides", narrow)
	c.add(time.Second)
	ask(mcp.refusing("tools/call echo", errors.New("a detail")), "/mcp", key)
	ask(wrong, "/api/v1/other", other)
	d.withKey(key) // served
	ask(wrong, "/api/v1/2", key)
	ask(wrong, "/api/v1/3", key)
	ask(wrong, "/api/v1/"+strings.Repeat("x", 300), key) // the 6th of a minute

	got := d.Refusals(ann)
	if len(got) != 6 || len(d.Refusals(bob)) != 1 {
		t.Fatalf("%d and %d refusals, want 6 and 1: %+v", len(got), len(d.Refusals(bob)), got)
	}
	id := credential.Shown(strings.TrimPrefix(key, credential.Prefix)[:7])
	for i, want := range map[int]access.Refusal{
		5: {
			At: noon, RequestID: first.Header().Get("X-Request-Id"), Operation: "GET /api/v1/stations",
			Status: 400, Code: coast.InvalidRequest, Message: `invalid value "` + id + `"`, Key: key[9:16],
		},
		4: {
			At: noon.Add(time.Second), Operation: "GET /api/v1/tides", Status: 403,
			Code: coast.InsufficientScope,
			Message: "The key " + credential.Shown(narrow[9:16]) +
				" lacks the scope raw:read; it has usage:read.",
			Key: narrow[9:16],
		},
		3: {
			At: noon.Add(2 * time.Second), Surface: limit.MCP, Operation: "tools/call echo", Status: 500,
			Code:    coast.Internal,
			Message: "internal error; the response's X-Request-Id finds it in the log", Key: key[9:16],
		},
	} {
		if want.RequestID == "" {
			want.RequestID = got[i].RequestID
		}
		if got[i] != want {
			t.Errorf("refusal %d:\n got %+v\nwant %+v", i, got[i], want)
		}
	}
	if last := got[0]; last.Code != coast.RateLimited || len(last.Operation) > 160 ||
		!strings.HasSuffix(last.Operation, "x…") {
		t.Errorf("the last refusal is %+v, want rate_limited and a short operation", last)
	}
}

// TestRefusalsOfPanics checks that a response of 5xx without a reason is recorded, and that the
// pages of a person who is signed in are not.
func TestRefusalsOfPanics(t *testing.T) {
	d := newEndpoint(t, newClock(noon), `{}`)
	account := d.Account(t, access.Free)
	d.status = http.StatusInternalServerError
	if w := d.withKey(d.Key(t, account)); w.Code != 500 {
		t.Fatal(w.Code)
	}
	owner, err := d.Store.Account(t.Context(), account)
	if err != nil {
		t.Fatal(err)
	}
	pages := d.Wrap(limit.REST, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := d.SignedIn(r.Context(), owner); err != nil {
			t.Error(err)
		}
		access.Refuse(r.Context(), "", errors.New("a fault"))
		w.WriteHeader(http.StatusInternalServerError)
	}))
	ask(pages, "/account", "")
	got := d.Refusals(account)
	if len(got) != 1 || got[0].Code != coast.Internal || got[0].Operation != "GET /" {
		t.Errorf("the refusals are %+v, want one internal error of GET /", got)
	}
}

// TestRefusalsAreBounded checks that the newest refusals of the accounts that were refused last are
// kept, and that those of removed accounts are not.
func TestRefusalsAreBounded(t *testing.T) {
	t.Parallel()
	c := newClock(noon)
	d := endpoint{accesstest.New(t, accesstest.Roomy(t), c.now), limit.REST, data, http.StatusOK}
	first, often := d.Account(t, accesstest.Bench), d.Account(t, accesstest.Bench)
	firstKey, oftenKey := d.Key(t, first), d.Key(t, often)
	wrong := d.refusing("", coast.Errorf(coast.InvalidRequest, "wrong"))
	ask(wrong, "/first", firstKey)
	for i := range 60 {
		ask(wrong, fmt.Sprintf("/%d", i), oftenKey)
	}
	var got []string
	for _, r := range d.Refusals(often) {
		got = append(got, r.Operation)
	}
	if len(got) != 50 || got[0] != "GET /59" || got[49] != "GET /10" || !slices.IsSortedFunc(got,
		func(a, b string) int { return strings.Compare(b, a) }) {
		t.Errorf("the refusals are %v, want those of /59 to /10", got)
	}
	_, keys := d.Callers(t, 998, accesstest.Bench)
	for _, key := range keys {
		ask(wrong, "/", key)
	}
	ask(wrong, "/again", oftenKey)
	last := d.Account(t, accesstest.Bench)
	ask(wrong, "/", d.Key(t, last)) // the 1,001st account
	if len(d.Refusals(first)) != 0 || len(d.Refusals(often)) != 50 || len(d.Refusals(last)) != 1 {
		t.Errorf("%d, %d and %d refusals of the first, the second and the last account, want 0, 50, 1",
			len(d.Refusals(first)), len(d.Refusals(often)), len(d.Refusals(last)))
	}
	d.Invalidate([]store.Change{{}, {Key: "x"}, {Account: often}})
	if len(d.Refusals(often)) != 0 || len(d.Refusals(last)) != 1 {
		t.Error("removing an account does not remove its refusals, or removes those of others")
	}
}

// TestRefusalsOfManyRequests checks that requests at the same time are recorded for their accounts.
// The race detector checks the rest.
func TestRefusalsOfManyRequests(t *testing.T) {
	c := newClock(noon)
	d := endpoint{accesstest.New(t, accesstest.Roomy(t), c.now), limit.REST, data, http.StatusOK}
	wrong := d.refusing("", coast.Errorf(coast.InvalidRequest, "wrong"))
	var accounts []string
	var running sync.WaitGroup
	for i := range 4 {
		account := d.Account(t, accesstest.Bench)
		accounts = append(accounts, account)
		key := d.Key(t, account)
		running.Go(func() {
			for range 20 {
				ask(wrong, fmt.Sprintf("/%d", i), key)
				d.Refusals(account)
			}
		})
	}
	running.Wait()
	for i, account := range accounts {
		got := d.Refusals(account)
		other := func(r access.Refusal) bool { return r.Operation != fmt.Sprintf("GET /%d", i) }
		if len(got) != 20 || slices.ContainsFunc(got, other) {
			t.Errorf("account %d has %d refusals, want 20 of its own: %+v", i, len(got), got)
		}
	}
}

// BenchmarkRefusal measures a refused request, with the memory of the longest refusals that the
// gate keeps.
func BenchmarkRefusal(b *testing.B) {
	g := accesstest.New(b, accesstest.Roomy(b), fast())
	d := endpoint{g, limit.REST, data, http.StatusOK}
	wrong := d.refusing("", coast.Errorf(coast.InvalidRequest, "%s", strings.Repeat("wrong ", 200)))
	key := d.Key(b, d.Account(b, accesstest.Bench))
	path := "/" + strings.Repeat("x", 300)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	b.ReportAllocs()
	for b.Loop() {
		ask(wrong, path, key)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(int64(after.HeapAlloc)-int64(before.HeapAlloc))/50, "bytes/refusal")
	runtime.KeepAlive(g)
}
