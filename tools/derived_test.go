package tools

import (
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"

	"leadline/internal/coast"
)

// publishing returns a rig whose derived-product service has only the given responses, by
// path and query. Given responses of the metadata service replace the simulator's; the
// simulator serves all other requests.
func publishing(t testing.TB, bodies map[string]string) rig {
	return simulated(t, func(p http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			_, path, _ := strings.Cut(q.URL.Path, "/prod/webapi/")
			body, ok := bodies[path+"?"+q.URL.RawQuery]
			if !ok && !strings.HasPrefix(q.URL.Path, "/dpapi/") {
				p.ServeHTTP(w, q)
				return
			}
			if !ok {
				t.Errorf("unexpected request for %s", q.URL)
			}
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, body)
		})
	})
}

// lines formats some fields of each row of a list, with "-" for null or absent values.
func lines(t testing.TB, out any, path string, fields ...string) (lines []string) {
	t.Helper()
	for _, row := range list(t, out, path) {
		var words []string
		for _, field := range fields {
			word := "-"
			if v := follow(row, field); v != nil {
				word = fmt.Sprint(v)
			}
			words = append(words, word)
		}
		lines = append(lines, strings.Join(words, " "))
	}
	return lines
}

func sameLines(t testing.TB, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %s\nwant %s", what, strings.Join(got, "\n     "),
			strings.Join(want, "\n     "))
	}
}

// These are rows of sea level trends as NOAA published them in 2026, in that response's
// units.
const (
	batteryTrend     = `{"stationId":"8518750","stationName":"The Battery","trendUnits":"inches/decade","trend":1.16,"trendError":0.02,"startDate":"01/15/1856","endDate":"12/15/2025"}`
	virginiaKeyTrend = `{"stationId":"8723214","stationName":"Virginia Key","annotation":"Combined with station 8723080.","trendUnits":"inches/decade","trend":1.26,"trendError":0.04,"startDate":"06/15/1931","endDate":"12/15/2025"}`
	newCanalTrend    = `{"stationId":"8761927","stationName":"New Canal","trendUnits":"inches/decade","trend":2.36,"trendError":0.19,"startDate":"12/15/1982","endDate":"12/15/2025"}`
)

// TestTrends checks that trends are returned as published, page by page. One inch a decade is
// 2.54 mm a year and 10/12 of a foot a century.
func TestTrends(t *testing.T) {
	r := publishing(t, map[string]string{
		"product/sealvltrends.json?units=metric": `{"count":3,"SeaLvlTrends":[` +
			batteryTrend + "," + virginiaKeyTrend + "," + newCanalTrend + `]}`,
		"product/sealvltrends.json?station=8723214&units=metric": `{"count":1,"SeaLvlTrends":[` +
			virginiaKeyTrend + `]}`,
		"product/sealvltrends.json?station=8413320&units=metric": `{"count":0,"SeaLvlTrends":[]}`,
	})
	const (
		battery     = "8518750 The Battery NY - 2.95 0.05 1856-01-15 2025-12-15 0.97"
		virginiaKey = "8723214 Virginia Key FL Combined with station 8723080. " +
			"3.2 0.1 1931-06-15 2025-12-15 1.05"
		newCanal = "8761927 New Canal LA - 5.99 0.48 1982-12-15 2025-12-15 1.97"
	)
	trends := func(args string) (map[string]any, []string) {
		out := get(t, r.Set, "noaa_get_sea_level_trends", args)
		return out, lines(t, out, "trends", "station", "name", "state", "combined", "trend",
			"confidence95", "from", "to", "feetPerCentury")
	}
	for args, want := range map[string][]string{
		`{}`:                       {battery, virginiaKey, newCanal},
		`{"limit":2}`:              {battery, virginiaKey},
		`{"limit":2,"offset":2}`:   {newCanal},
		`{"limit":1,"offset":1}`:   {virginiaKey},
		`{"offset":3}`:             nil,
		`{"station":"8723214"}`:    {virginiaKey},
		`{"state":"fl"}`:           {virginiaKey},
		`{"place":"Brooklyn, NY"}`: {battery},
		`{"state":"CA"}`:           nil,
		`{"state":"NY","limit":1}`: {battery},
	} {
		_, got := trends(args)
		sameLines(t, args, got, want...)
	}
	for args, want := range map[string]any{
		`{"limit":2}`: 2.0, `{"limit":1,"offset":1}`: 2.0, `{"limit":2,"offset":2}`: nil, `{}`: nil,
	} {
		out, _ := trends(args)
		if out["nextOffset"] != want || out["total"] != 3.0 ||
			!strings.Contains(fmt.Sprint(out["trendUnit"]), "mm/year") {
			t.Errorf("%s: next %v, want %v; total %v %v",
				args, out["nextOffset"], want, out["total"], out["trendUnit"])
		}
	}
	for args, want := range map[string]coast.Code{
		`{"station":"8413320"}`:              coast.ProductUnavailable,
		`{"station":"9414290","state":"CA"}`: coast.InvalidRequest,
		`{"place":"Boston","state":"MA"}`:    coast.InvalidRequest,
		`{"place":"San Francisco, CA"}`:      coast.StationNotFound,
	} {
		if _, err := call(t, r.Set, "noaa_get_sea_level_trends", args); code(err) != want {
			t.Errorf("%s: %v, want %s", args, err, want)
		}
	}
}

// batteryExtremes is NOAA's response with the extremes at The Battery, 8518750, shortened to
// the first and last events.
const batteryExtremes = `{"count":1,"ExtremeWaterLevels":[{"stationId":"8518750","stationName":"The Battery","state":"NY","epoch":"1983-2001","tenYearEvents":{"count":30,` +
	`"highs":[{"type":"GEV_HI","date":"09/21/1938","status":"YES"},{"type":"GEV_HI","date":"10/30/2012","status":"YES"}],` +
	`"lows":[{"type":"GEV_LO","date":"02/02/1908","status":"YES"},{"type":"GEV_LO","date":"02/02/1976","status":"YES"},{"type":"GEV_LO","date":"01/06/2018","status":"YES"}]}`

// exceeded adds invented levels in whole inches: 75, 48, 30 and 12 inches above MHHW.
const exceeded = `,"f1_gtmhhw":1.905,"f10_gtmhhw":1.2192,"f50_gtmhhw":0.762,"f99_gtmhhw":0.3048}]}`

// extremeBodies returns the two responses with a station's extremes above a datum.
func extremeBodies(station, datum string) map[string]string {
	query := "&name=extremewaterlevels&station=" + station + "&units=metric"
	return map[string]string{
		"product.json?datum=" + datum + query:                               batteryExtremes + "}]}",
		"product.json?datum=" + datum + "&details=exceedancelevels" + query: batteryExtremes + exceeded,
	}
}

// TestExtremes checks the events as published, and the levels that a given share of years
// exceeds, which NOAA publishes for high waters only.
func TestExtremes(t *testing.T) {
	bodies := extremeBodies("8518750", "MHHW")
	bodies["product.json?datum=IGLD&name=extremewaterlevels&station=9063020&units=metric"] = `{"count":0,"ExtremeWaterLevels":[]}`
	r := publishing(t, bodies)
	for _, test := range []struct {
		args, events string
		levels       []string
	}{
		{`"level_type":"high","units":"english"`, "[1938-09-21 2012-10-30]",
			[]string{"1 % 6.25", "10 % 4", "50 % 2.5", "99 % 1"}},
		{`"level_type":"high","units":"metric"`, "[1938-09-21 2012-10-30]",
			[]string{"1 % 1.905", "10 % 1.219", "50 % 0.762", "99 % 0.305"}},
		{`"level_type":"low","units":"english"`, "[1908-02-02 1976-02-02 2018-01-06]", nil},
		{`"level_type":"low","units":"metric"`, "[1908-02-02 1976-02-02 2018-01-06]", nil},
	} {
		out := get(t, r.Set, "noaa_get_extreme_water_levels", `{"station":"8518750",`+test.args+`}`)
		if fmt.Sprint(out["events"]) != test.events || out["datum"] != "MHHW" ||
			out["datumEpoch"] != "1983-2001" {
			t.Errorf("%s: %v above %v of %v, want %s", test.args, out["events"], out["datum"],
				out["datumEpoch"], test.events)
		}
		sameLines(t, test.args, lines(t, out, "levels", "probability", "height"), test.levels...)
	}
	_, err := call(t, r.Set, "noaa_get_extreme_water_levels", `{"station":"9063020"}`)
	if code(err) != coast.ProductUnavailable {
		t.Errorf("extremes of a lake: %v", err)
	}
}

// floodFields are the fields of a flood count that the tests compare.
var floodFields = []string{"period", "minor", "moderate", "major", "daysMissing", "percentComplete"}

// TestFloodCounts checks yearly counts as NOAA published them for The Battery, 8518750, and
// Nawiliwili, 1611400. The counts of months and seasons are invented, in NOAA's format.
func TestFloodCounts(t *testing.T) {
	const row = `{"stnId":%q,%s,"majCount":%d,"modCount":%d,"minCount":%d,"nanCount":%d,"percent_completeness":%v}`
	years := fmt.Sprintf(row, "8518750", `"year":2017`, 0, 0, 14, 0, 100.0)
	for i, c := range [][2]int{
		{2, 16}, {0, 9}, {0, 11}, {0, 12}, {1, 13}, {0, 12}, {2, 26}, {0, 7}, {0, 0},
	} {
		year := fmt.Sprintf(`"year":%d`, 2018+i)
		years += "," + fmt.Sprintf(row, "8518750", year, 0, c[0], c[1], 0, 100.0)
	}
	r := publishing(t, map[string]string{
		"htf/htf_annual.json?range=10&station=8518750&year=2017": `{"count":10,"AnnualFloodCount":[` +
			years + `]}`,
		"htf/htf_annual.json?range=1&station=1611400&year=2001": `{"count":1,"AnnualFloodCount":[` +
			fmt.Sprintf(row, "1611400", `"year":2001`, 0, 0, 0, 35, 90.4) + `]}`,
		"htf/htf_annual.json?range=1&station=8518750&year=1910": `{"count":0,"AnnualFloodCount":[]}`,
		"htf/htf_monthly.json?range=1&station=8518750&year=2025": `{"count":2,"MonthlyFloodCount":[` +
			fmt.Sprintf(row, "8518750", `"year":2025,"month":1`, 0, 0, 1, 2, 93.5) + "," +
			fmt.Sprintf(row, "8518750", `"year":2025,"month":12`, 1, 2, 3, 0, 100.0) + `]}`,
		"htf/htf_monthly.json?range=1&station=8518750&year=2026": `{"count":1,"MonthlyFloodCount":[` +
			fmt.Sprintf(row, "8518750", `"year":2026,"month":11`, 0, 0, 2, 0, 100.0) + `]}`,
		"htf/htf_seasonal.json?range=1&station=8518750&year=2025": `{"count":2,"SeasonalFloodCount":[` +
			fmt.Sprintf(row, "8518750", `"year":2025,"seasonMonths":"DJF"`, 0, 0, 4, 0, 100.0) + "," +
			fmt.Sprintf(row, "8518750", `"year":2025,"seasonMonths":"SON"`, 0, 1, 5, 1, 98.9) + `]}`,
	})
	for _, test := range []struct {
		args string
		want []string
	}{
		{`"station":"8518750"`,
			[]string{"2017 14 0 0 0 100", "2018 16 2 0 0 100", "2019 9 0 0 0 100",
				"2020 11 0 0 0 100", "2021 12 0 0 0 100", "2022 13 1 0 0 100", "2023 12 0 0 0 100",
				"2024 26 2 0 0 100", "2025 7 0 0 0 100", "2026 0 0 0 0 100"}},
		{`"station":"1611400","year":2001`, []string{"2001 0 0 0 35 90.4"}},
		{`"station":"8518750","report":"monthly","year":2025`,
			[]string{"2025-01 1 0 0 2 93.5", "2025-12 3 2 1 0 100"}},
		{`"station":"8518750","report":"monthly"`, []string{"2026-11 2 0 0 0 100"}},
		{`"station":"8518750","report":"seasonal","year":2025`,
			[]string{"2025 DJF 4 0 0 0 100", "2025 SON 5 1 0 1 98.9"}},
	} {
		out := get(t, r.Set, "noaa_get_high_tide_flooding", "{"+test.args+"}")
		sameLines(t, test.args, lines(t, out, "counts", floodFields...), test.want...)
		noted := strings.Contains(fmt.Sprint(out["notes"]), "No year was named: ")
		if noted == strings.Contains(test.args, "year") {
			t.Errorf("%s: notes %v", test.args, out["notes"])
		}
	}
	all := get(t, r.Set, "noaa_get_high_tide_flooding", `{"station":"8518750"}`)
	if notes := fmt.Sprint(all["notes"]); !strings.Contains(notes, "2017 to 2026 was requested") {
		t.Errorf("the years that were requested are not among %s", notes)
	}
	_, err := call(t, r.Set, "noaa_get_high_tide_flooding", `{"station":"8518750","year":1910}`)
	if code(err) != coast.ProductUnavailable {
		t.Errorf("before the record: %v", err)
	}
}

// TestFloodYearsWithoutData checks that a year without measurements has null counts and not
// zero. NOAA has such years at The Battery from 1922 to 1925.
func TestFloodYearsWithoutData(t *testing.T) {
	r := publishing(t, map[string]string{
		"htf/htf_annual.json?range=1&station=8518750&year=1922": `{"count":1,"AnnualFloodCount":[{"stnId":"8518750","year":1922,"majCount":null,"modCount":null,"minCount":null,"nanCount":365,"percent_completeness":null}]}`,
		"htf/htf_annual.json?range=1&station=8518750&year=1920": `{"count":1,"AnnualFloodCount":[{"stnId":"8518750","year":1920,"majCount":0,"modCount":0,"minCount":0,"nanCount":152,"percent_completeness":58.5}]}`,
	})
	for year, want := range map[int]string{1922: "1922 - - - 365 -", 1920: "1920 0 0 0 152 58.5"} {
		out := get(t, r.Set, "noaa_get_high_tide_flooding",
			fmt.Sprintf(`{"station":"8518750","year":%d}`, year))
		sameLines(t, fmt.Sprint(year), lines(t, out, "counts", floodFields...), want)
	}
}

// TestFloodDays checks daily values as NOAA published them for Charleston, 8665530, in
// September 2020, in feet. The day without measurements is invented, in NOAA's format.
func TestFloodDays(t *testing.T) {
	query := "htf/htf_daily.json?datum=STND&end_date=%s&start_date=%s&station=%s&units=metric"
	r := publishing(t, map[string]string{
		fmt.Sprintf(query, "20200919", "20200914", "8665530"): `{"count":6,"stnName":"Charleston, SC","units":"feet","DailyFloodCount":[` +
			`{"day":"09/14/2020","maxWL":1.46,"maxTime":23,"majFlag":"0","modFlag":"0","minFlag":"0","nanFlag":"0"},` +
			`{"day":"09/15/2020","maxWL":2.19,"maxTime":23,"majFlag":"0","modFlag":"0","minFlag":"1","nanFlag":"0"},` +
			`{"day":"09/16/2020","maxWL":2.16,"maxTime":0,"majFlag":"0","modFlag":"0","minFlag":"1","nanFlag":"0"},` +
			`{"day":"09/17/2020","maxWL":2.07,"maxTime":0,"majFlag":"0","modFlag":"0","minFlag":"1","nanFlag":"0"},` +
			`{"day":"09/18/2020","maxWL":null,"maxTime":null,"majFlag":"0","modFlag":"0","minFlag":"0","nanFlag":"1"},` +
			`{"day":"09/19/2020","maxWL":2.22,"maxTime":15,"majFlag":"0","modFlag":"0","minFlag":"1","nanFlag":"0"}]}`,
		fmt.Sprintf(query, "20261120", "20261021", "8518750"): `{"count":1,"units":"meters","DailyFloodCount":[{"day":"11/20/2026","maxWL":"0.3048","maxTime":7,"majFlag":"1","modFlag":"1","minFlag":"1","nanFlag":"0"}]}`,
		fmt.Sprintf(query, "20261120", "20261021", "8413320"): `{"count":0,"DailyFloodCount":[]}`,
	})
	fields := []string{
		"period", "minor", "moderate", "major", "daysMissing", "highestFeet", "highestAt",
	}
	out := get(t, r.Set, "noaa_get_high_tide_flooding",
		`{"station":"8665530","report":"daily","begin_date":"2020-09-14","end_date":"2020-09-19"}`)
	sameLines(t, "Charleston", lines(t, out, "counts", fields...),
		"2020-09-14 0 0 0 0 1.46 hour 23 UTC", "2020-09-15 1 0 0 0 2.19 hour 23 UTC",
		"2020-09-16 1 0 0 0 2.16 hour 00 UTC", "2020-09-17 1 0 0 0 2.07 hour 00 UTC",
		"2020-09-18 - - - 1 - -", "2020-09-19 1 0 0 0 2.22 hour 15 UTC")
	if out["datum"] != "STND" {
		t.Errorf("above %v, want STND", out["datum"])
	}
	// The default span is the last 31 days.
	month := get(t, r.Set, "noaa_get_high_tide_flooding", `{"station":"8518750","report":"daily"}`)
	sameLines(t, "the last days", lines(t, month, "counts", fields...),
		"2026-11-20 1 1 1 0 1 hour 07 UTC")
	for args, want := range map[string]coast.Code{
		`{"station":"8518750","report":"daily","begin_date":"2026-02-01","end_date":"2026-01-01"}`: coast.InvalidRequest,
		`{"station":"8518750","report":"daily","begin_date":"2026-02-01"}`:                         coast.InvalidRequest,
		`{"station":"8518750","begin_date":"2026-01-01","end_date":"2026-02-01"}`:                  coast.InvalidRequest,
		`{"station":"8518750","report":"daily","year":2026}`:                                       coast.InvalidRequest,
		`{"station":"8413320","report":"daily"}`:                                                   coast.ProductUnavailable,
	} {
		if _, err := call(t, r.Set, "noaa_get_high_tide_flooding", args); code(err) != want {
			t.Errorf("%s: %v, want %s", args, err, want)
		}
	}
}

// TestFloodForecasts checks outlooks as NOAA published them for Boston, 8443970, and
// projections in both formats of the service: the 2022 format for Boston and the 2026 format
// for Virginia Key, 8723214.
func TestFloodForecasts(t *testing.T) {
	const outlooks = `{"count":2,"MetYearAnnualOutlook":[{"stnId":"8443970","metYear":2019,"highConf":19,"lowConf":12,"projectDate":"2019-05-31","projectMethod":"Quadratic"},` +
		`{"stnId":"8443970","metYear":2022,"highConf":18,"lowConf":11,"projectDate":"2022-05-20","projectMethod":"Quadratic"}]}`
	r := publishing(t, map[string]string{
		"htf/htf_met_year_annual_outlook.json?station=8443970":               outlooks,
		"htf/htf_met_year_annual_outlook.json?met_year=2019&station=8443970": outlooks,
		"htf/htf_projection_decadal.json?station=8443970": `{"count":2,"DecadalProjection":[{"stnId":"8443970","decade":2020,"source":"TBA TECH MEMO","low":14,"intLow":15,"intermediate":15,"intHigh":15,"high":15},` +
			`{"stnId":"8443970","decade":2050,"source":"TBA TECH MEMO","low":50,"intLow":59,"intermediate":68,"intHigh":79,"high":87}]}`,
		"htf/htf_projection_decadal.json?station=8723214": `{"stnId":"8723214","DecadalProjection":[{"minor":[{"decade":2020,"low":3,"intLow":3,"intermediate":3,"intHigh":3,"high":3},` +
			`{"decade":2050,"low":20,"intLow":25,"intermediate":35,"intHigh":60,"high":95}],"moderate":[{"decade":2100,"low":6,"intLow":50,"intermediate":350,"intHigh":365,"high":365}],` +
			`"major":[{"decade":2100,"low":0,"intLow":0,"intermediate":70,"intHigh":360,"high":365}]}]}`,
	})
	for args, want := range map[string]string{
		`{"station":"8443970","report":"outlook"}`:             "meteorological year 2022 minor 11 18 Quadratic 2022-05-20",
		`{"station":"8443970","report":"outlook","year":2019}`: "meteorological year 2019 minor 12 19 Quadratic 2019-05-31",
	} {
		out := get(t, r.Set, "noaa_get_high_tide_flooding", args)
		sameLines(t, args,
			lines(t, out, "forecasts", "period", "severity", "low", "high", "basis", "made"), want)
		if s := sourceOf(out, "high-tide-flooding"); s["kind"] != "forecast" || out["counts"] != nil {
			t.Errorf("%s: the source is %v, counts %v", args, s, out["counts"])
		}
	}
	fields := []string{
		"period", "severity", "low", "intermediateLow", "intermediate", "intermediateHigh", "high",
		"basis",
	}
	boston := get(t, r.Set, "noaa_get_high_tide_flooding",
		`{"station":"8443970","report":"projections"}`)
	sameLines(t, "Boston", lines(t, boston, "forecasts", fields...),
		"2020s - 14 15 15 15 15 TBA TECH MEMO", "2050s - 50 59 68 79 87 TBA TECH MEMO")
	key := get(t, r.Set, "noaa_get_high_tide_flooding", `{"station":"8723214","report":"projections"}`)
	sameLines(t, "Virginia Key", lines(t, key, "forecasts", fields...), "2020s minor 3 3 3 3 3 -",
		"2050s minor 20 25 35 60 95 -",
		"2100s moderate 6 50 350 365 365 -", "2100s major 0 0 70 360 365 -")
}

// seattleTopTen is a format string with the beginning of NOAA's list for Seattle, 9447130. The
// tests fill in the heights and datums.
const seattleTopTen = `{"units":"meters","topTenWaterLevels":[{"stationId":"9447130","peakDate":"2022-12-27","peakTime":"16:42","height":%v,"datum":%q,"category":"Other","event":"Above Normal Tides & Cold Front Passage"},` +
	`{"stationId":"9447130","peakDate":"1977-12-15","peakTime":"17:00","height":%v,"datum":%q,"category":"TBD","event":"To Be Determined"}]}`

// TestTopTen checks the highest waters as published for Seattle above MLLW, which is 2.42 m
// above station datum. It also checks the events of a year.
func TestTopTen(t *testing.T) {
	query := "product.json?datum=%s&name=toptenwaterlevels&station=%s&units=metric"
	r := publishing(t, map[string]string{
		fmt.Sprintf(query, "MLLW", "9447130"): fmt.Sprintf(seattleTopTen, 4.609, "MLLW", 4.418, "MLLW"),
		fmt.Sprintf(query, "STND", "9447130"): fmt.Sprintf(seattleTopTen, 7.029, "STND", 6.838, "STND"),
		fmt.Sprintf(query, "MHHW", "8413320"): `{"topTenWaterLevels":[]}`,
		"product.json?name=peakwaterlevels&year=2024": `{"peakWaterLevels":[{"eventId":1459,"startDate":"2024-01-08 00:00:00","name":"January 9-10 East Coast Winter Storm","eventType":"Extra Tropical","dissemination":"true","greatLake":"false","stormTrack":"false"},` +
			`{"eventId":1467,"startDate":"2024-03-09 00:00:00","name":"March East Coast Storm","eventType":"Other","dissemination":"true","greatLake":"false","stormTrack":"false"}]}`,
	})
	fields := []string{"rank", "time", "height", "event", "category"}
	for args, want := range map[string][]string{
		`"datum":"MLLW"`: {
			"1 2022-12-27T16:42:00Z 15.121 Above Normal Tides & Cold Front Passage Other",
			"2 1977-12-15T17:00:00Z 14.495 To Be Determined TBD",
		},
		`"datum":"STND","units":"metric"`: {
			"1 2022-12-27T16:42:00Z 7.029 Above Normal Tides & Cold Front Passage Other",
			"2 1977-12-15T17:00:00Z 6.838 To Be Determined TBD",
		},
	} {
		out := get(t, r.Set, "noaa_get_top_ten_water_levels", `{"station":"9447130",`+args+`}`)
		sameLines(t, args, lines(t, out, "levels", fields...), want...)
		if !strings.Contains(args, fmt.Sprint(out["datum"])) {
			t.Errorf("%s: above %v", args, out["datum"])
		}
	}
	out := get(t, r.Set, "noaa_get_top_ten_water_levels",
		`{"station":"9447130","analysis":"peaks","year":2024}`)
	sameLines(t, "peaks", lines(t, out, "events", "began", "name", "type"),
		"2024-01-08 January 9-10 East Coast Winter Storm Extra Tropical",
		"2024-03-09 March East Coast Storm Other")
	if !notes(out, "whole country") || out["levels"] != nil {
		t.Errorf("peaks: notes %v, levels %v", out["notes"], out["levels"])
	}
	_, err := call(t, r.Set, "noaa_get_top_ten_water_levels", `{"station":"8413320"}`)
	if code(err) != coast.ProductUnavailable {
		t.Errorf("a station without extremes: %v", err)
	}
}

// TestOnAskedDatum checks that levels which the service publishes only above MHHW are
// converted to the requested datum, with a note. If the station does not have that datum, the
// error lists the available ones. At The Battery, MHHW is 2.543 m above station datum, MLLW
// 1.002 m and LAT 0.537 m.
func TestOnAskedDatum(t *testing.T) {
	bodies := map[string]string{}
	for _, datum := range []string{"STND", "LAT", "MLLW", "IGLD"} {
		maps.Copy(bodies, extremeBodies("8518750", datum))
		bodies["product.json?datum="+datum+"&name=toptenwaterlevels&station=8518750&units=metric"] =
			`{"units":"meters","topTenWaterLevels":[{"stationId":"8518750","peakDate":"2012-10-30","peakTime":"01:12","height":2.739,"datum":"MHHW"}]}`
	}
	r := publishing(t, bodies)
	for _, test := range []struct {
		tool, datum string
		want        []float64
	}{
		{"noaa_get_extreme_water_levels", "STND", []float64{4.448, 3.762, 3.305, 2.848}},
		{"noaa_get_extreme_water_levels", "LAT", []float64{3.911, 3.225, 2.768, 2.311}},
		{"noaa_get_extreme_water_levels", "MLLW", []float64{3.446, 2.760, 2.303, 1.846}},
		{"noaa_get_top_ten_water_levels", "LAT", []float64{4.745}},
		// This is the highest water on record according to the datums response.
		{"noaa_get_top_ten_water_levels", "STND", []float64{5.282}},
	} {
		out := get(t, r.Set, test.tool,
			fmt.Sprintf(`{"station":"8518750","units":"metric","datum":%q}`, test.datum))
		got := list(t, out, "levels")
		if out["datum"] != test.datum || len(got) != len(test.want) || !notes(out, "above MHHW") {
			t.Fatalf("%v: %d levels above %v, notes %v", test, len(got), out["datum"], out["notes"])
		}
		for i := range got {
			if !near(follow(got[i], "height"), test.want[i], 0.001) {
				t.Errorf("%v: %v, want %v", test, got[i], test.want[i])
			}
		}
	}
	for _, tool := range []string{"noaa_get_extreme_water_levels", "noaa_get_top_ten_water_levels"} {
		_, err := call(t, r.Set, tool, `{"station":"8518750","datum":"IGLD"}`)
		if code(err) != coast.DatumUnavailable || !strings.Contains(err.Error(), "MHHW, MHW") {
			t.Errorf("%s above IGLD: %v", tool, err)
		}
	}
}

// TestPublishedFloods checks that published levels replace derived ones, above every datum.
// NOAA published the levels and datums of Seattle in feet above station datum.
func TestPublishedFloods(t *testing.T) {
	r := publishing(t, map[string]string{
		"stations/9447130/floodlevels.json?units=metric": `{"nos_minor":6.520,"nos_moderate":6.785,"nos_major":7.190,"nws_minor":6.523,"nws_moderate":6.797,"nws_major":6.919,"action":null,"self":null}`,
	})
	published := []struct {
		authority, level string
		feet             float64
	}{
		{"NOS", "minor", 21.39},
		{"NOS", "moderate", 22.26},
		{"NOS", "major", 23.59},
		{"NWS", "minor", 21.4},
		{"NWS", "moderate", 22.3},
		{"NWS", "major", 22.7},
	}
	for datum, zero := range map[string]float64{
		"MLLW": 7.94, "MHHW": 19.3, "STND": 0, "NAVD": 10.28, "MSL": 14.58,
	} {
		for units, foot := range map[string]float64{"metric": 0.3048, "english": 1} {
			out := get(t, r.Set, "noaa_get_station_flood_levels",
				fmt.Sprintf(`{"station":"9447130","datum":%q,"units":%q}`, datum, units))
			levels := list(t, out, "levels")
			if len(levels) != 6 || sourceOf(out, "flood-levels") != nil ||
				len(list(t, out, "missing")) != 0 {
				t.Fatalf("levels %v, missing %v", levels, out["missing"])
			}
			for i, l := range published { // 0.0125: two roundings to 0.01 ft and two to 0.001 m
				if follow(levels[i], "authority") != l.authority || follow(levels[i], "level") != l.level ||
					follow(levels[i], "basis") != "published" || follow(levels[i], "datum") != datum ||
					!near(follow(levels[i], "height"), (l.feet-zero)*foot, 0.0125*foot) {
					t.Errorf("%s %s: %v, published are %v ft above station datum, of which %s is %v", datum, units,
						levels[i], l.feet, datum, zero)
				}
			}
		}
	}
	_, err := call(t, r.Set, "noaa_get_station_flood_levels", `{"station":"9447130","datum":"CRD"}`)
	if code(err) != coast.DatumUnavailable {
		t.Errorf("above CRD: %v", err)
	}
	_, err = call(t, r.Set, "noaa_get_station_flood_levels", `{"station":"9063020"}`)
	if code(err) != coast.ProductUnavailable {
		t.Errorf("a lake: %v", err)
	}
}

// TestDerivedFloods checks that flood levels which the National Ocean Service does not
// publish are derived, marked as derived and listed after the published ones.
func TestDerivedFloods(t *testing.T) {
	const some = `{"nos_minor":5.10,"nos_moderate":null,"nos_major":null,"nws_minor":null,"nws_moderate":6.25,"nws_major":null,"action":5.5,"self":null}`
	r := simulated(t, func(p http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			if strings.HasSuffix(q.URL.Path, "/9447130/floodlevels.json") {
				w.Header().Set("Content-Type", "application/json")
				if q.URL.Query().Get("units") != "metric" {
					t.Errorf("unexpected request for %s", q.URL)
				}
				fmt.Fprint(w, some)
				return
			}
			p.ServeHTTP(w, q)
		})
	})
	out := get(t, r.Set, "noaa_get_station_flood_levels",
		`{"station":"9447130","datum":"STND","units":"metric"}`)
	levels := lines(t, out, "levels", "authority", "level", "basis", "height")
	// MLLW 2.419 m and GT 3.462 m: 1.03 GT + 0.80 = 4.36586, 1.04 GT + 1.17 = 4.77048.
	sameLines(t, "Seattle", levels, "NOS minor published 5.1", "NWS action published 5.5",
		"NWS moderate published 6.25", "NOS moderate derived 6.785", "NOS major derived 7.189")
	none := get(t, r.Set, "noaa_get_station_flood_levels", `{"station":"8413320"}`)
	for _, l := range list(t, none, "levels") {
		if follow(l, "basis") != "derived" {
			t.Errorf("a station without published levels: %v", l)
		}
	}
	if len(list(t, none, "levels")) != 3 || !lacks(none, "published flood levels", "") ||
		sourceOf(none, "flood-levels")["provider"] != "Leadline" {
		t.Errorf("levels %v, missing %v", none["levels"], none["missing"])
	}
}

// batteryDatums is NOAA's response with the datums at The Battery, 8518750, shortened to a
// few of them.
const batteryDatums = `{"accepted":"Apr 17 2003","superseded":"","epoch":"1983-2001","units":"meters","OrthometricDatum":"NAVD88","datums":[{"name":"STND","description":"Station Datum","value":0.0},` +
	`{"name":"MHHW","description":"Mean Higher-High Water","value":2.543},{"name":"MLLW","description":"Mean Lower-Low Water","value":1.002}],` +
	`"LAT":0.53699994,"LATdate":"20320212","LATtime":"20:18","HAT":2.978,"min":-0.305,"mindate":"19760202","mintime":"21:30","max":5.282,"maxdate":"20121030","maxtime":"01:12"}`

// TestDatumsOnRecord checks that the datums result includes the extremes on record if the
// service responds, and lists them in missing if not.
func TestDatumsOnRecord(t *testing.T) {
	t.Parallel()
	r := publishing(t, map[string]string{"stations/8518750/datums.json?units=metric": batteryDatums})
	aboveStaff := map[any]float64{
		"MHHW": 2.543, "MHW": 2.445, "DTL": 1.773, "MTL": 1.755, "MSL": 1.785, "MLW": 1.065,
		"MLLW": 1.002, "NAVD88": 1.848, "STND": 0,
	}
	for units, foot := range map[string]float64{"metric": 1, "english": 0.3048} {
		out := get(t, r.Set, "noaa_get_station_datums",
			fmt.Sprintf(`{"station":"8518750","units":%q}`, units))
		if !near(follow(out, "record.highest.aboveSTND"), 5.282/foot, 0.0005) ||
			follow(out, "record.highest.date") != "2012-10-30T01:12:00Z" ||
			!near(follow(out, "record.lowest.aboveSTND"), -0.305/foot, 0.0005) ||
			follow(out, "record.lowest.date") != "1976-02-02T21:30:00Z" {
			t.Errorf("%s: record %v, want 5.282 m on 2012-10-30 and -0.305 m on 1976-02-02",
				units, out["record"])
		}
		seen := 0
		for _, d := range list(t, out, "datums") {
			if want, ok := aboveStaff[follow(d, "name")]; ok {
				seen++
				if !near(follow(d, "aboveSTND"), want/foot, 0.0005+0.0005/foot) {
					t.Errorf("%v, want %v m above station datum", d, want)
				}
			}
		}
		if seen < 8 {
			t.Errorf("%s: %d datums of %d", units, seen, len(aboveStaff))
		}
		if s := sourceOf(out, "station-record"); s["kind"] != "observation" {
			t.Errorf("source of the record %v", s)
		}
	}
	offline := get(t, newSet(t), "noaa_get_station_datums", `{"station":"8443970"}`)
	if offline["record"] != nil || !lacks(offline, "extremes on record", "") ||
		len(list(t, offline, "datums")) < 8 {
		t.Errorf("offline: record %v, missing %v", offline["record"], offline["missing"])
	}
	lake := get(t, r.Set, "noaa_get_station_datums", `{"station":"9063020","units":"metric"}`)
	got := map[any]any{}
	for _, d := range list(t, lake, "datums") {
		got[follow(d, "name")] = follow(d, "aboveSTND")
	}
	if got["LWD"] != 173.5 || got["IGLD"] != 0.0 || follow(lake, "datums.0.aboveMLLW") != nil {
		t.Errorf("datums of a lake: %v", lake["datums"])
	}
	_, err := call(t, r.Set, "noaa_get_station_datums", `{"station":"8443970","epoch":"superseded"}`)
	if code(err) != coast.ProductUnavailable {
		t.Errorf("a station without superseded datums: %v", err)
	}
}

// TestSupersededDatums checks the datums of the previous epoch and the epoch that the result
// names.
func TestSupersededDatums(t *testing.T) {
	r := simulated(t, func(p http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			if !strings.HasSuffix(q.URL.Path, "/supersededdatums.json") {
				p.ServeHTTP(w, q)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"accepted":"","superseded":"Apr 17 2003","epoch":"1960-1978","units":"meters","OrthometricDatum":null,"datums":[{"name":"STND","description":"","value":0.0},{"name":"MLLW","description":"","value":1.0},{"name":"MHHW","description":"","value":4.1},{"name":"GT","description":"","value":3.1}],"LAT":null,"HAT":null,"min":null,"max":null,"self":null}`)
		})
	})
	out := get(t, r.Set, "noaa_get_station_datums",
		`{"station":"8443970","epoch":"superseded","units":"english"}`)
	if out["datumEpoch"] != "1960-1978" || follow(out, "datums.0.name") != "MHHW" ||
		!near(follow(out, "datums.0.aboveSTND"), math.Round(4.1/0.3048*1000)/1000, 0) ||
		!near(follow(out, "datums.0.aboveMLLW"), math.Round(3.1/0.3048*1000)/1000, 0) ||
		!near(follow(out, "ranges.0.value"), math.Round(3.1/0.3048*1000)/1000, 0) ||
		!notes(out, "Superseded") {
		t.Errorf("got %v, epoch %v, ranges %v", out["datums"], out["datumEpoch"], out["ranges"])
	}
	now := get(t, r.Set, "noaa_get_station_datums", `{"station":"8443970"}`)
	if now["datumEpoch"] == "1960-1978" || notes(now, "Superseded") {
		t.Errorf("the current ones are %v", now["datumEpoch"])
	}
}

// TestScenarios compares the scenarios of sea level with the response of the provider, in both
// units, and checks that they are apart from the observed trend.
func TestScenarios(t *testing.T) {
	r := simulated(t, nil)
	rows := list(t, r.raw(t, "/dpapi/prod/webapi/product/slr_projections.json",
		"station", "8443970", "units", "metric"), "SlrProjections")
	for units, scale := range map[string]float64{"english": 30.48, "metric": 100} {
		out := get(t, r.Set, "noaa_get_sea_level_trends",
			`{"station":"8443970","scenarios":true,"units":"`+units+`"}`)
		levels := list(t, out, "scenarios.levels")
		if len(levels) != len(rows) || len(rows) != 75 {
			t.Fatalf("%d levels of %d", len(levels), len(rows))
		}
		for i, row := range rows {
			for name, of := range map[string]string{
				"level": "projectionRsl", "low": "projectionCiLow", "high": "projectionCiHigh",
			} {
				if !near(follow(levels[i], name), follow(row, of).(float64)/scale, 0.001) {
					t.Errorf("%s: %v, the provider has %v", units, levels[i], row)
				}
			}
			if follow(levels[i], "scenario") != follow(row, "scenario") ||
				follow(levels[i], "year") != follow(row, "projectionYear") {
				t.Errorf("%v, the provider has %v", levels[i], row)
			}
		}
		if follow(out, "scenarios.baselineYear") != 2005.0 ||
			follow(out, "scenarios.reportYear") != 2022.0 {
			t.Errorf("%v", out["scenarios"])
		}
	}
	plain := textOf(t, r.Set, "noaa_get_sea_level_trends", `{"station":"8443970"}`)
	text := textOf(t, r.Set, "noaa_get_sea_level_trends",
		`{"station":"8443970","scenarios":true}`)
	before, after, found := strings.Cut(text, "\nScenarios, not predictions, of the interagency "+
		"report of 2022, relative sea level in ft above that of 2005 (NOAA's range):\n")
	if !found || !strings.HasPrefix(plain, before) ||
		!strings.Contains(after, "neither a prediction") {
		t.Errorf("the text is\n%s", text)
	}
	place := get(t, r.Set, "noaa_get_sea_level_trends", `{"place":"Boston, MA","scenarios":true}`)
	if place["scenarios"] == nil {
		t.Errorf("scenarios of a place: %v", place["missing"])
	}
	_, err := call(t, r.Set, "noaa_get_sea_level_trends", `{"scenarios":true}`)
	if code(err) != coast.InvalidRequest || !strings.Contains(err.Error(), "those of one station") {
		t.Errorf("scenarios everywhere: %v", err)
	}
}

// TestScenariosMissing checks that the trend is as without scenarios that NOAA does not return.
func TestScenariosMissing(t *testing.T) {
	t.Parallel() // the client retries failed requests after a delay
	for _, status := range []int{http.StatusInternalServerError, http.StatusNotFound} {
		r := simulated(t, func(h http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.HasSuffix(r.URL.Path, "slr_projections.json") {
					w.WriteHeader(status)
					return
				}
				h.ServeHTTP(w, r)
			})
		})
		out := get(t, r.Set, "noaa_get_sea_level_trends", `{"station":"8443970","scenarios":true}`)
		if out["scenarios"] != nil || follow(out, "missing.0.input") != "scenarios" ||
			len(list(t, out, "trends")) != 1 || len(list(t, out, "sources")) != 1 {
			t.Errorf("status %d: %v", status, out)
		}
	}
}
