package tools

import (
	"context"
	"strings"
	"testing"
	"time"

	"leadline/internal/access"
	"leadline/internal/access/accesstest"
	"leadline/internal/access/credential"
	"leadline/internal/access/limit"
	"leadline/internal/coast"
	"leadline/internal/decide"
	"leadline/internal/place"
	"leadline/internal/planning"
)

// bestTimes returns the result of the tool.
func bestTimes(ctx context.Context, t *testing.T, s *Set, args string) planning.BestTimes {
	t.Helper()
	r, err := toolNamed(t, s, "leadline_best_times").Call(ctx, []byte(args))
	if err != nil {
		t.Fatalf("%s: %v", args, err)
	}
	return r.Value.(planning.BestTimes)
}

// TestBestTimes checks that each window has the hours of Trip, all of them in the state of the
// window, in daylight, and that no other day has as long a run of that state.
func TestBestTimes(t *testing.T) {
	s := simulated(t, nil).Set
	for activity, name := range map[string]decide.Activity{
		"sail": decide.Boating, "walk": decide.Beachcombing, "swim": decide.SurfPaddle,
		"clams": decide.Beachcombing, "photos": decide.Photography, "Fishing": decide.Fishing,
	} {
		got := bestTimes(caller(t), t, s, `{"station":"8443970","activity":"`+activity+`"}`)
		trip, err := s.Decisions.Trip(caller(t), planning.TripInput{
			StationOrPlace: place.StationOrPlace{Station: "8443970"}, Activity: name, Date: "today",
			From: "12:00", Hours: 48,
		})
		if err != nil {
			t.Fatal(err)
		}
		if got.Activity != name || !got.From.Equal(trip.From) || !got.To.Equal(trip.To) {
			t.Errorf("%s: %s from %v to %v, want %s from %v to %v", activity, got.Activity, got.From,
				got.To, name, trip.From, trip.To)
		}
		if (len(got.Windows) == 0) != (trip.Best == nil) ||
			trip.Best != nil && got.Windows[0].Text != trip.Best.Text {
			t.Errorf("%s: windows %v, the best run is %v", activity, got.Windows, trip.Best)
		}
		for _, w := range got.Windows {
			for _, run := range trip.Hours {
				if run.From.Before(w.To) && w.From.Before(run.To) && run.State != w.State {
					t.Errorf("%s: window %v has hours %v", activity, w.Best, run)
				}
			}
			if w.State == decide.WatchState && len(w.Care) == 0 {
				t.Errorf("%s: window %v does not say what calls for care", activity, w.Best)
			}
		}
	}
}

// TestBestTimesWithoutWeather checks that nothing is ranked without the weather, and that the
// result says why and of which hours.
func TestBestTimesWithoutWeather(t *testing.T) {
	s := newSet(t)
	got := bestTimes(caller(t), t, s, `{"station":"8443970","activity":"kayak"}`)
	if len(got.Windows) > 0 || len(got.Against) == 0 || len(got.Missing) == 0 ||
		len(got.Unranked) != 1 || !got.Unranked[0].From.Equal(got.From) ||
		!got.Unranked[0].To.Equal(got.To) {
		t.Errorf("%+v", got)
	}
	text := textOf(t, s, "leadline_best_times", `{"station":"8443970","activity":"kayak"}`)
	for _, want := range []string{"no time in daylight to name. Cannot tell",
		"- not ranked, too little is known: Fri 2026-11-20 12:00 to Sun 2026-11-22 12:00 EST"} {
		if !strings.Contains(text, want) {
			t.Errorf("the text lacks %q:\n%s", want, text)
		}
	}
}

// TestBestTimesSpans has the spans of phrases, and the days that need an account.
func TestBestTimesSpans(t *testing.T) {
	s := simulated(t, nil).Set
	gate := accesstest.New(t, access.BuiltIn(), func() time.Time { return noon })
	key := gate.Key(t, gate.Account(t, access.Free), credential.MCPUse, credential.DecisionRead)
	known := gate.Context(t, limit.MCP, key)
	for _, c := range []struct {
		ctx      context.Context
		args     string
		from, to string // MM-DD HH:MM at the station
	}{
		{caller(t), "", "11-20 12:00", "11-22 12:00"},
		{caller(t), `,"days":1`, "11-20 12:00", "11-21 12:00"},
		{caller(t), `,"date":"today"`, "11-20 12:00", "11-21 00:00"},
		{caller(t), `,"date":"weekend"`, "11-21 00:00", "11-23 00:00"},
		{caller(t), `,"date":"saturday morning"`, "11-21 06:00", "11-21 12:00"},
		{caller(t), `,"date":"saturday","days":2`, "11-21 00:00", "11-23 00:00"},
		{known, `,"date":"this week"`, "11-20 12:00", "11-27 00:00"},
		{known, `,"days":7`, "11-20 12:00", "11-27 12:00"},
	} {
		got := bestTimes(c.ctx, t, s, `{"station":"8443970","activity":"boating"`+c.args+`}`)
		from, to := got.From.Format("01-02 15:04"), got.To.Format("01-02 15:04")
		if from != c.from || to != c.to {
			t.Errorf("%s: %s to %s, want %s to %s", c.args, from, to, c.from, c.to)
		}
	}
	for _, c := range []struct {
		args string
		code coast.Code
		want string
	}{
		{`"activity":"boating","days":3`, coast.CredentialRequired, `Example: "days": 2.`},
		{`"activity":"boating","date":"this week"`, coast.CredentialRequired, `Example: "days": 2.`},
		{`"activity":"golf"`, coast.InvalidRequest, `"golf" is not an activity`},
	} {
		_, err := call(t, s, "leadline_best_times", `{"station":"8443970",`+c.args+`}`)
		if code(err) != c.code || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.args, err, c.want)
		}
	}
	for args, want := range map[string]string{
		`"date":"2027-11-06","days":2`: "No forecast reaches 6 Nov 2027.", // 49 hours: the clocks go back
		`"date":"2026-11-01"`:          "That is past: no verdict.",
		`"date":"2027-03-01"`:          "No forecast reaches 1 Mar 2027.",
	} {
		got := bestTimes(caller(t), t, s, `{"station":"8443970","activity":"boating",`+args+`}`)
		if got.Sentence != want || len(got.Windows) > 0 {
			t.Errorf("%s: %q with %d windows, want %q", args, got.Sentence, len(got.Windows), want)
		}
	}
}

// TestTripUntil checks that a decision with an end has the hours of Trip, and REST's bounds.
func TestTripUntil(t *testing.T) {
	s := simulated(t, nil).Set
	const trip = `{"stationId":"8443970","activity":"boating","localDate":"2026-11-21",` +
		`"localTime":"09:00"`
	r, err := call(t, s, "leadline_trip_health", trip+`,"until":"17:00"}`)
	if err != nil {
		t.Fatal(err)
	}
	got := r.Value.(planning.TripAnswer)
	want, err := s.Decisions.Trip(caller(t), planning.TripInput{
		StationOrPlace: place.StationOrPlace{Station: "8443970"}, Activity: decide.Boating,
		Date: "2026-11-21", From: "09:00", Until: "17:00",
	})
	if err != nil {
		t.Fatal(err)
	}
	if got.Decision != nil || got.Hours == nil || got.Hours.Sentence != want.Sentence ||
		len(got.Hours.Hours) != len(want.Hours) || len(want.Hours) == 0 {
		t.Errorf("%+v, want the hours %+v", got, want)
	}
	_, err = call(t, s, "leadline_trip_health", trip+`,"until":"2026-11-24T17:00"}`)
	if code(err) != coast.CredentialRequired ||
		!strings.Contains(err.Error(), `Example: "until": "2026-11-23T09:00".`) {
		t.Errorf("over 48 hours: %v", err)
	}
}

// TestTideWithDay checks that include returns what the tool for a day does, with the tides.
func TestTideWithDay(t *testing.T) {
	s := simulated(t, nil).Set
	for args, day := range map[string]string{
		`"place":"Boston","date":"saturday","include":["light","wind"]`: `"place":"Boston",` +
			`"date":"2026-11-21","include":["tides","light","wind"]`,
		`"station":"8443970","begin_date":"2026-11-21","end_date":"2026-11-21","include":"currents",` +
			`"units":"metric"`: `"station":"8443970","date":"2026-11-21","include":["tides","currents"],` +
			`"units":"metric"`,
	} {
		got := written(t, s, "noaa_get_tide_predictions", "{"+args+"}")
		if want := written(t, s, "leadline_get_day", "{"+day+"}"); got != want {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
	for args, want := range map[string]string{
		`"include":["golf"]`:             "include takes values of tides, light",
		`"include":"wind","range":48`:    `"range" does not go with include`,
		`"include":["wind"],"top":3`:     `"top" does not go with include`,
		`"include":5`:                    "include",
		`"include":["wind"],"datum":"x"`: `"datum" does not go with include`,
	} {
		_, err := call(t, s, "noaa_get_tide_predictions", `{"station":"8443970",`+args+`}`)
		if code(err) != coast.InvalidRequest || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
	whole := `{"place":"Boston","date":"saturday","include":["light","currents","wind","alerts"]}`
	if n := tokens(textOf(t, s, "noaa_get_tide_predictions", whole)); n > 420 {
		t.Errorf("a Saturday at Boston has %d tokens, want at most 420", n)
	}
}
