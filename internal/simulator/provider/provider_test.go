package provider

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // zones for machines without them

	"leadline/internal/trials"
)

// moment is the fixed time of the providers' clock in tests.
var moment = time.Date(2026, 11, 20, 17, 0, 0, 0, time.UTC)

func frozen(t testing.TB) *Provider {
	t.Helper()
	p, err := New(Config{Now: func() time.Time { return moment }})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// ask returns the response for a path. Spaces in the path are encoded.
func (p *Provider) ask(t testing.TB, path string) *http.Response {
	t.Helper()
	w := httptest.NewRecorder()
	p.ServeHTTP(w, httptest.NewRequest("GET", strings.ReplaceAll(path, " ", "%20"), nil))
	return w.Result()
}

func (p *Provider) body(t testing.TB, path string) string {
	t.Helper()
	b, err := io.ReadAll(p.ask(t, path).Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// data returns a response of the data service.
func (p *Provider) data(t testing.TB, query string) string {
	t.Helper()
	return p.body(t, "/api/prod/datagetter?format=json&"+query)
}

// recording returns a recorded response.
func recording(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(trials.Shared(t), "recordings", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

var (
	digits = regexp.MustCompile(`-?\d+(\.\d+)?`)
	names  = regexp.MustCompile(`("name":|"dr":) ?"[^"]*"`)
	texts  = regexp.MustCompile(`: "[^"]*"`)
)

// masked returns a body without its numbers and names.
func masked(body string) string {
	return digits.ReplaceAllString(names.ReplaceAllString(body, `$1"#"`), "#")
}

// outline returns the distinct lines of an indented body, without numbers and strings, in the order
// of their first occurrence.
func outline(body string) string {
	seen := map[string]bool{}
	var lines []string
	for line := range strings.Lines(body) {
		line = digits.ReplaceAllString(texts.ReplaceAllString(line, `: "#"`), "#")
		line = strings.TrimSuffix(strings.TrimRight(line, "\n"), ",")
		if !seen[line] {
			seen[line] = true
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

func TestFrozen(t *testing.T) {
	paths := []string{
		"/api/prod/datagetter?product=water_level&station=8443970&date=today&datum=MLLW&format=json",
		"/api/prod/datagetter?product=wind&station=8443970&date=today&format=json",
		"/api/prod/datagetter?product=currents&station=cb0102&date=latest&format=json",
		"/mdapi/prod/webapi/stations.json?type=currentpredictions",
		"/dpapi/prod/webapi/htf/htf_annual.json",
	}
	p, q := frozen(t), frozen(t)
	for _, path := range paths {
		if got, want := p.body(t, path), q.body(t, path); got != want {
			t.Errorf("%s: two providers with the same clock differ", path)
		}
	}
}

func TestRequests(t *testing.T) {
	p := frozen(t)
	p.data(t, "product=wind&station=8443970&date=latest")
	p.body(t, "/mdapi/prod/webapi/stations/8443970.json")
	p.body(t, "/mdapi/prod/webapi/stations/8443970/datums.json")
	p.body(t, "/alerts/active")
	p.body(t, "/-/requests")
	for prefix, want := range map[string]int{
		"": 4, Data: 1, Metadata: 2, Derived: 0, Weather: 1,
		"/mdapi/prod/webapi/stations/8443970/": 1,
	} {
		if got := p.Requests(prefix); got != want {
			t.Errorf("Requests(%q) = %d, want %d", prefix, got, want)
		}
	}
	got, want := p.body(t, "/-/requests"), `"/mdapi/prod/webapi/stations/8443970.json":1`
	if !strings.Contains(got, want) {
		t.Errorf("/-/requests = %s, want a body with %s", got, want)
	}
}

func TestRevise(t *testing.T) {
	p := frozen(t)
	const path = "/mdapi/prod/webapi/stations/8443970/harcon.json?units=metric"
	const predictions = "product=predictions&station=8443970&date=today&datum=MLLW&interval=hilo"
	before, predicted := p.body(t, path), p.data(t, predictions)
	p.Revise("8443970", 0.01)
	got, want := constants(t, p.body(t, path))["M2"]-constants(t, before)["M2"], 0.01
	if got < want-1e-9 || got > want+1e-9 {
		t.Errorf("M2 has increased by %v m, want %v", got, want)
	}
	if got := p.data(t, predictions); got != predicted {
		t.Errorf("a revision has changed the predictions")
	}
	p.Revise("8443970", 0)
	if got := p.body(t, path); got != before {
		t.Errorf("the constants differ after the revision was removed")
	}
}

// post sends a request to the control API.
func post(t *testing.T, p *Provider, path, body string, want int) {
	t.Helper()
	w := httptest.NewRecorder()
	p.ServeHTTP(w, httptest.NewRequest("POST", path, strings.NewReader(body)))
	if got := w.Code; got != want {
		t.Errorf("POST %s %s = %d (%s), want %d", path, body, got, w.Body, want)
	}
}
