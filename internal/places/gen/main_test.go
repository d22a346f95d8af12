package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"leadline/internal/stations"
	"leadline/internal/words"
)

// TestWaters checks that each beach has a source: a tide station nearby whose name has all words
// of it, a surf zone forecast, what makes it a break, or who has the beach. Positions of ours are
// to 0.01 degrees, and a station of the state is near.
func TestWaters(t *testing.T) {
	d, err := stations.Open()
	if err != nil {
		t.Fatal(err)
	}
	other := regexp.MustCompile(`^(SRF[A-Z]{3}|break .{5,}|(the )?town( of .+)?|` +
		`(beach|community|island|part) of .+|(state|county) (beach|park|preserve))$`)
	for row := range strings.Lines(waters) {
		row = strings.TrimSuffix(row, "\n")
		columns := strings.Split(row, "\t")
		if len(columns) < 6 {
			continue
		}
		p, _, err := parse(row)
		if err == nil && other.MatchString(columns[5]) {
			near := d.Nearest(p.Latitude, p.Longitude, 8, nil)
			if !slices.ContainsFunc(near, func(n stations.Near) bool {
				return n.Kilometers < 40 && n.Station.State == p.State
			}) {
				t.Errorf("%q is not near a station of %s", row, p.State)
			}
			continue
		}
		st, ok := d.Station(columns[5])
		if err != nil || !ok || st.State != p.State || stations.Kilometers(p.Latitude, p.Longitude,
			st.Latitude, st.Longitude) > 1 ||
			!strings.Contains(words.Key(words.Split(st.Name)), words.Key(words.Split(p.Name))) {
			t.Errorf("%q is not of station %s (%s, %s)", row, st.ID, st.Name, st.State)
		}
	}
}
