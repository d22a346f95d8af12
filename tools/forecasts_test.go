package tools

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"leadline/internal/coast"
	"leadline/internal/planning"
	"leadline/internal/simulator/provider"
	"leadline/internal/weather"
)

var isoDuration = regexp.MustCompile(`^P(?:(\d+)D)?(?:T(\d+)H)?$`)

// gridOf requests the grid cell of a point directly from the weather service.
func (r rig) gridOf(t testing.TB, latitude, longitude float64) (point, grid map[string]any) {
	t.Helper()
	point = r.raw(t, fmt.Sprintf("/points/%g,%g", latitude, longitude))
	cell := fmt.Sprintf("/gridpoints/%v/%v,%v", follow(point, "properties.gridId"),
		follow(point, "properties.gridX"), follow(point, "properties.gridY"))
	return point, r.raw(t, cell)
}

// layerAt returns the value of a layer in the hour that begins at a time.
func layerAt(t testing.TB, grid any, name string, at time.Time) any {
	t.Helper()
	for _, v := range list(t, grid, "properties."+name+".values") {
		start, length, _ := strings.Cut(fmt.Sprint(follow(v, "validTime")), "/")
		from, err := time.Parse(time.RFC3339, start)
		parts := isoDuration.FindStringSubmatch(length)
		if err != nil || parts == nil {
			t.Fatalf("%s: %v", name, v)
		}
		days, _ := strconv.Atoi(parts[1])
		hours, _ := strconv.Atoi(parts[2])
		if !at.Before(from) && at.Before(from.Add(time.Duration(24*days+hours)*time.Hour)) {
			return follow(v, "value")
		}
	}
	return nil
}

// columns are the columns of a wind forecast, their layers in the grid, and the conversions
// from layer values to column values.
var columns = []struct {
	column, layer   string
	metric, english func(float64) float64
}{
	{"speeds", "windSpeed", tenth(1 / 3.6), tenth(1 / 1.852)},
	{"gusts", "windGust", tenth(1 / 3.6), tenth(1 / 1.852)},
	{"directions", "windDirection", math.Round, math.Round},
	{"visibilities", "visibility", hundredth(0.001), hundredth(1.0 / 1852)},
	{"waves.heights", "waveHeight", hundredth(1), tenth(1 / 0.3048)},
	{"waves.periods", "wavePeriod", tenth(1), tenth(1)},
	{"waves.directions", "waveDirection", math.Round, math.Round},
	{"waves.swellHeights", "primarySwellHeight", hundredth(1), tenth(1 / 0.3048)},
	{"waves.swellDirections", "primarySwellDirection", math.Round, math.Round},
	{"waves.secondSwellHeights", "secondarySwellHeight", hundredth(1), tenth(1 / 0.3048)},
	{"waves.secondSwellDirections", "secondarySwellDirection", math.Round, math.Round},
	{"waves.windWaveHeights", "windWaveHeight", hundredth(1), tenth(1 / 0.3048)},
}

func tenth(factor float64) func(float64) float64 {
	return func(v float64) float64 { return math.Round(v*factor*10) / 10 }
}

func hundredth(factor float64) func(float64) float64 {
	return func(v float64) float64 { return math.Round(v*factor*100) / 100 }
}

// TestWindForecast compares every hour of every column with the layers of the grid, over the
// open sea, in a bay and on land.
func TestWindForecast(t *testing.T) {
	r := simulated(t, nil)
	for _, test := range []struct {
		latitude, longitude float64
		surface             string
		waves               bool
	}{
		{44, -68.1, "marine", true},
		{46.2, -124.1, "marine", true},
		{42.33, -70.93, "", false},
		{42.354, -71.05, "land", false},
		{21.2, -157.9, "", false},
	} {
		point, grid := r.gridOf(t, test.latitude, test.longitude)
		waves := false
		for _, v := range list(t, grid, "properties.waveHeight.values") {
			waves = waves || follow(v, "value") != 0.0
		}
		for _, units := range []string{"english", "metric"} {
			r.clock.at = noon.Add(59*time.Minute + 30*time.Second)
			out := get(t, r.Set, "nws_get_wind_forecast",
				fmt.Sprintf(`{"latitude":%g,"longitude":%g,"hours":156,"units":%q}`, test.latitude,
					test.longitude, units))
			if !timeAt(t, out, "hours.start").Equal(noon) || follow(out, "hours.count") != 156.0 ||
				follow(out, "hours.stepMinutes") != 60.0 {
				t.Errorf("%v: %v hours from %v", test, follow(out, "hours.count"), follow(out, "hours.start"))
			}
			if test.waves && !waves || waves != (follow(out, "hours.waves") != nil) ||
				waves == lacks(out, "waves", "land") {
				t.Errorf("%v: waves in the grid %v, in the result %v, missing %v", test, waves,
					follow(out, "hours.waves") != nil, out["missing"])
			}
			for _, c := range columns {
				if follow(out, "hours.waves") == nil && strings.HasPrefix(c.column, "waves") {
					continue
				}
				convert := map[string]func(float64) float64{"metric": c.metric, "english": c.english}[units]
				column, nulls := list(t, out, "hours."+c.column), 0
				if len(column) != 156 {
					t.Fatalf("%v: %d %s", test, len(column), c.column)
				}
				for i, got := range column {
					want := layerAt(t, grid, c.layer, noon.Add(time.Duration(i)*time.Hour))
					v, has := want.(float64)
					if !has {
						nulls++
					}
					if has != (got != nil) || has && !near(got, convert(v), 0) {
						t.Errorf("%v: %s of hour %d is %v, the grid has %v", test, c.column, i, got, want)
					}
				}
				if nulls == 156 && !strings.HasPrefix(c.column, "waves") &&
					!lacks(out, map[string]string{"gusts": "wind gust", "visibilities": "visibility"}[c.column],
						"does not mean calm or clear") {
					t.Errorf("%v: %s is null throughout and not missing: %v", test, c.column, out["missing"])
				}
			}
			units := map[string]string{
				"english": "map[direction:degrees true, from height:ft period:s speed:kn visibility:nmi]",
				"metric":  "map[direction:degrees true, from height:m period:s speed:m/s visibility:km]",
			}[units]
			if fmt.Sprint(out["unitsOf"]) != units {
				t.Errorf("units %v, want %s", out["unitsOf"], units)
			}
			updated := instantOf(fmt.Sprint(follow(grid, "properties.updateTime")))
			if !timeAt(t, out, "issued").Equal(updated) {
				t.Errorf("issued %v, the grid %v", out["issued"], follow(grid, "properties.updateTime"))
			}
			near := follow(point, "properties.relativeLocation.properties")
			place := fmt.Sprintf("%v, %v", follow(near, "city"), follow(near, "state"))
			if follow(out, "place.name") != place ||
				follow(out, "place.office") != follow(point, "properties.cwa") ||
				follow(out, "place.surface") != follow(point, "properties.type") ||
				test.surface != "" && follow(out, "place.surface") != test.surface {
				t.Errorf("place %v, the service says %v", out["place"], point["properties"])
			}
		}
	}
}

// TestForecastWeather compares the weather text of each hour with the words in the grid.
func TestForecastWeather(t *testing.T) {
	r := simulated(t, nil)
	_, grid := r.gridOf(t, 44, -68.1)
	out := get(t, r.Set, "nws_get_wind_forecast", `{"latitude":44,"longitude":-68.1,"hours":156}`)
	seen := map[string]bool{}
	for i, got := range list(t, out, "hours.weather") {
		conditions, _ := layerAt(t, grid, "weather", noon.Add(time.Duration(i)*time.Hour)).([]any)
		var all []string
		for _, c := range conditions {
			var words []string
			for _, part := range []string{"coverage", "intensity", "weather"} {
				if w := follow(c, part); w != nil {
					words = append(words, strings.ReplaceAll(fmt.Sprint(w), "_", " "))
				}
			}
			if len(words) > 0 {
				all = append(all, strings.Join(words, " "))
			}
		}
		if want := cmp.Or(strings.Join(all, "; "), "none"); got != want {
			t.Errorf("hour %d: %q, want %q", i, got, want)
		}
		seen[fmt.Sprint(got)] = true
	}
	if len(seen) < 2 {
		t.Errorf("one weather in all hours: %v", seen)
	}
}

// ownGrid returns a rig that serves the test's own grid for Boston.
func ownGrid(t testing.TB, valid, layers string) rig {
	t.Helper()
	return simulated(t, func(p http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			if !strings.HasPrefix(q.URL.Path, "/gridpoints/") {
				p.ServeHTTP(w, q)
				return
			}
			w.Header().Set("Content-Type", "application/geo+json")
			fmt.Fprintf(w, `{"properties":{"updateTime":"2026-11-20T14:11:07+00:00","validTimes":%q,"elevation":{"unitCode":"wmoUnit:m","value":3},%s}}`,
				valid, layers)
		})
	})
}

const week = "2026-11-20T12:00:00+00:00/P7DT6H"

// TestOwnGrids checks grids in rare formats, and grids with values that must not be guessed.
func TestOwnGrids(t *testing.T) {
	const wind = `"windSpeed":{"uom":"wmoUnit:km_h-1","values":[{"validTime":"2026-11-20T12:00:00+00:00/PT7H","value":18.52},{"validTime":"2026-11-20T19:00:00+00:00/P1DT2H","value":0}]}`
	const boston = `{"latitude":42.354,"longitude":-71.05,"hours":4,"units":"english"}`
	for _, test := range []struct {
		name, valid, layers string
		want                map[string]any
		missing             []string
	}{
		{"merged hours and a calm", week, wind,
			map[string]any{"hours.speeds.1": 10.0, "hours.speeds.2": 0.0, "hours.gusts.0": nil,
				"hours.count": 4.0},
			[]string{"wind gust", "wind direction", "visibility", "waves"}},
		{"a gust of null", week, wind +
			`,"windGust":{"uom":"wmoUnit:km_h-1","values":[{"validTime":"2026-11-20T12:00:00+00:00/PT6H","value":null},{"validTime":"2026-11-20T18:00:00+00:00/PT2H","value":37.04}]}`,
			map[string]any{"hours.gusts.0": nil, "hours.gusts.1": 20.0, "hours.gusts.2": 20.0,
				"hours.gusts.3": nil},
			[]string{"wind direction", "visibility", "waves"}},
		{"an unexpected unit is not converted", week,
			`"windSpeed":{"uom":"wmoUnit:furlong","values":[{"validTime":"2026-11-20T12:00:00+00:00/P7D","value":5}]}`,
			map[string]any{"hours.speeds.0": nil},
			[]string{"wind speed", "wind gust", "wind direction", "visibility", "waves"}},
		{"zero waves over land are missing", week, wind +
			`,"waveHeight":{"uom":"wmoUnit:m","values":[{"validTime":"` + week +
			`","value":0}]},"primarySwellHeight":{"uom":"wmoUnit:m","values":[{"validTime":"` + week +
			`","value":0}]}`,
			map[string]any{"hours.waves": nil},
			[]string{"wind gust", "wind direction", "visibility", "waves"}},
		{"swell without wave heights", week, wind +
			`,"waveHeight":{"values":[]},"primarySwellHeight":{"uom":"wmoUnit:m","values":[{"validTime":"` +
			week + `","value":1.8288}]},"primarySwellDirection":{"uom":"wmoUnit:degree_(angle)","values":[{"validTime":"` +
			week + `","value":280}]}`,
			map[string]any{"hours.waves.heights.0": nil, "hours.waves.swellHeights.0": 6.0,
				"hours.waves.swellDirections.0": 280.0},
			[]string{"wind gust", "wind direction", "visibility"}},
		{"the grid ends", "2026-11-20T12:00:00+00:00/PT7H", wind,
			map[string]any{"hours.count": 2.0, "hours.speeds.1": 10.0, "hours.speeds.2": nil},
			[]string{"wind gust", "wind direction", "visibility", "waves"}},
		{"the grid has ended", "2026-11-20T08:00:00+00:00/PT9H", wind,
			map[string]any{"hours.count": 0.0, "notes.1": "The newest grid ended before the present hour."},
			[]string{"wind speed", "wind gust", "wind direction", "visibility", "waves"}},
	} {
		out := get(t, ownGrid(t, test.valid, test.layers).Set, "nws_get_wind_forecast", boston)
		for path, want := range test.want {
			if got := follow(out, path); !agrees(got, want) {
				t.Errorf("%s: %s is %v, want %v", test.name, path, got, want)
			}
		}
		var missing []string
		for _, m := range list(t, out, "missing") {
			missing = append(missing, fmt.Sprint(follow(m, "input")))
		}
		if strings.Join(missing, ", ") != strings.Join(test.missing, ", ") {
			t.Errorf("%s: missing %v, want %v", test.name, missing, test.missing)
		}
	}
}

// TestNoGrid checks the errors if the service has no grid or no coverage, or does not respond.
func TestNoGrid(t *testing.T) {
	t.Parallel() // the client retries failed requests after a delay
	r := simulated(t, nil)
	for _, test := range []struct {
		args string
		code coast.Code
		says string
	}{
		{`{"latitude":28,"longitude":-90}`, coast.ProductUnavailable,
			`Get the text: getMarineForecast {"latitude": 28, "longitude": -90}`},
		{`{"latitude":51.5,"longitude":-0.1}`, coast.ProductUnavailable, "does not cover 51.5, -0.1"},
		{`{"station":"8443971"}`, coast.StationNotFound, "8443970 (Boston)"},
		{`{"station":"9063020"}`, "", ""}, // a Great Lakes gauge, which is not embedded
		{`{"station":"cb0102"}`, "", ""},  // a current meter, also not embedded
	} {
		if _, err := call(t, r.Set, "nws_get_wind_forecast", test.args); code(err) != test.code ||
			err != nil && !strings.Contains(hinted(err), test.says) {
			t.Errorf("%s: %v, want %s with %q", test.args, err, test.code, test.says)
		}
	}
	r.p.Fail("/gridpoints/", provider.Fault{Kind: provider.Garbage})
	_, err := call(t, r.Set, "nws_get_wind_forecast", `{"station":"8518750"}`)
	if code(err) != coast.ProviderUnavailable {
		t.Errorf("garbage: %v", err)
	}
}

// TestTwoWinds checks that a wind forecast has the wind of the grid and that of the text, each with
// its source and in one unit, and that the day and their texts have both.
func TestTwoWinds(t *testing.T) {
	set := simulated(t, nil).Set
	r, err := call(t, set, "nws_get_wind_forecast", `{"station":"8443970","units":"metric"}`)
	if err != nil {
		t.Fatal(err)
	}
	f := r.Value.(weather.WindForecast)
	has := func(p coast.Provenance, id string) bool {
		return slices.ContainsFunc(p.Sources, func(s coast.Source) bool { return s.ID == id })
	}
	if f.TextWind == nil || len(f.TextWind.Periods) == 0 || f.TextWind.Periods[0].Speed == nil ||
		!has(f.Provenance, "wind-forecast") || !has(f.Provenance, "marine-text") {
		t.Fatalf("text wind %+v, sources %+v", f.TextWind, f.Sources)
	}
	metric := *f.TextWind.Periods[0].Speed
	r, err = call(t, set, "nws_get_wind_forecast", `{"station":"8443970"}`)
	if err != nil {
		t.Fatal(err)
	}
	f = r.Value.(weather.WindForecast)
	knots := *f.TextWind.Periods[0].Speed
	if math.Abs(knots*1852/3600-metric) > 0.05 {
		t.Errorf("%v kn and %v m/s", knots, metric)
	}
	text, _, err := r.Forms(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	if want := "Wind of the text for " + f.TextWind.Zone; !strings.Contains(string(text), want) {
		t.Errorf("the text lacks %q:\n%s", want, text)
	}
	r, err = call(t, set, "leadline_get_day", `{"station":"8443970"}`)
	if err != nil {
		t.Fatal(err)
	}
	d := r.Value.(planning.Day)
	if text, _, err = r.Forms(1 << 20); err != nil {
		t.Fatal(err)
	}
	if d.Wind == nil || d.Wind.TextSpeed == nil || !has(d.Provenance, "marine-text") ||
		!strings.Contains(string(text), "ind of the grid up to") ||
		!strings.Contains(string(text), "of the coastal waters text up to") {
		t.Errorf("the day has the wind %+v:\n%s", d.Wind, text)
	}
}
