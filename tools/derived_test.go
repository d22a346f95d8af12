package tools

import (
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"leadline/internal/coast"
)

// TestTrends holds trends to the derived service's, page by page.
func TestTrends(t *testing.T) {
	r := simulated(t, nil)
	published := map[any]any{}
	for _, row := range list(t, r.raw(t, "/dpapi/prod/webapi/product/sealvltrends.json", "units", "metric"), "SeaLvlTrends") {
		published[follow(row, "stationId")] = row
	}
	check := func(row any) {
		t.Helper()
		want := published[follow(row, "station")]
		rate, _ := follow(want, "trend").(float64)
		if !near(follow(row, "trend"), rate, 0) || !near(follow(row, "confidence95"), follow(want, "trendError").(float64), 0) || !near(follow(row, "feetPerCentury"), rate*100/304.8, 0.005) || follow(row, "name") != follow(want, "stationName") {
			t.Errorf("%v, the service has %v", row, want)
		}
		for ours, theirs := range map[string]string{"from": "startDate", "to": "endDate"} {
			at, err := time.Parse("01/02/2006", fmt.Sprint(follow(want, theirs)))
			if err != nil || follow(row, ours) != at.Format(time.DateOnly) {
				t.Errorf("%s of %v is %v, the service has %v", ours, follow(row, "station"), follow(row, ours), follow(want, theirs))
			}
		}
	}
	seen := map[any]bool{}
	for offset := any(0.0); offset != nil; {
		page := get(t, r.Set, "noaa_get_sea_level_trends", fmt.Sprintf(`{"limit":5,"offset":%v}`, offset))
		for _, row := range list(t, page, "trends") {
			check(row)
			if seen[follow(row, "station")] {
				t.Errorf("%v comes twice", follow(row, "station"))
			}
			seen[follow(row, "station")] = true
		}
		if page["total"] != float64(len(published)) || !strings.Contains(fmt.Sprint(page["trendUnit"]), "mm/year") {
			t.Errorf("total %v %v", page["total"], page["trendUnit"])
		}
		offset = page["nextOffset"]
	}
	if len(seen) != len(published) || len(seen) < 10 {
		t.Errorf("%d trends of %d", len(seen), len(published))
	}
	one := list(t, get(t, r.Set, "noaa_get_sea_level_trends", `{"station":"9414290"}`), "trends")
	if len(one) != 1 || follow(one[0], "station") != "9414290" || follow(one[0], "state") != "CA" {
		t.Errorf("San Francisco: %v", one)
	}
	for _, row := range list(t, get(t, r.Set, "noaa_get_sea_level_trends", `{"state":"ca"}`), "trends") {
		if follow(row, "state") != "CA" {
			t.Errorf("of California: %v", row)
		}
	}
	for args, want := range map[string]coast.Code{`{"station":"8413320"}`: coast.ProductUnavailable, `{"station":"9414290","state":"CA"}`: coast.InvalidRequest} {
		if _, err := call(t, r.Set, "noaa_get_sea_level_trends", args); code(err) != want {
			t.Errorf("%s: %v, want %s", args, err, want)
		}
	}
}

// TestExtremes holds the events and the exceeded levels to the service's.
func TestExtremes(t *testing.T) {
	r := simulated(t, nil)
	ask := func(query ...string) any {
		return list(t, r.raw(t, "/dpapi/prod/webapi/product.json", append(query, "name", "extremewaterlevels", "station", "8518750", "units", "metric")...), "ExtremeWaterLevels")[0]
	}
	published, exceeded := ask(), ask("details", "exceedancelevels")
	for kind, field := range map[string]string{"high": "highs", "low": "lows"} {
		for units, foot := range map[string]float64{"metric": 1, "english": 0.3048} {
			out := get(t, r.Set, "noaa_get_extreme_water_levels", fmt.Sprintf(`{"station":"8518750","level_type":%q,"units":%q}`, kind, units))
			var want []any
			for _, e := range list(t, published, "tenYearEvents."+field) {
				at, err := time.Parse("01/02/2006", fmt.Sprint(follow(e, "date")))
				if err != nil {
					t.Fatal(err)
				}
				want = append(want, at.Format(time.DateOnly))
			}
			if fmt.Sprint(out["events"]) != fmt.Sprint(want) || out["datum"] != "MHHW" || out["datumEpoch"] != "1983-2001" {
				t.Errorf("%s: %v above %v, want %v", kind, out["events"], out["datum"], want)
			}
			levels := list(t, out, "levels")
			if kind == "low" {
				if len(levels) != 0 {
					t.Errorf("low levels %v, the service has high ones alone", levels)
				}
				continue
			}
			for i, l := range []struct{ probability, field string }{{"1 %", "f1_gtmhhw"}, {"10 %", "f10_gtmhhw"}, {"50 %", "f50_gtmhhw"}, {"99 %", "f99_gtmhhw"}} {
				if len(levels) != 4 || follow(levels[i], "probability") != l.probability || !near(follow(levels[i], "height"), follow(exceeded, l.field).(float64)/foot, 0.0005) {
					t.Errorf("%s levels %v, the service has %v", units, levels, follow(exceeded, l.field))
					break
				}
			}
		}
	}
	if _, err := call(t, r.Set, "noaa_get_extreme_water_levels", `{"station":"9063020"}`); code(err) != coast.ProductUnavailable {
		t.Errorf("extremes of a lake: %v", err)
	}
}

// TestFloodCounts holds counts of years, months and seasons to the service's.
func TestFloodCounts(t *testing.T) {
	r := simulated(t, nil)
	for _, test := range []struct {
		args, path, list, year, years string
		rows                          int
	}{
		{`"station":"8443970"`, "htf_annual", "AnnualFloodCount", "2017", "10", 10},
		{`"station":"8443970","year":1930`, "htf_annual", "AnnualFloodCount", "1930", "1", 1},
		{`"station":"8518750","report":"monthly","year":2025`, "htf_monthly", "MonthlyFloodCount", "2025", "1", 12},
		{`"station":"8518750","report":"monthly"`, "htf_monthly", "MonthlyFloodCount", "2026", "1", 11},
		{`"station":"8518750","report":"seasonal","year":2025`, "htf_seasonal", "SeasonalFloodCount", "2025", "1", 4},
	} {
		station := strings.Split(test.args, `"`)[3]
		rows := list(t, r.raw(t, "/dpapi/prod/webapi/htf/"+test.path+".json", "station", station, "year", test.year, "range", test.years), test.list)
		got := list(t, get(t, r.Set, "noaa_get_high_tide_flooding", "{"+test.args+"}"), "counts")
		if len(got) != test.rows || len(rows) != test.rows {
			t.Fatalf("%s: %d rows of %d, want %d", test.args, len(got), len(rows), test.rows)
		}
		for i, row := range rows {
			period := fmt.Sprint(follow(row, "year"))
			if month, ok := follow(row, "month").(float64); ok {
				period += fmt.Sprintf("-%02.0f", month)
			}
			if season := follow(row, "seasonMonths"); season != nil {
				period += " " + fmt.Sprint(season)
			}
			for ours, theirs := range map[string]string{"minor": "minCount", "moderate": "modCount", "major": "majCount", "daysMissing": "nanCount", "percentComplete": "percent_completeness"} {
				if follow(got[i], ours) != follow(row, theirs) || follow(got[i], "period") != period {
					t.Errorf("%s: %s of %v is %v, the service has %v of %s", test.args, ours, follow(got[i], "period"), follow(got[i], ours), follow(row, theirs), period)
				}
			}
		}
	}
	if _, err := call(t, r.Set, "noaa_get_high_tide_flooding", `{"station":"8443970","year":1910}`); code(err) != coast.ProductUnavailable {
		t.Errorf("before the record: %v", err)
	}
}

// TestFloodYearsWithoutData: a year without measurements has no counts, which
// is not none.
func TestFloodYearsWithoutData(t *testing.T) {
	r := simulated(t, nil)
	nulls := 0
	for year := 1922; year < 1950; year++ {
		row := follow(get(t, r.Set, "noaa_get_high_tide_flooding", fmt.Sprintf(`{"station":"8443970","year":%d}`, year)), "counts.0")
		want := list(t, r.raw(t, "/dpapi/prod/webapi/htf/htf_annual.json", "station", "8443970", "year", fmt.Sprint(year)), "AnnualFloodCount")[0]
		if follow(row, "minor") != follow(want, "minCount") {
			t.Errorf("%d: %v, the service has %v", year, follow(row, "minor"), follow(want, "minCount"))
		}
		if follow(row, "minor") == nil {
			nulls++
		}
	}
	if nulls == 0 {
		t.Error("no year without measurements")
	}
}

// TestFloodDays holds single days to the service's: its flags, its heights
// above station datum, and days without measurements.
func TestFloodDays(t *testing.T) {
	r := simulated(t, nil)
	rows := list(t, r.raw(t, "/dpapi/prod/webapi/htf/htf_daily.json", "station", "8518750", "start_date", "20260101", "end_date", "20261031", "datum", "STND", "units", "english"), "DailyFloodCount")
	out := get(t, r.Set, "noaa_get_high_tide_flooding", `{"station":"8518750","report":"daily","begin_date":"2026-01-01","end_date":"2026-10-31"}`)
	got, empty, flooded := list(t, out, "counts"), 0, 0
	if len(got) != len(rows) || len(got) != 304 || out["datum"] != "STND" {
		t.Fatalf("%d days of %d above %v", len(got), len(rows), out["datum"])
	}
	for i, row := range rows {
		day, _ := time.Parse("01/02/2006", fmt.Sprint(follow(row, "day")))
		if follow(got[i], "period") != day.Format(time.DateOnly) {
			t.Errorf("day %d is %v, want %v", i, follow(got[i], "period"), day)
		}
		if follow(row, "nanFlag") == "1" {
			empty++
			if follow(got[i], "minor") != nil || follow(got[i], "major") != nil || follow(got[i], "highestFeet") != nil || follow(got[i], "daysMissing") != 1.0 {
				t.Errorf("%v: %v, want nulls", day, got[i])
			}
			continue
		}
		for ours, theirs := range map[string]string{"minor": "minFlag", "moderate": "modFlag", "major": "majFlag"} {
			if fmt.Sprint(follow(got[i], ours)) != follow(row, theirs) {
				t.Errorf("%v: %s %v, the service has %v", day, ours, follow(got[i], ours), follow(row, theirs))
			}
		}
		hour := fmt.Sprintf("hour %02v UTC", follow(row, "maxTime"))
		if v, _ := valueOf(t, follow(row, "maxWL")); !near(follow(got[i], "highestFeet"), v, 0.0025) || follow(got[i], "highestAt") != hour {
			t.Errorf("%v: highest %v at %v, the service has %v ft", day, follow(got[i], "highestFeet"), follow(got[i], "highestAt"), v)
		}
		if follow(row, "minFlag") == "1" {
			flooded++
		}
	}
	if empty == 0 || flooded == 0 {
		t.Errorf("%d days without data, %d with floods: nothing was tried", empty, flooded)
	}
	month := list(t, get(t, r.Set, "noaa_get_high_tide_flooding", `{"station":"8518750","report":"daily"}`), "counts")
	if len(month) != 31 || follow(month[30], "period") != "2026-11-20" {
		t.Errorf("the last days are %d to %v", len(month), follow(month[len(month)-1], "period"))
	}
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

// TestFloodForecasts: the outlook and the projections, in both forms that the
// service has had.
func TestFloodForecasts(t *testing.T) {
	r := simulated(t, nil)
	outlook := get(t, r.Set, "noaa_get_high_tide_flooding", `{"station":"8443970","report":"outlook"}`)
	want := list(t, r.raw(t, "/dpapi/prod/webapi/htf/htf_met_year_annual_outlook.json", "station", "8443970"), "MetYearAnnualOutlook")[0]
	f := follow(outlook, "forecasts.0")
	if follow(f, "low") != follow(want, "lowConf") || follow(f, "high") != follow(want, "highConf") || !strings.Contains(fmt.Sprint(follow(f, "period")), fmt.Sprint(follow(want, "metYear"))) || follow(f, "basis") != "Quadratic" || follow(f, "made") != "2026-05-20" || outlook["counts"] != nil {
		t.Errorf("outlook %v, the service has %v", f, want)
	}
	if s := sourceOf(outlook, "high-tide-flooding"); s["kind"] != "forecast" {
		t.Errorf("the source is %v", s)
	}
	for _, station := range []string{"8443970", "8638610"} {
		raw := list(t, r.raw(t, "/dpapi/prod/webapi/htf/htf_projection_decadal.json", "station", station), "DecadalProjection")
		var rows []any
		var severities []string
		if follow(raw[0], "decade") != nil { // the form of before 2026
			rows, severities = raw, make([]string, len(raw))
		} else {
			for _, severity := range []string{"minor", "moderate", "major"} {
				for _, row := range list(t, raw[0], severity) {
					rows, severities = append(rows, row), append(severities, severity)
				}
			}
		}
		got := list(t, get(t, r.Set, "noaa_get_high_tide_flooding", fmt.Sprintf(`{"station":%q,"report":"projections"}`, station)), "forecasts")
		if len(got) != len(rows) {
			t.Fatalf("%s: %d rows of %d", station, len(got), len(rows))
		}
		for i, row := range rows {
			severity, _ := follow(got[i], "severity").(string)
			if follow(got[i], "period") != fmt.Sprintf("%vs", follow(row, "decade")) || severity != severities[i] {
				t.Errorf("%s row %d: %v %v, want %v %s", station, i, follow(got[i], "period"), severity, follow(row, "decade"), severities[i])
			}
			for ours, theirs := range map[string]string{"low": "low", "intermediateLow": "intLow", "intermediate": "intermediate", "intermediateHigh": "intHigh", "high": "high"} {
				if follow(got[i], ours) != follow(row, theirs) {
					t.Errorf("%s row %d: %s %v, the service has %v", station, i, ours, follow(got[i], ours), follow(row, theirs))
				}
			}
		}
	}
}

// TestTopTen holds the highest waters to the service's, on two datums.
func TestTopTen(t *testing.T) {
	r := simulated(t, nil)
	for _, datum := range []string{"MHHW", "STND"} {
		rows := list(t, r.raw(t, "/dpapi/prod/webapi/product.json", "name", "toptenwaterlevels", "station", "8443970", "units", "english", "datum", datum), "topTenWaterLevels")
		out := get(t, r.Set, "noaa_get_top_ten_water_levels", fmt.Sprintf(`{"station":"8443970","datum":%q}`, datum))
		got := list(t, out, "levels")
		if len(got) != 10 || out["datum"] != datum || out["heightUnit"] != "ft" {
			t.Fatalf("%d levels above %v", len(got), out["datum"])
		}
		for i, row := range rows {
			at, err := time.Parse(time.DateTime, fmt.Sprint(follow(row, "peakDate")))
			if err != nil || follow(got[i], "rank") != float64(i+1) || !near(follow(got[i], "height"), follow(row, "height").(float64), 0.0025) || !timeAt(t, got[i], "time").Equal(at) || follow(got[i], "event") != follow(row, "event") {
				t.Errorf("%v, the service has %v", got[i], row)
			}
		}
	}
	out := get(t, r.Set, "noaa_get_top_ten_water_levels", `{"station":"8443970","analysis":"peaks","year":2024}`)
	for i, row := range list(t, r.raw(t, "/dpapi/prod/webapi/product.json", "name", "peakwaterlevels", "year", "2024"), "peakWaterLevels") {
		e := follow(out, fmt.Sprintf("events.%d", i))
		if began, _, _ := strings.Cut(fmt.Sprint(follow(row, "startDate")), " "); follow(e, "began") != began || follow(e, "name") != follow(row, "name") || follow(e, "type") != follow(row, "eventType") {
			t.Errorf("%v, the service has %v", e, row)
		}
	}
	if !notes(out, "whole country") || out["levels"] != nil {
		t.Errorf("peaks: notes %v, levels %v", out["notes"], out["levels"])
	}
	if _, err := call(t, r.Set, "noaa_get_top_ten_water_levels", `{"station":"8413320"}`); code(err) != coast.ProductUnavailable {
		t.Errorf("a station without: %v", err)
	}
}

// TestOnAskedDatum: what the service tells above MHHW alone is put above the
// datum that was asked for, and said so; a datum that the station lacks is an
// error that lists the ones it has.
func TestOnAskedDatum(t *testing.T) {
	r := simulated(t, nil)
	published := r.raw(t, "/mdapi/prod/webapi/stations/8443970/datums.json", "units", "metric")
	levels := map[string]float64{"STND": 0, "LAT": published["LAT"].(float64)}
	for _, d := range list(t, published, "datums") {
		levels[fmt.Sprint(follow(d, "name"))] = follow(d, "value").(float64)
	}
	for _, test := range []struct{ tool, datum string }{
		{"noaa_get_extreme_water_levels", "STND"}, {"noaa_get_extreme_water_levels", "LAT"}, {"noaa_get_extreme_water_levels", "MLLW"}, {"noaa_get_top_ten_water_levels", "LAT"},
	} {
		args := `{"station":"8443970","units":"metric","datum":%q}`
		above := list(t, get(t, r.Set, test.tool, fmt.Sprintf(args, "MHHW")), "levels")
		out := get(t, r.Set, test.tool, fmt.Sprintf(args, test.datum))
		got := list(t, out, "levels")
		if out["datum"] != test.datum || len(got) != len(above) || !notes(out, "above MHHW") {
			t.Fatalf("%v: %d levels above %v, notes %v", test, len(got), out["datum"], out["notes"])
		}
		for i := range got {
			if want := follow(above[i], "height").(float64) + levels["MHHW"] - levels[test.datum]; !near(follow(got[i], "height"), want, 0.001) {
				t.Errorf("%v: %v, want %v", test, got[i], want)
			}
		}
	}
	for _, tool := range []string{"noaa_get_extreme_water_levels", "noaa_get_top_ten_water_levels"} {
		if _, err := call(t, r.Set, tool, `{"station":"8443970","datum":"IGLD"}`); code(err) != coast.DatumUnavailable || !strings.Contains(err.Error(), "MHHW, MHW") {
			t.Errorf("%s above IGLD: %v", tool, err)
		}
	}
}

// TestPublishedFloods: published levels come before derived ones and stand in
// for them, on every datum.
func TestPublishedFloods(t *testing.T) {
	r := simulated(t, nil)
	published := r.raw(t, "/mdapi/prod/webapi/stations/8443970/floodlevels.json", "units", "metric")
	zeros := map[string]float64{"STND": 0}
	for _, d := range list(t, r.raw(t, "/mdapi/prod/webapi/stations/8443970/datums.json", "units", "metric"), "datums") {
		zeros[strings.TrimSuffix(fmt.Sprint(follow(d, "name")), "88")] = follow(d, "value").(float64)
	}
	for _, datum := range []string{"MLLW", "MHHW", "STND", "NAVD", "MSL"} {
		for units, foot := range map[string]float64{"metric": 1, "english": 0.3048} {
			out := get(t, r.Set, "noaa_get_station_flood_levels", fmt.Sprintf(`{"station":"8443970","datum":%q,"units":%q}`, datum, units))
			levels := list(t, out, "levels")
			if len(levels) != 6 || sourceOf(out, "flood-levels") != nil || len(list(t, out, "missing")) != 0 {
				t.Fatalf("levels %v, missing %v", levels, out["missing"])
			}
			for i, l := range []struct{ authority, level, field string }{{"NOS", "minor", "nos_minor"}, {"NOS", "moderate", "nos_moderate"}, {"NOS", "major", "nos_major"}, {"NWS", "minor", "nws_minor"}, {"NWS", "moderate", "nws_moderate"}, {"NWS", "major", "nws_major"}} {
				v := follow(published, l.field).(float64)
				if follow(levels[i], "authority") != l.authority || follow(levels[i], "level") != l.level || follow(levels[i], "basis") != "published" || follow(levels[i], "datum") != datum ||
					!near(follow(levels[i], "height"), (v-zeros[datum])/foot, 0.0005+0.0005/foot) {
					t.Errorf("%s %s: %v, the service has %v m above the staff, of which %s is %v", datum, units, levels[i], v, datum, zeros[datum])
				}
			}
		}
	}
	if _, err := call(t, r.Set, "noaa_get_station_flood_levels", `{"station":"8443970","datum":"CRD"}`); code(err) != coast.DatumUnavailable {
		t.Errorf("above CRD: %v", err)
	}
	if _, err := call(t, r.Set, "noaa_get_station_flood_levels", `{"station":"9063020"}`); code(err) != coast.ProductUnavailable {
		t.Errorf("a lake: %v", err)
	}
}

// TestDerivedFloods: severities that the Ocean Service does not publish are
// derived, after the published ones, and say so.
func TestDerivedFloods(t *testing.T) {
	const some = `{"nos_minor":5.10,"nos_moderate":null,"nos_major":null,"nws_minor":null,"nws_moderate":6.25,"nws_major":null,"action":5.5,"self":null}`
	r := simulated(t, func(p http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			if strings.HasSuffix(q.URL.Path, "/9447130/floodlevels.json") {
				w.Header().Set("Content-Type", "application/json")
				if q.URL.Query().Get("units") != "metric" {
					t.Errorf("asked for %s", q.URL)
				}
				fmt.Fprint(w, some)
				return
			}
			p.ServeHTTP(w, q)
		})
	})
	levels := list(t, get(t, r.Set, "noaa_get_station_flood_levels", `{"station":"9447130","datum":"STND","units":"metric"}`), "levels")
	var told []string
	for _, l := range levels {
		told = append(told, fmt.Sprintf("%v %v %v %v", follow(l, "authority"), follow(l, "level"), follow(l, "basis"), follow(l, "height")))
	}
	// MLLW 2.419 m and GT 3.462 m: 1.03 GT + 0.80 = 4.36586, 1.04 GT + 1.17 = 4.77048.
	want := "NOS minor published 5.1, NWS action published 5.5, NWS moderate published 6.25, NOS moderate derived 6.785, NOS major derived 7.189"
	if got := strings.Join(told, ", "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	none := get(t, r.Set, "noaa_get_station_flood_levels", `{"station":"8413320"}`)
	for _, l := range list(t, none, "levels") {
		if follow(l, "basis") != "derived" {
			t.Errorf("a station without published levels: %v", l)
		}
	}
	if len(list(t, none, "levels")) != 3 || !lacks(none, "published flood levels", "") || sourceOf(none, "flood-levels")["provider"] != "Leadline" {
		t.Errorf("levels %v, missing %v", none["levels"], none["missing"])
	}
}

// TestDatumsOnRecord: the extremes on record come with the datums while the
// service answers, and are missing else.
func TestDatumsOnRecord(t *testing.T) {
	t.Parallel()
	r := simulated(t, nil)
	published := r.raw(t, "/mdapi/prod/webapi/stations/8443970/datums.json", "units", "metric")
	for units, foot := range map[string]float64{"metric": 1, "english": 0.3048} {
		out := get(t, r.Set, "noaa_get_station_datums", fmt.Sprintf(`{"station":"8443970","units":%q}`, units))
		if !near(follow(out, "record.highest.aboveSTND"), published["max"].(float64)/foot, 0.0005) || follow(out, "record.highest.date") != "2012-10-30T01:12:00Z" ||
			!near(follow(out, "record.lowest.aboveSTND"), published["min"].(float64)/foot, 0.0005) || follow(out, "record.lowest.date") != "1976-02-02T21:30:00Z" {
			t.Errorf("record %v, the service has %v on %v and %v on %v", out["record"], published["max"], published["maxdate"], published["min"], published["mindate"])
		}
		for _, d := range list(t, out, "datums") {
			for _, p := range list(t, published, "datums") {
				if follow(p, "name") == follow(d, "name") && !near(follow(d, "aboveSTND"), follow(p, "value").(float64)/foot, 0.0005+0.0005/foot) {
					t.Errorf("%v, the service has %v", d, p)
				}
			}
		}
		if s := sourceOf(out, "station-record"); s["kind"] != "observation" {
			t.Errorf("source of the record %v", s)
		}
	}
	offline := get(t, newSet(t), "noaa_get_station_datums", `{"station":"8443970"}`)
	if offline["record"] != nil || !lacks(offline, "extremes on record", "") || len(list(t, offline, "datums")) < 8 {
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
	if _, err := call(t, r.Set, "noaa_get_station_datums", `{"station":"8443970","epoch":"superseded"}`); code(err) != coast.ProductUnavailable {
		t.Errorf("superseded datums that there are none of: %v", err)
	}
}

// TestSupersededDatums: those of the epoch before, with their own epoch.
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
	out := get(t, r.Set, "noaa_get_station_datums", `{"station":"8443970","epoch":"superseded","units":"english"}`)
	if out["datumEpoch"] != "1960-1978" || follow(out, "datums.0.name") != "MHHW" || !near(follow(out, "datums.0.aboveSTND"), math.Round(4.1/0.3048*1000)/1000, 0) || !near(follow(out, "datums.0.aboveMLLW"), math.Round(3.1/0.3048*1000)/1000, 0) || !near(follow(out, "ranges.0.value"), math.Round(3.1/0.3048*1000)/1000, 0) || !notes(out, "Superseded") {
		t.Errorf("got %v, epoch %v, ranges %v", out["datums"], out["datumEpoch"], out["ranges"])
	}
	now := get(t, r.Set, "noaa_get_station_datums", `{"station":"8443970"}`)
	if now["datumEpoch"] == "1960-1978" || notes(now, "Superseded") {
		t.Errorf("the current ones are %v", now["datumEpoch"])
	}
}
