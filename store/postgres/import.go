package postgres

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
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
	switch r := row.(type) {
	case store.Account:
		in.query(insertAccount, accountArgs(r)...)
		return checkNames(r.ID, r.Email)
	case store.PasswordRow:
		in.query("insert into password (account, kept) values ($1, $2)", name(r.Account), plain(r.Kept))
	case store.Identity:
		in.query(insertIdentity, r.Issuer, r.Subject, name(r.Account))
		return checkNames(r.Issuer, r.Subject)
	case store.Key:
		in.query(insertKey, keyArgs(r)...)
		return store.CheckName(r.ID)
	case store.MonthRow:
		in.query("insert into quota_month (account, month, reserved) values ($1, $2, $3)",
			name(r.Account), int32(r.Month), units(r.Units))
	case store.Session:
		in.query(insertSession, sessionArgs(r)...)
	case store.Ticket:
		in.query(insertTicket, ticketArgs(r)...)
	case store.Client:
		args, err := clientArgs(r)
		in.query(insertClient, args...)
		return cmp.Or(err, store.CheckName(r.ID))
	case store.Code:
		args, err := codeArgs(r)
		in.query(insertCode, args...)
		return cmp.Or(err, store.CheckName(r.Grant.ID))
	case store.GrantRow:
		return in.grant(r)
	case store.Incident:
		text, err := encode(r)
		in.query("insert into incident (id, body, starts, ends) values ($1, $2, $3, $4)",
			r.ID, text, at(r.From), at(r.Until))
		return cmp.Or(err, store.CheckName(r.ID))
	case store.FactRow:
		in.query(`insert into fact (name, value) values ($1, $2)
			on conflict (name) do update set value = excluded.value`, r.Name, append([]byte{}, r.Value...))
		return store.CheckName(r.Name)
	case store.Use:
		in.query(`insert into use_day (account, day, surface, served, refused)
			values ($1, $2, $3, $4, $5)`, name(r.Account), int64(r.Day), r.Surface, int64(r.Served),
			int64(r.Refused))
		return store.CheckName(r.Surface)
	case store.ComponentDay:
		in.query("insert into component_day ("+componentDayColumns+") values ($1, $2, $3, $4, $5, $6)",
			r.Component, int64(r.Day), r.OK, r.Degraded, r.Down, r.Last)
		return store.CheckName(r.Component)
	case store.Endpoint:
		r = roundedEndpoint(r)
		args, err := endpointArgs(r)
		in.query(insertEndpoint, args...)
		return cmp.Or(err, checkNames(slices.Concat(r.Kinds, []string{r.ID})...))
	case store.EventRow:
		return in.event(r)
	case store.OnceRow:
		in.query("insert into once (name, until) values ($1, $2)", r.Name, at(r.Until))
		return store.CheckName(r.Name)
	case store.Delivery:
		return in.delivery(r)
	case store.Watch:
		in.query(insertWatch, append(watchArgs(r), name(r.Account), at(r.Created), int64(r.Version))...)
		return checkNames(r.ID, r.Station)
	default:
		return fmt.Errorf("%w: no kind of records has rows of type %T", store.ErrUnavailable, row)
	}
	return nil
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
