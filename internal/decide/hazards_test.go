package decide

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// TestSmallRise checks that rising water counts from a rise of one foot since low water,
// regardless of an earlier rise.
func TestSmallRise(t *testing.T) {
	for _, c := range []struct {
		low  int     // minutes after noon
		rise float64 // feet from noon to 14:00
		want Severity
	}{
		{-200, 0.99, ""}, {-200, 1, Watch}, {-200, 2, Watch},
		{30, 1.33, ""}, {30, 1.34, Watch}, // three quarters of the rise come after the low
	} {
		f := quiet()
		f.Tide.Turns = []Turn{
			{noon.Add(time.Duration(c.low) * time.Minute), false, 1},
			{noon.Add(9 * time.Hour), true, 9},
		}
		f.Tide.Heights.rise(c.rise)
		if got := severityOf(Decide(asked(Beachcombing), f), "rising_tide"); got != c.want {
			t.Errorf("low %d min after noon, %v ft: %q, want %q", c.low, c.rise, got, c.want)
		}
	}
}

// TestSeasAgainstCurrent turns the waves around a flood toward 270 degrees and tries each limit
// from both sides. There is no wind; it does not matter.
func TestSeasAgainstCurrent(t *testing.T) {
	for _, c := range []struct {
		seas, current, from float64
		want                Severity
	}{
		{3.9, 2, 270, ""},
		{4, 1.99, 270, ""},
		{4, 2, 270, Action},
		{4, 2, 210, Action},
		{4, 2, 209, ""},
		{4, 2, 330, Action}, {4, 2, 331, ""}, {9, 5, 90, ""}, {4, -2, 90, Action}, {4, -2, 270, ""},
	} {
		for i, a := range Activities() {
			f := strait(0, 90, c.current)
			f.during().Height, f.during().WavesFrom = &c.seas, &c.from
			inText := strait(0, 90, c.current)
			inText.during().WavesFrom, inText.Text.Periods[0].Seas = &c.from, &c.seas
			want := c.want
			if i != 1 {
				want = ""
			}
			for _, f := range []*Facts{f, inText} {
				if got := severityOf(Decide(asked(a), f), "seas_against_current"); got != want {
					t.Errorf("%s, %+v: %q, want %q", a, c, got, want)
				}
			}
		}
	}
}

// TestSeasAgainstUnknown checks that a fact with an unknown direction is missing, but only
// if both seas and current are strong enough to matter.
func TestSeasAgainstUnknown(t *testing.T) {
	for _, c := range []struct {
		seas, current float64
		blind         bool // the grid gives no direction of the waves; else the current station
		want          []string
	}{
		{4, 2, true, []string{SeaState}}, {3.9, 2, true, []string{}}, {4, 1.9, true, []string{}},
		{4, 2, false, []string{CurrentPrediction}}, {3.9, 2, false, []string{}},
	} {
		f := strait(0, 90, c.current)
		f.during().Height = &c.seas
		if c.blind {
			f.during().WavesFrom = nil
		} else {
			f.Current.Flood = nil
		}
		if got := Decide(asked(Boating), f).MissingInputs; !slices.Equal(got, c.want) {
			t.Errorf("%+v: missing %q", c, got)
		}
	}
}

// TestLongSwell tries both limits from both sides: for each train of the grid, for the
// waves if the grid gives no swell, and for the text.
func TestLongSwell(t *testing.T) {
	for _, c := range []struct {
		height, period float64
		want           Severity
	}{
		{5.9, 14, ""}, {6, 13.9, ""}, {6, 14, Action}, {12, 20, Action}, {20, 9, ""},
		{4.1, 20, ""}, {4.2, 20, Action}, {5, 20, Action}, {5.9, 20, Action}, {3.3, 25, ""},
		{3.4, 25, Action},
	} {
		train := Swell{&c.height, &c.period}
		for name, set := range map[string]func(f *Facts){
			"primary":   func(f *Facts) { f.during().Swells = []Swell{train, {pointer(1), pointer(8)}} },
			"secondary": func(f *Facts) { f.during().Swells = []Swell{{pointer(1), pointer(8)}, train} },
			"waves": func(f *Facts) {
				f.during().Swells, f.during().Height, f.during().Period = nil, train.Height, train.Period
			},
			"text": func(f *Facts) { f.Text.Periods[0].Swells = []Swell{train} },
		} {
			for i, a := range Activities() {
				want := c.want
				if i != 2 && i != 3 && i != 4 {
					want = ""
				}
				f := quiet()
				set(f)
				if got := severityOf(Decide(asked(a), f), "long_swell"); got != want {
					t.Errorf("%s, %s of %v ft every %v s: %q, want %q", a, name, c.height, c.period, got, want)
				}
			}
		}
	}
}

// TestWaveRunup tries both limits from both sides: for the waves and for a swell of longer period.
// Waves of the text alone do not count, because they are those of the open water.
func TestWaveRunup(t *testing.T) {
	for _, c := range []struct {
		height, period float64
		want           Severity
	}{{13.9, 14, ""}, {14, 13.9, ""}, {14, 14, Watch}, {30, 20, Watch}, {30, 9, ""}} {
		for i, a := range Activities() {
			waves, swell, land := quiet(), quiet(), quiet()
			waves.during().Height, waves.during().Period, waves.during().Swells = &c.height, &c.period, nil
			swell.during().Height, swell.during().Period = &c.height, pointer(5)
			swell.during().Swells = []Swell{{pointer(1), pointer(4)}, {pointer(2), &c.period}}
			land.Grid.Waves, land.Text.Periods[0].Seas = false, &c.height
			land.Text.Periods[0].Swells = []Swell{{&c.height, &c.period}}
			for f, want := range map[*Facts]Severity{waves: c.want, swell: c.want, land: ""} {
				if i < 5 {
					want = ""
				}
				d := Decide(asked(a), f)
				if got := severityOf(d, waveRunup); got != want {
					t.Errorf("%s, %v ft every %v s: %q, want %q", a, c.height, c.period, got, want)
				}
				margin := strings.Contains(strings.Join(d.Highlights, " "), "to minor flooding")
				if a == CoastalLiving && margin != (want == "") {
					t.Errorf("%v ft every %v s: highlights %q", c.height, c.period, d.Highlights)
				}
			}
		}
	}
}

// TestRunupUnknown checks that waves without a height or a period are missing at home.
func TestRunupUnknown(t *testing.T) {
	blank := map[string]func(h *Hour){
		"height": func(h *Hour) { h.Height = nil },
		"period": func(h *Hour) { h.Height, h.Period, h.Swells = pointer(14), nil, nil },
	}
	for name, alter := range blank {
		f := quiet()
		alter(f.during())
		d := Decide(asked(CoastalLiving), f)
		if d.State != WatchState || !slices.Equal(d.MissingInputs, []string{SeaState}) ||
			strings.Contains(strings.Join(d.Highlights, " "), "to minor flooding") {
			t.Errorf("no %s: %s, missing %q, %q", name, d.State, d.MissingInputs, d.Highlights)
		}
	}
}

// TestSwellWithoutPeriod checks that high swell without a period makes the seas missing.
func TestSwellWithoutPeriod(t *testing.T) {
	for height, want := range map[float64]State{3.3: Normal, 3.4: Unknown} {
		f := quiet()
		f.during().Swells[0] = Swell{Height: &height}
		if d := Decide(asked(Beachcombing), f); d.State != want {
			t.Errorf("%v ft without a period: %s, missing %q, want %s", height, d.State,
				d.MissingInputs, want)
		}
	}
}

// TestUnreadText checks that words of the text which are not known are quoted once, as
// information, and change no state, but that the confidence is moderate and nothing that the text
// may be about is a highlight.
func TestUnreadText(t *testing.T) {
	for _, a := range Activities() {
		f := quiet()
		p := f.Text.Periods[0]
		p.Unread = []string{"Volcanic ash", "Volcanic ash", strings.Repeat("Kraken ", 90)}
		f.Text.Periods = append(f.Text.Periods, p)
		d := Decide(asked(a), f)
		if d.State != Normal || len(d.Reasons) != 1 || d.Reasons[0].Code != unreadText ||
			d.Reasons[0].Severity != Info || d.Reasons[0].SourceID != MarineText ||
			!strings.HasPrefix(d.Reasons[0].Message,
				`The coastal waters text also says, 12:00: "Volcanic ash. Kraken`) ||
			len(d.Reasons[0].Message) > 300 || strings.Count(d.Reasons[0].Message, "ash") > 1 {
			t.Errorf("%s: %s, %s", a, d.State, encode(d.Reasons))
		}
		if got := strings.Join(d.Highlights, " "); d.Confidence != Moderate ||
			strings.Contains(got, "Wind at") || strings.Contains(got, "Gusts at") ||
			strings.Contains(got, "Seas at") || !strings.Contains(got, "Moon") {
			t.Errorf("%s: %s confidence, highlights %q", a, d.Confidence, got)
		}
		p.From, p.To = noon.Add(a.Span()), noon.Add(a.Span()+time.Hour)
		f.Text.Periods = []Period{quiet().Text.Periods[0], p}
		if d := Decide(asked(a), f); len(d.Reasons) > 0 {
			t.Errorf("%s, after the span: %s", a, encode(d.Reasons))
		}
	}
}

// TestHighlightsBesideReasons checks that no highlight is about what a reason is about.
func TestHighlightsBesideReasons(t *testing.T) {
	const wind, seas, current = "Wind at most", "Seas at most", "Current at most"
	for _, test := range []struct {
		about  string
		a      Activity
		change func(f *Facts)
		silent []string
	}{
		{"nothing", Boating, func(*Facts) {}, nil},
		{"thunderstorms", Boating, func(f *Facts) { f.during().Thunder = pointer(30) },
			[]string{wind, seas}},
		{"severe weather", Boating, func(f *Facts) {
			f.Text.Periods[0].Other = Weather{"severe_weather": 30}
		}, []string{wind, seas}},
		{"steep seas", Boating, func(f *Facts) {
			f.during().Height, f.during().Period = pointer(4), pointer(4)
		}, []string{seas}},
		{"long swell", SurfPaddle, func(f *Facts) {
			f.Text.Periods[0].Swells = []Swell{{pointer(7), pointer(16)}}
		}, []string{seas}},
		{"rip currents", SurfPaddle, func(f *Facts) { f.Surf.Risks[0].Level = RipModerate },
			[]string{seas, current, "Slack at"}},
		{"another channel", Boating, func(f *Facts) { f.Current.Far = true },
			[]string{current, "Slack at"}},
		{"flooding", CoastalLiving, func(f *Facts) { f.Flood.Level = pointer(0) },
			[]string{"Low water", "to minor flooding"}},
		{"run-up", CoastalLiving, func(f *Facts) {
			f.during().Height, f.during().Period = pointer(14), pointer(14)
		}, []string{"Low water", "to minor flooding"}},
	} {
		f := quiet()
		f.Current.Events = []CurrentEvent{{noon, "slack", 0}}
		calm := strings.Join(Decide(asked(test.a), f).Highlights, "\n")
		test.change(f)
		got := strings.Join(Decide(asked(test.a), f).Highlights, "\n")
		for _, words := range []string{wind, seas, current, "Slack at", "Low water",
			"to minor flooding"} {
			want := strings.Contains(calm, words) && !slices.Contains(test.silent, words)
			if strings.Contains(got, words) != want {
				t.Errorf("%s: %q in %q, want %v", test.about, words, got, want)
			}
		}
		for _, words := range test.silent {
			if !strings.Contains(calm, words) {
				t.Errorf("%s: %q is no highlight in the calm: %q", test.about, words, calm)
			}
		}
	}
}

// TestRipRisk checks that a moderate risk is a watch and a high one an action, for
// beachcombing and surf-paddle. A risk that the forecast does not state is missing.
func TestRipRisk(t *testing.T) {
	for level, atRisk := range map[RipLevel]State{
		RipLow: Normal, RipModerate: WatchState, RipHigh: ActionNeeded, RipUnstated: Unknown,
	} {
		for i, a := range Activities() {
			f := quiet()
			f.Surf.Risks[0].Level = level
			want := Normal
			if i == 2 || i == 3 {
				want = atRisk
			}
			if d := Decide(asked(a), f); d.State != want {
				t.Errorf("%s, risk %d: %s for %q, want %s", a, level, d.State, reasonsOf(d), want)
			}
		}
	}
}

// TestRipReason checks a reason of the surf zone forecast, which has no numbers.
func TestRipReason(t *testing.T) {
	f := quiet()
	f.Surf.Risks[0].Level = RipHigh
	r := Decide(asked(SurfPaddle), f).Reasons[0]
	want := "The surf zone forecast gives a high risk of rip currents, 12:00."
	if r.Message != want || r.SourceID != SurfForecast || r.Value != nil || r.Unit != nil ||
		r.Threshold != nil {
		t.Errorf("got %s, want %q of %s without numbers", encode(r), want, SurfForecast)
	}
}

// TestRipSpan checks that the worst risk within the span counts. Times beyond the forecast
// are missing and make the state watch, however far ahead they are.
func TestRipSpan(t *testing.T) {
	at := func(hours float64) time.Time { return noon.Add(time.Duration(hours * float64(time.Hour))) }
	const day = 24 * time.Hour
	for _, c := range []struct {
		about   string
		risks   []RipRisk
		ahead   time.Duration
		want    State
		missing bool
	}{
		{"high begins as the span ends", []RipRisk{{at(-9), at(2), RipLow}, {at(2), at(9), RipHigh}},
			day, Normal, false},
		{"high begins before the span ends", []RipRisk{
			{at(-9), at(1.9), RipLow},
			{at(1.9), at(9), RipHigh},
		},
			day, ActionNeeded, false},
		{"high ends as the span begins", []RipRisk{{at(-9), noon, RipHigh}, {noon, at(9), RipLow}},
			day, Normal, false},
		{"ends within the span", []RipRisk{{at(-9), at(1), RipLow}}, day, WatchState, true},
		{"ends within the span, high", []RipRisk{{at(-9), at(1), RipHigh}}, day, ActionNeeded, true},
		{"ended before", []RipRisk{{at(-9), at(-1), RipLow}}, day, WatchState, true},
		{"ended before, 72 h ahead", []RipRisk{{at(-9), at(-1), RipLow}}, 3 * day, WatchState, true},
		{"ended before, more than 72 h ahead", []RipRisk{{at(-9), at(-1), RipLow}},
			3*day + time.Minute, WatchState, true},
		{"begins within the span", []RipRisk{{at(1), at(9), RipLow}}, day, WatchState, true},
		{"not stated in the middle", []RipRisk{
			{at(-9), at(1), RipLow}, {at(1), at(1.5), RipUnstated}, {at(1.5), at(9), RipLow},
		}, day, Unknown, true},
	} {
		f := quiet()
		f.Surf.Risks = c.risks
		r := asked(Beachcombing)
		r.Now = noon.Add(-c.ahead)
		d := Decide(r, f)
		if got := slices.Contains(d.MissingInputs, SurfForecast); d.State != c.want || got != c.missing {
			t.Errorf("%s: %s, missing %q, want %s, %v", c.about, d.State, d.MissingInputs, c.want, c.missing)
		}
	}
}

// TestNoThermometer checks that a missing thermometer is reported only for surf-paddle,
// where and when the water can be cold.
func TestNoThermometer(t *testing.T) {
	boston := time.FixedZone("EST", -5*3600)
	for _, c := range []struct {
		latitude float64
		at       time.Time // in the zone of Boston
		missing  bool
	}{
		{35, time.Date(2026, 7, 9, 12, 0, 0, 0, boston), false},
		{35.01, time.Date(2026, 7, 9, 12, 0, 0, 0, boston), true},
		{-35, time.Date(2026, 1, 9, 12, 0, 0, 0, boston), false},
		{-35.01, time.Date(2026, 7, 9, 12, 0, 0, 0, boston), true},
		{25, time.Date(2026, 1, 9, 12, 0, 0, 0, boston), false},
		{25.01, time.Date(2026, 1, 9, 12, 0, 0, 0, boston), true},
		{30, time.Date(2026, 10, 31, 21, 59, 0, 0, boston), false}, // two hours end in October
		{30, time.Date(2026, 10, 31, 22, 0, 0, 0, boston), true},
		{30, time.Date(2026, 4, 30, 23, 59, 0, 0, boston), true},
		{30, time.Date(2026, 5, 1, 0, 0, 0, 0, boston), false},
	} {
		for _, a := range Activities() {
			f := quiet()
			f.Zone, f.Station.Latitude = boston, c.latitude
			f.Water = Water{Fact: Fact{Source: f.Water.Source, Waived: "no thermometer lies within 25 km"}}
			d := Decide(Request{Activity: a, At: c.at, Now: c.at}, f)
			missing := c.missing && a == SurfPaddle
			if got := slices.Contains(d.MissingInputs, WaterTemperature); got != missing ||
				missing && d.Confidence == High {
				t.Errorf("%s at %v, %s: missing %q, %s, want missing: %v", a, c.latitude, c.at,
					d.MissingInputs, d.Confidence, missing)
			}
		}
	}
	f := quiet()
	f.Station.Latitude = 40
	f.Water = Water{Fact: Fact{Source: f.Water.Source, Waived: "no thermometer lies within 25 km"}}
	if d := Decide(asked(SurfPaddle), f); d.State != WatchState || d.Confidence != Moderate {
		t.Errorf("%s, %s, want watch, moderate", d.State, d.Confidence)
	}
}

// TestDerivedFloodLevel checks that a level that no agency published prevents high
// confidence, and that a note says what the prediction leaves out.
func TestDerivedFloodLevel(t *testing.T) {
	for derived, want := range map[bool]Confidence{false: High, true: Moderate} {
		f := quiet()
		f.Flood.Derived = derived
		d := Decide(asked(CoastalLiving), f)
		noted := strings.Contains(strings.Join(d.Notes, " "), "leave out sea-level rise since the epoch")
		if d.Confidence != want || noted != derived || d.State != Normal {
			t.Errorf("derived %v: %s, %s, notes %q, want normal, %s", derived, d.State,
				d.Confidence, d.Notes, want)
		}
	}
}

// TestRiverNames checks that stations on flowing fresh water have a note for every
// activity; only whole words count.
func TestRiverNames(t *testing.T) {
	for name, noted := range map[string]bool{
		"Fall River": true, "NEW RIVER, HWY 17": true, "Cutler Naval Creek": true,
		"Bayou La Batre Bridge": true,
		"Elkhorn Slough":        true, "Boston": false, "Riverhead": false, "Creekside": false,
		"Rivers Inlet": false,
	} {
		for _, a := range Activities() {
			f := quiet()
			f.Station.Name = name
			got := strings.Contains(strings.Join(Decide(asked(a), f).Notes, " "),
				"river flow is not in the prediction")
			if got != noted {
				t.Errorf("%s, %s: noted %v, want %v", a, name, got, noted)
			}
		}
	}
}

// TestMissingIsNotNone checks that the headline does not read as if there were no alerts.
func TestMissingIsNotNone(t *testing.T) {
	d := Decide(asked(Boating), without(*quiet(), MarineAlerts))
	if d.State != Unknown || !strings.Contains(d.Headline, "missing marine alerts") ||
		strings.Contains(d.Headline, "no ") {
		t.Errorf("%s: %q", d.State, d.Headline)
	}
}

// TestUnmeasured checks that a sentence about wind, seas or visibility that is not read is a watch.
func TestUnmeasured(t *testing.T) {
	f := quiet()
	f.Text.Periods[0].Unread, f.Text.Periods[0].Unmeasured = []string{"Winds 40+ kt"}, true
	d := Decide(asked(Boating), f)
	if d.State != WatchState || len(d.Reasons) != 1 || d.Reasons[0].Code != unreadText {
		t.Errorf("%s, %s", d.State, encode(d.Reasons))
	}
}

// TestUnitsUnread checks that visibility and seas in a unit that is not known are missing.
func TestUnitsUnread(t *testing.T) {
	for _, name := range []string{"visibility", "seas"} {
		f := quiet()
		f.Grid.Unread = map[string]string{name: "fathom"}
		d := Decide(asked(Boating), f)
		if d.State != Unknown || !strings.Contains(string(encode(d)), "fathom") {
			t.Errorf("%s: %s, %s", name, d.State, encode(d.Notes))
		}
	}
}
