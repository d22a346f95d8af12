package accounts

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"leadline/internal/access"
	"leadline/internal/access/credential"
	"leadline/store"
)

// exported is the document as its readers see it.
type exported struct {
	ExportedAt time.Time
	Account    struct{ ID, Email, Plan string }
	Password   bool
	Identities []struct{ Issuer, Subject string }
	Sessions   []struct{ Agent, LastSeenOn string }
	Keys       []struct{ ID, Name, State string }
	Apps       []struct{ ID, Name, Client string }
	Months     []struct {
		Month string
		Units int
	}
	Days []struct {
		Day, Surface    string
		Served, Refused int
	}
	Endpoints  []struct{ ID, URL, State string }
	Watches    []struct{ ID, Station string }
	Deliveries []struct {
		Endpoint, Event, Kind, State string
		Attempts                     []struct{ Status, Millis int }
	}
}

// export returns the exported document of an account, and its text.
func (b *bench) export(account string) (out exported, text string) {
	b.Helper()
	var w bytes.Buffer
	if err := b.Export(b.Context(), &w, account); err != nil {
		b.Fatal(err)
	}
	if err := json.Unmarshal(w.Bytes(), &out); err != nil {
		b.Fatalf("%v in\n%s", err, &w)
	}
	return out, w.String()
}

// secrets are texts and hashes that an export must not have.
type secrets []string

// hash adds a hash in all forms in which it could be written.
func (s *secrets) hash(sum []byte) {
	numbers := strings.Trim(strings.ReplaceAll(fmt.Sprint(sum), " ", ","), "[]")
	raw := base64.RawStdEncoding.EncodeToString(sum)
	*s = append(*s, hex.EncodeToString(sum), strings.ToUpper(hex.EncodeToString(sum)), numbers, raw,
		strings.NewReplacer("+", "-", "/", "_").Replace(raw))
}

// furnish gives an account a row of every kind, and returns the secrets of these rows.
func (b *bench) furnish(a store.Account) (out secrets) {
	b.Helper()
	ctx, now := b.Context(), b.time
	do := func(err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
	}
	const password = "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$aGFzaGVk"
	do(b.store.SetPassword(ctx, a.ID, password, nil))
	do(b.store.AddIdentity(ctx, store.Identity{
		Issuer: "https://id.example.org", Subject: "subject of " + a.ID, Account: a.ID,
	}))
	secret, _, err := b.CreateOwnKey(ctx, access.Caller{Account: a.ID},
		credential.NewKey{Name: "bridge of " + a.Email, Scopes: []string{credential.RawRead}})
	do(err)
	keys, err := b.store.KeysOf(ctx, a.ID)
	do(err)
	out = append(out, password, secret, "aGFzaGVk", "sealed secret of "+a.ID)
	out.hash(keys[0].Hash[:])
	session, code := credential.NewSecret(""), credential.NewSecret("ldc_")
	refresh := credential.NewSecret("ldr_")
	for _, s := range []string{session, code, refresh} {
		sum := credential.HashSecret(s)
		out = append(out, s)
		out.hash(sum[:])
	}
	do(b.store.AddSession(ctx, store.Session{
		Hash: credential.HashSecret(session), Account: a.ID, Created: now, Expires: now.Add(time.Hour),
		Agent: "Firefox on Windows", Seen: store.DayOf(now),
	}))
	grant := store.Grant{
		ID: "grant of " + a.ID, Account: a.ID, Client: "client", Name: "Sounder", Created: now,
		Used: now, Expires: now.Add(time.Hour),
	}
	do(b.store.AddCode(ctx, store.Code{
		Hash: credential.HashSecret(code), Grant: grant, Challenge: "challenge of " + a.ID,
		Expires: now.Add(time.Minute),
	}))
	_, err = b.store.RedeemCode(ctx, credential.HashSecret(code), credential.HashSecret(refresh), now)
	do(err)
	_, _, err = b.store.Reserve(ctx, a.ID, store.MonthOf(now), 7, 100)
	do(err)
	do(b.store.AddUses(ctx, []store.Use{
		{Account: a.ID, Day: store.DayOf(now), Surface: "rest", Served: 5, Refused: 2},
	}))
	sealed := []byte("sealed secret of " + a.ID)
	out.hash(sealed)
	do(b.store.AddEndpoint(ctx, store.Endpoint{
		ID: "we_" + a.ID, Account: a.ID, URL: "https://hooks.example.org/" + a.ID,
		Kinds: []string{store.AllKinds}, State: store.EndpointEnabled, Secret: sealed,
		OldSecret: sealed, OldUntil: now.Add(time.Hour), Created: now, Enabled: now,
	}, 10))
	do(b.store.AddWatch(ctx, store.Watch{
		ID: "wt_" + a.ID, Account: a.ID, Name: "dawn", Station: "8443970",
		Request: []byte(`{"station":"8443970"}`), State: store.WatchActive, At: now.Add(time.Hour),
		Due: now, Ends: now.Add(time.Hour), Created: now,
	}, 10))
	return append(out, "challenge of "+a.ID)
}

// post posts n events of an account, and records an attempt at the first.
func (b *bench) post(a store.Account, n int) {
	b.Helper()
	var events []store.Event
	for i := range n {
		events = append(events, store.Event{
			ID: fmt.Sprintf("msg_%s_%05d", a.ID, i), Type: "webhook.test", Account: a.ID,
			Body:    []byte(`{"type":"webhook.test","secret":"body of an event"}`),
			Created: b.time, Expires: b.time.Add(time.Hour),
		})
	}
	if _, err := b.store.Post(b.Context(), events...); err != nil {
		b.Fatal(err)
	}
	err := b.store.Finish(b.Context(), []store.Result{{
		Endpoint: "we_" + a.ID, Event: events[0].ID, URL: "https://hooks.example.org/" + a.ID,
		Attempt: store.Attempt{At: b.time, Status: 200, Millis: 12, Reply: "reply of a receiver"},
		State:   store.DeliveryDelivered, Tries: 1,
	}})
	if err != nil {
		b.Fatal(err)
	}
}

// TestCase76Export checks that an export has all rows of its account, of no other account, and no
// secret, hash or body.
func TestCase76Export(t *testing.T) {
	b := newBench(t)
	mate, cook := b.create("mate@example.org"), b.create("cook@example.org")
	hidden := append(b.furnish(mate), b.furnish(cook)...)
	b.post(mate, 3)
	b.post(cook, 2)
	got, text := b.export(mate.ID)
	for _, secret := range append(hidden, "body of an event", "reply of a receiver") {
		if strings.Contains(text, secret) {
			t.Errorf("the export has %q:\n%s", secret, text)
		}
	}
	if strings.Contains(text, cook.ID) || strings.Contains(text, "cook@example.org") {
		t.Errorf("the export names another account:\n%s", text)
	}
	summary := fmt.Sprintln(got.Account, got.Password, got.Identities, got.Sessions, len(got.Keys),
		got.Keys[0].Name, got.Keys[0].State, got.Apps, got.Months, got.Days, got.Endpoints, got.Watches)
	id := mate.ID
	want := "{" + id + " mate@example.org free} true " +
		"[{https://id.example.org subject of " + id + "}] " +
		"[{Firefox on Windows 2026-11-20}] 1 bridge of mate@example.org active " +
		"[{grant of " + id + " Sounder client}] [{2026-11 7}] [{2026-11-20 rest 5 2}] " +
		"[{we_" + id + " https://hooks.example.org/" + id + " enabled}] [{wt_" + id + " 8443970}]\n"
	if summary != want {
		t.Errorf("got  %s\nwant %s", summary, want)
	}
	if len(got.Deliveries) != 3 || !got.ExportedAt.Equal(b.time) {
		t.Fatalf("%d deliveries at %v, want 3 at %v", len(got.Deliveries), got.ExportedAt, b.time)
	}
	oldest := got.Deliveries[2]
	if oldest.Event != "msg_"+id+"_00000" || oldest.State != store.DeliveryDelivered ||
		len(oldest.Attempts) != 1 || oldest.Attempts[0].Status != 200 {
		t.Errorf("the oldest delivery is %+v, want it delivered with 200", oldest)
	}
}

// TestExportOfManyDeliveries checks that an export has all deliveries, also if they are read in
// several pages.
func TestExportOfManyDeliveries(t *testing.T) {
	for _, n := range []int{pageSize - 1, pageSize, pageSize + 1, 2*pageSize + 1} {
		b := newBench(t)
		mate := b.create("mate@example.org")
		b.furnish(mate)
		b.post(mate, n)
		got, _ := b.export(mate.ID)
		seen := map[string]bool{}
		for _, d := range got.Deliveries {
			seen[d.Event] = true
		}
		if len(seen) != n || len(got.Deliveries) != n {
			t.Errorf("%d deliveries of %d events, want %d", len(got.Deliveries), len(seen), n)
		}
	}
}

// TestEmptyExport checks the export of a new account, and that of an unknown one.
func TestEmptyExport(t *testing.T) {
	b := newBench(t)
	got, text := b.export(b.create("mate@example.org").ID)
	if got.Password || strings.Contains(text, "null") {
		t.Errorf("want no password, and empty lists:\n%s", text)
	}
	var w bytes.Buffer
	if err := b.Export(t.Context(), &w, "nobody"); !errors.Is(err, store.ErrNotFound) || w.Len() > 0 {
		t.Errorf("Export = %v after %q, want %v and nothing", err, &w, store.ErrNotFound)
	}
}

// full is a writer that fails.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no room") }

// TestExportFails checks that an export that cannot be written, or whose store fails, is an error.
func TestExportFails(t *testing.T) {
	b := newBench(t)
	mate := b.create("mate@example.org")
	b.furnish(mate)
	b.post(mate, pageSize)
	if err := b.Export(t.Context(), full{}, mate.ID); err == nil {
		t.Error("want an error of the writer")
	}
	if err := b.store.Close(); err != nil {
		t.Fatal(err)
	}
	if err := b.Export(t.Context(), &bytes.Buffer{}, mate.ID); err == nil {
		t.Error("want an error of the store")
	}
}

// TestRemoveID checks that an account is removed by its id.
func TestRemoveID(t *testing.T) {
	b := newBench(t)
	mate, cook := b.create("mate@example.org"), b.create("cook@example.org")
	if err := b.RemoveID(t.Context(), mate.ID); err != nil {
		t.Fatal(err)
	}
	if err := b.RemoveID(t.Context(), mate.ID); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the second time: %v, want %v", err, store.ErrNotFound)
	}
	if _, err := b.Account(t.Context(), cook.Email); err != nil {
		t.Errorf("another account: %v", err)
	}
}
