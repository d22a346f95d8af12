package instances

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"leadline/e2e/product"
	"leadline/internal/trials"
	"leadline/store"
	"leadline/store/postgres/postgrestest"
)

// instance is a process of the program that uses a database together with others.
type instance struct {
	name, base, data string
	process          *exec.Cmd
	ended            chan error
	log              *bytes.Buffer // complete once the process has ended
}

// instances starts processes of the program on one database.
type instances struct {
	testing.TB
	database, pepper string
	arguments        []string
	cluster          *postgrestest.Cluster // nil for the one that tests share
}

// newInstances returns instances on a new schema of the database that tests share.
func newInstances(t testing.TB, arguments ...string) *instances {
	t.Helper()
	return newInstancesIn(t, postgrestest.Schema(t), arguments...)
}

// newInstancesOn is newInstances on a cluster of the test.
func newInstancesOn(
	t testing.TB, cluster *postgrestest.Cluster, arguments ...string,
) *instances {
	t.Helper()
	f := newInstancesIn(t, cluster.URL(), arguments...)
	f.cluster = cluster
	return f
}

// patience is the longest time that the settings of an instance accept for the store. The default,
// 250 ms, is too short for a busy machine.
const patience = "5s"

// newInstancesIn is newInstances on a database.
func newInstancesIn(t testing.TB, database string, arguments ...string) *instances {
	t.Helper()
	return &instances{
		TB: t, database: database, pepper: filepath.Join(t.TempDir(), "pepper"),
		arguments: append([]string{"--store-timeout", patience}, arguments...),
	}
}

// line returns the arguments of a command with the settings of an instance.
func (f *instances) line(i *instance, arguments ...string) []string {
	return slices.Concat(arguments, []string{
		"--data", i.data, "--store", f.database, "--pepper-file", f.pepper, "--instance", i.name,
		"--offline",
	}, f.arguments)
}

// start starts an instance and waits until it serves.
func (f *instances) start(name string) *instance {
	f.Helper()
	i := &instance{
		name: name, data: f.TempDir(), ended: make(chan error, 1), log: new(bytes.Buffer),
	}
	port := filepath.Join(i.data, "port")
	i.process = product.Program(f.line(i, "serve", "--listen", "127.0.0.1:0", "--port-file", port,
		"--browser", "off", "--drain-wait", "0s")...)
	i.process.Stderr = i.log
	if err := i.process.Start(); err != nil {
		f.Fatal(err)
	}
	go func() {
		i.ended <- i.process.Wait()
		close(i.ended)
	}()
	f.Cleanup(func() {
		i.stop()
		if f.Failed() {
			f.Logf("log of %s:\n%s", i.name, remarkable(i.log))
		}
	})
	i.base = "http://127.0.0.1:" + product.PortIn(f, port, i.ended)
	return i
}

// remarkable returns the lines of a log that say more than that all is well: the others are so many
// that they hide what a test says.
func remarkable(log *bytes.Buffer) string {
	var lines strings.Builder
	for line := range strings.Lines(log.String()) {
		if !strings.Contains(line, `"level":"INFO"`) {
			lines.WriteString(line)
		}
	}
	return lines.String()
}

// stop ends an instance, if it runs.
func (i *instance) stop() {
	i.process.Process.Signal(os.Interrupt)
	select {
	case <-i.ended:
	case <-time.After(2 * time.Minute):
		i.process.Process.Kill()
		<-i.ended
	}
}

// run runs a command of an instance and returns its output.
func (f *instances) run(i *instance, arguments ...string) (string, error) {
	var out, stderr bytes.Buffer
	err := product.Run(f.Context(), f.line(i, arguments...), func(string) string { return "" },
		product.Streams{In: strings.NewReader(""), Out: &out, Err: &stderr})
	if err != nil {
		err = fmt.Errorf("%w: %s", err, &stderr)
	}
	return strings.TrimSpace(out.String()), err
}

// enabled waits until the only endpoint of an account has responded to its first test, and returns
// its id: until then it gets no other events.
func (f *instances) enabled(i *instance, account string) string {
	f.Helper()
	var list []struct{ ID, State string }
	trials.WaitFor(f, "enabled endpoint", func() bool {
		out, err := f.run(i, "webhooks", "list", account, "--json")
		if err == nil {
			err = json.Unmarshal([]byte(out), &list)
		}
		if err != nil || len(list) != 1 {
			f.Fatalf("%s: %v, want one endpoint", out, err)
		}
		return list[0].State == string(store.EndpointEnabled)
	})
	return list[0].ID
}

// get sends a request to an instance, with a key unless it is "".
func (i *instance) get(t testing.TB, path, key string) (int, http.Header, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", i.base+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if key != "" {
		r.Header.Set("X-Api-Key", key)
	}
	w, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Body.Close()
	body, err := io.ReadAll(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	return w.StatusCode, w.Header, string(body)
}

// submit sends a form to an instance.
func (i *instance) submit(t *testing.T, path string, form url.Values) (int, http.Header, string) {
	w, err := http.PostForm(i.base+path, form)
	if err != nil {
		t.Error(err)
		return 0, nil, ""
	}
	defer w.Body.Close()
	body, err := io.ReadAll(w.Body)
	if err != nil {
		t.Error(err)
	}
	return w.StatusCode, w.Header, string(body)
}

// predictions is a request that computes, without a provider.
const predictions = "/api/v1/stations/8443970/predictions"

// TestInstances checks that two and then three processes on one database are one service: a key of
// one works on the others, a revoked key on none a second later, and a rate limit is over all. An
// instance that is killed takes nothing with it.
func TestInstances(t *testing.T) {
	t.Parallel()
	f := newInstances(t)
	a, b := f.start("a"), f.start("b")
	create := func(email string) string {
		key, err := f.run(a, "keys", "create", "--account", email)
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	key, other := create("mate@example.org"), create("cook@example.org")
	for _, i := range []*instance{a, b} {
		if code, _, body := i.get(t, predictions, key); code != 200 {
			t.Fatalf("%s responds %d: %s", i.name, code, body)
		}
	}
	c := f.start("c")
	if code, _, body := c.get(t, predictions, key); code != 200 {
		t.Fatalf("c responds %d: %s", code, body)
	}
	if code, _, body := c.get(t, "/readyz", ""); code != 200 {
		t.Errorf("/readyz responds %d: %s", code, body)
	}
	f.seen(a, 3)
	f.revoke(c, key, a, b, c)
	f.limit(other, a, b, c)

	b.process.Process.Signal(syscall.SIGKILL)
	for _, i := range []*instance{a, c} {
		if code, _, body := i.get(t, predictions, ""); code != 200 {
			t.Errorf("%s responds %d: %s", i.name, code, body)
		}
	}
	third := create("pilot@example.org")
	if code, _, body := c.get(t, predictions, third); code != 200 {
		t.Errorf("c responds %d: %s", code, body)
	}
	f.seen(a, 2)
}

// seen waits until the status of an instance has a number of live instances.
func (f *instances) seen(i *instance, want int) {
	f.Helper()
	text := "live instances: " + strconv.Itoa(want)
	trials.WaitFor(f, fmt.Sprintf("%q in the status of %s", text, i.name), func() bool {
		_, _, body := i.get(f, "/api/developer/status", "")
		return strings.Contains(body, text)
	})
}

// revoke revokes a key on an instance and waits until no instance accepts it. They learn of it
// within a second, which the log shows: on a busy machine it may take longer.
func (f *instances) revoke(by *instance, key string, all ...*instance) {
	f.Helper()
	if _, err := f.run(by, "keys", "revoke", key); err != nil {
		f.Fatal(err)
	}
	watch := trials.Start()
	for _, i := range all {
		trials.WaitFor(f, "a refusal of the revoked key by "+i.name, func() bool {
			code, _, body := i.get(f, predictions, key)
			if code != 200 && code != 401 {
				f.Errorf("%s responds %d to a revoked key: %s", i.name, code, body)
			}
			return code != 200
		})
		f.Logf("%s refuses the key %v after it was revoked", i.name, watch.Elapsed())
	}
}

// limit sends twice the rate limit of the free plan to all instances at the same time.
func (f *instances) limit(key string, all ...*instance) {
	f.Helper()
	const limit = 300
	var served, refused, other int
	var mu sync.Mutex
	var senders sync.WaitGroup
	watch := trials.Start()
	for n := range 6 {
		senders.Go(func() {
			for k := range 2 * limit / 6 {
				code, h, body := all[(n+k)%len(all)].get(f, predictions, key)
				mu.Lock()
				left, err := strconv.Atoi(h.Get("X-RateLimit-Remaining"))
				switch {
				case err != nil || h.Get("X-RateLimit-Limit") != strconv.Itoa(limit):
					f.Errorf("the headers are %v", h)
				case code == 200:
					served++
				case code == 429:
					refused++
				default:
					other++
					f.Logf("%d: %s", code, body)
				}
				if left > limit {
					f.Errorf("%d requests are left", left)
				}
				mu.Unlock()
			}
		})
	}
	senders.Wait()
	took := watch.Elapsed()
	f.Logf("%d requests served, %d refused, %d others in %v", served, refused, other, took)
	if took > time.Minute {
		f.Skip("the machine is too slow: the requests took longer than the window")
	}
	if served > limit || served < limit*9/10 {
		f.Errorf("%d requests were served in %v, want %d", served, took, limit)
	}
}

// TestInstanceRefusals checks what prevents the start of an instance, and what commands say about a
// database.
func TestInstanceRefusals(t *testing.T) {
	t.Parallel()
	f := newInstances(t)
	a := f.start("a")
	if _, err := f.run(a, "keys", "create", "--account", "mate@example.org"); err != nil {
		t.Fatal(err)
	}
	stranger := &instance{name: "stranger", data: t.TempDir()}
	wrong := *f
	wrong.pepper = filepath.Join(t.TempDir(), "pepper")
	missing := wrong
	text := "1 " + strings.Repeat("ab", 32) + "\n"
	if err := os.WriteFile(wrong.pepper, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	missing.pepper += ".none"
	file := filepath.Join(t.TempDir(), "copy")
	for _, c := range []struct {
		name      string
		fleet     *instances
		arguments []string
		want      string
	}{
		{"another pepper", &wrong, []string{"serve"}, "all instances of a store need the same pepper"},
		{"no pepper", &missing, []string{"serve"}, "copy the file of another instance"},
		{"ACME", f, []string{"serve", "--acme-domain", "tides.example.org"}, "--acme-domain cannot be"},
		{"backup", f, []string{"backup", file}, "use pg_dump"},
		{"restore", f, []string{"restore", file, "--yes"}, "use pg_dump"},
		{"check", f, []string{"check"}, "pg_amcheck"},
	} {
		_, err := c.fleet.run(stranger, append(c.arguments, "--listen", "127.0.0.1:0")...)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	for _, name := range []string{missing.pepper, file} {
		if _, err := os.Stat(name); err == nil {
			t.Errorf("%s was written", name)
		}
	}
	_, err := f.run(a, "serve", "--listen", "127.0.0.1:0")
	if want := "another server is running on the data folder"; err == nil ||
		!strings.Contains(err.Error(), want) {
		t.Errorf("a second server on a data folder: %v, want %q", err, want)
	}
	out, err := f.run(a, "health")
	if err != nil || !strings.Contains(out, "is ready") {
		t.Errorf("health prints %q, %v", out, err)
	}
	var key struct{ Account string }
	list, err := f.run(a, "keys", "list", "--json")
	if err != nil || json.Unmarshal([]byte(list), &[]any{&key}) != nil {
		t.Errorf("keys list prints %q, %v", list, err)
	}
}

// TestFirstAccountOfInstances checks that each instance of an empty store prints a link to the
// first account.
func TestFirstAccountOfInstances(t *testing.T) {
	t.Parallel()
	f := newInstances(t)
	for _, i := range []*instance{f.start("a"), f.start("b")} {
		i.stop()
		if !strings.Contains(i.log.String(), "/oauth/join?") {
			t.Errorf("%s prints no link:\n%s", i.name, i.log)
		}
	}
}

// TestInstancesWithoutDatabase checks what two instances serve while their database is killed:
// callers without a credential everything, accounts what is leased, and all as before once it is
// back.
func TestInstancesWithoutDatabase(t *testing.T) {
	t.Parallel()
	f := newInstancesOn(t, postgrestest.Own(t, postgrestest.Durable()...))
	a, b := f.start("a"), f.start("b")
	key, err := f.run(a, "keys", "create", "--account", "mate@example.org")
	if err != nil {
		t.Fatal(err)
	}
	cold, err := f.run(a, "keys", "create", "--account", "cook@example.org")
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		if code, _, body := a.get(t, predictions, key); code != 200 {
			t.Fatalf("a responds %d: %s", code, body)
		}
	}
	if err := f.cluster.Kill(); err != nil {
		t.Fatal(err)
	}
	for _, i := range []*instance{a, b} {
		for _, path := range []string{predictions, "/readyz", "/livez"} {
			if code, _, body := i.get(t, path, ""); code != 200 {
				t.Errorf("%s of %s responds %d: %s", path, i.name, code, body)
			}
		}
		code, h, body := i.get(t, predictions, cold)
		if code != 503 || h.Get("Retry-After") == "" ||
			!strings.Contains(body, "store_unavailable") {
			t.Errorf("%s responds %d to a key that it does not know: %v %s", i.name, code, h, body)
		}
		code, h, body = i.get(t, "/api/developer/status", "")
		if code != 503 || h.Get("Retry-After") == "" ||
			!strings.Contains(body, "store_unavailable") {
			t.Errorf("the status of %s is %d: %v %s", i.name, code, h, body)
		}
	}
	served := 0
	for code, body := 200, ""; code == 200; served++ {
		if code, _, body = a.get(t, predictions, key); code != 200 && code != 503 {
			t.Errorf("a responds %d: %s", code, body)
		}
	}
	t.Logf("%d requests were served from leases", served-1)
	if served < 3 || served > 60 {
		t.Errorf("%d requests were served from leases", served-1)
	}
	if err := f.cluster.Run(); err != nil {
		t.Fatal(err)
	}
	watch := trials.Start()
	for _, i := range []*instance{a, b} {
		for _, k := range []string{key, cold} {
			trials.WaitFor(t, "a response by "+i.name, func() bool {
				code, _, body := i.get(t, predictions, k)
				if code != 200 && code != 503 {
					t.Fatalf("%s responds %d after the database is back: %s", i.name, code, body)
				}
				return code == 200
			})
		}
	}
	t.Logf("all is served %v after the database was started", watch.Elapsed())
}

// TestInstancesDeliver checks that events that are posted on three instances are delivered, each
// once, whichever instance does it.
func TestInstancesDeliver(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	got := map[string]int{}
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		got[r.Header.Get("Webhook-Id")]++
	}))
	t.Cleanup(receiver.Close)
	f := newInstances(t, "--webhook-private", "127.0.0.0/8")
	all := []*instance{f.start("a"), f.start("b"), f.start("c")}
	do := func(i *instance, arguments ...string) string {
		out, err := f.run(i, arguments...)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	delivered := func(want int) {
		t.Helper()
		trials.WaitFor(t, fmt.Sprintf("%d delivered events", want), func() bool {
			mu.Lock()
			defer mu.Unlock()
			return len(got) >= want
		})
	}
	const account = "--account=mate@example.org"
	do(all[0], "accounts", "add", "mate@example.org")
	do(all[0], "webhooks", "create", receiver.URL, account)
	id := f.enabled(all[1], account)
	delivered(1) // the test that enables it
	for n, i := range all {
		do(i, "webhooks", "test", id, account)
		do(i, "incidents", "create", "--title", fmt.Sprint("Incident ", n), "--message", "A test.")
	}
	delivered(7)
	time.Sleep(3 * time.Second) // others would have looked for deliveries by now
	mu.Lock()
	defer mu.Unlock()
	if len(got) != 7 {
		t.Errorf("%d events were delivered, want 7", len(got))
	}
	for id, n := range got {
		if n != 1 {
			t.Errorf("%s was delivered %d times", id, n)
		}
	}
}

// TestInstancesRefresh sends one refresh token to three instances many times at once. It is
// replaced once: all responses are the same, and what they contain works on every instance.
func TestInstancesRefresh(t *testing.T) {
	t.Parallel()
	f := newInstances(t, "--base-url", product.Stated)
	f.replaceToken(t, 150, f.start("a"), f.start("b"), f.start("c"))
}

// replaceToken connects an app and sends its refresh token to instances many times at once.
func (f *instances) replaceToken(t *testing.T, requests int, all ...*instance) {
	t.Helper()
	link, err := f.run(all[0], "accounts", "invite", "skipper@example.org")
	if err != nil {
		t.Fatal(err)
	}
	v := product.NewVisitor(t, all[0].base)
	_, page, _ := v.Ask(product.JoinLink.FindString(link), nil)
	v.Ask("/oauth/join", v.Form(page, "/oauth/join", "password", "a lead and a long line"))
	client, first := v.Connect("Sounder")
	form := url.Values{
		"grant_type": {"refresh_token"}, "refresh_token": {first.Refresh}, "client_id": {client},
	}
	bodies := make([]string, requests)
	var senders sync.WaitGroup
	var repeated atomic.Int64
	watch := trials.Start()
	for n := range requests {
		senders.Go(func() {
			i, code, header := all[n%len(all)], 503, http.Header{}
			for range 100 { // a busy machine may exceed the time for a statement
				if code, header, bodies[n] = i.submit(t, "/oauth/token", form); code != 503 ||
					header.Get("Retry-After") == "" {
					break
				}
				repeated.Add(1)
			}
			if code != 200 {
				t.Errorf("%s responds %d: %v %s", i.name, code, header, bodies[n])
			}
		})
	}
	senders.Wait()
	t.Logf("%d requests in %v, %d were repeated", requests, watch.Elapsed(), repeated.Load())
	if kinds := slices.Compact(slices.Sorted(slices.Values(bodies))); len(kinds) != 1 {
		t.Fatalf("%d requests got %d different responses, want 1", requests, len(kinds))
	}
	var second product.TokenPair
	product.Decode(t, bodies[0], &second)
	if second.Refresh == first.Refresh {
		t.Error("the token was not replaced")
	}
	for _, i := range all {
		v.Base = i.base
		v.Is("refreshed", "/pro/mcp", second.Access, "connected to the account skipper@example.org")
		form.Set("refresh_token", second.Refresh)
		second = v.Tokens(form)
	}
}

// TestTwoInstances checks with two processes on one database, in a short time, what the long tests
// of instances check with more of them, with load and with faults. The second one is behind a proxy
// that can cut it off.
func TestTwoInstances(t *testing.T) {
	t.Parallel()
	var delivered sync.Map
	var repeated atomic.Int64
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if _, known := delivered.LoadOrStore(r.Header.Get("Webhook-Id"), true); known {
			repeated.Add(1)
		}
	}))
	t.Cleanup(receiver.Close)
	cluster := postgrestest.Shared(t)
	f := newInstancesIn(t, postgrestest.SchemaIn(t, cluster.URL()), "--base-url", product.Stated,
		"--webhook-private", "127.0.0.0/8")
	a := f.start("a")
	proxy := postgrestest.NewProxy(t, cluster.Address())
	behind := *f
	behind.database = through(t, f.database, proxy.Address())
	b := behind.start("b")
	do := func(i *instance, arguments ...string) string {
		t.Helper()
		out, err := f.run(i, arguments...)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	key := do(a, "keys", "create", "--account", "mate@example.org", "--plan", "pro")
	cold := do(b, "keys", "create", "--account", "cook@example.org")
	for _, i := range []*instance{a, b} {
		if code, _, body := i.get(t, predictions, key); code != 200 {
			t.Errorf("%s responds %d to a key of a: %s", i.name, code, body)
		}
	}
	f.seen(b, 2)
	f.replaceToken(t, 12, a, b)

	const account = "--account=mate@example.org"
	do(b, "webhooks", "create", receiver.URL, account)
	f.enabled(a, account)
	do(a, "incidents", "create", "--title", "Incident", "--message", "A test.")
	do(b, "incidents", "create", "--title", "Another", "--message", "A test.")
	trials.WaitFor(t, "three events", func() bool {
		count := 0
		delivered.Range(func(any, any) bool { count++; return true })
		return count == 3
	})

	f.revoke(a, key, a, b)
	proxy.Down()
	if code, _, body := b.get(t, predictions, ""); code != 200 {
		t.Errorf("without the database b responds %d: %s", code, body)
	}
	if code, h, body := b.get(t, predictions, cold); code != 503 || h.Get("Retry-After") == "" ||
		!strings.Contains(body, "store_unavailable") {
		t.Errorf("without the database b responds %d to a key that it does not know: %s", code, body)
	}
	proxy.Up()
	trials.WaitFor(t, "a response by b", func() bool {
		code, _, _ := b.get(t, predictions, cold)
		return code == 200
	})
	if n := repeated.Load(); n > 0 {
		t.Errorf("%d deliveries were repeated", n)
	}

	wrong := *f
	wrong.pepper = filepath.Join(t.TempDir(), "pepper")
	text := "1 " + strings.Repeat("ab", 32) + "\n"
	if err := os.WriteFile(wrong.pepper, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	stranger := &instance{name: "stranger", data: t.TempDir()}
	_, err := wrong.run(stranger, "serve", "--listen", "127.0.0.1:0")
	if err == nil || !strings.Contains(err.Error(), "all instances of a store need the same pepper") {
		t.Errorf("another pepper: %v", err)
	}
	for _, i := range []*instance{a, b} {
		i.stop()
		if !strings.Contains(i.log.String(), "/oauth/join?") {
			t.Errorf("%s prints no link to the first account:\n%s", i.name, i.log)
		}
	}
}

// through returns the address of a database with another address of its server.
func through(t *testing.T, database, address string) string {
	t.Helper()
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	query.Del("host")
	query.Del("port")
	u.Host, u.RawQuery = address, query.Encode()
	return u.String()
}
