package places

import (
	"math"
	"strings"
	"testing"

	"leadline/internal/words"
)

// TestNamed checks names as they are written, and similar ones.
func TestNamed(t *testing.T) {
	g := Open()
	for _, c := range []struct{ name, state, want, similar string }{
		{"Half Moon Bay", "", "Half Moon Bay, CA", ""}, {"portland", "", "Portland, OR", ""},
		{"portland", "ME", "Portland, ME", ""}, {"Laguna Beach", "FL", "Laguna Beach, FL", ""},
		{"St Michaels", "MD", "Saint Michaels, MD", ""}, {"the cannon beach", "", "Cannon Beach, OR", ""},
		{"Sausalito marina", "", "Sausalito, CA", ""}, {"Newburyport harbour", "", "Newburyport, MA", ""},
		{"New York", "", "New York City, NY", ""},
		{"94019", "", "Half Moon Bay, CA", ""},
		{"94019", "CA", "Half Moon Bay, CA", ""},
		{"77550", "", "77550", ""}, {"77617", "", "Gilchrist, TX", ""},
		{"Moclips", "", "Moclips, WA", ""},
		{"Provincetwon", "", "", "Provincetown, MA"}, {"Wodos Hole", "", "", "Woods Hole, MA"},
		{"Provincetwon", "CA", "", ""}, {"Denver", "", "", ""}, {"00000", "", "", ""}, {"", "", "", ""},
	} {
		first := func(found []Match) string {
			if len(found) == 0 {
				return ""
			}
			return found[0].String()
		}
		name := words.Split(c.name)
		if got := first(g.Named(name, c.state)); got != c.want {
			t.Errorf("Named(%q, %q) = %q, want %q", c.name, c.state, got, c.want)
		}
		if got := first(g.Similar(name, c.state)); c.want == "" && got != c.similar {
			t.Errorf("Similar(%q, %q) = %q, want %q", c.name, c.state, got, c.similar)
		}
	}
}

// TestAliases checks that each alias names one place, with a reason, and is no other's name.
func TestAliases(t *testing.T) {
	g := Open()
	for line := range strings.Lines(aliasRows) {
		columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") {
			continue
		}
		if len(columns) != 3 || columns[2] == "" {
			t.Errorf("row %q", line)
			continue
		}
		name := words.Split(columns[0])
		found := g.Named(name, "")
		if len(found) != 1 || found[0].Fuzzy || found[0].String() != columns[1] {
			t.Errorf("Named(%q) = %v, want %s", columns[0], found, columns[1])
		}
		if own := g.exact(words.Key(name), ""); own != nil || Beyond(name) != nil {
			t.Errorf("%q is also the name of %v, %v", columns[0], own, Beyond(name))
		}
	}
	if got := g.Named([]string{"philly"}, "CA"); got != nil {
		t.Errorf("Philly, CA, is %v", got)
	}
	for text, want := range map[string]string{
		"St. Augustine": "Saint Augustine, FL", "Saint Petersburg": "St. Petersburg, FL",
		"Ft. Lauderdale": "Fort Lauderdale, FL", "Mt. Pleasant": "Mount Pleasant, SC",
		"St Pete Beach": "Saint Pete Beach, FL", "New York City": "New York City, NY",
		"Mavericks": "Mavericks, CA", "Pipeline": "Pipeline, HI", "Lanikai Beach": "Kailua, HI",
	} {
		if got := g.Named(words.Split(text), ""); len(got) == 0 || got[0].String() != want {
			t.Errorf("Named(%q) = %v, want %s", text, got, want)
		}
	}
}

// TestBeginning checks the places that unfinished names may become.
func TestBeginning(t *testing.T) {
	for text, want := range map[string]string{
		"chica": "Chicago, IL; Chicago Lawn, IL", "half moon b": "Half Moon Bay, CA",
		"long beach": "Long Beach, CA; Long Beach, NY", "sf": "San Francisco, CA",
		"94019": "Half Moon Bay, CA", "77550": "77550",
		"portland me": "Portland, ME", "st. augus": "Saint Augustine, FL; Saint Augustine Beach, FL",
		"": "", "xyzzy": "",
	} {
		var got []string
		for _, p := range Open().Beginning(words.Split(text), 2) {
			got = append(got, p.String())
		}
		if got := strings.Join(got, "; "); got != want {
			t.Errorf("Beginning(%q) = %s, want %s", text, got, want)
		}
	}
}

// TestNearest checks the towns and waters around the harbor of Woods Hole and their order.
func TestNearest(t *testing.T) {
	var got []string
	for _, p := range Open().Nearest(41.5236, -70.6722, 3) {
		got = append(got, p.String())
	}
	if got := strings.Join(got, "; "); got != "Woods Hole, MA; Falmouth, MA; Teaticket, MA" {
		t.Errorf("Nearest(Woods Hole) = %s", got)
	}
	if got := len(Open().Nearest(41.5236, -70.6722, 0)); got != 0 {
		t.Errorf("Nearest with n 0 returned %d places", got)
	}
}

// TestOrder checks the order and the number of places of one name.
func TestOrder(t *testing.T) {
	all := Open().Named([]string{"newport"}, "")
	if len(all) < 3 || all[0].State != "RI" && all[0].State != "OR" {
		t.Fatalf("Named(Newport) = %v, want several, Rhode Island's or Oregon's first", all)
	}
	for i := range all[1:] {
		if all[i].Rank < all[i+1].Rank {
			t.Errorf("%v has rank %.2f and comes before %v with %.2f",
				all[i], all[i].Rank, all[i+1], all[i+1].Rank)
		}
	}
}

// TestRows checks every embedded row.
func TestRows(t *testing.T) {
	for _, p := range Open().places {
		inside := math.Abs(p.Latitude) <= 90 && math.Abs(p.Longitude) <= 180
		if p.Name == "" || !inside || (p.State == "") != (p.Kind == ZIP) {
			t.Errorf("row %+v", p)
		}
		if p.Kind != ZIP && p.Kind != Town && p.Kind != Water {
			t.Errorf("%v is of kind %q", p, p.Kind)
		}
	}
}

func TestRead(t *testing.T) {
	for _, text := range []string{"place\tA", "place\tA\tCA\tx\t1\t1", "place\tA\tCA\t1\t1\t"} {
		if _, err := read(text); err == nil {
			t.Errorf("read(%q) accepted a broken row", text)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	for b.Loop() {
		if _, err := read(embedded); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNamed(b *testing.B) {
	g := Open()
	for b.Loop() {
		g.Named([]string{"cannon", "beach"}, "")
	}
}

func BenchmarkSimilar(b *testing.B) {
	g := Open()
	for b.Loop() {
		g.Similar([]string{"provincetwon"}, "")
	}
}

func BenchmarkBeyond(b *testing.B) {
	for b.Loop() {
		Beyond([]string{"halifax"})
	}
}
