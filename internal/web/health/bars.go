package health

import (
	"cmp"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"

	"leadline/internal/chart"
	"leadline/internal/status"
	"leadline/internal/web/view"
)

// stripView has the days of a component as bars and in words.
type stripView struct {
	ID, Name string
	Recorded int           // minutes
	Label    string        // what the bars show
	Part     string        // how many days were recorded in part
	Bars     template.HTML // for wide and for narrow screens
	From, To string        // the first day, and the last
	Worst    []string
	Days     []string // all days, the newest first
	Same     string   // name of a component above with the same days, which are not repeated
}

// mostWorst limits the list of the worst days. A list of at most fewDays texts is repeated.
const mostWorst, fewDays = 5, 7

// The geometry of bars, in units that are CSS pixels on a wide screen. A bar stands on the ground;
// a mark above it repeats the worst state of the day.
const (
	dayWidth  = 10
	barTop    = 14
	ground    = 44
	stripHigh = 46
	rowHigh   = 56 // with the space below, on narrow screens
)

// barsStyle are the colors and sizes of bars. The colors have a contrast of at least 3 with the
// ground (WCAG 2.2, 1.4.11); a test computes it. The state is in the marks too.
const barsStyle = `
:root { --b-ok: #1f7a52; --b-low: #8f5c00; --b-off: #a3271d; --b-no: #71838e; }
@media (prefers-color-scheme: dark) {
  :root { --b-ok: #5fb98f; --b-low: #e0a94a; --b-off: #ff8d80; --b-no: #70848f; }
}
@media (forced-colors: active) {
  :root { --b-ok: CanvasText; --b-low: CanvasText; --b-off: CanvasText; --b-no: GrayText; }
}
.b-ok { color: var(--b-ok); } .b-low { color: var(--b-low); }
.b-off { color: var(--b-off); } .b-no { color: var(--b-no); }
.bar, .stem { stroke: currentColor; stroke-width: 7; } .stem { stroke-width: 2; }
.mark { fill: currentColor; }
.strip { display: block; width: 100%; height: auto; }
.days h3 { margin: 1.75rem 0 .25rem; }
.days p { margin-bottom: .25rem; }
.days ul { margin-bottom: .5rem; }
.ends { display: flex; justify-content: space-between; color: var(--soft); font-size: .875rem; }
.wide .legend {
  display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; margin: 1rem 0 0; padding: 0;
  list-style: none; font-size: .875rem;
}
.legend li { display: flex; align-items: flex-end; gap: .5rem; }
.legend svg { flex: none; }
.parts p { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem; }
.parts p, .said, .updates p { margin: 0; }
.state { white-space: nowrap; font-weight: 600; } .state.b-no { color: var(--soft); }
.wide .good { border-left: 4px solid var(--good); }
.good { background: var(--good-ground); color: var(--good); }
.fault { background: var(--fault-ground); border-color: var(--fault); color: var(--fault); }
.updates { margin: 0; padding: 0; list-style: none; }
.updates li { padding: 0 0 .75rem 1rem; border-left: 3px solid var(--line); }
.updates li:last-child { padding-bottom: 0; }
.said { white-space: pre-line; }
`

// newStripView returns the days of a component.
func newStripView(name string, r status.Record) stripView {
	v := stripView{Name: name, Label: labelOf(r.Days)}
	inPart := 0
	for _, d := range r.Days {
		v.Recorded += d.Recorded()
		if d.Recorded() > 0 && d.Missing > 0 {
			inPart++
		}
	}
	switch {
	case inPart == 1:
		v.Part = "1 day was recorded in part."
	case inPart > 1:
		v.Part = fmt.Sprintf("%d days were recorded in part.", inPart)
	}
	first, last := r.Days[0], r.Days[len(r.Days)-1]
	v.From, v.To = first.Date.Format("2 January"), last.Date.Format("2 January")
	v.Worst, v.Days = worstDays(r.Days), allDays(r.Days)
	v.ID = string(r.Name)
	v.Bars = drawBars(bars{v.ID, paths(r.Days)}, len(r.Days), v.Label)
	return v
}

// share makes v refer to the days and the bars of the first of the strips above it that has the
// same ones, if their list is long.
func (v *stripView) share(strips []stripView, days int) {
	at := slices.IndexFunc(strips, func(s stripView) bool { return slices.Equal(s.Days, v.Days) })
	if at >= 0 && len(v.Days) > fewDays {
		v.Same = strips[at].Name
		v.Bars = drawBars(bars{of: strips[at].ID}, days, v.Label)
	}
}

// labelOf counts days by their worst minute.
func labelOf(days []status.Day) string {
	counts := map[string]int{}
	for _, d := range days {
		counts[d.Worst()]++
	}
	return fmt.Sprintf("Last %d days: %d without a fault, %d degraded, %d down, %d not recorded",
		len(days), counts[status.Operational], counts[status.Degraded], counts[status.Down], counts[""])
}

// minutesOf writes the sums of a day: 1,431 min without a fault, 9 degraded.
func minutesOf(d status.Day) string {
	if d.Recorded() == 0 {
		return "not recorded"
	}
	var texts []string
	unit := view.Nbsp + "min" // named once
	for _, c := range []struct {
		minutes int
		state   string
	}{
		{d.OK, "without a fault"}, {d.Degraded, "degraded"}, {d.Down, "down"},
		{d.Missing, "not recorded"},
	} {
		if c.minutes > 0 {
			texts = append(texts, chart.Thousands(c.minutes)+unit+" "+c.state)
			unit = ""
		}
	}
	return strings.Join(texts, ", ")
}

// worstDays writes the days with faults, the worst first.
func worstDays(days []status.Day) (texts []string) {
	faulty := slices.DeleteFunc(slices.Clone(days), func(d status.Day) bool {
		return d.Degraded+d.Down == 0
	})
	slices.SortFunc(faulty, func(a, b status.Day) int {
		return cmp.Or(b.Down-a.Down, b.Degraded-a.Degraded, b.Date.Compare(a.Date))
	})
	for _, d := range faulty[:min(len(faulty), mostWorst)] {
		texts = append(texts, d.Date.Format("2 January")+": "+minutesOf(d))
	}
	return texts
}

// allDays writes all days, the newest first. Equal days in a row are one text.
func allDays(days []status.Day) (texts []string) {
	for last := len(days) - 1; last >= 0; {
		first := last
		for first > 0 && isEqual(days[first-1], days[last]) {
			first--
		}
		name := days[last].Date.Format("2 Jan")
		switch {
		case first < last:
			name = days[first].Date.Format("2 Jan") + " to " + name + ", each"
		case last == len(days)-1:
			name += " so far"
		}
		texts = append(texts, name+": "+minutesOf(days[last]))
		last = first - 1
	}
	return texts
}

// isEqual reports whether two days have the same text.
func isEqual(a, b status.Day) bool {
	a.Date = b.Date
	return a == b || a.Recorded()+b.Recorded() == 0
}

// classes are the classes of bars by the worst state of their day.
var classes = map[string]string{
	status.Operational: "b-ok", status.Degraded: "b-low", status.Down: "b-off", "": "b-no",
}

// bars are the bars of a component: paths, or "" for those that the page has drawn before.
type bars struct{ of, paths string }

// drawBars draws the bars of a number of days: a row for wide screens, and two rows of the same
// bars for narrow ones.
func drawBars(drawn bars, days int, label string) template.HTML {
	half := (days + 1) / 2
	var b strings.Builder
	open := func(class string, wide, high int) {
		fmt.Fprintf(&b, `<svg class="strip %s" viewBox="0 0 %d %d" role="img" aria-label="%s">`,
			class, wide, high, template.HTMLEscapeString(label))
	}
	open("broad", days*dayWidth, stripHigh)
	if drawn.paths == "" {
		fmt.Fprintf(&b, `<use href="#bars-%s"/></svg>`, drawn.of)
	} else {
		fmt.Fprintf(&b, `<g id="bars-%s">%s</g></svg>`, drawn.of, drawn.paths)
	}
	open("narrow", half*dayWidth, rowHigh+stripHigh)
	fmt.Fprintf(&b, `<use href="#bars-%s"/><use href="#bars-%s" x="-%d" y="%d"/></svg>`,
		drawn.of, drawn.of, half*dayWidth, rowHigh)
	return template.HTML(b.String())
}

// paths draws a bar for each day. Its color is that of the worst minute, its height the share of
// the minutes that were recorded. A thin line is above it if others were not.
func paths(days []status.Day) string {
	drawn := map[string]*strings.Builder{} // by class
	draw := func(class, format string, numbers ...any) {
		if drawn[class] == nil {
			drawn[class] = &strings.Builder{}
		}
		fmt.Fprintf(drawn[class], format, numbers...)
	}
	for i, d := range days {
		middle := i*dayWidth + dayWidth/2
		high := 0
		if d.Recorded() > 0 {
			high = max(3, (ground-barTop)*d.Recorded()/(d.Recorded()+d.Missing))
		}
		class := classes[d.Worst()]
		if d.Missing > 0 {
			draw("stem b-no", "M%d %dV%d", middle, barTop, ground-high)
		}
		if high > 0 {
			draw("bar "+class, "M%d %dv%d", middle, ground-high, high)
		}
		switch d.Worst() {
		case status.Degraded:
			draw("mark "+class, "M%d 11h8l-4-8z", middle-4)
		case status.Down:
			draw("mark "+class, "M%d 3h7v7h-7z", middle-3)
		}
	}
	var b strings.Builder
	for _, class := range slices.Sorted(maps.Keys(drawn)) {
		fmt.Fprintf(&b, `<path class="%s" d="%s"/>`, class, drawn[class])
	}
	return b.String()
}

// legendOf are days that explain the bars.
var legendOf = []struct {
	day  status.Day
	text string
}{
	{status.Day{OK: 1}, "every recorded minute without a fault"},
	{status.Day{Degraded: 1}, "degraded in the worst minute"},
	{status.Day{Down: 1}, "down in the worst minute"},
	{status.Day{OK: 3, Missing: 2}, "thin line: minutes that were not recorded"},
}

// legend explains the bars.
func legend() (list []struct {
	Picture template.HTML
	Text    string
}) {
	for _, l := range legendOf {
		list = append(list, struct {
			Picture template.HTML
			Text    string
		}{template.HTML(fmt.Sprintf(`<svg viewBox="0 0 %d %d" width="%d" height="%d" `+
			`aria-hidden="true">%s</svg>`, dayWidth, stripHigh, dayWidth, stripHigh,
			paths([]status.Day{l.day}))), l.text})
	}
	return list
}
