package tools

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// kinds has the kinds of quantities: their units in the three systems, and a value in the metric
// unit from one in the english unit. A knot is 1852 m an hour, a foot 0.3048 m. Values of the two
// systems may differ by within, in the metric unit, because both are rounded.
var kinds = map[string]struct {
	english, nautical, metric string
	metrically                func(float64) float64
	within                    float64
}{
	"height":      {"ft", "m", "m", times(0.3048), 0.0007},
	"rate":        {"ft/h", "m/h", "m/h", times(0.3048), 0.007},
	"wave":        {"ft", "m", "m", times(0.3048), 0.021},
	"depth":       {"ft", "m", "m", times(0.3048), 0.066},
	"current":     {"kn", "kn", "cm/s", times(185200.0 / 3600), 0.31},
	"amplitude":   {"kn", "kn", "cm/s", times(185200.0 / 3600), 0.31},
	"wind":        {"kn", "kn", "m/s", times(1852.0 / 3600), 0.08},
	"visibility":  {"nmi", "nmi", "km", times(1.852), 0.0145},
	"temperature": {"F", "C", "C", func(f float64) float64 { return (f - 32) / 1.8 }, 0.08},
}

func times(factor float64) func(float64) float64 {
	return func(v float64) float64 { return v * factor }
}

// inUnits has calls of each operation that takes units, with paths to values of a kind and to the
// name of their unit.
var inUnits = []struct {
	tool, args string
	values     [][3]string // kind, value, unit
}{
	{"noaa_get_water_levels", `"station":"8443970","range":2`, [][3]string{
		{"height", "newest.height", "heightUnit"}, {"height", "observed.heights.0", "heightUnit"}}},
	{"noaa_get_water_level_summaries", `"station":"8443970","product":"high_low"`, [][3]string{
		{"height", "rows.0.height", "heightUnit"}}},
	{"noaa_get_tide_predictions", `"station":"8443970","interval":"h"`, [][3]string{
		{"height", "series.heights.0", "heightUnit"}, {"rate", "now.rate", "rateUnit"}}},
	{"noaa_get_tide_predictions", `"station":"8443970","type":"low"`, [][3]string{
		{"height", "extremes.0.height", "heightUnit"}}},
	{"noaa_get_currents", `"station":"cb0102","bin":0,"range":1`, [][3]string{
		{"current", "observed.bins.0.speeds.0", "speedUnit"},
		{"depth", "observed.bins.0.depth", "depthUnit"}}},
	{"noaa_get_current_predictions", `"station":"EPT0003"`, [][3]string{
		{"current", "now.speed", "speedUnit"},
		{"current", "now.nextSlack.slackWindow.below", "speedUnit"}}},
	{"noaa_get_meteorological_data", `"station":"8443970","product":"all"`, [][3]string{
		{"wind", "newest.0.value", "newest.0.unit"}, {"wind", "newest.1.value", "newest.1.unit"},
		{"temperature", "newest.3.value", "newest.3.unit"},
		{"temperature", "newest.4.value", "newest.4.unit"}}},
	{"noaa_get_meteorological_data", `"station":"8638610","product":"visibility"`, [][3]string{
		{"visibility", "newest.0.value", "newest.0.unit"}}},
	{"noaa_get_meteorological_data", `"station":"8517986","product":"air_gap"`, [][3]string{
		{"height", "newest.0.value", "newest.0.unit"}}},
	{"nws_get_wind_forecast", `"latitude":44,"longitude":-68.1,"hours":12`, [][3]string{
		{"wind", "hours.speeds.0", "unitsOf.speed"}, {"wind", "hours.gusts.0", "unitsOf.speed"},
		{"wind", "textWind.periods.0.speed", "unitsOf.speed"},
		{"wave", "hours.waves.heights.0", "unitsOf.height"},
		{"visibility", "hours.visibilities.0", "unitsOf.visibility"}}},
	{"nws_get_wind_forecast", `"station":"8443970","current_station":"ACT1206"`, [][3]string{
		{"current", "current.speeds.0", "current.speedUnit"}}},
	{"noaa_get_station_info", `"station":"8443970","expand":["datums","floodlevels","sensors"]`,
		[][3]string{{"height", "datumLevels.0.aboveMLLW", "heightUnit"},
			{"height", "floodLevels.0.height", "heightUnit"},
			{"height", "lists.sensors.0.elevation", "heightUnit"}}},
	{"noaa_get_station_datums", `"station":"8443970"`, [][3]string{
		{"height", "datums.0.aboveMLLW", "heightUnit"}, {"height", "ranges.0.value", "ranges.0.unit"}}},
	{"noaa_get_harmonic_constituents", `"station":"8443970"`, [][3]string{
		{"height", "constituents.0.amplitude", "amplitudeUnit"}}},
	{"noaa_get_harmonic_constituents", `"station":"EPT0003"`, [][3]string{
		{"amplitude", "constituents.0.amplitude", "amplitudeUnit"}}},
	{"noaa_get_station_sensors", `"station":"8443970"`, [][3]string{
		{"height", "sensors.0.elevation", "heightUnit"}}},
	{"noaa_get_current_station_bins", `"station":"EPT0003"`, [][3]string{
		{"depth", "bins.0.depth", "depthUnit"}}},
	{"noaa_get_station_flood_levels", `"station":"8443970"`, [][3]string{
		{"height", "levels.0.height", "heightUnit"}}},
	{"noaa_get_extreme_water_levels", `"station":"8443970"`, [][3]string{
		{"height", "levels.0.height", "heightUnit"}}},
	{"noaa_get_top_ten_water_levels", `"station":"8443970"`, [][3]string{
		{"height", "levels.0.height", "heightUnit"}}},
	{"leadline_get_day", `"station":"8443970",` +
		`"include":["tides","currents","wind","water_level","temperature"]`, [][3]string{
		{"height", "tides.events.0.height", "tides.heightUnit"},
		{"current", "currents.events.1.speed", "currents.speedUnit"},
		{"temperature", "temperature.value", "temperature.unit"}}},
	{"leadline_tide_telegram", `"station":"8443970"`, nil},
}

// TestUnitSystems compares values in the three systems: in nautical, heights and temperatures are
// those of metric, speeds and visibilities those of english. All operations that take units are
// called.
func TestUnitSystems(t *testing.T) {
	r := simulated(t, nil)
	called := map[string]bool{}
	for _, c := range inUnits {
		called[c.tool] = true
		in := func(units string) map[string]any {
			return get(t, r.Set, c.tool, `{`+c.args+`,"units":"`+units+`"}`)
		}
		english, nautical, metric := in("english"), in("nautical"), in("metric")
		if nautical["units"] != "nautical" {
			t.Errorf("%s: units %v", c.tool, nautical["units"])
		}
		for _, path := range c.values {
			kind, what := kinds[path[0]], c.tool+" "+path[1]
			names := [3]any{follow(english, path[2]), follow(nautical, path[2]), follow(metric, path[2])}
			if names != [3]any{kind.english, kind.nautical, kind.metric} {
				t.Errorf("%s: units %v, want %s, %s, %s", what, names, kind.english, kind.nautical,
					kind.metric)
			}
			in := map[string]any{
				kind.english: follow(english, path[1]), kind.metric: follow(metric, path[1]),
			}
			e, isNumber := in[kind.english].(float64)
			if !isNumber || e == 0 {
				t.Fatalf("%s is %v in english: choose another value", what, in[kind.english])
			}
			if !near(in[kind.metric], kind.metrically(e), kind.within) {
				t.Errorf("%s: %v %s is %v %s", what, e, kind.english, in[kind.metric], kind.metric)
			}
			if got := follow(nautical, path[1]); got != in[kind.nautical] {
				t.Errorf("%s: %v %s in nautical, want %v", what, got, kind.nautical, in[kind.nautical])
			}
		}
	}
	for _, tool := range everyTool(r.Set) {
		if body, _ := json.Marshal(tool.Input); strings.Contains(string(body), `"units":{`) &&
			!called[tool.Name] {
			t.Errorf("%s takes units and is not called", tool.Name)
		}
	}
}

// foreign matches units that results in nautical do not have.
var foreign = regexp.MustCompile(`\d (ft|m/s|cm/s|F)\b|(height|speed|velocity|temperature)s? ` +
	`(in )?(ft|m/s|cm/s|F)\b|feet above`)

// foreignUnits returns the names of such units in a result, in fields of units and in its text.
func foreignUnits(t *testing.T, s *Set, tool, args string) []string {
	t.Helper()
	r, err := call(t, s, tool, args)
	if err != nil {
		t.Fatalf("%s %s: %v", tool, args, err)
	}
	text, body, err := r.Forms(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for line := range strings.SplitSeq(string(text), "\n") {
		if !strings.Contains(line, "rounded to 0.1 ft or 0.01 m") { // of telegrams in all units
			found = append(found, foreign.FindAllString(line, -1)...)
		}
	}
	return append(found, unitFields("", unmarshal(t, body))...)
}

// unitFields returns the foreign units that fields of units below a value have.
func unitFields(name string, v any) (found []string) {
	switch v := v.(type) {
	case map[string]any:
		for field, value := range v {
			if name == "unitsOf" {
				field = "unit"
			}
			found = append(found, unitFields(field, value)...)
		}
	case []any:
		for _, value := range v {
			found = append(found, unitFields(name, value)...)
		}
	case string:
		if strings.HasSuffix(strings.ToLower(name), "unit") && foreign.MatchString("0 "+v) {
			found = append(found, v)
		}
	}
	return found
}

// TestNauticalUnits checks that results in nautical have no feet, no meters a second and no degrees
// Fahrenheit, and that the check finds those of the other two systems.
func TestNauticalUnits(t *testing.T) {
	r := simulated(t, nil)
	seen := ""
	for _, c := range inUnits {
		of := func(units string) []string {
			return foreignUnits(t, r.Set, c.tool, `{`+c.args+`,"units":"`+units+`"}`)
		}
		if found := of("nautical"); len(found) > 0 {
			t.Errorf("%s {%s} in nautical has %q", c.tool, c.args, found)
		}
		seen += fmt.Sprintln(of("english"), of("metric"))
	}
	for _, unit := range []string{"ft", "F", "m/s", "cm/s", "feet above"} {
		if !strings.Contains(seen, unit) {
			t.Errorf("the check finds no %s in english and metric", unit)
		}
	}
}

// TestNauticalLimits checks that a height of an argument is in meters and a speed in knots.
func TestNauticalLimits(t *testing.T) {
	s := newSet(t)
	for _, c := range []struct{ tool, args, same, other string }{
		{"noaa_get_tide_predictions", `"station":"8443970","below":0.2,"range":240`, "metric", "english"},
		{"noaa_get_current_predictions", `"station":"ACT0091","at_most":1,"range":72`, "english", "metric"},
	} {
		in := func(units string) any {
			return get(t, s, c.tool, `{`+c.args+`,"units":"`+units+`"}`)["windows"]
		}
		got := in("nautical")
		if len(got.([]any)) == 0 || !reflect.DeepEqual(got, in(c.same)) ||
			reflect.DeepEqual(got, in(c.other)) {
			t.Errorf("%s {%s}: windows %v, want those of %s", c.tool, c.args, got, c.same)
		}
	}
}

// TestNauticalPictures checks that the axes and marks of charts have the units of the result.
func TestNauticalPictures(t *testing.T) {
	r := simulated(t, nil)
	for _, c := range pictured {
		args, _, _ := strings.Cut(c.args, `,"units"`)
		in := func(units string) string {
			with, err := call(t, r.Set, c.tool, args+`,"chart":true,"units":"`+units+`"}`)
			if err != nil || with.Image == nil {
				t.Fatalf("%s %s: no picture, %v", c.tool, args, err)
			}
			return string(with.Image)
		}
		same, other := "metric", "english"
		if !strings.Contains(c.line, "height") && !strings.Contains(c.line, "level") {
			same, other = other, same // of speeds
		}
		if got := in("nautical"); got != in(same) || got == in(other) {
			t.Errorf("%s %s: the picture in nautical is not that of %s", c.tool, args, same)
		}
	}
}
