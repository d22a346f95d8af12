package bolt

import (
	"cmp"
	"context"
	"time"

	"go.etcd.io/bbolt"

	"leadline/store"
)

// AddCode is the contract's.
func (s *Store) AddCode(ctx context.Context, c store.Code) error {
	r := newCodeRecord(c)
	text, err := encode(r, r.Grant.ID)
	if err != nil {
		return err
	}
	hash, grant := r.Hash[:], []byte(r.Grant.ID)
	return s.do(ctx, func(tx *bbolt.Tx) error {
		switch {
		case !has(tx, accounts, []byte(r.Grant.Account)):
			return store.ErrNotFound
		case has(tx, codes, hash) || has(tx, codesByGrant, grant) || has(tx, grants, grant):
			return store.ErrExists
		}
		return cmp.Or(
			tx.Bucket(codes).Put(hash, text),
			tx.Bucket(codesByGrant).Put(grant, hash),
			tx.Bucket(codesOfAccount).Put(owned(r.Grant.Account, hash), hash),
			tx.Bucket(codesByEnd).Put(byEnd(r.Expires, hash), hash),
		)
	})
}

// removeCode removes a code. One that is gone is no error.
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

// Code is the contract's.
func (s *Store) Code(ctx context.Context, hash [32]byte) (store.Code, error) {
	return read(ctx, s, func(tx *bbolt.Tx) (store.Code, error) {
		r, err := get[codeRecord](tx, codes, hash[:])
		if err != nil {
			return store.Code{}, err
		}
		return r.under(hash[:]), nil
	})
}

// RedeemCode is the contract's. A code that comes again is no error: errors
// change nothing, and this removes a grant.
func (s *Store) RedeemCode(ctx context.Context, hash, refresh [32]byte, at time.Time) (bool, error) {
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
		g.Used = second(at)
		return true, cmp.Or(put(tx, codes, hash[:], r), s.makeRoom(tx, g.Account), addGrant(tx, g))
	})
}
