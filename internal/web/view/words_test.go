package view

import (
	"net/url"
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 11, 20, 17, 0, 0, 0, time.UTC)

func TestAges(t *testing.T) {
	for minutes, want := range map[int]string{
		0: "just now", 1: "1 min ago", 59: "59 min ago", 60: "1 h ago", 119: "1 h ago",
		47*60 + 59: "47 h ago", 48 * 60: "2 days ago", 3 * 24 * 60: "3 days ago",
	} {
		if got := strings.ReplaceAll(Ago(minutes), Nbsp, " "); got != want {
			t.Errorf("ago(%d) = %s, want %s", minutes, got, want)
		}
	}
	for d, want := range map[time.Duration]string{
		20 * time.Second: "now", 50 * time.Minute: "in 50 min", 61 * time.Minute: "in 1 h 1 min",
		25 * time.Hour: "in 1 day",
	} {
		if got := strings.ReplaceAll(In(d), Nbsp, " "); got != want {
			t.Errorf("in(%v) = %s, want %s", d, got, want)
		}
	}
}

// TestClocks checks times in a zone, with and without a change of the clock.
func TestClocks(t *testing.T) {
	boston, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 11, 22, 0, 24, 0, 0, time.UTC)
	p := Prefs{Clock: "12", Location: boston, Now: at}
	if got, want := p.Time(at), "7:24"+Nbsp+"PM"; got != want {
		t.Errorf("12 hours: %s, want %s", got, want)
	}
	p.Clock = "24"
	if got := p.Time(at); got != "19:24" {
		t.Errorf("24 hours: %s", got)
	}
	if got := p.When(at.Add(5 * time.Hour)); got != "Sun 22 Nov 00:24" {
		t.Errorf("another day: %s", got)
	}
	for day, want := range map[string]string{
		"2026-11-01": "the clocks go back, so the day has 25 hours",
		"2026-03-08": "the clocks go forward, so the day has 23 hours", "2026-11-02": "",
	} {
		start, _ := time.ParseInLocation(time.DateOnly, day, boston)
		if got := ClockChange(start, NextDay(start)); got != want {
			t.Errorf("%s: %q, want %q", day, got, want)
		}
		p := Prefs{Date: day, Days: 1, Location: boston, Now: noon}
		if from, to := p.Span(); !from.Equal(start) || !to.Equal(NextDay(start)) {
			t.Errorf("%s: the chart spans %v to %v, want the whole day", day, from, to)
		}
	}
}

// FuzzPrefs checks that no query gives preferences that operations would refuse.
func FuzzPrefs(f *testing.F) {
	f.Add("units=metric&clock=24&zone=gmt&days=7&date=2026-11-22&datum=msl")
	f.Add("date=9999-12-31&days=-1&datum=%00&units=%ff")
	f.Fuzz(func(t *testing.T, query string) {
		q, _ := url.ParseQuery(query)
		p := ReadPrefs(q, noon)
		if p.Days < 1 || p.Days > 7 && p.Days != Month || len(p.Datum) > 12 || len(p.Date) > 10 {
			t.Errorf("%q: %+v", query, p)
		}
		if key := p.Key("/stations/8443970"); len(key) > 2000 {
			t.Errorf("%q: a key of %d bytes", query, len(key))
		}
	})
}
