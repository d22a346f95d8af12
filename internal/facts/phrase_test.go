package facts

import (
	"strings"
	"testing"
	"time"
)

// phrasesOfDays has phrases in lower case with the span of each at six clocks in New York, as first
// and last minute, MM-DD HH:MM. Of a whole day the day alone is written. Spans were counted off a
// calendar of 2026.
//
//	thu  Thursday 26 November 2026, 12:00
//	sat  Saturday 28 November, 09:00
//	sun  Sunday 29 November, 23:30
//	early  Monday 30 November, 02:00
//	spring  Saturday 7 March, 12:00: clocks go forward on 8 March at 2 AM
//	fall  Sunday 1 November, 01:30 for the second time: clocks went back at 2 AM
var phrasesOfDays = []struct{ phrase, thu, sat, sun, early, spring, fall string }{
	{"today", "11-26", "11-28", "11-29", "11-30", "03-07", "11-01"},
	{"tomorrow", "11-27", "11-29", "11-30", "12-01", "03-08", "11-02"},
	{"yesterday", "11-25", "11-27", "11-28", "11-29", "03-06", "10-31"},
	{"day after tomorrow", "11-28", "11-30", "12-01", "12-02", "03-09", "11-03"},
	{"the day after tomorrow", "11-28", "11-30", "12-01", "12-02", "03-09", "11-03"},
	{"saturday", "11-28", "11-28", "12-05", "12-05", "03-07", "11-07"},
	{"sat", "11-28", "11-28", "12-05", "12-05", "03-07", "11-07"},
	{"this saturday", "11-28", "11-28", "12-05", "12-05", "03-07", "11-07"},
	{"on saturday", "11-28", "11-28", "12-05", "12-05", "03-07", "11-07"},
	{"next saturday", "12-05", "12-05", "12-05", "12-12", "03-14", "11-07"},
	{"sunday", "11-29", "11-29", "11-29", "12-06", "03-08", "11-01"},
	{"next sunday", "12-06", "12-06", "12-06", "12-13", "03-15", "11-08"},
	{"monday", "11-30", "11-30", "11-30", "11-30", "03-09", "11-02"},
	{"next monday", "11-30", "11-30", "11-30", "12-07", "03-09", "11-02"},
	{"thu", "11-26", "12-03", "12-03", "12-03", "03-12", "11-05"},
	{"friday", "11-27", "12-04", "12-04", "12-04", "03-13", "11-06"},
	{"weekend", "11-28 00:00 to 11-29 23:59", "11-28 00:00 to 11-29 23:59", "11-29",
		"12-05 00:00 to 12-06 23:59", "03-07 00:00 to 03-08 23:59", "11-01"},
	{"this weekend", "11-28 00:00 to 11-29 23:59", "11-28 00:00 to 11-29 23:59", "11-29",
		"12-05 00:00 to 12-06 23:59", "03-07 00:00 to 03-08 23:59", "11-01"},
	{"the weekend", "11-28 00:00 to 11-29 23:59", "11-28 00:00 to 11-29 23:59", "11-29",
		"12-05 00:00 to 12-06 23:59", "03-07 00:00 to 03-08 23:59", "11-01"},
	{"next weekend", "12-05 00:00 to 12-06 23:59", "12-05 00:00 to 12-06 23:59",
		"12-05 00:00 to 12-06 23:59", "12-12 00:00 to 12-13 23:59", "03-14 00:00 to 03-15 23:59",
		"11-07 00:00 to 11-08 23:59"},
	{"this week", "11-26 00:00 to 12-02 23:59", "11-28 00:00 to 12-04 23:59",
		"11-29 00:00 to 12-05 23:59", "11-30 00:00 to 12-06 23:59", "03-07 00:00 to 03-13 23:59",
		"11-01 00:00 to 11-07 23:59"},
	{"next week", "11-30 00:00 to 12-06 23:59", "11-30 00:00 to 12-06 23:59",
		"11-30 00:00 to 12-06 23:59", "12-07 00:00 to 12-13 23:59", "03-09 00:00 to 03-15 23:59",
		"11-02 00:00 to 11-08 23:59"},
	{"tonight", "11-26 18:00 to 11-27 05:59", "11-28 18:00 to 11-29 05:59",
		"11-29 18:00 to 11-30 05:59", "11-29 18:00 to 11-30 05:59", "03-07 18:00 to 03-08 05:59",
		"10-31 18:00 to 11-01 05:59"},
	{"this evening", "11-26 18:00 to 11-26 23:59", "11-28 18:00 to 11-28 23:59",
		"11-29 18:00 to 11-29 23:59", "11-30 18:00 to 11-30 23:59", "03-07 18:00 to 03-07 23:59",
		"11-01 18:00 to 11-01 23:59"},
	{"this morning", "11-26 06:00 to 11-26 11:59", "11-28 06:00 to 11-28 11:59",
		"11-29 06:00 to 11-29 11:59", "11-30 06:00 to 11-30 11:59", "03-07 06:00 to 03-07 11:59",
		"11-01 06:00 to 11-01 11:59"},
	{"tomorrow morning", "11-27 06:00 to 11-27 11:59", "11-29 06:00 to 11-29 11:59",
		"11-30 06:00 to 11-30 11:59", "12-01 06:00 to 12-01 11:59", "03-08 06:00 to 03-08 11:59",
		"11-02 06:00 to 11-02 11:59"},
	{"tomorrow night", "11-27 18:00 to 11-28 05:59", "11-29 18:00 to 11-30 05:59",
		"11-30 18:00 to 12-01 05:59", "12-01 18:00 to 12-02 05:59", "03-08 18:00 to 03-09 05:59",
		"11-02 18:00 to 11-03 05:59"},
	{"saturday afternoon", "11-28 12:00 to 11-28 17:59", "11-28 12:00 to 11-28 17:59",
		"12-05 12:00 to 12-05 17:59", "12-05 12:00 to 12-05 17:59", "03-07 12:00 to 03-07 17:59",
		"11-07 12:00 to 11-07 17:59"},
	{"saturday night", "11-28 18:00 to 11-29 05:59", "11-28 18:00 to 11-29 05:59",
		"12-05 18:00 to 12-06 05:59", "12-05 18:00 to 12-06 05:59", "03-07 18:00 to 03-08 05:59",
		"11-07 18:00 to 11-08 05:59"},
	{"+3", "11-29", "12-01", "12-02", "12-03", "03-10", "11-04"},
	{"in 3 days", "11-29", "12-01", "12-02", "12-03", "03-10", "11-04"},
	{"in 1 day", "11-27", "11-29", "11-30", "12-01", "03-08", "11-02"},
	{"nov 28", "11-28", "11-28", "2027-11-28", "2027-11-28", "11-28", "11-28"},
	{"28 november", "11-28", "11-28", "2027-11-28", "2027-11-28", "11-28", "11-28"},
	{"november 28, 2026", "11-28", "11-28", "11-28", "11-28", "11-28", "11-28"},
	{"28 nov 2026", "11-28", "11-28", "11-28", "11-28", "11-28", "11-28"},
	{"february 29", "2028-02-29", "2028-02-29", "2028-02-29", "2028-02-29", "2028-02-29",
		"2028-02-29"},
	{"2026-11-28", "11-28", "11-28", "11-28", "11-28", "11-28", "11-28"},
	{"20261128", "11-28", "11-28", "11-28", "11-28", "11-28", "11-28"},
	{"2026-11-28 morning", "11-28 06:00 to 11-28 11:59", "11-28 06:00 to 11-28 11:59",
		"11-28 06:00 to 11-28 11:59", "11-28 06:00 to 11-28 11:59", "11-28 06:00 to 11-28 11:59",
		"11-28 06:00 to 11-28 11:59"},
}

func TestPhrases(t *testing.T) {
	z, err := new(zones).named("lst_ldt", "America/New_York", "", noon)
	if err != nil {
		t.Fatal(err)
	}
	clocks := []string{"2026-11-26T12:00:00-05:00", "2026-11-28T09:00:00-05:00",
		"2026-11-29T23:30:00-05:00", "2026-11-30T02:00:00-05:00", "2026-03-07T12:00:00-05:00",
		"2026-11-01T01:30:00-05:00"}
	for _, test := range phrasesOfDays {
		wants := []string{test.thu, test.sat, test.sun, test.early, test.spring, test.fall}
		for i, clock := range clocks {
			now, err := time.Parse(time.RFC3339, clock)
			if err != nil {
				t.Fatal(err)
			}
			want := wants[i]
			if !strings.Contains(want, " to ") {
				want += " 00:00 to " + want + " 23:59"
			}
			for _, text := range []string{test.phrase, strings.ToUpper(test.phrase),
				strings.ReplaceAll(test.phrase, " ", "_")} {
				p, err := reader{z, now}.read("date", text)
				from, to := p.first.Format("2006-01-02 15:04"), p.last.Format("2006-01-02 15:04")
				got := strings.ReplaceAll(from+" to "+to, "2026-", "")
				if err != nil || got != want {
					t.Errorf("%s at %s: %s, %v, want %s", text, clock, got, err, want)
				}
			}
		}
	}
}

// TestOtherPhrases checks that texts that are close to phrases are refused, not guessed.
func TestOtherPhrases(t *testing.T) {
	z, err := new(zones).named("lst_ldt", "America/New_York", "", noon)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "morning", "night", "soon", "satur", "last saturday", "next",
		"in 3 weeks", "weekend night", "november", "31 nov", "+", "+x", "3", "11/28/2026", "2026/11/28"} {
		if p, err := (reader{z, noon}).read("date", text); err == nil {
			t.Errorf("%q is read as %v to %v, want an error", text, p.first, p.last)
		}
	}
}
