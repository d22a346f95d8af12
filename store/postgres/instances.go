package postgres

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/jackc/pgx/v5"

	"leadline/store"
)

// Enroll implements store.Store.
func (s *Store) Enroll(ctx context.Context, i store.Instance) (slot int, err error) {
	if err := store.CheckName(i.ID); err != nil {
		return 0, err
	}
	return transactFor(ctx, s, s.work, "Enroll", func(tx *transaction) (int, error) {
		// One at a time: two must not find the same slot.
		if err := tx.run(ctx, "lock table instance in share row exclusive mode"); err != nil {
			return 0, err
		}
		taken, err := tx.has(ctx, "select exists (select from instance where id = $1)", i.ID)
		if err != nil {
			return 0, err
		}
		if taken {
			return 0, store.ErrExists
		}
		slot, err := rowIn(ctx, tx, pgx.RowTo[int], `select n from generate_series(1, $1) n
			where not exists (select from instance where slot = n and case
				when left_at is null then seen > clock_timestamp() - $2::interval
				else left_at > clock_timestamp() - $3::interval end)
			order by n limit 1`, store.MostInstances, store.SlotRetention, store.ShareLife)
		if err == store.ErrNotFound {
			return 0, store.ErrTooMany
		}
		if err != nil {
			return 0, err
		}
		if err := tx.run(ctx, "delete from instance where slot = $1", slot); err != nil {
			return 0, err
		}
		return slot, tx.run(ctx, `insert into instance (id, slot, name, version, started, seen)
			values ($1, $2, $3, $4, $5, clock_timestamp())`, i.ID, slot, plain(i.Name),
			plain(i.Version), at(i.Started))
	})
}

// beat is a live instance with the clock of the store.
type beat struct {
	instance store.Instance
	now      time.Time
}

// Heartbeat implements store.Store.
func (s *Store) Heartbeat(ctx context.Context, id string) (store.Fleet, error) {
	list, err := transactFor(ctx, s, s.work, "Heartbeat", func(tx *transaction) ([]beat, error) {
		n, err := tx.affects(ctx, `update instance set seen = clock_timestamp()
			where id = $1 and left_at is null`, name(id))
		if err != nil {
			return nil, err
		}
		if n == 0 {
			return nil, store.ErrNotFound
		}
		return rowsIn(ctx, tx, func(r pgx.CollectableRow) (b beat, err error) {
			i := &b.instance
			return b, r.Scan(&i.ID, &i.Slot, &i.Name, &i.Version, when{&i.Started}, when{&i.Seen},
				when{&b.now})
		}, `select id, slot, name, version, started, seen, t.now
			from instance, (select clock_timestamp() now) t
			where left_at is null and seen > t.now - $1::interval order by slot`, store.InstanceLive)
	})
	fleet := store.Fleet{Live: []store.Instance{}}
	for _, b := range list {
		fleet.Now = b.now
		fleet.Live = append(fleet.Live, b.instance)
	}
	return fleet, err
}

// Leave implements store.Store. The row remains: its slot is not free before its shares expire.
func (s *Store) Leave(ctx context.Context, id string) error {
	return s.transact(ctx, s.work, "Leave", func(tx *transaction) error {
		if err := tx.run(ctx, `update instance set left_at = clock_timestamp()
			where id = $1 and left_at is null`, name(id)); err != nil {
			return err
		}
		return tx.run(ctx, "delete from job where owner = $1", name(id))
	})
}

// Hold implements store.Store.
func (s *Store) Hold(
	ctx context.Context, owner, job string, d time.Duration,
) (bool, error) {
	if err := checkNames(owner, job); err != nil {
		return false, err
	}
	held := false
	err := s.call(ctx, "Hold", func() error {
		tag, err := s.work.Exec(ctx, `insert into job as j (name, owner, until)
			values ($2, $1, clock_timestamp() + $3::interval)
			on conflict (name) do update set owner = excluded.owner, until = excluded.until
			where j.owner = excluded.owner or j.until <= clock_timestamp()`, owner, job, d)
		held = tag.RowsAffected() > 0
		return err
	})
	return held && err == nil, err
}

// setShares sets the shares of the instance $1. The rows of the subjects exist. The instance keeps
// its slot meanwhile.
const setShares = `with
	i as (select slot from instance where id = $1 and left_at is null for key share),
	w as (select * from unnest($2::bytea[], $3::int[], $4::int[]) t(s, n, lim)),
	l as (
		select m.subject, m.held, m.until, w.n, w.lim, i.slot
		from rate_share m join w on w.s = m.subject cross join i
		order by m.subject for no key update of m),
	o as (
		select subject, n, slot, lim - coalesce((
			select sum(h) from unnest(held, until) with ordinality u(h, t, k)
			where k <> slot and t > clock_timestamp()), 0) rest from l),
	g as (select subject, slot, rest, greatest(least(n, rest), 0)::int mine from o)
	update rate_share m
	set held[g.slot] = g.mine, until[g.slot] = clock_timestamp() + $5::interval
	from g where m.subject = g.subject
	returning m.subject, g.mine, greatest(g.rest - g.mine, 0)`

// share is a share of a subject.
type share struct {
	subject [32]byte
	store.Share
}

// Shares implements store.Store.
func (s *Store) Shares(
	ctx context.Context, id string, list []store.ShareRequest,
) ([]store.Share, error) {
	if err := store.CheckShares(list); err != nil {
		return nil, errors.Join(ctx.Err(), err)
	}
	var subjects [][]byte
	var wanted, limits []int32
	for _, r := range list {
		subjects, wanted = append(subjects, r.Subject[:]), append(wanted, int32(min(r.Share, most)))
		limits = append(limits, int32(min(r.Limit, most)))
	}
	var found []share
	err := s.call(ctx, "Shares", func() (err error) {
		for range 2 { // the second time after missing rows were added
			found, err = rowsIn(ctx, s.hot, func(r pgx.CollectableRow) (h share, err error) {
				return h, r.Scan(digest{&h.subject}, &h.Held, &h.Free)
			}, setShares, name(id), subjects, wanted, limits, store.ShareLife)
			if err != nil || len(found) == len(list) && len(list) > 0 {
				return err
			}
			if err := s.addSubjects(ctx, id, subjects); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	of := map[[32]byte]store.Share{}
	for _, h := range found {
		of[h.subject] = h.Share
	}
	shares := make([]store.Share, len(list))
	for i, r := range list {
		shares[i] = of[r.Subject]
	}
	return shares, nil
}

// most is the highest limit that is stored.
const most = math.MaxInt32

// addSubjects adds rows of subjects for an instance. ErrNotFound: it is not enrolled.
func (s *Store) addSubjects(ctx context.Context, id string, subjects [][]byte) error {
	enrolled, err := rowIn(ctx, s.hot, pgx.RowTo[bool],
		"select exists (select from instance where id = $1 and left_at is null)", name(id))
	if err != nil {
		return err
	}
	if !enrolled {
		return store.ErrNotFound
	}
	_, err = s.hot.Exec(ctx, `insert into rate_share (subject)
		select s from unnest($1::bytea[]) t(s) order by s on conflict do nothing`, subjects)
	return err
}
