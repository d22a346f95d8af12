package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/spf13/cobra"

	"leadline/internal/noaa"
	"leadline/internal/stations"
	"leadline/tools"
)

// verifyCommand returns leadline verify.
func (p *program) verifyCommand() *cobra.Command {
	var count int
	c := uses(&cobra.Command{
		Use: "verify", Short: "Compare predictions with NOAA's and print the differences",
		Long: "Compare our predictions of the next three days with NOAA's live ones, for stations " +
			"spread over the directory, and print the largest differences of each.",
		Args: takes(),
	}, "data", "coops-url", "contact", "log-level", "log-format")
	c.RunE = p.run(func(ctx context.Context, _ []string) error {
		live, err := p.live(p.config)
		if err != nil {
			return err
		}
		defer live.Close()
		live.Set.Overlay.Restore(ctx)
		return p.verify(ctx, live.Set, count)
	})
	c.Flags().IntVar(&count, "stations", 20, "`NUMBER` of stations to compare")
	return c
}

// verify compares the stations and prints a row for each.
func (p *program) verify(ctx context.Context, set *tools.Set, count int) error {
	from := set.Now().UTC().Truncate(24 * time.Hour).Add(24 * time.Hour)
	span := noaa.Period{From: from, To: from.Add(72*time.Hour - time.Minute)}
	rows := [][]string{{
		"STATION", "NAME", "EVENTS", "MISSING", "EXTRA", "LARGEST MINUTES", "LARGEST DIFFERENCE",
	}}
	var first error
	compared := 0
	for _, st := range spread(set.Stations, count) {
		c, err := compare(ctx, set, st, span)
		if err != nil {
			if first == nil {
				first = fmt.Errorf("%s: %w", st.ID, err)
			}
			rows = append(rows, []string{st.ID, st.Name, "not compared: " + err.Error()})
			continue
		}
		compared++
		rows = append(rows, append([]string{st.ID, st.Name}, c.cells()...))
	}
	if err := printTable(p.streams.Out, rows); err != nil {
		return err
	}
	if compared == 0 {
		return fmt.Errorf("no station could be compared: %w", first)
	}
	return nil
}

// spread selects evenly spaced stations with predictions, in order of id.
func spread(directory *stations.Directory, count int) []stations.Station {
	var all []stations.Station
	for _, st := range directory.All("") {
		if st.Subordinate() || st.HasConstants() {
			all = append(all, st)
		}
	}
	picked := make([]stations.Station, min(max(count, 1), len(all)))
	for i := range picked {
		picked[i] = all[i*len(all)/len(picked)]
	}
	return picked
}

// comparison holds the differences between two lists of events of a station.
type comparison struct {
	unit                   string
	events, missing, extra int
	shift                  time.Duration // largest difference in time
	difference             float64       // largest difference in height or speed
}

func (c comparison) cells() []string {
	return []string{
		fmt.Sprint(c.events), fmt.Sprint(c.missing), fmt.Sprint(c.extra),
		fmt.Sprintf("%.0f", c.shift.Minutes()), fmt.Sprintf("%.4f %s", c.difference, c.unit),
	}
}

// event is a predicted extreme or slack, in meters or knots.
type event struct {
	time  time.Time
	value float64
}

// compare compares the events of a station in a period.
func compare(
	ctx context.Context, set *tools.Set, st stations.Station, span noaa.Period,
) (c comparison, err error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	var ours, theirs []event
	if st.Kind == stations.Tide {
		c.unit = "m"
		ours, theirs, err = tideEvents(ctx, set, st, span)
	} else {
		c.unit = "kn"
		ours, theirs, err = currentEvents(ctx, set, st, span)
	}
	c.match(ours, theirs)
	return c, err
}

func tideEvents(
	ctx context.Context, set *tools.Set, st stations.Station, span noaa.Period,
) (ours, theirs []event, err error) {
	tides, ok := set.Stations.Tides(st, "MLLW")
	if !ok {
		return nil, nil, errors.New("it does not have MLLW")
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

func currentEvents(
	ctx context.Context, set *tools.Set, st stations.Station, span noaa.Period,
) (ours, theirs []event, err error) {
	currents, ok := set.Stations.Currents(st)
	if !ok {
		return nil, nil, errors.New("it does not have constants")
	}
	id, bin := st.Bin()
	var at *int
	if bin > 0 {
		at = &bin
	}
	live, weak, err := set.Water.CurrentPredictions(ctx, id, at, "max_slack", span)
	if weak {
		err = errors.New("NOAA describes its currents as weak and variable")
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
		shift := ours[0].time.Sub(theirs[0].time)
		switch {
		case shift.Abs() <= near:
			c.shift = max(c.shift, shift.Abs())
			c.difference = max(c.difference, math.Abs(ours[0].value-theirs[0].value))
			ours, theirs = ours[1:], theirs[1:]
		case shift < 0:
			c.extra, ours = c.extra+1, ours[1:]
		default:
			c.missing, theirs = c.missing+1, theirs[1:]
		}
	}
	c.missing, c.extra = c.missing+len(theirs), c.extra+len(ours)
}
