package session

import (
	"net/http"
	"testing"
	"time"
)

// list returns the sessions of the account as a browser sees them.
func (b *bench) list(t *testing.T, w browser) (list []Open) {
	t.Helper()
	w.send(func(_ http.ResponseWriter, r *http.Request) {
		var err error
		if list, err = b.List(r, "1"); err != nil {
			t.Error(err)
		}
	})
	return list
}

// TestList checks that the sessions of an account are listed with ids of their own until they
// expire, and that the browser's session is marked.
func TestList(t *testing.T) {
	b := newBench(t, "http://127.0.0.1")
	first, second := browser{}, browser{}
	b.begin(t, first)
	b.now = b.now.Add(time.Hour)
	b.begin(t, second)
	list := b.list(t, first)
	if len(list) != 2 || list[0].This || !list[1].This || list[0].ID == list[1].ID ||
		!list[0].Created.Equal(b.now) {
		t.Errorf("got %+v, want two with the second one marked", list)
	}
	if none := b.list(t, browser{}); len(none) != 2 || none[0].This || none[1].This {
		t.Errorf("got %+v in another browser, want none marked", none)
	}
	b.now = b.now.Add(Life - time.Hour)
	if list := b.list(t, second); len(list) != 1 || !list[0].This {
		t.Errorf("got %+v, want the one that has not expired", list)
	}
}

// TestEndOne checks that a session can be ended by its id for its account only.
func TestEndOne(t *testing.T) {
	b := newBench(t, "http://127.0.0.1")
	first, second := browser{}, browser{}
	b.begin(t, first)
	b.begin(t, second)
	var id string
	first.send(func(_ http.ResponseWriter, r *http.Request) { id = b.ID(r) })
	for _, test := range []struct{ account, id string }{{"2", id}, {"1", ""}, {"1", id[:15]}} {
		if err := b.EndOne(t.Context(), test.account, test.id); err != nil ||
			b.person(t, first) == "" {
			t.Errorf("EndOne(%q, %q) = %v, want no effect", test.account, test.id, err)
		}
	}
	if err := b.EndOne(t.Context(), "1", id); err != nil || b.person(t, first) != "" ||
		b.person(t, second) == "" {
		t.Errorf("EndOne = %v, want the first session ended, and it alone", err)
	}
	b.begin(t, first)
	first.send(func(w http.ResponseWriter, r *http.Request) {
		if err := b.EndAll(w, r, "1"); err != nil {
			t.Error(err)
		}
	})
	if b.person(t, first)+b.person(t, second) != "" || first["leadline"] != nil {
		t.Errorf("EndAll leaves sessions, and the cookies %v", first)
	}
}
