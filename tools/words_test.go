package tools

import (
	"strings"
	"testing"

	"leadline/internal/coast"
)

// TestWords checks that words which callers use return the same results as the words of the
// schemas. Instants are relative to noon, 2026-11-20 12:00 in Boston.
func TestWords(t *testing.T) {
	const tides, currents = "noaa_get_tide_predictions", "noaa_get_current_predictions"
	const sun, moon, position = "astro_get_sun_times", "astro_get_moon_phase", "astro_get_sun_position"
	s := newSet(t)
	for _, test := range []struct{ tool, words, same string }{
		{tides, `"units":"feet"`, `"units":"english"`},
		{tides, `"units":"ft"`, `"units":"english"`},
		{tides, `"units":"Imperial"`, `"units":"english"`},
		{tides, `"units":"m"`, `"units":"metric"`},
		{tides, `"units":"meters"`, `"units":"metric"`},
		{tides, `"datum":"NAVD88"`, `"datum":"NAVD"`},
		{tides, `"interval":"hourly"`, `"interval":"h"`},
		{tides, `"interval":"high_low"`, `"interval":"hilo"`},
		{currents, `"interval":"hourly"`, `"interval":"h"`},
		{tides, `"time_zone":"utc"`, `"time_zone":"gmt"`},
		{tides, `"time_zone":"GMT"`, `"time_zone":"gmt"`},
		{tides, `"time_zone":"America/New_York"`, `"time_zone":"lst_ldt"`},
		{tides, `"date":"tomorrow"`, `"begin_date":"2026-11-21"`},
		{tides, `"date":"today"`, `"begin_date":"2026-11-20"`},
		{tides, `"date":"2026-11-22"`, `"begin_date":"20261122"`},
		{tides, `"begin_date":"today","end_date":"tomorrow"`,
			`"begin_date":"2026-11-20","end_date":"2026-11-21"`},
		{tides, `"begin_date":"2026-11-22T15:00"`, `"begin_date":"2026-11-22 15:00","range":48`},
		{tides, `"begin_date":"2026-11-22T15:00:00-05:00"`, `"begin_date":"2026-11-22 15:00","range":48`},
		{tides, `"begin_date":"2026-11-22T20:00Z"`, `"begin_date":"2026-11-22 15:00","range":48`},
		{sun, `"date":"tomorrow"`, `"date":"2026-11-21"`},
		{sun, `"date":"2026-11-22T15:00"`, `"date":"20261122"`},
		{sun, `"date":"weekend"`, `"date":"2026-11-21","days":2`},
		{moon, `"date":"Next Week"`, `"begin_date":"2026-11-23","end_date":"2026-11-29"`},
		{sun, `"time_zone":"utc"`, `"time_zone":"gmt"`},
		{moon, `"date":"tomorrow"`, `"date":"2026-11-21"`},
		{moon, `"begin_date":"today","end_date":"tomorrow"`,
			`"begin_date":"2026-11-20","end_date":"2026-11-21"`},
		{position, `"time":"2026-11-22T15:00"`, `"time":"2026-11-22T15:00:00-05:00"`},
		{position, `"time":"now"`, `"time":"2026-11-20 12:00"`},
	} {
		station := `{"station":"8443970",`
		if test.tool == currents {
			station = `{"station":"EPT0003",`
		}
		got := written(t, s, test.tool, station+test.words+"}")
		if want := written(t, s, test.tool, station+test.same+"}"); got != want {
			t.Errorf("%s with %s differs from %s:\n%s\n%s", test.tool, test.words, test.same, got, want)
		}
	}
}

// written returns the structured result of a tool as JSON.
func written(t *testing.T, s *Set, tool, args string) string {
	t.Helper()
	r, err := call(t, s, tool, args)
	if err != nil {
		t.Fatalf("%s %s: %v", tool, args, err)
	}
	body, err := r.Structured()
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// TestWordsRefused checks that an error names the argument that the caller needs.
func TestWordsRefused(t *testing.T) {
	const tides, sun = "noaa_get_tide_predictions", "astro_get_sun_times"
	s := newSet(t)
	for _, test := range []struct{ tool, args, want string }{
		{tides, `"begin_date":"11/22/2026"`, "Write 2026-11-22"},
		{tides, `"date":"11/22/2026"`, "Write 2026-11-22"},
		{sun, `"date":"11/22/2026"`, "Write 2026-11-22"},
		{sun, `"date":"last Friday"`, "such as 2026-11-20, today, saturday or weekend"},
		{tides, `"date":"some day"`, "today, tomorrow, yesterday, a weekday, latest, recent or"},
		{tides, `"start_date":"2026-11-22"`, `Did you mean \"begin_date\"?`},
		{tides, `"hour":3`, `Did you mean \"hours\"?`},
		{sun, `"lat":42.3`, `Did you mean \"latitude\"?`},
		{tides, `"time_zone":"EST"`, "or an IANA name"},
		{"astro_get_sun_position", `"time":"tomorrow"`, "time must be a minute"},
	} {
		_, err := call(t, s, test.tool, `{"station":"8443970",`+test.args+`}`)
		want := strings.ReplaceAll(test.want, `\"`, `"`)
		if e, _ := coast.AsError(err); err == nil || e.Code != coast.InvalidRequest ||
			!strings.Contains(e.Message, want) {
			t.Errorf("%s %s: %v, want %q", test.tool, test.args, err, want)
		}
	}
}
