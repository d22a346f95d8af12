// Package tools has the catalogue of the operations that MCP clients see, and the set of all
// operations. MCP, REST and the pages call the same methods of Set, so that equal requests have
// equal results. The operations are in the packages of their subjects.
package tools

import (
	"slices"

	"leadline/internal/currents"
	"leadline/internal/operation"
	"leadline/internal/place"
)

// Catalog returns the tools of the default list in the order of their groups. Clients show
// the model each tool's description, which says what the tool returns, what it does not
// return, its default and its limit. It ends with an example of the arguments.
func (s *Set) Catalog() []operation.Tool {
	gauge := s.Directory.Near("waterlevels", "measures water levels", place.OfWater)
	meter := s.Directory.Near("currents", "measures currents", place.OfCurrents)
	predictsTides := s.Directory.Near("tidepredictions", "predicts tides", place.OfWater)
	predictsCurrents := s.Directory.Near("currentpredictions", "predicts currents",
		place.OfCurrents)
	datums := s.Directory.Near("datums", "has datums", place.OfWater)
	constants := s.Directory.Near("harcon", "has harmonic constants", place.OfWater)
	return []operation.Tool{
		operation.Several(operation.DeclarePictured(
			"noaa_get_water_levels", "Observed water levels", operation.Water,
			"Observed water level at a gauge; at the newest value also the predicted tide and the "+
				"residual, observed minus predicted. Not the tide to come: that is "+
				"noaa_get_tide_predictions. Default: the last 24 hours; at most 310 days. "+
				"Example: station=8443970, date=latest", true, s.Levels.WaterLevels, s.Levels.Draw)),
		operation.Declare("noaa_get_water_level_summaries", "Water level summaries", operation.Water,
			"Observed high and low waters, daily means or extremes, or monthly means at a gauge, "+
				"published weeks later. Daily means exist on the Great Lakes only. Default: 30 days, "+
				"monthly_mean a year; high_low at most 10 years. Example: station=8443970, "+
				"product=monthly_mean", true,
			place.Placed(gauge, s.Levels.WaterLevelSummaries)),
		withDay(operation.SeveralListed[tideArguments](operation.DeclarePictured(
			"noaa_get_tide_predictions", "Tide predictions", operation.Water,
			"Predicted high and low waters, or heights at an interval, and the tide now; with below "+
				"or above, when it is there, also within bounds of weather; with top, the highest or "+
				"lowest of a year; with include, a day with light and wind. Flood and slack are "+
				"noaa_get_current_predictions. Default: 48 hours from now; at most 10 years, windows one. "+
				"Example: station=9414131, below=0, light=daylight, range=720", false,
			s.Days.TidePredictions, s.Tides.Draw)), s.dayTool()),
		operation.Declare("noaa_get_currents", "Observed currents", operation.Water,
			"Observed current speed, direction and depth at a current meter; few are in the water at "+
				"a time (search with type=currents). Not the current to come: that is "+
				"noaa_get_current_predictions. Default: the last 24 hours; at most 310 days. "+
				"Example: station=cb0102, date=latest", true,
			place.Placed(meter, s.Currents.Currents)),
		operation.SeveralListed[currents.CurrentPredictionsInput](operation.DeclarePictured(
			"noaa_get_current_predictions", "Tidal current predictions", operation.Water,
			"Predicted flood, ebb and slack, or a velocity series, and the current now, at a current "+
				"station (search with type=currentpredictions); or windows of a speed, also within "+
				"bounds of the weather forecast; no river flow. Water heights are "+
				"noaa_get_tide_predictions. Default: the next 48 hours; at most a year. "+
				"Example: station=ACT0091, range=24", false, s.Days.CurrentPredictions, s.Currents.Draw)),

		operation.Declare("noaa_get_meteorological_data", "Weather observations", operation.Weather,
			"Observed wind, pressure, air and water temperature, visibility and more at a coastal "+
				"station. The weather to come is nws_get_wind_forecast. Default: the last 24 hours; "+
				"at most 310 days; product=all is the newest of each. Example: station=8443970, "+
				"product=wind", true, s.Weather.MeteorologicalData),
		operation.DeclarePictured("nws_get_wind_forecast", "Wind forecast", operation.Weather,
			"Hourly forecast of wind, gusts, weather and waves at a point or a station, from the "+
				"weather service's grid. Warnings are in nws_get_marine_forecast. Default: "+
				"the next 24 hours; at most 156, nothing of the past. Example: station=8443970, "+
				"hours=12", true, s.Weather.WindForecast, s.Weather.DrawWind),
		operation.Declare("nws_get_marine_forecast", "Marine forecast", operation.Weather,
			"The coastal waters forecast of a point's marine zone in the forecaster's words, about "+
				"five days, with the alerts in force. US waters only; hourly figures are "+
				"nws_get_wind_forecast. Example: latitude=42.3, longitude=-70.9", true,
			s.Weather.MarineForecast).Quoting(),

		operation.Declare("noaa_search_stations", "Search stations", operation.Stations,
			"Finds stations by name, id or state, or near a town, bay or ZIP code; match says how "+
				"each was found. With coordinates use "+
				"noaa_find_nearest_stations. Covers US coasts and the Great Lakes. Default 25 rows, "+
				"at most 100. Example: query=Half Moon Bay CA, type=tidepredictions", false,
			s.Directory.SearchStations),
		operation.Declare("noaa_find_nearest_stations", "Nearest stations", operation.Stations,
			"The stations nearest to a point, with distance, bearing and what each predicts; the "+
				"straight line may cross land. Empty if the nearest is over 150 km away. For names use "+
				"noaa_search_stations. Default 10 rows, at most 50. Example: latitude=42.35, "+
				"longitude=-71.05", false, s.Directory.NearestStations),
		operation.Declare("noaa_get_station_info", "Station information", operation.Stations,
			"What a station is, observes and predicts, its datums, and the tools that apply to it; "+
				"expand adds more. No readings, no predictions. Use it when a tool refuses "+
				"a station. Example: station=8443970, expand=nearby", false,
			place.Placed(predictsTides, s.Directory.StationInfo)),
		operation.Declare("noaa_get_station_datums", "Station datums", operation.Stations,
			"The tidal and land datums of a station (MHHW, MLLW, NAVD and others) and what to add to "+
				"convert a height from one to another. Not the water level now. Default: the current "+
				"epoch. Example: station=8443970", false,
			place.Placed(datums, s.Directory.StationDatums)),
		operation.Declare("noaa_get_harmonic_constituents", "Harmonic constituents", operation.Stations,
			"The harmonic constants (amplitude, phase, speed) that a station is predicted from. "+
				"Tide times are noaa_get_tide_predictions. Subordinate stations "+
				"do not have any. Example: station=8443970", false,
			place.Placed(constants, s.Directory.HarmonicConstituents)),
		operation.Declare("noaa_get_tide_prediction_offsets", "Tide prediction offsets",
			operation.Stations,
			"How a subordinate station's tide follows from its reference station, in minutes and "+
				"heights. Predictions include the offsets: do not add them. "+
				"Example: station=8557863", false,
			place.Placed(s.Directory.Subordinate, s.Directory.TidePredictionOffsets)),
		operation.Declare("noaa_get_station_sensors", "Station sensors", operation.Stations,
			"The sensors of a station, whether they work, and the tool and product with the values "+
				"of each. No readings. What a station predicts is in noaa_get_station_info. "+
				"Example: station=8443970", true,
			place.Placed(gauge, s.Directory.StationSensors)),
		operation.Declare("noaa_get_current_station_bins", "Current station bins", operation.Stations,
			"The depth bins of a current station and which of them is predicted by default. No "+
				"speeds: pass a bin to noaa_get_current_predictions. "+
				"Example: station=ACT0091", false,
			place.Placed(predictsCurrents, s.Directory.CurrentStationBins)),
		operation.Declare("noaa_get_station_flood_levels", "Flood levels", operation.Stations,
			"The heights at which minor, moderate and major flooding begin at a station, each marked "+
				"published or derived. Not whether it floods now: compare noaa_get_water_levels on "+
				"the same datum. Example: station=8443970, datum=MHHW", false,
			place.Placed(datums, s.Directory.StationFloodLevels)),

		operation.Several(operation.Declare(
			"noaa_get_sea_level_trends", "Sea level trends", operation.Derived,
			"The observed long-term trend of relative sea level at a station, in a state, or "+
				"everywhere. With scenarios=true also NOAA's of the future. Default 25 rows, at most 100. "+
				"Example: state=MA", true, s.Levels.SeaLevelTrends)),
		operation.Declare("noaa_get_extreme_water_levels", "Extreme water levels", operation.Derived,
			"Water levels that a share of years exceeds at a station, and the days that reached "+
				"that of one year in ten. The highest on record: "+
				"noaa_get_top_ten_water_levels. Default: high levels. Example: station=8443970", true,
			place.Placed(gauge, s.Levels.ExtremeWaterLevels)),
		operation.Declare("noaa_get_high_tide_flooding", "High tide flooding", operation.Derived,
			"Days of high-tide flooding at a station: by year, season, month or day, or "+
				"expected for next year (outlook) or decades (projections). Rain and waves are left out. "+
				"Default: 10 years. Example: station=8443970, report=outlook", true,
			place.Placed(gauge, s.Levels.HighTideFlooding)),
		operation.Declare("noaa_get_top_ten_water_levels", "Top ten water levels", operation.Derived,
			"The ten highest observed water levels at a station with their storms, or with "+
				"analysis=peaks the storms of a year. Not lows, not return periods: "+
				"noaa_get_extreme_water_levels. Example: station=8443970", true,
			place.Placed(gauge, s.Levels.TopTenWaterLevels)),

		operation.Declare("astro_get_moon_phase", "Moon", operation.Sky,
			"Moon phase, age, illumination, distance and next events; with a place also moonrise, "+
				"moonset and transit. Default: today; at most 31 days. "+
				"Example: station=8443970, date=2026-11-24", false,
			s.Sky.MoonPhase),
		operation.Declare("astro_get_sun_times", "Sun times", operation.Sky,
			"Sunrise, sunset, noon, twilights, golden and blue hour at a place, day by day, for a "+
				"level horizon. The sun's angles are astro_get_sun_position. Default: today; at most "+
				"31 days. Example: station=8443970, days=7", false, s.Sky.SunTimes),
		operation.Declare("astro_get_sun_position", "Sun position", operation.Sky,
			"Azimuth and altitude of the sun at a place and an instant, with and without refraction. "+
				"Rising and setting are astro_get_sun_times. Default: now. Example: station=8443970, "+
				"time=2026-11-21 15:04", false, s.Sky.SunPosition),

		operation.Declare("noaa_get_reference_guide", "Reference guide", operation.Reference,
			"A page of reference: datums, units, products, intervals, limits, sources, or how to "+
				"read results (interpretation). No data of stations. "+
				"Example: topic=interpretation", false, s.Server.ReferenceGuide),
		operation.Declare("leadline_whoami", "Who am I", operation.Reference,
			"Who you are to this server: plan, scopes, limits, what remains of them, and how to get "+
				"more. Use it after a refusal for a limit or a scope. "+
				"Example: {}", false, s.Server.Whoami),
	}
}

// Toolset is a list of tools that clients select by name.
type Toolset struct {
	Name  string
	Tools []operation.Tool
}

// Toolsets returns the tool sets, the default one first. A tool may belong to several sets.
func (s *Set) Toolsets() []Toolset {
	core, planning := s.Catalog(), s.planningTools()
	return []Toolset{
		{"core", core},
		{"planning", append(slices.Clip(planning), core[len(core)-1])}, // leadline_whoami
		{"everyday", named(slices.Concat(core, planning), everyday)},
	}
}

// everyday lists the tools for the questions that people ask most, in the order of their groups: a
// short list leaves models more room.
var everyday = []string{
	"noaa_get_water_levels", "noaa_get_tide_predictions", "noaa_get_current_predictions",
	"noaa_get_meteorological_data", "nws_get_wind_forecast", "nws_get_marine_forecast",
	"noaa_search_stations", "noaa_find_nearest_stations", "astro_get_sun_times",
	"astro_get_moon_phase", "leadline_get_day", "leadline_best_times", "noaa_get_reference_guide",
	"leadline_whoami",
}

// named returns the tools with names.
func named(all []operation.Tool, names []string) []operation.Tool {
	list := make([]operation.Tool, len(names))
	for i, name := range names {
		list[i] = all[slices.IndexFunc(all, func(t operation.Tool) bool { return t.Name == name })]
	}
	return list
}

// planningTools returns the tools that belong only to the tool set planning.
func (s *Set) planningTools() []operation.Tool {
	return []operation.Tool{
		operation.Declare("leadline_plan_transit", "Plan a transit", operation.PlanningTools,
			"Departures at which a vessel goes through a pass and the predicted current keeps its "+
				"limits all the way. When, not where; no clearance: no depth, weather or traffic. Default "+
				"7 days, at most 31. Example: station=PUG1701, distance=1.5, speed=6, "+
				"direction=with_flood", false,
			s.Currents.Transits),
		operation.Declare("leadline_plan_route", "Plan a route", operation.PlanningTools,
			"Departures that meet up to six passes in order within limits. Currents act there "+
				"only; no waits between. No router, no clearance. Default 30 days, at most 31. "+
				"Example: speed=6, gates=[{\"station\":\"PUG1701\",\"leg\":2}]", false,
			s.Currents.Routes),
		s.dayTool(),
		operation.Declare("leadline_find_places", "Find places", operation.PlanningTools,
			"The position of a town, a bay, a cape or a ZIP code near a US coast, with the nearest "+
				"stations for tides and currents. No street addresses and no places inland. If nothing "+
				"has the name, similar names come marked fuzzy. Default 5 rows, at most 20. Example: "+
				"query=Half Moon Bay CA", false, s.Directory.FindPlaces),
		operation.Declare("leadline_tide_telegram", "Tide telegram", operation.PlanningTools,
			"The predicted high and low waters of whole days as one line of at most 160 characters, for "+
				"SMS and satellite messages. Send `telegram` on unchanged. Default: today and tomorrow; if "+
				"the days do not fit, an error says how many do. Example: station=8443970, days=2", false,
			s.Tides.TideTelegram),
		operation.Declare("leadline_trip_health", "Trip health", operation.PlanningTools,
			"How suitable a time is for an activity at a station or a place: a state, a confidence and the "+
				"reasons with their numbers, from tide, current, wind, waves and alerts. Not a "+
				"clearance to go; missing facts are listed, not guessed. One time a call, at most "+
				"366 days ahead, wind and waves about six. Example: stationId=8443970, "+
				"activity=fishing, localDate=2026-11-21, localTime=09:00", true,
			s.Decisions.TripHealthByTool).Quoting(),
		operation.Declare("leadline_best_times", "Best times", operation.PlanningTools,
			"When an activity suits best at a station or a place: at most five runs of hours in "+
				"daylight, the best first, each with what calls for care; what is against other hours, "+
				"and which are not ranked because too little is known. Not a clearance to go. Default: "+
				"the next 48 hours; at most 7 days, over 2 with an account. Example: place=Boston, "+
				"activity=kayak, date=weekend", true, s.Decisions.BestTimes).Quoting(),
		operation.Keyed(operation.Declare("leadline_best_window", "Best window", operation.PlanningTools,
			"Ranks 2 to 12 times for an activity at a tide station, the best first, each with the "+
				"decision of leadline_trip_health and the parts of its score. Recommends none where every "+
				"state is action-needed or unknown. Example: stationId=8443970, activity=fishing, "+
				"candidates=[{\"localDate\":\"2026-11-21\",\"localTime\":\"09:00\"},"+
				"{\"localDate\":\"2026-11-22\",\"localTime\":\"15:00\"}]", true,
			s.Decisions.BestWindow).Quoting()),
		operation.Keyed(operation.Declare("leadline_evaluate_rules", "Evaluate rules",
			operation.PlanningTools,
			"Makes the decision of leadline_trip_health and checks it against rules of your own: allowed "+
				"states, least confidence, missing inputs, fresh sources. Not a clearance. Example: "+
				"stationId=8443970, activity=fishing, localDate=2026-11-21, localTime=09:00, "+
				"rules=[{\"id\":\"a\",\"kind\":\"state_allowed\",\"allowed\":[\"normal\"]}]", true,
			s.Decisions.EvaluateRules).Quoting()),
		operation.Keyed(operation.Declare("leadline_material_change", "Material change",
			operation.PlanningTools,
			"Makes the decision of leadline_trip_health again and says what has materially changed since "+
				"an earlier one, given whole or as its summary. The new summary is the next baseline. "+
				"Example: stationId=8443970, activity=fishing, localDate=2026-11-21, localTime=09:00, "+
				"baseline={\"state\":\"normal\"}", true, s.Decisions.MaterialChange).Quoting()),
	}
}

// dayTool is the tool for a whole day. It is also what the tool for tides calls with include.
func (s *Set) dayTool() operation.Tool {
	return operation.Declare("leadline_get_day", "A day at a place", operation.PlanningTools,
		"What a day is like at a tide station or a place: tides, light, moon, currents, wind and "+
			"alerts in one result; observations or a decision on request. A part that is not "+
			"available is in missing, never assumed calm. `more` has the calls with each whole "+
			"part. Default: today. Example: place=Boston", true, s.Days.Day).Quoting()
}
