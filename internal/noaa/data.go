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

// Records is what the provider has of one product in a period. The rows are
// the caller's; the numbers that they point to are shared and not to be
// changed.
type Records[R any] struct {
	Rows       []R       // in order of time, each once, all inside the period
	Gaps       []Gap     // parts of the period that could not be had
	ReceivedAt time.Time // the oldest retrieval among the parts, UTC
	Stale      bool      // a part is older than it should be, and could not be refreshed
}

// Gap is a part of a period that could not be had, and why. Both ends are
// included.
type Gap struct {
	From, To time.Time // UTC
	Err      *coast.Error
}

// asking begins a question of the data service about a station: metric
// units and times in UTC, always.
func asking(product, station string, limit int, class upstream.Class) question {
	return question{product: product, limit: limit, class: class, query: url.Values{
		"product":     {product},
		"station":     {station},
		"units":       {"metric"},
		"time_zone":   {"gmt"},
		"format":      {"json"},
		"application": {"Leadline"},
	}}
}

// with adds a parameter; one without a value is left out.
func (q question) with(name, value string) question {
	if value != "" {
		q.query.Set(name, value)
	}
	return q
}

// of returns the query for one part.
func (q question) of(p part) url.Values {
	query := maps.Clone(q.query)
	p.days(query)
	return query
}

// form is how the rows of a product are read, and what tells them apart.
type form[R any] struct {
	// of the station asked about: a body that names another is none; empty: not looked at
	id   string
	list string                                 // the member of the body that holds them
	fill func(doc *record, list string) page[R] // reads that member
	at   func(row R) time.Time                  // the time of a row
	// orders rows of one time; nil where a time has one row
	tell func(a, b R) int
}

// page is what one body holds.
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

// read is the reader of a body: the rows, or a coast.Error in which the
// provider says that there are none, or another error where the form is not
// known.
func (f form[R]) read(answer upstream.Response) (page[R], error) {
	if answer.Status != http.StatusOK && answer.Status != http.StatusBadRequest {
		return page[R]{}, fmt.Errorf("status %d", answer.Status)
	}
	p, said, err := f.parse(answer.Body)
	switch {
	case said != "":
		return page[R]{}, classify(said)
	case err != nil:
		return page[R]{}, err
	case answer.Status != http.StatusOK:
		return page[R]{}, fmt.Errorf("status %d without a reason", answer.Status)
	case len(p.rows) == 0 && !p.weak:
		return page[R]{}, coast.Errorf(coast.ProductUnavailable, "%s", advice)
	}
	p.rows = f.order(p.rows)
	return p, nil
}

// parse reads a body. said is what its error member says: it comes before
// every other fault but that of the JSON itself.
func (f form[R]) parse(body []byte) (p page[R], said string, err error) {
	doc := openRecord(body)
	switch {
	case doc.err != nil:
		return p, "", doc.err
	case doc.has("error"):
		said = complaint(doc)
		if said == "" {
			return p, "", errors.New("an error without a message")
		}
		return p, said, nil
	case !doc.has(f.list):
		return p, "", fmt.Errorf("neither %s nor error", f.list)
	}
	if id := subject(doc); id != "" && f.id != "" && !strings.EqualFold(id, f.id) {
		return p, "", fmt.Errorf("the body names station %s, not %s", id, f.id)
	}
	p = f.fill(doc, f.list)
	return p, "", doc.err
}

// complaint is the message in the error member of a body: {"message": "..."}.
// Spaces around and between its sentences become one. It is empty if the form
// is another.
func complaint(doc *record) string {
	return strings.Join(strings.Fields(textOf(doc, "error", "message")), " ")
}

// subject is the station's id that the metadata of a body names, empty if
// there is none.
func subject(doc *record) string { return textOf(doc, "metadata", "id") }

// textOf is a text in an object in a body, empty if the form is another.
func textOf(doc *record, object, name string) string {
	if raw := doc.raw(object); raw == nil || raw[0] != '{' {
		return ""
	}
	inner := doc.object(object)
	if raw := inner.raw(name); raw == nil || raw[0] != '"' {
		return ""
	}
	return inner.text(name)
}

func (f form[R]) compare(a, b R) int {
	if c := f.at(a).Compare(f.at(b)); c != 0 || f.tell == nil {
		return c
	}
	return f.tell(a, b)
}

// order puts rows in order and leaves out what comes twice. Most bodies need
// neither.
func (f form[R]) order(rows []R) []R {
	for i := 1; i < len(rows); i++ {
		if f.compare(rows[i-1], rows[i]) >= 0 {
			slices.SortStableFunc(rows, f.compare)
			return slices.CompactFunc(rows, func(a, b R) bool { return f.compare(a, b) == 0 })
		}
	}
	return rows
}

// outcome is what became of one part.
type outcome[R any] struct {
	part  part
	value upstream.Value[page[R]]
	err   error
}

// gather asks for a period in as many parts as it takes, all at once.
func gather[R any](
	ctx context.Context, c *Client, q question, f form[R], p Period,
) (Records[R], bool, error) {
	now := c.now()
	parts, err := q.split(p, now)
	if err != nil {
		return Records[R]{}, false, err
	}
	f.id = q.query.Get("station")
	answers := make([]outcome[R], len(parts))
	var group sync.WaitGroup
	for i, part := range parts {
		group.Go(func() {
			value, err := obtain(ctx, c, q, f, part, now)
			answers[i] = outcome[R]{part, value, err}
		})
	}
	group.Wait()
	if !p.newest() {
		p = Period{q.unit.floor(p.From), p.To.UTC()}
	}
	return f.join(p, answers)
}

// obtain asks for one part. Its address holds whole days, so the same span of
// hours has another address after midnight: where the provider cannot be
// asked, an unexpired response to a question of a day earlier serves as well.
func obtain[R any](
	ctx context.Context, c *Client, q question, f form[R], p part, now time.Time,
) (upstream.Value[page[R]], error) {
	value, err := ask(ctx, c, datagetter, q.of(p), q.classOf(p, now), f.read)
	if e, ok := coast.AsError(err); !ok || e.Code != coast.ProviderUnavailable {
		return value, err
	}
	for _, earlier := range p.dayEarlier(now) {
		request := c.request(datagetter, q.of(earlier), q.classOf(earlier, now))
		kept, ok := upstream.Peek(c.up, request, f.read)
		if ok && (earlier.last == p.last || kept.ReceivedAt.Before(midnight(p.last))) {
			kept.Stale = true
			return kept, nil
		}
	}
	return value, err
}

// join makes one of the answers to the parts of a period. A part in which
// there is nothing has no rows; one that could not be had is a gap, unless
// there is nothing else: then that is the answer. Any other error, such as an
// unknown station, is the answer about all.
func (f form[R]) join(p Period, answers []outcome[R]) (out Records[R], weak bool, err error) {
	var empty, failed error
	for _, a := range answers {
		var e *coast.Error
		switch {
		case a.err == nil:
			out.add(f.inside(p, a.value.Data.rows), a.value.ReceivedAt, a.value.Stale)
			weak = weak || a.value.Data.weak
		case isNothing(a.err):
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
		error(coast.Errorf(coast.ProductUnavailable, "%s", advice)))
}

// inside copies the rows that lie in a period.
func (f form[R]) inside(p Period, rows []R) []R {
	from, _ := slices.BinarySearchFunc(rows, p.From,
		func(row R, t time.Time) int { return f.at(row).Compare(t) })
	out := make([]R, 0, len(rows)-from)
	for _, row := range rows[from:] {
		if p.holds(f.at(row)) {
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
