package provider

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// query is one valid request to the data service.
type query struct {
	product, station, datum, interval string
	bin, date                         string
	metric                            bool
	offset                            time.Duration // of wall time from UTC
	now                               time.Time
	window
}

// window is a span of wall time, inclusive at both ends.
type window struct {
	begin, end time.Time
	latest     bool // only the newest value
}

// refusal is a response without data. Status 200 means that there are no data.
type refusal struct {
	status  int
	message string
}

func (r *refusal) Error() string { return r.message }

func badRequest(message string) error { return &refusal{http.StatusBadRequest, message} }
func noRows(message string) error     { return &refusal{http.StatusOK, message} }

// Messages of the service, with its spaces at the ends. The wording of those that begin with Wrong
// and are not recorded is ours.
const (
	noData = "No data was found. This product may not be offered at this station at the" +
		" requested time."
	noPredictions     = "No Predictions data was found. Please make sure the Datum input is valid."
	noCurrents        = " Currents predictions are not available from the requested station."
	invalidStation    = " The station is not a valid station or there is system error."
	wrongStation      = " Wrong Station ID: Please submit a valid station ID "
	noLakePredictions = " Great Lakes stations don't have Predictions data."
	lakesOnly         = "Water Level Daily Mean Data is only available for Great Lakes stations," +
		" and not for coastal stations."
	wrongBin     = " Wrong Bin Number was supplied"
	derivedDatum = " Wrong Datum: The datum supplied is a derived datum"
	badDate      = " Wrong Date: The requested begin/end date or range are not valid. "
	wrongOrder   = badDate + " Wrong Date: The end date should be greater than the begin date "
	tooLong      = badDate + " Range Limit Exceeded: The size limit for data retrieval for" +
		" this product is "
)

// readForm reads the parameters of the response format.
func (q *query) readForm(v url.Values, here civil) error {
	if v.Get("format") != "json" {
		return badRequest(" Wrong Format: the simulator only supports json ")
	}
	switch cmp.Or(v.Get("units"), "english") {
	case "english":
	case "metric":
		q.metric = true
	default:
		return badRequest(" Wrong Units: Please submit english or metric ")
	}
	switch strings.ToLower(cmp.Or(v.Get("time_zone"), "gmt")) {
	case "gmt":
	case "lst":
		q.offset = here.offset
	default:
		return badRequest(" Wrong Time Zone: the simulator only supports gmt and lst ")
	}
	return nil
}

// readWindow reads the dates of a request: a named span, or begin and end.
func readWindow(v url.Values, now time.Time) (window, error) {
	begin, end, name := v.Get("begin_date"), v.Get("end_date"), v.Get("date")
	first, beginOK := readMoment(begin, false)
	last, endOK := readMoment(end, true)
	switch {
	case name != "" && begin+end+v.Get("range") == "":
		return readDate(name, now)
	case name != "" || v.Has("range") || !beginOK || !endOK:
		return window{}, badRequest(badDate)
	case last.Before(first):
		return window{}, badRequest(wrongOrder)
	}
	return window{begin: first, end: last}, nil
}

// readDate returns the named span that ends now.
func readDate(name string, now time.Time) (window, error) {
	switch name {
	case "today":
		return window{begin: now.Truncate(day), end: now}, nil
	case "latest":
		return window{begin: now.Add(-18 * time.Minute), end: now, latest: true}, nil
	}
	return window{}, badRequest(badDate)
}

// readMoment reads a date, or a date and time. The end of a date without a time is its last minute.
func readMoment(text string, end bool) (time.Time, bool) {
	if t, err := time.Parse("20060102", text); err == nil {
		if end {
			t = t.Add(day - time.Minute)
		}
		return t, true
	}
	t, err := time.Parse("20060102 15:04", text)
	return t, err == nil
}

// intervals of series, in minutes.
var intervals = map[string]time.Duration{
	"": 6, "6": 6, "h": 60, "60": 60, "1": 1, "5": 5, "10": 10, "15": 15, "30": 30,
}

// every returns the step of the interval, which must be one of those allowed.
func (q *query) every(allowed ...string) (time.Duration, error) {
	if q.interval != "" && !slices.Contains(allowed, q.interval) {
		return 0, badRequest(" Wrong Interval: Please submit a valid interval ")
	}
	return intervals[q.interval] * time.Minute, nil
}

// steps returns the steps of the window in wall time, at phase after each whole step of the day.
func (q *query) steps(every, phase time.Duration) steps {
	begin := q.begin.Add(-phase).Truncate(every).Add(phase)
	if begin.Before(q.begin) {
		begin = begin.Add(every)
	}
	return steps{q.instant(begin), q.instant(q.end), every}
}

// readings calls write for each instant of a series of the gauge. If the request is for the newest
// value, it calls write only for the last instant with a value.
func (q *query) readings(
	g *gauge, at steps, values []float64, write func(t time.Time, value float64, lost bool),
) {
	if q.latest {
		for i := len(values) - 1; i >= 0; i-- {
			if t := at.at(i); !g.lost(q.product, t) {
				write(t, values[i], false)
				return
			}
		}
		return
	}
	for i, v := range values {
		t := at.at(i)
		write(t, v, g.lost(q.product, t))
	}
}

// wall returns the wall time of an instant.
func (q *query) wall(t time.Time) time.Time { return t.Add(q.offset) }

// instant returns the instant of a wall time.
func (q *query) instant(wall time.Time) time.Time { return wall.Add(-q.offset) }

// appendTime appends the wall time of an instant in the format of all products.
func (q *query) appendTime(b []byte, t time.Time) []byte {
	return q.wall(t).AppendFormat(b, "2006-01-02 15:04")
}

// length returns a length in the requested units.
func (q *query) length(meters float64) float64 {
	if q.metric {
		return meters
	}
	return meters / metersPerFoot
}

// rows builds the rows of a response.
type rows struct {
	*query
	body  []byte
	count int
}

// rowsAbout begins a response with the metadata of a station. A response with only the newest value
// begins with an empty line and does not have the spaces of a series.
func (q *query) rowsAbout(id, name string, latitude, longitude float64) *rows {
	b := make([]byte, 0, 4096)
	if q.latest {
		b = append(b, '\n')
	}
	b = append(append(b, `{"metadata":{"id":"`...), id...)
	b = append(append(b, `","name":"`...), name...)
	b = appendFixed(append(b, `","lat":"`...), latitude, 4)
	b = appendFixed(append(b, `","lon":"`...), longitude, 4)
	data := `"}, "data": [`
	if q.latest {
		data = `"},"data":[`
	}
	return &rows{query: q, body: append(b, data...)}
}

// next separates a row from the one before.
func (r *rows) next(separator string) {
	if r.count > 0 {
		r.body = append(r.body, separator...)
	}
	r.count++
}

// row begins a row with its time.
func (r *rows) row(t time.Time) *rows {
	r.next(",")
	r.body = append(r.appendTime(append(r.body, `{"t":"`...), t), '"')
	return r
}

// name begins a field.
func (r *rows) name(field string) []byte {
	return append(append(append(r.body, `, "`...), field...), `":"`...)
}

// text adds a field.
func (r *rows) text(field, value string) *rows {
	r.body = append(append(r.name(field), value...), '"')
	return r
}

// fixed adds a number with a fixed number of decimals.
func (r *rows) fixed(field string, value float64, decimals int) *rows {
	r.body = append(appendFixed(r.name(field), value, decimals), '"')
	return r
}

// height adds a level with three decimals, in meters without trailing zeros.
func (r *rows) height(field string, meters float64) *rows {
	if r.metric {
		r.body = append(appendTrimmed(r.name(field), meters, 3), '"')
		return r
	}
	return r.fixed(field, r.length(meters), 3)
}

// done ends a row.
func (r *rows) done() { r.body = append(r.body, '}') }

// finish ends the response. It returns a refusal if there are no rows.
func (r *rows) finish(end, empty string) ([]byte, error) {
	if r.count == 0 {
		return nil, noRows(empty)
	}
	return append(r.body, end...), nil
}

const dataClose = "]}\n"
