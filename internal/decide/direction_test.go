package decide

import (
	"strings"
	"testing"
)

// outlookOf parses a state, reasons such as wind=watch, and missing facts such as -seas.
func outlookOf(text string) outlook {
	o := outlook{hazards: map[string]Severity{}}
	for i, word := range strings.Fields(text) {
		code, severity, reason := strings.Cut(word, "=")
		switch {
		case i == 0:
			o.state = State(word)
		case reason:
			o.hazards[code] = Severity(severity)
		default:
			o.missing = append(o.missing, strings.TrimPrefix(word, "-"))
		}
	}
	return o
}

// TestDirection classifies changes of which several conditions are true.
func TestDirection(t *testing.T) {
	for _, test := range []struct {
		then, here, lost string
		want             Direction
	}{
		{"normal", "watch wind=watch", "", Worse},
		{"normal", "unknown wind=watch -seas", "", Worse},
		{"unknown -seas", "unknown wind=watch -moon", "", Worse},
		{"unknown wind=watch -seas", "action-needed wind=action -seas", "", Worse},
		{"watch wind=watch", "unknown -seas", "", Lost},
		{"unknown -seas", "unknown -moon", "", Lost},
		{"action-needed gale=action", "watch wind=watch -moon", "", Changed},
		{"unknown -seas", "watch wind=watch", "", Known},
		{"unknown -seas", "watch wind=watch", "seas", Changed},
		{"unknown wind=watch -seas", "normal", "", Known},
		{"unknown wind=watch -seas", "normal", "seas", Better},
		{"action-needed gale=action -seas", "watch wind=watch -moon", "seas", Changed},
		{"action-needed gale=action", "watch", "", Better},
		{"action-needed gale=action", "watch wind=watch", "", Better},
		{"action-needed gale=action fog=watch", "action-needed gale=action", "", Changed},
		{"unknown -seas", "normal", "seas", Restored},
		{"unknown -seas -moon", "unknown -moon", "seas moon", Restored},
		{"unknown -seas -moon", "normal", "seas", Known},
		{"normal", "normal", "", Changed},
	} {
		e := evaluation{then: outlookOf(test.then), here: outlookOf(test.here)}
		e.lost = strings.Fields(test.lost)
		if got := e.direction(); got != test.want {
			t.Errorf("from %q to %q: %s, want %s", test.then, test.here, got, test.want)
		}
	}
}

// TestNotBetter checks what prevents an improvement from being better.
func TestNotBetter(t *testing.T) {
	for _, test := range []struct {
		carried []BaselineReason
		lacks   bool
		want    Direction
	}{
		{nil, false, Better},
		{nil, true, Changed},
		{[]BaselineReason{{"wind", Watch, WindForecast}}, false, Changed},
	} {
		e := evaluation{carried: test.carried, lacksRequired: test.lacks}
		e.then, e.here = outlookOf("action-needed gale=action"), outlookOf("watch wind=watch")
		if got := e.direction(); got != test.want {
			t.Errorf("carried %v, lacks %v: %s, want %s", test.carried, test.lacks, got, test.want)
		}
	}
}
