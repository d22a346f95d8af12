package tools

import (
	"strings"
	"testing"

	"leadline/internal/coast"
)

// TestBoundsNeedWindows checks that bounds of the weather without a condition of windows are
// refused with the conditions of the tool.
func TestBoundsNeedWindows(t *testing.T) {
	s := newSet(t)
	for _, c := range []struct{ tool, args, says string }{
		{"noaa_get_tide_predictions", `{"station":"8443970","max_wind":15}`, "give below or above"},
		{"noaa_get_tide_predictions", `{"station":"8443970","type":"low","top":3,"dry":true}`,
			"give below or above"},
		{"noaa_get_current_predictions", `{"station":"ACT0091","max_seas":3}`,
			"give at_most or at_least"},
		{"noaa_get_current_predictions", `{"station":"ACT0091","light":"daylight","max_gust":3}`,
			"give at_most or at_least"},
	} {
		_, err := call(t, s, c.tool, c.args)
		if code(err) != coast.InvalidRequest || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s %s: %v, want %q", c.tool, c.args, err, c.says)
		}
	}
}

// TestWeatherOfPlace checks that the weather of a place is that of its own position, and that
// operations without forecasts cannot tell.
func TestWeatherOfPlace(t *testing.T) {
	const args = `{"place":"Half Moon Bay, CA","below":1,"range":48,"max_wind":60,"max_gust":90}`
	r := simulated(t, nil)
	text := textOf(t, r.Set, "noaa_get_tide_predictions", args)
	if !strings.Contains(text, "The weather is for the position of Half Moon Bay") ||
		!strings.Contains(text, "gusts up to 90 kn: 2 windows") {
		t.Errorf("at a place:\n%s", text)
	}
	text = textOf(t, newSet(t), "noaa_get_tide_predictions", args)
	if !strings.Contains(text, "Cannot tell: the weather of 2 windows is not known.") {
		t.Errorf("without providers:\n%s", text)
	}
}
