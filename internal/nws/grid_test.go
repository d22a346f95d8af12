package nws

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Some recordings have tokens in place of times: "date:now -4056 seconds", "date:now:hour 3
// hours", before or after the time of the recording. All other content is real. The first token
// shows the minute of that time, so absolute can replace the tokens by times.
var tokens = regexp.MustCompile(`date:now(:hour)? ?([-+]?\d+) (?:second|hour)s(?: /)? ?`)

func absolute(body string) string {
	first := regexp.MustCompile(`"validTimes": *"date:now -(\d+) seconds`).FindStringSubmatch(body)
	if first == nil {
		return body
	}
	into, _ := strconv.Atoi(first[1])
	hour := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	now := hour.Add(time.Duration(into%3600) * time.Second)
	return tokens.ReplaceAllStringFunc(body, func(token string) string {
		m := tokens.FindStringSubmatch(token)
		n, _ := strconv.Atoi(m[2])
		at := now.Add(time.Duration(n) * time.Second)
		if m[1] != "" {
			at = hour.Add(time.Duration(n) * time.Hour)
		}
		tail := ""
		if strings.Contains(token, "/") {
			tail = "/"
		}
		return at.Format("2006-01-02T15:04:05+00:00") + tail
	})
}

func recordedGrids(t testing.TB) map[string]string {
	t.Helper()
	cell := regexp.MustCompile(`/[A-Z]{3}/[0-9]+,[0-9]+\.json$|/detailed_forecast\.json$`)
	grids := recorded(t, ".", cell.MatchString)
	for name, body := range grids {
		grids[name] = absolute(body)
	}
	if len(grids) != 5 {
		t.Fatalf("%d recorded grids, want 5", len(grids))
	}
	return grids
}

// TestRecordedGrids compares every value of every layer with the file.
func TestRecordedGrids(t *testing.T) {
	for name, body := range recordedGrids(t) {
		t.Run(name, func(t *testing.T) {
			g, err := readGrid(response(body))
			if err != nil {
				t.Fatal(err)
			}
			properties := dig(raw(t, body), "properties").(map[string]any)
			if want := text(properties, "updateTime"); !sameTime(g.Updated, want) {
				t.Errorf("updated %v, want %v", g.Updated, want)
			}
			compareInterval(t, "grid", g.From, g.To, text(properties, "validTimes"))
			layers, values := 0, 0
			for layer, property := range properties {
				list, ok := dig(property, "values").([]any)
				if !ok || layer == "weather" || layer == "hazards" {
					if _, wrong := g.Layers[layer]; wrong {
						t.Errorf("%s is not a layer", layer)
					}
					continue
				}
				layers++
				values += compareLayer(t, layer, g.Layers[layer], text(property, "uom"), list)
			}
			if len(g.Layers) != layers || layers < 50 || values < 900 {
				t.Errorf("%d layers with %d values, want %d layers", len(g.Layers), values, layers)
			}
			compareWeather(t, g, dig(properties, "weather", "values").([]any))
			if !g.Layers["waveHeight"].Zero() || g.Layers["windSpeed"].Zero() {
				t.Errorf("waves and wind: zero is %v and %v, want true and false: all recorded cells are land",
					g.Layers["waveHeight"].Zero(), g.Layers["windSpeed"].Zero())
			}
		})
	}
}

func sameTime(got time.Time, want string) bool {
	t, err := time.Parse(time.RFC3339, want)
	return err == nil && got.Equal(t) && got.Location() == time.UTC
}

// plainDuration parses a duration with other code than the package.
func plainDuration(text string) time.Duration {
	m := regexp.MustCompile(`^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?)?$`).FindStringSubmatch(text)
	n := func(s string) time.Duration { i, _ := strconv.Atoi(s); return time.Duration(i) }
	return n(m[1])*24*time.Hour + n(m[2])*time.Hour + n(m[3])*time.Minute
}

func compareInterval(t *testing.T, name string, from, to time.Time, want string) {
	t.Helper()
	start, length, _ := strings.Cut(want, "/")
	if !sameTime(from, start) || to.Sub(from) != plainDuration(length) {
		t.Errorf("%s: %v to %v, want %s", name, from, to, want)
	}
}

func compareLayer(t *testing.T, name string, got Layer, uom string, want []any) int {
	t.Helper()
	if _, base, _ := strings.Cut(uom, ":"); got.Unit != base {
		t.Errorf("%s: unit %q, want %q", name, got.Unit, uom)
	}
	if len(got.Spans) != len(want) {
		t.Errorf("%s: %d spans, want %d", name, len(got.Spans), len(want))
		return 0
	}
	for i, s := range got.Spans {
		compareInterval(t, name, s.From, s.To, text(want[i], "validTime"))
		value, number := dig(want[i], "value").(float64)
		if (s.Value != nil) != number || number && *s.Value != value {
			t.Errorf("%s: value %d is %v, want %v", name, i, s.Value, value)
		}
		if i+1 < len(got.Spans) && got.Spans[i+1].From.Before(s.To) {
			continue // tokens were rounded: the real service's spans do not overlap
		}
		for _, at := range []time.Time{s.From, s.To.Add(-time.Second)} {
			if v := got.At(at); v != s.Value {
				t.Errorf("%s: At(%v) is not the value of its span", name, at)
			}
		}
	}
	return len(want)
}

func compareWeather(t *testing.T, g Grid, want []any) {
	t.Helper()
	if len(g.Weather) != len(want) {
		t.Fatalf("%d spans of weather, want %d", len(g.Weather), len(want))
	}
	for i, s := range g.Weather {
		compareInterval(t, "weather", s.From, s.To, text(want[i], "validTime"))
		var lines, rows []string
		for _, c := range s.Conditions {
			lines = append(lines, fmt.Sprint(c.Coverage, c.Weather, c.Intensity))
		}
		for _, v := range dig(want[i], "value").([]any) {
			if text(v, "weather") != "" {
				rows = append(rows,
					fmt.Sprint(text(v, "coverage"), text(v, "weather"), text(v, "intensity")))
			}
		}
		if !slices.Equal(lines, rows) {
			t.Errorf("weather from %v: %q, want %q", s.From, lines, rows)
		}
		if at := g.WeatherAt(s.From); len(at) != len(s.Conditions) {
			t.Errorf("WeatherAt(%v) = %v, want %v", s.From, at, s.Conditions)
		}
	}
}

func TestGrid(t *testing.T) {
	g, err := readGrid(response(fixture(t, "grid.json")))
	if err != nil {
		t.Fatal(err)
	}
	at := func(text string) time.Time { t, _ := time.Parse(time.RFC3339, text); return t }
	for _, row := range []struct{ layer, time, want string }{
		{"windSpeed", "2026-11-20T05:59:59Z", "none"},
		{"windSpeed", "2026-11-20T06:00:00Z", "18.52"},
		{"windSpeed", "2026-11-20T08:59:59Z", "18.52"},
		{"windSpeed", "2026-11-20T09:00:00Z", "22.224"},
		{"windSpeed", "2026-11-20T11:00:00Z", "none"}, // a gap
		{"windSpeed", "2026-11-20T12:30:00Z", "none"}, // null
		{"windSpeed", "2026-11-21T19:00:00Z", "none"}, // after the end
		{"windGust", "2026-11-20T06:00:00Z", "none"},  // a layer without values
		{"moonlight", "2026-11-20T06:00:00Z", "none"}, // none at all
		{"waveHeight", "2026-11-27T11:00:00Z", "1.2192"},
		{"visibility", "2026-11-20T06:29:00-00:00", "9260"}, // out of order in the file
		{"visibility", "2026-11-20T06:30:00-00:00", "1852"},
	} {
		got := "none"
		if v := g.Layers[row.layer].At(at(row.time)); v != nil {
			got = fmt.Sprint(*v)
		}
		if got != row.want {
			t.Errorf("%s at %s is %s, want %s", row.layer, row.time, got, row.want)
		}
	}
	for name, want := range map[string]bool{"windSpeed": false, "windGust": true, "waveHeight": false,
		"wavePeriod": true, "swellOfWords": true} {
		if got := g.Layers[name].Zero(); got != want {
			t.Errorf("Zero of %s = %v, want %v", name, got, want)
		}
	}
	if _, ok := g.Layers["swellOfWords"]; ok {
		t.Error("a series of words is read as a layer")
	}
	if got := g.Layers["wavePeriod"].Unit; got != "s" {
		t.Errorf("unit of wavePeriod %q, want s", got)
	}
	got := g.WeatherAt(at("2026-11-20T07:00:00Z"))
	if len(got) != 2 || got[1].Weather != "thunderstorms" {
		t.Errorf("weather %+v", got)
	}
	for _, quiet := range []string{"2026-11-20T05:00:00Z", "2026-11-20T10:00:00Z",
		"2026-12-20T10:00:00Z"} {
		if got := g.WeatherAt(at(quiet)); len(got) != 0 {
			t.Errorf("weather at %s: %+v, want none", quiet, got)
		}
	}
}

func TestGridForms(t *testing.T) {
	const head = `"updateTime":"2026-11-20T05:11:00+00:00","validTimes":"2026-11-20T00:00:00+00:00/P8DT1H"`
	span := func(value string) string {
		return head + `,"windSpeed":{"uom":"wmoUnit:km_h-1","values":[{"validTime":"2026-11-20T00:00:00+00:00/PT1H","value":` + value + `}]}`
	}
	for name, row := range map[string]struct{ properties, want string }{
		"no times":            {`"gridId":"OKX"`, "updateTime"},
		"no validity":         {`"updateTime":"2026-11-20T05:11:00+00:00"`, "validTimes"},
		"time without offset": {`"updateTime":"2026-11-20T05:11:00"`, "updateTime"},
		"time of a number":    {`"updateTime":17`, "updateTime"},
		"months":              {strings.Replace(head, "P8DT1H", "P1M", 1), `unknown duration "P1M"`},
		"span without end":    {strings.Replace(span("1"), "/PT1H", "", 1), "windSpeed: interval"},
		"span of nothing": {strings.Replace(span("1"), "/PT1H", "/PT0S", 1),
			`windSpeed: unknown duration`},
		"weather of words": {head + `,"weather":{"values":"fog"}`, "weather: "},
	} {
		if g, err := readGrid(response(`{"properties":{` + row.properties + `}}`)); err == nil ||
			!strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %+v, %v, want an error about %q", name, g, err, row.want)
		}
	}
	for name, properties := range map[string]string{
		"in words": span(`"20"`), "too large": span(`1e999`), "an object": span(`{"value":1}`),
	} {
		g, err := readGrid(response(`{"properties":{` + properties + `}}`))
		if _, ok := g.Layers["windSpeed"]; ok || err != nil {
			t.Errorf("%s: %+v, %v, want no such layer", name, g, err)
		}
	}
	for _, word := range []string{`"NaN"`, `"nan"`, `null`} {
		g, err := readGrid(response(`{"properties":{` + span(word) + `}}`))
		l := g.Layers["windSpeed"]
		if err != nil || len(l.Spans) != 1 || l.Spans[0].Value != nil || !l.Empty() {
			t.Errorf("a value %s: %+v, %v, want a span without a value", word, l, err)
		}
	}
}

func TestDuration(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"PT1H": time.Hour, "P1DT19H": 43 * time.Hour, "P7DT6H": 174 * time.Hour,
		"PT30M": 30 * time.Minute, "P8D": 192 * time.Hour,
		"PT1H30M": 90 * time.Minute, "PT90S": 90 * time.Second, "P0DT1H": time.Hour,
		"P1DT2H3M4S": 26*time.Hour + 3*time.Minute + 4*time.Second,
	} {
		if got, err := duration(text); got != want || err != nil {
			t.Errorf("duration(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "P", "PT", "P1M", "P1Y", "P2W", "PT0S", "P0D", "1H", "PT1", "PTH", "PT1H30", "PT30M1H",
		"P1DT", "PT1.5H", "PT-1H", "-PT1H", "P1H",
		"pt1h", "PT1H ", "P9999999D", "P367D", "PT1HT1M", "P1D1D",
	} {
		if got, err := duration(text); err == nil {
			t.Errorf("duration(%q) = %v, want an error", text, got)
		}
	}
}

func FuzzDuration(f *testing.F) {
	for _, text := range []string{"PT1H", "P1DT19H", "P7DT6H", "PT30M", "P1M", "PT"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if d, err := duration(text); err == nil && (d <= 0 || d > longest) {
			t.Errorf("duration(%q) = %v", text, d)
		}
	})
}

func FuzzGrid(f *testing.F) {
	f.Add(fixture(f, "grid.json"))
	f.Fuzz(func(t *testing.T, body string) {
		g, err := readGrid(response(body))
		if err != nil {
			return
		}
		for name, l := range g.Layers {
			for i, s := range l.Spans {
				if !s.To.After(s.From) || i > 0 && s.From.Before(l.Spans[i-1].From) {
					t.Errorf("%s: spans out of order", name)
				}
				if s.Value != nil && (math.IsNaN(*s.Value) || math.IsInf(*s.Value, 0)) {
					t.Errorf("%s: %v", name, *s.Value)
				}
				l.At(s.From)
			}
		}
		for i, s := range g.Weather {
			if !s.To.After(s.From) || i > 0 && s.From.Before(g.Weather[i-1].From) {
				t.Error("weather out of order")
			}
			g.WeatherAt(s.From)
		}
	})
}

func BenchmarkGrid(b *testing.B) {
	var body string
	for _, grid := range recordedGrids(b) {
		if len(grid) > len(body) {
			body = grid
		}
	}
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := readGrid(response(body)); err != nil {
			b.Fatal(err)
		}
	}
}
