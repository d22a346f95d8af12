package session

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"leadline/internal/access"
	"leadline/internal/access/credential"
	"leadline/store"
	"leadline/store/bolt"
)

// bench has sessions on a store with one account, and a settable clock.
type bench struct {
	*Sessions
	now time.Time
}

func newBench(t *testing.T, base string) *bench {
	t.Helper()
	s, err := bolt.Open(filepath.Join(t.TempDir(), "store"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	b := &bench{now: time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)}
	b.Sessions, err = New(Config{
		Base: base, Store: s, Secret: [32]byte{1}, Now: func() time.Time { return b.now },
	})
	if err == nil {
		err = s.AddAccount(t.Context(), store.Account{ID: "1", Email: "mate@example.org"})
	}
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// browser keeps cookies as browsers do.
type browser map[string]*http.Cookie

// send sends a form, given as names and values in pairs, to a handler.
func (b browser) send(serve http.HandlerFunc, form ...string) {
	values := url.Values{}
	for i := 0; i < len(form); i += 2 {
		values.Set(form[i], form[i+1])
	}
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(values.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r = r.WithContext(access.With(r.Context(),
		access.Caller{Address: netip.MustParseAddr("192.0.2.1")}))
	for _, c := range b {
		r.AddCookie(c)
	}
	w := httptest.NewRecorder()
	serve(w, r)
	for _, c := range w.Result().Cookies() {
		if b[c.Name] = c; c.MaxAge < 0 {
			delete(b, c.Name)
		}
	}
}

// person returns the address of the account that is signed in, "" if there is
// none.
func (b *bench) person(t *testing.T, w browser) (email string) {
	t.Helper()
	w.send(func(_ http.ResponseWriter, r *http.Request) {
		a, in, err := b.Person(r)
		if err != nil {
			t.Error(err)
		}
		if in {
			email = a.Email
		}
	})
	return email
}

func (b *bench) begin(t *testing.T, w browser) {
	t.Helper()
	w.send(func(rw http.ResponseWriter, r *http.Request) {
		if err := b.Begin(rw, r, "1"); err != nil {
			t.Error(err)
		}
	})
}

// TestSession checks that a session lasts for Life or until it ends, in the
// browser that has its cookie.
func TestSession(t *testing.T) {
	b := newBench(t, "http://127.0.0.1")
	w, other := browser{}, browser{}
	if got := b.person(t, w); got != "" {
		t.Errorf("%q is signed in at first", got)
	}
	b.begin(t, w)
	if got := b.person(t, w); got != "mate@example.org" || b.person(t, other) != "" {
		t.Errorf("%q is signed in, and %q in another browser", got, b.person(t, other))
	}
	copied := browser{"leadline": w["leadline"]}
	w.send(func(rw http.ResponseWriter, r *http.Request) {
		if err := b.End(rw, r); err != nil {
			t.Error(err)
		}
	})
	if b.person(t, w)+b.person(t, copied) != "" || w["leadline"] != nil {
		t.Errorf("signing out leaves %q and the cookies %v", b.person(t, copied), w)
	}
	b.begin(t, w)
	b.now = b.now.Add(Life - time.Second)
	if b.person(t, w) == "" {
		t.Error("the session ends before its time")
	}
	b.now = b.now.Add(time.Second)
	if b.person(t, w) != "" {
		t.Error("the session is valid after its time")
	}
}

// TestCookies checks that cookies are bound to the host and not readable by
// scripts.
func TestCookies(t *testing.T) {
	for base, want := range map[string]string{
		"http://127.0.0.1":       "leadline=x; Path=/; HttpOnly; SameSite=Lax",
		"https://tides.example/": "__Host-leadline=x; Path=/; HttpOnly; Secure; SameSite=Lax",
	} {
		b := newBench(t, strings.TrimSuffix(base, "/"))
		w := httptest.NewRecorder()
		b.SetCookie(w, "leadline", "x", 0)
		if got := w.Header().Get("Set-Cookie"); got != want {
			t.Errorf("%s: got %s, want %s", base, got, want)
		}
	}
}

// TestCheckForm checks that a form is accepted only from the browser, for the
// purpose and in the session for which its token was created, and never from
// another site.
func TestCheckForm(t *testing.T) {
	b := newBench(t, "http://127.0.0.1")
	w, other := browser{}, browser{}
	token := func(w browser, purpose string) (token string) {
		w.send(func(rw http.ResponseWriter, r *http.Request) { token = b.FormToken(rw, r, purpose) })
		return token
	}
	ours := token(w, "login")
	theirs := token(other, "login")
	check := func(what string, w browser, token, origin string, want bool) {
		t.Helper()
		w.send(func(rw http.ResponseWriter, r *http.Request) {
			if origin != "" {
				r.Header.Set("Origin", origin)
			}
			if err := ParseForm(rw, r); err != nil {
				t.Fatal(err)
			}
			if got := b.CheckForm(r, "login"); got != want {
				t.Errorf("%s: CheckForm = %v, want %v", what, got, want)
			}
		}, "token", token)
	}
	check("its own", w, ours, "", true)
	check("its own, of an older browser", w, ours, "null", true)
	check("its own, of this site", w, ours, "http://127.0.0.1", true)
	check("its own, of another site", w, ours, "https://evil.example", false)
	check("of another browser", w, theirs, "", false)
	check("of another purpose", w, token(w, "join"), "", false)
	check("none", w, "", "", false)
	check("in a browser without cookies", browser{}, ours, "", false)
	b.begin(t, w)
	check("of the time before the session", w, ours, "", false)
	check("of the session", w, token(w, "login"), "", true)
}

// TestAttempts checks that failures and successes are counted separately, and
// that a marked browser has attempts of its own.
func TestAttempts(t *testing.T) {
	b := newBench(t, "http://127.0.0.1")
	a := NewAttempts(b.Sessions)
	const email = "mate@example.org"
	try := func(w browser, right bool) (known bool, wait time.Duration) {
		w.send(func(rw http.ResponseWriter, r *http.Request) {
			attempt, later := a.Begin(r, email)
			if known, wait = attempt.Known, later; wait > 0 {
				return
			}
			if attempt.End(right, nil); right {
				a.Mark(rw, email)
			}
		})
		return known, wait
	}
	owner, stranger := browser{}, browser{}
	if known, wait := try(owner, true); known || wait != 0 {
		t.Errorf("the first sign-in: known %v, wait %v", known, wait)
	}
	for n := range 10 {
		if _, wait := try(stranger, false); wait != 0 {
			t.Errorf("failure %d must wait %v", n, wait)
		}
	}
	if _, wait := try(stranger, true); wait != 90*time.Second {
		t.Errorf("after 10 failures: wait %v, want 90 s", wait)
	}
	for n := range 19 {
		if known, wait := try(owner, true); !known || wait != 0 {
			t.Errorf("sign-in %d in a marked browser: known %v, wait %v", n, known, wait)
		}
	}
	if _, wait := try(owner, true); wait != time.Hour {
		t.Errorf("after 20 sign-ins: wait %v, want an hour", wait)
	}
	if wait, ok := a.Count(email); ok || wait != time.Hour {
		t.Errorf("Count = %v, %v after 20 sign-ins, want an hour", wait, ok)
	}
}

// TestParseForm checks that only forms of at most LongestForm bytes are parsed.
func TestParseForm(t *testing.T) {
	for _, test := range []struct {
		kind, body, want string
	}{
		{"application/x-www-form-urlencoded", "a=b", ""},
		{"application/x-www-form-urlencoded; charset=utf-8", "a=b", ""},
		{"application/json", "{}", "the body must be a form"},
		{"", "a=b", "the body must be a form"},
		{"application/x-www-form-urlencoded", "a=%zz", "the form cannot be read"},
		{"application/x-www-form-urlencoded", "a=" + strings.Repeat("b", LongestForm),
			"is longer than 65536 bytes"},
	} {
		r := httptest.NewRequest(http.MethodPost, "/?c=d", strings.NewReader(test.body))
		r.Header.Set("Content-Type", test.kind)
		err := ParseForm(httptest.NewRecorder(), r)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s %.9s: got %v, want %q", test.kind, test.body, err, test.want)
		}
		if err == nil && r.PostForm.Encode() != "a=b" {
			t.Errorf("the form is %v, want a=b", r.PostForm)
		}
	}
}

// counting is a store that counts the records of last uses.
type counting struct {
	store.Store
	touches atomic.Int64
}

func (s *counting) TouchSession(ctx context.Context, hash [32]byte, day store.Day) error {
	s.touches.Add(1)
	return s.Store.TouchSession(ctx, hash, day)
}

// TestSeen checks that a session has the browser that signed in and the last day of its use, which
// is recorded once a day.
func TestSeen(t *testing.T) {
	b := newBench(t, "http://127.0.0.1")
	s := &counting{Store: b.c.Store.(store.Store)}
	seen := credential.NewSeen(s, slog.New(slog.DiscardHandler))
	b.c.Store, b.c.Seen = s, seen
	w := browser{}
	w.send(func(rw http.ResponseWriter, r *http.Request) {
		r.Header.Set("User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Firefox/145.0")
		if err := b.Begin(rw, r, "1"); err != nil {
			t.Error(err)
		}
	})
	var before int64
	for day := range 4 {
		for range 5 {
			b.person(t, w)
			b.person(t, browser{"leadline": {Name: "leadline", Value: "unknown"}})
		}
		if err := seen.Close(); err != nil {
			t.Error(err)
		}
		recorded := s.touches.Load()
		if known := day == 0; known != (recorded == before) { // signing in has recorded its day
			t.Errorf("day %d: recorded %d times before and %d after its requests", day, before, recorded)
		}
		before = recorded
		b.person(t, w)
		if err := seen.Close(); err != nil {
			t.Error(err)
		}
		list, err := s.SessionsOf(t.Context(), "1")
		if err != nil || len(list) != 1 || list[0].Agent != "Firefox on Linux" ||
			list[0].Seen != store.DayOf(b.now) {
			t.Errorf("day %d: SessionsOf() = %+v, %v", day, list, err)
		}
		if got := s.touches.Load(); got != before {
			t.Errorf("day %d: recorded again, %d times in all, want %d", day, got, before)
		}
		b.now = b.now.AddDate(0, 0, 1)
	}
	b.now = b.now.Add(Life)
	b.person(t, w) // expired
	if err := seen.Close(); err != nil || s.touches.Load() != before {
		t.Errorf("an expired session was recorded: %d times in all, %v, want %d", s.touches.Load(), err,
			before)
	}
}
