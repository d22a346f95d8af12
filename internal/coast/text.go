package coast

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// CheckLine returns an issue if a text is not one line of at most most characters, or if it
// contains an API key. name is the member of the request body that has the text.
func CheckLine(name, text string, most int) []Issue {
	return checkText(name, text, most, "", "%s must be one line of at most %d characters.")
}

// CheckLines is CheckLine for a text that may have several lines.
func CheckLines(name, text string, most int) []Issue {
	return checkText(name, text, most, "\n", "%s must have at most %d characters and no control "+
		"characters but line feeds.")
}

// checkText returns an issue if a text is too long, has control characters that are not allowed,
// or contains an API key. rule is the message for the first two, with the name and the length.
func checkText(name, text string, most int, allowed, rule string) []Issue {
	bad := func(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune(allowed, r) }
	switch {
	case utf8.RuneCountInString(text) > most, !utf8.ValidString(text), strings.ContainsFunc(text, bad):
		return []Issue{{
			Path: "/" + name, Code: "maxLength", Message: fmt.Sprintf(rule, name, most),
		}}
	case Redact(text) != text:
		return []Issue{{
			Path: "/" + name, Code: "secret", Message: name + " must not contain an API key.",
		}}
	}
	return nil
}
