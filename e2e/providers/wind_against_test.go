package providers

import (
	"encoding/csv"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"leadline/e2e/product"
	"leadline/internal/coast"
	"leadline/internal/currents"
	"leadline/internal/simulator/provider"
)

// TestWindAgainstCurrentWindows checks the wind in the windows of Deception Pass, over REST and in
// their table, with forecasts of a simulated office. NOAA gives the ebb there 282 degrees and the
// flood 102. The rule asks for watch from 10 kn of wind and 1 kn of current that oppose each other
// within 60 degrees, and for action from 15 and 2 kn, or from 3 kn of current.
func TestWindAgainstCurrentWindows(t *testing.T) {
	h := newTheater(t)
	p := h.product
	const place, zone = "48.4062,-122.6430", "PZZ133" // of PUG1701
	const route = "/api/planning/current-windows"
	span := "station=PUG1701&wind=true&limit=400&range=48&time_zone=gmt"
	for _, test := range []struct {
		name       string
		wind, from float64 // of the grid
		text       int     // wind of the coastal waters text
		query      string
		ebb, flood currents.Opposition // the worst level in windows of a phase
	}{
		{"against the ebb", 18, 282, 5, "at_least=2", "action", "none"},
		{"within 60 degrees", 18, 282 - 55, 5, "at_least=2", "action", "none"},
		{"beyond 60 degrees", 18, 282 + 65, 5, "at_least=2", "none", "none"},
		{"against the flood", 18, 102, 5, "at_least=2", "none", "action"},
		{"10 kn, fast current", 10.5, 282, 5, "at_least=3.2", "action", "none"},
		{"10 kn, slow current", 10.5, 282, 5, "at_most=2.8&phase=ebb", "watch", "none"},
		{"10 kn, slack", 10.5, 282, 5, "at_most=0.8", "none", "none"},
		{"less than 10 kn", 9.5, 282, 5, "at_least=3.2", "none", "none"},
		{"stronger in the text", 4, 282, 18, "at_least=2", "action", "none"},
		{"less than 10 kn in the text", 4, 282, 9, "at_least=3.2", "none", "none"},
	} {
		h.played.Add(1)
		if err := h.simulator.SetGrid(place, provider.Grid{Hour: func(h provider.Hour) provider.Hour {
			h.Wind, h.From = &test.wind, &test.from
			return h
		}}); err != nil {
			t.Fatal(err)
		}
		if err := h.simulator.SetText(zone, provider.Text{Passage: func(
			p provider.Passage,
		) provider.Passage {
			p.Wind = [2]int{test.text - 5, test.text}
			return p
		}}); err != nil {
			t.Fatal(err)
		}
		strongest, origin := test.wind, currents.WindOrigin("grid")
		if text := float64(test.text); text > strongest {
			strongest, origin = text, "text"
		}
		var out currents.CurrentWindows
		product.Decode(t, product.OverREST(t, p.URL+route+"?"+span+"&"+test.query), &out)
		if len(out.Windows) < 3 || slices.ContainsFunc(out.Missing, func(m coast.Missing) bool {
			return strings.HasPrefix(m.Input, "windAgainst")
		}) {
			t.Errorf("%s: %d windows, missing %v", test.name, len(out.Windows), out.Missing)
		}
		source := slices.ContainsFunc(out.Sources, func(s coast.Source) bool {
			return s.Provider == coast.NWS && s.Available
		})
		if !source {
			t.Errorf("%s: sources %v lack the weather service", test.name, out.Sources)
		}
		for _, w := range out.Windows {
			checkWind(t, test.name, w, test.ebb, test.flood, strongest, test.from)
			if a := w.WindAgainst; a.Level != "none" && a.WindOf != origin {
				t.Errorf("%s: the wind is of the %s, want %s", test.name, a.WindOf, origin)
			}
		}
		rows, err := csv.NewReader(strings.NewReader(
			product.OverREST(t, p.URL+route+".csv?"+span+"&"+test.query))).ReadAll()
		if err != nil || len(rows) != len(out.Windows)+1 {
			t.Fatalf("%s: %d rows, %v", test.name, len(rows), err)
		}
		column := slices.Index(rows[0], "wind_against")
		for i, w := range out.Windows {
			if got := rows[i+1][column]; got != string(w.WindAgainst.Level) {
				t.Errorf("%s: row %d has %q, want %s", test.name, i, got, w.WindAgainst.Level)
			}
		}
	}
}

// checkWind checks the wind of a window.
func checkWind(
	t *testing.T, name string, w currents.CurrentWindow, ebb, flood currents.Opposition,
	wind, from float64,
) {
	t.Helper()
	a := w.WindAgainst
	if a == nil {
		t.Fatalf("%s: the window from %v has no wind", name, w.From)
	}
	phase, want := "slack", currents.Opposition("none")
	if w.Peak != nil && w.Peak.Direction != nil && math.Abs(*w.Peak.Direction-282) < 2 {
		phase, want = "ebb", ebb
	} else if w.Peak != nil {
		phase, want = "flood", flood
	}
	if w.Kind == "slack" && ebb == "watch" {
		want = "watch"
	}
	if a.Level != want {
		t.Errorf("%s: %s from %v: %s, want %s", name, phase, w.From, a.Level, want)
	}
	if a.Level == "none" {
		if a.Wind != nil || a.From != nil || a.Current != nil || a.Toward != nil {
			t.Errorf("%s: none with %+v", name, a)
		}
		return
	}
	if math.Abs(*a.Wind-wind) > 0.1 || math.Abs(*a.From-from) > 0.5 {
		t.Errorf("%s: wind of %v kn from %v, want %v from %v", name, *a.Wind, *a.From, wind, from)
	}
	if w.Peak != nil && (*a.Toward != *w.Peak.Direction || *a.Current > w.Peak.Speed+1e-9 ||
		*a.Current < 0.9*w.Peak.Speed) {
		t.Errorf("%s: current of %v kn toward %v, want the peak %+v", name, *a.Current, *a.Toward, w.Peak)
	}
}

// TestWindAgainstUnknown checks that windows in hours without a forecast wind, and after the end of
// the forecast, are missing and not calm.
func TestWindAgainstUnknown(t *testing.T) {
	simulator, root := product.Simulate(t, product.Noon)
	wind, from := 18.0, 282.0
	begin := product.Noon().Truncate(time.Hour)
	if err := simulator.SetGrid("48.4062,-122.6430", provider.Grid{
		Updated: begin, Until: begin.Add(72 * time.Hour),
		Hour: func(h provider.Hour) provider.Hour {
			h.Wind, h.From = &wind, &from
			if d := h.At.Sub(begin); d >= 24*time.Hour && d < 48*time.Hour {
				h.Wind = nil
			}
			return h
		}}); err != nil {
		t.Fatal(err)
	}
	p := product.Setup{Root: root, Now: product.Noon, Base: "http://tides.example.org",
		Deadline: longFetch}.Start(t)
	const query = "station=PUG1701&at_least=2&wind=true&limit=400&range=120&time_zone=gmt"
	var out currents.CurrentWindows
	product.Decode(t, product.OverREST(t, p.URL+"/api/planning/current-windows?"+query), &out)
	unknown := 0
	for _, w := range out.Windows {
		first, last := w.From.Sub(begin).Hours(), w.To.Sub(begin).Hours()
		known := last < 24 || first >= 48 && last < 72
		if known != (w.WindAgainst != nil) {
			t.Errorf("window %v to %v: wind %+v, want it known %v", w.From, w.To, w.WindAgainst, known)
		}
		if !known {
			unknown++
		}
	}
	if unknown < 5 || unknown > len(out.Windows)-5 {
		t.Errorf("%d of %d windows have no known wind", unknown, len(out.Windows))
	}
	missing := func(m coast.Missing) bool {
		return strings.HasPrefix(m.Input, "windAgainst of ") &&
			strings.Contains(m.Reason, "does not mean that the wind is calm")
	}
	if !slices.ContainsFunc(out.Missing, missing) {
		t.Errorf("missing = %v, want windAgainst", out.Missing)
	}
	table := product.OverREST(t, p.URL+"/api/planning/current-windows.csv?"+query)
	if !strings.Contains(table, "does not mean that the wind is calm") {
		t.Errorf("the table does not say what is missing: %.600s", table)
	}
}

// TestWindAgainstWithoutText checks that a light wind of the grid is not "none" where the text,
// which may have more, is missing or not read. What no wind from there could oppose is none.
func TestWindAgainstWithoutText(t *testing.T) {
	const query = "station=PUG1701&at_least=2&wind=true&limit=400&range=48&time_zone=gmt"
	for name, text := range map[string]provider.Text{
		"missing": {Missing: true},
		"unread": {Passage: func(p provider.Passage) provider.Passage {
			p.Text = "Winds 40+ kt."
			return p
		}},
		"unbounded": {Passage: func(p provider.Passage) provider.Passage {
			p.Text = "W winds 5 kt or more."
			return p
		}},
	} {
		simulator, root := product.Simulate(t, product.Noon)
		wind, from := 4.0, 282.0
		if err := errors.Join(simulator.SetText("PZZ133", text),
			simulator.SetGrid("48.4062,-122.6430", provider.Grid{
				Hour: func(h provider.Hour) provider.Hour {
					h.Wind, h.From = &wind, &from
					return h
				}})); err != nil {
			t.Fatal(err)
		}
		p := product.Setup{Root: root, Now: product.Noon, Base: "http://tides.example.org",
			Deadline: longFetch}.Start(t)
		var out currents.CurrentWindows
		product.Decode(t, product.OverREST(t, p.URL+"/api/planning/current-windows?"+query), &out)
		unknown := 0
		for _, w := range out.Windows {
			ebb := math.Abs(*w.Peak.Direction-282) < 2
			if ebb != (w.WindAgainst == nil) {
				t.Errorf("%s: ebb %t, %v to %v: wind %+v", name, ebb, w.From, w.To, w.WindAgainst)
			}
			if ebb {
				unknown++
			}
		}
		if unknown == 0 || unknown == len(out.Windows) {
			t.Errorf("%s: %d of %d windows ebb", name, unknown, len(out.Windows))
		}
	}
}
