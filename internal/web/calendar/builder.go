package calendar

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
	"time"

	"leadline/internal/coast"
	"leadline/internal/ical"
	"leadline/internal/intervals"
	"leadline/internal/operation"
	"leadline/internal/web/site"
	"leadline/internal/web/view"
	"leadline/internal/words"
)

// calendarFile is a calendar of planning for a station.
type calendarFile struct {
	ical.Calendar
	station *coast.Station
	until   time.Time // the day after which the calendar has other events
}

// mostEvents limits the events of a calendar. What is left out is an event itself.
const mostEvents = 1000

// alarm holds the argument that only calendars have.
type alarm struct {
	Alarm int `json:"alarm" default:"0" min:"0" max:"1440" doc:"Minutes before an event at which clients show an alarm; 0 for none." example:"30"`
}

// builder collects the events of a calendar.
type builder struct {
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

// newBuilder returns a builder. condition identifies what selects the events: a client that
// subscribes to two calendars must not take their events for the same.
func newBuilder(
	s *site.Shared, kind string, f coast.Frame, given operation.Span, alarm alarm, condition ...any,
) *builder {
	home := view.ZoneOfStation(f.Station)
	y, m, d := s.Minute().In(home).Date()
	day := func(after int) time.Time { return time.Date(y, m, d+after, 0, 0, 0, 0, home) }
	hash := fnv.New32a()
	fmt.Fprint(hash, condition...)
	b := &builder{
		calendarFile: calendarFile{station: f.Station, until: day(1)}, frame: f,
		title: words.WithState(f.Station.Name, f.Station.State), home: home, today: day(0),
		kind: fmt.Sprintf("%s-%08x", kind, hash.Sum32()), host: view.HostOf(s.Base),
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

// window adds the event of a window, whose open ends are those of the span. It reports whether the
// window is the whole span, which has no event.
func (b *builder) window(
	from, to time.Time, open []intervals.WindowEnd, e ical.Event,
) (whole bool) {
	switch {
	case len(open) == 2:
		return true
	case len(open) == 0 || open[0] != "from":
		b.add(from, e)
	case b.from.IsZero() || to.After(b.from): // it began before the calendar does
		b.put("running", e)
	}
	return false
}

// add adds an event that begins at a time, unless that is outside the days of the calendar. Its UID
// is that of the local day and its number in that day, so that it stays the same if a later
// prediction shifts the event by minutes.
func (b *builder) add(begins time.Time, e ical.Event) {
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
func (b *builder) put(id string, e ical.Event) {
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
func (b *builder) say(id string, day time.Time, summary, text string) {
	b.put(id, ical.Event{
		Start: day, End: day.AddDate(0, 0, 1), AllDay: true, Summary: summary, Description: text,
	})
}

// finish returns the calendar. A calendar without events has one that says why, because it must
// have a component (RFC 5545, 3.6).
func (b *builder) finish(name, about string) calendarFile {
	if b.left > 0 {
		last := b.Events[len(b.Events)-1].Start.In(b.home)
		b.say("rest", last,
			fmt.Sprintf("%s left out of this calendar", view.Plural(b.left, "later event")),
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
