package decide

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// rows returns the cells of the rows of the page that begin with a name, in tables that
// have a given column.
func rows(name, column string) [][]string {
	var list [][]string
	within := false
	for _, line := range strings.Split(Page(), "\n") {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		switch {
		case !strings.HasPrefix(line, "|"):
			within = false
		case slices.Contains(cells, column):
			within = true
		case within && cells[0] == name:
			list = append(list, cells)
		}
	}
	return list
}

// rowOf returns the only row that begins with a name, in tables that have a given column.
func rowOf(t *testing.T, name, column string) []string {
	t.Helper()
	list := rows(name, column)
	if len(list) != 1 {
		t.Fatalf("the page has %d rows of %s, want 1", len(list), name)
	}
	return list[0]
}

// shownOf formats a limit like the page.
func (q quantity) shownOf(l limit) string {
	text := l.text
	switch {
	case l.beyond && q.down:
		text = "below " + text
	case l.beyond:
		text = "over " + text
	case q.down:
		text += " or less"
	}
	return string(l.severity[:1]) + " " + text
}

// TestPageThresholds checks that the page shows each limit of the document and no other.
func TestPageThresholds(t *testing.T) {
	for _, q := range documented {
		got := rowOf(t, q.code, "quantity")[3:]
		for i, a := range Activities() {
			want := []string{}
			for _, l := range q.limits(i, 0) {
				want = append(want, q.shownOf(l))
			}
			if want := strings.Join(want, ", "); got[i] != want && (got[i] != "-" || want != "") {
				t.Errorf("%s for %s: %q, want %q", q.code, a, got[i], want)
			}
		}
	}
}

// TestPagePairs checks the limits that combine two numbers, for each activity.
func TestPagePairs(t *testing.T) {
	for _, c := range []struct{ code, what, cell, cells string }{
		{"steep_seas", "at least 3 ft and 0.2 x period squared", "action", "xx----"},
		{"wind_against_current", "within 60 degrees",
			"watch 1 with wind from 10 kn, action 2 with wind from 15 kn or 3 with wind from 10 kn",
			"xxx---"},
		{"seas_against_current", "within 60 degrees", "action 2 with seas from 4 ft", "-x----"},
		{"long_swell", "a height of at least 84 ft s by the period", "action", "--xxx-"},
		{"wave_runup", "at least 14 ft with a period of at least 14 s", "watch", "-----x"},
		{"rip_current", "rip currents", "watch Moderate, action High", "--xx--"},
		{"low_water_observed", "up to 6 h ahead", "watch if the two reach -1, action if -3", "xx----"},
		{"unread_text", "a part is not read", "information or watch", "xxxxxx"},
		{"flooding_predicted", "highest predicted level",
			"watch within 1.0 ft, action at the level", "-----x"},
		{"flooding_observed", "up to 6 h ahead", "watch within 1.0 ft, action at the level", "-----x"},
		{"flooding_residual", "up to 6 h ahead",
			"watch if less than 1.0 ft of the margin remains, action if none", "-----x"},
	} {
		got := rowOf(t, c.code, "quantity")
		if !strings.Contains(got[1], c.what) {
			t.Errorf("%s is %q, want %q in it", c.code, got[1], c.what)
		}
		for i, a := range Activities() {
			if want := map[byte]string{'x': c.cell, '-': "-"}[c.cells[i]]; got[3+i] != want {
				t.Errorf("%s for %s: %q, want %q", c.code, a, got[3+i], want)
			}
		}
	}
}

func TestPageFloors(t *testing.T) {
	for _, r := range regions {
		got := rowOf(t, r.name, "region")[1:]
		want := []string{fmt.Sprint(r.wind), fmt.Sprint(r.seas)}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", r.name, got, want)
		}
	}
}

// TestPageAlerts checks that the page has each row of the table of alerts with the
// activities for which it is an action, and the rule for other events.
func TestPageAlerts(t *testing.T) {
	for _, r := range alertRows {
		action := []string{}
		for _, a := range r.action {
			action = append(action, string(a))
		}
		if got, want := rowOf(t, r.names, "events")[1], listed(action); got != want {
			t.Errorf("%s is action for %q, want %q", r.names, got, want)
		}
	}
	for _, rule := range []string{
		"action for all if it ends in Warning or Emergency, a watch if it ends in Watch or " +
			"Advisory, otherwise information",
		"Severe or Extreme raises information to watch; no severity lowers a reason",
	} {
		if !strings.Contains(Page(), rule) {
			t.Errorf("the page does not contain %q", rule)
		}
	}
}

func TestPageFacts(t *testing.T) {
	for id, needs := range needed {
		got := rowOf(t, id, "fact")[3:]
		for i, a := range Activities() {
			if want := needs[i : i+1]; got[i] != want && (id != MoonPhase || got[i] != "info") {
				t.Errorf("%s for %s: %q, want %q", id, a, got[i], want)
			}
		}
	}
}

func TestPageScores(t *testing.T) {
	for a, want := range weights {
		got := map[string]string{}
		for _, row := range rows(string(a), "part") {
			got[row[1]] = row[2]
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", a, got, want)
		}
	}
}

// TestDocument checks that docs/decisions.md has every line of the printed tables.
func TestDocument(t *testing.T) {
	text, err := os.ReadFile("../../docs/decisions.md")
	if err != nil {
		t.Fatal(err)
	}
	document := strings.Join(strings.Fields(string(text)), " ")
	for line := range strings.SplitSeq(Page(), "\n") {
		if !strings.Contains(document, strings.Join(strings.Fields(line), " ")) {
			t.Errorf("docs/decisions.md does not have the line %q", line)
		}
	}
}
