package storetest

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"leadline/store"
)

// listener collects the changes that an engine reports.
type listener struct {
	mu   sync.Mutex
	list []store.Change
}

func (l *listener) notify(list []store.Change) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, list...)
}

// take returns the changes since the last call, each once and in order.
func (l *listener) take() []store.Change {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := l.list
	l.list = nil
	slices.SortFunc(list, func(a, b store.Change) int {
		return cmp.Or(
			cmp.Compare(a.Account, b.Account), cmp.Compare(a.Fact, b.Fact),
			cmp.Compare(a.Grant, b.Grant), cmp.Compare(a.Key, b.Key),
		)
	})
	return slices.Compact(list)
}

// changes checks that a listener is notified once at its start, of every change before the call
// that made it returns, and of nothing else.
func changes(t *trial) {
	feed, ok := t.Engine.(store.ChangeFeed)
	if !ok {
		t.Skip("the engine does not report changes")
	}
	var l listener
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	t.fails("Changes with an ended context", feed.Changes(canceled, l.notify), context.Canceled)
	t.same("changes at the start", l.take(), []store.Change{{}})

	begun, ended := make(chan struct{}), make(chan error)
	begin := sync.OnceFunc(func() { close(begun) })
	go func() {
		ended <- feed.Changes(t.Context(), func(list []store.Change) {
			l.notify(list)
			begin()
		})
	}()
	<-begun
	t.same("changes at the start", l.take(), []store.Change{{}})
	for _, step := range t.changingSteps() {
		if err := step.do(); err != nil {
			t.Errorf("%s: %v", step.name, err)
		}
		if got := l.take(); !slices.Equal(got, step.want) {
			t.Errorf("changes of %s = %+v, want %+v", step.name, got, step.want)
		}
	}
	t.ok(t.Close())
	if err := <-ended; !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("Changes() after Close = %v, want %v", err, store.ErrUnavailable)
	}
	t.Engine = t.open()
}

// changingStep is a call with the changes that it must report.
type changingStep struct {
	name string
	do   func() error
	want []store.Change
}

func (t *trial) changingSteps() []changingStep {
	ctx, me := t.Context(), accountID(0)
	key := func(n int) store.Change { return store.Change{Key: aKey(n, 0).ID} }
	grant := func(n int) store.Change { return store.Change{Grant: grantID(n)} }
	account, fact := store.Change{Account: me}, store.Change{Fact: "fact"}
	moved := anAccount(0)
	moved.Plan = "enterprise"
	connect := func(list ...int) func() error {
		return func() (err error) {
			for _, n := range list {
				err = cmp.Or(err, t.AddCode(ctx, aCode(n, 0)))
				err = cmp.Or(err, drop(t.RedeemCode(ctx, hash(n), token(n, 0), noon)))
			}
			return err
		}
	}
	rotate := func(generation int) func() error {
		return func() error { return drop(t.Rotate(ctx, aRotation(2, generation, noon))) }
	}
	sweep := func(at time.Time) func() error {
		return func() error { return drop(t.Sweep(ctx, at, 100)) }
	}
	return []changingStep{
		{"AddAccount", func() error { return t.AddAccount(ctx, anAccount(0)) }, nil},
		{"AddKey", func() error { return t.AddKey(ctx, aKey(0, 0)) }, nil},
		{"AddAccountKey", func() error {
			return drop(t.AddAccountKey(ctx, anAccount(0), true, aKey(1, 0)))
		}, nil},
		{"AddAccountKey, which moves", func() error {
			return drop(t.AddAccountKey(ctx, moved, true, aKey(2, 0)))
		}, []store.Change{account}},
		{"TouchKeys", func() error { return t.TouchKeys(ctx, []store.Touch{aTouch(0)}) }, nil},
		{"Reserve", func() error { return dropTwo(t.Reserve(ctx, me, 202611, 1, 1)) }, nil},
		{"SetPlan", func() error { return t.SetPlan(ctx, me, "pro") }, []store.Change{account}},
		{"SetPlan of nobody", func() error {
			return ignore(t.SetPlan(ctx, accountID(9), "pro"), store.ErrNotFound)
		}, nil},
		{"ReplaceKey", func() error {
			return t.ReplaceKey(ctx, aKey(0, 0).ID, noon, aKey(3, 0))
		}, []store.Change{key(0)}},
		{"RevokeKey", func() error {
			return t.RevokeKey(ctx, aKey(3, 0).ID, noon)
		}, []store.Change{key(3)}},
		{"RevokeKey again", func() error { return t.RevokeKey(ctx, aKey(3, 0).ID, noon) }, nil},
		{"ReplaceKey of a revoked one", func() error {
			return ignore(t.ReplaceKey(ctx, aKey(3, 0).ID, noon, aKey(4, 0)), store.ErrConflict)
		}, nil},
		{"SetPassword", func() error { return t.SetPassword(ctx, me, aPassword(0, 0), nil) }, nil},
		{"RedeemCode", connect(1, 2, 3, 4), nil},
		{"RedeemCode again", func() error {
			return drop(t.RedeemCode(ctx, hash(1), token(1, 0), noon))
		}, []store.Change{grant(1)}},
		{"Rotate", rotate(0), nil},
		{"Rotate within the grace period", rotate(0), nil},
		{"Rotate with an unknown token", rotate(7), []store.Change{grant(2)}},
		{"RemoveGrant", func() error {
			return t.RemoveGrant(ctx, grantID(3))
		}, []store.Change{grant(3)}},
		{"RemoveGrant again", func() error { return t.RemoveGrant(ctx, grantID(3)) }, nil},
		{"SwapMeta of a new fact", func() error {
			return t.SwapMeta(ctx, "fact", nil, []byte("a"))
		}, nil},
		{"SwapMeta", func() error {
			return t.SwapMeta(ctx, "fact", []byte("a"), []byte("b"))
		}, []store.Change{fact}},
		{"SwapMeta of another fact", func() error {
			return ignore(t.SwapMeta(ctx, "fact", []byte("a"), nil), store.ErrConflict)
		}, nil},
		{"Sweep of nothing", sweep(noon.Add(-time.Minute)), nil},
		{"Sweep", sweep(noon.Add(store.KeyRetention)), []store.Change{key(0), key(3), grant(4)}},
		{"SetPassword, which removes a grant", func() error {
			return cmp.Or(connect(5)(), t.SetPassword(ctx, me, aPassword(1, 0), nil))
		}, []store.Change{grant(5)}},
		{"RemoveAccount", func() error {
			return cmp.Or(connect(6)(), t.RemoveAccount(ctx, me))
		}, []store.Change{key(1), key(2), grant(6), account}},
	}
}

// ignore returns an error unless it is the expected one.
func ignore(err, expected error) error {
	if errors.Is(err, expected) {
		return nil
	}
	return cmp.Or(err, errors.New("the call has succeeded"))
}
