package provider

import (
	"bytes"
	"compress/gzip"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// dataProduct is one product of the data service.
type dataProduct struct {
	limit   spanLimit
	unknown string // message for an unknown station
	serve   func(*coopsService, *query) ([]byte, error)
}

// spanLimit is the longest span of a product.
type spanLimit struct {
	days int
	text string
}

// dataProducts returns the products by name.
func dataProducts() map[string]dataProduct {
	days31, year := spanLimit{31, "31 days"}, spanLimit{365, "365 days"}
	leapYear, decade := spanLimit{366, "366 days"}, spanLimit{3653, "10 years"}
	centuries := spanLimit{73050, "200 years"}
	m := map[string]dataProduct{
		"water_level":            {days31, wrongStation, (*coopsService).waterLevel},
		"one_minute_water_level": {spanLimit{4, "4 days"}, wrongStation, (*coopsService).oneMinute},
		"hourly_height":          {year, wrongStation, (*coopsService).hourlyHeight},
		"high_low":               {year, wrongStation, (*coopsService).highLow},
		"daily_mean":             {decade, wrongStation, (*coopsService).dailyMean},
		"daily_max_min":          {decade, wrongStation, (*coopsService).dailyMaxMin},
		"monthly_mean":           {centuries, wrongStation, (*coopsService).monthlyMean},
		"predictions":            {leapYear, invalidStation, (*coopsService).predictions},
		"currents":               {days31, wrongStation, (*coopsService).currents},
		"currents_predictions":   {days31, noCurrents, (*coopsService).currentsPredictions},
	}
	for _, name := range sensorProducts[1:] {
		m[name] = dataProduct{days31, wrongStation, (*coopsService).sensors}
	}
	return m
}

// serveData serves the data service.
func (c *coopsService) serveData(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != Data+"datagetter" {
		http.NotFound(w, r)
		return
	}
	body, err := c.read(r.URL.Query())
	var no *refusal
	switch {
	case errors.As(err, &no):
		writeData(w, r, no.status, []byte(`{"error": {"message":"`+no.message+`"}}`+"\n"))
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
	default:
		writeData(w, r, http.StatusOK, body)
	}
}

// read reads the parameters in the order product, station, form, dates, and returns the rows.
func (c *coopsService) read(v url.Values) ([]byte, error) {
	q := &query{
		product:  v.Get("product"),
		station:  v.Get("station"),
		datum:    strings.ToUpper(v.Get("datum")),
		interval: strings.ToLower(v.Get("interval")),
		bin:      v.Get("bin"),
		date:     v.Get("date"),
		now:      c.now(),
	}
	found, ok := dataProducts()[q.product]
	if !ok {
		return nil, badRequest(" Wrong Product: Please submit a valid product ")
	}
	here, ok := c.civilTimeOf(q.station)
	if !ok && found.unknown == noCurrents {
		return nil, noRows(noCurrents) // the only product with status 200
	}
	if !ok {
		return nil, badRequest(found.unknown)
	}
	if err := q.readForm(v, here); err != nil {
		return nil, err
	}
	var err error
	if q.window, err = readWindow(v, q.wall(q.now)); err != nil {
		return nil, err
	}
	if err := q.check(found.limit); err != nil {
		return nil, err
	}
	return found.serve(c, q)
}

// check refuses a window longer than the limit of the product. Events and requests for all bins
// have limits of their own. Whole days count, as a span of dates ends at 23:59: 366 days reach
// from 1 January to 1 January of the year after a leap year.
func (q *query) check(l spanLimit) error {
	switch {
	case q.product == "predictions" && q.interval == "hilo":
		l = spanLimit{3653, "10 years"}
	case q.product == "currents_predictions" && q.interval == "max_slack":
		l = spanLimit{366, "366 days"}
	case q.product == "currents" && q.bin == "0":
		l = spanLimit{7, "7 days"}
	}
	if q.end.Sub(q.begin) >= time.Duration(l.days+1)*day {
		return badRequest(tooLong + l.text + " ")
	}
	return nil
}

// writeData writes a response of the data service, compressed if that is accepted.
func writeData(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	charset := "ISO-8859-1"
	if status != http.StatusOK {
		charset = "UTF-8"
	}
	h := w.Header()
	h.Set("Content-Type", "application/json;charset="+charset)
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		var packed bytes.Buffer
		z, _ := gzip.NewWriterLevel(&packed, gzip.BestSpeed) // the level is valid
		z.Write(body)                                        // writes to a buffer never fail
		z.Close()
		body = packed.Bytes()
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	w.Write(body)
}
