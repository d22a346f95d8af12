package access_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"leadline/internal/access"
	"leadline/internal/access/accesstest"
	"leadline/internal/access/credential"
	"leadline/internal/access/limit"
	"leadline/internal/coast"
	"leadline/internal/trials"
	"leadline/store"
)

// clock is a clock that the test sets.
type clock struct{ nanoseconds atomic.Int64 }

func newClock(at time.Time) *clock {
	c := &clock{}
	c.set(at)
	return c
}

func (c *clock) now() time.Time      { return time.Unix(0, c.nanoseconds.Load()).UTC() }
func (c *clock) set(at time.Time)    { c.nanoseconds.Store(at.UnixNano()) }
func (c *clock) add(d time.Duration) { c.nanoseconds.Add(int64(d)) }

// noon is a time in the middle of a month.
var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// data is the Need of a data route.
var data = access.Need{By: access.Nobody | access.Key, Scopes: []string{credential.RawRead}}

// endpoint is a handler behind a gate. It calls Admit and Spend, and responds with a configured
// status.
type endpoint struct {
	*accesstest.Gate
	on     limit.Surface
	need   access.Need
	status int
}

func (d endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.Wrap(d.on, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := d.Admit(r, d.need)
		if err == nil {
			err = d.Spend(r.Context())
		}
		if err != nil {
			coast.WriteError(w, err)
			return
		}
		w.WriteHeader(d.status)
	})).ServeHTTP(w, r)
}

// request returns a request from an address, with headers in pairs.
func request(address string, headers ...string) *http.Request {
	r := httptest.NewRequest("GET", "/", nil)
	r.RemoteAddr = address
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return r
}

func (d endpoint) send(r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	d.ServeHTTP(w, r)
	return w
}

// statusOf sends a request and returns the status of the response alone.
func (d endpoint) statusOf(r *http.Request) int {
	w := &discard{header: http.Header{}}
	d.ServeHTTP(w, r)
	return w.status
}

// withKey sends a request with a key.
func (d endpoint) withKey(key string) *httptest.ResponseRecorder {
	return d.send(request("192.0.2.1:1", "Authorization", "Bearer "+key))
}

func code(w *httptest.ResponseRecorder) coast.Code {
	var body struct{ Error coast.Error }
	json.Unmarshal(w.Body.Bytes(), &body)
	return body.Error.Code
}

// figure returns the value of a numeric header.
func figure(t *testing.T, w *httptest.ResponseRecorder, name string) int {
	t.Helper()
	n, err := strconv.Atoi(w.Header().Get(name))
	if err != nil {
		t.Errorf("%s: %q is not a number", name, w.Header().Get(name))
	}
	return n
}

func newEndpoint(t *testing.T, c *clock, plans string) endpoint {
	t.Helper()
	return endpoint{accesstest.New(t, readPlans(t, plans), c.now), limit.REST, data, http.StatusOK}
}

func readPlans(t *testing.T, plans string) access.Plans {
	t.Helper()
	p, err := access.ReadPlans(strings.NewReader(plans))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestAnonymous checks the limit of 30 requests in any 60 seconds for each address on each
// surface, and its headers.
func TestAnonymous(t *testing.T) {
	c := newClock(noon)
	rest := newEndpoint(t, c, `{}`)
	mcp := rest
	mcp.on = limit.MCP
	for _, d := range []endpoint{rest, mcp} {
		for i := range 30 {
			w := d.send(request("192.0.2.1:1"))
			if w.Code != 200 || figure(t, w, "X-RateLimit-Limit") != 30 ||
				figure(t, w, "X-RateLimit-Remaining") != 29-i ||
				figure(t, w, "X-RateLimit-Reset") != int(noon.Unix())+61 {
				t.Fatalf("request %d: %d %v", i, w.Code, w.Header())
			}
		}
		w := d.send(request("192.0.2.1:2"))
		if w.Code != 429 || code(w) != coast.RateLimited || w.Header().Get("Retry-After") != "61" ||
			figure(t, w, "X-RateLimit-Remaining") != 0 ||
			figure(t, w, "X-RateLimit-Reset") != int(noon.Unix())+61 {
			t.Errorf("the 31st: %d %v %s", w.Code, w.Header(), w.Body)
		}
		if w := d.send(request("192.0.2.2:1")); w.Code != 200 {
			t.Errorf("another address: %d", w.Code)
		}
	}
	c.add(61 * time.Second)
	w := rest.send(request("192.0.2.1:1"))
	if w.Code != 200 {
		t.Errorf("a minute later: %d", w.Code)
	}
	// Minutes since 12:01:01 on the 20th, including the current one.
	const left = 10*24*60 + 12*60 - 1 - 1
	limit, remaining := figure(t, w, "X-Quota-Month-Limit"), figure(t, w, "X-Quota-Month-Remaining")
	if limit != 30*30*24*60 || remaining != 30*(left+1) {
		t.Errorf("month %d, %d left, want %d, %d", limit, remaining, 30*30*24*60, 30*(left+1))
	}
	got, want := figure(t, w, "X-Quota-Month-Reset"),
		int(time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC).Unix())
	if got != want || w.Header().Get("X-Quota-Warning") != "none" {
		t.Errorf("month ends %d, want %d; warning %q", got, want, w.Header().Get("X-Quota-Warning"))
	}
}

// TestCase57Networks checks that IPv6 counts by /64, and that a client cannot change its
// address with headers.
func TestCase57Networks(t *testing.T) {
	d := newEndpoint(t, newClock(noon), `{"anonymous": {"perMinute": 2}}`)
	for i, test := range []struct {
		address, forwarded string
		status             int
	}{
		{"[2001:db8:1:2::1]:1", "", 200},
		{"[2001:db8:1:2:ffff::2]:1", "", 200},
		{"[2001:db8:1:2::3]:1", "", 429},
		{"[2001:db8:1:3::1]:1", "", 200},
		{"192.0.2.1:1", "203.0.113.1", 200},
		{"192.0.2.1:1", "203.0.113.2", 200},
		{"192.0.2.1:1", "203.0.113.3", 429},
	} {
		if w := d.send(request(test.address, "X-Forwarded-For", test.forwarded)); w.Code != test.status {
			t.Errorf("%d: %s, %s: %d, want %d", i, test.address, test.forwarded, w.Code, test.status)
		}
	}
}

// TestCredentials checks that every credential in a request is checked. An invalid one does not
// fall back to anonymous access, and counts in the limit of the address.
func TestCredentials(t *testing.T) {
	d := newEndpoint(t, newClock(noon), `{"anonymous": {"perMinute": 60000}}`)
	free := d.Account(t, access.Free)
	key, other := d.Key(t, free), d.Key(t, free)
	narrow := d.Key(t, free, credential.UsageRead)
	unknown := accesstest.New(t, access.BuiltIn(), accesstest.Now)
	foreign := unknown.Key(t, unknown.Account(t, access.Pro))
	gone := d.Key(t, d.Account(t, "gold"))
	// One character of the secret differs.
	changed := []byte(key)
	if changed[20]++; key[20] == 'z' {
		changed[20] = 'a'
	}
	misspelled := string(changed)
	for _, test := range []struct {
		name    string
		headers []string
		status  int
		code    coast.Code
		limit   int
	}{
		{"none", nil, 200, "", 60000},
		{"Bearer", []string{"Authorization", "Bearer " + key}, 200, "", 300},
		{"bearer in lower case", []string{"Authorization", "bearer  " + key}, 200, "", 300},
		{"x-api-key", []string{"x-api-key", key}, 200, "", 300},
		{"the same twice", []string{"Authorization", "Bearer " + key, "x-api-key", key}, 200, "", 300},
		{"two different", []string{"Authorization", "Bearer " + key, "x-api-key", other}, 400,
			coast.InvalidRequest, 60000},
		{"two Bearers", []string{"Authorization", "Bearer " + key, "Authorization", "Bearer " + other},
			400, coast.InvalidRequest, 60000},
		{"misspelled", []string{"x-api-key", misspelled}, 401, coast.InvalidCredential, 60000},
		{"of another server", []string{"x-api-key", foreign}, 401, coast.InvalidCredential, 60000},
		{"empty", []string{"x-api-key", ""}, 401, coast.InvalidCredential, 60000},
		{"Bearer alone", []string{"Authorization", "Bearer "}, 401, coast.InvalidCredential, 60000},
		{"Basic", []string{"Authorization", "Basic " + key}, 401, coast.InvalidCredential, 60000},
		{"a token", []string{"Authorization", "Bearer eyJhbGciOiJSUzI1NiJ9.e30.x"}, 401,
			coast.InvalidCredential, 60000},
		{"another scope", []string{"x-api-key", narrow}, 403, coast.InsufficientScope, 300},
		{"a plan that is gone", []string{"x-api-key", gone}, 403, coast.PlanRequired, 60000},
	} {
		w := d.send(request("192.0.2.1:1", test.headers...))
		if w.Code != test.status || code(w) != test.code ||
			figure(t, w, "X-RateLimit-Limit") != test.limit {
			t.Errorf("%s: %d %s, limit %s, want %d %s, %d", test.name, w.Code, w.Body,
				w.Header().Get("X-RateLimit-Limit"), test.status, test.code, test.limit)
		}
		if got, want := w.Header().Get("WWW-Authenticate"), map[coast.Code]string{
			coast.InvalidCredential: `Bearer error="invalid_token"`,
			coast.InsufficientScope: `Bearer error="insufficient_scope", scope="raw:read"`,
		}[test.code]; got != want {
			t.Errorf("%s: WWW-Authenticate %q, want %q", test.name, got, want)
		}
		if test.status == 401 || test.status == 400 {
			before := figure(t, w, "X-RateLimit-Remaining")
			after := figure(t, d.send(request("192.0.2.1:1", test.headers...)), "X-RateLimit-Remaining")
			if after != before-1 {
				t.Errorf("%s: %d left after %d", test.name, after, before)
			}
		}
	}
	r := request("192.0.2.1:1")
	r.URL.RawQuery = "api_key=" + key + "&x-api-key=" + key + "&access_token=" + key
	if w := d.send(r); w.Code != 200 || figure(t, w, "X-RateLimit-Limit") != 60000 {
		t.Errorf("a key in the query string was accepted: %v", w.Header())
	}
}

// TestNeeds checks which callers an operation accepts.
func TestNeeds(t *testing.T) {
	d := newEndpoint(t, newClock(noon), `{}`)
	pro, free := d.Account(t, access.Pro), d.Account(t, access.Free)
	keys := map[string]string{
		"nobody": "", "free": d.Key(t, free), "pro": d.Key(t, pro),
		"pro without the scope": d.Key(t, pro, credential.RawRead, credential.MCPUse),
	}
	keyed := access.Need{
		By: access.Key, Scopes: []string{credential.DecisionRead}, Feature: access.DecisionAPI,
	}
	session := access.Need{By: access.Session}
	for _, test := range []struct {
		who    string
		need   access.Need
		status int
		code   coast.Code
	}{
		{"nobody", data, 200, ""}, {"free", data, 200, ""}, {"pro", data, 200, ""},
		{"nobody", keyed, 401, coast.CredentialRequired},
		{"free", keyed, 403, coast.PlanRequired},
		{"pro", keyed, 200, ""},
		{"pro without the scope", keyed, 403, coast.InsufficientScope},
		{"nobody", session, 401, coast.CredentialRequired},
		{"pro", session, 403, coast.InsufficientScope},
	} {
		d.need = test.need
		w := d.send(request("192.0.2.1:1"))
		if test.who != "nobody" {
			w = d.withKey(keys[test.who])
		}
		if w.Code != test.status || code(w) != test.code {
			t.Errorf("%s, %+v: %d %s, want %d %s",
				test.who, test.need, w.Code, w.Body, test.status, test.code)
		}
	}
}

// TestSession checks that operations that allow sessions accept a browser session until it
// expires, and that a page of another site cannot use it.
func TestSession(t *testing.T) {
	c := newClock(noon)
	d := newEndpoint(t, c, `{}`)
	account := d.Account(t, access.Pro)
	err := d.Store.AddSession(t.Context(), store.Session{
		Hash: sha256.Sum256([]byte("s3cret")), Account: account, Created: noon,
		Expires: noon.Add(time.Hour),
	})
	if err != nil {
		t.Fatal(err)
	}
	send := func(method, secret, site string) *httptest.ResponseRecorder {
		r := request("192.0.2.1:1", "Sec-Fetch-Site", site)
		r.Method = method
		r.AddCookie(&http.Cookie{Name: credential.SessionCookie(false), Value: secret})
		return d.send(r)
	}
	d.need = access.Need{By: access.Session}
	for _, test := range []struct {
		method, secret, site string
		after                time.Duration
		status               int
	}{
		{"POST", "s3cret", "same-origin", 0, 200}, {"GET", "s3cret", "none", 0, 200},
		{"POST", "s3cret", "cross-site", 0, 403}, {"POST", "s3cret", "same-site", 0, 403},
		{"POST", "guess", "same-origin", 0, 401}, {"POST", "", "same-origin", 0, 401},
		{"POST", "s3cret", "same-origin", time.Hour, 401},
	} {
		c.set(noon.Add(test.after))
		if w := send(test.method, test.secret, test.site); w.Code != test.status {
			t.Errorf("%+v: %d %s", test, w.Code, w.Body)
		}
	}
	c.set(noon)
	d.need = data
	if w := send("GET", "s3cret", "none"); w.Code != 200 || figure(t, w, "X-RateLimit-Limit") != 30 {
		t.Errorf("a session was accepted by an operation for keys: %v", w.Header())
	}
}

// TestMonthServesAll checks that a monthly quota serves exactly its number of requests to 64
// concurrent callers with two keys of one account.
func TestMonthServesAll(t *testing.T) {
	t.Parallel()
	limit := int64(min(30*trials.Cases(), 60_000)) // the rate limit has room for more
	d := newEndpoint(t, newClock(noon),
		fmt.Sprintf(`{"free": {"perMinute": 65535, "perMonth": %d}}`, limit))
	account := d.Account(t, access.Free)
	keys := []string{d.Key(t, account), d.Key(t, account)}
	var served, refused atomic.Int64
	var callers sync.WaitGroup
	for i := range 64 {
		callers.Go(func() {
			for n := 0; n < 20; {
				switch w := d.withKey(keys[i%2]); {
				case w.Code == 200:
					served.Add(1)
				case w.Code == 429 && code(w) == coast.QuotaExceeded:
					refused.Add(1)
					n++
				default:
					t.Errorf("%d %s", w.Code, w.Body)
					return
				}
			}
		})
	}
	callers.Wait()
	if served.Load() != limit || refused.Load() != 64*20 {
		t.Errorf("%d served, %d refused, want %d, %d", served.Load(), refused.Load(), limit, 64*20)
	}
	w := d.withKey(keys[0])
	next := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	if got, want := figure(t, w, "Retry-After"), int(next.Sub(noon)/time.Second); w.Code != 429 ||
		got != want || figure(t, w, "X-Quota-Month-Remaining") != 0 ||
		w.Header().Get("X-Quota-Warning") != "exhausted" ||
		figure(t, w, "X-Quota-Month-Reset") != int(next.Unix()) {
		t.Errorf("afterwards: %d %v, want Retry-After %d", w.Code, w.Header(), want)
	}
}

// TestQuotaHeaders checks that the remaining quota is exact after every request, and that the
// warning changes at its thresholds.
func TestQuotaHeaders(t *testing.T) {
	d := newEndpoint(t, newClock(noon), `{"free": {"perMonth": 100}}`)
	key := d.Key(t, d.Account(t, access.Free))
	for i := 1; i <= 100; i++ {
		w := d.withKey(key)
		want := "none"
		switch {
		case i == 100:
			want = "exhausted"
		case i >= 95:
			want = "critical"
		case i >= 80:
			want = "approaching"
		}
		if w.Code != 200 || figure(t, w, "X-Quota-Month-Remaining") != 100-i ||
			figure(t, w, "X-Quota-Month-Limit") != 100 || w.Header().Get("X-Quota-Warning") != want {
			t.Fatalf("request %d: %d %v, want %s", i, w.Code, w.Header(), want)
		}
	}
}

// TestMonthTurns checks that the whole quota is available at 00:00 UTC, no matter how many
// units of the previous month are leased.
func TestMonthTurns(t *testing.T) {
	end := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	c := newClock(end.Add(-time.Nanosecond))
	d := newEndpoint(t, c, `{"free": {"perMonth": 20}}`)
	key := d.Key(t, d.Account(t, access.Free))
	for range 20 {
		d.withKey(key)
	}
	if w := d.withKey(key); w.Code != 429 || w.Header().Get("Retry-After") != "1" {
		t.Errorf("the 21st, at the last moment: %d %v", w.Code, w.Header())
	}
	c.set(end)
	w := d.withKey(key)
	if w.Code != 200 || figure(t, w, "X-Quota-Month-Remaining") != 19 ||
		figure(t, w, "X-Quota-Month-Reset") != int(time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC).Unix()) {
		t.Errorf("the first of December: %d %v", w.Code, w.Header())
	}
	for range 19 {
		d.withKey(key)
	}
	if w := d.withKey(key); w.Code != 429 {
		t.Errorf("the 21st of December: %d", w.Code)
	}
}

// TestRevokedKeyIsRefused checks that the next request after a revocation is refused. No cache
// may return the key, and no concurrent request that has just read it may add it again.
func TestRevokedKeyIsRefused(t *testing.T) {
	t.Parallel()
	d := newEndpoint(t, newClock(noon),
		`{"anonymous": {"perMinute": 65535}, "free": {"perMinute": 65535, "perMonth": 1000000}}`)
	account := d.Account(t, access.Free)
	const most = 50 // rounds of 800 requests: the clock does not leave the minute of the limit
	for range min(most, trials.Cases()/10) {
		key := d.Key(t, account)
		var dead atomic.Bool
		var callers sync.WaitGroup
		for range 4 {
			callers.Go(func() {
				for range 200 {
					was := dead.Load()
					if w := d.withKey(key); w.Code == 200 && was {
						t.Error("served after the revocation")
					}
				}
			})
		}
		if err := d.Keys.Revoke(t.Context(),
			key[len(credential.Prefix):len(credential.Prefix)+7]); err != nil {
			t.Error(err)
		}
		dead.Store(true)
		callers.Wait()
		if w := d.withKey(key); w.Code != 401 {
			t.Errorf("status %d with a revoked key", w.Code)
		}
	}
}

// TestReroll checks that the new key works at once and the old one during its grace period,
// that both share the quota, and that expired ones are refused.
func TestReroll(t *testing.T) {
	c := newClock(noon)
	d := newEndpoint(t, c, `{}`)
	account := d.Account(t, access.Free)
	old, made, err := d.Keys.Create(t.Context(), credential.NewKey{
		Account: account, Name: "boat", Scopes: []string{credential.RawRead},
		Expires: noon.Add(48 * time.Hour),
	})
	if err != nil {
		t.Fatal(err)
	}
	d.withKey(old)
	key, next, err := d.Keys.Reroll(t.Context(), made.ID, time.Hour)
	if err != nil || next.From != made.ID || next.Name != "boat" || !next.Expires.Equal(made.Expires) {
		t.Fatalf("%+v, %v", next, err)
	}
	if w := d.withKey(key); w.Code != 200 || figure(t, w, "X-Quota-Month-Remaining") != 9998 {
		t.Errorf("the new key: %d %v", w.Code, w.Header())
	}
	for _, test := range []struct {
		after    time.Duration
		old, new int
	}{
		{time.Hour - 1, 200, 200},
		{time.Hour, 401, 200},
		{48*time.Hour - 1, 401, 200},
		{48 * time.Hour, 401, 401},
	} {
		c.set(noon.Add(test.after))
		if o, n := d.withKey(old).Code, d.withKey(key).Code; o != test.old || n != test.new {
			t.Errorf("after %v: old %d, new %d, want %d, %d", test.after, o, n, test.old, test.new)
		}
	}
	for _, id := range []string{made.ID, "0000000"} {
		if _, _, err := d.Keys.Reroll(t.Context(), id, 0); err == nil {
			t.Errorf("the inactive or unknown key %s was replaced", id)
		}
	}
}

// TestRerollTwice checks that a replaced key cannot be replaced again during its grace period,
// because the new key would expire with it.
func TestRerollTwice(t *testing.T) {
	d := newEndpoint(t, newClock(noon), `{}`)
	_, made, err := d.Keys.Create(t.Context(), credential.NewKey{
		Account: d.Account(t, access.Free), Scopes: []string{credential.RawRead},
	})
	if err != nil {
		t.Fatal(err)
	}
	_, next, err := d.Keys.Reroll(t.Context(), made.ID, 24*time.Hour)
	if err != nil || !next.Expires.IsZero() {
		t.Fatalf("%+v, %v", next, err)
	}
	if _, _, err := d.Keys.Reroll(t.Context(), made.ID, 0); err == nil ||
		!strings.Contains(err.Error(), "has been replaced by "+credential.Shown(next.ID)) {
		t.Errorf("replaced twice: %v", err)
	}
	if _, _, err := d.Keys.Reroll(t.Context(), next.ID, 0); err != nil {
		t.Errorf("the new key: %v", err)
	}
}

// TestRefund checks that a request that is refused, or that fails for a reason outside the
// caller's control, does not use the quota, and that all others do.
func TestRefund(t *testing.T) {
	d := newEndpoint(t, newClock(noon), `{}`)
	key := d.Key(t, d.Account(t, access.Free))
	left := 10_000
	for _, test := range []struct{ status, price int }{
		{200, 1},
		{304, 1},
		{404, 1},
		{400, 0},
		{500, 0},
		{503, 0},
		{200, 1},
	} {
		d.status = test.status
		left -= test.price
		if w := d.withKey(key); w.Code != test.status || figure(t, w, "X-Quota-Month-Remaining") != left {
			t.Errorf("%d: %d left, want %d", test.status, figure(t, w, "X-Quota-Month-Remaining"), left)
		}
	}
}

// TestLeaseIsReturned checks that unspent units are returned when the server stops.
func TestLeaseIsReturned(t *testing.T) {
	d := newEndpoint(t, newClock(noon), `{}`)
	account := d.Account(t, access.Free)
	key := d.Key(t, account)
	for range 7 {
		d.withKey(key)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if used, err := d.Store.Usage(t.Context(), account, 202611); err != nil || used != 7 {
		t.Errorf("%d used, %v, want 7", used, err)
	}
}

// TestPlanChanges checks that a new plan applies from the next request on. Used units remain
// used, and leased units beyond a smaller limit are returned.
func TestPlanChanges(t *testing.T) {
	d := newEndpoint(t, newClock(noon), `{"free": {"perMonth": 10}}`)
	account := d.Account(t, access.Free)
	key := d.Key(t, account)
	move := func(plan string) {
		t.Helper()
		if err := d.Store.SetPlan(t.Context(), account, plan); err != nil {
			t.Fatal(err)
		}
		d.Keys.Invalidate([]store.Change{{}})
	}
	for range 10 {
		d.withKey(key)
	}
	if w := d.withKey(key); w.Code != 429 {
		t.Fatalf("the 11th: %d", w.Code)
	}
	move("pro")
	if w := d.withKey(key); w.Code != 200 || figure(t, w, "X-Quota-Month-Remaining") != 250_000-11 ||
		figure(t, w, "X-RateLimit-Limit") != 3000 {
		t.Errorf("pro: %d %v", w.Code, w.Header())
	}
	move("free")
	if w := d.withKey(key); w.Code != 429 || figure(t, w, "X-Quota-Month-Remaining") != 0 ||
		w.Header().Get("X-Quota-Warning") != "exhausted" {
		t.Errorf("free again: %d %v", w.Code, w.Header())
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if used, err := d.Store.Usage(t.Context(), account, 202611); err != nil || used != 11 {
		t.Errorf("%d used, %v, want 11", used, err)
	}
}

// TestLastUse checks that a key's last use is stored with its day and network, and not with the
// address.
func TestLastUse(t *testing.T) {
	c := newClock(noon)
	d := newEndpoint(t, c, `{}`)
	key := d.Key(t, d.Account(t, access.Free))
	for _, test := range []struct {
		after            time.Duration
		address, network string
	}{
		{0, "192.0.2.77:1", "192.0.2.0/24"},
		{30 * time.Second, "198.51.100.1:1", "192.0.2.0/24"}, // too soon to write again
		{2 * time.Minute, "[2001:db8:1:2::1]:1", "2001:db8:1::/48"},
	} {
		c.set(noon.Add(test.after))
		d.send(request(test.address, "x-api-key", key))
		d.Close() // waits for the write
		k, err := d.Store.Key(t.Context(), key[len(credential.Prefix):len(credential.Prefix)+7])
		if err != nil || !k.LastUsed.Equal(noon.Truncate(24*time.Hour)) || k.LastAddress != test.network {
			t.Errorf("%v: used %v from %q, %v, want %q",
				test.after, k.LastUsed, k.LastAddress, err, test.network)
		}
	}
}

// TestPepperIsChecked checks that a wrong pepper, with which no key would be accepted, is an
// error at startup.
func TestPepperIsChecked(t *testing.T) {
	g := accesstest.New(t, access.BuiltIn(), accesstest.Now)
	if seen, err := credential.Peppered(t.Context(), g.Store); seen || err != nil {
		t.Errorf("a new store has seen a pepper: %v, %v", seen, err)
	}
	for i, test := range []struct {
		pepper credential.Pepper
		ok     bool
	}{{credential.Pepper{1}, true}, {credential.Pepper{1}, true}, {credential.Pepper{2}, false}} {
		err := credential.NewKeys(g.Store, test.pepper, accesstest.Now).Check(context.Background())
		if (err == nil) != test.ok {
			t.Errorf("%d: %v", i, err)
		}
	}
}

// TestTooManyKeys checks the error at the limit of 50 active keys, and that an expired key
// makes room for another.
func TestTooManyKeys(t *testing.T) {
	t.Parallel()
	c := newClock(noon)
	d := newEndpoint(t, c, `{}`)
	account := store.Account{ID: "a", Email: "a@example.org", Plan: "free", Created: noon}
	n := credential.NewKey{Account: account.ID, Scopes: []string{credential.RawRead}}
	create := func(n credential.NewKey) (id string, err error) {
		_, made, _, err := d.Keys.CreateFor(t.Context(), account, false, n)
		return made.ID, err
	}
	first, err := create(n)
	if err != nil {
		t.Fatal(err)
	}
	expiring := n
	expiring.Expires = noon.Add(time.Hour)
	if _, err := create(expiring); err != nil {
		t.Fatal(err)
	}
	for range 48 {
		if _, err := create(n); err != nil {
			t.Fatal(err)
		}
	}
	wantFull := func(what string, err error) {
		t.Helper()
		e, _ := coast.AsError(err)
		if e.Code != coast.InvalidRequest || !strings.Contains(e.Message, "50 active keys") {
			t.Errorf("%s: %v, want invalid_request", what, err)
		}
	}
	_, err = create(n)
	wantFull("CreateFor", err)
	_, _, err = d.Keys.Create(t.Context(), n)
	wantFull("Create", err)
	_, _, err = d.Keys.Reroll(t.Context(), first, time.Hour)
	wantFull("Reroll with a grace", err)
	if _, _, err := d.Keys.Reroll(t.Context(), first, 0); err != nil {
		t.Errorf("Reroll without a grace: %v", err)
	}
	c.add(time.Hour)
	if _, err := create(n); err != nil {
		t.Errorf("after one has expired: %v", err)
	}
}

// TestNewKeyIsChecked checks the errors for invalid keys.
func TestNewKeyIsChecked(t *testing.T) {
	d := newEndpoint(t, newClock(noon), `{}`)
	account := d.Account(t, access.Free)
	key := d.Key(t, account)
	for _, n := range []credential.NewKey{
		{Account: account},
		{Account: account, Scopes: []string{"everything"}},
		{Account: account, Scopes: []string{credential.RawRead, credential.RawRead}},
		{Account: account, Scopes: []string{credential.RawRead}, Expires: noon},
		{Account: account, Scopes: []string{credential.RawRead}, Name: strings.Repeat("x", 65)},
		{Account: account, Scopes: []string{credential.RawRead}, Name: "a\nb"},
		{Account: account, Scopes: []string{credential.RawRead}, Name: "was " + key},
		{Account: account, Scopes: []string{credential.RawRead}, Name: key[:9] + "\u200b" + key[9:]},
		{Account: "nobody", Scopes: []string{credential.RawRead}},
	} {
		if key, _, err := d.Keys.Create(t.Context(), n); err == nil {
			t.Errorf("%+v: created key %q", n, key)
		} else if _, known := coast.AsError(err); !known {
			t.Errorf("%+v: %v is not a coast.Error", n, err)
		}
	}
	_, made, err := d.Keys.Create(t.Context(), credential.NewKey{
		Account: account, Scopes: []string{credential.RawRead}, Name: "my\u202e lap\u200btop\ufe0f",
	})
	if err != nil || made.Name != "my laptop" {
		t.Errorf("the name of the key is %q, %v", made.Name, err)
	}
}

// TestAddressFloodDoesNotAffectKeys checks that a flood of addresses does not affect accounts.
func TestAddressFloodDoesNotAffectKeys(t *testing.T) {
	t.Parallel()
	// Each address is of another network. There are more than the gate has windows for.
	const flood = 70_000
	d := newEndpoint(t, newClock(noon), `{"anonymous": {"perMinute": 1}}`)
	key := d.Key(t, d.Account(t, access.Free))
	r, refused := request(""), 0
	for i := range flood {
		r.RemoteAddr = fmt.Sprintf("%d.%d.%d.7:1", 11+i>>16, i>>8&255, i&255)
		if d.statusOf(r) == 429 {
			refused++
		}
	}
	if refused == 0 {
		t.Error("every address had a window of its own")
	}
	if w := d.withKey(key); w.Code != 200 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// TestSlowStart checks that the first leases of an account are small, as those of a process that
// crashes again and again.
func TestSlowStart(t *testing.T) {
	t.Parallel()
	d := newEndpoint(t, newClock(noon), `{}`)
	account := d.Account(t, access.Pro)
	key := d.Key(t, account)
	var leases []uint64
	for range 600 {
		if w := d.withKey(key); w.Code != 200 {
			t.Fatal(w.Code, w.Body)
		}
		reserved, err := d.Store.Usage(t.Context(), account, store.MonthOf(noon))
		if err != nil {
			t.Fatal(err)
		}
		if n := len(leases); n == 0 || leases[n-1] != reserved {
			leases = append(leases, reserved)
		}
		if leased := d.Leased(); leased > 256 {
			t.Fatalf("%d units are leased, want at most 256", leased)
		}
	}
	if leases[0] != 32 {
		t.Errorf("the first lease is %d, want an eighth of 256", leases[0])
	}
	last := leases[len(leases)-1] - leases[len(leases)-2]
	if last < 192 {
		t.Errorf("a later refill has %d units, want about 256; %v", last, leases)
	}
}

// TestTrust checks that a gate that does not receive changes reads credentials from the store, and
// that requests with a key fail if it cannot. Requests without a credential do not depend on it.
func TestTrust(t *testing.T) {
	var behind atomic.Int64
	c := newClock(noon)
	d := newEndpoint(t, c, `{}`)
	d.Gate = accesstest.OnConfig(d.Store, access.BuiltIn(), c.now, func(c *access.Config) {
		c.Behind = func() time.Duration { return time.Duration(behind.Load()) }
	})
	t.Cleanup(func() { d.Close() })
	account := d.Account(t, access.Pro)
	key := d.Key(t, account)
	signed := endpoint{d.Gate, limit.MCP, access.Need{By: access.SignedIn}, 200}
	token := d.Token(t, account)
	send := func() (int, int) {
		return d.withKey(key).Code, signed.withKey(token).Code
	}
	if k, s := send(); k != 200 || s != 200 {
		t.Fatal(k, s)
	}
	list, err := d.Store.KeysOf(t.Context(), account)
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	// Another instance revokes the key, and this one does not learn of it.
	if err := d.Store.RevokeKey(t.Context(), list[0].ID, noon); err != nil {
		t.Fatal(err)
	}
	behind.Store(int64(access.TrustFor - 1))
	if k, s := send(); k != 200 || s != 200 {
		t.Errorf("while the cache is trusted: %d and %d, want 200", k, s)
	}
	behind.Store(int64(access.TrustFor))
	if k, s := send(); k != 401 || s != 200 {
		t.Errorf("then %d and %d, want 401 and 200", k, s)
	}
	d.Store.Close()
	if k, s := send(); k != 503 || s != 503 {
		t.Errorf("without the store %d and %d, want 503", k, s)
	}
	if w := d.send(request("192.0.2.1:1")); w.Code != 200 {
		t.Errorf("without a credential %d", w.Code)
	}
}

// member is a gate's view of the instances of a store.
type member struct {
	store store.Instances
	id    string
}

func (m member) Shares(
	ctx context.Context, list []store.ShareRequest,
) ([]store.Share, error) {
	return m.store.Shares(ctx, m.id, list)
}

func (member) Live() int             { return 3 }
func (member) Silent() time.Duration { return 0 }

// TestSharedLimit checks the rate limit of an account over three gates of one store: the headers of
// all responses, the refusal, and that addresses have a limit on each gate.
func TestSharedLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := newEndpoint(t, newClock(noon), `{}`)
		key := first.Key(t, first.Account(t, access.Free))
		var gates []endpoint
		for _, id := range []string{"a", "b", "c"} {
			if _, err := first.Store.Enroll(t.Context(), store.Instance{ID: id}); err != nil {
				t.Fatal(err)
			}
			g := first
			g.Gate = accesstest.OnConfig(first.Store, access.BuiltIn(), time.Now,
				func(c *access.Config) { c.Fleet = member{first.Store, id} })
			t.Cleanup(func() { g.Close() })
			gates = append(gates, g)
		}
		served := 0
		for i := range 400 {
			w := gates[i*7%3].withKey(key)
			if w.Code == 200 {
				served++
			} else if w.Code != 429 || code(w) != coast.RateLimited {
				t.Fatal(w.Code, w.Body)
			}
			if left := figure(t, w, "X-RateLimit-Remaining"); figure(t, w, "X-RateLimit-Limit") != 300 ||
				left > 300-served {
				t.Fatalf("after %d requests %d are left", served, left)
			}
			reset := figure(t, w, "X-RateLimit-Reset") - int(time.Now().Unix())
			if w.Code == 429 && (reset < 1 || reset > 62) {
				t.Fatalf("a refused request may come again in %d seconds", reset)
			}
		}
		if served != 300 {
			t.Errorf("%d requests were served, want 300", served)
		}
		for _, g := range gates {
			for range 30 {
				if w := g.send(request("192.0.2.1:1")); w.Code != 200 {
					t.Fatal(w.Code, w.Body)
				}
			}
		}
	})
}
