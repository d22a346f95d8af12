package ical

import (
	"strings"
	"testing"
	"time"
)

// TestBytes compares a calendar with one that was written by hand from RFC 5545.
func TestBytes(t *testing.T) {
	at := time.Date(2026, 11, 22, 1, 19, 0, 0, time.UTC)
	c := Calendar{
		Name: "Tides, Boston", Product: "Leadline//Tides", Refresh: 12 * time.Hour,
		Made: at.Add(-time.Hour), Description: "Predicted.", Color: "teal",
		Source: "https://example.org/calendars/tide-windows.ics?station=8443970&below=0&hours=1,2",
		Events: []Event{
			{
				UID: "8443970-1795310340-H@example.org", Start: at,
				Summary:     "High water 9.3 ft, Boston",
				Description: "Above MLLW; predicted.\nNot for navigation. " + strings.Repeat("é", 40),
				URL:         "https://example.org/stations/8443970",
			},
			{
				UID: "b", Start: at, AllDay: true, End: at.AddDate(0, 0, 2), Summary: "Spring tide",
				Position: &Position{42.354, -71.05},
			},
			{
				UID: "c", Start: at, End: at.Add(time.Hour), Summary: "Window, dry",
				Alarm: 90 * time.Minute,
			},
		},
	}
	want := strings.Join([]string{
		"BEGIN:VCALENDAR",
		"VERSION:2.0",
		"PRODID:-//Leadline//Tides//EN",
		"CALSCALE:GREGORIAN",
		"METHOD:PUBLISH",
		`NAME:Tides\, Boston`,
		`X-WR-CALNAME:Tides\, Boston`,
		"DESCRIPTION:Predicted.",
		"X-WR-CALDESC:Predicted.",
		"SOURCE;VALUE=URI:https://example.org/calendars/tide-windows.ics?station=844",
		" 3970&below=0&hours=1,2",
		"COLOR:teal",
		"REFRESH-INTERVAL;VALUE=DURATION:PT12H",
		"X-PUBLISHED-TTL:PT12H",
		"BEGIN:VEVENT",
		"UID:8443970-1795310340-H@example.org",
		"DTSTAMP:20261122T001900Z",
		"LAST-MODIFIED:20261122T001900Z",
		"SEQUENCE:0",
		"DTSTART:20261122T011900Z",
		"TRANSP:TRANSPARENT",
		`SUMMARY:High water 9.3 ft\, Boston`,
		`DESCRIPTION:Above MLLW\; predicted.\nNot for navigation. ` + strings.Repeat("é", 9),
		" " + strings.Repeat("é", 31),
		"URL:https://example.org/stations/8443970",
		"END:VEVENT",
		"BEGIN:VEVENT",
		"UID:b",
		"DTSTAMP:20261122T001900Z",
		"LAST-MODIFIED:20261122T001900Z",
		"SEQUENCE:0",
		"DTSTART;VALUE=DATE:20261122",
		"DTEND;VALUE=DATE:20261124",
		"TRANSP:TRANSPARENT",
		"SUMMARY:Spring tide",
		"GEO:42.354000;-71.050000",
		"END:VEVENT",
		"BEGIN:VEVENT",
		"UID:c",
		"DTSTAMP:20261122T001900Z",
		"LAST-MODIFIED:20261122T001900Z",
		"SEQUENCE:0",
		"DTSTART:20261122T011900Z",
		"DTEND:20261122T021900Z",
		"TRANSP:TRANSPARENT",
		`SUMMARY:Window\, dry`,
		"BEGIN:VALARM",
		"ACTION:DISPLAY",
		`DESCRIPTION:Window\, dry`,
		"TRIGGER:-PT1H30M",
		"END:VALARM",
		"END:VEVENT",
		"END:VCALENDAR",
		"",
	}, "\r\n")
	if got := string(c.Bytes()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// FuzzBytes checks that no text can break its line or make one too long.
func FuzzBytes(f *testing.F) {
	f.Add("a\r\nEND:VCALENDAR\r\n", "\x00\u2028\nEND:VCALENDAR")
	f.Add(strings.Repeat("ü", 200), strings.Repeat("x", 1000))
	f.Fuzz(func(t *testing.T, summary, name string) {
		c := Calendar{Name: name, Product: "p", Events: []Event{{UID: "u", Summary: summary, URL: name}}}
		lines := strings.Split(string(c.Bytes()), "\r\n")
		begins := 0
		for _, line := range lines {
			if len(line) > foldAt || strings.ContainsAny(line, "\r\n") {
				t.Errorf("line %q has %d octets", line, len(line))
			}
			if strings.HasPrefix(line, "BEGIN:") || strings.HasPrefix(line, "END:") {
				begins++
			}
		}
		if begins != 4 {
			t.Errorf("%d lines begin or end a part, want 4", begins)
		}
	})
}

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		12 * time.Hour: "PT12H", 90 * time.Minute: "PT1H30M", 30 * time.Minute: "PT30M",
		24 * time.Hour: "P1D", 36 * time.Hour: "PT36H", 7 * 24 * time.Hour: "P7D",
	} {
		if got := duration(d); got != want {
			t.Errorf("duration(%v) = %s, want %s", d, got, want)
		}
	}
}
