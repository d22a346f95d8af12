package postgres

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"leadline/store"
)

// AddUses implements store.Store.
func (s *Store) AddUses(ctx context.Context, list []store.Use) error {
	for _, u := range list {
		if err := store.CheckName(u.Surface); err != nil {
			return err
		}
	}
	list = sums(list)
	var of []string
	for _, u := range list {
		of = append(of, name(u.Account))
	}
	return s.transact(ctx, s.hot, "AddUses", func(tx *transaction) error {
		if len(list) == 0 {
			return nil
		}
		known, err := tx.lockAll(ctx, of)
		if err != nil {
			return err
		}
		var accounts, surfaces []string
		var days, served, refused []int64
		for _, u := range list {
			if !known[u.Account] {
				continue
			}
			accounts, surfaces = append(accounts, u.Account), append(surfaces, u.Surface)
			days, served = append(days, int64(u.Day)), append(served, int64(u.Served))
			refused = append(refused, int64(u.Refused))
		}
		return tx.run(ctx, `insert into use_day as u (account, day, surface, served, refused)
			select * from unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[])
			on conflict (account, day, surface) do update set
				served = least(u.served + excluded.served, $6),
				refused = least(u.refused + excluded.refused, $6)`,
			accounts, days, surfaces, served, refused, int64(math.MaxUint32))
	})
}

// sums adds up the uses of an account, a day and a surface, in the order in which rows are locked.
func sums(list []store.Use) []store.Use {
	list = slices.Clone(list)
	slices.SortStableFunc(list, compareUses)
	var out []store.Use
	for _, u := range list {
		if n := len(out); n > 0 && compareUses(out[n-1], u) == 0 {
			out[n-1].Served = sum(out[n-1].Served, u.Served)
			out[n-1].Refused = sum(out[n-1].Refused, u.Refused)
			continue
		}
		out = append(out, u)
	}
	return out
}

func compareUses(a, b store.Use) int {
	return cmp.Or(strings.Compare(a.Account, b.Account), cmp.Compare(a.Day, b.Day),
		strings.Compare(a.Surface, b.Surface))
}

// sum adds counts up to the highest that can be stored.
func sum(a, b uint32) uint32 { return uint32(min(uint64(a)+uint64(b), math.MaxUint32)) }

// lockAll prevents that accounts are removed, and returns those that exist.
func (tx *transaction) lockAll(ctx context.Context, accounts []string) (map[string]bool, error) {
	ids, err := rowsIn(ctx, tx, pgx.RowTo[string],
		"select id from account where id = any($1) order by id "+lockShared, accounts)
	known := map[string]bool{}
	for _, id := range ids {
		known[id] = true
	}
	return known, err
}

// UsesOf implements store.Store.
func (s *Store) UsesOf(
	ctx context.Context, account string, from, to store.Day,
) ([]store.Use, error) {
	return rows(ctx, s, s.hot, "UsesOf", useTable.scan,
		useTable.read+"where account = $1 and day between $2 and $3 order by day, surface",
		name(account), int64(from), int64(to))
}
