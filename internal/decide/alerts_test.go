package decide

import (
	"slices"
	"strings"
	"testing"
)

// realEvents lists the event names of the weather service's API (/alerts/types) and those
// used since 2016, by their levels for fishing, boating, surf-paddle, beachcombing,
// photography and coastal-living: a for action, w for watch, i for information. The levels
// follow the rules in docs/decisions.md, applied by hand.
var realEvents = map[string]string{
	"aaaaaa": `Tsunami Warning, Tsunami Advisory, Hurricane Warning, Typhoon Warning,
		Tropical Storm Warning, Storm Surge Warning, Extreme Wind Warning, Tornado Warning,
		Severe Thunderstorm Warning, High Wind Warning, High Surf Warning, Coastal Flood Warning,
		Evacuation - Immediate, Evacuation Immediate, Shelter In Place Warning,
		Civil Danger Warning,
		Hazardous Materials Warning, Ashfall Warning, Avalanche Warning, Blizzard Warning,
		Blowing Dust Warning, Dust Storm Warning, Earthquake Warning, Extreme Cold Warning,
		Fire Warning, Flash Flood Warning, Ice Storm Warning, Lake Effect Snow Warning,
		Lakeshore Flood Warning, Law Enforcement Warning, Local Area Emergency,
		Nuclear Power Plant Warning, Radiological Hazard Warning, Snow Squall Warning,
		Volcano Warning, Wind Chill Warning, Winter Storm Warning`,
	"aaawww": `Special Marine Warning, Gale Warning, Storm Warning, Hurricane Force Wind Warning,
		Hazardous Seas Warning, Heavy Freezing Spray Warning, Small Craft Advisory,
		Small Craft Advisory For Hazardous Seas, Small Craft Advisory For Rough Bar,
		Small Craft Advisory For Winds, Brisk Wind Advisory, Hurricane Watch, Typhoon Watch`,
	"wwawww": `Rip Current Statement`,
	"wwaaww": `Beach Hazards Statement, High Surf Advisory`,
	"wwwwwa": `Coastal Flood Advisory, Coastal Flood Statement, Flood Warning`,
	"wwwwww": `Dense Fog Advisory, Dense Smoke Advisory, Low Water Advisory, Freezing Spray Advisory,
		Wind Advisory, Lake Wind Advisory, Freeze Warning, Freeze Watch, Hard Freeze Warning,
		Hard Freeze Watch, Flash Freeze Warning, Frost Advisory, Heat Advisory,
		Excessive Heat Warning, Excessive Heat Watch, Extreme Heat Warning, Extreme Heat Watch,
		Red Flag Warning, Fire Weather Watch, Air Quality Alert, Air Stagnation Advisory,
		Arroyo And Small Stream Flood Advisory, Ashfall Advisory, Avalanche Advisory,
		Avalanche Watch, Blizzard Watch, Blowing Dust Advisory, Coastal Flood Watch,
		Cold Weather Advisory, Dust Advisory, Extreme Cold Watch, Flash Flood Watch, Flood Advisory,
		Flood Watch, Freezing Fog Advisory, Freezing Rain Advisory, Gale Watch,
		Hazardous Seas Watch, Heavy Freezing Spray Watch, High Wind Watch,
		Hurricane Force Wind Watch, Hydrologic Advisory,
		Lake Effect Snow Advisory, Lake Effect Snow Watch, Lakeshore Flood Advisory,
		Lakeshore Flood Watch, Severe Thunderstorm Watch, Small Stream Flood Advisory,
		Storm Surge Watch, Storm Watch, Tornado Watch, Tropical Storm Watch, Tsunami Watch,
		Urban And Small Stream Flood Advisory, Wind Chill Advisory,
		Wind Chill Watch, Winter Storm Watch, Winter Weather Advisory, Hurricane Local Statement,
		Typhoon Local Statement, Tropical Storm Local Statement,
		Tropical Depression Local Statement, Tropical Cyclone Local Statement,
		Tropical Cyclone Statement, Civil Emergency Message, 911 Telephone Outage,
		911 Telephone Outage Emergency, Marine Weather Statement, Flood Statement, Flash Flood Statement,
		Lakeshore Flood Statement`,
	"iiiiii": `Administrative Message, Blue Alert, Child Abduction Emergency, Extreme Fire Danger,
		Hazardous Weather Outlook, Hydrologic Outlook, Severe Weather Statement,
		Short Term Forecast, Special Weather Statement, Test`,
}

// severityOfLetter maps the letters of realEvents to severities.
var severityOfLetter = map[byte]Severity{'a': Action, 'w': Watch, 'i': Info}

// TestRealEvents checks the level of each event that the weather service has.
func TestRealEvents(t *testing.T) {
	for levels, names := range realEvents {
		for event := range strings.SplitSeq(names, ",") {
			event = strings.Join(strings.Fields(event), " ")
			for i, a := range Activities() {
				checkAlert(t, event, "", a, severityOfLetter[levels[i]])
			}
		}
	}
}

// TestUnknownEvents checks that an event outside the table counts by its last word, in any
// spelling. A severity can raise information to watch and lowers nothing.
func TestUnknownEvents(t *testing.T) {
	for _, c := range []struct {
		event, severity string
		want            Severity
	}{
		{"Volcanic Gas Warning", "", Action}, {"Volcanic Gas Emergency", "Minor", Action},
		{"Volcanic Gas Watch", "Unknown", Watch}, {"Volcanic Gas Advisory", "Extreme", Watch},
		{"Volcanic Gas Statement", "", Info}, {"Volcanic Gas Statement", "Unknown", Info},
		{"Volcanic Gas Statement", "Minor", Info}, {"Volcanic Gas Statement", "Moderate", Info},
		{"Volcanic Gas Statement", "Severe", Watch}, {"Volcanic Gas Statement", "Extreme", Watch},
		{"Volcanic Gas Statement", "extreme", Watch}, {"Volcanic Gas Statement", "Enormous", Info},
		{"VOLCANIC GAS WARNING", "", Action}, {"volcanic  gas watch", "", Watch},
		{"Gale Warning Statement", "", Info},
		{"Warning Of Gas", "", Info}, {"Forewarning", "", Info}, {"\u202e\x1b[31m", "", Info},
		{"Tornado Warning", "Minor", Action}, {"Dense Fog Advisory", "Extreme", Watch},
		{"Special Weather Statement", "Severe", Watch}, {"Heat Advisory", "Extreme", Watch},
	} {
		for _, a := range Activities() {
			checkAlert(t, c.event, c.severity, a, c.want)
		}
	}
}

// checkAlert checks that a decision with one alert has the reason of that alert and no other.
func checkAlert(t *testing.T, event, severity string, a Activity, want Severity) {
	t.Helper()
	f := alerted(event, nil, nil)
	f.Alerts.List[0].Severity = severity
	d := Decide(asked(a), f)
	if len(d.Reasons) != 1 || d.Reasons[0].Severity != want || d.State != stateOf(want) ||
		!strings.HasPrefix(d.Reasons[0].Message, event) {
		t.Errorf("%s %s, %s: %s for %q, want %s", event, severity, a, d.State, reasonsOf(d), want)
	}
}

// TestSeveritiesOfOneEvent checks that the more severe of two alerts of one event counts,
// in either order.
func TestSeveritiesOfOneEvent(t *testing.T) {
	for _, severities := range [][]string{{"Minor", "Extreme"}, {"Extreme", "Minor"}} {
		f := quiet()
		for _, s := range severities {
			f.Alerts.List = append(f.Alerts.List, Alert{Event: "Special Weather Statement", Severity: s})
		}
		want := "Special Weather Statement (severity Extreme), until further notice."
		if d := Decide(asked(Fishing), f); d.State != WatchState || d.Reasons[0].Message != want {
			t.Errorf("severities %q: %s for %q, want watch for %q", severities, d.State,
				d.Reasons[0].Message, want)
		}
	}
}

// TestEventNamesKeepCapitals checks that the sentences of a decision keep the capitals of event
// names.
func TestEventNamesKeepCapitals(t *testing.T) {
	for event, headline := range map[string]string{
		"Tsunami Warning":      "Action needed: Tsunami Warning, until further notice.",
		"Small Craft Advisory": "Action needed: Small Craft Advisory, until further notice.",
		"Gale Watch":           "Watch: Gale Watch, until further notice.",
	} {
		d := Decide(asked(Boating), alerted(event, nil, nil))
		if d.Headline != headline || !strings.Contains(d.Summary, ": "+event+".") {
			t.Errorf("%s: headline %q, summary %q, want %q", event, d.Headline, d.Summary, headline)
		}
	}
}

// TestGraveEvents checks that a cyclone, a tsunami or an evacuation order suppresses all
// highlights, also if it is only a watch. Some highlights remain under other actions.
func TestGraveEvents(t *testing.T) {
	for event, silent := range map[string]bool{
		"Hurricane Warning": true, "Tropical Storm Warning": true, "Tsunami Warning": true,
		"Tsunami Advisory": true, "Typhoon Warning": true, "Storm Surge Warning": true,
		"Extreme Wind Warning": true, "Hurricane Force Wind Warning": true,
		"Evacuation - Immediate": true, "Shelter In Place Warning": true,
		"Hurricane Watch": true, "Tropical Storm Watch": true, "Typhoon Watch": true,
		"Tsunami Watch": true, "Hurricane Local Statement": true, "Tropical Cyclone Statement": true,
		"Gale Warning": false, "Severe Thunderstorm Warning": false,
	} {
		for _, a := range []Activity{Boating, Photography, CoastalLiving} {
			d := Decide(asked(a), alerted(event, nil, nil))
			if got := len(d.Highlights) == 0; got != silent {
				t.Errorf("%s, %s: highlights %q, want none: %v", event, a, d.Highlights, silent)
			}
		}
	}
}

// TestHighlightsUnderAlerts checks that no highlight is about what an alert is about. An event
// that is not known may be about anything.
func TestHighlightsUnderAlerts(t *testing.T) {
	const wind, seas, current, level = "Wind at most", "Seas at most", "Current at most", "Low water"
	for event, silent := range map[string][]string{
		"Small Craft Advisory":                    {wind, seas, current},
		"Small Craft Advisory For Hazardous Seas": {wind, seas, current},
		"Small Craft Advisory For Rough Bar":      {wind, seas, current},
		"Gale Watch":                              {wind, seas},
		"Wind Advisory":                           {wind, seas},
		"Special Marine Warning":                  {wind, seas, current, level},
		"Marine Weather Statement":                {wind, seas, current, level},
		"Severe Thunderstorm Watch":               {wind, seas},
		"Red Flag Warning":                        {wind, seas},
		"Heavy Freezing Spray Watch":              {wind, seas},
		"Hazardous Seas Watch":                    {seas},
		"High Surf Advisory":                      {seas},
		"Rip Current Statement":                   {seas, current},
		"Beach Hazards Statement":                 {seas, current},
		"Flood Watch":                             {current, level},
		"Coastal Flood Statement":                 {current, level},
		"Low Water Advisory":                      {level},
		"Special Weather Statement":               {wind, seas, current, level},
		"Kraken Advisory":                         {wind, seas, current, level},
		"Heat Advisory":                           nil,
		"Dense Fog Advisory":                      nil,
		"Child Abduction Emergency":               nil,
	} {
		got := strings.Join(Decide(asked(Boating), alerted(event, nil, nil)).Highlights, "\n")
		for _, words := range []string{wind, seas, current, level} {
			want := !slices.Contains(silent, words)
			if strings.Contains(got, words) != want {
				t.Errorf("%s: highlights %q, want %q in them: %v", event, got, words, want)
			}
		}
	}
}

// TestStrongCurrentIsNoHighlight checks that a current at a limit is a reason and no highlight,
// nor is one that wind or seas oppose.
func TestStrongCurrentIsNoHighlight(t *testing.T) {
	for _, c := range []struct {
		knots, wind float64
		given       bool
		// Its limit is 3 kn: a highlight only below half of it, but its time is one.
	}{{2.9, 3, true}, {3, 3, false}, {5.9, 3, false}, {1.2, 3, true}, {1.2, 12, false}} {
		for _, a := range []Activity{Fishing, Boating} {
			f := strait(c.wind, 270, c.knots)
			f.Current.Events = []CurrentEvent{{noon, "flood", c.knots}}
			got := strings.Join(Decide(asked(a), f).Highlights, " ")
			for _, words := range []string{"Flood of", "Current at most"} {
				given := c.given && (words == "Flood of" || c.knots < 1.5)
				if strings.Contains(got, words) != given {
					t.Errorf("%s, %v kn, wind of %v kn: highlights %q", a, c.knots, c.wind, got)
				}
			}
		}
	}
}

// TestDoubtedFloodLevel checks that a flood level in doubt is missing, makes the state
// watch and the confidence moderate, and gives no margin; it still raises an action.
func TestDoubtedFloodLevel(t *testing.T) {
	f := alerted("Gale Statement", nil, nil)
	f.Flood.None = "a level that NOAA publishes was refused"
	d := Decide(asked(CoastalLiving), f)
	if d.State != WatchState || d.Confidence != Moderate ||
		!slices.Contains(d.MissingInputs, FloodThresholds) {
		t.Errorf("state %s, confidence %s, missing %v", d.State, d.Confidence, d.MissingInputs)
	}
	if strings.Contains(strings.Join(d.Highlights, " "), "to minor flooding") {
		t.Errorf("highlights %q", d.Highlights)
	}
	low := -100.0
	f.Flood.Level = &low
	if d := Decide(asked(CoastalLiving), f); d.State != ActionNeeded {
		t.Errorf("below the tide: state %s", d.State)
	}
}

// TestMarginUnderFloods checks that no highlight gives the tidal margin under an alert
// of floods, storm surge, tsunamis or tropical cyclones.
func TestMarginUnderFloods(t *testing.T) {
	for event, given := range map[string]bool{
		"Gale Watch": true, "Heat Advisory": true, "Flood Statement": false,
		"Flood Warning": false, "Flood Watch": false, "Flash Flood Warning": false,
		"Coastal Flood Advisory": false,
		"Storm Surge Watch":      false, "Tsunami Watch": false, "Hurricane Watch": false,
		"Tropical Storm Watch": false,
	} {
		d := Decide(asked(CoastalLiving), alerted(event, nil, nil))
		if got := strings.Contains(strings.Join(d.Highlights, " "), "to minor flooding"); got != given {
			t.Errorf("%s: highlights %q, want the margin: %v", event, d.Highlights, given)
		}
	}
}
