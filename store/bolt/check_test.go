package bolt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"leadline/store"
	"leadline/store/storetest"
)

func TestCheck(t *testing.T) {
	s := filled(t)
	got, err := s.Check(t.Context())
	want := store.Report{
		Schema: 3, Bytes: got.Bytes, Accounts: 2, Keys: 6, Sessions: 6, Months: 6, Clients: 6,
		Grants: 4, Incidents: 2, Endpoints: 6, Events: 10, Deliveries: 17, Watches: 4,
	}
	if err != nil || got != want {
		t.Errorf("Check() = %+v, %v, want %+v", got, err, want)
	}
	backup := s.path + ".backup"
	if err := s.BackupFile(t.Context(), backup); err != nil {
		t.Fatal(err)
	}
	verified, err := Verify(backup)
	if err != nil || verified != got {
		t.Errorf("Verify() of a backup = %+v, %v, want %+v", verified, err, got)
	}
	if info, err := os.Stat(backup); err != nil || info.Size() != got.Bytes {
		t.Errorf("the backup has %d bytes, want %d: %v", info.Size(), got.Bytes, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Check(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("Check() = %v, want %v", err, context.Canceled)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Check(t.Context()); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("Check() of a closed store = %v, want %v", err, store.ErrUnavailable)
	}
}

// TestCheckFinds checks that each kind of damage is found, and that no method panics over it.
func TestCheckFinds(t *testing.T) {
	me := []byte(accountID(0))
	put := func(bucket []byte, key, value string) func(*bbolt.Tx) error {
		return func(tx *bbolt.Tx) error { return tx.Bucket(bucket).Put([]byte(key), []byte(value)) }
	}
	first := func(bucket []byte, do func(b *bbolt.Bucket, key []byte) error) func(*bbolt.Tx) error {
		return func(tx *bbolt.Tx) error {
			b := tx.Bucket(bucket)
			key, _ := b.Cursor().First()
			return do(b, key)
		}
	}
	remove := func(b *bbolt.Bucket, key []byte) error { return b.Delete(key) }
	garble := func(b *bbolt.Bucket, key []byte) error { return b.Put(key, []byte("{")) }
	unknown := func(bucket, key string) string {
		return fmt.Sprintf(`record %q of %s belongs to unknown account "nobody"`, key, bucket)
	}
	october := monthKey(202610)
	for name, c := range map[string]struct {
		spoil func(*bbolt.Tx) error
		found string
	}{
		"unreadable account": {first(accounts, garble), `of accounts: unexpected end`},
		"account under another id": {
			put(accounts, "other", `{"id":"another","email":"other@example.org"}`),
			`record "other" of accounts has id "another"`,
		},
		"account missing from by-email": {
			first(accountsByEmail, remove),
			`accounts-by-email has ""`,
		},
		"email of another account": {
			first(accountsByEmail, func(b *bbolt.Bucket, key []byte) error {
				return b.Put(key, []byte("other"))
			}),
			`accounts-by-email has "other"`,
		},
		"email of no account": {
			put(accountsByEmail, "nobody@example.org", "nobody"),
			"accounts-by-email has 3 entries, want 2",
		},
		"removed account": {
			func(tx *bbolt.Tx) error { return tx.Bucket(accounts).Delete(me) },
			"belongs to unknown account",
		},
		"unreadable key":         {first(keys, garble), "of keys: unexpected end"},
		"key missing from by-id": {first(keysByID, remove), `keys-by-id has ""`},
		"id of no key":           {put(keysByID, "none", "none"), "keys-by-id has 7 entries, want 6"},
		"key missing from of-account": {
			first(keysOfAccount, remove),
			`keys-of-account has ""`,
		},
		"account of no key": {
			put(keysOfAccount, "other\x00", "none"),
			"keys-of-account has 7 entries, want 6",
		},
		"key missing from by-end": {first(keysByEnd, remove), `keys-by-end has ""`},
		"end of no key": {
			put(keysByEnd, "now", "none"),
			"keys-by-end has 7 entries, want 6",
		},
		"use of no account": {
			func(tx *bbolt.Tx) error {
				key := useKey(store.Use{Account: "nobody", Day: 20261101, Surface: "mcp"})
				return tx.Bucket(uses).Bucket(monthKey(202611)).Put(key, make([]byte, 8))
			},
			"of uses/202611 belongs to unknown account \"nobody\"",
		},
		"use in another month": {
			func(tx *bbolt.Tx) error {
				key := useKey(store.Use{Account: accountID(0), Day: 20261201, Surface: "mcp"})
				return tx.Bucket(uses).Bucket(monthKey(202611)).Put(key, make([]byte, 8))
			},
			"uses/202611 has a use of day 20261201",
		},
		"invalid use": {
			func(tx *bbolt.Tx) error {
				return tx.Bucket(uses).Bucket(monthKey(202611)).Put(owned(accountID(0)), nil)
			},
			"want 8 bytes",
		},
		"invalid month of uses":    {put(uses, "2026", "5"), `uses has "2026", which is not a month`},
		"unreadable component day": {first(componentDays, garble), "of component-days: unexpected end"},
		"component day under another name": {
			put(componentDays, "API\x00abcd", `{"component":"API","day":20261121}`),
			"of component-days is of API on 20261121",
		},
		"too many minutes": {
			put(componentDays, "API\x00\x01\x35\x29\x11",
				`{"component":"API","day":20261137,"ok":2,"last":1}`),
			"counts more than 1 minutes",
		},
		"unreadable session": {first(sessions, garble), "of sessions: unexpected end"},
		"session missing from of-account": {
			first(sessionsOfAccount, remove),
			`sessions-of-account has ""`,
		},
		"session missing from by-end": {
			first(sessionsByEnd, remove),
			`sessions-by-end has ""`,
		},
		"end of no session": {
			put(sessionsByEnd, "now", "none"),
			"sessions-by-end has 7 entries, want 6",
		},
		"month of no account": {
			func(tx *bbolt.Tx) error {
				return putUnits(tx.Bucket(quota).Bucket(october), "nobody", 5)
			},
			unknown("quota/202610", "nobody"),
		},
		"invalid units": {
			func(tx *bbolt.Tx) error {
				return tx.Bucket(quota).Bucket(october).Put(me, nil)
			},
			"have 0 bytes, want 8",
		},
		"invalid month": {put(quota, "2026", "5"), `quota has "2026", which is not a month`},
		"password of no account": {
			put(passwords, "nobody", "hash"),
			unknown("passwords", "nobody"),
		},
		"identity of no account": {
			put(identities, "a\x00b", "nobody"),
			unknown("identities", "a\x00b"),
		},
		"identity missing from of-account": {
			first(identitiesOfAccount, remove),
			`identities-of-account has ""`,
		},
		"account of no identity": {
			put(identitiesOfAccount, "other\x00a\x00b", "a\x00b"),
			"identities-of-account has 7 entries, want 6",
		},
		"unreadable ticket":          {first(tickets, garble), "of tickets: unexpected end"},
		"ticket missing from by-end": {first(ticketsByEnd, remove), `tickets-by-end has ""`},
		"end of no ticket": {
			put(ticketsByEnd, "now", "none"),
			"tickets-by-end has 7 entries, want 6",
		},
		"unreadable client": {first(clients, garble), "of clients: unexpected end"},
		"invalid secret": {
			put(clients, "other", `{"id":"other","secret":"ABC"}`),
			`invalid hash "ABC"`,
		},
		"client under another id": {
			put(clients, "other", `{"id":"another"}`),
			`record "other" of clients has id "another"`,
		},
		"client missing from by-end": {first(clientsByEnd, remove), `clients-by-end has ""`},
		"end of no client": {
			put(clientsByEnd, "now", "none"),
			"clients-by-end has 7 entries, want 6",
		},
		"unreadable code": {first(codes, garble), "of codes: unexpected end"},
		"code of no account": {
			put(codes, "code", `{"grant":{"account":"nobody"}}`),
			unknown("codes", "code"),
		},
		"code missing from by-grant": {first(codesByGrant, remove), `codes-by-grant has ""`},
		"grant of no code": {
			put(codesByGrant, "other", "none"),
			"codes-by-grant has 7 entries, want 6",
		},
		"code missing from of-account": {
			first(codesOfAccount, remove),
			`codes-of-account has ""`,
		},
		"code missing from by-end": {first(codesByEnd, remove), `codes-by-end has ""`},
		"unreadable grant":         {first(grants, garble), "of grants: unexpected end"},
		"grant under another id": {
			put(grants, "other", `{"id":"another"}`),
			`record "other" of grants has id "another"`,
		},
		"grant of no account": {
			put(grants, "other", `{"id":"other","account":"nobody"}`),
			unknown("grants", "other"),
		},
		"grant missing from of-account": {
			first(grantsOfAccount, remove),
			`grants-of-account has ""`,
		},
		"grant missing from by-end": {first(grantsByEnd, remove), `grants-by-end has ""`},
		"end of no grant": {
			put(grantsByEnd, "now", "none"),
			"grants-by-end has 5 entries, want 4",
		},
		"unreadable incident": {first(incidents, garble), "of incidents: unexpected end"},
		"incident under another id": {
			put(incidents, "other", `{"id":"another"}`),
			`record "other" of incidents has id "another"`,
		},
		"unreadable endpoint": {first(endpoints, garble), "of endpoints: unexpected end"},
		"endpoint under another id": {
			put(endpoints, "other", `{"id":"another"}`),
			`record "other" of endpoints has id "another"`,
		},
		"endpoint of no account": {
			put(endpoints, "other", `{"id":"other","account":"nobody"}`),
			unknown("endpoints", "other"),
		},
		"endpoint missing from of-account": {
			first(endpointsOfAccount, remove),
			`endpoints-of-account has ""`,
		},
		"another state": {first(endpointsOfAccount, garble), `endpoints-of-account has "{"`},
		"endpoint missing from of-kind": {
			first(endpointsOfKind, remove),
			`endpoints-of-kind has ""`,
		},
		"pending endpoint missing from of-kind": {
			func(tx *bbolt.Tx) error {
				return tx.Bucket(endpointsOfKind).Delete(owned(store.AllKinds, []byte(endpointID(2))))
			},
			`endpoints-of-kind has ""`,
		},
		"pending deliveries of a disabled endpoint": {
			func(tx *bbolt.Tx) error { return setState(tx, endpointID(10), store.EndpointDisabled) },
			`endpoint "we_00000000000010" is disabled and has 2 pending deliveries, want 0`,
		},
		"kind of no endpoint": {
			put(endpointsOfKind, "kind\x00none", ""),
			"endpoints-of-kind has 9 entries, want 8",
		},
		"endpoint missing from due": {first(endpointsDue, remove), `endpoints-due has ""`},
		"due endpoint that does not exist": {
			put(endpointsDue, "\x80\x00\x00\x00\x00\x00\x00\x00none", ""),
			"endpoints-due has 6 entries, want 5",
		},
		"missing queue": {first(queues, remove), `queues has ""`},
		"queue of no endpoint": {
			put(queues, "none", "1234567812345678"),
			"queues has 6 entries, want 5",
		},
		"another pending count": {first(queues, garble), `queues has "{"`},
		"another due time": {
			first(queues, func(b *bbolt.Bucket, key []byte) error {
				return b.Put(key, append([]byte("\x00\x00\x00\x00\x00\x00\x00\x03"), never...))
			}),
			`queues has "\x00\x00\x00\x00\x00\x00\x00\x03\xff`,
		},
		"unreadable event": {first(events, garble), "of events: unexpected end"},
		"event under another id": {
			put(events, "other", `{"id":"another"}`),
			`record "other" of events has id "another"`,
		},
		"event of no account": {
			put(events, "other", `{"id":"other","account":"nobody"}`),
			unknown("events", "other"),
		},
		"event missing from of-account": {
			first(eventsOfAccount, remove),
			`events-of-account has ""`,
		},
		"another type": {first(eventsOfAccount, garble), `events-of-account has "{"`},
		"account of no event": {
			put(eventsOfAccount, "other\x00none", ""),
			"events-of-account has 11 entries, want 10",
		},
		"event missing from by-end": {first(eventsByEnd, remove), `events-by-end has ""`},
		"end of no event": {
			put(eventsByEnd, "now", "none"),
			"events-by-end has 11 entries, want 10",
		},
		"spread of no event": {
			put(eventsToSpread, "none", ""),
			`events-to-spread has "none", which is not an event for all accounts`,
		},
		"invalid name":              {first(once, garble), "of an event has 1 bytes, want 8"},
		"name missing from by-end":  {first(onceByEnd, remove), `once-by-end has ""`},
		"end of no name":            {put(onceByEnd, "now", "none"), "once-by-end has 3 entries, want 2"},
		"unreadable delivery":       {first(deliveries, garble), "of deliveries: unexpected end"},
		"delivery under another id": {put(deliveries, "other", "{}"), `record "other" of deliveries has`},
		"delivery to no endpoint": {
			first(endpoints, remove),
			`of deliveries has "we_00000000000000", which endpoints does not have`,
		},
		"delivery of no event": {
			func(tx *bbolt.Tx) error { return empty(tx, events) },
			`which events does not have`,
		},
		"delivery missing from of-event": {
			first(deliveriesOfEvent, remove),
			`deliveries-of-event has ""`,
		},
		"event of no delivery": {
			put(deliveriesOfEvent, "none\x00none", ""),
			"deliveries-of-event has 18 entries, want 17",
		},
		"delivery missing from due": {first(deliveriesDue, remove), `deliveries-due has ""`},
		"due time of no delivery": {
			put(deliveriesDue, "none\x00\x00\x80\x00\x00\x00\x00\x00\x00\x00none", ""),
			"deliveries-due has 9 entries, want 8",
		},
		"short due time of a delivery": {
			put(deliveriesDue, endpointID(10)+"\x00\x01", ""),
			"deliveries-due has 9 entries, want 8",
		},
		"short due time of an endpoint": {
			put(endpointsDue, "\x00", ""),
			"endpoints-due has 6 entries, want 5",
		},
		"short creation of an endpoint": {
			put(endpointsOfAccount, accountID(1)+"\x00", "enabled"),
			"endpoints-of-account has 7 entries, want 6",
		},
		"unreadable watch": {first(watches, garble), "of watches: unexpected end"},
		"watch under another id": {
			put(watches, "other", `{"id":"another"}`),
			`record "other" of watches has id "another"`,
		},
		"watch of no account": {
			put(watches, "other", `{"id":"other","account":"nobody"}`),
			unknown("watches", "other"),
		},
		"watch missing from of-account": {
			first(watchesOfAccount, remove),
			`watches-of-account has ""`,
		},
		"account of no watch": {
			put(watchesOfAccount, accountID(1)+"\x00", ""),
			"watches-of-account has 5 entries, want 4",
		},
		"watch missing from by-due": {first(watchesByDue, remove), `watches-by-due has ""`},
		"due time of no watch": {
			put(watchesByDue, "now", ""),
			"watches-by-due has 3 entries, want 2",
		},
		"watch missing from by-end": {first(watchesByEnd, remove), `watches-by-end has ""`},
		"end of no watch": {
			put(watchesByEnd, "now", "none"),
			"watches-by-end has 5 entries, want 4",
		},
		"more faults than are listed": {
			func(tx *bbolt.Tx) error { return empty(tx, accounts) },
			"; and ",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := filled(t)
			if err := s.db.Update(c.spoil); err != nil {
				t.Fatal(err)
			}
			_, err := s.Check(t.Context())
			if !errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), c.found) {
				t.Errorf("Check() = %v, want %v and %s", err, store.ErrDamaged, c.found)
			}
			for _, m := range storetest.Methods() {
				err := m.Call(t.Context(), s)
				if err != nil && !refused(err) && !errors.Is(err, store.ErrUnavailable) {
					t.Errorf("%s: got error %v, want a refusal or %v", m.Name, err, store.ErrUnavailable)
				}
				if err != nil && strings.Contains(err.Error(), "panicked") {
					t.Errorf("%s: %v", m.Name, err)
				}
			}
		})
	}
}

// setState changes the state in the record of an endpoint alone.
func setState(tx *bbolt.Tx, endpoint, state string) error {
	e, err := endpointKind.get(tx, []byte(endpoint))
	e.State = state
	return cmp.Or(err, put(tx, endpoints, []byte(endpoint), e))
}

// empty empties a bucket.
func empty(tx *bbolt.Tx, bucket []byte) error {
	if err := tx.DeleteBucket(bucket); err != nil {
		return err
	}
	_, err := tx.CreateBucket(bucket)
	return err
}
