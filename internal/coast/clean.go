package coast

import (
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Provider text is for people to read, and models read it too. What neither
// can see does not belong in it: it hides instructions, turns lines around or
// commands a terminal. Clean takes it out of the responses of providers.

// hidden reports whether a character is removed: controls (ESC and BEL among
// them), the format characters of Unicode 15 (bidirectional controls, zero
// width, tags, soft hyphen), and variation selectors, which carry data that no
// font draws. Letters, marks that combine with them and symbols stay.
func hidden(r rune) bool {
	return r < ' ' || r >= 0x7f && (unicode.In(r, unicode.Cc, unicode.Cf, unicode.Variation_Selector) || r == combiningJoiner)
}

// combiningJoiner has no shape, though it is a mark.
const combiningJoiner = 0x034f

// breaks reports whether a character ends a line or moves on within it.
func breaks(r rune) bool {
	return '\t' <= r && r <= '\r' || r == 0x85 || r == 0x2028 || r == 0x2029
}

// Clean returns text without hidden characters, in one line: a line break or
// tab is a space. Clean text is returned as it is, without an allocation.
func Clean(text string) string {
	for i, r := range text {
		if breaks(r) || hidden(r) {
			return text[:i] + strings.Map(cleaned, text[i:])
		}
	}
	return text
}

func cleaned(r rune) rune {
	switch {
	case breaks(r):
		return ' '
	case hidden(r):
		return -1
	}
	return r
}

// CleanJSON returns a JSON text whose strings, keys included, have no hidden
// characters, written as they are or as escapes, and no line breaks: these
// and tabs are spaces. Clean text is returned as it is, without an allocation.
// Text that is not JSON does not become JSON.
func CleanJSON(text []byte) []byte { return cleanJSON(text, false) }

// CleanJSONLines is CleanJSON for responses that hold texts of several lines:
// line feeds stay, carriage returns are removed.
func CleanJSONLines(text []byte) []byte { return cleanJSON(text, true) }

func cleanJSON(text []byte, lines bool) []byte {
	var out []byte
	from := 0 // of what is not yet in out
	inside := false
	for i := 0; i < len(text); {
		c := text[i]
		if c == '"' {
			inside = !inside
		}
		if !inside || c >= ' ' && c < 0x7f && c != '\\' {
			i++
			continue
		}
		r, size := character(text[i:])
		if r == bad || c < ' ' {
			return text // which no decoder takes
		}
		by, change := replacement(r, lines)
		if change {
			out = append(append(out, text[from:i]...), by...)
			from = i + size
		}
		i += size
	}
	if from == 0 {
		return text
	}
	return append(out, text[from:]...)
}

// replacement returns what a character of a JSON string becomes.
func replacement(r rune, lines bool) (by string, change bool) {
	switch {
	case r == broken: // or else its parts could meet when what is between them goes
		return "\uFFFD", true
	case lines && r == '\n':
		return "", false
	case lines && r == '\r':
		return "", true
	case breaks(r):
		return " ", true
	}
	return "", hidden(r)
}

const (
	bad    = -1 // an escape that JSON does not have
	broken = -2 // a byte that is not UTF-8, or half of a pair of surrogates
)

// character reads the first character of a JSON string's rest, and the length
// in which it is written; r may be bad or broken.
func character(text []byte) (r rune, size int) {
	if text[0] != '\\' {
		r, size = utf8.DecodeRune(text)
		if r == utf8.RuneError && size == 1 {
			r = broken
		}
		return r, size
	}
	if len(text) < 2 {
		return bad, 1
	}
	if i := strings.IndexByte(`"\/bfnrt`, text[1]); i >= 0 {
		return rune("\"\\/\b\f\n\r\t"[i]), 2
	}
	high, ok := hex(text[2:])
	if text[1] != 'u' || !ok {
		return bad, 2
	}
	if !utf16.IsSurrogate(high) {
		return high, 6
	}
	if len(text) >= 12 && text[6] == '\\' && text[7] == 'u' {
		if low, ok := hex(text[8:]); ok && utf16.DecodeRune(high, low) != utf8.RuneError {
			return utf16.DecodeRune(high, low), 12
		}
	}
	return broken, 6
}

// hex reads four hexadecimal digits.
func hex(text []byte) (r rune, ok bool) {
	if len(text) < 4 {
		return 0, false
	}
	for _, c := range text[:4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
