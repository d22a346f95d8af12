package bolt

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"leadline/store"
)

// TestGrantRecord checks that the record of a grant is small: its hashes are compact, and it has no
// more replaced tokens than necessary, regardless of the number of rotations.
func TestGrantRecord(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "leadline.db"))
	ctx := t.Context()
	code := store.Code{Grant: store.Grant{ID: "grant", Account: accountID(0), Expires: noon}}
	if err := s.AddAccount(ctx, anAccount(0)); err != nil {
		t.Fatal(err)
	}
	if err := s.AddCode(ctx, code); err != nil {
		t.Fatal(err)
	}
	if made, err := s.RedeemCode(ctx, code.Hash, [32]byte{0, 1}, noon); err != nil || !made {
		t.Fatalf("RedeemCode() = %v, %v", made, err)
	}
	rotate := func(n int, at time.Time) {
		t.Helper()
		r := store.Rotation{
			Grant:   "grant",
			From:    [32]byte{byte(n), 1},
			To:      [32]byte{byte(n + 1), 1},
			Sealed:  make([]byte, 300),
			At:      at,
			Grace:   time.Minute,
			Expires: noon,
		}
		if got, err := s.Rotate(ctx, r); err != nil || !bytes.Equal(got, r.Sealed) {
			t.Fatalf("Rotate() from token %d = %q, %v", n, got, err)
		}
	}
	remembers := func(want int) {
		t.Helper()
		length, g, err := grantIn(s)
		if err != nil || len(g.Replaced) != want || length > 500+want*600 {
			t.Errorf("the grant has %d replaced tokens in %d bytes, %v, want %d",
				len(g.Replaced), length, err, want)
		}
	}
	for n := range 100 {
		rotate(n, noon)
	}
	remembers(store.Remembered)
	rotate(100, noon.Add(59*time.Second))
	remembers(store.Remembered)
	rotate(101, noon.Add(time.Minute))
	remembers(2)
	rotate(102, noon.Add(time.Hour))
	remembers(1)
}

// grantIn returns the only grant of a store and the length of its record.
func grantIn(s *Store) (length int, g store.GrantRow, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		length = len(tx.Bucket(grants).Get([]byte("grant")))
		g, err = grantKind.get(tx, []byte("grant"))
		return err
	})
	return length, g, err
}

// TestClientRecord checks that a secret is stored in hexadecimal digits, and that no other form
// is accepted.
func TestClientRecord(t *testing.T) {
	secret := [32]byte{1, 2, 0xFF}
	text, err := json.Marshal(store.Client{ID: "client", Secret: secret, Created: noon})
	if err != nil || !bytes.Contains(text, []byte(`"secret":"0102ff00`)) ||
		bytes.Count(text, []byte(`"secret"`)) != 1 {
		t.Errorf("json.Marshal() = %s, %v", text, err)
	}
	public, err := json.Marshal(store.Client{ID: "client", Created: noon})
	if err != nil || bytes.Contains(public, []byte("secret")) {
		t.Errorf("json.Marshal() of a public client = %s, %v", public, err)
	}
	var d store.Digest
	for _, text := range []string{
		"", "01", "0102ff00", strings.Repeat("0g", 32), strings.Repeat("00", 33),
	} {
		if err := d.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("UnmarshalText(%q) = %x, want an error", text, d)
		}
	}
}
