package noaa

import (
	"bytes"
	"testing"
	"time"
)

// iso returns an American date as yyyy-mm-dd.
func iso(t *testing.T, american string) string {
	t.Helper()
	at, err := time.Parse("01/02/2006", american)
	if err != nil {
		t.Fatal(err)
	}
	return at.Format(time.DateOnly)
}

func TestRecordedTrends(t *testing.T) {
	body := recorded(t, "dpapi", "sealvltrends", "8518750.json")
	p := plainly(t, body).rows("SeaLvlTrends")[0]
	want := Trend{
		Station: p.text("stationId"), Name: p.text("stationName"), Affiliation: p.text("affil"),
		Latitude: p.number("latitude", 1), Longitude: p.number("longitude", 1), Type: p.text("trendType"),
		Trend: p.number("trend", 2.54), Error: p.number("trendError", 2.54), // inches a decade
		Start: iso(t, p.text("startDate")), End: iso(t, p.text("endDate")),
		Y2000Offset:         p.number("y2000_offset", 1),
		Autoregressive:      p.number("autoregressive", 1),
		AutoregressiveError: p.number("autoregressiveError", 1),
		SeasonalAverage:     p.number("seasonalAverage", 25.4),
	}
	for _, row := range p.rows("seasonalCycleMonth") {
		want.SeasonalCycle = append(want.SeasonalCycle, Seasonal{
			Month: *row.integer("month"), Level: row.number("seasonalVar", 25.4),
			Error: row.number("seasonalErr", 25.4),
		})
	}
	if len(want.SeasonalCycle) != 12 {
		t.Errorf("%d months", len(want.SeasonalCycle))
	}
	for _, station := range []string{"", "8518750"} {
		got, err := readTrends(body, station)
		if err != nil {
			t.Fatal(err)
		}
		equalLists(t, "trends", got, []Trend{want})
	}
	if _, err := readTrends(body, "9447130"); err != errNoData {
		t.Errorf("trend of another station: %v, want %v", err, errNoData)
	}
}

func TestRecordedExtremes(t *testing.T) {
	body := recorded(t, "dpapi", "extremewaterlevels", "8518750_metric.json")
	p := plainly(t, body).rows("ExtremeWaterLevels")[0]
	events := func(name string) []ExtremeEvent {
		var list []ExtremeEvent
		for _, row := range p.object("tenYearEvents").rows(name) {
			list = append(list,
				ExtremeEvent{Date: iso(t, row.text("date")), Type: row.text("type"),
					Status: row.text("status")})
		}
		if len(list) != 15 {
			t.Errorf("%d %s, want 15", len(list), name)
		}
		return list
	}
	got, err := readExtremes(body, "8518750")
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "extremes", got, Extremes{
		Station: p.text("stationId"), Name: p.text("stationName"), State: p.text("state"),
		Epoch:    p.text("epoch"),
		Latitude: p.number("latitude", 1), Longitude: p.number("longitude", 1), Highs: events("highs"),
		Lows:       events("lows"),
		AnnualsURL: p.text("annuals"), MonthliesURL: p.text("monthlies"),
		ExceedanceURL:        p.text("exceedanceLevels"),
		MonthlyExceedanceURL: p.text("exceedanceLevelsByMonth"),
	})
}

func TestRecordedFloodYears(t *testing.T) {
	body := recorded(t, "dpapi", "htf_annual", "8518750.json")
	var want []FloodCount
	for _, row := range plainly(t, body).rows("AnnualFloodCount") {
		want = append(want, FloodCount{
			Period: row.text("year"), Year: *row.integer("year"),
			Major: row.integer("majCount"), Moderate: row.integer("modCount"),
			Minor:   row.integer("minCount"),
			Missing: row.integer("nanCount"), Complete: row.number("percent_completeness", 1),
		})
	}
	got, err := readFloodCounts(body, "8518750")
	if err != nil || len(got) != 107 {
		t.Fatalf("%d years, %v; want 107", len(got), err)
	}
	equalLists(t, "years", got, want)
}

func TestRecordedPeaks(t *testing.T) {
	body := recorded(t, "dpapi", "peakwaterlevels", "all_events.json")
	var want []Peak
	for _, row := range plainly(t, body).rows("peakWaterLevels") {
		want = append(want, Peak{
			ID: row.text("eventId"), Name: row.text("name"), Type: row.text("eventType"),
			Start:     *row.moment("startDate"),
			GreatLake: row.flag("greatLake"), StormTrack: row.flag("stormTrack"),
			Released: row.flag("dissemination"),
		})
	}
	got := read(t, body, readPeaks)
	if len(got) != 1566 {
		t.Errorf("%d events, want 1566", len(got))
	}
	equalLists(t, "events", got, want)
}

// TestRecordedScenarios compares all rows with the recorded response.
func TestRecordedScenarios(t *testing.T) {
	body := sharedFile(t, "recordings2", "dpapi", "slr_projections_8723214.json")
	var want []Scenario
	for _, p := range plainly(t, body).rows("SlrProjections") {
		want = append(want, Scenario{
			Name: p.text("scenario"), Report: *p.integer("reportYear"), Year: *p.integer("projectionYear"),
			Level: *p.number("projectionRsl", 0.01), Low: p.number("projectionCiLow", 0.01),
			High: p.number("projectionCiHigh", 0.01),
		})
	}
	got, err := readScenarios(body, "8723214")
	if err != nil || len(got) != 75 {
		t.Fatalf("%d scenarios, %v", len(got), err)
	}
	equalLists(t, "scenarios", got, want)
	if _, err := readScenarios(body, "8518750"); err != errNoData {
		t.Errorf("scenarios of another station: %v, want %v", err, errNoData)
	}
	paged := bytes.Replace(body, []byte(`"totalPages": 1`), []byte(`"totalPages": 2`), 1)
	if got, err := readScenarios(paged, "8723214"); err == nil {
		t.Errorf("the first of two pages is read as %d rows", len(got))
	}
}
