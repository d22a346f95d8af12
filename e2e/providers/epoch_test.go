package providers

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"

	"leadline/e2e/product"
	"leadline/internal/coast"
	"leadline/internal/decide"
	"leadline/internal/simulator/provider"
)

// heights are the parts of results that depend on datums.
type heights struct {
	Datum, DatumEpoch string
	Extremes          []struct{ Height float64 }
	Newest            *struct{ Height float64 }
	WaterLevel        *struct{ Height float64 }
	Predicted         *float64
	Residual          *float64
	Levels            []struct{ Height float64 }
	Sources           []coast.Source
	Missing           []coast.Missing
	Notes             []string
}

// heights requests heights over REST, or over MCP if a tool is named.
func (c call) heights(t *testing.T, base string) (h heights, text string) {
	t.Helper()
	r := c.ask(base)
	if r.err != nil || r.failed {
		t.Fatalf("%s %s: status %d, %v, %.500s", c.tool, c.args, r.status, r.err, r.body)
	}
	if err := json.Unmarshal(r.body, &h); err != nil {
		t.Fatal(err)
	}
	return h, string(r.body)
}

func (h heights) source(id string) coast.Source {
	for _, s := range h.Sources {
		if s.ID == id {
			return s
		}
	}
	return coast.Source{}
}

// TestEpochRevised moves Boston to the epoch 2002-2020 while the server runs. The
// tidal datums rise by 0.06 m above station datum and mean sea level by 0.09 m; the
// water does not change. The test checks predictions, observed levels, residuals,
// epochs and notes over REST and MCP before NOAA's revision, after it but before
// the server has requested it, and when the server has it.
func TestEpochRevised(t *testing.T) {
	t.Parallel()
	const raise, mean, surge = 0.06, 0.09, 0.30 // m
	p, root := product.Simulate(t, product.Noon)
	if err := p.SetWater("8443970", provider.Water{Residual: provider.Steady(surge)}); err != nil {
		t.Fatal(err)
	}
	r := product.Setup{Root: root, Now: product.Noon}.Start(t).Join(t)
	predictions := []call{
		{
			"noaa_get_tide_predictions",
			`{"station":"8443970","units":"metric","begin_date":"2026-11-20","end_date":"2026-11-21"}`,
		},
		{"", "/api/v1/stations/8443970/predictions?units=metric&begin_date=2026-11-20&hours=48"},
	}
	observed := []call{
		{"noaa_get_water_levels", `{"station":"8443970","units":"metric","date":"latest"}`},
		{
			"noaa_get_water_levels",
			`{"station":"8443970","units":"metric","range":6,"datum":"MHHW"}`,
		},
		{
			"noaa_get_water_levels",
			`{"station":"8443970","units":"metric","range":6,"datum":"STND"}`,
		},
		{"", "/api/v1/stations/8443970/water-levels?units=metric&hours=6"},
		{"", "/api/v1/stations/8443970/conditions?units=metric"},
	}
	others := []call{
		{"noaa_get_station_flood_levels", `{"station":"8443970"}`},
		{"noaa_get_station_datums", `{"station":"8443970"}`},
		{
			"noaa_get_water_level_summaries",
			`{"station":"8443970","product":"high_low","begin_date":"2026-10-01","range":48}`,
		},
	}

	// at requests everything and checks what must hold before and after.
	at := func(when, epoch string, residual float64, revised bool) (highs []float64) {
		t.Helper()
		for _, c := range append(append([]call{}, predictions...), append(observed, others...)...) {
			h, text := c.heights(t, r.URL)
			if h.DatumEpoch != epoch {
				t.Errorf("%s: %v: epoch %q, want %q", when, c, h.DatumEpoch, epoch)
			}
			for _, s := range h.Sources {
				if s.DatumEpoch != "" && s.DatumEpoch != epoch {
					t.Errorf(
						"%s: %v: source %s of the epoch %q, want %q",
						when,
						c,
						s.ID,
						s.DatumEpoch,
						epoch,
					)
				}
			}
			noted := strings.Contains(text, "from the epoch 1983-2001 to 2002-2020") &&
				strings.Contains(text, "0.060 m (0.20 ft) higher")
			if noted != revised {
				t.Errorf("%s: %v: the revision is noted: %v, want %v", when, c, noted, revised)
			}
		}
		for _, c := range predictions {
			h, _ := c.heights(t, r.URL)
			if len(h.Extremes) == 0 || h.source("tide-prediction").DatumEpoch != epoch {
				t.Fatalf("%s: %v: %d extremes, source %+v",
					when, c, len(h.Extremes), h.source("tide-prediction"))
			}
			highs = append(highs, h.Extremes[0].Height)
		}
		for _, c := range observed {
			h, _ := c.heights(t, r.URL)
			newest := h.Newest
			if newest == nil {
				newest = h.WaterLevel
			}
			if newest == nil || h.Predicted == nil || h.Residual == nil {
				t.Fatalf("%s: %v: nothing observed: %+v", when, c, h.Missing)
			}
			if math.Abs(*h.Residual-residual) > 0.0011 ||
				math.Abs(newest.Height-*h.Predicted-*h.Residual) > 0.0011 {
				t.Errorf("%s: %v: observed %v, predicted %v, residual %v, want %v",
					when, c, newest.Height, *h.Predicted, *h.Residual, residual)
			}
			if h.source("observed-water-level").DatumEpoch != epoch {
				t.Errorf("%s: %v: source %+v", when, c, h.source("observed-water-level"))
			}
			highs = append(highs, newest.Height)
		}
		status, body, err := send(
			r.URL+"/api/v1/decisions/trip-health",
			product.Soon(decide.CoastalLiving),
		)
		var read struct{ Decision heights }
		if err := cmp.Or(err, json.Unmarshal(body, &read)); err != nil || status != http.StatusOK {
			t.Fatalf("%s: a decision: %d, %v, %.300s", when, status, err, body)
		}
		d := read.Decision
		if d.DatumEpoch != epoch || d.source("tide-prediction").DatumEpoch != epoch ||
			d.source("observed-water-level").DatumEpoch != epoch {
			t.Errorf(
				"%s: the decision has the epoch %q, sources %+v",
				when,
				d.DatumEpoch,
				d.Sources,
			)
		}
		return highs
	}

	before := at("before", "1983-2001", surge, false)
	if err := p.SetEpoch("8443970",
		provider.Epoch{First: 2002, Last: 2020, Raise: raise, Mean: mean}); err != nil {
		t.Fatal(err)
	}
	// NOAA now returns levels above the revised MLLW. With the embedded prediction,
	// they would make the residual 0.06 m too small.
	during := at("during", "1983-2001", surge, false)
	for i := range during {
		if during[i] != before[i] {
			t.Errorf("during: height %d is %v, was %v", i, during[i], before[i])
		}
	}
	sub := call{"noaa_get_tide_predictions", `{"station":"8447436","units":"metric"}`}
	follower, _ := sub.heights(t, r.URL)
	elsewhere, _ := call{"noaa_get_tide_predictions", `{"station":"9447130"}`}.heights(t, r.URL)
	if elsewhere.source("tide-prediction").Freshness != coast.Fresh {
		t.Errorf("before the server knows, the source of Seattle is %+v",
			elsewhere.source("tide-prediction"))
	}

	if err := r.Tools().Overlay.Refresh(t.Context(), "8443970"); err != nil {
		t.Fatal(err)
	}
	after := at("after", "2002-2020", surge-mean, true)
	for i := range predictions {
		if d := after[i] - before[i]; math.Abs(d-(mean-raise)) > 0.0011 {
			t.Errorf("after: a predicted high water is %v m higher, want %v", d, mean-raise)
		}
	}
	// the third is above station datum
	for i, want := range []float64{-raise, -raise, 0, -raise, -raise} {
		if d := after[len(predictions)+i] - before[len(predictions)+i]; math.Abs(d-want) > 0.0011 {
			t.Errorf("after: %v is %v m higher, want %v", observed[i], d, want)
		}
	}

	// Embedded constants are aging, with the reason; a subordinate station of
	// Boston uses the embedded datums until its offsets are renewed too.
	for _, c := range []call{
		{"noaa_get_tide_predictions", `{"station":"9447130"}`},
		{"", "/api/v1/stations/9447130/predictions"}, sub,
	} {
		h, text := c.heights(t, r.URL)
		s := h.source("tide-prediction")
		if s.Freshness != coast.Aging || h.DatumEpoch != "1983-2001" ||
			s.DatumEpoch != "1983-2001" ||
			!strings.Contains(text, "begun to revise datums to the epoch 2002-2020") {
			t.Errorf("after: %v: epoch %q, source %+v, notes %q", c, h.DatumEpoch, s, h.Notes)
		}
	}
	still, _ := sub.heights(t, r.URL)
	if fmt.Sprint(still.Extremes) != fmt.Sprint(follower.Extremes) {
		t.Errorf("after: 8447436 is predicted by %v, was by %v", still.Extremes, follower.Extremes)
	}
	if err := r.Tools().Overlay.Refresh(t.Context(), "8447436"); err != nil {
		t.Fatal(err)
	}
	renewed, text := sub.heights(t, r.URL)
	if renewed.DatumEpoch != "2002-2020" ||
		!strings.Contains(
			text,
			"datums of 8443970 (Boston) from the epoch 1983-2001 to 2002-2020",
		) {
		t.Errorf("renewed: epoch %q, notes %q", renewed.DatumEpoch, renewed.Notes)
	}
	for i := range renewed.Extremes {
		if d := math.Abs(renewed.Extremes[i].Height - still.Extremes[i].Height); d > 1.5*(mean-raise) {
			t.Errorf("renewed: an extreme moves by %v m", d)
		}
	}

	// The text of MCP reports the same.
	answer := callTool(t, r.URL,
		call{"noaa_get_water_levels", `{"station":"8443970","date":"latest"}`}).Content[0].Text
	if !strings.Contains(answer, "MLLW (epoch 2002-2020)") {
		t.Errorf("the text is %.600s", answer)
	}
}

// TestUnpredictedStations checks that REST and MCP report a weak and variable
// station and a retired one as such, without a network.
func TestUnpredictedStations(t *testing.T) {
	t.Parallel()
	r := product.Setup{Root: "http://127.0.0.1:1", Now: product.Noon, Offline: true}.Start(t)
	for _, test := range []struct {
		call
		words []string
	}{
		{
			call{"noaa_get_current_predictions", `{"station":"ACT0261"}`},
			[]string{"weak and variable: NOAA publishes no predictions for it"},
		},
		{
			call{"noaa_get_station_info", `{"station":"ACT0261"}`},
			[]string{"weak and variable: NOAA publishes no predictions for it"},
		},
		{
			call{"", "/api/v1/stations/ACT0261"},
			[]string{`"product_unavailable"`, "weak and variable: NOAA publishes no predictions for it"},
		},
		{
			call{"", "/api/v1/stations/ACT0261/predictions"},
			[]string{`"product_unavailable"`, "weak and variable"},
		},
		{
			call{"noaa_get_tide_predictions", `{"station":"8447584"}`},
			[]string{"is retired", "nearest active station is 8447"},
		},
		{
			call{"", "/api/v1/stations/8447584"},
			[]string{`"station_not_found"`, "is retired", "nearest active station is 8447"},
		},
		{call{"", "/api/v1/stations/8447584/predictions"}, []string{`"station_not_found"`, "is retired"}},
		{call{"", "/api/v1/stations/8447584/water-levels"}, []string{"is retired"}},
		{
			call{"noaa_get_current_predictions", `{"station":"SFB1202","bin":1}`},
			[]string{"Leave bin out", "bin 17"},
		},
	} {
		a := test.ask(r.URL)
		text := string(a.body)
		if test.tool != "" {
			text = callTool(t, r.URL, test.call).Content[0].Text
		}
		if !a.failed {
			t.Errorf("%v is answered: %.300s", test.call, text)
		}
		for _, want := range test.words {
			if !strings.Contains(text, want) {
				t.Errorf("%v: %.500s, want %q in it", test.call, text, want)
			}
		}
	}
	named, _ := call{
		"noaa_get_current_predictions", `{"station":"SFB1202","bin":17}`,
	}.heights(t, r.URL)
	if named.source("current-prediction").ID == "" ||
		!named.source("current-prediction").Available {
		t.Errorf("bin 17 of SFB1202 offline: %+v", named.Sources)
	}
}

// TestFloodLevelWithoutUnit checks that a published flood level that cannot be in
// meters is refused and named in missing, because NOAA does not publish its unit. A
// decision does not use it.
func TestFloodLevelWithoutUnit(t *testing.T) {
	t.Parallel()
	p, root := product.Simulate(t, product.Noon)
	feet := 15.2 // in feet above station datum, although meters are requested
	if err := p.SetWater("8443970",
		provider.Water{Floods: &provider.Floods{NWSMinor: &feet}}); err != nil {
		t.Fatal(err)
	}
	r := product.Setup{Root: root, Now: product.Noon}.Start(t).Join(t)
	for _, c := range []call{
		{"noaa_get_station_flood_levels", `{"station":"8443970"}`},
		{"noaa_get_station_info", `{"station":"8443970","expand":["floodlevels"]}`},
		{"", "/api/v1/stations/8443970"},
	} {
		h, text := c.heights(t, r.URL)
		refused := false
		for _, m := range h.Missing {
			refused = refused || m.Input == "published flood level NWS minor" &&
				strings.Contains(m.Reason, "implausible")
		}
		if !refused || strings.Contains(text, `"authority":"NWS"`) ||
			!strings.Contains(text, `"basis":"derived"`) {
			t.Errorf("%v: missing %+v in %.600s", c, h.Missing, text)
		}
	}
	_, body, err := send(r.URL+"/api/v1/decisions/trip-health", product.Soon(decide.CoastalLiving))
	if err != nil || !strings.Contains(string(body), "Not used: published flood level NWS minor") ||
		strings.Contains(string(body), "(NWS minor)") {
		t.Errorf("a decision: %v, %.900s", err, body)
	}
}
