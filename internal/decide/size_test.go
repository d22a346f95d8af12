package decide

import (
	"strings"
	"testing"

	"leadline/internal/coast"
)

// largest limits the bytes of a decision as JSON. All bad conditions together take 13,000:
// a reason takes 250, a source 350.
const largest = 7900

// longAlerts lists twelve alerts with long names, all in force.
var longAlerts = strings.Split(
	"Small Craft Advisory For Hazardous Seas, Small Craft Advisory For Rough Bar, "+
		"Hurricane Force Wind Warning, Severe Thunderstorm Warning, "+
		"Heavy Freezing Spray Warning, Special Marine Warning, Hazardous Seas Warning, Tropical "+
		"Storm Warning, Coastal Flood Statement, Beach Hazards Statement, Rip Current "+
		"Statement, Tsunami Advisory",
	", ",
)

// everythingBad returns facts that reach every limit, all stale and with notes.
func everythingBad() *Facts {
	f := quiet()
	for _, id := range factIDs {
		age := 100_000
		h := f.heading(id)
		h.Source.Freshness, h.Source.AgeMinutes, h.Source.SourceAt = coast.Stale, &age, &noon
		h.Source.Label, h.Source.AttributionURL = strings.Repeat("A label of a source ",
			3), "https://tidesandcurrents.noaa.gov/noaacurrents/Regions?id=8443970"
	}
	for _, q := range documented {
		v := 99.0
		if q.down {
			v = -9.9
		}
		q.set(f, v)
	}
	f.during().Period, f.during().Direction = pointer(3.3), f.Current.Flood
	f.Level.Height, f.Level.Residual = pointer(12.345), pointer(9.876)
	f.Flood.Level = pointer(2.345)
	for _, event := range longAlerts {
		f.Alerts.List = append(f.Alerts.List, Alert{event, "Severe", nil, &noon})
	}
	f.Notes = []string{
		"01:30 comes twice in America/New_York on 2026-11-01: the first is taken, " +
			"2026-11-01T01:30:00-04:00.",
		"NOAA's datums of 8443970 contradict each other: the lowest astronomical tide would lie " +
			"0.25 m above MLLW, which is the mean of the lower low waters. Heights above MLLW " +
			"may be wrong by as much.",
		"Alerts and text for the water are those of marine zone ANZ230, 5 km away.",
	}
	return f
}

// TestSize fits the largest decision of each activity. All important values remain: the
// alerts are named in the reasons, everything else in the summary.
func TestSize(t *testing.T) {
	for _, a := range Activities() {
		whole := Decide(asked(a), everythingBad())
		d := whole
		d.Fit(largest)
		if got := len(encode(d)); got > largest {
			t.Errorf("%s: %d bytes of %d, want %d at most: %d reasons of %d, %d sources of %d", a,
				got, len(encode(whole)), largest, len(d.Reasons), len(encode(d.Reasons)),
				len(d.Sources), len(encode(d.Sources)))
		}
		if d.State != whole.State || len(d.Sources) != len(whole.Sources) {
			t.Errorf("%s: %s of %d sources, want %s of %d", a, d.State, len(d.Sources), whole.State,
				len(whole.Sources))
		}
		texts := d.Summary + string(encode(d.Reasons))
		for _, r := range whole.Reasons {
			name := strings.ReplaceAll(strings.TrimPrefix(r.Code, alertPrefix), "_", " ")
			if absence(r.Code) {
				name = inputOf(r.SourceID).name
			}
			if r.Severity != Info &&
				(name == "" || !strings.Contains(strings.ToLower(texts), name) &&
					!strings.Contains(texts, r.Code)) {
				t.Errorf("%s: %s is not reported any more", a, r.Code)
			}
		}
		again := whole
		again.Fit(1 << 20)
		if string(encode(again)) != string(encode(whole)) {
			t.Errorf("%s: what is short enough was shortened", a)
		}
	}
}
