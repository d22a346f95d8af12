package postgres

import (
	"context"
	"encoding/hex"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"

	"leadline/store"
)

var _ store.Porter = (*Store)(nil)

// Tally implements store.Porter.
func (s *Store) Tally(ctx context.Context) (map[string]store.Sum, error) {
	return store.TallyOf(ctx, s.Export)
}

// Export implements store.Porter.
func (s *Store) Export(
	ctx context.Context, kind, after string, n int,
) (list []store.Record, err error) {
	err = s.call(ctx, "Export", func() error {
		found, err := s.exported(ctx, kind, after, n)
		if err != nil {
			return err
		}
		list = nil
		for _, row := range found {
			r, err := store.NewRecord(row)
			if err != nil {
				return err
			}
			list = append(list, r)
		}
		return nil
	})
	return list, err
}

// exported returns up to n rows of a kind after a key.
func (s *Store) exported(ctx context.Context, kind, after string, n int) ([]any, error) {
	names := store.SplitKey(after, 3)
	number, _ := strconv.ParseInt(names[1], 10, 64) // a month or a day; 0 without a key
	switch kind {
	case store.KindAccounts:
		return page(ctx, s, scanAccount, "select "+accountColumns+" from account a", "id", n, after)
	case store.KindPasswords:
		return page(ctx, s, scanPassword, "select account, kept from password", "account", n, after)
	case store.KindIdentities:
		names := store.SplitKey(after, 2)
		return page(ctx, s, scanIdentity, "select issuer, subject, account from identity",
			"issuer, subject", n, names[0], names[1])
	case store.KindKeys:
		return hashed(ctx, s, scanKey, "select "+keyColumns+" from api_key k", n, after)
	case store.KindMonths:
		return page(ctx, s, scanMonth, "select account, month, reserved from quota_month",
			"account, month", n, names[0], number)
	case store.KindSessions:
		return hashed(ctx, s, scanSession, "select "+sessionColumns+" from session s", n, after)
	case store.KindTickets:
		return hashed(ctx, s, scanTicket, "select "+ticketColumns+" from ticket", n, after)
	case store.KindClients:
		return page(ctx, s, scanClient, "select "+clientColumns+" from client", "id", n, after)
	case store.KindCodes:
		return hashed(ctx, s, scanCode, "select "+codeColumns+" from code", n, after)
	case store.KindGrants:
		return s.grantRows(ctx, after, n)
	case store.KindIncidents:
		return page(ctx, s, scanIncident, "select body::text from incident", "id", n, after)
	case store.KindFacts:
		return page(ctx, s, scanFact, "select name, value from (select * from fact where name <> '"+
			store.CopyMark+"') f", "name", n, after)
	case store.KindUses:
		return page(ctx, s, scanUse, "select account, day, surface, served, refused from use_day",
			"account, day, surface", n, names[0], number, names[2])
	case store.KindComponentDays:
		return page(ctx, s, scanComponentDay, "select "+componentDayColumns+" from component_day",
			"component, day", n, names[0], number)
	case store.KindEndpoints:
		return page(ctx, s, scanEndpoint, "select "+endpointColumns+" from endpoint e", "id", n, after)
	case store.KindEvents:
		return page(ctx, s, scanEventRow, "select "+eventColumns+`, e.spreading, e.spread_after
			from event e`, "id", n, after)
	case store.KindOnce:
		return page(ctx, s, scanOnce, "select name, until from once", "name", n, after)
	case store.KindDeliveries:
		return page(ctx, s, scanDelivery, "select "+deliveryColumns+" from delivery d",
			"endpoint, event", n, names[0], names[1])
	case store.KindWatches:
		return page(ctx, s, scanWatch, "select "+watchColumns+" from watch w", "id", n, after)
	}
	return nil, fmt.Errorf("%w: unknown kind %.50q of records", store.ErrUnavailable, kind)
}

// page returns up to n rows that follow a key, in the order of keys.
func page[T any](
	ctx context.Context, s *Store, scan pgx.RowToFunc[T], sql, key string, n int, after ...any,
) ([]any, error) {
	where := " where (" + key + ") > ("
	for i := range after {
		if i > 0 {
			where += ", "
		}
		where += "$" + strconv.Itoa(i+2)
	}
	list, err := rowsIn(ctx, s.work, scan, sql+where+") order by "+key+" limit $1",
		append([]any{n}, after...)...)
	out := make([]any, len(list))
	for i, row := range list {
		out[i] = row
	}
	return out, err
}

// hashed is page for keys that are hashes.
func hashed[T any](
	ctx context.Context, s *Store, scan pgx.RowToFunc[T], sql string, n int, after string,
) ([]any, error) {
	hash, err := hex.DecodeString(after)
	if err != nil {
		return nil, fmt.Errorf("%w: invalid key %.80q: %w", store.ErrUnavailable, after, err)
	}
	return page(ctx, s, scan, sql, "hash", n, hash)
}

func scanPassword(r pgx.CollectableRow) (p store.PasswordRow, err error) {
	return p, r.Scan(&p.Account, &p.Kept)
}

func scanMonth(r pgx.CollectableRow) (m store.MonthRow, err error) {
	return m, r.Scan(&m.Account, &m.Month, (*units)(&m.Units))
}

func scanFact(r pgx.CollectableRow) (f store.FactRow, err error) {
	return f, r.Scan(&f.Name, &f.Value)
}

func scanOnce(r pgx.CollectableRow) (o store.OnceRow, err error) {
	return o, r.Scan(&o.Name, when{&o.Until})
}

func scanEventRow(r pgx.CollectableRow) (e store.EventRow, err error) {
	return e, r.Scan(append(eventFields(&e.Event), &e.Waits, &e.Last)...)
}

func scanGrantRow(r pgx.CollectableRow) (g store.GrantRow, err error) {
	return g, r.Scan(append(grantFields(&g.Grant), digest{(*[32]byte)(&g.Token)})...)
}

// replacedOf is a replaced token of a grant.
type replacedOf struct {
	grant string
	token store.ReplacedToken
}

func scanReplaced(r pgx.CollectableRow) (o replacedOf, err error) {
	t := &o.token
	return o, r.Scan(&o.grant, digest{(*[32]byte)(&t.Token)}, when{&t.At}, &t.Sealed)
}

// grantRows is page for grants with their tokens.
func (s *Store) grantRows(ctx context.Context, after string, n int) ([]any, error) {
	list, err := page(ctx, s, scanGrantRow, "select "+grantColumns+", g.token from oauth_grant g",
		"id", n, after)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, row := range list {
		ids = append(ids, row.(store.GrantRow).ID)
	}
	tokens, err := rowsIn(ctx, s.work, scanReplaced, `select grant_id, hash, at, sealed
		from replaced_token where grant_id = any($1) order by seq`, ids)
	of := map[string][]store.ReplacedToken{}
	for _, t := range tokens {
		of[t.grant] = append(of[t.grant], t.token)
	}
	for i, row := range list {
		g := row.(store.GrantRow)
		g.Replaced = of[g.ID]
		list[i] = g
	}
	return list, err
}
