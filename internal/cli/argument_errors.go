package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"

	"leadline/internal/coast"
	"leadline/internal/operation"
)

// positional lists the operation arguments that are positional on the command
// line.
var positional = map[string]string{"station": "STATION", "place": "PLACE", "query": "TEXT"}

// flagOf returns the form of an operation argument on the command line.
func flagOf(argument string) string {
	if word, ok := positional[argument]; ok {
		return word
	}
	if argument == "range" {
		return "--hours" // the name that help shows
	}
	return "--" + strings.ReplaceAll(argument, "_", "-")
}

// given matches an argument with a value, as in "top": 3, and the separator
// after it.
var given = coast.Pattern(
	`"([a-z_]+)": ("(?:[^"\\]|\\.)*"|[-.0-9]+|true|false)(, (?:"[a-z_]+": ))?`)

// inFlags converts the error of an operation: its arguments become flags and
// its examples command lines.
func inFlags(err error, op operation.Tool) error {
	var e *coast.Error
	if !errors.As(err, &e) {
		return err
	}
	out := *e
	out.Message = examplesAsFlags(out.Message)
	byUnderscore := func(a, b string) int { return strings.Count(b, "_") - strings.Count(a, "_") }
	for _, name := range slices.SortedFunc(maps.Keys(properties(op)), byUnderscore) {
		word := regexp.MustCompile(`\b` + name + `\b`)
		if !strings.Contains(name, "_") { // also a word in ordinary sentences
			word = regexp.MustCompile(`(^|\. )` + name + ` (must|needs|takes|was|is)\b|` +
				`(needs|needs --[-a-z]+ or) ` + name + `\b`)
		}
		out.Message = word.ReplaceAllStringFunc(out.Message, func(text string) string {
			return strings.Replace(text, name, flagOf(name), 1)
		})
	}
	out.Message = string(ofCommand([]byte(out.Message)))
	return &out
}

// ofCommand rewrites what a text says about a server for a command without providers.
func ofCommand(text []byte) []byte {
	return bytes.ReplaceAll(text, []byte("because this server was started with --offline"),
		[]byte("because this command sends none"))
}

// examplesAsFlags rewrites the JSON arguments in a message as flags.
func examplesAsFlags(message string) string {
	for given().MatchString(message) {
		at := given().FindStringSubmatchIndex(message)
		name, value, rest := message[at[2]:at[3]], message[at[4]:at[5]], message[at[5]:]
		var text string
		if json.Unmarshal([]byte(value), &text) == nil {
			value = text
		}
		if strings.ContainsAny(value, " \"") {
			value = `"` + value + `"`
		}
		if _, ok := positional[name]; !ok {
			value = flagOf(name) + " " + value
		}
		if at[6] >= 0 {
			rest = strings.Replace(rest, ", ", " ", 1)
		}
		message = message[:at[0]] + value + rest
	}
	return message
}
