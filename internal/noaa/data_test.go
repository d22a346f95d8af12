package noaa

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"leadline/internal/coast"
	"leadline/internal/upstream"
)

// provider is a data service with six levels a day. It has faults by the first day of a request,
// and records its requests.
type provider struct {
	*httptest.Server
	sync.Mutex
	requests []url.Values
	failed   map[string]string // by begin_date: a status, or an error sentence of the provider
	body     string            // in place of levels
}

// broken is a fault that is not retried, unlike 503.
const broken = "broken"

func serve(t *testing.T) (*provider, *Client) {
	t.Helper()
	p := &provider{failed: map[string]string{}}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	up, err := upstream.New(upstream.Config{Provider: coast.COOPS, UserAgent: "leadline test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(up.Close)
	return p, New(p.URL+"/", up, func() time.Time { return at(t, "2025-11-20 15:04") })
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	p.Lock()
	p.requests = append(p.requests, q)
	fault, body := p.failed[q.Get("begin_date")], p.body
	p.Unlock()
	w.Header().Set("Content-Type", "application/json;charset=ISO-8859-1")
	switch {
	case r.URL.Path != "/api/prod/datagetter" || r.URL.RawQuery != q.Encode():
		w.WriteHeader(http.StatusTeapot)
	case fault == "503":
		w.WriteHeader(http.StatusServiceUnavailable)
	case fault == broken:
		fmt.Fprint(w, "<html>")
	case fault != "":
		fmt.Fprintf(w, `{"error": {"message":%q}}`, fault)
	case body != "":
		fmt.Fprint(w, body)
	default:
		fmt.Fprint(w, sixADay(q))
	}
}

// sixADay returns a body with a level every four hours, whose height is the hour.
func sixADay(q url.Values) string {
	const format = "20060102"
	from, _ := time.Parse(format, q.Get("begin_date"))
	to, _ := time.Parse(format, q.Get("end_date"))
	var rows []string
	for at := from; at.Before(to.AddDate(0, 0, 1)); at = at.Add(4 * time.Hour) {
		rows = append(rows,
			fmt.Sprintf(`{"t":"%s", "v":"%d", "s":"0.01", "f":"0,0,0,0", "q":"p"}`,
				at.Format("2006-01-02 15:04"), at.Hour()))
	}
	return `{"metadata":{"id":"9000001"}, "data": [` + strings.Join(rows, ",") + "]}\n"
}

// windows returns the requested days, in order.
func (p *provider) windows() string {
	p.Lock()
	defer p.Unlock()
	var list []string
	for _, q := range p.requests {
		list = append(list, q.Get("begin_date")+"-"+q.Get("end_date"))
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

func TestLevels(t *testing.T) {
	p, c := serve(t)
	got, err := c.Levels(context.Background(), "9000001", "MLLW", SixMinute,
		period(t, "2025-11-19 08:00", "2025-11-20 11:59"))
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Rows) != 7 || !got.Rows[0].Time.Equal(at(t, "2025-11-19 08:00")) ||
		!got.Rows[6].Time.Equal(at(t, "2025-11-20 08:00")) || *got.Rows[6].Height != 8 {
		t.Errorf("got %v", got.Rows)
	}
	if got.ReceivedAt.IsZero() || got.Stale || len(got.Gaps) > 0 {
		t.Errorf("got %v %v %v", got.ReceivedAt, got.Stale, got.Gaps)
	}
	want := "application=Leadline&begin_date=20251119&datum=MLLW&end_date=20251120&format=json" +
		"&product=water_level&station=9000001&time_zone=gmt&units=metric"
	if len(p.requests) != 1 || p.requests[0].Encode() != want {
		t.Errorf("requests %v, want %s", p.requests, want)
	}
}

// TestQueries checks the parameters of each product, without the days and those that all have.
func TestQueries(t *testing.T) {
	bin, all := 14, 0
	ctx := context.Background()
	for want, get := range map[string]func(*Client, Period) error{
		"datum=MSL product=water_level": func(
			c *Client, p Period) error {
			return last(c.Levels(ctx, "x", "MSL", "6", p))
		},
		"datum=MSL product=one_minute_water_level": func(
			c *Client, p Period) error {
			return last(c.Levels(ctx, "x", "MSL", "1", p))
		},
		"datum=MSL product=hourly_height": func(
			c *Client, p Period) error {
			return last(c.Levels(ctx, "x", "MSL", "hourly", p))
		},
		"datum=MSL product=high_low": func(
			c *Client, p Period) error {
			return last(c.HighLows(ctx, "x", "MSL", p))
		},
		"datum=LWD product=daily_mean time_zone=lst": func(c *Client, p Period) error {
			return last(c.DailyMeans(ctx, "x", "LWD", p))
		},
		"datum=MSL product=daily_max_min": func(
			c *Client, p Period) error {
			return last(c.DailyExtremes(ctx, "x", "MSL", p))
		},
		"datum=MSL product=monthly_mean": func(
			c *Client, p Period) error {
			return last(c.MonthlyMeans(ctx, "x", "MSL", p))
		},
		"product=air_pressure": func(
			c *Client, p Period) error {
			return last(c.Readings(ctx, "x", "air_pressure", false, p))
		},
		"interval=h product=salinity": func(
			c *Client, p Period) error {
			return last(c.Readings(ctx, "x", "salinity", true, p))
		},
		"product=wind": func(
			c *Client, p Period) error {
			return last(c.Winds(ctx, "x", false, p))
		},
		"interval=h product=wind": func(
			c *Client, p Period) error {
			return last(c.Winds(ctx, "x", true, p))
		},
		"product=currents": func(
			c *Client, p Period) error {
			return last(c.Currents(ctx, "x", nil, false, false, p))
		},
		"bin=14 interval=h product=currents": func(
			c *Client, p Period) error {
			return last(c.Currents(ctx, "x", &bin, true, false, p))
		},
		"bin=0 expand=detailed product=currents": func(
			c *Client, p Period) error {
			return last(c.Currents(ctx, "x", &all, false, true, p))
		},
		"datum=MSL interval=hilo product=predictions": func(c *Client, p Period) error {
			return last(c.Predictions(ctx, "x", "MSL", "hilo", p))
		},
		"interval=max_slack product=currents_predictions": func(c *Client, p Period) error {
			_, _, err := c.CurrentPredictions(ctx, "x", nil, "max_slack", p)
			return err
		},
		"bin=14 interval=30 product=currents_predictions": func(c *Client, p Period) error {
			_, _, err := c.CurrentPredictions(ctx, "x", &bin, "30", p)
			return err
		},
	} {
		p, c := serve(t)
		p.body = `{"error":{"message":"No data was found."}}`
		if err := get(c, Period{}); !IsNoData(err) {
			t.Errorf("%s: %v", want, err)
		}
		if got := p.query(t); got != want {
			t.Errorf("requested %s, want %s", got, want)
		}
	}
}

// last returns the error of a call.
func last[R any](_ Records[R], err error) error { return err }

// query returns the only request, for the newest value at station x, without the parameters that
// all requests have.
func (p *provider) query(t *testing.T) string {
	t.Helper()
	if len(p.requests) != 1 {
		t.Fatalf("%d requests, want 1", len(p.requests))
	}
	var list []string
	common := map[string]string{"station": "x", "units": "metric", "time_zone": "gmt",
		"format": "json", "application": "Leadline", "date": "latest"}
	for name, values := range p.requests[0] {
		if len(values) != 1 || values[0] != common[name] {
			list = append(list, name+"="+strings.Join(values, "&"))
		}
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

// TestRefused checks that invalid queries fail without a request.
func TestRefused(t *testing.T) {
	p, c := serve(t)
	ctx := context.Background()
	_, _, currents := c.CurrentPredictions(ctx, "x", nil, "hilo", Period{})
	for name, test := range map[string]struct {
		err   error
		code  coast.Code
		words string
	}{
		"step": {last(c.Levels(ctx, "x", "MSL", "5", Period{})), coast.InvalidRequest, `not "5"`},
		"product": {last(c.Readings(ctx, "x", "rain", false, Period{})), coast.InvalidRequest,
			"air_gap, air_pressure, air_temperature, conductivity"},
		"interval": {last(c.Predictions(ctx, "x", "MSL", "7", Period{})), coast.InvalidRequest,
			"hilo, h, 1, 5"},
		"slack": {currents, coast.InvalidRequest, "max_slack, h, 1"},
		"future": {last(c.Winds(ctx, "x", false, period(t, "2025-11-21", "2025-11-22"))),
			coast.ProductUnavailable, "Observations end now"},
		"long": {last(c.Winds(ctx, "x", false, period(t, "2024-11-21", "2025-11-20"))),
			coast.RangeTooLong, "at most 310"},
		"minutes": {last(c.Levels(ctx, "x", "MSL", "1", period(t, "2025-10-01", "2025-11-20"))),
			coast.RangeTooLong, "at most 40"},
		"bins": {last(
			c.Currents(ctx, "x", new(int), false, false, period(t, "2025-08-01", "2025-11-20"))),
			coast.RangeTooLong, "at most 70"},
	} {
		var e *coast.Error
		if !errors.As(test.err, &e) || e.Code != test.code || !strings.Contains(e.Message, test.words) {
			t.Errorf("%s: %v, want %s with %q", name, test.err, test.code, test.words)
		}
	}
	if len(p.requests) > 0 {
		t.Errorf("requests %v", p.requests)
	}
}

// TestJoin checks that sixty days are requested in three parts and joined.
func TestJoin(t *testing.T) {
	p, c := serve(t)
	got, err := c.Levels(context.Background(), "9000001", "MLLW", SixMinute,
		period(t, "2025-09-21 15:04", "2025-11-20 15:04"))
	if err != nil {
		t.Fatal(err)
	}
	if want := "20250905-20251005 20251006-20251105 20251106-20251120"; p.windows() != want {
		t.Errorf("requested %s, want %s", p.windows(), want)
	}
	if len(got.Rows) != 360 {
		t.Errorf("%d rows, want 360", len(got.Rows))
	}
	for i, row := range got.Rows {
		want := at(t, "2025-09-21 16:00").Add(time.Duration(i) * 4 * time.Hour)
		if !row.Time.Equal(want) || *row.Height != float64(want.Hour()) {
			t.Fatalf("row %d: %v %v, want %v", i, row.Time, *row.Height, want)
		}
	}
}

// TestCached checks that the same query later in the day sends no request, and one a day later
// requests the newest part only.
func TestCached(t *testing.T) {
	p, c := serve(t)
	for _, now := range []string{"2025-11-20 15:04", "2025-11-20 15:06", "2025-11-20 23:58",
		"2025-11-21 15:04"} {
		c.now = func() time.Time { return at(t, now) }
		span := Period{c.now().AddDate(0, 0, -60), c.now()}
		if got, err := c.Levels(context.Background(), "9000001", "MLLW", SixMinute, span); err != nil ||
			len(got.Rows) != 360 {
			t.Fatal(now, len(got.Rows), err)
		}
	}
	if want := "20250905-20251005 20251006-20251105 20251106-20251120 " +
		"20251106-20251121"; p.windows() != want {
		t.Errorf("requested %s, want %s", p.windows(), want)
	}
}

// TestGap checks that a part whose request fails is reported as a gap, to the minute.
func TestGap(t *testing.T) {
	p, c := serve(t)
	p.failed["20251006"] = "503"
	got, err := c.Levels(context.Background(), "9000001", "MLLW", SixMinute,
		period(t, "2025-09-21 15:04", "2025-11-20 15:04"))
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Rows) != 360-31*6 || len(got.Gaps) != 1 {
		t.Fatalf("%d rows, gaps %v", len(got.Rows), got.Gaps)
	}
	gap := got.Gaps[0]
	if !gap.From.Equal(at(t, "2025-10-06")) || !gap.To.Equal(at(t, "2025-11-05 23:59")) ||
		gap.Err.Code != coast.ProviderUnavailable {
		t.Errorf("gap %v to %v: %v", gap.From, gap.To, gap.Err)
	}
}

// TestGapAtTheEdge checks that a gap does not extend beyond the period.
func TestGapAtTheEdge(t *testing.T) {
	p, c := serve(t)
	p.failed["20250905"] = broken
	got, err := c.Levels(context.Background(), "9000001", "MLLW", SixMinute,
		period(t, "2025-09-21 15:04", "2025-11-20 15:04"))
	if err != nil || len(got.Gaps) != 1 {
		t.Fatal(got.Gaps, err)
	}
	if gap := got.Gaps[0]; !gap.From.Equal(at(t, "2025-09-21 15:04")) ||
		!gap.To.Equal(at(t, "2025-10-05 23:59")) {
		t.Errorf("gap %v to %v", gap.From, gap.To)
	}
}

// TestParts checks the result for a period whose first, second and third part have faults.
func TestParts(t *testing.T) {
	const none, station = "No data was found. This product may not be offered.", " Wrong Station " +
		"ID: Please submit a valid station ID "
	for _, test := range []struct {
		faults [3]string
		code   coast.Code // empty: there are rows
		gaps   int
	}{
		{[3]string{"", "", ""}, "", 0},
		{[3]string{none, "", ""}, "", 0},
		{[3]string{none, none, ""}, "", 0},
		{[3]string{none, broken, ""}, "", 1},
		{[3]string{broken, broken, ""}, "", 2},
		{[3]string{none, none, none}, coast.ProductUnavailable, 0},
		{[3]string{none, none, broken}, coast.ProviderUnavailable, 0}, // there may be data
		{[3]string{broken, broken, broken}, coast.ProviderUnavailable, 0},
		{[3]string{"", "", station}, coast.StationNotFound, 0},
		{[3]string{broken, station, none}, coast.StationNotFound, 0},
		{[3]string{"", "", " There is no MLLW for the station: 9000001"}, coast.DatumUnavailable, 0},
		// unknown formats are never ignored
		{[3]string{"", "", "Something else"}, coast.ProductUnavailable, 0},
	} {
		p, c := serve(t)
		for i, first := range []string{"20250905", "20251006", "20251106"} {
			p.failed[first] = test.faults[i]
		}
		got, err := c.Levels(context.Background(), "9000001", "MLLW", SixMinute,
			period(t, "2025-09-21", "2025-11-20 15:04"))
		var e *coast.Error
		switch {
		case test.code == "" && (err != nil || len(got.Rows) == 0 || len(got.Gaps) != test.gaps):
			t.Errorf("%q: %d rows, %d gaps, %v", test.faults, len(got.Rows), len(got.Gaps), err)
		case test.code != "" &&
			(!errors.As(err, &e) || e.Code != test.code || len(got.Rows)+len(got.Gaps) > 0):
			t.Errorf("%q: %d rows, %v, want %s", test.faults, len(got.Rows), err, test.code)
		}
	}
}

// TestNothingInside checks that rows of the day outside the period are not returned.
func TestNothingInside(t *testing.T) {
	_, c := serve(t)
	got, err := c.Levels(context.Background(), "9000001", "MLLW", SixMinute,
		period(t, "2025-11-19 08:01", "2025-11-19 11:59"))
	if !IsNoData(err) || len(got.Rows) > 0 {
		t.Errorf("got %v, %v", got.Rows, err)
	}
}

// TestUnordered checks that rows are sorted and duplicates removed.
func TestUnordered(t *testing.T) {
	p, c := serve(t)
	p.body = `{"data":[{"t":"2025-11-19 12:00","v":"3"},{"t":"2025-11-19 04:00","v":"1"},{"t":"2025-11-19 08:00","v":"2"},{"t":"2025-11-19 04:00","v":"9"}]}`
	got, err := c.Levels(context.Background(), "9000001", "MLLW", OneMinute,
		period(t, "2025-11-19", "2025-11-19 23:59"))
	if err != nil || len(got.Rows) != 3 {
		t.Fatal(got.Rows, err)
	}
	for i, row := range got.Rows {
		if *row.Height != float64(i+1) {
			t.Errorf("row %d: %v %v", i, row.Time, *row.Height)
		}
	}
}

// TestDaysAndMonths checks that a period includes each day and month that it overlaps.
func TestDaysAndMonths(t *testing.T) {
	p, c := serve(t)
	p.body = fixture(t, "daily_mean")
	means, err := c.DailyMeans(context.Background(), "9000009", "LWD",
		period(t, "2025-03-02 17:00", "2025-03-03 09:00"))
	if err != nil || len(means.Rows) != 2 || !means.Rows[0].Day.Equal(at(t, "2025-03-02")) {
		t.Errorf("daily means %v, %v", means.Rows, err)
	}
	p.body = fixture(t, "monthly_mean")
	months, err := c.MonthlyMeans(context.Background(), "9000001", "MSL",
		period(t, "2024-12-31 23:00", "2025-01-01"))
	if err != nil || len(months.Rows) != 2 {
		t.Errorf("monthly means %v, %v", months.Rows, err)
	}
	if want := "20241201-20250131 20250302-20250303"; p.windows() != want {
		t.Errorf("requested %s, want %s", p.windows(), want)
	}
}

func TestPredictionsLookAhead(t *testing.T) {
	p, c := serve(t)
	p.body = `{ "predictions" : [
{"t":"2026-02-01 01:30", "v":"1.201", "type":"H"},{"t":"2026-02-01 07:45", "v":"-0.027", "type":"L"}
]}
`
	got, err := c.Predictions(context.Background(), "9000001", "MLLW", "hilo",
		period(t, "2026-02-01 02:00", "2026-02-02"))
	if err != nil || len(got.Rows) != 1 || got.Rows[0].Height != -0.027 {
		t.Errorf("got %v, %v", got.Rows, err)
	}
	if want := "20260201-20260202"; p.windows() != want {
		t.Errorf("requested %s, want %s", p.windows(), want)
	}
}

func TestWeakCurrents(t *testing.T) {
	p, c := serve(t)
	p.body = fixture(t, "current_predictions_weak")
	got, weak, err := c.CurrentPredictions(context.Background(), "xx0101", nil, "max_slack",
		period(t, "2025-11-20", "2027-12-31"))
	if err != nil || !weak || len(got.Rows) > 0 || got.ReceivedAt.IsZero() {
		t.Errorf("got %v, %v, %v", got, weak, err)
	}
	p.body = fixture(t, "current_predictions")
	got, weak, err = c.CurrentPredictions(context.Background(), "xx0102", nil, "max_slack",
		period(t, "2026-05-06", "2026-05-06 05:00"))
	if err != nil || weak || len(got.Rows) != 2 {
		t.Errorf("got %v, %v, %v", got, weak, err)
	}
}

// TestCanceled checks that a canceled call returns its error.
func TestCanceled(t *testing.T) {
	_, c := serve(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if got, err := c.Winds(ctx, "x", false, Period{}); err == nil {
		t.Errorf("got %v", got)
	}
}

// TestAnotherStation checks that a body whose metadata name another station is rejected.
func TestAnotherStation(t *testing.T) {
	body := []byte(`{"metadata":{"id":"9414290","name":"San Francisco"}, "data": [{"t":"2025-11-20 00:00", "v":"1.2", "s":"", "f":"0,0,0,0", "q":"p"}]}`)
	f := levelFormat
	for id, ok := range map[string]bool{"9414290": true, "": true, "8443970": false} {
		f.id = id
		if p, err := f.read(upstream.Response{Status: http.StatusOK, Body: body}); (err == nil) != ok {
			t.Errorf("request for %q: %d rows, %v", id, len(p.rows), err)
		}
	}
}
