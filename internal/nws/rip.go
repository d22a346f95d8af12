package nws

import (
	"slices"
	"strings"
)

// A surf zone forecast writes a risk as a label, dots and a word, for the
// zone or, indented below the label, for parts of it:
//
//	Rip Current Risk*...........Moderate.
//
//	Rip Current Risk*...
//	   North of Cape Hatteras...Moderate.
//	   South of Cape Hatteras...Low.
//
// Only this form is read. What prose says of rip currents is left to a
// reader.

const ripWords = "rip current risk"

// rips gathers the risks of a segment, line by line.
type rips struct {
	found []Rip
	since int  // how many there were before the last label
	open  bool // the last label or area may go on
	areas bool // the label had no risk behind it
}

// ripLabel reports whether a line begins with the label and its dots.
func ripLabel(line string) bool { _, ok := afterLabel(line); return ok }

// afterLabel cuts the label off a line.
func afterLabel(line string) (string, bool) {
	line = strings.TrimSpace(line)
	if !foldPrefix(line, ripWords) {
		return "", false
	}
	rest := strings.TrimLeft(line[len(ripWords):], "* ")
	value := strings.TrimLeft(rest, ". ")
	return value, strings.HasPrefix(rest, "..")
}

// line reads a line of a period.
func (r *rips) line(period, line string) {
	if value, ok := afterLabel(line); ok {
		r.open, r.areas, r.since = true, value == "", len(r.found)
		if value != "" {
			r.found = append(r.found, Rip{Period: period, Risk: value})
		}
		return
	}
	indented := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")
	if !r.open || !indented {
		r.open = false
		return
	}
	line = strings.TrimSpace(line)
	area, value, ok := strings.Cut(line, "..")
	switch {
	case r.areas && ok:
		r.found = append(r.found, Rip{Period: period, Area: strings.TrimSpace(area), Risk: strings.TrimLeft(value, ". ")})
	case len(r.found) > r.since:
		r.found[len(r.found)-1].Risk += " " + line
	}
}

// close ends what a label began.
func (r *rips) close() { r.open = false }

// list is what was found, each risk cut to its first sentence.
func (r *rips) list() []Rip {
	for i := range r.found {
		r.found[i].Risk = risk(r.found[i].Risk)
	}
	return slices.DeleteFunc(r.found, func(r Rip) bool { return r.Risk == "" })
}

// risk is the first sentence of a text; the four words for a risk are
// spelled in one way.
func risk(text string) string {
	for i := range len(text) {
		last := text[i] == '.' && (i+1 == len(text) || text[i+1] == ' ')
		if last && (i == 0 || text[i-1] != '.') {
			text = text[:i]
			break
		}
	}
	text = strings.TrimRight(strings.TrimSpace(text), ".")
	for _, word := range []string{"None", "Low", "Moderate", "High"} {
		if strings.EqualFold(text, word) {
			return word
		}
	}
	return text
}
