package access

import (
	"context"
	"crypto/sha256"
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

// Surface is a door. Minutes are counted apart on each.
type Surface uint8

// The surfaces.
const (
	REST Surface = iota
	MCP
	documents // what spends no allowance of the API: see CountDocument
	surfaces
)

// Name is the surface's name in metrics and answers.
func (s Surface) Name() string { return [...]string{"rest", "mcp", "documents"}[s] }

// By is how callers of an operation may say who they are.
type By uint8

// The ways. A session is not looked at where an operation does not take it. The
// headers of keys and tokens always are: what is not taken there is refused.
const (
	Nobody   By = 1 << iota // not at all
	Key                     // an API key
	Session                 // a browser session
	SignedIn                // an access token, of an app that a person has connected
)

// Need is what an operation needs of its caller.
type Need struct {
	By       By
	Scopes   []string // of which a credential has to have one; none: any will do
	Feature  string   // of the plan, or ""
	Metadata string   // URL that tells clients how to sign in (RFC 9728), or ""
}

// patience is how long a request waits for the store.
const patience = 250 * time.Millisecond

// storeRetry is after how many seconds a request that needed the store can
// try again.
const storeRetry = 5

// Config is what a Gate is made of.
type Config struct {
	Store   store.Store
	Keys    *Keys // of the same store
	Plans   Plans
	Groups  Groups         // of addresses that share a rate limit
	Proxies []netip.Prefix // whose X-Forwarded-For is believed
	Secure  bool           // whether browsers reach the server by https
	Now     func() time.Time

	// Elapsed is a monotonic clock, by which requests in 60 seconds are counted: the time since
	// any moment before New. nil is the process's own.
	Elapsed func() time.Duration

	// Token verifies an access token and returns what it stands for, as of
	// now. ErrUnknown: it is no good, or no longer. Any other error is the
	// store's. nil: nobody can sign in.
	Token func(ctx context.Context, token string) (Token, error)

	// AppendID appends a new id for a request: a UUID, 36 characters.
	AppendID func(text []byte, at time.Time) []byte

	Log *slog.Logger

	// Refilled is told of each time that units were asked of the store.
	Refilled func(granted uint64, err error)
}

// Gate stands before the doors. It is safe for concurrent use.
type Gate struct {
	c         Config
	anonymous *holding
	crowds    map[*Group]*crowd
	tokens    *memory[signed]
	addresses *addresses
	ledger    *ledger
	origin    *http.CrossOriginProtection
	touching  sync.WaitGroup
	visits    sync.WaitGroup

	complained atomic.Int64 // the Unix second in which the log was last told of the store
}

// New returns a gate. Close ends it.
func New(c Config) *Gate {
	anonymous, _ := c.Plans.Of(Anonymous) // there always is one
	if c.Elapsed == nil {
		start := time.Now()
		c.Elapsed = func() time.Duration { return time.Since(start) }
	}
	return &Gate{
		c: c, anonymous: &holding{who: Caller{Tier: Anonymous}, plan: anonymous},
		crowds: newCrowds(c.Groups, anonymous),
		tokens: newMemory[signed](mostTokens), addresses: newAddresses(),
		origin: http.NewCrossOriginProtection(),
		ledger: &ledger{
			store: c.Store, patience: patience, observe: c.Refilled, accounts: map[string]*account{},
		},
	}
}

// Close waits for the requests under way and returns the units in hand to the
// store. No request may follow.
func (g *Gate) Close() error {
	g.visits.Wait()
	g.touching.Wait()
	return g.ledger.close()
}

// Admit lets a request to a door pass, or says with a coast.Error why not. It
// takes a request of a minute in any case but one, that the store does not
// answer: of the account's, or where nobody has said who asks, or not truly,
// of the address's.
func (g *Gate) Admit(r *http.Request, need Need) error {
	v := visitFrom(r.Context())
	if v == nil {
		return errors.New("the request has not come through the gate's Wear")
	}
	v.need = need
	refusal := g.identify(v, r)
	if errors.Is(refusal, errStore) {
		return refusal // whose minute it is cannot be known
	}
	if v.account != nil {
		g.ledger.open(v.Context, v.account, v.plan, store.MonthOf(v.now))
	}
	if err := v.count(); err != nil {
		return err
	}
	if refusal == nil {
		refusal = v.reach()
	}
	v.challenge(refusal)
	return refusal
}

// Count takes a request of the minute of the client's address, or says with a
// coast.Error that none is left. No credential is looked at, good or bad: it
// is for what nobody needs one for.
func (g *Gate) Count(ctx context.Context) error {
	v := visitFrom(ctx)
	if v == nil {
		return errors.New("the request has not come through the gate's Wear")
	}
	return v.count()
}

// documentsPerMinute limits requests of an address for documents and pages. A
// person who signs in needs about ten, a client that connects as many. Ours.
const documentsPerMinute = 300

// documentsPlan is the allowance of an address for documents and pages.
var documentsPlan = &Plan{Tier: Anonymous, PerMinute: documentsPerMinute}

// CountDocument counts a request for a document or a page in the rate limit
// that the client's address has for those, or returns a coast.Error if it is
// exceeded. A group of shared addresses has as many as it has requests. The
// allowance of the API is not spent, and credentials are not examined. The
// headers of a refusal describe this limit.
func (g *Gate) CountDocument(ctx context.Context) error {
	v := visitFrom(ctx)
	if v == nil {
		return errors.New("the request has not come through the gate's Wear")
	}
	who, on := v.holding, v.surface
	v.surface = documents
	if who.crowd == nil {
		v.holding = &holding{who: who.who, plan: documentsPlan}
	}
	err := v.count()
	if err == nil {
		v.holding, v.surface = who, on
	}
	return err
}

// challenge says in the field's own form what a credential lacks (RFC 6750,
// section 3), and how a client gets one where it can (RFC 9728, section 5.1).
// All scopes stand there at once: a client asks for those that it reads.
func (v *visit) challenge(refusal error) {
	if refusal == nil {
		return
	}
	var says []string
	e, _ := coast.AsError(refusal)
	switch e.Code {
	case coast.InvalidCredential:
		says = append(says, `error="invalid_token"`)
	case coast.InsufficientScope:
		says = append(says, `error="insufficient_scope"`)
	case coast.CredentialRequired:
	default:
		return
	}
	if v.need.Metadata != "" {
		says = append(says, `resource_metadata="`+v.need.Metadata+`"`)
	}
	if len(v.need.Scopes) > 0 && (v.need.Metadata != "" || e.Code == coast.InsufficientScope) {
		says = append(says, `scope="`+strings.Join(v.need.Scopes, " ")+`"`)
	}
	if says != nil {
		v.Header().Set("WWW-Authenticate", "Bearer "+strings.Join(says, ", "))
	}
}

// identify names the caller by the credential of the request, if there is one.
func (g *Gate) identify(v *visit, r *http.Request) error {
	secret, is, err := credential(r.Header)
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

// credential is the one key or access token that the headers hold. A credential
// is never read from anywhere else: an address ends up in logs and histories.
func credential(h http.Header) (secret string, is By, err error) {
	is = Nobody
	for _, value := range h["Authorization"] {
		scheme, token, _ := strings.Cut(value, " ")
		if token = strings.TrimSpace(token); !strings.EqualFold(scheme, "Bearer") || token == "" {
			return "", is, invalid("The Authorization header must be: Bearer, a blank, and the credential.")
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
		"The request has two different credentials: send one, as Authorization: Bearer KEY or as x-api-key: KEY.")
}

func invalid(why string) error {
	return coast.Errorf(coast.InvalidCredential,
		"%s Correct the credential, or leave it out where none is needed.", why)
}

// unknown says that a credential is no good.
func unknown() error {
	return invalid("The credential is not valid: it is misspelt, was revoked, or has expired. An access token that has expired is refreshed; an app that was disconnected is connected again.")
}

func required(need Need) error {
	if need.By == Session {
		return coast.Errorf(coast.CredentialRequired,
			"This operation needs a browser session: sign in at /oauth/login, or use the command line, leadline keys.")
	}
	if need.By&SignedIn != 0 && need.Metadata == "" {
		return coast.Errorf(coast.CredentialRequired,
			"This address needs an API key, sent as Authorization: Bearer KEY or as x-api-key: KEY: nobody can sign in to this server. /mcp needs none.")
	}
	if need.Metadata != "" {
		return coast.Errorf(coast.CredentialRequired,
			"This address is for those who sign in: clients that know OAuth do so by themselves. An API key is good too, sent as Authorization: Bearer KEY. /mcp needs none.")
	}
	return coast.Errorf(coast.CredentialRequired,
		"This operation needs an API key, sent as Authorization: Bearer KEY or as x-api-key: KEY. POST /api/v1/decisions/trip-health and all data need none.")
}

// storeDown says that the store has failed, and tells the log why, once a
// second at most: while it lasts every request would say the same. Where the
// client has gone away, the store is not to blame.
func (g *Gate) storeDown(ctx context.Context, cause error) error {
	if ctx.Err() != nil {
		return storeDown(cause)
	}
	if now, last := g.c.Now().Unix(), g.complained.Load(); now != last &&
		g.complained.CompareAndSwap(last, now) {
		g.c.Log.Error("the store does not answer", "error", cause)
	}
	return storeDown(cause)
}

// storeDown says that the store has failed.
func storeDown(cause error) error {
	e := coast.Errorf(coast.StoreUnavailable,
		"The store does not answer, so nothing that belongs to an account can be had at the moment. What needs no credential, /mcp and all data, is answered without one.")
	e.RetryAfterSeconds = storeRetry
	return fmt.Errorf("%w (%w: %w)", e, errStore, cause)
}

// byKey names the holder of a key.
func (g *Gate) byKey(v *visit, secret string) error {
	h, err := g.c.Keys.find(v.Context, secret, v.now)
	switch {
	case errors.Is(err, ErrUnknown):
		return unknown()
	case err != nil:
		return g.storeDown(v.Context, err)
	}
	held := h.holding.Load()
	if held == nil {
		held, err = g.hold(h.owner, Caller{Key: h.key.ID, Name: h.key.Name, Scopes: h.key.Scopes})
		if err != nil {
			return err
		}
		h.holding.Store(held)
	}
	v.holding = held
	if used, due := h.touch(v.now, func() string { return coarse(v.peer) }); due {
		g.touching.Go(func() { g.touch(h.key.ID, used) })
	}
	if v.need.By&Key == 0 {
		return coast.Errorf(coast.InsufficientScope,
			"A key cannot ask for this: it needs a browser session or the command line, leadline keys.")
	}
	return nil
}

// hold is what a credential stands for: its owner, who asks by it.
func (g *Gate) hold(owner store.Account, who Caller) (*holding, error) {
	plan, ok := g.c.Plans.Of(Tier(owner.Plan))
	if !ok || plan.Tier == Anonymous {
		return nil, coast.Errorf(coast.PlanRequired,
			"The account is on the plan %q, which this server does not have: whoever runs it can change that.",
			owner.Plan)
	}
	who.Tier, who.Account, who.Email = plan.Tier, owner.ID, owner.Email
	return &holding{who: who, plan: plan, account: g.ledger.account(owner.ID)}, nil
}

// touch notes the use of a key. Nothing waits for it, and it can fail.
func (g *Gate) touch(id string, used touch) {
	ctx, cancel := context.WithTimeout(context.Background(), refillWithin)
	defer cancel()
	if err := g.c.Store.TouchKey(ctx, id, used.day, used.network); err != nil &&
		!errors.Is(err, store.ErrNotFound) {
		g.c.Log.Warn("noting the use of a key", "key", id, "error", err)
	}
}

// SessionCookie is the name of the cookie that holds a browser session's
// secret. With https the name binds it to the host and to https.
func SessionCookie(secure bool) string {
	if secure {
		return "__Host-leadline"
	}
	return "leadline"
}

// InSession returns the account of the browser session whose secret a cookie
// holds; false where there is none, or it has ended at now. The error is the
// store's.
func InSession(
	ctx context.Context, s store.Sessions, secret string, now time.Time,
) (store.Account, bool, error) {
	session, owner, err := s.Session(ctx, sha256.Sum256([]byte(secret)))
	if errors.Is(err, store.ErrNotFound) {
		return store.Account{}, false, nil
	}
	return owner, err == nil && now.Before(session.Expires), err
}

// bySession names the person who has signed in with a browser.
func (g *Gate) bySession(v *visit, r *http.Request, secret string) error {
	if err := g.origin.Check(r); err != nil {
		return coast.Errorf(coast.InsufficientScope, "The request comes from a page of another site.")
	}
	ctx, cancel := context.WithTimeout(v.Context, patience)
	defer cancel()
	owner, lives, err := InSession(ctx, g.c.Store, secret, v.now)
	switch {
	case err != nil:
		return g.storeDown(v.Context, err)
	case !lives:
		return coast.Errorf(coast.CredentialRequired,
			"The browser session has ended: sign in again at /oauth/login.")
	}
	held, err := g.hold(owner, Caller{Scopes: Scopes()})
	if err == nil {
		v.holding = held
	}
	return err
}

// reach holds a named caller against what an operation needs.
func (v *visit) reach() error {
	if v.account == nil {
		return nil
	}
	if need := v.need.Scopes; len(need) > 0 && !slices.ContainsFunc(need, v.who.May) {
		return coast.Errorf(coast.InsufficientScope, "The %s lacks the scope %s; it has %s.",
			v.who.shown(), strings.Join(need, " or "), strings.Join(v.who.Scopes, ", "))
	}
	if feature := v.need.Feature; feature != "" && !v.plan.Has(feature) {
		return coast.Errorf(coast.PlanRequired,
			"This operation needs a plan with %s, which the plan %s has not. POST /api/v1/decisions/trip-health needs no plan.",
			feature, v.plan.Tier)
	}
	return nil
}

// shown names what a caller has sent, but for a session, which has all scopes.
func (c Caller) shown() string {
	if c.Grant != "" {
		return "access token"
	}
	return "key " + Shown(c.Key)
}

// Spend takes a unit of the month of the caller's account; nothing of a
// caller without one. It is given back where the answer is 400 or 5xx.
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

// Settle tells the gate what an answer is worth whose own status says less, as
// 200 does of a tool that has failed: status is what it would be on REST.
func Settle(ctx context.Context, status int) {
	if v := visitFrom(ctx); v != nil {
		v.settle(status)
	}
}

// Used is what a month of an account has used.
type Used = store.Used

// Months returns the months of an account, the newest first. Of the running
// one, units in hand are not counted as used.
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
