package pages

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"leadline/e2e/product"
	"leadline/internal/coast"
)

// TestTables compares the tables of planning with the JSON of the same routes.
func TestTables(t *testing.T) {
	p := product.Mounted(t)
	for _, c := range []struct{ route, query, list, time, header string }{
		{"tide-windows", "station=9414131&below=0&light=daylight", "windows", "from",
			"from,to,minutes,lowest_at,lowest_ft_mllw,rate_at_from_ft_per_h,rate_at_to_ft_per_h"},
		{"tide-windows", "station=8443970&above=1&units=metric&datum=MSL&time_zone=gmt", "windows",
			"from", "from,to,minutes,highest_at,highest_m_msl"},
		{"tide-windows", "station=8443970&below=0&limit=3&offset=2", "windows", "from", "from,to"},
		{"tide-windows", "station=8443970&below=-30", "windows", "from", "from,to"},
		{"tide-ranks", "station=9414131&light=daylight", "ranks", "time",
			"rank,time,type,height_ft_mllw,sunrise"},
		{"tide-ranks", "station=8443970&what=king&year=2027", "kingTides", "from",
			"rank,from,to,days,highs,highest_at,highest_ft_mllw,above_mhhw_ft"},
		{"tide-ranks", "station=8443970&what=springs&limit=100", "springs", "phaseTime",
			"kind,phase,phase_at"},
		{"current-windows", "station=PUG1701", "windows", "from", "from,to,minutes,kind,turn,slack_at"},
		{"current-windows", "station=PUG1701&at_least=1&units=metric", "windows", "from",
			"from,to,minutes,kind,turn,slack_at,before_cm_per_s"},
		{"transits", "station=PUG1701&distance=1&speed=6&direction=with_flood&range=700", "windows",
			"departFrom", "depart_from,depart_to,minutes,best_depart,best_arrive,best_minutes"},
	} {
		o := open(t, p.URL, "/api/planning/"+c.route+".csv?"+c.query)
		if o.status != 200 ||
			o.header.Get("Content-Type") != "text/csv; charset=utf-8; header=present" {
			t.Fatalf("%s %s: %d %v %s", c.route, c.query, o.status, o.header, o.body)
		}
		if strings.Count(o.body, "\n") != strings.Count(o.body, "\r\n") {
			t.Errorf("%s: lines do not end in CRLF", c.query)
		}
		if !strings.HasPrefix(o.body, c.header) {
			t.Errorf("%s: header %.120s, want %s", c.query, o.body, c.header)
		}
		rows, err := csv.NewReader(strings.NewReader(o.body)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		query := c.query
		if !strings.Contains(query, "limit") && c.list == "windows" {
			query += "&limit=200"
		}
		var result map[string]any
		product.Decode(t, product.OverREST(t, p.URL+"/api/planning/"+c.route+"?"+query), &result)
		list, _ := result[c.list].([]any)
		if len(rows) != len(list)+1 || len(list) == 0 != strings.Contains(query, "-30") {
			t.Errorf("%s: %d rows, want %d and a header", c.query, len(rows), len(list))
		}
		column := slices.Index(rows[0],
			map[string]string{"phaseTime": "phase_at", "departFrom": "depart_from"}[c.time])
		if column < 0 {
			column = slices.Index(rows[0], c.time)
		}
		for i, row := range rows[1:] {
			want, err := time.Parse(time.RFC3339, fmt.Sprint(list[i].(map[string]any)[c.time]))
			got, other := time.Parse(time.RFC3339, row[column])
			if err != nil || other != nil || !got.Equal(want) ||
				row[column][len("2026-11-20T12:00:00"):] !=
					fmt.Sprint(list[i].(map[string]any)[c.time])[len("2026-11-20T12:00:00"):] {
				t.Errorf("%s row %d: %s, want %v", c.query, i, row[column], want)
			}
			last := row[len(row)-3:]
			if !strings.Contains(last[0], "NOAA CO-OPS") || last[1] != coast.Disclaimer ||
				(last[2] == "") != (i > 0) {
				t.Errorf("%s row %d: source, disclaimer and notes %q", c.query, i, last)
			}
		}
	}
}

// TestTablesAreAYear checks that a table has all rows of a year, beyond the most of a page.
func TestTablesAreAYear(t *testing.T) {
	p := product.Mounted(t)
	o := open(t, p.URL, "/api/planning/tide-windows.csv?station=8443970&above=5&min_minutes=0"+
		"&begin_date=2027-01-01&end_date=2027-12-31")
	if n := strings.Count(o.body, "\r\n"); n < 690 || n > 710 {
		t.Errorf("%d lines, want one for each of about 705 high waters", n)
	}
}

// TestTableLimits checks that a table spends the limits of its route, and is refused as it.
func TestTableLimits(t *testing.T) {
	p := product.Mount(t)
	get := func(query string) opened {
		return openBy(t, "GET", p.URL, "/api/planning/tide-windows.csv?"+query)
	}
	first, second := get("station=8443970&below=0"), get("station=8443970&below=0")
	var a, b int
	fmt.Sscan(first.header.Get("X-RateLimit-Remaining"), &a)
	fmt.Sscan(second.header.Get("X-RateLimit-Remaining"), &b)
	if b != a-1 {
		t.Errorf("%d requests remain after %d, want one less", b, a)
	}
	for query, want := range map[string]int{
		"station=8443970": 400, "station=8443970&below=0&x=1": 400, "station=9063020&below=0": 404,
	} {
		if o := get(query); o.status != want ||
			o.header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d %s, want %d", query, o.status, o.body, want)
		}
	}
	if o := openBy(t, "GET", p.URL, "/api/planning/places.csv?query=boston"); o.status != 404 {
		t.Errorf("places.csv: %d, want 404", o.status)
	}
}
