package bolt

import (
	"cmp"
	"context"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"leadline/store"
)

// addKey stores a key or refuses it before it changes anything. among holds the account's keys as
// they will be after the change.
func (s *Store) addKey(tx *bbolt.Tx, k store.Key, among []store.Key) error {
	switch {
	case !has(tx, accounts, []byte(k.Account)):
		return store.ErrNotFound
	case keyKind.taken(tx, &k):
		return store.ErrExists
	case countActive(among, k.Created) >= store.MostKeys:
		return store.ErrTooMany
	}
	return cmp.Or(s.trimKeys(tx, among, k.Created), keyKind.put(tx, &k))
}

func countActive(list []store.Key, at time.Time) (n int) {
	for _, k := range list {
		if k.Active(at) {
			n++
		}
	}
	return n
}

// trimKeys removes inactive keys until one more may be stored.
func (s *Store) trimKeys(tx *bbolt.Tx, list []store.Key, at time.Time) (err error) {
	surplus := len(list) + 1 - store.MostKeyRows
	for _, k := range list {
		if surplus > 0 && !k.Active(at) {
			surplus--
			err = cmp.Or(err, s.removeKey(tx, k))
		}
	}
	return err
}

func (s *Store) removeKey(tx *bbolt.Tx, k store.Key) error {
	s.changed(tx, store.Change{Key: k.ID})
	return keyKind.remove(tx, &k)
}

// removeEndedKey removes the key with a hash.
func (s *Store) removeEndedKey(tx *bbolt.Tx, hash []byte) error {
	k, err := keyKind.follow(tx, hash)
	if err != nil {
		return err
	}
	return s.removeKey(tx, k)
}

// AddKey implements store.Store.
func (s *Store) AddKey(ctx context.Context, k store.Key) error {
	k = store.Stored(k)
	if err := keyKind.check(&k); err != nil {
		return err
	}
	return s.do(ctx, func(tx *bbolt.Tx) error {
		among, err := keysIn(tx, k.Account)
		if err != nil {
			return err
		}
		return s.addKey(tx, k, among)
	})
}

// AddAccountKey implements store.Store.
func (s *Store) AddAccountKey(
	ctx context.Context, a store.Account, move bool, k store.Key,
) (store.Account, error) {
	a, k = store.Stored(a), store.Stored(k)
	if err := cmp.Or(accountKind.check(&a), keyKind.check(&k)); err != nil {
		return store.Account{}, err
	}
	return change(ctx, s, func(tx *bbolt.Tx) (store.Account, error) {
		id := tx.Bucket(accountsByEmail).Get([]byte(a.Email))
		if id == nil {
			return store.Account{}, openWithKey(tx, a, k)
		}
		before, err := accountKind.follow(tx, id)
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
func openWithKey(tx *bbolt.Tx, a store.Account, k store.Key) error {
	k.Account = a.ID
	if accountKind.taken(tx, &a) || keyKind.taken(tx, &k) {
		return store.ErrExists
	}
	return cmp.Or(accountKind.put(tx, &a), keyKind.put(tx, &k))
}

// addKeyOf stores a key of an account. It refuses before it changes anything.
func (s *Store) addKeyOf(tx *bbolt.Tx, of store.Account, k store.Key) error {
	k.Account = of.ID
	among, err := keysIn(tx, of.ID)
	if err != nil {
		return err
	}
	return s.addKey(tx, k, among)
}

// ReplaceKey implements store.Store.
func (s *Store) ReplaceKey(
	ctx context.Context, old string, expires time.Time, next store.Key,
) error {
	next = store.Stored(next)
	if err := keyKind.check(&next); err != nil {
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
		among, err := keysIn(tx, next.Account)
		if err != nil {
			return err
		}
		if i := slices.IndexFunc(among, func(one store.Key) bool { return one.ID == k.ID }); i >= 0 {
			among[i] = k
		}
		if err := s.addKey(tx, next, among); err != nil {
			return err
		}
		s.changed(tx, store.Change{Key: k.ID})
		return keyKind.replace(tx, &was, &k)
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
	return keyKind.follow(tx, hash)
}

// KeyByHash implements store.Store.
func (s *Store) KeyByHash(ctx context.Context, hash [32]byte) (store.Key, store.Account, error) {
	return keyKind.withOwner(ctx, s, hash[:])
}

// KeysOf implements store.Store.
func (s *Store) KeysOf(ctx context.Context, account string) ([]store.Key, error) {
	return read(ctx, s, func(tx *bbolt.Tx) ([]store.Key, error) { return keysIn(tx, account) })
}

// keysIn lists the keys of an account.
func keysIn(tx *bbolt.Tx, account string) ([]store.Key, error) {
	return keyKind.list(tx, ownedBy(tx, keysOfAccount, account))
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
		k.Revoked = store.Second(at)
		s.changed(tx, store.Change{Key: id})
		return keyKind.replace(tx, &was, &k)
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
	return put(tx, keys, k.Hash[:], k) // not in an index
}
