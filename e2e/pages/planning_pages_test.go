package pages

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"
	"time"

	"leadline/e2e/product"
)

// rowsOfPlan matches the rows of the list of a page of planning.
var rowsOfPlan = regexp.MustCompile(`(?s)<tr><th scope="row" class="nw"><a href="[^"]*">.*?</tr>`)

// TestPlansEqualREST compares the windows of pages with those that REST returns at the address that
// the page shows, and opens the calendar and the table that it links to.
func TestPlansEqualREST(t *testing.T) {
	p := product.Mounted(t)
	for _, query := range []string{
		"low-tide?place=half+moon+bay",
		"low-tide?place=half+moon+bay&below=1&light=any&weekdays=sat,sun&hours=06:00-20:00&days=90",
		"launch?place=8443970&above=2&units=metric&date=2027-03-10&days=7",
		"draft?station=8443970&draft=6&charted_depth=2&margin=1",
		"bridge?station=8443970&air_draft=50&bridge_clearance=49&offset=20",
		"slack?place=deception+pass",
		"run?place=PUG1701&at_least=6&phase=ebb",
		"passage?place=deception+pass&max_current=8",
		"extremes?place=half+moon+bay&what=lowest&days=365&light=daylight",
		"king-tides?place=Boston&year=2027",
		"springs?place=Boston&days=90",
	} {
		o := open(t, p.URL, "/planning/"+query+"&clock=24&zone=gmt")
		units := strings.Contains(o.body, `name="units"`)
		if passage := strings.HasPrefix(query, "passage"); units == passage {
			t.Errorf("%s: a field for units: %t, want %t", query, units, !passage)
		}
		curl := regexp.MustCompile(`curl &#39;http://tides.example.org([^ ]*)&#39;`).
			FindStringSubmatch(o.body)
		if o.status != 200 || curl == nil || !o.cachedByAll() {
			t.Fatalf("%s: %d %v", query, o.status, o.header)
		}
		path := html.UnescapeString(curl[1])
		if strings.Contains(query, "offset") {
			path += "&offset=20"
		}
		var rest struct {
			Windows   []struct{ From, To, DepartFrom, DepartTo time.Time }
			Ranks     []struct{ Time time.Time }
			KingTides []struct{ Highest struct{ Time time.Time } }
			Springs   []struct{ High struct{ Time time.Time } }
		}
		product.Decode(t, product.OverREST(t, p.URL+path), &rest)
		var want []string
		for _, w := range rest.Windows {
			if !w.DepartFrom.IsZero() {
				w.From, w.To = w.DepartFrom, w.DepartTo
			}
			form := "15:04"
			if w.From.YearDay() != w.To.YearDay() {
				form = "Mon 2 Jan 15:04"
			}
			want = append(want, fmt.Sprintf("%s to %s", w.From.Format("15:04"), w.To.Format(form)))
		}
		for _, r := range rest.Ranks {
			want = append(want, r.Time.Format("15:04"))
		}
		for _, k := range rest.KingTides {
			want = append(want, "at "+k.Highest.Time.Format("15:04"))
		}
		for _, s := range rest.Springs {
			want = append(want, s.High.Time.Format("15:04"))
		}
		rows := rowsOfPlan.FindAllString(o.body, -1)
		if len(rows) != len(want) || len(rows) == 0 {
			t.Errorf("%s: %d rows, want %d", query, len(rows), len(want))
			continue
		}
		for i, row := range rows {
			if !strings.Contains(row, want[i]) {
				t.Errorf("%s: row %d %s, want %s", query, i, row, want[i])
			}
		}
		opensLinks(t, p.URL, o)
	}
}

// opensLinks opens the calendar and the table that a page of planning links to.
func opensLinks(t *testing.T, base string, o opened) {
	t.Helper()
	for _, form := range []string{
		`href="(/calendars/[^"]*)"`, `href="webcal://tides.example.org([^"]*)"`,
		`href="(/api/planning/[^"]*csv[^"]*)"`,
	} {
		link := regexp.MustCompile(form).FindStringSubmatch(o.body)
		if link == nil {
			t.Errorf("%s has no link %s", o.path, form)
			continue
		}
		file := openBy(t, "GET", base, html.UnescapeString(link[1]))
		if file.status != 200 || !strings.Contains(strings.ReplaceAll(file.body, "\r\n ", ""),
			"Planning aid only. Not for navigation.") {
			t.Errorf("%s of %s: %d %.200s", link[1], o.path, file.status, file.body)
		}
	}
}

// TestPlansOfBadInput checks what a page of planning says where it has no list.
func TestPlansOfBadInput(t *testing.T) {
	p := product.Mounted(t)
	for query, want := range map[string]string{
		"low-tide?place=Springfield":                          "Give one with its state",
		"low-tide?place=nowhere":                              "No place or station that predicts tides",
		"low-tide?place=Boston&below=low":                     "below must be a number",
		"low-tide?place=Boston&below=900":                     "below must be",
		"low-tide?place=Boston&below=":                        "Windows need a condition",
		"draft?place=Boston&draft=6":                          "go together",
		"slack?place=Buffalo,+NY":                             "No station",
		"low-tide?place=9063020":                              "9063020",
		"passage?place=deception+pass&speed=0":                "speed must be",
		"king-tides?place=Boston&year=1800":                   "year must be",
		"launch?place=%3Cscript%3E&above=1":                   "&lt;script&gt;",
		"low-tide?place=Boston&hours=all+day":                 "hours must be",
		"bridge?place=TPT2705&air_draft=1&bridge_clearance=2": "has no datum MHW",
	} {
		o := open(t, p.URL, "/planning/"+query)
		if o.status != 200 || !strings.Contains(o.body, want) ||
			strings.Contains(o.body, "<script>") ||
			strings.Contains(o.body, " Example: ") || // JSON, which people do not write
			o.header.Get("Cache-Control") != "private, no-store" {
			t.Errorf("%s: %d %s without %q", query, o.status, o.header.Get("Cache-Control"), want)
		}
	}
	for query, want := range map[string]string{
		"low-tide?place=Boston&below=-20":            "In this span the tide is never below -20 ft",
		"launch?place=Boston&above=-20":              "In this span the tide is always above -20 ft",
		"low-tide?place=Boston&utm_source=x":         "Boston, MA",
		"low-tide?place=Boston&below=%E2%88%920,5":   "below \u22120.5",
		"draft?place=Boston&draft=6&charted_depth=2": "Draft 6 + margin 2 - charted depth 2",
	} {
		o := open(t, p.URL, "/planning/"+query)
		if o.status != 200 || !strings.Contains(html.UnescapeString(o.body), want) {
			t.Errorf("%s: %d without %q", query, o.status, want)
		}
	}
	if o := open(t, p.URL, "/planning/nothing"); o.status != 404 {
		t.Errorf("an unknown plan: %d", o.status)
	}
}

// TestRoutePage compares the departures of the page of routes with those that REST returns for the
// request that the page shows.
func TestRoutePage(t *testing.T) {
	p := product.Mounted(t)
	const gates = "/planning/route?station1=deception+pass&leg1=2&distance1=0,5&max_current1=3" +
		"&station4=pug1717&leg4=10&distance4=1&direction4=with_ebb&clock=24"
	o := open(t, p.URL, gates+"&days=30&light=daylight&zone=gmt")
	body := regexp.MustCompile(`-d &#39;(.*?)&#39;`).FindStringSubmatch(o.body)
	if o.status != 200 || body == nil || !o.cachedByAll() {
		t.Fatalf("%d %v", o.status, o.header)
	}
	var rest struct {
		Total   int
		Gates   []struct{ Station struct{ Name string } }
		Windows []struct {
			DepartFrom, DepartTo time.Time
			Gates                []struct{ Enter, Leave time.Time }
		}
	}
	product.Decode(
		t,
		product.PostTo(t, p.URL+"/api/planning/routes", html.UnescapeString(body[1])),
		&rest,
	)
	rows := rowsOfPlan.FindAllString(o.body, -1)
	if len(rest.Gates) != 2 || len(rows) != rest.Total || len(rest.Windows) != rest.Total ||
		rest.Total < 30 {
		t.Fatalf(
			"%d gates, %d rows, %d windows of %d",
			len(rest.Gates),
			len(rows),
			len(rest.Windows),
			rest.Total,
		)
	}
	for i, w := range rest.Windows {
		want := []time.Time{w.DepartFrom, w.DepartTo, w.Gates[0].Enter, w.Gates[1].Leave}
		for _, at := range want {
			if !strings.Contains(rows[i], at.Format("15:04")) {
				t.Errorf("row %d %s, want %v", i, rows[i], at)
			}
		}
	}
	for _, want := range []string{
		rest.Gates[1].Station.Name, `name="station3"`, `value="0.5"`, "against at most 3",
		"Gate 2", "does not say that a passage is possible", "Planning aid only. Not for navigation.",
	} {
		if !strings.Contains(html.UnescapeString(o.body), want) {
			t.Errorf("the page does not have %q", want)
		}
	}
	for query, want := range map[string]string{
		"":                                        "Gate 2",
		"?station1=nowhere&distance1=1":           "Gate 1: No place or station that predicts currents",
		"?station1=PUG1701&distance1=far":         "Gate 1: distance must be a number",
		"?station1=PUG1701&distance1=900":         "Gate 1: distance must be",
		"?station1=PUG1701&station2=9414131":      "Gate 2: ",
		"?station1=PUG1701&speed=0":               "speed must be",
		"?station1=PUG1701&direction1=sideways":   "Gate 1: direction must be",
		"?station1=%3Cscript%3E":                  "&lt;script&gt;",
		"?station1=PUG1701&max_current1=0&days=7": "",
	} {
		o := open(t, p.URL, "/planning/route"+query)
		if o.status != 200 || !strings.Contains(o.body, want) ||
			strings.Contains(o.body, "<script>") {
			t.Errorf("%s: %d without %q: %s", query, o.status, want, o.body)
		}
	}
	full := "?"
	for n := 1; n <= 7; n++ {
		full += fmt.Sprintf("station%d=PUG1701&distance%d=0.1&", n, n)
	}
	if o := open(t, p.URL, "/planning/route"+full); strings.Count(o.body, "<legend>") != 6 {
		t.Errorf("%d gates, want 6", strings.Count(o.body, "<legend>"))
	}
}

// TestLeastCurrentAtPoint checks that the best time at a point is that of slack, not the first of
// the flood.
func TestLeastCurrentAtPoint(t *testing.T) {
	p := product.Mounted(t)
	var out struct {
		Windows []struct {
			Open []string
			Best struct{ MaxCurrent float64 }
		}
	}
	product.Decode(
		t,
		product.OverREST(t, p.URL+"/api/planning/transits?station=PUG1701&distance=0&speed=6"+
			"&direction=with_flood"),
		&out,
	)
	if len(out.Windows) < 20 {
		t.Fatalf("%d windows", len(out.Windows))
	}
	for i, w := range out.Windows {
		if len(w.Open) == 0 && w.Best.MaxCurrent > 0.1 {
			t.Errorf("window %d: the least current is %v kn", i, w.Best.MaxCurrent)
		}
	}
}
