package coast

import (
	"strings"
	"unicode"
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

// CleanLines is Clean for texts of several lines: line feeds stay, carriage
// returns are removed.
func CleanLines(text string) string {
	lines := strings.Split(strings.ReplaceAll(text, "\r", ""), "\n")
	for i, line := range lines {
		lines[i] = Clean(line)
	}
	return strings.Join(lines, "\n")
}
