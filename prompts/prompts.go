// Package prompts holds the seven prompt templates that clients offer to
// people as ready-made requests: a tide report, fishing windows, boating
// conditions, the health of a trip, low tides, a passage, and a station overview.
//
// A prompt takes the arguments that a person typed and renders the text of one
// user message. It lists for the model the tools to call, their order and their
// arguments. It also says how to report: predicted and observed values
// separately, each with datum, unit, zone and source, and what is missing. The
// package does not call tools or look anything up.
//
// The texts are Markdown in the folder templates; frame.md holds their common
// parts. Arguments are quoted and flattened to one line (quote.go), so that they
// cannot pose as instructions.
package prompts

import (
	"embed"
	"slices"
	"strings"
	"text/template"
)

// Argument is one argument of a prompt.
type Argument struct {
	Name, About string
	Required    bool
	Station     bool   // clients can complete it from the station directory
	Example     string // a valid value of a required argument that is neither a place nor a station
	fallback    string
}

// Prompt is a template that describes for the model which tools to call and what
// to report.
type Prompt struct {
	Name, Title, About string
	Arguments          []Argument
	// Render returns the text of the user message. Required arguments are
	// present; optional ones that are absent or blank take their default,
	// and unknown ones are ignored.
	Render func(args map[string]string) string
}

//go:embed templates/*.md
var files embed.FS

// These are arguments of several prompts. A location may be a station id, so it is completed
// like an id.
var (
	location = Argument{
		Name:     "location",
		About:    "A place, coordinates (latitude, longitude), or a station id.",
		Required: true,
		Station:  true,
	}
	date = Argument{
		Name:     "date",
		About:    "Day at the place, such as 2026-11-20, today or Saturday. Default: today.",
		fallback: "today",
	}
)

// declared lists the prompts without Render, in their order.
var declared = []Prompt{
	{
		Name: "tide_report", Title: "Tide report",
		About:     "Predicted highs and lows of a day, the observed level, sun and wind at a place.",
		Arguments: []Argument{location, date},
	},
	{
		Name: "fishing_window", Title: "Fishing windows",
		About: "Windows for fishing, ranked by moving water, twilight and wind, " +
			"with what is missing.",
		Arguments: []Argument{
			location, date,
			{Name: "days", About: "Number of days, 1 to 7. Default: 1.", fallback: "1"},
			{Name: "species", About: "Fish that you are after."},
		},
	},
	{
		Name: "boating_conditions", Title: "Boating conditions",
		About: "Alerts, wind, seas, currents and tide for a day on the water. " +
			"No navigation clearance.",
		Arguments: []Argument{location, date},
	},
	{
		Name: "trip_health", Title: "Trip health",
		About: "How suitable a time is for an activity: state, confidence and reasons. " +
			"No navigation clearance.",
		Arguments: []Argument{
			location,
			{
				Name: "activity", About: "What is planned, such as fishing or kayaking.", Required: true,
				Example: "fishing",
			},
			date,
			{Name: "time", About: "Time at the place, such as 09:00. Default: now.", fallback: "now"},
		},
	},
	{
		Name: "plan_low_tide", Title: "Plan a low tide",
		About: "When the tide is low enough, by light: for tide pools, clams and walks. " +
			"No navigation clearance.",
		Arguments: []Argument{
			location,
			{
				Name:     "level",
				About:    "Height on MLLW with its unit, such as -0.5 ft. Default: 0 ft.",
				fallback: "0 ft",
			},
			{Name: "days", About: "Number of days, 1 to 366. Default: 30.", fallback: "30"},
			{
				Name:     "light",
				About:    "any, daylight, civil, dark or moonlit. Default: daylight.",
				fallback: "daylight",
			},
		},
	},
	{
		Name: "plan_passage", Title: "Plan a passage",
		About: "When to go through a pass within the limits of a vessel. " +
			"No navigation clearance.",
		Arguments: []Argument{
			{
				Name: "location", About: "A pass or channel, or a current station id such as PUG1701.",
				Required: true, Station: true,
			},
			{
				Name: "distance", About: "Nautical miles through the pass, such as 1.5.", Required: true,
				Example: "1.5",
			},
			{
				Name: "speed", About: "Knots through the water, such as 6.", Required: true,
				Example: "6",
			},
			{
				Name: "direction", About: "with the flood, with the ebb, or a course. Default: both.",
				fallback: "both",
			},
			date,
			{Name: "days", About: "Number of days, 1 to 31. Default: 7.", fallback: "7"},
		},
	},
	{
		Name: "station_overview", Title: "Station overview",
		About: "What a station predicts and observes, and what it does not have.",
		Arguments: []Argument{{
			Name: "station", About: "Station id, such as 8443970 or ACT0091.",
			Required: true, Station: true,
		}},
	},
}

// All returns the seven prompts in their order. The caller owns the slice.
func All() []Prompt {
	// The templates are part of the binary and a test renders each of them.
	texts := template.Must(template.ParseFS(files, "templates/*.md"))
	all := slices.Clone(declared)
	for i := range all {
		all[i].Arguments = slices.Clone(all[i].Arguments)
		all[i].Render = renderer(texts.Lookup(all[i].Name+".md"), declared[i].Arguments)
	}
	return all
}

// renderer returns the Render of a prompt.
func renderer(text *template.Template, arguments []Argument) func(map[string]string) string {
	return func(args map[string]string) string {
		values := make(map[string]string, len(arguments))
		for _, a := range arguments {
			values[a.Name] = a.fallback
			if value := quote(args[a.Name]); value != "" {
				values[a.Name] = value
			}
		}
		var b strings.Builder
		if err := text.Execute(&b, values); err != nil {
			// The template is part of the binary, and a test renders it.
			panic("prompts: " + err.Error())
		}
		return b.String()
	}
}
