package bolt

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"leadline/store"
)

// AddClient implements store.Store.
func (s *Store) AddClient(ctx context.Context, c store.Client, most int) error {
	c = store.Stored(c)
	if err := clientKind.check(&c); err != nil {
		return err
	}
	return s.do(ctx, func(tx *bbolt.Tx) error {
		if clientKind.taken(tx, &c) {
			return store.ErrExists
		}
		surplus, err := surplusClients(tx, most-1, c.Created)
		if err != nil {
			return err
		}
		return cmp.Or(
			each(tx, surplus, clientKind.removeIfAny),
			clientKind.put(tx, &c),
		)
	})
}

// surplusClients returns the ids of the clients in excess of most, which are those that expire
// first. ErrTooMany: one of them was registered less than store.ClientYouth before at.
func surplusClients(tx *bbolt.Tx, most int, at time.Time) (surplus [][]byte, err error) {
	c := tx.Bucket(clientsByEnd).Cursor()
	n := 0
	for k, id := c.Last(); k != nil; k, id = c.Prev() {
		if n++; n <= most {
			continue
		}
		r, err := clientKind.follow(tx, id)
		if err != nil {
			return nil, err
		}
		if at.Sub(r.Created) < store.ClientYouth {
			return nil, store.ErrTooMany
		}
		surplus = append(surplus, id)
	}
	return surplus, nil
}

// extendClient postpones the expiry of a registered client to expires, if it is earlier.
func extendClient(tx *bbolt.Tx, id string, expires time.Time) error {
	before, err := clientKind.get(tx, []byte(id))
	if err == store.ErrNotFound {
		return nil
	}
	if err != nil || bytes.Compare(endStamp(expires), endStamp(before.Expires)) <= 0 {
		return err
	}
	after := before
	after.Expires = expires
	return clientKind.replace(tx, &before, &after)
}

// Client implements store.Store.
func (s *Store) Client(ctx context.Context, id string) (store.Client, error) {
	return read(ctx, s, func(tx *bbolt.Tx) (store.Client, error) {
		return clientKind.get(tx, []byte(id))
	})
}

// makeRoom removes the least recently used grants of an account until one more fits.
func (s *Store) makeRoom(tx *bbolt.Tx, account string) error {
	list, err := grantsIn(tx, account)
	if err != nil || len(list) < store.MostGrants {
		return err
	}
	slices.SortFunc(list, func(a, b store.Grant) int { return a.Used.Compare(b.Used) })
	for _, g := range list[:len(list)-store.MostGrants+1] {
		if err := s.removeGrant(tx, []byte(g.ID)); err != nil {
			return err
		}
	}
	return nil
}

// removeGrant removes a grant with its tokens. It returns nil if there is no such grant.
func (s *Store) removeGrant(tx *bbolt.Tx, id []byte) error {
	if has(tx, grants, id) {
		s.changed(tx, store.Change{Grant: string(id)})
	}
	return grantKind.removeIfAny(tx, id)
}

// removeGrants removes the grants of an account.
func (s *Store) removeGrants(tx *bbolt.Tx, account string) error {
	return each(tx, ownedBy(tx, grantsOfAccount, account), s.removeGrant)
}

// Grant implements store.Store.
func (s *Store) Grant(ctx context.Context, id string) (store.Grant, store.Account, error) {
	g, a, err := grantKind.withOwner(ctx, s, []byte(id))
	return g.Grant, a, err
}

// GrantsOf implements store.Store.
func (s *Store) GrantsOf(ctx context.Context, account string) ([]store.Grant, error) {
	return read(ctx, s, func(tx *bbolt.Tx) ([]store.Grant, error) { return grantsIn(tx, account) })
}

// grantsIn lists the grants of an account, newest first. The index is sorted by id; the few grants
// are sorted here.
func grantsIn(tx *bbolt.Tx, account string) ([]store.Grant, error) {
	list := []store.Grant{}
	rows, err := grantKind.list(tx, ownedBy(tx, grantsOfAccount, account))
	for _, g := range rows {
		list = append(list, g.Grant)
	}
	slices.SortStableFunc(list, func(a, b store.Grant) int { return b.Created.Compare(a.Created) })
	return list, err
}

// Rotate implements store.Store. A reused token is not an error here: errors change nothing, and
// reuse may remove a grant.
func (s *Store) Rotate(ctx context.Context, r store.Rotation) ([]byte, error) {
	r.At, r.Expires = store.Second(r.At), store.Second(r.Expires)
	r.Sealed = bytes.Clone(r.Sealed) // a caller whose context has ended may change it
	return change(ctx, s, func(tx *bbolt.Tx) ([]byte, error) {
		g, err := grantKind.get(tx, []byte(r.Grant))
		if err != nil {
			return nil, err
		}
		if g.Token == r.From {
			return r.Sealed, rotate(tx, g, r)
		}
		for _, p := range g.Replaced {
			if p.Token == r.From && within(p, r) {
				return p.Sealed, nil
			}
		}
		return nil, s.removeGrant(tx, []byte(r.Grant))
	})
}

// within reports whether a token was replaced less than the grace period before a rotation.
func within(t store.ReplacedToken, r store.Rotation) bool { return r.At.Sub(t.At) < r.Grace }

// rotate replaces the token of a grant with the new token of a rotation. It drops the replaced
// tokens that are older than the grace period: they are handled like unknown tokens.
func rotate(tx *bbolt.Tx, before store.GrantRow, r store.Rotation) error {
	g := before
	g.Replaced = slices.DeleteFunc(g.Replaced, func(t store.ReplacedToken) bool {
		return !within(t, r)
	})
	g.Replaced = append(g.Replaced, store.ReplacedToken{Token: r.From, At: r.At, Sealed: r.Sealed})
	g.Replaced = g.Replaced[max(0, len(g.Replaced)-store.Remembered):]
	g.Token, g.Used, g.Expires = r.To, r.At, r.Expires
	return cmp.Or(grantKind.replace(tx, &before, &g), extendClient(tx, g.Client, g.Expires))
}

// RemoveGrant implements store.Store.
func (s *Store) RemoveGrant(ctx context.Context, id string) error {
	return s.do(ctx, func(tx *bbolt.Tx) error { return s.removeGrant(tx, []byte(id)) })
}

// AddCode implements store.Store.
func (s *Store) AddCode(ctx context.Context, c store.Code) error {
	c = store.Stored(c)
	if err := codeKind.check(&c); err != nil {
		return err
	}
	return s.do(ctx, func(tx *bbolt.Tx) error {
		switch {
		case !has(tx, accounts, []byte(c.Grant.Account)):
			return store.ErrNotFound
		case codeKind.taken(tx, &c) || has(tx, grants, []byte(c.Grant.ID)):
			return store.ErrExists
		}
		return codeKind.put(tx, &c)
	})
}

// removeCodes removes the codes of an account.
func removeCodes(tx *bbolt.Tx, account string) error {
	return each(tx, ownedBy(tx, codesOfAccount, account), codeKind.removeIfAny)
}

// Code implements store.Store.
func (s *Store) Code(ctx context.Context, hash [32]byte) (store.Code, error) {
	return read(ctx, s, func(tx *bbolt.Tx) (store.Code, error) {
		return codeKind.get(tx, hash[:])
	})
}

// RedeemCode implements store.Store. A reused code is not an error here: errors change nothing, and
// reuse removes the grant.
func (s *Store) RedeemCode(
	ctx context.Context, hash, refresh [32]byte, at time.Time,
) (bool, error) {
	return change(ctx, s, func(tx *bbolt.Tx) (bool, error) {
		c, err := codeKind.get(tx, hash[:])
		if err != nil {
			return false, err
		}
		if c.Redeemed {
			return false, s.removeGrant(tx, []byte(c.Grant.ID))
		}
		c.Redeemed = true
		g := store.GrantRow{Grant: c.Grant, Token: refresh}
		g.Used = store.Second(at)
		return true, cmp.Or(
			put(tx, codes, hash[:], c),
			s.makeRoom(tx, g.Account),
			grantKind.put(tx, &g),
			extendClient(tx, g.Client, g.Expires),
		)
	})
}
