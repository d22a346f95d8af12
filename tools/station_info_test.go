package tools

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"leadline/internal/coast"
	"leadline/internal/simulator/provider"
	"leadline/internal/stations"
	"leadline/internal/status"
	"leadline/internal/verify"
)

// ids returns the sorted ids of the stations at a path of a result.
func ids(t testing.TB, out any, path string) []string {
	t.Helper()
	var all []string
	for _, s := range list(t, out, path) {
		all = append(all, fmt.Sprint(follow(s, "id")))
	}
	slices.Sort(all)
	return all
}

// TestStationTypes checks that lists of what stations measure come from the metadata service,
// and that the stations in them are added to the directory. Lists from embedded data need no
// provider.
func TestStationTypes(t *testing.T) {
	t.Parallel()
	r := simulated(t, nil)
	offline := newSet(t)
	for _, kind := range []string{
		"waterlevels", "met", "currents", "watertemp", "airgap", "visibility", "cond", "physocean",
		"historicwl", "1minute",
	} {
		want := ids(t, r.raw(t, "/mdapi/prod/webapi/stations.json", "type", kind), "stations")
		var got []string
		for offset := any(0.0); offset != nil; {
			page := get(t, r.Set, "noaa_search_stations",
				fmt.Sprintf(`{"type":%q,"limit":100,"offset":%v}`, kind, offset))
			got = append(got, ids(t, page, "stations")...)
			if page["total"] != float64(len(want)) {
				t.Errorf("%s: total %v, want %d", kind, page["total"], len(want))
			}
			offset = page["nextOffset"]
		}
		slices.Sort(got)
		if len(want) == 0 || !slices.Equal(got, want) {
			t.Errorf("%s: %d stations, want %d", kind, len(got), len(want))
		}
		nearest := ids(t, get(t, r.Set, "noaa_find_nearest_stations",
			fmt.Sprintf(`{"latitude":42,"longitude":-75,"limit":3,"type":%q}`, kind)), "stations")
		for _, id := range nearest {
			if !slices.Contains(want, id) {
				t.Errorf("%s is not in the list of %s", id, kind)
			}
		}
		for _, tool := range []string{"noaa_search_stations", "noaa_find_nearest_stations"} {
			args := fmt.Sprintf(`{"type":%q}`, kind)
			if tool == "noaa_find_nearest_stations" {
				args = fmt.Sprintf(`{"latitude":42,"longitude":-75,"type":%q}`, kind)
			}
			if _, err := call(t, offline, tool, args); code(err) != coast.ProviderUnavailable ||
				!strings.Contains(err.Error(), "need no provider") {
				t.Errorf("%s of %s offline: %v", tool, kind, err)
			}
		}
	}
	for _, kind := range []string{"tidepredictions", "currentpredictions", "harcon", "datums"} {
		out := get(t, offline, "noaa_search_stations", fmt.Sprintf(`{"type":%q,"limit":1}`, kind))
		if total, _ := out["total"].(float64); total < 1000 {
			t.Errorf("%s offline: %v stations", kind, total)
		}
	}
}

// TestCachedList checks that a cached list serves requests while the service fails.
func TestCachedList(t *testing.T) {
	t.Parallel()
	r := simulated(t, nil)
	want := get(t, r.Set, "noaa_search_stations", `{"type":"met","limit":100}`)
	r.p.Fail(provider.Metadata, provider.Fault{Kind: provider.Unavailable})
	r.clock.at = noon.Add(48 * time.Hour)
	got := get(t, r.Set, "noaa_search_stations", `{"type":"met","limit":100}`)
	if fmt.Sprint(ids(t, got, "stations")) != fmt.Sprint(ids(t, want, "stations")) {
		t.Errorf("%v of %v stations", got["total"], want["total"])
	}
	_, err := call(t, r.Set, "noaa_search_stations", `{"type":"airgap"}`)
	if code(err) != coast.ProviderUnavailable {
		t.Errorf("a list that is not cached: %v", err)
	}
}

// TestLakesFound checks that gauges of the Great Lakes and weather stations, which are not
// embedded, are found by name, place and id after the lists are loaded.
func TestLakesFound(t *testing.T) {
	r := simulated(t, nil)
	before := get(t, r.Set, "noaa_search_stations", `{"query":"Buffalo"}`)
	if slices.Contains(ids(t, before, "stations"), "9063020") ||
		!lacks(before, "observes", "Great Lakes") {
		t.Errorf("before the lists: %v, missing %v", before["stations"], before["missing"])
	}
	if err := r.Overlay.UpdateLists(t.Context()); err != nil {
		t.Fatal(err)
	}
	found := get(t, r.Set, "noaa_search_stations", `{"query":"Buffalo","state":"NY"}`)
	buffalo := follow(found, "stations.0")
	if follow(buffalo, "id") != "9063020" || follow(buffalo, "predicts") != "nothing" ||
		follow(buffalo, "timeZone") != "America/New_York" ||
		fmt.Sprint(follow(buffalo, "observes")) != "[water levels weather]" ||
		lacks(found, "observes", "") {
		t.Errorf("Buffalo is %v, missing %v", buffalo, found["missing"])
	}
	if s := sourceOf(found, "observing-stations"); s == nil || s["provider"] != "NOAA CO-OPS" {
		t.Errorf("sources %v", found["sources"])
	}
	for _, test := range []struct {
		id, observes string
		latitude     float64
		longitude    float64
	}{
		{"9099064", "[water levels weather]", 46.77575, -92.092026},
		{"9449427", "[weather]", 48.86431, -122.76425},
		{"cb1401", "[currents]", 36.9838, -76.4436},
	} {
		near := follow(get(t, r.Set, "noaa_find_nearest_stations",
			fmt.Sprintf(`{"latitude":%v,"longitude":%v,"limit":1}`, test.latitude, test.longitude)),
			"stations.0")
		if follow(near, "id") != test.id || follow(near, "distanceKm") != 0.0 ||
			fmt.Sprint(follow(near, "observes")) != test.observes {
			t.Errorf("at %s: %v, want the station that observes %s", test.id, near, test.observes)
		}
	}
}

// TestInfoOfObservingStations checks the information on stations that only observe.
func TestInfoOfObservingStations(t *testing.T) {
	r := simulated(t, nil)
	if err := r.Overlay.UpdateLists(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ id, kind, observes, tools string }{
		{"9063020", "gauge", "[water levels weather]",
			"[noaa_get_water_levels noaa_get_water_level_summaries noaa_get_meteorological_data " +
				"noaa_get_station_sensors noaa_get_station_datums noaa_get_station_flood_levels]"},
		{"9446482", "gauge", "[weather]", "[noaa_get_meteorological_data noaa_get_station_sensors]"},
	} {
		out := get(t, r.Set, "noaa_get_station_info", fmt.Sprintf(`{"station":%q}`, test.id))
		if out["kind"] != test.kind || out["predictionKind"] != "none" ||
			fmt.Sprint(out["observes"]) != test.observes || fmt.Sprint(out["tools"]) != test.tools ||
			len(list(t, out, "datums")) != 0 {
			t.Errorf("%s: %v, predicts %v, observes %v, tools %v", test.id, out["kind"],
				out["predictionKind"], out["observes"], out["tools"])
		}
		s := sourceOf(out, "station-directory")
		if !strings.Contains(fmt.Sprint(s["label"]), "metadata service") {
			t.Errorf("%s: source %v", test.id, s)
		}
	}
	boston := get(t, r.Set, "noaa_get_station_info", `{"station":"8443970"}`)
	for _, tool := range []string{
		"noaa_get_tide_predictions", "noaa_get_water_levels", "noaa_get_meteorological_data",
		"noaa_get_station_sensors", "noaa_get_harmonic_constituents",
	} {
		if !strings.Contains(fmt.Sprint(boston["tools"]), tool) {
			t.Errorf("Boston lacks %s: %v", tool, boston["tools"])
		}
	}
	for _, tool := range list(t, boston, "tools") {
		if tool == "noaa_get_currents" || tool == "noaa_get_tide_prediction_offsets" {
			t.Errorf("Boston has %v", tool)
		}
	}
	for tool, args := range map[string]string{
		"noaa_get_tide_predictions":    `{"station":"9063020"}`,
		"noaa_get_current_predictions": `{"station":"9446482"}`,
	} {
		if _, err := call(t, r.Set, tool, args); code(err) != coast.ProductUnavailable {
			t.Errorf("%s %s: %v", tool, args, err)
		}
	}
}

// TestUnknownStation checks an unknown id while the metadata service responds and while it
// does not.
func TestUnknownStation(t *testing.T) {
	t.Parallel()
	live := []string{
		"noaa_get_water_levels", "noaa_get_meteorological_data", "noaa_get_currents",
		"noaa_get_station_sensors", "noaa_get_high_tide_flooding", "noaa_get_top_ten_water_levels",
		"noaa_get_extreme_water_levels", "noaa_get_water_level_summaries",
	}
	args := func(tool, id string) string {
		switch tool {
		case "noaa_get_meteorological_data":
			return fmt.Sprintf(`{"station":%q,"product":"wind"}`, id)
		case "noaa_get_water_level_summaries":
			return fmt.Sprintf(`{"station":%q,"product":"high_low"}`, id)
		}
		return fmt.Sprintf(`{"station":%q}`, id)
	}
	embedded := []string{
		"noaa_get_station_info", "noaa_get_station_datums", "noaa_get_station_flood_levels",
		"noaa_get_current_station_bins", "nws_get_wind_forecast",
	}
	up, down := simulated(t, nil), simulated(t, nil)
	down.p.Fail(provider.Metadata, provider.Fault{Kind: provider.Refuse})
	for _, tool := range append(slices.Clone(live), embedded...) {
		if _, err := call(t, up.Set, tool, args(tool, "8443971")); code(err) != coast.StationNotFound ||
			!strings.Contains(err.Error(), "8443970 (Boston)") {
			t.Errorf("%s while the service is up: %v", tool, err)
		}
		_, err := call(t, down.Set, tool, args(tool, "8443971"))
		if slices.Contains(live, tool) &&
			(code(err) != coast.ProviderUnavailable ||
				!strings.Contains(err.Error(), "could not be queried")) {
			t.Errorf("%s while the service is down: %v", tool, err)
		}
		if slices.Contains(embedded, tool) &&
			(code(err) != coast.StationNotFound || !strings.Contains(err.Error(), "could not be queried")) {
			t.Errorf("%s while the service is down: %v", tool, err)
		}
	}
	_, err := call(t, down.Set, "noaa_get_water_levels", `{"station":"9063020"}`)
	if code(err) != coast.ProviderUnavailable || !strings.Contains(err.Error(), "Great Lakes") {
		t.Errorf("a lake while the service is down: %v", err)
	}
}

// TestWeakCurrents checks that stations with weak and variable currents are known after the
// lists are loaded. They must be described as such, and never as stations without current.
func TestWeakCurrents(t *testing.T) {
	r := simulated(t, nil)
	_, err := call(t, r.Set, "noaa_get_current_predictions", `{"station":"ACT0261"}`)
	if code(err) != coast.ProductUnavailable ||
		!strings.Contains(err.Error(), "weak and variable: NOAA publishes no predictions for it") {
		t.Errorf("before the lists: %v", err)
	}
	if err := r.Overlay.UpdateLists(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"ACT0261", "PCT0161", "PUG1613"} {
		_, err := call(t, r.Set, "noaa_get_current_predictions", fmt.Sprintf(`{"station":%q}`, id))
		if code(err) != coast.ProductUnavailable ||
			!strings.Contains(err.Error(), "not the same as no current") ||
			!strings.Contains(err.Error(), "nearest current station") ||
			strings.Contains(err.Error(), "current station is "+id) {
			t.Errorf("%s: %v", id, err)
		}
		info := get(t, r.Set, "noaa_get_station_info", fmt.Sprintf(`{"station":%q}`, id))
		if info["kind"] != "current" || info["predictionKind"] != "none" ||
			!notes(info, "weak and variable") ||
			strings.Contains(fmt.Sprint(info["tools"]), "noaa_get_current_predictions") {
			t.Errorf("%s: %v, tools %v, notes %v", id, info["predictionKind"], info["tools"], info["notes"])
		}
		bins := get(t, r.Set, "noaa_get_current_station_bins", fmt.Sprintf(`{"station":%q}`, id))
		if follow(bins, "bins.0.bin") != 1.0 || follow(bins, "bins.0.predicted") != false {
			t.Errorf("%s: bins %v", id, bins["bins"])
		}
	}
	out := get(t, r.Set, "noaa_search_stations", `{"query":"ACT0261","type":"currentpredictions"}`)
	if out["total"] != 0.0 {
		t.Errorf("in the list of stations with predictions: %v", out["stations"])
	}
	_, err = call(t, r.Set, "noaa_get_current_predictions", `{"station":"ACT9999"}`)
	if code(err) != coast.StationNotFound || strings.Contains(err.Error(), "weak and variable") {
		t.Errorf("an unknown id with the lists loaded: %v", err)
	}
}

// TestUnpredictedOffline checks that every operation names the stations that NOAA does not
// predict, even offline.
func TestUnpredictedOffline(t *testing.T) {
	s := newSet(t)
	for _, test := range []struct {
		id    string
		code  coast.Code
		words []string
	}{
		{"ACT0261", coast.ProductUnavailable,
			[]string{"weak and variable: NOAA publishes no predictions for it", "2026-08-16",
				"not the same as no current"}},
		{"g10010", coast.ProductUnavailable,
			[]string{"weak and variable: NOAA publishes no predictions for it"}},
		// New Bedford, 41.64 N 70.9183 W, is in NOAA's list of 2021-05-11. The station at its
		// hurricane barrier is not.
		{"8447584", coast.StationNotFound,
			[]string{"8447584 (New Bedford) is retired", "2021-05-11", "nearest active station is 8447",
				" km away"}},
		{"TEC4773", coast.StationNotFound,
			[]string{"Fort-de-France", "is retired", "nearest active station is TEC47"}},
	} {
		for _, tool := range []string{
			"noaa_get_current_predictions", "noaa_get_tide_predictions", "noaa_get_station_info",
			"noaa_get_current_station_bins",
			"noaa_get_harmonic_constituents", "noaa_get_station_datums", "noaa_get_water_levels",
		} {
			_, err := call(t, s, tool, fmt.Sprintf(`{"station":%q}`, test.id))
			if code(err) != test.code {
				t.Errorf("%s of %s: %v, want %s", tool, test.id, err, test.code)
				continue
			}
			for _, want := range test.words {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%s of %s: %v, want %q in it", tool, test.id, err, want)
				}
			}
		}
	}
}

// TestNamedBin checks that an embedded bin is predicted offline if the request names it, with
// the same results as the default bin. Any other bin is refused with advice.
func TestNamedBin(t *testing.T) {
	s := newSet(t)
	const args = `{"station":%q%s,"begin_date":"2026-11-20"}`
	for id, bin := range map[string]int{"SFB1202": 17, "EPT0003": 14, "PEB0607": 7, "PCT1291": 1} {
		unnamed := get(t, s, "noaa_get_current_predictions", fmt.Sprintf(args, id, ""))
		named := get(t, s, "noaa_get_current_predictions",
			fmt.Sprintf(args, id, fmt.Sprintf(`,"bin":%d`, bin)))
		if named["bin"] != float64(bin) || unnamed["bin"] != float64(bin) ||
			fmt.Sprint(named["events"]) != fmt.Sprint(unnamed["events"]) ||
			len(list(t, named, "events")) == 0 {
			t.Errorf("%s, bin %d: %v, unnamed %v", id, bin, named["bin"], unnamed["bin"])
		}
		underscored := get(t, s, "noaa_get_current_predictions",
			fmt.Sprintf(args, fmt.Sprintf("%s_%d", id, bin), ""))
		if fmt.Sprint(underscored["events"]) != fmt.Sprint(unnamed["events"]) {
			t.Errorf("%s_%d has other events", id, bin)
		}
		_, err := call(t, s, "noaa_get_current_predictions", fmt.Sprintf(args, id, `,"bin":199`))
		if code(err) != coast.ProviderUnavailable || !strings.Contains(err.Error(), "Leave bin out") ||
			!strings.Contains(err.Error(), fmt.Sprintf("bin %d.", bin)) {
			t.Errorf("%s, bin 199: %v", id, err)
		}
	}
	further := get(t, s, "noaa_get_current_predictions", fmt.Sprintf(args, "EPT0003", `,"bin":11`))
	if further["bin"] != 11.0 {
		t.Errorf("another embedded bin: %v", further["bin"])
	}
	_, err := call(t, s, "noaa_get_current_predictions", fmt.Sprintf(args, "cb0102", `,"bin":1`))
	if code(err) != coast.ProviderUnavailable || !strings.Contains(err.Error(), "Leave bin out") {
		t.Errorf("an unknown bin: %v", err)
	}
}

// TestOtherDefault checks a station whose default bin in NOAA's list differs from the bin of
// the embedded constants. The embedded bin remains in use, and a note names the other one.
func TestOtherDefault(t *testing.T) {
	s := newSet(t)
	update := stations.Update{
		At: noon,
		Bins: []stations.DepthBin{
			{Number: 12, Predicted: true, Default: true},
			{Number: 17, Predicted: true},
		},
	}
	if err := s.Stations.Apply("SFB1202", update); err != nil {
		t.Fatal(err)
	}
	for args, noted := range map[string]bool{
		`{"station":"SFB1202"}`: true, `{"station":"EPT0003"}`: false,
	} {
		out := get(t, s, "noaa_get_current_predictions", args)
		if notes(out, `"bin": 12`) != noted || noted && out["bin"] != 17.0 {
			t.Errorf("%s: bin %v, notes %v", args, out["bin"], out["notes"])
		}
	}
}

// TestBins checks that bins and depths come from the metadata service. Offline the numbers
// are missing and never guessed.
func TestBins(t *testing.T) {
	r := simulated(t, nil)
	for _, id := range []string{"EPT0003", "PUG1515", "ACT0101"} {
		rows := list(t, r.raw(t, "/mdapi/prod/webapi/stations/"+id+".json", "units", "metric"),
			"stations")
		for units, foot := range map[string]float64{"metric": 1, "english": 0.3048} {
			out := get(t, r.Set, "noaa_get_current_station_bins",
				fmt.Sprintf(`{"station":%q,"units":%q}`, id, units))
			bins := map[any]any{}
			for _, b := range list(t, out, "bins") {
				bins[follow(b, "bin")] = b
			}
			if len(bins) != len(rows) || lacks(out, "depths", "") {
				t.Fatalf("%s: bins %v of %v", id, out["bins"], rows)
			}
			for i, row := range rows {
				b := bins[follow(row, "currbin")]
				depth, has := follow(row, "depth").(float64)
				if follow(b, "predicted") != true || follow(b, "default") != (i == 0) ||
					has != (follow(b, "depth") != nil) || has && !near(follow(b, "depth"), depth/foot, 0.05) {
					t.Errorf("%s: %v %v, the service has %v as number %d", id, b, out["depthUnit"], row, i)
				}
			}
		}
	}
	if err := r.Overlay.UpdateLists(t.Context()); err != nil {
		t.Fatal(err)
	}
	both := get(t, r.Set, "noaa_get_current_station_bins", `{"station":"cb0102"}`) // observed at 12 bins, predicted at one of them
	predicted := 0
	for _, b := range list(t, both, "bins") {
		if follow(b, "predicted") == true {
			predicted++
			if follow(b, "default") != true {
				t.Errorf("predicted and not the default: %v", b)
			}
		} else if follow(b, "default") != false || follow(b, "directions") != nil {
			t.Errorf("not predicted: %v", b)
		}
	}
	if len(list(t, both, "bins")) != 12 || predicted != 1 ||
		!notes(both, "Observations are of bin 4") {
		t.Errorf("observed and predicted: %v, notes %v", both["bins"], both["notes"])
	}
	alone := get(t, newSet(t), "noaa_get_current_station_bins", `{"station":"EPT0003"}`)
	if follow(alone, "bins.0.bin") != 14.0 || follow(alone, "bins.1.bin") != 11.0 ||
		follow(alone, "bins.0.depth") != nil || !lacks(alone, "depths and further bins", "") {
		t.Errorf("offline: %v, missing %v", alone["bins"], alone["missing"])
	}
	unnumbered := get(t, newSet(t), "noaa_get_current_station_bins", `{"station":"cb0102"}`)
	if follow(unnumbered, "bins.0.bin") != nil || !lacks(unnumbered, "depths, numbers", "") {
		t.Errorf("offline, of a bin that is not numbered: %v, missing %v",
			unnumbered["bins"], unnumbered["missing"])
	}
	_, err := call(t, r.Set, "noaa_get_current_station_bins", `{"station":"8443970"}`)
	if code(err) != coast.ProductUnavailable {
		t.Errorf("bins of a tide station: %v", err)
	}
}

// TestMeterBins checks the default bin of a meter without predictions, which is used if the
// request names no bin.
func TestMeterBins(t *testing.T) {
	r := served(t, http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case strings.HasSuffix(q.URL.Path, "/stations/zz0101.json"):
			fmt.Fprint(w, `{"count":1,"units":null,"stations":[{"project":"PORTS","id":"zz0101","name":"A Meter","lat":36.96,"lng":-76.01}],"self":null}`)
		case strings.HasSuffix(q.URL.Path, "/bins.json"):
			fmt.Fprint(w, `{"units":"meters","nbr_of_bins":2,"bin_size":1,"center_bin_1_dist":2,"real_time_bin":2,"bins":[{"num":1,"depth":12.2,"distance":2},{"num":2,"depth":null,"distance":3}],"self":null}`)
		default:
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"errorMsg":"No station was found","errorCode":404}`)
		}
	}))
	out := get(t, r.Set, "noaa_get_current_station_bins", `{"station":"zz0101","units":"metric"}`)
	for path, want := range map[string]any{
		"bins.0.bin": 1.0, "bins.0.depth": 12.2, "bins.0.default": false, "bins.0.predicted": false,
		"bins.1.bin": 2.0, "bins.1.depth": nil, "bins.1.default": true, "bins.2": nil, "depthUnit": "m",
	} {
		if got := follow(out, path); got != want {
			t.Errorf("%s is %v, want %v", path, got, want)
		}
	}
	if !notes(out, "predicts nothing") {
		t.Errorf("notes %v", out["notes"])
	}
}

// TestFurtherBin checks that predictions for a bin that is not embedded use its own constants
// from the metadata service. An unknown number is invalid.
func TestFurtherBin(t *testing.T) {
	r := simulated(t, nil)
	const span = `"begin_date":"2026-11-20","end_date":"2026-11-20","time_zone":"gmt"`
	out := get(t, r.Set, "noaa_get_current_predictions",
		`{"station":"EPT0003","bin":8,"interval":"30",`+span+`}`)
	predicted := r.raw(t, "/api/prod/datagetter", "format", "json", "time_zone", "gmt",
		"units", "english", "station", "EPT0003", "bin", "8", "product", "currents_predictions",
		"interval", "30", "begin_date", "20261120", "end_date", "20261120")
	rows := list(t, predicted, "current_predictions.cp")
	velocities := list(t, out, "series.velocities")
	if len(velocities) != len(rows) || out["bin"] != 8.0 {
		t.Fatalf("%d velocities of %d rows, bin %v", len(velocities), len(rows), out["bin"])
	}
	for i, row := range rows {
		if !near(velocities[i], follow(row, "Velocity_Major").(float64), 0.02) {
			t.Errorf("at %v: %v, the service has %v", follow(row, "Time"), velocities[i],
				follow(row, "Velocity_Major"))
		}
	}
	if depth, _ := valueOf(t, follow(rows[0], "Depth")); !near(out["depth"], depth, 0.05) {
		t.Errorf("depth %v, want %v", out["depth"], depth)
	}
	_, err := call(t, r.Set, "noaa_get_current_predictions", `{"station":"EPT0003","bin":3}`)
	if code(err) != coast.InvalidRequest || !strings.Contains(err.Error(), "4, 8, 11, 14") {
		t.Errorf("a bin that does not exist: %v", err)
	}
	_, err = call(t, r.Set, "noaa_get_current_predictions", `{"station":"EPT0003","bin":14}`)
	if err != nil {
		t.Errorf("the default bin by number: %v", err)
	}
}

// TestSensors checks that each sensor names the tool and product that return its values, and
// that a request for these succeeds.
func TestSensors(t *testing.T) {
	r := simulated(t, nil)
	for _, station := range []string{"8443970", "8638610", "8517986", "9063020"} {
		document := r.raw(t, "/mdapi/prod/webapi/stations/"+station+"/sensors.json", "units", "metric")
		published := list(t, document, "sensors")
		out := get(t, r.Set, "noaa_get_station_sensors",
			fmt.Sprintf(`{"station":%q,"units":"metric"}`, station))
		sensors := list(t, out, "sensors")
		if len(sensors) != len(published) {
			t.Fatalf("%s: %d sensors of %d", station, len(sensors), len(published))
		}
		for i, s := range sensors {
			want := published[i]
			elevation, has := follow(want, "elevation").(float64)
			if follow(s, "name") != follow(want, "name") || follow(s, "id") != follow(want, "sensorID") ||
				has != (follow(s, "elevation") != nil) || has && !near(follow(s, "elevation"), elevation, 0) ||
				follow(s, "working") != true {
				t.Errorf("%s: %v, the service has %v", station, s, want)
			}
			args := fmt.Sprintf(`{"station":%q`, station)
			if product := follow(s, "product"); product != nil {
				args += fmt.Sprintf(`,"product":%q`, product)
			}
			if station == "9063020" && follow(s, "product") == nil {
				args += `,"datum":"IGLD"`
			}
			if tool, ok := follow(s, "tool").(string); !ok {
				t.Errorf("%s: no tool reads %v", station, s)
			} else if _, err := call(t, r.Set, tool, args+"}"); err != nil {
				t.Errorf("%s: %v: %v", station, follow(s, "name"), err)
			}
		}
	}
	_, err := call(t, r.Set, "noaa_get_station_sensors", `{"station":"ACT0091"}`)
	if code(err) != coast.ProductUnavailable {
		t.Errorf("a station without sensors: %v", err)
	}
}

// TestSensorNames checks names of sensors as the service spells them, and the tools that
// return their values.
func TestSensorNames(t *testing.T) {
	r := simulated(t, func(p http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			if !strings.HasSuffix(q.URL.Path, "/sensors.json") {
				p.ServeHTTP(w, q)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"units":"feet","sensors":[
{"status":1,"refdatum":"MSL","sensorID":"0","name":"Site","elevation":8.0,"message":"","dcp":1},
{"status":0,"refdatum":"","sensorID":"A1","name":"Acoustic WL","elevation":null,"message":"<b>out</b> of  order","dcp":1},
{"status":1,"refdatum":"","sensorID":"U1","name":"Tsunami WL","elevation":null,"message":"","dcp":1},
{"status":1,"refdatum":"MSL","sensorID":"F1","name":"Barometric Pressure","elevation":10.0,"message":"","dcp":1}],"self":null}`)
		})
	})
	out := get(t, r.Set, "noaa_get_station_sensors", `{"station":"8443970"}`)
	if got := fmt.Sprint(ids(t, out, "sensors")); got != "[A1 F1 U1]" {
		t.Errorf("sensors %s", got)
	}
	for path, want := range map[string]any{
		"sensors.0.working": false, "sensors.0.message": "out of order",
		"sensors.0.tool": "noaa_get_water_levels", "sensors.0.elevation": nil,
		"sensors.1.tool": nil, "sensors.2.product": "air_pressure", "sensors.2.elevation": 10.0,
		"sensors.2.datum": "MSL", "heightUnit": "ft",
	} {
		if got := follow(out, path); !agrees(got, want) {
			t.Errorf("%s is %v, want %v", path, got, want)
		}
	}
}

// TestInfoLists checks the parts that expand requests from the metadata service. If that
// fails, its parts are missing and the rest is returned.
func TestInfoLists(t *testing.T) {
	t.Parallel()
	r := simulated(t, nil)
	const args = `{"station":"8443970","expand":["details","sensors","floodlevels","datums","products","notices","disclaimers","benchmarks","bins","deployments","nearby"]}`
	out := get(t, r.Set, "noaa_get_station_info", args)
	for path, want := range map[string]any{
		"details.established": "1921-01-01", "lists.benchmarks.0.designation": "844 3970 A",
		"lists.products.0.name": "Water Levels", "floodLevels.0.basis": "published",
		"lists.benchmarks.0.description": "The bench mark is a disk set in concrete. " +
			"It stands near the tide station.",
		"lists.sensors.0.name": "Wind", "datumLevels.0.name": "HAT",
	} {
		if got := follow(out, path); got != want {
			t.Errorf("%s is %v, want %v", path, got, want)
		}
	}
	down := simulated(t, nil)
	down.p.Fail(provider.Metadata, provider.Fault{Kind: provider.Refuse})
	out = get(t, down.Set, "noaa_get_station_info", args)
	for _, part := range []string{
		"sensors", "products", "notices", "disclaimers", "benchmarks", "deployments",
	} {
		if !lacks(out, part, "") {
			t.Errorf("%s is not missing: %v", part, out["missing"])
		}
	}
	if follow(out, "floodLevels.0.basis") != "derived" || follow(out, "datumLevels.0.name") != "HAT" ||
		len(list(t, out, "nearby")) != 6 {
		t.Errorf("without the service: flood levels %v, datums %v",
			out["floodLevels"], out["datumLevels"])
	}
}

// TestStatus checks that the status is operational, that a failed provider changes it to degraded,
// and that without the store the service is down.
func TestStatus(t *testing.T) {
	s := newSet(t)
	out, err := s.Server.Status(t.Context(), StatusInput{})
	if err != nil || out.Status != "operational" || out.Components == nil ||
		out.Incidents == nil || out.Maintenance == nil {
		t.Errorf("%v: %+v", err, out)
	}
	for _, state := range []string{"operational", "degraded", "down"} {
		c := s.Config
		c.Probes = func(context.Context) []status.Component {
			return []status.Component{{Name: "nws", Status: coast.ServiceStatus(state), Message: "m"}}
		}
		want := map[string]string{"operational": "operational"}[state]
		if want == "" {
			want = "degraded"
		}
		if out, _ = New(c).Server.Status(t.Context(), StatusInput{}); string(out.Status) != want ||
			len(out.Components) != 1 || out.Components[0].CheckedAt != nil {
			t.Errorf("with the weather service %s: %+v", state, out)
		}
	}
	c := s.Config
	c.Notices = func(context.Context, status.Kind) ([]status.Incident, error) { return nil, nil }
	for _, fault := range []error{nil, errors.New("damaged")} {
		c.Verified = func(context.Context) (verify.Snapshot, error) { return verify.Snapshot{}, fault }
		out, err = New(c).Server.Status(t.Context(), StatusInput{})
		if err != nil || (out.Verification == nil) != (fault != nil) {
			t.Errorf("with %v, verification is %+v: %v", fault, out.Verification, err)
		}
	}
	c.Probes = func(context.Context) []status.Component {
		return []status.Component{{Name: status.StoreName, Status: status.Down, Message: "m"}}
	}
	out, err = New(c).Server.Status(t.Context(), StatusInput{})
	if err != nil || out.Status != status.Down || out.Failure() == nil ||
		out.Error.Code != coast.StoreUnavailable {
		t.Errorf("without the store: %+v %v", out, err)
	}
}
