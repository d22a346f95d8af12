package coast

import "strings"

// forms are what secrets look like: how they begin, how many characters after
// that may be shown, and which they have beside letters and digits.
var forms = []struct {
	stem  string
	shown int
	also  string
}{
	{"ldl_live_", 7, ""}, // API keys, with a public id
	{"ldr_", 0, "-_"},    // refresh tokens
	{"ldc_", 0, "-_"},    // authorization codes
	{"lds_", 0, "-_"},    // secrets of OAuth clients
	{"ldt_", 0, "-_"},    // one-time tickets
	{"eyJ", 0, "-_"},     // access tokens: JSON in base64url
}

// likeASecret is from how many characters after its stem on something is a
// secret, or enough of one to help guessing.
const likeASecret = 16

// Redact returns text with whatever looks like a secret of ours cut: an API
// key after its public id, ldl_live_AbCdEfG…, all others after the stem that
// tells what they are. What hangs on to a secret is cut with it. A public id,
// and a few characters more, is left as it stands.
func Redact(text string) string {
	var b strings.Builder
	rest := 0 // where what is not written yet begins
	for i := 0; i < len(text); i++ {
		if !strings.HasPrefix(text[i:], "ld") && !strings.HasPrefix(text[i:], "eyJ") {
			continue // no stem begins otherwise
		}
		if shown := secret(text[i:]); shown > 0 {
			b.WriteString(text[rest:i+shown] + "…")
			rest = i + extent(text[i:])
			i = rest - 1
		}
	}
	if rest == 0 {
		return text
	}
	return b.String() + text[rest:]
}

// secret is how much may be shown of the secret that text begins with, 0 where
// it begins with none.
func secret(text string) (shown int) {
	for _, f := range forms {
		if rest, is := strings.CutPrefix(text, f.stem); is {
			for i := range likeASecret {
				if i == len(rest) || !base62(rest[i]) && strings.IndexByte(f.also, rest[i]) < 0 {
					return 0
				}
			}
			return len(f.stem) + f.shown
		}
	}
	return 0
}

// extent is how long the secret is that text begins with, and what hangs on to
// it: the other parts of a token, or a second secret. A full stop ends it.
func extent(text string) (n int) {
	for i := range len(text) {
		switch c := text[i]; {
		case base62(c), c == '-', c == '_':
			n = i + 1
		case c != '.':
			return n
		}
	}
	return n
}

func base62(c byte) bool {
	return '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}
