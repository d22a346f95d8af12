package product

import (
	"context"
	"net/netip"
	"os"
	"sync"
	"testing"
	"time"

	"leadline/internal/config"
)

// Mount starts a server without providers and without sign-in, with the clock at noon and a rate
// limit for anonymous callers that no test reaches.
func Mount(t testing.TB) *Product {
	t.Helper()
	return mounted().Start(t)
}

// MountAlone is Mount for tests of what one instance has for itself.
func MountAlone(t testing.TB) *Product {
	t.Helper()
	s := mounted()
	s.Alone = true
	return s.Start(t)
}

func mounted() Setup {
	return Setup{Now: Noon, Offline: true, Base: "http://tides.example.org",
		With: func(c *config.Config) {
			c.AllowHosts = []string{"127.0.0.1"}
			c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
		}}
}

// Mounted returns a server like that of Mount, which all tests of a package share. Tests of limits,
// and those that change what others can see, start their own.
var Mounted = Share(func(t testing.TB) *Product {
	s := mounted()
	s.Whole = instanceCount(t) > 1 // else the store takes instances for ended after a while
	return s.Start(t)
})

// Live returns a server with simulated providers that do not fail, both with the clock at noon,
// which all tests of a package share as Mounted.
var Live = Share(func(t testing.TB) *Product {
	_, root := Simulate(t, Noon)
	return Setup{Root: root, Now: Noon, Deadline: time.Minute}.Start(t).Join(t)
})

// Share returns a function that starts a product when the first test needs it, and returns the same
// one for all. It runs until the test binary ends.
func Share(start func(t testing.TB) *Product) func(t testing.TB) *Product {
	var once sync.Once
	var p *Product
	return func(t testing.TB) *Product {
		t.Helper()
		once.Do(func() { p = start(lasting{t}) })
		if p == nil {
			t.Fatal("the product that tests share has not started: see the first test that needed it")
		}
		return p
	}
}

// lasting is the test that starts what tests share: nothing ends with it.
type lasting struct{ testing.TB }

// Context returns a context that does not end.
func (lasting) Context() context.Context { return context.Background() }

// Cleanup does nothing: the product ends with the process.
func (lasting) Cleanup(func()) {}

// folders are those of what tests share, which are removed after the last test.
var folders struct {
	mu    sync.Mutex
	names []string // guarded by mu
}

// TempDir returns a folder that is there until the last test has ended.
func (l lasting) TempDir() string {
	l.Helper()
	folder, err := os.MkdirTemp("", "leadline-shared")
	if err != nil {
		l.Fatal(err)
	}
	folders.mu.Lock()
	defer folders.mu.Unlock()
	folders.names = append(folders.names, folder)
	return folder
}

// removeFolders removes the folders of what tests have shared.
func removeFolders() {
	folders.mu.Lock()
	defer folders.mu.Unlock()
	for _, folder := range folders.names {
		os.RemoveAll(folder)
	}
}
