package providers

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"leadline/e2e/product"
	"leadline/internal/coast"
	"leadline/internal/simulator/provider"
	"leadline/internal/tides"
	"leadline/internal/trials"
)

// inOutage returns the calls that are made while the providers fail and recover.
func inOutage() []call {
	calls := []call{
		{"", "/api/v1/stations/8443970/forecast"},
		{"", "/api/v1/stations/8443970/water-levels?hours=3"},
	}
	for _, id := range []string{
		"8454000", "8461490", "8518750", "8638610", "8724580", "8726520", "8771450", "9410170", "9447130",
	} {
		calls = append(calls,
			call{"", "/api/v1/stations/" + id + "/water-levels?hours=3&units=metric"})
	}
	return append(calls, // last: the breaker would open if their requests were all made to fail
		call{"", "/api/v1/stations/8443970/conditions"},
		call{"", "/api/v1/stations/9414290/conditions"},
		call{"", "/api/v1/stations/9414290/forecast"})
}

// cachedResponse is a record of a cache file.
type cachedResponse struct {
	URL, Accept    string
	Status         int
	Type           string
	Body           []byte
	Date           time.Time
	LastModified   time.Time
	ETag, Modified string
	ReceivedAt     time.Time
	Keep           time.Duration
}

// makeOlder makes the cache entries of a folder older.
func makeOlder(t *testing.T, folder string, by time.Duration) {
	t.Helper()
	for _, file := range cacheFiles(t, folder) {
		old, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		form, records, _ := bytes.Cut(old[:len(old)-sha256.Size], []byte("\n"))
		var aged bytes.Buffer
		aged.Write(append(form, '\n'))
		in, out := gob.NewDecoder(bytes.NewReader(records)), gob.NewEncoder(&aged)
		for {
			var a cachedResponse
			if err = in.Decode(&a); err != nil {
				break
			}
			a.ReceivedAt, a.Date = a.ReceivedAt.Add(-by), a.Date.Add(-by)
			if err = out.Encode(a); err != nil {
				break
			}
		}
		if err != io.EOF {
			t.Fatalf("reading %s: %v", file, err)
		}
		sum := sha256.Sum256(aged.Bytes())
		if err := os.WriteFile(file, append(aged.Bytes(), sum[:]...), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func cacheFiles(t *testing.T, folder string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.cache"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d cache files in %s; %v", len(files), folder, err)
	}
	return files
}

// warm returns a data folder with the cached responses to calls that were made some
// time ago, and a provider with the present clock.
func warm(t *testing.T, ago time.Duration, calls []call) (p *provider.Provider,
	root, folder string) {
	t.Helper()
	var mu sync.Mutex
	offset := -ago
	p, root = product.Simulate(t, func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		return product.Now().Add(offset)
	})
	folder = t.TempDir()
	then := product.Setup{
		Root: root, Folder: folder, Whole: true, Deadline: longFetch,
		Now: func() time.Time { return product.Now().Add(-ago) },
	}.Start(t)
	for _, c := range calls { // one after another: at most four requests of a caller may wait
		if r := c.ask(then.URL); r.lacks() != nil {
			t.Fatalf("warming %s: %v", r.args, r.lacks())
		}
	}
	then.Stop()
	makeOlder(t, folder, ago)
	mu.Lock()
	offset = 0
	mu.Unlock()
	return p, root, folder
}

// TestWarmOutage makes the providers fail for a second of every three, with cache entries that are
// old enough to be refreshed, until some have been. Callers, two of each question or many, get no
// error, and no result with a wrong age. Calls are spread, so that only some of them meet failing
// providers.
func TestWarmOutage(t *testing.T) {
	const ago = 13 * time.Minute
	questions := inOutage()
	p, root, folder := warm(t, ago, questions)
	// shorter than the outage
	base := product.Setup{Root: root, Folder: folder, Deadline: time.Second / 3}.Start(t).URL
	const down, cycle = time.Second, 3 * time.Second
	callers := 2 * len(questions)
	if trials.Thorough() {
		callers = 100
	}
	p.Fail("", provider.Fault{Kind: provider.Unavailable, For: down, Every: cycle})
	p.Fail(provider.Weather, provider.Fault{Kind: provider.Reset, For: down, Every: cycle})
	replies := make([][]reply, callers)
	ended, watch := make(chan bool), trials.Start()
	var refreshed atomic.Bool
	var all sync.WaitGroup
	for i := range callers {
		all.Go(func() {
			mine := i % len(questions)
			pause := cycle * time.Duration(mine) / time.Duration(len(questions))
			for {
				select {
				case <-ended:
					return
				case <-time.After(pause):
				}
				r := questions[mine].ask(base)
				replies[i] = append(replies[i], r)
				if r.freshLevel() {
					refreshed.Store(true)
				}
				pause = 100 * time.Millisecond
			}
		})
	}
	trials.WaitFor(t, "a level received since", func() bool {
		return refreshed.Load() && watch.Elapsed() > cycle
	})
	close(ended)
	all.Wait()
	for _, r := range slices.Concat(replies...) {
		if err := r.lacks(); err != nil {
			t.Fatalf("%s: %v", r.args, err)
		}
		for _, fault := range append(faultsOf(t, r.body, r.from.Truncate(time.Second), r.to),
			faultsOfAlerts(t, r)...) {
			t.Errorf("%s: %s", r.args, fault)
		}
		var body provenance
		product.Decode(t, string(r.body), &body)
		for _, s := range body.Sources {
			if !s.Available && s.ID != "surf-forecast" {
				t.Errorf("%s: %s could not be had: %+v", r.args, s.ID, body.Missing)
			}
		}
		if t.Failed() {
			return // one failure is enough
		}
	}
}

// freshLevel reports whether a reply has a fresh water level.
func (r reply) freshLevel() bool {
	var p provenance
	return json.Unmarshal(r.body, &p) == nil && slices.ContainsFunc(p.Sources,
		func(s coast.Source) bool {
			return s.ID == "observed-water-level" && s.Freshness == coast.Fresh
		})
}

// faultsOfAlerts returns the faults of the source of alerts, whose age is counted from
// the time when the whole list was received.
func faultsOfAlerts(t *testing.T, r reply) (faults []string) {
	t.Helper()
	var body struct {
		provenance
		Marine struct{ AlertsAsOf *time.Time }
	}
	product.Decode(t, string(r.body), &body)
	for _, s := range body.Sources {
		if s.ID != "marine-alerts" || !s.Available {
			continue
		}
		if body.Marine.AlertsAsOf == nil || s.AgeMinutes == nil {
			return []string{fmt.Sprintf("alerts as of nobody knows when: %+v", s)}
		}
		youngest := r.from.Truncate(time.Second).Sub(*body.Marine.AlertsAsOf)
		if *s.AgeMinutes < int(youngest.Minutes()) ||
			s.Freshness == coast.Fresh && youngest > 5*time.Minute {
			faults = append(faults, fmt.Sprintf("alerts are at least %v old: %+v", youngest, s))
		}
	}
	return faults
}

// TestRestart stops the server and the provider and starts the server again on its
// folder: it returns cached data with its true age.
func TestRestart(t *testing.T) {
	levels := call{"", "/api/v1/stations/8443970/water-levels?hours=3"}
	p, root, folder := warm(t, 25*time.Minute, []call{levels})
	p.Fail("", provider.Fault{Kind: provider.Refuse})
	again := product.Setup{Root: root, Folder: folder, Deadline: time.Second / 4}.Start(t)
	r := levels.ask(again.URL)
	if err := r.lacks(); err != nil {
		t.Fatal(err)
	}
	for _, fault := range faultsOf(t, r.body, r.from.Truncate(time.Second), r.to) {
		t.Errorf("%s: %s", r.args, fault)
	}
	s := sourceOf(t, r.body, "observed-water-level")
	if age := r.to.Sub(s.ReceivedAt); s.Freshness != coast.Aging || age < 25*time.Minute {
		t.Errorf("levels kept 25 minutes ago: obtained %v ago and %s, want aging", age, s.Freshness)
	}
	again.Stop()
	makeOlder(t, folder, 40*time.Minute)
	if err := levels.ask(product.Setup{
		Root: root, Folder: folder, Deadline: time.Second / 4,
	}.Start(t).URL).unavailable(); err != nil {
		t.Errorf("levels of an hour ago: %v", err)
	}
}

func sourceOf(t *testing.T, body []byte, id string) coast.Source {
	t.Helper()
	var p provenance
	product.Decode(t, string(body), &p)
	for _, s := range p.Sources {
		if s.ID == id {
			return s
		}
	}
	t.Fatalf("no source %s in %.300s", id, body)
	return coast.Source{}
}

// TestDamagedFile checks that an incomplete cache file is ignored with a warning,
// and that the product starts.
func TestDamagedFile(t *testing.T) {
	levels, forecast := call{"", "/api/v1/stations/8443970/water-levels"},
		call{"", "/api/v1/stations/8443970/forecast"}
	p, root, folder := warm(t, 0, []call{levels, forecast})
	p.Fail("", provider.Fault{Kind: provider.Refuse})
	for _, file := range cacheFiles(t, folder) {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		b[len(b)/2] ^= 1
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var log bytes.Buffer
	base := product.Setup{
		Root: root, Folder: folder, Deadline: time.Second / 4, Log: &log,
	}.Start(t).URL
	if got := strings.Count(log.String(), "level=WARN msg=\"discarding the cache file\""); got != 2 {
		t.Errorf("the log has %d warnings of two files:\n%s", got, log.String())
	}
	for _, r := range askAll(base, []call{levels, forecast}) {
		if err := r.unavailable(); err != nil {
			t.Errorf("%s: %v", r.args, err)
		}
	}
	for _, r := range askAll(base, untouched) {
		if err := r.lacks(); err != nil {
			t.Errorf("%s %s: %v", r.tool, r.args, err)
		}
	}
}

// TestRevision checks that revised constants of NOAA are used once they are
// received, that the source says so, and that a restart without NOAA changes
// nothing.
func TestRevision(t *testing.T) {
	p, err := provider.New(provider.Config{Now: product.Now})
	if err != nil {
		t.Fatal(err)
	}
	noaa := httptest.NewServer(p)
	defer noaa.Close()
	p.Revise("8443970", 0.5)
	folder := t.TempDir()
	predictions := call{"", "/api/v1/stations/8443970/predictions?begin_date=2027-01-01&units=metric"}
	bins := call{"noaa_get_current_station_bins", `{"station":"EPT0003"}`}

	first := product.Setup{Root: noaa.URL, Folder: folder}.Start(t)
	embedded := predictions.ask(first.URL)
	s := sourceOf(t, embedded.body, "tide-prediction")
	if strings.Contains(s.Label, "metadata service") || s.SourceAt == nil {
		t.Errorf("before anything was obtained the source is %+v", s)
	}
	first.Stop()
	first = product.Setup{Root: noaa.URL, Folder: folder, Whole: true}.Start(t)
	revised := eventually(t, predictions, first.URL, func(r reply) bool {
		return strings.Contains(string(r.body), "which its metadata service gave on")
	})
	if was, is := highest(t, embedded), highest(t, revised); is < was+0.2 {
		t.Errorf("the highest water is %.3f m, was %.3f m, and M2 has grown by half a meter", is, was)
	}
	received := eventually(t, bins, first.URL, func(r reply) bool {
		return strings.Contains(string(r.body), `"depth":`) && r.lacks() == nil
	})
	first.Stop()
	noaa.Close()

	second := product.Setup{Root: noaa.URL, Folder: folder, Whole: true}.Start(t)
	after := eventually(t, predictions, second.URL,
		func(r reply) bool { return string(r.body) == string(revised.body) })
	if was, is := highest(t, revised), highest(t, after); is != was {
		t.Errorf("after a restart the highest water is %.3f m, was %.3f m", is, was)
	}
	if got := eventually(t, bins, second.URL, func(r reply) bool {
		return string(r.body) == string(received.body)
	}); string(got.body) != string(received.body) {
		t.Errorf("after a restart the bins are\n%s, were\n%s", got.body, received.body)
	}
}

// eventually repeats a call until the reply is as wanted.
func eventually(t *testing.T, c call, base string, wanted func(reply) bool) (r reply) {
	t.Helper()
	trials.WaitFor(t, fmt.Sprintf("the reply to %s %s", c.tool, c.args), func() bool {
		r = c.ask(base)
		return r.err == nil && wanted(r)
	})
	return r
}

func highest(t *testing.T, r reply) (height float64) {
	t.Helper()
	var p tides.TidePredictions
	if err := json.Unmarshal(r.body, &p); err != nil || len(p.Extremes) == 0 {
		t.Fatalf("%v: no extremes in %.300s", err, r.body)
	}
	for _, e := range p.Extremes {
		height = max(height, e.Height)
	}
	return height
}

// TestRefresh requests the newest facts of three stations, and of the two that they
// refer to. A product that starts on the same folder without providers uses them
// and says so.
func TestRefresh(t *testing.T) {
	p, root := product.SimulateForCommands(t)
	folder := t.TempDir()
	out, _, err := product.RunCommand(t, nil, "--data", folder, "--coops-url", root, "--nws-url", root,
		"stations", "refresh", "8443970", "8557863", "ACT0091")
	if err != nil || !strings.Contains(out, "5 of 5 stations are up to date") {
		t.Errorf("stations refresh prints\n%s%v", out, err)
	}
	p.Fail("", provider.Fault{Kind: provider.Garbage})
	again := product.ServeOn(t, folder, "--offline=false", "--contact", product.Contact, "--coops-url",
		root, "--nws-url", root)
	for _, test := range []struct{ source, tool, args string }{
		{"tide-prediction", "noaa_get_tide_predictions", `{"station":"8443970"}`},
		{"tide-prediction", "noaa_get_tide_predictions", `{"station":"8557863"}`},
		{"current-prediction", "noaa_get_current_predictions", `{"station":"ACT0091"}`},
	} {
		eventually(t, call{test.tool, test.args}, again.Base, func(r reply) bool {
			label := sourceOf(t, r.body, test.source).Label
			return strings.Contains(label, "which its metadata service gave on")
		})
	}
	out, _, err = product.RunCommand(t, nil, "--data", t.TempDir(), "--coops-url", root, "--nws-url",
		root, "stations", "refresh", "8443970")
	if err == nil {
		t.Errorf("stations refresh without a provider prints\n%s", out)
	}
}

// TestVerify compares predictions with the provider's. The simulated provider uses the
// same engine, and rounds as NOAA does: to a millimeter, and to a tenth of a centimeter
// a second.
func TestVerify(t *testing.T) {
	_, root := product.SimulateForCommands(t)
	out, _, err := product.RunCommand(t, nil, "--data", t.TempDir(), "--coops-url", root, "--nws-url",
		root, "verify", "--stations", "5")
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(strings.TrimSpace(out), "\n")[1:]
	for _, row := range rows {
		var events, missing, extra, minutes int
		var off float64
		fields := strings.Fields(row)
		if _, err := fmt.Sscan(strings.Join(fields[max(0, len(fields)-6):], " "), &events, &missing,
			&extra, &minutes, &off); err != nil {
			t.Fatalf("%v in the row %q", err, row)
		}
		if events < 6 || missing+extra+minutes > 0 || off > 0.0011 {
			t.Errorf("the row %q, want three days of events, none of them off", row)
		}
	}
	if len(rows) != 5 {
		t.Errorf("%d rows, want 5:\n%s", len(rows), out)
	}
}
