package access

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"leadline/internal/access/credential"
	"leadline/internal/access/limit"
	"leadline/internal/access/outage"
	"leadline/internal/access/quota"
	"leadline/internal/coast"
	"leadline/store"
)

// TrustFor is the time for which cached credentials are trusted while changes of the store are not
// reported: at most that long a revoked key works on an instance that is cut off.
const TrustFor = 30 * time.Second

// Config has the parts and settings of a Gate.
type Config struct {
	Store        store.Store
	StoreTimeout time.Duration    // as the constant, which 0 means
	Keys         *credential.Keys // backed by the same store

	Plans   Plans
	Groups  limit.Groups   // groups of addresses that share a rate limit
	Proxies []netip.Prefix // trusted proxies, whose X-Forwarded-For is used
	Secure  bool           // whether browsers reach the server by https
	Now     func() time.Time

	// Elapsed is the monotonic clock of rate limits: the time since a fixed time before New.
	// The default, nil, is the clock of the process.
	Elapsed func() time.Duration

	// Token verifies an access token and returns its current account and grant. It returns
	// ErrUnknown for an invalid, revoked or expired token, and errors of the store. If Token
	// is nil, nobody can sign in.
	Token func(ctx context.Context, token string) (credential.Token, error)

	// Fleet makes the rate limits of accounts apply to all instances of the store together. If it
	// is nil, this gate counts alone. Those of addresses are always counted by each instance.
	Fleet limit.Fleet

	// Behind returns for how long changes of the store may not have been reported. From TrustFor
	// on, credentials are read from the store again. If it is nil, all changes are reported.
	Behind func() time.Duration

	// Seen records the days on which browser sessions are used. If it is nil, they are not
	// recorded.
	Seen *credential.Seen

	// AppendID appends a new request id: a UUID of 36 characters.
	AppendID func(text []byte, at time.Time) []byte

	Log *slog.Logger

	// Refilled is called after each request for a quota lease.
	Refilled func(granted uint64, err error)

	// Notices returns the events that a reservation of units in a month posts. It may be nil.
	Notices func(account string, plan Tier, of store.Month, limit uint64) []store.Notice
	// Exceeded is called when the quota of a month is used up and a request is refused, and must
	// return at once. It may be nil.
	Exceeded func(account string, plan Tier, of store.Month, limit uint64)
}

// Gate is the middleware that identifies callers and enforces limits. It is safe for
// concurrent use.
type Gate struct {
	c Config
	*meters
	anonymous *principal
	groups    map[*limit.Group]*principal // callers without a credential from shared addresses
	tokens    *credential.Tokens
	origin    *http.CrossOriginProtection
	touches   *credential.Touches
	visits    sync.WaitGroup
}

// New returns a gate. The caller must call Close.
func New(c Config) *Gate {
	anonymous, _ := c.Plans.Of(Anonymous) // every server has this plan
	if c.Elapsed == nil {
		start := time.Now()
		c.Elapsed = func() time.Duration { return time.Since(start) }
	}
	c.StoreTimeout = cmp.Or(c.StoreTimeout, outage.Timeout)
	if c.Behind == nil {
		c.Behind = func() time.Duration { return 0 }
	}
	return &Gate{
		c: c, meters: newMeters(c), touches: credential.NewTouches(c.Store, c.Log),
		tokens:    credential.NewTokens(c.Token),
		anonymous: &principal{who: Caller{Tier: Anonymous}, plan: anonymous},
		groups:    principalsOf(c.Groups, anonymous), origin: http.NewCrossOriginProtection(),
	}
}

// newMeters returns the meters of a gate. The caller must call close.
func newMeters(c Config) *meters {
	ledger := quota.Config{Store: c.Store, Timeout: c.StoreTimeout, Refilled: c.Refilled}
	if c.Notices != nil {
		ledger.Notices = func(account, plan string, of store.Month, limit uint64) []store.Notice {
			return c.Notices(account, Tier(plan), of, limit)
		}
	}
	return &meters{
		limits: limit.New(c.Fleet, c.StoreTimeout, c.Elapsed), ledger: quota.New(ledger),
		uses: quota.NewUses(c.Store, c.Log), turns: limit.NewTurns(max(1, runtime.GOMAXPROCS(0)-1)),
		refusals: newRefusals(), now: c.Now, exceeded: c.Exceeded, log: c.Log,
	}
}

// principalsOf returns the callers of each group: on the anonymous plan, with the rate limit of the
// group.
func principalsOf(groups limit.Groups, anonymous *Plan) map[*limit.Group]*principal {
	all := map[*limit.Group]*principal{}
	groups.Each(func(group *limit.Group) {
		plan := *anonymous
		plan.PerMinute = group.PerMinute
		who := Caller{Tier: Anonymous, Group: group.Name}
		all[group] = &principal{who: who, plan: &plan, counter: &limit.Counter{}}
	})
	return all
}

// Invalidate makes the gate verify the access tokens again that depend on changes of the store, and
// drops the refusals of changed accounts. Call it after each change of an account or a grant.
func (g *Gate) Invalidate(list []store.Change) {
	g.tokens.Invalidate(list)
	g.refusals.invalidate(list)
}

// trusted reports whether cached credentials may be used.
func (g *Gate) trusted() bool { return g.c.Behind() < TrustFor }

// Leased returns the number of units that are reserved in the store and not spent: what a crash
// would lose.
func (g *Gate) Leased() uint64 { return g.ledger.Leased() }

// Close waits for running requests, writes the uses of keys and accounts, and returns unspent quota
// leases and shares of rate limits to the store. No request may follow.
func (g *Gate) Close() error {
	g.visits.Wait()
	g.touches.Close()
	return g.meters.close()
}

// Wrap returns a handler that calls next on a surface and adds headers to every response: the
// request id as X-Request-Id, the rate limit as X-RateLimit-* and the monthly quota as
// X-Quota-*. If nothing admits the request, the headers report the limits of the client's
// address, and the request is not counted.
func (g *Gate) Wrap(on limit.Surface, next http.Handler) http.Handler {
	return g.wrap(on, false, next)
}

// WrapPages is Wrap for pages that shared caches may keep: the only header that it adds is
// X-Request-Id, because limits belong to one caller.
func (g *Gate) WrapPages(next http.Handler) http.Handler { return g.wrap(limit.REST, true, next) }

func (g *Gate) wrap(on limit.Surface, bare bool, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := &visit{
			ResponseWriter: w, Context: r.Context(), meters: g.meters, now: g.c.Now(), bare: bare,
			rate: limit.Rate{Address: limit.Client(r, g.c.Proxies), On: on},
		}
		v.identified(g.unidentified(v.rate.Address))
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

// Admit checks the credential of a request and counts the request in the rate limit, or
// returns a coast.Error. It counts in the limit of the account, or in that of the address if
// there is no valid credential. If the store is unavailable, it does not count the request.
func (g *Gate) Admit(r *http.Request, need Need) error {
	v, err := passed(r.Context())
	if err != nil {
		return err
	}
	v.need = need
	refusal := g.identify(v, r)
	if errors.Is(refusal, outage.ErrDown) {
		return refusal // the caller is unknown, so no limit applies
	}
	if v.account != nil {
		g.open(v.Context, v.principal, v.now)
	}
	if err := v.count(v.rate); err != nil {
		return err
	}
	if refusal == nil {
		refusal = v.authorize(v.need)
	}
	if refusal != nil {
		v.became(denied)
	}
	v.challenge(refusal)
	return refusal
}

// Count counts a request in the rate limit of the client's address, or returns a coast.Error if
// the limit is reached. It does not check credentials: it is for operations that do not need
// any.
func (g *Gate) Count(ctx context.Context) error {
	v, err := passed(ctx)
	if err != nil {
		return err
	}
	return v.count(v.rate)
}

// SignedIn sets the caller of a request for a page to a person who has signed in, with all scopes.
// It counts nothing: pages have a rate limit of their own, and spend no quota. The error is a
// coast.Error if the server does not have the plan of the account.
func (g *Gate) SignedIn(ctx context.Context, person store.Account) error {
	v, err := passed(ctx)
	if err != nil {
		return err
	}
	identity, err := g.principalOf(person, Caller{Scopes: credential.Scopes()})
	if err != nil {
		return err
	}
	g.open(v.Context, identity, v.now)
	v.identified(identity)
	v.rate.Alone = true
	return nil
}

// documentsPerMinute limits the requests for documents and pages from one address. A person who
// signs in needs about ten, and so does a client that connects. The figure is ours.
const documentsPerMinute = 300

// CountDocument counts a request for a document or a page in the client address's separate rate
// limit for these, or returns a coast.Error if it is exceeded. A group of shared addresses has
// the same limit as for its API requests. The API's rate limit is not affected, and credentials
// are not checked. The headers of a refusal describe this limit.
func (g *Gate) CountDocument(ctx context.Context) error {
	return g.countApart(ctx, limit.Documents)
}

// CountCalendar is CountDocument for calendars, which have a rate limit of their own of the same
// size: services request them for many people from few addresses.
func (g *Gate) CountCalendar(ctx context.Context) error {
	return g.countApart(ctx, limit.Calendars)
}

// countApart counts a request in the client address's rate limit for a surface that is not the
// API.
func (g *Gate) countApart(ctx context.Context, apart limit.Surface) error {
	v, err := passed(ctx)
	if err != nil {
		return err
	}
	r := limit.Rate{Address: v.rate.Address, On: apart, Most: documentsPerMinute}
	if v.who.Group != "" {
		r.Counter, r.Most = v.rate.Counter, v.rate.Most
	}
	return v.count(r)
}

// identify sets the caller of a request from its credential, if there is one.
func (g *Gate) identify(v *visit, r *http.Request) error {
	secret, is, err := presented(r.Header)
	if err != nil {
		return err
	}
	switch is {
	case Key:
		return g.byKey(v, secret)
	case SignedIn:
		return g.byToken(v, secret)
	}
	if cookie, err := r.Cookie(credential.SessionCookie(g.c.Secure)); err == nil &&
		v.need.By&Session != 0 {
		return g.bySession(v, r, cookie.Value)
	}
	if v.need.By&Nobody == 0 {
		return required(v.need)
	}
	return nil
}

// byKey sets the caller of a request to the account of a key.
func (g *Gate) byKey(v *visit, secret string) error {
	h, err := g.c.Keys.Find(v.Context, secret, v.now, g.trusted(), g.c.StoreTimeout)
	switch {
	case errors.Is(err, credential.ErrUnknown):
		return unknown()
	case err != nil:
		return g.storeDown(v.Context, err)
	}
	who := Caller{Key: h.Key.ID, Name: h.Key.Name, Scopes: h.Key.Scopes}
	if err := g.enter(v, &h.Kept, h.Owner, who); err != nil {
		return err
	}
	h.Touch(v.now, func() string { return limit.Network(v.rate.Address) }, func(t store.Touch) bool {
		return g.touches.Add(t.Key, t)
	})
	if v.need.By&Key == 0 {
		return coast.Errorf(coast.InsufficientScope,
			"API keys are not accepted here: use a browser session or the command line, leadline keys.")
	}
	return nil
}

// enter sets the caller of a request. It is kept with the cache entry of its credential.
func (g *Gate) enter(v *visit, kept *atomic.Value, owner store.Account, who Caller) error {
	p, known := kept.Load().(*principal)
	if !known {
		var err error
		if p, err = g.principalOf(owner, who); err != nil {
			return err
		}
		kept.Store(p)
	}
	v.identified(p)
	return nil
}

// principalOf returns the caller of a credential of an account, with the limits of its plan.
func (g *Gate) principalOf(owner store.Account, who Caller) (*principal, error) {
	plan, ok := g.c.Plans.Of(Tier(owner.Plan))
	if !ok || plan.Tier == Anonymous {
		return nil, coast.Errorf(coast.PlanRequired,
			"The account is on the plan %q, which this server does not have: its operator can change that.",
			owner.Plan)
	}
	who.Tier, who.Account, who.Email = plan.Tier, owner.ID, owner.Email
	return &principal{who, plan, g.ledger.Account(owner.ID), g.limits.OfAccount(owner.ID)}, nil
}

// byToken sets the caller of a request to the account of an access token.
func (g *Gate) byToken(v *visit, text string) error {
	if v.need.By&SignedIn == 0 {
		return invalid("Access tokens are accepted at /pro/mcp only; " +
			"send an API key, which begins with " + credential.Prefix + ".")
	}
	if g.c.Token == nil {
		return invalid("Nobody can sign in to this server; send an API key, which begins with " +
			credential.Prefix + ".")
	}
	t, err := g.tokens.Find(v.Context, text, v.now, g.trusted(), g.c.StoreTimeout)
	if err == nil {
		who := Caller{Grant: t.Grant, App: t.Client, Scopes: t.Scopes}
		return g.enter(v, &t.Kept, t.Account, who)
	}
	if errors.Is(err, credential.ErrUnknown) {
		return unknown()
	}
	if _, refused := coast.AsError(err); refused {
		return err
	}
	return g.storeDown(v.Context, fmt.Errorf("verify access token: %w", err))
}

// bySession sets the caller of a request to the account of a browser session.
func (g *Gate) bySession(v *visit, r *http.Request, secret string) error {
	if err := g.origin.Check(r); err != nil {
		return coast.Errorf(coast.InsufficientScope, "The request comes from a page of another "+
			"site: send it from a page of this server, or use an API key.")
	}
	ctx, cancel := context.WithTimeout(v.Context, g.c.StoreTimeout)
	defer cancel()
	owner, active, err := credential.InSession(ctx, g.c.Store, g.c.Seen, secret, v.now)
	switch {
	case err != nil:
		return g.storeDown(v.Context, err)
	case !active:
		return coast.Errorf(coast.CredentialRequired,
			"The browser session has ended: sign in again at /oauth/login.")
	}
	identity, err := g.principalOf(owner, Caller{Scopes: credential.Scopes()})
	if err == nil {
		v.identified(identity)
	}
	return err
}

// Spend takes a unit of the monthly quota of the caller's account. Callers without an account
// have no quota. The unit is returned if the response is 400 or 5xx.
func (g *Gate) Spend(ctx context.Context) error {
	v := visitFrom(ctx)
	if v == nil || v.account == nil {
		return nil
	}
	of, err := g.ledger.Spend(v.Context, v.account, store.MonthOf(v.now))
	switch {
	case errors.Is(err, quota.ErrSpent):
		return v.exhausted(of)
	case errors.Is(err, store.ErrNotFound):
		gone := invalid("The account of the credential was removed.")
		v.challenge(gone)
		return gone
	case err != nil:
		return g.storeDown(v.Context, err)
	}
	v.spent = of
	return nil
}

// Charge takes a unit of the monthly quota of an account for work that no request waits for, such
// as an evaluation of a watch, and returns a function that returns the unit. The plan of the
// account must have the feature. Errors: PlanRequired, QuotaExceeded, StoreUnavailable, and
// NotFound if there is no such account.
func (g *Gate) Charge(ctx context.Context, account, feature string) (refund func(), err error) {
	owner, err := g.c.Store.Account(ctx, account)
	if errors.Is(err, store.ErrNotFound) {
		return nil, errRemoved()
	}
	if err != nil {
		return nil, g.storeDown(ctx, err)
	}
	p, err := g.principalOf(owner, Caller{})
	if err != nil {
		return nil, err
	}
	if !p.plan.Has(feature) {
		return nil, coast.Errorf(coast.PlanRequired, "The plan %s does not include %s.", p.plan.Tier,
			feature)
	}
	now := g.c.Now()
	g.open(ctx, p, now)
	of, err := g.ledger.Spend(ctx, p.account, store.MonthOf(now))
	switch {
	case errors.Is(err, quota.ErrSpent):
		return nil, g.exhausted(p, of, now)
	case errors.Is(err, store.ErrNotFound):
		return nil, errRemoved()
	case err != nil:
		return nil, g.storeDown(ctx, err)
	}
	return func() { g.ledger.Refund(p.account, of) }, nil
}

func errRemoved() error { return coast.Errorf(coast.NotFound, "The account was removed.") }

// Used is the number of units that an account has used in a month.
type Used = store.Used

// Months returns the usage of an account by month, the newest first. Units that are leased and
// not spent do not count as used.
func (g *Gate) Months(ctx context.Context, account string) ([]Used, error) {
	months, err := g.c.Store.Months(ctx, account)
	if err != nil {
		return nil, g.storeDown(ctx, err)
	}
	for i, m := range months {
		if units, ok := g.ledger.Served(account, m.Month); ok {
			months[i].Units = units
		}
	}
	return months, nil
}

// Refusals returns the newest requests of an account that were refused or failed, the newest first.
// They are of this process only.
func (g *Gate) Refusals(account string) []Refusal { return g.refusals.of(account) }
