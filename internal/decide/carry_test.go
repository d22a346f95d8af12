package decide

import "testing"

// TestCarry checks on which facts a reason depends. The reasons of the table are measured by
// several facts; each of them alone must keep the reason.
func TestCarry(t *testing.T) {
	for _, test := range []struct {
		code, source, missing string
		want                  bool
	}{
		{"wind", WindForecast, WindForecast, true},
		{"wind", MarineText, WindForecast, false},
		{"wind", MarineText, MarineText, true},
		{"seas", SeaState, SeaState, true},
		{"seas", SeaState, WindForecast, true},
		{"seas", MarineText, WindForecast, false},
		{"wind_against_current", CurrentPrediction, CurrentPrediction, true},
		{"wind_against_current", CurrentPrediction, WindForecast, true},
		{"wind_against_current", CurrentPrediction, MarineText, true},
		{"wind_against_current", CurrentPrediction, MarineAlerts, false},
		{"seas_against_current", CurrentPrediction, WindForecast, true},
		{"seas_against_current", CurrentPrediction, MarineText, true},
		{"flooding_predicted", TidePrediction, FloodThresholds, true},
		{"flooding_observed", ObservedLevel, FloodThresholds, true},
		{"flooding_residual", residualSource, ObservedLevel, true},
		{"flooding_residual", residualSource, FloodThresholds, true},
		{"flooding_residual", residualSource, TidePrediction, true},
		{lowWaterObserved, residualSource, ObservedLevel, true},
		{lowWaterObserved, residualSource, TidePrediction, true},
		{"alert_gale_warning", MarineAlerts, MarineAlerts, true},
		{"alert_gale_warning", MarineAlerts, WindForecast, false},
		{"input_missing", WindForecast, WindForecast, false},
		{WeatherNotOffered, WindForecast, WindForecast, false},
	} {
		d := &Decision{MissingInputs: []string{test.missing}}
		known := []BaselineReason{{test.code, Watch, test.source}}
		if got := len(carry(known, d)) == 1; got != test.want {
			t.Errorf("%s of %s without %s: carried %v, want %v", test.code, test.source,
				test.missing, got, test.want)
		}
	}
}

// TestCarriedSeverity checks that the higher severity counts, of the decision or as last known.
func TestCarriedSeverity(t *testing.T) {
	for _, test := range []struct {
		known, now Severity
		want       Severity // of the effective result
		carried    bool
	}{
		{Action, Watch, Action, true},
		{Watch, Watch, Watch, false},
		{Watch, Action, Action, false},
		{Info, "", Info, true},
	} {
		d := &Decision{State: Unknown, MissingInputs: []string{WindForecast}}
		if test.now != "" {
			d.Reasons = []Reason{{Code: "wind", Severity: test.now, SourceID: MarineText}}
		}
		carried := carry([]BaselineReason{{"wind", test.known, WindForecast}}, d)
		e := effective(d, carried)
		if got := severityIn(Summarize(e).Reasons, "wind"); got != test.want ||
			(len(carried) == 1) != test.carried {
			t.Errorf("known %s, now %q: %s, carried %v, want %s, %v", test.known, test.now, got,
				carried, test.want, test.carried)
		}
	}
}

// TestCarriedConfidence checks that a carried reason makes the confidence low, even that of a
// precautionary fact.
func TestCarriedConfidence(t *testing.T) {
	_, steps, now := begun(t, "icy", "-water")
	if d := sight(now, "-water"); d.Confidence != Moderate {
		t.Fatalf("confidence %s, want moderate", d.Confidence)
	}
	for _, c := range steps[0].Change.Changes {
		if c.Field == "confidence" && c.To != nil && *c.To == string(Low) {
			return
		}
	}
	t.Errorf("changes %s, want the confidence to be low", encode(steps[0].Change))
}
