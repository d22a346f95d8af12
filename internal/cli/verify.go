package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"

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
		if count < 1 {
			return fmt.Errorf("invalid --stations %d: must be 1 or more", count)
		}
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
			Stations: live.Set.Stations, Water: live.Set.NOAA, Now: live.Set.Now,
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
	c.MarkFlagsMutuallyExclusive("stations", "all", "archive") // which means --live
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
	c := comparison{list: spread(comparer.Stations, count), compare: comparer.Compare, each: true}
	c.run(ctx, func() {})
	return p.printComparison(ctx, c)
}

// spread selects evenly spaced stations with predictions, in order of id.
func spread(directory *stations.Directory, count int) []stations.Station {
	var all []stations.Station
	for _, st := range directory.All("") {
		if st.Subordinate() || st.HasConstants() {
			all = append(all, st)
		}
	}
	picked := make([]stations.Station, min(count, len(all)))
	for i := range picked {
		picked[i] = all[i*len(all)/len(picked)]
	}
	return picked
}

// progressEvery is the number of stations after which verify --all prints a line of progress.
const progressEvery = 100

// verifyAll compares all stations with constants of their own, and prints its progress to standard
// error, those that differ and a summary.
func (p *program) verifyAll(ctx context.Context, comparer verify.Comparer) error {
	c := comparison{list: comparer.References(), compare: comparer.Compare}
	done := 0
	c.run(ctx, func() {
		if done++; done%progressEvery == 0 || done == len(c.list) {
			p.notef("%d of %d stations done: %d compared, %d differ\n", done, len(c.list),
				c.report.Compared, c.report.Differing)
		}
	})
	return p.printComparison(ctx, c)
}

// comparison compares stations one after another.
type comparison struct {
	list    []stations.Station
	compare func(context.Context, stations.Station) verify.Result
	each    bool // a row for each station, not only for those that differ

	report  verify.Report
	rows    [][]string
	without map[string][]string // ids of stations that were not compared, by reason
	first   error               // why the first of them was not
}

// run compares the stations until ctx ends, and calls progress after each.
func (c *comparison) run(ctx context.Context, progress func()) {
	c.report.Stations, c.without = len(c.list), map[string][]string{}
	for _, st := range c.list {
		r := c.compare(ctx, st)
		if ctx.Err() != nil {
			return
		}
		c.report.Add(r, nil)
		if r.Differs || c.each {
			c.rows = append(c.rows, verifyRow(r))
		}
		if r.Err != nil {
			reason := verify.ReasonOf(r.Err)
			c.without[reason] = append(c.without[reason], r.ID)
			c.first = cmp.Or(c.first, fmt.Errorf("%s: %w", r.ID, r.Err))
		}
		progress()
	}
}

// printComparison prints the rows and a summary. It returns an error if ctx has ended or too few
// stations were compared.
func (p *program) printComparison(ctx context.Context, c comparison) error {
	r := c.report
	if !r.Complete() {
		err := p.printf("Incomplete: %d of %d stations compared.\n", r.Compared, r.Stations)
		if err != nil {
			return err
		}
	}
	if len(c.rows) > 0 {
		if err := printTable(p.streams.Out, append([][]string{verifyHead}, c.rows...)); err != nil {
			return err
		}
	}
	if !c.each {
		if err := p.printf("%s", c.summary()); err != nil {
			return err
		}
	}
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("interrupted: %d of %d stations compared", r.Compared, r.Stations)
	case r.Compared == 0:
		return fmt.Errorf("no station could be compared: %w", c.first)
	case !r.Complete():
		return fmt.Errorf("incomplete: %d of %d stations compared, want %.0f %%; run it again later",
			r.Compared, r.Stations, 100*verify.Enough)
	}
	return nil
}

// summary describes the report. It names the stations that were not compared, at most ten for each
// reason.
func (c comparison) summary() string {
	const most = 10
	r := c.report
	text := fmt.Sprintf("%d of %d stations compared; %d with more difference than rounding "+
		"explains.\n", r.Compared, r.Stations, r.Differing)
	if r.Largest() != "" {
		text += fmt.Sprintf("The largest differences are %s.\n", r.Largest())
	}
	for _, reason := range r.Reasons() {
		ids, more := c.without[reason.Text], ""
		if len(ids) > most {
			ids, more = ids[:most], fmt.Sprintf(" and %d more", len(ids)-most)
		}
		text += fmt.Sprintf("%d not compared: %s (%s%s).\n", reason.Count, reason.Text,
			strings.Join(ids, ", "), more)
	}
	return text
}
