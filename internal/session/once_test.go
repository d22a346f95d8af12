package session

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"leadline/internal/coast"
)

// useForm sends the form with an id as the person of an account.
func (b *bench) useForm(account, id string) error {
	r := httptest.NewRequest(http.MethodPost, "/", http.NoBody)
	r.PostForm = url.Values{"form": {id}}
	return b.UseForm(r, account)
}

// TestUseForm checks that a form with an id can be sent once by each person, as long as it is new.
func TestUseForm(t *testing.T) {
	b := newBench(t, "http://127.0.0.1")
	id := b.NewFormID()
	for _, test := range []struct {
		what, account, id string
		want              error
	}{
		{"at first", "1", id, nil},
		{"again", "1", id, ErrFormSent},
		{"by another person", "2", id, nil},
		{"without an id", "1", "", ErrFormOld},
		{"from the future", "1", "zzzzzz.x", ErrFormOld},
	} {
		if err := b.useForm(test.account, test.id); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.what, err, test.want)
		}
	}
	old := b.NewFormID()
	b.now = b.now.Add(formLife)
	if err := b.useForm("1", old); !errors.Is(err, ErrFormOld) {
		t.Errorf("after %s: %v, want %v", formLife, err, ErrFormOld)
	}
}

// TestCase79FormsAreLimited checks that an account cannot fill the store with forms, and that
// others are not affected.
func TestCase79FormsAreLimited(t *testing.T) {
	b := newBench(t, "http://127.0.0.1")
	for i := range formBurst {
		if err := b.useForm("1", b.NewFormID()); err != nil {
			t.Fatalf("form %d: %v", i, err)
		}
	}
	limited := func() *coast.Error {
		e, _ := coast.AsError(b.useForm("1", b.NewFormID()))
		return e
	}
	if e := limited(); e.Code != coast.RateLimited || e.RetryAfterSeconds != 10 {
		t.Errorf("one more: %v, want rate_limited for 10 seconds", e)
	}
	if err := b.useForm("2", b.NewFormID()); err != nil {
		t.Errorf("another account: %v", err)
	}
	b.now = b.now.Add(formEvery)
	if err := b.useForm("1", b.NewFormID()); err != nil {
		t.Errorf("after %s: %v", formEvery, err)
	}
	if e := limited(); e.Code != coast.RateLimited {
		t.Errorf("and another: %v, want rate_limited", e)
	}
	b.now = b.now.Add(time.Hour)
	if err := b.useForm("1", b.NewFormID()); err != nil {
		t.Errorf("after an hour: %v", err)
	}
}
