package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"leadline/internal/coast"
	"leadline/internal/operation"
	"leadline/internal/server"
)

// planned is a subcommand of plan and the operation behind it.
type planned struct{ name, operation, short, long, example string }

// planCommands are the subcommands of plan that take a station or a place.
var planCommands = []planned{
	{
		"windows", "tide_windows", "Print when the tide is above or below a level",
		"Print when the tide is above or below a level: give --below or --above, --draft with " +
			"--charted-depth, or --air-draft with --bridge-clearance.",
		"leadline plan windows \"half moon bay\" --below 0 --light daylight\n" +
			"leadline plan windows 8443970 --draft 6 --charted-depth 4 --margin 1 --weekdays sat,sun",
	},
	{
		"ranks", "tide_ranks", "Print the lowest, highest, king or spring tides",
		"Print the lowest or highest tides of a span, the king tides of a year, or spring and neap " +
			"tides.",
		"leadline plan ranks 8443970 --what king --year 2027",
	},
	{
		"currents", "current_windows", "Print when a current is slack, or runs",
		"Print when a current is at most or at least a speed: slack of at most 0.5 kn if no limit is " +
			"given.",
		"leadline plan currents PUG1701 --at-most 1 --light daylight",
	},
	{
		"transit", "leadline_plan_transit", "Print when to go through a pass",
		"Print the departures at which a vessel goes through a pass and the current keeps its limits. " +
			"Distances are in nautical miles, speeds in knots.",
		"leadline plan transit PUG1701 --distance 1.5 --speed 6 --direction with_flood",
	},
	{
		"day", "leadline_get_day", "Print what a day is like at a place",
		"Print tides, light, moon and currents of a day. Wind, alerts and observations need a server: " +
			"without one they are missing.",
		"leadline plan day boston tomorrow",
	},
}

// planRoute is the operation behind plan route.
const planRoute = "leadline_plan_route"

// planCommand returns leadline plan.
func (p *program) planCommand(catalog []operation.Tool) *cobra.Command {
	c := &cobra.Command{
		Use:   "plan",
		Short: "Print when the water is where you need it",
		Long: "Print when the water is where you need it: windows of tides and currents, ranks, " +
			"transits, routes and days. The words are those of the routes under /api/planning/. " +
			"Everything is computed here, without a network.",
		Example: "leadline plan windows 9414131 --below 0 --light daylight\n" +
			"leadline plan transit PUG1701 --distance 1.5 --speed 6 --direction with_flood",
		Args: unknownCommand, RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	for _, of := range planCommands {
		c.AddCommand(p.planAt(of, catalog))
	}
	c.AddCommand(p.planRouteCommand(catalog))
	return c
}

// planAt returns a subcommand that takes a station or a place.
func (p *program) planAt(of planned, catalog []operation.Tool) *cobra.Command {
	var asJSON bool
	arguments := map[string]any{}
	c := &cobra.Command{
		Use: of.name + " STATION|PLACE [DATE]", Short: of.short, Long: of.long, Example: of.example,
		Args: takesSome("STATION or PLACE"), ValidArgsFunction: completeStation,
	}
	c.RunE = p.run(func(ctx context.Context, args []string) error {
		given := arguments["date"]
		readWhere(args, arguments)
		if given != nil && arguments["date"] != given {
			return fmt.Errorf("invalid date %q: --date gives another", arguments["date"])
		}
		return p.plan(ctx, of.operation, arguments, asJSON)
	})
	bindArguments(c, catalog, of.operation, arguments)
	c.Flags().BoolVar(&asJSON, "json", false, "print the whole result as JSON")
	return c
}

// planRouteCommand returns leadline plan route.
func (p *program) planRouteCommand(catalog []operation.Tool) *cobra.Command {
	var asJSON bool
	var gates []string
	arguments := map[string]any{}
	c := &cobra.Command{
		Use: "route", Short: "Print when to go through several passes",
		Long: "Print the departures at which a vessel meets every gate of a route, up to six passes in " +
			"order. The currents act at the gates only, and the vessel does not wait between them.",
		Example: "leadline plan route --speed 6 " +
			"--gate \"PUG1701 leg=2 distance=0.5 direction=with_flood max_current=3\" " +
			"--gate \"PUG1702 leg=12 max_current=2\"",
		Args: cobra.NoArgs,
	}
	c.RunE = p.run(func(ctx context.Context, _ []string) error {
		list := []map[string]any{}
		for _, text := range gates {
			gate, err := readGate(text)
			if err != nil {
				return err
			}
			list = append(list, gate)
		}
		if len(list) == 0 {
			return errors.New(`--gate is missing: give a pass, such as --gate "PUG1701 leg=2"`)
		}
		arguments["gates"] = list
		return p.plan(ctx, planRoute, arguments, asJSON)
	})
	bindArguments(c, catalog, planRoute, arguments)
	c.Flags().StringArrayVar(&gates, "gate", nil, "a pass, in order: `STATION` and leg, distance, "+
		"direction or course, max_current, max_against")
	c.Flags().BoolVar(&asJSON, "json", false, "print the whole result as JSON")
	return c
}

// readGate parses a gate: a station and name=value pairs.
func readGate(text string) (map[string]any, error) {
	words := strings.Fields(text)
	if len(words) == 0 || strings.Contains(words[0], "=") {
		return nil, fmt.Errorf(`invalid --gate %q: must begin with a station, such as "PUG1701 leg=2"`,
			text)
	}
	gate := map[string]any{"station": words[0]}
	for _, word := range words[1:] {
		name, value, found := strings.Cut(word, "=")
		if !found {
			return nil, fmt.Errorf(`invalid --gate %q: must have name=value after the station, not %q`,
				text, word)
		}
		name = strings.ReplaceAll(name, "-", "_")
		gate[name] = value
		if json.Valid([]byte(value)) {
			gate[name] = json.RawMessage(value)
		}
	}
	return gate, nil
}

// bindArguments adds a flag for each argument of an operation except its place.
func bindArguments(
	c *cobra.Command, catalog []operation.Tool, name string, arguments map[string]any,
) {
	if catalog == nil {
		return
	}
	of := properties(toolNamed(catalog, name))
	for _, argument := range slices.Sorted(maps.Keys(of)) {
		switch argument {
		case "station", "place", "gates":
			continue
		}
		property := of[argument]
		usage := lowered(strings.TrimSuffix(property.Description, "."))
		if len(property.Enum) > 0 {
			usage += ": " + property.oneOf()
		}
		property.bind(c, argument, usage, arguments)
	}
}

// lowered returns a description as the usage of a flag. Other arguments in it are flags.
func lowered(description string) string {
	if first, _, _ := strings.Cut(description, " "); first != strings.ToUpper(first) {
		description = strings.ToLower(description[:1]) + description[1:]
	}
	return snakeCase().ReplaceAllStringFunc(description, func(name string) string {
		return "--" + strings.ReplaceAll(name, "_", "-")
	})
}

// snakeCase matches the names of arguments of several words, except values with an underscore.
var snakeCase = coast.Pattern(`\b(begin_date|end_date|charted_depth|bridge_clearance|` +
	`clearance_datum)\b`)

// plan runs an operation and prints its text, or its whole result as JSON.
func (p *program) plan(
	ctx context.Context, name string, arguments map[string]any, asJSON bool,
) error {
	set, err := server.Offline(p.now)
	if err != nil {
		return err
	}
	op := toolNamed(everyTool(set), name)
	input, err := json.Marshal(arguments)
	if err != nil {
		return err
	}
	result, err := op.Call(ctx, input)
	if err != nil {
		return inFlags(err, op)
	}
	body := result.Answer().Text()
	if asJSON {
		body, err = result.Structured()
		body = append(body, '\n')
	}
	if err == nil {
		_, err = p.streams.Out.Write(ofCommand(body))
	}
	return err
}
