package noaa

import (
	"context"
	"strings"
	"testing"
	"time"

	"leadline/internal/derived"
)

func outlook(year int) reading {
	return func(body []byte) (any, error) { return readFloodOutlook(body, "8410999", year) }
}

// derivedReaders lists all readers of the derived-product service.
var derivedReaders = map[string]reading{
	"trends": own(readTrends), "extremes": own(readExtremes), "flood counts": own(readFloodCounts),
	"flood days": all(readFloodDaily),
	"outlook":    outlook(0), "projections": own(readFloodProjections), "top ten": own(readTopTen),
	"peaks": all(readPeaks), "scenarios": own(readScenarios),
}

func TestDerivedDocuments(t *testing.T) {
	const api = "https://api.tidesandcurrents.noaa.gov/dpapi/prod/webapi/product.json?"
	for _, c := range []struct {
		name string
		read reading
		want string
	}{
		{"derived_trends", own(readTrends),
			`[{"Affiliation":"US","Autoregressive":0.5,"AutoregressiveError":0.03,"End":"2025-12-15","Error":0.125,"Latitude":44.25,"Longitude":-68.125,"Name":"Pilot Wharf",` +
				`"SeasonalAverage":25,"SeasonalCycle":[{"Error":7.8125,"Level":-62.5,"Month":1},{"Level":125,"Month":2}],"Start":"1931-01-15","Station":"8410999","Trend":1.5,"Type":"SINGLE","Y2000Offset":0}]`},
		{"derived_extremes", own(readExtremes), `{"AnnualsURL":"` + api +
			`a","Datum":"MHHW","Epoch":"1983-2001","ExceedanceURL":"` + api +
			`c","Highs":[{"Date":"1978-02-07","Status":"YES","Type":"GEV_HI"}],` +
			`"Latitude":44.25,"Longitude":-68.125,"Lows":[{"Date":"1959-01-06","Status":"NO","Type":"GEV_LO"}],"MonthliesURL":"` + api + `b","MonthlyExceedanceURL":"` + api + `d","Name":"Pilot Wharf","P1":1.9,"P10":1.25,"P50":0.75,"State":"ME","Station":"8410999"}`},
		{"derived_annual", own(readFloodCounts),
			`[{"Complete":99.2,"Major":0,"Minor":11,"Missing":3,"Moderate":2,"Month":0,"Period":"2024","Year":2024},{"Missing":365,"Month":0,"Period":"2025","Year":2025}]`},
		{"derived_monthly", own(readFloodCounts),
			`[{"Complete":100,"Major":0,"Minor":4,"Missing":0,"Moderate":0,"Month":3,"Period":"2026-03","Year":2026}]`},
		{"derived_seasonal", own(readFloodCounts),
			`[{"Complete":100,"Major":0,"Minor":5,"Missing":0,"Moderate":1,"Month":0,"Period":"2026 DJF","Season":"DJF","Year":2026}]`},
		{"derived_daily", all(readFloodDaily),
			`[{"Day":"2024-01-09T00:00:00Z","Highest":4.9,"Major":false,"Minor":true,"Missing":false,"Moderate":true},` +
				`{"Day":"2024-01-10T00:00:00Z","Highest":4.25,"HighestHour":17,"Major":false,"Minor":false,"Missing":false,"Moderate":false},{"Day":"2024-01-11T00:00:00Z","Missing":true}]`},
		{"derived_outlook", outlook(0), `{"High":11,"Low":5,"Method":"Quadratic+ENSO","Year":2025}`},
		{"derived_outlook", outlook(2024), `{"High":9,"Low":4,"Method":"Quadratic","Year":2024}`},
		{"derived_projections", own(readFloodProjections),
			`[{"Decade":2030,"High":30,"Intermediate":20,"IntermediateHigh":25,"IntermediateLow":20,"Low":15,"Severity":"minor"},` +
				`{"Decade":2050,"High":120,"Intermediate":70,"IntermediateHigh":90,"IntermediateLow":55,"Low":40,"Severity":"minor"},` +
				`{"Decade":2030,"High":2,"Intermediate":1,"IntermediateHigh":1,"IntermediateLow":0,"Low":0,"Severity":"moderate"}]`},
		{"derived_projections_flat", own(readFloodProjections),
			`[{"Decade":2050,"Intermediate":70,"IntermediateHigh":90,"IntermediateLow":55,"Low":40,"Source":"https://tidesandcurrents.noaa.gov/publications/"}]`},
		{"derived_topten", own(readTopTen),
			`[{"Category":"Extra Tropical","Date":"2024-01-13","Datum":"MLLW","Event":"Coastal Low Pressure & Onshore Winds","Height":4.5,"Rank":1,"Source":"Observed Peak Water Level","Time":"2024-01-13T17:06:00Z"},` +
				`{"Category":"TBD","Date":"1978-02-07","Datum":"MLLW","Event":"To Be Determined","Height":4.25,"Rank":2,"Source":"Observed Peak Water Level"}]`},
		{"derived_scenarios", own(readScenarios),
			`[{"High":0,"Level":0,"Low":0,"Name":"Low","Report":2022,"Year":2005},` +
				`{"High":0.5,"Level":0.25,"Low":0.125,"Name":"High","Report":2022,"Year":2050}]`},
		{"derived_peaks", all(readPeaks),
			`[{"GreatLake":false,"ID":"1","Name":"1938 New England Hurricane","Released":true,"Start":"1938-09-21T00:00:00Z","StormTrack":false,"Type":"Tropical"}]`},
	} {
		got, err := c.read(document(t, c.name))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if got := shown(t, got); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// TestDerivedForms reads formats that other clients of the service have received, or that its
// documentation allows.
func TestDerivedForms(t *testing.T) {
	for _, c := range []struct {
		read reading
		body string
		want string // empty: no data
	}{
		{own(readTrends),
			`{"SEALVLTRENDS":[{"stationid":"8410999","trend":"1","trendError":"","trendUnits":"inches/decade","seasonalUnits":"inches","seasonalAverage":"2"}]}`, `[{"SeasonalAverage":50.8,"Station":"8410999","Trend":2.54}]`},
		{own(readTrends), `{"SeaLvlTrends":[{"stationId":"8410998","trend":1}]}`, ""},
		{own(readTrends), `{"count":0,"SeaLvlTrends":null}`, ""},
		{own(readExtremes),
			`{"ExtremeWaterLevels":[{"stationId":"8410999","epoch":"","tenYearEvents":null,"F1_GTIGLD":3}]}`,
			`{"Datum":"IGLD","P1":3,"Station":"8410999"}`},
		{own(readExtremes), `{"count":0,"ExtremeWaterLevels":[]}`, ""},
		{own(readExceedance),
			`{"count":1,"ExtremeWaterLevels":[{"stationId":"8410999","f1_gtmhhw":"1.75","f50_gtmhhw":0.61}]}`, `{"Datum":"MHHW","P1":1.75,"P50":0.61}`},
		{own(readExceedance), `{"ExceedanceLevels":[{"f10_gtmhhw":1.1}]}`, `{"Datum":"MHHW","P10":1.1}`},
		{own(readExceedance), `{"count":1,"ExtremeWaterLevels":[{"stationId":"8410999","epoch":""}]}`,
			""},
		{own(readFloodCounts), `{"count":0,"AnnualFloodCount":[]}`, ""},
		{own(readFloodCounts),
			`{"SeasonFloodCount":[{"stnId":8410999,"year":"2026","season":"djf","minCount":1,"percentCompleteness":50}]}`, `[{"Complete":50,"Minor":1,"Month":0,"Period":"2026 DJF","Season":"DJF","Year":2026}]`},
		{all(readFloodDaily),
			`{"count":365,"units":"feet","DailyFloodCount":[{"day":"1/9/2024","minFlag":1,"maxWL":"10"}]}`,
			`[{"Day":"2024-01-09T00:00:00Z","Highest":3.048,"Minor":true}]`},
		{all(readFloodDaily), `{"count":0,"DailyFloodCount":[]}`, ""},
		{outlook(2031), string(document(t, "derived_outlook")), ""},
		{outlook(0), `{"MetYearAnnualOutlook":[]}`, ""},
		{outlook(0), `{"metyearannualoutlook":[{"met_year":"2025","low_conf":2.5,"high_conf":null}]}`,
			`{"Low":2.5,"Year":2025}`},
		{own(readFloodProjections),
			`{"stnId":"8410998","DecadalProjection":[{"minor":[{"decade":2030,"low":1}]}]}`, ""},
		{own(readFloodProjections),
			`{"DecadalProjection":[{"minor":[{"decade":"2030","low":"1","intermediate_low":"2","intermediate_high":3,"high":4}],"moderate":null}]}`, `[{"Decade":2030,"High":4,"IntermediateHigh":3,"IntermediateLow":2,"Low":1,"Severity":"minor"}]`},
		{own(readFloodProjections), `{"count":0,"DecadalProjection":[]}`, ""},
		{own(readTopTen),
			`{"toptenwaterlevels":[{"peakDate":"01/13/2024","height":10,"rank":4,"eventName":"Gale","eventCategory":"Other","dataSource":"Gauge"}],"units":"feet"}`, `[{"Category":"Other","Date":"2024-01-13","Event":"Gale","Height":3.048,"Rank":4,"Source":"Gauge"}]`},
		{own(readTopTen),
			`{"topTenWaterLevels":[{"stationId":"8410998","peakDate":"2024-01-13","height":1}]}`, ""},
		{all(readPeaks), `{"peakWaterLevels":[]}`, ""},
	} {
		got, err := c.read([]byte(c.body))
		switch {
		case c.want == "" && err == errNoData:
		case err != nil || c.want == "":
			t.Errorf("%s: %v, %v; want %q", c.body, got, err, c.want)
		case shown(t, got) != c.want:
			t.Errorf("%s:\n got %s\nwant %s", c.body, shown(t, got), c.want)
		}
	}
}

// TestDerivedFaults reads documents with one invalid value.
func TestDerivedFaults(t *testing.T) {
	for _, c := range []struct {
		name     string
		read     reading
		old, new string
	}{
		{"derived_trends", own(readTrends), `"mm/yr"`, `"furlongs/fortnight"`},
		{"derived_trends", own(readTrends), `"month": 2`, `"month": 13`},
		{"derived_trends", own(readTrends), `"trend": 1.5`, `"trend": "NaN"`},
		{"derived_trends", own(readTrends), `"01/15/1931"`, `"15/01/1931"`},
		{"derived_extremes", own(readExtremes), `"02/07/1978"`, `null`},
		{"derived_extremes", own(readExtremes), `"tenYearEvents": {`, `"tenYearEvents": [], "x": {`},
		{"derived_extremes", own(readExtremes), `"f1_gtmhhw": 1.9`, `"f1_gtmhhw": "Inf"`},
		{"derived_annual", own(readFloodCounts), `"minCount": 11`, `"minCount": -1`},
		{"derived_annual", own(readFloodCounts), `"minCount": 11`, `"minorDays": 11`},
		{"derived_annual", own(readFloodCounts), `"year": 2024`, `"year": null`},
		{"derived_monthly", own(readFloodCounts), `"month": 3`, `"month": 0`},
		{"derived_daily", all(readFloodDaily), `"minFlag": "1"`, `"minFlag": "2"`},
		{"derived_daily", all(readFloodDaily), `"4.9"`, `"NaN"`},
		{"derived_daily", all(readFloodDaily), `"maxTime": 17`, `"maxTime": 24`},
		{"derived_daily", all(readFloodDaily), `"maxTime": 17`, `"maxTime": 17.5`},
		{"derived_daily", all(readFloodDaily), `"01/09/2024"`, `""`},
		{"derived_outlook", outlook(0), `"metYear": 2024`, `"metYear": null`},
		{"derived_projections", own(readFloodProjections), `"decade": 2050`, `"decade": "fifties"`},
		{"derived_projections_flat", own(readFloodProjections), `"decade": 2050`, `"ten": 2050`},
		{"derived_topten", own(readTopTen), `"17:06"`, `"5 pm"`},
		{"derived_topten", own(readTopTen), `"height": 4.5`, `"value": 4.5`},
		{"derived_topten", own(readTopTen), `"2024-01-13"`, `null`},
		{"derived_peaks", all(readPeaks), `"1938-09-21 00:00:00"`, `""`},
		{"derived_peaks", all(readPeaks), `"eventId": 1`, `"eventId": null`},
	} {
		body := string(document(t, c.name))
		if !strings.Contains(body, c.old) {
			t.Errorf("%s does not contain %s", c.name, c.old)
		}
		if got, err := c.read([]byte(strings.Replace(body, c.old, c.new, 1))); err == nil ||
			err == errNoData {
			t.Errorf("%s with %s: %v, %v; want an unknown format", c.name, c.new, got, err)
		}
	}
}

// TestDerivedURLs requests each product, and checks its URL.
func TestDerivedURLs(t *testing.T) {
	const root, id = "/dpapi/prod/webapi/", "8410999"
	at := func(y, m, d int) time.Time { return time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC) }
	for _, c := range []struct {
		address, body string
		get           operation
	}{
		{"product/sealvltrends.json?units=metric", "trends",
			func(ctx context.Context, c *Client) (any, error) { return dataOf(c.Trends(ctx, "")) }},
		{"product/sealvltrends.json?station=8410999&units=metric", "trends", ofStation((*Client).Trends)},
		{"product.json?datum=MLLW&name=extremewaterlevels&station=8410999&units=metric", "extremes",
			func(ctx context.Context, c *Client) (any, error) {
				return dataOf(c.Extremes(ctx, id, "MLLW"))
			}},
		{"htf/htf_annual.json?station=8410999", "annual",
			func(ctx context.Context, c *Client) (any, error) {
				return dataOf(c.FloodCounts(ctx, derived.FloodYears, id, 0, 5))
			}},
		{"htf/htf_annual.json?range=5&station=8410999&year=2020", "annual",
			func(ctx context.Context, c *Client) (any, error) {
				return dataOf(c.FloodCounts(ctx, derived.FloodYears, id, 2020, 5))
			}},
		{"htf/htf_monthly.json?range=2&station=8410999&year=2025", "monthly",
			func(ctx context.Context, c *Client) (any, error) {
				return dataOf(c.FloodCounts(ctx, derived.FloodMonths, id, 2025, 2))
			}},
		{"htf/htf_seasonal.json?station=8410999&year=2025", "seasonal",
			func(ctx context.Context, c *Client) (any, error) {
				return dataOf(c.FloodCounts(ctx, derived.FloodSeasons, id, 2025, 0))
			}},
		{"htf/htf_daily.json?datum=STND&end_date=20240111&start_date=20240109&" +
			"station=8410999&units=metric", "daily", func(ctx context.Context, c *Client) (any, error) {
			return dataOf(c.FloodDaily(ctx, id, at(2024, 1, 9), at(2024, 1, 11)))
		}},
		{"htf/htf_met_year_annual_outlook.json?met_year=2025&station=8410999", "outlook",
			func(ctx context.Context, c *Client) (any, error) {
				return dataOf(c.FloodOutlook(ctx, id, 2025))
			}},
		{"htf/htf_met_year_annual_outlook.json?station=8410999", "outlook",
			func(ctx context.Context, c *Client) (any, error) {
				return dataOf(c.FloodOutlook(ctx, id, 0))
			}},
		{"htf/htf_projection_decadal.json?station=8410999", "projections",
			ofStation((*Client).FloodProjections)},
		{"product.json?name=toptenwaterlevels&station=8410999&units=metric", "topten",
			func(ctx context.Context, c *Client) (any, error) {
				return dataOf(c.TopTen(ctx, id, ""))
			}},
		{"product.json?datum=STND&name=toptenwaterlevels&station=8410999&units=metric", "topten",
			func(ctx context.Context, c *Client) (any, error) {
				return dataOf(c.TopTen(ctx, id, "STND"))
			}},
		{"product.json?name=peakwaterlevels", "peaks",
			func(ctx context.Context, c *Client) (any, error) { return dataOf(c.Peaks(ctx, 0)) }},
		{"product.json?name=peakwaterlevels&year=1938", "peaks",
			func(ctx context.Context, c *Client) (any, error) { return dataOf(c.Peaks(ctx, 1938)) }},
	} {
		address := root + c.address
		client, requests := serving(
			t, map[string]served{address: {200, string(document(t, "derived_"+c.body))}})
		for range 2 { // the second time from the cache
			if _, err := c.get(t.Context(), client); err != nil {
				t.Errorf("%s: %v", address, err)
			}
		}
		if requests[address] != 1 {
			t.Errorf("%s: %d requests, want 1", address, requests[address])
		}
	}
}
