package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"leadline/internal/access"
	"leadline/internal/coast"
	"leadline/internal/decide"
	"leadline/internal/render"
)

// Catalog returns the tools of the default list in the order of their groups. Clients show
// the model each tool's description, which says what the tool returns, what it does not
// return, its default and its limit. It ends with an example of the arguments.
func (s *Set) Catalog() []Tool {
	gauge := s.Directory.near("waterlevels", "measures water levels", ofWater)
	meter := s.Directory.near("currents", "measures currents", ofCurrents)
	tides := s.Directory.near("tidepredictions", "predicts tides", ofWater)
	currents := s.Directory.near("currentpredictions", "predicts currents", ofCurrents)
	datums := s.Directory.near("datums", "has datums", ofWater)
	constants := s.Directory.near("harcon", "has harmonic constants", ofWater)
	return []Tool{
		declarePictured("noaa_get_water_levels", "Observed water levels", Water,
			"Observed water level at a gauge; at the newest value also the predicted tide and the "+
				"residual, observed minus predicted. Not the tide to come: that is "+
				"noaa_get_tide_predictions. Default: the last 24 hours; at most 310 days. "+
				"Example: station=8443970, date=latest", true, s.Levels.WaterLevels, s.Levels.drawLevels),
		declare("noaa_get_water_level_summaries", "Water level summaries", Water,
			"Observed high and low waters, daily means or extremes, or monthly means at a gauge, "+
				"published weeks later. Daily means exist on the Great Lakes only. Default: 30 days, "+
				"monthly_mean a year; high_low at most 10 years. Example: station=8443970, "+
				"product=monthly_mean", true,
			placed(gauge, s.Levels.WaterLevelSummaries)),
		declarePictured("noaa_get_tide_predictions", "Tide predictions", Water,
			"Predicted high and low waters, or heights at an interval, and the tide now; with below "+
				"or above, when the tide is there; with top, the highest or lowest of a year. No "+
				"weather. Flood, ebb and slack are noaa_get_current_predictions. Default: the next 48 "+
				"hours; at most 10 years, windows and heights one. Example: station=9414131, below=0, "+
				"light=daylight, range=720", false,
			s.Tides.TidePredictions, s.Tides.drawTides),
		declare("noaa_get_currents", "Observed currents", Water,
			"Observed current speed, direction and depth at a current meter; few are in the water at "+
				"a time (search with type=currents). Not the current to come: that is "+
				"noaa_get_current_predictions. Default: the last 24 hours; at most 310 days. "+
				"Example: station=cb0102, date=latest", true,
			placed(meter, s.Currents.Currents)),
		declarePictured("noaa_get_current_predictions", "Tidal current predictions", Water,
			"Predicted flood, ebb and slack, or a velocity series, and the current now, at a current "+
				"station (search with type=currentpredictions); no weather or river flow. Water "+
				"heights are noaa_get_tide_predictions. Default: the next 48 hours; at most a year. "+
				"Example: station=ACT0091, range=24", false, s.Currents.CurrentPredictions, s.Currents.drawCurrents),

		declare("noaa_get_meteorological_data", "Weather observations", Weather,
			"Observed wind, pressure, air and water temperature, visibility and more at a coastal "+
				"station. The weather to come is nws_get_wind_forecast. Default: the last 24 hours; "+
				"at most 310 days; product=all is the newest of each. Example: station=8443970, "+
				"product=wind", true, s.Weather.MeteorologicalData),
		declarePictured("nws_get_wind_forecast", "Wind forecast", Weather,
			"Hourly forecast of wind, gusts, weather and waves at a point or a station, from the "+
				"weather service's grid. Warnings are in nws_get_marine_forecast. Default: "+
				"the next 24 hours; at most 156, nothing of the past. Example: station=8443970, "+
				"hours=12", true, s.Weather.WindForecast, s.Weather.drawWind),
		declare("nws_get_marine_forecast", "Marine forecast", Weather,
			"The coastal waters forecast of a point's marine zone in the forecaster's words, about "+
				"five days, with the alerts in force. US waters only; hourly figures are "+
				"nws_get_wind_forecast. Example: latitude=42.3, longitude=-70.9", true,
			s.Weather.MarineForecast),

		declare("noaa_search_stations", "Search stations", Stations,
			"Finds stations by name, id or state, or near a town, bay or ZIP code; match says how "+
				"each was found. With coordinates use "+
				"noaa_find_nearest_stations. Covers US coasts and the Great Lakes. Default 25 rows, "+
				"at most 100. Example: query=Half Moon Bay CA, type=tidepredictions", false,
			s.Directory.SearchStations),
		declare("noaa_find_nearest_stations", "Nearest stations", Stations,
			"The stations nearest to a point, with distance, bearing and what each predicts; the "+
				"straight line may cross land. Empty if the nearest is over 150 km away. For names use "+
				"noaa_search_stations. Default 10 rows, at most 50. Example: latitude=42.35, "+
				"longitude=-71.05", false, s.Directory.NearestStations),
		declare("noaa_get_station_info", "Station information", Stations,
			"What a station is, observes and predicts, its datums, and the tools that apply to it; "+
				"expand adds more. No readings, no predictions. Use it when a tool refuses "+
				"a station. Example: station=8443970, expand=nearby", false,
			placed(tides, s.Directory.StationInfo)),
		declare("noaa_get_station_datums", "Station datums", Stations,
			"The tidal and land datums of a station (MHHW, MLLW, NAVD and others) and what to add to "+
				"convert a height from one to another. Not the water level now. Default: the current "+
				"epoch. Example: station=8443970", false,
			placed(datums, s.Directory.StationDatums)),
		declare("noaa_get_harmonic_constituents", "Harmonic constituents", Stations,
			"The harmonic constants (amplitude, phase, speed) that a station is predicted from. "+
				"Tide times are noaa_get_tide_predictions. Subordinate stations "+
				"do not have any. Example: station=8443970", false,
			placed(constants, s.Directory.HarmonicConstituents)),
		declare("noaa_get_tide_prediction_offsets", "Tide prediction offsets", Stations,
			"How a subordinate station's tide follows from its reference station, in minutes and "+
				"heights. Predictions include the offsets: do not add them. "+
				"Example: station=8557863", false, placed(s.Directory.subordinate, s.Directory.TidePredictionOffsets)),
		declare("noaa_get_station_sensors", "Station sensors", Stations,
			"The sensors of a station, whether they work, and the tool and product with the values "+
				"of each. No readings. What a station predicts is in noaa_get_station_info. "+
				"Example: station=8443970", true,
			placed(gauge, s.Directory.StationSensors)),
		declare("noaa_get_current_station_bins", "Current station bins", Stations,
			"The depth bins of a current station and which of them is predicted by default. No "+
				"speeds: pass a bin to noaa_get_current_predictions. "+
				"Example: station=ACT0091", false,
			placed(currents, s.Directory.CurrentStationBins)),
		declare("noaa_get_station_flood_levels", "Flood levels", Stations,
			"The heights at which minor, moderate and major flooding begin at a station, each marked "+
				"published or derived. Not whether it floods now: compare noaa_get_water_levels on "+
				"the same datum. Example: station=8443970, datum=MHHW", false,
			placed(datums, s.Directory.StationFloodLevels)),

		declare("noaa_get_sea_level_trends", "Sea level trends", Derived,
			"The observed long-term trend of relative sea level at a station, in a state, or "+
				"everywhere. Future sea level is not included. Default 25 rows, at most 100. "+
				"Example: state=MA", true, s.Levels.SeaLevelTrends),
		declare("noaa_get_extreme_water_levels", "Extreme water levels", Derived,
			"Water levels that a share of years exceeds at a station, and the days that reached "+
				"that of one year in ten. The highest on record: "+
				"noaa_get_top_ten_water_levels. Default: high levels. Example: station=8443970", true,
			placed(gauge, s.Levels.ExtremeWaterLevels)),
		declare("noaa_get_high_tide_flooding", "High tide flooding", Derived,
			"Days of high-tide flooding at a station: by year, season, month or day, or "+
				"expected for next year (outlook) or decades (projections). Rain and waves are left out. "+
				"Default: 10 years. Example: station=8443970, report=outlook", true,
			placed(gauge, s.Levels.HighTideFlooding)),
		declare("noaa_get_top_ten_water_levels", "Top ten water levels", Derived,
			"The ten highest observed water levels at a station with their storms, or with "+
				"analysis=peaks the storms of a year. Not lows, not return periods: "+
				"noaa_get_extreme_water_levels. Example: station=8443970", true,
			placed(gauge, s.Levels.TopTenWaterLevels)),

		declare("astro_get_moon_phase", "Moon", Sky,
			"Moon phase, age, illumination, distance and next events; with a place also moonrise, "+
				"moonset and transit. Default: today; at most 31 days. "+
				"Example: station=8443970, date=2026-11-24", false,
			s.Sky.MoonPhase),
		declare("astro_get_sun_times", "Sun times", Sky,
			"Sunrise, sunset, noon, twilights, golden and blue hour at a place, day by day, for a "+
				"level horizon. The sun's angles are astro_get_sun_position. Default: today; at most "+
				"31 days. Example: station=8443970, days=7", false, s.Sky.SunTimes),
		declare("astro_get_sun_position", "Sun position", Sky,
			"Azimuth and altitude of the sun at a place and an instant, with and without refraction. "+
				"Rising and setting are astro_get_sun_times. Default: now. Example: station=8443970, "+
				"time=2026-11-21 15:04", false, s.Sky.SunPosition),

		declare("noaa_get_reference_guide", "Reference guide", Reference,
			"A page of reference: datums, units, products, intervals, limits, sources, or how to "+
				"read results (interpretation). No data of stations. "+
				"Example: topic=interpretation", false, s.Server.ReferenceGuide),
		declare("leadline_whoami", "Who am I", Reference,
			"Who you are to this server: plan, scopes, limits, what remains of them, and how to get "+
				"more. Use it after a refusal for a limit or a scope. "+
				"Example: {}", false, s.Server.Whoami),
	}
}

// Toolset is a list of tools that clients select by name.
type Toolset struct {
	Name  string
	Tools []Tool
}

// Toolsets returns the tool sets, the default one first. A tool may belong to several sets.
func (s *Set) Toolsets() []Toolset {
	core, planning := s.Catalog(), s.planningTools()
	return []Toolset{
		{"core", core},
		{"planning", append(planning, core[len(core)-1])}, // leadline_whoami
	}
}

// planningTools returns the tools that belong only to the tool set planning.
func (s *Set) planningTools() []Tool {
	return []Tool{
		declare("leadline_plan_transit", "Plan a transit", PlanningTools,
			"Departures at which a vessel goes through a pass and the predicted current keeps its "+
				"limits all the way. When, not where; no clearance: no depth, weather or traffic. Default "+
				"7 days, at most 31. Example: station=PUG1701, distance=1.5, speed=6, "+
				"direction=with_flood", false,
			s.Currents.Transits),
		declare("leadline_plan_route", "Plan a route", PlanningTools,
			"Departures that meet up to six passes in order within limits. Currents act there "+
				"only; no waits between. No router, no clearance. Default 30 days, at most 31. "+
				"Example: speed=6, gates=[{\"station\":\"PUG1701\",\"leg\":2}]", false,
			s.Currents.Routes),
		declare("leadline_get_day", "A day at a place", PlanningTools,
			"What a day is like at a tide station or a place: tides, light, moon, currents, wind and "+
				"alerts in one result; observations or a decision on request. A part that is not "+
				"available is in missing, never assumed calm. `more` has the calls with each whole "+
				"part. Default: today. Example: place=Boston", true, s.Days.Day),
		declare("leadline_find_places", "Find places", PlanningTools,
			"The position of a town, a bay, a cape or a ZIP code near a US coast, with the nearest "+
				"stations for tides and currents. No street addresses and no places inland. If nothing "+
				"has the name, similar names come marked fuzzy. Default 5 rows, at most 20. Example: "+
				"query=Half Moon Bay CA", false, s.Directory.FindPlaces),
		declare("leadline_tide_telegram", "Tide telegram", PlanningTools,
			"The predicted high and low waters of whole days as one line of at most 160 characters, for "+
				"SMS and satellite messages. Send `telegram` on unchanged. Default: today and tomorrow; if "+
				"the days do not fit, an error says how many do. Example: station=8443970, days=2", false,
			s.Tides.TideTelegram),
		declare("leadline_trip_health", "Trip health", PlanningTools,
			"How suitable a time is for an activity at a station or a place: a state, a confidence and the "+
				"reasons with their numbers, from tide, current, wind, waves and alerts. Not a "+
				"clearance to go; missing facts are listed, not guessed. One time a call, at most "+
				"366 days ahead, wind and waves about six. Example: stationId=8443970, "+
				"activity=fishing, localDate=2026-11-21, localTime=09:00", true, s.Decisions.tripHealthByTool),
		keyed(declare("leadline_best_window", "Best window", PlanningTools,
			"Ranks 2 to 12 times for an activity at a tide station, the best first, each with the "+
				"decision of leadline_trip_health and the parts of its score. Recommends none where every "+
				"state is action-needed or unknown. Example: stationId=8443970, activity=fishing, "+
				"candidates=[{\"localDate\":\"2026-11-21\",\"localTime\":\"09:00\"},"+
				"{\"localDate\":\"2026-11-22\",\"localTime\":\"15:00\"}]", true, s.Decisions.BestWindow)),
		keyed(declare("leadline_evaluate_rules", "Evaluate rules", PlanningTools,
			"Makes the decision of leadline_trip_health and checks it against rules of your own: allowed "+
				"states, least confidence, missing inputs, fresh sources. Not a clearance. Example: "+
				"stationId=8443970, activity=fishing, localDate=2026-11-21, localTime=09:00, "+
				"rules=[{\"id\":\"a\",\"kind\":\"state_allowed\",\"allowed\":[\"normal\"]}]", true,
			s.Decisions.EvaluateRules)),
		keyed(declare("leadline_material_change", "Material change", PlanningTools,
			"Makes the decision of leadline_trip_health again and says what has materially changed since "+
				"an earlier one, given whole or as its summary. The new summary is the next baseline. "+
				"Example: stationId=8443970, activity=fishing, localDate=2026-11-21, localTime=09:00, "+
				"baseline={\"state\":\"normal\"}", true, s.Decisions.MaterialChange)),
	}
}

// keyed returns t for callers that the keyed routes of REST accept too. It checks them before the
// arguments.
func keyed(t Tool) Tool {
	call := t.call
	t.call = func(ctx context.Context, args []byte) (Result, error) {
		if err := access.Authorize(ctx, access.KeyedDecision); err != nil {
			return Result{}, err
		}
		return call(ctx, args)
	}
	return t
}

// describe writes the state at the requested time, the reasons for it, and what is missing.
func (t TripHealth) describe(text *render.Text) {
	d := t.Decision
	text.Line("%s%s, %s at %s: %s", stationName(&d.Station), t.place.away(), d.Activity,
		render.Clock(d.RequestedFor, d.EvaluatedAt), render.Escape(d.Headline))
	text.Line("State %s, confidence %s. %s", decide.Verdict(d.State, d.Confidence), d.Confidence,
		localTimes(render.Escape(d.Summary)))
	text.Gap()
	for _, r := range d.Reasons {
		text.Line("- %s: %s", r.Severity, localTimes(render.Escape(r.Message)))
	}
	for _, h := range d.Highlights {
		text.Line("- highlight: %s", localTimes(render.Escape(h)))
	}
	if w := d.Window; w != nil {
		text.Line("The state is the same from %s to %s.", render.Clock(w.From, d.EvaluatedAt),
			render.Clock(w.To, d.EvaluatedAt))
	}
	var f coast.Frame
	f.Sources, f.Notes, f.DatumEpoch, f.TimeZone = d.Sources, d.Notes, d.DatumEpoch, d.TimeZone
	if len(d.MissingInputs) > 0 {
		f.Missing = []coast.Missing{{
			Input: strings.Join(d.MissingInputs, ", "), Reason: "not available or stale",
		}}
	}
	f.Notes = append(slices.Clip(f.Notes), d.Disclaimer)
	footer(text, f)
}

// describe writes the ranks of the times, each with its state and the parts of its score.
func (b BestWindow) describe(text *render.Text) {
	best := "No time is recommended."
	if b.Recommended != nil {
		best = fmt.Sprintf("Recommended: rank %d.", *b.Recommended)
	}
	if len(b.Candidates) > 0 {
		d := b.Candidates[0].Decision
		text.Line("%s, %s: %s", stationName(&d.Station), d.Activity, best)
	}
	text.Gap()
	for _, c := range b.Candidates {
		d := c.Decision
		text.Line("%d. %s %s: %s, confidence %s, score %s. %s", c.Rank, c.LocalDate, c.LocalTime,
			decide.Verdict(d.State, d.Confidence), d.Confidence, render.Short(c.Score, 1),
			localTimes(render.Escape(d.Headline)))
		if len(d.MissingInputs) > 0 {
			text.Line("- missing: %s", strings.Join(d.MissingInputs, ", "))
		}
	}
	text.Gap()
	text.Line("Note: %s", b.Disclaimer)
}

// describe writes the results of the rules, then the decision.
func (e EvaluateRules) describe(text *render.Text) {
	passed := "Not all rules pass."
	if e.Evaluation.Passed {
		passed = "All rules pass."
	}
	text.Line("%s", passed)
	for _, r := range e.Evaluation.Results {
		text.Line("- %s: %s", r.Kind, localTimes(render.Escape(r.Message)))
	}
	TripHealth{Decision: e.Decision}.describe(text)
}

// describe writes what has changed, then the decision.
func (m MaterialChange) describe(text *render.Text) {
	changed := "Nothing has materially changed."
	if m.Change.Material {
		changed = "The decision has materially changed."
	}
	text.Line("%s", changed)
	for _, c := range m.Change.Changes {
		text.Line("- %s", localTimes(render.Escape(c.Message)))
	}
	TripHealth{Decision: m.Decision}.describe(text)
}
