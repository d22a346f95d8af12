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
	r := newClientRecord(c)
	if err := store.CheckName(r.ID); err != nil {
		return err
	}
	r.RedirectURIs = slices.Clone(r.RedirectURIs) // a caller whose context has ended may change them
	id := []byte(r.ID)
	return s.do(ctx, func(tx *bbolt.Tx) error {
		if has(tx, clients, id) {
			return store.ErrExists
		}
		surplus, err := surplusClients(tx, most-1, r.Created)
		if err != nil {
			return err
		}
		return cmp.Or(
			each(tx, surplus, removeClient),
			putClient(tx, r),
		)
	})
}

// putClient stores a client and adds it to the index by expiry.
func putClient(tx *bbolt.Tx, r clientRecord) error {
	id := []byte(r.ID)
	return cmp.Or(
		put(tx, clients, id, r),
		tx.Bucket(clientsByEnd).Put(byEnd(r.Expires, id), id),
	)
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
		r, err := follow[clientRecord](tx, clients, id)
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

// removeClient removes a client. It returns nil if there is no such client.
func removeClient(tx *bbolt.Tx, id []byte) error {
	r, err := get[clientRecord](tx, clients, id)
	if err == store.ErrNotFound {
		return nil
	}
	return cmp.Or(err,
		tx.Bucket(clients).Delete(id),
		tx.Bucket(clientsByEnd).Delete(byEnd(r.Expires, id)),
	)
}

// extendClient postpones the expiry of a registered client to expires, if it is earlier.
func extendClient(tx *bbolt.Tx, id string, expires time.Time) error {
	key := []byte(id)
	r, err := get[clientRecord](tx, clients, key)
	if err == store.ErrNotFound {
		return nil
	}
	if err != nil || bytes.Compare(endStamp(expires), endStamp(r.Expires)) <= 0 {
		return err
	}
	was := byEnd(r.Expires, key)
	r.Expires = expires
	return cmp.Or(
		put(tx, clients, key, r),
		tx.Bucket(clientsByEnd).Delete(was),
		tx.Bucket(clientsByEnd).Put(byEnd(expires, key), key),
	)
}

// Client implements store.Store.
func (s *Store) Client(ctx context.Context, id string) (store.Client, error) {
	return read(ctx, s, func(tx *bbolt.Tx) (store.Client, error) {
		r, err := get[clientRecord](tx, clients, []byte(id))
		return r.client(), err
	})
}

func addGrant(tx *bbolt.Tx, g grantRecord) error {
	return cmp.Or(indexGrant(tx, g), putGrant(tx, g))
}

// indexGrant adds a grant to the indexes by account and by expiry.
func indexGrant(tx *bbolt.Tx, g grantRecord) error {
	id := []byte(g.ID)
	return cmp.Or(
		tx.Bucket(grantsOfAccount).Put(owned(g.Account, id), id),
		tx.Bucket(grantsByEnd).Put(byEnd(g.Expires, id), id),
	)
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

// putGrant stores a grant, adds it to the index by expiry and extends its client.
func putGrant(tx *bbolt.Tx, g grantRecord) error {
	id := []byte(g.ID)
	return cmp.Or(
		put(tx, grants, id, g),
		tx.Bucket(grantsByEnd).Put(byEnd(g.Expires, id), id),
		extendClient(tx, g.Client, g.Expires),
	)
}

// removeGrant removes a grant with its tokens. It returns nil if there is no such grant.
func (s *Store) removeGrant(tx *bbolt.Tx, id []byte) error {
	g, err := get[grantRecord](tx, grants, id)
	if err == store.ErrNotFound {
		return nil
	}
	s.changed(tx, store.Change{Grant: string(id)})
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

// Grant implements store.Store.
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

// GrantsOf implements store.Store.
func (s *Store) GrantsOf(ctx context.Context, account string) ([]store.Grant, error) {
	return read(ctx, s, func(tx *bbolt.Tx) ([]store.Grant, error) { return grantsIn(tx, account) })
}

// grantsIn lists the grants of an account, newest first. The index is sorted by id; the few grants
// are sorted here.
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

// Rotate implements store.Store. A reused token is not an error here: errors change nothing, and
// reuse may remove a grant.
func (s *Store) Rotate(ctx context.Context, r store.Rotation) ([]byte, error) {
	r.At, r.Expires = store.Second(r.At), store.Second(r.Expires)
	r.Sealed = bytes.Clone(r.Sealed) // a caller whose context has ended may change it
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

// within reports whether a token was replaced less than the grace period before a rotation.
func (p replaced) within(r store.Rotation) bool { return r.At.Sub(p.At) < r.Grace }

// rotate replaces the token of a grant with the new token of a rotation. It drops the replaced
// tokens that are older than the grace period: they are handled like unknown tokens.
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

// RemoveGrant implements store.Store.
func (s *Store) RemoveGrant(ctx context.Context, id string) error {
	return s.do(ctx, func(tx *bbolt.Tx) error { return s.removeGrant(tx, []byte(id)) })
}

// AddCode implements store.Store.
func (s *Store) AddCode(ctx context.Context, c store.Code) error {
	r := newCodeRecord(c)
	if err := store.CheckName(r.Grant.ID); err != nil {
		return err
	}
	r.Grant.Scopes = slices.Clone(r.Grant.Scopes) // a caller whose context has ended may change them
	hash, grant := r.Hash[:], []byte(r.Grant.ID)
	return s.do(ctx, func(tx *bbolt.Tx) error {
		switch {
		case !has(tx, accounts, []byte(r.Grant.Account)):
			return store.ErrNotFound
		case has(tx, codes, hash) || has(tx, codesByGrant, grant) || has(tx, grants, grant):
			return store.ErrExists
		}
		return putCode(tx, r)
	})
}

// putCode stores a code and adds it to the indexes.
func putCode(tx *bbolt.Tx, r codeRecord) error {
	hash := r.Hash[:]
	return cmp.Or(
		put(tx, codes, hash, r),
		tx.Bucket(codesByGrant).Put([]byte(r.Grant.ID), hash),
		tx.Bucket(codesOfAccount).Put(owned(r.Grant.Account, hash), hash),
		tx.Bucket(codesByEnd).Put(byEnd(r.Expires, hash), hash),
	)
}

// removeCode removes a code. It returns nil if there is no such code.
func removeCode(tx *bbolt.Tx, hash []byte) error {
	r, err := get[codeRecord](tx, codes, hash)
	if err == store.ErrNotFound {
		return nil
	}
	return cmp.Or(err,
		tx.Bucket(codes).Delete(hash),
		tx.Bucket(codesByGrant).Delete([]byte(r.Grant.ID)),
		tx.Bucket(codesOfAccount).Delete(owned(r.Grant.Account, hash)),
		tx.Bucket(codesByEnd).Delete(byEnd(r.Expires, hash)),
	)
}

// removeCodes removes the codes of an account.
func removeCodes(tx *bbolt.Tx, account string) error {
	return each(tx, ownedBy(tx, codesOfAccount, account), removeCode)
}

// Code implements store.Store.
func (s *Store) Code(ctx context.Context, hash [32]byte) (store.Code, error) {
	return read(ctx, s, func(tx *bbolt.Tx) (store.Code, error) {
		r, err := get[codeRecord](tx, codes, hash[:])
		if err != nil {
			return store.Code{}, err
		}
		return r.under(hash[:]), nil
	})
}

// RedeemCode implements store.Store. A reused code is not an error here: errors change nothing, and
// reuse removes the grant.
func (s *Store) RedeemCode(
	ctx context.Context, hash, refresh [32]byte, at time.Time,
) (bool, error) {
	return change(ctx, s, func(tx *bbolt.Tx) (bool, error) {
		r, err := get[codeRecord](tx, codes, hash[:])
		if err != nil {
			return false, err
		}
		if r.Redeemed {
			return false, s.removeGrant(tx, []byte(r.Grant.ID))
		}
		r.Redeemed = true
		g := grantRecord{Grant: r.Grant, Token: refresh}
		g.Used = store.Second(at)
		return true, cmp.Or(put(tx, codes, hash[:], r), s.makeRoom(tx, g.Account), addGrant(tx, g))
	})
}
