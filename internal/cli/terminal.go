package cli

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"leadline/internal/coast"
)

// The values of --color.
const (
	colorAuto   = "auto" // if stdout is a terminal and NO_COLOR is unset or empty
	colorAlways = "always"
	colorNever  = "never"
)

// leastColumns is the smallest width that output is laid out for. Ours.
const leastColumns = 60

// style is the number of a text attribute (ECMA-48, 8.3.117, SGR).
type style int

// The styles: bold for the next event, faint for sources and what is missing.
const (
	bold   style = 1
	faint  style = 2
	red    style = 31
	yellow style = 33
	cyan   style = 36
)

// screen has the properties of standard output that a layout depends on.
type screen struct {
	width   int  // columns; 0 for no limit
	colored bool // with styles
	signs   bool // with arrows, which the locale must have
}

// addColor adds the flag for styles.
func (p *program) addColor(c *cobra.Command) {
	c.Flags().StringVar(&p.color, "color", colorAuto, "`WHEN` to use color: auto, always or never; "+
		"auto is on a terminal, unless NO_COLOR is set")
}

// screen returns the layout for standard output: the width is that of COLUMNS or of the terminal.
func (p *program) screen() (screen, error) {
	getenv := p.config.Getenv
	s := screen{signs: utf8Locale(getenv)}
	on := attended(p.streams.Out)
	switch p.color {
	case colorAlways:
		s.colored = true
	case colorAuto, "":
		s.colored = on && getenv("NO_COLOR") == "" // https://no-color.org
	case colorNever:
	default:
		return s, fmt.Errorf("invalid --color %q: must be auto, always or never", p.color)
	}
	columns, err := strconv.Atoi(getenv("COLUMNS"))
	if on && (err != nil || columns < 1) {
		columns = columnsOf(p.streams.Out.(*os.File))
	}
	if columns > 0 {
		s.width = max(columns, leastColumns)
	}
	return s, nil
}

// styled returns a text in a style.
func (s screen) styled(as style, text string) string {
	if !s.colored || text == "" {
		return text
	}
	return fmt.Sprintf("\x1b[%dm%s\x1b[0m", as, text)
}

// sheet lays out a text for people: a label and a text in each line.
type sheet struct {
	screen
	lines []string
}

// labelWidth is the width of a label and the spaces around it.
const labelWidth = 11

// String returns the lines.
func (b *sheet) String() string { return strings.Join(b.lines, "\n") + "\n" }

// line adds a text and where it is from, which has lines of its own if both do not fit into one.
func (b *sheet) line(as style, label, text, from string) {
	text = string(ofCommand([]byte(text)))
	lines := []string{text}
	if from != "" && b.fits(text+"  "+from) {
		lines, from = []string{text + "  " + b.styled(faint, from)}, ""
	}
	if !b.fits(lines[0]) {
		lines = wrap(text, b.room())
	}
	if from != "" {
		for _, line := range wrap(from, cmp.Or(max(b.room(), 0), len(from))) {
			lines = append(lines, b.styled(faint, line))
		}
	}
	for _, line := range lines {
		label = fmt.Sprintf("  %-*s", labelWidth-2, label)
		if as != 0 {
			label, line = b.styled(as, label), b.styled(as, line)
		}
		b.lines = append(b.lines, strings.TrimRight(label+line, " "))
		label = ""
	}
}

// room returns the width of texts.
func (b *sheet) room() int { return b.width - labelWidth }

// fits reports whether a text needs one line only.
func (b *sheet) fits(text string) bool { return b.width == 0 || visible(text) <= b.room() }

// addMissing adds what is missing, once for each reason.
func (b *sheet) addMissing(missing []coast.Missing) {
	label := "missing"
	for i, m := range missing {
		same := func(o coast.Missing) bool { return o.Reason == m.Reason }
		if slices.IndexFunc(missing, same) < i {
			continue
		}
		var inputs []string
		for _, o := range missing[i:] {
			if same(o) && !slices.Contains(inputs, o.Input) {
				inputs = append(inputs, o.Input)
			}
		}
		b.line(faint, label, strings.Join(inputs, ", ")+": "+m.Reason, "")
		label = ""
	}
}

// sequence matches what styled adds.
var sequence = coast.Pattern(`\x1b\[[0-9;]*m`)

// visible returns the number of columns of a text. A letter of our texts has one.
func visible(text string) int {
	return utf8.RuneCountInString(sequence().ReplaceAllString(text, ""))
}

// narrowing lists the columns that a narrow terminal leaves out first, in this order. If that is
// not enough, it leaves out the last ones of a table.
var narrowing = []string{"PLACE", "WAITING", "EVENTS", "UNITS", "KIND", "TOOK", "LAST ATTEMPT"}

// fit returns the columns of a table that were asked for, comma-separated, or those that fit into
// the width; the first one always does. The first row is the head.
func (s screen) fit(rows [][]string, wanted string) ([][]string, error) {
	if wanted != "" {
		return choose(rows, strings.Split(strings.ToUpper(wanted), ","))
	}
	kept := rows[0]
	last := slices.Clone(kept[1:])
	slices.Reverse(last)
	for _, name := range append(slices.Clone(narrowing), last...) {
		if s.width == 0 || slices.Max(lengths(aligned(rows))) <= s.width {
			break
		}
		kept = slices.DeleteFunc(slices.Clone(kept), func(have string) bool { return have == name })
		rows, _ = choose(rows, kept) // which are all there
	}
	return rows, nil
}

// choose returns columns of a table by their names.
func choose(rows [][]string, names []string) ([][]string, error) {
	out := make([][]string, len(rows))
	for _, name := range names {
		at := slices.Index(rows[0], strings.TrimSpace(name))
		if at < 0 {
			return nil, fmt.Errorf("invalid --columns %q: must be some of %s", name,
				strings.Join(rows[0], ","))
		}
		for i, row := range rows {
			out[i] = append(out[i], row[at])
		}
	}
	return out, nil
}

// aligned returns the lines of a table, with two spaces between its columns.
func aligned(rows [][]string) []string {
	var widths []int
	for _, row := range rows {
		for i, length := range lengths(row) {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], length)
		}
	}
	lines := make([]string, len(rows))
	for n, row := range rows {
		for i, length := range lengths(row) {
			lines[n] += row[i]
			if i < len(row)-1 {
				lines[n] += strings.Repeat(" ", widths[i]-length+2)
			}
		}
	}
	return lines
}

// lengths returns the visible length of each text.
func lengths(texts []string) []int {
	list := make([]int, len(texts))
	for i, text := range texts {
		list[i] = visible(text)
	}
	return list
}
