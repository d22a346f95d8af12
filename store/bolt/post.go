package bolt

import (
	"errors"

	"go.etcd.io/bbolt"

	"leadline/store"
)

// post stores events in the transaction of their cause.
func (s *Store) post(_ *bbolt.Tx, list []store.Event) error {
	if len(list) > 0 {
		return unavailable(errors.New("events are not supported"))
	}
	return nil
}
