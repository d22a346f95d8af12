package noaa

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"leadline/internal/trials"
)

// recorded returns a recorded body of the provider. The recordings are outside the repository, at
// $LEADLINE_SHARED.
func recorded(t *testing.T, name ...string) []byte {
	t.Helper()
	return sharedFile(t, append([]string{"recordings"}, name...)...)
}

// sharedFile returns a file at $LEADLINE_SHARED.
func sharedFile(t *testing.T, name ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(append([]string{trials.Shared(t)}, name...)...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// plain is an object as encoding/json reads it, to compare with what the package reads from a
// recording, value by value.
type plain map[string]any

func plainly(t *testing.T, body []byte) plain {
	t.Helper()
	var p plain
	if err := json.Unmarshal(body, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p plain) object(key string) plain { o, _ := p[key].(map[string]any); return o }

func (p plain) rows(key string) []plain {
	list, _ := p[key].([]any)
	rows := make([]plain, len(list))
	for i := range list {
		rows[i] = list[i].(map[string]any)
	}
	return rows
}

// oneLine replaces line breaks as the package does: each character by a space.
var oneLine = strings.NewReplacer("\r", " ", "\n", " ")

// text returns a string in one line, or a number as text, "" for null.
func (p plain) text(key string) string {
	switch v := p[key].(type) {
	case string:
		if v == "null" {
			return ""
		}
		return strings.TrimSpace(oneLine.Replace(v))
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return ""
}

func (p plain) number(key string, factor float64) *float64 {
	switch v := p[key].(type) {
	case float64:
		v *= factor
		return &v
	case string:
		if x, err := strconv.ParseFloat(v, 64); err == nil {
			x *= factor
			return &x
		}
	}
	return nil
}

func (p plain) integer(key string) *int {
	if x := p.number(key, 1); x != nil {
		n := int(*x)
		return &n
	}
	return nil
}

func (p plain) flag(key string) *bool {
	switch v := p[key].(type) {
	case bool:
		return &v
	case string:
		if b, err := strconv.ParseBool(strings.ToLower(v)); err == nil {
			return &b
		}
	}
	return nil
}

func (p plain) moment(key string) *time.Time {
	at, err := time.Parse("2006-01-02 15:04:05", p.text(key))
	if err != nil {
		return nil
	}
	return &at
}

// equal reports each place where two values differ.
func equal(t *testing.T, where string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		a, _ := json.Marshal(got)
		b, _ := json.Marshal(want)
		t.Errorf("%s:\n got %s\nwant %s", where, a, b)
	}
}

func equalLists[T any](t *testing.T, where string, got, want []T) {
	t.Helper()
	if len(want) == 0 || len(got) != len(want) {
		t.Errorf("%s: %d rows, want %d and some", where, len(got), len(want))
		return
	}
	for i := range want {
		equal(t, where+" row "+strconv.Itoa(i), got[i], want[i])
	}
}

func plainStation(p plain) Station {
	deref := func(b *bool) bool { return b != nil && *b }
	return Station{
		ID: p.text("id"), Name: p.text("name"), State: p.text("state"),
		Latitude: *p.number("lat", 1), Longitude: *p.number("lng", 1),
		Offset: p.number("timezonecorr", 1), ObservesDST: p.flag("observedst"),
		Tidal: deref(p.flag("tidal")), GreatLakes: deref(p.flag("greatlakes")),
		Type: p.text("type"), Reference: p.text("reference_id"), Bin: p.integer("currbin"),
		Depth:     p.number("depth", 1),
		DepthType: p.text("depthType"), TideType: p.text("tideType"), ZoneName: p.text("timezone"),
		Affiliations: p.text("affiliations"), Port: p.text("portscode"),
		FloodDays: p.flag("HTFhistorical"),
		Project:   p.text("project"), Deployed: p.moment("deployed"), Retrieved: p.moment("retrieved"),
	}
}

func TestRecordedStations(t *testing.T) {
	for name, rows := range map[string]int{
		"stations_list/noaa_coops_stations.json":            301,
		"stations_list/tidepredictions_2021-05.json":        3250,
		"stations_list/oceanmcp_3_stations.json":            3,
		"station/8518750.json":                              1,
		"station_expanded/noaa_coops_stations_9447130.json": 1,
	} {
		body := recorded(t, "mdapi", name)
		got, err := readStations(body)
		if err != nil || len(got) != rows {
			t.Errorf("%s: %d stations, %v; want %d", name, len(got), err, rows)
			continue
		}
		var want []Station
		for _, p := range plainly(t, body).rows("stations") {
			want = append(want, plainStation(p))
		}
		equalLists(t, name, got, want)
	}
}

// expanded returns the recorded station that contains its documents: the body of one of them, as
// the service would return it, and its object.
func expanded(t *testing.T, name string) ([]byte, plain) {
	t.Helper()
	p := plainly(t, recorded(t, "mdapi", "station_expanded", "noaa_coops_stations_9447130.json")).rows(
		"stations")[0].object(name)
	body, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return body, p
}

// read returns what a reader reads from a valid body.
func read[T any](t *testing.T, body []byte, reader func([]byte) (T, error)) T {
	t.Helper()
	v, err := reader(body)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestRecordedDetails(t *testing.T) {
	body, p := expanded(t, "details")
	equal(t, "details", read(t, body, readDetails), Details{
		Established: p.moment("established"), Removed: p.moment("removed"), Origin: p.moment("origyear"),
		Chart: p.text("noaachart"), Meridian: p.number("timemeridian", 1),
		Offset: p.number("timezone", 1),
	})
}

func TestRecordedSensors(t *testing.T) {
	body, p := expanded(t, "sensors")
	var want []Sensor
	for _, s := range p.rows("sensors") {
		want = append(want, Sensor{
			ID: s.text("sensorID"), Name: s.text("name"), Elevation: s.number("elevation", 0.3048),
			Datum:  s.text("refdatum"),
			Status: s.integer("status"), Message: s.text("message"), DCP: s.integer("dcp"),
		})
	}
	equalLists(t, "sensors", read(t, body, readSensors), want)
}

// TestRecordedFloodLevels reads the recording in its own unit, feet: the document does not name
// one, and our requests are for meters.
func TestRecordedFloodLevels(t *testing.T) {
	body, p := expanded(t, "floodlevels")
	equal(t, "flood levels", read(t, body, readFloodLevels), FloodLevels{
		NOSMinor: p.number("nos_minor", 1), NOSModerate: p.number("nos_moderate", 1),
		NOSMajor: p.number("nos_major", 1),
		NWSMinor: p.number("nws_minor", 1), NWSModerate: p.number("nws_moderate", 1),
		NWSMajor: p.number("nws_major", 1),
		Action:   p.number("action", 1),
	})
}

func plainExtreme(t *testing.T, p plain, name string, unit float64) *Extreme {
	t.Helper()
	height := p.number(name, unit)
	if height == nil {
		return nil
	}
	at, err := time.Parse("20060102 15:04", p.text(name+"date")+" "+p.text(name+"time"))
	if err != nil {
		t.Fatal(err)
	}
	return &Extreme{Height: *height, Time: at}
}

func TestRecordedDatums(t *testing.T) {
	feetBody, inFeet := expanded(t, "datums")
	metric := recorded(t, "mdapi", "datums", "8518750_datums_metric.json")
	for _, c := range []struct {
		body []byte
		p    plain
		unit float64
	}{{feetBody, inFeet, 0.3048}, {metric, plainly(t, metric), 1}} {
		want := Datums{
			Accepted: c.p.text("accepted"), Superseded: c.p.text("superseded"), Epoch: c.p.text("epoch"),
			LAT: plainExtreme(t, c.p, "LAT", c.unit), HAT: plainExtreme(t, c.p, "HAT", c.unit),
			Min: plainExtreme(t, c.p, "min", c.unit), Max: plainExtreme(t, c.p, "max", c.unit),
			Orthometric: c.p.text("OrthometricDatum"), Control: c.p.text("ctrlStation"),
		}
		for _, period := range c.p["DatumAnalysisPeriod"].([]any) {
			want.Analysis = append(want.Analysis, period.(string))
		}
		for _, row := range c.p.rows("datums") {
			unit := c.unit
			if strings.Contains(row.text("description"), "hours") {
				unit = 1
			}
			want.Levels = append(want.Levels,
				Datum{Name: row.text("name"), Description: row.text("description"),
					Value: *row.number("value", unit)})
		}
		equal(t, "datums", read(t, c.body, readDatums), want)
	}
}

func TestRecordedHarmonics(t *testing.T) {
	var bodies [][]byte
	for _, station := range []string{"1612340", "1612480", "9414458"} {
		bodies = append(bodies,
			recorded(t, "mdapi", "harcon", "searvey_stations_"+station+"_harcon.json"))
	}
	seattle, _ := expanded(t, "harmonicConstituents")
	for _, body := range append(bodies, seattle) {
		var want []Harmonic
		for _, row := range plainly(t, body).rows("HarmonicConstituents") {
			want = append(want, Harmonic{
				Number: *row.integer("number"), Name: row.text("name"), Description: row.text("description"),
				Amplitude: *row.number("amplitude", 0.3048), Phase: *row.number("phase_GMT", 1),
				Speed:    *row.number("speed", 1),
				Comments: row.text("comments"),
			})
		}
		if len(want) != 37 {
			t.Errorf("%d constituents, want 37", len(want))
		}
		equalLists(t, "constituents", read(t, body, readHarmonics), want)
	}
}

// TestRecordedHarmonicsOfThePage compares a document in feet with the provider's page about the
// same station, which is in meters.
func TestRecordedHarmonicsOfThePage(t *testing.T) {
	got := read(t, recorded(t, "mdapi", "harcon", "searvey_stations_1612340_harcon.json"),
		readHarmonics)
	lines := strings.Split(
		strings.TrimSpace(string(recorded(t, "mdapi", "harcon", "1612340_harcon_web_metric_local.tsv"))),
		"\n")[1:]
	if len(lines) != len(got) {
		t.Fatalf("%d constituents, want %d", len(got), len(lines))
	}
	for i, line := range lines {
		cells := strings.Split(line, "\t")
		amplitude, _ := strconv.ParseFloat(cells[2], 64)
		// half of the last digit of feet and of meters
		if got[i].Name != cells[1] || math.Abs(got[i].Amplitude-amplitude) > 0.005*0.3048+0.0005+1e-9 {
			t.Errorf("%s %v, want %s %v", got[i].Name, got[i].Amplitude, cells[1], amplitude)
		}
	}
}

func TestRecordedTexts(t *testing.T) {
	body, p := expanded(t, "products")
	var products []Product
	for _, row := range p.rows("products") {
		products = append(products, Product{Name: row.text("name"), URL: row.text("value")})
	}
	equalLists(t, "products", read(t, body, readProducts), products)

	for _, name := range []string{"notices", "disclaimers"} {
		body, _ := expanded(t, name)
		if _, err := readNotices(name)(body); err != errNoData {
			t.Errorf("%s: %v, want %v", name, err, errNoData)
		}
	}

	body, p = expanded(t, "benchmarks")
	var marks []Benchmark
	for _, row := range p.rows("benchmarks") {
		marks = append(marks, Benchmark{
			Designation: row.text("designation"), Stamping: row.text("stamping"),
			Description: row.text("description"),
			Latitude:    row.number("lat", 1), Longitude: row.number("lng", 1),
			Published:   row.flag("published"),
			Established: row.text("dateEst"), Agency: row.text("agency"),
			Monument: row.text("monumentTypeDescr"),
			Setting:  row.text("settingClassDescr"), Condition: row.text("monumentCondDescr"),
			PID: row.text("idbPid"),
		})
	}
	equalLists(t, "bench marks", read(t, body, readBenchmarks), marks)
}

func TestRecordedNearby(t *testing.T) {
	body, p := expanded(t, "nearby")
	var want []Nearby
	for _, row := range p.rows("stations") {
		want = append(want, Nearby{
			ID: row.text("id"), Name: row.text("name"), Kilometers: *row.number("distance", 1.609344),
			Latitude: row.number("lat", 1), Longitude: row.number("lng", 1), Kind: row.text("stationType"),
		})
	}
	got := read(t, body, readNearby)
	equalLists(t, "nearby", got, want)

	// the service's formula, which makes Kilometers rough
	for _, n := range got {
		north, east := (*n.Latitude-*got[0].Latitude)*69.1, (*n.Longitude-*got[0].Longitude)*53
		if miles := math.Hypot(north, east); math.Abs(n.Kilometers-miles*1.609344) > 1e-4 {
			t.Errorf("%s is at %v km, want %v miles", n.Name, n.Kilometers, miles)
		}
	}
}

// TestRecordedNothing reads the responses of the service for stations that do not exist.
func TestRecordedNothing(t *testing.T) {
	if _, err := readHarmonics(
		recorded(t, "mdapi", "harcon", "searvey_stations_9999531_harcon.json")); err != errNoData {
		t.Errorf("constituents: %v, want %v", err, errNoData)
	}
	if _, err := readBins(
		recorded(t, "mdapi", "errors", "mdapi_bins_invalid_200.json")); err != errNoData {
		t.Errorf("bins: %v, want %v", err, errNoData)
	}
	reason, code := errorText(recorded(t, "mdapi", "errors", "mdapi_station_404.json"))
	if reason != "No station was found for id invalid" || code != 404 {
		t.Errorf("error text is %q, %d", reason, code)
	}
}

// TestRecordedCurrentHarmonics reads constituents that were requested without a bin. They contain
// all predicted bins in ascending order, and 17 is NOAA's default at SFB1202. For each bin only
// its own are read, and none for a bin that does not exist.
func TestRecordedCurrentHarmonics(t *testing.T) {
	for name, bins := range map[string][]int{
		"SFB1202_harcon_metric_TRIMMED.json": {1, 12, 17},
		"bh0101_harcon_metric_TRIMMED.json":  {17},
	} {
		body := sharedFile(t, "recordings2", "mdapi", name)
		rows := plainly(t, body).rows("HarmonicConstituents")
		for _, bin := range bins {
			got, err := readCurrentHarmonics(body, bin)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			want := CurrentHarmonics{Bin: bin}
			for _, row := range rows {
				if *row.integer("binNbr") != bin {
					continue
				}
				const centimeters = 1 / 51.4444 // knots, by the conversion of the service
				want.Depth, want.Azimuth = row.number("binDepth", 1), row.number("azi", 1)
				want.MeanMajor, want.MeanMinor = row.number("majorMeanSpeed", centimeters), row.number(
					"minorMeanSpeed", centimeters)
				h := Harmonic{Number: *row.integer("constNum"), Name: row.text("constituentName"),
					Description: row.text("description")}
				h.Amplitude, h.Phase = *row.number("majorAmplitude", centimeters), *row.number("majorPhaseGMT",
					1)
				want.Constituents = append(want.Constituents, h)
				h.Amplitude, h.Phase = *row.number("minorAmplitude", centimeters), *row.number("minorPhaseGMT",
					1)
				want.Minor = append(want.Minor, h)
			}
			equal(t, fmt.Sprintf("%s, bin %d", name, bin), got, want)
		}
		if got, err := readCurrentHarmonics(body, 2); err == nil {
			t.Errorf("%s: nonexistent bin 2 is %+v", name, got)
		}
	}
}

// TestRecordedCurrentOffsets reads the offsets of a station whose reference is one of several
// bins.
func TestRecordedCurrentOffsets(t *testing.T) {
	got, err := readCurrentOffsets(
		sharedFile(t, "recordings2", "mdapi", "PCT0291_1_currentpredictionoffsets.json"))
	flood, ebb := 70.0, 266.0
	want := CurrentOffsets{
		Reference: "SFB1202", ReferenceBin: 17, FloodDirection: &flood, EbbDirection: &ebb,
		SlackBeforeEbb: 24, Ebb: 20, SlackBeforeFlood: 15, FloodRatio: 0.8, EbbRatio: 1.1,
	}
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "PCT0291", got, want)
	directions, err := readCurrentDirections(
		sharedFile(t, "recordings2", "mdapi", "PCT0291_1_currentpredictionoffsets.json"))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "directions of PCT0291", directions, CurrentDirections{&flood, &ebb})
}
