package coast

import "strings"

// forms lists the formats of secrets: how they begin, how many characters after that may be
// shown, and which characters they can contain in addition to letters and digits. Addresses write
// some of these with a percent sign.
var forms = []struct {
	stem  string
	shown int
	also  string
}{
	{"ldl_live_", 7, ""},  // API keys, with a public id
	{"ldr_", 0, "-_"},     // refresh tokens
	{"ldc_", 0, "-_"},     // authorization codes
	{"lds_", 0, "-_"},     // OAuth client secrets
	{"ldt_", 0, "-_"},     // single-use links
	{"whsec_", 0, "+/=%"}, // secrets of webhooks
	{"eyJ", 0, "-_"},      // access tokens: JSON in base64url
}

// likeASecret is the number of characters after the stem from which a text counts as a
// secret, or as enough of one to make guessing easier.
const likeASecret = 16

// Redact returns text with our own secrets shortened: API keys after their public id
// (ldl_live_AbCdEfG…), and all others after the stem that names their kind. Any text that
// directly follows a secret is removed with it. A public id followed by only a few more
// characters is not changed.
func Redact(text string) string {
	var b strings.Builder
	rest := 0 // start of the text that is not written yet
	for i := 0; i < len(text); i++ {
		if c := text[i]; c != 'l' && c != 'e' && c != 'w' || !begins(text[i:]) {
			continue
		}
		if shown, also := secret(text[i:]); shown > 0 {
			b.WriteString(text[rest:i+shown] + "…")
			rest = i + extent(text[i:], also)
			i = rest - 1
		}
	}
	if rest == 0 {
		return text
	}
	return b.String() + text[rest:]
}

// begins reports whether text begins as a secret does: with l, e or w, and one of these.
func begins(text string) bool {
	return strings.HasPrefix(text, "ld") || strings.HasPrefix(text, "eyJ") ||
		strings.HasPrefix(text, "whsec_")
}

// secret returns how many bytes may be shown of the secret at the start of text, or 0 if
// there is no secret, and the characters that it can contain in addition to letters and
// digits.
func secret(text string) (shown int, also string) {
	for _, f := range forms {
		if rest, is := strings.CutPrefix(text, f.stem); is {
			for i := range likeASecret {
				if i == len(rest) || !base62(rest[i]) && strings.IndexByte(f.also, rest[i]) < 0 {
					return 0, ""
				}
			}
			return len(f.stem) + f.shown, f.also
		}
	}
	return 0, ""
}

// extent returns the length of the secret at the start of text, including any text that
// directly follows: the other parts of a token, or a second secret. A period at the end does
// not count.
func extent(text, also string) (n int) {
	for i := range len(text) {
		switch c := text[i]; {
		case base62(c), c == '-', c == '_', strings.IndexByte(also, c) >= 0:
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
