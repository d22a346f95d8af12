package decide

import "strings"

// synonyms has the words of people for each activity, in lower case, apart from its name. The
// activity decides by the table of thresholds, so that a word belongs where its limits are: a
// swimmer meets those of a small board, and who digs clams those of a walk on the beach. No word
// but walk may be how names of places end, as beach is, because commands have both side by side.
// Ours.
var synonyms = map[Activity][]string{
	Fishing: {"fish", "angling", "angler", "surf fishing", "surfcasting", "crabbing"},
	Boating: {
		"boat", "boats", "boat trip", "motorboat", "motorboating", "motor boat", "powerboat",
		"powerboating", "sail", "sailing", "sailboat", "yacht", "yachting", "cruise", "cruising",
	},
	SurfPaddle: {
		"kayak", "kayaking", "canoe", "canoeing", "paddle", "paddling", "paddleboard", "paddleboarding",
		"paddle or surf", "row", "rowing", "sup", "surf", "surfing", "bodyboard", "bodyboarding",
		"windsurf", "windsurfing", "kitesurf", "kitesurfing", "swim", "swimming", "snorkel", "snorkeling",
	},
	Beachcombing: {
		"walk", "walking", "beach walk", "beach walking", "hike", "hiking", "clam", "clams", "clamming",
		"tide pool", "tide pools", "tidepool", "tidepools", "tidepooling", "tide pooling", "shells",
		"shelling", "mudflats",
	},
	Photography:   {"photo", "photos", "photograph", "photographs", "photographing", "pictures"},
	CoastalLiving: {"home", "living", "living by the water"},
}

// ActivityOf returns the activity with a name or a synonym, in any case and with spaces, hyphens or
// underscores between its words. ok is false if no activity has it.
func ActivityOf(text string) (a Activity, ok bool) {
	spaced := strings.NewReplacer("-", " ", "_", " ")
	text = strings.Join(strings.Fields(spaced.Replace(strings.ToLower(text))), " ")
	for _, a := range Activities() {
		for _, word := range append([]string{string(a)}, synonyms[a]...) {
			if text == spaced.Replace(word) {
				return a, true
			}
		}
	}
	return "", false
}
