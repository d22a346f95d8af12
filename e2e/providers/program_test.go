package providers

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"leadline/e2e/product"
	"leadline/tools"
)

// TestScripts plays the requests of rest/testdata against the program. A script is
// a request line, headers, and after a blank line the expected response: the
// status, then lines that headers or body must contain, or, after a !, must not
// contain.
func TestScripts(t *testing.T) {
	server := product.Mounted(t)
	files, err := filepath.Glob("../../rest/testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, script := range strings.Split(string(text), "\n===\n") {
			t.Run(fmt.Sprintf("%s/%d", filepath.Base(file), i+1),
				func(t *testing.T) { play(t, server.URL, script) })
		}
	}
}

func play(t *testing.T, base, script string) {
	request, want, ok := strings.Cut(strings.TrimSpace(script), "\n\n")
	lines := strings.Split(request, "\n")
	method, target, found := strings.Cut(lines[0], " ")
	if !ok || !found {
		t.Fatalf("no request and answer in %q", script)
	}
	r, err := http.NewRequestWithContext(t.Context(), method, base+target, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[1:] {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
	}
	got := product.Fetch(t, r)
	wants := strings.Split(want, "\n")
	if !strings.HasPrefix(got, wants[0]) {
		t.Errorf("%s\ngot  %.200s\nwant %s", lines[0], got, wants[0])
	}
	for _, line := range wants[1:] {
		text, absent := strings.CutPrefix(line, "!")
		if strings.Contains(got, text) == absent {
			t.Errorf("%s\nthe answer %s\nwant (! absent) %s", lines[0], got, line)
		}
	}
}

// TestEndpointsAgree compares the results of both endpoints.
func TestEndpointsAgree(t *testing.T) {
	server := product.Mounted(t)
	tests := []struct{ path, tool, args string }{
		{
			"/api/v1/stations?q=portland&limit=50", "noaa_search_stations",
			`{"query":"portland","limit":50}`,
		},
		{
			"/api/v1/stations?state=ri&type=tidepredictions", "noaa_search_stations",
			`{"state":"ri","type":"tidepredictions","limit":100}`,
		},
		{
			"/api/v1/stations/nearest?lat=37.8&lon=-122.4&type=currentpredictions",
			"noaa_find_nearest_stations", `{"latitude":37.8,"longitude":-122.4,"type":"currentpredictions"}`,
		},
		{
			"/api/v1/stations/8443970",
			"noaa_get_station_info",
			`{"station":"8443970","expand":["details","products","datums","floodlevels","bins"]}`,
		},
		{
			"/api/v1/stations/EPT0003?units=metric", "noaa_get_station_info",
			`{"station":"EPT0003","units":"metric","expand":["details","products","datums","floodlevels","bins"]}`,
		},
		{
			"/api/v1/stations/8443970/predictions",
			"noaa_get_tide_predictions",
			`{"station":"8443970"}`,
		},
		{
			"/api/v1/stations/8557863/predictions?interval=30&hours=24&begin_date=2026-11-01&units=metric&time_zone=lst", "noaa_get_tide_predictions", `{"station":"8557863","interval":"30","range":24,"begin_date":"2026-11-01","units":"metric","time_zone":"lst"}`,
		},
		{
			"/api/v1/stations/8443970/predictions?datum=CRD", "noaa_get_tide_predictions",
			`{"station":"8443970","datum":"CRD"}`,
		},
		{"/api/v1/stations/ZZZZ9999", "noaa_get_station_info", `{"station":"ZZZZ9999"}`},
		{
			"/api/v1/stations/9063020/predictions",
			"noaa_get_tide_predictions",
			`{"station":"9063020"}`,
		},
	}
	for _, test := range tests {
		if got, want := product.OverREST(t, server.URL+test.path),
			product.InRoutes(product.OverMCP(t, server.URL, test.tool, test.args)); got != want {
			t.Errorf("%s and %s %s differ:\n%s\n%s", test.path, test.tool, test.args, got, want)
		}
	}
}

// TestAstronomyAgrees compares what REST joins with the results of two tools.
func TestAstronomyAgrees(t *testing.T) {
	server := product.Mounted(t)
	var joined struct {
		Days []struct{ Sun, Moon map[string]any }
	}
	product.Decode(
		t,
		product.OverREST(t, server.URL+"/api/v1/astronomy?lat=42.35&lon=-71.05&days=3"),
		&joined,
	)
	var sun, moon struct{ Days []map[string]any }
	product.Decode(t, product.OverMCP(t, server.URL, "astro_get_sun_times",
		`{"latitude":42.35,"longitude":-71.05,"days":3}`), &sun)
	product.Decode(t, product.OverMCP(
		t,
		server.URL,
		"astro_get_moon_phase",
		`{"latitude":42.35,"longitude":-71.05,"begin_date":"2026-11-20","end_date":"2026-11-22"}`,
	), &moon)
	for i, day := range joined.Days {
		if fmt.Sprint(day.Sun) != fmt.Sprint(sun.Days[i]) ||
			fmt.Sprint(day.Moon) != fmt.Sprint(moon.Days[i]) {
			t.Errorf("day %d: %v\n%v\n%v", i, day, sun.Days[i], moon.Days[i])
		}
	}
	if len(joined.Days) != 3 {
		t.Errorf("%d days, want 3", len(joined.Days))
	}
}

// TestServe checks that the program opens a port, writes it to a file, serves both
// endpoints and ends with its context.
func TestServe(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	folder := t.TempDir()
	portFile := filepath.Join(folder, "port")
	_, providers := product.SimulateForCommands(t)
	done := make(chan error, 1)
	go func() {
		done <- product.Run(ctx, []string{
			"--listen", "127.0.0.1:0", "--port-file", portFile, "--log-level", "error", "--data", folder,
			"--coops-url", providers, "--nws-url", providers,
		}, func(string) string { return "" },
			product.Streams{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard})
	}()
	base := "http://127.0.0.1:" + product.PortIn(t, portFile, done)
	got := product.OverREST(t, base+"/api/v1/stations/8443970/predictions")
	if !strings.Contains(got, `"extremes"`) {
		t.Errorf("REST returns %s", got)
	}
	got = product.OverREST(t, base+"/api/v1/stations/8443970/water-levels")
	if !strings.Contains(got, `"observed"`) {
		t.Errorf("for observed levels REST returns %s", got)
	}
	if got := product.OverMCP(t, base, "leadline_whoami", `{}`); !strings.Contains(got,
		`"tier":"anonymous","identifiedBy":"client address 127.0.0.1"`) {
		t.Errorf("MCP returns %s", got)
	}
	stop()
	if err := <-done; err != nil {
		t.Errorf("run = %v", err)
	}
	if _, err := os.Stat(filepath.Join(folder, "noaa-coops.cache")); err != nil {
		t.Errorf("what was obtained is not on disk: %v", err)
	}
}

func TestPredict(t *testing.T) {
	out, _, err := product.RunCommand(t, nil, "predict", "8443970", "--begin_date",
		"2026-11-21", "--datum", "MLLW")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Boston, MA (8443970): predicted tide above MLLW (epoch 1983-2001)",
		"Sat 2026-11-21 07:50 -05:00  high    9.93 ft",
		"NOAA CO-OPS, data of 2026-09-24",
		"Not for navigation",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("predict prints\n%s\nwithout %q", out, want)
		}
	}
	out, _, err = product.RunCommand(t, nil, "predict", "--hours", "6", "ACT0091")
	if err != nil || !strings.Contains(out,
		"Eastport, Friar Roads, ME (ACT0091): predicted current; flood 210°, ebb 40°") {
		t.Errorf("predict ACT0091 prints\n%s%v", out, err)
	}
	out, _, err = product.RunCommand(
		t,
		nil,
		"predict",
		"8443970",
		"--json",
		"--interval",
		"h",
		"--hours",
		"3",
	)
	if err != nil || !json.Valid([]byte(out)) {
		t.Errorf("predict --json prints\n%s%v", out, err)
	}
	for _, bad := range [][]string{
		{"predict"}, {"predict", "8443970", "8443971"}, {"predict", "8443970", "--datum", "CRD"},
		{"predict", "0000000"},
	} {
		if _, _, err := product.RunCommand(t, nil, bad...); err == nil {
			t.Errorf("%v: no error", bad)
		}
	}
}

func TestVersion(t *testing.T) {
	out, _, err := product.RunCommand(t, nil, "version")
	want := regexp.MustCompile(
		`^leadline (\d+\.\d+\.\d+|devel), REST contract 2026-07-09, station data of 2026-09-24, go`)
	if err != nil || !want.MatchString(out) {
		t.Errorf("version prints %q, %v", out, err)
	}
	const epochs = "Epochs of embedded tidal datums: 1983-2001 (1156 stations), 2012-2016 (68 " +
		"stations), unknown (20 stations), 2002-2006 (13 stations)\n"
	if !strings.HasSuffix(out, epochs) {
		t.Errorf("version prints %q, want it to end with %q", out, epochs)
	}
}

// TestConfigOrder checks the precedence: flag, environment, file, default.
func TestConfigOrder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "leadline.json")
	if err := os.WriteFile(file,
		[]byte(`{"listen":"127.0.0.1:1","log-level":"warn","allow-hosts":"a.example"}`),
		0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{
		"LEADLINE_LISTEN": "127.0.0.1:2", "LEADLINE_LOG_LEVEL": "debug", "LEADLINE_CONFIG": file,
	}
	out, _, err := product.RunCommand(
		t,
		env,
		"--listen",
		"127.0.0.1:3",
		"config",
		"--port-file",
		"p",
	)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"listen": `"127.0.0.1:3" flag`, "log-level": `"debug" environment`,
		"allow-hosts": `"a.example" file`, "log-format": `"auto" default`, "port-file": `"p" flag`,
	} {
		if !regexp.MustCompile(`(?m)^` + name + ` +` +
			strings.Replace(regexp.QuoteMeta(want), " ", " +", 1) + `$`).MatchString(out) {
			t.Errorf("config prints\n%s\nwant %s %s", out, name, want)
		}
	}
}

// TestControlCharacters checks that the commands refuse settings with them.
func TestControlCharacters(t *testing.T) {
	for _, args := range [][]string{
		{"--contact", "a\nb", "config"},
		{"--contact", "a\nb", "serve", "--listen", "256.0.0.1:0", "--data", t.TempDir()},
		{"keys", "list", "--contact=a\nb"},
	} {
		want := `invalid --contact "a\nb": remove the line break or other control character`
		if _, _, err := product.RunCommand(t, nil, args...); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", args, err, want)
		}
	}
}

func TestConfigFaults(t *testing.T) {
	file := filepath.Join(t.TempDir(), "leadline.json")
	if err := os.WriteFile(file, []byte(`{"lisen":"127.0.0.1:1"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args []string
		says string
	}{
		{[]string{"--config", file, "config"}, `unknown key "lisen"`},
		{[]string{"--config", file + "x", "config"}, "read settings"},
		{[]string{"--log-level", "loud"}, "debug, info, warn or error"},
		{[]string{"--lisen", "x"}, "-lisen"},
		{[]string{"serv"}, `unknown command "serv" of leadline; did you mean serve?`},
		{[]string{"serve", "now"}, `unexpected argument "now"`},
		{[]string{"--base-url", "tides.example.org", "--listen", "127.0.0.1:0"}, "https://tides.example.org"},
		{[]string{"--listen", "256.0.0.1:0"}, "--listen chooses another address"},
	} {
		env := map[string]string{"LEADLINE_DATA": t.TempDir()}
		if _, _, err := product.RunCommand(t, env, test.args...); err == nil ||
			!strings.Contains(err.Error(), test.says) {
			t.Errorf("%v: %v, want %q", test.args, err, test.says)
		}
	}
}

// TestStdio uses MCP as a desktop client does: local, without limits, with only the
// protocol on standard output.
func TestStdio(t *testing.T) {
	in := strings.NewReader(
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"leadline_whoami","arguments":{}}}
`,
	)
	var out bytes.Buffer
	if err := product.Run(t.Context(), []string{"stdio"}, func(string) string { return "" },
		product.Streams{In: in, Out: &out, Err: io.Discard}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 || !strings.Contains(out.String(), "tier local") {
		t.Errorf("stdio prints %s", out.String())
	}
	for _, line := range lines {
		if !json.Valid([]byte(line)) {
			t.Errorf("not JSON: %s", line)
		}
	}
}

// TestStdioToolsets chooses the tools of a desktop client with the flag and the variable.
func TestStdioToolsets(t *testing.T) {
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}` + "\n"
	sets := product.OfflineTools(t).Toolsets()
	for _, test := range []struct {
		args     []string
		variable string
		sets     []tools.Toolset
	}{
		{[]string{"stdio"}, "", sets[:1]},
		{[]string{"stdio", "--toolsets", "planning"}, "core", sets[1:2]},
		{[]string{"stdio"}, "core, planning", sets[:2]},
		{[]string{"stdio"}, "everyday", sets[2:]},
	} {
		var out bytes.Buffer
		env := func(name string) string {
			return map[string]string{"LEADLINE_TOOLSETS": test.variable}[name]
		}
		err := product.Run(
			t.Context(),
			test.args,
			env,
			product.Streams{In: strings.NewReader(list), Out: &out, Err: io.Discard},
		)
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Result struct{ Tools []struct{ Name string } }
		}
		product.Decode(t, out.String(), &got)
		var names []string
		for _, tool := range got.Result.Tools {
			names = append(names, tool.Name)
		}
		if want := product.NamesOf(test.sets...); !slices.Equal(names, want) {
			t.Errorf("%v with %q lists %v, want %v", test.args, test.variable, names, want)
		}
	}
	err := product.Run(
		t.Context(),
		[]string{"stdio", "--toolsets", "nothing"},
		func(string) string { return "" },
		product.Streams{In: strings.NewReader(list), Out: io.Discard, Err: io.Discard},
	)
	if err == nil || !strings.Contains(err.Error(), "core and planning") {
		t.Errorf("an unknown tool set: %v, want the known ones", err)
	}
}
