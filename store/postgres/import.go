package postgres

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/jackc/pgx/v5"

	"leadline/store"
)

// Import implements store.Porter. The statements go to the server together.
func (s *Store) Import(ctx context.Context, list []store.Record) error {
	in := &imported{pending: map[string]int{}}
	for _, r := range list {
		if err := in.add(r); err != nil {
			return cmp.Or(ctx.Err(), err)
		}
	}
	return s.transact(ctx, s.work, "Import", func(tx *transaction) error {
		for _, q := range in.queries {
			tx.batch.Queue(q.SQL, q.Arguments...)
		}
		return tx.requeue(ctx, in.pending)
	})
}

// imported collects the statements that add records.
type imported struct {
	queries []*pgx.QueuedQuery
	pending map[string]int // deliveries by endpoint
}

func (in *imported) query(sql string, args ...any) {
	in.queries = append(in.queries, &pgx.QueuedQuery{SQL: sql, Arguments: args})
}

// add adds the statements of a record.
func (in *imported) add(r store.Record) error {
	if r.Kind == store.KindFacts && r.Body == nil {
		in.query("delete from fact where name = $1", name(r.Key))
		return nil
	}
	row, err := r.Row()
	if err != nil {
		return err
	}
	return portings[r.Kind].add(in, row)
}

// adds returns what adds a row of a kind.
func adds[T any](add func(*imported, T) error) func(*imported, any) error {
	return func(in *imported, row any) error { return add(in, row.(T)) }
}

func (in *imported) month(r store.MonthRow) error {
	in.query("insert into quota_month (account, month, reserved) values ($1, $2, $3)",
		name(r.Account), int32(r.Month), units(r.Units))
	return nil
}

func (in *imported) client(c store.Client) error {
	args, err := clientArgs(c)
	in.query(insertClient, args...)
	return cmp.Or(err, store.CheckName(c.ID))
}

func (in *imported) code(c store.Code) error {
	args, err := codeArgs(c)
	in.query(insertCode, args...)
	return cmp.Or(err, store.CheckName(c.Grant.ID))
}

func (in *imported) incident(i store.Incident) error {
	text, err := encode(i)
	in.query("insert into incident (id, body, starts, ends) values ($1, $2, $3, $4)",
		i.ID, text, at(i.From), at(i.Until))
	return cmp.Or(err, store.CheckName(i.ID))
}

func (in *imported) fact(r store.FactRow) error {
	in.query(`insert into fact (name, value) values ($1, $2)
		on conflict (name) do update set value = excluded.value`, r.Name, append([]byte{}, r.Value...))
	return store.CheckName(r.Name)
}

func (in *imported) endpoint(e store.Endpoint) error {
	e = roundedEndpoint(e)
	args, err := endpointArgs(e)
	in.query(insertEndpoint, args...)
	return cmp.Or(err, checkNames(slices.Concat(e.Kinds, []string{e.ID})...))
}

func (in *imported) grant(r store.GrantRow) error {
	args, err := grantArgs(r.Grant, r.Token)
	in.query(insertGrant, args...)
	for _, t := range r.Replaced {
		in.query("insert into replaced_token (grant_id, hash, at, sealed) values ($1, $2, $3, $4)",
			r.ID, t.Token[:], at(t.At), append([]byte{}, t.Sealed...))
	}
	return cmp.Or(err, store.CheckName(r.ID))
}

func (in *imported) event(r store.EventRow) error {
	e, err := asNewEvent(r.Event)
	var account *string
	if e.Account != "" {
		account = &e.Account
	}
	in.query(`insert into event (id, type, account, endpoint, body, created, expires, once,
			once_until, spreading, spread_after)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`, e.ID, e.Type, account, e.Endpoint,
		e.Body, at(e.Created), at(e.Expires), e.Once, at(e.OnceUntil), r.Waits, plain(r.Last))
	return err
}

func (in *imported) delivery(d store.Delivery) error {
	var attempts *string
	if len(d.Attempts) > 0 {
		text, err := json.Marshal(d.Attempts)
		if err != nil {
			return err
		}
		attempts = new(string(text))
	}
	if d.State == store.DeliveryPending {
		in.pending[d.Endpoint]++
	}
	in.query(`insert into delivery (endpoint, event, kind, state, direct, replay, tries, due, created,
			attempts)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`, name(d.Endpoint), name(d.Event),
		plain(d.Kind), plain(d.State), d.Direct, d.Replay, d.Tries, at(d.Due), at(d.Created), attempts)
	return nil
}
