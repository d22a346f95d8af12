package providers

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"leadline/e2e/product"
	"leadline/internal/simulator/provider"
)

// boundedAnswer returns both forms of a call at /mcp, and the times of its windows.
func boundedAnswer(
	t *testing.T, base, tool, args string,
) (text, structured string, times []string) {
	t.Helper()
	var got struct {
		Result struct {
			IsError           bool
			Content           []struct{ Text string }
			StructuredContent json.RawMessage
		}
	}
	product.Decode(t, product.PostTo(t, base+"/mcp", product.CallOf(tool, args)), &got)
	if got.Result.IsError || len(got.Result.Content) != 1 {
		t.Fatalf("%s %s: %+v", tool, args, got.Result)
	}
	var rows struct {
		Windows []struct{ From, To time.Time }
	}
	product.Decode(t, product.OverMCP(t, base, tool, args), &rows)
	for _, w := range rows.Windows {
		times = append(times, w.From.UTC().Format("2 15:04-")+w.To.UTC().Format("15:04"))
	}
	return got.Result.Content[0].Text, string(got.Result.StructuredContent), times
}

// TestWindowsWithinWeather asks for windows within bounds of the weather over MCP, with forecasts
// of a simulated office for Boston and for Deception Pass: 8 kn and gusts of 12 kn but for the
// hours of each case. The windows without bounds are those of leadline predict; all else follows
// from them and from the hours by hand. Local time is UTC less 5 h in Boston, and less 8 h at the
// pass.
func TestWindowsWithinWeather(t *testing.T) {
	h := newTheater(t)
	const tide, current = "noaa_get_tide_predictions", "noaa_get_current_predictions"
	const boston = `{"station":"8443970","below":1.5,"light":"daylight","begin_date":"2026-11-21",` +
		`"end_date":"2026-11-22"`
	hour := func(day, hour int) time.Time { return time.Date(2026, 11, day, hour, 0, 0, 0, time.UTC) }
	set := func(change func(*provider.Hour)) {
		t.Helper()
		h.played.Add(1)
		for place, zone := range map[string]string{
			"42.3548,-71.0534": "ANZ230", "48.4062,-122.6430": "PZZ133",
		} {
			err := h.simulator.SetGrid(place, provider.Grid{Hour: func(h provider.Hour) provider.Hour {
				h.Wind, h.Gust, h.Weather = new(8.0), new(12.0), []provider.Condition{}
				change(&h)
				return h
			}})
			if err != nil {
				t.Fatal(err)
			}
			err = h.simulator.SetText(zone, provider.Text{Passage: func(
				p provider.Passage,
			) provider.Passage {
				p.Wind, p.Seas, p.Gust, p.Weather = [2]int{5, 10}, [2]int{1, 2}, 0, ""
				return p
			}})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	whole := []string{"21 17:57-20:26", "22 18:30-21:16"}
	for _, c := range []struct {
		name, tool, args string
		change           func(*provider.Hour)
		want             []string
		says             []string // in both forms
	}{
		{"without bounds", tide, boston + `}`, func(*provider.Hour) {}, whole, nil},
		{"all within", tide, boston + `,"max_wind":12,"max_gust":15,"max_seas":3,"dry":true}`,
			func(*provider.Hour) {}, whole,
			[]string{"wind up to 12 kn, gusts up to 15 kn, seas up to 3 ft, no rain or snow: 2 windows"}},
		{"wind in an hour", tide, boston + `,"max_wind":12}`, func(h *provider.Hour) {
			if h.At.Equal(hour(21, 19)) {
				h.Wind = new(14.0)
			}
		}, []string{"21 17:57-19:00", "21 20:00-20:26", whole[1]},
			[]string{"Cut by the forecast: wind over 12 kn in 1 h (Sat 21 Nov 14:00 to 15:00)."}},
		{"rain and a hole", tide, boston + `,"dry":true,"max_gust":15}`, func(h *provider.Hour) {
			switch {
			case h.At.Before(hour(22, 0)):
				h.Weather = []provider.Condition{{Coverage: "slight_chance", Weather: "rain_showers"}}
			case h.At.Equal(hour(22, 19)):
				h.Gust = nil
			}
		}, []string{"22 18:30-19:00", "22 20:00-21:16"},
			[]string{"rain or snow in 4 h (Sat 21 Nov 12:00 to 16:00); " +
				"not known in 1 h (Sun 22 Nov 14:00 to 15:00)."}},
		{"beyond the forecast", tide, `{"station":"8443970","below":1,"begin_date":"2026-11-27",` +
			`"end_date":"2026-11-28","max_wind":12}`, func(*provider.Hour) {}, nil,
			[]string{"No windows yet: the weather of 4 windows is not known yet.",
				"Weather not known yet after "}},
		{"currents", current, `{"station":"PUG1701","at_most":2,"range":12,"max_wind":12}`,
			func(h *provider.Hour) {
				if h.At.Before(hour(21, 2)) {
					h.Wind = new(14.0)
				}
			}, []string{"21 02:00-03:13"}, []string{
				"Cut by the forecast: wind over 12 kn in 4 h (Fri 20 Nov " +
					"10:00 to 13:00, Fri 20 Nov 17:00 to 18:00)."}},
	} {
		set(c.change)
		text, structured, got := boundedAnswer(t, h.product.URL, c.tool, c.args)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: windows %q, want %q\n%s", c.name, got, c.want, text)
		}
		for _, says := range c.says {
			if !strings.Contains(text, says) || !strings.Contains(structured, says) {
				t.Errorf("%s: a form lacks %q\n%s\n%s", c.name, says, text, structured)
			}
		}
	}
	h.played.Add(1)
	h.simulator.Fail(provider.Weather, provider.Fault{Kind: provider.Refuse})
	for tool, args := range map[string]string{
		tide:    boston + `,"max_wind":12}`,
		current: `{"station":"PUG1701","at_most":1,"range":12,"dry":true}`,
	} {
		text, structured, got := boundedAnswer(t, h.product.URL, tool, args)
		for _, form := range []string{text, structured} {
			if len(got) > 0 || !strings.Contains(form, "Cannot tell: the weather of ") ||
				!strings.Contains(form, "wind-forecast (") {
				t.Errorf("with the weather service down, %s: %q\n%s", tool, got, form)
			}
		}
	}
}
