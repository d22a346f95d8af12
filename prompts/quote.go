package prompts

import (
	"strings"
	"unicode"
)

// maxRunes limits the length of an argument. The limit is ours: it is several times as long
// as the longest names of places and species.
const maxRunes = 200

// quote returns untrusted text in a form that is safe inside a prompt: one line of
// at most maxRunes, in double quotation marks that it cannot close. Text without
// visible characters becomes empty, without quotation marks.
func quote(s string) string {
	words := strings.Fields(strings.Map(plain, s))
	if len(words) == 0 {
		return ""
	}
	runes := []rune(strings.Join(words, " "))
	if len(runes) > maxRunes {
		runes = append(runes[:maxRunes], '…')
	}
	return `"` + string(runes) + `"`
}

// plain replaces characters that could end the line or the quotation. It removes invisible
// ones: control characters, joiners, directional marks and invalid bytes.
func plain(r rune) rune {
	switch {
	case unicode.IsSpace(r):
		return ' '
	case unicode.Is(unicode.Quotation_Mark, r), r == '`':
		return '\''
	case !unicode.IsPrint(r), r == unicode.ReplacementChar:
		return -1
	}
	return r
}
