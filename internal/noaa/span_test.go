package noaa

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"leadline/internal/coast"
	"leadline/internal/upstream"
)

// at parses a time in UTC: 2025-01-02 or 2025-01-02 15:04.
func at(t testing.TB, s string) time.Time {
	t.Helper()
	format := "2006-01-02 15:04"
	when, err := time.Parse(format[:len(s)], s)
	if err != nil {
		t.Fatal(err)
	}
	return when
}

func period(t testing.TB, from, to string) Period {
	t.Helper()
	return Period{at(t, from), at(t, to)}
}

// written returns parts as in URLs.
func written(parts []part) string {
	var list []string
	for _, p := range parts {
		q := url.Values{}
		p.days(q)
		list = append(list,
			strings.TrimPrefix(q.Get("begin_date")+"-"+q.Get("end_date")+q.Get("date"), "-"))
	}
	return strings.Join(list, " ")
}

func TestSplit(t *testing.T) {
	const now = "2025-11-20 15:04"
	for _, test := range []struct {
		q        dataQuery
		from, to string
		want     string
	}{
		{dataQuery{limit: 31}, "2025-11-20 14:00", "2025-11-20 15:00", "20251120-20251120"},
		{dataQuery{limit: 31}, "2025-11-19 15:04", "2025-11-20 15:04", "20251119-20251120"},
		{dataQuery{limit: 31}, "2025-11-19 23:59", "2025-11-20 00:00", "20251119-20251120"},
		{dataQuery{limit: 31}, "2025-10-21", "2025-11-20 23:59", "20251021-20251120"},
		// there are no observations of tomorrow
		{dataQuery{limit: 31}, "2025-11-20 15:00", "2026-11-20", "20251120-20251120"},
		{dataQuery{limit: 31, ahead: true}, "2025-11-20", "2025-11-25", "20251120-20251125"},
		// 2025-10-14 is day 20375: 657 parts of 31 days, and 8 days
		{dataQuery{limit: 31}, "2025-10-14", "2025-11-14", "20251006-20251105 20251106-20251120"},
		{dataQuery{limit: 31}, "2025-09-21 15:04", "2025-11-20 15:04",
			"20250905-20251005 20251006-20251105 20251106-20251120"},
		{dataQuery{limit: 31, ahead: true}, "2025-09-21", "2025-11-20",
			"20250905-20251005 20251006-20251105 20251106-20251206"},
		{dataQuery{limit: 4}, "2025-11-14", "2025-11-20",
			"20251112-20251115 20251116-20251119 20251120-20251120"},
		{dataQuery{limit: 7}, "1969-12-25", "1970-01-08",
			"19691225-19691231 19700101-19700107 19700108-19700114"},
		// 40 days from a boundary on are ten parts; from other days they would be eleven
		{dataQuery{limit: 4}, "2025-01-03", "2025-02-11",
			"20250103-20250106 20250107-20250110 20250111-20250114 20250115-20250118 20250119-20250122 " +
				"20250123-20250126 20250127-20250130 20250131-20250203 20250204-20250207 20250208-20250211"},
		{dataQuery{limit: 3650, unit: days}, "2025-11-18 15:04", "2025-11-20 15:04", "20251118-20251120"},
		{dataQuery{limit: 73000, unit: months}, "2024-11-20", "2025-02-02", "20241101-20250228"},
		{dataQuery{limit: 73000, unit: months}, "2024-11-20", "2025-11-20 15:04", "20241101-20251120"},
		{dataQuery{limit: 73000, unit: months}, "1856-01-01", "2025-11-20 15:04", "18560101-20251120"},
	} {
		parts, err := test.q.split(period(t, test.from, test.to), at(t, now))
		if got := written(parts); err != nil || got != test.want {
			t.Errorf("%d days, %s to %s: %s, %v, want %s", test.q.limit, test.from, test.to, got, err,
				test.want)
		}
	}
	parts, err := dataQuery{limit: 31}.split(Period{}, at(t, now))
	if got := written(parts); err != nil || got != "latest" {
		t.Errorf("the newest: %s, %v", got, err)
	}
}

func TestSplitRefuses(t *testing.T) {
	now := at(t, "2025-11-20 15:04")
	for _, test := range []struct {
		from, to string
		code     coast.Code
		words    string
	}{
		{"2025-11-20", "2025-11-19", coast.InvalidRequest, "before it begins"},
		{"2025-11-20 15:05", "2025-11-21", coast.ProductUnavailable, "Observations end now"},
		{"2025-01-14", "2025-11-20", coast.RangeTooLong, "at most 310 days of water level"},
		{"0001-01-02", "2025-11-20", coast.RangeTooLong, "at most 310"},
	} {
		parts, err := dataQuery{product: "water_level", limit: 31}.split(period(t, test.from, test.to),
			now)
		var e *coast.Error
		if !errors.As(err, &e) || e.Code != test.code || !strings.Contains(e.Message, test.words) {
			t.Errorf("%s to %s: %s, %v, want %s with %q", test.from, test.to, written(parts), err, test.code,
				test.words)
		}
	}
}

// TestSplitCovers checks for random periods that there are at most ten parts within the limit.
// They must not overlap, and must cover the period up to today.
func TestSplitCovers(t *testing.T) {
	now := at(t, "2025-11-20 15:04")
	for _, limit := range []int{4, 7, 31, 365, 366, 3650} {
		for length := 0; length < limit*maxParts; length += 1 + limit/3 {
			for shift := range 40 {
				from := midnight(dayOf(now) - length - shift)
				checkCover(t, dataQuery{limit: limit}, Period{from, from.AddDate(0, 0, length)}, now)
			}
		}
	}
}

func checkCover(t *testing.T, q dataQuery, p Period, now time.Time) {
	t.Helper()
	parts, err := q.split(p, now)
	if err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("%d days, %v: %s", q.limit, p, written(parts))
	if len(parts) > maxParts || parts[0].first > dayOf(p.From) ||
		parts[len(parts)-1].last < dayOf(p.To) || parts[len(parts)-1].last > dayOf(now) {
		t.Fatal(name)
	}
	for i, part := range parts {
		if part.last < part.first || part.last-part.first >= q.limit || i > 0 &&
			part.first != parts[i-1].last+1 {
			t.Fatal(name)
		}
	}
}

// TestOldPartsKeepTheirURLs checks that a client that requests 60 days every day only requests
// the newest part again, and sometimes a new one.
func TestOldPartsKeepTheirURLs(t *testing.T) {
	q := dataQuery{limit: 31, class: live}
	known := map[string]bool{}
	for d := range 200 {
		now := at(t, "2025-01-01 12:00").AddDate(0, 0, d)
		parts, err := q.split(Period{now.AddDate(0, 0, -60), now}, now)
		if err != nil {
			t.Fatal(err)
		}
		for i, piece := range parts {
			name := written([]part{piece})
			if d > 0 && i < len(parts)-1 && !known[name] {
				t.Errorf("on %v part %s of %s is not cached", now, name, written(parts))
			}
			known[name] = true
		}
	}
}

func TestClassOf(t *testing.T) {
	now := at(t, "2025-11-20 00:30")
	q := dataQuery{class: live}
	for last, want := range map[string]any{"2025-11-20": live, "2025-11-19": live, "2025-11-18": live,
		"2025-11-17": settled, "1999-01-01": settled} {
		if got := q.classOf(part{last: dayOf(at(t, last))}, now); got != want {
			t.Errorf("until %s: %v, want %v", last, got, want)
		}
	}
	for _, test := range [][2]upstream.Class{{live, live}, {slow, slow}, {settled, live}} {
		if got := (dataQuery{class: test[0]}).classOf(part{newest: true}, now); got != test[1] {
			t.Errorf("the newest of %v: %v, want %v", test[0], got, test[1])
		}
	}
}

func TestDayOf(t *testing.T) {
	for day, want := range map[string]int{"1970-01-01": 0, "1969-12-31 23:59": -1, "1969-12-31": -1,
		"1970-01-01 23:59": 0, "1970-01-02": 1, "2025-11-20 15:04": 20412} {
		if got := dayOf(at(t, day)); got != want {
			t.Errorf("dayOf(%s) = %d, want %d", day, got, want)
		}
	}
	far := time.Date(9999, 12, 31, 12, 0, 0, 0, time.UTC)
	if got := midnight(dayOf(far)); !got.Equal(far.Add(-12 * time.Hour)) {
		t.Errorf("midnight of %v = %v", far, got)
	}
}
