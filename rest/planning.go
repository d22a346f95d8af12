package rest

import (
	"net/http"
	"strings"

	"leadline/internal/coast"
	"leadline/internal/currents"
	"leadline/internal/directory"
	"leadline/internal/operation"
	"leadline/internal/planning"
	"leadline/internal/tides"
	"leadline/tools"
)

// planning returns the table of the routes for planning, in the order of their OpenAPI
// document.
func planningRoutes(set *tools.Set) []route {
	return []route{
		read("/api/planning/tide-windows", "findTideWindows", "planning.tideWindows", "Planning",
			"Find when the tide is above or below a level",
			"The spans of time in which the predicted tide at a station is on one side of a level, up "+
				"to a year, in the next 30 days where no span is given. Exactly one condition: `below` or "+
				"`above`; `draft` with `charted_depth`; `air_draft` with `bridge_clearance`. `light`, "+
				"`weekdays` and `hours` cut windows, and never join them. Every minute from `from` to "+
				"`to` satisfies the condition. `rateAtFrom` and `rateAtTo` show how much surge or river "+
				"flow moves an end.",
			withTable[tideWindowsQuery](get[tideWindowsQuery](set.Tides.TideWindows), set.Tides.TideWindows,
				tides.TideWindowsInput.All),
		),
		read("/api/planning/tide-ranks", "rankTides", "planning.tideRanks", "Planning",
			"Rank the tides of a span",
			"The `lowest` low waters or the `highest` high waters of a span of up to a year (30 days "+
				"from now where none is given), by light, weekday and hours; the `king` tides of a "+
				"calendar year; or `springs`: the spring and neap tides of a span, and the tropic and "+
				"equatorial tides of diurnal stations.",
			withTable[tideRanksQuery](get[tideRanksQuery](set.Tides.TideRanks), set.Tides.TideRanks,
				tides.TideRanksInput.All),
		),
		read("/api/planning/current-windows", "findCurrentWindows", "planning.currentWindows",
			"Planning", "Find when a tidal current is slack, or runs",
			"The spans of time in which the predicted current at a station is at most or at least a "+
				"speed, up to a year, in the next 30 days where no span is given; slack of at most 0.5 kn "+
				"where no limit is given. `phase`, `light`, `weekdays` and `hours` cut windows, and never "+
				"join them. A slack has the speeds of the runs before and after it, a run its fastest "+
				"minute. With `wind`, each window in the range of the forecast says how far the wind is "+
				"against the current, by the rule of decisions.",
			withTable[currentWindowsQuery](
				get[currentWindowsQuery](set.Currents.CurrentWindows), set.Currents.CurrentWindows,
				currents.CurrentWindowsInput.All),
		),
		read("/api/planning/transits", "planTransit", "planning.transits", "Planning",
			"Find when to go through a pass",
			"The departures at which a vessel goes through a pass or channel and the predicted current "+
				"keeps its limits all the way, in the next 7 days or in up to 31. For each minute, the "+
				"passage is integrated with the speed through the water plus the current along the way: "+
				"`direction`, the way of the flood or of the ebb, or a `course`. Departures in a row are a "+
				"window with its shortest trip. The whole pass has the current of one station. Distances are "+
				"in nautical miles, speeds in knots. It answers when, not where, and is not a clearance.",
			withTable[transitsQuery](get[transitsQuery](set.Currents.Transits), set.Currents.Transits,
				currents.TransitsInput.All),
		),
		send("/api/planning/routes", "planRoute", "planning.routes", "Planning",
			"Find when to go through several passes",
			"The departures, in the next 30 days or in up to 31, at which a vessel meets every gate of a "+
				"route within its limits: up to six passes in order, each with its current station, the "+
				"`leg` before it and the `distance` through it. The currents act at the gates only, and "+
				"the vessel does not wait between them. Distances are in nautical miles, speeds in knots.",
			pointing(post(set.Currents.Routes)),
		),
		read("/api/planning/day", "getDay", "planning.day", "Planning",
			"Get a day at a station",
			"What a day is like at a tide station or at a place: tides, light, moon, currents, wind and "+
				"alerts, and on request the observed level and temperature, and a decision. Each part "+
				"equals the result of its own operation. A part that is not available is null and in "+
				"`missing`: wind that is not known is never calm.",
			get[dayQuery](set.Days.Day),
		),
		read("/api/planning/trip", "evaluateTrip", "planning.trip", "Planning",
			"Evaluate the hours of a day for an activity",
			"How the hours of a day suit an activity at a tide station or at a place: one sentence, the "+
				"runs of hours of one state, the longest run in daylight with least against it, and the "+
				"reasons with their hours. Facts are gathered once, and each hour is evaluated as "+
				"decisions are: the worst of the hours of a span is the state of a decision about it. "+
				"Spans are half-open. Tomorrow's daylight by default; at most 48 hours, or 168 with an "+
				"account. What is missing never improves an hour. Limits are in knots and feet.",
			get[tripQuery](set.Decisions.Trip),
		),
		read("/api/planning/places", "findPlaces", "planning.places", "Planning",
			"Find places by name",
			"Towns, waters, ZIP codes and stations of a name, the most likely first, each with the "+
				"nearest stations that predict tides and currents. `match` says how the name was found.",
			get[placesQuery](set.Directory.FindPlaces),
		),
		read("/api/planning/telegram", "writeTideTelegram", "planning.telegram", "Planning",
			"Write a tide telegram",
			"The predicted high and low waters of whole days, today and tomorrow by default, as one line "+
				"of at most 160 characters of the basic GSM alphabet, for SMS and satellite messages: "+
				"station, unit, datum, offset from UTC, then for each day its date and its high (H) and "+
				"low (L) waters with time and height, or NONE. Days that do not fit are an error, which "+
				"says how many do; no event is left out.",
			get[telegramQuery](set.Tides.TideTelegram),
		),
	}
}

type tideWindowsQuery struct{ tides.TideWindowsInput }

func (q tideWindowsQuery) Input() tides.TideWindowsInput { return q.TideWindowsInput }

type tideRanksQuery struct{ tides.TideRanksInput }

func (q tideRanksQuery) Input() tides.TideRanksInput { return q.TideRanksInput }

type currentWindowsQuery struct{ currents.CurrentWindowsInput }

func (q currentWindowsQuery) Input() currents.CurrentWindowsInput { return q.CurrentWindowsInput }

// transitsQuery accepts units as all data routes do. Results are in knots and nautical miles.
type transitsQuery struct {
	currents.TransitsInput
	operation.InUnits
}

func (q transitsQuery) Input() currents.TransitsInput { return q.TransitsInput }

// dayQuery has the parts in one parameter.
type dayQuery struct {
	planning.DayInput
	Include string `json:"include,omitempty" pattern:"^[a-z_]+(,[a-z_]+)*$" form:"parts, comma-separated" doc:"Parts, comma-separated: tides, light, currents, wind, alerts (these by default), water_level, temperature, decision." example:"tides,wind"`
}

// Input splits the parts. The operation names unknown ones.
func (q dayQuery) Input() planning.DayInput {
	for part := range strings.SplitSeq(q.Include, ",") {
		if part != "" {
			q.DayInput.Include = append(q.DayInput.Include, planning.DayPart(part))
		}
	}
	return q.DayInput
}

type tripQuery struct {
	planning.TripInput
	anyFormat
}

func (q tripQuery) Input() planning.TripInput { return q.TripInput }

type placesQuery struct {
	directory.FindPlacesInput
	anyFormat
}

func (q placesQuery) Input() directory.FindPlacesInput { return q.FindPlacesInput }

type telegramQuery struct{ tides.TideTelegramInput }

func (q telegramQuery) Input() tides.TideTelegramInput { return q.TideTelegramInput }

// preview is the version of the planning document.
const preview = "preview"

// PlanningDocument returns a handler that serves the OpenAPI document of the routes for
// planning. These are outside the versioned contract.
func (a *API) PlanningDocument(base string) http.Handler {
	return served(func() []byte { return encode(describePlanning(a.planning, base)) })
}

func describePlanning(table []route, base string) document {
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
- tide-windows.csv, tide-ranks.csv, current-windows.csv and transits.csv are the lists as tables
  (RFC 4180), with the same parameters: all rows of the span, unless limit is given. Headers name
  units and datum.
- /calendars/tide-windows.ics, tide-ranks.ics, current-windows.ics and transits.ics are calendars to
  subscribe to (RFC 5545), with the same parameters and alarm, for the coming year.
- Predictions are the astronomical tide: weather, surge and river flow are not in them. ` +
	coast.Disclaimer + "\n" + presence
