package bolt

import (
	"cmp"

	"go.etcd.io/bbolt"

	"leadline/store"
)

// newAccount is an account to be added.
type newAccount struct{ id, email, text []byte }

func asNewAccount(a store.Account) (newAccount, error) {
	a.Created = store.Second(a.Created)
	text, err := encode(a, a.ID, a.Email)
	return newAccount{[]byte(a.ID), []byte(a.Email), text}, err
}

// taken reports whether another account has its id or address.
func (n newAccount) taken(tx *bbolt.Tx) bool {
	return has(tx, accounts, n.id) || has(tx, accountsByEmail, n.email)
}

func (n newAccount) put(tx *bbolt.Tx) error {
	return cmp.Or(tx.Bucket(accounts).Put(n.id, n.text), tx.Bucket(accountsByEmail).Put(n.email, n.id))
}
