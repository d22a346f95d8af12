package stations

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"leadline/internal/tide"
)

var (
	obtained = time.Date(2026, 11, 20, 6, 0, 0, 0, time.UTC)
	later    = obtained.Add(24 * time.Hour)
)

// embeddedFacts returns a station's facts in the form of the service.
func embeddedFacts(s Station) Update {
	u := Update{At: obtained, Datums: s.Datums(), Differences: s.Differences(),
		TideOffsets: s.TideOffsets(), CurrentOffsets: s.CurrentOffsets(), Reference: s.Reference}
	u.FirstEpoch, u.LastEpoch = s.Epoch().First, s.Epoch().Last
	if s.Subordinate() {
		r, _ := s.record.directory.Reference(s)
		base := embeddedFacts(r)
		u.Base = &base
	}
	if s.Kind == Current {
		u.Bin = max(1, s.BinNumber())
	}
	if s.HasConstants() {
		u.Harmonics = s.Harmonics()
		slices.Reverse(u.Harmonics) // the service may have an order of its own
	}
	if s.Kind == Current && !s.Subordinate() {
		flow := s.MeanFlow()
		u.MeanFlow = &flow
	}
	if flood, ebb, mean := s.Directions(); mean {
		u.Flood, u.Ebb = published(flood), published(ebb)
	}
	return u
}

// published returns v, nil for a value that NOAA has not published.
func published(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return &v
}

// facts returns the results of all methods of a station, NaN as none.
func facts(d *Directory, s Station) []any {
	flood, ebb, mean := s.Directions()
	return []any{
		s.HasConstants(), s.Harmonics(), s.Datums(), s.Differences(), s.Epoch(), s.TideOffsets(),
		s.CurrentOffsets(),
		published(flood), published(ebb), mean, s.MeanFlow(), d.TideDatums(s), ids(d.Bins(s.ID)),
		s.Disclaimer(),
	}
}

// predictions returns a station's events and series of ten days, by every datum.
func predictions(d *Directory, s Station) []any {
	from := time.Date(2026, 12, 27, 0, 0, 0, 0, time.UTC) // across a New Year
	to := from.AddDate(0, 0, 10)
	out := []any{}
	for _, datum := range d.TideDatums(s) {
		p, _ := d.Tides(s, datum)
		heights := make([]float64, 240)
		p.Heights(from, time.Hour, heights)
		out = append(out, p.Extremes(from, to), heights)
	}
	if p, ok := d.Currents(s); ok {
		velocities := make([]float64, 240)
		p.Velocities(from, time.Hour, velocities)
		out = append(out, p.Events(from, to), velocities)
	}
	return out
}

// TestApplyEmbedded applies to every station its own facts. None changes, and neither
// does any prediction of a sample of each class, bit for bit.
func TestApplyEmbedded(t *testing.T) {
	before, after := openTest(t), openTest(t)
	for _, s := range before.All("") {
		if err := after.Apply(s.ID, embeddedFacts(s)); err != nil {
			t.Errorf("%v", err)
		}
	}
	sampled := map[class]int{}
	for i, s := range after.All("") {
		was := before.All("")[i]
		if got, want := facts(after, s), facts(before, was); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", s.ID, got, want)
		}
		if c := s.file().class(i); i%40 == 0 || sampled[c] == 0 {
			sampled[c]++
			if got, want := predictions(after, s), predictions(before, was); !reflect.DeepEqual(got, want) {
				t.Errorf("%s is predicted otherwise by its own constants", s.ID)
			}
		}
	}
	if len(sampled) != 4 {
		t.Errorf("classes sampled: %v", sampled)
	}
}

// scaled returns a station's constants with M2 multiplied by a factor.
func scaled(s Station, factor float64) []tide.Harmonic {
	m2, _ := tide.Lookup("M2")
	harmonics := s.Harmonics()
	for i := range harmonics {
		if harmonics[i].Constituent == m2 {
			harmonics[i].Amplitude *= factor
		}
	}
	return harmonics
}

func apply(t *testing.T, d *Directory, id string, u Update) {
	t.Helper()
	if u.At.IsZero() {
		u.At = obtained
	}
	if err := d.Apply(id, u); err != nil {
		t.Fatal(err)
	}
}

// revision returns a station's facts with M2 multiplied by a factor.
func revision(s Station, factor float64) Update {
	u := embeddedFacts(s)
	u.Harmonics = scaled(s, factor)
	return u
}

// TestApplyConstants changes a reference station: only its own curve changes. A
// subordinate station follows when its offsets come with it.
func TestApplyConstants(t *testing.T) {
	for id, subordinate := range map[string]string{"8443970": "8447436", "EPT0003_11": "ACT0101",
		"SFB1202": "PCT0291"} {
		d := openTest(t)
		s := find(t, d, id)
		old, _ := predictor(d, s)
		apply(t, d, strings.ToLower(id), revision(s, 1.25))
		changed, _ := predictor(d, s)
		if at := later; changed == old || changed.At(at) != tide.NewCurve(s.Harmonics()).At(at) ||
			changed.At(at) == old.At(at) {
			t.Errorf("%s: the curve is not that of the new constants", id)
		}
		for _, o := range d.All("") {
			if curve, _ := predictor(d, o); (curve == changed) != (o.ID == id) || o.Reference == id &&
				curve != old {
				t.Errorf("%s has the new curve of %s without offsets that came with it", o.ID, id)
			}
		}
		o := find(t, d, subordinate)
		u := embeddedFacts(o)
		base := embeddedFacts(s) // as it is now
		u.Base = &base
		apply(t, d, subordinate, u)
		if curve, offsets := predictor(d, o); curve != changed || !offsets {
			t.Errorf("%s does not follow %s with its own offsets", subordinate, id)
		}
		apply(t, d, id, revision(s, 1.5))
		if curve, _ := predictor(d, o); curve != changed {
			t.Errorf("%s follows a later revision of %s without its own offsets", subordinate, id)
		}
	}
}

// TestApplyChangesKeptEvents checks that new constants, levels and offsets take effect
// although the directory keeps the events of the old ones.
func TestApplyChangesKeptEvents(t *testing.T) {
	d := openTest(t)
	for _, id := range []string{"8443970", "8447436"} {
		extremes := func(computed bool) []tide.Extreme {
			p, _ := d.Tides(find(t, d, id), "MLLW")
			if computed {
				p.Almanac = nil
			}
			return p.Extremes(later, later.AddDate(0, 0, 2))
		}
		for factor := 1.0; factor < 1.3; factor += 0.05 {
			before := extremes(false)
			for range 3 {
				if got := extremes(false); len(got) == 0 || !slices.Equal(got, before) {
					t.Errorf("%s: %v, want %v again", id, got, before)
				}
			}
			s := find(t, d, id)
			u := embeddedFacts(s)
			if s.Subordinate() {
				u.TideOffsets.HighMinutes++
			} else {
				u.Harmonics = scaled(s, factor+0.05)
			}
			apply(t, d, id, u)
			for range 3 {
				got, want := extremes(false), extremes(true)
				if !slices.Equal(got, want) || slices.Equal(got, before) {
					t.Errorf("%s after its update: %v, want %v", id, got, want)
				}
			}
		}
	}
}

// TestApplyTogether checks that incomplete sets of parts are refused and change nothing.
func TestApplyTogether(t *testing.T) {
	d := openTest(t)
	for what, row := range map[string]struct {
		id   string
		part func(u *Update)
		want string
	}{
		"levels fail": {"8443970", func(u *Update) {
			u.Datums, u.Differences, u.FirstEpoch,
				u.LastEpoch = nil, nil, 0, 0
		}, "constants without levels"},
		"constants fail": {"8443970", func(u *Update) { u.Harmonics = nil }, "levels without constants"},
		"trimmed": {"8443970", func(u *Update) { u.Harmonics = u.Harmonics[:8] },
			"8 constituents, where 37 are known"},
		"levels trimmed": {"8443970",
			func(u *Update) { u.Datums = []Datum{{"MSL", 2.66}, {"MLLW", 1.074}} }, "is lost"},
		"flow fails":    {"SFB1202", func(u *Update) { u.MeanFlow = nil }, "without the mean flow"},
		"current fails": {"SFB1202", func(u *Update) { u.Harmonics = nil }, "without constants"},
		"another bin": {"SFB1202", func(u *Update) { u.Bin = 1 },
			"bin 1, where the row is of bin 17"},
		"further bin": {"EPT0003_11", func(u *Update) { u.Bin = 14 },
			"bin 14, where the row is of bin 11"},
		"no bin": {"cb0102", func(u *Update) { u.Bin = 0 }, "not known"},
		"current trimmed": {"SFB1202", func(u *Update) { u.Harmonics = u.Harmonics[:8] },
			"8 constituents, where 25 are known"},
		"reference fails": {"8447436", func(u *Update) { u.Base = nil }, "offsets without"},
		"offsets fail":    {"8447436", func(u *Update) { u.TideOffsets = nil }, "without offsets"},
		"no constants": {"8447436", func(u *Update) { u.Base.Harmonics = nil },
			"8443970: no constants"},
		"no levels": {"8447436", func(u *Update) {
			u.Base.Datums, u.Base.Differences, u.Base.FirstEpoch, u.Base.LastEpoch = nil, nil, 0, 0
		}, "constants without levels"},
		"base trimmed": {"8447436", func(u *Update) { u.Base.Harmonics = u.Base.Harmonics[:8] },
			"8 constituents"},
		"base bin": {"PCT0291", func(u *Update) { u.Base.Bin = 1 },
			"bin 1, where the row is of bin 17"},
		"reference's bin": {"PCT0291", func(u *Update) { u.Reference = "SFB1202_12" }, "SFB1202_12"},
	} {
		s := find(t, d, row.id)
		u, before := embeddedFacts(s), facts(d, s)
		row.part(&u)
		if err := d.Apply(row.id, u); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: Apply(%s) = %v, want an error about %q", what, row.id, err, row.want)
		}
		if !reflect.DeepEqual(facts(d, s), before) || !s.Updated().IsZero() {
			t.Errorf("%s: a refused update has changed %s", what, row.id)
		}
	}
}

// TestSnapshot checks that a snapshot retains the station's facts, and those of its
// reference, when they are replaced.
func TestSnapshot(t *testing.T) {
	d := openTest(t)
	for _, id := range []string{"8443970", "8447436", "PCT0291"} {
		s := find(t, d, id)
		was := s.Snapshot()
		before, predicted := facts(d, was), predictions(d, was)
		u := revision(s, 1.25)
		if s.Subordinate() {
			r, _ := d.Reference(s)
			base := revision(r, 1.25)
			u = embeddedFacts(s)
			u.Base = &base
		}
		apply(t, d, id, u)
		if !reflect.DeepEqual(facts(d, was), before) || !reflect.DeepEqual(predictions(d, was),
			predicted) {
			t.Errorf("%s: a snapshot has changed", id)
		}
		if reflect.DeepEqual(predictions(d, s), predicted) {
			t.Errorf("%s: the update has changed nothing", id)
		}
	}
}

func TestApplyLevels(t *testing.T) {
	d := openTest(t)
	boston := find(t, d, "8443970")
	u := embeddedFacts(boston)
	u.FirstEpoch, u.LastEpoch, u.Differences = 2002, 2020, nil
	levels := []Datum{
		{"MLLW", 1.1}, {"MSL", 2.75}, {"HAT", 4.9}, {"CRD_OFFSET", 0.5},
		{"MHHW", 4.3}, {"MHW", 4.2}, {"MTL", 2.8}, {"DTL", 2.7}, {"MLW", 1.2},
	}
	u.Datums = levels
	if err := d.Apply("8443970", u); err == nil || !strings.Contains(err.Error(), "GT is lost") {
		t.Errorf("a list without ranges: %v", err)
	}
	u.Differences = []Difference{{"GT", 3.2, "m"}, {"MN", 3.0, "m"}}
	apply(t, d, "8443970", u)
	levels[0].Value = 99 // Apply has made its own copy
	names := func() string { return fmt.Sprint(boston.Datums()) }
	want := "[{HAT 4.9} {MHHW 4.3} {MHW 4.2} {MTL 2.8} {MSL 2.75} {DTL 2.7} {MLW 1.2} {MLLW 1.1} " +
		"{CRD 0.5}]"
	if got := names(); got != want {
		t.Errorf("Datums = %v, want %v", got, want)
	}
	boston.Datums()[0].Value = 99 // the caller's own
	if got := names(); got != want {
		t.Errorf("Datums = %v, want %v", got, want)
	}
	if got := d.TideDatums(boston); !slices.Equal(got, []string{"MHHW", "MHW", "DTL", "MTL", "MSL",
		"MLW", "MLLW", "CRD", "HAT"}) {
		t.Errorf("TideDatums = %v", got)
	}
	if boston.Epoch() != (Years{2002, 2020}) || len(boston.Differences()) != 2 {
		t.Errorf("epoch %v, differences %v: those of another document", boston.Epoch(),
			boston.Differences())
	}
	if p, ok := d.Tides(boston, "MLLW"); !ok || p.Level != 1.65 {
		t.Errorf("level %v, %v, want 1.65", p.Level, ok)
	}
	// A subordinate station uses the levels that came with its offsets.
	if p, ok := d.Tides(find(t, d, "8447436"), "MLLW"); !ok || p.Level != 1.586 {
		t.Errorf("subordinate: level %v, %v, want 1.586", p.Level, ok)
	}
}

// TestRevised checks that the newest epoch that replaces an embedded one is reported
// until it is withdrawn.
func TestRevised(t *testing.T) {
	d := openTest(t)
	if _, ok := d.Revised(); ok {
		t.Error("revised before any update")
	}
	boston := find(t, d, "8443970")
	u := embeddedFacts(boston)
	apply(t, d, boston.ID, u)
	if _, ok := d.Revised(); ok {
		t.Error("revised by the same epoch")
	}
	u.FirstEpoch, u.LastEpoch = 2002, 2020
	apply(t, d, boston.ID, u)
	if epoch, ok := d.Revised(); !ok || epoch != (Years{2002, 2020}) {
		t.Errorf("Revised() = %v, %v", epoch, ok)
	}
	if boston.EmbeddedEpoch() != (Years{1983, 2001}) || boston.Epoch() != (Years{2002, 2020}) {
		t.Errorf("embedded epoch %v, epoch %v", boston.EmbeddedEpoch(), boston.Epoch())
	}
	apply(t, d, boston.ID, embeddedFacts(find(t, openTest(t), boston.ID)))
	if _, ok := d.Revised(); ok {
		t.Error("revised after it was taken back")
	}
}

// TestDescribe counts the epochs of the package; NOAA publishes the modified epochs
// of five years for Louisiana, Texas and southeast Alaska.
func TestDescribe(t *testing.T) {
	want := map[Years]int{{1983, 2001}: 1156, {2012, 2016}: 68, {2002, 2006}: 13, {}: 20}
	got, err := Describe()
	if err != nil || !reflect.DeepEqual(got.Epochs, want) {
		t.Errorf("Describe() = %v, %v, want the epochs %v", got, err, want)
	}
	if day := openTest(t).Built(); !got.Built.Equal(day) {
		t.Errorf("Describe() = built on %v, want %v", got.Built, day)
	}
}

func TestApplyCurrent(t *testing.T) {
	d := openTest(t)
	s := find(t, d, "cb0102")
	flow, flood, ebb, depth := -0.3, 300.0, 118.0, 4.6
	apply(t, d, "cb0102", Update{Harmonics: s.Harmonics(), Bin: 1, MeanFlow: &flow, Flood: &flood,
		Ebb: &ebb, Bins: []DepthBin{{Number: 2}, {Number: 1, Depth: &depth, Predicted: true,
			Default: true}}})
	flow, flood, depth = 0, 0, 0 // Apply has made its own copies
	p, _ := d.Currents(s)
	gotFlood, gotEbb, mean := s.Directions()
	if s.MeanFlow() != -0.3 || p.Mean != -0.3 || gotFlood != 300 || gotEbb != 118 || !mean {
		t.Errorf("mean flow %v and %v, directions %v, %v, %v", s.MeanFlow(), p.Mean, gotFlood, gotEbb,
			mean)
	}
	bins, known := s.DepthBins()
	if !known || len(bins) != 2 || bins[0].Number != 1 || *bins[0].Depth != 4.6 || !bins[0].Default ||
		bins[1].Depth != nil {
		t.Errorf("DepthBins = %+v, %v", bins, known)
	}
	if _, known := find(t, d, "EPT0003").DepthBins(); known {
		t.Error("DepthBins without a list: known = true, want false")
	}
	// One direction of a subordinate station: the other is NOAA's as well.
	u := embeddedFacts(find(t, d, "ACT0091"))
	u.Flood, u.Ebb = &flood, nil
	u.CurrentOffsets = &tide.CurrentOffsets{Flood: 7, FloodRatio: 0.5, EbbRatio: 1}
	apply(t, d, "ACT0091", u)
	subordinate := find(t, d, "ACT0091")
	gotFlood, gotEbb, mean = subordinate.Directions()
	if o := subordinate.CurrentOffsets(); gotFlood != 0 || gotEbb != 40 || !mean || o.Flood != 7 ||
		o.FloodRatio != 0.5 {
		t.Errorf("directions %v, %v, %v, offsets %+v", gotFlood, gotEbb, mean, o)
	}
}

// TestBinNumber checks the number of a row's bin for each of its sources. NOAA CO-OPS:
// EPT0003 predicts bin 14 by default, SFB1202 bin 17.
func TestBinNumber(t *testing.T) {
	d := openTest(t)
	for id, want := range map[string]int{
		"EPT0003": 14, "EPT0003_11": 11, "SFB1202": 17, "PEB0607": 7, "PCT1291": 1, "cb0102": 0,
		"ACT0091": 0, "8443970": 0,
	} {
		if got := find(t, d, id).BinNumber(); got != want {
			t.Errorf("BinNumber of %s = %d, want %d", id, got, want)
		}
	}
	for _, id := range []string{"cb0102", "SFB1202"} {
		apply(t, d, id, Update{Bins: []DepthBin{{Number: 5}, {Number: 9, Default: true}}})
	}
	if got := find(t, d, "cb0102").BinNumber(); got != 9 {
		t.Errorf("BinNumber of cb0102 = %d, want the listed default 9", got)
	}
	if got := find(t, d, "SFB1202").BinNumber(); got != 17 {
		t.Errorf("BinNumber of SFB1202 = %d, want 17: its constants are still those of that bin", got)
	}
	numbered := 0
	for _, s := range openTest(t).All(Current) {
		if s.BinNumber() > 0 {
			numbered++
		}
	}
	if numbered != 18 {
		t.Errorf("%d rows have a bin, want the 14 of the package and 4", numbered)
	}
}

func TestApplyOffsets(t *testing.T) {
	d := openTest(t)
	s := find(t, d, "8557863")
	want := tide.Offsets{HighMinutes: 16, LowMinutes: -9, High: -0.2, Low: 0.1, Fixed: true}
	offsets := want
	u := embeddedFacts(s)
	u.TideOffsets = &offsets
	apply(t, d, "8557863", u)
	offsets.High, s.TideOffsets().Low = 9, 9
	if p, ok := d.Tides(s, "MLLW"); !ok || *p.Offsets != want || *s.TideOffsets() != want {
		t.Errorf("offsets %+v and %+v, want %+v", p.Offsets, s.TideOffsets(), want)
	}
}

// TestApplyTwice checks that the latest of each part is in force, with its own time.
func TestApplyTwice(t *testing.T) {
	d := openTest(t)
	s := find(t, d, "8443970")
	levels := s.Datums()
	if !s.Updated().IsZero() || !s.Obtained(PartConstants).IsZero() {
		t.Error("embedded facts have been obtained")
	}
	apply(t, d, s.ID, revision(s, 2))
	first, _ := predictor(d, s)
	zone := time.FixedZone("", 3600)
	u := revision(s, 2)
	u.At = later.In(zone)
	apply(t, d, s.ID, u)
	second, _ := predictor(d, s)
	if first == second || second.At(later) != tide.NewCurve(s.Harmonics()).At(later) ||
		!slices.Equal(s.Datums(), levels) {
		t.Error("the second update did not replace the constants of the first one")
	}
	for _, row := range []struct {
		what      string
		got, want time.Time
	}{
		{"Updated()", s.Updated(), later},
		{"constants", s.Obtained(PartConstants), later},
		{"levels", s.Obtained(PartLevels), later},
		{"both", s.Obtained(PartConstants, PartLevels), later},
		{"and bins", s.Obtained(PartConstants, PartBins), time.Time{}},
	} {
		if row.got != row.want {
			t.Errorf("%s: %v, want %v", row.what, row.got, row.want)
		}
	}
	apply(t, d, s.ID, Update{At: later.Add(time.Hour)})
	if !s.Updated().Equal(later) {
		t.Error("an update without parts has made the others newer")
	}
}

// TestApplyRefused checks that the error describes the fault and that the facts in force
// stay.
func TestApplyRefused(t *testing.T) {
	d := openTest(t)
	number := func(v float64) *float64 { return &v }
	wave := func(constituent int, amplitude, phase float64) []tide.Harmonic {
		return []tide.Harmonic{{Constituent: 0, Amplitude: 1},
			{Constituent: constituent, Amplitude: amplitude, Phase: phase}}
	}
	for what, row := range map[string]struct {
		id   string
		u    Update
		want string
	}{
		"unknown":         {"1234567", Update{}, "no such station"},
		"no time":         {"8443970", Update{Harmonics: wave(1, 1, 1)}, "when"},
		"number":          {"8443970", Update{Harmonics: wave(120, 1, 1)}, "constituent 120"},
		"negative number": {"8443970", Update{Harmonics: wave(-1, 1, 1)}, "constituent -1"},
		"twice":           {"8443970", Update{Harmonics: wave(0, 1, 1)}, "duplicate"},
		"nan":             {"8443970", Update{Harmonics: wave(1, math.NaN(), 1)}, "amplitude NaN"},
		"phase nan":       {"8443970", Update{Harmonics: wave(1, 1, math.NaN())}, "phase NaN"},
		"phase":           {"8443970", Update{Harmonics: wave(1, 1, 361)}, "phase 361"},
		"infinite":        {"8443970", Update{Harmonics: wave(1, math.Inf(1), 1)}, "amplitude +Inf"},
		"high":            {"8443970", Update{Harmonics: wave(1, 20, 1)}, "amplitude 20"},
		"below nothing":   {"8443970", Update{Harmonics: wave(1, -0.1, 1)}, "amplitude -0.1"},
		"none":            {"8443970", Update{Harmonics: []tide.Harmonic{}}, "no constituent"},
		"all zero":        {"8443970", Update{Harmonics: []tide.Harmonic{{}}}, "no constituent"},
		"subordinate":     {"8447436", Update{Harmonics: wave(1, 1, 1)}, "constants"},
		"no levels":       {"8443970", Update{Datums: []Datum{}}, "no level"},
		"lost":            {"8443970", Update{Datums: []Datum{{"MSL", 1}}}, "is lost"},
		"level twice": {"8443970", Update{Datums: []Datum{{"MSL", 1}, {"MLLW", 0}, {"MSL", 1}}},
			`"MSL"`},
		"level nan": {"8443970", Update{Datums: []Datum{{"MSL", 1}, {"MLLW", math.NaN()}}},
			`"MLLW" of NaN`},
		"no name": {"8443970", Update{Datums: []Datum{{"MSL", 1}, {"MLLW", 1}, {"", 1}}},
			`""`},
		"no level": {"8443970", Update{Datums: []Datum{{"MSL", 1}, {"MLLW", 1}, {"GT", 1}}},
			`"GT"`},
		"unit": {"8443970", Update{Datums: []Datum{{"MSL", 1}, {"MLLW", 1}},
			Differences: []Difference{{"GT", 1, "ft"}}}, "ft"},
		"differences": {"8443970", Update{Differences: []Difference{{"GT", 1, "m"}}},
			"without levels"},
		"epoch alone": {"8443970", Update{FirstEpoch: 2002, LastEpoch: 2020}, "without levels"},
		"epoch": {"8443970", Update{Datums: []Datum{{"MSL", 1}, {"MLLW", 1}},
			FirstEpoch: 2020, LastEpoch: 2002}, "2020 to 2002"},
		"half an epoch": {"8443970", Update{Datums: []Datum{{"MSL", 1}, {"MLLW", 1}},
			LastEpoch: 2002}, "0 to 2002"},
		"levels of currents": {"cb0102", Update{Datums: []Datum{{"MSL", 1}}}, "levels"},
		"flow":               {"cb0102", Update{MeanFlow: number(-20)}, "mean flow"},
		"flow nan":           {"cb0102", Update{MeanFlow: number(math.NaN())}, "mean flow"},
		"flow of tides":      {"8443970", Update{MeanFlow: number(0)}, "a mean flow"},
		"direction":          {"cb0102", Update{Flood: number(-1), Ebb: number(1)}, "direction of -1"},
		"one direction":      {"cb0102", Update{Flood: number(1)}, "one direction"},
		"offsets": {"8443970", Update{TideOffsets: &tide.Offsets{High: 1, Low: 1}},
			"tide offsets"},
		"currents' offsets": {"8447436", Update{CurrentOffsets: &tide.CurrentOffsets{}},
			"current offsets"},
		"minutes": {"8447436", Update{TideOffsets: &tide.Offsets{HighMinutes: 1441, High: 1,
			Low: 1}}, "minutes"},
		"ratio": {"8447436", Update{TideOffsets: &tide.Offsets{High: -1, Low: 1}}, "ratios"},
		"ratio nan": {"8447436", Update{TideOffsets: &tide.Offsets{High: 1, Low: math.NaN()}},
			"NaN"},
		"ratios": {"ACT0091",
			Update{CurrentOffsets: &tide.CurrentOffsets{FloodRatio: 1, EbbRatio: 20}}, "20"},
		"reference": {"8447436", Update{TideOffsets: &tide.Offsets{High: 1, Low: 1},
			Reference: "8418150"}, "8418150"},
		"reference bin": {"ACT0091", Update{CurrentOffsets: &tide.CurrentOffsets{},
			Reference: "EPT0003_12"}, "EPT0003_12"},
		"bin":       {"cb0102", Update{Bins: []DepthBin{{Number: 0}}}, "bin 0"},
		"bin twice": {"cb0102", Update{Bins: []DepthBin{{Number: 3}, {Number: 3}}}, "bin 3"},
		"defaults": {"cb0102",
			Update{Bins: []DepthBin{{Number: 3, Default: true}, {Number: 4, Default: true}}}, "2 bins"},
		"bins of tides": {"8443970", Update{Bins: []DepthBin{{Number: 3}}}, "bins"},
	} {
		before, _ := d.Station(row.id)
		wanted := facts(d, before)
		if what != "no time" {
			row.u.At = obtained
		}
		err := d.Apply(row.id, row.u)
		if err == nil || !strings.Contains(err.Error(), row.want) || !strings.HasPrefix(err.Error(),
			"updating "+row.id+": ") {
			t.Errorf("%s: Apply(%s) = %v, want an error about %q", what, row.id, err, row.want)
		}
		if got := facts(d, before); !reflect.DeepEqual(got, wanted) || !before.Updated().IsZero() {
			t.Errorf("%s: a refused update has changed %s", what, row.id)
		}
	}
	// If an update is in force, a refused one does not replace it.
	apply(t, d, "8443970", revision(find(t, d, "8443970"), 2))
	in, _ := predictor(d, find(t, d, "8443970"))
	if err := d.Apply("8443970", Update{At: later, Harmonics: []tide.Harmonic{}}); err == nil {
		t.Error("an update without constituents was taken")
	}
	if got, _ := predictor(d, find(t, d, "8443970")); got != in ||
		!find(t, d, "8443970").Updated().Equal(obtained) {
		t.Error("a refused update has taken away the one in force")
	}
}

// FuzzApply checks that no accepted constants predict nothing or a value that is not a
// number.
func FuzzApply(f *testing.F) {
	d, err := Open()
	if err != nil {
		f.Fatal(err)
	}
	fresh, err := Open()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(0, 1.371, 109.2, 2.66, 1.074, 12, 1.05)
	f.Fuzz(func(t *testing.T, constituent int, amplitude, phase, mean, low float64, minutes int,
		ratio float64) {
		reference := embeddedFacts(find(t, fresh, "8443970"))
		reference.Harmonics[0] = tide.Harmonic{Constituent: constituent, Amplitude: amplitude,
			Phase: phase}
		for i, l := range reference.Datums {
			reference.Datums[i].Value = map[string]float64{"MSL": mean, "MLLW": low}[l.Name]
		}
		offsets := Update{
			At: obtained, TideOffsets: &tide.Offsets{HighMinutes: minutes, LowMinutes: -minutes, High: ratio,
				Low: ratio},
			Reference: "8443970", Base: &reference,
		}
		if d.Apply("8443970", reference) != nil || d.Apply("8447436", offsets) != nil {
			return
		}
		p, ok := d.Tides(find(t, d, "8447436"), "MLLW")
		if !ok {
			t.Fatal("an update took the predictions away")
		}
		for _, e := range p.Extremes(obtained, later) {
			if !within(e.Height, 2*mostLevel*mostRatio) {
				t.Errorf("an extreme of %v", e.Height)
			}
		}
	})
}
