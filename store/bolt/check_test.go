package bolt

import (
	"context"
	"errors"
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
	if want := (store.Report{Schema: 2, Bytes: got.Bytes, Accounts: 2, Keys: 6, Sessions: 6, Months: 6, Clients: 6, Grants: 4, Incidents: 2}); err != nil || got != want {
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
		t.Errorf("the backup is %d bytes long, want %d: %v", info.Size(), got.Bytes, err)
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

// TestCheckFinds breaks one thing after the other.
func TestCheckFinds(t *testing.T) {
	me := []byte(accountID(0))
	put := func(bucket []byte, key, value string) func(*bbolt.Tx) error {
		return func(tx *bbolt.Tx) error { return tx.Bucket(bucket).Put([]byte(key), []byte(value)) }
	}
	first := func(bucket []byte, do func(b *bbolt.Bucket, key, value []byte) error) func(*bbolt.Tx) error {
		return func(tx *bbolt.Tx) error {
			b := tx.Bucket(bucket)
			key, value := b.Cursor().First()
			return do(b, key, value)
		}
	}
	remove := func(b *bbolt.Bucket, key, _ []byte) error { return b.Delete(key) }
	garble := func(b *bbolt.Bucket, key, _ []byte) error { return b.Put(key, []byte("{")) }
	for name, c := range map[string]struct {
		spoil func(*bbolt.Tx) error
		found string
	}{
		"an account that cannot be read":      {first(accounts, garble), `of accounts: unexpected end`},
		"an account under another id":         {put(accounts, "other", `{"id":"another","email":"other@example.org"}`), `record "other" of accounts says that it is "another"`},
		"an account without its address":      {first(accountsByEmail, remove), `accounts-by-email has ""`},
		"an address of another account":       {first(accountsByEmail, func(b *bbolt.Bucket, key, _ []byte) error { return b.Put(key, []byte("other")) }), `accounts-by-email has "other"`},
		"an address of no account":            {put(accountsByEmail, "nobody@example.org", "nobody"), "accounts-by-email has 3 entries, want 2"},
		"an account that is gone":             {func(tx *bbolt.Tx) error { return tx.Bucket(accounts).Delete(me) }, "who is no account"},
		"a key that cannot be read":           {first(keys, garble), "of keys: unexpected end"},
		"a key without its id":                {first(keysByID, remove), `keys-by-id has ""`},
		"an id of no key":                     {put(keysByID, "none", "none"), "keys-by-id has 7 entries, want 6"},
		"a key that its account lacks":        {first(keysOfAccount, remove), `keys-of-account has ""`},
		"a key of an account that is none":    {put(keysOfAccount, "other\x00", "none"), "keys-of-account has 7 entries, want 6"},
		"a session that cannot be read":       {first(sessions, garble), "of sessions: unexpected end"},
		"a session that its account lacks":    {first(sessionsOfAccount, remove), `sessions-of-account has ""`},
		"a session without its end":           {first(sessionsByEnd, remove), `sessions-by-end has ""`},
		"an end of no session":                {put(sessionsByEnd, "now", "none"), "sessions-by-end has 7 entries, want 6"},
		"a month of nobody":                   {func(tx *bbolt.Tx) error { return putUnits(tx.Bucket(quota).Bucket(monthKey(202610)), "nobody", 5) }, `belongs to "nobody", who is no account`},
		"units that are no number":            {func(tx *bbolt.Tx) error { return tx.Bucket(quota).Bucket(monthKey(202610)).Put(me, nil) }, "are 0 bytes long"},
		"a month that is none":                {put(quota, "2026", "5"), `quota has "2026", which is no month`},
		"a password of nobody":                {put(passwords, "nobody", "kept"), `record "nobody" of passwords belongs to "nobody", who is no account`},
		"an identity of nobody":               {put(identities, "a\x00b", "nobody"), `of identities belongs to "nobody", who is no account`},
		"an identity that its account lacks":  {first(identitiesOfAccount, remove), `identities-of-account has ""`},
		"an identity that is none":            {put(identitiesOfAccount, "other\x00a\x00b", "a\x00b"), "identities-of-account has 7 entries, want 6"},
		"a ticket that cannot be read":        {first(tickets, garble), "of tickets: unexpected end"},
		"a ticket without its end":            {first(ticketsByEnd, remove), `tickets-by-end has ""`},
		"an end of no ticket":                 {put(ticketsByEnd, "now", "none"), "tickets-by-end has 7 entries, want 6"},
		"a client that cannot be read":        {first(clients, garble), "of clients: unexpected end"},
		"a secret that is none":               {put(clients, "other", `{"id":"other","secret":"ABC"}`), `"ABC" is no hash`},
		"a client under another id":           {put(clients, "other", `{"id":"another"}`), `record "other" of clients says that it is "another"`},
		"a client without its end":            {first(clientsByEnd, remove), `clients-by-end has ""`},
		"an end of no client":                 {put(clientsByEnd, "now", "none"), "clients-by-end has 7 entries, want 6"},
		"a code that cannot be read":          {first(codes, garble), "of codes: unexpected end"},
		"a code of nobody":                    {put(codes, "code", `{"grant":{"account":"nobody"}}`), `record "code" of codes belongs to "nobody", who is no account`},
		"a code without its grant":            {first(codesByGrant, remove), `codes-by-grant has ""`},
		"a grant of no code":                  {put(codesByGrant, "other", "none"), "codes-by-grant has 7 entries, want 6"},
		"a code that its account lacks":       {first(codesOfAccount, remove), `codes-of-account has ""`},
		"a code without its end":              {first(codesByEnd, remove), `codes-by-end has ""`},
		"a grant that cannot be read":         {first(grants, garble), "of grants: unexpected end"},
		"a grant under another id":            {put(grants, "other", `{"id":"another"}`), `record "other" of grants says that it is "another"`},
		"a grant of nobody":                   {put(grants, "other", `{"id":"other","account":"nobody"}`), `record "other" of grants belongs to "nobody", who is no account`},
		"a grant that its account lacks":      {first(grantsOfAccount, remove), `grants-of-account has ""`},
		"a grant without its end":             {first(grantsByEnd, remove), `grants-by-end has ""`},
		"an end of no grant":                  {put(grantsByEnd, "now", "none"), "grants-by-end has 5 entries, want 4"},
		"an incident that cannot be read":     {first(incidents, garble), "of incidents: unexpected end"},
		"an incident under another id":        {put(incidents, "other", `{"id":"another"}`), `record "other" of incidents says that it is "another"`},
		"more than anybody would want to see": {func(tx *bbolt.Tx) error { return emptied(tx, accounts) }, "; and "},
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
			for _, m := range storetest.Methods() { // whatever they answer, they do
				if err := m.Call(t.Context(), s); err != nil && !refused(err) && !errors.Is(err, store.ErrUnavailable) {
					t.Errorf("%s: got error %v", m.Name, err)
				}
			}
		})
	}
}

// emptied empties a bucket.
func emptied(tx *bbolt.Tx, bucket []byte) error {
	if err := tx.DeleteBucket(bucket); err != nil {
		return err
	}
	_, err := tx.CreateBucket(bucket)
	return err
}
