package tools

import (
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"leadline/internal/coast"
	"leadline/internal/simulator/provider"
	"leadline/internal/stations"
	"leadline/internal/trials"
	"leadline/internal/upstream"
)

// heightsOf returns two days of predicted heights in meters above MLLW.
func heightsOf(t testing.TB, s *Set, station string) (heights []float64, source string) {
	t.Helper()
	out := get(t, s, "noaa_get_tide_predictions",
		fmt.Sprintf(`{"station":%q,"interval":"6","units":"metric","begin_date":"2026-11-20","end_date":"2026-11-21","time_zone":"gmt"}`,
			station))
	for _, h := range list(t, out, "series.heights") {
		heights = append(heights, h.(float64))
	}
	return heights, fmt.Sprint(sourceOf(out, "tide-prediction")["label"])
}

// furthest returns the largest difference between two columns.
func furthest(t testing.TB, a, b []float64) float64 {
	t.Helper()
	if len(a) != len(b) || len(a) == 0 {
		t.Fatalf("%d and %d heights", len(a), len(b))
	}
	most := 0.0
	for i := range a {
		most = max(most, math.Abs(a[i]-b[i]))
	}
	return most
}

// TestUpdate checks that newer constants of a reference station replace the embedded ones. A
// subordinate station uses the embedded constants, to which its offsets belong, until both
// are replaced. The sources name the constants in force.
func TestUpdate(t *testing.T) {
	r := simulated(t, nil)
	subordinate := ""
	for _, st := range r.Stations.All(stations.Tide) {
		if st.Reference == "8443970" && st.TideOffsets() != nil && !st.TideOffsets().Fixed {
			subordinate = st.ID
			break
		}
	}
	reference, _ := heightsOf(t, r.Set, "8443970")
	following, said := heightsOf(t, r.Set, subordinate)
	if strings.Contains(said, "metadata service") {
		t.Fatalf("before: %s", said)
	}
	before := follow(get(t, r.Set, "noaa_get_harmonic_constituents",
		`{"station":"8443970","units":"metric"}`), "constituents.0.amplitude").(float64)

	r.p.Revise("8443970", 0.25)
	if err := r.Overlay.Update(t.Context(), "8443970"); err != nil {
		t.Fatal(err)
	}
	constants := get(t, r.Set, "noaa_get_harmonic_constituents",
		`{"station":"8443970","units":"metric"}`)
	if !near(follow(constants, "constituents.0.amplitude"), before+0.25, 0.001) ||
		!strings.Contains(fmt.Sprint(sourceOf(constants, "harmonic-constituents")["label"]),
			"metadata service") {
		t.Errorf("M2 is %v, was %v; source %v",
			follow(constants, "constituents.0.amplitude"), before, constants["sources"])
	}
	// M2's node factor lies between 0.963 and 1.038.
	newer, said := heightsOf(t, r.Set, "8443970")
	if d := furthest(t, reference, newer); d < 0.25*0.95 || d > 0.25*1.05+0.002 {
		t.Errorf("the heights differ by %v m, want about 0.25", d)
	}
	if !strings.Contains(said, "metadata service gave on") {
		t.Errorf("the source says %q", said)
	}
	unchanged, said := heightsOf(t, r.Set, subordinate)
	if d := furthest(t, following, unchanged); d != 0 || strings.Contains(said, "metadata service") {
		t.Errorf("%s follows by %v m without its own offsets, and the source says %q",
			subordinate, d, said)
	}
	if err := r.Overlay.Update(t.Context(), subordinate); err != nil {
		t.Fatal(err)
	}
	changed, said := heightsOf(t, r.Set, subordinate)
	if d := furthest(t, following, changed); d < 0.1 || d > 0.5 ||
		!strings.Contains(said, "metadata service gave on") {
		t.Errorf("%s follows by %v m, and the source says %q", subordinate, d, said)
	}
	out := get(t, r.Set, "noaa_get_tide_predictions", `{"station":"8443970"}`)
	if s := sourceOf(out, "tide-prediction"); s["kind"] != "prediction" ||
		s["provider"] != coast.COOPS || s["freshness"] != "fresh" {
		t.Errorf("source %v", s)
	}
}

// TestUpdateOfCurrents checks the update of a reference bin and of a subordinate current
// station.
func TestUpdateOfCurrents(t *testing.T) {
	r := simulated(t, nil)
	const args = `{"station":%q,"begin_date":"2026-11-20","time_zone":"gmt"}`
	before := map[string]map[string]any{}
	for _, id := range []string{"EPT0003", "ACT0101"} {
		before[id] = get(t, r.Set, "noaa_get_current_predictions", fmt.Sprintf(args, id))
	}
	if err := r.Overlay.UpdateLists(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"EPT0003", "EPT0003_11", "ACT0101"} {
		if err := r.Overlay.Update(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	for id, old := range before {
		out := get(t, r.Set, "noaa_get_current_predictions", fmt.Sprintf(args, id))
		was, is := list(t, old, "events"), list(t, out, "events")
		if len(was) != len(is) || len(is) < 6 {
			t.Fatalf("%s: %d events, were %d", id, len(is), len(was))
		}
		for i := range is {
			if follow(is[i], "type") != follow(was[i], "type") ||
				timeAt(t, is[i], "time").Sub(timeAt(t, was[i], "time")).Abs() > time.Minute {
				t.Errorf("%s: %v, was %v", id, is[i], was[i])
			}
			if speed, ok := follow(was[i], "speed").(float64); ok &&
				!near(follow(is[i], "speed"), speed, 0.02) {
				t.Errorf("%s: %v, was %v", id, is[i], was[i])
			}
		}
		label := fmt.Sprint(sourceOf(out, "current-prediction")["label"])
		if !strings.Contains(label, "metadata service gave on") {
			t.Errorf("%s: the source says %q", id, label)
		}
	}
}

// TestUpdateRefused checks that a response with impossible constants changes nothing, and that
// stations without predictions are not requested.
func TestUpdateRefused(t *testing.T) {
	body := ""
	r := simulated(t, func(p http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			if body == "" || !strings.HasSuffix(q.URL.Path, "/harcon.json") {
				p.ServeHTTP(w, q)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"units":"meters","HarmonicConstituents":[%s],"self":null}`, body)
		})
	})
	for station, constants := range map[string]string{
		"8443970": ``,
		"8518750": `{"number":1,"name":"M2","description":"","amplitude":0,"phase_GMT":10,"phase_local":10,"speed":28.984104}`,
		"9414290": `{"number":1,"name":"M2","description":"","amplitude":1.5,"phase_GMT":10,"phase_local":10,"speed":28.984104}`,
		"8454000": `{"number":1,"name":"XX9","description":"","amplitude":1,"phase_GMT":10,"phase_local":10,"speed":28.984104}`,
		"9447130": `{"number":1,"name":"M2","description":"","amplitude":9999,"phase_GMT":10,"phase_local":10,"speed":28.984104}`,
	} {
		before, _ := heightsOf(t, r.Set, station)
		body = constants + " "
		if err := r.Overlay.Update(t.Context(), station); err == nil {
			t.Errorf("%s: constants %q are accepted", station, constants)
		}
		after, said := heightsOf(t, r.Set, station)
		if furthest(t, before, after) != 0 || strings.Contains(said, "metadata service") {
			t.Errorf("%s: changed by %v m, the source says %q", station, furthest(t, before, after), said)
		}
	}
	body = ""
	if err := r.Overlay.Update(t.Context(), "0000000"); err == nil {
		t.Error("an unknown station is updated")
	}
	if err := r.Overlay.UpdateLists(t.Context()); err != nil {
		t.Fatal(err)
	}
	asked := r.p.Requests("")
	if err := r.Overlay.Update(t.Context(), "9063020"); err != nil || r.p.Requests("") != asked {
		t.Errorf("a gauge that predicts nothing: %v, %d requests", err, r.p.Requests("")-asked)
	}
}

// TestRebuild checks that a cache file from an earlier run restores the overlay without
// requests.
func TestRebuild(t *testing.T) {
	r := simulated(t, nil)
	file := filepath.Join(t.TempDir(), "coops.cache")
	cachingClient := func(offline bool) *upstream.Client {
		client, err := upstream.New(upstream.Config{
			Provider: coast.COOPS, File: file, Offline: offline, Rate: 1e6, Burst: 1e6, UserAgent: "test",
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(client.Close)
		return client
	}
	up := cachingClient(false)
	r = r.withWater(up)
	r.p.Revise("8443970", 0.25)
	if err := r.Overlay.UpdateLists(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"8443970", "EPT0003"} {
		if err := r.Overlay.Update(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	if err := up.Save(); err != nil {
		t.Fatal(err)
	}
	want, _ := heightsOf(t, r.Set, "8443970")
	asked := r.p.Requests("")

	for _, alone := range []bool{true, false} {
		later := newRig(t, r.root, cachingClient(alone), offline(t, coast.NWS)).Set
		later.Overlay.Restore(t.Context())
		got, said := heightsOf(t, later, "8443970")
		if furthest(t, got, want) != 0 || !strings.Contains(said, "metadata service gave on") {
			t.Errorf("offline %v: the heights differ by %v m, the source says %q", alone,
				furthest(t, got, want), said)
		}
		if st, ok := later.Stations.Station("9063020"); !ok || st.Zone != "America/New_York" {
			t.Errorf("offline %v: Buffalo is %+v", alone, st)
		}
		found := get(t, later, "noaa_search_stations", `{"type":"waterlevels","query":"Buffalo"}`)
		if follow(found, "stations.0.id") != "9063020" {
			t.Errorf("offline %v: %v", alone, found["stations"])
		}
		bins := get(t, later, "noaa_get_harmonic_constituents", `{"station":"EPT0003"}`)
		if bins["bin"] != 14.0 {
			t.Errorf("offline %v: the default bin of EPT0003 is %v", alone, bins["bin"])
		}
		if n := r.p.Requests("") - asked; n != 0 {
			t.Errorf("offline %v: %d requests", alone, n)
		}
	}
	empty := newSet(t)
	empty.Overlay.Restore(t.Context()) // without a cache nothing changes
	if _, said := heightsOf(t, empty, "8443970"); strings.Contains(said, "metadata service") {
		t.Errorf("without a cache: the source says %q", said)
	}
}

// TestRequestedStations checks that a requested station is queued for an update, and an
// unknown id is not. The reference of a subordinate station is updated with it.
func TestRequestedStations(t *testing.T) {
	r := simulated(t, nil)
	if _, err := call(t, r.Set, "noaa_get_tide_predictions", `{"station":"8443971"}`); err == nil {
		t.Fatal("a result for an unknown id")
	}
	get(t, r.Set, "noaa_get_tide_predictions", `{"station":"8557863"}`)
	get(t, r.Set, "noaa_get_tide_predictions", `{"station":"8557863"}`)
	if id, ok, err := r.Overlay.UpdateNext(t.Context()); !ok || id != "8557863" || err != nil {
		t.Errorf("%q is queued: %v", id, err)
	}
	if st, _ := r.Stations.Station("8570280"); st.Updated().IsZero() {
		t.Error("the reference was not updated")
	}
	if id, ok, _ := r.Overlay.UpdateNext(t.Context()); ok {
		t.Errorf("%q is queued too", id)
	}
}

// stored serves bodies by path instead of the simulator's, and counts requests by path and
// query.
type stored struct {
	mu    sync.Mutex
	by    map[string]string
	asked map[string]int
}

func (b *stored) over(p http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		b.mu.Lock()
		body, ok := b.by[q.URL.Path]
		b.asked[q.URL.Path+"?bin="+q.URL.Query().Get("bin")]++
		b.mu.Unlock()
		if !ok {
			p.ServeHTTP(w, q)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, body)
	})
}

func (b *stored) serve(path, body string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.by[path] = body
}

const metadata = "/mdapi/prod/webapi/stations"

// TestWrongBin checks that nothing is replaced by the constants of another bin or by a
// truncated list. The list of current stations is unavailable, and NOAA's response has all
// bins of SFB1202, whose default is not the first one. NOAA CO-OPS, harcon of SFB1202: M2
// 1.769 kn at bin 1, 2.071 kn at bin 12, 2.024 kn at bin 17.
func TestWrongBin(t *testing.T) {
	recorded := sharedFile(t, "recordings2/mdapi/SFB1202_harcon_metric_TRIMMED.json")
	offsets := sharedFile(t, "recordings2/mdapi/PCT0291_1_currentpredictionoffsets.json")
	b := &stored{by: map[string]string{}, asked: map[string]int{}}
	r := simulated(t, b.over)
	r.p.Fail("/mdapi/prod/webapi/stations.json", provider.Fault{Kind: provider.Broken})
	if err := r.Overlay.UpdateLists(t.Context()); err == nil {
		t.Fatal("the lists are available")
	}
	const args = `{"station":%q,"begin_date":"2026-11-20","time_zone":"gmt"}`
	events := func(id string) string {
		out := get(t, r.Set, "noaa_get_current_predictions", fmt.Sprintf(args, id))
		return fmt.Sprint(out["events"], sourceOf(out, "current-prediction")["label"])
	}
	before := map[string]string{}
	for _, id := range []string{"SFB1202", "PCT0291", "SFB1201"} {
		before[id] = events(id)
	}
	b.serve(metadata+"/SFB1202/harcon.json", recorded)
	b.serve(metadata+"/PCT0291_1/currentpredictionoffsets.json", offsets)
	for id, want := range map[string]string{
		"SFB1202": "6 constituents, where 25 are known", // bin 17 of the recording
		"PCT0291": "bin of PCT0291 is not known",
		"SFB1201": "bin of SFB1201 is not known", // no bin number of this station is known
	} {
		if err := r.Overlay.Update(t.Context(), id); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", id, err, want)
		}
		if got := events(id); got != before[id] {
			t.Errorf("%s is predicted by %s, was by %s", id, got, before[id])
		}
	}
	constants := get(t, r.Set, "noaa_get_harmonic_constituents", `{"station":"SFB1202"}`)
	if follow(constants, "constituents.0.amplitude") != 2.024 || constants["bin"] != 17.0 {
		t.Errorf("M2 is %v at bin %v, want 2.024 at bin 17",
			follow(constants, "constituents.0.amplitude"), constants["bin"])
	}
	if b.asked[metadata+"/SFB1202/harcon.json?bin=17"] == 0 ||
		b.asked[metadata+"/SFB1202/harcon.json?bin="] > 0 ||
		b.asked[metadata+"/SFB1201/harcon.json?bin="] > 0 {
		t.Errorf("requests: %v", b.asked)
	}
	// With the list and the complete document, the new constants of bin 17 replace the old
	// ones, also for the station that refers to it.
	b = &stored{
		by:    map[string]string{metadata + "/PCT0291_1/currentpredictionoffsets.json": offsets},
		asked: map[string]int{},
	}
	r = simulated(t, b.over)
	if err := r.Overlay.UpdateLists(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := r.Overlay.Update(t.Context(), "PCT0291"); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"SFB1202", "PCT0291"} {
		if got := events(id); !strings.Contains(got, "metadata service gave on") {
			t.Errorf("%s: %s", id, got)
		}
	}
	constants = get(t, r.Set, "noaa_get_harmonic_constituents", `{"station":"SFB1202"}`)
	if follow(constants, "constituents.0.amplitude") != 2.024 || constants["bin"] != 17.0 {
		t.Errorf("M2 is %v at bin %v, want 2.024 at bin 17",
			follow(constants, "constituents.0.amplitude"), constants["bin"])
	}
	out := get(t, r.Set, "noaa_get_current_predictions", fmt.Sprintf(args, "PCT0291"))
	if follow(out, "directions.flood") != 70.0 || follow(out, "directions.ebb") != 266.0 ||
		follow(out, "directions.directionSource") != "noaa_mean" {
		t.Errorf("directions %v", out["directions"])
	}
}

// TestOtherReferenceBin checks that offsets are refused if NOAA applies them to a bin other
// than the station's reference bin.
func TestOtherReferenceBin(t *testing.T) {
	offsets := sharedFile(t, "recordings2/mdapi/PCT0291_1_currentpredictionoffsets.json")
	b := &stored{by: map[string]string{}, asked: map[string]int{}}
	r := simulated(t, b.over)
	if err := r.Overlay.UpdateLists(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.serve(metadata+"/PCT0291_1/currentpredictionoffsets.json",
		strings.Replace(offsets, `"refStationBin": 17`, `"refStationBin": 12`, 1))
	if err := r.Overlay.Update(t.Context(), "PCT0291"); err == nil ||
		!strings.Contains(err.Error(), "SFB1202_12") {
		t.Errorf("offsets from bin 12: %v", err)
	}
	if st, _ := r.Stations.Station("PCT0291"); !st.Obtained(stations.PartOffsets).IsZero() {
		t.Error("offsets from bin 12 are in force")
	}
}

// TestMeanDirections checks that NOAA's mean directions of a reference bin replace the
// directions of the axis. NOAA CO-OPS, EPT0003: flood toward 260, ebb toward 90.
func TestMeanDirections(t *testing.T) {
	b := &stored{by: map[string]string{}, asked: map[string]int{}}
	r := simulated(t, b.over)
	b.serve(metadata+"/EPT0003_14/currentpredictionoffsets.json",
		`{"id":"EPT0003","refStationId":"EPT0003","refStationBin":14,"meanFloodDir":260.0,"meanEbbDir":90.0,"mfcTimeAdjMin":null,"self":null}`)
	if err := r.Overlay.UpdateLists(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := r.Overlay.Update(t.Context(), "EPT0003"); err != nil {
		t.Fatal(err)
	}
	out := get(t, r.Set, "noaa_get_current_predictions",
		`{"station":"EPT0003","bin":14,"units":"metric"}`)
	if follow(out, "directions.flood") != 260.0 || follow(out, "directions.ebb") != 90.0 ||
		follow(out, "directions.directionSource") != "noaa_mean" || out["bin"] != 14.0 ||
		!near(out["depth"], 3.96, 0.05) {
		t.Errorf("bin %v at %v, directions %v", out["bin"], out["depth"], out["directions"])
	}
}

// TestReplacedTogether checks that constants, datums and offsets are replaced together or not
// at all if any of the documents fails or is truncated.
func TestReplacedTogether(t *testing.T) {
	const sub, ref = "8557863", "8570280"
	trimmed := `{"units":"meters","HarmonicConstituents":[{"number":1,"name":"M2","description":"","amplitude":1,"phase_GMT":10,"phase_local":10,"speed":28.984104}],"self":null}`
	levels := `{"accepted":"","superseded":"","epoch":"2002-2020","units":"meters","datums":[{"name":"MSL","description":"","value":1.0},{"name":"MLLW","description":"","value":0.2}]}`
	for what, broken := range map[string]struct{ path, body string }{
		"constants fail":    {metadata + "/" + ref + "/harcon.json", ""},
		"datums fail":       {metadata + "/" + ref + "/datums.json", ""},
		"offsets fail":      {metadata + "/" + sub + "/tidepredoffsets.json", ""},
		"constants trimmed": {metadata + "/" + ref + "/harcon.json", trimmed},
		"datums trimmed":    {metadata + "/" + ref + "/datums.json", levels},
		"offsets trimmed": {
			metadata + "/" + sub + "/tidepredoffsets.json", `{"refStationId":"8570280","type":"S"}`,
		},
	} {
		b := &stored{by: map[string]string{}, asked: map[string]int{}}
		r := simulated(t, b.over)
		before, _ := heightsOf(t, r.Set, sub)
		reference, _ := heightsOf(t, r.Set, ref)
		r.p.Revise(ref, 0.25)
		if broken.body == "" {
			r.p.Fail(broken.path, provider.Fault{Kind: provider.Broken})
		} else {
			b.serve(broken.path, broken.body)
		}
		if err := r.Overlay.Update(t.Context(), sub); err == nil {
			t.Errorf("%s: %s is replaced", what, sub)
		}
		if !strings.HasPrefix(what, "offsets") {
			if err := r.Overlay.Update(t.Context(), ref); err == nil {
				t.Errorf("%s: %s is replaced", what, ref)
			}
		}
		after, said := heightsOf(t, r.Set, sub)
		if d := furthest(t, before, after); d != 0 || strings.Contains(said, "metadata service") {
			t.Errorf("%s: %s changes by %v m, the source says %q", what, sub, d, said)
		}
		now, said := heightsOf(t, r.Set, ref)
		if d := furthest(t, reference, now); d != 0 || strings.Contains(said, "metadata service") {
			t.Errorf("%s: %s changes by %v m, the source says %q", what, ref, d, said)
		}
	}
}

// sharedFile returns the content of a file in $LEADLINE_SHARED. It skips the test if the file
// is not available, or fails it if LEADLINE_REQUIRE=all is set.
func sharedFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(trials.Shared(t), filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
