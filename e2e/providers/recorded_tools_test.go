package providers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"leadline/docs"
	"leadline/e2e/product"
	"leadline/internal/access"
	"leadline/internal/config"
)

const toolExamplesFolder = examplesFolder + "/tools"

// recordedCalls are the calls that the documentation shows, one of each tool.
var recordedCalls = []struct{ tool, args string }{
	{"noaa_get_water_levels", `{"station":"8443970","range":1}`},
	{"noaa_get_water_level_summaries", `{"station":"8443970","product":"monthly_mean"}`},
	{"noaa_get_tide_predictions", `{"place":"Half Moon Bay, CA","range":24}`},
	{"noaa_get_currents", `{"station":"cb0102","date":"latest"}`},
	{"noaa_get_current_predictions", `{"station":"ACT0091","range":24}`},
	{"noaa_get_meteorological_data", `{"station":"8443970","product":"all"}`},
	{"nws_get_wind_forecast", `{"station":"8443970","hours":6}`},
	{"nws_get_marine_forecast", `{"latitude":42.3,"longitude":-70.9}`},
	{"noaa_search_stations", `{"query":"Half Moon Bay CA","limit":3}`},
	{"noaa_find_nearest_stations", `{"latitude":42.35,"longitude":-71.05,"limit":3}`},
	{"noaa_get_station_info", `{"station":"8443970"}`},
	{"noaa_get_station_datums", `{"station":"8443970"}`},
	{"noaa_get_harmonic_constituents", `{"station":"8443970"}`},
	{"noaa_get_tide_prediction_offsets", `{"station":"8557863"}`},
	{"noaa_get_station_sensors", `{"station":"8443970"}`},
	{"noaa_get_current_station_bins", `{"station":"ACT0091"}`},
	{"noaa_get_station_flood_levels", `{"station":"8443970","datum":"MHHW"}`},
	{"noaa_get_sea_level_trends", `{"station":"8518750"}`},
	{"noaa_get_extreme_water_levels", `{"station":"8443970"}`},
	{"noaa_get_high_tide_flooding", `{"station":"8443970","report":"outlook"}`},
	{"noaa_get_top_ten_water_levels", `{"station":"8443970"}`},
	{"astro_get_moon_phase", `{"station":"8443970","date":"2026-11-24"}`},
	{"astro_get_sun_times", `{"station":"8443970","days":3}`},
	{"astro_get_sun_position", `{"station":"8443970","time":"2026-11-21 15:04"}`},
	{"noaa_get_reference_guide", `{"topic":"units"}`},
	{"leadline_whoami", `{}`},
	{"leadline_trip_health", `{"stationId":"8443970","activity":"fishing",` +
		`"localDate":"2026-11-21","localTime":"09:00"}`},
	{"leadline_find_places", `{"query":"Half Moon Bay CA"}`},
	{"leadline_tide_telegram", `{"station":"8443970"}`},
	{"leadline_plan_transit", `{"station":"PUG1701","distance":1.5,"speed":6,` +
		`"direction":"with_flood","limit":3}`},
	{"leadline_plan_route", `{"speed":6,"limit":3,"gates":[` +
		`{"station":"PUG1701","leg":2,"distance":0.5,"direction":"with_flood","max_current":3},` +
		`{"station":"PUG1702","leg":12,"max_current":2}]}`},
	{"leadline_get_day", `{"station":"8443970"}`},
	{"leadline_best_times", `{"place":"Boston","activity":"walk","date":"weekend"}`},
	{"leadline_best_window", `{"stationId":"8443970","activity":"fishing","candidates":[` +
		`{"localDate":"2026-11-21","localTime":"09:00"},` +
		`{"localDate":"2026-11-22","localTime":"15:00"}]}`},
	{"leadline_evaluate_rules", `{"stationId":"8443970","activity":"fishing",` +
		`"localDate":"2026-11-21","localTime":"09:00",` +
		`"rules":[{"id":"calm","kind":"state_allowed","allowed":["normal"]}]}`},
	{"leadline_material_change", `{"stationId":"8443970","activity":"fishing",` +
		`"localDate":"2026-11-21","localTime":"09:00","baseline":{"state":"normal"}}`},
}

// TestRecordedCalls records a call and a result of each tool, with simulated providers and the
// clock at noon, and compares them with docs/examples/tools, which the documentation shows.
func TestRecordedCalls(t *testing.T) {
	r := newRecording(t)
	r.setup.Alone = true // what remains of limits is exact
	r.setup.With = func(c *config.Config) {
		c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
		c.Plans = "" // the built-in ones, which leadline_whoami shows
	}
	p := r.setup.Start(t).Join(t)
	r.url, r.shown[p.URL] = p.URL, "https://leadline.example.org"
	key := product.NewKey(t, p.Storage(), access.Pro)
	paths := map[string]string{}
	for i, set := range p.Tools().Toolsets() {
		for _, tool := range set.Tools {
			if paths[tool.Name] == "" {
				paths[tool.Name] = "/mcp"
				if i > 0 {
					paths[tool.Name] += "?toolsets=" + set.Name
				}
			}
		}
	}
	for _, call := range recordedCalls {
		r.tool(paths[call.tool], call.tool, call.args, key)
		delete(paths, call.tool)
	}
	if len(paths) > 0 {
		t.Errorf("these tools have no example: %v", paths)
	}
	files, err := filepath.Glob(toolExamplesFolder + "/*.json")
	if err != nil || len(files) != len(recordedCalls) && !*product.Update {
		t.Errorf("%d examples in the folder, want %d, %v", len(files), len(recordedCalls), err)
	}
}

// tool records a call of a tool, with a key if it needs one, and compares it with its file.
func (r *recording) tool(path, tool, args, key string) {
	r.Helper()
	request, err := http.NewRequestWithContext(r.Context(), http.MethodPost, r.url+path,
		strings.NewReader(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call",`+
			`"params":{"name":%q,"arguments":%s}}`, tool, args)))
	if err != nil {
		r.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Forwarded-For", "198.51.100.7")
	if slices.ContainsFunc(keyedTools, func(c keyedTool) bool { return c.tool == tool }) {
		request.Header.Set("X-Api-Key", key)
	}
	switch { // by the limit of an address, of which leadline_whoami shows what remains
	case strings.Contains(path, "planning"):
		request.Header.Set("X-Forwarded-For", "198.51.100.9")
	case tool != "leadline_whoami":
		request.Header.Set("X-Forwarded-For", "198.51.100.8")
	}
	_, body, _ := strings.Cut(product.Fetch(r.T, request), "{")
	var got struct {
		Result struct {
			IsError           bool
			Content           []struct{ Text string }
			StructuredContent json.RawMessage
		}
	}
	product.Decode(r.T, "{"+body, &got)
	if got.Result.IsError || len(got.Result.Content) != 1 {
		r.Errorf("%s %s: %s", tool, args, body)
		return
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(docs.ToolExample{
		Label: docs.Simulated, Path: path, Arguments: json.RawMessage(args),
		Text: r.show(got.Result.Content[0].Text),
		StructuredContent: json.RawMessage(cut(r.T,
			[]byte(r.show(string(got.Result.StructuredContent))))),
	}); err != nil {
		r.Fatal(err)
	}
	file := filepath.Join(toolExamplesFolder, tool+".json")
	if *product.Update {
		if err := os.WriteFile(file, text.Bytes(), 0o644); err != nil {
			r.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		r.Error(err)
	} else if !bytes.Equal(text.Bytes(), want) {
		r.Errorf("%s is\n%s\nwant\n%s\n"+
			"review the difference after go test ./e2e/providers -run %s -update",
			tool, &text, want, r.Name())
	}
}

// toolName matches the name of a tool in a result.
var toolName = regexp.MustCompile(`\b(noaa|nws|astro|leadline)_[a-z_]+\b`)

// TestNamedTools calls every tool at the address of each tool set: no result names a tool that its
// address lacks, and where one would, it says which address has more.
func TestNamedTools(t *testing.T) {
	r := newRecording(t)
	p := r.setup.Start(t).Join(t)
	type call = struct{ tool, args string }
	calls := append(slices.Clone(recordedCalls),
		call{"leadline_get_day", `{"place":"Boston","activity":"boating"}`},
		call{"noaa_get_tide_predictions", `{"station":"8443970","include":["wind","decision"],` +
			`"activity":"boating"}`})
	sets := p.Tools().Toolsets()
	known, further := product.NamesOf(sets...), 0
	for _, set := range sets {
		offered := product.NamesOf(set)
		for _, call := range calls {
			if !slices.Contains(offered, call.tool) || call.tool == "noaa_get_reference_guide" {
				continue
			}
			reply := product.PostTo(t, p.URL+"/mcp?toolsets="+set.Name,
				product.CallOf(call.tool, call.args))
			if strings.Contains(reply, `"isError":true`) {
				continue // an error may name the tool that has the answer
			}
			for _, name := range toolName.FindAllString(reply, -1) {
				if !slices.Contains(offered, name) && slices.Contains(known, name) {
					t.Errorf("%s of the set %s names %s", call.tool, set.Name, name)
				}
			}
			further += strings.Count(reply, "Further tools are offered at")
		}
	}
	if further == 0 {
		t.Error("no result says which address has further tools")
	}
}
