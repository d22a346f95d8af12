package edge

import (
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"

	"leadline/internal/coast"
)

// hidden replaces a credential.
const hidden = "…"

// Scrub removes credentials from a log. As the ReplaceAttr of a handler it gets
// messages, attributes and the members of groups. It redacts our own secrets,
// the values of attributes, groups and headers named Authorization, X-Api-Key
// or Cookie, and the tokens of Bearer and Basic in any text. A value that is
// neither text nor number nor time is formatted with %+v, because other forms
// of it could not be searched.
func Scrub(groups []string, a slog.Attr) slog.Attr {
	switch {
	case secret(a.Key) || slices.ContainsFunc(groups, secret):
		return slog.String(a.Key, hidden)
	case a.Value.Kind() == slog.KindString:
		return slog.String(a.Key, clean(a.Value.String()))
	case a.Value.Kind() == slog.KindAny:
		if level, ok := a.Value.Any().(slog.Level); ok {
			return slog.String(a.Key, level.String()) // same as handlers write it, but cheaper
		}
		return slog.String(a.Key, clean(textOf(a.Value.Any())))
	}
	return a
}

// names lists the headers and attributes that hold credentials.
var names = []string{"authorization", "x-api-key", "proxy-authorization", "cookie", "set-cookie"}

// secret reports whether a header or an attribute of this name holds a credential.
func secret(name string) bool {
	for _, n := range names {
		if len(n) == len(name) && strings.EqualFold(n, strings.ReplaceAll(name, "_", "-")) {
			return true
		}
	}
	return false
}

// textOf formats a value as text. Errors and Stringers format themselves; fmt
// recovers if they panic.
func textOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "<nil>"
	case error, fmt.Stringer:
		return fmt.Sprint(v)
	}
	if b := reflect.ValueOf(v); b.Kind() == reflect.Slice && b.Type().Elem().Kind() == reflect.Uint8 {
		return string(b.Bytes())
	}
	return fmt.Sprintf("%+v", v)
}

// credential matches credentials in text: in headers as Go prints a map of
// them, as a scheme with its token, and as lines of a request.
var credential = coast.Pattern(`(?i)((?:authorization|cookie):)\[[^\]]*\]` +
	`|\b((?:bearer|basic) +)[\w.~+/=-]{16,}` +
	`|(x-api-key["']?[:=] *)(?:\[[^\]]*\]|[^\s,;]+)`)

// clean returns text with its credentials redacted.
func clean(text string) string {
	if leaky(text) {
		text = credential().ReplaceAllString(text, "$1$2$3"+hidden)
	}
	return coast.Redact(text)
}

// stems lists the lower-case prefixes of credentials in text.
var stems = []string{"bearer ", "basic ", "authorization:[", "cookie:[", "x-api-key"}

// leaky reports whether text may contain a credential of a header. Most text
// does not, which saves running the regular expression.
func leaky(text string) bool {
	if !strings.ContainsAny(text, " [xX") { // every stem has one of them
		return false
	}
	for i := range len(text) {
		for _, stem := range stems {
			if text[i]|0x20 == stem[0] && len(text)-i >= len(stem) &&
				strings.EqualFold(text[i:i+len(stem)], stem) {
				return true
			}
		}
	}
	return false
}
