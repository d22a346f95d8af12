package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"leadline/internal/coast"
	"leadline/internal/operation"
	"leadline/internal/server"
	"leadline/internal/stations"
	"leadline/internal/telegram"
	"leadline/internal/tides"
)

// tideTelegram is the operation behind telegram.
const tideTelegram = "leadline_tide_telegram"

// telegramUsage describes the flags of telegram; %s is the list of values.
var telegramUsage = []struct{ argument, usage string }{
	{"date", "first day, such as 2026-11-20; today if not given"},
	{"days", "number of days"},
	{"datum", "zero of heights: %s"},
	{"units", "%s: feet, or meters"},
	{"time_zone", "zone of days and times: lst_ldt, lst, gmt or a name such as America/New_York"},
}

// telegramCommand returns leadline telegram.
func (p *program) telegramCommand(catalog []operation.Tool) *cobra.Command {
	var asJSON bool
	var received string
	arguments := map[string]any{}
	c := &cobra.Command{
		Use:   "telegram STATION|PLACE [DATE]",
		Short: "Print the tides of two days as one short message",
		Long: "Print the high and low waters of whole days as one line of at most 160 characters, for " +
			"SMS and satellite messages. The line goes to standard output, its sources and notes to " +
			"standard error. With --read, print what a received line says.",
		Example: "leadline telegram 8443970\n" +
			"leadline telegram \"half moon bay\" tomorrow --days 1 --units metric\n" +
			"leadline telegram --read \"8443970 FT MLLW -0500 22NOV H0719 9.3 L1334 0.4 " +
			"NOAA PRED NOT FOR NAV\"",
		ValidArgsFunction: completeStation,
	}
	c.RunE = p.run(func(ctx context.Context, args []string) error {
		if received != "" && len(args) > 0 {
			return fmt.Errorf("invalid --read: quote the whole telegram; %q came after it", args[0])
		}
		if received != "" {
			return readTelegram(p.streams.Out, received, time.Now())
		}
		if err := takesSome("STATION or PLACE")(c, args); err != nil {
			return err
		}
		return p.telegram(ctx, args, arguments, asJSON)
	})
	if catalog != nil {
		of := properties(toolNamed(catalog, tideTelegram))
		for _, f := range telegramUsage {
			usage := strings.ReplaceAll(f.usage, "%s", of[f.argument].oneOf())
			of[f.argument].bind(c, f.argument, usage, arguments)
		}
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the whole result as JSON")
	c.Flags().StringVar(&received, "read", "", "print the days and tides of this `TELEGRAM`")
	return c
}

// telegram prints the telegram of a station or a place.
func (p *program) telegram(
	ctx context.Context, args []string, arguments map[string]any, asJSON bool,
) error {
	set, err := server.Offline(p.now)
	if err != nil {
		return err
	}
	given := arguments["date"]
	readWhere(args, arguments)
	if given != nil && arguments["date"] != given {
		return fmt.Errorf("invalid date %q: --date gives another", arguments["date"])
	}
	value, err := p.streams.call(ctx, toolNamed(everyTool(set), tideTelegram), arguments, asJSON)
	if err != nil || value == nil {
		return err
	}
	t := value.(tides.TideTelegram)
	if _, err := fmt.Fprintln(p.streams.Out, t.Telegram); err != nil {
		return err
	}
	printSources(p.streams.Err, t.Provenance)
	return nil
}

// readTelegram prints what a telegram says. It names the year and the weekdays unless a change of
// clocks agrees with no year.
func readTelegram(w io.Writer, received string, now time.Time) error {
	directory, err := stations.Open()
	if err != nil {
		return err
	}
	m, dated, err := telegram.ReadAgreeing(strings.TrimSpace(received), now,
		func(m telegram.Message) bool { return clocksAgree(directory, m) })
	if err != nil {
		return fmt.Errorf("invalid --read: %w", err)
	}
	layout, year := "Mon 2 Jan 2006", "the nearest is meant"
	switch changes := slices.ContainsFunc(m.Days, changesClocks); {
	case !dated:
		layout, year = "2 Jan", "which one is not known here"
	case changes:
		year = "the nearest in which these clocks change is meant"
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "%s, heights in %s above %s, times at UTC%s\n\n", m.Station,
		strings.ToLower(m.Unit), m.Datum, m.Days[0].Date.Format("-07:00"))
	for _, d := range m.Days {
		printDay(table, d, d.Date.Format(layout), telegram.Decimals(m.Unit))
	}
	fmt.Fprintf(table, "\nNOAA's predictions. A telegram names no year: %s. %s\n", year,
		coast.Disclaimer)
	return table.Flush()
}

func changesClocks(d telegram.Day) bool { return d.Clocks != nil }

// clocksAgree reports whether the clocks of the station's place change on each day of a message
// that says so, and to its offset.
func clocksAgree(directory *stations.Directory, m telegram.Message) bool {
	st, known := directory.Station(m.Station)
	zone, err := time.LoadLocation(st.Zone)
	for _, d := range m.Days {
		if d.Clocks == nil {
			continue
		}
		y, month, day := d.Date.Date()
		_, before := time.Date(y, month, day-1, 12, 0, 0, 0, zone).Zone()
		_, after := time.Date(y, month, day, 12, 0, 0, 0, zone).Zone()
		if !known || err != nil || before == after || after != int(*d.Clocks/time.Second) {
			return false
		}
	}
	return true
}

// printDay prints a day of a telegram.
func printDay(table io.Writer, d telegram.Day, day string, decimals int) {
	if d.Clocks != nil {
		clock := time.FixedZone("", int(*d.Clocks/time.Second))
		fmt.Fprintf(table, "%s\tclocks change to UTC%s\n", day, d.Date.In(clock).Format("-07:00"))
	}
	if len(d.Events) == 0 {
		fmt.Fprintf(table, "%s\tno high or low water\n", day)
	}
	for _, e := range d.Events {
		what := "low"
		if e.High {
			what = "high"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%.*f\n", day, e.Time.Format("15:04"), what, decimals, e.Height)
		day = ""
	}
}
