package words

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"leadline/internal/trials"
)

// TestAccents checks that each accented letter has a plain letter.
func TestAccents(t *testing.T) {
	if got, want := utf8.RuneCountInString(accented), len(plain); got != want {
		t.Errorf("%d accented letters, %d plain ones", got, want)
	}
}

// TestDistance compares Distance with its definition, on words of three letters.
func TestDistance(t *testing.T) {
	for _, row := range []struct {
		a, b  string
		limit int
		want  int
	}{
		{"boston", "boston", 2, 0},
		{"boston", "bostno", 1, 1},
		{"boston", "bosston", 1, 1},
		{"boston", "oston", 1, 1},
		{"boston", "bolton", 1, 1},
		{"boston", "batson", 1, 2},
		{"", "a", 1, 1},
		{"abcd", "badc", 2, 2},
		{"ca", "abc", 3, 3},
		{strings.Repeat("a", 33), strings.Repeat("a", 33), 2, 3},
	} {
		if got := Distance(row.a, row.b, row.limit); got != row.want {
			t.Errorf("Distance(%q, %q, %d) = %d, want %d", row.a, row.b, row.limit, got, row.want)
		}
	}
	random := rand.New(rand.NewPCG(5, 6))
	word := func() string {
		w := make([]byte, random.IntN(9))
		for i := range w {
			w[i] = "abc"[random.IntN(3)]
		}
		return string(w)
	}
	for range trials.Cases() {
		a, b, limit := word(), word(), 1+random.IntN(3)
		if got, want := Distance(a, b, limit), min(alignment(a, b), limit+1); got != want {
			t.Fatalf("Distance(%q, %q, %d) = %d, want %d", a, b, limit, got, want)
		}
	}
}

// alignment returns the distance by its definition.
func alignment(a, b string) int {
	if a == "" || b == "" {
		return len(a) + len(b)
	}
	i, j := len(a)-1, len(b)-1
	d := min(alignment(a[:i], b), alignment(a, b[:j])) + 1
	if a[i] == b[j] {
		d = min(d, alignment(a[:i], b[:j]))
	} else {
		d = min(d, alignment(a[:i], b[:j])+1)
	}
	if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
		d = min(d, alignment(a[:i-1], b[:j-1])+1)
	}
	return d
}

func TestSplit(t *testing.T) {
	for text, want := range map[string][]string{
		"Rich's Pt.":       {"richs", "pt"},
		"N.Y.":             {"ny"},
		"0.2 N.mi. NNE of": {"0.2", "nmi", "nne", "of"},
		"St.croix":         {"st", "croix"},
		"José, Añasco":     {"jose", "anasco"},
		"Cafe\u0301":       {"cafe"},
		"Hawaiʻi Kāneʻohe": {"hawaii", "kaneohe"},
		"No.5":             {"no", "5"},
		" ,":               nil,
		"I-10":             {"i", "10"},
	} {
		if got := Split(text); !slices.Equal(got, want) {
			t.Errorf("Split(%q) = %q, want %q", text, got, want)
		}
	}
}
