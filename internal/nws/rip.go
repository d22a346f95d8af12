package nws

import (
	"slices"
	"strings"
	"unicode"
)

// A surf zone forecast writes a risk as a label, dots and a word, for the zone or, indented below
// the label, for parts of it:
//
//	Rip Current Risk*...........Moderate.
//
//	Rip Current Risk*...
//	   North of Cape Hatteras...Moderate.
//	   South of Cape Hatteras...Low.
//
// The value begins in column 28: an area whose name extends to it has one dot. Only this format is
// read; rip currents in prose are ignored.

const ripWords = "rip current risk"

// Rip is an explicit risk of rip currents. A period without one does not have a low risk.
type Rip struct {
	Period string // name of the period; empty before the first
	Area   string // part of the zone, "North of Cape Hatteras"; empty: all
	Risk   string // None, Low, Moderate, High; any other text as written
}

// rips collects the risks of a segment, line by line.
type rips struct {
	found []Rip
	since int  // number of risks before the last label
	open  bool // the last label or area may continue
	areas bool // the label had no risk after it
}

// ripLabel reports whether a line begins with the label and its dots.
func ripLabel(line string) bool { _, ok := afterLabel(line); return ok }

// afterLabel returns a line without the label, and whether it had one.
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
func (r *rips) line(name, line string) {
	if value, ok := afterLabel(line); ok {
		r.open, r.areas, r.since = true, value == "", len(r.found)
		if value != "" {
			r.found = append(r.found, Rip{Period: name, Risk: value})
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
	if before, after, dot := strings.Cut(line, "."); !ok && dot &&
		(Rip{Risk: after}).Level() != RiskUnstated {
		area, value, ok = before, after, true
	}
	switch {
	case r.areas && ok:
		r.found = append(r.found,
			Rip{Period: name, Area: strings.TrimSpace(area), Risk: strings.TrimLeft(value, ". ")})
	case len(r.found) > r.since:
		r.found[len(r.found)-1].Risk += " " + line
	}
}

// close ends the block of a label.
func (r *rips) close() { r.open = false }

// list returns the risks, each limited to its first sentence.
func (r *rips) list() []Rip {
	for i := range r.found {
		r.found[i].Risk = risk(r.found[i].Risk)
	}
	return slices.DeleteFunc(r.found, func(r Rip) bool { return r.Risk == "" })
}

// risk returns the first sentence of a text, and the four words for a risk in one spelling.
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

// Risk is a category of risk of rip currents (NWSI 10-320, 2.6.1).
type Risk int

// The categories in ascending order. RiskUnstated is the level of a text without a category,
// which is not a low risk.
const (
	RiskUnstated Risk = iota
	RiskLow
	RiskModerate
	RiskHigh
)

// Level returns the highest category that the risk names: Low increasing to
// Moderate is moderate. None counts as low.
func (r Rip) Level() Risk {
	level := RiskUnstated
	for word := range strings.FieldsFuncSeq(r.Risk,
		func(c rune) bool { return !unicode.IsLetter(c) }) {
		switch strings.ToLower(word) {
		case "none", "low":
			level = max(level, RiskLow)
		case "moderate":
			level = max(level, RiskModerate)
		case "high":
			level = max(level, RiskHigh)
		}
	}
	return level
}
