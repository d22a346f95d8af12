package bolt

import (
	"cmp"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"

	"leadline/internal/trials"
)

// TestPagesOfBbolt checks that a file that bbolt has written passes, after each of many
// transactions: trees grow and shrink, with long values and nested buckets.
func TestPagesOfBbolt(t *testing.T) {
	t.Parallel()
	const transactions = 20 // before the file is opened again
	random := rand.New(rand.NewPCG(7, 8))
	path := filepath.Join(t.TempDir(), "random.db")
	for n := range trials.Cases() / transactions {
		o := &bbolt.Options{NoSync: true, NoFreelistSync: n%3 == 0, FreelistType: bbolt.FreelistMapType}
		db, err := bbolt.Open(path, 0o600, o)
		if err != nil {
			t.Fatal(err)
		}
		for range transactions {
			change := func(tx *bbolt.Tx) error { return changeAny(tx, random, n%2 == 0) }
			if err := cmp.Or(db.Update(change), db.View(wantTrees)); err != nil {
				t.Fatal(err)
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// wantTrees checks the trees of a file that is being written to.
func wantTrees(tx *bbolt.Tx) error {
	f, err := os.Open(tx.DB().Path())
	if err != nil {
		return err
	}
	defer f.Close()
	return checkTrees(tx, f, tx.Size())
}

// changeAny adds or removes keys of a bucket. It removes adjacent ones, so that pages become empty.
func changeAny(tx *bbolt.Tx, random *rand.Rand, add bool) error {
	b, err := tx.CreateBucketIfNotExists([]byte{byte('a' + random.IntN(4))})
	if err != nil {
		return err
	}
	if random.IntN(2) == 0 {
		if b, err = b.CreateBucketIfNotExists([]byte{0, byte(random.IntN(3))}); err != nil {
			return err
		}
	}
	first, keys := anyKey(random), 200
	if !add {
		keys = 800
	}
	for range random.IntN(keys) {
		switch key, value := b.Cursor().Seek(first); {
		case add:
			long := 100
			if random.IntN(100) == 0 {
				long = 20_000
			}
			err = b.Put(anyKey(random), make([]byte, random.IntN(long)))
		case value != nil:
			err = b.Delete(key)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// anyKey returns a random key that is not the name of a bucket.
func anyKey(random *rand.Rand) []byte {
	key := make([]byte, 2+random.IntN(60))
	for i := range key {
		key[i] = byte(1 + random.IntN(255))
	}
	return key
}
