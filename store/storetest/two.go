package storetest

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"leadline/internal/trials"
	"leadline/store"
)

// changesOfOthers checks that the changes of a store are reported by another one on the same place.
func changesOfOthers(t *trial) {
	other := t.open()
	defer other.Close()
	feed, ok := other.(store.ChangeFeed)
	if !ok {
		t.Fatal("the engine does not report changes")
	}
	var l listener
	begun := make(chan struct{})
	begin := sync.OnceFunc(func() { close(begun) })
	var listening sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	listening.Go(func() {
		err := feed.Changes(ctx, func(list []store.Change) {
			l.notify(list)
			begin()
		})
		t.fails("Changes", err, context.Canceled)
	})
	<-begun
	l.take()
	var got, want []store.Change
	for _, step := range t.changingSteps() {
		if err := step.do(); err != nil {
			t.Errorf("%s: %v", step.name, err)
		}
		want = append(want, step.want...)
		trials.WaitFor(t.T, "the changes of "+step.name, func() bool {
			got = append(got, l.take()...)
			return !slices.ContainsFunc(step.want, func(c store.Change) bool {
				return !slices.Contains(got, c)
			})
		})
	}
	cancel()
	listening.Wait()
	for _, c := range append(got, l.take()...) {
		if !slices.Contains(want, c) {
			t.Errorf("the other store reports %+v, which has not changed", c)
		}
	}
}

// movedOn checks that a store sees every change of another one as soon as the call has returned.
func movedOn(t *trial) {
	t.fill()
	other := t.open()
	defer other.Close()
	list := Methods()
	for n, m := range list {
		t.ok(m.Call(t.Context(), t))
		if sampled(n, 6) || n == len(list)-1 {
			t.sameDump("the other store after "+m.Name, Dump(t.T, other), Dump(t.T, t))
		}
	}
}

// pair is two stores on one place that get the calls in turns.
type pair struct {
	stores [2]Engine
	calls  atomic.Uint32
}

func (p *pair) next() Engine { return p.stores[p.calls.Add(1)%2] }

func (p *pair) Rows(ctx context.Context, row func(table, row string)) error {
	return p.next().Rows(ctx, row)
}

func (p *pair) Age(ctx context.Context, d time.Duration) error { return p.next().Age(ctx, d) }

func (p *pair) Close() error { return errors.Join(p.stores[0].Close(), p.stores[1].Close()) }

func (p *pair) Account(ctx context.Context, id string) (store.Account, error) {
	return p.next().Account(ctx, id)
}

func (p *pair) AccountByEmail(ctx context.Context, email string) (store.Account, error) {
	return p.next().AccountByEmail(ctx, email)
}

func (p *pair) AccountByIdentity(
	ctx context.Context, issuer, subject string,
) (store.Account, error) {
	return p.next().AccountByIdentity(ctx, issuer, subject)
}

func (p *pair) Accounts(ctx context.Context, after string, n int) ([]store.Account, error) {
	return p.next().Accounts(ctx, after, n)
}

func (p *pair) AddAccount(ctx context.Context, a store.Account) error {
	return p.next().AddAccount(ctx, a)
}

func (p *pair) AddAccountKey(
	ctx context.Context, a store.Account, move bool, k store.Key,
) (store.Account, error) {
	return p.next().AddAccountKey(ctx, a, move, k)
}

func (p *pair) AddClient(ctx context.Context, c store.Client, most int) error {
	return p.next().AddClient(ctx, c, most)
}

func (p *pair) AddCode(ctx context.Context, c store.Code) error {
	return p.next().AddCode(ctx, c)
}

func (p *pair) AddEndpoint(
	ctx context.Context, e store.Endpoint, most int, events ...store.Event,
) error {
	return p.next().AddEndpoint(ctx, e, most, events...)
}

func (p *pair) AddIdentity(ctx context.Context, i store.Identity) error {
	return p.next().AddIdentity(ctx, i)
}

func (p *pair) AddKey(ctx context.Context, k store.Key) error {
	return p.next().AddKey(ctx, k)
}

func (p *pair) AddSession(ctx context.Context, s store.Session) error {
	return p.next().AddSession(ctx, s)
}

func (p *pair) AddTicket(ctx context.Context, t store.Ticket) error {
	return p.next().AddTicket(ctx, t)
}

func (p *pair) AddUses(ctx context.Context, list []store.Use) error {
	return p.next().AddUses(ctx, list)
}

func (p *pair) AddWatch(ctx context.Context, w store.Watch, most int, events ...store.Event) error {
	return p.next().AddWatch(ctx, w, most, events...)
}

func (p *pair) Backlog(ctx context.Context) (store.Backlog, error) {
	return p.next().Backlog(ctx)
}

func (p *pair) ClaimEndpoints(
	ctx context.Context, owner string, now, until time.Time, n int,
) ([]store.Endpoint, error) {
	return p.next().ClaimEndpoints(ctx, owner, now, until, n)
}

func (p *pair) ClaimWatches(
	ctx context.Context, owner string, now, until time.Time, n int,
) ([]store.Watch, error) {
	return p.next().ClaimWatches(ctx, owner, now, until, n)
}

func (p *pair) ClampDue(ctx context.Context, latest, to time.Time) (int, error) {
	return p.next().ClampDue(ctx, latest, to)
}

func (p *pair) Client(ctx context.Context, id string) (store.Client, error) {
	return p.next().Client(ctx, id)
}

func (p *pair) Code(ctx context.Context, hash [32]byte) (store.Code, error) {
	return p.next().Code(ctx, hash)
}

func (p *pair) ComponentDays(ctx context.Context, from store.Day) ([]store.ComponentDay, error) {
	return p.next().ComponentDays(ctx, from)
}

func (p *pair) DeliveriesOf(
	ctx context.Context, endpoint string, f store.DeliveryFilter, n int,
) ([]store.Delivery, error) {
	return p.next().DeliveriesOf(ctx, endpoint, f, n)
}

func (p *pair) Delivery(ctx context.Context, endpoint, event string) (store.Delivery, error) {
	return p.next().Delivery(ctx, endpoint, event)
}

func (p *pair) Due(
	ctx context.Context, endpoints []string, now time.Time, n int,
) ([]store.Job, error) {
	return p.next().Due(ctx, endpoints, now, n)
}

func (p *pair) Endpoint(ctx context.Context, id string) (store.Endpoint, error) {
	return p.next().Endpoint(ctx, id)
}

func (p *pair) EndpointsOf(ctx context.Context, account string) ([]store.Endpoint, error) {
	return p.next().EndpointsOf(ctx, account)
}

func (p *pair) Enroll(ctx context.Context, i store.Instance) (int, error) {
	return p.next().Enroll(ctx, i)
}

func (p *pair) Event(ctx context.Context, id string) (store.Event, error) {
	return p.next().Event(ctx, id)
}

func (p *pair) EventsOf(
	ctx context.Context, account, kind, before string, n int,
) ([]store.Event, error) {
	return p.next().EventsOf(ctx, account, kind, before, n)
}

func (p *pair) Finish(ctx context.Context, results []store.Result) error {
	return p.next().Finish(ctx, results)
}

func (p *pair) Grant(ctx context.Context, id string) (store.Grant, store.Account, error) {
	return p.next().Grant(ctx, id)
}

func (p *pair) GrantsOf(ctx context.Context, account string) ([]store.Grant, error) {
	return p.next().GrantsOf(ctx, account)
}

func (p *pair) HasAccounts(ctx context.Context) (bool, error) {
	return p.next().HasAccounts(ctx)
}

func (p *pair) Heartbeat(ctx context.Context, id string) (store.Fleet, error) {
	return p.next().Heartbeat(ctx, id)
}

func (p *pair) Hold(ctx context.Context, owner, job string, d time.Duration) (bool, error) {
	return p.next().Hold(ctx, owner, job, d)
}

func (p *pair) IdentitiesOf(ctx context.Context, account string) ([]store.Identity, error) {
	return p.next().IdentitiesOf(ctx, account)
}

func (p *pair) Incident(ctx context.Context, id string) (store.Incident, error) {
	return p.next().Incident(ctx, id)
}

func (p *pair) Incidents(ctx context.Context, since time.Time, n int) ([]store.Incident, error) {
	return p.next().Incidents(ctx, since, n)
}

func (p *pair) Join(ctx context.Context, j store.Joining) error {
	return p.next().Join(ctx, j)
}

func (p *pair) Key(ctx context.Context, id string) (store.Key, error) {
	return p.next().Key(ctx, id)
}

func (p *pair) KeyByHash(ctx context.Context, hash [32]byte) (store.Key, store.Account, error) {
	return p.next().KeyByHash(ctx, hash)
}

func (p *pair) KeysOf(ctx context.Context, account string) ([]store.Key, error) {
	return p.next().KeysOf(ctx, account)
}

func (p *pair) Leave(ctx context.Context, id string) error {
	return p.next().Leave(ctx, id)
}

func (p *pair) MarkMinute(ctx context.Context, at time.Time, states map[string]string) error {
	return p.next().MarkMinute(ctx, at, states)
}

func (p *pair) Meta(ctx context.Context, name string) ([]byte, error) {
	return p.next().Meta(ctx, name)
}

func (p *pair) Months(ctx context.Context, account string) ([]store.Used, error) {
	return p.next().Months(ctx, account)
}

func (p *pair) Password(ctx context.Context, account string) (string, error) {
	return p.next().Password(ctx, account)
}

func (p *pair) PlansInUse(ctx context.Context) (map[string]int, error) {
	return p.next().PlansInUse(ctx)
}

func (p *pair) Post(ctx context.Context, events ...store.Event) (int, error) {
	return p.next().Post(ctx, events...)
}

func (p *pair) PutEndpoint(
	ctx context.Context, e store.Endpoint, events ...store.Event,
) error {
	return p.next().PutEndpoint(ctx, e, events...)
}

func (p *pair) PutIncident(ctx context.Context, i store.Incident, events ...store.Event) error {
	return p.next().PutIncident(ctx, i, events...)
}

func (p *pair) Ready(ctx context.Context) error {
	return p.next().Ready(ctx)
}

func (p *pair) RedeemCode(ctx context.Context, hash, refresh [32]byte, at time.Time) (bool, error) {
	return p.next().RedeemCode(ctx, hash, refresh, at)
}

func (p *pair) ReleaseEndpoints(ctx context.Context, owner string, ids []string) error {
	return p.next().ReleaseEndpoints(ctx, owner, ids)
}

func (p *pair) RemoveAccount(ctx context.Context, id string) error {
	return p.next().RemoveAccount(ctx, id)
}

func (p *pair) RemoveEndpoint(ctx context.Context, id string) error {
	return p.next().RemoveEndpoint(ctx, id)
}

func (p *pair) RemoveGrant(ctx context.Context, id string) error {
	return p.next().RemoveGrant(ctx, id)
}

func (p *pair) RemoveIdentity(ctx context.Context, i store.Identity) error {
	return p.next().RemoveIdentity(ctx, i)
}

func (p *pair) RemoveSession(ctx context.Context, hash [32]byte) error {
	return p.next().RemoveSession(ctx, hash)
}

func (p *pair) RemoveSessions(ctx context.Context, account string) error {
	return p.next().RemoveSessions(ctx, account)
}

func (p *pair) RemoveWatch(ctx context.Context, id string) error {
	return p.next().RemoveWatch(ctx, id)
}

func (p *pair) RenewEndpoints(
	ctx context.Context, owner string, ids []string, until time.Time,
) ([]string, error) {
	return p.next().RenewEndpoints(ctx, owner, ids, until)
}

func (p *pair) ReplaceKey(
	ctx context.Context, old string, expires time.Time, next store.Key,
) error {
	return p.next().ReplaceKey(ctx, old, expires, next)
}

func (p *pair) Replay(
	ctx context.Context, endpoint string, events []string, at time.Time,
) (int, error) {
	return p.next().Replay(ctx, endpoint, events, at)
}

func (p *pair) Reserve(
	ctx context.Context, account string, month store.Month, n, limit uint64, notices ...store.Notice,
) (uint64, uint64, error) {
	return p.next().Reserve(ctx, account, month, n, limit, notices...)
}

func (p *pair) Return(ctx context.Context, account string, month store.Month, n uint64) error {
	return p.next().Return(ctx, account, month, n)
}

func (p *pair) RevokeKey(ctx context.Context, id string, at time.Time) error {
	return p.next().RevokeKey(ctx, id, at)
}

func (p *pair) Rotate(ctx context.Context, r store.Rotation) ([]byte, error) {
	return p.next().Rotate(ctx, r)
}

func (p *pair) SaveWatch(ctx context.Context, w store.Watch, events ...store.Event) error {
	return p.next().SaveWatch(ctx, w, events...)
}

func (p *pair) Session(ctx context.Context, hash [32]byte) (store.Session, store.Account, error) {
	return p.next().Session(ctx, hash)
}

func (p *pair) SessionsOf(ctx context.Context, account string) ([]store.Session, error) {
	return p.next().SessionsOf(ctx, account)
}

func (p *pair) SetPassword(ctx context.Context, account, kept string, ticket *[32]byte) error {
	return p.next().SetPassword(ctx, account, kept, ticket)
}

func (p *pair) SetPlan(ctx context.Context, id, plan string) error {
	return p.next().SetPlan(ctx, id, plan)
}

func (p *pair) Shares(
	ctx context.Context, id string, list []store.ShareRequest,
) ([]store.Share, error) {
	return p.next().Shares(ctx, id, list)
}

func (p *pair) Spread(ctx context.Context, n int) (bool, error) {
	return p.next().Spread(ctx, n)
}

func (p *pair) SwapMeta(
	ctx context.Context, name string, old, new []byte, events ...store.Event,
) error {
	return p.next().SwapMeta(ctx, name, old, new, events...)
}

func (p *pair) Sweep(ctx context.Context, now time.Time, n int) (bool, error) {
	return p.next().Sweep(ctx, now, n)
}

func (p *pair) TakeTicket(ctx context.Context, hash [32]byte) (store.Ticket, error) {
	return p.next().TakeTicket(ctx, hash)
}

func (p *pair) Ticket(ctx context.Context, hash [32]byte) (store.Ticket, error) {
	return p.next().Ticket(ctx, hash)
}

func (p *pair) TouchKeys(ctx context.Context, list []store.Touch) error {
	return p.next().TouchKeys(ctx, list)
}

func (p *pair) TouchSession(ctx context.Context, hash [32]byte, day store.Day) error {
	return p.next().TouchSession(ctx, hash, day)
}

func (p *pair) Usage(ctx context.Context, account string, month store.Month) (uint64, error) {
	return p.next().Usage(ctx, account, month)
}

func (p *pair) UsesOf(
	ctx context.Context, account string, from, to store.Day,
) ([]store.Use, error) {
	return p.next().UsesOf(ctx, account, from, to)
}

func (p *pair) Watch(ctx context.Context, id string) (store.Watch, error) {
	return p.next().Watch(ctx, id)
}

func (p *pair) WatchesOf(ctx context.Context, account string) ([]store.Watch, error) {
	return p.next().WatchesOf(ctx, account)
}
