package providers

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"leadline/e2e/product"
	"leadline/internal/decide"
	"leadline/internal/simulator/provider"
)

// TestFlaggedLevel lets a gauge send one row that NOAA flags: far too high, far too low after a row
// that floods, or with flags in a form that is not known. The value is shown with its flags and is
// nowhere a fact, and the flood of the row before it still counts.
func TestFlaggedLevel(t *testing.T) {
	newest := product.Noon().Add(-6 * time.Minute)
	for name, row := range map[string]struct {
		flags, words  string
		before, spike float64 // residuals, m
		state         decide.State
	}{
		"high":          {"0,1,1,1", "flat, rate of change, limit", 0, 9, decide.Unknown},
		"low":           {"3,0,1,0", "rate of change", 4, -6, decide.ActionNeeded},
		"as predicted":  {"0,1,0,0", "flat", 0, 0, decide.Unknown},
		"longer column": {"0,0,0,0,0", "unknown flag", 0, 9, decide.Unknown},
		"letters":       {"0,0,B,0", "unknown flag", 0, 9, decide.Unknown},
	} {
		t.Run(name, func(t *testing.T) {
			sim, root := product.Simulate(t, product.Noon)
			err := sim.SetWater("8443970", provider.Water{
				Residual: func(at time.Time) float64 {
					if at.Before(newest) {
						return row.before
					}
					return row.spike
				},
				Flags: func(product string, at time.Time) string {
					if product != "water_level" || at.Before(newest) {
						return ""
					}
					return row.flags
				},
				Empty: func(string, time.Time) bool { return false },
			})
			if err != nil {
				t.Fatal(err)
			}
			p := product.Setup{Root: root, Now: product.Noon, Deadline: time.Minute,
				Patience: time.Minute}.Start(t)
			reason := "NOAA flags the newest value (" + row.words + ")"

			latest := observedAt(t, p.URL, `{"station":"8443970","date":"latest"}`)
			if latest.Newest != nil || latest.Observed.Heights[0] == nil ||
				len(latest.Flagged) != 1 || strings.Join(latest.Flagged[0].Flags, ", ") != row.words ||
				!latest.Flagged[0].To.Equal(newest) || latest.why("observed height") == "" {
				t.Errorf("latest: %+v", latest)
			}
			day := observedAt(t, p.URL, `{"station":"8443970","range":3}`)
			if day.Newest == nil || !day.Newest.Time.Equal(newest.Add(-6*time.Minute)) ||
				!strings.HasPrefix(day.why("observed height"), reason) {
				t.Errorf("newest of three hours is %+v, want the row before it; %v", day.Newest, day.Missing)
			}
			text := callTool(t, p.URL, call{"noaa_get_water_levels", `{"station":"8443970","range":3}`})
			if !strings.Contains(text.Content[0].Text, "(flagged: "+row.words+")") {
				t.Errorf("the text does not mark the value: %s", text.Content[0].Text)
			}
			var now struct {
				WaterLevel *struct{}
				Flagged    []struct {
					Quantity string
					Flags    []string
				}
			}
			product.Decode(t, product.OverREST(t, p.URL+"/api/v1/stations/8443970/conditions"), &now)
			if now.WaterLevel != nil || len(now.Flagged) != 1 || now.Flagged[0].Quantity != "water_level" {
				t.Errorf("conditions are %+v", now)
			}
			page := product.OverREST(t, p.URL+"/stations/8443970")
			if !strings.Contains(page, "flagged by NOAA: "+row.words) {
				t.Errorf("the page does not show the flags")
			}

			d := ask(p.URL, product.Soon(decide.CoastalLiving))
			if d.err != nil || d.State != row.state || d.Confidence == decide.High ||
				!slices.Contains(d.MissingInputs, decide.ObservedLevel) {
				t.Errorf("%v: %s with %s confidence, missing %q, want %s with less than high and the gauge "+
					"missing", d.err, d.State, d.Confidence, d.MissingInputs, row.state)
			}
			for _, r := range d.Reasons {
				if r.Code == "flooding_observed" && row.before == 0 {
					t.Errorf("the flagged level is a reason: %s", r.Message)
				}
			}
			if !strings.Contains(string(jsonOf(t, d.Decision)), row.words) {
				t.Errorf("the decision does not name the flags: %+v", d.Reasons)
			}
		})
	}
}

// TestFlaggedReadings flags the newest row of every other product that has a column of flags.
func TestFlaggedReadings(t *testing.T) {
	newest := product.Noon().Add(-6 * time.Minute)
	flags := map[string]string{"wind": "1,0", "air_gap": "0,0,0,1", "salinity": ""}
	sim, root := product.Simulate(t, product.Noon)
	for _, station := range []string{"8443970", "8517986", "8638610", "9414290"} {
		err := sim.SetWater(station, provider.Water{
			Flags: func(product string, at time.Time) string {
				if own, known := flags[product]; known && !at.Before(newest) {
					return own
				}
				if at.Before(newest) || product == "water_level" {
					return ""
				}
				return "0,0,1"
			},
			Empty: func(string, time.Time) bool { return false },
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	p := product.Setup{Root: root, Now: product.Noon, Deadline: time.Minute,
		Patience: time.Minute}.Start(t)
	for quantity, row := range map[string]struct{ station, product, flag string }{
		"wind_speed":        {"8443970", "wind", "maximum"},
		"wind_direction":    {"8443970", "wind", "maximum"},
		"wind_gust":         {"8443970", "wind", "maximum"},
		"air_temperature":   {"8443970", "air_temperature", "rate of change"},
		"water_temperature": {"8443970", "water_temperature", "rate of change"},
		"air_pressure":      {"8443970", "air_pressure", "rate of change"},
		"conductivity":      {"8443970", "conductivity", "rate of change"},
		"air_gap":           {"8517986", "air_gap", "limit"},
		"visibility":        {"8638610", "visibility", "rate of change"},
		"humidity":          {"9414290", "humidity", "rate of change"},
	} {
		args := `{"station":"` + row.station + `","product":"` + row.product + `","range":2}`
		text := callTool(t, p.URL, call{"noaa_get_meteorological_data", args})
		var got struct {
			Newest, Flagged []struct {
				Quantity string
				Time     time.Time
				Flags    []string
			}
			Missing []missingInput
		}
		product.Decode(t, string(text.StructuredContent), &got)
		if len(got.Newest) == 0 {
			t.Errorf("%s: no newest value", quantity)
		}
		for _, m := range got.Newest {
			if !m.Time.Before(newest) {
				t.Errorf("%s: the flagged value of %v is the newest", m.Quantity, m.Time)
			}
		}
		found := false
		for _, f := range got.Flagged {
			found = found || f.Quantity == quantity && f.Time.Equal(newest) &&
				strings.Join(f.Flags, ", ") == row.flag
		}
		named := strings.Contains(text.Content[0].Text, "(flagged: "+row.flag+")")
		if !found || !named || len(got.Missing) == 0 {
			t.Errorf("%s: flagged %+v, missing %v, in the text: %v", quantity, got.Flagged, got.Missing,
				named)
		}
	}
	d := ask(p.URL, product.Soon(decide.SurfPaddle))
	if d.err != nil || !slices.Contains(d.MissingInputs, decide.WaterTemperature) ||
		d.Confidence == decide.High {
		t.Errorf("%v: %s confidence, missing %q, want the water temperature", d.err, d.Confidence,
			d.MissingInputs)
	}
}

// missingInput is an entry of missing.
type missingInput struct{ Input, Reason string }

// observedLevels is the part of water levels that these tests read.
type observedLevels struct {
	Newest *struct {
		Time   time.Time
		Height float64
	}
	Flagged []struct {
		Flags    []string
		From, To time.Time
	}
	Observed struct{ Heights []*float64 }
	Missing  []missingInput
}

// why returns why an input is missing.
func (l observedLevels) why(input string) string {
	for _, m := range l.Missing {
		if m.Input == input {
			return m.Reason
		}
	}
	return ""
}

func observedAt(t *testing.T, base, args string) (l observedLevels) {
	t.Helper()
	got := callTool(t, base, call{"noaa_get_water_levels", args})
	product.Decode(t, string(got.StructuredContent), &l)
	return l
}

func jsonOf(t *testing.T, v any) []byte {
	t.Helper()
	body, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return body
}
