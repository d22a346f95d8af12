package facts

import (
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 11, 20, 17, 0, 0, 0, time.UTC)

func TestSpan(t *testing.T) {
	now := time.Date(2026, 11, 20, 20, 4, 30, 0, time.UTC) // 15:04:30 in New York
	tests := []struct {
		name     string
		span     Span
		zone     string
		from, to string
	}{
		{"nothing", Span{}, "lst_ldt", "2026-11-20T15:04:00-05:00", "2026-11-22T15:04:00-05:00"},
		{"range", Span{Range: 3}, "lst_ldt", "2026-11-20T15:04:00-05:00", "2026-11-20T18:04:00-05:00"},
		{"today", Span{Date: "today"}, "lst_ldt", "2026-11-20T00:00:00-05:00",
			"2026-11-20T23:59:00-05:00"},
		{"today gmt", Span{Date: "today"}, "gmt", "2026-11-20T00:00:00Z", "2026-11-20T23:59:00Z"},
		{"recent", Span{Date: "recent"}, "gmt", "2026-11-17T20:04:30Z", "2026-11-20T20:04:30Z"},
		{"latest", Span{Date: "latest"}, "gmt", "2026-11-20T20:04:30Z", "2026-11-20T20:04:30Z"},
		{"day", Span{Begin: "20260308"}, "lst_ldt", "2026-03-08T00:00:00-05:00",
			"2026-03-08T23:59:00-04:00"},
		{"day of 25 h", Span{Begin: "2026-11-01", End: "2026-11-01"}, "lst_ldt",
			"2026-11-01T00:00:00-04:00", "2026-11-01T23:59:00-05:00"},
		{"summer in lst", Span{Begin: "2026-07-01"}, "lst", "2026-07-01T00:00:00-05:00",
			"2026-07-01T23:59:00-05:00"},
		{"minute only", Span{Begin: "2026-07-01 12:30"}, "lst_ldt", "2026-07-01T12:30:00-04:00",
			"2026-07-03T12:30:00-04:00"},
		{"minute with T", Span{Begin: "2026-11-22T15:00"}, "lst_ldt", "2026-11-22T15:00:00-05:00",
			"2026-11-24T15:00:00-05:00"},
		{"instant only", Span{Begin: "2026-11-22T15:00:00Z"}, "lst_ldt", "2026-11-22T10:00:00-05:00",
			"2026-11-24T10:00:00-05:00"},
		{"instant without seconds", Span{Begin: "2026-11-22T15:00-08:00", Range: 1}, "gmt",
			"2026-11-22T23:00:00Z", "2026-11-23T00:00:00Z"},
		{"tomorrow", Span{Date: "tomorrow"}, "lst_ldt", "2026-11-21T00:00:00-05:00",
			"2026-11-21T23:59:00-05:00"},
		{"Tomorrow as begin", Span{Begin: "Tomorrow"}, "lst_ldt", "2026-11-21T00:00:00-05:00",
			"2026-11-21T23:59:00-05:00"},
		{"from today to tomorrow", Span{Begin: "today", End: "tomorrow"}, "gmt", "2026-11-20T00:00:00Z",
			"2026-11-21T23:59:00Z"},
		{"the next saturday", Span{Date: "saturday"}, "lst_ldt", "2026-11-21T00:00:00-05:00",
			"2026-11-21T23:59:00-05:00"},
		{"a short weekday", Span{Begin: "Thu"}, "lst_ldt", "2026-11-26T00:00:00-05:00",
			"2026-11-26T23:59:00-05:00"},
		{"the weekday of today", Span{Date: "Friday"}, "lst_ldt", "2026-11-20T00:00:00-05:00",
			"2026-11-20T23:59:00-05:00"},
		{"the weekday of another zone", Span{Date: "fri"}, "Pacific/Auckland",
			"2026-11-27T00:00:00+13:00", "2026-11-27T23:59:00+13:00"},
		{"a day to come", Span{Date: "+3"}, "lst_ldt", "2026-11-23T00:00:00-05:00",
			"2026-11-23T23:59:00-05:00"},
		{"yesterday", Span{Date: "yesterday"}, "gmt", "2026-11-19T00:00:00Z", "2026-11-19T23:59:00Z"},
		{"a day as date", Span{Date: "2026-11-22"}, "utc", "2026-11-22T00:00:00Z",
			"2026-11-22T23:59:00Z"},
		{"a minute as date", Span{Date: "2026-11-22T15:00"}, "UTC", "2026-11-22T15:00:00Z",
			"2026-11-24T15:00:00Z"},
		{"now", Span{Begin: "now", Range: 6}, "gmt", "2026-11-20T20:04:30Z", "2026-11-21T02:04:30Z"},
		{"another zone", Span{Date: "today"}, "Pacific/Honolulu", "2026-11-20T00:00:00-10:00",
			"2026-11-20T23:59:00-10:00"},
		{"tomorrow of another zone", Span{Date: "tomorrow"}, "Pacific/Auckland",
			"2026-11-22T00:00:00+13:00", "2026-11-22T23:59:00+13:00"},
		{"repeated minute is the first", Span{Begin: "2026-11-01 01:30", Range: 1}, "lst_ldt",
			"2026-11-01T01:30:00-04:00", "2026-11-01T01:30:00-05:00"},
		{"offset", Span{Begin: "2026-11-01T01:30:00-05:00", Range: 1}, "lst_ldt",
			"2026-11-01T01:30:00-05:00", "2026-11-01T02:30:00-05:00"},
		{"end and range", Span{End: "20261231", Range: 24}, "gmt", "2026-12-30T23:59:00Z",
			"2026-12-31T23:59:00Z"},
		{"over New Year", Span{Begin: "2026-12-31", End: "2027-01-01"}, "gmt", "2026-12-31T00:00:00Z",
			"2027-01-01T23:59:00Z"},
	}
	for _, test := range tests {
		z, err := new(zones).named(test.zone, "America/New_York", "", now)
		if err != nil {
			t.Fatal(err)
		}
		got, err := test.span.resolve(now, z, true, 48*time.Hour)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if from, to := got.From.Format(time.RFC3339), got.To.Format(time.RFC3339); from != test.from ||
			to != test.to {
			t.Errorf("%s = %s to %s, want %s to %s", test.name, from, to, test.from, test.to)
		}
	}
}

func TestSpanFaults(t *testing.T) {
	z, err := new(zones).named("lst_ldt", "America/New_York", "", noon)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		span Span
		want string
	}{
		{Span{Date: "today", Range: 3}, "date, range together"},
		{Span{Begin: "2026-01-01", End: "2026-01-02", Range: 3}, "begin_date, end_date, range together"},
		{Span{End: "2026-01-02"}, "needs begin_date or range"},
		{Span{Begin: "2026-01-03", End: "2026-01-02"}, "is after end_date"},
		{Span{Begin: "2026-02-30"}, "a valid calendar day"},
		{Span{Begin: "soon"}, "begin_date must be a valid calendar day"},
		{Span{Begin: "11/22/2026"}, `not "11/22/2026". Write 2026-11-22, if that is the day.`},
		{Span{Date: "11/22/2026"}, `Write 2026-11-22, if that is the day. For several days use begin_date`},
		{Span{Begin: "today", End: "11/22/2026"}, "end_date must be"},
		{Span{Date: "soon"}, "today, tomorrow, yesterday, a weekday, latest, recent or a day"},
		{Span{Begin: "3"}, "a valid calendar day"},
		{Span{Begin: "+-3"}, "a valid calendar day"},
		{Span{Begin: "satur"}, "a valid calendar day"},
		{Span{Begin: "+65000"}, "the years 1900 to 2100"},
		{Span{Begin: "1492-10-12"}, "the years 1900 to 2100"},
		{Span{Begin: "2026-03-08 02:30"}, "nearest minutes that do are 01:59 and 03:00"},
	} {
		_, err := test.span.resolve(noon, z, true, time.Hour)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v, want %q in it", test.span, err, test.want)
		}
	}
}

// FuzzTime checks that an accepted date is in the years that can be predicted, and that its
// end is not before its beginning.
func FuzzTime(f *testing.F) {
	for _, seed := range []string{
		"2026-11-20", "20261120 15:04", "2026-11-01T01:30:00-05:00", "2026-02-30", "0000-00-00",
		"2026-03-08 02:30",
	} {
		f.Add(seed)
	}
	z, err := new(zones).named("lst_ldt", "America/New_York", "", noon)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		span, err := Span{Begin: text}.resolve(noon, z, true, 48*time.Hour)
		if err == nil &&
			(span.From.Year() < firstYear || span.To.Year() > lastYear || span.To.Before(span.From)) {
			t.Errorf("resolve(%q) = %v", text, span)
		}
	})
}
