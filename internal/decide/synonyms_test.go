package decide

import (
	"strings"
	"testing"
)

// TestActivityOf reads names and words of people, however they are written.
func TestActivityOf(t *testing.T) {
	for text, want := range map[string]Activity{
		"boating": Boating, "surf-paddle": SurfPaddle, "surf_paddle": SurfPaddle,
		"Surf Paddle": SurfPaddle, "coastal living": CoastalLiving, "motorboat": Boating,
		"sail": Boating, "kayak": SurfPaddle, "SUP": SurfPaddle, "swim": SurfPaddle,
		" beach  walk ": Beachcombing, "walk": Beachcombing, "clams": Beachcombing,
		"tide pools": Beachcombing, "fish": Fishing, "angling": Fishing, "surf fishing": Fishing,
		"photos": Photography, "home": CoastalLiving,
	} {
		if got, ok := ActivityOf(text); !ok || got != want {
			t.Errorf("ActivityOf(%q) = %q, %v, want %q", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "-", "golf", "walks the dog", "boating fishing"} {
		if got, ok := ActivityOf(text); ok || got != "" {
			t.Errorf("ActivityOf(%q) = %q, %v, want none", text, got, ok)
		}
	}
}

// TestSynonyms checks that each word means one activity, and that its form can be read.
func TestSynonyms(t *testing.T) {
	meaning := map[string]Activity{}
	for a, list := range synonyms {
		for _, word := range append([]string{string(a)}, list...) {
			if other, twice := meaning[word]; twice {
				t.Errorf("%q is of %s and of %s", word, a, other)
			}
			meaning[word] = a
			if got, _ := ActivityOf(strings.ToUpper(word)); got != a {
				t.Errorf("ActivityOf(%q) = %q, want %q", strings.ToUpper(word), got, a)
			}
		}
	}
	for _, a := range Activities() {
		if len(synonyms[a]) == 0 {
			t.Errorf("%s has no synonyms", a)
		}
	}
}
