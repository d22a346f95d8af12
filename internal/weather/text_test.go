package weather

import (
	"testing"

	"leadline/internal/coast"
	"leadline/internal/render"
)

// TestWindAgainstCurrentText checks that the text differs between hours in which the wind is
// not against the current and hours in which that is not known.
func TestWindAgainstCurrentText(t *testing.T) {
	none, watch, action := "none", "watch", "action"
	for _, test := range []struct {
		hours     []*string
		want, row string
	}{
		{[]*string{&none, &none}, "No wind against current in 2 of 2 hours", ""},
		{[]*string{nil, &none}, "No wind against current in 1 of 2 hours, not known in 1", "not known"},
		{[]*string{&watch, &action, &none}, "Wind against current in 2 of 3 hours", "watch"},
	} {
		c := CurrentHours{
			Station: &coast.Station{ID: "PUG1701", Name: "Deception Pass"}, SpeedUnit: "kn",
			Phases: []string{"ebb"}, Speeds: []float64{2.5}, WindAgainstCurrent: test.hours,
		}
		want := "Predicted current at Deception Pass (PUG1701) in kn. " + test.want +
			"; the wind is the stronger of grid and text."
		if got := c.sentence(); got != want {
			t.Errorf("sentence() = %q, want %q", got, want)
		}
		row := "; ebb 2.50"
		if test.row != "" {
			row += ", wind against current: " + test.row
		}
		var a render.Answer
		a.Rows([]string{"current", "opposed"}, 1, func(int) []render.Cell { return c.cells(0) })
		if got := string(a.Text()); got != row+"\n" {
			t.Errorf("cells(0) = %q, want %q", got, row)
		}
	}
}
