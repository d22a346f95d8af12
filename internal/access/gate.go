package access

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"leadline/internal/coast"
	"leadline/store"
)

// Surface is a front end. Each has its own rate limit.
type Surface uint8

// The surfaces. Those from documents on are not the API: no account uses them.
const (
	REST Surface = iota
	MCP
	documents // documents and pages, which do not count as API requests: see CountDocument
	calendars // calendars that programs subscribe to: see CountCalendar
	surfaces
)

// Name returns the name of the surface in metrics and responses.
func (s Surface) Name() string { return [...]string{"rest", "mcp", "documents", "calendars"}[s] }

// By is a set of ways in which callers of an operation may authenticate.
type By uint8

// The ways to authenticate. A session cookie is ignored if the operation does not accept
// sessions. Keys and tokens in headers are always checked, and refused if the operation does
// not accept them.
const (
	Nobody   By = 1 << iota // no credential
	Key                     // an API key
	Session                 // a browser session
	SignedIn                // an access token of a connected app
)

// Need describes what an operation requires of its caller.
type Need struct {
	By       By
	Scopes   []string // the credential must have one of them; empty: any credential
	Feature  string   // required feature of the plan, or ""
	Metadata string   // URL of the protected resource metadata (RFC 9728), or ""
}

// These are the needs of the planning decisions, on REST and MCP.
var (
	// PublicDecision is no credential, or a key with the scope for data or for decisions.
	PublicDecision = Need{By: Nobody | Key, Scopes: []string{RawRead, DecisionRead}}
	// KeyedDecision is a credential with the scope for decisions, on a plan with the decision API.
	KeyedDecision = Need{By: Key, Scopes: []string{DecisionRead}, Feature: DecisionAPI}
)

// TrustFor is the time for which cached credentials are trusted while changes of the store are not
// reported: at most that long a revoked key works on an instance that is cut off.
const TrustFor = 30 * time.Second

// Config has the parts and settings of a Gate.
type Config struct {
	Store        store.Store
	StoreTimeout time.Duration // as the constant, which 0 means
	Keys         *Keys         // backed by the same store

	Plans   Plans
	Groups  Groups         // groups of addresses that share a rate limit
	Proxies []netip.Prefix // trusted proxies, whose X-Forwarded-For is used
	Secure  bool           // whether browsers reach the server by https
	Now     func() time.Time

	// Elapsed is the monotonic clock of rate limits: the time since a fixed time before New.
	// The default, nil, is the clock of the process.
	Elapsed func() time.Duration

	// Token verifies an access token and returns its current account and grant. It returns
	// ErrUnknown for an invalid, revoked or expired token, and errors of the store. If Token
	// is nil, nobody can sign in.
	Token func(ctx context.Context, token string) (Token, error)

	// Fleet makes the rate limits of accounts apply to all instances of the store together. If it
	// is nil, this gate counts alone. Those of addresses are always counted by each instance.
	Fleet Fleet

	// Behind returns for how long changes of the store may not have been reported. From TrustFor
	// on, credentials are read from the store again. If it is nil, all changes are reported.
	Behind func() time.Duration

	// Seen records the days on which browser sessions are used. If it is nil, they are not
	// recorded.
	Seen *Seen

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
	groups    map[*Group]*principal // callers without a credential from shared addresses
	tokens    *tokens
	origin    *http.CrossOriginProtection
	touches   *touches
	visits    sync.WaitGroup
}

// New returns a gate. The caller must call Close.
func New(c Config) *Gate {
	anonymous, _ := c.Plans.Of(Anonymous) // every server has this plan
	if c.Elapsed == nil {
		start := time.Now()
		c.Elapsed = func() time.Duration { return time.Since(start) }
	}
	c.StoreTimeout = cmp.Or(c.StoreTimeout, StoreTimeout)
	if c.Behind == nil {
		c.Behind = func() time.Duration { return 0 }
	}
	return &Gate{
		c: c, meters: newMeters(c), touches: newTouches(c.Store, c.Log), tokens: newTokens(c.Token),
		anonymous: &principal{who: Caller{Tier: Anonymous}, plan: anonymous},
		groups:    principalsOf(c.Groups, anonymous), origin: http.NewCrossOriginProtection(),
	}
}

// principalsOf returns the callers of each group: on the anonymous plan, with the rate limit of the
// group.
func principalsOf(groups Groups, anonymous *Plan) map[*Group]*principal {
	all := map[*Group]*principal{}
	groups.Each(func(group *Group) {
		plan := *anonymous
		plan.PerMinute = group.PerMinute
		who := Caller{Tier: Anonymous, Group: group.Name}
		all[group] = &principal{who: who, plan: &plan, counter: &counter{}}
	})
	return all
}

// Invalidate makes the gate verify the access tokens again that depend on changes of the store, and
// drops the refusals of changed accounts. Call it after each change of an account or a grant.
func (g *Gate) Invalidate(list []store.Change) {
	g.tokens.invalidate(list)
	g.refusals.invalidate(list)
}

// trusted reports whether cached credentials may be used.
func (g *Gate) trusted() bool { return g.c.Behind() < TrustFor }

// Leased returns the number of units that are reserved in the store and not spent: what a crash
// would lose.
func (g *Gate) Leased() uint64 { return g.ledger.leased() }

// Close waits for running requests, writes the uses of keys and accounts, and returns unspent quota
// leases and shares of rate limits to the store. No request may follow.
func (g *Gate) Close() error {
	g.visits.Wait()
	g.touches.close()
	return g.meters.close()
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
			ResponseWriter: w, Context: r.Context(), meters: g.meters, now: g.c.Now(), bare: bare,
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
	if errors.Is(refusal, errStore) {
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
	identity, err := g.principalOf(person, Caller{Scopes: Scopes()})
	if err != nil {
		return err
	}
	g.open(v.Context, identity, v.now)
	v.identified(identity)
	v.rate.alone = true
	return nil
}

// documentsPerMinute limits the requests for documents and pages from one address. A person who
// signs in needs about ten, and so does a client that connects. The figure is ours.
const documentsPerMinute = 300

// CountDocument counts a request for a document or a page in the client address's separate rate
// limit for these, or returns a coast.Error if it is exceeded. A group of shared addresses has
// the same limit as for its API requests. The API's rate limit is not affected, and credentials
// are not checked. The headers of a refusal describe this limit.
func (g *Gate) CountDocument(ctx context.Context) error { return g.countApart(ctx, documents) }

// CountCalendar is CountDocument for calendars, which have a rate limit of their own of the same
// size: services request them for many people from few addresses.
func (g *Gate) CountCalendar(ctx context.Context) error { return g.countApart(ctx, calendars) }

// countApart counts a request in the client address's rate limit for a surface that is not the
// API.
func (g *Gate) countApart(ctx context.Context, apart Surface) error {
	v, err := passed(ctx)
	if err != nil {
		return err
	}
	r := rate{address: v.rate.address, on: apart, most: documentsPerMinute}
	if v.who.Group != "" {
		r.counter, r.most = v.rate.counter, v.rate.most
	}
	return v.count(r)
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
	if cookie, err := r.Cookie(SessionCookie(g.c.Secure)); err == nil && v.need.By&Session != 0 {
		return g.bySession(v, r, cookie.Value)
	}
	if v.need.By&Nobody == 0 {
		return required(v.need)
	}
	return nil
}

// presented returns the key or access token of the headers. Credentials are not accepted in
// URLs, which end up in logs and histories.
func presented(h http.Header) (secret string, is By, err error) {
	is = Nobody
	for _, value := range h["Authorization"] {
		scheme, token, _ := strings.Cut(value, " ")
		if token = strings.TrimSpace(token); !strings.EqualFold(scheme, "Bearer") || token == "" {
			return "", is, invalid("The Authorization header must be: Bearer, a space, and the credential.")
		}
		if is != Nobody && token != secret {
			return "", is, twoCredentials()
		}
		secret, is = token, SignedIn
	}
	if strings.HasPrefix(secret, Prefix) {
		is = Key
	}
	for _, value := range h["X-Api-Key"] {
		if is != Nobody && value != secret {
			return "", is, twoCredentials()
		}
		secret, is = value, Key
	}
	return secret, is, nil
}

func twoCredentials() error {
	return coast.Errorf(coast.InvalidRequest,
		"The request has two different credentials: send one, as Authorization: Bearer KEY "+
			"or as x-api-key: KEY.")
}

func invalid(why string) error {
	return coast.Errorf(coast.InvalidCredential,
		"%s Correct the credential, or leave it out if the operation needs none.", why)
}

// unknown returns the error for an invalid credential.
func unknown() error {
	return invalid("The credential is not valid: it is misspelled, was revoked, or has expired. " +
		"Refresh an expired access token; connect a disconnected app again.")
}

func required(need Need) error {
	if need.By == Session {
		return coast.Errorf(coast.CredentialRequired,
			"This operation needs a browser session: sign in at /oauth/login, or use the command line, "+
				"leadline keys.")
	}
	if need.By&SignedIn != 0 && need.Metadata == "" {
		return coast.Errorf(coast.CredentialRequired,
			"This endpoint needs an API key, sent as Authorization: Bearer KEY or as x-api-key: KEY: "+
				"nobody can sign in to this server. /mcp needs no credential.")
	}
	if need.Metadata != "" {
		return coast.Errorf(coast.CredentialRequired,
			"This endpoint needs an access token: clients with OAuth support obtain one themselves. "+
				"An API key is accepted, too, sent as Authorization: Bearer KEY. "+
				"/mcp needs no credential.")
	}
	return coast.Errorf(coast.CredentialRequired,
		"This operation needs an API key, sent as Authorization: Bearer KEY or as x-api-key: KEY. "+
			"The decision trip-health and all data need none.")
}

// byKey sets the caller of a request to the account of a key.
func (g *Gate) byKey(v *visit, secret string) error {
	h, err := g.c.Keys.find(v.Context, secret, v.now, g.trusted(), g.c.StoreTimeout)
	switch {
	case errors.Is(err, ErrUnknown):
		return unknown()
	case err != nil:
		return g.storeDown(v.Context, err)
	}
	who := Caller{Key: h.key.ID, Name: h.key.Name, Scopes: h.key.Scopes}
	if err := g.enter(v, &h.kept, h.owner, who); err != nil {
		return err
	}
	h.touch(v.now, func() string { return coarse(v.rate.address) }, func(t store.Touch) bool {
		return g.touches.add(t.Key, t)
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
	return &principal{who, plan, g.ledger.account(owner.ID), g.limits.ofAccount(owner.ID)}, nil
}

// byToken sets the caller of a request to the account of an access token.
func (g *Gate) byToken(v *visit, text string) error {
	if v.need.By&SignedIn == 0 {
		return invalid("Access tokens are accepted at /pro/mcp only; " +
			"send an API key, which begins with " + Prefix + ".")
	}
	if g.c.Token == nil {
		return invalid("Nobody can sign in to this server; send an API key, which begins with " +
			Prefix + ".")
	}
	t, err := g.tokens.find(v.Context, text, v.now, g.trusted(), g.c.StoreTimeout)
	if err == nil {
		who := Caller{Grant: t.Grant, App: t.Client, Scopes: t.Scopes}
		return g.enter(v, &t.kept, t.Account, who)
	}
	if errors.Is(err, ErrUnknown) {
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
	owner, active, err := InSession(ctx, g.c.Store, g.c.Seen, secret, v.now)
	switch {
	case err != nil:
		return g.storeDown(v.Context, err)
	case !active:
		return coast.Errorf(coast.CredentialRequired,
			"The browser session has ended: sign in again at /oauth/login.")
	}
	identity, err := g.principalOf(owner, Caller{Scopes: Scopes()})
	if err == nil {
		v.identified(identity)
	}
	return err
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

// shown returns the name of a caller's credential for errors. Sessions have all scopes, so they
// do not need a name.
func (c Caller) shown() string {
	if c.Grant != "" {
		return "access token"
	}
	return "key " + Shown(c.Key)
}

// Spend takes a unit of the monthly quota of the caller's account. Callers without an account
// have no quota. The unit is returned if the response is 400 or 5xx.
func (g *Gate) Spend(ctx context.Context) error {
	v := visitFrom(ctx)
	if v == nil || v.account == nil {
		return nil
	}
	of, err := g.ledger.spend(v.Context, v.account, store.MonthOf(v.now))
	switch {
	case errors.Is(err, errSpent):
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
	of, err := g.ledger.spend(ctx, p.account, store.MonthOf(now))
	switch {
	case errors.Is(err, errSpent):
		return nil, g.exhausted(p, of, now)
	case errors.Is(err, store.ErrNotFound):
		return nil, errRemoved()
	case err != nil:
		return nil, g.storeDown(ctx, err)
	}
	return func() { g.ledger.refund(p.account, of) }, nil
}

func errRemoved() error { return coast.Errorf(coast.NotFound, "The account was removed.") }

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
		if units, ok := g.ledger.served(account, m.Month); ok {
			months[i].Units = units
		}
	}
	return months, nil
}

// Refusals returns the newest requests of an account that were refused or failed, the newest first.
// They are of this process only.
func (g *Gate) Refusals(account string) []Refusal { return g.refusals.of(account) }
