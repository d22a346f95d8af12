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

// product is how the data service serves one product.
type product struct {
	limit   limit
	unknown string // for an unknown station
	serve   func(*coopsService, *query) ([]byte, error)
}

// limit is the longest span of a product.
type limit struct {
	days int
	text string
}

// products are the products that are served.
func products() map[string]product {
	month, year, decade := limit{31, "31 days"}, limit{365, "365 days"}, limit{3653, "10 years"}
	m := map[string]product{
		"water_level":            {month, wrongStation, (*coopsService).waterLevel},
		"one_minute_water_level": {limit{4, "4 days"}, wrongStation, (*coopsService).oneMinute},
		"hourly_height":          {year, wrongStation, (*coopsService).hourlyHeight},
		"high_low":               {year, wrongStation, (*coopsService).highLow},
		"daily_mean":             {decade, wrongStation, (*coopsService).dailyMean},
		"daily_max_min":          {decade, wrongStation, (*coopsService).dailyMaxMin},
		"monthly_mean":           {limit{73050, "200 years"}, wrongStation, (*coopsService).monthlyMean},
		"predictions":            {limit{366, "366 days"}, invalidStation, (*coopsService).predictions},
		"currents":               {month, wrongStation, (*coopsService).currents},
		"currents_predictions":   {month, noCurrents, (*coopsService).currentsPredictions},
	}
	for _, name := range sensorProducts[1:] {
		m[name] = product{month, wrongStation, (*coopsService).sensors}
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

// read reads the parameters, in the order: product, station, form, dates, and
// returns the rows that they ask for.
func (c *coopsService) read(v url.Values) ([]byte, error) {
	q := &query{
		product:  v.Get("product"),
		station:  v.Get("station"),
		datum:    strings.ToUpper(v.Get("datum")),
		interval: strings.ToLower(v.Get("interval")),
		bin:      v.Get("bin"),
		velocity: v.Get("vel_type"),
		date:     v.Get("date"),
		now:      c.now(),
	}
	found, ok := products()[q.product]
	if !ok {
		return nil, refuse(" Wrong Product: Please submit a valid product ")
	}
	here, ok := c.civilTimeOf(q.station)
	if !ok && found.unknown == noCurrents {
		return nil, noRows(noCurrents) // the only product with status 200
	}
	if !ok {
		return nil, refuse(found.unknown)
	}
	if err := q.readForm(v, here); err != nil {
		return nil, err
	}
	unit := addHours
	if q.product == "daily_max_min" {
		unit = addYears
	}
	var err error
	if q.window, err = readWindow(v, q.zone.wall(q.now), unit); err != nil {
		return nil, err
	}
	if err := q.check(found.limit); err != nil {
		return nil, err
	}
	return found.serve(c, q)
}

// check refuses a window longer than the limit of the product; there are others for
// events and for all bins. Whole days count: a span of dates ends at
// 23:59, so that 366 days reach from the first of January to the first of
// January of the year after a leap year.
func (q *query) check(l limit) error {
	switch {
	case q.product == "predictions" && q.interval == "hilo":
		l = limit{3653, "10 years"}
	case q.product == "currents_predictions" && q.interval == "max_slack":
		l = limit{366, "366 days"}
	case q.product == "currents" && q.bin == "0":
		l = limit{7, "7 days"}
	}
	if q.end.Sub(q.begin) >= time.Duration(l.days+1)*day {
		return refuse(tooLong + l.text + " ")
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
		var packed bytes.Buffer
		z, _ := gzip.NewWriterLevel(&packed, gzip.BestSpeed) // the level is valid
		z.Write(body)                                        // a buffer takes all
		z.Close()
		body = packed.Bytes()
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	w.Write(body)
}
