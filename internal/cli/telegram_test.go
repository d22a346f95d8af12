package cli

import (
	"strings"
	"testing"
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
