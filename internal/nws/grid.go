package nws

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"leadline/internal/coast"
	"leadline/internal/upstream"
)

// Grid is the numeric forecast of a cell of about 2.5 km. Times are UTC.
type Grid struct {
	Updated  time.Time // last change by the office, from which its age counts
	From, To time.Time // covered interval
	// Layers holds the series of numbers by the service's names: windSpeed, windGust, windDirection,
	// waveHeight, wavePeriod, primarySwellHeight, visibility, temperature and so on. A series
	// without values is empty.
	Layers  map[string]Layer
	Weather []WeatherSpan // in order of time
}

// Layer is one series of numbers.
type Layer struct {
	// Unit is the unit of the values, without a prefix: km_h-1, m_s-1, kt, degC, m, s, mm, percent,
	// degree_(angle). It may be empty.
	Unit  string
	Spans []Span // in order of time; hours with equal values are one span
}

// Span is one value in a half-open time interval.
type Span struct {
	From, To time.Time
	Value    *float64 // nil: no value
}

// WeatherSpan is the weather in a half-open time interval. Conditions may be empty.
type WeatherSpan struct {
	From, To   time.Time
	Conditions []Condition
}

// Condition is one kind of weather, in the service's words: "chance", "thunderstorms", "heavy".
// Missing values are empty.
type Condition struct{ Coverage, Weather, Intensity string }

// At returns the value at a time, nil if there is none.
func (l Layer) At(t time.Time) *float64 {
	i := sort.Search(len(l.Spans), func(i int) bool { return l.Spans[i].From.After(t) }) - 1
	if i < 0 || !t.Before(l.Spans[i].To) {
		return nil
	}
	return l.Spans[i].Value
}

// Zero reports whether all values of the layer are zero or missing. For a layer of waves this
// means that the cell is land or a bay: not that the sea is calm, but that no waves are forecast.
func (l Layer) Zero() bool {
	return !slices.ContainsFunc(l.Spans, func(s Span) bool { return s.Value != nil && *s.Value != 0 })
}

// Empty reports whether the layer has no value.
func (l Layer) Empty() bool {
	return !slices.ContainsFunc(l.Spans, func(s Span) bool { return s.Value != nil })
}

// WeatherAt returns the weather at a time, empty if none is forecast.
func (g Grid) WeatherAt(t time.Time) []Condition {
	i := sort.Search(len(g.Weather), func(i int) bool { return g.Weather[i].From.After(t) }) - 1
	if i < 0 || !t.Before(g.Weather[i].To) {
		return nil
	}
	return g.Weather[i].Conditions
}

// Grid returns the numeric forecast of a cell that a Point names. For a cell that does not exist
// the error is ProductUnavailable.
func (c *Client) Grid(ctx context.Context, grid string, x, y int) (upstream.Value[Grid], error) {
	if !office(grid) || x < 0 || y < 0 {
		return upstream.Value[Grid]{}, coast.Errorf(coast.InvalidRequest,
			"There is no grid cell %q %d,%d.", grid, x, y)
	}
	path := fmt.Sprintf("/gridpoints/%s/%d,%d", grid, x, y)
	return upstream.Get(ctx, c.up, c.request(path, geoJSON, gridClass), readGrid)
}

func readGrid(r upstream.Response) (Grid, error) {
	var body struct{ Properties map[string]json.RawMessage }
	if err := decode(r, "grid", &body); err != nil {
		return Grid{}, err
	}
	g, err := gridOf(body.Properties)
	if err != nil {
		return Grid{}, fmt.Errorf("read grid: %w", err)
	}
	return g, nil
}

// gridOf reads the properties of a grid. It ignores those that have no known name and are not a
// series of numbers.
func gridOf(properties map[string]json.RawMessage) (Grid, error) {
	g := Grid{Layers: make(map[string]Layer, len(properties))}
	var head struct{ updated, valid string }
	for _, part := range []struct {
		name string
		to   any
	}{{"updateTime", &head.updated}, {"validTimes", &head.valid}} {
		if raw, ok := properties[part.name]; ok {
			if err := json.Unmarshal(raw, part.to); err != nil {
				return Grid{}, fmt.Errorf("%s: %w", part.name, err)
			}
		}
	}
	var err error
	if g.Updated, err = instant(head.updated); err != nil {
		return Grid{}, fmt.Errorf("updateTime: %w", err)
	}
	if g.From, g.To, err = interval(head.valid); err != nil {
		return Grid{}, fmt.Errorf("validTimes: %w", err)
	}
	if g.Weather, err = weatherOf(properties["weather"]); err != nil {
		return Grid{}, fmt.Errorf("weather: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		l, ok, err := layerOf(properties[name])
		if err != nil {
			return Grid{}, fmt.Errorf("%s: %w", name, err)
		}
		if ok && name != "weather" && name != "hazards" {
			g.Layers[name] = l
		}
	}
	return g, nil
}

// layerOf reads one property. ok is false if it does not have a list of numbers.
func layerOf(raw json.RawMessage) (l Layer, ok bool, err error) {
	if len(raw) == 0 || raw[0] != '{' {
		return Layer{}, false, nil
	}
	var body struct {
		UOM    string
		Values []struct {
			ValidTime string
			Value     number
		}
	}
	if err := json.Unmarshal(raw, &body); err != nil {
		if _, other := errors.AsType[*json.UnmarshalTypeError](err); other {
			return Layer{}, false, nil
		}
		return Layer{}, false, err
	}
	if body.Values == nil {
		return Layer{}, false, nil
	}
	l = Layer{Unit: unit(body.UOM), Spans: make([]Span, len(body.Values))}
	for i, v := range body.Values {
		s := &l.Spans[i]
		if s.From, s.To, err = interval(v.ValidTime); err != nil {
			return Layer{}, false, err
		}
		s.Value = v.Value.value
	}
	inOrder(l.Spans, func(s Span) time.Time { return s.From })
	return l, true, nil
}

// inOrder sorts spans if necessary; usually they are sorted.
func inOrder[S any](spans []S, from func(S) time.Time) {
	byTime := func(a, b S) int { return from(a).Compare(from(b)) }
	if !slices.IsSortedFunc(spans, byTime) {
		slices.SortStableFunc(spans, byTime)
	}
}

func weatherOf(raw json.RawMessage) ([]WeatherSpan, error) {
	var body struct {
		Values []struct {
			ValidTime string
			Value     []struct {
				Coverage, Weather, Intensity string
			}
		}
	}
	if len(raw) == 0 {
		return nil, nil
	}
	if err := json.Unmarshal(raw, &body); err != nil {
		return nil, err
	}
	spans := make([]WeatherSpan, len(body.Values))
	for i, v := range body.Values {
		s := &spans[i]
		var err error
		if s.From, s.To, err = interval(v.ValidTime); err != nil {
			return nil, err
		}
		for _, c := range v.Value {
			if cmp.Or(c.Coverage, c.Weather, c.Intensity) == "" {
				continue // the service's representation of "none"
			}
			s.Conditions = append(s.Conditions, Condition(c))
		}
	}
	inOrder(spans, func(s WeatherSpan) time.Time { return s.From })
	return spans, nil
}

// number is a number of a layer, which may be null or the text NaN.
type number struct{ value *float64 }

// UnmarshalJSON reads a number.
func (n *number) UnmarshalJSON(text []byte) error {
	if strings.EqualFold(string(text), `"NaN"`) {
		return nil
	}
	return json.Unmarshal(text, &n.value)
}

// unit returns the code of a unit without its namespace: wmoUnit:m and nwsUnit:s.
func unit(code string) string { return code[strings.LastIndexByte(code, ':')+1:] }

// interval parses an ISO 8601 interval: a time, a slash and a duration, as in
// 2026-01-20T00:00:00+00:00/P8DT1H. Both ends are UTC, and to is after from.
func interval(text string) (from, to time.Time, err error) {
	start, length, ok := strings.Cut(text, "/")
	if !ok {
		return from, to, fmt.Errorf("interval %q without a slash", text)
	}
	if from, err = instant(start); err != nil {
		return from, to, err
	}
	d, err := duration(length)
	if err != nil {
		return from, to, err
	}
	return from, from.Add(d), nil
}

// longest limits a duration: forecasts are for a week or two (ours).
const longest = 366 * 24 * time.Hour

// duration parses an ISO 8601 duration of days, hours, minutes and seconds: P1DT19H, PT30M.
// Years, months and weeks are not supported (a month has no fixed length), nor is a duration of
// zero.
func duration(text string) (time.Duration, error) {
	rest, ok := strings.CutPrefix(text, "P")
	days, clock, timed := strings.Cut(rest, "T")
	var total time.Duration
	if ok && days != "" {
		ok = cutCount(&days, 'D', 24*time.Hour, &total) && days == ""
	}
	if ok && timed {
		some := cutCount(&clock, 'H', time.Hour, &total)
		some = cutCount(&clock, 'M', time.Minute, &total) || some
		some = cutCount(&clock, 'S', time.Second, &total) || some
		ok = some && clock == ""
	}
	if !ok || total <= 0 || total > longest {
		return 0, fmt.Errorf("unknown duration %q", text)
	}
	return total, nil
}

// cutCount removes a count of one unit from the text and adds it to total. It reports whether
// there was one.
func cutCount(text *string, letter byte, each time.Duration, total *time.Duration) bool {
	i := 0
	for i < len(*text) && digit((*text)[i]) {
		i++
	}
	// six digits of days do not overflow
	if i == 0 || i > 6 || i == len(*text) || (*text)[i] != letter {
		return false
	}
	n, _ := strconv.Atoi((*text)[:i]) // digits, few
	*total += time.Duration(n) * each
	*text = (*text)[i+1:]
	return true
}
