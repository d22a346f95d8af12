package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"text/tabwriter"
	"time"

	"leadline/internal/access"
	"leadline/internal/config"
	"leadline/internal/noaa"
	"leadline/internal/server"
	"leadline/internal/stations"
	"leadline/tools"
)

// verifyCommand is leadline verify [-stations N]: it compares own predictions
// with the provider's live ones.
func verifyCommand(ctx context.Context, c *config.Config, args []string, s streams) error {
	fs := flag.NewFlagSet("verify", flag.ContinueOnError)
	fs.SetOutput(s.err)
	bindFlags(c, fs)
	count := fs.Int("stations", 20, "how many stations to compare, spread over all")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if err := c.Load(); err != nil {
		return err
	}
	live, err := server.OpenLive(serverConfig(c, s), access.BuiltIn())
	if err != nil {
		return err
	}
	defer live.Close()
	live.Set.Overlay.Restore(ctx)
	return verify(ctx, live.Set, *count, s.out)
}

// comparison is how the predictions of one station compare.
type comparison struct {
	station                stations.Station
	unit                   string
	events, missing, extra int
	late                   time.Duration // largest difference in time
	off                    float64       // largest difference in height or speed
	err                    error
}

// event is a predicted extreme or slack, in metres or knots.
type event struct {
	time  time.Time
	value float64
}

// verify compares three days of events and prints a row for each station.
func verify(ctx context.Context, set *tools.Set, count int, out io.Writer) error {
	from := set.Now().UTC().Truncate(24 * time.Hour).Add(24 * time.Hour)
	span := noaa.Period{From: from, To: from.Add(72*time.Hour - time.Minute)}
	w := tabwriter.NewWriter(out, 2, 4, 2, ' ', 0)
	fmt.Fprintf(w, "station\tname\tevents\tmissing\textra\tlargest minutes\tlargest difference\n")
	asked, failed := 0, []error{}
	for _, st := range spread(set.Stations, count) {
		c := compare(ctx, set, st, span)
		if c.err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", st.ID, c.err))
			fmt.Fprintf(w, "%s\t%s\tnot compared: %v\n", st.ID, st.Name, c.err)
			continue
		}
		asked++
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%.0f\t%.4f %s\n", st.ID, st.Name, c.events, c.missing, c.extra, c.late.Minutes(), c.off, c.unit)
	}
	w.Flush()
	if asked == 0 {
		return fmt.Errorf("nothing could be compared: %w", errors.Join(failed[:min(1, len(failed))]...))
	}
	return nil
}

// spread picks stations that predict, at equal distances in order of id.
func spread(directory *stations.Directory, count int) []stations.Station {
	var all []stations.Station
	for _, st := range directory.All("") {
		if st.Subordinate() || st.HasConstants() {
			all = append(all, st)
		}
	}
	count = min(max(count, 1), len(all))
	picked := make([]stations.Station, count)
	for i := range picked {
		picked[i] = all[i*len(all)/count]
	}
	return picked
}

func compare(ctx context.Context, set *tools.Set, st stations.Station, span noaa.Period) comparison {
	c := comparison{station: st}
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	var ours, theirs []event
	if st.Kind == stations.Tide {
		c.unit = "m"
		ours, theirs, c.err = tideEvents(ctx, set, st, span)
	} else {
		c.unit = "kn"
		ours, theirs, c.err = currentEvents(ctx, set, st, span)
	}
	c.match(ours, theirs)
	return c
}

func tideEvents(ctx context.Context, set *tools.Set, st stations.Station, span noaa.Period) (ours, theirs []event, err error) {
	tides, ok := set.Stations.Tides(st, "MLLW")
	if !ok {
		return nil, nil, errors.New("it has no MLLW")
	}
	live, err := set.Water.Predictions(ctx, st.ID, "MLLW", "hilo", span)
	for _, p := range live.Rows {
		theirs = append(theirs, event{p.Time, p.Height})
	}
	for _, e := range tides.Extremes(span.From, span.To) {
		ours = append(ours, event{e.Time, math.Round(e.Height*1000) / 1000})
	}
	return ours, theirs, err
}

func currentEvents(ctx context.Context, set *tools.Set, st stations.Station, span noaa.Period) (ours, theirs []event, err error) {
	currents, ok := set.Stations.Currents(st)
	if !ok {
		return nil, nil, errors.New("it has no constants")
	}
	id, bin := st.Bin()
	var of *int
	if bin > 0 {
		of = &bin
	}
	live, weak, err := set.Water.CurrentPredictions(ctx, id, of, "max_slack", span)
	if weak {
		err = errors.New("NOAA calls its currents weak and variable")
	}
	const knot = 185200.0 / 3600 // cm/s
	for _, p := range live.Rows {
		if p.Velocity != nil {
			theirs = append(theirs, event{p.Time, *p.Velocity / knot})
		}
	}
	for _, e := range currents.Events(span.From, span.To) {
		ours = append(ours, event{e.Time, e.Velocity})
	}
	return ours, theirs, err
}

// match pairs events that are at most ten minutes apart, in order of time.
func (c *comparison) match(ours, theirs []event) {
	const near = 10 * time.Minute
	c.events = len(theirs)
	for len(ours) > 0 && len(theirs) > 0 {
		late := ours[0].time.Sub(theirs[0].time)
		switch {
		case late.Abs() <= near:
			c.late, c.off = max(c.late, late.Abs()), max(c.off, math.Abs(ours[0].value-theirs[0].value))
			ours, theirs = ours[1:], theirs[1:]
		case late < 0:
			c.extra, ours = c.extra+1, ours[1:]
		default:
			c.missing, theirs = c.missing+1, theirs[1:]
		}
	}
	c.missing, c.extra = c.missing+len(theirs), c.extra+len(ours)
}
