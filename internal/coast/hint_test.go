package coast

import (
	"encoding/json"
	"slices"
	"testing"
)

// TestExplain checks that hints are sentences after the message, and that neither they nor their
// absence change the error itself.
func TestExplain(t *testing.T) {
	e := Errorf(StationNotFound, "No station %q.", "x").With(
		SearchStations.Hint("Search by name", "Boston"), ListEvents.Hint("List events"),
		GetMarineForecast.Hint("Get the text", 42.5, -70.0))
	got := e.Explain(func(h Hint) string {
		if h.Operation == ListEvents {
			return ""
		}
		return h.Do + ": " + string(h.Operation) + " " + h.Arguments.JSON() + "."
	})
	want := `No station "x". Search by name: searchStations {"query": "Boston"}. ` +
		`Get the text: getMarineForecast {"latitude": 42.5, "longitude": -70}.`
	if got.Message != want || got.Code != StationNotFound || len(got.Hints()) != 0 {
		t.Errorf("Explain() = %+v\nwant the message %s", got, want)
	}
	if e.Message != `No station "x".` || len(e.Hints()) != 3 {
		t.Errorf("after Explain the error is %+v", e)
	}
	body, err := json.Marshal(e)
	if want := `{"code":"station_not_found","message":"No station \"x\"."}`; string(body) != want {
		t.Errorf("the error is %s as JSON (%v), want %s", body, err, want)
	}
	for _, h := range e.Hints() {
		var back Hint
		body, _ := json.Marshal(h)
		if err := json.Unmarshal(body, &back); err != nil || back.Do != h.Do ||
			back.Operation != h.Operation || back.Arguments.JSON() != h.Arguments.JSON() {
			t.Errorf("%+v is %+v after %s (%v)", h, back, body, err)
		}
	}
}

// TestHintedOperations checks that every constant can be used in a hint, and that a hint has all
// arguments of its operation.
func TestHintedOperations(t *testing.T) {
	var got []string
	for _, o := range HintedOperations() {
		got = append(got, string(o))
	}
	want := declaredIn(t, "hint.go")["Operation"]
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("HintedOperations() = %v, want the constants %v", got, want)
	}
	for _, wrong := range []func(){
		func() { SearchStations.Hint("Search") },
		func() { ListEvents.Hint("List", 1) },
		func() { Operation("unknown").Hint("Do") },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("a hint with wrong arguments does not panic")
				}
			}()
			wrong()
		}()
	}
}
