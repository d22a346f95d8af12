package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"leadline/internal/stations"
	"leadline/internal/verify"
)

// verifyCommand returns leadline verify.
func (p *program) verifyCommand() *cobra.Command {
	var count int
	var all bool
	var run liveRun
	c := uses(&cobra.Command{
		Use: "verify", Short: "Compare predictions with NOAA's and print the differences",
		Long: "Compare our predictions of the next three days with NOAA's live ones, for stations " +
			"spread over the directory, and print the largest differences of each. With --all, " +
			"compare every station with constants of its own, which takes a while, and print those " +
			"that differ by more than rounding explains.\n" + liveHelp,
		Args: takes(),
	}, "data", "offline", "coops-url", "nws-url", "contact", "log-level", "log-format")
	c.RunE = p.run(func(ctx context.Context, _ []string) error {
		if run.wanted || run.archive != "" {
			return p.verifyLive(ctx, run)
		}
		live, err := p.live(p.config)
		if err != nil {
			return err
		}
		defer live.Close()
		live.Set.Overlay.Restore(ctx)
		comparer := verify.Comparer{
			Stations: live.Set.Stations, Water: live.Set.Water, Now: live.Set.Now,
		}
		if all {
			return p.verifyAll(ctx, comparer)
		}
		return p.verify(ctx, comparer, count)
	})
	c.Flags().IntVar(&count, "stations", 20, "`NUMBER` of stations to compare")
	c.Flags().BoolVar(&all, "all", false, "compare all stations with constants of their own")
	addLive(c, &run)
	c.MarkFlagsMutuallyExclusive("stations", "all", "live")
	return c
}

var verifyHead = []string{
	"STATION", "NAME", "EVENTS", "MISSING", "EXTRA", "LARGEST MINUTES", "LARGEST DIFFERENCE",
}

// verifyRow returns the row of a station.
func verifyRow(r verify.Result) []string {
	if r.Err != nil {
		return []string{r.ID, r.Name, "not compared: " + r.Err.Error()}
	}
	return []string{
		r.ID, r.Name, fmt.Sprint(r.Events), fmt.Sprint(r.Missing), fmt.Sprint(r.Extra),
		fmt.Sprint(r.Minutes), fmt.Sprintf("%.4f %s", r.Difference, r.Unit()),
	}
}

// verify compares some stations and prints a row for each.
func (p *program) verify(ctx context.Context, comparer verify.Comparer, count int) error {
	rows := [][]string{verifyHead}
	var first error
	compared := 0
	for _, st := range spread(comparer.Stations, count) {
		r := comparer.Compare(ctx, st)
		rows = append(rows, verifyRow(r))
		switch {
		case r.Err == nil:
			compared++
		case first == nil:
			first = fmt.Errorf("%s: %w", st.ID, r.Err)
		}
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

// verifyAll compares all stations with constants of their own, and prints those that differ and a
// summary. On a terminal it prints its progress.
func (p *program) verifyAll(ctx context.Context, comparer verify.Comparer) error {
	list, attended := comparer.References(), attended(p.streams.Err)
	report := verify.Report{Stations: len(list)}
	rows := [][]string{verifyHead}
	for i, st := range list {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if attended {
			fmt.Fprintf(p.streams.Err, "\r%d of %d stations, %d differ", i, len(list), report.Differing)
		}
		r := comparer.Compare(ctx, st)
		report.Add(r, nil)
		if r.Differs {
			rows = append(rows, verifyRow(r))
		}
	}
	if attended {
		fmt.Fprintln(p.streams.Err)
	}
	if len(rows) > 1 {
		if err := printTable(p.streams.Out, rows); err != nil {
			return err
		}
	}
	return p.printReport(report)
}

// printReport prints a summary. It returns an error if no station could be compared.
func (p *program) printReport(r verify.Report) error {
	err := p.printf("%d of %d stations compared; %d with more difference than rounding explains.\n",
		r.Compared, r.Stations, r.Differing)
	if err == nil && r.Largest() != "" {
		err = p.printf("The largest differences are %s.\n", r.Largest())
	}
	for _, reason := range r.Reasons() {
		if err == nil {
			err = p.printf("%d not compared: %s.\n", reason.Count, reason.Text)
		}
	}
	if err == nil && r.Compared == 0 {
		return errors.New("no station could be compared")
	}
	return err
}
