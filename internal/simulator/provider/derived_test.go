package provider

import (
	"encoding/json"
	"strings"
	"testing"
)

// derive decodes a response of the derived service.
func derive[T any](t *testing.T, p *Provider, path string) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(p.body(t, Derived+path)), &v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return v
}

type floodYears struct {
	Count            int
	AnnualFloodCount []struct {
		Year               int
		MajCount, MinCount *int
		NanCount           int
	}
}

// TestFloodYears checks the parameters year and range, that range is ignored without year, and that
// years without data do not have counts.
func TestFloodYears(t *testing.T) {
	p := frozen(t)
	all := derive[floodYears](t, p, "htf/htf_annual.json?station=8518750&range=2")
	if got, want := all.Count, 107; got != want || len(all.AnnualFloodCount) != want {
		t.Errorf("%d years since 1920, want %d", got, want)
	}
	gaps := 0
	for _, y := range all.AnnualFloodCount {
		if (y.MinCount == nil) != (y.NanCount >= 365) {
			t.Errorf("%d: counts %v with %d days missing", y.Year, y.MinCount, y.NanCount)
		}
		if y.MinCount == nil {
			gaps++
		}
	}
	if gaps == 0 {
		t.Errorf("no year is without data: clients never read a null")
	}
	some := derive[floodYears](t, p, "htf/htf_annual.json?station=8518750&year=2024&range=2")
	if some.Count != 2 || some.AnnualFloodCount[0].Year != 2024 ||
		some.AnnualFloodCount[1].Year != 2025 {
		t.Errorf("%+v, want the years 2024 and 2025", some)
	}
	if none := derive[floodYears](t, p, "htf/htf_annual.json?station=9999999"); none.Count != 0 ||
		none.AnnualFloodCount == nil {
		t.Errorf("unknown station: %+v, want an empty list", none)
	}
}

// TestFloodsAgree checks that days, months and years count the same floods.
func TestFloodsAgree(t *testing.T) {
	p := frozen(t)
	daily := derive[struct {
		Count           int
		DailyFloodCount []struct{ Day, MinFlag, NanFlag string }
	}](t, p, "htf/htf_daily.json?station=8518750&start_date=20250101&end_date=20251231")
	days := 0
	for _, d := range daily.DailyFloodCount {
		if d.MinFlag == "1" {
			days++
		}
	}
	if daily.Count != 365 || daily.DailyFloodCount[0].Day != "01/01/2025" {
		t.Errorf("%d days from %s, want 365 from 01/01/2025", daily.Count, daily.DailyFloodCount[0].Day)
	}
	const annual = "htf/htf_annual.json?station=8518750&year=2025"
	year := derive[floodYears](t, p, annual).AnnualFloodCount[0]
	months := derive[struct {
		Count             int
		MonthlyFloodCount []struct{ MinCount int }
	}](t, p, "htf/htf_monthly.json?station=8518750&year=2025")
	sum := 0
	for _, m := range months.MonthlyFloodCount {
		sum += m.MinCount
	}
	if days != *year.MinCount || sum != *year.MinCount || months.Count != 12 || days == 0 {
		t.Errorf("minor floods of 2025: %d by days, %d by months, %d by the year", days, sum,
			*year.MinCount)
	}
}

func TestDerivedForms(t *testing.T) {
	p := frozen(t)
	for path, want := range map[string]string{
		"product/sealvltrends.json?station=8443970":                                     `"count": 1,`,
		"product/sealvltrends.json":                                                     `"count": 12,`,
		"product.json?name=extremewaterlevels&station=8443970":                          `"annotation": "null"`,
		"product/.json?name=extremewaterlevels&station=8443970":                         `"annotation": "null"`,
		"product.json?name=extremewaterlevels&station=8443970&details=exceedancelevels": `"f1_gtmhhw": `,
		"product.json?name=toptenwaterlevels&station=8443970":                           `"count": 10,`,
		"product.json?name=peakwaterlevels&station=8443970":                             `"eventType": "Extra Tropical"`,
		"htf/htf_seasonal.json?station=8518750&year=2025&season_months=JJA":             `"count": 1,`,
		"htf/htf_met_year_annual.json?station=8518750&met_year=2025":                    `"metYear": 2025`,
		"htf/htf_met_year_annual_outlook.json?station=8518750":                          `"metYear": 2026`,
		"htf/htf_projection_decadal.json?station=8518750":                               `"moderate": [`,
		"htf/htf_daily.json?station=8518750":                                            `{"error":{"message":`,
	} {
		if got := p.body(t, Derived+path); !strings.Contains(got, want) {
			t.Errorf("%s = %.300s, want a body with %s", path, got, want)
		}
	}
	if got, want := p.ask(t, Derived+"htf/teapots.json").StatusCode, 404; got != want {
		t.Errorf("status of an unknown product = %d, want %d", got, want)
	}
}

// TestRecordedDerived compares responses with recorded ones, without their values.
func TestRecordedDerived(t *testing.T) {
	p := frozen(t)
	for file, path := range map[string]string{
		"dpapi/sealvltrends/8518750.json": "product/sealvltrends.json?station=8518750",
		"dpapi/htf_annual/8518750.json":   "htf/htf_annual.json?station=8518750",
		"dpapi/extremewaterlevels/8518750_metric.json": "product.json?name=extremewaterlevels" +
			"&station=8518750&units=metric",
		"dpapi/peakwaterlevels/all_events.json": "product.json?name=peakwaterlevels",
		"../recordings2/dpapi/slr_projections_8723214.json": "product/slr_projections.json" +
			"?station=8518750&units=metric",
	} {
		if got, want := outline(p.body(t, Derived+path)), outline(recording(t, file)); got != want {
			t.Errorf("%s has the format\n%s\nwant\n%s", path, got, want)
		}
	}
}
