package stations

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"leadline/internal/trials"
	"leadline/internal/words"
)

func TestSearchFirst(t *testing.T) {
	d := openTest(t)
	for query, want := range map[string]string{
		// common queries
		"Boston": "8443970", "The Battery": "8518750", "battery": "8518750", "Golden Gate": "9414290",
		"San Francisco": "9414290",
		"Seattle":       "9447130", "Key West": "8724580", "Eastport": "8410140", "Charleston": "8665530",
		"Portland": "8418150",
		"New York": "8518750", "Washington": "8594900", "Galveston": "8771450", "Honolulu": "1612340",
		"Anchorage":   "9455920",
		"Elliott Bay": "9447130", "Deception Pass": "PUG1701", "Hell Gate": "NYH1924",
		"The Narrows": "n03020",
		// ids
		"8443970": "8443970", "84439": "8443970", "act0091": "ACT0091", "EPT0003_11": "EPT0003_11",
		"ept0003":         "EPT0003",
		"8518750 battery": "8518750",
		// beginnings and parts
		"bost": "8443970", "nantuck": "8449130", "eattl": "9447130",
		// states
		"boston ma": "8443970", "Boston, MA": "8443970", "Portland Maine": "8418150",
		"portland or":     "9439221",
		"Portland, Texas": "8775131", "charleston oregon": "9432780", "washington d.c.": "8594900",
		"san juan, puerto rico": "9755371",
		// abbreviations, accents, punctuation, informal words
		"Pt. Judith": "8455083", "point judith": "8455083", "bar harbour": "8413320",
		"Montauk Fort Pond Bay":  "8510560",
		"St Croix Christiansted": "9751364", "Puerto de San José": "TWC0369", "KEY-WEST!": "8724580",
		"keywest":         "8724580",
		"the golden gate": "9414290", "boston tide station": "8443970", "Rich's Point": "ACT0161",
		// mistakes
		"bostno": "8443970", "seatle": "9447130", "san fransisco": "9414290", "golden gaet": "9414290",
		"boston massachusets": "8443970",
		"nanasket":            "8444601", "annapolsi": "8575512",
	} {
		got := d.Search(query, nil)
		if len(got) == 0 || got[0].ID != want {
			t.Errorf("Search(%q) begins with %v, want %s", query, ids(got), want)
		}
	}
}

// ids returns the ids of at most the first five.
func ids(list []Station) []string {
	out := []string{}
	for _, s := range list[:min(5, len(list))] {
		out = append(out, s.ID+" "+s.Name)
	}
	return out
}

func TestSearchNothing(t *testing.T) {
	d := openTest(t)
	for _, query := range []string{"qqqqq", "!!!", "8443970 seattle", "boston oregon",
		strings.Repeat("x", 5000), "\xff\xfe"} {
		if got := d.Search(query, nil); len(got) != 0 {
			t.Errorf("Search(%.20q) = %v, want nothing", query, ids(got))
		}
	}
}

func TestSearchAll(t *testing.T) {
	d := openTest(t)
	all := d.Search("  ", nil)
	if !slices.Equal(all, d.All("")) {
		t.Errorf("an empty query finds %d stations, want all in order", len(all))
	}
	all[0] = Station{} // the caller's own
	if d.All("")[0].ID == "" {
		t.Error("a search has given away the directory's list")
	}
	alaska := d.Search("alaska", nil)
	if len(alaska) < 1000 || slices.ContainsFunc(alaska,
		func(s Station) bool { return s.State != "AK" && !strings.Contains(s.Name, "Alaska") }) {
		t.Errorf("alaska finds %d stations", len(alaska))
	}
}

func TestSearchFilter(t *testing.T) {
	d := openTest(t)
	current := func(s Station) bool { return s.Kind == Current }
	if got := d.Search("boston", current); len(got) == 0 || got[0].ID != "BOS1111" ||
		slices.ContainsFunc(got, func(s Station) bool { return s.Kind != Current }) {
		t.Errorf("currents for boston: %v", ids(got))
	}
	if got := d.Search("", current); len(got) != 2561 {
		t.Errorf("an empty query finds %d current stations, want 2561", len(got))
	}
	if got := d.Search("8443970", current); len(got) != 0 {
		t.Errorf("currents for 8443970: %v", ids(got))
	}
}

// TestSearchMisspelled drops, doubles or swaps one letter in the names of many stations,
// and in as many beginnings of names up to the first comma. The station, or another one
// with the same name (beginning), must be among the first five in 95 of 100 cases: names
// with the same spelling are indistinguishable.
func TestSearchMisspelled(t *testing.T) {
	d := openTest(t)
	for what, shorten := range map[string]func(string) string{
		"names":      func(name string) string { return name },
		"beginnings": func(name string) string { short, _, _ := strings.Cut(name, ","); return short },
	} {
		samples := trials.Cases()
		random := rand.New(rand.NewPCG(3, 4))
		found := 0
		for range samples {
			name, query := misspelled(d, random, shorten)
			got := d.Search(query, nil)
			if slices.ContainsFunc(got[:min(5, len(got))],
				func(s Station) bool { return shorten(s.Name) == name }) {
				found++
			} else {
				t.Logf("%q for %q: %v", query, name, ids(got))
			}
		}
		t.Logf("%d of %d %s", found, samples, what)
		if found*100 < samples*95 {
			t.Errorf("%d of %d %s found among the first five, want 95 of 100", found, samples, what)
		}
	}
}

// misspelled returns a name of at least six letters, and the same with a mistake.
func misspelled(d *Directory, random *rand.Rand, shorten func(string) string) (name, query string) {
	letter := func(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
	for {
		name = shorten(d.All("")[random.IntN(len(d.All("")))].Name)
		var at []int
		for i := range len(name) {
			if letter(name[i]) {
				at = append(at, i)
			}
		}
		if len(at) < 6 {
			continue
		}
		i := at[random.IntN(len(at))]
		switch random.IntN(3) {
		case 0:
			return name, name[:i] + name[i+1:]
		case 1:
			return name, name[:i+1] + name[i:]
		}
		if i+1 < len(name) && letter(name[i+1]) && name[i]|0x20 != name[i+1]|0x20 {
			return name, name[:i] + name[i+1:i+2] + name[i:i+1] + name[i+2:]
		}
	}
}

// TestWordsHold checks the assumptions about sizes in the code.
func TestWordsHold(t *testing.T) {
	d := openTest(t)
	x := d.view.Load().searcher()
	total := 0
	for row, name := range x.names {
		total += len(name)
		if len(name) > maxWords || len(name) == 0 {
			t.Errorf("%s has %d words", d.All("")[row].Name, len(name))
		}
	}
	if total > averageWords*len(x.names) {
		t.Errorf("%d words in %d names", total, len(x.names))
	}
	for _, word := range x.vocabulary {
		if len(word) > words.Longest {
			t.Errorf("%q has %d letters", word, len(word))
		}
	}
}
