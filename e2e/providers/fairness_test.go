package providers

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"leadline/e2e/product"
	"leadline/internal/access"
	"leadline/internal/simulator/provider"
	"leadline/internal/trials"
)

// levelsOf requests the levels of one day with a key. ok reports a result, busy an
// error that the caller may retry.
func levelsOf(ctx context.Context, base, key, station, day string) (ok, busy bool, err error) {
	message := fmt.Sprintf(
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"noaa_get_water_levels",`+
			`"arguments":{"station":%q,"begin_date":%q,"end_date":%q}}}`, station, day, day)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/mcp",
		strings.NewReader(message))
	if err != nil {
		return false, false, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+key)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return false, false, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	ok = response.StatusCode == http.StatusOK && !bytes.Contains(body, []byte(`"isError":true`))
	return ok, bytes.Contains(body, []byte("of your requests waiting")), err
}

// TestFloodOfOneKey sends thirty uncached requests at a time with one pro key, and
// one at a time with another. The provider accepts ten requests a second: a request
// that waits for twenty others waits two seconds. The test counts these requests,
// which does not depend on the speed of the machine.
func TestFloodOfOneKey(t *testing.T) {
	p, root := product.Simulate(t, nil)
	served := product.Setup{Root: root}.Start(t)
	p.Fail("", provider.Fault{Kind: provider.Slow, Delay: 300 * time.Millisecond})
	flood := product.NewKey(t, served.Storage(), access.Pro)
	other := product.NewKey(t, served.Storage(), access.Pro)
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	var n, answered, refused atomic.Int64
	for range 30 {
		all.Go(func() {
			for ctx.Err() == nil {
				day := time.Date(2015, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0,
					int(n.Add(1))).Format(time.DateOnly)
				switch ok, busy, _ := levelsOf(ctx, served.URL, flood, "8443970", day); {
				case ok:
					answered.Add(1)
				case busy:
					refused.Add(1)
				}
				time.Sleep(50 * time.Millisecond)
			}
		})
	}
	trials.WaitFor(t, "the initial burst used up", func() bool { return p.Requests("") >= 40 })
	most := 0
	for i := range 5 {
		before := p.Requests("")
		ok, _, err := levelsOf(t.Context(), served.URL, other, "8518750",
			fmt.Sprintf("2014-03-%02d", i+1))
		if !ok || err != nil {
			t.Errorf("the other caller's question %d: no levels, %v", i, err)
		}
		most = max(most, p.Requests("")-before-1)
	}
	cancel()
	all.Wait()
	t.Logf("%d responses and %d refusals of the flood; at most %d requests before the other key's",
		answered.Load(), refused.Load(), most)
	if most > 20 {
		t.Errorf("%d requests went ahead of another caller's, want at most 20", most)
	}
	if answered.Load() == 0 || refused.Load() < answered.Load() {
		t.Errorf("the flood had %d responses and %d refusals, want more refusals",
			answered.Load(), refused.Load())
	}
}

// TestOneQuestionFits calls the tools that send the most provider requests, each
// with an empty cache and with the usual limits: one call must not exceed the limit
// of its caller.
func TestOneQuestionFits(t *testing.T) {
	_, root := product.Simulate(t, product.Noon)
	calls := []call{
		{"", "/api/v1/stations/8443970/conditions"}, {"", "/api/v1/stations/8443970/forecast"},
		{"noaa_get_meteorological_data", `{"station":"8443970","product":"all"}`},
		{"noaa_get_water_levels", `{"station":"8443970","interval":"1","range":800}`}, // ten parts
		{"nws_get_marine_forecast", `{"latitude":42.35,"longitude":-71.05}`},
		{
			"noaa_get_station_info",
			`{"station":"9063020","expand":["details","sensors","floodlevels","datums","products","notices","disclaimers","benchmarks"]}`,
		},
	}
	for _, c := range calls {
		r := c.ask(product.Setup{Root: root, Now: product.Noon}.Start(t).URL)
		if r.err != nil || r.failed {
			t.Errorf("%s %s: %v, %.300s", c.tool, c.args, r.err, r.body)
		}
		var result provenance
		product.Decode(t, string(r.body), &result)
		for _, m := range result.Missing {
			if m.Reason == "" || strings.Contains(m.Reason, "of yours wait") {
				t.Errorf("%s %s lacks %s: %s", c.tool, c.args, m.Input, m.Reason)
			}
		}
	}
}
