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

// The metadata service lists the stations (Stations, Station) and has documents about each property
// of a station (Datums, Sensors, ...).
//
// For a station that does not exist it returns the same as for one without the property: status
// 200 and a document whose values are null and whose lists are empty. Only Station reports that a
// station does not exist. For the documents the error is product_unavailable, which does not show
// whether the station exists.
//
// Lengths are requested in meters; a document that names another unit is converted.
//
// All methods have these errors: station_not_found and product_unavailable if the service says so,
// provider_unavailable if it does not respond, or responds in an unknown format.

// lasting is the caching class of documents: they change a few times a year, and one of half a year
// ago is still correct, except for later additions.
var lasting = upstream.Class{Fresh: day, Expiry: 180 * day, Negative: 5 * time.Minute}

// documentQuery is a query to the metadata or the derived-product service.
type documentQuery struct {
	path    string
	query   url.Values
	class   upstream.Class
	what    string // requested property, to follow "NOAA lists no"; empty: the station itself
	station string // empty: all
}

// newDocumentQuery returns the query for a document about a station.
func newDocumentQuery(station, name, what string) documentQuery {
	return documentQuery{
		path:    metadataRoot + "/" + url.PathEscape(station) + "/" + name + ".json",
		query:   url.Values{"units": {"metric"}},
		class:   lasting,
		what:    what,
		station: station,
	}
}

// newProductQuery returns the query for a derived product of a station, "" for all. parameters are
// names and values; those with empty values are omitted.
func newProductQuery(p derived.Product, station string, parameters ...string) documentQuery {
	query, _ := url.ParseQuery(p.Query) // all in the table are valid
	parameters = append(parameters, "station", station)
	for i := 0; i < len(parameters); i += 2 {
		if parameters[i+1] != "" {
			query.Set(parameters[i], parameters[i+1])
		}
	}
	return documentQuery{derivedRoot + p.Path, query, lasting, p.What, station}
}

// yearParameter formats a year as a parameter. It is empty for 0: then the service returns all
// years.
func yearParameter(year int) string {
	if year <= 0 {
		return ""
	}
	return strconv.Itoa(year)
}

// derived reports whether the query is for the derived-product service.
func (q documentQuery) derived() bool { return strings.HasPrefix(q.path, derivedRoot) }

// Harmonic is one constituent of a tide or of a current along one axis.
type Harmonic struct {
	Number            int // in the service's order: 1 is M2
	Name, Description string
	Amplitude         float64 // m, of currents knots
	Phase             float64 // Greenwich, degrees
	Speed             float64 // degrees per hour; 0 for currents, where the service omits it
	Comments          string  // which years were analyzed
}

// errNoData is returned by readers of bodies that say that there is no data.
var errNoData = errors.New("nothing is listed")

// getDocument sends a query and reads the body of the response.
func getDocument[T any](
	ctx context.Context, c *Client, q documentQuery, read func(body []byte) (T, error),
) (upstream.Value[T], error) {
	return get(ctx, c, q.path, q.query, q.class, func(r upstream.Response) (T, error) {
		var none T
		if err := q.refusal(r.Status, r.Body); err != nil {
			return none, err
		}
		v, err := read(r.Body)
		switch {
		case errors.Is(err, errNoData) && string(bytes.TrimSpace(r.Body)) == "null":
			return none, fmt.Errorf("read %s: the body is null", q.path)
		case errors.Is(err, errNoData):
			return none, q.noData("")
		case err != nil:
			return none, fmt.Errorf("read %s: %w", q.path, err)
		}
		return v, nil
	})
}

// refusal returns the error that a response reports, nil if there is none.
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
		return fmt.Errorf("%s returns status %d: %s", q.path, status, quote(reason))
	}
	return nil
}

// noData returns the error that the service does not have the requested data, with its reason if
// it gave one.
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

// errorText returns the error message in a body and the status that it names: {"errorMsg": "...",
// "errorCode": 404} of the metadata service, {"error": {"message": "..."}} of the derived-product
// service.
func errorText(body []byte) (reason string, code int) {
	const maxError = 4096 // error messages are short: do not search megabytes for them
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

// nonEmpty returns a list that was read; an empty list is errNoData.
func nonEmpty[T any](list []T, err error) ([]T, error) {
	if err == nil && len(list) == 0 {
		err = errNoData
	}
	if err != nil {
		return nil, err
	}
	return list, nil
}

// readRows reads the rows of a list that the document must have.
func readRows[T any](r *record, name string, read func(row *record) T) ([]T, error) {
	r.need(name)
	var list []T
	r.each(name, func(row *record) { list = append(list, read(row)) })
	return nonEmpty(list, r.err)
}

// productRows reads the rows of a product that are about a station.
func productRows[T any](
	r *record, p derived.Product, station string, read func(row *record) T,
) ([]T, error) {
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
