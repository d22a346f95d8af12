package access

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"leadline/internal/access/limit"
	"leadline/internal/access/quota"
	"leadline/internal/coast"
	"leadline/store"
)

// visit is the state of a request in the gate. It is the ResponseWriter, which adds the headers
// of limits when the response is written. It is also the context in which operations find their
// caller. Combining both saves an allocation.
type visit struct {
	http.ResponseWriter
	context.Context

	meters *meters
	now    time.Time
	*principal
	rate  limit.Rate  // that the headers describe: of the caller, or one that refused the request
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

// passed returns the visit of a request that must have passed the gate.
func passed(ctx context.Context) (*visit, error) {
	v := visitFrom(ctx)
	if v == nil {
		return nil, errors.New("the request did not pass the gate's middleware")
	}
	return v, nil
}

func visitFrom(ctx context.Context) *visit {
	v, _ := ctx.Value(visitKey{}).(*visit)
	return v
}

func (v *visit) caller() Caller {
	c := v.who
	c.Address = limit.Subject(v.rate.Address)
	return c
}

// identified sets the caller.
func (v *visit) identified(p *principal) {
	v.principal, v.rate.Counter, v.rate.Most = p, p.counter, p.plan.PerMinute
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
		v.meters.ledger.Refund(v.account, v.spent)
		v.spent = 0
	}
}

// count counts a request in a rate limit. If that refuses it, the headers describe it.
func (v *visit) count(r limit.Rate) error {
	left, err := v.meters.limits.Count(v.Context, r)
	if err == nil {
		return nil
	}
	v.now, v.rate = v.meters.now(), r
	month := store.MonthOf(v.now)
	spent := v.account != nil && v.account.Empty(month)
	if errors.Is(err, limit.ErrNoShare) && !spent {
		return v.meters.storeDown(v.Context, err)
	}
	v.reset = wholeSecond(v.now.Add(left))
	if spent {
		return v.exhausted(month) // the quota resets later than the rate limit
	}
	v.became(limited)
	wait := int((left + time.Second - 1) / time.Second)
	e := coast.Errorf(coast.RateLimited,
		"The limit of %d requests in 60 seconds is reached; retry in %d seconds.%s",
		r.Most, wait, v.remedy())
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
	return v.meters.exhausted(v.principal, of, v.now)
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
	Warning                    quota.Warning
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
		now = v.meters.now()
	}
	month := store.MonthOf(now)
	s.MonthReset, s.Warning = month.Next().Start(), quota.None
	s.MinuteLimit = v.rate.Most
	n, wait := v.meters.limits.Left(v.rate)
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
	m := v.account.Balance() // of the month in which the request was counted; it may have ended
	s.MonthReset = m.Of.Next().Start()
	s.MonthLimit, s.MonthRemaining, s.Warning = int(m.Limit), int(m.Left), m.Warning
	s.MonthUsed = int(m.Used)
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

// counts reports whether the request is a use of the API by an account: it is not for a person who
// reads a page.
func (v *visit) counts() bool {
	return v.account != nil && !v.rate.Alone && v.rate.On < limit.Documents
}

// countUse counts the request as a use of its account. It is refused if a limit, a scope or the
// plan did not allow it. Requests that failed here or at a provider are not counted.
func (v *visit) countUse() {
	if !v.counts() || v.outcome == failed {
		return
	}
	day := store.DayOf(v.now)
	v.meters.uses.Count(v.account.ID, day, v.rate.On.Name(), v.outcome >= denied)
}

// Turn waits until a long calculation for the caller in ctx may begin, and returns the function
// that ends it. It returns coast.Overloaded if too many wait, and the error of ctx if that ends.
// Without a gate in ctx, calculations begin at once.
func Turn(ctx context.Context) (end func(), err error) {
	v := visitFrom(ctx)
	if v == nil {
		return func() {}, nil
	}
	return v.meters.turns.Take(ctx, CallerKey(ctx))
}

// Refuse records why a request has no result, for the owner of its account: see Gate.Refusals. The
// operation names what was requested; "" means the method and path of the request. Front ends call
// it where they write an error. The first call of a request counts. Without a gate it does nothing.
func Refuse(ctx context.Context, operation string, err error) {
	if v := visitFrom(ctx); v != nil && v.refusal == nil {
		e, _ := coast.AsError(err)
		v.refusal = &refusal{operation, e}
	}
}

// recordRefusal records the request for the owner of its account, if it was refused or failed. A
// response of 5xx without a reason is that of a panic.
func (v *visit) recordRefusal(r *http.Request) {
	why := v.refusal
	if why == nil && v.status < http.StatusInternalServerError || !v.counts() {
		return
	}
	if why == nil {
		e, _ := coast.AsError(nil) // internal, without details
		why = &refusal{err: e}
	}
	if why.operation == "" {
		why.operation = r.Method + " " + r.URL.Path
	}
	v.meters.refusals.add(v.account.ID, Refusal{
		At: v.now, RequestID: string(v.id[:]), Surface: v.rate.On, Status: v.status,
		Operation: shorten(why.operation, longestOperation),
		Code:      why.err.Code, Message: shorten(why.err.Message, longestMessage),
		Key: v.who.Key, App: v.who.App,
	})
}

type callerKey struct{}

// With returns a context that carries the caller, for use without a gate.
func With(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerFrom returns the caller of a request, and false if the context has no caller.
func CallerFrom(ctx context.Context) (Caller, bool) {
	if v := visitFrom(ctx); v != nil {
		return v.caller(), true
	}
	c, ok := ctx.Value(callerKey{}).(Caller)
	return c, ok
}

// CallerKey returns the identity to which the work of a request is charged: the account, or
// without an account the client address (IPv6: its /64). It is "" for Local and if no caller is
// known.
func CallerKey(ctx context.Context) string {
	c, _ := CallerFrom(ctx)
	switch {
	case c.Account != "":
		return limit.AccountKey(c.Account)
	case c.Address.IsValid():
		return "address " + c.Address.String()
	}
	return ""
}

// challenge sets the WWW-Authenticate header of a refusal: what the credential lacks (RFC
// 6750, section 3), and where a client can get one (RFC 9728, section 5.1). It lists all
// scopes at once because clients request the scopes that they read there.
func (v *visit) challenge(refusal error) {
	if refusal == nil {
		return
	}
	var params []string
	e, _ := coast.AsError(refusal)
	switch e.Code {
	case coast.InvalidCredential:
		params = append(params, `error="invalid_token"`)
	case coast.InsufficientScope:
		params = append(params, `error="insufficient_scope"`)
	case coast.CredentialRequired:
	default:
		return
	}
	if v.need.Metadata != "" {
		params = append(params, `resource_metadata="`+v.need.Metadata+`"`)
	}
	if len(v.need.Scopes) > 0 && (v.need.Metadata != "" || e.Code == coast.InsufficientScope) {
		params = append(params, `scope="`+strings.Join(v.need.Scopes, " ")+`"`)
	}
	if params != nil {
		v.Header().Set("WWW-Authenticate", "Bearer "+strings.Join(params, ", "))
	}
}

// Authorize returns a coast.Error unless the caller of an admitted request has what need requires.
// It is for operations that are known only after Admit: tools of MCP. By matters for callers
// without a credential only, because Admit has checked how the others authenticate. Without a
// gate, it refuses nobody.
func Authorize(ctx context.Context, need Need) error {
	v := visitFrom(ctx)
	switch {
	case v == nil:
		return nil
	case v.account == nil && need.By&Nobody == 0:
		return required(need)
	}
	return v.authorize(need)
}

// Settle reports the outcome of an operation whose HTTP status does not show it, such as 200
// for a tool that failed. status is that of the same result over REST. A request that Authorize
// refused costs no unit, as one that Admit refuses.
func Settle(ctx context.Context, status int) {
	if v := visitFrom(ctx); v != nil {
		if status == http.StatusUnauthorized || status == http.StatusForbidden {
			v.became(denied)
		}
		v.settle(status)
	}
}

// authorize checks the scopes and the plan of an identified caller.
func (p *principal) authorize(need Need) error {
	if p.account == nil {
		return nil
	}
	if list := need.Scopes; len(list) > 0 && !slices.ContainsFunc(list, p.who.May) {
		return coast.Errorf(coast.InsufficientScope, "The %s lacks the scope %s; it has %s.",
			p.who.shown(), strings.Join(list, " or "), strings.Join(p.who.Scopes, ", "))
	}
	if feature := need.Feature; feature != "" && !p.plan.Has(feature) {
		return coast.Errorf(coast.PlanRequired,
			"This operation needs a plan with %s, which the plan %s does not include. "+
				"The decision trip-health needs no plan.",
			feature, p.plan.Tier)
	}
	return nil
}
