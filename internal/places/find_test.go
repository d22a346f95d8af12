package places

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"leadline/internal/trials"
)

// TestFind checks the rules with well-known places.
func TestFind(t *testing.T) {
	g := Open()
	for _, c := range []struct {
		query, want string
		fuzzy       bool
	}{
		{"Half Moon Bay", "Half Moon Bay, CA", false},
		{"half moon bay ca", "Half Moon Bay, CA", false},
		{"portland", "Portland, OR", false},
		{"portland maine", "Portland, ME", false},
		{"Laguna Beach", "Laguna Beach, CA", false},
		{"Laguna Beach, Florida", "Laguna Beach, FL", false},
		{"St Michaels MD", "Saint Michaels, MD", false},
		{"the cannon beach", "Cannon Beach, OR", false},
		{"Ocean Beach, San Francisco", "Ocean Beach, CA", false},
		{"Avalon, Catalina Island", "Avalon, CA", false},
		{"Sausalito marina", "Sausalito, CA", false},
		{"Newburyport harbour", "Newburyport, MA", false},
		{"Provincetwon", "Provincetown, MA", true},
		{"Wodos Hole", "Woods Hole, MA", true},
		{"94019", "94019", false},
		{"94019, CA", "94019", false},
		{"Denver", "", false},
		{"00000", "", false},
		{"", "", false},
		{"CA", "", false},
		{strings.Repeat("x ", 10_000), "", false},
	} {
		got := Match{}
		if found := g.Find(c.query, 3); len(found) > 0 {
			got = found[0]
		}
		if got.String() != c.want || got.Fuzzy != c.fuzzy {
			t.Errorf("Find(%.40q) = %q, fuzzy %v, want %q, %v", c.query, got, got.Fuzzy, c.want, c.fuzzy)
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

// TestFindMany checks the order and the number of places of one name.
func TestFindMany(t *testing.T) {
	all := Open().Find("Newport", 20)
	if len(all) < 3 || all[0].State != "RI" && all[0].State != "OR" {
		t.Fatalf("Find(Newport) = %v, want several, Rhode Island's or Oregon's first", all)
	}
	for i := range all[1:] {
		if all[i].Rank < all[i+1].Rank {
			t.Errorf("%v has rank %.2f and comes before %v with %.2f",
				all[i], all[i].Rank, all[i+1], all[i+1].Rank)
		}
	}
	if got := len(Open().Find("Newport", 2)); got != 2 {
		t.Errorf("Find with n 2 returned %d places", got)
	}
}

// TestQueries checks that at least 95 % of 214 written queries (towns, waters, ZIP codes) are
// found within 20 km, and that no mistake leads far away.
func TestQueries(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(trials.Shared(t), "published", "places_queries.txt"))
	if err != nil {
		t.Fatal(err)
	}
	right, all := 0, 0
	for line := range strings.Lines(string(text)) {
		columns := strings.Split(strings.TrimSpace(line), "|")
		if len(columns) != 3 {
			continue
		}
		var at Place
		if _, err := fmt.Sscan(columns[1], &at.Latitude); err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Sscan(columns[2], &at.Longitude); err != nil {
			t.Fatal(err)
		}
		all++
		found := Open().Find(columns[0], 1)
		switch {
		case len(found) == 0:
			t.Logf("%s: nothing", columns[0])
		case kilometers(found[0].Place, at) <= 20:
			right++
		case found[0].Fuzzy && kilometers(found[0].Place, at) > 150:
			t.Errorf("%s: fuzzy match %v", columns[0], found[0])
		default:
			t.Logf("%s: %v, %.0f km away", columns[0], found[0], kilometers(found[0].Place, at))
		}
	}
	if all < 214 || float64(right) < 0.95*float64(all) {
		t.Errorf("%d of %d right, want 95 %% of at least 214", right, all)
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

func FuzzFind(f *testing.F) {
	for _, query := range []string{"Boston, MA", "94019", "a,b,c", ", ,", "\xff", "wa wa wa"} {
		f.Add(query)
	}
	f.Fuzz(func(t *testing.T, query string) {
		if found := Open().Find(query, 2); len(found) > 2 {
			t.Errorf("Find(%q, 2) returned %d places", query, len(found))
		}
	})
}

func BenchmarkFind(b *testing.B) {
	g := Open()
	for _, query := range []string{"Cannon Beach", "Provincetwon"} {
		b.Run(query, func(b *testing.B) {
			for b.Loop() {
				g.Find(query, 5)
			}
		})
	}
}
