package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // zones for machines without them

	"leadline/internal/stations"
	"leadline/internal/trials"
)

// issueTime is the time of most tests. The newest texts are up to six hours old then.
var issueTime = time.Date(2026, 11, 20, 17, 0, 0, 0, time.UTC)

func serviceAt(t *testing.T, now time.Time) *weatherService {
	t.Helper()
	d, err := stations.Open()
	if err != nil {
		t.Fatal(err)
	}
	return newWeatherService(func() time.Time { return now }, d, &settings{})
}

// ask sends a request with a User-Agent. header has pairs of names and values.
func ask(s http.Handler, url string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", url, nil)
	r.Header.Set("User-Agent", "test (test@example.org)")
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// read sends a request and decodes the response, whose status must be 200.
func read[T any](t *testing.T, s http.Handler, url string) T {
	t.Helper()
	w := ask(s, url)
	if w.Code != http.StatusOK {
		t.Fatalf("%s: %d %s, want 200", url, w.Code, w.Body)
	}
	var out T
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
		t.Fatalf("%s: %v", url, err)
	}
	return out
}

type pointBody struct {
	Properties struct {
		CWA          string
		Type         string
		GridID       *string
		GridX, GridY *int
		ForecastZone string
		County       *string
		TimeZone     string
	}
}

func TestPointKinds(t *testing.T) {
	s := serviceAt(t, issueTime)
	for _, test := range []struct{ point, want string }{
		{"40.7128,-74.006", "OKX land OKX/33,35 NYZ072"},
		{"61.2181,-149.9003", "AFC land AER/143,236 AKZ701"},
		{"46.2,-124.1", "PQR marine PQR/74,145 PZZ251"},
		{"28,-90", "NH2 marine gridless GMZ056"},
		{"36,-126", "ONP marine gridless PZZ810"},
		{"42.3548,-71.0534", "BOX land BOX/71,90 MAZ015"},
		{"37.8063,-122.4659", "MTR land MTR/83,105 CAZ508"},
		{"39.739,-104.985", "BOU land BOU/200,200 COZ040"},
		{"21.3158,-157.8644", "HFO land HFO/154,145 HIZ007"},
		{"43,-87.6", "MKX marine MKX/160,148 LMZ669"},
		{"51.5074,-0.1278", "404"},
		{"0,0", "404"},
		{"-33.86,151.21", "404"},
		{"25.06,-77.35", "404"}, // Nassau: a tide station, but not of ours
	} {
		w := ask(s, "/points/"+test.point)
		got := strconv.Itoa(w.Code)
		if w.Code == http.StatusOK {
			got = describe(read[pointBody](t, s, "/points/"+test.point))
		}
		if got != test.want {
			t.Errorf("point %s = %s, want %s", test.point, got, test.want)
		}
	}
}

func describe(b pointBody) string {
	p := b.Properties
	grid := "gridless"
	if p.GridID != nil {
		grid = fmt.Sprintf("%s/%d,%d", *p.GridID, *p.GridX, *p.GridY)
	}
	zone := p.ForecastZone[strings.LastIndex(p.ForecastZone, "/")+1:]
	return strings.Join([]string{p.CWA, p.Type, grid, zone}, " ")
}

// TestPointsAndGridsAgree checks that the cell of every point exists.
func TestPointsAndGridsAgree(t *testing.T) {
	s := serviceAt(t, issueTime)
	random := rand.New(rand.NewPCG(1, 2))
	kinds := map[string]int{}
	cases := trials.Cases() / 5 // each case sends several requests
	for range cases {
		base := s.stations.All(stations.Tide)[random.IntN(len(s.stations.All(stations.Tide)))]
		spread := []float64{0.02, 0.4, 2}[random.IntN(3)]
		// Remainder wraps longitudes at the date line.
		longitude := math.Remainder(base.Longitude+random.NormFloat64()*spread, 360)
		point := pointName(base.Latitude+random.NormFloat64()*spread, longitude)
		w := ask(s, "/points/"+point)
		if w.Code == http.StatusNotFound {
			kinds["outside"]++
			continue
		}
		p := read[pointBody](t, s, "/points/"+point).Properties
		if p.GridID == nil {
			kinds["gridless"]++
			continue
		}
		kinds[p.Type]++
		cell := fmt.Sprintf("/gridpoints/%s/%d,%d", *p.GridID, *p.GridX, *p.GridY)
		if grid := ask(s, cell).Code; grid != http.StatusOK {
			t.Errorf("point %s: status of its grid = %d, want 200", point, grid)
		}
		if p.Type == "land" && p.County == nil {
			t.Errorf("point %s on land has no county", point)
		}
	}
	for _, kind := range []string{"outside", "gridless", "land", "marine"} {
		if kinds[kind] == 0 {
			t.Errorf("no point of %d is %s: %v", cases, kind, kinds)
		}
	}
}

var correlation = regexp.MustCompile(`("correlationId": "|/requests/)[0-9a-f]+`)

func maskIDs(body []byte) string { return correlation.ReplaceAllString(string(body), "${1}ID") }

func TestWeatherProblems(t *testing.T) {
	s := serviceAt(t, issueTime)
	w := ask(s, "/points/0.0,0.0")
	want := "{\n" +
		"    \"correlationId\": \"ID\",\n" +
		"    \"title\": \"Data Unavailable For Requested Point\",\n" +
		"    \"type\": \"https://api.weather.gov/problems/InvalidPoint\",\n" +
		"    \"status\": 404,\n" +
		"    \"detail\": \"Unable to provide data for requested point 0,0\",\n" +
		"    \"instance\": \"https://api.weather.gov/requests/ID\"\n" +
		"}"
	if got := maskIDs(w.Body.Bytes()); got != want {
		t.Errorf("body\n%s\nwant\n%s", got, want)
	}
	for url, want := range map[string]string{
		"/gridpoints/PQR/999,999":             "404 InvalidGridpoint",
		"/gridpoints/NH2/1,1":                 "404 InvalidGridpoint",
		"/gridpoints/XXX/1,1":                 "404 InvalidGridpoint",
		"/points/here":                        "400 BadRequest",
		"/points/91,0":                        "400 BadRequest",
		"/points/NaN,0":                       "400 BadRequest",
		"/products/0b0b0b0b-0000-4000-8000-0": "404 NotFound",
		"/nothing":                            "404 NotFound",
		"/alerts/active?point=boston":         "400 BadRequest",
		"/zones?point=1":                      "400 BadRequest",
	} {
		w := ask(s, url)
		var body struct {
			Type   string
			Status int
		}
		json.Unmarshal(w.Body.Bytes(), &body)
		got := fmt.Sprint(w.Code, " ", strings.TrimPrefix(body.Type, nwsRoot+"/problems/"))
		if got != want || body.Status != w.Code {
			t.Errorf("%s = %s, want %s", url, got, want)
		}
		if got := w.Header().Get("Content-Type"); got != "application/problem+json" {
			t.Errorf("%s: Content-Type %q", url, got)
		}
	}
}

func TestNamelessClientIsDenied(t *testing.T) {
	w := ask(serviceAt(t, issueTime), "/points/40.7128,-74.006", "User-Agent", "")
	if w.Code != http.StatusForbidden || w.Header().Get("Content-Type") != "text/html" ||
		!strings.Contains(w.Body.String(), "Access Denied") {
		t.Errorf("%d %v %s, want 403 and an HTML page", w.Code, w.Header(), w.Body)
	}
}

func TestWeatherHeaders(t *testing.T) {
	s := serviceAt(t, issueTime)
	product := read[graph](t, s, "/products/types/CWF/locations/SGX").Graph[0]["id"]
	for url, want := range map[string]string{
		"/points/40.7128,-74.006":                    "application/geo+json",
		"/gridpoints/OKX/33,35":                      "application/geo+json modified",
		"/alerts/active?zone=ANZ230":                 "application/geo+json",
		"/products/types/CWF/locations/SGX":          "application/ld+json",
		fmt.Sprint("/products/", product):            "application/ld+json",
		"/points/0,0":                                "application/problem+json",
		"/zones?type=coastal&point=42.3548,-71.0534": "application/geo+json",
	} {
		h := ask(s, url).Header()
		got := h.Get("Content-Type")
		if h.Get("Last-Modified") != "" {
			got += " modified"
		}
		if got != want {
			t.Errorf("%s: Content-Type %q, want %q", url, got, want)
		}
		if got, want := h.Get("Date"), issueTime.Format(http.TimeFormat); got != want {
			t.Errorf("%s: Date %q, want %q", url, got, want)
		}
	}
}

func TestWeatherNotModified(t *testing.T) {
	s := serviceAt(t, issueTime)
	for _, url := range []string{"/gridpoints/OKX/33,35", "/gridpoints/PQR/74,145"} {
		modified := ask(s, url).Header().Get("Last-Modified")
		if w := ask(s, url, "If-Modified-Since", modified); w.Code != http.StatusNotModified ||
			w.Body.Len() > 0 {
			t.Errorf("%s: %d and %d bytes, want 304 and none", url, w.Code, w.Body.Len())
		}
		at, err := http.ParseTime(modified)
		if err != nil {
			t.Fatal(err)
		}
		earlier := at.Add(-time.Second).Format(http.TimeFormat)
		if w := ask(s, url, "If-Modified-Since", earlier); w.Code != http.StatusOK {
			t.Errorf("%s a second before: %d, want 200", url, w.Code)
		}
	}
}

type gridBody struct {
	Properties map[string]json.RawMessage
}

type layerBody struct {
	UOM    *string
	Values []struct {
		ValidTime string
		Value     json.RawMessage
	}
}

func (g gridBody) layer(t *testing.T, name string) layerBody {
	t.Helper()
	var l layerBody
	if err := json.Unmarshal(g.Properties[name], &l); err != nil {
		t.Fatalf("layer %s: %v", name, err)
	}
	return l
}

func (g gridBody) text(name string) string {
	var text string
	json.Unmarshal(g.Properties[name], &text)
	return text
}

// expand returns a layer hour by hour, with its own parser of durations. It checks that spans are
// contiguous and that equal hours are merged.
func (l layerBody) expand(t *testing.T) map[time.Time]string {
	t.Helper()
	out := map[time.Time]string{}
	var next time.Time
	var last string
	for _, v := range l.Values {
		from, to := validTime(t, v.ValidTime)
		if !next.IsZero() && !from.Equal(next) {
			t.Errorf("%s follows %v", v.ValidTime, next)
		}
		if last == string(v.Value) {
			t.Errorf("%s repeats %s", v.ValidTime, last)
		}
		next, last = to, string(v.Value)
		for at := from; at.Before(to); at = at.Add(time.Hour) {
			out[at] = last
		}
	}
	return out
}

var durationForm = regexp.MustCompile(`^P(?:(\d+)D)?(?:T(\d+)H)?$`)

func validTime(t *testing.T, text string) (from, to time.Time) {
	t.Helper()
	start, span, _ := strings.Cut(text, "/")
	from, err := time.Parse("2006-01-02T15:04:05+00:00", start)
	part := durationForm.FindStringSubmatch(span)
	if err != nil || part == nil || span == "P" {
		t.Fatalf("valid time %q", text)
	}
	days, _ := strconv.Atoi("0" + part[1])
	hours, _ := strconv.Atoi("0" + part[2])
	if hours >= 24 || days+hours == 0 {
		t.Errorf("valid time %q is not in its shortest form", text)
	}
	return from, from.Add(time.Duration(24*days+hours) * time.Hour)
}

func TestGridLayers(t *testing.T) {
	s := serviceAt(t, issueTime)
	units := map[string]string{
		"windSpeed": "wmoUnit:km_h-1", "windGust": "wmoUnit:km_h-1",
		"windDirection": "wmoUnit:degree_(angle)", "waveHeight": "wmoUnit:m",
		"primarySwellHeight": "wmoUnit:m", "wavePeriod": "nwsUnit:s", "wavePeriod2": "nwsUnit:s",
		"secondarySwellDirection": "wmoUnit:degree_(angle)",
	}
	for url, afloat := range map[string]bool{
		"/gridpoints/OKX/33,35": false, "/gridpoints/PQR/74,145": true, "/gridpoints/BOX/90,85": true,
	} {
		g := read[gridBody](t, s, url)
		updated, err := time.Parse(time.RFC3339, g.text("updateTime"))
		if err != nil || updated.After(issueTime) || issueTime.Sub(updated) > 2*time.Hour {
			t.Errorf("%s: updated %v (%v), want within two hours of %v", url, updated, err, issueTime)
		}
		if got := ask(s, url).Header().Get("Last-Modified"); got != updated.Format(http.TimeFormat) {
			t.Errorf("%s: Last-Modified %s, want %v", url, got, updated)
		}
		start, end := validTime(t, g.text("validTimes"))
		for name, unit := range units {
			l := g.layer(t, name)
			hours := l.expand(t)
			if l.UOM == nil || *l.UOM != unit {
				t.Errorf("%s %s: unit %v, want %s", url, name, l.UOM, unit)
			}
			if first, _ := validTime(t, l.Values[0].ValidTime); !first.Equal(start) || hours[end] != "" ||
				len(hours) < 100 {
				t.Errorf("%s %s: %d hours from %v, want from %v to %v", url, name, len(hours), first, start,
					end)
			}
		}
		checkWaves(t, url, g, afloat)
		checkKnots(t, url, g)
	}
	empty := read[gridBody](t, s, "/gridpoints/OKX/33,35").layer(t, "waveDirection")
	if empty.UOM != nil || empty.Values == nil || len(empty.Values) > 0 {
		t.Errorf("an empty layer is %+v, want an empty list without a unit", empty)
	}
}

func checkWaves(t *testing.T, url string, g gridBody, afloat bool) {
	t.Helper()
	for at, text := range g.layer(t, "waveHeight").expand(t) {
		if height, err := strconv.ParseFloat(text, 64); err != nil || (height > 0) != afloat {
			t.Fatalf("%s: wave height %s at %v", url, text, at)
		}
	}
	if !afloat && len(g.layer(t, "waveHeight").Values) != 1 {
		t.Errorf("%s: zero is not merged throughout", url)
	}
}

// checkKnots checks that speeds are whole knots of 1.852 km/h.
func checkKnots(t *testing.T, url string, g gridBody) {
	t.Helper()
	for _, name := range []string{"windSpeed", "windGust"} {
		for at, text := range g.layer(t, name).expand(t) {
			if text == "null" && name == "windGust" {
				continue
			}
			speed, err := strconv.ParseFloat(text, 64)
			if knots := speed / 1.852; err != nil || math.Abs(knots-math.Round(knots)) > 1e-6 {
				t.Fatalf("%s: %s %s km/h at %v is %v kn", url, name, text, at, knots)
			}
		}
	}
}

// TestHoursAgree checks that a later issue of the grid has the same values for the same hours.
func TestHoursAgree(t *testing.T) {
	const url = "/gridpoints/PQR/74,145"
	before := read[gridBody](t, serviceAt(t, issueTime), url)
	after := read[gridBody](t, serviceAt(t, issueTime.Add(5*time.Hour+7*time.Minute)), url)
	for _, name := range []string{"windSpeed", "windDirection", "waveHeight", "weather"} {
		old, shared := before.layer(t, name).expand(t), 0
		for at, text := range after.layer(t, name).expand(t) {
			if was, ok := old[at]; ok {
				shared++
				if was != text {
					t.Fatalf("%s at %v: %s, then %s", name, at, was, text)
				}
			}
		}
		if shared < 160 {
			t.Errorf("%s: %d hours in both, want 160 or more", name, shared)
		}
	}
}

func TestWeatherDeterminism(t *testing.T) {
	a, b := serviceAt(t, issueTime), serviceAt(t, issueTime)
	product := read[graph](t, a, "/products/types/CWF/locations/MTR").Graph[3]["id"]
	for _, url := range []string{"/points/46.2,-124.1", "/gridpoints/PQR/74,145",
		"/alerts/active?zone=ANZ230", "/zones?type=public&point=42.3548,-71.0534",
		"/products/types/SRF/locations/OKX", fmt.Sprint("/products/", product), "/points/0,0"} {
		ask(a, "/points/28,-90") // earlier requests must not matter
		got, want := ask(a, url), ask(b, url)
		if maskIDs(got.Body.Bytes()) != maskIDs(want.Body.Bytes()) {
			t.Errorf("%s differs between two services with one clock", url)
		}
	}
}

type feed struct {
	Features []struct {
		Properties struct {
			ID, Event, Sent, Expires string
			Ends, Instruction        *string
			Geocode                  struct{ UGC []string }
			Parameters               map[string][]string
		}
	}
	Updated string
}

func (f feed) events() []string {
	events := []string{}
	for _, a := range f.Features {
		events = append(events, a.Properties.Event)
	}
	return events
}

func TestAlerts(t *testing.T) {
	s := serviceAt(t, issueTime)
	for query, want := range map[string][]string{
		"zone=ANZ230":             {"Small Craft Advisory"},
		"zone=ANZ150":             {"Gale Warning"},
		"zone=ANZ152":             {"Gale Warning", "Storm Watch"},
		"zone=ANZ150,ANZ230":      {"Gale Warning", "Small Craft Advisory"},
		"zone=SCZ050":             {"Coastal Flood Advisory", "Coastal Flood Advisory"},
		"point=32.7817,-79.925":   {"Coastal Flood Advisory", "Coastal Flood Advisory"},
		"point=25.79,-80.13":      {"Rip Current Statement"},
		"zone=PZZ740":             {},
		"point=32.7142,-117.1736": {},
		"point=42.3548,-71.0534":  {}, // the advisory is for the water
	} {
		f := read[feed](t, s, "/alerts/active?"+query)
		if got := f.events(); !slices.Equal(got, want) {
			t.Errorf("alerts with %s = %q, want %q", query, got, want)
		}
		updated, err := time.Parse(time.RFC3339, f.Updated)
		if age := issueTime.Sub(updated); err != nil || (age > 24*time.Hour) != (len(want) == 0) {
			t.Errorf("alerts with %s were updated %v ago (%v)", query, age, err)
		}
	}
	double := read[feed](t, s, "/alerts/active?zone=SCZ050").Features
	if double[0].Properties.ID != double[1].Properties.ID {
		t.Error("the duplicate has another id")
	}
}

func TestSetAlerts(t *testing.T) {
	p := frozen(t)
	s := p.nws
	gale := Alert{
		Event:   "Gale Warning",
		Code:    "GL.W",
		Sent:    issueTime.Add(-time.Hour),
		Onset:   issueTime.Add(2 * time.Hour),
		Expires: issueTime.Add(time.Hour),
	}
	over := Alert{
		Event:   "Storm Warning",
		Code:    "SR.W",
		Sent:    issueTime.Add(-9 * time.Hour),
		Expires: issueTime,
	}
	p.SetAlerts("PZZ251", gale, over)
	p.SetAlerts("ANZ230")
	f := read[feed](t, s, "/alerts/active?point=46.2,-124.1")
	if got := f.events(); !slices.Equal(got, []string{"Gale Warning"}) {
		t.Fatalf("alerts %q, want the one that has not expired", got)
	}
	a := f.Features[0].Properties
	if a.Ends != nil || a.Instruction != nil || a.Geocode.UGC[0] != "PZZ251" ||
		a.Sent != "2026-11-20T08:00:00-08:00" ||
		!strings.HasPrefix(a.Parameters["VTEC"][0], "/O.NEW.KPQR.GL.W.") {
		t.Errorf("alert %+v", a)
	}
	if got := read[feed](t, s, "/alerts/active?zone=ANZ230").events(); len(got) > 0 {
		t.Errorf("alerts = %q, want none", got)
	}
}

type zoneFeed struct {
	Features []struct {
		Properties struct {
			ID, Type string
			CWA      []string
		}
	}
}

func TestZones(t *testing.T) {
	s := serviceAt(t, issueTime)
	for point, want := range map[string]string{
		"42.3548,-71.0534":  "ANZ230 BOX",
		"37.8063,-122.4659": "PZZ530 MTR",
		"46.2,-124.1":       "PZZ251 PQR",
		"32.7142,-117.1736": "PZZ740 SGX",
		"39.739,-104.985":   "",
		"28,-90":            "",
		"51.5074,-0.1278":   "",
	} {
		f := read[zoneFeed](t, s, "/zones?type=coastal&point="+point+"&include_geometry=false")
		got := ""
		for _, z := range f.Features {
			got = z.Properties.ID + " " + z.Properties.CWA[0]
			if z.Properties.Type != "coastal" {
				t.Errorf("zone of %s: %+v", point, z)
			}
		}
		if got != want || len(f.Features) > 1 {
			t.Errorf("coastal zone of %s = %q, want %q", point, got, want)
		}
	}
}

// TestWeatherTables checks assumptions of the code about the table of offices.
func TestWeatherTables(t *testing.T) {
	seen := map[string]string{}
	for _, o := range slices.Concat(offices, centers) {
		zoneNamed(o.Zone)
		if prior, double := seen[o.ID]; double {
			t.Errorf("%s is listed twice (%s)", o.ID, prior)
		}
		seen[o.ID] = o.Place
		for _, w := range o.Waters {
			if !zoneCode.MatchString(w.ID) || seen[w.ID] != "" || w.Exposure == ashore {
				t.Errorf("%s of %s: also %q", w.ID, o.ID, seen[w.ID])
			}
			seen[w.ID] = o.ID
		}
		if o.GridID != "" &&
			(!zoneCode.MatchString(o.Land) || !zoneCode.MatchString(o.County) || !onGrid(o.X, o.Y)) {
			t.Errorf("%s: land %s, county %s, cell %d,%d", o.ID, o.Land, o.County, o.X, o.Y)
		}
	}
}

// weatherRecording returns a recording of the weather service.
func weatherRecording(t *testing.T, name string) []byte {
	t.Helper()
	folder := filepath.Join(trials.Shared(t), "recordings", "nws")
	b, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestProblemsAsRecorded(t *testing.T) {
	s := serviceAt(t, issueTime)
	for name, url := range map[string]string{
		"accessiweather_points_0.0,0.0.json":         "/points/0.0,0.0",
		"accessiweather_points_51.5074,-0.1278.json": "/points/51.5074,-0.1278",
		"404_InvalidGridpoint.json":                  "/gridpoints/PQR/999,999",
		"404_NotFound.json":                          "/nothing",
	} {
		want := strings.TrimSuffix(maskIDs(weatherRecording(t, "errors/"+name)), "\n")
		if got := maskIDs(ask(s, url).Body.Bytes()); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", url, got, want)
		}
	}
}

// TestWeatherAsRecorded checks that every response has only members that the recorded response of
// the service has, in its order.
func TestWeatherAsRecorded(t *testing.T) {
	s := serviceAt(t, issueTime)
	for name, url := range map[string]string{
		"points/accessiweather_points_40.7128,-74.006.json": "/points/40.7128,-74.006",
		"gridpoints/weathergov-e2e/HFO/154,145.json":        "/gridpoints/HFO/154,145",
		"pynws-fixtures/alerts_active_zone.json":            "/alerts/active?zone=ANZ230",
	} {
		checkMembers(t, url, ask(s, url).Body.Bytes(), weatherRecording(t, name))
	}
}

// checkMembers checks that the objects of a response have only members of a recorded one, in its
// order.
func checkMembers(t *testing.T, what string, got, recorded []byte) {
	t.Helper()
	want := shape(t, recorded)
	for path, keys := range shape(t, got) {
		known := slices.DeleteFunc(want[path], func(key string) bool {
			return !slices.Contains(keys, key)
		})
		if !slices.Equal(keys, known) {
			t.Errorf("%s: members of %s are %q, want only recorded ones: %q", what, path, keys, known)
		}
	}
}

// shape lists the keys of each object by its path, in order of appearance;
// the objects of a list count together.
func shape(t *testing.T, body []byte) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	d := json.NewDecoder(bytes.NewReader(body))
	var walk func(path string)
	walk = func(path string) {
		token, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		switch token {
		case json.Delim('{'):
			for d.More() {
				key, _ := d.Token()
				if name := key.(string); !slices.Contains(out[path], name) {
					out[path] = append(out[path], name)
				}
				walk(path + "." + key.(string))
			}
			d.Token()
		case json.Delim('['):
			for d.More() {
				walk(path + "[]")
			}
			d.Token()
		}
	}
	walk("")
	return out
}
