package access

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"leadline/internal/coast"
	"leadline/store"
)

// visit is a request on its way through the gate. It is the writer of the
// answer, which wears what is left when it is written, and the context of the
// request, in which operations find their caller: one allocation for both.
type visit struct {
	http.ResponseWriter
	context.Context

	gate    *Gate
	surface Surface
	now     time.Time
	peer    netip.Addr // the client, in full
	*holding
	need  Need        // that the request was admitted by
	spent store.Month // of the unit taken, 0 for none

	id      [36]byte  // of the request, as text
	refused bool      // by a limit
	reset   time.Time // of the rate limit that has refused, else zero
	told    bool
	values  [len(names)]string // of the headers
}

type visitKey struct{}

// Value finds the visit.
func (v *visit) Value(key any) any {
	if key == (visitKey{}) {
		return v
	}
	return v.Context.Value(key)
}

func visitFrom(ctx context.Context) *visit {
	v, _ := ctx.Value(visitKey{}).(*visit)
	return v
}

func (v *visit) caller() Caller {
	c := v.who
	c.Address = subject(v.peer)
	return c
}

// Wear makes every answer of next, on a surface, tell the request's name,
// X-Request-Id, and what the caller has left: X-RateLimit-* of the minute,
// X-Quota-* of the month. Where nothing below admits the request, the figures
// are those of the client's address, and nothing is taken of them.
func (g *Gate) Wear(on Surface, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		peer := client(r, g.c.Proxies)
		v := &visit{
			ResponseWriter: w, Context: r.Context(), gate: g, surface: on, now: g.c.Now(), peer: peer,
			holding: g.stranger(peer),
		}
		g.c.AppendID(v.id[:0], v.now)
		g.visits.Add(1)
		defer g.visits.Done()
		next.ServeHTTP(v, r.WithContext(v))
		v.tell(http.StatusOK)
	})
}

// stranger returns what a caller without a credential is counted by.
func (g *Gate) stranger(peer netip.Addr) *holding {
	if group := g.c.Groups.Of(peer); group != nil {
		return g.crowds[group].holding
	}
	return g.anonymous
}

// WriteHeader puts what is left into the answer's headers.
func (v *visit) WriteHeader(status int) {
	if status >= http.StatusOK {
		v.tell(status)
	}
	v.ResponseWriter.WriteHeader(status)
}

func (v *visit) Write(b []byte) (int, error) {
	v.tell(http.StatusOK)
	return v.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (v *visit) Unwrap() http.ResponseWriter { return v.ResponseWriter }

// tell writes the headers, once.
func (v *visit) tell(status int) {
	if v.told {
		return
	}
	v.told = true
	v.settle(status)
	v.write(v.standing())
}

// settle gives back the unit that was taken where the answer is worth none:
// the request was not accepted, or is a failure that is not the caller's.
func (v *visit) settle(status int) {
	if v.spent != 0 && (status == http.StatusBadRequest || status >= http.StatusInternalServerError) {
		v.gate.ledger.giveBack(v.account, v.spent)
		v.spent = 0
	}
}

// count takes a request of the caller's minute.
func (v *visit) count() error {
	var left time.Duration
	v.window(true, func(w *window, elapsed time.Duration) {
		now := int64(elapsed / time.Second)
		if v.refused = !w.take(now, v.plan.PerMinute); v.refused {
			_, reset := w.left(now, v.plan.PerMinute)
			left = until(reset, elapsed)
		}
	})
	if !v.refused {
		return nil
	}
	v.now = v.gate.c.Now()
	v.reset = wholeSecond(v.now.Add(left))
	if month := store.MonthOf(v.now); v.account != nil && v.account.empty(month) {
		return v.exhausted(month) // which ends later than the minute
	}
	wait := int((left + time.Second - 1) / time.Second)
	e := coast.Errorf(coast.RateLimited,
		"%d requests in 60 seconds are used up; the next one can be made in %d seconds.",
		v.plan.PerMinute, wait)
	e.RetryAfterSeconds = wait
	return e
}

// until returns the time from elapsed to a second of the same clock.
func until(second int64, elapsed time.Duration) time.Duration {
	return time.Duration(second)*time.Second - elapsed
}

// window calls f with what is counted of the caller's minute, and the monotonic clock, which is
// read under the window's lock: no request is counted later than one that reads a later time.
func (v *visit) window(create bool, f func(*window, time.Duration)) {
	if a := v.account; a != nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		f(&a.minutes[v.surface], v.gate.c.Elapsed())
		return
	}
	if c := v.crowd; c != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		f(&c.minutes[v.surface], v.gate.c.Elapsed())
		return
	}
	v.gate.addresses.use(subject(v.peer), v.surface, v.gate.c.Elapsed, create, f)
}

// exhausted says that nothing is left of the month.
func (v *visit) exhausted(of store.Month) error {
	v.refused = true
	next := of.Next().Start()
	e := coast.Errorf(coast.QuotaExceeded,
		"The %d requests of the plan %s in %s are used up; the next month begins at %s.",
		v.plan.PerMonth, v.plan.Tier, of.Start().Format("January 2006"), next.Format(time.RFC3339))
	e.RetryAfterSeconds = int((next.Sub(v.now) + time.Second - 1) / time.Second)
	return e
}

// Standing is what a caller has left.
type Standing struct {
	MinuteLimit, MinuteRemaining int       // on the surface of the request
	MinuteReset                  time.Time // when there is one more

	MonthLimit, MonthRemaining int       // of a caller without a credential: what the minutes come to
	MonthUsed                  int       // units served; 0 without a credential
	MonthReset                 time.Time // the next month
	Warning                    Warning
}

// StandingFrom returns what the caller of a request has left, and false where
// no gate stands.
func StandingFrom(ctx context.Context) (Standing, bool) {
	v := visitFrom(ctx)
	if v == nil {
		return Standing{}, false
	}
	return v.standing(), true
}

func (v *visit) standing() (s Standing) {
	now := v.now // at which a limit has refused: Retry-After counts from it
	if !v.refused {
		now = v.gate.c.Now()
	}
	month := store.MonthOf(now)
	s.MonthReset, s.Warning = month.Next().Start(), None
	s.MinuteLimit = v.plan.PerMinute
	v.window(false, func(w *window, elapsed time.Duration) {
		var reset int64
		s.MinuteRemaining, reset = w.left(int64(elapsed/time.Second), s.MinuteLimit)
		s.MinuteReset = wholeSecond(now.Add(until(reset, elapsed)))
	})
	if !v.reset.IsZero() {
		s.MinuteReset = v.reset // Retry-After is the time until then
	}
	a := v.account
	if a == nil {
		const minute = time.Minute
		s.MonthLimit = s.MinuteLimit * int(s.MonthReset.Sub(month.Start())/minute)
		s.MonthRemaining = s.MinuteLimit * int((s.MonthReset.Sub(now)+minute-1)/minute)
		return s
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	m := &a.month // of the month that the request was counted in, though another may have begun
	s.MonthReset = m.of.Next().Start()
	s.MonthLimit, s.MonthRemaining, s.Warning = int(m.limit), int(m.left()), m.warning()
	s.MonthUsed = int(m.reserved - min(m.reserved, m.inHand))
	return s
}

// wholeSecond returns t, rounded up to a second of Unix time.
func wholeSecond(t time.Time) time.Time {
	return time.Unix(t.Add(time.Second-1).Unix(), 0)
}

// names are the headers as net/http spells them; names of headers have no case.
var names = [8]string{
	"X-Ratelimit-Limit", "X-Ratelimit-Remaining", "X-Ratelimit-Reset",
	"X-Quota-Month-Limit", "X-Quota-Month-Remaining", "X-Quota-Month-Reset",
	"X-Request-Id", "X-Quota-Warning",
}

// RequestID names a request as its answer does, "" where no gate stands.
func RequestID(ctx context.Context) string {
	v := visitFrom(ctx)
	if v == nil {
		return ""
	}
	return string(v.id[:])
}

// write puts the headers in place: one text for all that varies, and the room
// for the values in the visit itself.
func (v *visit) write(s Standing) {
	var room [6*20 + 36]byte
	text := room[:0]
	var ends [len(names) - 1]int
	for i, n := range [...]int64{
		int64(s.MinuteLimit), int64(s.MinuteRemaining), s.MinuteReset.Unix(),
		int64(s.MonthLimit), int64(s.MonthRemaining), s.MonthReset.Unix(),
	} {
		text = strconv.AppendInt(text, n, 10)
		ends[i] = len(text)
	}
	text = append(text, v.id[:]...)
	ends[len(ends)-1] = len(text)
	all, from := string(text), 0
	for i, end := range ends {
		v.values[i] = all[from:end]
		from = end
	}
	v.values[len(ends)] = string(s.Warning)
	h := v.Header()
	for i, name := range names {
		h[name] = v.values[i : i+1 : i+1]
	}
}

// Token is an access token of the authorization server that was found good:
// what the holder of an account has allowed an app to do.
type Token struct {
	Account store.Account // as of now: the token itself tells no tier
	Client  string        // the app's name, as it was shown to the person
	Grant   string        // id of what was allowed
	Scopes  []string
	Expires time.Time // the gate lets it in no longer
}

// mostTokens is how many tokens are remembered after their first use.
const mostTokens = 10_000

// signed is a token that was verified, with what it stands for.
type signed struct {
	*holding
	expires time.Time
}

// Forget makes every access token be verified again. It follows each change of
// an account or a grant.
func (g *Gate) Forget() { g.tokens.forget() }

// byToken names the person who has connected an app, by its access token.
func (g *Gate) byToken(v *visit, text string) error {
	if v.need.By&SignedIn == 0 {
		return invalid("Access tokens are good at /pro/mcp alone; what counts here is an API key, which begins with " +
			Prefix + ".")
	}
	sum := sumOf(text)
	known, age := g.tokens.recall(sum)
	if known == nil {
		var err error
		if known, err = g.verify(v, text); err != nil {
			return err
		}
		g.tokens.keep(sum, known, age)
	}
	if !v.now.Before(known.expires) {
		g.tokens.drop(sum)
		return unknown()
	}
	v.holding = known.holding
	return nil
}

// verify asks the authorization server what a token is.
func (g *Gate) verify(v *visit, text string) (*signed, error) {
	if g.c.Token == nil {
		return nil,
			invalid("Nobody can sign in to this server: what counts here is an API key, which begins with " +
				Prefix + ".")
	}
	ctx, cancel := context.WithTimeout(v.Context, patience)
	defer cancel()
	t, err := g.c.Token(ctx, text)
	switch {
	case errors.Is(err, ErrUnknown):
		return nil, unknown()
	case err != nil:
		return nil, g.storeDown(v.Context, fmt.Errorf("verifying an access token: %w", err))
	}
	held, err := g.hold(t.Account, Caller{Grant: t.Grant, App: t.Client, Scopes: t.Scopes})
	return &signed{held, t.Expires}, err
}

// sumOf is the SHA-256 of a text of any length, which stays off the heap.
func sumOf(text string) (sum [32]byte) {
	var piece [512]byte
	h := sha256.New()
	for len(text) > 0 {
		n := copy(piece[:], text)
		h.Write(piece[:n])
		text = text[n:]
	}
	h.Sum(sum[:0])
	return sum
}
