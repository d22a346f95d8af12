package instances

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"leadline/e2e/product"
	"leadline/internal/access/outage"
	"leadline/internal/admin"
	"leadline/internal/trials"
	"leadline/store"
	"leadline/store/postgres"
	"leadline/store/postgres/postgrestest"
)

// span is a time. It has not ended if to is zero.
type span struct{ from, to time.Time }

// payer is an account of the fleet with what its clients have counted.
type payer struct {
	email, key           string
	perMinute            int
	lease, perMonth      uint64 // lease is the size of a full one
	mu                   sync.Mutex
	served               []span // requests with a result
	refused, unavailable int
	undue                int // unavailable without a fault of the database
}

// fleet is three instances, each with a proxy in front of the database, with a load and faults.
type fleet struct {
	*instances
	proxies []*postgrestest.Proxy
	client  *http.Client
	payers  []*payer
	app     *app
	cold    []string // keys that no instance knows
	stop    chan struct{}
	halt    func() // ends the load
	running sync.WaitGroup
	affine  atomic.Bool // an account uses one instance
	day     string      // of watches
	kills   int         // of instances

	mu      sync.Mutex
	members []*instance // nil: killed and not started yet
	gone    map[*instance]bool
	faults  []span              // in which the database could not be reached
	made    map[string][]string // ids of what was created, by kind
	slowest time.Duration       // that a revoked key worked
	revoked int
}

// fleetPlans are the plans of the fleet, whose months grow with the length of the test: one for
// each limit that is to be reached, and one that is not.
const fleetPlans = `{
	"anonymous": {"perMinute": 65535},
	"minute": {"perMinute": 90, "perMonth": %[1]d00000},
	"month": {"perMinute": 65535, "perMonth": %[1]d00},
	"team": {"perMinute": 65535, "perMonth": %[1]d00000, "features": ["decision_api"],
		"endpoints": 1000, "watches": 1000}
}`

func newFleet(t *testing.T) *fleet {
	t.Helper()
	plans := filepath.Join(t.TempDir(), "plans.json")
	rounds := trials.Rounds()
	if err := os.WriteFile(plans, fmt.Appendf(nil, fleetPlans, rounds), 0o600); err != nil {
		t.Fatal(err)
	}
	_, root := product.SimulateForCommands(t)
	f := &fleet{
		instances: newInstancesOn(t, postgrestest.Own(t, postgrestest.Durable()...), "--plans", plans,
			"--base-url", product.Stated, "--webhook-private", "127.0.0.0/8", "--offline=false",
			"--contact", product.Contact, "--coops-url", root, "--nws-url", root,
			"--store-timeout", outage.Timeout.String()),
		client: &http.Client{
			Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 32},
		},
		stop: make(chan struct{}), gone: map[*instance]bool{}, made: map[string][]string{},
		members: make([]*instance, 3),
	}
	for range f.members {
		f.proxies = append(f.proxies, postgrestest.NewProxy(t, f.cluster.Address()))
	}
	f.halt = sync.OnceFunc(func() {
		close(f.stop)
		f.running.Wait()
	})
	for n := range f.members {
		f.join(n, string(rune('a'+n)))
	}
	thousands := uint64(rounds) * 100_000
	for n := range 2 {
		f.payers = append(f.payers,
			f.payer(fmt.Sprintf("minute%d", n), "minute", 90, thousands),
			f.payer(fmt.Sprintf("month%d", n), "month", 65535, uint64(rounds)*100),
			f.payer(fmt.Sprintf("team%d", n), "team", 65535, thousands))
	}
	for n := range 6 * rounds {
		f.cold = append(f.cold, f.payer(fmt.Sprintf("cold%d", n), "team", 0, thousands).key)
	}
	f.app = f.connect(t)
	f.day = f.dayAfter(3)
	t.Cleanup(f.halt)
	return f
}

// dayAfter returns the date some days ahead by the clock of the instances.
func (f *fleet) dayAfter(days int) string {
	f.Helper()
	_, header, _ := f.members[0].get(f, "/livez", "")
	now, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		f.Fatal(err)
	}
	return now.AddDate(0, 0, days).Format(time.DateOnly)
}

// join starts an instance.
func (f *fleet) join(n int, name string) {
	f.Helper()
	f.database = "postgres://leadline@" + f.proxies[n].Address() + "/postgres?sslmode=disable"
	i := f.start(name)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.members[n] = i
}

// payer creates an account with a key.
func (f *fleet) payer(name, plan string, perMinute int, perMonth uint64) *payer {
	f.Helper()
	p := &payer{
		email: name + "@example.org", perMinute: perMinute, perMonth: perMonth,
		lease: min(max(perMonth/200, 16), 256),
	}
	made, err := f.createKey(f.members[0], p.email, plan)
	if err != nil {
		f.Fatal(err)
	}
	p.key = made.Secret
	return p
}

// createKey creates a key, and its account if there is none.
func (f *fleet) createKey(i *instance, email, plan string) (admin.CreatedKey, error) {
	return administer(f, i, func(ctx context.Context, c *admin.Client) (admin.CreatedKey, error) {
		return c.CreateKey(ctx, admin.NewKey{
			Email: email, Plan: plan, Scopes: admin.Scopes(), Expires: "720h",
		})
	})
}

// administer sends an administrative request to an instance.
func administer[T any](
	f *fleet, i *instance, do func(context.Context, *admin.Client) (T, error),
) (result T, err error) {
	ctx, cancel := context.WithTimeout(f.Context(), time.Minute)
	defer cancel()
	c, err := admin.Dial(ctx, i.data)
	if err != nil {
		return result, err
	}
	defer c.Close()
	return do(ctx, c)
}

// member returns an instance that runs: that with the number n, the next one, or nil.
func (f *fleet) member(n int) *instance {
	f.mu.Lock()
	defer f.mu.Unlock()
	for k := range f.members {
		if i := f.members[(n+k)%len(f.members)]; i != nil {
			return i
		}
	}
	return nil
}

// ask sends a request to an instance. The status is 0 if the instance was killed meanwhile.
func (f *fleet) ask(i *instance, method, path, key, body string) (int, http.Header, string) {
	r, err := http.NewRequest(method, i.base+path, strings.NewReader(body))
	if err != nil {
		f.Error(err)
		return 0, nil, ""
	}
	r.Header.Set("X-Api-Key", key)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return f.send(i, r)
}

// send sends a request to an instance and returns what ask does.
func (f *fleet) send(i *instance, r *http.Request) (int, http.Header, string) {
	w, err := f.client.Do(r)
	var text []byte
	if err == nil {
		text, err = io.ReadAll(w.Body)
		w.Body.Close()
	}
	if err != nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		if !f.gone[i] {
			f.Errorf("%s does not respond: %v", i.name, err)
		}
		return 0, nil, ""
	}
	if w.StatusCode >= 500 && (w.StatusCode != 503 || w.Header.Get("Retry-After") == "") {
		f.Errorf("%s responds %d, Retry-After %q: %s", i.name, w.StatusCode,
			w.Header.Get("Retry-After"), text)
	}
	return w.StatusCode, w.Header, string(text)
}

// until runs a function again and again until the load ends.
func (f *fleet) until(pause time.Duration, do func(n int)) {
	f.running.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-f.stop:
				return
			case <-time.After(pause):
				do(n)
			}
		}
	})
}

// load starts the clients, two of each account, and those that create things.
func (f *fleet) load() {
	for n, p := range slices.Concat(f.payers, f.payers) {
		f.until(40*time.Millisecond, func(int) {
			at := n
			if !f.affine.Load() {
				at = rand.IntN(len(f.members))
			}
			f.request(p, f.member(at))
		})
	}
	f.until(100*time.Millisecond, f.create)
	f.until(100*time.Millisecond, func(int) { f.refresh() })
}

// request sends a request of a client and counts it.
func (f *fleet) request(p *payer, i *instance) {
	began := product.Now()
	code, _, body := f.ask(i, "GET", predictions, p.key, "")
	p.mu.Lock()
	defer p.mu.Unlock()
	switch code {
	case 200:
		p.served = append(p.served, span{began, product.Now()})
	case 429:
		p.refused++
	case 503:
		p.unavailable++
		if !f.faulty(began, product.Now()) {
			if p.undue++; p.undue == 1 {
				f.Logf("%s responds 503 without a fault after %v: %s", i.name, product.Now().Sub(began),
					body)
			}
		}
	case 0:
	default:
		f.Errorf("%s responds %d to %s: %s", i.name, code, p.email, body)
	}
}

// creator is the account that has webhook endpoints and watches, whose evaluations cost units that
// no client counts.
func (f *fleet) creator() *payer { return f.payers[2] }

// create creates something on an instance and remembers it if the instance says that it succeeded.
func (f *fleet) create(n int) {
	i, p := f.member(rand.IntN(len(f.members))), f.creator()
	made := func(kind, id string) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.made[kind] = append(f.made[kind], id)
	}
	few := n < 400 // each incident is an event for each endpoint
	switch {
	case n%10 == 3 && few:
		body := `{"url": "http://127.0.0.1:9/hook"}`
		code, _, text := f.ask(i, "POST", "/api/developer/webhooks", p.key, body)
		var r struct{ Endpoint struct{ ID string } }
		if code == 200 && json.Unmarshal([]byte(text), &r) == nil {
			made("endpoint", r.Endpoint.ID)
		}
	case n%10 == 6 && few:
		body := fmt.Sprintf(`{"stationId": "8443970", "activity": "boating", "localDate": %q,
			"localTime": "09:00"}`, f.day)
		code, _, text := f.ask(i, "POST", "/api/developer/watches", p.key, body)
		var r struct{ Watch struct{ ID string } }
		if code == 200 && json.Unmarshal([]byte(text), &r) == nil {
			made("watch", r.Watch.ID)
		}
	case n%10 == 9 && few:
		draft := admin.NoticeDraft{Title: fmt.Sprint("Incident ", n), Message: "A test."}
		r, err := administer(f, i, func(ctx context.Context, c *admin.Client) (admin.Notice, error) {
			return c.CreateNotice(ctx, admin.Incidents, draft)
		})
		if err == nil {
			made("incident", r.ID)
		}
	case n%2 == 0:
		r, err := f.createKey(i, fmt.Sprintf("key%d@example.org", n), "free")
		if err == nil {
			made("key", r.Key.ID)
			if n%10 == 0 {
				f.running.Go(func() { f.revoke(r) })
			}
		}
	}
}

// revoke uses a key on all instances, revokes it on one and checks that all refuse it after a
// second, or 30 if they could not reach the database.
func (f *fleet) revoke(key admin.CreatedKey) {
	f.mu.Lock()
	all := slices.Clone(f.members)
	f.mu.Unlock()
	all = slices.DeleteFunc(all, func(i *instance) bool { return i == nil })
	for _, i := range all {
		f.ask(i, "GET", predictions, key.Secret, "")
	}
	by := all[rand.IntN(len(all))]
	_, err := administer(f, by, func(ctx context.Context, c *admin.Client) (admin.RevokedKey, error) {
		return c.RevokeKey(ctx, key.Key.ID)
	})
	revoked := product.Now()
	if err != nil {
		return // unknown
	}
	for _, i := range all {
		for {
			sent := product.Now()
			code, _, _ := f.ask(i, "GET", predictions, key.Secret, "")
			if code == 401 || code == 0 {
				break
			}
			took := sent.Sub(revoked)
			within := time.Second
			if f.faulty(revoked.Add(-time.Second), product.Now()) {
				within = 30 * time.Second
			}
			if code == 200 {
				f.mu.Lock()
				f.slowest = max(f.slowest, took)
				f.mu.Unlock()
			}
			if took > within && code == 200 {
				f.Errorf("%s serves a key %v after it was revoked", i.name, took)
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
	f.mu.Lock()
	f.revoked++
	f.mu.Unlock()
}

// faulty reports whether the database could not be reached for some of a time. Instances need
// seconds to connect again, and know for ten that they were cut off.
func (f *fleet) faulty(from, to time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.ContainsFunc(f.faults, func(s span) bool {
		return s.from.Before(to) && (s.to.IsZero() || from.Before(s.to.Add(10*time.Second)))
	})
}

// fault disturbs the connections to the database and waits until all instances use it again.
func (f *fleet) fault(name string, disturb func()) {
	f.Helper()
	f.affine.Store(!f.affine.Load())
	f.mu.Lock()
	f.faults = append(f.faults, span{from: product.Now()})
	f.mu.Unlock()
	disturb()
	healed := product.Now()
	cold := f.cold[0]
	f.cold = f.cold[1:]
	for n, i := range f.members {
		for {
			code, _, body := f.ask(i, "GET", predictions, cold, "")
			if code == 200 {
				break
			}
			if code != 503 || product.Now().Sub(healed) > 30*time.Second {
				f.Errorf("%s responds %d after %s: %s", i.name, code, name, body)
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		if n == 0 || n == len(f.members)-1 {
			f.Logf("%s: %d of 3 instances serve an unknown key after %v", name, n+1,
				product.Now().Sub(healed).Round(time.Millisecond))
		}
	}
	f.mu.Lock()
	f.faults[len(f.faults)-1].to = product.Now()
	f.mu.Unlock()
	f.calm()
}

// calm lets the load run without a fault. Killed instances keep their slots for ten minutes, so
// that a long test must not kill too many.
func (f *fleet) calm() {
	pause := 500 * time.Millisecond
	if trials.Rounds() > 1 {
		pause = 7 * time.Second
	}
	time.Sleep(pause)
}

// kill kills an instance and starts another one.
func (f *fleet) kill() {
	f.Helper()
	f.affine.Store(!f.affine.Load())
	n := rand.IntN(len(f.members))
	f.mu.Lock()
	i := f.members[n]
	f.members[n], f.gone[i] = nil, true
	f.mu.Unlock()
	i.process.Process.Kill()
	<-i.ended
	f.kills++
	f.calm()
	f.join(n, fmt.Sprintf("%s%d", i.name[:1], f.kills))
}

// pause stops an instance for a time, as a busy host does. Requests to it wait, or get no response
// if the time is long.
func (f *fleet) pause(d time.Duration) {
	f.Helper()
	i := f.members[rand.IntN(len(f.members))]
	f.mu.Lock()
	f.gone[i] = true
	f.mu.Unlock()
	for _, s := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGCONT} {
		if err := i.process.Process.Signal(s); err != nil {
			f.Fatal(err)
		}
		time.Sleep(d)
		d = time.Second // for the responses that are late
	}
	f.mu.Lock()
	delete(f.gone, i)
	f.mu.Unlock()
}

// disturb changes all proxies.
func (f *fleet) disturb(change func(p *postgrestest.Proxy)) {
	for _, p := range f.proxies {
		change(p)
	}
}

// round goes through the faults. An instance that is cut off for long stops trusting what it knows.
func (f *fleet) round(long bool) {
	f.Helper()
	drop := func(d time.Duration, of ...*postgrestest.Proxy) {
		for _, p := range of {
			p.Drop(true)
		}
		time.Sleep(d)
		for _, p := range of {
			p.Drop(false)
		}
	}
	f.fault("packets dropped for 3 s", func() { drop(3*time.Second, f.proxies...) })
	f.fault("connections reset", func() {
		for range 3 {
			f.disturb((*postgrestest.Proxy).Reset)
			time.Sleep(200 * time.Millisecond)
		}
	})
	f.fault("100 ms more in each direction for 2 s", func() {
		f.disturb(func(p *postgrestest.Proxy) { p.Delay(100 * time.Millisecond) })
		time.Sleep(2 * time.Second)
		f.disturb(func(p *postgrestest.Proxy) { p.Delay(0) })
	})
	cut := 3 * time.Second
	if long {
		cut = 35 * time.Second
	}
	f.fault(fmt.Sprintf("one instance cut off for %v", cut), func() {
		drop(cut, f.proxies[rand.IntN(len(f.proxies))])
	})
	f.fault(fmt.Sprintf("one instance stopped for %v", cut), func() { f.pause(cut) })
	f.fault("PostgreSQL killed", func() {
		if err := f.cluster.Kill(); err != nil {
			f.Fatal(err)
		}
		time.Sleep(500 * time.Millisecond)
		if err := f.cluster.Run(); err != nil {
			f.Fatal(err)
		}
	})
}

// TestFleet puts load on three instances whose database is behind proxies, kills and stops
// instances, kills the database, and cuts connections. No account is served more than its limits,
// nothing that was acknowledged is lost, a revoked key ends, and what cannot be served is refused
// as it should be.
func TestFleet(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	database := f.open()
	began := product.Now()
	f.load()
	f.calm()
	for range 3 {
		f.kill()
	}
	f.calm()
	f.units(database, f.kills+len(f.members))
	database.Close()
	for n := range trials.Rounds() {
		f.round(n%10 == 9)
		f.kill()
		f.calm()
	}
	f.halt()
	took := product.Now().Sub(began)
	f.granted(t)
	for _, i := range f.members {
		i.stop()
	}
	database = f.open()
	t.Cleanup(func() { database.Close() })
	f.units(database, f.kills)
	f.windows()
	f.stored(database)
	served, refused, unavailable, undue := 0, 0, 0, 0
	for _, p := range f.payers {
		served, refused = served+len(p.served), refused+p.refused
		unavailable, undue = unavailable+p.unavailable, undue+p.undue
	}
	t.Logf("%d instances were killed in %v; %d requests served, %d refused, %d unavailable, "+
		"%d of them without a fault of the database", f.kills, took.Round(time.Second), served, refused,
		unavailable, undue)
	t.Logf("%d keys revoked; the slowest worked for %v", f.revoked,
		f.slowest.Round(time.Millisecond))
	if f.revoked == 0 || refused == 0 || unavailable == 0 {
		t.Errorf("%d keys were revoked, %d requests refused, %d unavailable: want some of each",
			f.revoked, refused, unavailable)
	}
}

// open opens the store of the instances, with time for a busy machine.
func (f *fleet) open() store.Store {
	f.Helper()
	s, err := postgres.Open(f.Context(),
		postgres.Options{URL: f.cluster.URL(), Timeout: time.Minute})
	if err != nil {
		f.Fatal(err)
	}
	return s
}

// units checks that no account was served more units than are reserved for it, and that not more
// are lost than a lease of each account with each instance that was killed or still holds one, and
// one of each instance with each fault: the database makes a reservation, and the response is lost.
func (f *fleet) units(s store.Store, instances int) {
	f.Helper()
	leases := uint64(instances + len(f.faults)*len(f.members))
	var all, most uint64
	for _, p := range f.payers {
		p.mu.Lock()
		served := uint64(len(p.served)) // before what is reserved: clients may go on
		p.mu.Unlock()
		a, err := s.AccountByEmail(f.Context(), p.email)
		if err != nil {
			f.Fatal(err)
		}
		months, err := s.Months(f.Context(), a.ID)
		if err != nil {
			f.Fatal(err)
		}
		var reserved uint64
		for _, m := range months {
			reserved += m.Units
			if m.Units > p.perMonth {
				f.Errorf("%d units of %s are reserved, the limit is %d", m.Units, p.email, p.perMonth)
			}
		}
		if served == 0 || served > reserved {
			f.Errorf("%d units of %s were served, %d are reserved", served, p.email, reserved)
			continue
		}
		const inFlight = 2 // requests of a client whose instance was killed
		bound := leases * (p.lease + inFlight)
		if reserved-served > bound && p != f.creator() {
			f.Errorf("%d units of %s are lost, want at most %d", reserved-served, p.email, bound)
		}
		all, most = all+reserved-served, most+bound
	}
	f.Logf("%d units are reserved and not served, at most %d may be", all, most)
}

// windows checks that no 60 seconds have more requests than twice the rate limit, and without a
// fault none more than the limit. It counts requests that were both sent and responded to in them.
func (f *fleet) windows() {
	f.Helper()
	for _, p := range f.payers {
		slices.SortFunc(p.served, func(a, b span) int { return a.from.Compare(b.from) })
		most, mostFaulty := 0, 0
		for n, first := range p.served {
			end := first.from.Add(time.Minute)
			mostFaulty = max(mostFaulty, respondedIn(p.served[n:], end))
			if !f.faulty(first.from, first.to) {
				most = max(most, respondedIn(p.served[n:], f.nextFault(first.from, end)))
			}
		}
		if most > p.perMinute || mostFaulty > 2*p.perMinute {
			f.Errorf("%s was served %d requests in 60 s, and %d with faults; the limit is %d",
				p.email, most, mostFaulty, p.perMinute)
		}
		f.Logf("%s: %d requests served, %d refused, at most %d in 60 s without a fault, %d with; "+
			"the limit is %d", p.email, len(p.served), p.refused, most, mostFaulty, p.perMinute)
	}
}

// respondedIn returns how many requests of a sorted list got their response before a time.
func respondedIn(list []span, end time.Time) (count int) {
	for _, s := range list {
		if !s.from.Before(end) {
			break
		}
		if s.to.Before(end) {
			count++
		}
	}
	return count
}

// nextFault returns the beginning of the first fault in a time, or its end.
func (f *fleet) nextFault(from, to time.Time) time.Time {
	for _, s := range f.faults {
		if s.from.After(from) && s.from.Before(to) {
			return s.from
		}
	}
	return to
}

// stored checks that everything exists whose creation succeeded.
func (f *fleet) stored(s store.Store) {
	f.Helper()
	a, err := s.AccountByEmail(f.Context(), f.creator().email)
	if err != nil {
		f.Fatal(err)
	}
	events, err := s.EventsOf(f.Context(), a.ID, "", "", 1000)
	if err != nil {
		f.Fatal(err)
	}
	var bodies strings.Builder
	for _, e := range events {
		bodies.Write(e.Body)
	}
	for kind, exists := range map[string]func(id string) error{
		"key": func(id string) error { _, err := s.Key(f.Context(), id); return err },
		"endpoint": func(id string) error {
			if !strings.Contains(bodies.String(), id) {
				return fmt.Errorf("its first event: %w", store.ErrNotFound)
			}
			_, err := s.Endpoint(f.Context(), id)
			return err
		},
		"watch": func(id string) error { _, err := s.Watch(f.Context(), id); return err },
		"incident": func(id string) error {
			if !strings.Contains(bodies.String(), id) {
				return fmt.Errorf("its event: %w", store.ErrNotFound)
			}
			_, err := s.Incident(f.Context(), id)
			return err
		},
	} {
		f.Logf("%d of kind %s were created", len(f.made[kind]), kind)
		if len(f.made[kind]) == 0 {
			f.Errorf("none of kind %s was created", kind)
		}
		for _, id := range f.made[kind] {
			if err := exists(id); err != nil {
				f.Errorf("%s %s was created: %v", kind, id, err)
			}
		}
	}
}
