// Package calendar serves the calendars of planning to subscribe to, /calendars/...: windows of
// the tide (tides.go), with its ranks, windows of a current (currents.go), and departures through
// a pass (transits.go). What comes in are the parameters of the REST route of the same name; what
// goes out are iCalendar files, kept until the day ends at the station. The calendar of high and
// low waters belongs to the page of a station.
package calendar

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"leadline/internal/coast"
	"leadline/internal/schema"
	"leadline/internal/web/site"
)

// Path is the folder of the calendars of planning.
const Path = "/calendars/"

// maker makes a calendar from a query.
type maker func(s *site.Shared, ctx context.Context, q url.Values) (calendarFile, error)

// makers are the calendars by file name.
var makers = map[string]maker{
	"tide-windows.ics":    makerOf(windowsCalendar),
	"tide-ranks.ics":      makerOf(ranksCalendar),
	"current-windows.ics": makerOf(currentsCalendar),
	"transits.ics":        makerOf(transitsCalendar),
}

// makerOf returns the maker of a calendar whose parameters are the fields of Q.
func makerOf[Q any](
	fill func(*site.Shared, context.Context, Q) (calendarFile, error),
) maker {
	takes := sync.OnceValue(schema.Arguments[Q])
	return func(s *site.Shared, ctx context.Context, q url.Values) (calendarFile, error) {
		var in Q
		if err := takes().DecodeQuery(q, &in); err != nil {
			return calendarFile{}, err
		}
		return fill(s, ctx, in)
	}
}

// Pages serves the calendars.
type Pages struct {
	*site.Shared
	count func(context.Context) error
	kept  *memory
}

// New returns the handler of the calendars. count counts one that is computed in the
// address's rate limit of REST.
func New(shared *site.Shared, count func(context.Context) error) *Pages {
	return &Pages{shared, count, newMemory(shared.Now)}
}

// clientAge limits how long clients may keep a calendar of planning.
const clientAge = 12 * time.Hour

// ServeHTTP serves a calendar to subscribe to, with the parameters of the REST route of the
// same name. A calendar in memory costs no more than its own limit; one that is computed also
// counts in the address's rate limit of REST.
func (s *Pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, Path)
	made, ok := makers[name]
	if !ok {
		s.NotFound(w, r)
		return
	}
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		coast.WriteError(w, coast.Errorf(coast.InvalidRequest,
			"the query string cannot be read: write it as name=value&name=value, with %%20 for a space"))
		return
	}
	key := name + "?" + q.Encode()
	kept, ok := s.kept.get(key)
	if !ok {
		if err := s.count(r.Context()); err != nil {
			coast.WriteError(w, err)
			return
		}
		kept = s.Flights.Do(r.Context(), key, func(ctx context.Context) site.Response {
			return s.keepCalendar(ctx, key, name, made, q)
		})
	}
	kept.Serve(w, r)
}

// keepCalendar makes a calendar and keeps it until the day ends at the station.
func (s *Pages) keepCalendar(
	ctx context.Context, key, name string, made maker, q url.Values,
) site.Response {
	c, err := made(s.Shared, ctx, q)
	if err != nil {
		return s.Failed(err)
	}
	c.Product, c.Refresh, c.Color = "Leadline//Planning", 24*time.Hour, "steelblue"
	c.Source = s.Base + Path + name
	if len(q) > 0 {
		c.Source += "?" + q.Encode()
	}
	c.Made, _ = time.Parse(time.DateOnly, s.Site.DataBuilt)
	body := site.File("text/calendar; charset=utf-8", c.Bytes(), clientAge,
		func(h http.Header) {
			h.Set("Content-Disposition", `inline; filename="`+
				strings.TrimSuffix(name, ".ics")+"-"+c.station.ID+`.ics"`)
			h.Set("X-Content-Type-Options", "nosniff")
		})
	s.kept.put(key, body, c.until)
	return body
}
