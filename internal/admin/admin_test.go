package admin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"leadline/internal/access"
	"leadline/internal/access/credential"
	"leadline/internal/accounts"
	"leadline/internal/coast"
	"leadline/internal/events/sender"
	"leadline/internal/events/signature"
	"leadline/internal/events/watches"
	"leadline/internal/overlay"
	"leadline/internal/status"
	"leadline/store"
	"leadline/store/bolt"
)

// bench is a handler over a store in a folder.
type bench struct {
	http.Handler
	*testing.T
	folder  string
	store   *bolt.Store
	sealer  *signature.Sealer
	sender  *sender.Sender
	watches *watches.Service
	log     *journal
}

// journal is a log that can be read while it is written.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(b)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// noon is the time on the clock of every bench.
var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// newBench returns a bench whose stations are refreshed by a function, which may be nil.
func newBench(
	t *testing.T, refresh func(context.Context, []string) (overlay.Report, error),
) *bench {
	t.Helper()
	b := &bench{T: t, folder: t.TempDir(), log: new(journal)}
	var err error
	b.store, err = bolt.Open(filepath.Join(b.folder, "leadline.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.store.Close() })
	now := func() time.Time { return noon }
	webhooks, watches := b.newEvents(now)
	b.Handler = New(Config{
		Webhooks: webhooks, Watches: watches,
		Accounts: accounts.New(accounts.Config{
			Store: b.store, Keys: credential.NewKeys(b.store, credential.Pepper{1}, now),
			Plans:  access.BuiltIn(),
			Signup: accounts.Invite, Now: now, Months: b.store.Months,
			Base: func() (string, error) { return "https://tides.example.org", nil },
		}),
		Notices: &status.Notices{Store: b.store, Now: now}, Store: b.store, Now: now,
		Log:     slog.New(slog.NewTextHandler(b.log, nil)),
		Health:  func(context.Context) Health { return Health{Version: "1", Status: status.Operational} },
		Refresh: refresh,
	})
	return b
}

// local returns a client of the handler in this process.
func (b *bench) local() *Client { return Local(b, b.store.Close) }

// serve serves the bench on its folder until the test ends, or stop is called.
func (b *bench) serve() (stop func()) {
	b.Helper()
	return serve(b.T, b.folder, b.Handler)
}

func serve(t *testing.T, folder string, h http.Handler) (stop func()) {
	t.Helper()
	l, err := Listen(folder)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, l, h, slog.New(slog.DiscardHandler)) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	t.Cleanup(stop)
	return stop
}

// dial returns a client of the server on a folder.
func dial(t *testing.T, folder string) *Client {
	t.Helper()
	c, err := Dial(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// both calls f with a client of the handler in this process, and then with a client of a
// server.
func both(t *testing.T, f func(t *testing.T, b *bench, c *Client)) {
	t.Run("local", func(t *testing.T) {
		b := newBench(t, nil)
		f(t, b, b.local())
	})
	t.Run("socket", func(t *testing.T) {
		b := newBench(t, nil)
		b.serve()
		f(t, b, dial(t, b.folder))
	})
}

// TestAccounts tests every route for accounts with one account.
func TestAccounts(t *testing.T) {
	both(t, func(t *testing.T, _ *bench, c *Client) {
		ctx := t.Context()
		made, err := c.CreateAccount(ctx, NewAccount{Email: "Mate+1/2@example.org"})
		want := Account{ID: made.ID, Email: "mate+1/2@example.org", Plan: "free", CreatedAt: noon}
		if err != nil || made != want || made.ID == "" {
			t.Errorf("CreateAccount = %+v, %v, want %+v", made, err, want)
		}
		change, err := c.SetPlan(ctx, made.Email, "pro")
		moved := PlanChange{Email: made.Email, From: "free", To: "pro"}
		if err != nil || change != moved {
			t.Errorf("SetPlan = %+v, %v, want %+v", change, err, moved)
		}
		want.Plan = "pro"
		if list, err := c.Accounts(ctx); err != nil || len(list) != 1 || list[0] != want {
			t.Errorf("Accounts = %+v, %v, want %+v", list, err, want)
		}
		reset, err := c.ResetPassword(ctx, made.Email)
		if err != nil || !strings.HasPrefix(reset.URL, "https://tides.example.org/oauth/password?") ||
			reset.Email != made.Email || !reset.ExpiresAt.Equal(noon.Add(LinkLife)) {
			t.Errorf("ResetPassword = %+v, %v", reset, err)
		}
		invited, err := c.Invite(ctx, NewAccount{Email: "cook@example.org", Plan: "pro"})
		if err != nil || !strings.HasPrefix(invited.URL, "https://tides.example.org/oauth/join?") ||
			invited.Plan != "pro" {
			t.Errorf("Invite = %+v, %v", invited, err)
		}
		if gone, err := c.RemoveAccount(ctx, made.Email); err != nil || gone.ID != made.ID {
			t.Errorf("RemoveAccount = %+v, %v, want %+v", gone, err, made)
		}
		if list, err := c.Accounts(ctx); err != nil || list == nil || len(list) != 0 {
			t.Errorf("Accounts = %+v, %v, want an empty list", list, err)
		}
	})
}

// TestKeys tests every route for keys. The log must not contain the keys.
func TestKeys(t *testing.T) {
	both(t, func(t *testing.T, b *bench, c *Client) {
		ctx := t.Context()
		first, err := c.CreateKey(ctx, NewKey{
			Email: "mate@example.org", Name: "bridge", Scopes: DefaultScopes(), Expires: "720h",
		})
		if err != nil || !first.NewAccount || first.PlanBefore != "" || first.Key.Plan != "free" ||
			first.Key.State != credential.Active || !first.Key.ExpiresAt.Equal(noon.Add(720*time.Hour)) {
			t.Fatalf("CreateKey = %+v, %v", first, err)
		}
		second, err := c.CreateKey(ctx, NewKey{
			Email: "mate@example.org", Plan: "pro", Scopes: []string{credential.RawRead},
		})
		if err != nil || second.NewAccount || second.PlanBefore != "free" || second.Key.Plan != "pro" ||
			second.Key.ExpiresAt != nil {
			t.Fatalf("CreateKey = %+v, %v", second, err)
		}
		r, err := c.ReplaceKey(ctx, first.Key.ID, "1h")
		if err != nil || r.Key.Replaces != first.Key.ID || r.Old.ID != first.Key.ID ||
			!r.Old.ExpiresAt.Equal(noon.Add(time.Hour)) || r.Secret == first.Secret {
			t.Errorf("ReplaceKey = %+v, %v", r, err)
		}
		for _, before := range []bool{false, true} {
			k, err := c.RevokeKey(ctx, second.Secret)
			if err != nil || k.Before != before || k.Key.State != credential.Revoked ||
				!k.Key.RevokedAt.Equal(noon) {
				t.Errorf("RevokeKey = %+v, %v, want one revoked before: %v", k, err, before)
			}
		}
		for email, want := range map[string]int{"": 3, "mate@example.org": 3} {
			if list, err := c.Keys(ctx, email); err != nil || len(list) != want {
				t.Errorf("Keys(%q) = %+v, %v, want %d", email, list, err, want)
			}
		}
		log := b.log.String()
		for _, secret := range []string{first.Secret, second.Secret, r.Secret, first.Key.ID, "mate"} {
			if strings.Contains(log, secret) {
				t.Errorf("the log has %q:\n%s", secret, log)
			}
		}
		line := regexp.MustCompile(`(?m) msg=command route="POST /keys.*" ok=true ms=0$`)
		if n, posts := strings.Count(log, "msg=command route="), line.FindAllString(log, -1); n != 7 ||
			len(posts) != 5 {
			t.Errorf("the log has %d requests, %d of them POST, want 7 and 5:\n%s", n, len(posts), log)
		}
	})
}

// TestNotices tests every route for notices with notices of both kinds.
func TestNotices(t *testing.T) {
	both(t, func(t *testing.T, _ *bench, c *Client) {
		ctx := t.Context()
		for kind, status := range map[Kind]string{Incidents: "resolved", Maintenance: "cancelled"} {
			draft := NoticeDraft{Title: "Title", Message: "Message."}
			if kind == Maintenance {
				draft.From, draft.Until = noon.Add(time.Hour), noon.Add(2*time.Hour)
			}
			made, err := c.CreateNotice(ctx, kind, draft)
			if err != nil || made.Title != "Title" || made.ID == "" {
				t.Fatalf("CreateNotice(%s) = %+v, %v", kind, made, err)
			}
			changed, err := c.UpdateNotice(ctx, kind, made.ID[:6], NoticeDraft{Status: status})
			if err != nil || changed.ID != made.ID || string(changed.Status) != status {
				t.Errorf("UpdateNotice(%s) = %+v, %v, want it %s", kind, changed, err, status)
			}
			report, err := c.Notice(ctx, kind, made.ID[:6])
			if err != nil || report.ID != changed.ID || len(report.Updates) != 2 ||
				string(report.Updates[0].Status) != status || report.Updates[1].Message != "Message." {
				t.Errorf("Notice(%s) = %+v, %v, want %+v with 2 updates", kind, report, err, changed)
			}
			for _, all := range []bool{false, true} {
				list, err := c.Notices(ctx, kind, all)
				if err != nil || len(list) != 1 || list[0].ID != made.ID {
					t.Errorf("Notices(%s, %v) = %+v, %v, want %+v", kind, all, list, err, changed)
				}
			}
		}
	})
}

// TestNoticesAll checks that a notice that ended long ago is in the list of all notices.
func TestNoticesAll(t *testing.T) {
	both(t, func(t *testing.T, b *bench, c *Client) {
		err := b.store.PutIncident(t.Context(), store.Incident{
			ID: "old", Title: "Old", Status: "resolved", From: noon.AddDate(-1, 0, 0),
			Until: noon.AddDate(0, -1, 0),
		})
		if err != nil {
			t.Fatal(err)
		}
		for all, want := range map[bool]int{false: 0, true: 1} {
			list, err := c.Notices(t.Context(), Incidents, all)
			if err != nil || list == nil || len(list) != want {
				t.Errorf("Notices(%v) = %+v, %v, want %d", all, list, err, want)
			}
		}
	})
}

// TestBackup checks that a backup can be opened as a store, and that it does not overwrite a
// file.
func TestBackup(t *testing.T) {
	both(t, func(t *testing.T, _ *bench, c *Client) {
		ctx := t.Context()
		if _, err := c.CreateAccount(ctx, NewAccount{Email: "mate@example.org"}); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "copy")
		t.Chdir(filepath.Dir(file))
		got, err := c.Backup(ctx, "copy")
		if err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(file); err != nil || got != (Backup{file, info.Size()}) {
			t.Errorf("Backup = %+v, %v, want all of %s", got, err, file)
		}
		_, err = c.Backup(ctx, "copy")
		if err == nil || !strings.Contains(err.Error(), "does not overwrite files") {
			t.Errorf("a second backup: %v", err)
		}
		report, err := c.Check(ctx)
		if err != nil || report.Accounts != 1 {
			t.Errorf("Check = %+v, %v, want 1 account", report, err)
		}
		if report, err := bolt.Verify(file); err != nil || report.Accounts != 1 {
			t.Errorf("the backup holds %+v, %v, want 1 account", report, err)
		}
	})
}

// TestFileMoved checks the errors of a store whose file was moved away, including those of the
// integrity check. They must name the file, the cause and the remedy, and must be in the log. A
// backup must still work.
func TestFileMoved(t *testing.T) {
	both(t, func(t *testing.T, b *bench, c *Client) {
		ctx := t.Context()
		file := filepath.Join(b.folder, "leadline.db")
		if err := os.Rename(file, file+".away"); err != nil {
			t.Fatal(err)
		}
		_, create := c.CreateKey(ctx, NewKey{Email: "mate@example.org", Scopes: DefaultScopes()})
		_, add := c.CreateAccount(ctx, NewAccount{Email: "mate@example.org"})
		_, check := c.Check(ctx)
		for op, err := range map[string]error{"write": create, "write ": add, "check": check} {
			want := strings.TrimSpace(op) + " the store " + file + ": the file was removed: " +
				"its path names another file or none; put the file back and restart the server"
			var e *coast.Error
			if !errors.As(err, &e) || e.Code != coast.StoreUnavailable || e.Message != want {
				t.Errorf("%s: got %v, want %s", op, err, want)
			}
			if !strings.Contains(b.log.String(), want) {
				t.Errorf("the log does not have %q:\n%s", want, b.log)
			}
		}
		if _, err := c.Backup(ctx, file+".rescue"); err != nil {
			t.Errorf("Backup = %v, want a copy of the file that is open", err)
		}
	})
}

// TestRemedy checks the advice to the operator after each failure of the file.
func TestRemedy(t *testing.T) {
	const name = "/data/leadline.db"
	for want, cause := range map[string]error{
		"no space left on device; free space on its disk": syscall.ENOSPC,
		"read-only file system; make it writable":         syscall.EROFS,
		"permission denied; make it writable":             syscall.EACCES,
		"input/output error; leadline check examines it":  syscall.EIO,
	} {
		err := fmt.Errorf("%w: %w", store.ErrUnavailable,
			&fs.PathError{Op: "write the store", Path: name, Err: cause})
		want = "write the store " + name + ": " + want
		if got := forOperator(err).Error(); !strings.HasPrefix(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestStoreFailure checks that no route has an internal error while the store is closed.
func TestStoreFailure(t *testing.T) {
	both(t, func(t *testing.T, b *bench, c *Client) {
		ctx, only := t.Context(), func(_ any, err error) error { return err }
		hand := NewAccount{Email: "hand@example.org"}
		account(t, c)
		if err := b.store.Close(); err != nil {
			t.Fatal(err)
		}
		for name, err := range map[string]error{
			"accounts": only(c.Accounts(ctx)), "create": only(c.CreateAccount(ctx, hand)),
			"plan": only(c.SetPlan(ctx, mate, "free")), "remove": only(c.RemoveAccount(ctx, mate)),
			"keys": only(c.Keys(ctx, mate)), "revoke": only(c.RevokeKey(ctx, "7LqQBDD")),
			"invite":   only(c.Invite(ctx, hand)),
			"reset":    only(c.ResetPassword(ctx, mate)),
			"notices":  only(c.Notices(ctx, Incidents, true)),
			"webhooks": only(c.Webhooks(ctx, mate)), "watches": only(c.Watches(ctx, mate)),
			"events": only(c.Events(ctx, mate, EventQuery{Limit: 1})), "check": only(c.Check(ctx)),
		} {
			if e, _ := coast.AsError(err); err == nil || e.Code != coast.StoreUnavailable ||
				!strings.Contains(e.Message, "unavailable") {
				t.Errorf("%s: got %v, want %s", name, err, coast.StoreUnavailable)
			}
		}
	})
}

// TestRefresh checks that a refresh gets its stations, and returns its report or its error.
func TestRefresh(t *testing.T) {
	for _, fault := range []error{nil, errors.New("no station could be renewed")} {
		b := newBench(t, func(_ context.Context, ids []string) (overlay.Report, error) {
			lone := coast.Errorf(coast.ProviderUnavailable, "NOAA is down")
			failed := []error{errors.New(ids[0] + ": no such station"), fmt.Errorf("%s: %w", ids[1], lone)}
			return overlay.Report{Stations: 5, Renewed: 3, Failed: failed}, fault
		})
		got, err := b.local().RefreshStations(t.Context(), []string{"1234567", "8447930"})
		failed := []string{"1234567: no such station", "NOAA is down"}
		if fault == nil && (err != nil || got.Stations != 5 || got.Renewed != 3 ||
			!slices.Equal(got.Failed, failed)) {
			t.Errorf("RefreshStations = %+v, %v, want 3 of 5 and %q", got, err, failed)
		}
		if fault != nil && (err == nil || err.Error() != fault.Error()) {
			t.Errorf("RefreshStations: %v, want %v", err, fault)
		}
	}
}

// TestErrors checks that errors arrive with their code and text.
func TestErrors(t *testing.T) {
	both(t, func(t *testing.T, _ *bench, c *Client) {
		ctx := t.Context()
		_, unknown := c.SetPlan(ctx, "mate@example.org", "pro")
		_, expiry := c.CreateKey(ctx, NewKey{Email: "mate@example.org", Expires: "soon"})
		_, grace := c.ReplaceKey(ctx, "1234567", "2h")
		_, title := c.CreateNotice(ctx, Incidents, NoticeDraft{Message: "x"})
		for _, test := range []struct {
			err  error
			code coast.Code
			says string
		}{
			{unknown, coast.NotFound, "no account mate@example.org"},
			{expiry, coast.InvalidRequest, `invalid expiry "soon"`},
			{grace, coast.InvalidRequest, `invalid grace "2h": must be 0, 1h, 24h or 7d`},
			{title, coast.InvalidRequest, "title must have 1 to 120 characters"},
		} {
			var e *coast.Error
			if !errors.As(test.err, &e) || e.Code != test.code || !strings.Contains(e.Message, test.says) {
				t.Errorf("got %v, want %s with %q", test.err, test.code, test.says)
			}
		}
	})
}

// TestOtherVersion checks that a server that does not know a request explains the likely
// reason.
func TestOtherVersion(t *testing.T) {
	both(t, func(t *testing.T, _ *bench, c *Client) {
		for path, body := range map[string]any{
			"/keys/frobnicate": nil, "/keys": map[string]bool{"new": true},
		} {
			_, err := call[none](t.Context(), c, http.MethodPost, path, body)
			if err == nil || !strings.Contains(err.Error(), "version may differ from that of the command") {
				t.Errorf("%s %v: %v", path, body, err)
			}
		}
	})
}

// waiting returns a bench whose refresh blocks until its context ends.
func waiting(t *testing.T) (b *bench, began chan bool, ended chan error) {
	t.Helper()
	began, ended = make(chan bool, 1), make(chan error, 1)
	return newBench(t, func(ctx context.Context, _ []string) (overlay.Report, error) {
		began <- true
		<-ctx.Done()
		ended <- ctx.Err()
		return overlay.Report{}, ctx.Err()
	}), began, ended
}

// TestClientGoes checks that a request is stopped when its client disconnects, and that the
// client's error explains the possible effect.
func TestClientGoes(t *testing.T) {
	for _, local := range []bool{false, true} {
		b, began, ended := waiting(t)
		b.serve()
		c := dial(t, b.folder)
		if local {
			c = b.local()
		}
		ctx, leave := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			_, err := c.RefreshStations(ctx, nil)
			done <- err
		}()
		<-began
		leave()
		err := <-done
		if !errors.Is(err, context.Canceled) ||
			!strings.Contains(err.Error(), "interrupted, and the command may or may not have taken effect") {
			t.Errorf("local %v: %v", local, err)
		}
		<-ended
	}
}

// TestServerEnds checks that a server that shuts down stops a running request and reports it.
func TestServerEnds(t *testing.T) {
	b, began, ended := waiting(t)
	stop := b.serve()
	c := dial(t, b.folder)
	done := make(chan error, 1)
	go func() {
		_, err := c.RefreshStations(t.Context(), nil)
		done <- err
	}()
	<-began
	stop()
	if err := <-done; err == nil || err.Error() != errEnding.Error() {
		t.Errorf("got %v, want %v", err, errEnding)
	}
	<-ended
	if _, err := Dial(t.Context(), b.folder); !errors.Is(err, ErrNoServer) ||
		!errors.Is(err, os.ErrNotExist) {
		t.Errorf("Dial after the end: %v", err)
	}
}

// TestBrokenConnection checks that a missing or incomplete result is an error.
func TestBrokenConnection(t *testing.T) {
	folder := t.TempDir()
	serve(t, folder, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/health" {
			io.WriteString(w, "{}")
			return
		}
		io.WriteString(w, `{"url": "https://`)
		panic(http.ErrAbortHandler) // closes the connection
	}))
	c := dial(t, folder)
	_, err := c.Invite(t.Context(), NewAccount{})
	if err == nil || !strings.Contains(err.Error(), "may or may not have taken effect") {
		t.Errorf("a change whose result breaks off: %v", err)
	}
	_, err = c.Accounts(t.Context())
	if err == nil || strings.Contains(err.Error(), "taken effect") {
		t.Errorf("a list that breaks off: %v", err)
	}

	mute, err := net.Listen("unix", filepath.Join(t.TempDir(), socketFile))
	if err != nil {
		t.Fatal(err)
	}
	defer mute.Close()
	go func() {
		for conn, err := mute.Accept(); err == nil; conn, err = mute.Accept() {
			conn.Close()
		}
	}()
	_, err = Dial(t.Context(), filepath.Dir(mute.Addr().String()))
	if err == nil || errors.Is(err, ErrNoServer) ||
		!strings.Contains(err.Error(), "does not respond") {
		t.Errorf("Dial of a server that says nothing: %v", err)
	}
}

// TestConnect checks where requests are sent.
func TestConnect(t *testing.T) {
	b := newBench(t, nil)
	var opened, closed int
	open := func(context.Context) (http.Handler, func() error, error) {
		opened++
		return b, func() error { closed++; return nil }, nil
	}
	c, err := Connect(t.Context(), b.folder, open)
	if err != nil || !c.Local() {
		t.Fatalf("Connect without a server: %v", err)
	}
	if _, err := c.Accounts(t.Context()); err != nil {
		t.Error(err)
	}
	if c.Close(); opened != 1 || closed != 1 {
		t.Errorf("opened %d and closed %d times, want 1 and 1", opened, closed)
	}
	for _, fault := range []error{errors.New("no pepper"), store.ErrInUse} {
		tries := 0
		failing := func(context.Context) (http.Handler, func() error, error) {
			tries++
			return nil, nil, fault
		}
		_, err := Connect(t.Context(), b.folder, failing)
		inUse := fault == store.ErrInUse
		if err == nil || inUse != (tries == 2) ||
			inUse != strings.Contains(err.Error(), b.folder+" open and does not respond") {
			t.Errorf("Connect with %v, after %d tries: %v", fault, tries, err)
		}
	}
	starting := func(ctx context.Context) (http.Handler, func() error, error) { // has the store
		b.serve()
		return nil, nil, store.ErrInUse
	}
	c, err = Connect(t.Context(), b.folder, starting)
	if err != nil || c.Local() {
		t.Fatalf("Connect to a server that starts: %v", err)
	}
	c.Close()
	c, err = Connect(t.Context(), b.folder, open)
	if err != nil || c.Local() || opened != 1 {
		t.Fatalf("Connect to a server: %v", err)
	}
	c.Close()
}

// TestSocketIsPrivate checks that nobody else may write to the socket, even in a folder that is
// open to all, and that anything at the socket's path is replaced.
func TestSocketIsPrivate(t *testing.T) {
	folder := t.TempDir()
	if err := os.Chmod(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(folder, ".s"), 0o777); err != nil { // left by a killed server
		t.Fatal(err)
	}
	name := filepath.Join(folder, socketFile)
	for range 2 { // the second server finds what the first one left
		l, err := Listen(folder)
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Lstat(name)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the socket is %v, want 0600; %v", info.Mode(), err)
		}
		l.(*listener).Listener.Close() // as a kill does, without removing it
	}
	left, err := os.ReadDir(folder)
	if err != nil || len(left) != 1 {
		t.Errorf("the folder holds %v, want the socket alone; %v", left, err)
	}
	l, err := Listen(folder)
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	if _, err := os.Lstat(name); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after Close the socket is there: %v", err)
	}
}

// TestLongName checks the error for a folder whose name is too long for a socket.
func TestLongName(t *testing.T) {
	folder := filepath.Join(t.TempDir(), strings.Repeat("deep/", 20))
	_, listening := Listen(folder)
	_, dialing := Dial(t.Context(), folder)
	for _, err := range []error{listening, dialing} {
		if err == nil || !strings.Contains(err.Error(), "more than the limit of 103: use a shorter") {
			t.Errorf("got %v", err)
		}
	}
	if !errors.Is(dialing, ErrNoServer) {
		t.Errorf("Dial: %v, want %v", dialing, ErrNoServer)
	}
}

// TestNoCapabilities checks the errors if the engine does not support backups or checks: they
// must name an alternative.
func TestNoCapabilities(t *testing.T) {
	b := newBench(t, nil)
	plain := struct{ store.Store }{b.store}
	now := func() time.Time { return noon }
	h := New(Config{
		Accounts: accounts.New(accounts.Config{Store: plain, Now: now}), Store: plain, Now: now,
		Notices: &status.Notices{Store: plain, Now: now},
		Log:     slog.New(slog.DiscardHandler),
	})
	c := Local(h, b.store.Close)
	_, backup := c.Backup(t.Context(), "/backup")
	_, check := c.Check(t.Context())
	for name, err := range map[string]error{"Backup": backup, "Check": check} {
		if err == nil || !strings.Contains(err.Error(), "the store is a PostgreSQL database") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
