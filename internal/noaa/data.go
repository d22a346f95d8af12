package noaa

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"leadline/internal/coast"
	"leadline/internal/upstream"
)

// Records holds the rows of one product in a period. The caller owns the rows; the numbers that
// they point to are shared and must not be changed.
type Records[R any] struct {
	Rows       []R       // in order of time, without duplicates, all inside the period
	Gaps       []Gap     // parts of the period that the provider did not return
	ReceivedAt time.Time // of the oldest part, UTC
	Stale      bool      // a part is stale and could not be refreshed
}

// Gap is a part of a period that the provider did not return, and why. Both ends are included.
type Gap struct {
	From, To time.Time // UTC
	Err      *coast.Error
}

// newDataQuery returns a query to the data service about a station, in metric units and UTC.
func newDataQuery(product, station string, limit int, class upstream.Class) dataQuery {
	return dataQuery{product: product, limit: limit, class: class, query: url.Values{
		"product":     {product},
		"station":     {station},
		"units":       {"metric"},
		"time_zone":   {"gmt"},
		"format":      {"json"},
		"application": {"Leadline"},
	}}
}

// with adds a parameter, unless its value is empty.
func (q dataQuery) with(name, value string) dataQuery {
	if value != "" {
		q.query.Set(name, value)
	}
	return q
}

// parameters returns the URL query for one part.
func (q dataQuery) parameters(p part) url.Values {
	query := maps.Clone(q.query)
	p.days(query)
	return query
}

// format describes how to read the rows of a product, and their order.
type format[R any] struct {
	id   string                                 // station that the body must name; empty: any
	list string                                 // member of the body with the rows
	fill func(doc *record, list string) page[R] // reads that member
	at   func(row R) time.Time                  // time of a row

	compareSame func(a, b R) int // orders rows of the same time; nil if there is one per time
}

// page is the content of one body.
type page[R any] struct {
	rows []R
	weak bool // in place of rows: currents are weak and variable
}

// fromRows fills a page from a list of rows.
func fromRows[R any](read func(*record) R) func(*record, string) page[R] {
	return func(doc *record, list string) page[R] {
		// No row is shorter than 32 bytes: {"t":"2025-01-01 00:00","v":""}.
		text := doc.raw(list)
		p := page[R]{rows: make([]R, 0, min(bytes.Count(text, []byte("{")), len(text)/32))}
		doc.list(list, func(row *record) { p.rows = append(p.rows, read(row)) })
		return p
	}
}

// read reads a response: the rows, a coast.Error if the provider says that there are none, or
// another error if the format is unknown.
func (f format[R]) read(response upstream.Response) (page[R], error) {
	if response.Status != http.StatusOK && response.Status != http.StatusBadRequest {
		return page[R]{}, fmt.Errorf("status %d", response.Status)
	}
	p, reason, err := f.parse(response.Body)
	switch {
	case reason != "":
		return page[R]{}, classify(reason)
	case err != nil:
		return page[R]{}, err
	case response.Status != http.StatusOK:
		return page[R]{}, fmt.Errorf("status %d without a reason", response.Status)
	case len(p.rows) == 0 && !p.weak:
		return page[R]{}, coast.Errorf(coast.ProductUnavailable, "%s", noDataAdvice)
	}
	p.rows = f.order(p.rows)
	return p, nil
}

// parse reads a body. reason is the message of its error member, which takes precedence over all
// faults but invalid JSON.
func (f format[R]) parse(body []byte) (p page[R], reason string, err error) {
	doc := openRecord(body)
	switch {
	case doc.err != nil:
		return p, "", doc.err
	case doc.has("error", "errorMsg"):
		reason = errorMessage(doc)
		if reason == "" {
			return p, "", errors.New("an error without a message")
		}
		return p, reason, nil
	case !doc.has(f.list):
		return p, "", fmt.Errorf("neither %s nor error", f.list)
	}
	if id := subject(doc); id != "" && f.id != "" && !strings.EqualFold(id, f.id) {
		return p, "", fmt.Errorf("the body names station %s, not %s", id, f.id)
	}
	p = f.fill(doc, f.list)
	return p, "", doc.err
}

// errorMessage returns the message of an error, with single spaces: {"error": {"message": "..."}},
// or {"error": "..."}, or {"errorMsg": "..."} as other services of NOAA write it. It is empty if
// the format is another.
func errorMessage(doc *record) string {
	message := cmp.Or(textOf(doc, "error", "message"), quoted(doc, "error"), quoted(doc, "errorMsg"))
	return strings.Join(strings.Fields(message), " ")
}

// subject returns the id of the station that the metadata of a body name, or "".
func subject(doc *record) string { return textOf(doc, "metadata", "id") }

// textOf returns a text in an object in a body, "" if the format is another.
func textOf(doc *record, object, name string) string {
	if raw := doc.raw(object); raw == nil || raw[0] != '{' {
		return ""
	}
	return quoted(doc.object(object), name)
}

// quoted returns a member that is a text, "" if the format is another.
func quoted(r *record, name string) string {
	if raw := r.raw(name); raw == nil || raw[0] != '"' {
		return ""
	}
	return r.text(name)
}

func (f format[R]) compare(a, b R) int {
	if c := f.at(a).Compare(f.at(b)); c != 0 || f.compareSame == nil {
		return c
	}
	return f.compareSame(a, b)
}

// order sorts rows and removes duplicates. Most bodies need neither.
func (f format[R]) order(rows []R) []R {
	for i := 1; i < len(rows); i++ {
		if f.compare(rows[i-1], rows[i]) >= 0 {
			slices.SortStableFunc(rows, f.compare)
			return slices.CompactFunc(rows, func(a, b R) bool { return f.compare(a, b) == 0 })
		}
	}
	return rows
}

// outcome is the result of the request for one part.
type outcome[R any] struct {
	part  part
	value upstream.Value[page[R]]
	err   error
}

// getPeriod requests a period in as many concurrent parts as necessary.
func getPeriod[R any](
	ctx context.Context, c *Client, q dataQuery, f format[R], p Period,
) (Records[R], bool, error) {
	now := c.now()
	parts, err := q.split(p, now)
	if err != nil {
		return Records[R]{}, false, err
	}
	f.id = q.query.Get("station")
	outcomes := make([]outcome[R], len(parts))
	var group sync.WaitGroup
	for i, part := range parts {
		group.Go(func() {
			value, err := getPart(ctx, c, q, f, part, now)
			outcomes[i] = outcome[R]{part, value, err}
		})
	}
	group.Wait()
	if !p.newest() {
		p = Period{q.unit.floor(p.From), p.To.UTC()}
	}
	return f.join(p, outcomes)
}

// getPart requests one part. Its URL has whole days, so the same span of hours has another URL
// after midnight. If the provider fails, an unexpired response to the query of a day earlier is
// used.
func getPart[R any](
	ctx context.Context, c *Client, q dataQuery, f format[R], p part, now time.Time,
) (upstream.Value[page[R]], error) {
	value, err := get(ctx, c, datagetter, q.parameters(p), q.classOf(p, now), f.read)
	if e, ok := coast.AsError(err); !ok || e.Code != coast.ProviderUnavailable {
		return value, err
	}
	for _, earlier := range p.dayEarlier(now) {
		request := c.request(datagetter, q.parameters(earlier), q.classOf(earlier, now))
		cached, ok := upstream.Peek(c.up, request, f.read)
		if ok && (earlier.last == p.last || cached.ReceivedAt.Before(midnight(p.last))) {
			cached.Stale = true
			return cached, nil
		}
	}
	return value, err
}

// join joins the outcomes of the parts of a period. A part without data has no rows; a part whose
// request failed is a gap, or the error of the whole if no part has rows. Any other error, such as
// an unknown station, is the error of the whole.
func (f format[R]) join(p Period, outcomes []outcome[R]) (out Records[R], weak bool, err error) {
	var empty, failed error
	for _, a := range outcomes {
		var e *coast.Error
		switch {
		case a.err == nil:
			out.add(f.inside(p, a.value.Data.rows), a.value.ReceivedAt, a.value.Stale)
			weak = weak || a.value.Data.weak
		case IsNoData(a.err):
			empty = cmp.Or(empty, a.err)
		case errors.As(a.err, &e) && e.Code == coast.ProviderUnavailable:
			failed = cmp.Or(failed, a.err)
			within := a.part.within(p)
			out.Gaps = append(out.Gaps, Gap{within.From, within.To, e})
		default:
			return Records[R]{}, false, a.err
		}
	}
	if len(out.Rows) > 0 || weak {
		out.Rows = f.order(out.Rows)
		return out, weak, nil
	}
	return Records[R]{}, false, cmp.Or(failed, empty,
		error(coast.Errorf(coast.ProductUnavailable, "%s", noDataAdvice)))
}

// inside returns a copy of the rows inside a period.
func (f format[R]) inside(p Period, rows []R) []R {
	from, _ := slices.BinarySearchFunc(rows, p.From,
		func(row R, t time.Time) int { return f.at(row).Compare(t) })
	out := make([]R, 0, len(rows)-from)
	for _, row := range rows[from:] {
		if p.contains(f.at(row)) {
			out = append(out, row)
		}
	}
	return out
}

// add appends the rows of one part.
func (r *Records[R]) add(rows []R, received time.Time, stale bool) {
	r.Rows = append(r.Rows, rows...)
	if r.ReceivedAt.IsZero() || received.Before(r.ReceivedAt) {
		r.ReceivedAt = received
	}
	r.Stale = r.Stale || stale
}
