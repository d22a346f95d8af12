package tools

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"leadline/internal/coast"
	"leadline/internal/simulator/provider"
)

// spoiled returns a rig whose providers' responses to some requests are changed.
func spoiled(t testing.TB, change func(r *http.Request, body []byte) []byte) rig {
	t.Helper()
	return simulated(t, func(p http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.Header.Del("Accept-Encoding")
			whole := httptest.NewRecorder()
			p.ServeHTTP(whole, r)
			for name, values := range whole.Header() {
				if name != "Content-Length" {
					w.Header()[name] = values
				}
			}
			w.WriteHeader(whole.Code)
			w.Write(change(r, whole.Body.Bytes()))
		})
	})
}

// TestReplacedAlerts checks that an alert to which a later one of the feed refers is left out, and
// that nothing else is.
func TestReplacedAlerts(t *testing.T) {
	first := provider.Alert{
		Event: "Gale Watch", Code: "GL.A", Sent: noon.Add(-6 * time.Hour), Onset: noon,
		Expires: noon.Add(9 * time.Hour), Ends: noon.Add(9 * time.Hour),
	}
	update := provider.Alert{
		Event: "Gale Warning", Code: "GL.W", MessageType: "Update", Sent: noon.Add(-2 * time.Hour),
		Onset: noon, Expires: noon.Add(9 * time.Hour), Ends: noon.Add(9 * time.Hour),
		Replaces: []provider.Alert{first},
	}
	cancel := update
	cancel.MessageType = "Cancel"
	other := first
	other.Event, other.Code = "Small Craft Advisory", "SC.Y"
	early := update
	early.Sent = first.Sent.Add(-time.Hour)
	for name, row := range map[string]struct {
		alerts []provider.Alert
		want   string
	}{
		"update":        {[]provider.Alert{first, update, other}, "Gale Warning, Small Craft Advisory"},
		"update first":  {[]provider.Alert{update, first}, "Gale Warning"},
		"cancel":        {[]provider.Alert{first, cancel, other}, "Small Craft Advisory"},
		"earlier":       {[]provider.Alert{first, early}, "Gale Watch, Gale Warning"},
		"no references": {[]provider.Alert{first, other}, "Gale Watch, Small Craft Advisory"},
	} {
		r := simulated(t, nil)
		r.p.SetAlerts("ANZ230", row.alerts...)
		var got []string
		out := get(t, r.Set, "nws_get_marine_forecast", `{"station":"8443970"}`)
		for _, a := range list(t, out, "alerts") {
			got = append(got, fmt.Sprint(follow(a, "event")))
		}
		if strings.Join(got, ", ") != row.want {
			t.Errorf("%s: alerts %q, want %s", name, got, row.want)
		}
	}
}

// TestWindUnits checks that the wind of a grid is the same in each unit that the service may use,
// and missing with its reason in another.
func TestWindUnits(t *testing.T) {
	speed := regexp.MustCompile(`("windSpeed":\s*\{\s*"uom":\s*")wmoUnit:km_h-1`)
	wind := func(unit string) map[string]any {
		r := spoiled(t, func(r *http.Request, body []byte) []byte {
			if strings.HasPrefix(r.URL.Path, "/gridpoints/") && !speed.Match(body) {
				t.Errorf("%s has no wind in km/h: %.300s", r.URL, body)
			}
			return speed.ReplaceAll(body, []byte("${1}"+unit))
		})
		return get(t, r.Set, "nws_get_wind_forecast", `{"station":"8443970","hours":6}`)
	}
	at := func(out map[string]any) float64 {
		v, _ := follow(out, "hours.speeds.2").(float64)
		return v
	}
	base := at(wind("wmoUnit:km_h-1"))
	for unit, factor := range map[string]float64{
		"wmoUnit:m_s-1": 3.6, "unit:m_s-1": 3.6, "wmoUnit:kt": 1.852,
	} {
		if got, want := at(wind(unit)), base*factor; base == 0 || got < want-0.2 || got > want+0.2 {
			t.Errorf("%s: %v kn, want %v", unit, got, want)
		}
	}
	out := wind("wmoUnit:furlong")
	if follow(out, "hours.speeds.2") != nil ||
		!lacks(out, "wind speed", `a unit that is not known here, "furlong"`) {
		t.Errorf("in furlongs: %v, missing %v", follow(out, "hours.speeds.2"), out["missing"])
	}
}

// TestPageOfGrid checks that a web page in place of the grid stops the grid alone.
func TestPageOfGrid(t *testing.T) {
	r := simulated(t, nil)
	r.p.Fail("/gridpoints", provider.Fault{Kind: provider.Page})
	out := get(t, r.Set, "leadline_trip_health",
		`{"stationId":"8443970","activity":"boating","localDate":"2026-11-20","localTime":"15:00"}`)
	d := out["decision"]
	if missing := fmt.Sprint(follow(d, "missingInputs")); missing != "[wind-forecast]" ||
		!strings.Contains(fmt.Sprint(follow(d, "reasons")), "NWS returned a web page instead of data") {
		t.Errorf("missing %s, want the grid alone: %v", missing, follow(d, "reasons"))
	}
}

// TestNotANumber checks that a value NaN is missing in its row alone.
func TestNotANumber(t *testing.T) {
	value := regexp.MustCompile(`("t"\s*:\s*"2026-11-19 05:06"\s*,\s*"v"\s*:\s*)"[0-9.-]+"`)
	r := spoiled(t, func(r *http.Request, body []byte) []byte {
		if r.URL.Query().Get("product") != "water_level" {
			return body
		}
		return value.ReplaceAll(body, []byte(`${1}"NaN"`))
	})
	out := get(t, r.Set, "noaa_get_water_levels",
		`{"station":"8443970","begin_date":"2026-11-19 00:00","end_date":"2026-11-19 02:00"}`)
	heights := list(t, out, "observed.heights")
	if len(heights) < 20 || heights[0] == nil || heights[1] != nil || heights[2] == nil {
		t.Errorf("heights %v, want null at 00:06 alone", heights)
	}
}

// TestSilentSensors checks what is said about values that NOAA does not have: of a sensor that is
// listed, of one that is not, and of levels before there were any.
func TestSilentSensors(t *testing.T) {
	none := []byte(`{"error": "No data was found."}`)
	r := spoiled(t, func(r *http.Request, body []byte) []byte {
		switch product := r.URL.Query().Get("product"); product {
		case "water_level", "water_temperature", "humidity":
			return none
		case "wind":
			return []byte(`{"error": "The moon is too bright."}`)
		}
		return body
	})
	// A new process has not obtained the list of gauges yet.
	_, err := call(t, r.Set, "noaa_get_water_levels", `{"station":"8443970","date":"latest"}`)
	if e, ok := coast.AsError(err); !ok || e.Code != coast.ProductUnavailable ||
		!strings.Contains(e.Message, "no value of it at the moment") {
		t.Errorf("levels without the list of gauges: %v", err)
	}
	r.Config.Overlay.UpdateLists(t.Context())
	for _, row := range []struct{ tool, args, want string }{
		{"noaa_get_meteorological_data", `{"station":"8443970","product":"water_temperature"}`,
			"no value of it at the moment"},
		{"noaa_get_meteorological_data", `{"station":"8443970","product":"humidity"}`,
			"no such sensor"},
		{"noaa_get_meteorological_data", `{"station":"8443970","product":"wind"}`,
			`NOAA says: "The moon is too bright."`},
		{"noaa_get_water_levels", `{"station":"8443970","date":"latest"}`,
			"no value of the water level gauge of 8443970 (Boston) at the moment"},
		{"noaa_get_water_levels",
			`{"station":"8443970","begin_date":"1990-01-01","end_date":"1990-01-02"}`,
			`"interval": "hourly"`},
	} {
		_, err := call(t, r.Set, row.tool, row.args)
		e, ok := coast.AsError(err)
		if !ok || e.Code != coast.ProductUnavailable || !strings.Contains(e.Message, row.want) {
			t.Errorf("%s %s: %v, want %q", row.tool, row.args, err, row.want)
		}
	}
}
