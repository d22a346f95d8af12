package store

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// someRows returns a row of each kind in the form that Row returns.
func someRows() map[string]any {
	noon := time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)
	hash := [32]byte{1, 2, 0xFF}
	return map[string]any{
		KindAccounts:   Account{ID: "a", Email: "zoë@example.org", Plan: "free", Created: noon},
		KindPasswords:  PasswordRow{Account: "a", Kept: "$argon2id$<&>"},
		KindIdentities: Identity{Issuer: "https://id.example.org", Subject: "s", Account: "a"},
		KindKeys:       Key{ID: "k", Hash: hash, Account: "a", Scopes: []string{"x", "y"}, Expires: noon},
		KindMonths:     MonthRow{Account: "a", Used: Used{Month: 202611, Units: 1<<63 + 1}},
		KindSessions:   Session{Hash: hash, Account: "a", Expires: noon, Seen: 20261121},
		KindTickets:    Ticket{Hash: hash, Kind: "invitation", Data: []byte{0, 0xFF}, Expires: noon},
		KindClients:    Client{ID: "c", Secret: hash, Method: "none", RedirectURIs: []string{"u"}},
		KindCodes:      Code{Hash: hash, Grant: Grant{ID: "g", Scopes: []string{"x"}}, Redeemed: true},
		KindGrants: GrantRow{
			Grant:    Grant{ID: "g", Account: "a", Used: noon},
			Token:    Digest{3},
			Replaced: []ReplacedToken{{Token: Digest{4}, At: noon, Sealed: []byte("sealed")}},
		},
		KindIncidents: Incident{
			ID: "i", From: noon, Updates: []IncidentUpdate{{At: noon, Status: "open", Message: "m"}},
		},
		KindFacts: FactRow{Name: "f", Value: []byte{0, 0xFF}},
		KindUses: Use{
			Account: "a", Day: 20261121, Surface: "mcp", Served: 1<<32 - 1, Refused: 1,
		},
		KindComponentDays: ComponentDay{Component: "NOAA CO-OPS", Day: 20261121, OK: 1, Last: 1440},
		KindEndpoints: Endpoint{
			ID: "we_1", Account: "a", Kinds: []string{"*"}, Secret: []byte{1}, Version: 7,
			Health: Health{Failures: 1, Last: Attempt{At: noon, Status: 500, Error: "status 500"}},
		},
		KindEvents: EventRow{
			Event: Event{ID: "msg_1", Type: "t", Body: []byte("{}"), Created: noon},
			Waits: true, Last: "we_1",
		},
		KindOnce: OnceRow{Name: "n", Until: noon},
		KindDeliveries: Delivery{
			Endpoint: "we_1", Event: "msg_1", State: DeliveryPending, Due: noon,
			Attempts: []Attempt{{At: noon, Millis: 5}},
		},
		KindWatches: Watch{ID: "wt_1", Account: "a", Request: []byte("{}"), At: noon, Version: 2},
	}
}

// TestRecords checks that a row of each kind keeps every field in its record.
func TestRecords(t *testing.T) {
	rows := someRows()
	got, kinds := slices.Sorted(maps.Keys(rows)), slices.Sorted(slices.Values(Kinds()))
	if !slices.Equal(got, kinds) {
		t.Fatalf("the test has the kinds %v, want %v", got, kinds)
	}
	for kind, want := range rows {
		r, err := NewRecord(want)
		if err != nil || r.Kind != kind {
			t.Errorf("NewRecord(%+v) = %+v, %v, want kind %s", want, r, err, kind)
		}
		if got, err := r.Row(); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s %s\nis the row %+v, %v\nwant       %+v", kind, r.Body, got, err, want)
		}
	}
}

// TestRecordBodies checks keys and bodies, which both engines must produce.
func TestRecordBodies(t *testing.T) {
	hash := "0102ff" + strings.Repeat("0", 58)
	for kind, want := range map[string]struct{ key, body string }{
		KindKeys: {hash, `{"id":"k","account":"a","name":"","scopes":["x","y"],` +
			`"created":"0001-01-01T00:00:00Z","expires":"2026-11-21T12:00:00Z",` +
			`"hash":"` + hash + `"}`},
		KindIdentities: {"https://id.example.org\x00s",
			`{"issuer":"https://id.example.org","subject":"s","account":"a"}`},
		KindMonths: {"a\x00202611", `{"account":"a","month":202611,"units":9223372036854775809}`},
		KindUses: {"a\x0020261121\x00mcp",
			`{"account":"a","day":20261121,"surface":"mcp","served":4294967295,"refused":1}`},
		KindPasswords: {"a", `{"account":"a","kept":"$argon2id$\u003c\u0026\u003e"}`},
		KindOnce:      {"n", `{"name":"n","until":"2026-11-21T12:00:00Z"}`},
	} {
		r, err := NewRecord(someRows()[kind])
		if err != nil || r.Key != want.key || string(r.Body) != want.body {
			t.Errorf("record of %s:\ngot  %q %s, %v\nwant %q %s",
				kind, r.Key, r.Body, err, want.key, want.body)
		}
	}
}

// TestRecordsCanonical checks that rows which engines may return differently have equal records,
// and that the caller's rows do not change.
func TestRecordsCanonical(t *testing.T) {
	noon := time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)
	there := noon.Add(999 * time.Millisecond).In(time.FixedZone("somewhere", 3600))
	token := func(n byte, at time.Time) ReplacedToken {
		return ReplacedToken{Token: Digest{n}, At: at}
	}
	for _, c := range []struct{ a, b any }{
		{Key{Scopes: nil, Created: noon}, Key{Scopes: []string{}, Created: there}},
		{Ticket{}, Ticket{Data: []byte{}}},
		{Event{}, Event{Body: []byte{}}},
		{Endpoint{}, Endpoint{Pending: 5, Kinds: []string{}, OldSecret: []byte{}}},
		{Endpoint{Health: Health{PauseUntil: noon}}, Endpoint{Health: Health{PauseUntil: there}}},
		{
			Incident{Updates: []IncidentUpdate{{At: noon}}},
			Incident{Updates: []IncidentUpdate{{At: there}}},
		},
		{Delivery{}, Delivery{Attempts: []Attempt{}}},
		{Delivery{Attempts: []Attempt{{At: noon}}}, Delivery{Attempts: []Attempt{{At: there}}}},
		{
			GrantRow{Replaced: []ReplacedToken{token(1, noon), token(2, noon), token(0, noon.Add(1e9))}},
			GrantRow{Replaced: []ReplacedToken{token(0, noon.Add(1e9)), token(2, there), token(1, noon)}},
		},
	} {
		if e, ok := c.a.(Event); ok {
			c.a, c.b = EventRow{Event: e}, EventRow{Event: c.b.(Event)}
		}
		a, errA := NewRecord(c.a)
		b, errB := NewRecord(c.b)
		if errA != nil || errB != nil || string(a.Body) != string(b.Body) {
			t.Errorf("records differ: %s, %v\nand %s, %v", a.Body, errA, b.Body, errB)
		}
	}
	updates := []IncidentUpdate{{At: there}}
	if _, err := NewRecord(Incident{Updates: updates}); err != nil || updates[0].At != there {
		t.Errorf("NewRecord has changed the time of an update to %v, %v", updates[0].At, err)
	}
}

// TestRecordsRefused checks that unknown kinds, types and fields are refused.
func TestRecordsRefused(t *testing.T) {
	if r, err := NewRecord(Touch{}); !errors.Is(err, ErrUnavailable) {
		t.Errorf("NewRecord of a touch = %+v, %v", r, err)
	}
	for _, r := range []Record{
		{Kind: "unknown", Body: []byte("{}")},
		{Kind: KindAccounts, Key: "a", Body: []byte(`{"id":"a","later":1}`)},
		{Kind: KindAccounts, Key: "a", Body: []byte(`{"id":`)},
		{Kind: KindKeys, Key: "a", Body: []byte(`{"hash":"01"}`)},
		{Kind: KindFacts, Key: "a"},
	} {
		if row, err := r.Row(); !errors.Is(err, ErrUnavailable) {
			t.Errorf("Row() of %+v = %+v, %v", r, row, err)
		}
	}
}

func TestSplitKey(t *testing.T) {
	for key, want := range map[string][]string{
		"":             {"", "", ""},
		"a":            {"a", "", ""},
		"a\x00b\x00c":  {"a", "b", "c"},
		RecordKey("a"): {"a", "", ""},
	} {
		if got := SplitKey(key, 3); !slices.Equal(got, want) {
			t.Errorf("SplitKey(%q) = %q, want %q", key, got, want)
		}
	}
}
