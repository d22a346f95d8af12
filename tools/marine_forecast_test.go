package tools

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"leadline/internal/coast"
	"leadline/internal/facts"
	"leadline/internal/operation"
	"leadline/internal/place"
	"leadline/internal/simulator/provider"
	"leadline/internal/weather"
)

// newestText requests the newest text product of one kind directly from the weather service.
func (r rig) newestText(t testing.TB, kind, office string) (text string, issued time.Time) {
	t.Helper()
	newest := follow(r.raw(t, "/products/types/"+kind+"/locations/"+office), "@graph.0")
	body := r.raw(t, "/products/"+fmt.Sprint(follow(newest, "id")))
	return fmt.Sprint(body["productText"]), instantOf(fmt.Sprint(body["issuanceTime"]))
}

var zoneLine = regexp.MustCompile(`(?m)^((?:[A-Z]{3}\d{3}|\d{3})[-0-9A-Z>\n]*-(\d{6})-)$`)

// segmentOf returns the part of a text for a zone, and its expiry as day, hour and minute.
func segmentOf(t testing.TB, text, zone string) (segment, expiry string) {
	t.Helper()
	for part := range strings.SplitSeq(text, "$$") {
		m := zoneLine.FindStringSubmatch(part)
		if m == nil {
			continue
		}
		prefix := ""
		for code := range strings.SplitSeq(strings.ReplaceAll(m[1], "\n", ""), "-") {
			first, last, _ := strings.Cut(code, ">")
			if len(first) == 6 && first[0] > '9' {
				prefix, first = first[:3], first[3:]
			}
			if len(first) != 3 || prefix != zone[:3] {
				continue
			}
			if last == "" {
				last = first
			}
			a, _ := strconv.Atoi(first)
			b, _ := strconv.Atoi(last)
			if n, _ := strconv.Atoi(zone[3:]); a <= n && n <= b {
				return part, m[2]
			}
		}
	}
	t.Fatalf("no segment of %s in %s", zone, text)
	return "", ""
}

// blocks returns the blocks of a segment whose first line begins with a mark. Each block is
// joined into one line.
func blocks(segment string, begins *regexp.Regexp) []string {
	var all []string
	open := false
	for line := range strings.SplitSeq(segment, "\n") {
		switch {
		case begins.MatchString(line):
			all, open = append(all, line), true
		case line == "" || strings.HasPrefix(line, "."):
			open = false
		case open:
			all[len(all)-1] += " " + line
		}
	}
	return all
}

var (
	aPeriod   = regexp.MustCompile(`^\.[A-Z]`)
	aHeadline = regexp.MustCompile(`^\.\.\.[A-Z]`)
)

// TestMarineText compares the text with the zone's own segment in the newest bulletin:
// headlines, periods, synopsis, issue and expiry.
func TestMarineText(t *testing.T) {
	r := simulated(t, nil)
	for _, test := range []struct{ place, zone, product, office string }{
		{`"latitude":44,"longitude":-68.1`, "ANZ051", "CWF", "CAR"},
		{`"station":"8443970"`, "ANZ230", "CWF", "BOX"},
		{`"latitude":46.2,"longitude":-124.1`, "PZZ251", "CWF", "PQR"},
		{`"latitude":43.75,"longitude":-68.7`, "ANZ150", "CWF", "GYX"}, // a gale
	} {
		out := get(t, r.Set, "nws_get_marine_forecast", "{"+test.place+"}")
		if follow(out, "zone.id") != test.zone || follow(out, "zone.distanceKm") != 0.0 ||
			follow(out, "zone.office") != test.office || follow(out, "text.product") != test.product ||
			follow(out, "zone.name") == "" {
			t.Errorf("%s: zone %v, product %v, want %s of %s", test.place, out["zone"],
				follow(out, "text.product"), test.zone, test.office)
			continue
		}
		text, issued := r.newestText(t, test.product, test.office)
		segment, expiry := segmentOf(t, text, test.zone)
		if !timeAt(t, out, "text.issued").Equal(issued) ||
			timeAt(t, out, "text.expires").UTC().Format("021504") != expiry ||
			timeAt(t, out, "text.expires").Sub(issued) > 24*time.Hour {
			t.Errorf("%s: issued %v, expires %v; the text says %v and %s", test.zone,
				follow(out, "text.issued"), follow(out, "text.expires"), issued, expiry)
		}
		var want []string
		for _, block := range blocks(segment, aPeriod) {
			name, rest, _ := strings.Cut(block[1:], "...")
			want = append(want, name+": "+rest)
		}
		var got []string
		for _, p := range list(t, out, "text.periods") {
			got = append(got, fmt.Sprint(follow(p, "name"))+": "+fmt.Sprint(follow(p, "text")))
		}
		if len(want) < 6 || !slices.Equal(got, want) {
			t.Errorf("%s: periods\n%s\nwant\n%s",
				test.zone, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		var headlines []any
		for _, block := range blocks(segment, aHeadline) {
			headlines = append(headlines, strings.Trim(block, "."))
		}
		if fmt.Sprint(list(t, out, "text.headlines")) != fmt.Sprint(headlines) ||
			test.zone == "ANZ150" && len(headlines) == 0 {
			t.Errorf("%s: headlines %v, want %v", test.zone, follow(out, "text.headlines"), headlines)
		}
		synopsis := ""
		if at := strings.Index(strings.ToUpper(text), ".SYNOPSIS"); at >= 0 {
			whole, _, _ := strings.Cut(text[at:], "$$")
			synopsis = strings.Join(strings.Fields(whole), " ")
		}
		if got := fmt.Sprint(follow(out, "text.synopsis")); !strings.HasSuffix(synopsis, got) ||
			got == "" && strings.Contains(synopsis, "high was") {
			t.Errorf("%s: synopsis %q, the text has %q", test.zone, got, synopsis)
		}
		if s := sourceOf(out, "marine-text"); s["kind"] != "forecast" || s["provider"] != "NWS" ||
			!strings.Contains(fmt.Sprint(s["attributionUrl"]), "issuedby="+test.office+"&product="+
				test.product) {
			t.Errorf("%s: source %v", test.zone, s)
		}
	}
}

// TestMarineOffshore checks that points beyond the coastal waters get the text for the high
// seas, and that points on a lake get the text for the lake.
func TestMarineOffshore(t *testing.T) {
	r := simulated(t, nil)
	out := get(t, r.Set, "nws_get_marine_forecast", `{"latitude":28,"longitude":-90}`)
	zone := fmt.Sprint(follow(r.raw(t, "/points/28,-90"), "properties.forecastZone"))
	if id := fmt.Sprint(follow(out, "zone.id")); !strings.HasSuffix(zone, "/"+id) ||
		follow(out, "text.product") != "OFF" || len(list(t, out, "text.periods")) == 0 {
		t.Errorf("off the Gulf: zone %v of %s, product %v", id, zone, follow(out, "text.product"))
	}
	lake := get(t, r.Set, "nws_get_marine_forecast", `{"station":"9063063"}`)
	if id := fmt.Sprint(follow(lake, "zone.id")); !strings.HasPrefix(id, "LEZ") ||
		!slices.Contains([]any{"NSH", "GLF"}, follow(lake, "text.product")) {
		t.Errorf("Cleveland: zone %v, product %v", id, follow(lake, "text.product"))
	}
	_, err := call(t, r.Set, "nws_get_marine_forecast", `{"latitude":51.5,"longitude":-0.1}`)
	if code(err) != coast.ProductUnavailable || !strings.Contains(err.Error(), "does not cover") {
		t.Errorf("the Thames: %v", err)
	}
}

// around returns a rig whose only coastal zone, Boston Harbor, covers the points for which
// lies returns true. asked counts the lookups.
func around(
	t testing.TB, lies func(latitude, longitude float64) bool,
) (r rig, asked *atomic.Int32) {
	t.Helper()
	asked = &atomic.Int32{}
	r = simulated(t, func(p http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			if q.URL.Path != "/zones" {
				p.ServeHTTP(w, q)
				return
			}
			asked.Add(1)
			var latitude, longitude float64
			if _, err := fmt.Sscanf(q.URL.Query().Get("point"), "%g,%g", &latitude, &longitude); err != nil {
				t.Errorf("zones of %q: %v", q.URL.Query().Get("point"), err)
			}
			w.Header().Set("Content-Type", "application/geo+json")
			if !lies(latitude, longitude) {
				fmt.Fprint(w, `{"type":"FeatureCollection","features":[]}`)
				return
			}
			fmt.Fprint(w, `{"type":"FeatureCollection","features":[{"properties":{"id":"ANZ230","type":"coastal","name":"Boston Harbor","cwa":["BOX"],"timeZone":["America/New_York"]}}]}`)
		})
	})
	return r, asked
}

// TestZoneByRings checks the search for the zone of an inland harbor, on rings of 2, 5 and 10
// km with four bearings each, and the reported distance.
func TestZoneByRings(t *testing.T) {
	const latitude, longitude = 42.354, -71.05
	place := fmt.Sprintf(`{"latitude":%g,"longitude":%g}`, latitude, longitude)
	for _, test := range []struct {
		name string
		lies func(north, east float64) bool // kilometers from the point
		want any
		asks int32 // number of points; the search ends with the first hit
	}{
		{"here", func(north, east float64) bool { return north == 0 && east == 0 }, 0.0, 1},
		{"2 km east", func(north, east float64) bool { return east > 1.9 }, 2.0, 5},
		{"5 km south", func(north, east float64) bool { return north < -4.9 }, 5.0, 9},
		{"10 km west", func(north, east float64) bool { return east < -9.9 }, 10.0, 13},
		{"12 km north", func(north, east float64) bool { return north > 11 }, nil, 13},
	} {
		r, asked := around(t, func(la, lo float64) bool {
			const cos = 0.7390 // at a latitude of 42.354 degrees
			return test.lies((la-latitude)*111.195, (lo-longitude)*111.195*cos)
		})
		out := get(t, r.Set, "nws_get_marine_forecast", place)
		if got := asked.Load(); got != test.asks {
			t.Errorf("%s: %d points asked for, want %d", test.name, got, test.asks)
		}
		if test.want == nil {
			if out["zone"] != nil || out["text"] != nil || !lacks(out, "marine text", "within 10 km") ||
				out["alertsAsOf"] == nil {
				t.Errorf("%s: zone %v, text %v, alerts as of %v, missing %v", test.name, out["zone"],
					out["text"], out["alertsAsOf"], out["missing"])
			}
			continue
		}
		if follow(out, "zone.id") != "ANZ230" || follow(out, "zone.distanceKm") != test.want ||
			follow(out, "text.periods.0") == nil {
			t.Errorf("%s: zone %v, want ANZ230 at %v km", test.name, out["zone"], test.want)
		}
	}
}

// TestZoneLookupFails checks that a failed zone lookup makes the zone and the alerts for the
// water missing. The alerts for the land remain.
func TestZoneLookupFails(t *testing.T) {
	t.Parallel() // the client retries failed requests after a delay
	r := simulated(t, nil)
	r.p.Fail("/zones", provider.Fault{Kind: provider.Unavailable})
	r.p.SetAlerts("MAZ015", provider.Alert{
		Event: "Coastal Flood Advisory", Sent: noon.Add(-time.Hour), Onset: noon,
		Expires: noon.Add(time.Hour),
	})
	out := get(t, r.Set, "nws_get_marine_forecast", `{"station":"8443970"}`)
	if out["zone"] != nil || out["text"] != nil || !lacks(out, "marine text", "") ||
		!lacks(out, "alerts for the water", "only the alerts for the land") ||
		follow(out, "alerts.0.event") != "Coastal Flood Advisory" {
		t.Errorf("zone %v, alerts %v, missing %v", out["zone"], out["alerts"], out["missing"])
	}
}

// TestAlerts checks that alerts of the water and of the land appear once each, with the time
// of the response.
func TestAlerts(t *testing.T) {
	r := simulated(t, nil)
	sea := provider.Alert{
		Event: "Gale Warning", Code: "GL.W", Instruction: "Stay in port.", Sent: noon.Add(-2 * time.Hour),
		Onset: noon.Add(3 * time.Hour), Expires: noon.Add(10 * time.Hour), Ends: noon.Add(20 * time.Hour),
	}
	land := provider.Alert{
		Event: "Coastal Flood Advisory", Sent: noon.Add(-time.Hour), Onset: noon,
		Expires: noon.Add(4 * time.Hour),
	}
	cancelled := provider.Alert{
		Event: "Storm Watch", MessageType: "Cancel", Sent: noon.Add(-time.Hour), Onset: noon,
		Expires: noon.Add(4 * time.Hour),
	}
	r.p.SetAlerts("ANZ230", sea, sea, cancelled)
	r.p.SetAlerts("MAZ015", land, land)
	out := get(t, r.Set, "nws_get_marine_forecast", `{"station":"8443970"}`)
	alerts := list(t, out, "alerts")
	events := map[any]any{}
	for _, a := range alerts {
		events[follow(a, "event")] = a
	}
	if len(alerts) != 2 || len(events) != 2 || events["Storm Watch"] != nil {
		t.Fatalf("alerts %v", alerts)
	}
	gale, flood := events["Gale Warning"], events["Coastal Flood Advisory"]
	if !timeAt(t, gale, "onset").Equal(sea.Onset) || !timeAt(t, gale, "ends").Equal(sea.Ends) ||
		follow(gale, "instruction") != "Stay in port." || follow(gale, "zone") != "Boston Harbor" ||
		!strings.HasPrefix(fmt.Sprint(follow(gale, "headline")), "Gale Warning issued") {
		t.Errorf("the gale is %v", gale)
	}
	if follow(flood, "ends") != nil || !timeAt(t, flood, "expires").Equal(land.Expires) ||
		follow(flood, "zone") != "Suffolk" {
		t.Errorf("the flood is %v, want no end: the expiry of a message does not end its event", flood)
	}
	if !timeAt(t, out, "alertsAsOf").Equal(noon) {
		t.Errorf("as of %v, want the time of the response", out["alertsAsOf"])
	}
}

// TestNoAlerts checks that alerts is an empty list with the time of the response if there are
// none, even if the feed last changed days ago. If the alerts are unknown, it is null.
func TestNoAlerts(t *testing.T) {
	t.Parallel() // the client retries failed requests after a delay
	r := simulated(t, nil)
	r.p.SetAlerts("ANZ230")
	r.p.SetAlerts("MAZ015")
	out := get(t, r.Set, "nws_get_marine_forecast", `{"station":"8443970"}`)
	s := sourceOf(out, "marine-alerts")
	if len(list(t, out, "alerts")) != 0 || !timeAt(t, out, "alertsAsOf").Equal(noon) ||
		s["freshness"] != "fresh" || s["ageMinutes"] != 0.0 ||
		noon.Sub(timeAt(t, s, "sourceAt")) < facts.Day {
		t.Errorf("alerts %v as of %v, source %v", out["alerts"], out["alertsAsOf"], s)
	}
	down := simulated(t, nil)
	down.p.Fail("/alerts", provider.Fault{Kind: provider.Unavailable})
	out = get(t, down.Set, "nws_get_marine_forecast", `{"station":"8443970"}`)
	if len(list(t, out, "alerts")) != 0 || out["alertsAsOf"] != nil || !lacks(out, "alerts", "") ||
		sourceOf(out, "marine-alerts")["available"] != false || out["text"] == nil {
		t.Errorf("failed alerts: %v as of %v, missing %v",
			out["alerts"], out["alertsAsOf"], out["missing"])
	}
}

// ownAlerts returns a rig with the test's own alerts: for the point and for its zones. An
// empty string makes the request fail.
func ownAlerts(t testing.TB, point, zones string) rig {
	t.Helper()
	return simulated(t, func(p http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			if q.URL.Path != "/alerts/active" {
				p.ServeHTTP(w, q)
				return
			}
			body := point
			if q.URL.Query().Has("zone") {
				body = zones
			}
			if body == "" {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			w.Header().Set("Content-Type", "application/geo+json")
			w.Header().Set("Date", noon.Format(http.TimeFormat))
			fmt.Fprintf(w, `{"type":"FeatureCollection","features":[%s],"updated":"2026-11-18T00:00:00+00:00"}`, body)
		})
	})
}

func alert(id, event, rest string) string {
	return fmt.Sprintf(`{"properties":{"id":%q,"event":%q,"headline":"h","areaDesc":"a"%s}}`, id,
		event, rest)
}

// TestAlertsDropped checks that tests, drafts, exercises, cancelled and ended alerts are left
// out, and that an alert in both responses appears once.
func TestAlertsDropped(t *testing.T) {
	const actual = `,"status":"Actual","messageType":"Alert"`
	r := ownAlerts(t,
		alert("1", "Flood Watch", actual+
			`,"effective":"2026-11-20T10:00:00-05:00","onset":null,"expires":null,"ends":null`)+","+
			alert("2", "Tsunami Warning", `,"status":"Test","messageType":"Alert"`)+","+
			alert("3", "Tornado Warning", `,"status":"Exercise","messageType":"Alert"`)+","+
			alert("4", "High Wind Warning", `,"status":"Draft","messageType":"Alert"`)+","+
			alert("5", "Dense Fog Advisory", `,"status":"Actual","messageType":"Cancel"`)+","+
			alert("1", "Flood Watch", actual),
		alert("1", "Flood Watch", actual)+","+
			alert("6", "Gale Warning",
				`,"status":"Actual","messageType":"Update","onset":"2026-11-20T18:00:00-05:00","ends":"2026-11-21T06:00:00-05:00","expires":"2026-11-20T20:00:00-05:00"`))
	out := get(t, r.Set, "nws_get_marine_forecast", `{"station":"8443970"}`)
	var events []string
	for _, a := range list(t, out, "alerts") {
		events = append(events, fmt.Sprint(follow(a, "event")))
	}
	if strings.Join(events, ", ") != "Flood Watch, Gale Warning" {
		t.Errorf("alerts %v", events)
	}
	if follow(out, "alerts.0.ends") != nil ||
		follow(out, "alerts.0.onset") != "2026-11-20T10:00:00-05:00" ||
		follow(out, "alerts.1.ends") != "2026-11-21T06:00:00-05:00" {
		t.Errorf("times of %v", out["alerts"])
	}
}

// TestAlertsOver checks that an alert whose event has ended is not in force, even if the
// message has not expired.
func TestAlertsOver(t *testing.T) {
	const actual = `,"status":"Actual","messageType":"Alert","onset":"2026-11-20T06:00:00-05:00"`
	r := ownAlerts(t,
		alert("1", "Gale Warning", actual+
			`,"ends":"2026-11-20T11:59:00-05:00","expires":"2026-11-20T14:00:00-05:00"`),
		alert("2", "Flood Watch", actual+
			`,"ends":"2026-11-20T12:01:00-05:00","expires":"2026-11-20T11:00:00-05:00"`))
	out := get(t, r.Set, "nws_get_marine_forecast", `{"station":"8443970"}`)
	if alerts := list(t, out, "alerts"); len(alerts) != 1 ||
		follow(alerts[0], "event") != "Flood Watch" {
		t.Errorf("at noon: %v, want the watch that ends a minute later", alerts)
	}
}

// TestHalfTheAlerts checks that no alerts are returned if one of the two requests fails.
func TestHalfTheAlerts(t *testing.T) {
	t.Parallel() // the client retries failed requests after a delay
	some := alert("1", "Flood Watch", `,"status":"Actual","messageType":"Alert"`)
	for _, r := range []rig{ownAlerts(t, some, ""), ownAlerts(t, "", some)} {
		out := get(t, r.Set, "nws_get_marine_forecast", `{"station":"8443970"}`)
		if len(list(t, out, "alerts")) != 0 || out["alertsAsOf"] != nil || !lacks(out, "alerts", "") {
			t.Errorf("alerts %v as of %v, missing %v", out["alerts"], out["alertsAsOf"], out["missing"])
		}
	}
}

// TestRipCurrents checks that the risk comes from the surf forecast for the land zone. If the
// forecast has no risk, it is missing and never "low".
func TestRipCurrents(t *testing.T) {
	r := simulated(t, nil)
	for _, station := range []string{"8443970", "8720218", "8724580"} {
		out := get(t, r.Set, "nws_get_marine_forecast", fmt.Sprintf(`{"station":%q}`, station))
		point := follow(r.raw(t, fmt.Sprintf("/points/%.4g,%.4g",
			follow(out, "station.latitude"), follow(out, "station.longitude"))), "properties")
		text, _ := r.newestText(t, "SRF", fmt.Sprint(follow(point, "cwa")))
		var want []string
		for _, m := range regexp.MustCompile(`(?m)^\.([A-Z]+)\.\.\.\nRip Current Risk\*?\.+([A-Za-z]+)\.`).FindAllStringSubmatch(text,
			-1) {
			want = append(want, m[1]+": "+m[2])
		}
		var got []string
		for _, p := range list(t, out, "ripCurrents") {
			got = append(got, fmt.Sprint(follow(p, "period"))+": "+fmt.Sprint(follow(p, "risk")))
		}
		if len(want) != 2 || !slices.Equal(got, want) ||
			sourceOf(out, "surf-forecast")["required"] != false {
			t.Errorf("%s: %v, want %v of\n%s", station, got, want, text)
		}
	}
	out := get(t, r.Set, "nws_get_marine_forecast", `{"latitude":44,"longitude":-68.1}`)
	if len(list(t, out, "ripCurrents")) != 0 || !lacks(out, "rip-current risk", "") {
		t.Errorf("at sea: %v, missing %v", out["ripCurrents"], out["missing"])
	}
}

// TestMarineDown checks that a failed part is missing while the rest is returned, and that
// provider_unavailable is returned if all parts fail.
func TestMarineDown(t *testing.T) {
	t.Parallel() // the client retries failed requests after a delay
	r := simulated(t, nil)
	r.p.Fail("/products", provider.Fault{Kind: provider.Broken})
	out := get(t, r.Set, "nws_get_marine_forecast", `{"station":"8443970"}`)
	if out["text"] != nil || !lacks(out, "marine text", "") || !lacks(out, "rip-current risk", "") ||
		out["alertsAsOf"] == nil || follow(out, "zone.id") != "ANZ230" {
		t.Errorf("without texts: %v, missing %v", out["text"], out["missing"])
	}
	r.p.Fail(provider.Weather, provider.Fault{Kind: provider.Unavailable})
	_, err := call(t, r.Set, "nws_get_marine_forecast", `{"station":"8518750"}`)
	if code(err) != coast.ProviderUnavailable {
		t.Errorf("with all providers down: %v", err)
	}
}

// TestForecast checks that the grid and the text are joined, and that a failed part is
// missing.
func TestForecast(t *testing.T) {
	t.Parallel() // the client retries failed requests after a delay
	r := simulated(t, nil)
	in := weather.ForecastInput{AtStation: operation.AtStation{Station: "8443970"}, Hours: 12,
		InUnits: operation.InUnits{Units: "english"}, InZone: operation.InZone{TimeZone: "gmt"}}
	out, err := r.Weather.Forecast(t.Context(), in)
	if err != nil || out.Wind == nil || out.Marine == nil || out.Wind.Hours.Count != 12 ||
		out.Marine.Text == nil || out.TimeZone != "UTC" {
		t.Fatalf("%v: %+v", err, out)
	}
	if zone, offset := out.Marine.Text.Issued.Zone(); offset != 0 {
		t.Errorf("issued in %s", zone)
	}
	wind, err := r.Weather.WindForecast(t.Context(), weather.WindForecastInput{
		AtNamedPlace: place.AtNamedPlace{AtPlace: operation.AtPlace{Station: "8443970"}}, Hours: 12,
		CurrentStation: "", InUnits: operation.InUnits{Units: "english"},
	})
	if err != nil ||
		fmt.Sprint(plainly(t, wind.Hours.Speeds)) != fmt.Sprint(plainly(t, out.Wind.Hours.Speeds)) {
		t.Errorf("%v: the winds differ", err)
	}
	grounded := simulated(t, nil)
	grounded.p.Fail("/gridpoints", provider.Fault{Kind: provider.Broken})
	out, err = grounded.Weather.Forecast(t.Context(), in)
	if err != nil || out.Wind != nil || out.Marine == nil ||
		!slices.ContainsFunc(out.Missing,
			func(m coast.Missing) bool { return m.Input == "wind forecast" }) {
		t.Errorf("without the grid: %v, missing %+v", err, out.Missing)
	}
	grounded.p.Fail(provider.Weather, provider.Fault{Kind: provider.Unavailable})
	in.Station = "8518750"
	if _, err := grounded.Weather.Forecast(t.Context(), in); code(err) != coast.ProviderUnavailable {
		t.Errorf("with all providers down: %v", err)
	}
}

// plainly returns the values behind pointers.
func plainly(t testing.TB, column []*float64) []any {
	t.Helper()
	var all []any
	for _, v := range column {
		if v == nil {
			all = append(all, nil)
			continue
		}
		all = append(all, *v)
	}
	return all
}
