package provider

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"leadline/internal/stations"
)

// query is one request to the data service, read and checked.
type query struct {
	product, station, datum, interval string
	bin, velocity                     string
	date                              string
	metric                            bool
	zone                              zone
	now                               time.Time
	window
}

// product is how the data service answers for one product.
type product struct {
	limit   limit
	years   bool // range counts years
	unknown string
	answer  func(*Provider, *query) ([]byte, error)
}

// products are the products that are served.
func products() map[string]product {
	month, year, decade := limit{31, "31 days"}, limit{365, "365 days"}, limit{3653, "10 years"}
	m := map[string]product{
		"water_level":            {month, false, wrongStation, (*Provider).waterLevel},
		"one_minute_water_level": {limit{4, "4 days"}, false, wrongStation, (*Provider).oneMinute},
		"hourly_height":          {year, false, wrongStation, (*Provider).hourlyHeight},
		"high_low":               {year, false, wrongStation, (*Provider).highLow},
		"daily_mean":             {decade, false, wrongStation, (*Provider).dailyMean},
		"daily_max_min":          {decade, true, wrongStation, (*Provider).dailyMaxMin},
		"monthly_mean":           {limit{73050, "200 years"}, false, wrongStation, (*Provider).monthlyMean},
		"predictions":            {limit{366, "366 days"}, false, invalidStation, (*Provider).predictions},
		"datums":                 {limit{73050, ""}, false, wrongStation, (*Provider).stationDatums},
		"currents":               {month, false, wrongStation, (*Provider).currents},
		"currents_predictions":   {month, false, noCurrents, (*Provider).currentsPredictions},
	}
	for _, name := range []string{"air_temperature", "water_temperature", "wind", "air_pressure",
		"air_gap", "conductivity", "visibility", "humidity", "salinity"} {
		m[name] = product{month, false, wrongStation, (*Provider).readings}
	}
	return m
}

// The service's messages. Blanks at the ends are its own. Those that begin
// with Wrong and have none recorded are our guess at a wording.
const (
	noData            = "No data was found. This product may not be offered at this station at the requested time."
	noPredictions     = "No Predictions data was found. Please make sure the Datum input is valid."
	noCurrents        = " Currents predictions are not available from the requested station."
	invalidStation    = " The station is not a valid station or there is system error."
	wrongStation      = " Wrong Station ID: Please submit a valid station ID "
	noLakePredictions = " Great Lakes stations don't have Predictions data."
	lakesOnly         = "Water Level Daily Mean Data is only available for Great Lakes stations, and not for coastal stations."
	wrongBin          = " Wrong Bin Number was supplied"
	derivedDatum      = " Wrong Datum: The datum supplied is a derived datum"
	wrongVelocity     = "vel_type= speed_dir only supports current prediction intervals of 1, 6, 10, 30, 60.   Set vel_type = default for interval = max_slack"
)

// refusal is an answer without data. Status 200 is the service's way to say
// that there is none.
type refusal struct {
	status  int
	message string
}

func (r *refusal) Error() string { return r.message }

func refuse(message string) error { return &refusal{http.StatusBadRequest, message} }
func none(message string) error   { return &refusal{http.StatusOK, message} }

// serveData serves the data service.
func (p *Provider) serveData(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != Data+"datagetter" {
		http.NotFound(w, r)
		return
	}
	body, err := p.get(r.URL.Query())
	status, charset := http.StatusOK, "ISO-8859-1"
	var no *refusal
	switch {
	case errors.As(err, &no):
		status, body = no.status, []byte(`{"error": {"message":"`+no.message+`"}}`+"\n")
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if status != http.StatusOK {
		charset = "UTF-8"
	}
	writeData(w, r, status, charset, body)
}

// writeData writes an answer of the data service, packed where that is accepted.
func writeData(w http.ResponseWriter, r *http.Request, status int, charset string, body []byte) {
	h := w.Header()
	h.Set("Access-Control-Allow-Headers", "X-Requested-With")
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Cache-Control", "no-cache,no-store,must-revalidate")
	h.Set("Content-Type", "application/json;charset="+charset)
	h.Set("Expires", "Thu, 01 Jan 1970 00:00:00 GMT")
	h.Set("Pragma", "no-cache")
	h.Set("X-Amzn-Remapped-Content-Length", strconv.Itoa(len(body)))
	h.Set("X-Amzn-Remapped-Server", "nginx")
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		body = pack(body)
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	w.Write(body)
}

func pack(body []byte) []byte {
	var packed bytes.Buffer
	z, _ := gzip.NewWriterLevel(&packed, gzip.BestSpeed) // the level is valid
	z.Write(body)                                        // a buffer takes all
	z.Close()
	return packed.Bytes()
}

// get answers the parameters of a request.
func (p *Provider) get(v url.Values) ([]byte, error) {
	q, answer, err := p.read(v)
	if err != nil {
		return nil, err
	}
	return answer(p, q)
}

// read reads the parameters, in the order: product, station, form, dates.
func (p *Provider) read(v url.Values) (*query, func(*Provider, *query) ([]byte, error), error) {
	q := &query{
		product:  v.Get("product"),
		station:  v.Get("station"),
		datum:    strings.ToUpper(v.Get("datum")),
		interval: strings.ToLower(v.Get("interval")),
		bin:      v.Get("bin"),
		velocity: v.Get("vel_type"),
		date:     v.Get("date"),
	}
	found, ok := products()[q.product]
	if !ok {
		return nil, nil, refuse(" Wrong Product: Please submit a valid product ")
	}
	here, ok := p.zoneOf(q.station)
	if !ok {
		return nil, nil, unknown(found.unknown)
	}
	if err := q.readForm(v, here); err != nil {
		return nil, nil, err
	}
	q.now = p.now()
	unit := hours
	if found.years {
		unit = years
	}
	if q.product == "datums" {
		return q, found.answer, nil
	}
	var err error
	if q.window, err = readWindow(v, q.zone.wall(q.now), unit); err != nil {
		return nil, nil, err
	}
	return q, found.answer, q.limit(found.limit).check(q.window)
}

// unknown refuses a station that does not exist. Only current predictions
// say so with status 200.
func unknown(message string) error {
	if message == noCurrents {
		return none(message)
	}
	return refuse(message)
}

// limit is that of the product but for events, of which more are given.
func (q *query) limit(l limit) limit {
	switch {
	case q.product == "predictions" && q.interval == "hilo":
		return limit{3653, "10 years"}
	case q.product == "currents_predictions" && q.interval == "max_slack":
		return limit{366, "366 days"}
	case q.product == "currents" && q.bin == "0":
		return limit{7, "7 days"}
	}
	return l
}

// readForm reads what concerns the form of the answer.
func (q *query) readForm(v url.Values, here local) error {
	switch v.Get("format") {
	case "json":
	default:
		return refuse(" Wrong Format: the simulator only speaks json ")
	}
	switch cmp.Or(v.Get("units"), "english") {
	case "english":
	case "metric":
		q.metric = true
	default:
		return refuse(" Wrong Units: Please submit english or metric ")
	}
	switch strings.ToLower(cmp.Or(v.Get("time_zone"), "gmt")) {
	case "gmt":
	case "lst":
		q.zone = zone{offset: here.offset}
	case "lst_ldt":
		q.zone = zone{here.offset, here.zone}
	default:
		return refuse(" Wrong Time Zone: Please submit gmt, lst or lst_ldt ")
	}
	return nil
}

// zoneOf finds a station of any kind and its civil time. Case counts.
func (p *Provider) zoneOf(id string) (local, bool) {
	if g := p.gaugeOf(id); g != nil {
		return g.local, true
	}
	if m, ok := meterOf(id); ok {
		return p.zones[m.zone], true
	}
	if s, ok := p.predicted(id); ok {
		return p.zones[s.Zone], true
	}
	return p.zones[newYork], slices.ContainsFunc(weak, func(w weakStation) bool { return w.id == id })
}

const newYork = "America/New_York"

// predicted is the station of predictions with exactly this id.
func (p *Provider) predicted(id string) (stations.Station, bool) {
	s, ok := p.stations.Station(id)
	return s, ok && s.ID == id && !strings.Contains(id, "_")
}

// steps are the intervals of series, in minutes.
var steps = map[string]time.Duration{
	"": 6, "6": 6, "h": 60, "60": 60, "1": 1, "5": 5, "10": 10, "15": 15, "30": 30,
}

// every is the step that the interval asks for, if it is one of those allowed.
func (q *query) every(allowed ...string) (time.Duration, error) {
	if q.interval != "" && !slices.Contains(allowed, q.interval) {
		return 0, refuse(" Wrong Interval: Please submit a valid interval ")
	}
	return steps[q.interval] * time.Minute, nil
}

// appendTime appends the wall time of an instant as all products write it.
func (q *query) appendTime(b []byte, t time.Time) []byte {
	return q.zone.wall(t).AppendFormat(b, "2006-01-02 15:04")
}

const metresPerFoot = 0.3048

// length is a length in the units asked for.
func (q *query) length(metres float64) float64 {
	if q.metric {
		return metres
	}
	return metres / metresPerFoot
}

// appendFixed appends a number with so many decimals, never as minus nothing.
func appendFixed(b []byte, value float64, decimals int) []byte {
	start := len(b)
	b = strconv.AppendFloat(b, value, 'f', decimals, 64)
	if b[start] == '-' && len(bytes.Trim(b[start:], "-0.")) == 0 {
		b = append(b[:start], b[start+1:]...)
	}
	return b
}

// appendTrimmed appends a number with at most so many decimals and no zeros at its end.
func appendTrimmed(b []byte, value float64, decimals int) []byte {
	b = appendFixed(b, value, decimals)
	return bytes.TrimSuffix(bytes.TrimRight(b, "0"), []byte("."))
}

// open begins an answer with the station's metadata. The newest value alone
// comes after an empty line and without the blanks of a series.
func (q *query) open(id, name string, latitude, longitude float64) []byte {
	b := make([]byte, 0, 4096)
	if q.latest {
		b = append(b, '\n')
	}
	b = append(append(b, `{"metadata":{"id":"`...), id...)
	b = append(append(b, `","name":"`...), name...)
	b = appendFixed(append(b, `","lat":"`...), latitude, 4)
	b = appendFixed(append(b, `","lon":"`...), longitude, 4)
	if q.latest {
		return append(b, `"},"data":[`...)
	}
	return append(b, `"}, "data": [`...)
}

// rows is an answer's rows under construction.
type rows struct {
	body  []byte
	count int
}

// next separates a row from the one before.
func (r *rows) next(separator string) {
	if r.count > 0 {
		r.body = append(r.body, separator...)
	}
	r.count++
}

// close ends the answer. One without rows is none.
func (r *rows) close(end, empty string) ([]byte, error) {
	if r.count == 0 {
		return nil, none(empty)
	}
	return append(r.body, end...), nil
}
