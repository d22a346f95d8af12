package noaa

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"leadline/internal/coast"
	"leadline/internal/derived"
	"leadline/internal/upstream"
)

// The metadata service knows which stations there are (Stations, Station) and
// has a document about each of what a station has (Datums, Sensors, ...).
//
// It answers for a station that does not exist as for one that has nothing:
// with status 200 and a document whose values are null and whose lists are
// empty. Only Station says that there is no such station. The documents say
// that nothing is listed, which is product_unavailable, and prove no more.
//
// Lengths are asked for in metres; a document that names another unit is
// converted by it.
//
// Errors are, everywhere: station_not_found and product_unavailable where the
// service says so, provider_unavailable where it does not answer, or answers
// in a form that is not known.

// lasting is how long documents keep: they change a few times a year, and one
// from half a year ago is still true but for what has been added since.
var lasting = upstream.Class{Fresh: day, Expiry: 180 * day, Negative: 5 * time.Minute}

// inquiry is a question to the metadata or the derived-product service.
type documentQuery struct {
	path    string
	query   url.Values
	class   upstream.Class
	what    string // is asked for, in words that fit behind "NOAA lists no"; empty: the station itself
	station string // is asked about; empty: all
}

// about is the inquiry for a document about a station.
func newDocumentQuery(station, name, what string) documentQuery {
	return documentQuery{
		path:    metadataRoot + "/" + url.PathEscape(station) + "/" + name + ".json",
		query:   url.Values{"units": {"metric"}},
		class:   lasting,
		what:    what,
		station: station,
	}
}

// aboutProduct is the inquiry for a derived product of a station, "" for all.
// parameters are names and values; empty values are left out.
func newProductQuery(p derived.Product, station string, parameters ...string) documentQuery {
	query, _ := url.ParseQuery(p.Query) // the table has no malformed one
	parameters = append(parameters, "station", station)
	for i := 0; i < len(parameters); i += 2 {
		if parameters[i+1] != "" {
			query.Set(parameters[i], parameters[i+1])
		}
	}
	return documentQuery{path: derivedRoot + p.Path, query: query, class: lasting, what: p.What, station: station}
}

// since is a year as a parameter, empty if it is 0: then the service returns
// all years.
func yearParameter(year int) string {
	if year <= 0 {
		return ""
	}
	return strconv.Itoa(year)
}

// derived says whether the question goes to the derived-product service.
func (q documentQuery) derived() bool { return strings.HasPrefix(q.path, derivedRoot) }

// Harmonic is one constituent of a tide or of a current along one axis.
type Harmonic struct {
	Number            int // in the service's order: 1 is M2
	Name, Description string
	Amplitude         float64 // m, of currents knots
	Phase             float64 // Greenwich, degrees
	Speed             float64 // degrees per hour; 0 where the service does not tell it, as of currents
	Comments          string  // which years were analysed
}

// errNothing is what a reader of bodies answers where one says that there is
// nothing.
var errNoData = errors.New("nothing is listed")

// consult puts an inquiry and reads the answer's body.
func getDocument[T any](ctx context.Context, c *Client, q documentQuery, read func(body []byte) (T, error)) (upstream.Value[T], error) {
	return get(ctx, c, q.path, q.query, q.class, func(r upstream.Response) (T, error) {
		var none T
		if err := q.refusal(r.Status, r.Body); err != nil {
			return none, err
		}
		v, err := read(r.Body)
		switch {
		case errors.Is(err, errNoData) && string(bytes.TrimSpace(r.Body)) == "null":
			return none, fmt.Errorf("reading %s: null is no answer", q.path)
		case errors.Is(err, errNoData):
			return none, q.noData("")
		case err != nil:
			return none, fmt.Errorf("reading %s: %w", q.path, err)
		}
		return v, nil
	})
}

// refusal is the error in an answer that is none, nil where it may be one.
func (q documentQuery) refusal(status int, body []byte) error {
	reason, code := errorText(body)
	if code == 0 {
		code = status
	}
	blank := len(bytes.TrimSpace(body)) == 0
	switch {
	case code == http.StatusNotFound && (reason != "" || blank):
		return q.noData(reason)
	case reason != "" && code < http.StatusInternalServerError && q.derived():
		if e := classify(reason); e.Code != coast.ProductUnavailable {
			return e
		}
		return q.noData(reason)
	case reason != "" || status != http.StatusOK:
		return fmt.Errorf("%s is answered with status %d: %s", q.path, status, quote(reason))
	}
	return nil
}

// nothing says that the service has not got what is asked for, in its own
// words where it said any.
func (q documentQuery) noData(reason string) error {
	if q.what == "" || strings.Contains(strings.ToLower(reason), "no station") {
		return coast.Errorf(coast.StationNotFound, "NOAA knows no station %q.", q.station)
	}
	message := "NOAA lists no " + q.what
	if q.station != "" {
		message += " for " + q.station
	}
	if reason != "" {
		message += ". NOAA says: " + quote(reason)
	}
	return coast.Errorf(coast.ProductUnavailable, "%s", message)
}

// excuse is what a body says instead of an answer, and the status that it
// names: {"errorMsg": "...", "errorCode": 404} of the metadata service,
// {"error": {"message": "..."}} of the derived-product service.
func errorText(body []byte) (reason string, code int) {
	const maxError = 4096 // excuses are short, and need not be looked for in megabytes
	if len(body) > maxError {
		return "", 0
	}
	r := openDocument(body)
	reason = r.text("errorMsg")
	if n := r.integer("errorCode"); n != nil {
		code = *n
	}
	if raw := r.raw("error"); raw != nil && raw[0] == '{' {
		reason = r.object("error").text("message")
	} else if raw != nil {
		reason = r.text("error")
	}
	return strings.Join(strings.Fields(reason), " "), code
}

// some is a list that was read, which is nothing if it is empty.
func nonEmpty[T any](list []T, err error) ([]T, error) {
	if err == nil && len(list) == 0 {
		err = errNoData
	}
	if err != nil {
		return nil, err
	}
	return list, nil
}

// productRows reads the rows of a product that are about a station.
func productRows[T any](r *record, p derived.Product, station string, read func(row *record) T) ([]T, error) {
	r.need(p.List)
	var list []T
	r.each(p.List, func(row *record) {
		row.need(strings.Fields(p.Need)...)
		if row.forStation(station) {
			list = append(list, read(row))
		}
	})
	return nonEmpty(list, r.err)
}
