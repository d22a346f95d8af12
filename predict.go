package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"leadline/internal/coast"
	"leadline/internal/config"
	"leadline/internal/server"
	"leadline/internal/stations"
	"leadline/tools"
)

// predict prints the predictions of one station, tide or current, as a
// table; -json prints the answer whole.
func predict(ctx context.Context, _ *config.Config, args []string, s streams) error {
	set, err := server.Offline(time.Now)
	if err != nil {
		return err
	}
	tool := toolFor(set, args)
	given, asJSON, err := readPredict(tool, args, s.err)
	if err != nil {
		return err
	}
	result, err := tool.Call(ctx, given)
	if err != nil {
		return err
	}
	if asJSON {
		body, err := result.Structured()
		fmt.Fprintf(s.out, "%s\n", body)
		return err
	}
	return printPrediction(s.out, result.Value)
}

// toolFor picks the operation by the kind of the first station named.
func toolFor(set *tools.Set, args []string) tools.Tool {
	name := "noaa_get_tide_predictions"
	for _, arg := range args {
		id, _, _ := strings.Cut(arg, "_")
		if st, ok := set.Stations.Station(id); ok && st.Kind == stations.Current {
			name = "noaa_get_current_predictions"
		}
	}
	for _, t := range set.Catalog() {
		if t.Name == name {
			return t
		}
	}
	panic("no tool " + name + ": the catalogue is ours")
}

// readPredict reads station and flags into the operation's arguments.
func readPredict(tool tools.Tool, args []string, stderr io.Writer) (given []byte, asJSON bool, err error) {
	fs := flag.NewFlagSet("predict", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.Usage = func() {
		fmt.Fprintln(stderr, "Usage: leadline predict STATION [flags]\n\nThe flags are the arguments of "+tool.Name+":")
		fs.PrintDefaults()
	}
	values := map[string]string{}
	var schema struct {
		Properties map[string]struct {
			Description string
			Enum        []string
			Default     any
		}
	}
	if err := json.Unmarshal(tool.Input, &schema); err != nil {
		return nil, false, err
	}
	for name, p := range schema.Properties {
		if name != "response_format" && name != "station" {
			about := p.Description
			if p.Enum != nil {
				about += " One of " + strings.Join(p.Enum, ", ") + "."
			}
			if p.Default != nil {
				about += fmt.Sprintf(" (default %v)", p.Default)
			}
			fs.Func(name, about, func(v string) error { values[name] = v; return nil })
		}
	}
	if _, ok := schema.Properties["hours"]; !ok {
		fs.Func("hours", "another name for range", func(v string) error { values["range"] = v; return nil })
	}
	fs.BoolVar(&asJSON, "json", false, "print the whole answer as JSON")
	for len(args) > 0 {
		if err := fs.Parse(args); err != nil {
			return nil, false, err
		}
		if args = fs.Args(); len(args) > 0 {
			if values["station"] != "" {
				return nil, false, fmt.Errorf("predict takes one station, not %q and %q", values["station"], args[0])
			}
			values["station"], args = args[0], args[1:]
		}
	}
	if values["station"] == "" {
		fs.Usage()
		return nil, false, errors.New("predict needs a station, such as leadline predict 8443970")
	}
	given, err = json.Marshal(values)
	return given, asJSON, err
}

// printPrediction writes a prediction for a person at a terminal.
func printPrediction(w io.Writer, value any) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	var frame coast.Frame
	switch p := value.(type) {
	case tools.TidePredictions:
		frame = p.Frame
		printHead(w, frame, "predicted tide above "+p.Datum+" (epoch "+p.DatumEpoch+")")
		printTides(table, p)
	case tools.CurrentPredictions:
		frame = p.Frame
		printHead(w, frame, "predicted current; flood "+heading(p.Directions.Flood)+", ebb "+heading(p.Directions.Ebb))
		printCurrents(table, p)
	}
	table.Flush()
	printFoot(w, frame)
	return nil
}

func printHead(w io.Writer, f coast.Frame, what string) {
	name := f.Station.Name
	if f.Station.State != "" {
		name += ", " + f.Station.State
	}
	fmt.Fprintf(w, "%s (%s): %s\nTimes: %s\n\n", name, f.Station.ID, what, f.TimeZone)
}

// heading is a direction in whole degrees true.
func heading(degrees *float64) string {
	if degrees == nil {
		return "(direction not known)"
	}
	return fmt.Sprintf("%.0f°", *degrees)
}

// atTerminal is how a person reads a time; the offset tells the clock's state.
const atTerminal = "Mon 2006-01-02 15:04 -07:00"

func printTides(w io.Writer, p tools.TidePredictions) {
	for _, e := range p.Extremes {
		fmt.Fprintf(w, "%s\t%s\t%8.3f %s\n", e.Time.Format(atTerminal), e.Type, e.Height, p.HeightUnit)
	}
	if p.Series != nil {
		for i, h := range p.Series.Heights {
			fmt.Fprintf(w, "%s\t%8.3f %s\n", tools.At(p.Series.Start, i, p.Series.StepMinutes).Format(atTerminal), h, p.HeightUnit)
		}
	}
}

func printCurrents(w io.Writer, p tools.CurrentPredictions) {
	for _, e := range p.Events {
		what := e.Type
		if e.Peak == "min" {
			what += " (least)"
		}
		speed := "no speed given"
		if e.Speed != nil {
			speed = fmt.Sprintf("%6.2f %s", *e.Speed, p.SpeedUnit)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", e.Time.Format(atTerminal), what, speed)
	}
	if p.Series != nil {
		for i, v := range p.Series.Velocities {
			fmt.Fprintf(w, "%s\t%+6.2f %s\n", tools.At(p.Series.Start, i, p.Series.StepMinutes).Format(atTerminal), v, p.SpeedUnit)
		}
	}
}

func printFoot(w io.Writer, f coast.Frame) {
	fmt.Fprintln(w)
	for _, source := range f.Sources {
		fmt.Fprintf(w, "%s (%s, data of %s)\n", source.Label, source.Provider, source.SourceAt.Format(time.DateOnly))
	}
	for _, m := range f.Missing {
		fmt.Fprintf(w, "Missing: %s: %s\n", m.Input, m.Reason)
	}
	for _, note := range f.Notes {
		fmt.Fprintln(w, note)
	}
}
