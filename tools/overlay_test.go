package tools

import (
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"leadline/internal/coast"
	"leadline/internal/noaa"
	"leadline/internal/stations"
	"leadline/internal/upstream"
)

var silent = slog.New(slog.DiscardHandler)

// heightsOf are two days of predicted heights in metres above MLLW.
func heightsOf(t testing.TB, s *Set, station string) (heights []float64, source string) {
	t.Helper()
	out := get(t, s, "noaa_get_tide_predictions", fmt.Sprintf(`{"station":%q,"interval":"6","units":"metric","begin_date":"2026-11-20","end_date":"2026-11-21","time_zone":"gmt"}`, station))
	for _, h := range list(t, out, "series.heights") {
		heights = append(heights, h.(float64))
	}
	return heights, fmt.Sprint(sourceOf(out, "tide-prediction")["label"])
}

// furthest is the largest difference of two columns.
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

// TestLook: newer constants of a reference station are laid over the embedded
// ones; its subordinate stations follow, and the sources say so.
func TestLook(t *testing.T) {
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
	before := follow(get(t, r.Set, "noaa_get_harmonic_constituents", `{"station":"8443970","units":"metric"}`), "constituents.0.amplitude").(float64)

	r.p.Revise("8443970", 0.25)
	if err := r.Look(t.Context(), "8443970"); err != nil {
		t.Fatal(err)
	}
	constants := get(t, r.Set, "noaa_get_harmonic_constituents", `{"station":"8443970","units":"metric"}`)
	if !near(follow(constants, "constituents.0.amplitude"), before+0.25, 0.001) || !strings.Contains(fmt.Sprint(sourceOf(constants, "harmonic-constituents")["label"]), "metadata service") {
		t.Errorf("M2 is %v, was %v; source %v", follow(constants, "constituents.0.amplitude"), before, constants["sources"])
	}
	// M2's node factor lies between 0.963 and 1.038.
	newer, said := heightsOf(t, r.Set, "8443970")
	if d := furthest(t, reference, newer); d < 0.25*0.95 || d > 0.25*1.05+0.002 {
		t.Errorf("the heights differ by %v m, want about 0.25", d)
	}
	if !strings.Contains(said, "metadata service gave on") {
		t.Errorf("the source says %q", said)
	}
	changed, said := heightsOf(t, r.Set, subordinate)
	if d := furthest(t, following, changed); d < 0.1 || d > 0.5 || !strings.Contains(said, "metadata service gave on") {
		t.Errorf("%s follows by %v m, and the source says %q", subordinate, d, said)
	}
	if err := r.Look(t.Context(), subordinate); err != nil {
		t.Fatal(err)
	}
	if _, said := heightsOf(t, r.Set, subordinate); !strings.Contains(said, "metadata service gave on") {
		t.Errorf("%s: the source says %q", subordinate, said)
	}
	out := get(t, r.Set, "noaa_get_tide_predictions", `{"station":"8443970"}`)
	if s := sourceOf(out, "tide-prediction"); s["kind"] != "prediction" || s["provider"] != coast.COOPS || s["freshness"] != "fresh" {
		t.Errorf("source %v", s)
	}
}

// TestLookAtCurrents: a reference bin and a subordinate station of currents.
func TestLookAtCurrents(t *testing.T) {
	r := simulated(t, nil)
	const args = `{"station":%q,"begin_date":"2026-11-20","time_zone":"gmt"}`
	before := map[string]map[string]any{}
	for _, id := range []string{"EPT0003", "ACT0101"} {
		before[id] = get(t, r.Set, "noaa_get_current_predictions", fmt.Sprintf(args, id))
	}
	if err := r.JoinLists(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"EPT0003", "EPT0003_11", "ACT0101"} {
		if err := r.Look(t.Context(), id); err != nil {
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
			if follow(is[i], "type") != follow(was[i], "type") || timeAt(t, is[i], "time").Sub(timeAt(t, was[i], "time")).Abs() > time.Minute {
				t.Errorf("%s: %v, was %v", id, is[i], was[i])
			}
			if speed, ok := follow(was[i], "speed").(float64); ok && !near(follow(is[i], "speed"), speed, 0.02) {
				t.Errorf("%s: %v, was %v", id, is[i], was[i])
			}
		}
		if label := fmt.Sprint(sourceOf(out, "current-prediction")["label"]); !strings.Contains(label, "metadata service gave on") {
			t.Errorf("%s: the source says %q", id, label)
		}
	}
}

// TestLookRefused: an answer that cannot be constants changes nothing, and
// stations that predict nothing are not asked for.
func TestLookRefused(t *testing.T) {
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
		if err := r.Look(t.Context(), station); err == nil {
			t.Errorf("%s: constants %q are taken", station, constants)
		}
		after, said := heightsOf(t, r.Set, station)
		if furthest(t, before, after) != 0 || strings.Contains(said, "metadata service") {
			t.Errorf("%s: changed by %v m, the source says %q", station, furthest(t, before, after), said)
		}
	}
	body = ""
	if err := r.Look(t.Context(), "0000000"); err == nil {
		t.Error("a station that is none is looked at")
	}
	if err := r.JoinLists(t.Context()); err != nil {
		t.Fatal(err)
	}
	asked := r.p.Requests("")
	if err := r.Look(t.Context(), "9063020"); err != nil || r.p.Requests("") != asked {
		t.Errorf("a gauge that predicts nothing: %v, %d requests", err, r.p.Requests("")-asked)
	}
}

// TestRebuild lays over the directory what was kept of an earlier run, and
// asks nobody.
func TestRebuild(t *testing.T) {
	r := simulated(t, nil)
	file := filepath.Join(t.TempDir(), "coops.cache")
	keeping := func(offline bool) *upstream.Client {
		client, err := upstream.New(upstream.Config{Provider: coast.COOPS, File: file, Offline: offline, Rate: 1e6, Burst: 1e6, UserAgent: "test"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(client.Close)
		return client
	}
	up := keeping(false)
	r.Water = noaa.New(r.root, up)
	r.Water.Now = frozen(noon)
	r.p.Revise("8443970", 0.25)
	if err := r.JoinLists(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"8443970", "EPT0003"} {
		if err := r.Look(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	if err := up.Save(); err != nil {
		t.Fatal(err)
	}
	want, _ := heightsOf(t, r.Set, "8443970")
	asked := r.p.Requests("")

	for _, offline := range []bool{true, false} {
		later := newSet(t)
		later.Water = noaa.New(r.root, keeping(offline))
		later.Rebuild(t.Context(), silent)
		got, said := heightsOf(t, later, "8443970")
		if furthest(t, got, want) != 0 || !strings.Contains(said, "metadata service gave on") {
			t.Errorf("offline %v: the heights differ by %v m, the source says %q", offline, furthest(t, got, want), said)
		}
		if st, ok := later.Stations.Station("9063020"); !ok || st.Zone != "America/New_York" {
			t.Errorf("offline %v: Buffalo is %+v", offline, st)
		}
		found := get(t, later, "noaa_search_stations", `{"type":"waterlevels","query":"Buffalo"}`)
		if follow(found, "stations.0.id") != "9063020" {
			t.Errorf("offline %v: %v", offline, found["stations"])
		}
		bins := get(t, later, "noaa_get_harmonic_constituents", `{"station":"EPT0003"}`)
		if bins["bin"] != 14.0 {
			t.Errorf("offline %v: the default bin of EPT0003 is %v", offline, bins["bin"])
		}
		if n := r.p.Requests("") - asked; n != 0 {
			t.Errorf("offline %v: %d requests", offline, n)
		}
	}
	empty := newSet(t)
	empty.Rebuild(t.Context(), silent) // nothing was kept: nothing happens
	if _, said := heightsOf(t, empty, "8443970"); strings.Contains(said, "metadata service") {
		t.Errorf("of nothing: the source says %q", said)
	}
}

// TestWaiting: a station waits once a day at most, in the order in which it
// was asked for, and the queue has an end.
func TestWaiting(t *testing.T) {
	var w waiting
	if _, ok := w.next(); ok {
		t.Error("something waits in an empty queue")
	}
	w.add("a", noon)
	w.add("b", noon)
	w.add("a", noon.Add(time.Hour))
	for _, want := range []string{"a", "b"} {
		if id, ok := w.next(); !ok || id != want {
			t.Errorf("%q waits, want %q", id, want)
		}
	}
	w.add("a", noon.Add(lookEvery-1))
	if id, ok := w.next(); ok {
		t.Errorf("%q waits again within a day", id)
	}
	w.add("a", noon.Add(lookEvery))
	if id, ok := w.next(); !ok || id != "a" {
		t.Errorf("a day later %q waits", id)
	}
	for i := range mostWaits + 5 {
		w.add(fmt.Sprint(i), noon.Add(3*lookEvery))
	}
	n := 0
	for _, ok := w.next(); ok; _, ok = w.next() {
		n++
	}
	if n != mostWaits {
		t.Errorf("%d wait, want %d", n, mostWaits)
	}
	w.add(fmt.Sprint(mostWaits+1), noon.Add(3*lookEvery)) // who found no place is not taken for looked at
	if _, ok := w.next(); !ok {
		t.Error("who found no place before does not wait")
	}
}

// TestAskedFor: what is asked for waits to be looked at, an id that is none
// does not; the reference of a subordinate station waits after it.
func TestAskedFor(t *testing.T) {
	r := simulated(t, nil)
	if _, err := call(t, r.Set, "noaa_get_tide_predictions", `{"station":"8443971"}`); err == nil {
		t.Fatal("an unknown id is answered")
	}
	get(t, r.Set, "noaa_get_tide_predictions", `{"station":"8557863"}`)
	get(t, r.Set, "noaa_get_tide_predictions", `{"station":"8557863"}`)
	if id, ok := r.waiting.next(); !ok || id != "8557863" {
		t.Errorf("%q waits", id)
	}
	if err := r.Look(t.Context(), "8557863"); err != nil {
		t.Fatal(err)
	}
	if id, ok := r.waiting.next(); !ok || id != "8570280" {
		t.Errorf("%q waits, want the reference", id)
	}
	if id, ok := r.waiting.next(); ok {
		t.Errorf("%q waits too", id)
	}
}
