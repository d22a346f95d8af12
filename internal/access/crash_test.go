package access_test

import (
	"bufio"
	"context"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"leadline/internal/access"
	"leadline/internal/access/accesstest"
	"leadline/internal/access/limit"
	"leadline/internal/trials"
	"leadline/store"
	"leadline/store/bolt"
)

// The environment variables of a process that is to be killed: victimFile names the file of its
// store, and victimKey the key for its requests.
const victimFile, victimKey = "LEADLINE_TEST_VICTIM", "LEADLINE_TEST_KEY"

func TestMain(m *testing.M) {
	if file := os.Getenv(victimFile); file != "" {
		serveUntilKilled(file, os.Getenv(victimKey))
	}
	os.Exit(m.Run())
}

// crashMonth is a monthly quota large enough for all crashes.
const crashMonth = 200_000

// serveUntilKilled serves units as fast as possible and writes a byte for each, until the
// process is killed.
func serveUntilKilled(file, key string) {
	s, err := bolt.Open(file, bolt.Options{})
	if err != nil {
		panic(err)
	}
	plans := access.BuiltIn()
	d := endpoint{accesstest.On(s, plans, accesstest.Now), limit.REST, data, http.StatusOK}
	served := func(http.ResponseWriter, *http.Request) { os.Stdout.Write([]byte{1}) }
	h := d.Wrap(d.on, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if d.Admit(r, d.need) == nil && d.Spend(r.Context()) == nil {
			served(w, r)
		}
	}))
	for range 8 {
		go func() {
			for {
				h.ServeHTTP(&discard{header: http.Header{}}, request("192.0.2.1:1", "x-api-key", key))
				time.Sleep(time.Duration(rand.Int64N(int64(time.Millisecond))))
			}
		}()
	}
	select {}
}

// discard is a response of which the status alone is kept.
type discard struct {
	header http.Header
	status int
}

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) Write(b []byte) (int, error) { return len(b), nil }
func (d *discard) WriteHeader(status int)      { d.status = status }

// TestKilled checks that a process killed under load has never served a unit that was not
// reserved, and has lost at most one lease.
func TestKilled(t *testing.T) {
	file := filepath.Join(t.TempDir(), "leadline.db")
	s, err := bolt.Open(file, bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g := accesstest.On(s, access.BuiltIn(), accesstest.Now)
	account := g.Account(t, access.Pro)
	key := g.Key(t, account)
	s.Close()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var reserved uint64
	lost, most := uint64(0), uint64(0)
	for range trials.Kills() {
		served := killed(t, self, file, key)
		now := usage(t, file, account)
		if now-reserved < served {
			t.Fatalf("%d served, %d reserved", served, now-reserved)
		}
		lost += now - reserved - served
		most = max(most, now-reserved-served)
		reserved = now
	}
	const lease, underWay = 256, 8
	if most > lease+underWay {
		t.Errorf("%d units lost in a crash, want at most a lease of %d and the %d requests under way",
			most, lease, underWay)
	}
	t.Logf("%d units reserved in all, %d lost: at most %d in a crash", reserved, lost, most)
	if reserved > crashMonth {
		t.Errorf("%d units reserved", reserved)
	}
}

// killed runs a process, kills it after a random time, and returns the number of units that it
// served.
func killed(t *testing.T, self, file, key string) (served uint64) {
	t.Helper()
	victim := exec.Command(self)
	victim.Env = append(os.Environ(), victimFile+"="+file, victimKey+"="+key)
	victim.Stderr = os.Stderr
	out, err := victim.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(out)
	if _, err := r.ReadByte(); err != nil {
		t.Fatal(err)
	}
	served = 1
	time.AfterFunc(time.Duration(rand.Int64N(int64(40*time.Millisecond))),
		func() { victim.Process.Kill() })
	for {
		if _, err := r.ReadByte(); err != nil {
			break
		}
		served++
	}
	victim.Wait()
	return served
}

// usage returns the used units of an account in the current month from the file of the store.
func usage(t *testing.T, file, account string) uint64 {
	t.Helper()
	s, err := bolt.Open(file, bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	used, err := s.Usage(context.Background(), account, store.MonthOf(accesstest.Now()))
	if err != nil {
		t.Fatal(err)
	}
	return used
}
