package postgres

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"leadline/store"
)

// Reservations of concurrent callers share a statement: while one is under way, the next callers
// collect in a queue.
const (
	reservers        = 2    // statements under way at a time
	mostReservations = 1024 // in the queue
	mostBatched      = 512  // accounts in a statement

	// reserveWithin limits the time of a statement, like the connections. The server aborts it after
	// Options.Timeout, but a server far away also needs several exchanges for a new connection.
	reserveWithin = 5 * time.Second
)

// reservation is a call of Reserve.
type reservation struct {
	account  string
	month    store.Month
	n, limit uint64
	notices  []store.Notice
	done     chan leased // buffered
}

// leased is the result of a reservation. With alone it needs a transaction of its own: a notice is
// due, or there is no row of the month.
type leased struct {
	granted, reserved uint64
	alone             bool
	err               error
}

// Reserve implements store.Store.
func (s *Store) Reserve(
	ctx context.Context, account string, month store.Month, n, limit uint64,
	notices ...store.Notice,
) (granted, reserved uint64, err error) {
	r := &reservation{account: name(account), month: month, n: n, limit: limit, notices: notices}
	err = s.call(ctx, "Reserve", func() error {
		l := leased{alone: true}
		if n > 0 {
			if l = s.enqueue(ctx, r); l.err != nil {
				return l.err
			}
		}
		if l.alone {
			l.err = s.transactIn(ctx, s.hot, func(tx *transaction) error {
				l.granted, l.reserved, err = tx.reserve(ctx, r)
				return err
			})
		}
		granted, reserved = l.granted, l.reserved
		return l.err
	})
	if err != nil {
		return 0, 0, err
	}
	return granted, reserved, nil
}

// enqueue passes a reservation to the next statement and waits for its result.
func (s *Store) enqueue(ctx context.Context, r *reservation) leased {
	r.done = make(chan leased, 1) // another one if the call is repeated
	select {
	case s.reserve <- r:
	case <-ctx.Done():
		return leased{err: ctx.Err()}
	}
	select {
	case l := <-r.done:
		return l
	case <-ctx.Done():
		return leased{err: ctx.Err()} // units that are granted meanwhile are lost
	}
}

// runReserver makes reservations until the store is closed and no call runs.
func (s *Store) runReserver() {
	for {
		select {
		case r := <-s.reserve:
			s.reserveAll(s.batch(r))
		case <-s.idle:
			return
		}
	}
}

// batch returns a reservation with those that are queued behind it.
func (s *Store) batch(first *reservation) []*reservation {
	list := []*reservation{first}
	for len(list) < mostBatched {
		select {
		case r := <-s.reserve:
			list = append(list, r)
		default:
			return list
		}
	}
	return list
}

// pot sums up the reservations of one account, month and limit.
type pot struct {
	account  string
	month    store.Month
	n, limit uint64
	list     []*reservation
}

// reserveAll makes reservations: those of one month in one statement. Of an account whose
// reservations have different limits those of one limit are made at a time.
func (s *Store) reserveAll(list []*reservation) {
	for len(list) > 0 {
		of := map[string]*pot{}
		var others []*reservation
		for _, r := range list {
			p := of[r.account]
			if p == nil {
				p = &pot{account: r.account, month: r.month, limit: r.limit}
				of[r.account] = p
			}
			if p.month != r.month || p.limit != r.limit || r.month != list[0].month {
				others = append(others, r)
				continue
			}
			p.list = append(p.list, r)
			p.n += min(r.n, math.MaxUint64-p.n)
		}
		var pots []*pot
		for _, p := range of {
			if len(p.list) > 0 {
				pots = append(pots, p)
			}
		}
		slices.SortFunc(pots, func(a, b *pot) int { return strings.Compare(a.account, b.account) })
		s.reservePots(pots)
		list = others
	}
}

// reserveMany raises the units of accounts in a month, as many as their limits allow, unless one of
// their notices would become due. The rows are locked in the order of the accounts. The notices are
// compared after that: of a row that another transaction changed while this one waited for it,
// PostgreSQL repeats the conditions of the select that locks it, but not those with "not exists".
const reserveMany = `with
	a as (select * from unnest($1::text[], $2::numeric[], $3::numeric[]) t(account, n, lim)),
	l as (
		select q.account, least(a.n, greatest(a.lim - q.reserved, 0)) n, q.reserved was
		from quota_month q join a on a.account = q.account
		where q.month = $4 order by q.account for no key update of q),
	c as (
		select * from l where not exists (
			select from unnest($5::text[], $6::numeric[]) x(account, at)
			where x.account = l.account and l.was < x.at and l.was + l.n >= x.at)),
	u as (
		update quota_month q set reserved = q.reserved + c.n from c
		where q.account = c.account and q.month = $4 and c.n > 0)
	select account, n, was from c`

// reservePots makes the reservations of a month and reports their results.
func (s *Store) reservePots(pots []*pot) {
	var accounts, noticed []string
	var wanted, limits, notices []units
	for _, p := range pots {
		accounts = append(accounts, p.account)
		wanted, limits = append(wanted, units(p.n)), append(limits, units(p.limit))
		for _, r := range p.list {
			for _, n := range r.notices {
				noticed, notices = append(noticed, p.account), append(notices, units(n.At))
			}
		}
	}
	type grant struct {
		account string
		n, was  units
	}
	ctx, cancel := context.WithTimeout(context.Background(), max(reserveWithin, s.options.Timeout))
	defer cancel()
	var list []grant
	err := repeat(ctx, func() (err error) {
		list, err = rowsIn(ctx, s.hot, func(r pgx.CollectableRow) (g grant, err error) {
			return g, r.Scan(&g.account, &g.n, &g.was)
		}, reserveMany, accounts, wanted, limits, int32(pots[0].month), noticed, notices)
		return err
	})
	granted := map[string]grant{}
	for _, g := range list {
		granted[g.account] = g
	}
	for _, p := range pots {
		g, ok := granted[p.account]
		reserved, left := uint64(g.was), uint64(g.n)
		for _, r := range p.list {
			n := min(r.n, left)
			left -= n
			reserved += n
			r.done <- leased{granted: n, reserved: reserved, alone: !ok, err: err}
		}
	}
}

// reserve makes a reservation in a transaction of its own.
func (tx *transaction) reserve(
	ctx context.Context, r *reservation,
) (granted, reserved uint64, err error) {
	sql := lockMonth
	if r.n == 0 || r.limit == 0 {
		sql = readMonth // no row, if there is none
	}
	was, err := rowIn(ctx, tx, pgx.RowTo[units], sql, r.account, int32(r.month))
	if err != nil {
		return 0, 0, err
	}
	reserved = uint64(was)
	if reserved >= r.limit || r.n == 0 {
		return 0, reserved, nil
	}
	granted = min(r.n, r.limit-reserved)
	due, err := reached(r.notices, reserved, reserved+granted)
	if err != nil {
		return 0, 0, err
	}
	if _, err := tx.post(ctx, due); err != nil {
		return 0, 0, err
	}
	return granted, reserved + granted, tx.run(ctx,
		"update quota_month set reserved = $3 where account = $1 and month = $2",
		r.account, int32(r.month), units(reserved+granted))
}

// The statements lock an account, so that it is not removed, and select the units of a month.
// lockMonth adds the row of the month if necessary, and locks it.
const (
	lockMonth = `with a as (select id from account where id = $1 for key share)
		insert into quota_month as q (account, month, reserved) select id, $2, 0 from a
		on conflict (account, month) do update set reserved = q.reserved returning reserved`
	readMonth = `with a as (select id from account where id = $1 for key share)
		select coalesce(q.reserved, 0) from a
		left join quota_month q on q.account = a.id and q.month = $2`
)

// reached returns the events of the notices whose units are above from and at most to.
func reached(notices []store.Notice, from, to uint64) (list []store.Event, err error) {
	for _, n := range notices {
		if from < n.At && n.At <= to {
			e, err := n.Event()
			if err != nil {
				return nil, err
			}
			list = append(list, e)
		}
	}
	return list, nil
}

// Return implements store.Store.
func (s *Store) Return(ctx context.Context, account string, month store.Month, n uint64) error {
	_, err := s.exec(ctx, "Return", `update quota_month set reserved = greatest(reserved - $3, 0)
		where account = $1 and month = $2`, name(account), int32(month), units(n))
	return err
}

// Usage implements store.Store.
func (s *Store) Usage(ctx context.Context, account string, month store.Month) (uint64, error) {
	u, err := row(ctx, s, "Usage", pgx.RowTo[units],
		"select reserved from quota_month where account = $1 and month = $2",
		name(account), int32(month))
	if err == store.ErrNotFound {
		return 0, nil
	}
	return uint64(u), err
}

// Months implements store.Store.
func (s *Store) Months(ctx context.Context, account string) ([]store.Used, error) {
	return rows(ctx, s, s.hot, "Months", func(r pgx.CollectableRow) (u store.Used, err error) {
		return u, r.Scan(&u.Month, (*units)(&u.Units))
	}, "select month, reserved from quota_month where account = $1 order by month desc",
		name(account))
}
