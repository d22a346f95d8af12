package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"leadline/internal/coast"
	"leadline/internal/decide"
	"leadline/internal/facts"
	"leadline/internal/operation"
	"leadline/internal/planning"
	"leadline/internal/render"
)

// The exit codes of trip, which also are those of a shell's test: 0 is the only one that says that
// nothing was found against the trip.
const (
	exitNothing = 0
	exitError   = 1
	exitCare    = 2
	exitAgainst = 3
	exitUnknown = 4
)

// look shows a state: a sign of its own, so that nothing depends on color.
type look struct {
	sign, words string
	color       style // 0 for none
	exit        int
}

// The looks, the worst first. Known is a normal state of low confidence.
var (
	against = look{"#", "reasons against", red, exitAgainst}
	unknown = look{"?", "cannot tell", faint, exitUnknown}
	care    = look{"+", "take care", yellow, exitCare}
	known   = look{"o", "nothing known against it yet", 0, exitUnknown}
	nothing = look{".", "nothing found against it", 0, exitNothing}
)

// lookOf returns the look of a state.
func lookOf(s decide.State, c decide.Confidence) look {
	switch {
	case s == decide.ActionNeeded:
		return against
	case s == decide.WatchState:
		return care
	case s == decide.Normal && c == decide.Low:
		return known
	case s == decide.Normal:
		return nothing
	}
	return unknown
}

// tripCommand returns leadline trip.
func (p *program) tripCommand() *cobra.Command {
	var asJSON bool
	var from, until string
	c := uses(&cobra.Command{
		Use:   "trip STATION|PLACE [DAY] [ACTIVITY]",
		Short: "Print whether a day suits an activity, and why",
		Long: "Print whether a day suits an activity, hour by hour, with the reasons, what is missing, " +
			"and the next 7 days. Without DAY it is tomorrow, without ACTIVITY boating, without --from " +
			"and --until daylight. Activities: " + strings.Join(decide.Activity("").Values(), ", ") +
			", or words such as sail, kayak, swim, walk, clams, photos.\n" +
			"NOAA and the weather service have 3 seconds to respond. With --offline, tide, light and " +
			"current are computed, and the answer is that it cannot tell.\n" +
			"The exit code is 0 if nothing was found against it, 2 for care, 3 for reasons against, 4 " +
			"if it cannot tell, and 1 after an error. It is also 4 for a past day, for a day that no " +
			"forecast reaches, and if nothing is known against it yet, because confidence is low. 0 is " +
			"not a promise.",
		Example: "leadline trip boston saturday boating --contact jane@example.org\n" +
			"leadline trip \"half moon bay\" tomorrow clams --from 6:00 --until 10:00\n" +
			"leadline trip 42.36,-71.05 +2 kayak --json",
		Args: takesSome("STATION or PLACE"), ValidArgsFunction: completeStation,
	}, "offline", "contact", "coops-url", "nws-url")
	c.RunE = p.run(func(ctx context.Context, args []string) error {
		s, err := p.screen()
		if err != nil {
			return err
		}
		where, in, err := readTrip(args)
		if err != nil {
			return err
		}
		in.From, in.Until = planning.ClockOf(from), planning.ClockOf(until)
		week, err := p.week(ctx, where, in)
		if err != nil {
			return err
		}
		p.code = lookOf(week.Asked.State, week.Asked.Confidence).exit
		if asJSON {
			body, err := json.MarshalIndent(week, "", "  ")
			if err == nil {
				_, err = p.streams.Out.Write(append(ofCommand(body), '\n'))
			}
			return err
		}
		v := verdict{sheet: sheet{screen: s}, TripWeek: week}
		return p.printf("%s", v.text())
	})
	c.Flags().StringVar(&from, "from", "", "first `TIME`, such as 9:00 or 9am (default daylight, "+
		"today this hour)")
	c.Flags().StringVar(&until, "until", "", "last `TIME`, such as 17:00 or 2026-11-29T02:00 "+
		"(default end of daylight)")
	c.Flags().BoolVar(&asJSON, "json", false, "print the whole result as JSON")
	p.addColor(c)
	return c
}

// readTrip parses PLACE [DAY] [ACTIVITY], each of one or more words. The day is the last one.
// Without it, the activity has as many of the last words as an activity can have.
func readTrip(args []string) (where string, in planning.TripInput, err error) {
	in.Activity = decide.Boating
	words := strings.Fields(strings.Join(args, " "))
	if day, after := dayIn(words); day > 0 {
		in.Date = strings.Join(words[day:after], " ")
		if activity := strings.Join(words[after:], " "); activity != "" {
			a, ok := decide.ActivityOf(activity)
			if !ok {
				return "", in, fmt.Errorf("unknown activity %q: must be one of %s, or a word such as "+
					"sail, kayak or walk", activity, strings.Join(in.Activity.Values(), ", "))
			}
			in.Activity = a
		}
		return strings.Join(words[:day], " "), in, nil
	}
	for n := 1; n < len(words); n++ {
		if a, ok := decide.ActivityOf(strings.Join(words[n:], " ")); ok {
			in.Activity, words = a, words[:n]
		}
	}
	return strings.Join(words, " "), in, nil
}

// week evaluates the hours of a trip and those of the next days.
func (p *program) week(
	ctx context.Context, where string, in planning.TripInput,
) (planning.TripWeek, error) {
	live, err := p.storeless()
	if err != nil {
		return planning.TripWeek{}, err
	}
	defer live.Close()
	in.StationOrPlace, _ = whereAt(live.Set.Stations, where)
	week, err := operation.Run(ctx, live.Set.Decisions.Week, in)
	if err != nil {
		err = inFlags(err, operation.Declare("trip", "Trip", operation.PlanningTools, "", false,
			live.Set.Decisions.Trip))
	}
	return week, err
}

// verdict lays out what trip prints.
type verdict struct {
	sheet
	planning.TripWeek
}

// text lays out all parts.
func (v *verdict) text() string {
	t := v.Asked
	title, from := headOf(t.Station, t.Place)
	day := "Mon 2 Jan"
	if t.From.Year() != t.EvaluatedAt.Year() {
		day += " 2006"
	}
	v.lines = wrap(t.From.Format(day)+", "+string(t.Activity)+" at "+title,
		cmp.Or(v.width, len(title)+leastColumns))
	for i := range v.lines {
		v.lines[i] = v.styled(bold, v.lines[i])
	}
	look := lookOf(t.State, t.Confidence)
	v.line(look.color, look.sign, t.Sentence, "")
	if sure := t.Sure(); look == nothing {
		v.line(faint, "", "That is not a promise. "+sure, "")
	} else if sure != "" {
		v.line(faint, "", sure, "")
	}
	begin, end := clock12(t.From), clock12(t.To)
	if t.To.Sub(facts.DayStart(t.From)) > 25*time.Hour {
		begin, end = t.From.Format("Mon ")+begin, t.To.Format("Mon ")+end
	}
	v.line(faint, "", begin+" to "+end+t.To.Format(" MST")+", tide at "+from, "")
	v.addHours()
	v.addReasons()
	for i, h := range t.Highlights {
		v.line(0, first(i, "also"), operation.LocalTimes(h), "")
	}
	v.addMissing(t.Missing)
	v.addBest()
	v.addDays()
	for i, note := range t.Notes {
		v.line(faint, first(i, "notes"), operation.LocalTimes(note), "")
	}
	v.line(faint, "", coast.Disclaimer, "")
	return v.String()
}

// first returns the label of the first line of several, "" for the others.
func first(i int, label string) string {
	if i > 0 {
		return ""
	}
	return label
}

// clock12 returns a time of day as the sentences have it: 9 AM, noon, 4:44 PM.
func clock12(t time.Time) string {
	if t.Format("15:04") == "12:00" {
		return "noon"
	}
	return strings.Replace(t.Format("3:04 PM"), ":00", "", 1)
}

// The columns of an hour in a line: of a day, and of a longer span, whose lines have rowHours.
const (
	wideHour   = 2
	narrowHour = 1
	rowHours   = 48
)

// addHours adds the hours of the day of the request, or those of a longer request: the signs, clock
// times under them, which hours are asked about, and what the signs mean.
func (v *verdict) addHours() {
	t, runs := v.Asked, v.Around.Hours
	if len(t.Hours) == 0 {
		return
	}
	day := facts.DayStart(t.From)
	row := hoursRow{screen: v.screen, runs: runs, from: day, to: day.AddDate(0, 0, 1), each: wideHour}
	if row.to.Sub(row.from) > 24*time.Hour { // when clocks go back
		row.each = narrowHour
	}
	if !t.To.After(row.to) {
		v.line(0, "hours", row.signs(), "")
		v.line(faint, "", row.scale(), "")
		v.line(faint, "asked", row.marks(t.From, t.To), "")
	} else {
		row = hoursRow{screen: v.screen, runs: t.Hours, each: narrowHour}
		for n := 0; ; n++ {
			row.from = t.From.Add(time.Duration(n) * rowHours * time.Hour)
			if !row.from.Before(t.To) {
				break
			}
			row.to = row.from.Add(min(rowHours*time.Hour, t.To.Sub(row.from)+time.Hour-1))
			v.line(0, first(n, "hours"), row.signs(), "")
			v.line(faint, "", row.scale(), "")
		}
	}
	v.addLegend()
}

// hoursRow draws the hours of a span in one line.
type hoursRow struct {
	screen
	runs     []decide.Run
	from, to time.Time
	each     int // columns of an hour
}

// column returns the column of a time.
func (r hoursRow) column(t time.Time) int {
	return int(t.Sub(r.from) * time.Duration(r.each) / time.Hour)
}

// signs returns the sign of each hour, a space for those that are not assessed.
func (r hoursRow) signs() string {
	var b strings.Builder
	drawn := 0
	for _, run := range r.runs {
		from := max(r.column(run.From), drawn)
		to := min(r.column(run.To.Add(time.Hour/time.Duration(r.each)-1)), r.column(r.to))
		if from >= to {
			continue
		}
		l := lookOf(run.State, run.Confidence)
		signs := strings.Repeat(l.sign, to-from)
		if l.color != 0 {
			signs = r.styled(l.color, signs)
		}
		b.WriteString(strings.Repeat(" ", from-drawn) + signs)
		drawn = to
	}
	return b.String()
}

// scale returns clock times below the signs, every three or six hours, and the weekday at midnight
// of a span of days.
func (r hoursRow) scale() string {
	line := ""
	for t := r.from.Add(time.Hour - 1).Truncate(time.Hour); t.Before(r.to); t = t.Add(time.Hour) {
		label, at := clock12(t), r.column(t)
		if t.Hour() == 0 && r.each == narrowHour {
			label = t.Format("Mon")
		}
		switch room := at - len(line); {
		case t.Hour()%(6/r.each) != 0, room < 0, room == 0 && line != "":
		case at+len(label) > r.column(r.to):
		default:
			line += strings.Repeat(" ", room) + label
		}
	}
	return line
}

// marks underlines a span.
func (r hoursRow) marks(from, to time.Time) string {
	a, b := r.column(from), r.column(to.Add(time.Hour/time.Duration(r.each)-1))
	return strings.Repeat(" ", a) + strings.Repeat("^", max(b-a, 1))
}

// addLegend adds what the signs of the hours and of the days mean, without dividing a meaning.
func (v *verdict) addLegend() {
	runs := slices.Clone(v.Around.Hours)
	for _, t := range append(slices.Clone(v.Days), v.Asked) {
		runs = append(runs, t.Hours...)
	}
	line := ""
	for _, l := range []look{against, unknown, care, known, nothing} {
		if !slices.ContainsFunc(runs, func(r decide.Run) bool {
			return lookOf(r.State, r.Confidence) == l
		}) {
			continue
		}
		meaning := l.sign + " " + l.words
		if line != "" && !v.fits(line+"  "+meaning) {
			v.line(faint, "", line, "")
			line = ""
		}
		line = strings.TrimLeft(line+"  "+meaning, " ")
	}
	v.line(faint, "", line, "")
}

// addReasons adds the reasons, worst first, each with its source.
func (v *verdict) addReasons() {
	for _, r := range v.Asked.Reasons {
		l := look{}
		from := v.source(r.SourceID)
		switch {
		case r.Missing():
			l, from = unknown, ""
		case r.Severity == decide.Action:
			l = against
		case r.Severity == decide.Watch:
			l = care
		}
		v.line(l.color, l.sign, operation.LocalTimes(r.Text), from)
	}
	if len(v.Asked.Hours) > 0 && len(v.Asked.Reasons) == 0 {
		v.line(0, nothing.sign, "No limit is reached in these hours.", "")
	}
}

// source returns a source of the result with its age, "" for an unknown id.
func (v *verdict) source(id string) string {
	i := slices.IndexFunc(v.Asked.Sources, func(s coast.Source) bool { return s.ID == id })
	if i < 0 {
		return ""
	}
	s := v.Asked.Sources[i]
	if s.AgeMinutes == nil || s.Kind == coast.Calculation || s.Kind == coast.Prediction {
		return s.Label
	}
	return s.Label + ", " + render.Age(*s.AgeMinutes)
}

// addBest adds the run with least against it: that of the request, and that of the next days.
func (v *verdict) addBest() {
	label := "best"
	if len(v.Asked.Hours) > 0 {
		text := "none of these hours"
		if b := v.Asked.Best; b != nil {
			text = bestText(b)
		}
		v.line(0, label, text, "")
		label = ""
	}
	var best *planning.TripHours
	for i := range v.Days {
		if d := &v.Days[i]; d.Best != nil && (best == nil || worse(best.Best, d.Best)) {
			best = d
		}
	}
	text := "none"
	if best != nil {
		text = best.From.Format("Mon 2 Jan") + ", " + bestText(best.Best)
	}
	v.line(0, label, "in 7 days: "+text, "")
}

// worse reports whether a run has more against it than another, or as much but is shorter.
func worse(a, b *decide.Best) bool {
	if a.State != b.State {
		return b.State == decide.Normal
	}
	return a.Minutes < b.Minutes
}

// bestText returns a best run in words.
func bestText(b *decide.Best) string {
	if b.State == decide.WatchState {
		return b.Text + ", with care"
	}
	return b.Text
}

// addDays adds a row for each of the next days: its hours, and its best run or else its sentence,
// in fewer words if these do not fit.
func (v *verdict) addDays() {
	v.line(faint, "7 days", "5 AM   noon   7 PM", "")
	for _, d := range v.Days {
		from := facts.DayStart(d.From)
		from = time.Date(from.Year(), from.Month(), from.Day(), planning.FirstHour, 0, 0, 0,
			from.Location())
		row := hoursRow{screen: v.screen, runs: d.Hours, from: from,
			to: from.Add((planning.LastHour - planning.FirstHour) * time.Hour), each: narrowHour}
		signs := row.signs()
		signs += strings.Repeat(" ", row.column(row.to)-visible(signs)+2)
		text := d.Sentence
		if d.Best != nil {
			text = bestText(d.Best)
		}
		if !v.fits(signs + text) {
			text = shortOf(d)
		}
		v.line(0, d.From.Format("Mon 2"), signs+text, "")
	}
}

// shortOf returns the best run of a day without its length, or else the day's worst state.
func shortOf(d planning.TripHours) string {
	b := d.Best
	if b == nil {
		return lookOf(d.State, d.Confidence).words
	}
	short := *b
	short.Text, _, _ = strings.Cut(b.Text, ",")
	return bestText(&short)
}
