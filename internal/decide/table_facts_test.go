package decide

import (
	"slices"
	"strings"
	"testing"
	"time"

	"leadline/internal/coast"
)

// alertRows lists the rows of the table of alerts in the document: action for some
// activities, watch for the others.
var alertRows = []struct {
	names  string
	action []Activity
}{
	{
		"Tsunami Warning, Tsunami Advisory, Hurricane Warning, Typhoon Warning, Tropical Storm " +
			"Warning, Storm Surge Warning, " +
			"Extreme Wind Warning, Tornado Warning, Severe Thunderstorm Warning, High Wind " +
			"Warning, High Surf Warning, " +
			"Coastal Flood Warning, Evacuation - Immediate, Shelter In Place Warning, Civil " +
			"Danger Warning, " +
			"Hazardous Materials Warning",
		Activities(),
	},
	{
		"Special Marine Warning, Gale Warning, Storm Warning, Hurricane Force Wind Warning, " +
			"Hazardous Seas Warning, " +
			"Heavy Freezing Spray Warning, Small Craft Advisory (all forms), Brisk Wind Advisory, " +
			"Hurricane Watch, Typhoon Watch",
		[]Activity{Fishing, Boating, SurfPaddle},
	},
	{"Rip Current Statement", []Activity{SurfPaddle}},
	{"Beach Hazards Statement, High Surf Advisory", []Activity{SurfPaddle, Beachcombing}},
	{"Coastal Flood Advisory, Coastal Flood Statement, Flood Warning", []Activity{CoastalLiving}},
	{
		"Dense Fog Advisory, Dense Smoke Advisory, Low Water Advisory, Freezing Spray Advisory, " +
			"Wind Advisory, Marine Weather Statement, Flood Statement, Flash Flood Statement, " +
			"Lakeshore Flood Statement",
		nil,
	},
	{
		"Freeze Warning, Freeze Watch, Hard Freeze Warning, Hard Freeze Watch, Flash Freeze " +
			"Warning, Heat Advisory, " +
			"Excessive Heat Warning, Excessive Heat Watch, Extreme Heat Warning, Extreme Heat " +
			"Watch, Red Flag Warning, " +
			"Air Quality Alert",
		nil,
	},
}

// alerted returns the quiet day with one alert.
func alerted(event string, from, to *time.Time) *Facts {
	f := quiet()
	f.Alerts.List = []Alert{{Event: event, From: from, To: to}}
	return f
}

// TestAlertTimes checks that an alert counts if it overlaps the span. Both are without their
// ends: an alert that ends as the span begins does not count, nor one that begins as it ends.
func TestAlertTimes(t *testing.T) {
	for _, a := range Activities() {
		end := noon.Add(a.Span())
		before, after, far := noon.Add(-time.Minute), end.Add(time.Minute), end.Add(time.Hour)
		justAfter, justBefore := noon.Add(time.Nanosecond), end.Add(-time.Nanosecond)
		for _, c := range []struct {
			from, to *time.Time
			want     State
		}{
			{nil, nil, ActionNeeded},
			{nil, &before, Normal},
			{nil, &noon, Normal},
			{nil, &justAfter, ActionNeeded},
			{nil, &far, ActionNeeded},
			{&after, nil, Normal},
			{&end, nil, Normal},
			{&justBefore, nil, ActionNeeded},
			{&before, nil, ActionNeeded},
			{&after, &far, Normal},
			{&before, &after, ActionNeeded},
			{&end, &far, Normal},
			{&justBefore, &end, ActionNeeded},
		} {
			if got := Decide(asked(a), alerted("Tornado Warning", c.from, c.to)).State; got != c.want {
				t.Errorf("%s, from %v to %v: %s, want %s", a, c.from, c.to, got, c.want)
			}
		}
	}
}

// TestAlertsTwice checks that two alerts of one event become one reason, from the earlier
// beginning to the later end, in either order.
func TestAlertsTwice(t *testing.T) {
	sooner, later := noon.Add(time.Hour), noon.Add(3*time.Hour)
	f := alerted("Gale Warning", &sooner, &later)
	f.Alerts.List = append(f.Alerts.List, Alert{Event: "Gale Warning", To: &sooner},
		Alert{Event: "Storm Watch"})
	for range 2 {
		d := Decide(asked(Boating), f)
		want := []string{"Gale Warning, until 15:00.", "Storm Watch, until further notice."}
		if len(d.Reasons) != 2 || d.Reasons[0].Message != want[0] || d.Reasons[1].Message != want[1] ||
			!d.Reasons[0].At.Equal(noon) {
			t.Errorf("%q from %s, want %q from %s", reasonsOf(d), d.Reasons[0].At, want, noon)
		}
		f.Alerts.List[0], f.Alerts.List[1] = f.Alerts.List[1], f.Alerts.List[0]
	}
}

// TestMissingFacts checks that without an R fact the state is unknown and the confidence low,
// and that without a P fact they are watch and moderate. Other facts are never missing. Stale
// facts and facts of unknown age are missing; aging facts are not, but lower the confidence.
func TestMissingFacts(t *testing.T) {
	for _, id := range factIDs {
		for _, a := range Activities() {
			state, confidence := Normal, High
			switch needOf(id, a) {
			case 'R':
				state, confidence = Unknown, Low
			case 'P':
				state, confidence = WatchState, Moderate
			}
			checkMissing(t, "without "+id, a, without(*quiet(), id), id, state, confidence)
			stale, staleConfidence := state, confidence
			slow := id == WaterTemperature || id == ObservedLevel && a != CoastalLiving
			if slow && state == Unknown {
				stale, staleConfidence = WatchState, Moderate // water changes slowly
			}
			checkMissing(t, "stale "+id, a, withAge(*quiet(), id, coast.Stale), id, stale, staleConfidence)
			checkMissing(t, "unknown "+id, a, withAge(*quiet(), id, coast.Unknown), id, state, confidence)
			if confidence != High {
				confidence = Moderate
			}
			checkMissing(t, "aging "+id, a, withAge(*quiet(), id, coast.Aging), id, Normal, confidence)
		}
	}
}

// checkMissing checks the state, the confidence and, unless the state is normal, the fact
// that is the reason. If the grid is old, the seas are as well.
func checkMissing(t *testing.T, about string, a Activity, f *Facts, id string, state State,
	confidence Confidence) {
	t.Helper()
	d := Decide(asked(a), f)
	if d.State != state || d.Confidence != confidence {
		t.Errorf("%s, %s: %s, %s, want %s, %s", a, about, d.State, d.Confidence, state, confidence)
	}
	if state == Normal {
		if len(d.MissingInputs)+len(d.Reasons) > 0 {
			t.Errorf("%s, %s: missing %q, %q", a, about, d.MissingInputs, reasonsOf(d))
		}
		return
	}
	if !slices.Contains(d.MissingInputs, id) || d.Reasons[0].Code != "input_missing" ||
		d.Reasons[0].SourceID != id ||
		d.Reasons[0].Severity != Watch {
		t.Errorf("%s, %s: missing %q, %q", a, about, d.MissingInputs, reasonsOf(d))
	}
}

// TestWaivedFacts checks that a waived fact is reported and lowers nothing, except the
// flood level, without which alerts decide.
func TestWaivedFacts(t *testing.T) {
	for _, id := range []string{
		MarineText, CurrentPrediction, FloodThresholds, ObservedLevel, WaterTemperature, SurfForecast,
	} {
		for _, a := range Activities() {
			f := without(*quiet(), id)
			f.heading(id).Absent, f.heading(id).Waived = "", "there is none here"
			confidence, notes := High, 0
			if needOf(id, a) != '-' {
				notes = 1
			}
			if id == FloodThresholds && a == CoastalLiving {
				confidence = Moderate
			}
			d := Decide(asked(a), f)
			if d.State != Normal || d.Confidence != confidence || len(d.MissingInputs) > 0 ||
				len(d.Notes) != notes {
				t.Errorf("%s, %s waived: %s, %s, missing %q, notes %q; want normal, %s, %d notes",
					a, id, d.State, d.Confidence, d.MissingInputs, d.Notes, confidence, notes)
			}
		}
	}
}

// TestSeaFact checks that seas come from the grid, else from the text. If both are
// available and neither has seas, they do not apply.
func TestSeaFact(t *testing.T) {
	for _, c := range []struct {
		about           string
		waves, hole     bool // in the grid
		text            *float64
		without         string
		missing, waived bool
	}{
		{about: "both", waves: true, text: pointer(1)},
		{about: "grid alone", waves: true},
		{about: "text alone", text: pointer(1)},
		{about: "an hour without, and text", waves: true, hole: true, text: pointer(1)},
		{about: "an hour without", waves: true, hole: true, missing: true},
		{about: "neither", waived: true},
		{about: "no waves, no text", without: MarineText, missing: true},
		{about: "no grid, text", text: pointer(1), without: WindForecast},
		{about: "no grid, none in the text", without: WindForecast, missing: true},
	} {
		f := quiet()
		f.Grid.Waves, f.Text.Periods[0].Seas = c.waves, c.text
		if c.hole {
			f.during().Height = nil
		}
		if c.without != "" {
			f = without(*f, c.without)
		}
		for _, a := range Activities() {
			d := Decide(asked(a), f)
			missing := slices.Contains(d.MissingInputs, SeaState)
			waived := slices.ContainsFunc(d.Notes,
				func(note string) bool { return strings.HasPrefix(note, "Does not apply: seas;") })
			wantMissing, wantWaived := c.missing, c.waived
			if a == CoastalLiving { // by the grid alone
				wantMissing = c.hole || c.without == WindForecast
				wantWaived = !c.waves && !wantMissing
			}
			if missing != wantMissing || waived != wantWaived {
				t.Errorf("%s, %s: missing %v, waived %v", a, c.about, missing, waived)
			}
		}
	}
}

// TestShortFacts checks that a fact that does not cover the span is missing.
func TestShortFacts(t *testing.T) {
	for id, cut := range map[string]func(f *Facts){
		TidePrediction: func(f *Facts) { f.Tide.Heights.Values = f.Tide.Heights.Values[:97] },
		Daylight:       func(f *Facts) { f.Sun.Altitudes.Start = noon.Add(time.Minute) },
		CurrentPrediction: func(f *Facts) {
			f.Current.Velocities.Values = f.Current.Velocities.Values[:97]
		},
		WindForecast:     func(f *Facts) { f.Grid.Hours = f.Grid.Hours[:24] },
		MarineText:       func(f *Facts) { f.Text.Periods = nil },
		FloodThresholds:  func(f *Facts) { f.Flood.Level = nil },
		ObservedLevel:    func(f *Facts) { f.Level.Height = nil },
		WaterTemperature: func(f *Facts) { f.Water.Temperature = nil },
		SurfForecast:     func(f *Facts) { f.Surf.Risks = nil },
	} {
		for _, a := range Activities() {
			f := quiet()
			cut(f)
			want := map[byte]State{'R': Unknown, 'P': WatchState, '-': Normal}[needOf(id, a)]
			if got := Decide(asked(a), f).State; got != want {
				t.Errorf("%s, %s cut short: %s, want %s", a, id, got, want)
			}
		}
	}
}

// TestShortText checks that times beyond the end of a text that reaches more than three days ahead
// are missing, and the state watch. A text that ends sooner is incomplete for all later times, and
// a stale one is missing as a whole.
func TestShortText(t *testing.T) {
	const week = 7*24*time.Hour - 3*time.Hour // the last hour of a trip by boat begins a week ahead
	for _, c := range []struct {
		ends, ahead time.Duration // of the text after the requested time; of that time after the clock
		freshness   coast.Freshness
		want        State
	}{
		{0, farAhead, coast.Fresh, Unknown},
		{0, farAhead + time.Minute, coast.Fresh, WatchState},
		{time.Hour, farAhead - time.Hour, coast.Fresh, Unknown},
		{time.Hour, farAhead - time.Hour + time.Minute, coast.Fresh, WatchState},
		{-time.Hour, farAhead + 2*time.Hour, coast.Aging, WatchState},
		{-time.Hour, farAhead + 2*time.Hour, coast.Stale, Unknown},
		{-time.Hour, farAhead + 2*time.Hour, coast.Unknown, Unknown},
		{farAhead - week, week, coast.Fresh, Unknown},
		{farAhead - week + time.Minute, week, coast.Fresh, WatchState},
		{time.Hour, time.Hour, coast.Fresh, Unknown},
		{Boating.Span(), time.Hour, coast.Fresh, Normal},
		{Boating.Span(), week, coast.Fresh, Normal},
	} {
		f := withAge(*quiet(), MarineText, c.freshness)
		f.Text.Periods[0].From, f.Text.Periods[0].To = noon.Add(-2*week), noon.Add(c.ends)
		r := asked(Boating)
		r.Now = noon.Add(-c.ahead)
		d := Decide(r, f)
		if missing := slices.Contains(d.MissingInputs, MarineText); d.State != c.want ||
			missing != (c.want != Normal) {
			t.Errorf("%+v: %s, missing %q", c, d.State, d.MissingInputs)
		}
	}
}

// TestHoleInText checks that a time without a period makes the text missing.
func TestHoleInText(t *testing.T) {
	f := quiet()
	whole := f.Text.Periods[0]
	before, after := whole, whole
	before.To, after.From = noon.Add(time.Hour), noon.Add(2*time.Hour)
	f.Text.Periods = []Period{before, after}
	if d := Decide(asked(Boating), f); d.State != Unknown ||
		!slices.Equal(d.MissingInputs, []string{MarineText}) {
		t.Errorf("a hole of an hour: %s, missing %q", d.State, d.MissingInputs)
	}
	f.Text.Periods[1].From = before.To
	if d := Decide(asked(Boating), f); d.State != Normal {
		t.Errorf("no hole: %s, missing %q", d.State, d.MissingInputs)
	}
}

// TestGridGaps checks that each number that the grid does not give is missing, except
// visibility, which most offices do not forecast.
func TestGridGaps(t *testing.T) {
	for name, c := range map[string]struct {
		blank func(h *Hour)
		want  State
	}{
		"wind":       {func(h *Hour) { h.Wind = nil }, Unknown},
		"gust":       {func(h *Hour) { h.Gust = nil }, Unknown},
		"thunder":    {func(h *Hour) { h.Thunder = nil }, Unknown},
		"fog":        {func(h *Hour) { h.Fog = nil }, Unknown},
		"visibility": {func(h *Hour) { h.Visibility = nil }, Normal},
		"direction":  {func(h *Hour) { h.Direction = nil }, Normal},
		"period":     {func(h *Hour) { h.Period = nil }, Normal},
		"steepness":  {func(h *Hour) { h.Period, h.Height = nil, pointer(4) }, Unknown},
	} {
		f := quiet()
		c.blank(f.during())
		if got := Decide(asked(Fishing), f).State; got != c.want {
			t.Errorf("no %s: %s, want %s", name, got, c.want)
		}
	}
}

// TestNotOffered checks the code for weather that is not offered.
func TestNotOffered(t *testing.T) {
	f := without(*quiet(), MarineAlerts)
	f.Alerts.Code = WeatherNotOffered
	got, want := reasonsOf(Decide(asked(Photography), f)), []string{"watch weather_not_offered"}
	if !slices.Equal(
		got,
		want,
	) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestStaleRaises checks that a stale fact raises reasons and clears none.
func TestStaleRaises(t *testing.T) {
	f := withAge(*quiet(), WindForecast, coast.Stale)
	f.during().Gust = pointer(25)
	if d := Decide(asked(Boating), f); d.State != ActionNeeded || d.Confidence != Low {
		t.Errorf("gusts of 25 kn of a stale grid: %s, %s, want action-needed, low", d.State, d.Confidence)
	}
}

// TestAhead checks that confidence falls 24 h and 72 h ahead, and that forecasts are
// missing more than 7 days ahead. A time that has just begun is as good as any.
func TestAhead(t *testing.T) {
	const day = 24 * time.Hour
	for _, c := range []struct {
		ahead      time.Duration
		state      State
		confidence Confidence
	}{
		{-15 * time.Minute, Normal, High},
		{0, Normal, High},
		{day, Normal, High},
		{day + time.Minute, Normal, Moderate},
		{3 * day, Normal, Moderate},
		{3*day + time.Minute, Normal, Low},
		{7*day - 5*time.Hour, Normal, Low}, {7*day + time.Minute, Unknown, Low},
		{366 * day, Unknown, Low},
	} {
		for _, a := range Activities() {
			r := asked(a)
			r.Now = noon.Add(-c.ahead)
			if d := Decide(r, quiet()); d.State != c.state || d.Confidence != c.confidence {
				t.Errorf("%s, %s ahead: %s, %s, want %s, %s", a, c.ahead, d.State, d.Confidence,
					c.state, c.confidence)
			}
		}
	}
	for _, a := range Activities() { // a week ahead begins the last hour that is forecast
		for ahead, want := range map[time.Duration]State{0: Normal, time.Minute: Unknown} {
			r := asked(a)
			r.Now = noon.Add(a.Span() - time.Hour - 7*day - ahead)
			if got := Decide(r, quiet()).State; got != want {
				t.Errorf("%s, %s more: %s, want %s", a, ahead, got, want)
			}
		}
	}
}

// TestWindowBegins checks that a window does not begin before the clock, unless the
// requested time does.
func TestWindowBegins(t *testing.T) {
	for _, c := range []struct{ ahead, want time.Duration }{
		{-15 * time.Minute, 0},
		{0, 0},
		{10 * time.Minute, 0},
		{time.Hour, -time.Hour},
		{23 * time.Hour, -23 * time.Hour},
	} {
		r := asked(Photography)
		r.Now = noon.Add(-c.ahead)
		if got := Decide(r, quiet()).Window.From.Sub(noon); got != c.want {
			t.Errorf("%s ahead the window begins %s after noon, want %s", c.ahead, got, c.want)
		}
	}
}

// TestWindowEnds checks that a window ends where the data of a required fact end or where
// the state changes.
func TestWindowEnds(t *testing.T) {
	f := quiet()
	f.Grid.Hours = f.Grid.Hours[:24+10] // until 22:00
	if got, want := Decide(asked(Boating), f).Window.To, noon.Add(6*time.Hour); !got.Equal(want) {
		t.Errorf("the grid ends at 22:00: window to %s, want %s", got, want)
	}
	f.Grid.Hours[24+8].Gust = pointer(25) // from 20:00
	if got, want := Decide(asked(Boating), f).Window.To, noon.Add(4*time.Hour); !got.Equal(want) {
		t.Errorf("gusts from 20:00: window to %s, want %s", got, want)
	}
}

// TestSeaSource checks that seas come from the grid if it has them throughout, else from
// the text.
func TestSeaSource(t *testing.T) {
	for hole, want := range map[bool]string{
		false: "Waves of the hourly forecast grid",
		true:  "Seas of the coastal waters text",
	} {
		f := quiet()
		if hole {
			f.during().Height = nil
		}
		sources := Decide(asked(Boating), f).Sources
		i := slices.IndexFunc(sources, func(s coast.Source) bool { return s.ID == SeaState })
		if got := sources[i].Label; got != want {
			t.Errorf("an hour without waves %v: %q, want %q", hole, got, want)
		}
	}
}

// TestCurrentWords checks that ebbs, floods and slacks are reported if the current is
// available and not stale, for activities that use it.
func TestCurrentWords(t *testing.T) {
	f := quiet()
	f.Current.Events = []CurrentEvent{{noon, "slack", 0}, {noon.Add(time.Hour), "ebb", 0.2}}
	for _, a := range Activities() {
		for freshness, reported := range map[coast.Freshness]bool{
			coast.Fresh: needOf(CurrentPrediction, a) == 'R',
			coast.Stale: false,
		} {
			got := strings.Join(Decide(asked(a), withAge(*f, CurrentPrediction, freshness)).Highlights, " ")
			for _, words := range []string{
				"Slack at 12:00 (BOS1111).",
				"Ebb of 0.2 kn at 13:00 (BOS1111).",
			} {
				if strings.Contains(got, words) != reported {
					t.Errorf("%s, %s current: %q in %q, want %v", a, freshness, words, got, reported)
				}
			}
		}
	}
}
