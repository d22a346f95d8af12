package tools

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestValues compares single values of results with their sources. Units and names are most
// easily confused in the last step, from the engines to the fields.
func TestValues(t *testing.T) {
	s := newSet(t)
	for _, test := range []struct {
		tool, args string
		want       map[string]any // by path; numbers to 0.0006, times to 2 s
	}{
		// NOAA CO-OPS, 8557863 Rehoboth Beach, tide prediction offsets.
		{"noaa_get_tide_prediction_offsets", `{"station":"8557863"}`, map[string]any{
			"referenceStation.id": "8570280", "timeOffsets.highMinutes": 15.0, "timeOffsets.lowMinutes": 8.0,
			"heightOffsets.type": "ratio", "heightOffsets.high": 1.13, "heightOffsets.low": 1.33,
			"datum": "MLLW"}},
		// NOAA CO-OPS, 9411189 Ventura, tide prediction offsets: fixed, in meters.
		{"noaa_get_tide_prediction_offsets", `{"station":"9411189"}`,
			map[string]any{"heightOffsets.type": "fixed", "heightOffsets.unit": "m"}},
		// NOAA CO-OPS, ACT0101 Western Passage, current prediction offsets.
		{"noaa_get_current_station_bins", `{"station":"ACT0101"}`, map[string]any{
			"bins.0.referenceStation": "EPT0003_11", "bins.0.directions.flood": 319.0,
			"bins.0.directions.ebb": 142.0, "bins.0.directions.directionSource": "noaa_mean",
			"bins.0.offsets.slackBeforeFloodMinutes": 27.0, "bins.0.offsets.floodMinutes": 11.0,
			"bins.0.offsets.slackBeforeEbbMinutes": 13.0,
			"bins.0.offsets.ebbMinutes":            40.0, "bins.0.offsets.floodSpeedRatio": 1.4,
			"bins.0.offsets.ebbSpeedRatio": 1.3, "bins.0.bin": nil}},
		// NOAA CO-OPS, EPT0003 Estes Head, harmonic constants of the current: axis 265.6,
		// mean flow -0.081 kn.
		{"noaa_get_current_station_bins", `{"station":"EPT0003"}`, map[string]any{
			"bins.0.directions.flood": 265.6, "bins.0.directions.ebb": 85.6,
			"bins.0.directions.directionSource": "axis", "bins.0.directions.unit": "degrees true, toward",
			"bins.0.meanFlowKnots": -0.081,
			"bins.0.default":       true, "bins.1.id": "EPT0003_11", "bins.1.bin": 11.0,
			"bins.1.default": false}},
		// NOAA CO-OPS, 8443970 Boston, datums, meters above STND: HAT 4.831, MLLW 1.074, GT 3.131,
		// HWI 3.738 h.
		{"noaa_get_station_datums", `{"station":"8443970","units":"metric"}`, map[string]any{
			"datums.0.name": "HAT", "datums.0.aboveSTND": 4.831, "datums.0.aboveMLLW": 3.757,
			"datums.10.name": "STND", "datums.10.aboveMLLW": -1.074,
			"ranges.2.name": "GT", "ranges.2.value": 3.131, "ranges.3.name": "HWI", "ranges.3.value": 3.738,
			"ranges.3.unit": "h", "heightUnit": "m", "datumEpoch": "1983-2001"}},
		{"noaa_get_station_datums", `{"station":"8443970"}`,
			map[string]any{"datums.0.aboveSTND": 15.85, "datums.0.aboveMLLW": 12.326, "heightUnit": "ft"}},
		// NOAA CO-OPS, 9447130 Seattle, NOS flood levels in feet above MLLW: minor 13.45,
		// moderate 14.32, major 15.65.
		{"noaa_get_station_flood_levels", `{"station":"9447130"}`, map[string]any{
			"levels.0.level": "minor", "levels.0.height": 13.453, "levels.1.height": 14.324,
			"levels.2.level": "major", "levels.2.height": 15.651, "levels.0.basis": "derived",
			"levels.0.datum": "MLLW"}},
		{"noaa_get_station_flood_levels", `{"station":"9447130","datum":"STND","units":"metric"}`,
			map[string]any{"levels.0.height": 6.519, "levels.0.datum": "STND", "datum": "STND"}},
		// NOAA CO-OPS, 8443970 Boston, harmonic constituents, metric, GMT.
		{"noaa_get_harmonic_constituents", `{"station":"8443970","units":"metric"}`, map[string]any{
			"constituents.0.name": "M2", "constituents.0.amplitude": 1.371, "constituents.0.phase": 109.2,
			"constituents.0.speed": 28.9841042, "constituents.36.number": 37.0,
			"constituents.36.name": "MS4", "amplitudeUnit": "m"}},
		{"noaa_get_harmonic_constituents", `{"station":"8443970"}`,
			map[string]any{"constituents.0.amplitude": 4.498, "amplitudeUnit": "ft"}},
		{"noaa_get_harmonic_constituents", `{"station":"EPT0003","units":"metric"}`,
			map[string]any{"constituents.0.amplitude": 126.605, "meanFlow": -4.167,
				"amplitudeUnit": "cm/s"}},
		// These are the same constants: (0.829 + 0.456 m) / (1.071 + 0.263 m) at Seattle.
		{"noaa_get_station_info", `{"station":"9447130","expand":["details","datums","floodlevels"]}`,
			map[string]any{
				"details.formNumber": 0.97, "details.tideRegime": "mixed, mainly semidiurnal",
				"details.constituents": 37.0, "kind": "tide", "referenceStation": nil,
				"datum": nil, "datumLevels.0.aboveSTND": 21.175, "floodLevels.0.datum": "MLLW",
				"sources.1.id": "station-datums", "sources.2.id": "published-flood-levels",
				"sources.2.available": false, "sources.3.id": "flood-levels", "sources.4.id": "station-details",
				"sources.5": nil}},
		{"noaa_get_station_info", `{"station":"8443970","expand":["nearby"]}`,
			map[string]any{"bearingUnit": "degrees true"}},
		{"noaa_get_station_info", `{"station":"8557863"}`,
			map[string]any{"predictionKind": "subordinate", "referenceStation.id": "8570280",
				"datums.0": "MLLW", "datums.1": nil}},
		{"noaa_get_station_info", `{"station":"8770475","expand":["disclaimers"]}`,
			map[string]any{"notes.0": "NOAA says of this station: These data and associated tidal " +
				"datums are derived from the Texas Coastal Ocean Observation Network (TCOON), a " +
				"state-wide coastal observing system. Leveling information used to verify vertical " +
				"positioning for navigational purposes may not meet NOS standards. Subsequent review " +
				"of these data based upon field inspections may result in revisions. Data users are " +
				"cautioned before using these data for critical decisions such as those that concern " +
				"physical or public safety."}},
		// A point 1.852 km (a minute of latitude) south of a station is 1.2 miles away. The station
		// is to the north.
		{"noaa_find_nearest_stations",
			`{"latitude":42.3372222,"longitude":-71.0502778,"limit":1,"type":"tidepredictions"}`,
			map[string]any{
				"stations.0.id": "8443970", "stations.0.distanceKm": 1.9, "stations.0.distanceMi": 1.2,
				"stations.0.bearing": 0.0}},
		{"noaa_find_nearest_stations",
			`{"latitude":42.3372222,"longitude":-71.0502778,"max_distance_km":0}`,
			map[string]any{"stations.0": nil}},
		{"noaa_find_nearest_stations",
			`{"latitude":42.3372222,"longitude":-71.0502778,"max_distance_km":2,"type":"tidepredictions"}`,
			map[string]any{"stations.0.id": "8443970", "stations.3": nil}},
		// astronomy-engine 2.1.19, 42.35 N 71.05 W, 2026-11-21.
		{"astro_get_sun_times", `{"latitude":42.35,"longitude":-71.05,"date":"2026-11-21"}`,
			map[string]any{
				"days.0.sunrise":                instantOf("2026-11-21T11:42:22Z"),
				"days.0.sunset":                 instantOf("2026-11-21T21:17:29Z"),
				"days.0.civilDawn":              instantOf("2026-11-21T11:11:42Z"),
				"days.0.civilDusk":              instantOf("2026-11-21T21:48:08Z"),
				"days.0.nauticalDawn":           instantOf("2026-11-21T10:37:21Z"),
				"days.0.astronomicalDusk":       instantOf("2026-11-21T22:55:54Z"),
				"days.0.blueHourMorning.from":   instantOf("2026-11-21T11:11:42Z"),
				"days.0.goldenHourMorning.from": instantOf("2026-11-21T11:23:27Z"),
				"days.0.goldenHourMorning.to":   instantOf("2026-11-21T12:25:19Z"),
				"days.0.goldenHourEvening.from": instantOf("2026-11-21T20:34:32Z"),
				"days.0.goldenHourEvening.to":   instantOf("2026-11-21T21:36:24Z"),
				"days.0.blueHourEvening.to":     instantOf("2026-11-21T21:48:08Z"),
				"days.0.dayLength":              "9:35:06", "days.0.state": "rises_and_sets"}},
		{"astro_get_sun_times", `{"latitude":69.65,"longitude":18.96,"date":"2026-06-21"}`,
			map[string]any{"days.0.sunrise": nil, "days.0.state": "polar_day",
				"days.0.dayLength": "24:00:00", "days.0.civilState": "always_up"}},
		{"astro_get_sun_times", `{"latitude":69.65,"longitude":18.96,"date":"2026-12-21"}`,
			map[string]any{"days.0.sunset": nil, "days.0.state": "polar_night",
				"days.0.dayLength": "0:00:00", "days.0.civilState": "crosses"}},
		{"astro_get_sun_position", `{"latitude":42.35,"longitude":-71.05,"time":"2026-11-20 12:00"}`,
			map[string]any{
				"position.azimuth": 187.991, "position.altitude": 27.461, "position.declination": -19.801,
				"position.hourAngle": 7.533, "angleUnit": "degrees", "timeZone": "America/New_York"}},
		{"astro_get_sun_position", `{"latitude":42.35,"longitude":-71.05,"time":"2026-11-20 22:00"}`,
			map[string]any{"position.refractedAltitude": nil}},
		{"astro_get_moon_phase", `{"latitude":42.35,"longitude":-71.05,"date":"2026-11-21"}`,
			map[string]any{
				"days.0.moonrise": instantOf("2026-11-21T19:08:27Z"),
				"days.0.moonset":  instantOf("2026-11-21T08:04:52Z"), "days.0.illumination": 0.885,
				"days.0.phase": "waxing_gibbous"}},
		// The evening lasts past midnight, or there is midnight sun: a band ends when the sun
		// leaves it.
		{"astro_get_sun_times", `{"station":"9455920","date":"2026-06-05"}`, map[string]any{
			"days.0.goldenHourEvening.from": instantOf("2026-06-06T06:04:52Z"),
			"days.0.goldenHourEvening.to":   instantOf("2026-06-06T08:24:41Z"),
			"days.0.date":                   "2026-06-05"}},
		// After a clock change at midnight, the day begins at 01:00, and no day is lost.
		{"astro_get_sun_times", `{"station":"TEC4645","date":"2026-03-07","days":3}`,
			map[string]any{"days.0.date": "2026-03-07", "days.1.date": "2026-03-08",
				"days.2.date": "2026-03-09"}},
		{"noaa_get_tide_predictions", `{"station":"TEC4645","begin_date":"2026-03-08","interval":"h"}`,
			map[string]any{
				"span.from": "2026-03-08T01:00:00-04:00", "span.to": "2026-03-08T23:59:00-04:00",
				"series.count": 23.0}},
		{"noaa_get_tide_predictions", `{"station":"TEC4645","begin_date":"2026-11-01","interval":"h"}`,
			map[string]any{
				"span.from": "2026-11-01T00:00:00-04:00", "span.to": "2026-11-01T23:59:00-05:00",
				"series.count": 25.0}},
		{"astro_get_sun_times",
			`{"latitude":-33.45,"longitude":-70.66,"time_zone":"America/Santiago","date":"2026-09-05","days":3}`,
			map[string]any{"days.1.date": "2026-09-06", "days.2.date": "2026-09-07"}},
		{"astro_get_sun_times", `{"latitude":60,"longitude":-30,"date":"2026-06-21"}`, map[string]any{
			"timeZone": "Etc/GMT+2",
			"notes.0": "Time zone Etc/GMT+2, UTC-02:00, is that of the longitude: " +
				"no station lies within 100 km.",
			"days.0.nauticalState": "always_up", "days.0.astronomicalState": "always_up",
			"days.0.civilState": "crosses"}},
		{"astro_get_moon_phase",
			`{"latitude":42.35,"longitude":-71.05,"begin_date":"2026-11-28","end_date":"2026-12-01"}`,
			map[string]any{"illuminationUnit": "fraction", "days.3.date": "2026-12-01"}},
		{"noaa_get_tide_predictions", `{"station":"8443970","units":"metric"}`,
			map[string]any{"heightUnit": "m", "rateUnit": "m/h"}},
		{"noaa_get_current_predictions",
			`{"station":"EPT0003","units":"metric","begin_date":"2026-06-01"}`,
			map[string]any{"speedUnit": "cm/s", "directionUnit": "degrees true, toward",
				"events.0.slackWindow.below": 25.7}},
		{"noaa_get_station_info", `{"station":"8518951"}`,
			map[string]any{"tools.0": "noaa_get_tide_predictions"}},
		{"noaa_get_station_info", `{"station":"8519024"}`,
			map[string]any{"datums.0": "MSL",
				"notes.0": `Predictions here need "datum": "MSL": the station has no MLLW.`,
				"tools.1": "noaa_get_harmonic_constituents", "tools.2": nil}},
		{"noaa_get_station_info", `{"station":"8660754"}`,
			map[string]any{"predictionKind": "none", "tools.0": "noaa_get_station_datums"}},
		{"noaa_get_station_info", `{"station":"8771450","expand":["details"]}`,
			map[string]any{"details.tideRegime": "mixed, mainly diurnal"}},
		{"leadline_whoami", `{}`,
			map[string]any{"tier": "anonymous", "limits.minute": 30.0, "limits.month": nil,
				"remaining.minute": 29.0, "remaining.month": nil, "remaining.warning": "none",
				"identifiedBy": "client address 192.0.2.1"}},
	} {
		out := get(t, s, test.tool, test.args)
		for path, want := range test.want {
			if got := follow(out, path); !agrees(got, want) {
				t.Errorf("%s %s: %s = %v, want %v", test.tool, test.args, path, got, want)
			}
		}
	}
}

// follow returns the value at a path of names and indices, or nil if the path does not exist.
func follow(v any, path string) any {
	for _, step := range strings.Split(path, ".") {
		switch inner := v.(type) {
		case map[string]any:
			v = inner[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(inner) {
				return nil
			}
			v = inner[i]
		default:
			return nil
		}
	}
	return v
}

func instantOf(text string) time.Time {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return at
}

func agrees(got, want any) bool {
	switch want := want.(type) {
	case float64:
		v, ok := got.(float64)
		return ok && math.Abs(v-want) < 0.0006
	case time.Time:
		at, err := time.Parse(time.RFC3339, fmt.Sprint(got))
		return err == nil && at.Sub(want).Abs() <= 2*time.Second
	}
	return got == want
}
