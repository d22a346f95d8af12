package web

import (
	"container/list"
	"context"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"leadline/internal/coast"
	"leadline/internal/ical"
	"leadline/internal/intervals"
	"leadline/internal/operation"
	"leadline/internal/schema"
	"leadline/internal/words"
)

// calendarPath is the folder of the calendars of planning.
const calendarPath = "/calendars/"

// IsCalendar reports whether a path belongs to the calendars of planning, which have a rate limit
// of their own.
func IsCalendar(path string) bool { return strings.HasPrefix(path, calendarPath) }

// alarm holds the argument that only calendars have.
type alarm struct {
	Alarm int `json:"alarm" default:"0" min:"0" max:"1440" doc:"Minutes before an event at which clients show an alarm; 0 for none." example:"30"`
}

// calendarMaker makes a calendar from a query.
type calendarMaker func(s *calendarPages, ctx context.Context, q url.Values) (calendarFile, error)

// calendarFiles are the calendars by file name.
var calendarFiles = map[string]calendarMaker{
	"tide-windows.ics":    calendarOf(windowsCalendar),
	"tide-ranks.ics":      calendarOf(ranksCalendar),
	"current-windows.ics": calendarOf(currentsCalendar),
	"transits.ics":        calendarOf(transitsCalendar),
}

// calendarOf returns the maker of a calendar whose parameters are the fields of Q.
func calendarOf[Q any](
	fill func(*calendarPages, context.Context, Q) (calendarFile, error),
) calendarMaker {
	takes := sync.OnceValue(schema.Arguments[Q])
	return func(s *calendarPages, ctx context.Context, q url.Values) (calendarFile, error) {
		var in Q
		if err := takes().DecodeQuery(q, &in); err != nil {
			return calendarFile{}, err
		}
		return fill(s, ctx, in)
	}
}

// calendarPages serves the calendars.
type calendarPages struct {
	*Shared
	count func(context.Context) error
	kept  *calendarMemory
}

// newCalendarPages returns the handler of the calendars. count counts one that is computed in the
// address's rate limit of REST.
func newCalendarPages(shared *Shared, count func(context.Context) error) *calendarPages {
	return &calendarPages{shared, count, newCalendarMemory(shared.Now)}
}

// calendarAge limits how long clients may keep a calendar of planning.
const calendarAge = 12 * time.Hour

// ServeHTTP serves a calendar to subscribe to, with the parameters of the REST route of the
// same name. A calendar in memory costs no more than its own limit; one that is computed also
// counts in the address's rate limit of REST.
func (s *calendarPages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, calendarPath)
	made, ok := calendarFiles[name]
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
		kept = s.Flights.do(r.Context(), key, func(ctx context.Context) response {
			return s.keepCalendar(ctx, key, name, made, q)
		})
	}
	kept.serve(w, r)
}

// keepCalendar makes a calendar and keeps it until the day ends at the station.
func (s *calendarPages) keepCalendar(
	ctx context.Context, key, name string, made calendarMaker, q url.Values,
) response {
	c, err := made(s, ctx, q)
	if err != nil {
		return s.failed(err)
	}
	c.Product, c.Refresh, c.Color = "Leadline//Planning", 24*time.Hour, "steelblue"
	c.Source = s.Base + calendarPath + name
	if len(q) > 0 {
		c.Source += "?" + q.Encode()
	}
	c.Made, _ = time.Parse(time.DateOnly, s.Site.DataBuilt)
	body := file("text/calendar; charset=utf-8", c.Bytes(), calendarAge,
		func(h http.Header) {
			h.Set("Content-Disposition", `inline; filename="`+
				strings.TrimSuffix(name, ".ics")+"-"+c.station.ID+`.ics"`)
			h.Set("X-Content-Type-Options", "nosniff")
		})
	s.kept.put(key, body, c.until)
	return body
}

// mostCalendars and mostCalendarBytes limit the calendars that are kept.
const (
	mostCalendars     = 256
	mostCalendarBytes = 32 << 20
)

// calendarMemory keeps the calendars that were used last. It is safe for concurrent use.
type calendarMemory struct {
	now func() time.Time

	mu    sync.Mutex
	size  int
	byKey map[string]*list.Element
	order *list.List // of keptCalendar, the last used first
}

type keptCalendar struct {
	key   string
	body  rendered
	until time.Time
}

func newCalendarMemory(now func() time.Time) *calendarMemory {
	return &calendarMemory{now: now, byKey: map[string]*list.Element{}, order: list.New()}
}

// get returns the calendar of a key, unless its day has ended.
func (m *calendarMemory) get(key string) (response, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.byKey[key]
	if !ok {
		return nil, false
	}
	kept := e.Value.(keptCalendar)
	if !m.now().Before(kept.until) {
		m.drop(e)
		return nil, false
	}
	m.order.MoveToFront(e)
	return kept.body, true
}

// put keeps a calendar until a time, and drops those that were not used for longest if there are
// too many.
func (m *calendarMemory) put(key string, body rendered, until time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e, ok := m.byKey[key]; ok {
		m.drop(e)
	}
	m.byKey[key] = m.order.PushFront(keptCalendar{key, body, until})
	m.size += sizeOf(key, body)
	for len(m.byKey) > mostCalendars || m.size > mostCalendarBytes {
		m.drop(m.order.Back())
	}
}

func (m *calendarMemory) drop(e *list.Element) {
	kept := m.order.Remove(e).(keptCalendar)
	delete(m.byKey, kept.key)
	m.size -= sizeOf(kept.key, kept.body)
}

func sizeOf(key string, body rendered) int { return len(key) + body.Size() }

// calendarFile is a calendar of planning for a station.
type calendarFile struct {
	ical.Calendar
	station *coast.Station
	until   time.Time // the day after which the calendar has other events
}

// mostEvents limits the events of a calendar. What is left out is an event itself.
const mostEvents = 1000

// calendarBuilder collects the events of a calendar.
type calendarBuilder struct {
	calendarFile
	frame coast.Frame
	title string         // name and state of the station
	home  *time.Location // zone of the station
	from  time.Time      // the first day; events that begin before it are left out
	to    time.Time      // the end of the last day
	today time.Time
	kind  string // of the events, in their UIDs
	host  string
	link  string // page of the station
	alarm time.Duration
	after string // sentences that end each description
	count map[string]int
	left  int // events that are left out
}

// newCalendar returns a builder. condition identifies what selects the events: a client that
// subscribes to two calendars must not take their events for the same.
func (s *calendarPages) newCalendar(
	kind string, f coast.Frame, given operation.Span, alarm alarm, condition ...any,
) *calendarBuilder {
	home := zoneOfStation(f.Station)
	y, m, d := s.minute().In(home).Date()
	day := func(after int) time.Time { return time.Date(y, m, d+after, 0, 0, 0, 0, home) }
	hash := fnv.New32a()
	fmt.Fprint(hash, condition...)
	b := &calendarBuilder{
		calendarFile: calendarFile{station: f.Station, until: day(1)}, frame: f,
		title: words.WithState(f.Station.Name, f.Station.State), home: home, today: day(0),
		kind: fmt.Sprintf("%s-%08x", kind, hash.Sum32()), host: hostOf(s.Base),
		link:  s.Base + "/stations/" + f.Station.ID,
		alarm: time.Duration(alarm.Alarm) * time.Minute, count: map[string]int{},
		after: sourceText(f) + " " + coast.Disclaimer,
	}
	if given.Given() == "" {
		b.from, b.to = day(-intervals.CalendarDaysBack), day(intervals.CalendarDaysAhead+1)
	}
	return b
}

// sourceText names the source of predictions, and what is not in them.
func sourceText(f coast.Frame) string {
	return "Station " + f.Station.ID + ". Source: harmonic constants of NOAA CO-OPS, computed by " +
		"Leadline. Weather, surge and river flow are not in it."
}

// add adds an event that begins at a time, unless that is outside the days of the calendar. Its UID
// is that of the local day and its number in that day, so that it stays the same if a later
// prediction shifts the event by minutes.
func (b *calendarBuilder) add(begins time.Time, e ical.Event) {
	local := begins.In(b.home)
	day := local.Format("20060102")
	b.count[day]++
	if !b.from.IsZero() && (local.Before(b.from) || !local.Before(b.to)) {
		return
	}
	if len(b.Events) >= mostEvents {
		b.left++
		return
	}
	b.put(day+"-"+strconv.Itoa(b.count[day]), e)
}

// put adds an event with the last part of its UID.
func (b *calendarBuilder) put(id string, e ical.Event) {
	st := b.station
	e.UID = st.ID + "-" + b.kind + "-" + id + "@" + b.host
	e.Description += " " + b.after
	e.Location, e.URL = b.title, b.link
	e.Position = &ical.Position{Latitude: st.Latitude, Longitude: st.Longitude}
	if !e.AllDay {
		e.Alarm = b.alarm
	}
	b.Events = append(b.Events, e)
}

// say adds an event about the whole calendar, on a day.
func (b *calendarBuilder) say(id string, day time.Time, summary, text string) {
	b.put(id, ical.Event{
		Start: day, End: day.AddDate(0, 0, 1), AllDay: true, Summary: summary, Description: text,
	})
}

// finish returns the calendar. A calendar without events has one that says why, because it must
// have a component (RFC 5545, 3.6).
func (b *calendarBuilder) finish(name, about string) calendarFile {
	if b.left > 0 {
		last := b.Events[len(b.Events)-1].Start.In(b.home)
		b.say("rest", last, fmt.Sprintf("%s left out of this calendar", plural(b.left, "later event")),
			fmt.Sprintf("A calendar has at most %d events. Narrow the condition, or subscribe to a shorter "+
				"span.", mostEvents))
	}
	if len(b.Events) == 0 {
		b.say("none", b.today, "Nothing to show: "+name, strings.Join(append([]string{
			"No event in this calendar."}, b.frame.Notes...), " "))
	}
	b.Name = name + ", " + b.title
	b.Description = about + " " + b.after
	return b.calendarFile
}
