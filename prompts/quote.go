package prompts

import (
	"strings"
	"unicode"
)

// maxRunes is the longest argument that is passed on. It is ours: the longest
// names of places and species fit several times over.
const maxRunes = 200

// quote makes text of a stranger fit to stand inside a prompt: one line, no
// longer than maxRunes, in double quotation marks that it cannot close. Text
// with nothing to show is empty, without quotation marks.
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

// plain replaces what could end the line or the quotation, and drops what
// cannot be seen: controls, joiners, marks of direction, broken bytes.
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
