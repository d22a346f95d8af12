// Package nws reads the public API of the US National Weather Service.
//
// The input is a place: a coordinate, a grid cell, a zone or an office. The output is in the
// service's own units, with times in UTC:
//
//   - Point: the office and zones of a coordinate
//   - Grid: the numeric forecast of a cell
//   - Alerts: the alerts in force
//   - Zone: the coastal zone of a coordinate
//   - Bulletin: the newest text product of an office, parsed into zones and periods
//
// The package does not make decisions or fill gaps. A value that the service does not give is nil,
// and a response of unknown format is an error. The only estimate is the time of a period whose
// name does not state it, which is marked (Segment.Times). If the service has no data for a place,
// the error is a *coast.Error with code ProductUnavailable. Every request goes through
// upstream.Get, which caches responses and reports their age.
package nws

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"leadline/internal/coast"
	"leadline/internal/upstream"
)

// Client is a client of one instance of the API.
type Client struct {
	root string
	up   *upstream.Client
}

// New returns a client of the API at root that sends its requests through up. root is a scheme
// and host with an optional port: https://api.weather.gov.
func New(root string, up *upstream.Client) *Client {
	return &Client{root: strings.TrimRight(root, "/"), up: up}
}

// The caching classes. The service itself lets clients cache points for a day, alerts for half a
// minute and lists of products for two minutes; grids change hourly. Cached alerts are valid
// until their own end, so they expire after the duration of most alerts; callers see that they
// are stale.
var (
	placeClass = upstream.Class{Fresh: 24 * time.Hour, Expiry: 30 * 24 * time.Hour,
		Negative: 24 * time.Hour}
	gridClass = upstream.Class{Fresh: 30 * time.Minute, Expiry: 6 * time.Hour,
		Negative: 30 * time.Minute}
	alertClass = upstream.Class{Fresh: time.Minute, Expiry: 24 * time.Hour, Negative: time.Minute}
	listClass  = upstream.Class{Fresh: 15 * time.Minute, Expiry: 6 * time.Hour,
		Negative: 15 * time.Minute}
	// a product never changes
	productClass = upstream.Class{Fresh: 24 * time.Hour, Expiry: 30 * 24 * time.Hour,
		Negative: 15 * time.Minute}
)

const (
	geoJSON    = "application/geo+json"
	linkedJSON = "application/ld+json"
)

// request returns a request for a path below the root.
func (c *Client) request(path, accept string, class upstream.Class) upstream.Request {
	return upstream.Request{URL: c.root + path, Accept: accept, Class: class}
}

// problem is an error response of the service (RFC 9457).
type problem struct {
	Title, Type, Detail string
	ParameterErrors     []struct{ Parameter, Message string }
}

// words returns the service's own text, for callers.
func (p problem) words() string {
	words := p.Detail
	if words == "" {
		words = p.Title
	}
	for _, e := range p.ParameterErrors {
		words += fmt.Sprintf("; %s: %s", e.Parameter, e.Message)
	}
	return strings.TrimSuffix(words, ".")
}

// refusal returns the error of a response: nil with status 200, a *coast.Error if the service
// says that there is no data (404) or that the request is invalid (400). An error without a
// problem document did not come from the service.
func refusal(r upstream.Response, what string) error {
	if r.Status == http.StatusOK {
		return nil
	}
	var p problem
	err := json.Unmarshal(cleanJSON(r.Body, coast.Clean), &p)
	_, name, named := strings.Cut(p.Type, "/problems/")
	if err != nil || !named || name == "" {
		return fmt.Errorf("read %s: status %d without a problem document", what, r.Status)
	}
	switch r.Status {
	case http.StatusNotFound:
		return coast.Errorf(coast.ProductUnavailable, "The weather service has no %s: %s.", what,
			p.words())
	case http.StatusBadRequest:
		return coast.Errorf(coast.InvalidRequest, "The weather service refused the request for %s: %s.",
			what, p.words())
	}
	return fmt.Errorf("read %s: status %d, %s", what, r.Status, name)
}

// decode reads the JSON of a response into v, without hidden characters and line breaks. what
// names the response in errors.
func decode(r upstream.Response, what string, v any) error {
	return decodeAs(r, what, v, coast.Clean)
}

// decodeLines is decode for texts with line breaks.
func decodeLines(r upstream.Response, what string, v any) error {
	return decodeAs(r, what, v, coast.CleanLines)
}

func decodeAs(r upstream.Response, what string, v any, clean func(string) string) error {
	if err := refusal(r, what); err != nil {
		return err
	}
	if err := json.Unmarshal(cleanJSON(r.Body, clean), v); err != nil {
		return fmt.Errorf("read %s: %w", what, err)
	}
	return nil
}

// instant parses a time, which the service always writes with its offset.
func instant(text string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, fmt.Errorf("time %q: %w", text, err)
	}
	return t.UTC(), nil
}

// coordinate formats a point so that the service does not redirect: at most four decimals
// without trailing zeros.
func coordinate(latitude, longitude float64) (string, error) {
	if !(math.Abs(latitude) <= 90 && math.Abs(longitude) <= 180) { // NaN fails too
		return "", coast.Errorf(coast.InvalidRequest,
			"There is no point %v, %v: latitude runs from -90 to 90, longitude from -180 to 180 degrees.",
			latitude, longitude)
	}
	return decimals(latitude) + "," + decimals(longitude), nil
}

// rounded rounds to four decimals, about ten meters, without a negative zero.
func rounded(degrees float64) float64 { return math.Round(degrees*1e4)/1e4 + 0 }

func decimals(degrees float64) string { return strconv.FormatFloat(rounded(degrees), 'f', -1, 64) }

// ugc reports whether id has the form of a zone's or county's code: two
// letters (a state, or a part of the sea), Z or C, three digits.
func ugc(id string) bool {
	return len(id) == 6 && upper(id[:2]) && (id[2] == 'Z' || id[2] == 'C') && digits(id[3:])
}

// office reports whether name can be an office or the place of a product.
func office(name string) bool {
	return len(name) >= 2 && len(name) <= 4 && name[0] >= 'A' && name[0] <= 'Z' && upperOrDigit(name)
}

func upper(s string) bool  { return only(s, func(b byte) bool { return b >= 'A' && b <= 'Z' }) }
func digits(s string) bool { return only(s, digit) }
func digit(b byte) bool    { return b >= '0' && b <= '9' }
func upperOrDigit(s string) bool {
	return only(s, func(b byte) bool { return b >= 'A' && b <= 'Z' || digit(b) })
}

// only reports whether s is not empty and every byte of it is ok.
func only(s string, ok func(byte) bool) bool {
	for i := range len(s) {
		if !ok(s[i]) {
			return false
		}
	}
	return s != ""
}

// foldPrefix reports whether s begins with prefix, ignoring case.
func foldPrefix(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}
