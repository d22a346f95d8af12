package postgres

import (
	"context"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

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
	p, ok := portings[kind]
	if !ok {
		return nil, fmt.Errorf("%w: unknown kind %.50q of records", store.ErrUnavailable, kind)
	}
	err = s.call(ctx, "Export", func() error {
		found, err := p.page(ctx, s, after, n)
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

// pages returns the page of a kind whose rows a statement reads. key lists the columns of its keys.
func pages[T any](
	scan pgx.RowToFunc[T], sql, key string,
) func(ctx context.Context, s *Store, after string, n int) ([]any, error) {
	columns := strings.Split(key, ", ")
	var after []string
	for i := range columns {
		after = append(after, "$"+strconv.Itoa(i+2))
	}
	sql += " where (" + key + ") > (" + strings.Join(after, ", ") + ") order by " + key + " limit $1"
	return func(ctx context.Context, s *Store, after string, n int) ([]any, error) {
		args, err := keyArgs(columns, after)
		if err != nil {
			return nil, err
		}
		list, err := rowsIn(ctx, s.work, scan, sql, append([]any{n}, args...)...)
		out := make([]any, len(list))
		for i, row := range list {
			out[i] = row
		}
		return out, err
	}
}

// keyArgs returns the names in a key as parameters to compare its columns with.
func keyArgs(columns []string, key string) ([]any, error) {
	var args []any
	for i, text := range store.SplitKey(key, len(columns)) {
		switch columns[i] {
		case "hash":
			hash, err := hex.DecodeString(text)
			if err != nil {
				return nil, fmt.Errorf("%w: invalid key %.80q: %w", store.ErrUnavailable, key, err)
			}
			args = append(args, hash)
		case "month", "day":
			n, _ := strconv.ParseInt(text, 10, 64) // 0 without a key
			args = append(args, n)
		default:
			args = append(args, text)
		}
	}
	return args, nil
}

func scanMonth(r pgx.CollectableRow) (m store.MonthRow, err error) {
	return m, r.Scan(&m.Account, &m.Month, (*units)(&m.Units))
}

func scanFact(r pgx.CollectableRow) (f store.FactRow, err error) {
	return f, r.Scan(&f.Name, &f.Value)
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

// grantPages is pages for grants without the tokens that were replaced.
var grantPages = pages(scanGrantRow,
	"select "+grantColumns+", token from oauth_grant", "id")

// grantRows is the page of grants with their tokens.
func grantRows(ctx context.Context, s *Store, after string, n int) ([]any, error) {
	list, err := grantPages(ctx, s, after, n)
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
