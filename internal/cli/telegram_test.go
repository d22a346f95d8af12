package cli

import (
	"strings"
	"testing"
	"time"
)

// TestTelegram checks that standard output has the telegram alone. The values are NOAA CO-OPS
// predictions (hilo, MLLW, gmt) of 10 and 11 October 2026 for 9411340, and of 1 November 2027 for
// TWC1189, rounded.
func TestTelegram(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"9411340 2026-10-10", "9411340 FT MLLW +0000 10OCT H0443 5.0 L1032 1.0 H1645 5.9 L2320 0.1 " +
			"11OCT H0527 4.6 L1056 1.5 H1711 6.0 NOAA PRED NOT FOR NAV\n"},
		{"TWC1189 2027-11-01 --days 1 --units metric", "TWC1189 M MLLW +0000 01NOV H0033 2.62 " +
			"L0811 -0.62 H1607 2.93 L2110 2.19 NOAA PRED NOT FOR NAV\n"},
	} {
		args := append([]string{"telegram", "--time-zone", "gmt"}, strings.Fields(test.args)...)
		out, stderr, code := run(t, args...)
		if code != 0 || out != test.want {
			t.Errorf("telegram %s = %d, %q, want %q", test.args, code, out, test.want)
		}
		for _, has := range []string{"NOAA CO-OPS", "does not name the year", "Not for navigation"} {
			if !strings.Contains(stderr, has) {
				t.Errorf("standard error has no %q: %s", has, stderr)
			}
		}
	}
}

func TestTelegramRead(t *testing.T) {
	const text = "9411340 FT MLLW +0000 10OCT H0443 5.0 L1032 -1.0 11OCT NONE NOAA PRED NOT FOR NAV"
	out, _, code := run(t, "telegram", "--read", text+"\n")
	for _, has := range []string{
		"9411340, heights in ft above MLLW, times at UTC+00:00", " 10 Oct ", " 04:43  high  5.0\n",
		" 10:32  low   -1.0\n", " 11 Oct ", "no high or low water", "Not for navigation",
	} {
		if code != 0 || !strings.Contains(out, has) {
			t.Errorf("telegram --read = %d, without %q:\n%s", code, has, out)
		}
	}
}

// TestYearOfTelegram checks the year of a telegram with a change of clocks: that in which the
// clocks of the station change on this day. In the USA they do on the second Sunday of March and
// the first of November.
func TestYearOfTelegram(t *testing.T) {
	now := time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC)
	for _, test := range []struct{ text, want, year string }{
		{"8443970 FT MLLW -0500 06NOV L2317 1.6 07NOV CLOCKS -0500 H0537 8.4",
			"Sun 7 Nov 2027  clocks change to UTC-05:00", "nearest in which these clocks change"},
		{"8443970 FT MLLW -0500 01NOV CLOCKS -0500 H0341 9.2", "Sun 1 Nov 2026  clocks change", ""},
		{"9414290 FT MLLW -0700 14MAR CLOCKS -0700 H0342 5.8", "Sun 14 Mar 2027  clocks change", ""},
		{"9414290 FT MLLW -0700 08MAR CLOCKS -0700 H0342 5.8", "Sun 8 Mar 2026  clocks change", ""},
		{"8443970 FT MLLW -0500 07NOV H0537 8.4", "Sat 7 Nov 2026  05:37", "the nearest is meant"},
		{"8443970 FT MLLW -0500 20NOV CLOCKS -0500 H0537 8.4", "\n20 Nov  clocks change",
			"not known here"},
		{"1 FT MLLW -0500 07NOV CLOCKS -0500 H0537 8.4", "\n7 Nov  clocks change", "not known here"},
	} {
		var out strings.Builder
		err := readTelegram(&out, test.text+" NOAA PRED NOT FOR NAV", now)
		if got := out.String(); err != nil || !strings.Contains(got, test.want) ||
			!strings.Contains(got, test.year) {
			t.Errorf("%s: %v\n%s\nwant %q and %q", test.text, err, got, test.want, test.year)
		}
	}
}

func TestTelegramFaults(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, "missing STATION or PLACE; usage: leadline telegram STATION"},
		{[]string{"8443970", "--days", "5"}, "--days 2"},
		{[]string{"8443970", "2026-11-24", "--date", "2026-11-25"}, "--date gives another"},
		{[]string{"ACT0091"}, "is a current station"},
		{[]string{"--read", "hello"}, "is no tide telegram"},
		{[]string{"--read", "8443970", "FT"}, "quote the whole telegram"},
	} {
		_, stderr, code := run(t, append([]string{"telegram"}, test.args...)...)
		if code != 1 || !strings.Contains(stderr, test.want) || strings.Contains(stderr, "leadline_") {
			t.Errorf("telegram %q = %d, %s, want %q", test.args, code, stderr, test.want)
		}
	}
}
