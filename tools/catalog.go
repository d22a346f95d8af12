package tools

// Catalog returns the 26 tools in the order of their groups.
func (s *Set) Catalog() []Tool {
	return []Tool{
		declare("noaa_get_water_levels", "Observed water levels", Water,
			"Observed water levels at a gauge, with the predicted level and the residual beside them. For "+
				"the tide to come use noaa_get_tide_predictions.", true, s.WaterLevels),
		declare("noaa_get_water_level_summaries", "Water level summaries", Water,
			"Observed high and low waters, daily or monthly means and extremes at a gauge.", true,
			s.WaterLevelSummaries),
		declare("noaa_get_tide_predictions", "Tide predictions", Water,
			"Predicted high and low waters, or a height series: the astronomical tide as NOAA publishes "+
				"it, no weather. Flood, ebb and slack are noaa_get_current_predictions.", false,
			s.TidePredictions),
		declare("noaa_get_currents", "Observed currents", Water,
			"Observed current speed, direction and depth at a current meter. For predictions use "+
				"noaa_get_current_predictions.", true, s.Currents),
		declare("noaa_get_current_predictions", "Tidal current predictions", Water,
			"Predicted flood, ebb and slack, or a velocity series, at a current station "+
				"(noaa_find_nearest_stations, type currentpredictions).", false, s.CurrentPredictions),

		declare("noaa_get_meteorological_data", "Weather observations", Weather,
			"Observed wind, pressure, temperatures, visibility and more at a NOAA station.", true,
			s.MeteorologicalData),
		declare("nws_get_wind_forecast", "Wind forecast", Weather,
			"Hourly forecast of wind, gusts, weather and waves at a point or a station, from the weather "+
				"service's grid.", true, s.WindForecast),
		declare("nws_get_marine_forecast", "Marine forecast", Weather,
			"The coastal waters forecast text of a point's zone, its headlines, and the alerts in force.",
			true, s.MarineForecast),

		declare("noaa_search_stations", "Search stations", Stations,
			"Finds stations by name, id or state, or near a town, bay or ZIP code; forgives spelling. By "+
				"coordinates use noaa_find_nearest_stations.", false, s.SearchStations),
		declare("noaa_find_nearest_stations", "Nearest stations", Stations,
			"The stations nearest a point, with distance, bearing and what each predicts; none where "+
				"the nearest is over 150 km away.", false, s.NearestStations),
		declare("noaa_get_station_info", "Station information", Stations,
			"What a station is, what it can answer and with which tools; expand adds datums, bins, flood "+
				"levels, nearby stations.", false, s.StationInfo),
		declare("noaa_get_station_datums", "Station datums", Stations,
			"The tidal datums of a station, and the heights to add to go from one to another.", false,
			s.StationDatums),
		declare("noaa_get_harmonic_constituents", "Harmonic constituents", Stations,
			"The harmonic constants that a station's predictions are made of.", false,
			s.HarmonicConstituents),
		declare("noaa_get_tide_prediction_offsets", "Tide prediction offsets", Stations,
			"How a subordinate station's tide follows from its reference station.", false,
			s.TidePredictionOffsets),
		declare("noaa_get_station_sensors", "Station sensors", Stations,
			"The sensors of a station, and which tool and product reads each.", true, s.StationSensors),
		declare("noaa_get_current_station_bins", "Current station bins", Stations,
			"The depth bins of a current station, and which is predicted.", false, s.CurrentStationBins),
		declare("noaa_get_station_flood_levels", "Flood levels", Stations,
			"Where minor, moderate and major flooding begins at a station, each marked published or "+
				"derived.", false, s.StationFloodLevels),

		declare("noaa_get_sea_level_trends", "Sea level trends", Derived,
			"The long-term trend of relative sea level at a station, in a state, or everywhere.", true,
			s.SeaLevelTrends),
		declare("noaa_get_extreme_water_levels", "Extreme water levels", Derived,
			"Observed extremes and exceedance probabilities at a station.", true, s.ExtremeWaterLevels),
		declare("noaa_get_high_tide_flooding", "High tide flooding", Derived,
			"Counts, outlooks and projections of high-tide flood days at a station.", true,
			s.HighTideFlooding),
		declare("noaa_get_top_ten_water_levels", "Top ten water levels", Derived,
			"The highest observed water levels at a station.", true, s.TopTenWaterLevels),

		declare("astro_get_moon_phase", "Moon", Sky,
			"Moon phase, age, illumination, distance and next events; with a place also moonrise, moonset "+
				"and transit.", false, s.MoonPhase),
		declare("astro_get_sun_times", "Sun times", Sky,
			"Sunrise, sunset, solar noon, twilights, golden and blue hour at a place, day by day.", false,
			s.SunTimes),
		declare("astro_get_sun_position", "Sun position", Sky,
			"Where the sun stands at a place and time.", false, s.SunPosition),

		declare("noaa_get_reference_guide", "Reference guide", Reference,
			"A page of reference: datums, units, products, intervals, how to read results.", false,
			s.ReferenceGuide),
		declare("leadline_whoami", "Who am I", Reference,
			"Who you are to this server, what you may ask, and how to get more.", false, s.Whoami),
	}
}
