package probe

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"html"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"leadline/internal/coast"
	"leadline/internal/noaa"
	"leadline/internal/nws"
	"leadline/internal/simulator/provider"
	"leadline/internal/stations"
	"leadline/internal/trials"
	"leadline/internal/upstream"
)

func TestMain(m *testing.M) {
	trials.Waiting()
	os.Exit(m.Run())
}

const contact = "Jane Doe <jane+tides@example.org>"

// now is the clock of the program and of the simulator.
func now() time.Time { return time.Date(2026, 11, 20, 17, 3, 0, 0, time.UTC) }

// setup is a run in a test.
type setup struct {
	Config
	out   *bytes.Buffer
	waits int
}

// newSetup returns a run against a server.
func newSetup(t *testing.T, handler http.Handler, c upstream.Config) *setup {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	directory, err := stations.Open()
	if err != nil {
		t.Fatal(err)
	}
	s := &setup{out: new(bytes.Buffer)}
	recorder := &Recorder{Now: now}
	recorder.Attach(&c)
	c.Now, c.Rate, c.Burst, c.UserAgent = now, 1e6, 1000, "Leadline/9.9.9 ("+contact+")"
	client := func(name string) *upstream.Client {
		c.Provider = name
		up, err := upstream.New(c)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(up.Close)
		return up
	}
	s.Config = Config{
		Water:   noaa.New(server.URL, client(coast.COOPS), now),
		Weather: nws.New(server.URL, client(coast.NWS)), Stations: directory,
		Recorder: recorder, Version: "9.9.9", Contact: contact, Now: now, Out: s.out,
		Wait: func(context.Context, time.Duration) { s.waits++ },
	}
	return s
}

func simulator(t *testing.T) *provider.Provider {
	t.Helper()
	p, err := provider.New(provider.Config{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// unpacked returns the archive of a report: its index, and all files by name.
func unpacked(t *testing.T, r *Report) (list index, files map[string]string) {
	t.Helper()
	var b bytes.Buffer
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	files = map[string]string{}
	for _, f := range z.File {
		content, err := fs.ReadFile(z, f.Name)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name] = string(content)
	}
	if err := json.Unmarshal([]byte(files["index.json"]), &list); err != nil {
		t.Fatal(err)
	}
	return list, files
}

// TestRun carries out all probes against the simulator: each is ok or empty, each request is sent
// once, and the archive has every body.
func TestRun(t *testing.T) {
	t.Parallel()
	p := simulator(t)
	s := newSetup(t, p, upstream.Config{})
	r := Run(t.Context(), s.Config)
	if r.Faults() > 0 || !r.Complete() || r.Requests != p.Requests("") || r.counts[OK] < 85 {
		t.Errorf("%s; the simulator counts %d", r.Summary(), p.Requests(""))
	}
	if lines := strings.Count(s.out.String(), "\n"); lines != r.Planned {
		t.Errorf("%d lines for %d probes", lines, r.Planned)
	}
	for _, one := range r.results {
		if one.outcome != OK && one.outcome != Empty || strings.Contains(one.words, " members ") {
			t.Error(one.line())
		}
	}
	list, files := unpacked(t, r)
	seen := map[string]bool{}
	for _, probe := range list.Probes {
		if len(probe.Requests) == 0 {
			t.Errorf("%s sends no request", probe.Name)
		}
		for _, q := range probe.Requests {
			if seen[q.Path] {
				t.Errorf("%s is requested twice", q.Path)
			}
			seen[q.Path] = true
			if len(files[q.Body]) != q.Bytes || !q.Whole || q.Cut || q.At != now() ||
				q.Headers["Content-Type"] == nil || !json.Valid([]byte(files[q.Body])) {
				t.Errorf("%s: %+v, with a body of %d bytes", probe.Name, q, len(files[q.Body]))
			}
		}
	}
	if len(files) != len(seen)+1 || !list.Complete || list.Version != "9.9.9" {
		t.Errorf("%d files for %d requests; index %v %s", len(files), len(seen), list.Complete,
			list.Version)
	}
}

// TestFaults breaks a service: the line says so, and the archive has the spoiled body.
func TestFaults(t *testing.T) {
	t.Parallel()
	const failing, weather = provider.Derived, provider.Weather
	for _, test := range []struct {
		service string
		kind    provider.Kind
		words   string
		body    string // part of the body in the archive
		status  int
	}{
		{failing, provider.Broken, "returned 500", "HTTP Status 500", 500},
		{failing, provider.Unavailable, "returned 503", "503 Service", 503},
		{failing, provider.Blocked, "blocks this server", "<", 403},
		{failing, provider.GatewayTime, "returned 504", "timed out", 504},
		{failing, provider.Garbage, "unknown response format: read ", "\x00", 200},
		{failing, provider.Truncated, "unexpected EOF", `"stationId"`, 200},
		{failing, provider.WrongType, "a web page instead of data", "", 200},
		{failing, provider.Hang, "did not answer in time", "", 0},
		{failing, provider.Refuse, "closed the connection early", "", 0},
		{failing, provider.Huge, "returned more than", `"metadata"`, 200},
		{weather, provider.Broken, "NWS returned 500", "HTTP Status 500", 500},
		{weather, provider.Garbage, "unknown response format: read alerts: ", "\x00", 200},
		{weather, provider.WrongType, "a web page instead of data", `"features"`, 200},
	} {
		t.Run(test.service+string(test.kind), func(t *testing.T) {
			t.Parallel()
			p := simulator(t)
			p.Fail(test.service, provider.Fault{Kind: test.kind})
			c := upstream.Config{}
			switch test.kind {
			case provider.Hang, provider.Blocked, provider.WrongType:
				c.Deadline = 4 * time.Second // shorter than the pause of a host that blocks us
			}
			s := newSetup(t, p, c)
			r := run(t.Context(), s.Config, []probe{
				levels()[0], statistics()[0], forecasts()[0],
			})
			if r.counts[OK] != 2 || r.counts[Failed] != 1 || r.Faults() != 1 || !r.Complete() {
				t.Fatal(r.Summary())
			}
			if got := s.out.String(); !strings.Contains(got, "failed ") ||
				!strings.Contains(got, test.words) {
				t.Errorf("%s prints %q, want %q", test.kind, got, test.words)
			}
			list, files := unpacked(t, r)
			broken := list.Probes[1]
			if test.service == weather {
				broken = list.Probes[2]
			}
			for _, q := range broken.Requests {
				if q.Status != test.status || !strings.Contains(files[q.Body], test.body) ||
					len(files[q.Body]) > maxBody || q.Cut != (q.Bytes > len(files[q.Body])) {
					t.Errorf("%+v with a body of %d bytes", q, len(files[q.Body]))
				}
			}
		})
	}
}

// TestCut checks that a large body is cut: the client reads up to 8 MiB.
func TestCut(t *testing.T) {
	t.Parallel()
	p := simulator(t)
	p.Fail("", provider.Fault{Kind: provider.Huge})
	s := newSetup(t, p, upstream.Config{})
	list, files := unpacked(t, run(t.Context(), s.Config, levels()[:1]))
	q := list.Probes[0].Requests[0]
	if len(files[q.Body]) != maxBody || q.Bytes < 8<<20 || !q.Cut || q.Whole {
		t.Errorf("%+v with a body of %d bytes", q, len(files[q.Body]))
	}
}

// TestDiffers revises datums: the heights are not ours.
func TestDiffers(t *testing.T) {
	t.Parallel()
	p := simulator(t)
	epoch := provider.Epoch{First: 2002, Last: 2020, Raise: 0.06, Mean: 0.08}
	if err := p.SetEpoch("8443970", epoch); err != nil {
		t.Fatal(err)
	}
	s := newSetup(t, p, upstream.Config{})
	r := run(t.Context(), s.Config, []probe{events(boston, highLow), heights(boston)})
	if r.counts[Differs] != 2 || strings.Count(s.out.String(), "0.020") != 2 {
		t.Errorf("%s\n%s", r.Summary(), s.out)
	}
}

// TestUnknown checks what a line says about a response of another format.
func TestUnknown(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"metadata":{"id":"8443970"},"data":[{"t":"2026-11-20 17:00","v":"1.3","s":"0.01",` +
			`"f":"0,0,0,0","q":"p","zeta":1}],"alpha":{}}`: "; new members alpha, zeta; no members lat",
		`{"metadata":{"id":"8443970"},"data":[{"t":"2026-11-20 17:00","v":"high"}]}`: "unknown " +
			`response format: unknown format: row 1: v is "high", not a number`,
		`{"error":{"message":"The moon is too bright."}}`: `failed    0.0 s  newest water level, ` +
			`Boston 8443970: NOAA says: "The moon is too bright."`,
		`{"error":{"message":"No data was found."}}`: `empty     0.0 s  newest water level, ` +
			`Boston 8443970: NOAA says: "No data was found."`,
		`{"data":[{"t":"2026-11-20 17:00","v":"","q":""}],"\u202e\u001b[2J":1}`: "new members [2J",
	} {
		s := newSetup(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, body)
		}), upstream.Config{})
		run(t.Context(), s.Config, levels()[:1])
		if got := s.out.String(); !strings.Contains(got, want) || strings.ContainsAny(got, "\u202e\x1b") {
			t.Errorf("%s prints\n%s, want %q", body, got, want)
		}
	}
}

// TestSecrets lets a provider repeat what it knows about the owner: the archive does not.
func TestSecrets(t *testing.T) {
	t.Parallel()
	secrets := []string{"jane", "tides@example", "127.0.0.1", "localhost", "sessionid"}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	if len(host) > 4 { // a shorter one can be a part of any text
		secrets = append(secrets, host)
	}
	for _, status := range []int{200, 400, 500} {
		s := newSetup(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			agent := r.UserAgent()
			quoted, err := json.Marshal(agent)
			if err != nil {
				t.Error(err)
			}
			w.Header().Set("Content-Type", "application/json; by="+agent)
			w.Header().Set("Set-Cookie", "sessionid=1")
			w.Header().Set("X-Client", r.RemoteAddr)
			w.WriteHeader(status)
			io.WriteString(w, `{"error":{"message":`+string(quoted)+`},"page":"`+
				html.EscapeString(agent)+`","link":"/?by=`+url.QueryEscape(contact)+`","part":"`+
				`JANE+tides@example.org`+"\"}")
		}), upstream.Config{})
		_, files := unpacked(t, run(t.Context(), s.Config, append(levels()[:2], forecasts()[:1]...)))
		for name, text := range files {
			for _, secret := range secrets {
				if strings.Contains(strings.ToLower(text), strings.ToLower(secret)) {
					t.Errorf("status %d: %s has %q:\n%s", status, name, secret, text)
				}
			}
		}
	}
}

// stopper ends a context after some lines.
type stopper struct {
	lines int
	stop  func()
}

func (s *stopper) Write(b []byte) (int, error) {
	if s.lines--; s.lines == 0 {
		s.stop()
	}
	return len(b), nil
}

// TestStop ends a run early: the archive has the probes up to then, and says that it is incomplete.
func TestStop(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	s := newSetup(t, simulator(t), upstream.Config{})
	s.Out = &stopper{3, stop}
	r := Run(ctx, s.Config)
	list, files := unpacked(t, r)
	if r.Complete() || list.Complete || len(list.Probes) != 3 || len(files) != 4 ||
		list.Planned != r.Planned || r.Faults() != 0 {
		t.Errorf("%s; %d probes, %d files", r.Summary(), len(list.Probes), len(files))
	}
}

// TestPause checks that a run waits for a provider whose breaker opened, but not for ever.
func TestPause(t *testing.T) {
	t.Parallel()
	p := simulator(t)
	p.Fail("", provider.Fault{Kind: provider.Garbage})
	s := newSetup(t, p, upstream.Config{})
	list := levels()
	list = append(list, metadata()...)
	r := run(t.Context(), s.Config, list)
	if s.waits != maxWaits || r.counts[Failed] != len(list) || r.Requests != 10 ||
		!strings.Contains(s.out.String(), "failed too often") {
		t.Errorf("%d waits; %s\n%s", s.waits, r.Summary(), s.out)
	}
}

// TestFile checks the file of the archive, and errors that name what to do.
func TestFile(t *testing.T) {
	t.Parallel()
	r := &Report{began: now(), contact: contact}
	folder := t.TempDir()
	file := filepath.Join(folder, FileName(now()))
	if filepath.Base(file) != "leadline-live-20261120T1703Z.zip" {
		t.Error(file)
	}
	for _, test := range []struct {
		file string
		want error
	}{
		{file, nil},
		{filepath.Join(folder, "missing", "a.zip"), fs.ErrNotExist},
	} {
		for name, err := range map[string]error{
			"check": Check(test.file), "write": r.WriteFile(test.file),
		} {
			if !errors.Is(err, test.want) || err != nil && !strings.Contains(err.Error(), "--archive") {
				t.Errorf("%s %s: %v, want %v", name, test.file, err, test.want)
			}
		}
	}
	if err := Check(file); !errors.Is(err, fs.ErrExist) {
		t.Errorf("an archive that exists: %v", err)
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if list, err := os.ReadDir(folder); err != nil || len(list) != 1 {
		t.Errorf("the folder has %v, %v", list, err)
	}
	if err := r.Write(full{}); !errors.Is(err, errFull) {
		t.Errorf("a full disk: %v", err)
	}
}

var errFull = errors.New("no space left on device")

// full is a disk without space.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

// TestOrder checks that names are unique: the archive is read by them.
func TestOrder(t *testing.T) {
	t.Parallel()
	var names []string
	for _, p := range probes() {
		names = append(names, p.name)
	}
	slices.Sort(names)
	if all := len(names); len(slices.Compact(names)) != all {
		t.Error("two probes have one name")
	}
}
