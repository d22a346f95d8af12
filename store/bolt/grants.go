package bolt

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"go.etcd.io/bbolt"

	"leadline/store"
)

func addGrant(tx *bbolt.Tx, g grantRecord) error {
	id := []byte(g.ID)
	return cmp.Or(
		tx.Bucket(grantsOfAccount).Put(owned(g.Account, id), id),
		putGrant(tx, g),
	)
}

// makeRoom removes the grants of an account that were used longest ago until
// there is room for one more.
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

// putGrant stores a grant, under its end too, which its client lives to see.
func putGrant(tx *bbolt.Tx, g grantRecord) error {
	id := []byte(g.ID)
	return cmp.Or(
		put(tx, grants, id, g),
		tx.Bucket(grantsByEnd).Put(byEnd(g.Expires, id), id),
		keepClient(tx, g.Client, g.Expires),
	)
}

// removeGrant removes a grant with its tokens. One that is gone is no error.
func (s *Store) removeGrant(tx *bbolt.Tx, id []byte) error {
	g, err := get[grantRecord](tx, grants, id)
	if err == store.ErrNotFound {
		return nil
	}
	tx.OnCommit(s.changed)
	return cmp.Or(err,
		tx.Bucket(grants).Delete(id),
		tx.Bucket(grantsOfAccount).Delete(owned(g.Account, id)),
		tx.Bucket(grantsByEnd).Delete(byEnd(g.Expires, id)),
	)
}

// removeGrants removes the grants of an account.
func (s *Store) removeGrants(tx *bbolt.Tx, account string) error {
	return each(tx, ownedBy(tx, grantsOfAccount, account), s.removeGrant)
}

// grantOwner is a grant with its account.
type grantOwner struct {
	grant   store.Grant
	account store.Account
}

// Grant is the contract's.
func (s *Store) Grant(ctx context.Context, id string) (store.Grant, store.Account, error) {
	found, err := read(ctx, s, func(tx *bbolt.Tx) (grantOwner, error) {
		g, err := get[grantRecord](tx, grants, []byte(id))
		if err != nil {
			return grantOwner{}, err
		}
		a, err := follow[store.Account](tx, accounts, []byte(g.Account))
		return grantOwner{g.Grant, a}, err
	})
	return found.grant, found.account, err
}

// GrantsOf is the contract's.
func (s *Store) GrantsOf(ctx context.Context, account string) ([]store.Grant, error) {
	return read(ctx, s, func(tx *bbolt.Tx) ([]store.Grant, error) { return grantsIn(tx, account) })
}

// grantsIn lists the grants of an account. The index has them in order of their
// ids; they are few, and quickly sorted.
func grantsIn(tx *bbolt.Tx, account string) ([]store.Grant, error) {
	list := []store.Grant{}
	for _, id := range ownedBy(tx, grantsOfAccount, account) {
		g, err := follow[grantRecord](tx, grants, id)
		if err != nil {
			return nil, err
		}
		list = append(list, g.Grant)
	}
	slices.SortStableFunc(list, func(a, b store.Grant) int { return b.Created.Compare(a.Created) })
	return list, nil
}

// Rotate is the contract's. A token that comes again is no error: errors change
// nothing, and this may remove a grant.
func (s *Store) Rotate(ctx context.Context, r store.Rotation) ([]byte, error) {
	r.At, r.Expires = second(r.At), second(r.Expires)
	r.Sealed = bytes.Clone(r.Sealed) // the caller may change it once it has stopped waiting
	return change(ctx, s, func(tx *bbolt.Tx) ([]byte, error) {
		g, err := get[grantRecord](tx, grants, []byte(r.Grant))
		if err != nil {
			return nil, err
		}
		if g.Token == r.From {
			return r.Sealed, g.rotate(tx, r)
		}
		for _, p := range g.Replaced {
			if p.Token == r.From && p.within(r) {
				return p.Sealed, nil
			}
		}
		return nil, s.removeGrant(tx, []byte(r.Grant))
	})
}

// within tells whether a token was replaced less than the grace before a
// rotation.
func (p replaced) within(r store.Rotation) bool { return r.At.Sub(p.At) < r.Grace }

// rotate puts a rotation's new token in the place of the grant's. What it
// forgets could only be answered as what was never there.
func (g grantRecord) rotate(tx *bbolt.Tx, r store.Rotation) error {
	if err := tx.Bucket(grantsByEnd).Delete(byEnd(g.Expires, []byte(g.ID))); err != nil {
		return err
	}
	g.Replaced = slices.DeleteFunc(g.Replaced, func(p replaced) bool { return !p.within(r) })
	g.Replaced = append(g.Replaced, replaced{r.From, r.At, r.Sealed})
	g.Replaced = g.Replaced[max(0, len(g.Replaced)-store.Remembered):]
	g.Token, g.Used, g.Expires = r.To, r.At, r.Expires
	return putGrant(tx, g)
}

// RemoveGrant is the contract's.
func (s *Store) RemoveGrant(ctx context.Context, id string) error {
	return s.do(ctx, func(tx *bbolt.Tx) error { return s.removeGrant(tx, []byte(id)) })
}
