package tools

import (
	"bytes"
	"image/png"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"leadline/internal/coast"
	"leadline/internal/operation"
)

// pictured are calls of the four tools that have pictures.
var pictured = []struct{ tool, args, line string }{
	{"noaa_get_tide_predictions", `{"station":"8443970"`, "Predicted heights, "},
	{"noaa_get_tide_predictions", `{"station":"8443970","interval":"60"`, "Predicted heights, "},
	{"noaa_get_tide_predictions", `{"station":"8443970","type":"high"`, "Predicted heights, "},
	{"noaa_get_water_levels", `{"station":"8443970","units":"metric"`, "Observed levels, "},
	{"noaa_get_current_predictions", `{"station":"ACT0091"`, "Predicted velocities, "},
	{"noaa_get_current_predictions", `{"station":"ACT0091","interval":"h"`, "Predicted velocities, "},
	{"nws_get_wind_forecast", `{"station":"8443970"`, "Forecast wind speed, "},
}

// TestPictures checks the size of pictures, the line of text that goes with each, and that the
// structured result is the same with and without a picture.
func TestPictures(t *testing.T) {
	r := simulated(t, nil)
	for _, c := range pictured {
		plain, err := call(t, r.Set, c.tool, c.args+"}")
		if err != nil {
			t.Fatalf("%s %s: %v", c.tool, c.args, err)
		}
		with, err := call(t, r.Set, c.tool, c.args+`,"chart":true}`)
		if err != nil {
			t.Fatalf("%s %s: %v", c.tool, c.args, err)
		}
		if plain.Image != nil {
			t.Errorf("%s %s: has a picture that nobody requested", c.tool, c.args)
		}
		if got, want := structured(t, with), structured(t, plain); got != want {
			t.Errorf("%s %s: with a picture the result is %s, want %s", c.tool, c.args, got, want)
		}
		img, err := png.Decode(bytes.NewReader(with.Image))
		if err != nil {
			t.Errorf("%s %s: %v", c.tool, c.args, err)
			continue
		}
		if size := img.Bounds().Size(); size.X != 800 || size.Y != 400 {
			t.Errorf("%s %s: picture of %v, want 800 by 400", c.tool, c.args, size)
		}
		if len(with.Image) > 25_000 {
			t.Errorf("%s %s: picture of %d bytes, want at most 25000", c.tool, c.args, len(with.Image))
		}
		text, _, err := with.Forms(1 << 20)
		if err != nil || !strings.Contains(string(text), "\n"+c.line) ||
			!strings.ContainsAny(string(text), "▁▂▃▄▅▆▇█") {
			t.Errorf("%s %s: %v\n%s\nwant a line %s", c.tool, c.args, err, text, c.line)
		}
		if folder := os.Getenv("LEADLINE_PICTURES"); folder != "" {
			name := filepath.Join(folder, strings.NewReplacer(`"`, "", "{", "", ":", "_").Replace(
				c.tool+c.args)+".png")
			if err := os.WriteFile(name, with.Image, 0o644); err != nil {
				t.Error(err)
			}
		}
	}
}

// structured returns the structured result without the times at which this server obtained the
// facts.
func structured(t *testing.T, r operation.Result) string {
	t.Helper()
	body, err := r.Structured()
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// TestPictureRefused checks the requests for which there is no picture.
func TestPictureRefused(t *testing.T) {
	r := simulated(t, nil)
	for _, c := range []struct {
		tool, args string
		code       coast.Code
	}{
		{"noaa_get_tide_predictions", `"station":"8443970","range":192`, coast.RangeTooLong},
		{"noaa_get_tide_predictions", `"station":"8443970","below":0`, coast.InvalidRequest},
		{"noaa_get_tide_predictions", `"station":"8443970","type":"high","top":3`, coast.InvalidRequest},
		{"noaa_get_water_levels", `"station":"8443970","range":192`, coast.RangeTooLong},
		{"noaa_get_current_predictions", `"station":"ACT0091","range":192`, coast.RangeTooLong},
		{"noaa_get_current_predictions", `"station":"ACT0091","at_most":0.5`, coast.InvalidRequest},
		{"noaa_get_current_predictions", `"station":"ACT0091","chart":"maybe"`, coast.InvalidRequest},
		{"noaa_get_currents", `"station":"cb0102"`, coast.InvalidRequest}, // has no pictures
	} {
		_, err := call(t, r.Set, c.tool, `{`+c.args+`,"chart":true}`)
		e, known := coast.AsError(err)
		if err == nil || !known || e.Code != c.code {
			t.Errorf("%s %s: %v, want %s", c.tool, c.args, err, c.code)
			continue
		}
		if len(e.Issues) == 0 || e.Issues[0].Path != "chart" {
			t.Errorf("%s %s: issues %v, want one of chart", c.tool, c.args, e.Issues)
		}
	}
}

// TestNoPicture checks that a result without a picture is complete and gives the reason.
func TestNoPicture(t *testing.T) {
	r := simulated(t, func(p http.Handler) http.Handler { return p })
	for _, c := range []struct{ tool, args, reason string }{
		{"noaa_get_water_levels", `"station":"9063020"`, "No picture: "}, // the Great Lakes have no tide
		{"noaa_get_tide_predictions", `"station":"8443970","range":1,"begin_date":"2026-11-20 12:00"`, ""},
		{"nws_get_wind_forecast", `"station":"8443970","hours":1`, "No picture: "},
	} {
		got, err := call(t, r.Set, c.tool, `{`+c.args+`,"chart":true}`)
		if err != nil {
			t.Errorf("%s %s: %v", c.tool, c.args, err)
			continue
		}
		text, _, err := got.Forms(1 << 20)
		if err != nil || (got.Image == nil) != (c.reason != "") ||
			!strings.Contains(string(text), c.reason) {
			t.Errorf("%s %s: %d bytes of picture, %v\n%s\nwant %q", c.tool, c.args, len(got.Image), err,
				text, c.reason)
		}
	}
}
