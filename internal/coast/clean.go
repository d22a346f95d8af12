package coast

import (
	"bytes"
	"strings"
	"unicode"
)

// People and models read text from providers. Invisible characters in it could hide
// instructions, reverse lines or control a terminal. Clean removes them from provider
// responses.

// hidden reports whether a character is removed: controls (ESC and BEL among them), the
// format characters of Unicode 15 (bidirectional controls, zero width, tags, soft hyphen),
// and variation selectors, which carry data that no font draws. Letters, marks that combine
// with them, and symbols are kept.
func hidden(r rune) bool {
	return r < ' ' || r == combiningJoiner ||
		r >= 0x7f && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Variation_Selector)
}

// combiningJoiner is an invisible combining mark.
const combiningJoiner = 0x034f

// breaks reports whether a character ends a line or is a tab.
func breaks(r rune) bool {
	return '\t' <= r && r <= '\r' || r == 0x85 || r == 0x2028 || r == 0x2029
}

// Clean returns text without hidden characters, on one line: line breaks and tabs become
// spaces. It does not allocate if the text is already clean.
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

// CleanPage returns a document without hidden characters, and with its lines. It does not allocate
// if the document is already clean.
func CleanPage(document []byte) []byte {
	dirty := func(r rune) bool { return r != '\n' && r != '\t' && hidden(r) }
	if bytes.IndexFunc(document, dirty) < 0 {
		return document
	}
	return bytes.Map(func(r rune) rune {
		if dirty(r) {
			return -1
		}
		return r
	}, document)
}

// CleanLines cleans a text of several lines: it keeps line feeds and removes carriage
// returns.
func CleanLines(text string) string {
	lines := strings.Split(strings.ReplaceAll(text, "\r", ""), "\n")
	for i, line := range lines {
		lines[i] = Clean(line)
	}
	return strings.Join(lines, "\n")
}
