package provider

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"leadline/internal/noaa"
	"leadline/internal/nws"
)

// TestControlWeather checks that grid and text follow a setting until it is removed.
func TestControlWeather(t *testing.T) {
	p := frozen(t)
	post(t, p, "/-/weather", `{"place": "42.3548,-71.0534", "updated": "2026-11-20T12:00:00Z",
		"hour": {"wind": 22, "gust": 30.5, "from": 270, "seas": 5, "period": 6, "weather": [{"coverage": "likely", "weather": "thunderstorms"}, {"weather": "fog"}]}}`, http.StatusNoContent)
	post(
		t,
		p,
		"/-/text",
		`{"zone": "ANZ230", "passage": {"direction": "W", "wind": [22, 22], "gust": 31, "seas": [5, 5], "weather": "Patchy fog."}}`,
		http.StatusNoContent,
	)
	g := gridAt(t, p, 71, 90)
	for hour := 13; hour < 40; hour++ { // the built-in grid begins later
		at := clock(hour)
		wind, gust := g.Layers["windSpeed"].At(at), g.Layers["windGust"].At(at)
		sea := g.Layers["waveHeight"].At(at)
		if !near(wind, 22*1.852, 0.001) || !near(gust, 30.5*1.852, 0.001) ||
			!near(sea, 5*0.3048, 0.0001) ||
			len(g.WeatherAt(clock(hour))) != 2 {
			t.Errorf("at %v wind %v, gust %v, sea %v, weather %v", clock(hour), wind, gust, sea,
				g.WeatherAt(clock(hour)))
		}
	}
	if want := moment.Add(-5 * time.Hour); !g.Updated.Equal(want) {
		t.Errorf("Updated = %v, want %v", g.Updated, want)
	}
	_, s := passages(t, p, "ANZ230", "BOX")
	now := s.Periods[0]
	if !near(now.Wind(), 22, 0) || !near(now.Gust(), 31, 0) || !near(now.Seas(), 5, 0) ||
		!strings.Contains(now.Text, "W winds") ||
		!strings.Contains(now.Text, "Patchy fog.") {
		t.Errorf("text = %q", now.Text)
	}
	post(t, p, "/-/restore", "", http.StatusNoContent)
	if got, want := p.grid(t, "BOX/71,90"), frozen(t).grid(t, "BOX/71,90"); got != want {
		t.Errorf("the grid differs after the setting was removed")
	}
}

// TestControlWeatherNone checks that values that a setting removes are in neither grid nor text.
func TestControlWeatherNone(t *testing.T) {
	p := frozen(t)
	post(t, p, "/-/weather",
		`{"place": "42.5,-70.55", "hour": {"wind": 9.5, "gust": null, "seas": null, "period": null}}`,
		http.StatusNoContent)
	post(t, p, "/-/text",
		`{"zone": "ANZ251", "passage": {"wind": [10, 10], "gust": 0, "seas": [0, 0]}}`,
		http.StatusNoContent)
	_, weather := clients(t, p)
	point, err := weather.Point(t.Context(), 42.5, -70.55)
	must(t, err)
	g, err := weather.Grid(t.Context(), point.Data.Grid, point.Data.X, point.Data.Y)
	must(t, err)
	for _, name := range []string{"windGust", "waveHeight", "wavePeriod"} {
		if l, ok := g.Data.Layers[name]; !ok || len(l.Spans) > 0 {
			t.Errorf("%s has %d spans, want an empty layer", name, len(l.Spans))
		}
	}
	_, s := passages(t, p, "ANZ251", "BOX")
	for _, w := range s.Periods {
		if !near(w.Wind(), 10, 0) || w.Gust() != nil || w.Seas() != nil {
			t.Errorf("text = %q", w.Text)
		}
	}
}

// TestControlWater sets a level, a temperature and flood levels, and removes a gauge.
func TestControlWater(t *testing.T) {
	p := frozen(t)
	post(
		t,
		p,
		"/-/water",
		`{"station": "8443970", "residual": 0.366, "temperature": 12.8, "newest": "2026-11-20T16:48:00Z", "empty": ["wind"], "floods": {"nwsMinor": 4.7244}}`,
		http.StatusNoContent,
	)
	water, _ := clients(t, p)
	level, err := water.Levels(t.Context(), "8443970", "MLLW", noaa.SixMinute, noaa.Period{})
	must(t, err)
	at := level.Rows[0].Time
	predicted, err := water.Predictions(t.Context(), "8443970", "MLLW", "6",
		noaa.Period{From: at, To: at})
	must(t, err)
	got := *level.Rows[0].Height - predicted.Rows[0].Height
	if !at.Equal(moment.Add(-12*time.Minute)) || !near(&got, 0.366, 0.0011) {
		t.Errorf("the level at %v is %v m above the prediction, want 0.366", at, got)
	}
	warm, err := water.Readings(t.Context(), "8443970", "water_temperature", false, noaa.Period{})
	must(t, err)
	floods, err := water.FloodLevels(t.Context(), "8443970")
	must(t, err)
	if !near(warm.Rows[0].Value, 12.8, 0.01) ||
		!near(floods.Data.NWSMinor, 15.5*metersPerFoot, 0.005) ||
		floods.Data.NOSMinor != nil {
		t.Errorf("temperature %v, minor flooding from %v and %v", warm.Rows[0].Value,
			floods.Data.NWSMinor, floods.Data.NOSMinor)
	}
	post(t, p, "/-/water", `{"station": "8443970", "sensors": []}`, http.StatusNoContent)
	if got := listsWith(t, p, "8443970"); got != nil {
		t.Errorf("a removed gauge is in the lists %q", got)
	}
	post(t, p, "/-/restore", "", http.StatusNoContent)
	if got := listsWith(t, p, "8443970"); len(got) != 3 {
		t.Errorf("the gauge is in the lists %q, want 3", got)
	}
}

// TestControlAlert sets one alert, then none, then restores the built-in one.
func TestControlAlert(t *testing.T) {
	p := frozen(t)
	events := func() (list []nws.Alert) {
		_, weather := clients(t, p)
		alerts, err := weather.AlertsIn(t.Context(), "ANZ230")
		must(t, err)
		return alerts.Data.Alerts
	}
	post(t, p, "/-/alert", `{"zone": "ANZ230", "alerts": [{"event": "Gale Warning"}]}`,
		http.StatusNoContent)
	if got := events(); len(got) != 1 || got[0].Event != "Gale Warning" ||
		!got[0].Ends.Equal(moment.Add(12*time.Hour)) {
		t.Errorf("alerts = %v, want the Gale Warning", got)
	}
	post(t, p, "/-/heal", "", http.StatusNoContent)
	if got := events(); len(got) != 1 || got[0].Event != "Gale Warning" {
		t.Errorf("alerts after heal = %v, want the Gale Warning", got)
	}
	post(t, p, "/-/alert", `{"zone": "ANZ230"}`, http.StatusNoContent)
	if got := events(); len(got) != 0 {
		t.Errorf("alerts = %v, want none", got)
	}
	post(t, p, "/-/restore", "", http.StatusNoContent)
	if got := events(); len(got) != 1 || got[0].Event != "Small Craft Advisory" {
		t.Errorf("alerts after restore = %v, want the Small Craft Advisory", got)
	}
}

// TestControlRefuses checks that the response to an invalid request names the error.
func TestControlRefuses(t *testing.T) {
	p := frozen(t)
	for _, test := range []struct{ path, body, want string }{
		{"/-/weather", `{"hour": {"wind": 22}}`, "must be a point with a grid"},
		{"/-/weather", `{"place": "42.3,-71", "hour": {"winds": 22}}`, `unknown field "winds"`},
		{"/-/weather", `{"place": "42.3,-71", "hour": {"wind": "much"}}`, "Wind"},
		{"/-/weather", `{"place": "0,0", "hour": {"wind": 3}}`, "must be a point with a grid"},
		{"/-/weather", `{"place": "42.3,-71", "updated": "old"}`, "old"},
		{"/-/text", `{"zone": "MAZ015"}`, "must be a marine zone"},
		{"/-/text", `{"zone": "ANZ230", "passage": {"winds": [1, 2]}}`, `unknown field "winds"`},
		{"/-/water", `{"station": "8443970", "residual": "1.2"}`, "Residual"},
		{"/-/water", `{"station": "8443970", "level": 1}`, `unknown field "level"`},
		{"/-/water", `{"station": "8443970", "sensors": ["wind", "sonar"]}`, "water_level"},
		{"/-/water", `{"residual": 1}`, "is not a gauge"},
		{"/-/alert", `{"alerts": [{"event": "Gale Warning"}]}`, "must be a code such as ANZ230"},
		{"/-/alert", `{"zone": "ANZ230", "alerts": [{"event": "Gale Warning", "hours": 12}]}`, `unknown field "hours"`},
		{"/-/fail", ``, "EOF"},
	} {
		w := httptest.NewRecorder()
		p.ServeHTTP(w, httptest.NewRequest("POST", test.path, strings.NewReader(test.body)))
		if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), test.want) {
			t.Errorf("POST %s %s responds %d %q, want 400 and %q", test.path, test.body, w.Code, w.Body,
				test.want)
		}
	}
}
