package credential

import (
	"regexp"
	"strings"
	"testing"

	"leadline/internal/trials"
)

func TestMint(t *testing.T) {
	form := regexp.MustCompile(`^ldl_live_[0-9A-Za-z]{46}$`)
	seen := map[string]bool{}
	for range trials.Cases() {
		key := mint()
		if !form.MatchString(key) || !wellFormed(key) || seen[key] {
			t.Fatalf("%q is not a key or was created twice", key)
		}
		seen[key] = true
		if id := publicID(key); len(id) != idLength || !strings.HasPrefix(key, Prefix+id) ||
			Shown(id) != Prefix+id+"…" {
			t.Errorf("the id of %q is %q", key, id)
		}
	}
}

// TestMisspelled checks that a key with any single wrong character, or with any two neighboring
// characters swapped, is refused without a request to the store.
func TestMisspelled(t *testing.T) {
	key := mint()
	for i := range len(key) {
		for _, c := range base62 + "_ -" {
			wrong := key[:i] + string(c) + key[i+1:]
			if wrong != key && wellFormed(wrong) {
				t.Errorf("%q is accepted for %q", wrong, key)
			}
		}
		if i > 0 && key[i] != key[i-1] {
			if wrong := key[:i-1] + key[i:i+1] + key[i-1:i] + key[i+1:]; wellFormed(wrong) {
				t.Errorf("%q is accepted for %q", wrong, key)
			}
		}
	}
	for _, wrong := range []string{
		"", Prefix, key[:len(key)-1], key + "0", " " + key, strings.ToUpper(key),
		"ldl_test_" + key[len(Prefix):],
	} {
		if wellFormed(wrong) {
			t.Errorf("%q is accepted as a key", wrong)
		}
	}
}

// TestRandom checks that all characters occur, and that none is much more frequent than
// another.
func TestRandom(t *testing.T) {
	counts := map[rune]int{}
	for _, c := range Random(62_000) {
		counts[c]++
	}
	for _, c := range base62 {
		if n := counts[c]; n < 800 || n > 1200 { // 1000 expected, more than six deviations away
			t.Errorf("%q occurs %d times in 62000", c, n)
		}
	}
}

func TestPepper(t *testing.T) {
	p := NewPepper()
	got, err := ReadPepper(p.Text())
	if err != nil || got != p {
		t.Errorf("ReadPepper(%q) = %v, %v", p.Text(), got, err)
	}
	if p.hash("a") == NewPepper().hash("a") || p.hash("a") == p.hash("b") {
		t.Error("two peppers or two keys have the same hash")
	}
	for _, text := range []string{
		"", "1 ", "1 00", p.Text() + "00", p.Text() + p.Text(), "1 " + strings.Repeat("0", 66),
		"2 " + p.Text()[2:], p.Text()[2:], "1 " + strings.Repeat("g", 64),
	} {
		if _, err := ReadPepper(text); err == nil {
			t.Errorf("%q is accepted as a pepper", text)
		}
	}
}

func FuzzWellFormed(f *testing.F) {
	f.Add(mint())
	f.Fuzz(func(t *testing.T, text string) {
		if wellFormed(text) && len(text) != keyLength {
			t.Errorf("%q is accepted as a key", text)
		}
	})
}
