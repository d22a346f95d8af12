package postgres

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"leadline/store"
)

// AddClient implements store.Store. Calls run one at a time, because of the limit.
func (s *Store) AddClient(ctx context.Context, c store.Client, most int) error {
	c.Created, c.Expires = store.Second(c.Created), store.Second(c.Expires)
	if err := store.CheckName(c.ID); err != nil {
		return err
	}
	args, err := clientArgs(c)
	if err != nil {
		return err
	}
	return s.transact(ctx, s.hot, "AddClient", func(tx *transaction) error {
		if err := tx.run(ctx, "select from guard where name = 'clients' for update"); err != nil {
			return err
		}
		taken, err := tx.has(ctx, "select exists (select from client where id = $1)", c.ID)
		if err != nil {
			return err
		}
		if taken {
			return store.ErrExists
		}
		if err := tx.removeSurplus(ctx, most-1, c.Created); err != nil {
			return err
		}
		return tx.run(ctx, insertClient, args...)
	})
}

const insertClient = "insert into client (id, body, created, expires) values ($1, $2, $3, $4)"

func clientArgs(c store.Client) ([]any, error) {
	text, err := encode(clientBody(c))
	return []any{c.ID, text, at(c.Created), at(c.Expires)}, err
}

// removeSurplus removes the clients in excess of most, which are those that expire first.
// ErrTooMany: one of them was registered less than store.ClientYouth before now.
func (tx *transaction) removeSurplus(ctx context.Context, most int, now time.Time) error {
	type young struct {
		id      string
		created time.Time
	}
	list, err := rowsIn(ctx, tx, func(r pgx.CollectableRow) (y young, err error) {
		return y, r.Scan(&y.id, when{&y.created})
	}, "select id, created from client order by expires desc nulls first, id desc offset $1", most)
	if err != nil || len(list) == 0 {
		return err
	}
	var ids []string
	for _, one := range list {
		if now.Sub(one.created) < store.ClientYouth {
			return store.ErrTooMany
		}
		ids = append(ids, one.id)
	}
	return tx.run(ctx, "delete from client where id = any($1)", ids)
}

// clientRecord is the body of a client. Its times are columns, and JSON would write its Secret as a
// list of numbers.
type clientRecord struct {
	Secret       []byte   `json:"secret,omitempty"`
	Method       string   `json:"method"`
	Name         string   `json:"name"`
	RedirectURIs []string `json:"redirectURIs"`
}

func clientBody(c store.Client) clientRecord {
	r := clientRecord{nil, c.Method, c.Name, c.RedirectURIs}
	if c.Secret != [32]byte{} {
		r.Secret = c.Secret[:]
	}
	return r
}

// Client implements store.Store.
func (s *Store) Client(ctx context.Context, id string) (store.Client, error) {
	return row(ctx, s, "Client", scanClient, "select "+clientColumns+" from client where id = $1",
		name(id))
}

const clientColumns = "id, body::text, created, expires"

func scanClient(r pgx.CollectableRow) (c store.Client, err error) {
	var b clientRecord
	err = r.Scan(&c.ID, body{&b}, when{&c.Created}, when{&c.Expires})
	copy(c.Secret[:], b.Secret)
	c.Method, c.Name, c.RedirectURIs = b.Method, b.Name, b.RedirectURIs
	return c, err
}

// extendClient postpones the expiry of a registered client to expires, if it is earlier.
func (tx *transaction) extendClient(ctx context.Context, id string, expires time.Time) error {
	return tx.run(ctx, "update client set expires = $2 where id = $1 and "+expiresBefore2,
		name(id), at(expires))
}

// expiresBefore2 is true if a client expires before the parameter 2, NULL for never.
const expiresBefore2 = "expires is not null and ($2::timestamptz is null or expires < $2)"

// AddCode implements store.Store.
func (s *Store) AddCode(ctx context.Context, c store.Code) error {
	g := c.Grant
	if err := store.CheckName(g.ID); err != nil {
		return err
	}
	args, err := codeArgs(c)
	if err != nil {
		return err
	}
	return s.transact(ctx, s.hot, "AddCode", func(tx *transaction) error {
		if err := tx.lock(ctx, g.Account, lockShared); err != nil {
			return err
		}
		taken, err := tx.has(ctx, "select exists (select from oauth_grant where id = $1)", g.ID)
		if err != nil {
			return err
		}
		if taken {
			return store.ErrExists
		}
		return tx.run(ctx, insertCode, args...)
	})
}

const insertCode = `insert into code (hash, grant_id, account, body, challenge, expires, redeemed)
	values ($1, $2, $3, $4, $5, $6, $7)`

func codeArgs(c store.Code) ([]any, error) {
	g := store.Stored(c.Grant)
	text, err := encode(g)
	return []any{
		c.Hash[:], g.ID, name(g.Account), text, plain(c.Challenge), at(c.Expires), c.Redeemed,
	}, err
}

const codeColumns = "hash, body::text, challenge, expires, redeemed"

func scanCode(r pgx.CollectableRow) (c store.Code, err error) {
	return c, r.Scan(digest{&c.Hash}, body{&c.Grant}, &c.Challenge, when{&c.Expires}, &c.Redeemed)
}

// Code implements store.Store.
func (s *Store) Code(ctx context.Context, hash [32]byte) (store.Code, error) {
	return row(ctx, s, "Code", scanCode, "select "+codeColumns+" from code where hash = $1", hash[:])
}

// RedeemCode implements store.Store.
func (s *Store) RedeemCode(
	ctx context.Context, hash, refresh [32]byte, now time.Time,
) (bool, error) {
	return transactFor(ctx, s, s.hot, "RedeemCode", func(tx *transaction) (bool, error) {
		account, err := rowIn(ctx, tx, pgx.RowTo[string],
			"select account from code where hash = $1", hash[:])
		if err != nil {
			return false, err
		}
		if err := tx.lock(ctx, account, lockAlone); err != nil {
			return false, err
		}
		c, err := rowIn(ctx, tx, scanCode,
			"select "+codeColumns+" from code where hash = $1 for update", hash[:])
		if err != nil {
			return false, err
		}
		if c.Redeemed {
			return false, tx.removeGrants(ctx, "id = $1", c.Grant.ID)
		}
		if err := tx.run(ctx, "update code set redeemed = true where hash = $1", hash[:]); err != nil {
			return false, err
		}
		if err := tx.makeRoom(ctx, account); err != nil {
			return false, err
		}
		c.Grant.Used = store.Second(now)
		return true, tx.addGrant(ctx, c.Grant, refresh)
	})
}

// makeRoom removes the least recently used grants of an account until one more fits.
func (tx *transaction) makeRoom(ctx context.Context, account string) error {
	return tx.removeGrants(ctx, `id in (select id from oauth_grant where account = $1
		order by used desc nulls last, id offset $2)`, account, store.MostGrants-1)
}

func (tx *transaction) addGrant(ctx context.Context, g store.Grant, token [32]byte) error {
	args, err := grantArgs(g, token)
	if err != nil {
		return err
	}
	if err := tx.run(ctx, insertGrant, args...); err != nil {
		return err
	}
	return tx.extendClient(ctx, g.Client, g.Expires)
}

const insertGrant = `insert into oauth_grant
		(id, account, client, body, token, created, used, expires)
	values ($1, $2, $3, $4, $5, $6, $7, $8)`

func grantArgs(g store.Grant, token [32]byte) ([]any, error) {
	used, expires := g.Used, g.Expires
	g.Used, g.Expires = time.Time{}, time.Time{} // only in columns: they change
	text, err := encode(store.Stored(g))
	return []any{
		g.ID, name(g.Account), plain(g.Client), text, token[:], at(g.Created), at(used), at(expires),
	}, err
}

// removeGrants removes the grants that satisfy a condition, with their tokens.
func (tx *transaction) removeGrants(ctx context.Context, where string, args ...any) error {
	ids, err := rowsIn(ctx, tx, pgx.RowTo[string],
		"delete from oauth_grant where "+where+" returning id", args...)
	slices.Sort(ids)
	for _, id := range ids {
		tx.changed(store.Change{Grant: id})
	}
	return err
}

// The body of a grant does not have the times that change.
const grantColumns = "body::text, used, expires"

func grantFields(g *store.Grant) []any { return []any{body{g}, when{&g.Used}, when{&g.Expires}} }

func scanGrant(r pgx.CollectableRow) (g store.Grant, err error) {
	return g, r.Scan(grantFields(&g)...)
}

// Grant implements store.Store.
func (s *Store) Grant(ctx context.Context, id string) (store.Grant, store.Account, error) {
	return withOwner(ctx, s, "Grant", grantFields, grantColumns, "oauth_grant", "id", name(id))
}

// GrantsOf implements store.Store.
func (s *Store) GrantsOf(ctx context.Context, account string) ([]store.Grant, error) {
	return rows(ctx, s, s.hot, "GrantsOf", scanGrant, "select "+grantColumns+
		" from oauth_grant where account = $1 order by created desc nulls last, id", name(account))
}

// rotateGrant replaces the token of a grant if it is $2. It removes replaced tokens that are past
// the grace period, and all but the newest, of which the new one is not yet visible to it.
const rotateGrant = `with
	g as (
		update oauth_grant set token = $3, used = $5, expires = $6
		where id = $1 and token = $2 returning id, client),
	old as (
		delete from replaced_token where grant_id in (select id from g)
			and (coalesce(at, '0001-01-01Z') <= $7 or seq <= (select seq from replaced_token
				where grant_id = $1 order by seq desc offset $8 limit 1))),
	c as (
		update client set expires = $6 where id in (select client from g)
			and expires is not null and ($6::timestamptz is null or expires < $6))
	insert into replaced_token (hash, grant_id, at, sealed) select $2, id, $5, $4 from g`

// Rotate implements store.Store. Of concurrent callers with the token of the grant one rotates it,
// and the others get its response.
func (s *Store) Rotate(ctx context.Context, r store.Rotation) (sealed []byte, err error) {
	r.At, r.Expires = store.Second(r.At), store.Second(r.Expires)
	id, past := name(r.Grant), r.At.Add(-r.Grace)
	err = s.call(ctx, "Rotate", func() error {
		tag, err := s.hot.Exec(ctx, rotateGrant, id, r.From[:], r.To[:], r.Sealed, at(r.At),
			at(r.Expires), past, store.Remembered-1)
		if sealed = r.Sealed; err != nil || tag.RowsAffected() > 0 {
			return err
		}
		// Most late callers end here, without a lock that they would wait for one after another.
		sealed, err = rowIn(ctx, s.hot, pgx.RowTo[[]byte], replacedWithin, id, r.From[:], past)
		if err != store.ErrNotFound {
			return err
		}
		return s.transactIn(ctx, s.hot, func(tx *transaction) (err error) {
			sealed, err = tx.reuse(ctx, id, r.From, past)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	return sealed, nil
}

// replacedWithin reads the response to a token that was replaced after a time.
const replacedWithin = `select r.sealed from replaced_token r
	join oauth_grant g on g.id = r.grant_id
	where g.id = $1 and g.token <> $2 and r.hash = $2 and coalesce(r.at, '0001-01-01Z') > $3
	order by r.seq limit 1`

// reuse returns the response to a token that was replaced after past. For any other token it
// removes the grant and returns nil. ErrNotFound: there is no such grant.
func (tx *transaction) reuse(
	ctx context.Context, grant string, token [32]byte, past time.Time,
) ([]byte, error) {
	valid, err := rowIn(ctx, tx, pgx.RowTo[bool],
		"select token = $2 from oauth_grant where id = $1 for update", grant, token[:])
	if err != nil {
		return nil, err
	}
	if valid { // it became so after the statement that rotates was begun
		return nil, fmt.Errorf("%w: the grant has changed: repeat the call", store.ErrUnavailable)
	}
	sealed, err := rowIn(ctx, tx, pgx.RowTo[[]byte], replacedWithin, grant, token[:], past)
	if err != store.ErrNotFound {
		return sealed, err
	}
	return nil, tx.removeGrants(ctx, "id = $1", grant)
}

// RemoveGrant implements store.Store.
func (s *Store) RemoveGrant(ctx context.Context, id string) error {
	return s.transact(ctx, s.hot, "RemoveGrant", func(tx *transaction) error {
		return tx.removeGrants(ctx, "id = $1", name(id))
	})
}
