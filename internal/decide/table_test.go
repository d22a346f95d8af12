package decide

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"leadline/internal/coast"
	"leadline/internal/trials"
)

// quantity is a row of the table of thresholds as in the document, typed again. A cell has
// limits for each activity in turn: i, w or a for the severity, then the value, S or H. A
// value counts at its limit or beyond; after < or > only beyond it.
type quantity struct {
	code  string
	cells string
	down  bool    // less is worse
	step  float64 // from a value to the next one that a reader sees
	set   func(f *Facts, v float64)
}

var documented = []quantity{
	{
		"wind",
		"w15 aS | w15 aS | w10 a16 | w27 | w27 | w27",
		false,
		0.1,
		func(f *Facts, v float64) { f.during().Wind = &v },
	},
	{
		"gust",
		"w20 a25 | w20 a25 | w15 a20 | w40 | w40 | w40",
		false,
		0.1,
		func(f *Facts, v float64) { f.during().Gust = &v },
	},
	{
		"seas",
		"w4 aH | w4 aH | w3 a6 | w6 | - | -",
		false,
		0.1,
		func(f *Facts, v float64) { f.during().Height = &v },
	},
	{
		"current",
		"w3 a5 | w3 a5 | w2 a4 | - | - | -",
		false,
		0.01,
		func(f *Facts, v float64) { f.Current.Velocities.atNoon(v) },
	},
	{
		"thunderstorms",
		"w10 a60 | w10 a60 | w10 a60 | w10 a60 | w10 a60 | w10",
		false,
		1,
		func(f *Facts, v float64) { f.during().Thunder = &v },
	},
	{
		"fog",
		"w10 | w10 | w10 | - | - | -",
		false,
		1,
		func(f *Facts, v float64) { f.during().Fog = &v },
	},
	{
		"visibility",
		"w1 a0.25 | w1 a0.25 | w1 a0.25 | - | - | -",
		true,
		0.01,
		func(f *Facts, v float64) { f.during().Visibility = &v },
	},
	{
		"darkness",
		"i<-6 | w<-6 | w<-6 | w<-6 | i<-6 | i<-6",
		true,
		0.01,
		func(f *Facts, v float64) { f.Sun.Altitudes.atNoon(v) },
	},
	{
		"low_water",
		"i<0 w-1 | i<0 w-1 | - | - | - | -",
		true,
		0.01,
		func(f *Facts, v float64) { f.Tide.Heights.fromNoon(v) },
	},
	{
		"cold_water",
		"w<60 | w<60 | i<70 w<60 a<50 | - | - | -",
		true,
		0.1,
		func(f *Facts, v float64) { f.Water.Temperature = &v },
	},
	{"rising_tide", "- | - | - | w>60 | - | -", false, 1, lowBeforeEnd},
	{
		"fast_rise",
		"- | - | - | w>4 | - | -",
		false,
		0.01,
		func(f *Facts, v float64) { f.Tide.Heights.Values[97] = 3 + v/4 },
	},
	{
		"freezing_spray",
		"a10 | a10 | a10 | - | - | -",
		false,
		1,
		func(f *Facts, v float64) { f.during().Other = Weather{"freezing_spray": v} },
	},
	{
		"waterspouts",
		"a10 | a10 | a10 | - | - | -",
		false,
		1,
		func(f *Facts, v float64) { f.during().Other = Weather{"waterspouts": v} },
	},
	{
		"volcanic_ash",
		"w10 | w10 | w10 | w10 | w10 | w10",
		false,
		1,
		func(f *Facts, v float64) { f.during().Other = Weather{"volcanic_ash": v} },
	},
	{
		"heavy_smoke",
		"w10 | w10 | w10 | w10 | w10 | w10",
		false,
		1,
		func(f *Facts, v float64) { f.during().Other = Weather{"heavy_smoke": v} },
	},
	{
		"heavy_snow",
		"w10 | w10 | w10 | - | - | -",
		false,
		1,
		func(f *Facts, v float64) { f.during().Other = Weather{"heavy_snow": v} },
	},
}

// others lists other inputs of the same quantities.
var others = []quantity{
	{
		"wind",
		documented[0].cells,
		false,
		0.1,
		func(f *Facts, v float64) { f.Text.Periods[0].Wind = &v },
	},
	{
		"gust",
		documented[1].cells,
		false,
		0.1,
		func(f *Facts, v float64) { f.Text.Periods[0].Gust = &v },
	},
	{
		"seas",
		documented[2].cells,
		false,
		0.1,
		func(f *Facts, v float64) { f.Text.Periods[0].Seas = &v },
	},
	{
		"current",
		documented[3].cells,
		false,
		0.01,
		func(f *Facts, v float64) { f.Current.Velocities.atNoon(-v) },
	},
	{
		"low_water",
		documented[8].cells,
		true,
		0.01,
		func(f *Facts, v float64) { f.Tide.Turns[1].Height = v },
	},
	{
		"thunderstorms",
		documented[4].cells,
		false,
		1,
		func(f *Facts, v float64) { f.Text.Periods[0].Thunder = &v },
	},
	{
		"fog",
		documented[5].cells,
		false,
		1,
		func(f *Facts, v float64) { f.Text.Periods[0].Fog = &v },
	},
	{
		"visibility",
		documented[6].cells,
		true,
		0.01,
		func(f *Facts, v float64) { f.Text.Periods[0].Visibility = &v },
	},
	{
		"freezing_spray",
		documented[12].cells,
		false,
		1,
		func(f *Facts, v float64) { f.Text.Periods[0].Other = Weather{"freezing_spray": v} },
	},
	{
		"waterspouts",
		documented[13].cells,
		false,
		1,
		func(f *Facts, v float64) { f.Text.Periods[0].Other = Weather{"waterspouts": v} },
	},
}

// lowBeforeEnd puts low water a number of minutes before the end of the beachcombing span.
func lowBeforeEnd(f *Facts, minutes float64) {
	f.Tide.Turns[1].Time = noon.Add(2*time.Hour - time.Duration(minutes)*time.Minute)
	f.Tide.Heights.rise(3.5)
}

// fromNoon sets all values of a quiet series from noon on.
func (s *Series) fromNoon(v float64) {
	for i := range s.Values[96:] {
		s.Values[96+i] = v
	}
}

// rise makes the water rise evenly by a given amount from noon to 14:00.
func (s *Series) rise(feet float64) {
	for i := range s.Values[96:] {
		s.Values[96+i] += feet * min(1, float64(i)/8)
	}
}

// regions lists the floors of small craft advisories, typed again.
var regions = []struct {
	name       string
	wind, seas float64
	states     string
}{
	{"Maine to South Carolina", 20, 5, "ME NH MA RI CT NY NJ PA DE MD VA NC SC"},
	{"Georgia to Texas, Puerto Rico, Virgin Islands", 20, 7, "GA FL AL MS LA TX PR VI"},
	{"California to Washington", 21, 10, "CA OR WA"},
	{"Alaska", 23, 7, "AK"},
	{"Hawaii, American Samoa", 25, 10, "HI AS"},
	{"Guam, Marianas", 22, 10, "GU MP"},
}

// limit is one limit of a cell.
type limit struct {
	severity Severity
	value    float64
	beyond   bool   // the value itself does not count
	text     string // of the value: a number, S or H
}

// limits parses the cell of an activity, for a region by its number.
func (q quantity) limits(activity, region int) []limit {
	var list []limit
	cell := strings.TrimSpace(strings.Split(q.cells, "|")[activity])
	for _, word := range strings.Fields(strings.Trim(cell, "-")) {
		l := limit{
			severity: map[byte]Severity{'i': Info, 'w': Watch, 'a': Action}[word[0]],
			beyond:   strings.ContainsAny(word, "<>"),
			text:     strings.TrimLeft(word[1:], "<>"),
		}
		switch l.text {
		case "S":
			l.value = regions[region].wind
		case "H":
			l.value = regions[region].seas
		default:
			l.value, _ = strconv.ParseFloat(l.text, 64)
		}
		list = append(list, l)
	}
	return list
}

// counts reports whether a value counts by the limit.
func (l limit) counts(v float64, down bool) bool {
	if v == l.value {
		return !l.beyond
	}
	return v < l.value == down
}

// TestThresholds checks every cell of the table on both sides of each limit of the row, in every
// region. Few cases are: a row with limits of the regions around those of each region alone, and
// another row in one region for each activity, where all have the same limits.
func TestThresholds(t *testing.T) {
	few := !trials.Thorough()
	for row, q := range slices.Concat(documented, others) {
		for i, a := range Activities() {
			for region := range regions {
				values := q.around(0, len(regions))
				switch {
				case few && strings.ContainsAny(q.cells, "SH"):
					values = q.around(region, region+1)
				case few && region != (row+i)%len(regions):
					continue
				}
				for _, v := range values {
					q.check(t, a, q.limits(i, region), region, v)
				}
			}
		}
	}
}

// around returns the values just before, at and just beyond every limit of the row in the regions
// from one number up to another.
func (q quantity) around(from, to int) []float64 {
	var list []float64
	for i := range Activities() {
		for region := from; region < to; region++ {
			for _, l := range q.limits(i, region) {
				list = append(list, tidy(l.value-q.step), l.value, tidy(l.value+q.step))
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// tidy removes rounding errors of binary fractions.
func tidy(v float64) float64 { return round(v, 1000) }

func (q quantity) check(t *testing.T, a Activity, limits []limit, region int, v float64) {
	f := quiet()
	f.Floor = FloorOf(strings.Fields(regions[region].states)[0], 0, 0)
	q.set(f, v)
	var want []string
	state := Normal
	for _, l := range limits { // from the mildest on
		if l.counts(v, q.down) {
			want, state = []string{
				fmt.Sprintf("%s %s %v limit %v", l.severity, q.code, v, l.value),
			}, stateOf(l.severity)
		}
	}
	d := Decide(asked(a), f)
	if got := reasonsOf(d); !slices.Equal(got, want) || d.State != state {
		t.Errorf("%s, %s, %s %v: %s for %q, want %s for %q", a, regions[region].name, q.code, v,
			d.State, got, state, want)
	}
}

// stateOf returns the state that a single reason causes.
func stateOf(s Severity) State {
	return map[Severity]State{"": Normal, Info: Normal, Watch: WatchState, Action: ActionNeeded}[s]
}

// reasonsOf returns the reasons of a decision, in short form.
func reasonsOf(d Decision) []string {
	var list []string
	for _, r := range d.Reasons {
		text := fmt.Sprintf("%s %s", r.Severity, r.Code)
		if r.Value != nil {
			text += fmt.Sprintf(" %v limit %v", *r.Value, *r.Threshold)
		}
		list = append(list, text)
	}
	return list
}

// severityOf returns the severity of the reason with a code, or "" if the decision does not
// have it.
func severityOf(d Decision, code string) Severity {
	for _, r := range d.Reasons {
		if r.Code == code {
			return r.Severity
		}
	}
	return ""
}

// TestQuiet checks that the quiet day raises nothing: every other test changes it.
func TestQuiet(t *testing.T) {
	for _, a := range Activities() {
		d := Decide(asked(a), quiet())
		if d.State != Normal || d.Confidence != High ||
			len(d.Reasons)+len(d.MissingInputs)+len(d.Notes) > 0 {
			t.Errorf("%s: %s, %s, %q, missing %q, notes %q", a, d.State, d.Confidence, reasonsOf(d),
				d.MissingInputs, d.Notes)
		}
	}
}

func TestSpans(t *testing.T) {
	for i, hours := range []int{4, 4, 2, 2, 1, 6} {
		a := Activities()[i]
		want := coast.Span{From: noon, To: noon.Add(time.Duration(hours) * time.Hour)}
		if got := Decide(asked(a), quiet()).Assessed; got != want {
			t.Errorf("%s is assessed %v, want %v", a, got, want)
		}
	}
}

func TestFloors(t *testing.T) {
	for _, r := range regions {
		for _, state := range strings.Fields(r.states) {
			if got, want := FloorOf(state, 0, 0), (Floor{r.name, r.wind, r.seas}); got != want {
				t.Errorf("FloorOf(%q) = %v, want %v", state, got, want)
			}
		}
	}
}

// TestWorstCounts tries an hour just within the span and one just outside.
func TestWorstCounts(t *testing.T) {
	for _, c := range []struct {
		hour int // of the day
		want State
	}{{11, Normal}, {12, ActionNeeded}, {15, ActionNeeded}, {16, Normal}} {
		f := quiet()
		f.Grid.Hours[12+c.hour].Gust = pointer(25)
		if got := Decide(asked(Boating), f).State; got != c.want {
			t.Errorf("gusts of 25 kn at %d:00: %s, want %s", c.hour, got, c.want)
		}
	}
}

// strait returns a quiet day with a wind and a current.
func strait(wind, from, velocity float64) *Facts {
	f := quiet()
	for i := range f.Grid.Hours {
		f.Grid.Hours[i].Wind, f.Grid.Hours[i].Direction = &wind, &from
	}
	f.Current.Velocities.atNoon(velocity)
	return f
}

func TestWindAgainstCurrent(t *testing.T) {
	for _, c := range []struct {
		wind, current float64
		want          Severity
	}{
		{9.9, 1, ""},
		{10, 0.99, ""},
		{10, 1, Watch},
		{10, 2.5, Watch},
		{14.9, 2, Watch},
		{15, 1.99, Watch},
		{15, 2, Action},
		{30, 1, Watch},
		{9.9, 5, ""},
		{30, 0.99, ""},
		{10, 2.99, Watch}, {10, 3, Action}, {9.9, 3, ""},
	} {
		for i, a := range Activities() {
			want := c.want
			if i > 2 {
				want = ""
			}
			d := Decide(asked(a), strait(c.wind, 270, c.current))
			if got := severityOf(d, "wind_against_current"); got != want {
				t.Errorf("%s, %v kn of wind against %v kn of current: %q, want %q", a, c.wind,
					c.current, got, want)
			}
		}
	}
}

// TestOpposed turns the wind around a flood toward 270 and an ebb toward 90 degrees, and
// around north.
func TestOpposed(t *testing.T) {
	for _, c := range []struct {
		flood, velocity, from float64
		want                  bool
	}{
		{270, 2, 270, true},
		{270, 2, 210, true},
		{270, 2, 209, false},
		{270, 2, 330, true},
		{270, 2, 331, false},
		{270, 2, 90, false},
		{270, -2, 270, false},
		{270, -2, 90, true},
		{270, -2, 30, true},
		{270, -2, 29, false},
		{270, -2, 150, true},
		{270, -2, 151, false},
		{350, 2, 50, true},
		{350, 2, 51, false},
		{10, 2, 310, true},
		{10, 2, 309, false},
		{0, 2, 360, true},
		{360, 2, 0, true},
		{180, 2, 0, false},
		{0, 2, 180, false},
	} {
		f := strait(15, c.from, c.velocity)
		f.Current.Flood = &c.flood
		if got := severityOf(Decide(asked(Boating), f), "wind_against_current") == Action; got != c.want {
			t.Errorf("flood toward %v, %v kn, wind from %v: opposed %v, want %v", c.flood,
				c.velocity, c.from, got, c.want)
		}
	}
}

// TestOpposedUnknown checks that a fact with an unknown direction is missing, but only if
// both are strong enough to matter.
func TestOpposedUnknown(t *testing.T) {
	for _, c := range []struct {
		wind, current float64
		blind         bool // the grid gives no direction; else the current station
		want          []string
	}{
		{10, 1, true, []string{WindForecast}},
		{9, 1, true, []string{}},
		{10, 0.9, true, []string{}},
		{10, 1, false, []string{CurrentPrediction}},
		{9, 1, false, []string{}},
		{10, 0.9, false, []string{}},
	} {
		f := strait(c.wind, 270, c.current)
		if c.blind {
			for i := range f.Grid.Hours {
				f.Grid.Hours[i].Direction = nil
			}
		} else {
			f.Current.Flood = nil
		}
		if got := Decide(asked(Fishing), f).MissingInputs; !slices.Equal(got, c.want) {
			t.Errorf("%+v: missing %q", c, got)
		}
	}
}

// TestSteepSeas checks seas of at least 3 ft and at least 0.2 x period squared.
func TestSteepSeas(t *testing.T) {
	for _, c := range []struct {
		height, period float64
		want           Severity
	}{
		{2.9, 2, ""},
		{3, 2, Action},
		{3, 3.8, Action},
		{3, 3.9, ""},
		{3.9, 4, Action},
		{4, 4.4, Action},
		{4, 4.5, ""},
		{4.1, 4.5, Action},
		{4.9, 5, ""},
		{5, 5, Action},
		{4.8, 4.9, ""},
		{4.9, 4.9, Action},
		{7.1, 6, ""},
		{7.2, 6, Action},
		{9, 12, ""},
	} {
		for i, a := range Activities() {
			want := c.want
			if i > 1 {
				want = ""
			}
			f := quiet()
			f.during().Height, f.during().Period = &c.height, &c.period
			d := Decide(asked(a), f)
			if got := severityOf(d, "steep_seas"); got != want || want == Action && d.State != ActionNeeded {
				t.Errorf("%s, %v ft every %v s: %q, want %q", a, c.height, c.period, got, want)
			}
		}
	}
}

// TestThunderWords checks that any coverage is a watch, and that likely, numerous and more
// are an action. Weather without a word counts as certain.
func TestThunderWords(t *testing.T) {
	for want, words := range map[Severity]string{
		Watch: "isolated slight_chance patchy chance scattered areas",
		Action: "likely numerous widespread definite brief few frequent intermittent occasional " +
			"periods unheard-of",
	} {
		another := map[Severity]string{Action: "", Watch: "chance"}[want]
		for _, word := range append(strings.Fields(words), another) {
			f := quiet()
			f.during().Thunder, f.during().Fog = pointer(Coverage(word)), pointer(Coverage(word))
			for i, a := range Activities() {
				wantThunder, wantFog := want, Watch
				if i > 2 {
					wantFog = ""
				}
				if i > 4 {
					wantThunder = Watch
				}
				d := Decide(asked(a), f)
				thunder, fog := severityOf(d, "thunderstorms"), severityOf(d, "fog")
				if thunder != wantThunder ||
					fog != wantFog {
					t.Errorf("%s, %q: thunderstorms %q and fog %q, want %q and %q", a, word,
						thunder, fog, wantThunder, wantFog)
				}
			}
		}
	}
}

// TestRisingTide checks water that rises with the end of the span more than 60 min after
// low.
func TestRisingTide(t *testing.T) {
	at := func(minutes int, high bool) Turn {
		return Turn{noon.Add(time.Duration(minutes) * time.Minute), high, 1}
	}
	for _, c := range []struct {
		about string
		turns []Turn
		want  Severity
	}{
		{"low at the end", []Turn{at(-250, true), at(120, false), at(490, true)}, ""},
		{"low 60 min before the end", []Turn{at(-300, true), at(60, false), at(430, true)}, ""},
		{"low 61 min before the end", []Turn{at(-300, true), at(59, false), at(430, true)}, Watch},
		{"low long before", []Turn{at(-200, false), at(170, true)}, Watch},
		{"high at the beginning", []Turn{at(-370, false), at(0, true), at(370, false)}, ""},
		{"high 1 min after the beginning", []Turn{at(-370, false), at(1, true), at(371, false)}, ""},
		{"high 45 min after the beginning", []Turn{at(-325, false), at(45, true), at(415, false)}, Watch},
		{"falling", []Turn{at(-400, false), at(-30, true), at(340, false)}, ""},
	} {
		f := quiet()
		f.Tide.Turns = c.turns
		f.Tide.Heights.rise(4)
		if got := severityOf(Decide(asked(Beachcombing), f), "rising_tide"); got != c.want {
			t.Errorf("%s: %q, want %q", c.about, got, c.want)
		}
	}
}

// TestFlooding puts the flood level at 10 ft and checks prediction, gauge and residual
// separately. The quiet tide is 7 ft below it. A high tide leaves no room for a residual, which
// is therefore not given with it.
func TestFlooding(t *testing.T) {
	const sunk = -99.0 // a residual that reaches nothing
	predicted := func(f *Facts, v float64) {
		f.Tide.Heights.atNoon(v)
		f.Level.Residual = pointer(sunk)
	}
	turning := func(f *Facts, v float64) {
		f.Tide.Turns[1], f.Level.Residual = Turn{noon.Add(4 * time.Hour), true, v}, pointer(sunk)
	}
	gauge := func(f *Facts, v float64) { f.Level.Height = &v }
	residual := func(f *Facts, v float64) { f.Level.Residual = &v }
	for _, c := range []struct {
		set   func(f *Facts, v float64)
		value float64
		want  string
	}{
		{predicted, 8.99, ""},
		{predicted, 9, "watch flooding_predicted 9 limit 9"},
		{predicted, 9.99, "watch flooding_predicted 9.99 limit 9"},
		{predicted, 10, "action flooding_predicted 10 limit 10"},
		{predicted, 12, "action flooding_predicted 12 limit 10"},
		{turning, 8.99, ""},
		{turning, 9, "watch flooding_predicted 9 limit 9"},
		{turning, 9.99, "watch flooding_predicted 9.99 limit 9"},
		{turning, 10, "action flooding_predicted 10 limit 10"},
		{gauge, 8.99, ""},
		{gauge, 9, "watch flooding_observed 9 limit 9"},
		{gauge, 9.99, "watch flooding_observed 9.99 limit 9"},
		{gauge, 10, "action flooding_observed 10 limit 10"},
		{residual, 6, ""},
		{residual, 6.01, "watch flooding_residual 6.01 limit 6"},
		{residual, 6.99, "watch flooding_residual 6.99 limit 6"},
		{residual, 7, "action flooding_residual 7 limit 7"},
		{residual, 8, "action flooding_residual 8 limit 7"},
	} {
		f := quiet()
		c.set(f, c.value)
		want := slices.DeleteFunc([]string{c.want}, func(s string) bool { return s == "" })
		severity, _, _ := strings.Cut(c.want, " ")
		d := Decide(asked(CoastalLiving), f)
		if got := reasonsOf(d); !slices.Equal(got, want) || d.State != stateOf(Severity(severity)) {
			t.Errorf("%v ft: %s, %q, want %q", c.value, d.State, got, want)
		}
	}
}

// TestFloodingSources checks that three sources give three reasons, on the station's datum, and
// that no reason adds them.
func TestFloodingSources(t *testing.T) {
	f := quiet()
	f.Tide.Heights.atNoon(9.5)
	f.Level.Height, f.Level.Residual = pointer(9.2), pointer(0.5)
	d := Decide(asked(CoastalLiving), f)
	want := []string{
		"action flooding_residual 0.5 limit 0.5",
		"watch flooding_predicted 9.5 limit 9",
		"watch flooding_observed 9.2 limit 9",
	}
	if got := reasonsOf(d); !slices.Equal(got, want) {
		t.Errorf("reasons %q, want %q", got, want)
	}
	for i, source := range []string{residualSource, TidePrediction, ObservedLevel} {
		if got := d.Reasons[i].SourceID; got != source {
			t.Errorf("%s is of %s, want %s", d.Reasons[i].Code, got, source)
		}
	}
}

// TestGaugeReach checks that the gauge counts for the next 6 h only.
func TestGaugeReach(t *testing.T) {
	for _, c := range []struct {
		ahead time.Duration
		want  []string
	}{
		{6 * time.Hour, []string{
			"action flooding_observed 11 limit 10",
			"action flooding_residual 8 limit 7",
		}},
		{6*time.Hour + time.Minute, nil},
	} {
		f := quiet()
		f.Level.Height, f.Level.Residual = pointer(11), pointer(8)
		r := asked(CoastalLiving)
		r.Now = noon.Add(-c.ahead)
		if got := reasonsOf(Decide(r, f)); !slices.Equal(got, c.want) {
			t.Errorf("%s ahead: %q, want %q", c.ahead, got, c.want)
		}
	}
}

// TestGaugeApplies checks that a gauge without a value or a stale one is missing however far ahead
// the requested time is.
func TestGaugeApplies(t *testing.T) {
	for _, ahead := range []time.Duration{
		6 * time.Hour, 6*time.Hour + time.Minute, 6 * 24 * time.Hour,
	} {
		for a, want := range map[Activity]State{CoastalLiving: Unknown, Boating: WatchState} {
			r := asked(a)
			r.Now = noon.Add(-ahead)
			stale, none := withAge(*quiet(), ObservedLevel, coast.Stale), *quiet()
			none.Level = Level{Fact: Fact{Source: none.Level.Source, None: "NOAA has no value"}}
			for _, f := range []*Facts{stale, &none} {
				d := Decide(r, f)
				if d.State != want || !slices.Contains(d.MissingInputs, ObservedLevel) {
					t.Errorf("%s, %s ahead: %s, missing %q", a, ahead, d.State, d.MissingInputs)
				}
			}
			if got := Decide(r, without(*quiet(), ObservedLevel)).State; got != Unknown {
				t.Errorf("%s, %s ahead, without: %s", a, ahead, got)
			}
		}
	}
}

// TestLowWaterObserved tries the limits of prediction and residual together from both sides. No
// number of the decision is their sum.
func TestLowWaterObserved(t *testing.T) {
	for _, c := range []struct {
		low, residual float64
		want          Severity
		threshold     float64
	}{
		{1.25, -2.24, "", 0},
		{1.25, -2.25, Watch, -2.25},
		{1.25, -4.24, Watch, -2.25},
		{1.25, -4.25, Action, -4.25},
		{1.25, -9, Action, -4.25},
		{-0.5, -0.49, "", 0},
		{-0.5, -0.5, Watch, -0.5},
		{-2.5, -0.49, Watch, 1.5},
		{-2.5, -0.5, Action, -0.5},
		{-3.5, 0, "", 0},
		{-3.5, 0.6, "", 0},
	} {
		for i, a := range Activities() {
			f := quiet()
			f.Tide.Heights.atNoon(c.low)
			f.Level.Residual = pointer(c.residual)
			d := Decide(asked(a), f)
			want := c.want
			if i > 1 {
				want = ""
			}
			if got := severityOf(d, lowWaterObserved); got != want {
				t.Errorf("%s, %v: %q, want %q", a, c, got, want)
			}
			for _, r := range d.Reasons {
				if r.Code != lowWaterObserved {
					if r.PredictedLow != nil || r.Residual != nil || r.ResidualAgeMinutes != nil {
						t.Errorf("%s has fields of %s", r.Code, lowWaterObserved)
					}
					continue
				}
				if *r.Value != c.residual || *r.Residual != c.residual || *r.PredictedLow != c.low ||
					*r.ResidualAgeMinutes != 0 || *r.Threshold != c.threshold ||
					r.SourceID != residualSource || r.Datum != "MLLW" || !r.At.Equal(f.Level.Time) {
					t.Errorf("%v: %s", c, encode(r))
				}
				sum := number(c.low + c.residual)
				if strings.Contains(string(encode(r)), sum+",") || strings.Contains(r.Message, sum+" ft") {
					t.Errorf("%v: the sum %s is in %s", c, sum, encode(r))
				}
			}
		}
	}
}

// TestLowWaterReach checks that the residual counts for the next 6 h only.
func TestLowWaterReach(t *testing.T) {
	for ahead, want := range map[time.Duration]Severity{
		6 * time.Hour: Action, 6*time.Hour + time.Minute: "",
	} {
		f := quiet()
		f.Level.Residual = pointer(-8)
		r := asked(Boating)
		r.Now = noon.Add(-ahead)
		if got := severityOf(Decide(r, f), lowWaterObserved); got != want {
			t.Errorf("%s ahead: %q, want %q", ahead, got, want)
		}
	}
}

// TestTextWindAgainstCurrent checks that a stronger wind of the text counts, within its
// period.
func TestTextWindAgainstCurrent(t *testing.T) {
	for _, c := range []struct {
		from, to int // hours after noon
		want     Severity
	}{{-12, 12, Action}, {-12, 0, ""}, {0, 12, Action}, {1, 12, ""}} {
		f := strait(3, 270, 2)
		f.Text.Periods = []Period{
			{
				From: noon.Add(time.Duration(c.from) * time.Hour),
				To:   noon.Add(time.Duration(c.to) * time.Hour),
				Wind: pointer(15),
			},
		}
		if got := severityOf(Decide(asked(Boating), f), "wind_against_current"); got != c.want {
			t.Errorf("text of %d to %d h: %q, want %q", c.from, c.to, got, c.want)
		}
	}
}
