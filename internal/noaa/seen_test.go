package noaa

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"leadline/internal/coast"
	"leadline/internal/upstream"
)

// seen returns a response that was found after the others. The comment of each test names its
// source; the values were typed from the file.
func seen(t *testing.T, name ...string) []byte {
	t.Helper()
	return sharedFile(t, append([]string{"recordings2"}, name...)...)
}

// valueText formats a value, "-" for none.
func valueText(v *float64) string {
	if v == nil {
		return "-"
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}

// TestSeenReadings reads responses of the data service: Seavey Island 8419870 and Pier 17
// 9414296. All were recorded byte by byte, except the air gap, which was rebuilt from XML.
func TestSeenReadings(t *testing.T) {
	for _, test := range []struct {
		file, station string
		format        format[Reading]
		want          string // time, value, flags of each row
	}{
		{"humidity-english.json", "8419870", readingFormat,
			"00:00 37.5, 00:06 37.2, 00:12 37.7, 00:18 37.1, 00:24 37.2, 00:30 37.2, " +
				"00:36 37.7, 00:42 38.1, 00:48 37.1, 00:54 36.3, 01:00 35.7"},
		{"humidity-metric-hourly.json", "8419870", readingFormat, "00:00 37.5, 01:00 35.7"},
		{"humidity-missing.json", "8419870", readingFormat, "12:48 100, 12:54 -, 13:00 100"},
		{"conductivity-metric.json", "8419870", readingFormat,
			"00:00 25.33, 00:06 25.23, 00:12 25.02, 00:18 25.05, 00:24 25.06, " +
				"00:30 24.98, 00:36 24.95, 00:42 24.91, 00:48 24.92, 00:54 24.89, 01:00 24.85"},
		{"visibility-metric.json", "9414296", readingFormat,
			"00:00 10, 00:06 10, 00:12 10, 00:18 10, 00:24 10, 00:30 10, 00:36 10, " +
				"00:42 10, 00:48 10, 00:54 10, 01:00 10"},
		{"visibility-missing.json", "9414296", readingFormat, "11:36 10, 11:42 -, 11:48 10"},
		{"air_pressure-missing.json", "8419870", readingFormat, "12:48 1012.2, 12:54 -, 13:00 1012.2"},
		{"salinity-missing.json", "8419870", salinityFormat, "12:48 28.55, 12:54 -, 13:00 28.68"},
		{"air_gap_9414304_latest_2018_english.json", "9414304", readingFormat, "16:48 204.4"}, // feet
	} {
		f := test.format
		f.id = test.station
		p, err := f.read(responseOf(200, string(seen(t, "coops", test.file))))
		var got []string
		for _, r := range p.rows {
			got = append(got, r.Time.Format("15:04 ")+valueText(r.Value))
		}
		if text := strings.Join(got, ", "); err != nil || text != test.want {
			t.Errorf("%s: %s, %v, want %s", test.file, text, err, test.want)
		}
		for _, r := range p.rows {
			want := "0,0,0"
			if r.Value == nil {
				want = "1,1,1"
			}
			if r.Flags != "" && r.Flags != want && test.station != "9414304" {
				t.Errorf("%s: flags %q at %v, want %s", test.file, r.Flags, r.Time, want)
			}
		}
	}
	gap, err := readingFormat.read(
		responseOf(200, string(seen(t, "coops", "air_gap_9414304_latest_2018_english.json"))))
	if err != nil || valueText(gap.rows[0].Sigma) != "0.121" || gap.rows[0].Flags != "1,0,0,0" {
		t.Errorf("air gap: %+v, %v", gap.rows, err)
	}
	if xml := string(seen(t, "coops", "air_gap_9414304_latest_2018_english.xml")); !strings.Contains(
		xml, `t="2018-10-24 16:48" v="204.400" s="0.121" f="1,0,0,0"`) {
		t.Errorf("the XML source of the air gap has changed: %s", xml)
	}
}

// TestSeenDailyExtremes reads responses of the data service: daily_max_min of Seattle 9447130 in
// January 2015, metric above MLLW, in GMT. Its values are JSON numbers.
func TestSeenDailyExtremes(t *testing.T) {
	f := dailyExtremeFormat
	f.id = "9447130"
	p, err := f.read(
		responseOf(200, string(
			seen(t, "coops", "daily_max_min_9447130_201501_MLLW_metric_interval6.json"))))
	if err != nil || len(p.rows) != 62 {
		t.Fatalf("%d rows, %v, want 62", len(p.rows), err)
	}
	byDay := map[string]string{}
	for _, r := range p.rows {
		byDay[r.Kind+r.Time.Format(" 2006-01-02")] = r.Time.Format("15:04 ") + valueText(r.Height) +
			" " + valueText(r.Complete) + " " + r.Flags
	}
	for day, want := range map[string]string{
		"max_6min 2015-01-01": "21:12 3.414 100 0", "max_6min 2015-01-04": "13:12 3.48 100 0",
		"max_6min 2015-01-31": "11:36 3.256 100 0",
		"min_6min 2015-01-01": "03:36 -0.204 100 0", "min_6min 2015-01-30": "03:06 -0.012 100 0",
		"min_6min 2015-01-31": "04:00 -0.104 100 0",
	} {
		if byDay[day] != want {
			t.Errorf("%s: %s, want %s", day, byDay[day], want)
		}
	}
}

// TestSeenMonthlyMeans reads responses of the data service: monthly_mean of Sewells Point 8638610,
// metric above MSL; ten rows as NOAA's notebook prints them.
func TestSeenMonthlyMeans(t *testing.T) {
	p, err := monthlyMeanFormat.read(
		responseOf(200, string(
			seen(t, "coops", "monthly_mean_8638610_MSL_metric_rows_from_notebook.json"))))
	if err != nil || len(p.rows) != 10 {
		t.Fatalf("%d rows, %v, want 10", len(p.rows), err)
	}
	line := func(m MonthlyMean) string {
		list := []string{fmt.Sprintf("%d-%02d", m.Year, m.Month), m.Inferred}
		for _, v := range []*float64{m.Highest, m.MHHW, m.MHW, m.MSL, m.MTL, m.MLW, m.MLLW, m.DTL,
			m.Lowest, m.GT, m.MN, m.DHQ, m.DLQ, m.HWI, m.LWI} {
			list = append(list, valueText(v))
		}
		return strings.Join(list, " ")
	}
	for row, want := range map[int]string{
		0: "1927-08 0 0.599 - 0.178 -0.2 -0.2 -0.575 - - -0.742 - 0.753 - - 1.6 7.92",
		9: "2024-03 0 1.056 0.65 0.588 0.246 0.244 -0.099 -0.142 0.254 -0.609 0.792 0.687 0.062 0.043 " +
			"1.56 7.69",
	} {
		if got := line(p.rows[row]); got != want {
			t.Errorf("row %d: %s, want %s", row, got, want)
		}
	}
}

// TestSeenFloodDays reads responses of the derived-product service: Charleston 8665530 in September
// 2020, in feet above MHHW; the rows as NOAA's notebook prints them.
func TestSeenFloodDays(t *testing.T) {
	list, err := readFloodDaily(
		seen(t, "dpapi", "htf_daily_8665530_202009_MHHW_english_rows_from_notebook.json"))
	if err != nil || len(list) != 30 {
		t.Fatalf("%d days, %v, want 30", len(list), err)
	}
	var floods []string
	for i, d := range list {
		if d.Day != time.Date(2020, 9, i+1, 0, 0, 0, 0, time.UTC) || *d.Missing || *d.Moderate ||
			*d.Major || d.Highest == nil || d.HighestHour == nil {
			t.Errorf("day %d: %+v", i+1, d)
		}
		if *d.Minor {
			floods = append(floods,
				fmt.Sprintf("%d at %d h: %.2f ft", i+1, *d.HighestHour, *d.Highest/0.3048))
		}
	}
	const want = "15 at 23 h: 2.19 ft, 16 at 0 h: 2.16 ft, 17 at 0 h: 2.07 ft, 19 at 15 h: 2.22 ft, " +
		"20 at 16 h: 2.22 ft, 21 at 17 h: 2.20 ft"
	if got := strings.Join(floods, ", "); got != want {
		t.Errorf("flood days: %s, want %s", got, want)
	}
	if d := list[4]; *d.HighestHour != 15 || math.Abs(*d.Highest- -0.18*0.3048) > 1e-12 {
		t.Errorf("5 September: hour %d, %v m, want 15 and -0.18 ft", *d.HighestHour, *d.Highest)
	}
}

// TestSeenFloodYear reads responses of the derived-product service: Nawiliwili 1611400 in 2001.
func TestSeenFloodYear(t *testing.T) {
	list, err := readFloodCounts(seen(t, "dpapi", "htf_annual_1611400_2001.json"), "1611400")
	zero, missing, complete := 0, 35, 90.4
	equalLists(t, "years", list,
		[]FloodCount{{Period: "2001", Year: 2001, Major: &zero, Moderate: &zero, Minor: &zero,
			Missing: &missing, Complete: &complete}})
	if err != nil {
		t.Error(err)
	}
}

// TestSeenOutlooks reads responses of the derived-product service: Boston 8443970 from 2018 on and
// all stations in 2025; the rows as NOAA's notebooks print them.
func TestSeenOutlooks(t *testing.T) {
	boston := seen(t, "dpapi",
		"htf_met_year_annual_outlook_8443970_2018_range4_rows_from_notebook.json")
	all := seen(t, "dpapi", "htf_met_year_annual_outlook_all_2025_TRIMMED_from_notebook.json")
	for _, test := range []struct {
		body    []byte
		station string
		year    int
		want    string
	}{
		{boston, "8443970", 2019, "2019 12-19 2019-05-31 Quadratic"},
		{boston, "8443970", 2020, "2020 11-18 2020-06-15 Quadratic"},
		{boston, "8443970", 0, "2022 11-18 2022-05-20 Quadratic"},
		{all, "1617433", 2025, "2025 21-40 2025-06-24 Quadratic"},
		{all, "9449880", 0, "2025 2-8 2025-06-24 Quadratic with ENSO Sensitivity"},
		{all, "9751401", 2025, "2025 0-0 2025-06-24 No temporal trend with 19 year average"},
		{all, "9759110", 2025, "2025 0-1 2025-06-24 No temporal trend with 19 year average"},
	} {
		o, err := readFloodOutlook(test.body, test.station, test.year)
		got := fmt.Sprintf("%d %s-%s %s %s", o.Year, valueText(o.Low), valueText(o.High), o.Made,
			o.Method)
		if err != nil || got != test.want {
			t.Errorf("%s %d: %s, %v, want %s", test.station, test.year, got, err, test.want)
		}
	}
	if _, err := readFloodOutlook(boston, "8443970", 2018); err != errNoData {
		t.Errorf("Boston in 2018: %v, want %v", err, errNoData)
	}
}

// TestSeenProjections reads responses of the derived-product service: Virginia Key 8723214 as of
// 2026 and Boston 8443970 in the format of about 2022.
func TestSeenProjections(t *testing.T) {
	line := func(p FloodProjection) string {
		return fmt.Sprintf("%s %d %s %s %s %s %s", p.Severity, p.Decade, valueText(p.Low),
			valueText(p.IntermediateLow), valueText(p.Intermediate), valueText(p.IntermediateHigh),
			valueText(p.High))
	}
	for _, test := range []struct {
		file, station, source string
		rows                  map[int]string
		count                 int
	}{
		{"htf_projection_decadal_8723214.json", "8723214",
			"https://sealevel.globalchange.gov/internal_resources/756/noaa-nos-techrpt01-global-regional-SLR-scenarios-US.pdf",
			map[int]string{0: "minor 2020 3 3 3 3 3", 3: "minor 2050 20 25 35 60 95",
				8:  "minor 2100 125 300 365 365 365",
				17: "moderate 2100 6 50 350 365 365", 26: "major 2100 0 0 70 360 365"}, 27},
		{"htf_projection_decadal_8443970_OLDFORM_from_notebook.json", "8443970", "TBA TECH MEMO",
			map[int]string{0: " 2020 14 15 15 15 15", 3: " 2050 50 59 68 79 87",
				8: " 2100 117 202 348 365 365"}, 9},
	} {
		list, err := readFloodProjections(seen(t, "dpapi", test.file), test.station)
		if err != nil || len(list) != test.count {
			t.Errorf("%s: %d rows, %v, want %d", test.file, len(list), err, test.count)
			continue
		}
		for i, want := range test.rows {
			if got := line(list[i]); got != want || list[i].Source != test.source {
				t.Errorf("%s, row %d: %s of %s, want %s", test.file, i, got, list[i].Source, want)
			}
		}
	}
}

// TestSeenOthers checks that other derived products of Virginia Key 8723214 are rejected by all
// readers but their own.
func TestSeenOthers(t *testing.T) {
	for _, file := range []string{"htf_likely_decadal_scenarios_8723214_2050.json",
		"slr_projections_8723214.json"} {
		body := seen(t, "dpapi", file)
		if !strings.Contains(string(body), `"8723214"`) {
			t.Errorf("%s is not for Virginia Key", file)
		}
		for name, read := range derivedReaders {
			if name == "scenarios" && strings.HasPrefix(file, "slr") {
				continue
			}
			if got, err := read(body); err == nil || err == errNoData {
				t.Errorf("%s read as %s: %v, %v, want an unknown format", file, name, got, err)
			}
		}
	}
}

// TestSeenTrends reads responses of the derived-product service: in inches; the seasonal average of
// another station may be negative.
func TestSeenTrends(t *testing.T) {
	const combined = "Combined with station 8723080 from 08/15/1981 to 08/15/1992 with an " +
		"adjustment of 2.041 m." +
		"Combined with station 8723170 from 06/15/1931 to 06/15/1981 with an adjustment of 2.222 m."
	for _, test := range []struct{ station, want, annotation string }{
		{"8723214", "Virginia Key 25.7314 -80.1618 SINGLE 32.004 1.016 1931-06-15 2025-12-15 0.48 0.03 " +
			"37.084 [1 -4.826] [12 -0.762]", combined},
		{"8761927", "New Canal 30.027222 -90.113333 SINGLE 59.944 4.826 1982-12-15 2025-12-15 0.34 " +
			"0.05 27.94 [1 -9.906] [12 -4.572]", ""},
	} {
		list, err := readTrends(seen(t, "dpapi", "sealvltrends_"+test.station+".json"), test.station)
		if err != nil || len(list) != 1 || len(list[0].SeasonalCycle) != 12 {
			t.Fatalf("%s: %+v, %v", test.station, list, err)
		}
		x := list[0]
		// tenths of the published mm: 1.26 inches a decade are 3.2004 mm a year
		ten := func(v *float64) string {
			return strconv.FormatFloat(math.Round(*v*1e5)/1e4, 'g', -1, 64)
		}
		mm := func(v *float64) string { return strconv.FormatFloat(math.Round(*v*1e4)/1e4, 'g', -1, 64) }
		got := fmt.Sprintf("%s %s %s %s %s %s %s %s %s %s %s [%d %s] [%d %s]", x.Name,
			valueText(x.Latitude),
			valueText(x.Longitude), x.Type, ten(x.Trend), ten(x.Error),
			x.Start, x.End, valueText(x.Autoregressive), valueText(x.AutoregressiveError),
			mm(x.SeasonalAverage),
			x.SeasonalCycle[0].Month, mm(x.SeasonalCycle[0].Level), x.SeasonalCycle[11].Month,
			mm(x.SeasonalCycle[11].Level))
		if got != test.want || x.Annotation != test.annotation {
			t.Errorf("%s: %s, %q\nwant %s, %q", test.station, got, x.Annotation, test.want, test.annotation)
		}
	}
	negative := strings.Replace(string(seen(t, "dpapi", "sealvltrends_8761927.json")),
		`"seasonalAverage": 1.1`, `"seasonalAverage": -0.5`, 1)
	list, err := readTrends([]byte(negative), "8761927")
	if err != nil || *list[0].SeasonalAverage != -12.7 {
		t.Errorf("a negative average: %+v, %v", list, err)
	}
}

// TestSeenTopTen reads responses of the derived-product service: Seattle 9447130, metric above
// MLLW.
func TestSeenTopTen(t *testing.T) {
	list, err := readTopTen(seen(t, "dpapi", "toptenwaterlevels_9447130_MLLW_metric.json"), "9447130")
	if err != nil || len(list) != 10 {
		t.Fatalf("%d levels, %v, want 10", len(list), err)
	}
	var got []string
	for _, l := range list {
		if l.Datum != "MLLW" || l.Source != "Observed Peak Water Level" || l.Time == nil {
			t.Errorf("%+v", l)
			continue
		}
		got = append(got,
			fmt.Sprintf("%d %s %s %s: %s", l.Rank, l.Time.Format("2006-01-02 15:04"), valueText(l.Height),
				l.Category, l.Event))
	}
	want := []string{
		"1 2022-12-27 16:42 4.609 Other: Above Normal Tides & Cold Front Passage",
		"2 2022-01-07 17:00 4.426 Other: Above Normal Tides & Cold Front Passage",
		"3 1977-12-15 17:00 4.418 TBD: To Be Determined",
		"4 2012-12-17 15:54 4.413 Extra Tropical: Coastal Low Pressure & Onshore Winds",
		"5 1983-01-27 13:00 4.393 Extra Tropical: Frontal Passage & Above Normal Tides",
		"6 2016-03-10 13:30 4.353 Extra Tropical: Coastal Low Pressure & Strong, Onshore Winds",
		"7 1987-01-03 16:00 4.351 Extra Tropical: Coastal Low Pressure",
		"8 2021-01-13 13:36 4.34 Other: Coastal Low Pressure & Above Normal Tides",
		"9 2024-12-18 15:54 4.334 Other: Above Normal Tides & Cold Front Passage",
		"10 2003-01-03 14:00 4.334 Extra Tropical: Coastal Low Pressure & Onshore Winds",
	}
	equalLists(t, "levels", got, want)
}

// TestSeenSupersededDatums reads responses of the metadata service: Seattle 9447130, in meters.
func TestSeenSupersededDatums(t *testing.T) {
	d, err := readDatums(seen(t, "mdapi", "9447130_supersededdatums_metric.json"))
	if err != nil || d.Accepted != "Jun 14 1996" || d.Superseded != "Apr 17 2003" ||
		d.Epoch != "1960-1978" || d.Orthometric != "NAVD88" || len(d.Levels) != 14 ||
		d.HAT.Height != 6.40012 || d.LAT.Height != 1.05512 || d.Max.Height != 7.029 ||
		d.Min.Height != 0.884 {
		t.Fatalf("%+v, %v", d, err)
	}
	want := map[string]float64{"STND": 0, "MHHW": 5.828, "MHW": 5.566, "DTL": 4.097, "MTL": 4.398,
		"MSL": 4.389, "MLW": 3.231, "MLLW": 2.368,
		"GT": 3.459, "MN": 2.335, "DHQ": 0.262, "DLQ": 0.863, "HWI": 0.42, "LWI": 6.65}
	for _, x := range d.Levels {
		if w, ok := want[x.Name]; !ok || x.Value != w {
			t.Errorf("%s is %v, want %v", x.Name, x.Value, w)
		}
		delete(want, x.Name)
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
}

// TestSeenBins reads responses of the metadata service: Turtle Head Point ACT0311, which has a row
// for each of two bins under one id.
func TestSeenBins(t *testing.T) {
	list, err := readStations(seen(t, "mdapi", "ACT0311_expanded_metric.json"))
	if err != nil || len(list) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	for i, want := range []string{"1 4.57", "2 12.19"} {
		s := list[i]
		got := fmt.Sprintf("%d %s", *s.Bin, valueText(s.Depth))
		if got != want || s.ID != "ACT0311" || s.Type != "S" || s.DepthType != "S" ||
			s.Latitude != 44.37617 || s.Longitude != -68.85467 ||
			s.Name != "Turtle Head Pt., ESE of, Penobscot Bay" {
			t.Errorf("row %d: %s, %+v, want %s", i, got, s, want)
		}
	}
}

// TestSeenCurrentOffsets reads responses of the metadata service: PCT0291 bin 1.
func TestSeenCurrentOffsets(t *testing.T) {
	o, err := readCurrentOffsets(seen(t, "mdapi", "PCT0291_1_currentpredictionoffsets.json"))
	flood, ebb := 70.0, 266.0
	equal(t, "offsets", o, CurrentOffsets{
		Reference: "SFB1202", ReferenceBin: 17, FloodDirection: &flood, EbbDirection: &ebb,
		Flood: 0, SlackBeforeEbb: 24, Ebb: 20, SlackBeforeFlood: 15, FloodRatio: 0.8, EbbRatio: 1.1,
	})
	if err != nil {
		t.Error(err)
	}
}

// TestSeenDeployments reads responses of the metadata service: bh0101 and six of cb0701's
// thirteen deployments, in meters.
func TestSeenDeployments(t *testing.T) {
	day := func(at *time.Time) string {
		if at == nil {
			return "-"
		}
		return at.Format("2006-01-02 15:04:05")
	}
	for _, test := range []struct {
		file, head, first, last string
		count                   int
	}{
		{"bh0101_deployments_metric.json", "310 side 8.5 12.5 12.5 4 - -",
			"2025-11-17 00:02:00 - 42.34086227416992 -71.01233673095703 *3 250 2",
			"2025-11-17 00:00:00 2025-11-17 00:00:00 42.34086227416992 -71.01233673095703 *2 250 2", 2},
		{"cb0701_deployments_metric_TRIMMED.json",
			"310 side 4.23 15 11.58 10.77 2018-09-26 00:04:00 2018-10-29 14:22:00",
			"2022-09-14 12:50:00 2023-09-20 12:30:00 36.96233 -76.42417 C624 500 2",
			"2006-09-21 22:49:45 2007-08-27 17:30:00 36.96233 -76.42422 C535 500 2", 6},
	} {
		m, err := readDeployments(seen(t, "mdapi", test.file))
		if err != nil || len(m.Deployments) != test.count {
			t.Errorf("%s: %+v, %v", test.file, m, err)
			continue
		}
		head := strings.Join(
			[]string{valueText(m.FloodDirection), m.Orientation, valueText(m.SensorDepth),
				valueText(m.Depth),
				valueText(m.MeasuredDepth), valueText(m.Height), day(m.FirstGood), day(m.LastGood)}, " ")
		if head != test.head {
			t.Errorf("%s: %s, want %s", test.file, head, test.head)
		}
		for i, want := range map[int]string{0: test.first, test.count - 1: test.last} {
			d := m.Deployments[i]
			got := strings.Join(
				[]string{day(d.From), day(d.To), valueText(d.Latitude), valueText(d.Longitude), d.Serial,
					valueText(d.Frequency), strconv.Itoa(*d.Beams)}, " ")
			if got != want || d.Instrument != "Sontek ADP/Nortek AWAC" || d.RealTimeBin != nil {
				t.Errorf("%s, row %d: %s, want %s", test.file, i, got, want)
			}
		}
	}
}

// TestSeenThroughClient requests the recorded readings with a Client.
func TestSeenThroughClient(t *testing.T) {
	body := seen(t, "coops", "humidity-missing.json")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json;charset=ISO-8859-1")
		w.Write(body)
	}))
	defer server.Close()
	up, err := upstream.New(upstream.Config{Provider: coast.COOPS, UserAgent: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer up.Close()
	c := New(server.URL, up, func() time.Time { return at(t, "2026-09-27 12:00") })
	got, err := c.Readings(context.Background(), "8419870", "humidity", false,
		period(t, "2026-08-19 12:50", "2026-08-19 13:00"))
	if err != nil || len(got.Rows) != 2 || got.Rows[0].Value != nil || *got.Rows[1].Value != 100 ||
		!slices.IsSortedFunc(got.Rows, func(a, b Reading) int { return a.Time.Compare(b.Time) }) {
		t.Errorf("%+v, %v", got.Rows, err)
	}
}
