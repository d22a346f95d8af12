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

// visit is the state of a request in the gate. It is the ResponseWriter, which adds the headers
// of limits when the response is written. It is also the context in which operations find their
// caller. Combining both saves an allocation.
type visit struct {
	http.ResponseWriter
	context.Context

	gate *Gate
	now  time.Time
	*principal
	rate  rate        // that the headers describe: of the caller, or one that refused the request
	need  Need        // requirements of the operation
	spent store.Month // month of the unit taken, or 0

	id      [36]byte           // request id as text
	bare    bool               // no headers of limits
	outcome outcome            // so far
	reset   time.Time          // reset of the exceeded rate limit, else zero
	status  int                // of the response, or 0 until its headers are written
	refusal *refusal           // why there is no result, or nil
	values  [len(names)]string // values of the headers
}

// outcome says how a request ended. Of several outcomes, the last one of the list counts.
type outcome uint8

const (
	served  outcome = iota // also: not known yet
	failed                 // for a reason outside the caller's control
	denied                 // for the credential, its scopes or its plan
	limited                // by a limit; headers describe the time of the refusal
)

// became adds an outcome.
func (v *visit) became(o outcome) { v.outcome = max(v.outcome, o) }

type visitKey struct{}

// Value returns the visit, or a value of the context of the request.
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
	c.Address = subject(v.rate.address)
	return c
}

// identified sets the caller.
func (v *visit) identified(p *principal) {
	v.principal, v.rate.counter, v.rate.most = p, p.counter, p.plan.PerMinute
}

// Wrap returns a handler that calls next on a surface and adds headers to every response: the
// request id as X-Request-Id, the rate limit as X-RateLimit-* and the monthly quota as
// X-Quota-*. If nothing admits the request, the headers report the limits of the client's
// address, and the request is not counted.
func (g *Gate) Wrap(on Surface, next http.Handler) http.Handler {
	return g.wrap(on, false, next)
}

// WrapPages is Wrap for pages that shared caches may keep: the only header that it adds is
// X-Request-Id, because limits belong to one caller.
func (g *Gate) WrapPages(next http.Handler) http.Handler { return g.wrap(REST, true, next) }

func (g *Gate) wrap(on Surface, bare bool, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := &visit{
			ResponseWriter: w, Context: r.Context(), gate: g, now: g.c.Now(), bare: bare,
			rate: rate{address: client(r, g.c.Proxies), on: on},
		}
		v.identified(g.unidentified(v.rate.address))
		g.c.AppendID(v.id[:0], v.now)
		g.visits.Add(1)
		defer g.visits.Done()
		next.ServeHTTP(v, r.WithContext(v))
		v.writeHeaders(http.StatusOK)
		v.countUse()
		v.recordRefusal(r)
	})
}

// unidentified returns the identity and limits of a caller without a credential.
func (g *Gate) unidentified(peer netip.Addr) *principal {
	if group := g.c.Groups.Of(peer); group != nil {
		return g.groups[group]
	}
	return g.anonymous
}

// WriteHeader adds the headers of limits to the response.
func (v *visit) WriteHeader(status int) {
	if status >= http.StatusOK {
		v.writeHeaders(status)
	}
	v.ResponseWriter.WriteHeader(status)
}

func (v *visit) Write(b []byte) (int, error) {
	v.writeHeaders(http.StatusOK)
	return v.ResponseWriter.Write(b)
}

// Unwrap returns the underlying writer for http.ResponseController.
func (v *visit) Unwrap() http.ResponseWriter { return v.ResponseWriter }

// writeHeaders sets the headers of the response, once.
func (v *visit) writeHeaders(status int) {
	if v.status != 0 {
		return
	}
	v.status = status
	v.settle(status)
	if v.bare {
		v.Header().Set("X-Request-Id", string(v.id[:]))
		return
	}
	v.setHeaders(v.standing())
}

// settle returns the spent unit if the request was refused, or failed for a reason outside the
// caller's control.
func (v *visit) settle(status int) {
	if status >= http.StatusInternalServerError {
		v.became(failed)
	}
	bad := status == http.StatusBadRequest || status >= http.StatusInternalServerError
	if v.spent != 0 && (bad || v.outcome >= denied) {
		v.gate.ledger.refund(v.account, v.spent)
		v.spent = 0
	}
}

// count counts a request in a rate limit. If that refuses it, the headers describe it.
func (v *visit) count(limit rate) error {
	left, err := v.gate.limits.count(v.Context, limit)
	if err == nil {
		return nil
	}
	v.now, v.rate = v.gate.c.Now(), limit
	month := store.MonthOf(v.now)
	spent := v.account != nil && v.account.empty(month)
	if errors.Is(err, errNoShare) && !spent {
		return v.gate.storeDown(v.Context, err)
	}
	v.reset = wholeSecond(v.now.Add(left))
	if spent {
		return v.exhausted(month) // the quota resets later than the rate limit
	}
	v.became(limited)
	wait := int((left + time.Second - 1) / time.Second)
	e := coast.Errorf(coast.RateLimited,
		"The limit of %d requests in 60 seconds is reached; retry in %d seconds.%s",
		limit.most, wait, v.remedy())
	e.RetryAfterSeconds = wait
	return e
}

// remedy returns a sentence that describes how an anonymous caller can get a higher rate limit.
func (v *visit) remedy() string {
	if v.account != nil {
		return ""
	}
	return " This is the limit of requests without a credential: an API key or signing in raises " +
		"it. The operator sets the limits with --plans."
}

// exhausted returns the error for a used-up monthly quota.
func (v *visit) exhausted(of store.Month) error {
	v.became(limited)
	return v.gate.exhausted(v.principal, of, v.now)
}

// exhausted returns the error for a month whose quota is used up, and reports it.
func (g *Gate) exhausted(p *principal, of store.Month, now time.Time) error {
	if g.c.Exceeded != nil {
		g.c.Exceeded(p.account.id, p.plan.Tier, of, uint64(p.plan.PerMonth))
	}
	next := of.Next().Start()
	e := coast.Errorf(coast.QuotaExceeded,
		"The %d requests of the plan %s in %s are used up; the next month begins at %s.",
		p.plan.PerMonth, p.plan.Tier, of.Start().Format("January 2006"), next.Format(time.RFC3339))
	e.RetryAfterSeconds = int((next.Sub(now) + time.Second - 1) / time.Second)
	return e
}

// PlanFrom returns the plan of a request's caller, and false without a gate.
func PlanFrom(ctx context.Context) (Plan, bool) {
	v := visitFrom(ctx)
	if v == nil {
		return Plan{}, false
	}
	return *v.plan, true
}

// Standing describes what remains of a caller's rate limit and monthly quota.
type Standing struct {
	MinuteLimit, MinuteRemaining int       // on the surface of the request
	MinuteReset                  time.Time // when one more request is allowed

	MonthLimit, MonthRemaining int       // without a credential: the rate limit times the minutes
	MonthUsed                  int       // units served; 0 without a credential
	MonthReset                 time.Time // start of the next month
	Warning                    Warning
}

// StandingFrom returns the Standing of a request's caller, and false without a gate.
func StandingFrom(ctx context.Context) (Standing, bool) {
	v := visitFrom(ctx)
	if v == nil {
		return Standing{}, false
	}
	return v.standing(), true
}

func (v *visit) standing() (s Standing) {
	now := v.now // the time of a refusal, from which Retry-After counts
	if v.outcome != limited {
		now = v.gate.c.Now()
	}
	month := store.MonthOf(now)
	s.MonthReset, s.Warning = month.Next().Start(), None
	s.MinuteLimit = v.rate.most
	n, wait := v.gate.limits.left(v.rate)
	s.MinuteRemaining, s.MinuteReset = n, wholeSecond(now.Add(wait))
	if !v.reset.IsZero() {
		s.MinuteReset = v.reset // Retry-After is the time until the reset
	}
	if v.account == nil {
		const minute = time.Minute
		s.MonthLimit = s.MinuteLimit * int(s.MonthReset.Sub(month.Start())/minute)
		s.MonthRemaining = s.MinuteLimit * int((s.MonthReset.Sub(now)+minute-1)/minute)
		return s
	}
	m := v.account.balance() // of the month in which the request was counted; it may have ended
	s.MonthReset = m.of.Next().Start()
	s.MonthLimit, s.MonthRemaining, s.Warning = int(m.limit), int(m.left), m.warning
	s.MonthUsed = int(m.used)
	return s
}

// wholeSecond returns t, rounded up to a second of Unix time.
func wholeSecond(t time.Time) time.Time {
	return time.Unix(t.Add(time.Second-1).Unix(), 0)
}

// names lists the headers as net/http spells them; header names are case-insensitive.
var names = [8]string{
	"X-Ratelimit-Limit", "X-Ratelimit-Remaining", "X-Ratelimit-Reset",
	"X-Quota-Month-Limit", "X-Quota-Month-Remaining", "X-Quota-Month-Reset",
	"X-Request-Id", "X-Quota-Warning",
}

// RequestID returns the id of a request as it is in the response header, or "" without a gate.
func RequestID(ctx context.Context) string {
	v := visitFrom(ctx)
	if v == nil {
		return ""
	}
	return string(v.id[:])
}

// setHeaders sets the headers with few allocations: one string holds all values, and the visit
// contains the array for them.
func (v *visit) setHeaders(s Standing) {
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

// Token describes a verified access token: the access that an account has granted to an app.
type Token struct {
	Account store.Account // current; the token itself has no tier
	Client  string        // name of the app, as shown when access was granted
	Grant   string        // id of the grant
	Scopes  []string
	Expires time.Time // time from which the gate refuses it
}

// mostTokens is the number of verified tokens that the gate caches.
const mostTokens = 10_000

// signed is the cache entry of a verified token.
type signed struct {
	*principal
	expires time.Time
}

func (s *signed) names() [2]name {
	return [2]name{{byGrantID, s.who.Grant}, {byAccountID, s.who.Account}}
}

// Invalidate makes the gate verify the access tokens again that depend on changes of the store, and
// drops the refusals of changed accounts. Call it after each change of an account or a grant.
func (g *Gate) Invalidate(list []store.Change) {
	g.tokens.invalidate(list)
	g.refusals.invalidate(list)
}

// byToken sets the caller of a request to the account of an access token.
func (g *Gate) byToken(v *visit, text string) error {
	if v.need.By&SignedIn == 0 {
		return invalid("Access tokens are accepted at /pro/mcp only; " +
			"send an API key, which begins with " + Prefix + ".")
	}
	sum := sumOf(text)
	known, age, ok := g.tokens.get(sum)
	if !ok || !g.trusted() {
		var err error
		known, err = g.tokens.read(v.Context, sum, age, g.c.StoreTimeout,
			func(ctx context.Context) (*signed, error) { return g.verify(ctx, text) })
		if _, refused := coast.AsError(err); err != nil && !refused {
			err = g.storeDown(v.Context, fmt.Errorf("verify access token: %w", err))
		}
		if err != nil {
			return err
		}
	}
	if !v.now.Before(known.expires) {
		g.tokens.remove(sum)
		return unknown()
	}
	v.identified(known.principal)
	return nil
}

// verify returns a new cache entry for a token that the authorization server has verified.
func (g *Gate) verify(ctx context.Context, text string) (*signed, error) {
	if g.c.Token == nil {
		return nil,
			invalid("Nobody can sign in to this server; send an API key, which begins with " +
				Prefix + ".")
	}
	t, err := g.c.Token(ctx, text)
	switch {
	case errors.Is(err, ErrUnknown):
		return nil, unknown()
	case err != nil:
		return nil, err
	}
	identity, err := g.principalOf(t.Account, Caller{Grant: t.Grant, App: t.Client, Scopes: t.Scopes})
	return &signed{identity, t.Expires}, err
}

// sumOf returns the SHA-256 of a text of any length without a heap allocation.
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
