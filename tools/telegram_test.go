package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"leadline/internal/coast"
	"leadline/internal/facts"
	"leadline/internal/place"
	"leadline/internal/stations"
	"leadline/internal/telegram"
	"leadline/internal/tides"
	"leadline/internal/trials"
)

// TestTelegramsOfAllStations writes the telegram of two days for every station that predicts
// tides, in both units; a run of few cases does for every eleventh. At least 95 % fit. Each is
// read back and compared with the predictions of the same minutes.
func TestTelegramsOfAllStations(t *testing.T) {
	s := newSet(t)
	directory := s.facts.Stations
	for _, units := range []coast.Units{"english", "metric"} {
		all, fit, every := 0, 0, 1
		if !trials.Thorough() {
			every = 11
		}
		for i, st := range directory.All(stations.Tide) {
			if facts.Predicts(st) != "tides" || i%every != 0 {
				continue
			}
			all++
			in := tides.TideTelegramInput{StationOrPlace: place.StationOrPlace{Station: st.ID}, Days: 2}
			in.Units = units
			if datums := directory.TideDatums(st); !slices.Contains(datums, "MLLW") {
				in.Datum = coast.Datum(datums[0])
			}
			if checkTelegram(t, s, in) {
				fit++
			}
		}
		t.Logf("%s: %d of %d stations", units, fit, all)
		if all < 3_000/every || 100*fit < 95*all {
			t.Errorf("%s: %d of %d telegrams fit, want 95 %%", units, fit, all)
		}
	}
}

// checkTelegram reports whether a telegram fits. If so, it compares what is read from it with the
// predictions.
func checkTelegram(t *testing.T, s *Set, in tides.TideTelegramInput) bool {
	t.Helper()
	out, err := s.Tides.TideTelegram(t.Context(), in)
	if code(err) == coast.RangeTooLong {
		return false
	}
	if err != nil {
		t.Fatalf("%s: %v", in.Station, err)
	}
	m, err := telegram.Read(out.Telegram, out.Span.From)
	if err != nil {
		t.Fatalf("%s: %q: %v", in.Station, out.Telegram, err)
	}
	if got, want := spoken(m), predictedEvents(t, s, in, out); got != want {
		t.Errorf("%s: %q says\n%s, want\n%s", in.Station, out.Telegram, got, want)
	}
	return true
}

// spoken returns the events of a message, a line each.
func spoken(m telegram.Message) string {
	var b strings.Builder
	for _, d := range m.Days {
		for _, e := range d.Events {
			what := "low"
			if e.High {
				what = "high"
			}
			fmt.Fprintf(&b, "%s %s %.2f\n", e.Time.UTC().Format(time.DateTime), what, e.Height)
		}
	}
	return b.String()
}

// predictedEvents returns the events of TidePredictions in the span of a telegram, rounded as in
// it.
func predictedEvents(
	t *testing.T, s *Set, in tides.TideTelegramInput, out tides.TideTelegram,
) string {
	t.Helper()
	ask := tides.TidePredictionsInput{StationOrPlace: in.StationOrPlace, Interval: "hilo"}
	ask.Begin, ask.End = out.Span.From.Format(time.RFC3339), out.Span.To.Format(time.RFC3339)
	ask.Units, ask.Datum = in.Units, out.Datum
	all, err := s.Tides.TidePredictions(t.Context(), ask)
	if err != nil {
		t.Fatalf("%s: %v", in.Station, err)
	}
	scale := map[coast.Units]float64{"english": 10, "metric": 100}[in.Units]
	var b strings.Builder
	for _, e := range all.Extremes {
		if e.Time.Before(out.Span.To) {
			fmt.Fprintf(&b, "%s %s %.2f\n", e.Time.UTC().Format(time.DateTime), e.Type,
				roundHalfAway(e.Height*scale)/scale)
		}
	}
	return b.String()
}

// roundHalfAway rounds to an integer, halves away from zero, and never returns -0.
func roundHalfAway(x float64) float64 {
	if x < 0 {
		return 0 - float64(int(0.5-x))
	}
	return float64(int(x + 0.5))
}

// TestTelegramDays checks days, offsets and notes where the clocks change, and other zones.
func TestTelegramDays(t *testing.T) {
	s := newSet(t)
	for _, test := range []struct {
		args, has, note string
	}{
		{`"station":"8443970","date":"2026-10-31","days":2`, " 01NOV CLOCKS -0500 H0441 ", "clocks change"},
		{`"station":"8443970","date":"2026-11-01","days":1`, " MLLW -0500 01NOV CLOCKS -0500 ", "clocks change"},
		{`"station":"9414290","date":"2027-03-14"`, " MLLW -0700 14MAR CLOCKS -0700 H0342 5.8 L1051 0.1 ",
			"clocks change"},
		{`"station":"TEC4669","date":"2027-03-13"`, " MLLW -0500 13MAR H0001 ", "clocks change"}, // at midnight
		{`"station":"TEC4669","date":"2027-03-13"`, " 14MAR CLOCKS -0400 ", "clocks change"},
		// NOAA's low of 00:17 EDT is at 23:17 EST of the day before.
		{`"station":"8443970","date":"2027-11-07","days":1`,
			" MLLW -0500 06NOV L2317 1.6 07NOV CLOCKS -0500 H0537 8.4 L1136 2.2 H1749 8.8 NOAA", "25 hours"},
		{`"station":"8728669","date":"2027-11-07","days":1`, " 06NOV H2327 1.5 07NOV CLOCKS -0500 L0531 ",
			"25 hours"},
		// The high of 23:16 EST is at 00:16 EDT of the day after.
		{`"station":"8728669","date":"2027-11-06","days":2`, " L1730 0.8 08NOV H0016 1.5 NOAA", "25 hours"},
		{`"station":"8443970","date":"2026-11-02","days":2`, " MLLW -0500 02NOV ", "name the year"},
		{`"station":"8443970","date":"2026-07-01","time_zone":"lst"`, " MLLW -0500 01JUL ", "name the year"},
		{`"station":"8443970","date":"2026-12-31","time_zone":"gmt"`, " +0000 31DEC ", "name the year"},
		{`"station":"8443970","date":"2026-12-31","datum":"NAVD"`, "8443970 FT NAVD ", "name the year"},
		{`"station":"8443970","units":"metric"`, "8443970 M MLLW ", "name the year"},
		{`"station":"8443970","date":"2028-02-29","days":1`, " 29FEB ", "name the year"},
	} {
		r, err := call(t, s, "leadline_tide_telegram", "{"+test.args+"}")
		if err != nil {
			t.Errorf("%s: %v", test.args, err)
			continue
		}
		out := r.Value.(tides.TideTelegram)
		notes := strings.Join(out.Notes, " ")
		if !strings.Contains(out.Telegram, test.has) || !strings.Contains(notes, test.note) {
			t.Errorf("%s: %q with the notes %q, want %q and %q", test.args, out.Telegram, notes,
				test.has, test.note)
		}
		if len(out.Telegram) != out.Characters || out.Characters > telegram.Most {
			t.Errorf("%s: %d characters, said to be %d", test.args, len(out.Telegram), out.Characters)
		}
	}
}

// TestTelegramsOfClocks checks that a telegram of days around each change of clocks in 2027 has
// every event that TidePredictions lists for these days by local dates.
func TestTelegramsOfClocks(t *testing.T) {
	s := newSet(t)
	for _, station := range []string{
		"8443970", "8728669", "9414290", "TEC4669", "9468151", "8761724",
	} {
		for _, date := range []string{"2027-03-13", "2027-03-14", "2027-11-06", "2027-11-07"} {
			for _, days := range []int{1, 2} {
				ask := tides.TidePredictionsInput{StationOrPlace: place.StationOrPlace{Station: station}}
				ask.Begin, ask.Interval, ask.Units = date, "hilo", "english"
				first, err := time.Parse(time.DateOnly, date)
				if err != nil {
					t.Fatal(err)
				}
				ask.End = first.AddDate(0, 0, days-1).Format(time.DateOnly)
				all, err := s.Tides.TidePredictions(t.Context(), ask)
				if err != nil {
					t.Fatal(err)
				}
				in := tides.TideTelegramInput{StationOrPlace: ask.StationOrPlace, Date: date, Days: days}
				in.Units = "english"
				out, err := s.Tides.TideTelegram(t.Context(), in)
				if code(err) == coast.RangeTooLong {
					continue // the error says so: nothing is lost
				}
				if err != nil {
					t.Fatal(err)
				}
				m, err := telegram.Read(out.Telegram, out.Span.From)
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range all.Extremes {
					if at := e.Time.UTC().Format(time.DateTime); !strings.Contains(spoken(m), at) {
						t.Errorf("%s: %q lacks the %s of %s", station, out.Telegram, e.Type, at)
					}
				}
			}
		}
	}
}

// TestTelegramFaults checks refusals. That of days that do not fit names a number that does.
func TestTelegramFaults(t *testing.T) {
	s := newSet(t)
	for _, test := range []struct {
		args string
		code coast.Code
		want string
	}{
		{`"station":"8443970","days":7`, coast.RangeTooLong, `"days": 2`},
		{`"station":"8443970","days":8`, coast.InvalidRequest, "7"},
		{`"station":"ACT0091"`, coast.ProductUnavailable, "current"},
		{`"station":"9999999"`, coast.StationNotFound, "9999999"},
		{`"station":"8443970","datum":"IGLD"`, coast.DatumUnavailable, "MLLW"},
		{`"station":"8443970","date":"soon"`, coast.InvalidRequest, "soon"},
		{`"days":2`, coast.InvalidRequest, "station"},
	} {
		_, err := call(t, s, "leadline_tide_telegram", "{"+test.args+"}")
		if code(err) != test.code || !strings.Contains(fmt.Sprint(err), test.want) {
			t.Errorf("%s: %v, want %s with %q", test.args, err, test.code, test.want)
		}
	}
}

func BenchmarkTideTelegram(b *testing.B) {
	s := newSet(b)
	in := tides.TideTelegramInput{StationOrPlace: place.StationOrPlace{Station: "8443970"}, Days: 2}
	in.Units = "english"
	for b.Loop() {
		if _, err := s.Tides.TideTelegram(context.Background(), in); err != nil {
			b.Fatal(err)
		}
	}
}
