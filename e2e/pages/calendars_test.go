package pages

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	ics "github.com/arran4/golang-ical"

	"leadline/e2e/product"
	"leadline/internal/config"
)

// planned are calendars of planning, with the least and the most events that each may have.
var planned = []struct {
	query       string
	least, most int
}{
	{"tide-windows.ics?station=9414131&below=0&light=daylight", 100, 160},
	{"tide-windows.ics?station=9414131&below=0&light=daylight&alarm=30&weekdays=sat,sun", 25, 60},
	{"tide-windows.ics?place=Boston,+MA&above=9&units=english&time_zone=gmt", 300, 760},
	{
		"tide-windows.ics?station=8443970&draft=6&charted_depth=2&margin=1&hours=06:00-20:30",
		300,
		900,
	},
	{"tide-windows.ics?station=8443970&air_draft=50&bridge_clearance=52&units=metric", 1, 760},
	{"tide-windows.ics?station=9414131&below=-20", 1, 1},
	{"tide-windows.ics?station=9414131&above=-20", 1, 1},
	{"tide-windows.ics?station=8443970&below=0&begin_date=2027-03-01&end_date=2027-03-31", 5, 62},
	{"tide-windows.ics?station=9414131&above=-1.2&min_minutes=0&light=moonlit", 100, 400},
	{"tide-windows.ics?station=TPT2705&below=0", 1, 900},
	{"current-windows.ics?station=PUG1701&alarm=30", 1001, 1001},
	{"current-windows.ics?station=PUG1701&at_least=1&phase=flood&light=daylight", 400, 600},
	{"current-windows.ics?station=PUG1701&at_least=90", 1, 1},
	{"current-windows.ics?station=PUG1701&at_most=90&units=metric", 1, 1001},
	{
		"transits.ics?station=PUG1701&distance=1&speed=6&direction=with_flood&light=daylight",
		300,
		900,
	},
	{
		"transits.ics?station=PUG1701&distance=1&speed=6&direction=with_ebb&alarm=30&units=metric",
		400,
		1001,
	},
	{"transits.ics?station=PUG1701&distance=0&speed=6&max_current=0", 1, 1001},
	{"transits.ics?station=PUG1701&distance=0&speed=6&max_current=20", 1, 1},
	{"transits.ics?station=PUG1701&distance=1&speed=6&course=90&range=48", 1, 20},
	{"tide-ranks.ics?station=9414131&light=daylight", 8, 20},
	{"tide-ranks.ics?station=8443970&what=highest&limit=100", 50, 200},
	{"tide-ranks.ics?station=8443970&what=king", 2, 12},
	{"tide-ranks.ics?station=8443970&what=king&year=2030", 2, 12},
	{"tide-ranks.ics?station=8443970&what=springs&alarm=60", 40, 60},
	{"tide-ranks.ics?station=8761724&what=springs", 40, 70},
	{"tide-ranks.ics?station=8443970&what=highest&light=dark&begin_date=2027-01-01", 1, 10},
}

// alarms matches the alarms of a calendar.
var alarms = regexp.MustCompile(`(?s)BEGIN:VALARM\r\n.*?END:VALARM\r\n`)

// TestCalendarsOfPlanning checks every calendar by the rules of RFC 5545 and with a parser that
// others wrote.
func TestCalendarsOfPlanning(t *testing.T) {
	p := product.Mounted(t)
	for _, c := range planned {
		o := open(t, p.URL, "/calendars/"+c.query)
		if o.status != 200 || o.header.Get("Content-Type") != "text/calendar; charset=utf-8" ||
			o.header.Get("Cache-Control") != "public, max-age=43200" ||
			o.header.Get("X-RateLimit-Limit") != "" {
			t.Fatalf("%s: %d %v %s", c.query, o.status, o.header, o.body)
		}
		parsed, err := ics.ParseCalendar(strings.NewReader(o.body))
		if err != nil {
			t.Fatalf("%s: %v", c.query, err)
		}
		events := readCalendar(t, alarms.ReplaceAllString(o.body, ""))
		if n := len(parsed.Events()); n < c.least || n > c.most || n != len(events) {
			t.Errorf(
				"%s: %d and %d events, want %d to %d",
				c.query,
				n,
				len(events),
				c.least,
				c.most,
			)
		}
		ids := map[string]bool{}
		for _, e := range parsed.Events() {
			checkPlanned(t, c.query, e)
			ids[e.Id()] = true
		}
		if len(ids) != len(parsed.Events()) {
			t.Errorf("%s: %d UIDs of %d events", c.query, len(ids), len(parsed.Events()))
		}
	}
}

// checkPlanned checks what every event of planning has.
func checkPlanned(t *testing.T, query string, e *ics.VEvent) {
	t.Helper()
	text := func(p ics.ComponentProperty) string {
		if v := e.GetProperty(p); v != nil {
			return v.Value
		}
		return ""
	}
	about := text(ics.ComponentPropertyDescription)
	datum := strings.HasPrefix(query, "tide")
	if datum && !strings.Contains(about, "MLLW (epoch ") &&
		!strings.Contains(about, "MHW (epoch ") &&
		!strings.Contains(about, "MLLW.") && !strings.Contains(about, "MLLW,") &&
		!strings.Contains(about, "No event") {
		t.Errorf("%s: no epoch in %q", query, about)
	}
	if !strings.HasSuffix(about, "Planning aid only. Not for navigation.") ||
		!strings.Contains(about, "Source: harmonic constants of NOAA CO-OPS") {
		t.Errorf("%s: no source or disclaimer in %q", query, about)
	}
	if text(ics.ComponentPropertyTransp) != "TRANSPARENT" ||
		text(ics.ComponentPropertySummary) == "" {
		t.Errorf("%s: %+v", query, e.Properties)
	}
	if !strings.HasPrefix(text(ics.ComponentPropertyUrl), "http://tides.example.org/stations/") {
		t.Errorf("%s: URL %q", query, text(ics.ComponentPropertyUrl))
	}
	start, err := e.GetStartAt()
	if err != nil {
		start, err = e.GetAllDayStartAt()
	}
	if err != nil {
		t.Errorf("%s: %v", query, err)
	}
	if end, err := e.GetEndAt(); err == nil && !end.After(start) {
		t.Errorf("%s: from %v to %v", query, start, end)
	}
	_, allDay := e.GetProperty(ics.ComponentPropertyDtStart).ICalParameters["VALUE"]
	if want := strings.Contains(query, "alarm") && !allDay; (len(e.Alarms()) == 1) != want {
		t.Errorf("%s: %d alarms, want %v", query, len(e.Alarms()), want)
	}
}

// TestUnknownZones requests every calendar of planning, and every page that takes the same
// parameters, with unknown time zones. A calendar returns the error of the REST route.
func TestUnknownZones(t *testing.T) {
	p := product.Mounted(t)
	const span = "&begin_date=2026-12-01&end_date=2026-12-02"
	for _, query := range []string{
		"tide-windows?station=8443970&below=0",
		"tide-windows?station=8443970&below=0" + span,
		"tide-ranks?station=8443970",
		"tide-ranks?station=8443970&what=king",
		"tide-ranks?station=8443970&what=springs" + span,
		"current-windows?station=PUG1701&at_most=0.5",
		"current-windows?station=PUG1701&at_most=0.5" + span,
		"transits?station=PUG1701&distance=1&speed=6&direction=with_ebb",
		"transits?station=PUG1701&distance=1&speed=6&direction=with_ebb" + span,
	} {
		for _, zone := range []string{"x", "Mars/Base", "../etc/passwd", "Local", "%00"} {
			query := query + "&time_zone=" + zone
			name, values, _ := strings.Cut(query, "?")
			o := open(t, p.URL, "/calendars/"+name+".ics?"+values)
			rest := open(t, p.URL, "/api/planning/"+query)
			if o.status != 400 || o.body != rest.body || !strings.Contains(o.body, "IANA name") {
				t.Errorf("calendar %s: %d %s, want %d %s", query, o.status, o.body, rest.status, rest.body)
			}
			if page := open(t, p.URL, "/planning/"+query+"&zone="+zone); page.status >= 500 {
				t.Errorf("page %s: %d", query, page.status)
			}
		}
	}
	for _, path := range []string{
		"/stations/8443970", "/stations/8443970/tide.ics", "/stations/8443970/tide.svg",
		"/stations/8443970/2026-12", "/stations/PUG1701", "/stations/PUG1701/tide.ics", "/",
	} {
		path += "?time_zone=x&zone=Mars/Base"
		if o := open(t, p.URL, path); o.status >= 500 {
			t.Errorf("page %s: %d", path, o.status)
		}
	}
}

// TestCalendarEqualsREST compares the windows of a calendar with those of the REST route.
func TestCalendarEqualsREST(t *testing.T) {
	p := product.Mounted(t)
	const query = "station=9414131&below=0&light=daylight"
	var rest struct {
		Windows []struct{ From, To time.Time }
	}
	product.Decode(
		t,
		product.OverREST(t, p.URL+"/api/planning/tide-windows?limit=400&begin_date=2026-11-21"+
			"&end_date=2027-11-15&"+query),
		&rest,
	)
	calendar, err := ics.ParseCalendar(strings.NewReader(
		open(t, p.URL, "/calendars/tide-windows.ics?"+query).body))
	if err != nil {
		t.Fatal(err)
	}
	ends := map[time.Time]time.Time{}
	for _, e := range calendar.Events() {
		from, _ := e.GetStartAt()
		ends[from.UTC()], _ = e.GetEndAt()
	}
	if len(rest.Windows) < 90 {
		t.Fatalf("%d windows over REST", len(rest.Windows))
	}
	for _, w := range rest.Windows {
		if got := ends[w.From.UTC()]; !got.Equal(w.To) {
			t.Errorf(
				"the window from %v ends at %v in the calendar, at %v over REST",
				w.From,
				got,
				w.To,
			)
		}
	}
}

// TestCalendarsAreStable checks that a calendar has the same bytes and tag all day, and that an
// event has the same bytes on the next day.
func TestCalendarsAreStable(t *testing.T) {
	clock := product.Noon()
	p := product.Setup{Now: func() time.Time { return clock }, Offline: true}.Start(t)
	for _, path := range []string{
		"/calendars/tide-windows.ics?station=9414131&below=0&light=daylight",
		"/calendars/tide-windows.ics?station=8443970&above=9&hours=22:00-04:00",
		"/calendars/tide-ranks.ics?station=9414131&light=daylight",
		"/calendars/tide-ranks.ics?station=9414131&what=king",
	} {
		clock = product.Noon()
		first := open(t, p.URL, path)
		clock = product.Noon().Add(10 * time.Hour)
		same := open(t, p.URL, path, "If-None-Match", first.header.Get("Etag"))
		if same.status != 304 {
			t.Errorf("%s: %d ten hours later, want 304", path, same.status)
		}
		clock = product.Noon().Add(30 * time.Hour)
		events := map[string]string{}
		for e := range strings.SplitSeq(first.body, "BEGIN:VEVENT\r\n") {
			uid, _, _ := strings.Cut(e, "\r\nDTSTAMP")
			events[uid] = strings.TrimSuffix(e, "END:VCALENDAR\r\n")
		}
		shared := 0
		for e := range strings.SplitSeq(open(t, p.URL, path).body, "BEGIN:VEVENT\r\n") {
			uid, _, _ := strings.Cut(e, "\r\nDTSTAMP")
			if was, ok := events[uid]; ok && !strings.HasPrefix(e, "BEGIN:VCALENDAR") {
				shared++
				if e = strings.TrimSuffix(e, "END:VCALENDAR\r\n"); e != was {
					t.Errorf("%s: on the next day\n%s\nwas\n%s", path, e, was)
				}
			}
		}
		if shared < len(events)-5 || shared < 2 {
			t.Errorf("%s: %d of %d events are shared with the next day", path, shared, len(events))
		}
	}
}

// TestCalendarUIDsOfConditions checks that different conditions have different UIDs, and that the
// unit and the zone of the texts do not change them.
func TestCalendarUIDsOfConditions(t *testing.T) {
	p := product.Mounted(t)
	uids := func(query string) (list []string) {
		o := open(t, p.URL, "/calendars/tide-windows.ics?station=9414131&"+query)
		for _, m := range regexp.MustCompile(`UID:(.*)\r`).FindAllStringSubmatch(o.body, -1) {
			list = append(list, m[1])
		}
		return list
	}
	first := strings.Join(uids("below=1"), "\n")
	if got := strings.Join(uids("below=0.3048&units=metric&time_zone=gmt"), "\n"); got != first {
		t.Error("another unit and zone change the UIDs")
	}
	seen := map[string]string{}
	for _, query := range []string{
		"below=1", "below=1.1", "above=1", "below=1&light=daylight", "below=1&weekdays=sat",
		"below=1&hours=06:00-20:00", "below=1&datum=MSL", "below=1&min_minutes=60",
	} {
		for _, uid := range uids(query) {
			if other, ok := seen[uid]; ok {
				t.Fatalf("%s and %s share %s", query, other, uid)
			}
			seen[uid] = query
		}
	}
}

// TestCalendarLimits checks that a computed calendar counts in the rate limit of REST, and one
// from memory in that of calendars alone.
func TestCalendarLimits(t *testing.T) {
	p := product.Setup{
		Now:     product.Noon,
		Offline: true,
		With:    func(c *config.Config) { c.Plans = "" },
	}.Start(
		t,
	)
	left := func() string {
		t.Helper()
		o := open(t, p.URL, "/api/planning/places?query=boston")
		return o.header.Get("X-RateLimit-Remaining")
	}
	path := func(below string) string {
		return "/calendars/tide-windows.ics?station=9414131&below=" + below
	}
	if got := left(); got != "29" {
		t.Fatalf("%s requests remain, want 29", got)
	}
	for range 5 {
		open(t, p.URL, path("0"))
	}
	if got := left(); got != "27" {
		t.Errorf("%s requests remain after a calendar that was computed once, want 27", got)
	}
	for i := range 40 {
		o := open(t, p.URL, path(fmt.Sprintf("-1.%02d", i)))
		if o.status == 429 {
			if i != 27 || o.header.Get("Retry-After") == "" ||
				o.header.Get("Cache-Control") != "no-store" {
				t.Errorf("calendar %d: %d %v", i, o.status, o.header)
			}
			break
		}
	}
	if o := open(t, p.URL, path("0")); o.status != 200 {
		t.Errorf("a calendar in memory: %d %s", o.status, o.body)
	}
	refused := 0
	for range 400 {
		if o := open(t, p.URL, path("0"), "If-None-Match", "*"); o.status == 429 {
			refused++
		}
	}
	if refused == 0 || refused > 150 {
		t.Errorf(
			"%d of 400 requests for a calendar in memory are refused, want some over 300",
			refused,
		)
	}
}

// TestCalendarRefusals checks that a calendar that cannot be made is refused as over REST.
func TestCalendarRefusals(t *testing.T) {
	p := product.Mounted(t)
	for path, want := range map[string]int{
		"/calendars/tide-windows.ics":                                                400,
		"/calendars/tide-windows.ics?station=9414131":                                400,
		"/calendars/tide-windows.ics?station=9414131&below=0&above=1":                400,
		"/calendars/tide-windows.ics?station=9414131&below=low":                      400,
		"/calendars/tide-windows.ics?station=9414131&below=0&alarm=-5":               400,
		"/calendars/tide-windows.ics?station=9414131&below=0&utm=x":                  400,
		"/calendars/tide-windows.ics?station=9414131&below=0&range=9000":             400,
		"/calendars/tide-windows.ics?station=9414131&below=%zz":                      400,
		"/calendars/tide-windows.ics?station=9063020&below=0":                        404,
		"/calendars/tide-windows.ics?station=1234567&below=0":                        404,
		"/calendars/tide-ranks.ics?station=9414131&what=king&light=dark":             400,
		"/calendars/tides.ics?station=9414131":                                       404,
		"/calendars/x.ics":                                                           404,
		"/calendars/tide-windows.ics?station=TPT2705&air_draft=1&bridge_clearance=2": 400,
	} {
		o := openBy(t, "GET", p.URL, path)
		if o.status != want || !json.Valid([]byte(o.body)) ||
			o.header.Get("Cache-Control") != "no-store" {
			t.Errorf(
				"%s: %d %s %s, want %d",
				path,
				o.status,
				o.header.Get("Cache-Control"),
				o.body,
				want,
			)
		}
	}
	if o := openBy(t, "POST", p.URL, "/calendars/tide-windows.ics"); o.status != 405 {
		t.Errorf("POST: %d", o.status)
	}
	// A calendar names its own address, in any order of parameters.
	o := open(t, p.URL, "/calendars/tide-windows.ics?below=0&station=9414131")
	unfolded := strings.ReplaceAll(o.body, "\r\n ", "")
	source := regexp.MustCompile(`SOURCE;VALUE=URI:(.*)\r`).FindStringSubmatch(unfolded)
	if source == nil {
		t.Fatal("no SOURCE")
	}
	u, err := url.Parse(source[1])
	if err != nil || u.Host != "tides.example.org" {
		t.Fatalf("%v, host %s", err, u.Host)
	}
	if again := open(t, p.URL, u.RequestURI()); again.body != o.body {
		t.Error("the address that a calendar names has another calendar")
	}
}
