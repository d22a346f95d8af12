package instances

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"leadline/internal/access/outage"
	"leadline/store/postgres/postgrestest"
)

// BenchmarkInstances measures the requests a second that one and three instances on a PostgreSQL
// with fsync serve to 12 accounts, each on one instance, and the CPU time of the instances for a
// request. The clients, the instances and PostgreSQL share the cores of the machine, so the CPU
// time shows what instances cost each other, and not the requests a second.
func BenchmarkInstances(b *testing.B) {
	plans := filepath.Join(b.TempDir(), "plans.json")
	const plan = `{"bench": {"perMinute": 65535, "perMonth": 1000000000000}}`
	if err := os.WriteFile(plans, []byte(plan), 0o600); err != nil {
		b.Fatal(err)
	}
	for _, n := range []int{1, 3} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			f := newInstancesOn(b, postgrestest.Own(b, postgrestest.Durable()...), "--plans", plans,
				"--store-timeout", outage.Timeout.String())
			var list []*instance
			for i := range n {
				list = append(list, f.start(string(rune('a'+i))))
			}
			var keys []string
			for i := range 12 {
				key, err := f.run(list[0], "keys", "create", "--account",
					fmt.Sprintf("mate%d@example.org", i), "--plan", "bench")
				if err != nil {
					b.Fatal(err)
				}
				keys = append(keys, key)
			}
			serveAll(b, list, keys)
			var cpu time.Duration
			for _, i := range list {
				i.stop()
				cpu += i.process.ProcessState.UserTime() + i.process.ProcessState.SystemTime()
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
			b.ReportMetric(float64(cpu.Microseconds())/float64(b.N), "cpu-µs/request")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// serveAll sends b.N requests, those of a key to one instance.
func serveAll(b *testing.B, list []*instance, keys []string) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: len(keys)}}
	var clients sync.WaitGroup
	b.ResetTimer()
	for n, key := range keys {
		clients.Go(func() {
			for i := n; i < b.N; i += len(keys) {
				r, err := http.NewRequest("GET", list[n%len(list)].base+predictions, nil)
				if err != nil {
					b.Error(err)
					return
				}
				r.Header.Set("X-Api-Key", key)
				w, err := client.Do(r)
				if err != nil {
					b.Error(err)
					return
				}
				_, err = io.Copy(io.Discard, w.Body) // so that the connection is used again
				w.Body.Close()
				if err != nil {
					b.Error(err)
					return
				}
				if w.StatusCode != http.StatusOK {
					b.Errorf("the status is %d", w.StatusCode)
					return
				}
			}
		})
	}
	clients.Wait()
	b.StopTimer()
}
