package verify

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"leadline/internal/stations"
)

// TestConditions checks that only a full and recent result is current.
func TestConditions(t *testing.T) {
	report := func(days, compared int) *Report {
		at := noon.AddDate(0, 0, -days)
		return &Report{Began: at, Ended: at, Stations: 100, Compared: compared}
	}
	for _, c := range []struct {
		state State
		on    bool
		want  Condition
	}{
		{State{}, false, Off},
		{State{}, true, Waiting},
		{State{Current: &Progress{}}, true, Waiting},
		{State{Abandoned: noon}, true, Failed},
		{State{Newest: report(1, 100)}, true, Current},
		{State{Newest: report(1, 90)}, false, Current},
		{State{Newest: report(1, 89)}, true, Incomplete},
		{State{Newest: report(1, 0)}, true, Incomplete},
		{State{Newest: report(45, 100)}, true, Current},
		{State{Newest: report(46, 100)}, true, Outdated},
		{State{Newest: report(9, 100), Abandoned: noon.AddDate(0, 0, -8)}, true, Failed},
		{State{Newest: report(7, 100), Abandoned: noon.AddDate(0, 0, -8)}, true, Current},
	} {
		if got := c.state.condition(c.on, noon); got != c.want {
			t.Errorf("%+v: %s, want %s", c.state, got, c.want)
		}
	}
}

// TestReport checks that a report lists the stations that differ most, and stays small.
func TestReport(t *testing.T) {
	before := &Report{Listed: []Result{{ID: "S059", Since: noon.AddDate(0, -2, 0)}}}
	r := Report{Began: noon}
	for i := range 60 {
		r.Add(Result{
			ID: fmt.Sprintf("S%03d", i), Name: strings.Repeat("n", 100), Kind: stations.Tide,
			Difference: float64(i), Differs: true,
		}, before)
	}
	r.Add(Result{ID: "calm", Kind: stations.Current, Difference: 0.001}, before)
	r.Add(Result{ID: "weak", Err: errWeak}, before)
	if r.Compared != 61 || r.Differing != 60 || len(r.Listed) != MostListed ||
		r.Listed[0].ID != "S059" || !r.Listed[0].Since.Equal(noon.AddDate(0, -2, 0)) ||
		!r.Listed[1].Since.Equal(noon) || r.Largest() != "59.000 m and 0.001 kn" ||
		fmt.Sprint(r.Reasons()) != "[{NOAA describes the currents as weak and variable 1}]" {
		t.Errorf("%+v", r)
	}
	text, err := json.Marshal(State{Newest: &r, Current: &Progress{Report: r}})
	if err != nil || len(text) > 40_000 {
		t.Errorf("a state has %d bytes: %v", len(text), err)
	}
	var back State
	if err := json.Unmarshal(text, &back); err != nil || back.Newest.Height.ID != "S059" ||
		!back.Abandoned.Equal(time.Time{}) {
		t.Errorf("%v: %+v", err, back.Newest)
	}
}
