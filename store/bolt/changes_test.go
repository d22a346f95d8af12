package bolt

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"leadline/store"
)

// TestChanges checks that a listener is notified once at its start, of every change of a credential
// before the call that made it returns, and of nothing else.
func TestChanges(t *testing.T) {
	var notified atomic.Int64
	s, err := Open(filepath.Join(t.TempDir(), "leadline.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, now := t.Context(), time.Now()
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	err = s.Changes(canceled, func([]store.Change) { notified.Add(1) })
	if !errors.Is(err, context.Canceled) || notified.Load() != 1 {
		t.Errorf("Changes() = %v after %d notifications, want %v after 1",
			err, notified.Load(), context.Canceled)
	}
	begun, ended := make(chan bool, 100), make(chan error)
	go func() {
		ended <- s.Changes(ctx, func([]store.Change) {
			notified.Add(1)
			begun <- true
		})
	}()
	<-begun
	key := func(id string) store.Key {
		return store.Key{ID: id, Hash: [32]byte{id[0]}, Account: "a", Created: now}
	}
	redeem := func(n byte) error {
		_, err := s.RedeemCode(ctx, [32]byte{n}, [32]byte{n}, now)
		return err
	}
	grant := func(n byte) error {
		g := store.Grant{
			ID:      string('a' + rune(n)),
			Account: "a",
			Client:  "c",
			Expires: now.Add(time.Hour),
		}
		return cmp.Or(s.AddCode(ctx, store.Code{Hash: [32]byte{n}, Grant: g, Expires: now}), redeem(n))
	}
	rotate := func(from byte) error {
		_, err := s.Rotate(ctx, store.Rotation{
			Grant:   "c",
			From:    [32]byte{from},
			To:      [32]byte{20},
			Sealed:  []byte("s"),
			At:      now,
			Grace:   time.Minute,
			Expires: now,
		})
		return err
	}
	sweep := func(at time.Time) error {
		_, err := s.Sweep(ctx, at, 100)
		return err
	}
	account := store.Account{ID: "a", Email: "a@example.org"}
	client := store.Client{ID: "c", Expires: now}
	for _, step := range []struct {
		name string
		do   func() error
		want int64
	}{
		{"AddAccount", func() error { return s.AddAccount(ctx, account) }, 0},
		{"AddKey", func() error { return s.AddKey(ctx, key("1")) }, 0},
		{"TouchKeys", func() error { return s.TouchKeys(ctx, []store.Touch{{Key: "1", Day: now}}) }, 0},
		{"Reserve", func() error { _, _, err := s.Reserve(ctx, "a", 202611, 1, 1); return err }, 0},
		{"SetPlan", func() error { return s.SetPlan(ctx, "a", "pro") }, 1},
		{"ReplaceKey", func() error { return s.ReplaceKey(ctx, "1", now, key("2")) }, 1},
		{"RevokeKey", func() error { return s.RevokeKey(ctx, "2", now) }, 1},
		{"RevokeKey again", func() error { return s.RevokeKey(ctx, "2", now) }, 0},
		{"SetPassword", func() error { return s.SetPassword(ctx, "a", "hash", nil) }, 0},
		{"AddClient", func() error { return s.AddClient(ctx, client, 1) }, 0},
		{"RedeemCode", func() error { return cmp.Or(grant(1), grant(2), grant(3), grant(4)) }, 0},
		{"RedeemCode again", func() error { return redeem(1) }, 1},
		{"RedeemCode once more", func() error { return redeem(1) }, 0},
		{"Rotate", func() error { return rotate(2) }, 0},
		{"Rotate within the grace period", func() error { return rotate(2) }, 0},
		{"Rotate with an unknown token", func() error { return rotate(9) }, 1},
		{"RemoveGrant", func() error { return s.RemoveGrant(ctx, "d") }, 1},
		{"RemoveGrant again", func() error { return s.RemoveGrant(ctx, "d") }, 0},
		{"Sweep without expired rows", func() error { return sweep(now.Add(-time.Minute)) }, 0},
		{"Sweep", func() error { return sweep(now.Add(time.Hour)) }, 1},
		{"RemoveAccount", func() error { return s.RemoveAccount(ctx, "a") }, 1},
	} {
		notified.Store(0)
		if err := step.do(); err != nil || notified.Load() != step.want {
			t.Errorf("%s: %v, notified %d times, want %d", step.name, err, notified.Load(), step.want)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("Changes() after Close = %v, want %v", err, store.ErrUnavailable)
	}
}
