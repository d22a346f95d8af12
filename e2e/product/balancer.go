package product

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"leadline/internal/config"
	"leadline/internal/server"
	"leadline/internal/trials"
	"leadline/store/postgres/postgrestest"
)

// instancesVariable is the environment variable with the number of instances of each product under
// test. Without it, a product is one server on the embedded store. With 3, it is three servers on
// one PostgreSQL behind a balancer.
const instancesVariable = "LEADLINE_INSTANCES"

// instanceCount returns the number of instances of a product.
func instanceCount(t testing.TB) int {
	t.Helper()
	n, err := strconv.Atoi(cmp.Or(os.Getenv(instancesVariable), "1"))
	if err != nil || n < 1 {
		t.Fatalf("invalid %s: want a number, 1 for the embedded store", instancesVariable)
	}
	return n
}

// Eventually checks that something is so: at once on one instance, or soon on several, which learn
// of a change within a second.
func Eventually(t testing.TB, what string, so func() bool) {
	t.Helper()
	if instanceCount(t) > 1 {
		trials.WaitFor(t, what, so)
	} else if !so() {
		t.Errorf("it is not so: %s", what)
	}
}

// databases has the database of each data folder, since a product that is started again on its
// folder must find its store.
var databases sync.Map

// startFleet serves instances of the product behind a balancer.
func (s Setup) startFleet(t testing.TB, n int) *Product {
	t.Helper()
	if s.Folder == "" {
		s.Folder = t.TempDir()
	}
	database, known := databases.Load(s.Folder)
	if !known {
		database = schema(t)
		databases.Store(s.Folder, database)
	}
	b := newBalancer(t)
	p := &Product{URL: b.url, clock: s.Clock()}
	var stops []func()
	for i := range n {
		built, stop := s.instance(i, database.(string), b.url).startOne(t)
		b.instances = append(b.instances, "http://"+built.Addr().String())
		stops = append(stops, stop)
		if i == 0 {
			p.Server = built
		} else {
			p.others = append(p.others, built)
		}
	}
	p.Stop = func() {
		for _, stop := range stops {
			stop()
		}
	}
	return p
}

// schema returns an empty schema of the database that tests share.
func schema(t testing.TB) string {
	t.Helper()
	if l, ok := t.(lasting); ok {
		return postgrestest.KeptSchema(l.TB)
	}
	return postgrestest.Schema(t)
}

// instance returns the setup of one of several instances. The first one has the data folder.
func (s Setup) instance(i int, database, base string) Setup {
	pepper, with := filepath.Join(s.Folder, server.PepperFile), s.With
	s.Base = cmp.Or(s.Base, base)
	if i > 0 {
		s.Folder = ""
	}
	s.With = func(c *config.Config) {
		c.Store, c.PepperFile, c.Instance = database, pepper, fmt.Sprintf("instance-%d", i+1)
		c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
		c.StoreConnections = 6
		if with != nil {
			with(c)
		}
	}
	return s
}

// balancer sends the requests of one credential to one instance, and those without a credential,
// which have one address, to the first. docs/scaling.md describes such balancers.
type balancer struct {
	url       string
	instances []string
}

// instance returns the address of the instance for a request.
func (b *balancer) instance(r *http.Request) string {
	credential := cmp.Or(r.Header.Get("Authorization"), r.Header.Get("X-Api-Key"))
	if credential == "" {
		return b.instances[0]
	}
	hash := fnv.New32a()
	hash.Write([]byte(credential))
	return b.instances[hash.Sum32()%uint32(len(b.instances))]
}

// longBody is the length in bytes of a body from which on the balancer asks before it sends it.
const longBody = 32 << 10

func newBalancer(t testing.TB) *balancer {
	b := &balancer{}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			to, err := url.Parse(b.instance(r.In))
			if err != nil {
				panic(err) // an address of a listener
			}
			r.SetURL(to)
			r.Out.URL.RawQuery = r.In.URL.RawQuery // also what a server must refuse
			r.Out.Host = r.In.Host
			r.Out.Header["X-Forwarded-For"] = r.In.Header["X-Forwarded-For"]
			r.SetXForwarded()
			// A server may refuse a long body unread and close the connection. While the body is still
			// being sent, the response would then be lost.
			if r.Out.ContentLength > longBody {
				r.Out.Header.Set("Expect", "100-continue")
			}
		},
		FlushInterval: -1,
		Transport:     &http.Transport{DisableCompression: true, ExpectContinueTimeout: time.Minute},
	}
	s := httptest.NewServer(proxy)
	t.Cleanup(s.Close)
	b.url = s.URL
	return b
}
