package bolt

import (
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"leadline/store"
)

// TestChanged: whoever remembers keys hears of every change to what a key is
// worth, once it is on disk, and of nothing else.
func TestChanged(t *testing.T) {
	var heard atomic.Int64
	s, err := Open(filepath.Join(t.TempDir(), "leadline.db"), Options{Changed: func() { heard.Add(1) }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, now := t.Context(), time.Now()
	key := func(id string) store.Key { return store.Key{ID: id, Hash: [32]byte{id[0]}, Account: "a", Created: now} }
	for _, step := range []struct {
		name  string
		do    func() error
		heard int64
	}{
		{"AddAccount", func() error { return s.AddAccount(ctx, store.Account{ID: "a", Email: "a@example.org"}) }, 0},
		{"AddKey", func() error { return s.AddKey(ctx, key("1")) }, 0},
		{"TouchKey", func() error { return s.TouchKey(ctx, "1", now, "192.0.2.0/24") }, 0},
		{"Reserve", func() error { _, _, err := s.Reserve(ctx, "a", 202611, 1, 1); return err }, 0},
		{"SetPlan", func() error { return s.SetPlan(ctx, "a", "pro") }, 1},
		{"ReplaceKey", func() error { return s.ReplaceKey(ctx, "1", now, key("2")) }, 1},
		{"RevokeKey", func() error { return s.RevokeKey(ctx, "2", now) }, 1},
		{"RevokeKey again", func() error { return s.RevokeKey(ctx, "2", now) }, 0},
		{"RemoveAccount", func() error { return s.RemoveAccount(ctx, "a") }, 1},
	} {
		heard.Store(0)
		if err := step.do(); err != nil || heard.Load() != step.heard {
			t.Errorf("%s: %v, heard %d times, want %d", step.name, err, heard.Load(), step.heard)
		}
	}
}
