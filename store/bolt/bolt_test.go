package bolt

import (
	"path/filepath"
	"testing"

	"leadline/store"
	"leadline/store/storetest"
)

func TestContract(t *testing.T) {
	storetest.Run(t, func(t *testing.T) func() store.Store {
		path := filepath.Join(t.TempDir(), "leadline.db")
		return func() store.Store { return openStore(t, path) }
	})
}

// openStore opens a store. Who wants it closed before the end closes it.
func openStore(t testing.TB, path string) *Store {
	t.Helper()
	s, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}
