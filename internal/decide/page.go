package decide

import (
	"cmp"
	"fmt"
	"strings"
)

// Page returns the tables of this package as Markdown: thresholds, floors, alerts, facts and
// scores.
func Page() string {
	var b strings.Builder
	thresholdPage(&b)
	floorPage(&b)
	alertPage(&b)
	factPage(&b)
	scorePage(&b)
	return strings.TrimSpace(b.String())
}

// heads writes the header of a table: the given columns, then one for each activity.
func heads(b *strings.Builder, columns ...string) {
	for _, a := range Activities() {
		columns = append(columns, string(a))
	}
	head(b, columns...)
}

func head(b *strings.Builder, columns ...string) {
	fmt.Fprintf(b, "| %s |\n|%s\n", strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
}

func row(b *strings.Builder, cells ...string) {
	fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
}

func thresholdPage(b *strings.Builder) {
	b.WriteString("A value at or beyond its limit is a reason: " +
		"w at watch, a at action, i as information; - means no limit.\n\n")
	heads(b, "reason", "quantity", "unit")
	for i := range thresholds {
		t := &thresholds[i]
		cells := []string{t.Code, t.What, cmp.Or(t.Unit, "-")}
		for _, a := range Activities() {
			cells = append(cells, t.shown(a))
		}
		row(b, cells...)
	}
	b.WriteString("\nSources of the limits:\n\n")
	for _, t := range thresholds {
		fmt.Fprintf(b, "- %s: %s.\n", t.Code, t.Source)
	}
}

// shown formats a cell of the page.
func (t *Threshold) shown(a Activity) string {
	l, used := t.cells[a]
	switch {
	case !used:
		return "-"
	case t.words != "":
		return t.words
	}
	var parts []string
	for _, p := range []struct {
		letter string
		bound
	}{{"i", l.info}, {"w", l.watch}, {"a", l.action}} {
		if p.set {
			parts = append(parts, p.letter+" "+p.shown(t.Down))
		}
	}
	if l.floor != nil {
		letter := "S"
		if t.Code == "seas" {
			letter = "H"
		}
		parts = append(parts, "a "+letter)
	}
	return strings.Join(parts, ", ")
}

func (b bound) shown(down bool) string {
	switch {
	case b.past && down:
		return "below " + number(b.value)
	case b.past:
		return "over " + number(b.value)
	case down:
		return number(b.value) + " or less"
	}
	return number(b.value)
}

func floorPage(b *strings.Builder) {
	b.WriteString("\nS and H are the floors of small craft advisories (NWS regional directives):\n\n")
	head(b, "region", "S, wind kn", "H, seas ft")
	for _, f := range floors {
		row(b, f.Region, number(f.Wind), number(f.Seas))
	}
}

func alertPage(b *strings.Builder) {
	b.WriteString("\nAlerts count by the name of their event. Any other event is an action for all " +
		"if it ends in Warning or Emergency, a watch if it ends in Watch or Advisory, " +
		"otherwise information. A CAP severity of Severe or Extreme raises information to " +
		"watch; no severity lowers a reason.\n\n")
	head(b, "events", "action for", "watch for")
	for _, e := range events {
		var action, watch []string
		for _, a := range Activities() {
			switch eventSeverity(e.names[0], a) {
			case Action:
				action = append(action, string(a))
			case Watch:
				watch = append(watch, string(a))
			}
		}
		row(b,
			strings.ReplaceAll(strings.Join(e.names, ", "), smallCraft, smallCraft+" (all forms)"),
			listed(action), listed(watch))
	}
}

func factPage(b *strings.Builder) {
	b.WriteString("\nFacts: R can raise an action, and without it the state is unknown. P can " +
		"raise a watch, and without it the state is at least watch.\n\n")
	heads(b, "fact", "content", "when it does not apply")
	for _, in := range inputs {
		cells := []string{in.id, in.about, in.applies}
		for _, a := range Activities() {
			needed := map[need]string{unused: "-", informs: "info", watches: "P", acts: "R"}
			cells = append(cells, needed[in.needs[a]])
		}
		row(b, cells...)
	}
}

func scorePage(b *strings.Builder) {
	b.WriteString("\nScores are 100 times the weighted mean of these parts, each from 0 to 1. " +
		"A part that is missing is 0; a part that does not apply is left out.\n\n")
	head(b, "activity", "part", "weight", "value")
	for _, activity := range Activities() {
		for _, a := range aspects[activity] {
			row(b, string(activity), a.name, number(a.weight), a.about)
		}
	}
}
