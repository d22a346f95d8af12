package nws

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"leadline/internal/coast"
	"leadline/internal/upstream"
)

// broken lists recorded points that were modified: they have nonexistent zones or missing parts,
// and must be rejected.
var broken = map[string]string{
	"34.749,-92.679.json":  "unknown zone",
	"37.805,-122.273.json": "unknown zone",
	"39.738,-104.985.json": "unknown zone",
	"47.212,-123.107.json": "neither zone nor grid",
}

func TestRecordedPoints(t *testing.T) {
	all := recorded(t, "points", func(string) bool { return true })
	for name, body := range all {
		t.Run(name, func(t *testing.T) {
			got, err := readPoint(response(body))
			if want := broken[filepath.Base(name)]; want != "" {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("readPoint = %v, want an error about %q", err, want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			comparePoint(t, got, raw(t, body)["properties"])
		})
	}
	if len(all) < 30 {
		t.Errorf("%d recorded points, want some 30", len(all))
	}
}

func comparePoint(t *testing.T, got Point, properties any) {
	t.Helper()
	last := func(name string) string {
		link := text(properties, name)
		return link[strings.LastIndex(link, "/")+1:]
	}
	place := ""
	if town := dig(properties, "relativeLocation", "properties"); town != nil {
		place = text(town, "city") + ", " + text(town, "state")
	}
	want := Point{
		Office: text(properties, "cwa"), Grid: text(properties, "gridId"), Zone: last("forecastZone"),
		County:   last("county"),
		FireZone: last("fireWeatherZone"), Place: place, TimeZone: text(properties, "timeZone"),
		Marine: text(properties, "type") == "marine",
	}
	if x, ok := dig(properties, "gridX").(float64); ok {
		want.X, want.Y = int(x), int(dig(properties, "gridY").(float64))
	}
	if want.Office == "" {
		want.Office = want.Grid // missing in one recording
	}
	if got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestPointForms(t *testing.T) {
	const zone = `"forecastZone":"https://x/zones/forecast/PZZ251"`
	for name, row := range map[string]struct {
		properties string
		want       Point
		err        string
	}{
		"grid in quotes": {`"cwa":"PQR","gridId":"PQR","gridX":"74","gridY":"145",` + zone,
			Point{Marine: true, Office: "PQR", Grid: "PQR", X: 74, Y: 145, Zone: "PZZ251"}, ""},
		"cell without a grid": {`"cwa":"NH2","gridId":null,"gridX":7,"gridY":null,` + zone,
			Point{Marine: true, Office: "NH2", Zone: "PZZ251"}, ""},
		"land by its word": {`"cwa":"PQR","type":"land",` + zone, Point{Office: "PQR", Zone: "PZZ251"},
			""},
		"town without state": {`"cwa":"PQR","relativeLocation":{"properties":{"city":"Astoria"}},` +
			zone, Point{Marine: true, Office: "PQR", Zone: "PZZ251"}, ""},
		"cell of words": {`"cwa":"PQR","gridId":"PQR","gridX":"a","gridY":1,` + zone, Point{},
			"invalid"},
		"half a cell": {`"cwa":"PQR","gridId":"PQR","gridX":1.5,"gridY":1,` + zone, Point{},
			"invalid syntax"},
		"cell below zero": {`"cwa":"PQR","gridId":"PQR","gridX":-1,"gridY":1,` + zone, Point{},
			"grid"},
		"grid of nonsense": {`"cwa":"PQR","gridId":"../..","gridX":1,"gridY":1,` + zone, Point{},
			"grid"},
		"office of nonsense": {`"cwa":"a/b",` + zone, Point{}, "office"},
		"nowhere":            {`"cwa":"PQR"`, Point{}, "neither zone nor grid"},
		"list":               {`"cwa":["PQR"],` + zone, Point{}, "cannot unmarshal"},
	} {
		got, err := readPoint(response(`{"properties":{` + row.properties + `}}`))
		if got != row.want || fmt.Sprint(err) != fmt.Sprint(nil) &&
			(row.err == "" || !strings.Contains(err.Error(), row.err)) || err == nil && row.err != "" {
			t.Errorf("%s: got %+v, %v, want %+v, %q", name, got, err, row.want, row.err)
		}
	}
	for _, body := range []string{`{}`, ``, `<html>`, `[]`, `null`, `{"properties":null}`} {
		if got, err := readPoint(response(body)); err == nil {
			t.Errorf("readPoint(%q) = %+v, want an error", body, got)
		}
	}
}

func TestCoordinate(t *testing.T) {
	for _, row := range []struct {
		latitude, longitude float64
		want                string
	}{
		{40.7128, -74.006, "40.7128,-74.006"},
		{45, -93, "45,-93"},
		{40.50004, -74.00006, "40.5,-74.0001"},
		{-0.00001, -0.00004, "0,0"},
		{-14.27806, -170.7025, "-14.2781,-170.7025"},
		{90, 180, "90,180"},
		{1e-10, 179.99996, "0,180"},
	} {
		if got, err := coordinate(row.latitude, row.longitude); got != row.want || err != nil {
			t.Errorf("coordinate(%v, %v) = %q, %v, want %q", row.latitude, row.longitude, got, err, row.want)
		}
	}
	for _, at := range [][2]float64{{90.1, 0}, {0, -180.5}, {math.NaN(), 0}, {0, math.Inf(1)}} {
		_, err := coordinate(at[0], at[1])
		if e, ok := coast.AsError(err); !ok || e.Code != coast.InvalidRequest {
			t.Errorf("coordinate(%v) = %v, want InvalidRequest", at, err)
		}
	}
}

func TestRefusals(t *testing.T) {
	const document = `{"title":"Not Found","type":"https://api.weather.gov/problems/NotFound","status":404,"detail":"No such thing."}`
	for name, row := range map[string]struct {
		status int
		body   string
		want   string // a code, else part of a message
	}{
		"nothing there": {404, document, "product_unavailable: The weather service has no point: " +
			"No such thing."},
		"title alone": {404, `{"title":"Not Found","type":"https://x/problems/NotFound"}`,
			"product_unavailable: The weather service has no point: Not Found."},
		"asked wrongly": {400,
			`{"title":"Bad Request","type":"https://x/problems/BadRequest","parameterErrors":[{"parameter":"query.zone[0]","message":"is odd"}]}`, "invalid_request: The weather service refused the request for point: Bad Request; query.zone[0]: is odd."},
		"forbidden": {403, `{"type":"https://x/problems/Forbidden"}`,
			"read point: status 403, Forbidden"},
		"page of a proxy": {404, `<html>Not Found</html>`,
			"read point: status 404 without a problem document"},
		"JSON of another": {404, `{"message":"no route"}`,
			"read point: status 404 without a problem document"},
		"redirect left as is": {301, ``, "read point: status 301 without a problem document"},
	} {
		_, err := readPoint(upstream.Response{Status: row.status, Body: []byte(row.body)})
		got := fmt.Sprint(err)
		if e, ok := coast.AsError(err); ok {
			got = string(e.Code) + ": " + e.Message
		}
		if got != row.want {
			t.Errorf("%s: got %q, want %q", name, got, row.want)
		}
	}
}

func TestRecordedProblems(t *testing.T) {
	for name, body := range recorded(t, "errors", func(string) bool { return true }) {
		document := raw(t, body)
		status := int(document["status"].(float64))
		err := refusal(upstream.Response{Status: status, Body: []byte(body)}, "answer")
		e, ok := coast.AsError(err)
		if want := status == 404; ok != want || want &&
			(e.Code != coast.ProductUnavailable ||
				!strings.Contains(e.Message, strings.TrimSuffix(text(document, "detail"), "."))) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzPoint(f *testing.F) {
	f.Add(`{"properties":{"cwa":"OKX","type":"land","gridId":"OKX","gridX":33,"gridY":"35","forecastZone":"https://x/zones/forecast/NYZ072","county":null}}`)
	f.Add(`{"properties":{"cwa":"NH2","gridId":null,"forecastZone":"GMZ056"}}`)
	f.Fuzz(func(t *testing.T, body string) {
		p, err := readPoint(response(body))
		if err != nil {
			return
		}
		if p.Zone == "" && p.Grid == "" || p.X < 0 || p.Y < 0 || p.Grid == "" && p.X+p.Y != 0 {
			t.Errorf("%+v", p)
		}
		for _, id := range []string{p.Zone, p.County, p.FireZone} {
			if id != "" && !ugc(id) {
				t.Errorf("zone %q", id)
			}
		}
	})
}
