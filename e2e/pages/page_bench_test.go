package pages

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"leadline/e2e/product"
	"leadline/internal/config"
	"leadline/internal/server"
	"leadline/internal/trials"
)

// BenchmarkPage serves pages through all middleware: from memory, where the target is 50 µs, and
// with the responses of providers in the cache but the page to be made and compressed, where the
// targets are 2 ms for home and 4 ms for a station.
func BenchmarkPage(b *testing.B) {
	_, root := product.Simulate(b, product.Noon)
	var now atomic.Int64
	built, err := server.Build(b.Context(), product.Setup{
		Root: root, Deadline: time.Minute, Patience: time.Minute,
		Now: func() time.Time { return product.Noon().Add(time.Duration(now.Load())) },
	}.Config(b))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { built.Close() })
	n := 0
	get := func(path string) {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		n++ // another address for each request: the limits are not measured
		r.RemoteAddr = fmt.Sprintf("10.%d.%d.%d:1", n>>16&255, n>>8&255, n&255)
		r.Header.Set("Accept", browser)
		r.Header.Set("Accept-Encoding", "gzip, zstd")
		w := httptest.NewRecorder()
		built.Handler().ServeHTTP(w, r)
		if w.Code != http.StatusOK {
			b.Fatalf("%s: %d %.200s", path, w.Code, w.Body)
		}
	}
	for _, c := range []struct{ name, path string }{
		{"Home", "/"}, {"Station", "/stations/8443970"}, {"Current", "/stations/ACT1206"},
		{"Month", "/stations/8443970?days=31"}, {"SVG", "/stations/8443970/tide.svg"},
		{"PNG", "/stations/8443970/tide.png"}, {"Calendar", "/stations/8443970/tide.ics"},
		{"Year", "/stations/8443970/year/2027"},
		{"Planning", "/planning/low-tide?place=9414131&below=0"},
	} {
		b.Run(c.name+"/memory", func(b *testing.B) {
			get(c.path)
			for b.Loop() {
				get(c.path)
			}
		})
		b.Run(c.name+"/made", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				now.Store(int64(i%2) * int64(time.Minute)) // memory keeps one minute
				get(c.path)
			}
		})
	}
}

// BenchmarkPagesBesideREST measures by how much people who open pages slow programs down: the
// 99th percentile of REST while 20 addresses open pages at their limit, as a multiple of the same
// without pages. Both take turns; the multiple is the median of the turns. The target is 1.5.
func BenchmarkPagesBesideREST(b *testing.B) {
	p := product.Setup{Offline: true, Now: product.Noon, With: func(c *config.Config) {
		c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	}}.Start(b)
	paths := []string{"/"}
	for _, m := range regexp.MustCompile(`"(/stations/(?:\d{7}|[A-Z]{3}\d{4}))"`).
		FindAllStringSubmatch(open(b, p.URL, "/stations?state=MA").body, -1) {
		paths = append(paths, m[1])
	}
	get := func(path, address string) {
		o := open(b, p.URL, path, "X-Forwarded-For", address, "Accept-Encoding", "gzip")
		if o.status != http.StatusOK {
			b.Errorf("%s: %d", path, o.status)
		}
	}
	p99 := func() time.Duration {
		const requests = 4000
		took := make([]time.Duration, requests)
		for i := range took {
			watch := trials.Start()
			get("/api/v1/stations/8443970/predictions", "192.0.2.1")
			took[i] = watch.Elapsed()
		}
		slices.Sort(took)
		return took[requests*99/100]
	}
	const addresses, each = 20, 5 // pages a second, 300 a minute
	opened := 0
	during := func(f func() time.Duration) time.Duration {
		var pages sync.WaitGroup
		ticks := time.NewTicker(time.Second / (addresses * each))
		done := make(chan struct{})
		pages.Go(func() {
			for {
				select {
				case <-done:
					return
				case <-ticks.C:
					opened++
					path := paths[opened%len(paths)]
					address := fmt.Sprintf("10.0.%d.%d", opened/250%250, opened%250)
					pages.Go(func() { get(path, address) })
				}
			}
		})
		took := f()
		close(done)
		ticks.Stop()
		pages.Wait()
		return took
	}
	var ratios []float64
	for b.Loop() {
		alone := p99()
		ratios = append(ratios, float64(during(p99))/float64(alone))
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "p99-ratio")
	b.ReportMetric(float64(opened)/float64(len(ratios)), "pages/turn")
	b.ReportMetric(0, "ns/op")
}
