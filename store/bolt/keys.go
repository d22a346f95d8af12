package bolt

import (
	"cmp"
	"context"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"leadline/store"
)

// newKey is a key to be added. It is encoded before the write is queued: a caller whose context
// has ended may change the scopes.
type newKey struct {
	keyRecord
	text []byte
}

func asNew(k store.Key) (newKey, error) {
	r := newKeyRecord(k)
	text, err := encode(r, r.ID)
	return newKey{r, text}, err
}

// addKey stores a key or refuses it before it changes anything. among holds the account's keys as
// they will be after the change.
func (s *Store) addKey(tx *bbolt.Tx, n newKey, among []store.Key) error {
	switch {
	case !has(tx, accounts, []byte(n.Account)):
		return store.ErrNotFound
	case n.taken(tx):
		return store.ErrExists
	case countActive(among, n.Created) >= store.MostKeys:
		return store.ErrTooMany
	}
	return cmp.Or(s.trimKeys(tx, among, n.Created), n.put(tx))
}

// taken reports whether another key has its id or hash.
func (n newKey) taken(tx *bbolt.Tx) bool {
	return has(tx, keys, n.Hash[:]) || has(tx, keysByID, []byte(n.ID))
}

func (n newKey) put(tx *bbolt.Tx) error {
	hash := n.Hash[:]
	return cmp.Or(
		tx.Bucket(keys).Put(hash, n.text),
		tx.Bucket(keysByID).Put([]byte(n.ID), hash),
		tx.Bucket(keysOfAccount).Put(ofAccount(store.Key(n.keyRecord)), hash),
		putEnd(tx, store.Key(n.keyRecord)),
	)
}

// endOf returns when a key becomes or became inactive; the zero time means never.
func endOf(k store.Key) time.Time { return store.Earlier(k.Expires, k.Revoked) }

// putEnd adds a key to the index by end, unless it never ends.
func putEnd(tx *bbolt.Tx, k store.Key) error {
	end := endOf(k)
	if end.IsZero() {
		return nil
	}
	return tx.Bucket(keysByEnd).Put(byEnd(end, []byte(k.ID)), k.Hash[:])
}

// deleteEnd removes a key from the index by end.
func deleteEnd(tx *bbolt.Tx, k store.Key) error {
	return tx.Bucket(keysByEnd).Delete(byEnd(endOf(k), []byte(k.ID)))
}

// updateKey replaces a key by another with the same id, hash, account and creation.
func updateKey(tx *bbolt.Tx, was, is store.Key) error {
	r := newKeyRecord(is)
	return cmp.Or(
		put(tx, keys, r.Hash[:], r),
		deleteEnd(tx, was),
		putEnd(tx, store.Key(r)),
	)
}

// active reports whether a key is neither revoked nor expired at a time.
func active(k store.Key, at time.Time) bool {
	return k.Revoked.IsZero() && (k.Expires.IsZero() || at.Before(k.Expires))
}

func countActive(list []store.Key, at time.Time) (n int) {
	for _, k := range list {
		if active(k, at) {
			n++
		}
	}
	return n
}

// trimKeys removes inactive keys until one more may be stored.
func (s *Store) trimKeys(tx *bbolt.Tx, list []store.Key, at time.Time) (err error) {
	surplus := len(list) + 1 - store.MostKeyRows
	for _, k := range list {
		if surplus > 0 && !active(k, at) {
			surplus--
			err = cmp.Or(err, s.removeKey(tx, k))
		}
	}
	return err
}

func (s *Store) removeKey(tx *bbolt.Tx, k store.Key) error {
	s.changed(tx, store.Change{Key: k.ID})
	return cmp.Or(
		tx.Bucket(keys).Delete(k.Hash[:]),
		tx.Bucket(keysByID).Delete([]byte(k.ID)),
		tx.Bucket(keysOfAccount).Delete(ofAccount(k)),
		deleteEnd(tx, k),
	)
}

// removeEndedKey removes the key with a hash.
func (s *Store) removeEndedKey(tx *bbolt.Tx, hash []byte) error {
	r, err := follow[keyRecord](tx, keys, hash)
	if err != nil {
		return err
	}
	return s.removeKey(tx, r.under(hash))
}

// ofAccount returns the entry of an API key in the bucket keysOfAccount.
func ofAccount(k store.Key) []byte { return owned(k.Account, stamp(k.Created), []byte(k.ID)) }

// AddKey implements store.Store.
func (s *Store) AddKey(ctx context.Context, k store.Key) error {
	n, err := asNew(k)
	if err != nil {
		return err
	}
	return s.do(ctx, func(tx *bbolt.Tx) error {
		among, err := keysIn(tx, n.Account)
		if err != nil {
			return err
		}
		return s.addKey(tx, n, among)
	})
}

// AddAccountKey implements store.Store.
func (s *Store) AddAccountKey(
	ctx context.Context, a store.Account, move bool, k store.Key,
) (store.Account, error) {
	account, err := asNewAccount(a)
	if err != nil {
		return store.Account{}, err
	}
	if err := store.CheckName(k.ID); err != nil {
		return store.Account{}, err
	}
	k.Scopes = slices.Clone(k.Scopes) // a caller whose context has ended may change them
	return change(ctx, s, func(tx *bbolt.Tx) (store.Account, error) {
		id := tx.Bucket(accountsByEmail).Get(account.email)
		if id == nil {
			return store.Account{}, openWithKey(tx, account, a.ID, k)
		}
		before, err := follow[store.Account](tx, accounts, id)
		if err != nil {
			return before, err
		}
		if err := s.addKeyOf(tx, before, k); err != nil || !move || before.Plan == a.Plan {
			return before, err
		}
		moved := before
		moved.Plan = a.Plan
		s.changed(tx, store.Change{Account: moved.ID})
		return before, put(tx, accounts, []byte(moved.ID), moved)
	})
}

// openWithKey stores an account with its first key. It refuses before it changes anything.
func openWithKey(tx *bbolt.Tx, account newAccount, id string, k store.Key) error {
	k.Account = id
	n, err := asNew(k)
	if err != nil {
		return err
	}
	if account.taken(tx) || n.taken(tx) {
		return store.ErrExists
	}
	return cmp.Or(account.put(tx), n.put(tx))
}

// addKeyOf stores a key of an account. It refuses before it changes anything.
func (s *Store) addKeyOf(tx *bbolt.Tx, of store.Account, k store.Key) error {
	k.Account = of.ID
	n, err := asNew(k)
	if err != nil {
		return err
	}
	among, err := keysIn(tx, of.ID)
	if err != nil {
		return err
	}
	return s.addKey(tx, n, among)
}

// ReplaceKey implements store.Store.
func (s *Store) ReplaceKey(
	ctx context.Context, old string, expires time.Time, next store.Key,
) error {
	n, err := asNew(next)
	if err != nil {
		return err
	}
	expires = store.Second(expires)
	return s.do(ctx, func(tx *bbolt.Tx) error {
		k, err := keyByID(tx, old)
		if err != nil {
			return err
		}
		if conflict, err := isReplaced(tx, k); conflict || err != nil {
			return cmp.Or(err, store.ErrConflict)
		}
		was := k
		k.Expires = store.Earlier(k.Expires, expires)
		among, err := keysIn(tx, n.Account)
		if err != nil {
			return err
		}
		if i := slices.IndexFunc(among, func(one store.Key) bool { return one.ID == k.ID }); i >= 0 {
			among[i] = k
		}
		if err := s.addKey(tx, n, among); err != nil {
			return err
		}
		s.changed(tx, store.Change{Key: k.ID})
		return updateKey(tx, was, k)
	})
}

// isReplaced reports whether a key is revoked or another key replaces it.
func isReplaced(tx *bbolt.Tx, k store.Key) (bool, error) {
	list, err := keysIn(tx, k.Account)
	return !k.Revoked.IsZero() || slices.ContainsFunc(list, func(next store.Key) bool {
		return next.From == k.ID
	}), err
}

// Key implements store.Store.
func (s *Store) Key(ctx context.Context, id string) (store.Key, error) {
	return read(ctx, s, func(tx *bbolt.Tx) (store.Key, error) { return keyByID(tx, id) })
}

func keyByID(tx *bbolt.Tx, id string) (store.Key, error) {
	hash := tx.Bucket(keysByID).Get([]byte(id))
	if hash == nil {
		return store.Key{}, store.ErrNotFound
	}
	r, err := follow[keyRecord](tx, keys, hash)
	return r.under(hash), err
}

// keyOwner is a key with its account.
type keyOwner struct {
	key     store.Key
	account store.Account
}

// KeyByHash implements store.Store.
func (s *Store) KeyByHash(ctx context.Context, hash [32]byte) (store.Key, store.Account, error) {
	found, err := read(ctx, s, func(tx *bbolt.Tx) (keyOwner, error) {
		r, err := get[keyRecord](tx, keys, hash[:])
		if err != nil {
			return keyOwner{}, err
		}
		a, err := follow[store.Account](tx, accounts, []byte(r.Account))
		return keyOwner{r.under(hash[:]), a}, err
	})
	return found.key, found.account, err
}

// KeysOf implements store.Store.
func (s *Store) KeysOf(ctx context.Context, account string) ([]store.Key, error) {
	return read(ctx, s, func(tx *bbolt.Tx) ([]store.Key, error) { return keysIn(tx, account) })
}

// keysIn lists the keys of an account.
func keysIn(tx *bbolt.Tx, account string) ([]store.Key, error) {
	list := []store.Key{}
	for _, hash := range ownedBy(tx, keysOfAccount, account) {
		r, err := follow[keyRecord](tx, keys, hash)
		if err != nil {
			return nil, err
		}
		list = append(list, r.under(hash))
	}
	return list, nil
}

// removeKeys removes the keys of an account.
func (s *Store) removeKeys(tx *bbolt.Tx, account string) error {
	list, err := keysIn(tx, account)
	for _, k := range list {
		err = cmp.Or(err, s.removeKey(tx, k))
	}
	return err
}

// RevokeKey implements store.Store.
func (s *Store) RevokeKey(ctx context.Context, id string, at time.Time) error {
	return s.do(ctx, func(tx *bbolt.Tx) error {
		k, err := keyByID(tx, id)
		if err != nil || !k.Revoked.IsZero() {
			return err
		}
		was := k
		k.Revoked = at
		s.changed(tx, store.Change{Key: id})
		return updateKey(tx, was, k)
	})
}

// TouchKeys implements store.Store.
func (s *Store) TouchKeys(ctx context.Context, list []store.Touch) error {
	list = slices.Clone(list) // a caller whose context has ended may change it
	return s.do(ctx, func(tx *bbolt.Tx) error {
		for _, t := range list {
			if err := touchKey(tx, t); err != nil {
				return err
			}
		}
		return nil
	})
}

func touchKey(tx *bbolt.Tx, t store.Touch) error {
	k, err := keyByID(tx, t.Key)
	if err == store.ErrNotFound {
		return nil
	}
	day := store.Second(t.Day)
	if err != nil || k.LastUsed.Equal(day) && k.LastAddress == t.Address {
		return err
	}
	k.LastUsed, k.LastAddress = day, t.Address
	return put(tx, keys, k.Hash[:], newKeyRecord(k)) // not in an index
}
