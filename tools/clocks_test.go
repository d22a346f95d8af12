package tools

import (
	"fmt"
	"strings"
	"testing"
)

// TestClocksOfPlaces checks stations whose place has another clock than NOAA's tables: local times
// and days are those of the place, time_zone lst gives those of the tables, and each result has one
// sentence about it. The offsets are those of the IANA database and of NOAA's list of stations
// (timezonecorr).
func TestClocksOfPlaces(t *testing.T) {
	const day = "2027-01-01"
	s := newSet(t)
	for _, test := range []struct{ station, civil, tables, local, standard string }{
		// St. George Island, Sikes Cut: Eastern, tables Central.
		{"8728669", "America/New_York", "America/Chicago", "-05:00", "-06:00"},
		{"9468151", "America/Nome", "Etc/GMT+11", "-09:00", "-11:00"}, // Stebbins
		{"1778000", "Pacific/Apia", "Etc/GMT+11", "+13:00", "-11:00"},
	} {
		args := func(zone, from string) string {
			return fmt.Sprintf(`{"station":%q,"begin_date":%q,"range":14,"interval":"60"%s}`, test.station,
				from, zone)
		}
		local := get(t, s, "noaa_get_tide_predictions", args("", day+" 00:00"))
		first := fmt.Sprint(follow(local, "series.start"))
		if follow(local, "timeZone") != test.civil || follow(local, "station.timeZone") != test.civil ||
			follow(local, "station.noaaTimeZone") != test.tables ||
			first != day+"T00:00:00"+test.local {
			t.Errorf("%s: first time %s in %v, station %v", test.station, first, local["timeZone"],
				local["station"])
		}
		lst := get(t, s, "noaa_get_tide_predictions", args(`,"time_zone":"lst"`, day+" 00:00"))
		if first := fmt.Sprint(follow(lst, "series.start")); first != day+"T00:00:00"+test.standard {
			t.Errorf("%s: first time %s, want NOAA's standard time %s", test.station, first, test.standard)
		}
		sentence := fmt.Sprintf("Local times are %s, the clock of the place; NOAA's tables of %s use %s.",
			test.civil, test.station, test.tables)
		for tool, args := range map[string]string{
			"noaa_get_tide_predictions": `"station":%q`, "noaa_get_station_info": `"station":%q`,
			"astro_get_sun_times": `"station":%q`, "leadline_get_day": `"station":%q`,
			"leadline_trip_health": `"stationId":%q,"activity":"boating","localDate":"2026-11-21",` +
				`"localTime":"12:00"`,
		} {
			text := textOf(t, s, tool, fmt.Sprintf("{"+args+"}", test.station))
			if strings.Count(text, sentence) != 1 {
				t.Errorf("%s of %s has %q %d times:\n%s", tool, test.station, sentence,
					strings.Count(text, sentence), text)
			}
		}
	}
}
