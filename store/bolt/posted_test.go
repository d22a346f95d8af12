package bolt

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"leadline/store"
)

// TestPosted checks that each stored event is reported by its type, whichever call posts it, and
// that duplicates, events for nobody and events of failed calls are not.
func TestPosted(t *testing.T) {
	var got []string
	s, err := Open(filepath.Join(t.TempDir(), "leadline.db"), Options{
		Posted: func(kind string) { got = append(got, kind) },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx := t.Context()
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	one := func(n string, kind string) store.Event {
		return store.Event{
			ID: "msg_" + n, Type: kind, Account: "a", Body: []byte("{}"), Created: now,
			Expires: now.Add(time.Hour),
		}
	}
	once, again := one("1", "posted"), one("2", "posted")
	once.Once, once.OnceUntil = "name", now.Add(time.Hour)
	again.Once, again.OnceUntil = "name", now.Add(time.Hour)
	nobody := one("3", "posted")
	nobody.Account = "b"
	watch := store.Watch{
		ID: "wt_1", Account: "a", Station: "8443970", State: store.WatchActive, At: now, Due: now,
		Ends: now.Add(time.Hour), Created: now,
	}
	saved := watch
	saved.Version = 1
	for _, test := range []struct {
		name string
		err  error
		want []string
	}{
		{"AddAccount", s.AddAccount(ctx, store.Account{ID: "a", Email: "a@example.org"}), nil},
		{"AddEndpoint", s.AddEndpoint(ctx, store.Endpoint{
			ID: "we_1", Account: "a", Kinds: []string{store.AllKinds}, State: store.EndpointEnabled,
		}, 1), nil},
		{"Post", second(s.Post(ctx, once, one("4", "other"))), []string{"posted", "other"}},
		{"a duplicate", second(s.Post(ctx, again)), nil},
		{"an event for nobody", second(s.Post(ctx, nobody)), nil},
		{"Reserve", third(s.Reserve(ctx, "a", 202611, 5, 9,
			notice(3, one("5", "warning")),
			notice(8, one("6", "warning")),
		)), []string{"warning"}},
		{
			"PutIncident", s.PutIncident(ctx, store.Incident{ID: "i"}, one("7", "incident")),
			[]string{"incident"},
		},
		{
			"SwapMeta", s.SwapMeta(ctx, "fact", nil, []byte("1"), one("8", "component")),
			[]string{"component"},
		},
		{"AddWatch", s.AddWatch(ctx, watch, 1, one("9", "first")), []string{"first"}},
		{"SaveWatch", s.SaveWatch(ctx, saved, one("a", "step")), []string{"step"}},
	} {
		if test.err != nil {
			t.Fatalf("%s: %v", test.name, test.err)
		}
		n := min(len(test.want), len(got))
		if !slices.Equal(got[:n], test.want) {
			t.Errorf("%s has reported %q, want %q", test.name, got[:n], test.want)
		}
		got = got[n:]
	}
	if err := s.SaveWatch(ctx, saved, one("b", "step")); err != store.ErrConflict {
		t.Errorf("SaveWatch of an old version = %v, want ErrConflict", err)
	}
	if len(got) > 0 {
		t.Errorf("%q are reported too", got)
	}
}

func notice(at uint64, e store.Event) store.Notice {
	return store.Notice{At: at, Event: func() (store.Event, error) { return e, nil }}
}

func second[T any](_ T, err error) error        { return err }
func third[T, U any](_ T, _ U, err error) error { return err }
