package tools

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"leadline/internal/coast"
	"leadline/internal/facts"
	"leadline/internal/levels"
	"leadline/internal/noaa"
	"leadline/internal/operation"
	"leadline/internal/place"
	"leadline/internal/planning"
	"leadline/internal/simulator/provider"
	"leadline/internal/stations"
	"leadline/internal/trials"
	"leadline/internal/upstream"
)

// staffOnly returns a provider with one gauge. The gauge observes one height above station
// datum, twelve and six minutes before noon. Above any other datum the height is off by a
// meter, as if NOAA had converted it with datums of another epoch.
func staffOnly(height float64) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if q.URL.Query().Get("product") != "water_level" {
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"errorMsg":"No station was found","errorCode":404}`)
			return
		}
		v := height
		if q.URL.Query().Get("datum") != "STND" {
			v++
		}
		row := func(before time.Duration) string {
			return fmt.Sprintf(`{"t":%q, "v":"%.3f", "s":"0.010", "f":"0,0,0,0", "q":"p"}`,
				noon.Add(-before).Format("2006-01-02 15:04"), v)
		}
		fmt.Fprintf(w, `{"metadata":{"id":%q,"name":"x","lat":"42","lon":"-71"},"data":[%s,%s]}`,
			q.URL.Query().Get("station"), row(12*time.Minute), row(6*time.Minute))
	})
}

// TestResidualOfAnyDatums checks that a change of tidal datums does not change a residual. It
// moves each datum of a station at random by up to half a meter: observed minus predicted
// stays the same above every datum. The residual depends on mean sea level only, which is the
// zero of predictions, and changes exactly with it.
func TestResidualOfAnyDatums(t *testing.T) {
	const staff, id = 3.456, "8443970"
	r := served(t, staffOnly(staff))
	st, _ := r.Stations.Station(id)
	embedded, harmonics, differences := st.Datums(), st.Harmonics(), st.Differences()
	tides, _ := r.Stations.Tides(st, "MSL")
	var tide [1]float64 // above mean sea level
	tides.Heights(noon.Add(-6*time.Minute), time.Minute, tide[:])
	names := []string{"MHHW", "MHW", "DTL", "MTL", "MSL", "MLW", "MLLW", "NAVD", "STND", "LAT", "HAT"}
	random := rand.New(rand.NewPCG(3, 1983))
	for i := range trials.Cases() {
		mean := float64(random.IntN(2)*(random.IntN(1001)-500)) / 1000 // zero in half of the cases
		u := stations.Update{
			At: noon, Harmonics: harmonics, Differences: differences, FirstEpoch: 1900 + random.IntN(100),
			LastEpoch: 2020,
		}
		zero := 0.0
		for _, d := range embedded {
			switch d.Name {
			case "STND", "NAVD88":
			case "MSL":
				d.Value = math.Round((d.Value+mean)*1000) / 1000
				zero = d.Value
			default:
				d.Value = math.Round((d.Value+random.Float64()-0.5)*1000) / 1000
			}
			u.Datums = append(u.Datums, d)
		}
		if err := r.Stations.Apply(id, u); err != nil {
			t.Fatal(err)
		}
		want := staff - (tide[0] + zero)
		datum := names[i%len(names)]
		out, err := r.Levels.WaterLevels(t.Context(), levels.WaterLevelsInput{
			StationOrPlace: place.StationOrPlace{Station: id}, Interval: "6",
			Span:    operation.Span{Date: "latest"},
			OnDatum: operation.OnDatum{Datum: coast.Datum(datum)},
			InUnits: operation.InUnits{Units: "metric"}, InZone: operation.InZone{TimeZone: "gmt"},
		})
		if err != nil || out.Residual == nil {
			t.Fatalf("case %d, %s: %v, missing %v", i, datum, err, out.Missing)
		}
		if math.Abs(*out.Residual-want) > 0.0006 ||
			math.Abs(out.Newest.Height-*out.Predicted-*out.Residual) > 0.0016 {
			t.Fatalf("case %d, %s: observed %v, predicted %v, residual %v, want %v", i, datum,
				out.Newest.Height, *out.Predicted, *out.Residual, want)
		}
		if want := fmt.Sprintf("%d-2020", u.FirstEpoch); out.DatumEpoch != want ||
			out.Sources[0].DatumEpoch != want || out.Sources[1].DatumEpoch != want {
			t.Fatalf("case %d, %s: epoch %q, sources %+v, want %q",
				i, datum, out.DatumEpoch, out.Sources, want)
		}
	}
}

// TestResidualInDecisions checks that a flood decision uses the residual of the observed
// level, for all datums.
func TestResidualInDecisions(t *testing.T) {
	const staff, id = 3.456, "8443970"
	r := served(t, staffOnly(staff))
	st, _ := r.Stations.Station(id)
	for _, raise := range []float64{0, 0.06, -0.4} {
		u := stations.Update{
			At: noon, Harmonics: st.Harmonics(), Differences: st.Differences(), FirstEpoch: 2002,
			LastEpoch: 2020,
		}
		for _, d := range st.Embedded().Datums() {
			if d.Name != "STND" && d.Name != "NAVD88" && d.Name != "MSL" {
				d.Value += raise
			}
			u.Datums = append(u.Datums, d)
		}
		if err := r.Stations.Apply(id, u); err != nil {
			t.Fatal(err)
		}
		d, err := planning.NewInputs(r.facts.Set(), id, "coastal-living", nil)
		if err != nil {
			t.Fatal(err)
		}
		d.Gather(t.Context())
		tides, _ := r.Stations.Tides(st, "STND")
		var predicted [1]float64
		tides.Heights(noon.Add(-6*time.Minute), time.Minute, predicted[:])
		level := d.At(noon, nil).Level
		if want := (staff - predicted[0]) / 0.3048; level.Residual == nil ||
			math.Abs(*level.Residual-want) > 0.0006 {
			t.Fatalf("raised by %v m: residual %v ft, want %v", raise, level.Residual, want)
		}
		if zero, _ := levelOf(st, "MLLW"); math.Abs(*level.Height-(staff-zero)/0.3048) > 0.0006 ||
			level.Source.DatumEpoch != "2002-2020" {
			t.Errorf("raised by %v m: height %v ft above %v m, source %+v",
				raise, *level.Height, zero, level.Source)
		}
	}
}

func levelOf(st stations.Station, name string) (float64, bool) {
	for _, d := range st.Datums() {
		if d.Name == name {
			return d.Value, true
		}
	}
	return 0, false
}

// TestEpochs checks that results with heights name the epoch of their datums. NOAA CO-OPS,
// datums: Boston and the reference of Rehoboth Beach have 1983-2001, Juneau has the modified
// epoch 2012-2016, Rockport 2002-2006; NOAA's data names no epoch for Pago Pago. Currents and
// the Great Lakes have no tidal datums.
func TestEpochs(t *testing.T) {
	r := simulated(t, nil)
	for station, want := range map[string]any{
		"8443970": "1983-2001", "8557863": "1983-2001", "9452210": "2012-2016", "8774770": "2002-2006",
		"1770000": "unknown",
	} {
		for _, args := range []string{
			`noaa_get_tide_predictions {"station":%q}`,
			`noaa_get_tide_predictions {"station":%q,"interval":"h","range":6}`,
			`noaa_get_station_info {"station":%q}`,
		} {
			tool, args, _ := strings.Cut(fmt.Sprintf(args, station), " ")
			out := get(t, r.Set, tool, args)
			if out["datumEpoch"] != want {
				t.Errorf("%s %s: epoch %v, want %v", tool, args, out["datumEpoch"], want)
			}
			if s := sourceOf(out, "tide-prediction"); s != nil && s["datumEpoch"] != want {
				t.Errorf("%s %s: source %v, want the epoch %v", tool, args, s, want)
			}
		}
	}
	for _, args := range []string{
		`noaa_get_current_predictions {"station":"EPT0003"}`,
		`noaa_get_station_info {"station":"EPT0003"}`,
		`noaa_get_water_levels {"station":"9063020","datum":"IGLD"}`,
		`noaa_get_meteorological_data {"station":"8443970","product":"wind"}`,
	} {
		tool, args, _ := strings.Cut(args, " ")
		out := get(t, r.Set, tool, args)
		if _, has := out["datumEpoch"]; has {
			t.Errorf("%s %s: epoch %v, want none", tool, args, out["datumEpoch"])
		}
	}
}

// TestOtherEpochsAreNotCompared checks subordinate stations with a gauge. There is a residual
// if the gauge's datums have the same epoch as those of the reference station. There is no
// residual, and no picture with both, if the epochs differ or the epoch of the gauge's datums is
// unknown.
func TestOtherEpochsAreNotCompared(t *testing.T) {
	const id = "8447436" // subordinate to Boston
	document := `{"accepted":"","superseded":"","epoch":%q,"units":"meters","datums":[{"name":"MSL","description":"","value":1.5},{"name":"MLLW","description":"","value":1.0}]}`
	for epoch, compared := range map[string]bool{"1983-2001": true, "2002-2020": false, "": false} {
		b := &stored{
			by:    map[string]string{metadata + "/" + id + "/datums.json": fmt.Sprintf(document, epoch)},
			asked: map[string]int{},
		}
		r := served(t, b.over(staffOnly(2.5)))
		out := get(t, r.Set, "noaa_get_water_levels",
			fmt.Sprintf(`{"station":%q,"date":"latest","units":"metric"}`, id))
		if !near(follow(out, "newest.height"), 1.5, 0.0006) || out["datumEpoch"] != epochOr(epoch) {
			t.Errorf("epoch %q: observed %v, epoch %v", epoch, out["newest"], out["datumEpoch"])
		}
		if (out["residual"] != nil) != compared || (out["predicted"] != nil) != compared ||
			lacks(out, "predicted, residual", "not compared") == compared {
			t.Errorf("epoch %q: predicted %v, residual %v, missing %v", epoch, out["predicted"],
				out["residual"], out["missing"])
		}
		drawn, err := call(t, r.Set, "noaa_get_water_levels",
			fmt.Sprintf(`{"station":%q,"chart":true}`, id))
		if err != nil {
			t.Fatal(err)
		}
		text, _, err := drawn.Forms(1 << 20)
		if err != nil || (drawn.Image != nil) != compared ||
			strings.Contains(string(text), "they are not compared.\n") == compared {
			t.Errorf("epoch %q: %d bytes of picture, %v\n%s", epoch, len(drawn.Image), err, text)
		}
	}
}

func epochOr(epoch string) string {
	if epoch == "" {
		return "unknown"
	}
	return epoch
}

// TestSummariesAboveDatums checks that summaries of observed levels are requested above
// station datum and converted. NOAA CO-OPS, datums of Boston: MLLW 1.074 m, MHHW 4.205 m above
// station datum.
func TestSummariesAboveDatums(t *testing.T) {
	r := simulated(t, nil)
	for product, path := range map[string]string{
		"high_low": "rows.0.height", "daily_max_min": "rows.0.height", "monthly_mean": "months.0.MSL",
	} {
		at := func(datum string) any {
			out := get(t, r.Set, "noaa_get_water_level_summaries",
				fmt.Sprintf(`{"station":"8443970","product":%q,"units":"metric","datum":%q,"begin_date":"2026-09-01","end_date":"2026-10-31"}`,
					product, datum))
			if out["datumEpoch"] != "1983-2001" ||
				sourceOf(out, "observed-water-level-summary")["datumEpoch"] != "1983-2001" {
				t.Errorf("%s above %s: epoch %v", product, datum, out["datumEpoch"])
			}
			return follow(out, path)
		}
		staff, _ := at("STND").(float64)
		if staff == 0 || !near(at("MLLW"), staff-1.074, 0.0006) ||
			!near(at("MHHW"), staff-4.205, 0.0006) {
			t.Errorf("%s: %v above station datum, %v above MLLW, %v above MHHW",
				product, staff, at("MLLW"), at("MHHW"))
		}
	}
}

// TestImplausibleFloods checks that a published flood level is refused and listed in missing
// if it is implausible in meters above station datum. This happens if the response uses
// another unit without naming it. Plausible levels in the same response are used. NOAA
// CO-OPS, 9447130 Seattle: minor flooding begins 13.45 ft above MLLW, which is 6.519 m, or
// 21.39 ft, above station datum.
func TestImplausibleFloods(t *testing.T) {
	const feet = `{"nos_minor":21.39,"nos_moderate":22.26,"nos_major":null,"nws_minor":6.4,"nws_moderate":null,"nws_major":null,"action":4.9,"self":null}`
	b := &stored{
		by: map[string]string{metadata + "/9447130/floodlevels.json": feet}, asked: map[string]int{},
	}
	r := simulated(t, b.over)
	out := get(t, r.Set, "noaa_get_station_flood_levels",
		`{"station":"9447130","datum":"STND","units":"metric"}`)
	var levels []string
	for _, l := range list(t, out, "levels") {
		levels = append(levels, fmt.Sprintf("%v %v %v %v", follow(l, "authority"),
			follow(l, "level"), follow(l, "basis"), follow(l, "height")))
	}
	want := "NWS minor published 6.4, NOS minor derived 6.519, NOS moderate derived 6.785, " +
		"NOS major derived 7.189"
	if got := strings.Join(levels, ", "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, name := range []string{"NOS minor", "NOS moderate", "NWS action"} {
		if !lacks(out, "published flood level "+name, "implausible") {
			t.Errorf("%s is not missing: %v", name, out["missing"])
		}
	}
	if lacks(out, "published flood level NWS minor", "") {
		t.Errorf("the plausible one is missing: %v", out["missing"])
	}

	// A decision uses the plausible level, or the derived one if no level is plausible. In
	// both cases a published minor level was refused, so the fact is uncertain.
	for body, want := range map[string]struct {
		name  string
		level float64
	}{
		feet: {"NWS minor", (6.4 - 2.419) / 0.3048},
		strings.Replace(feet, `"nws_minor":6.4`, `"nws_minor":21.0`, 1): {"NOS minor, derived", 13.453},
	} {
		b := &stored{
			by: map[string]string{metadata + "/9447130/floodlevels.json": body}, asked: map[string]int{},
		}
		r := simulated(t, b.over)
		d, err := planning.NewInputs(r.facts.Set(), "9447130", "coastal-living", nil)
		if err != nil {
			t.Fatal(err)
		}
		d.Gather(t.Context())
		f := d.At(noon, nil).Flood
		if f.Name != want.name || f.Level == nil || math.Abs(*f.Level-want.level) > 0.0006 ||
			f.Source.DatumEpoch != "1983-2001" {
			t.Errorf("%s: %q at %v ft, want %q at %v; source %+v",
				body, f.Name, f.Level, want.name, want.level, f.Source)
		}
		if !strings.Contains(f.None, "refused") {
			t.Errorf("%s: not in doubt: %+v", body, f.Fact)
		}
		noted := strings.Join(d.At(noon, nil).Notes, " ")
		if !strings.Contains(noted, "Not used: published flood level NOS minor") ||
			!strings.Contains(noted, "implausible") {
			t.Errorf("%s: the notes are %q", body, noted)
		}
	}
}

// TestContradictingFloods checks that levels of one authority that are out of order are
// refused, and that a level at which more severe flooding begins is not overlooked.
func TestContradictingFloods(t *testing.T) {
	const none = `"nos_minor":null,"nos_moderate":null,"nos_major":null,"nws_moderate":null,"action":null,"self":null`
	for body, want := range map[string]struct {
		name    string
		level   float64 // feet above MLLW
		doubted string
		refused []string
	}{
		// NOAA CO-OPS, 9447130 Seattle: minor flooding begins 6.519 m above station datum.
		`{"nws_minor":7.0,"nws_major":6.6,` + none + `}`: {
			"NOS minor, derived", 13.453, "contradict each other", []string{"NWS minor", "NWS major"},
		},
		`{"nws_minor":null,"nws_major":6.0,` + none + `}`: {
			"NWS major", (6.0 - 2.419) / 0.3048, "major flooding begins below", nil,
		},
		`{"nws_minor":6.4,"nws_major":7.0,` + none + `}`:  {"NWS minor", (6.4 - 2.419) / 0.3048, "", nil},
		`{"nws_minor":null,"nws_major":7.0,` + none + `}`: {"NOS minor, derived", 13.453, "", nil},
	} {
		b := &stored{
			by: map[string]string{metadata + "/9447130/floodlevels.json": body}, asked: map[string]int{},
		}
		r := simulated(t, b.over)
		d, err := planning.NewInputs(r.facts.Set(), "9447130", "coastal-living", nil)
		if err != nil {
			t.Fatal(err)
		}
		d.Gather(t.Context())
		f := d.At(noon, nil).Flood
		if f.Name != want.name || f.Level == nil || math.Abs(*f.Level-want.level) > 0.0006 {
			t.Errorf("%s: %q at %v ft, want %q at %v", body, f.Name, f.Level, want.name, want.level)
		}
		if (f.None == "") != (want.doubted == "") || !strings.Contains(f.None, want.doubted) {
			t.Errorf("%s: doubted %q, want %q", body, f.None, want.doubted)
		}
		out := get(t, r.Set, "noaa_get_station_flood_levels", `{"station":"9447130"}`)
		for _, name := range want.refused {
			if !lacks(out, "published flood level "+name, "contradict each other") {
				t.Errorf("%s: %s is not missing: %v", body, name, out["missing"])
			}
		}
	}
}

// TestContradictingFloodsWithoutRange checks that refused levels are listed as missing, and
// not as inapplicable, if no tidal range is known from which levels could be derived.
func TestContradictingFloodsWithoutRange(t *testing.T) {
	set := newSet(t)
	i := slices.IndexFunc(set.Stations.All(""), func(st stations.Station) bool {
		_, derived := facts.DerivedFlood(st, "minor")
		_, zero := st.Level("MLLW")
		return zero && !derived && st.HasConstants() && !st.Subordinate()
	})
	if i < 0 {
		t.Fatal("no station has MLLW and no range")
	}
	id := set.Stations.All("")[i].ID
	body := `{"nws_minor":7.0,"nws_major":6.6,"self":null}`
	b := &stored{
		by: map[string]string{metadata + "/" + id + "/floodlevels.json": body}, asked: map[string]int{},
	}
	r := simulated(t, b.over)
	d, err := planning.NewInputs(r.facts.Set(), id, "coastal-living", nil)
	if err != nil {
		t.Fatal(err)
	}
	d.Gather(t.Context())
	if f := d.At(noon, nil).Flood; f.Waived != "" ||
		!strings.Contains(f.None, "contradict each other") || f.Level != nil {
		t.Errorf("%s: %+v", id, f)
	}
}

// TestPlausibleFloods checks that the bound is 1.5 m on both sides, and applies only if there
// is a derived level to compare with.
func TestPlausibleFloods(t *testing.T) {
	s := newSet(t)
	seattle, _ := s.Stations.Station("9447130")
	minor := 2.419 + 1.04*3.462 + 0.50
	without, _ := s.Stations.Station("8519024") // no datums
	for _, test := range []struct {
		st      stations.Station
		height  float64
		refused bool
	}{
		{seattle, minor + 1.499, false},
		{seattle, minor + 1.501, true},
		{seattle, minor - 1.499, false},
		{seattle, minor - 1.501, true},
		{seattle, 0, true}, {without, 100, false},
	} {
		_, refused := facts.PublishedFloods(test.st, noaa.FloodLevels{NWSMinor: &test.height})
		if len(refused) > 0 != test.refused {
			t.Errorf("%s, %v m: %v, want refused %v", test.st.ID, test.height, refused, test.refused)
		}
	}
}

// TestRevisedElsewhere checks that once one station has a newer epoch, the embedded datums of
// all other stations are aging, including those with modified epochs. Currents are not
// affected.
func TestRevisedElsewhere(t *testing.T) {
	r := simulated(t, nil)
	freshness := func(tool, station, source string) any {
		return sourceOf(get(t, r.Set, tool, fmt.Sprintf(`{"station":%q}`, station)), source)["freshness"]
	}
	for _, revised := range []bool{false, true} {
		want := any("fresh")
		if revised {
			want = "aging"
			err := r.p.SetEpoch("8443970", provider.Epoch{First: 2002, Last: 2020, Raise: 0.06, Mean: 0.08})
			if err != nil {
				t.Fatal(err)
			}
			if err := r.Overlay.Refresh(t.Context(), "8443970"); err != nil {
				t.Fatal(err)
			}
		}
		for _, test := range []struct{ tool, station, source string }{
			{"noaa_get_tide_predictions", "9447130", "tide-prediction"},
			{"noaa_get_tide_predictions", "9452210", "tide-prediction"},
			{"noaa_get_tide_predictions", "8557863", "tide-prediction"},
			{"noaa_get_station_datums", "9447130", "station-datums"},
			{"noaa_get_station_flood_levels", "9452210", "station-datums"},
			{"noaa_get_harmonic_constituents", "9447130", "harmonic-constituents"},
		} {
			if got := freshness(test.tool, test.station, test.source); got != want {
				t.Errorf("revised %v: %v is %v, want %v", revised, test, got, want)
			}
		}
		got := freshness("noaa_get_current_predictions", "EPT0003", "current-prediction")
		if got != "fresh" {
			t.Errorf("revised %v: a current is %v", revised, got)
		}
	}
	// A station that was refreshed and still has the same epoch is not aging.
	if err := r.Overlay.Refresh(t.Context(), "9447130"); err != nil {
		t.Fatal(err)
	}
	out := get(t, r.Set, "noaa_get_tide_predictions", `{"station":"9447130"}`)
	if sourceOf(out, "tide-prediction")["freshness"] != "fresh" || notes(out, "begun to revise") ||
		out["datumEpoch"] != "1983-2001" {
		t.Errorf("after a refresh: %v, notes %v", sourceOf(out, "tide-prediction"), out["notes"])
	}
	superseded := get(t, r.Set, "noaa_get_station_datums",
		`{"station":"8443970","epoch":"superseded"}`)
	if superseded["datumEpoch"] != "1983-2001" {
		t.Errorf("superseded datums are of the epoch %v", superseded["datumEpoch"])
	}
}

// TestEpochRestored checks that a revision is in force again after a restart without a network,
// and that the embedded datums of other stations are aging.
func TestEpochRestored(t *testing.T) {
	r := simulated(t, nil)
	file := filepath.Join(t.TempDir(), "coops.cache")
	up := fastClient(t, coast.COOPS, file)
	r = r.withWater(up)
	err := r.p.SetEpoch("8443970", provider.Epoch{First: 2002, Last: 2020, Raise: 0.06, Mean: 0.08})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Overlay.Refresh(t.Context(), "8447436"); err != nil { // with its reference, Boston
		t.Fatal(err)
	}
	if err := up.Save(); err != nil {
		t.Fatal(err)
	}
	client, err := upstream.New(upstream.Config{
		Provider: coast.COOPS, File: file, Offline: true, Now: frozen(noon),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	later := newRig(t, r.root, client, offline(t, coast.NWS)).Set
	later.Overlay.Restore(t.Context())
	for station, want := range map[string]string{
		"8443970": "2002-2020", "8447436": "2002-2020", "9447130": "1983-2001",
	} {
		out := get(t, later, "noaa_get_tide_predictions", fmt.Sprintf(`{"station":%q}`, station))
		s := sourceOf(out, "tide-prediction")
		if out["datumEpoch"] != want || (s["freshness"] == "aging") != (want == "1983-2001") {
			t.Errorf("%s: epoch %v, want %s; source %v", station, out["datumEpoch"], want, s)
		}
	}
}

// TestExtremesOfAnotherEpoch checks that heights above a datum of one epoch are not converted
// with the datums of another epoch.
func TestExtremesOfAnotherEpoch(t *testing.T) {
	r := simulated(t, nil)
	err := r.p.SetEpoch("8443970", provider.Epoch{First: 2002, Last: 2020, Raise: 0.06, Mean: 0.08})
	if err != nil {
		t.Fatal(err)
	}
	before := get(t, r.Set, "noaa_get_extreme_water_levels", `{"station":"8443970","datum":"MLLW"}`)
	if before["datumEpoch"] != "1983-2001" {
		t.Errorf("epoch %v", before["datumEpoch"])
	}
	if err := r.Overlay.Refresh(t.Context(), "8443970"); err != nil {
		t.Fatal(err)
	}
	_, err = call(t, r.Set, "noaa_get_extreme_water_levels", `{"station":"8443970","datum":"MLLW"}`)
	if code(err) != coast.DatumUnavailable ||
		!strings.Contains(err.Error(), "of the epoch 1983-2001") {
		t.Errorf("extremes above MHHW of 1983-2001, MLLW of 2002-2020: %v", err)
	}
}
