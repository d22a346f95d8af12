package locate

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"leadline/internal/places"
	"leadline/internal/stations"
	"leadline/internal/words"
)

func directory(t testing.TB) *stations.Directory {
	t.Helper()
	d, err := stations.Open()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestFind checks the first place or station that a name means, or that it is refused.
func TestFind(t *testing.T) {
	d := directory(t)
	for _, c := range []struct{ text, want string }{
		{"Half Moon Bay", "Half Moon Bay, CA"}, {"half moon bay ca", "Half Moon Bay, CA"},
		{"portland maine", "Portland, ME"}, {"Laguna Beach, Florida", "Laguna Beach, FL"},
		{"Ocean Beach, San Francisco", "Ocean Beach, CA"}, {"Avalon, Catalina Island", "Avalon, CA"},
		{"Ocean Beach, San Francisco, CA", "Ocean Beach, CA"}, {"Boston, MA,", "Boston, MA"},
		{"Cannon Beach, OR, USA", "Cannon Beach, OR"}, {"94019, CA", "Half Moon Bay, CA"},
		{"Montauk, Suffolk County", ""}, {"Malibu, Los Angeles County", "Malibu, CA"},
		{"Nonopapa, Niihau Island", "Nonopapa, Niihau Island, HI"}, {"8443970", "Boston, MA"},
		{"Nassau, Bahamas", "Nassau, New Providence Island, Bahamas"}, {"Halifax, Nova Scotia", ""},
		{"Falmouth, Cornwall", ""}, {"Ocean View, Norfolk", ""}, {"Westport, MA", "Westport Harbor, MA"},
		{"02543-1234", "02543"}, {"Woods Hole, MA 02543-1234", "Woods Hole, MA"},
		{"Boston MA 02110", "Boston, MA"}, {"Boston, MA, 02110", "Boston, MA"},
		{"Boston, Massachusetts 02110", "Boston, MA"}, {"Boston MA 94019", ""}, {"Boston MA 00000", ""},
		{"Boston, MA 02110, USA", "Boston, MA"}, {"00000-0000", ""}, {"Denver", ""}, {"00000", ""},
		{"", ""}, {"CA", ""}, {strings.Repeat("x ", 10_000), ""},
	} {
		m, got := Find(d, c.text, nil, ""), ""
		switch {
		case m.Refusal != "":
		case len(m.Places) > 0:
			got = m.Places[0].String()
		case len(m.Stations) > 0:
			got = Label(m.Stations[0].Station)
		}
		if got != c.want {
			t.Errorf("Find(%.40q) = %q, %q, want %q", c.text, got, m.Refusal, c.want)
		}
	}
}

// TestPrinted checks that a station is read as lists and completions print it, and that another
// name behind an id is not.
func TestPrinted(t *testing.T) {
	d := directory(t)
	all := d.All("")
	for _, st := range all {
		for _, text := range []string{
			st.ID, st.ID + " " + Label(st), fmt.Sprintf("%s (%s)", st.ID, Label(st)), st.ID + " " + st.Name,
		} {
			if m := Find(d, text, nil, ""); len(m.Stations) != 1 || m.Stations[0].ID != st.ID ||
				m.Stations[0].Match != stations.ByID {
				t.Fatalf("Find(%q) = %v, %q", text, m.Stations, m.Refusal)
			}
		}
	}
	if m := Find(d, "8443970 Portland, ME", nil, ""); len(m.Stations) > 0 && m.Stations[0].Match ==
		stations.ByID {
		t.Errorf("Portland with the id of Boston is %v", m.Stations)
	}
}

// TestSizes checks that the larger of the places of a name come first, and stations of the
// largest first. The numbers of people are those of the census.
func TestSizes(t *testing.T) {
	d := directory(t)
	for _, c := range []struct{ name, places, station string }{
		{"Portsmouth", "VA NH RI", ""}, {"Newport", "RI OR NC", ""}, {"Beaufort", "SC NC", ""},
		{"Portland", "OR ME TX CT", ""}, {"Long Beach", "CA NY MS", "9410680"},
		{"Chicago", "IL", ""}, {"Boston", "MA VA", "8443970"},
		{"New Bedford", "MA", "8447636"}, {"Astoria", "NY OR", "9439040"}, {"Wilmington", "NC DE", ""},
		{"Vancouver", "WA", ""}, {"Kingston", "NY", ""},
	} {
		m := Find(d, c.name, nil, "")
		var got []string
		for i, p := range m.Places {
			got = append(got, p.State)
			if i > 0 && p.Rank > m.Places[i-1].Rank {
				t.Errorf("%s: %v is behind %v", c.name, p, m.Places[i-1])
			}
		}
		if all := strings.Join(got, " "); !strings.HasPrefix(all, c.places) || m.Refusal != "" {
			t.Errorf("%s is in %s, want %s", c.name, all, c.places)
		}
		if all := m.LargestFirst(); c.station != "" && (len(all) == 0 || all[0].ID != c.station) {
			t.Errorf("%s: the first stations are %v, want %s", c.name, all, c.station)
		}
	}
}

// TestInland checks the towns that are meant although no station answers for them: inland, and
// abroad. Positions are from maps.
func TestInland(t *testing.T) {
	d := directory(t)
	for _, c := range []struct {
		text, want          string
		latitude, longitude float64
	}{
		{"Denver", "Denver, CO", 39.74, -104.98}, {"Denver, CO", "Denver, CO", 39.74, -104.98},
		{"denver colorado", "Denver, CO", 39.74, -104.98}, {"Paris", "Paris, France", 48.9, 2.3},
		{"Paris, France", "Paris, France", 48.9, 2.3}, {"Fresno, CA", "Fresno, CA", 36.75, -119.77},
		{"Halifax, Nova Scotia", "Halifax, Canada", 44.6, -63.6},
		{"Sydney", "Sydney, Australia", -33.9, 151.2}, {"Phoenix AZ", "Phoenix, AZ", 33.45, -112.07},
		{"Denver, CO 80202", "Denver, CO", 39.74, -104.98}, {"Aspen, CO", "", 0, 0},
		{"Boston, MA", "", 0, 0}, {"Xyzzy, France", "", 0, 0}, {"France", "", 0, 0}, {"CA", "", 0, 0},
	} {
		m, got := Find(d, c.text, nil, ""), places.Match{}
		if len(m.Inland) > 0 {
			got = m.Inland[0]
		}
		if got.String() != c.want || stations.Kilometers(got.Latitude, got.Longitude, c.latitude,
			c.longitude) > 12 || len(m.Inland) > 0 && m.Refusal == "" {
			t.Errorf("Find(%q).Inland = %+v, %q, want %s", c.text, m.Inland, m.Refusal, c.want)
		}
	}
}

// understood are generic words, which a name may have in addition to those of its meaning.
var understood = []string{"city", "county", "beach", "harbor", "marina", "pier"}

// FuzzFind checks that no word of a name is unused: each is of the station or place that is found,
// of its state or country, or one of a few generic ones.
func FuzzFind(f *testing.F) {
	for _, text := range []string{
		"Boston, MA", "94019", "a,b,c", ", ,", "\xff", "wa wa wa", "Nassau, Bahamas",
		"halifax nova scotia", "Ocean Beach, San Francisco", "Boston tide station", "Westport, MA",
		"LA", "St. John", "42, -71",
		"Portland Maine", "Xyzzy, Boston", "Boston Xyzzy", "Boston, Xyzzy", "🌊", "Golden Gate, FL",
	} {
		f.Add(text)
	}
	d := directory(f)
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, " ")
		m := Find(d, text, nil, "")
		if _, _, position := places.Position(text); position || m.Refusal != "" || len(m.Abroad) > 0 {
			return
		}
		known := slices.Clone(understood)
		for alias := range places.Aliases() {
			known = append(known, strings.Fields(alias)...)
		}
		for _, s := range m.Stations[:min(1, len(m.Stations))] {
			if s.Match != stations.ByWords {
				return // an id, or another name of NOAA's
			}
			known = append(known, words.Split(s.Name+" "+s.State+" "+words.StateName(s.State)+" "+
				s.ID)...)
		}
		if len(m.Stations) > 0 && len(m.Places) > 0 || len(m.Stations)+len(m.Places) == 0 {
			return // either has all words
		}
		for _, p := range m.Places {
			known = append(known, words.Split(p.Name+" "+p.State+" "+words.StateName(p.State))...)
			if zip := places.Open().Named(words.Split(text), ""); len(zip) == 1 && zip[0] == p {
				return // a ZIP code
			}
		}
		head, tail := cut(text)
		area := words.Split(tail)
		if len(places.AreasOf(area))+len(places.Open().Named(area, "")) > 0 {
			text = head // what is behind the comma is an area, as a whole
		}
		for _, w := range words.Split(text) {
			w = words.Written(w)
			fits := func(k string) bool { return strings.HasPrefix(words.Written(k), w) }
			if !words.Articles[w] && !words.Fillers[w] && !slices.ContainsFunc(known, fits) {
				t.Errorf("%q: the word %q is not in %v, %v", text, w, m.Places, m.Stations[:min(1,
					len(m.Stations))])
			}
		}
	})
}

func BenchmarkFind(b *testing.B) {
	d := directory(b)
	for _, text := range []string{"Cannon Beach", "Halifax, Nova Scotia", "Provincetwon"} {
		b.Run(text, func(b *testing.B) {
			for b.Loop() {
				Find(d, text, nil, "")
			}
		})
	}
}
