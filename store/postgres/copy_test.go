package postgres

import (
	"maps"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"leadline/store"
	"leadline/store/bolt"
	"leadline/store/copier"
	"leadline/store/storetest"
)

func openFile(t *testing.T) *bolt.Store {
	t.Helper()
	s, err := bolt.Open(filepath.Join(t.TempDir(), "store"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// copied copies a store to another one and returns the sums of its records.
func copied(t *testing.T, from, to store.Store) map[string]store.Sum {
	t.Helper()
	c := copier.Config{From: from, To: to, Source: "test", Patience: time.Minute}
	sums, err := copier.Copy(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return sums
}

// TestCopies checks that a store is the same after it was copied from a file to a server, to
// another server and back to a file.
func TestCopies(t *testing.T) {
	t.Parallel()
	first, last := openFile(t), openFile(t)
	storetest.Fill(t, first)
	one, two := emptyStore(t), emptyStore(t)
	sums := []map[string]store.Sum{
		copied(t, first, one), copied(t, one, two), copied(t, two, last),
	}
	for i, s := range sums {
		if !maps.Equal(s, sums[0]) {
			t.Errorf("copy %d has other records than the first: %v, want %v", i, s, sums[0])
		}
	}
	if got, want := storetest.Dump(t, two), storetest.Dump(t, one); got != want {
		t.Error("the copy of a server has other rows than the server")
	}
	for _, m := range storetest.Methods() { // each of the stores works
		for i, s := range []store.Store{first, one, two, last} {
			if err := m.Call(t.Context(), s); err != nil {
				t.Errorf("%s of store %d: %v", m.Name, i, err)
			}
		}
	}
}

// BenchmarkImport copies keys with their accounts.
func BenchmarkImport(b *testing.B) {
	s := benchStore(b, 1)
	var lists [][]store.Record
	for part := range slices.Chunk(numbers(b.N), 500) {
		var list []store.Record
		for _, n := range part {
			for _, row := range []any{anAccount(1 + n), aKey(1 + n)} {
				r, err := store.NewRecord(row)
				if err != nil {
					b.Fatal(err)
				}
				list = append(list, r)
			}
		}
		lists = append(lists, list)
	}
	b.ResetTimer()
	for _, list := range lists {
		if err := s.Import(b.Context(), list); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "keys/s")
}
