package coast

import "strings"

// keyPrefix begins every API key; after it come base62 characters: first the
// key's public id, then its secret.
const keyPrefix = "ldl_live_"

const (
	publicID = 7  // characters of a key that may be shown
	likeAKey = 16 // from this many on it is a key, or enough of one to help guessing
)

// Redact returns text with whatever looks like an API key cut after its public
// id: ldl_live_AbCdEfG…. A public id, and a few characters more, is left as it
// stands, and so is text without a key, which costs one search.
func Redact(text string) string {
	if !strings.Contains(text, keyPrefix) {
		return text
	}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, keyPrefix)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		b.WriteString(keyPrefix)
		text = after
		if n := base62(after); n >= likeAKey {
			if next := strings.Index(after[:min(n+len(keyPrefix), len(after))], keyPrefix); next >= 0 {
				n = next // another key, side by side with this one
			}
			b.WriteString(after[:publicID] + "…")
			text = after[n:]
		}
	}
}

// base62 is how many base62 characters text begins with.
func base62(text string) int {
	for i := range len(text) {
		switch c := text[i]; {
		case '0' <= c && c <= '9', 'A' <= c && c <= 'Z', 'a' <= c && c <= 'z':
		default:
			return i
		}
	}
	return len(text)
}
