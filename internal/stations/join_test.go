package stations

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"leadline/internal/tide"
)

// lakes are places in the form of a list of the service.
var lakes = []Listed{
	{ID: "9063020", Name: "Buffalo", State: "NY", Latitude: 42.877, Longitude: -78.89, Kind: Gauge},
	{ID: "9087057", Name: "Milwaukee", State: "WI", Latitude: 43.002, Longitude: -87.888},
	{ID: "9087088", Name: "Menominee", State: "MI", Latitude: 45.096, Longitude: -87.59,
		Zone: "America/Menominee"},
	{ID: "8443970", Name: "Not Boston", State: "MI", Latitude: 45, Longitude: -87}, // embedded
}

func TestJoin(t *testing.T) {
	d := openTest(t)
	d.Search("boston", nil) // the index exists already
	d.Nearest(0, 0, 1, nil)
	d.Join(obtained, lakes)
	buffalo := find(t, d, "9063020")
	want := Station{ID: "9063020", Name: "Buffalo", State: "NY", Latitude: 42.877, Longitude: -78.89,
		Zone: "America/New_York", Kind: Gauge, record: buffalo.record}
	if buffalo != want || !buffalo.Listed().Equal(obtained) || !buffalo.Updated().Equal(obtained) {
		t.Errorf("Station = %+v, listed %v, updated %v", buffalo, buffalo.Listed(), buffalo.Updated())
	}
	if !find(t, d, "8443970").Listed().IsZero() || find(t, d, "8443970").Name != "Boston" {
		t.Error("an embedded station has joined")
	}
	for query, want := range map[string]string{
		"buffalo": "9063020", "Buffalo, NY": "9063020", "9063020": "9063020", "bufalo": "9063020",
		"milwaukee wisconsin": "9087057",
		"milwaukee wi":        "9087057", "90870": "9087057", "wisconsin": "9087057",
		"menominee gauge": "9087088",
	} {
		if got := d.Search(query, nil); len(got) == 0 || got[0].ID != want {
			t.Errorf("Search(%q) begins with %v, want %s", query, ids(got), want)
		}
	}
	if got := d.Nearest(43, -87.8, 2, nil); got[0].Station.ID != "9087057" ||
		got[1].Station.ID != "9087088" {
		t.Errorf("nearest to Milwaukee are %v and %v", got[0].Station, got[1].Station)
	}
	checkOrder(t, d, map[Kind]int{"": 6065, Tide: 3501, Current: 2561, Gauge: 3})
	if !GreatLakes(buffalo.ID) {
		t.Error("GreatLakes of a joined gauge = false, want true")
	}
}

// checkOrder checks the numbers and the order of the lists by kind.
func checkOrder(t *testing.T, d *Directory, counts map[Kind]int) {
	t.Helper()
	for kind, want := range counts {
		all := d.All(kind)
		if len(all) != want || !slices.IsSortedFunc(all, byID) {
			t.Errorf("All(%q) has %d stations, want %d, in order of id", kind, len(all), want)
		}
		for _, s := range all {
			if got, ok := d.Station(strings.ToLower(s.ID)); !ok || got != s || kind != "" && s.Kind != kind {
				t.Errorf("Station(%q) = %+v, want %+v of kind %q", s.ID, got, s, kind)
			}
		}
	}
}

// TestJoinedPredictsNothing calls all methods for a gauge.
func TestJoinedPredictsNothing(t *testing.T) {
	d := openTest(t)
	d.Join(obtained, append(lakes, Listed{ID: "XYZ0001", Kind: Current},
		Listed{ID: "XYZ0002", Kind: Tide}, Listed{ID: "XYZ0003", Kind: Current, Reference: "cb0102"}))
	for _, id := range []string{"9063020", "XYZ0001", "XYZ0002", "XYZ0003"} {
		s := find(t, d, id)
		_, tides := d.Tides(s, "MSL")
		_, currents := d.Currents(s)
		_, _, mean := s.Directions()
		if tides || currents || s.HasConstants() ||
			len(s.Harmonics())+len(s.Datums())+len(s.Differences())+len(d.TideDatums(s)) > 0 ||
			s.Epoch() != (Years{}) ||
			s.TideOffsets() != nil || s.CurrentOffsets() != nil || s.Disclaimer() != "" ||
			s.MeanFlow() != 0 || mean {
			t.Errorf("%s has data", id)
		}
	}
}

func TestJoinAgain(t *testing.T) {
	d := openTest(t)
	d.Join(obtained, lakes)
	apply(t, d, "9063020", Update{Datums: []Datum{{"IGLD85", 0}, {"LWD", 173.5}}})
	before, buffalo := d.view.Load(), find(t, d, "9063020")
	d.Join(later, lakes)
	if d.view.Load() != before || !buffalo.Listed().Equal(later) ||
		!buffalo.Updated().Equal(obtained) {
		t.Errorf("the same list has changed more than its time: listed %v, updated %v", buffalo.Listed(),
			buffalo.Updated())
	}
	d.Join(later, []Listed{{ID: "9063020", Name: "Buffalo Harbor", State: "NY", Latitude: 42.877,
		Longitude: -78.89}})
	renamed := find(t, d, "9063020")
	if renamed.Name != "Buffalo Harbor" || !slices.Equal(renamed.Datums(),
		[]Datum{{"LWD", 173.5}, {"IGLD85", 0}}) {
		t.Errorf("Station = %+v, datums %v", renamed, renamed.Datums())
	}
	if got := d.Search("buffalo harbor", nil); len(got) != 1 || got[0] != renamed {
		t.Errorf("Search = %v", ids(got))
	}
	checkOrder(t, d, map[Kind]int{"": 6065, Gauge: 3})
	d.Join(later, []Listed{{ID: "9063020", Kind: Current, State: "NY"}})
	if got := find(t, d, "9063020"); got.Kind != Current || got.Datums() != nil {
		t.Errorf("a station of another kind kept the facts of what it was: %+v", got.Datums())
	}
}

func TestJoinRefused(t *testing.T) {
	d := openTest(t)
	before := d.view.Load()
	d.Join(obtained, []Listed{
		{}, {ID: "90 63020"}, {ID: "9063020\n"}, {ID: "90/../1"}, {ID: "ACT0091"}, {ID: "act0091"},
		{ID: "é"},
		{ID: "9063020", Latitude: 91}, {ID: "9063020", Longitude: -181}, {ID: "9063020", Kind: "buoy"},
	})
	if d.view.Load() != before {
		t.Errorf("%d stations joined", len(d.All(""))-6062)
	}
	var many []Listed
	for i := range mostJoined + 10 {
		many = append(many, Listed{ID: fmt.Sprintf("J%05d", i), Name: fmt.Sprintf("buoy%d number%d", i,
			i), Zone: "UTC"})
	}
	d.Join(obtained, many)
	if got := len(d.All(Gauge)); got != mostJoined {
		t.Errorf("%d stations joined, want %d", got, mostJoined)
	}
	// The number of words exceeds the limit: the last stations are found by their ids.
	for query, want := range map[string]string{"boston": "8443970", "buoy777": "J00777",
		"J32767": "J32767"} {
		if got := d.Search(query, nil); len(got) == 0 || got[0].ID != want {
			t.Errorf("Search(%q) begins with %v, want %s", query, ids(got), want)
		}
	}
}

// TestJoinedPredicts lists stations that NOAA has begun to predict since the build.
func TestJoinedPredicts(t *testing.T) {
	d := openTest(t)
	boston, chesapeake := find(t, d, "8443970"), find(t, d, "cb0102")
	d.Join(obtained, []Listed{
		{ID: "8440001", Name: "New Reference", Latitude: 42, Longitude: -70.5, Kind: Tide},
		{ID: "8440002", Name: "New Subordinate", Latitude: 42, Longitude: -70.6, Kind: Tide,
			Reference: "8440001"},
		{ID: "8440003", Name: "Another", Latitude: 42, Longitude: -70.6, Kind: Tide,
			Reference: "8443970"},
		{ID: "8440004", Name: "Mistaken", Latitude: 42, Longitude: -70.6, Kind: Current,
			Reference: "8443970"},
		{ID: "cb0102_5", Name: chesapeake.Name, State: "VA", Latitude: chesapeake.Latitude,
			Longitude: chesapeake.Longitude, Kind: Current},
		{ID: "cb01020", Name: "Stranger", Latitude: 42, Longitude: -70.6, Kind: Current},
	})
	reference := embeddedFacts(boston)
	apply(t, d, "8440001", reference)
	offsets := tide.Offsets{HighMinutes: 5, LowMinutes: 6, High: 1.1, Low: 0.9}
	for _, id := range []string{"8440002", "8440003"} {
		apply(t, d, id, Update{TideOffsets: &offsets, Reference: find(t, d, id).Reference,
			Base: &reference})
	}
	mistaken := Update{At: obtained, CurrentOffsets: &tide.CurrentOffsets{FloodRatio: 1, EbbRatio: 1},
		Bin: 1, Reference: "8443970", Base: &reference}
	if err := d.Apply("8440004", mistaken); err == nil || !strings.Contains(err.Error(),
		"not a reference station of that kind") {
		t.Errorf("a current that refers to a tide: %v", err)
	}
	flow := chesapeake.MeanFlow()
	apply(t, d, "cb0102_5", Update{Harmonics: chesapeake.Harmonics(), MeanFlow: &flow, Bin: 5})

	old, _ := d.Tides(boston, "MLLW")
	of := func(id string) tide.Tides {
		p, ok := d.Tides(find(t, d, id), "MLLW")
		if !ok || p.Level != old.Level || p.Curve.At(later) != old.Curve.At(later) {
			t.Errorf("%s: %+v, %v, want the tide of Boston", id, p, ok)
		}
		return p
	}
	if p := of("8440001"); p.Offsets != nil {
		t.Errorf("a reference station with offsets %+v", p.Offsets)
	}
	if a, b := of("8440002"), of("8440003"); *a.Offsets != offsets || *b.Offsets != offsets ||
		b.Curve != old.Curve {
		t.Error("a joined subordinate station does not follow its reference")
	}
	if _, ok := d.Currents(find(t, d, "8440004")); ok {
		t.Error("a current follows a tide")
	}
	p, ok := d.Currents(find(t, d, "cb0102_5"))
	own, _ := d.Currents(chesapeake)
	if !ok || p.Mean != own.Mean || p.Curve.At(later) != own.Curve.At(later) {
		t.Errorf("Currents of a joined bin = %+v, %v", p, ok)
	}
	if got := d.Bins("cb0102"); len(got) != 2 || got[0] != chesapeake || got[1].ID != "cb0102_5" {
		t.Errorf("Bins = %v", ids(got))
	}
	if got := d.Search(chesapeake.Name, nil); got[0] != chesapeake || got[1].ID != "cb0102_5" {
		t.Errorf("Search = %v", ids(got))
	}
}

// TestJoinedRank checks that a gauge ranks after the tides and currents that fit equally
// well, and does not displace a better match.
func TestJoinedRank(t *testing.T) {
	d := openTest(t)
	d.Join(obtained, []Listed{
		{ID: "9999991", Name: "Boston", State: "MA", Latitude: 42.35, Longitude: -71.05},
		{ID: "9999992", Name: "Seattle Weather", State: "WA", Latitude: 47.6, Longitude: -122.3},
	})
	for query, want := range map[string][]string{
		"boston": {"8443970", "9999991"}, "seattle": {"9447130"}, "seattle weather": {"9999992"},
	} {
		got := d.Search(query, nil)
		for i, id := range want {
			if len(got) <= i || got[i].ID != id {
				t.Errorf("Search(%q) begins with %v, want %v", query, ids(got), want)
			}
		}
	}
}

func TestJoinedNearest(t *testing.T) {
	d := openTest(t)
	random := rand.New(rand.NewPCG(9, 10))
	for round := range 4 {
		var listed []Listed
		for i := range 100 {
			listed = append(listed, Listed{ID: fmt.Sprintf("J%d%03d", round, i),
				Latitude: 180*random.Float64() - 90, Longitude: 360*random.Float64() - 180, Zone: "UTC"})
		}
		d.Join(obtained, listed)
		for range 10 {
			lat, lon := 180*random.Float64()-90, 360*random.Float64()-180
			compareNearest(t, d, lat, lon, 8, "all", nil)
			compareNearest(t, d, lat, lon, 8, "gauges", func(s Station) bool { return s.Kind == Gauge })
		}
	}
}

func TestJoinedZones(t *testing.T) {
	d := openTest(t)
	for _, row := range []struct {
		state    string
		lat, lon float64
		id, want string
	}{
		{"MA", 42.4, -71, "WX1", "America/New_York"},        // near Boston
		{"FL", 29.7, -85.4, "WX1", "America/New_York"},      // near Port Saint Joe
		{"MI", 42.3, -83.1, "9044036", "America/Detroit"},   // Fort Wayne
		{"MI", 45.1, -87.6, "9087088", "America/Menominee"}, // on Wisconsin's border
		{"MI", 46.55, -87.38, "9099018", "America/Detroit"}, // Marquette
		{"WI", 43, -87.9, "9087057", "America/Chicago"},     // Milwaukee
		{"IN", 41.7, -87.2, "9087050", "America/Chicago"},   // Gary
		{"MN", 46.8, -92.1, "9099064", "America/Chicago"},   // Duluth
		{"OH", 41.5, -81.6, "9063063", "America/New_York"},  // Cleveland
		{"PA", 42.15, -80.1, "9063038", "America/New_York"}, // Erie
		{"NY", 44.7, -75.5, "8311030", "America/New_York"},  // Ogdensburg
		{"", 46.3, -84.1, "9076024", "America/New_York"},    // without its state
		{"", 45.8, -84.7, "9075080", "America/Detroit"},
		{"", 44.5, -88, "9087077", "America/Chicago"},
		{"", 30, -40, "41001", "Etc/GMT+3"}, {"", 0, -7, "13001", "Etc/GMT"},
		{"", -40, 100, "23001", "Etc/GMT-7"}, // at sea
		{"", 60, 179, "46001", "Etc/GMT-12"}, {"", 0, -178, "46002", "Etc/GMT+12"},
	} {
		if got := d.zone(Listed{ID: row.id, State: row.state, Latitude: row.lat,
			Longitude: row.lon}); got != row.want {
			t.Errorf("zone of %s %s (%v, %v) = %s, want %s", row.id, row.state, row.lat, row.lon, got,
				row.want)
		}
		if _, err := time.LoadLocation(row.want); err != nil {
			t.Error(err)
		}
	}
}

// TestJoinedZonesAgree lists all gauges of the service without their zones: the standard
// offset of each resulting zone is NOAA's.
func TestJoinedZonesAgree(t *testing.T) {
	var list struct {
		Stations []struct {
			ID           string  `json:"id"`
			Name         string  `json:"name"`
			State        string  `json:"state"`
			Latitude     float64 `json:"lat"`
			Longitude    float64 `json:"lng"`
			TimeZoneCorr float64 `json:"timezonecorr"`
		} `json:"stations"`
	}
	f := shared(t, "recordings/mdapi/stations_list/noaa_coops_stations.json")
	if err := json.NewDecoder(bufio.NewReader(f)).Decode(&list); err != nil {
		t.Fatal(err)
	}
	d := openTest(t)
	for _, l := range list.Stations {
		d.Join(obtained, []Listed{{ID: l.ID, Name: l.Name, State: l.State, Latitude: l.Latitude,
			Longitude: l.Longitude}})
	}
	for _, l := range list.Stations {
		s := find(t, d, l.ID)
		if got := standardOffset(t, s.Zone, 2021); s.Kind == Gauge && got != l.TimeZoneCorr {
			t.Errorf("%s %s: %s is UTC%+v, NOAA has UTC%+v", s.ID, s.Name, s.Zone, got, l.TimeZoneCorr)
		}
		if found := d.Search(l.Name+" "+l.State, nil); s.Kind == Gauge &&
			!slices.Contains(found[:min(5, len(found))], s) {
			t.Errorf("%s %s, %s is not found by its name: %v", s.ID, s.Name, l.State, ids(found))
		}
	}
	t.Logf("%d joined", len(d.All(Gauge)))
}

func TestObserve(t *testing.T) {
	d := openTest(t)
	boston, bin := find(t, d, "8443970"), find(t, d, "EPT0003_11")
	if kinds, known := boston.Observes("met"); kinds != nil || known {
		t.Errorf("Observes = %v, %v before any list", kinds, known)
	}
	if has, at, known := d.Observing("met"); known || !at.IsZero() || has("8443970") {
		t.Error("a list that was not obtained is known")
	}
	ids := []string{"8443970", "ept0003", "1612340", "9063020"}
	d.Observe("met", ids, obtained)
	d.Observe("currents", []string{"EPT0003"}, later)
	d.Observe("airgap", nil, later)
	ids[0] = "changed" // Observe has made its own copy
	for _, row := range []struct {
		s    Station
		want []string
	}{
		{boston, []string{"met"}}, {bin, []string{"currents", "met"}}, {find(t, d, "9447130"), nil},
	} {
		if got, known := row.s.Observes("airgap", "currents", "met"); !slices.Equal(got, row.want) ||
			!known {
			t.Errorf("Observes of %s = %v, %v, want %v", row.s.ID, got, known, row.want)
		}
	}
	has, at, known := d.Observing("met")
	if !known || !at.Equal(obtained) || !has("8443970") || !has("9063020") || !has("EPT0003_11") ||
		has("84439700") || has("") {
		t.Error("the list of met is not as it was given")
	}
	if has, _, known := d.Observing("airgap"); !known || has("8443970") {
		t.Error("an empty list is known, and has nobody")
	}
	d.Observe("met", nil, later)
	if !has("8443970") {
		t.Error("a test that was handed out has changed")
	}
	if kinds, known := boston.Observes("met", "waterlevels"); kinds != nil || known {
		t.Errorf("Observes = %v, %v though a list has not been obtained", kinds, known)
	}
	if kinds, _ := boston.Observes("met", "currents"); kinds != nil {
		t.Errorf("Observes = %v after an empty list", kinds)
	}
	if kinds, known := (Station{}).Observes("met"); kinds != nil || known {
		t.Error("a stranger observes")
	}
}

// TestConcurrent reads during all kinds of writes. One read must see one update:
// constants whose M2 is a meter with a mean level of a meter, or both twice that.
func TestConcurrent(t *testing.T) {
	d := openTest(t)
	state := func(size float64) Update {
		u := revision(find(t, d, "8443970"), size)
		for i, l := range u.Datums {
			u.Datums[i].Value = map[string]float64{"MSL": size}[l.Name]
		}
		return u
	}
	states := [2]Update{state(1), state(2)}
	set := func(i int) {
		apply(t, d, "8443970", states[i%2])
		u := embeddedFacts(find(t, d, "8447436"))
		u.Base = &states[i%2]
		apply(t, d, "8447436", u)
	}
	set(0)
	one, two := tide.NewCurve(states[0].Harmonics).At(later),
		tide.NewCurve(states[1].Harmonics).At(later)
	var writers, readers sync.WaitGroup
	done := make(chan struct{})
	writers.Go(func() {
		for i := range 300 {
			set(i)
			d.Observe("met", []string{"8443970"}, obtained)
		}
	})
	writers.Go(func() {
		for i := range 20 {
			d.Join(obtained, []Listed{{ID: fmt.Sprintf("J%d", i), Name: "Buffalo", Zone: "UTC"},
				{ID: "9063020", Name: fmt.Sprintf("Buffalo %d", i), Zone: "UTC"}})
		}
	})
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				readAll(t, d, one, two)
			}
		})
	}
	writers.Wait()
	close(done)
	readers.Wait()
	checkOrder(t, d, map[Kind]int{"": 6062 + 21, Gauge: 21})
}

// readAll calls the methods that writers affect.
func readAll(t *testing.T, d *Directory, one, two float64) {
	for _, id := range []string{"8443970", "8447436"} {
		s := find(t, d, id)
		p, ok := d.Tides(s, "MLLW")
		if value := p.Curve.At(later); !ok || value != one && value != two ||
			(p.Level == 1) != (value == one) {
			t.Errorf("%s: level %v with the curve of %v", id, p.Level, value)
		}
		s.Harmonics()
		s.Datums()
		s.Observes("met")
		s.Updated()
		d.TideDatums(s)
	}
	if got := d.Search("boston", nil); len(got) == 0 || got[0].ID != "8443970" {
		t.Errorf("Search = %v", ids(got))
	}
	d.Search("buffalo", func(s Station) bool { return s.Kind == Gauge })
	d.Nearest(42, -79, 5, nil)
	if !slices.IsSortedFunc(d.All(""), byID) {
		t.Error("All is out of order")
	}
}
