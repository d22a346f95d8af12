package rest

import (
	"net/http"

	"leadline/internal/coast"
	"leadline/tools"
)

// planning returns the table of the routes for planning, in the order of their OpenAPI
// document.
func planning(set *tools.Set) []operation {
	return []operation{
		read("/api/planning/tide-windows", "findTideWindows", "planning.tideWindows", "Planning",
			"Find when the tide is above or below a level",
			"The spans of time in which the predicted tide at a station is on one side of a level, up "+
				"to a year, in the next 30 days where no span is given. Exactly one condition: `below` or "+
				"`above`; `draft` with `charted_depth`; `air_draft` with `bridge_clearance`. `light`, "+
				"`weekdays` and `hours` cut windows, and never join them. Every minute from `from` to "+
				"`to` satisfies the condition. `rateAtFrom` and `rateAtTo` show how much surge or river "+
				"flow moves an end.",
			get[tideWindowsQuery](set.TideWindows),
		),
		read("/api/planning/tide-ranks", "rankTides", "planning.tideRanks", "Planning",
			"Rank the tides of a span",
			"The `lowest` low waters or the `highest` high waters of a span of up to a year (30 days "+
				"from now where none is given), by light, weekday and hours; the `king` tides of a "+
				"calendar year; or `springs`: the spring and neap tides of a span, and the tropic and "+
				"equatorial tides of diurnal stations.",
			get[tideRanksQuery](set.TideRanks),
		),
		read("/api/planning/places", "findPlaces", "planning.places", "Planning",
			"Find places by name",
			"Towns, waters, ZIP codes and stations of a name, the most likely first, each with the "+
				"nearest stations that predict tides and currents. `match` says how the name was found.",
			get[placesQuery](set.FindPlaces),
		),
	}
}

type tideWindowsQuery struct{ tools.TideWindowsInput }

func (q tideWindowsQuery) Input() tools.TideWindowsInput { return q.TideWindowsInput }

type tideRanksQuery struct{ tools.TideRanksInput }

func (q tideRanksQuery) Input() tools.TideRanksInput { return q.TideRanksInput }

type placesQuery struct {
	tools.FindPlacesInput
	anyFormat
}

func (q placesQuery) Input() tools.FindPlacesInput { return q.FindPlacesInput }

// preview is the version of the planning document.
const preview = "preview"

// PlanningDocument returns a handler that serves the OpenAPI document of the routes for
// planning. These are outside the versioned contract.
func (a *API) PlanningDocument(base string) http.Handler {
	return served(func() []byte { return encode(describePlanning(a.planning, base)) })
}

func describePlanning(table []operation, base string) document {
	return describe(table, base, info{
		Title: "Leadline, for planning", Summary: "Times at which the water meets a condition.",
		Description: planningDescription, Version: preview,
	})
}

// planningDescription introduces the routes for planning to readers of their document.
const planningDescription = `Times at which the water meets a condition. These routes are outside
the versioned contract and may change with a release; the changelog announces changes one release
before.

- They take the credentials and spend the limits of the data routes.
- Predictions are the astronomical tide: weather, surge and river flow are not in them. ` +
	coast.Disclaimer + "\n" + presence
