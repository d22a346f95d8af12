package waters

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"leadline/internal/places"
	"leadline/internal/stations"
)

func open(t *testing.T) *stations.Directory {
	t.Helper()
	d, err := stations.Open()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestClasses checks that each station with tide predictions has one water, and no other row.
func TestClasses(t *testing.T) {
	d, seen := open(t), map[string]bool{}
	for line := range strings.Lines(stationRows) {
		id, _, ok := strings.Cut(line, "\t")
		if !ok {
			continue
		}
		if st, known := d.Station(id); !known || st.Kind != stations.Tide || seen[id] {
			t.Errorf("row %q: not a tide station, or a second row", line)
		}
		seen[id] = true
		if c, _ := Of(id); !slices.Contains(c.Water.Values(), string(c.Water)) {
			t.Errorf("row %q: unknown water %q", line, c.Water)
		}
	}
	for _, st := range d.All(stations.Tide) {
		if _, predicted := TideOf(d, st); predicted && !seen[st.ID] {
			t.Errorf("%s (%s) has no water", st.ID, st.Name)
		}
	}
}

// islands are the states and territories whose shores have tides of their own: at Honolulu high
// water is an hour after that of the other shore of Oahu.
const islands = "AK HI PR VI GU AS MP"

// TestOpenCoast checks the waters of the open coast, also where a name says ocean: a tide that is
// 40 minutes later or half as large as those near it over water is another water. Each is also
// compared with the nearest in a straight line: one of them has its tide. The shores of islands
// differ by more.
func TestOpenCoast(t *testing.T) {
	d := open(t)
	for _, st := range d.All(stations.Tide) {
		class, _ := Of(st.ID)
		if !class.Water.Open() || class.Ratio == 0 {
			continue
		}
		if class.Ratio < 0.5 || class.Ratio > 2 {
			t.Errorf("%s (%s) is %s: ratio %.2f", st.ID, st.Name, class.Water, class.Ratio)
		}
		most := 40.0
		if class.Water == Inlet {
			most = 60
		}
		if st.State == "" || strings.Contains(islands, st.State) {
			continue
		}
		if math.Abs(class.Minutes) > most || !hasFellow(d, st, most) {
			t.Errorf("%s (%s) is %s: %.0f min, ratio %.2f, or no station near it has its tide", st.ID,
				st.Name, class.Water, class.Minutes, class.Ratio)
		}
	}
}

// hasFellow reports whether one of the nearest stations of the open coast has the tide of a
// station. It is true of lone islands.
func hasFellow(d *stations.Directory, st stations.Station, most float64) bool {
	own, _ := TideOf(d, st)
	lone := true
	for _, near := range d.Nearest(st.Latitude, st.Longitude, 6, func(o stations.Station) bool {
		class, _ := Of(o.ID)
		return class.Water.Open() && o.ID != st.ID
	}) {
		other, _ := TideOf(d, near.Station)
		minutes, ratio := own.Against(other)
		if math.Abs(minutes) <= most && ratio > 0.5 && ratio < 2 {
			return true
		}
		lone = lone && near.Kilometers > 100
	}
	return lone
}

// TestFronts checks the rows of places at the open sea: each is a place of the gazetteer, its shore
// is near it, the sea is off the shore, and its station is of the open coast.
func TestFronts(t *testing.T) {
	d, known := open(t), map[string]bool{}
	for _, p := range places.Open().All() {
		known[key(p)] = true
	}
	for row, i := range fronts().rows {
		f, town := fronts().of[i], fronts().towns[i]
		if !known[row] {
			t.Errorf("%q is not in the gazetteer", row)
		}
		shore := stations.Kilometers(town.Latitude, town.Longitude, f.Shore.Latitude, f.Shore.Longitude)
		sea := stations.Kilometers(f.Shore.Latitude, f.Shore.Longitude, f.Sea.Latitude, f.Sea.Longitude)
		if shore > 9.2 || sea > 5 {
			t.Errorf("%q: the shore is %.1f km away, the sea %.1f km from it", row, shore, sea)
		}
		if f.Station == "" {
			continue
		}
		st, ok := d.Station(f.Station)
		class, _ := Of(f.Station)
		straight := stations.Kilometers(f.Shore.Latitude, f.Shore.Longitude, st.Latitude, st.Longitude)
		if !ok || !class.Water.Open() || f.Along > MostAlong || straight > f.Along+2 {
			t.Errorf("%q: station %s on the %s, %.1f km along the coast, %.1f km in a straight line",
				row, f.Station, class.Water, f.Along, straight)
		}
	}
}

// TestBeaches checks that no place that is named a beach is answered from a river or a waterway
// while a station of the ocean is within 15 km of its shore.
func TestBeaches(t *testing.T) {
	d := open(t)
	for _, p := range places.Open().All() {
		f, faces := FrontOf(p)
		if !faces || p.Kind == places.ZIP || !strings.Contains(p.Name, "Beach") {
			continue
		}
		c := Choose(d, p, nil, "")
		if c.First == nil || c.First.Water != River && c.First.Water != Waterway {
			continue
		}
		if near := d.Nearest(f.Shore.Latitude, f.Shore.Longitude, 1, func(st stations.Station) bool {
			class, _ := Of(st.ID)
			return class.Water == Ocean
		}); near[0].Kilometers <= Alternatives {
			t.Errorf("%s is answered from %s on the %s, %s of the ocean is %.1f km from its shore", p,
				c.First.Station.ID, c.First.Water, near[0].Station.ID, near[0].Kilometers)
		}
	}
}

func TestCut(t *testing.T) {
	for _, test := range []struct {
		text, place string
		side        Side
	}{
		{"Myrtle Beach waterway", "Myrtle Beach", Inside},
		{"Vero Beach lagoon, FL", "Vero Beach, FL", Inside},
		{"Vero Beach ocean FL", "Vero Beach FL", AtSea},
		{"Montauk harbor", "Montauk", Inside},
		{"Daytona Beach", "Daytona Beach", ""},
		{"ocean", "ocean", ""},
		{"river", "river", ""},
	} {
		if place, _, side := Cut(test.text); place != test.place || side != test.side {
			t.Errorf("Cut(%q) = %q, %q, want %q, %q", test.text, place, side, test.place, test.side)
		}
	}
}

// TestNearTown checks that a position takes the front of the town there, and that its side is that
// of the ocean if that is asked for.
func TestNearTown(t *testing.T) {
	d, seen := open(t), 0
	for _, p := range places.Open().All() {
		f, faces := FrontOf(p)
		if !faces || p.Kind == places.ZIP {
			continue
		}
		seen++
		at := places.Place{Kind: places.Town, Name: fmt.Sprint(p.Latitude), Latitude: p.Latitude,
			Longitude: p.Longitude}
		if got, ok := FrontOf(at); !ok || got.Station != f.Station || got.Inside != f.Inside {
			t.Errorf("the front at the position of %s is %v, want %v", p, got, f)
		}
		want := f.Station // none if no station is near by water: Chatham, MA
		class, _ := Of(want)
		if st, ok := d.Station(want); ok && f.Along+SeaPenalty(st, class, p.Name) > MostAlong {
			want = ""
		}
		c := Choose(d, p, nil, AtSea)
		if (c.First == nil) != (want == "") || c.First != nil && c.First.Station.ID != want {
			t.Errorf("%s: the ocean is at %v, want station %q", p, c.First, want)
		}
	}
	if seen == 0 {
		t.Error("no place has a front")
	}
}

// TestSides checks that a position at a station is on the side of its water, and that the other
// water is named: the pier at Ocean City, MD, and the river at Ormond Beach.
func TestSides(t *testing.T) {
	d := open(t)
	for id, want := range map[string]Side{"8570280": AtSea, "8720954": Inside} {
		st, _ := d.Station(id)
		c := Choose(d, places.Place{Kind: places.Town, Latitude: st.Latitude,
			Longitude: st.Longitude}, nil, "")
		if c.First == nil || c.First.Station.ID != id || c.Side != want || c.Other == nil ||
			(c.Other.Water == Ocean) != (want == Inside) {
			t.Errorf("at %s: %+v on the side %s, other %+v, want the side %s", id, c.First, c.Side,
				c.Other, want)
		}
	}
}
