package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"leadline/internal/coast"
	"leadline/internal/currents"
	"leadline/internal/operation"
	"leadline/internal/place"
	"leadline/internal/planning"
	"leadline/internal/server"
	"leadline/internal/stations"
	"leadline/internal/tides"
	"leadline/internal/words"
)

// The operations behind predict.
const (
	tidePredictions    = "noaa_get_tide_predictions"
	currentPredictions = "noaa_get_current_predictions"
)

// predictUsage describes the flags of predict; %s is the list of values.
var predictUsage = []struct{ argument, usage string }{
	{"begin_date", "first day or time, such as 2026-11-20 or \"2026-11-20 15:04\""},
	{"end_date", "last day or time, inclusive"},
	{"date", "today, tomorrow, a day, latest or recent; in place of begin and end"},
	{"range", "number of hours, from 1 to 87600"},
	{"interval", "events, or the step of a series; tides: %s; currents: %s"},
	{"datum", "zero of tide heights: %s"},
	{"units", "%s: feet and knots, meters and knots, or meters and centimeters a second"},
	{"time_zone", "zone of times: lst_ldt, lst, gmt or a name such as America/New_York"},
	{"bin", "depth bin of a current station; its usual bin if not given"},
	{"below", "print the windows in which the tide is at or below this height"},
	{"above", "print the windows in which the tide is at or above this height"},
	{"at_most", "print the windows in which the current runs at most this fast"},
	{"at_least", "print the windows in which the current runs at least this fast"},
	{"light", "only windows and events in this light: %s"},
	{"type", "only these events: %s"},
	{"top", "with --type: this number of the highest or lowest, in up to a year"},
	{"vel_type", "default: along the axis of the current; speed_dir is not available"},
}

// predictCommand returns leadline predict.
func (p *program) predictCommand(catalog []operation.Tool) *cobra.Command {
	var asJSON, short bool
	var chartStyle string
	arguments := map[string]any{}
	c := &cobra.Command{
		Use:   "predict STATION|PLACE [DATE]",
		Short: "Print the predictions of a tide or current station",
		Long: "Print the predictions of a tide or current station, or of the tide at a town, a bay or " +
			"a ZIP code. They are computed here, without a network. Where a place has two waters, a " +
			"word behind its name chooses one, such as ocean, bay, lagoon, river or waterway. leadline " +
			"search finds the id of a station.",
		Example: "leadline predict 8443970\n" +
			"leadline predict \"half moon bay\" tomorrow\n" +
			"leadline predict 8443970 --begin-date 2026-11-21 --hours 6 --interval 30\n" +
			"leadline predict 8443970 --hours 48 --chart\n" +
			"leadline predict \"half moon bay\" --range 720 --below 0 --light daylight\n" +
			"leadline predict boston --begin-date 2027-01-01 --range 8760 --type high --top 3\n" +
			"leadline predict ACT0091 --json",
		Args: takesSome("STATION or PLACE"), ValidArgsFunction: completeStation,
	}
	c.RunE = p.run(func(ctx context.Context, args []string) error {
		set, err := server.Offline(p.now)
		if err != nil {
			return err
		}
		s, err := p.screen()
		if err != nil {
			return err
		}
		given := arguments["date"]
		where := readWhere(args, arguments)
		if given != nil && arguments["date"] != given {
			return fmt.Errorf("invalid date %q: --date gives another", arguments["date"])
		}
		op := toolNamed(set.Catalog(), predictor(set.Stations, where, arguments))
		if err := checkKnown(op, arguments, where); err != nil {
			return err
		}
		value, err := p.streams.call(ctx, op, arguments, asJSON)
		if err != nil || value == nil {
			return err
		}
		from := notAsked(frameOf(value).Provenance)
		if chartStyle != "" {
			if from, err = p.drawPrediction(ctx, op, arguments, chartStyle); err != nil {
				return err
			}
		}
		t := timetable{screen: s, now: p.now(), decimals: decimals(frameOf(value).Units, short)}
		if err := t.print(p.streams.Out, value); err != nil {
			return err
		}
		printSources(p.streams.Out, from)
		return nil
	})
	if catalog != nil {
		bindPredict(c, catalog, arguments)
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the whole result as JSON")
	c.Flags().StringVar(&chartStyle, "chart", "",
		"draw the curve first: braille, ascii, or auto, which follows the locale")
	c.Flags().Lookup("chart").NoOptDefVal = chartAuto
	c.MarkFlagsMutuallyExclusive("json", "chart")
	addShort(c, &short)
	p.addColor(c)
	return c
}

// stationID matches station ids: digits, letters and digits, or one of these
// with a bin number.
var stationID = coast.Pattern(`^([0-9]{7}|[A-Za-z]{1,3}[0-9]{4,6})(_[0-9]+)?$`)

// dateWord matches a date after a place that planning does not name a day: a word for observations,
// or what looks like a date. Dates with slashes are no valid dates; as dates, they get the error
// that shows the right form.
var dateWord = coast.Pattern(`^(?i:latest|recent|\+[0-9]+|[0-9]+[-/.][0-9]+[-/.][^ ]*|[0-9]{8})$`)

// readWhere parses a station or a place, with an optional date at the end, into
// arguments. It returns the station or the place.
func readWhere(args []string, arguments map[string]any) string {
	words := strings.Fields(strings.Join(args, " "))
	if from, to := dayIn(words); from > 0 && to == len(words) {
		arguments["date"] = strings.Join(words[from:], " ")
		words = words[:from]
	}
	where := strings.Join(words, " ")
	if stationID().MatchString(where) {
		arguments["station"] = where
	} else {
		arguments["place"] = where
	}
	return where
}

// longestDay is the number of words of the longest phrase for a day: the day after tomorrow.
const longestDay = 4

// dayIn returns where the last day, or phrase for one, begins and ends in words after the first; 0
// without a day.
func dayIn(words []string) (from, to int) {
	for to := len(words); to > 1; to-- {
		for from := max(1, to-longestDay); from < to; from++ {
			text := strings.Join(words[from:to], " ")
			if dateWord().MatchString(text) || planning.NamesDay(text) {
				return from, to
			}
		}
	}
	return 0, 0
}

// predictor returns the operation for a station, or for a place according to
// the flags.
func predictor(d *stations.Directory, where string, arguments map[string]any) string {
	id, _, _ := strings.Cut(where, "_")
	st, ok := d.Station(id)
	bin, velocity := arguments["bin"], arguments["vel_type"]
	if ok && st.Kind == stations.Current || !ok && (bin != nil || velocity != nil) {
		return currentPredictions
	}
	return tidePredictions
}

// completeStation completes the id of a station from its first characters or its name.
func completeStation(
	_ *cobra.Command, args []string, typed string,
) ([]string, cobra.ShellCompDirective) {
	directory, err := stations.Open()
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var list []string
	for _, st := range directory.Search(typed, nil) {
		place := words.WithState(st.Name, st.State)
		if strings.HasPrefix(st.ID, strings.ToUpper(typed)) {
			list = append(list, cobra.CompletionWithDesc(st.ID, place))
		}
	}
	return list, cobra.ShellCompDirectiveNoFileComp
}

// bindPredict adds the flags of both operations, which it looks up in the
// catalog.
func bindPredict(c *cobra.Command, catalog []operation.Tool, arguments map[string]any) {
	tides, currents := toolNamed(catalog, tidePredictions), toolNamed(catalog, currentPredictions)
	ofTides, ofCurrents, all := properties(tides), properties(currents), properties(tides, currents)
	for _, u := range predictUsage {
		usage := u.usage
		switch strings.Count(usage, "%s") {
		case 1:
			usage = fmt.Sprintf(usage, all[u.argument].oneOf())
		case 2:
			usage = fmt.Sprintf(usage, ofTides[u.argument].oneOf(), ofCurrents[u.argument].oneOf())
		}
		all[u.argument].bind(c, u.argument, usage, arguments)
	}
	flags := c.Flags()
	hours := *flags.Lookup("range") // two names for one value
	hours.Name = "hours"
	flags.AddFlag(&hours)
	flags.Lookup("range").Hidden = true
}

// checkKnown returns an error if a flag does not apply to this kind of station.
func checkKnown(op operation.Tool, arguments map[string]any, station string) error {
	known := properties(op)
	for name := range arguments {
		if _, ok := known[name]; !ok {
			flag := strings.ReplaceAll(name, "_", "-")
			return fmt.Errorf("invalid --%s: not for a station of the kind of %s", flag, station)
		}
	}
	return nil
}

// frameOf returns the frame of a prediction.
func frameOf(value any) coast.Frame {
	switch v := value.(type) {
	case tides.TidePredictions:
		return v.Frame
	case currents.CurrentPredictions:
		return v.Frame
	}
	return coast.Frame{}
}

// timetable lays out predictions: a row for each time. The next event is bold, and a mark is at the
// row of now.
type timetable struct {
	screen
	now      time.Time
	decimals int // of heights
	rows     [][]string
	marked   bool // there is a row of now
}

// print prints a prediction in readable form, without its sources.
func (t *timetable) print(w io.Writer, value any) error {
	switch v := value.(type) {
	case tides.TidePredictions:
		printHead(w, v.Frame, v.ForPlace,
			"predicted tide above "+string(v.Datum)+" (epoch "+v.DatumEpoch+")")
		fmt.Fprint(w, summary(v))
		t.addTides(v)
	case currents.CurrentPredictions:
		directions := "flood " + heading(v.Directions.Flood) + ", ebb " + heading(v.Directions.Ebb)
		printHead(w, v.Frame, v.ForPlace, "predicted current; "+directions)
		if v.Series == nil && len(v.Windows)+len(v.Events) == 0 {
			fmt.Fprintln(w, v.Nothing())
		}
		t.addCurrents(v)
	}
	if len(t.rows) == 0 {
		return nil
	}
	return printTable(w, t.rows)
}

// add adds a row.
func (t *timetable) add(at time.Time, cells ...string) {
	t.rows = append(t.rows, append([]string{at.Format(localTime)}, cells...))
}

// event adds the row of an event. If the rows contain now, state describes it, and is in a row of
// its own before the next event, which is bold.
func (t *timetable) event(at time.Time, state string, cells ...string) {
	indent := ""
	if state != "" {
		indent = "  "
	}
	row := append([]string{at.Format(localTime)}, cells...)
	if !t.marked && at.After(t.now) {
		t.mark(at.Location(), state)
		for i := range row {
			row[i] = t.styled(bold, row[i])
		}
	}
	row[0] = indent + row[0]
	t.rows = append(t.rows, row)
}

// mark adds the row of now, once, unless state is empty.
func (t *timetable) mark(zone *time.Location, state string) {
	if t.marked || state == "" {
		return
	}
	t.marked = true
	t.rows = append(t.rows, []string{"> " + t.styled(cyan, t.now.In(zone).Format(localTime)),
		t.styled(cyan, "now"), t.styled(cyan, state)})
}

func printHead(w io.Writer, f coast.Frame, at place.ForPlace, what string) {
	name := words.WithState(f.Station.Name, f.Station.State)
	place := ""
	if at.Place != nil {
		place = ", " + at.Place.String()
	}
	fmt.Fprintf(w, "%s (%s)%s: %s\nTimes: %s\n\n", name, f.Station.ID, place, what, f.TimeZone)
}

// heading formats a direction in whole degrees true.
func heading(degrees *float64) string {
	if degrees == nil {
		return "(direction not known)"
	}
	return fmt.Sprintf("%.0f°", *degrees)
}

// localTime is the layout of times with a zone; the offset shows daylight saving time.
const localTime = "Mon 2006-01-02 15:04 -07:00"

// summary returns the lines above the windows or ranks of a prediction, or the line that
// there are no rows.
func summary(p tides.TidePredictions) string {
	switch {
	case p.Summary != "":
		return p.Summary + "\n\n"
	case p.Series == nil && len(p.Extremes) == 0:
		return p.Nothing() + "\n"
	}
	return ""
}

// addTides adds the rows of a tide.
func (t *timetable) addTides(p tides.TidePredictions) {
	height := func(v float64) string { return fmt.Sprintf("%6.*f %s", t.decimals, v, p.HeightUnit) }
	state := ""
	if n := p.Now; n != nil {
		state = height(n.Height) + ", " + strings.ReplaceAll(string(n.State), "_", " ")
		defer func() { t.mark(n.Time.Location(), state) }()
	}
	for _, r := range p.Ranks {
		t.add(r.Time, string(r.Type), height(r.Height))
	}
	for _, e := range p.Extremes {
		t.event(e.Time, state, string(e.Type), height(e.Height))
	}
	for _, window := range p.Windows {
		t.add(window.From, "to "+window.To.Format("15:04"), fmt.Sprintf("%d min", window.Minutes),
			height(window.Extreme.Height)+" at "+window.Extreme.Time.Format("15:04"))
	}
	if p.Series == nil {
		return
	}
	for i, v := range p.Series.Heights {
		t.add(operation.At(p.Series.Start, i, p.Series.StepMinutes), height(v))
	}
}

// addCurrents adds the rows of a current.
func (t *timetable) addCurrents(p currents.CurrentPredictions) {
	state := ""
	if n := p.Now; n != nil {
		state = fmt.Sprintf("%6.2f %s, %s", n.Speed, p.SpeedUnit, n.Phase)
		defer func() { t.mark(n.Time.Location(), state) }()
	}
	for _, window := range p.Windows {
		t.add(window.From, "to "+window.To.Format("15:04"), fmt.Sprintf("%d min", window.Minutes),
			highlight(window, p.SpeedUnit))
	}
	for _, e := range p.Events {
		what := e.Type
		if e.Peak == "min" {
			what += " (least)"
		}
		speed := "no speed given"
		if e.Speed != nil {
			speed = fmt.Sprintf("%6.2f %s", *e.Speed, p.SpeedUnit)
		}
		t.event(e.Time, state, what, speed)
	}
	if p.Series == nil {
		return
	}
	for i, velocity := range p.Series.Velocities {
		at := operation.At(p.Series.Start, i, p.Series.StepMinutes)
		t.add(at, fmt.Sprintf("%+6.2f %s", velocity, p.SpeedUnit))
	}
}

// highlight returns the slack of a window, or the greatest speed in it.
func highlight(w currents.CurrentWindow, unit string) string {
	switch {
	case w.SlackAt != nil:
		return fmt.Sprintf("slack at %s, %s", w.SlackAt.Format("15:04"), w.Turn)
	case w.Peak != nil:
		return fmt.Sprintf("up to %.2f %s at %s", w.Peak.Speed, unit, w.Peak.Time.Format("15:04"))
	}
	return string(w.Kind)
}

// notAsked returns the provenance of predictions. It adds why some data about a
// station's bin is missing: only the provider knows it, and predict does not
// send requests.
func notAsked(p coast.Provenance) coast.Provenance {
	p.Missing = slices.Clone(p.Missing)
	for i, m := range p.Missing {
		if m.Input == "bin" || m.Input == "depth" {
			p.Missing[i].Reason = "the embedded data does not have it, and this command asks no provider"
		}
	}
	return p
}

// printSources prints the sources of a result, the missing parts, and notes.
func printSources(w io.Writer, p coast.Provenance) {
	fmt.Fprintln(w)
	for _, s := range p.Sources {
		of := "of an unknown date"
		if s.SourceAt != nil {
			of = "of " + s.SourceAt.Format(time.DateOnly)
		}
		fmt.Fprintf(w, "%s (%s, data %s)\n", s.Label, s.Provider, of)
	}
	for _, m := range p.Missing {
		fmt.Fprintf(w, "Missing: %s: %s\n", m.Input, m.Reason)
	}
	for _, note := range p.Notes {
		fmt.Fprintln(w, note)
	}
}
