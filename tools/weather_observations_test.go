package tools

import (
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"leadline/internal/coast"
	"leadline/internal/facts"
	"leadline/internal/levels"
	"leadline/internal/operation"
	"leadline/internal/place"
	"leadline/internal/simulator/provider"
	"leadline/internal/weather"
)

// quantities maps products to their quantities: the field in the provider's rows, the units,
// and the smallest steps of metric and english values.
var quantities = map[string][]struct {
	name, field, metric, english string
	toEnglish                    func(float64) float64
	step                         float64 // smallest step of english values
	coarse                       float64 // smallest metric step, in english units
}{
	"wind": {
		{"wind_speed", "s", "m/s", "kn", inKnots, 0.01, 0.1944},
		{"wind_gust", "g", "m/s", "kn", inKnots, 0.01, 0.1944},
		{"wind_direction", "d", "degrees true, from", "degrees true, from", alike, 0.1, 0.1},
	},
	"air_temperature":   {{"air_temperature", "v", "C", "F", fahrenheit, 0.1, 0.18}},
	"water_temperature": {{"water_temperature", "v", "C", "F", fahrenheit, 0.1, 0.18}},
	"air_pressure":      {{"air_pressure", "v", "mb", "mb", alike, 0.1, 0}},
	"air_gap": {{"air_gap", "v", "m", "ft", func(v float64) float64 { return v / 0.3048 },
		0.001, 0.00328}},
	"conductivity": {{"conductivity", "v", "mS/cm", "mS/cm", alike, 0.01, 0}},
	"visibility": {{"visibility", "v", "km", "nmi",
		func(v float64) float64 { return v / 1.852 }, 0.01, 0.0054}},
	"humidity": {{"humidity", "v", "percent", "percent", alike, 0.1, 0}},
	"salinity": {
		{"salinity", "s", "PSU", "PSU", alike, 0.01, 0},
		{"specific_gravity", "g", "1", "1", alike, 0.001, 0},
	},
}

func alike(v float64) float64      { return v }
func fahrenheit(v float64) float64 { return v*9/5 + 32 }
func inKnots(v float64) float64    { return v * 3600 / 1852 }

// TestMeteorologicalData compares every quantity, in both systems of units, with the
// provider's responses in both. We request metric values and convert them.
func TestMeteorologicalData(t *testing.T) {
	r := simulated(t, nil)
	stations := map[string]string{
		"air_gap": "8517986", "visibility": "8638610", "humidity": "8638610", "conductivity": "8443970",
		"salinity": "8726520",
	}
	for product, fields := range quantities {
		station := stations[product]
		if station == "" {
			station = "9414290"
		}
		for _, interval := range []string{"6", "h"} {
			span := []string{"interval", interval, "begin_date", "20261115", "end_date", "20261119"}
			metric, english := r.datagetter(t, station, product, span...),
				r.datagetter(t, station, product, append(span, "units", "english")...)
			for units, rows := range map[string][]any{"metric": metric, "english": english} {
				out := get(t, r.Set, "noaa_get_meteorological_data",
					fmt.Sprintf(`{"station":%q,"product":%q,"interval":%q,"units":%q,"begin_date":"2026-11-15","end_date":"2026-11-19","time_zone":"gmt"}`,
						station, product, interval, units))
				if len(list(t, out, "series")) != len(fields) || out["product"] != product {
					t.Fatalf("%s: series %d of %d", product, len(list(t, out, "series")), len(fields))
				}
				for i, f := range fields {
					series, newest := follow(out, fmt.Sprintf("series.%d", i)), any(nil)
					unit := map[string]string{"metric": f.metric, "english": f.english}[units]
					if follow(series, "quantity") != f.name || follow(series, "unit") != unit ||
						follow(series, "count") != float64(len(rows)) {
						t.Errorf("%s: %v in %v, %v values of %d rows", product, follow(series, "quantity"),
							follow(series, "unit"), follow(series, "count"), len(rows))
					}
					empty := 0
					for k, row := range rows {
						got, ok := cell(t, series, "values", gmt(t, follow(row, "t")))
						want, has := valueOf(t, follow(row, f.field))
						tolerance := f.step + f.coarse/2 // both sides round, and we convert rounded values
						if units == "metric" {
							tolerance = 0
							if f.name == "wind_direction" {
								tolerance = 0.05
							}
						}
						if !has && got == nil && ok {
							empty++
							continue
						}
						base, _ := valueOf(t, follow(metric[k], f.field))
						if !near(got, want, tolerance) ||
							units == "english" && !near(got, f.toEnglish(base), f.step/2+1e-9) {
							t.Errorf("%s %s at %v: %v %s, the provider has %v",
								product, f.name, follow(row, "t"), got, unit, follow(row, f.field))
						}
						newest = got
					}
					if empty == 0 && interval == "6" {
						t.Errorf("%s: no row without a value among %d", product, len(rows))
					}
					if m := follow(out, fmt.Sprintf("newest.%d", i)); follow(m, "quantity") != f.name ||
						follow(m, "unit") != unit || fmt.Sprint(follow(m, "value")) != fmt.Sprint(newest) {
						t.Errorf("%s: the newest is %v, want %v %s", product, m, newest, unit)
					}
				}
			}
		}
	}
}

// TestAllProducts checks that product "all" returns the newest value of each product with its
// age, and lists in missing those that the station does not have.
func TestAllProducts(t *testing.T) {
	r := simulated(t, nil)
	for station, without := range map[string][]string{
		"8443970": {"humidity", "visibility", "air gap"},
		"8638610": {"air gap", "conductivity", "salinity"},
		"8517986": {"humidity", "visibility", "conductivity", "salinity"},
	} {
		out := get(t, r.Set, "noaa_get_meteorological_data",
			fmt.Sprintf(`{"station":%q,"product":"all"}`, station))
		if len(list(t, out, "series")) != 0 || len(list(t, out, "missing")) != len(without) {
			t.Errorf("%s: missing %v, want %v", station, out["missing"], without)
		}
		for _, name := range without {
			if !lacks(out, name, "") ||
				sourceOf(out, "observed-"+strings.ReplaceAll(name, " ", "-"))["available"] != false {
				t.Errorf("%s: %s is not missing: %v", station, name, out["missing"])
			}
		}
		seen := map[string]bool{}
		for _, m := range list(t, out, "newest") {
			at := timeAt(t, m, "time")
			if age := noon.Sub(at); follow(m, "ageMinutes") != age.Minutes() || age < 0 {
				t.Errorf("%s: %v is %v old", station, m, age)
			}
			seen[fmt.Sprint(follow(m, "quantity"))] = true
		}
		for product, fields := range quantities {
			for _, f := range fields {
				if want := !slices.Contains(without, facts.Spaced(product)); seen[f.name] != want {
					t.Errorf("%s: %s returned %v, want %v", station, f.name, seen[f.name], want)
				}
			}
		}
		newest := r.datagetter(t, station, "wind", "date", "latest", "units", "english")[0]
		want, _ := valueOf(t, follow(newest, "s"))
		if m := follow(out, "newest.0"); follow(m, "quantity") != "wind_speed" ||
			!near(follow(m, "value"), want, 0.11) ||
			!timeAt(t, m, "time").Equal(gmt(t, follow(newest, "t"))) {
			t.Errorf("%s: %v, the provider has %v", station, m, newest)
		}
	}
	_, err := call(t, r.Set, "noaa_get_meteorological_data",
		`{"station":"8443970","product":"all","range":5}`)
	if code(err) != coast.InvalidRequest {
		t.Errorf("all over a span: %v", err)
	}
	_, err = call(t, r.Set, "noaa_get_meteorological_data", `{"station":"8413320","product":"all"}`)
	if code(err) != coast.ProductUnavailable {
		t.Errorf("all at a station without instruments: %v", err)
	}
}

// TestAllWhileDown checks that failed products are listed in missing, too, and that
// provider_unavailable is returned if all products fail.
func TestAllWhileDown(t *testing.T) {
	t.Parallel() // the client retries failed requests after a delay
	failing := ""
	r := simulated(t, func(p http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			if product := q.URL.Query().Get("product"); failing == "all" ||
				product == failing && product != "" {
				w.WriteHeader(http.StatusBadGateway)
				return
			}
			p.ServeHTTP(w, q)
		})
	})
	failing = "wind"
	out := get(t, r.Set, "noaa_get_meteorological_data", `{"station":"8443970","product":"all"}`)
	if !lacks(out, "wind", "NOAA CO-OPS") || follow(out, "newest.0.quantity") != "air_temperature" {
		t.Errorf("without wind: newest %v, missing %v", out["newest"], out["missing"])
	}
	failing = "all"
	_, err := call(t, r.Set, "noaa_get_meteorological_data", `{"station":"8454000","product":"all"}`)
	if code(err) != coast.ProviderUnavailable {
		t.Errorf("with all providers down: %v", err)
	}
	_, err = call(t, r.Set, "noaa_get_meteorological_data", `{"station":"8454000","product":"wind"}`)
	if code(err) != coast.ProviderUnavailable {
		t.Errorf("wind with all providers down: %v", err)
	}
}

// TestConditions checks the newest level with prediction and residual, and the readings with
// their ages. A part that fails is missing.
func TestConditions(t *testing.T) {
	t.Parallel() // the client retries failed requests after a delay
	r := simulated(t, nil)
	out, err := r.Weather.Conditions(t.Context(), weather.ConditionsInput{
		AtStation: operation.AtStation{Station: "8443970"},
		InUnits:   operation.InUnits{Units: "english"}, InZone: operation.InZone{TimeZone: "gmt"},
	})
	if err != nil {
		t.Fatal(err)
	}
	levels, err := r.Levels.WaterLevels(t.Context(), levels.WaterLevelsInput{
		StationOrPlace: place.StationOrPlace{Station: "8443970"}, Interval: "6",
		Span: operation.Span{Date: "latest"}, OnDatum: operation.OnDatum{Datum: "MLLW"},
		InUnits: operation.InUnits{Units: "english"},
		InZone:  operation.InZone{TimeZone: "gmt"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if *out.WaterLevel != *levels.Newest || *out.Predicted != *levels.Predicted ||
		*out.Residual != *levels.Residual || out.Datum != "MLLW" {
		t.Errorf("conditions %+v %v %v, levels %+v",
			out.WaterLevel, *out.Predicted, *out.Residual, levels.Newest)
	}
	var names []string
	for _, m := range out.Readings {
		names = append(names, m.Quantity)
		if want := int(noon.Sub(m.Time) / time.Minute); m.AgeMinutes != want {
			t.Errorf("%s is %d minutes old, want %d", m.Quantity, m.AgeMinutes, want)
		}
	}
	want := "wind_speed wind_gust wind_direction air_temperature water_temperature air_pressure"
	if strings.Join(names, " ") != want {
		t.Errorf("readings %v, want %s", names, want)
	}
	lake, err := r.Weather.Conditions(t.Context(), weather.ConditionsInput{
		AtStation: operation.AtStation{Station: "9063020"}, InUnits: operation.InUnits{Units: "metric"},
		InZone: operation.InZone{TimeZone: "lst_ldt"},
	})
	if err != nil || lake.Datum != "IGLD" || lake.WaterLevel == nil || lake.Residual != nil {
		t.Errorf("a lake: %v, %+v", err, lake)
	}
	dry, err := r.Weather.Conditions(t.Context(), weather.ConditionsInput{
		AtStation: operation.AtStation{Station: "9446482"}, InUnits: operation.InUnits{Units: "metric"},
		InZone: operation.InZone{TimeZone: "lst_ldt"},
	})
	if err != nil || dry.WaterLevel != nil || len(dry.Readings) != 6 || len(dry.Missing) != 1 ||
		dry.Missing[0].Input != "water level" {
		t.Errorf("a weather station: %v, missing %+v", err, dry.Missing)
	}
	r.p.Fail("/", provider.Fault{Kind: provider.Unavailable})
	_, err = r.Weather.Conditions(t.Context(), weather.ConditionsInput{
		AtStation: operation.AtStation{Station: "8518750"}, InUnits: operation.InUnits{Units: "metric"},
		InZone: operation.InZone{TimeZone: "gmt"},
	})
	if code(err) != coast.ProviderUnavailable {
		t.Errorf("with all providers down: %v", err)
	}
}

// TestWindCalm checks that a wind of 0 is a value, and an empty reading is not.
func TestWindCalm(t *testing.T) {
	r := served(t, gaugeAlone([]string{
		`{"t":"2026-11-20 16:48", "s":"0.00", "d":"0.00", "dr":"N", "g":"", "f":"0,0"}`,
		`{"t":"2026-11-20 16:54", "s":"", "d":"", "dr":"", "g":"", "f":"1,1"}`,
	}))
	out := get(t, r.Set, "noaa_get_meteorological_data",
		`{"station":"8459999","product":"wind","begin_date":"2026-11-20 16:48","end_date":"2026-11-20 17:00","time_zone":"gmt"}`)
	got := fmt.Sprint(follow(out, "series.0.values"), follow(out, "series.1.values"))
	if got != "[0 <nil>] [<nil> <nil>]" {
		t.Errorf("speeds and gusts %s", got)
	}
	if m := list(t, out, "newest"); len(m) != 2 || follow(m[0], "value") != 0.0 ||
		follow(m[0], "ageMinutes") != 12.0 || math.Signbit(follow(m[0], "value").(float64)) {
		t.Errorf("newest %v", m)
	}
}

// TestFailedSensor checks a failed sensor that still sends rows without values. The age of
// the source is the age of its newest value, and quantities without any value are missing.
func TestFailedSensor(t *testing.T) {
	r := served(t, http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		var rows []string
		for at := noon.Add(-6 * time.Hour); at.Before(noon); at = at.Add(6 * time.Minute) {
			speed, direction := "", ""
			if at.Before(noon.Add(-5 * time.Hour)) {
				speed, direction = "4.8", "111.0"
			}
			rows = append(rows, fmt.Sprintf(
				`{"t":%q, "s":%q, "d":%q, "dr":"", "g":"", "f":"0,0", "b":"4"}`,
				at.Format("2006-01-02 15:04"), speed, direction))
		}
		if !strings.HasPrefix(q.URL.Path, "/api/prod/") {
			http.NotFound(w, q)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"metadata":{"id":%q,"name":"x","lat":"0","lon":"0"}, "data": [%s]}`,
			q.URL.Query().Get("station"), strings.Join(rows, ","))
	}))
	newest := noon.Add(-5*time.Hour - 6*time.Minute).Format(time.RFC3339)
	for _, test := range []struct{ tool, args, source string }{
		{"noaa_get_meteorological_data", `{"station":"8443970","product":"wind","range":12}`,
			"observed-wind"},
		{"noaa_get_currents", `{"station":"EPT0003","range":12}`, "observed-current"},
	} {
		out := get(t, r.Set, test.tool, test.args)
		if s := sourceOf(out, test.source); s["freshness"] != "stale" || s["sourceAt"] != newest ||
			s["ageMinutes"] != 306.0 {
			t.Errorf("%s: the source is %v, want stale since %s", test.tool, s, newest)
		}
	}
	out := get(t, r.Set, "noaa_get_meteorological_data",
		`{"station":"8443970","product":"wind","range":12}`)
	if !lacks(out, "wind gust", "no value in them") ||
		follow(out, "newest.1.quantity") != "wind_direction" || follow(out, "newest.2") != nil {
		t.Errorf("a gust without values: newest %v, missing %v", out["newest"], out["missing"])
	}
}
