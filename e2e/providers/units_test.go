package providers

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"leadline/e2e/product"
)

// TestRoutesInUnits checks that every route that takes units has them in nautical: no field of a
// unit has feet, meters or centimeters a second, kilometers or degrees Fahrenheit. Values in meters
// are those of metric, values in knots those of english.
func TestRoutesInUnits(t *testing.T) {
	_, root := product.Simulate(t, product.Noon)
	base := product.Setup{Root: root, Now: product.Noon, Deadline: time.Minute,
		Patience: time.Minute}.Start(t).URL
	const station, planning = "/api/v1/stations/8443970", "/api/planning/"
	asked := map[string]bool{}
	for _, c := range []struct{ route, path, english, metric string }{ // values as in these systems
		{"/api/v1/stations", "/api/v1/stations?limit=1", "", ""},
		{"/api/v1/stations/nearest", "/api/v1/stations/nearest?lat=42.35&lon=-71.05", "", ""},
		{"/api/v1/stations/{id}", station + "?", "", "datumLevels.0.aboveMLLW"},
		{"/api/v1/stations/{id}/predictions", station + "/predictions?", "", "extremes.0.height"},
		{"/api/v1/stations/{id}/water-levels", station + "/water-levels?", "", "newest.height"},
		{"/api/v1/stations/{id}/conditions", station + "/conditions?", "readings.0.value",
			"waterLevel.height"},
		{"/api/v1/stations/{id}/forecast", station + "/forecast?", "wind.hours.speeds.0", ""},
		{"/api/v1/astronomy", "/api/v1/astronomy?lat=42.35&lon=-71.05", "", ""},
		{planning + "tide-windows", planning + "tide-windows?station=8443970&draft=1&charted_depth=1",
			"", "condition.level"},
		{planning + "tide-ranks", planning + "tide-ranks?station=8443970", "", "ranks.0.height"},
		{planning + "current-windows", planning + "current-windows?station=PUG1701",
			"windows.0.before", ""},
		{planning + "transits", planning + "transits?station=PUG1701&distance=1&speed=6" +
			"&direction=with_flood", "windows.0.best.maxCurrent", ""},
		{planning + "day", planning + "day?station=8443970", "currents.events.0.speed",
			"tides.events.0.height"},
		{planning + "places", planning + "places?query=Boston", "", ""},
		{planning + "telegram", planning + "telegram?station=8443970", "", "telegram"},
	} {
		asked[c.route] = true
		in := func(units string) (out map[string]any) {
			join := "&"
			if strings.HasSuffix(c.path, "?") {
				join = ""
			}
			product.Decode(t, product.OverREST(t, base+c.path+join+"units="+units), &out)
			return out
		}
		nautical := in("nautical")
		if found := unitsNotNautical("", nautical); len(found) > 0 {
			t.Errorf("%s in nautical has %v", c.route, found)
		}
		for system, path := range map[string]string{"english": c.english, "metric": c.metric} {
			if path == "" {
				continue
			}
			steps := strings.Split(path, ".")
			got, want := valueAt(nautical, steps), valueAt(in(system), steps)
			if got == nil || got != want {
				t.Errorf("%s: %s is %v in nautical, %v in %s", c.route, path, got, want, system)
			}
		}
	}
	for _, document := range []string{"/openapi.json", "/api/planning/openapi.json"} {
		c := product.ReadDocument(t, base, document)
		for path := range c.Paths {
			if c.Method(path) == "get" && !asked[path] &&
				strings.Contains(fmt.Sprint(product.Inside(c.Document, "paths", path)), "schemas/Units") {
				t.Errorf("%s takes units and is not called", path)
			}
		}
	}
}

// unitsNotNautical returns the fields of units with a unit that the nautical system does not have.
func unitsNotNautical(name string, v any) (found []string) {
	switch v := v.(type) {
	case map[string]any:
		for _, field := range slices.Sorted(maps.Keys(v)) {
			below := field
			if name == "unitsOf" {
				below = "unit"
			}
			found = append(found, unitsNotNautical(below, v[field])...)
		}
	case []any:
		for _, value := range v {
			found = append(found, unitsNotNautical(name, value)...)
		}
	case string:
		if strings.HasSuffix(strings.ToLower(name), "unit") &&
			slices.Contains([]string{"ft", "ft/h", "m/s", "cm/s", "km", "F"}, v) {
			found = append(found, name+" "+v)
		}
	}
	return found
}

// valueAt returns the value at a path of names and indices, nil for a path that leads nowhere.
func valueAt(v any, path []string) any {
	for _, step := range path {
		switch of := v.(type) {
		case map[string]any:
			v = of[step]
		case []any:
			var i int
			if _, err := fmt.Sscan(step, &i); err != nil || i >= len(of) {
				return nil
			}
			v = of[i]
		default:
			return nil
		}
	}
	return v
}
