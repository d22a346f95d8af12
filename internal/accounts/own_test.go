package accounts

import (
	"errors"
	"strings"
	"testing"
	"time"

	"leadline/internal/access"
	"leadline/internal/access/credential"
	"leadline/internal/coast"
	"leadline/store"
)

// TestOwnKeys checks that callers can access the keys of their own account, and no others.
func TestOwnKeys(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	mate := access.Caller{Account: b.create("mate@example.org").ID}
	cook := access.Caller{Account: b.create("cook@example.org").ID}
	n := credential.NewKey{
		Name: "bridge", Scopes: []string{credential.UsageRead}, Expires: b.time.Add(time.Hour),
	}
	_, made, err := b.CreateOwnKey(ctx, mate, n)
	if err != nil || made.Account != mate.Account || made.Name != "bridge" ||
		!made.Expires.Equal(n.Expires) {
		t.Fatalf("CreateOwnKey = %+v, %v", made, err)
	}
	notFound := func(what string, err error) {
		t.Helper()
		var e *coast.Error
		if !errors.As(err, &e) || e.Code != coast.NotFound || !strings.Contains(e.Message, made.ID) {
			t.Errorf("%s of another account's key: %v", what, err)
		}
	}
	_, _, err = b.ReplaceOwnKey(ctx, cook, made.ID, 0)
	notFound("ReplaceOwnKey", err)
	_, err = b.RevokeOwnKey(ctx, cook, made.ID)
	notFound("RevokeOwnKey", err)

	_, next, err := b.ReplaceOwnKey(ctx, mate, made.ID, time.Hour)
	if err != nil || next.From != made.ID {
		t.Fatalf("ReplaceOwnKey = %+v, %v", next, err)
	}
	byKey := access.Caller{Account: mate.Account, Key: made.ID}
	var e *coast.Error
	_, err = b.RevokeOwnKey(ctx, byKey, next.ID)
	if !errors.As(err, &e) || e.Code != coast.InsufficientScope {
		t.Errorf("RevokeOwnKey of another key by a key: %v", err)
	}
	for caller, id := range map[*access.Caller]string{&byKey: made.ID, &mate: next.ID} {
		if k, err := b.RevokeOwnKey(ctx, *caller, id); err != nil || !k.Revoked.Equal(b.time) {
			t.Errorf("RevokeOwnKey(%s) = %+v, %v", id, k, err)
		}
	}
	if keys, err := b.OwnKeys(ctx, mate); err != nil || len(keys) != 2 {
		t.Errorf("OwnKeys = %+v, %v, want 2", keys, err)
	}
	if keys, err := b.OwnKeys(ctx, cook); err != nil || len(keys) != 0 {
		t.Errorf("OwnKeys = %+v, %v, want none", keys, err)
	}
}

// TestStoreFailure checks the errors of all operations of callers while the store is down.
func TestStoreFailure(t *testing.T) {
	b, ctx := newBench(t), t.Context()
	mate := access.Caller{Account: b.create("mate@example.org").ID}
	n := credential.NewKey{Name: "bridge", Scopes: []string{credential.UsageRead}}
	_, made, err := b.CreateOwnKey(ctx, mate, n)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.store.Close(); err != nil {
		t.Fatal(err)
	}
	calls := map[string]error{}
	_, calls["Months"] = b.Months(ctx, mate.Account)
	_, calls["OwnKeys"] = b.OwnKeys(ctx, mate)
	_, _, calls["CreateOwnKey"] = b.CreateOwnKey(ctx, mate, n)
	_, _, calls["ReplaceOwnKey"] = b.ReplaceOwnKey(ctx, mate, made.ID, 0)
	_, calls["RevokeOwnKey"] = b.RevokeOwnKey(ctx, mate, made.ID)
	for name, err := range calls {
		if e, _ := coast.AsError(err); e.Code != coast.StoreUnavailable || e.RetryAfterSeconds == 0 ||
			!errors.Is(err, store.ErrUnavailable) {
			t.Errorf("%s = %v, want %s with its cause", name, err, coast.StoreUnavailable)
		}
	}
}
