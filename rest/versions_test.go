package rest

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/julienschmidt/httprouter"

	"leadline/internal/edge"
	"leadline/internal/trials"
)

// The versions of succeeded.
const (
	olderVersion = "2026-07-09"
	newerVersion = "2027-01-01"
)

// succeeded returns a table in which the version of today has a successor.
func succeeded() []version {
	return []version{
		{olderVersion, time.Date(2028, 1, 1, 0, 0, 0, 0, time.UTC), "/docs/guides/places"},
		{date: newerVersion},
	}
}

// TestVersions checks which version responds, and what it says of its end.
func TestVersions(t *testing.T) {
	api := versionedToys(t, nil, succeeded())
	const station, missing = "/api/v1/stations/8443970", "/api/v1/stations/0000"
	for _, test := range []struct {
		method, target, ask, version string
		status                       int
		want                         string // in the body
	}{
		{"GET", station, "", olderVersion, 200, `{"station":"8443970"`},
		{"GET", station, olderVersion, olderVersion, 200, `{"station":"8443970"`},
		{"GET", station, newerVersion, newerVersion, 200, `{"station":"8443970"`},
		{"HEAD", station, "", olderVersion, 200, ""},
		{"HEAD", station, newerVersion, newerVersion, 200, ""},
		{"GET", missing, "", olderVersion, 404, `"code":"station_not_found"`},
		{"GET", missing, newerVersion, newerVersion, 404, `"code":"station_not_found"`},
		{"GET", "/api/v1/stations/5000", "", olderVersion, 500, `"code":"internal"`},
		{"GET", station + "?a=1", newerVersion, newerVersion, 400, `"path":"a"`},
		{"GET", station, "2025-01-01", olderVersion, 400, `"path":"Leadline-Version","code":"enum",` +
			`"message":"Leadline-Version must be one of 2026-07-09, 2027-01-01, not \"2025-01-01\". ` +
			`Example: Leadline-Version: 2027-01-01."`},
		{"GET", station, "latest", olderVersion, 400, `"path":"Leadline-Version"`},
		{"GET", station, olderVersion + "," + newerVersion, olderVersion, 400, "Leadline-Version"},
		{"POST", station, newerVersion, newerVersion, 405, "method_not_allowed"},
		{"GET", station + "/waves", "", olderVersion, 404, "not_found"},
		{"POST", "/api/v1/decisions/evaluate-rules", newerVersion, newerVersion, 401, "credential"},
		{"POST", "/api/v1/decisions/evaluate-rules", "latest", olderVersion, 401, "credential"},
		{"GET", "/openapi.json", "", olderVersion, 200, `"ToyAnswer"`},
		{"GET", "/openapi.json", newerVersion, newerVersion, 200, `"ToyAnswer"`},
		{"HEAD", "/openapi.json", newerVersion, newerVersion, 200, ""},
		{"GET", "/openapi.json", "latest", olderVersion, 400, `"path":"Leadline-Version"`},
	} {
		w := askVersion(api, test.method, test.target, test.ask)
		h := w.Header()
		if w.Code != test.status || h.Get(edge.VersionHeader) != test.version ||
			!strings.Contains(w.Body.String(), test.want) {
			t.Errorf("%s %s with %q: %d %q %s, want %d %s %s", test.method, test.target, test.ask,
				w.Code, h.Get(edge.VersionHeader), w.Body, test.status, test.version, test.want)
		}
		if !slices.Contains(h["Vary"], edge.VersionHeader) {
			t.Errorf("%s %s: Vary: %q", test.method, test.target, h["Vary"])
		}
		checkEnd(t, h, test.version == olderVersion)
	}
}

// askVersion sends a request for a version, "" for none.
func askVersion(api gated, method, target, version string) *httptest.ResponseRecorder {
	var h http.Handler = api
	if target == "/openapi.json" {
		h = api.Document(base)
	}
	if version == "" {
		return ask(h, method, target)
	}
	return ask(h, method, target, edge.VersionHeader, version)
}

// checkEnd checks the headers that announce the end of a version. The values are those of RFC 9745
// and RFC 8594 for the first day of 2027 and of 2028.
func checkEnd(t *testing.T, h http.Header, ends bool) {
	t.Helper()
	for name, want := range map[string]string{
		"Deprecation": "@1798761600",
		"Sunset":      "Sat, 01 Jan 2028 00:00:00 GMT",
		"Link": `</docs/guides/places>; rel="deprecation", </docs/guides/places>; rel="sunset", ` +
			`</openapi.json>; rel="successor-version"`,
	} {
		if !ends {
			want = ""
		}
		if got := h.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestVersionTags checks that the tag of one version does not confirm another, even if the bodies
// are equal, and that 304 has the headers of the version.
func TestVersionTags(t *testing.T) {
	api := versionedToys(t, nil, succeeded())
	const target = "/api/v1/stations/8443970"
	tags := map[string]string{}
	for _, version := range []string{olderVersion, newerVersion} {
		tags[version] = askVersion(api, "GET", target, version).Header().Get("ETag")
	}
	for _, test := range []struct {
		ask, tag, version string
		status            int
	}{
		{"", tags[olderVersion], olderVersion, 304},
		{"", tags[newerVersion], olderVersion, 200},
		{olderVersion, tags[olderVersion], olderVersion, 304},
		{newerVersion, tags[newerVersion], newerVersion, 304},
		{newerVersion, tags[olderVersion], newerVersion, 200},
		{newerVersion, tags[olderVersion] + ", " + tags[newerVersion], newerVersion, 304},
	} {
		headers := []string{"If-None-Match", test.tag}
		if test.ask != "" {
			headers = append(headers, edge.VersionHeader, test.ask)
		}
		w := ask(api, "GET", target, headers...)
		got := w.Header()
		if w.Code != test.status || got.Get(edge.VersionHeader) != test.version ||
			!slices.Contains(got["Vary"], edge.VersionHeader) {
			t.Errorf("%q with %s: %d %v, want %d of %s", test.ask, test.tag, w.Code, got, test.status,
				test.version)
		}
		checkEnd(t, got, test.version == olderVersion)
	}
}

// TestVersionOfToday checks the versions that are served: there is one, since all bodies are of the
// newest version, so nothing announces an end.
func TestVersionOfToday(t *testing.T) {
	api := newGated(t)
	if want := []version{{date: Contract}}; !slices.Equal(supported, want) {
		t.Errorf("supported versions: %v, want %v", supported, want)
	}
	for _, o := range api.contract {
		for _, version := range []string{"", "2026-07-09", "nonsense"} {
			w := askVersion(api, o.method, target(o), version)
			want := "2026-07-09"
			if !o.versioned() {
				want = ""
			}
			if got := w.Header().Get(edge.VersionHeader); got != want {
				t.Errorf("%s for %q: version %q, want %q", o.path, version, got, want)
			}
			if refused := strings.Contains(w.Body.String(), `"path":"Leadline-Version"`); refused !=
				(version == "nonsense" && o.versioned() && o.public()) {
				t.Errorf("%s for %q: %d %s", o.path, version, w.Code, w.Body)
			}
			checkEnd(t, w.Header(), false)
		}
	}
	for _, o := range slices.Concat(api.developer, api.planning) {
		w := askVersion(api, o.method, target(o), "nonsense")
		if o.versioned() || w.Header().Get(edge.VersionHeader) != "" ||
			strings.Contains(w.Body.String(), edge.VersionHeader) {
			t.Errorf("%s is outside the contract: %d %v %s", o.path, w.Code, w.Header(), w.Body)
		}
	}
}

// TestVersionFromPage checks that a page of another site may name a version.
func TestVersionFromPage(t *testing.T) {
	w := ask(newGated(t), "OPTIONS", "/api/v1/stations", "Origin", "https://example.org",
		"Access-Control-Request-Method", "GET", "Access-Control-Request-Headers", "leadline-version")
	allowed := strings.Split(w.Header().Get("Access-Control-Allow-Headers"), ", ")
	if w.Code != http.StatusNoContent || !slices.Contains(allowed, edge.VersionHeader) {
		t.Errorf("%d %v", w.Code, w.Header())
	}
}

// TestVersionsArePromised checks that a table that breaks the promise is refused.
func TestVersionsArePromised(t *testing.T) {
	for name, change := range map[string]func(older, newer *version){
		"valid":      func(older, newer *version) {},
		"too early":  func(older, newer *version) { older.sunset = older.sunset.Add(-time.Second) },
		"endless":    func(older, newer *version) { older.sunset = time.Time{} },
		"no guide":   func(older, newer *version) { older.guide = "" },
		"same date":  func(older, newer *version) { newer.date = older.date },
		"wrong date": func(older, newer *version) { newer.date = "2027-02-30" },
	} {
		table := succeeded()
		change(&table[0], &table[1])
		refused := func() (refused bool) {
			defer func() { refused = recover() != nil }()
			newVersions(table)
			return false
		}()
		if refused != (name != "valid") {
			t.Errorf("%s: refused %v", name, refused)
		}
	}
}

// TestVersionAllocations checks what a version costs a request that does not name one: at most the
// new value of Vary.
func TestVersionAllocations(t *testing.T) {
	plain, versioned := versionCost(t)
	got, most := leastAllocs(versioned), leastAllocs(plain)+2
	if got > most {
		t.Errorf("%v allocations, want at most %v", got, most)
	}
}

// leastAllocs returns the least of several numbers of allocations of a function: other goroutines
// of the process add to single ones.
func leastAllocs(f func()) float64 {
	least := testing.AllocsPerRun(100, f)
	for range 4 {
		least = min(least, testing.AllocsPerRun(100, f))
	}
	return least
}

// BenchmarkVersions reports how many times as long a request takes with versions as without: the
// least of many, taken in turn.
func BenchmarkVersions(b *testing.B) {
	plain, versioned := versionCost(b)
	const batch = 200
	least := [2]time.Duration{time.Hour, time.Hour}
	for b.Loop() {
		for i, run := range []func(){plain, versioned} {
			watch := trials.Start()
			for range batch {
				run()
			}
			least[i] = min(least[i], watch.Elapsed())
		}
	}
	b.ReportMetric(float64(least[0].Nanoseconds())/batch, "ns/plain")
	b.ReportMetric(float64(least[1].Nanoseconds())/batch, "ns/versioned")
	b.ReportMetric(float64(least[1])/float64(least[0]), "ratio")
}

// versionCost returns two functions that serve a request for the high and low waters of two days,
// without versions and with them. Neither calls the gate.
func versionCost(t testing.TB) (plain, versioned func()) {
	api := newGated(t)
	i := slices.IndexFunc(api.contract, func(o route) bool {
		return o.path == "/api/v1/stations/{id}/predictions"
	})
	o := api.contract[i]
	o.price = free
	d := dispatcher{versions: api.versions}
	r := httptest.NewRequest("GET", "/api/v1/stations/8443970/predictions", nil)
	path := httprouter.Params{{Key: "id", Value: "8443970"}}
	serve := func(handle httprouter.Handle) func() {
		return func() {
			w := httptest.NewRecorder()
			handle(w, r, path)
			if w.Code != http.StatusOK {
				t.Fatal(w.Code, w.Body)
			}
		}
	}
	return serve(d.handle(o.endpoint)), serve(d.handleVersioned(o.endpoint))
}
