package noaa

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"leadline/internal/coast"
)

// sentences lists error messages of the provider.
var sentences = []struct {
	status int
	reason string
	code   coast.Code
	words  string // of our message
}{
	{200, "No data was found. This product may not be offered at this station at the requested time.",
		coast.ProductUnavailable, noData},
	{200, "No Predictions data was found. Please make sure the Datum input is valid.",
		coast.ProductUnavailable, noData},
	{200, " Currents predictions are not available from the requested station.",
		coast.ProductUnavailable, "No currents are predicted"},
	{400, " The station is not a valid station or there is system error.", coast.StationNotFound,
		"no such station"},
	{400, " Wrong Station ID: Please submit a valid station ID ", coast.StationNotFound,
		"no such station"},
	{400, " The supported Datum values are: MHHW, MSL, MLLW, NAVD", coast.DatumUnavailable,
		"give one of MHHW, MSL, MLLW, NAVD, or STND."},
	{400, " There is no MLLW for the station: 9000009", coast.DatumUnavailable,
		"The station has no MLLW:"},
	{400, " There is no CRD Offset for the station: 9000009", coast.DatumUnavailable,
		"The station has no CRD:"},
	{400, " Wrong Datum: The datum supplied is a derived datum", coast.DatumUnavailable,
		"MLLW or STND"},
	{400, " Great Lakes stations don't have Predictions data.", coast.ProductUnavailable,
		"Great Lakes"},
	{400, "Water Level Daily Mean Data is only available for Great Lakes stations, and not for " +
		"coastal stations.", coast.ProductUnavailable, "Daily means"},
	{400, " Wrong Date: The requested begin/end date or range are not valid.  Range Limit Exceeded: " +
		"The size limit for data retrieval for this product is 31 days ", coast.RangeTooLong,
		"ask for a shorter one"},
	{400, " Wrong Date: The requested begin/end date or range are not valid.  Wrong Date: The end " +
		"date should be greater than the begin date ", coast.InvalidRequest, "begins before it ends"},
	{400, " Wrong Date: The requested begin/end date or range are not valid. ", coast.InvalidRequest,
		"both days exist"},
	{400, " Wrong Bin Number was supplied", coast.InvalidRequest, "no such bin"},
	{400, "Available bin number of XYZ0003: 14, 11, 8, 4, ", coast.InvalidRequest,
		"give one of 14, 11, 8, 4, or none"},
	{400, "Something else went wrong: 7", coast.ProductUnavailable, "refused the request"},
	{200, "There is no bread for the station", coast.ProductUnavailable, "refused the request"},
}

func TestSentences(t *testing.T) {
	for _, s := range sentences {
		body := fmt.Sprintf("{\"error\": {\"message\":%q}}\n", s.reason)
		e := refusal(t, levelFormat, s.status, body)
		if e == nil {
			continue
		}
		quoted := `NOAA says: "` + strings.Join(strings.Fields(s.reason), " ") + `"`
		if e.Code != s.code || !strings.Contains(e.Message, s.words) ||
			!strings.HasSuffix(e.Message, quoted) {
			t.Errorf("%q is %s: %s, want %s with %q", s.reason, e.Code, e.Message, s.code, s.words)
		}
		if IsNoData(e) != (s.words == noData) {
			t.Errorf("%q: IsNoData = %v", s.reason, IsNoData(e))
		}
	}
}

// refusal returns the error for a body in which the provider says why there are no rows.
func refusal[R any](t *testing.T, f format[R], status int, body string) *coast.Error {
	t.Helper()
	p, err := f.read(responseOf(status, body))
	var e *coast.Error
	if !errors.As(err, &e) {
		t.Errorf("%d %s: %+v, %v, want an error of the provider", status, body, p, err)
	}
	return e
}

// TestErrorForms checks that an error member is found in any position, and takes precedence over
// rows.
func TestErrorForms(t *testing.T) {
	for _, body := range []string{
		`{"error": {"message":"No data was found."}}`,
		"\n\n{\n  \"error\": {\n    \"message\": \"No data was found.\"\n  }\n}\n",
		`{"data":[{"t":"2025-01-01 00:00","v":"1"}],"error":{"code":7,"message":"No data was found."}}`,
		`{"data":"none","error":{"message":"No data was found."}}`,
		`{"error":{"message":"No\tdata \n was\u0020found."}}`,
		`{"error":"No data was found."}`,
		`{"errorCode":404,"errorMsg":"No data was found."}`,
	} {
		if e := refusal(t, levelFormat, 200, body); e != nil &&
			(!IsNoData(e) || !strings.HasSuffix(e.Message, `"No data was found."`)) {
			t.Errorf("%s: %v", body, e)
		}
	}
	for _, body := range []string{`{"data":[]}`, `{"metadata":{},"data": [ ]}`} {
		if e := refusal(t, levelFormat, 200, body); e != nil && !IsNoData(e) {
			t.Errorf("%s: %v", body, e)
		}
	}
	if e := refusal(t, currentPredictionFormat, 200,
		`{"current_predictions":{"units":"meters, cm/s","cp":[]}}`); e != nil && !IsNoData(e) {
		t.Errorf("no predicted currents: %v", e)
	}
}

// TestQuote checks that quotations of the provider are limited in length and sanitized.
func TestQuote(t *testing.T) {
	reason := strings.Repeat("é", 400)
	e := refusal(t, levelFormat, 400, `{"error":{"message":"`+reason+`"}}`)
	if want := `NOAA says: "` + reason[:2*maxQuote] + `…"`; !strings.HasSuffix(e.Message, want) {
		t.Errorf("got %s", e.Message)
	}
	e = refusal(t, levelFormat, 400, `{"error":{"message":"a \u001b[31m\"b\"\u0000 c\u0085d"}}`)
	if want := `NOAA says: "a [31m'b' c d"`; !strings.HasSuffix(e.Message, want) {
		t.Errorf("got %q, want %q", e.Message, want)
	}
	e = refusal(t, levelFormat, 400, "{\"error\":{\"message\":\"Pe\xf1a\"}}")
	if want := `NOAA says: "Peña"`; !strings.HasSuffix(e.Message, want) {
		t.Errorf("got %q, want %q", e.Message, want)
	}
}
