package nws_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"leadline/internal/coast"
	"leadline/internal/nws"
	"leadline/internal/upstream"
)

// service responds like the weather service, for a few paths.
type service struct {
	*httptest.Server
	mu       sync.Mutex
	requests []string // path, query and accepted type
}

const (
	landPoint   = `{"properties":{"cwa":"PQR","type":"land","gridId":"PQR","gridX":61,"gridY":152,"forecastZone":"https://x/zones/forecast/ORZ101","county":"https://x/zones/county/ORC007","fireWeatherZone":null,"relativeLocation":{"properties":{"city":"Astoria","state":"OR"}},"timeZone":"America/Los_Angeles"}}`
	invalid     = `{"title":"Data Unavailable For Requested Point","type":"https://x/problems/InvalidPoint","status":404,"detail":"Unable to provide data for requested point"}`
	notFound    = `{"title":"Not Found","type":"https://x/problems/NotFound","status":404,"detail":"Not Found"}`
	badRequest  = `{"title":"Bad Request","type":"https://x/problems/BadRequest","status":400,"detail":"Bad Request"}`
	noProducts  = `{"@context":{},"@graph":[]}`
	cwfProducts = `{"@context":{},"@graph":[
		{"id":"old-1","issuanceTime":"2026-11-29T22:43:00+00:00","issuingOffice":"KPQR","productCode":"CWF"},
		{"id":"new-2","issuanceTime":"2026-11-30T02:43:00-08:00","issuingOffice":"KPQR","productCode":"CWF"}]}`
)

func serve(t *testing.T) (*service, *nws.Client) {
	t.Helper()
	s := &service{}
	cwf, err := os.ReadFile("testdata/cwf.txt")
	if err != nil {
		t.Fatal(err)
	}
	grid, err := os.ReadFile("testdata/grid.json")
	if err != nil {
		t.Fatal(err)
	}
	product := fmt.Sprintf(
		`{"@context":{},"id":"new-2","issuanceTime":"2026-11-30T10:43:00+00:00","productCode":"CWF","productText":%q}`, cwf)
	bodies := map[string]string{
		"/points/46.1877,-123.83":                                            landPoint,
		"/gridpoints/PQR/61,152":                                             string(grid),
		"/alerts/active?point=46.1877%2C-123.83":                             `{"features":[],"updated":"2026-11-18T05:02:08+00:00"}`,
		"/alerts/active?zone=ORZ101%2CPZZ251":                                `{"features":[{"properties":{"id":"a","event":"Gale Warning"}}]}`,
		"/zones?type=coastal&point=46.1877%2C-123.83&include_geometry=false": `{"features":[{"properties":{"id":"PZZ210","cwa":["PQR"]}}]}`,
		"/zones?type=coastal&point=45%2C-93&include_geometry=false":          `{"features":[]}`,
		"/products/types/CWF/locations/PQR":                                  cwfProducts,
		"/products/types/CWF/locations/LOT":                                  noProducts,
		"/products/types/OFF/locations/PZ5":                                  noProducts,
		"/products/new-2":                                                    product,
	}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.requests = append(s.requests, r.RequestURI+" "+r.Header.Get("Accept"))
		s.mu.Unlock()
		w.Header().Set("Content-Type", "application/geo+json")
		switch body, ok := bodies[r.RequestURI]; {
		case ok:
			fmt.Fprint(w, body)
		case r.URL.Path == "/points/46.19,-123.83":
			w.Header().Set("Location", "/points/46.1877,-123.83")
			w.WriteHeader(http.StatusMovedPermanently)
		case strings.HasPrefix(r.URL.Path, "/points/"):
			refuse(w, 404, invalid)
		case strings.HasPrefix(r.URL.Path, "/alerts/"):
			refuse(w, 400, badRequest)
		default:
			refuse(w, 404, notFound)
		}
	}))
	t.Cleanup(s.Close)
	up, err := upstream.New(upstream.Config{Provider: coast.NWS, UserAgent: "leadline-test"})
	if err != nil {
		t.Fatal(err)
	}
	return s, nws.New(s.URL+"/", up)
}

func refuse(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	fmt.Fprint(w, body)
}

func code(err error) coast.Code {
	if e, ok := coast.AsError(err); ok {
		return e.Code
	}
	return coast.Code(fmt.Sprint(err))
}

func TestClientPoint(t *testing.T) {
	s, c := serve(t)
	ctx := context.Background()
	got, err := c.Point(ctx, 46.187699, -123.83)
	want := nws.Point{Latitude: 46.1877, Longitude: -123.83, Office: "PQR", Grid: "PQR", X: 61, Y: 152,
		Zone: "ORZ101", County: "ORC007", Place: "Astoria, OR", TimeZone: "America/Los_Angeles"}
	if err != nil || got.Data != want || got.Stale || got.ReceivedAt.IsZero() {
		t.Errorf("Point = %+v, %v, want %+v", got, err, want)
	}
	if want := []string{"/points/46.1877,-123.83 application/geo+json"}; !slices.Equal(s.requests,
		want) {
		t.Errorf("requests %q, want %q", s.requests, want)
	}
	if got, err := c.Point(ctx, 46.19, -123.83); err != nil || got.Data.Zone != "ORZ101" ||
		got.Data.Latitude != 46.19 {
		t.Errorf("redirected: %+v, %v", got, err)
	}
	_, err = c.Point(ctx, 51.5074, -0.1278)
	if e, _ := coast.AsError(err); e.Code != coast.ProductUnavailable ||
		!strings.HasPrefix(e.Message, "The weather service does not cover 51.5074, -0.1278:") {
		t.Errorf("London: %v", err)
	}
	if _, err := c.Point(ctx, 146, 0); code(err) != coast.InvalidRequest {
		t.Errorf("latitude 146: %v, want InvalidRequest", err)
	}
}

func TestClientGridAndZone(t *testing.T) {
	_, c := serve(t)
	ctx := context.Background()
	if got, err := c.Grid(ctx, "PQR", 61, 152); err != nil || len(got.Data.Layers) != 5 {
		t.Errorf("Grid = %+v, %v, want 5 layers", got, err)
	}
	if _, err := c.Grid(ctx, "PQR", 999, 999); code(err) != coast.ProductUnavailable {
		t.Errorf("no such cell: %v, want ProductUnavailable", err)
	}
	for _, cell := range []struct {
		grid string
		x, y int
	}{{"", 1, 1}, {"PQ/R", 1, 1}, {"PQR", -1, 1}, {"PQR", 1, -1}} {
		if _, err := c.Grid(ctx, cell.grid, cell.x, cell.y); code(err) != coast.InvalidRequest {
			t.Errorf("Grid(%+v): %v, want InvalidRequest", cell, err)
		}
	}
	if got, err := c.CoastalZone(ctx, 46.1877, -123.83); err != nil || got.Data == nil ||
		got.Data.ID != "PZZ210" || got.Data.Office != "PQR" {
		t.Errorf("CoastalZone = %+v, %v", got.Data, err)
	}
	if got, err := c.CoastalZone(ctx, 45, -93); err != nil || got.Data != nil {
		t.Errorf("CoastalZone inland = %+v, %v, want nil", got.Data, err)
	}
	if _, err := c.CoastalZone(ctx, 91, 0); code(err) != coast.InvalidRequest {
		t.Errorf("CoastalZone off the Earth: %v", err)
	}
}

func TestClientAlerts(t *testing.T) {
	s, c := serve(t)
	ctx := context.Background()
	got, err := c.AlertsAt(ctx, 46.1877, -123.83)
	if err != nil || len(got.Data.Alerts) != 0 || got.Data.AsOf.IsZero() ||
		got.Data.Updated.Day() != 18 {
		t.Errorf("AlertsAt = %+v, %v", got.Data, err)
	}
	if got, err := c.AlertsIn(ctx, "PZZ251", "ORZ101", "PZZ251"); err != nil ||
		len(got.Data.Alerts) != 1 {
		t.Errorf("AlertsIn = %+v, %v, want one alert", got.Data, err)
	}
	asked := len(s.requests)
	for _, zones := range [][]string{nil, {"Oregon"}, {"PZZ251", "x&area=OR"}} {
		if _, err := c.AlertsIn(ctx, zones...); code(err) != coast.InvalidRequest {
			t.Errorf("AlertsIn(%q): %v, want InvalidRequest", zones, err)
		}
	}
	if _, err := c.AlertsAt(ctx, 0, 181); code(err) != coast.InvalidRequest ||
		len(s.requests) != asked {
		t.Errorf("AlertsAt: %v, want InvalidRequest without a request", err)
	}
	if _, err := c.AlertsIn(ctx, "ZZZ999"); code(err) != coast.InvalidRequest {
		t.Errorf("a zone that the service rejects: %v, want InvalidRequest", err)
	}
}

func TestClientBulletin(t *testing.T) {
	s, c := serve(t)
	ctx := context.Background()
	got, err := c.Bulletin(ctx, "CWF", "PQR")
	b := got.Data
	if err != nil || b.Product != "CWF" || b.Office != "PQR" || b.ID != "new-2" ||
		len(b.Segments) != 3 || b.Issued.Format("02T15:04") != "30T10:43" {
		t.Fatalf("Bulletin = %+v, %v", b, err)
	}
	want := []string{"/products/types/CWF/locations/PQR application/ld+json",
		"/products/new-2 application/ld+json"}
	if !slices.Equal(s.requests, want) {
		t.Errorf("requests %q, want %q", s.requests, want)
	}
	for _, of := range [][2]string{{"CWF", "LOT"}, {"CWF", "XYZ"}, {"SRF", "PQR"}} {
		if _, err := c.Bulletin(ctx, of[0], of[1]); code(err) != coast.ProductUnavailable {
			t.Errorf("Bulletin(%q): %v, want ProductUnavailable", of, err)
		}
	}
	for _, of := range [][2]string{{"CWF", "../x"}, {"cwf", "PQR"}, {"CWFPQR", "PQR"}, {"", ""}} {
		if _, err := c.Bulletin(ctx, of[0], of[1]); code(err) != coast.InvalidRequest {
			t.Errorf("Bulletin(%q): %v, want InvalidRequest", of, err)
		}
	}
}

func TestClientBulletinFor(t *testing.T) {
	_, c := serve(t)
	ctx := context.Background()
	if got, err := c.BulletinFor(ctx, "PZZ253", "PQR"); err != nil || got.Data.Product != "CWF" {
		t.Errorf("BulletinFor = %+v, %v", got.Data, err)
	}
	for _, of := range [][2]string{{"PZZ299", "PQR"}, {"LMZ741", "LOT"}, {"GMZ056", "NH2"},
		{"ORZ101", "PQR"}} {
		if _, err := c.BulletinFor(ctx, of[0], of[1]); code(err) != coast.ProductUnavailable {
			t.Errorf("BulletinFor(%q): %v, want ProductUnavailable", of, err)
		}
	}
}

// TestClientDown checks that a failure of the service is not reported as missing data.
func TestClientDown(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "/OFF/") {
			fmt.Fprint(w, noProducts)
			return
		}
		refuse(w, 503, `{"title":"Service Unavailable","type":"https://x/problems/ServiceUnavailable","status":503}`)
	}))
	defer s.Close()
	up, err := upstream.New(upstream.Config{Provider: coast.NWS, UserAgent: "leadline-test"})
	if err != nil {
		t.Fatal(err)
	}
	c := nws.New(s.URL, up)
	if _, err := c.BulletinFor(context.Background(), "PZZ253", "PQR"); code(
		err) != coast.ProviderUnavailable {
		t.Errorf("BulletinFor: %v, want ProviderUnavailable", err)
	}
}
