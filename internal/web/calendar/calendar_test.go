package calendar

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"leadline/internal/coast"
	"leadline/internal/ical"
	"leadline/internal/operation"
	"leadline/internal/web/site"
	"leadline/internal/web/view"
)

var noon = time.Date(2026, 11, 20, 17, 0, 0, 0, time.UTC)

// boston is the frame of a result about Boston.
var boston = coast.Frame{
	Station: &coast.Station{ID: "8443970", Name: "Boston", State: "MA", TimeZone: "America/New_York"},
	Datum:   "MLLW", DatumEpoch: "1983-2001",
}

// newCalendarBuilder returns a builder of a calendar at noon.
func newCalendarBuilder(given operation.Span) *builder {
	s := site.New(site.Settings{Now: func() time.Time { return noon },
		Base: "https://tides.example.org"})
	return newBuilder(s, "test", boston, given, alarm{}, "below", 0)
}

// TestLargeCalendars checks that a calendar has at most 1,000 events, the earliest, and one that
// says how many are left out.
func TestLargeCalendars(t *testing.T) {
	b := newCalendarBuilder(operation.Span{Range: 1})
	for i := range 10_000 {
		at := noon.Add(time.Duration(i) * time.Hour)
		b.add(at, ical.Event{Start: at, End: at.Add(time.Minute), Summary: fmt.Sprint(i)})
	}
	c := b.finish("Slack", "Slack.")
	if len(c.Events) != mostEvents+1 {
		t.Fatalf("%d events, want %d", len(c.Events), mostEvents+1)
	}
	if last := c.Events[mostEvents-1]; last.Summary != "999" {
		t.Errorf("the last event is %s, want 999", last.Summary)
	}
	rest := c.Events[mostEvents]
	if !rest.AllDay || !strings.Contains(rest.Summary, "9,000") ||
		!strings.HasSuffix(rest.Description, coast.Disclaimer) {
		t.Errorf("the last event is %+v, want 9,000 left out", rest)
	}
	ids := map[string]bool{}
	for _, e := range c.Events {
		ids[e.UID] = true
	}
	if len(ids) != len(c.Events) {
		t.Errorf("%d UIDs of %d events", len(ids), len(c.Events))
	}
}

// TestCalendarDays checks the days of a calendar, and that events before them count in the
// numbers of their day.
func TestCalendarDays(t *testing.T) {
	b := newCalendarBuilder(operation.Span{})
	zone := view.ZoneOfStation(boston.Station)
	for _, at := range []time.Time{
		time.Date(2026, 10, 20, 23, 59, 0, 0, zone), // 31 days before
		time.Date(2026, 10, 21, 0, 0, 0, 0, zone),
		time.Date(2026, 10, 21, 13, 0, 0, 0, zone),
		time.Date(2027, 11, 21, 23, 59, 0, 0, zone), // 366 days ahead
		time.Date(2027, 11, 22, 0, 0, 0, 0, zone),
	} {
		b.add(at, ical.Event{Start: at})
	}
	var got []string
	for _, e := range b.Events {
		_, id, _ := strings.Cut(e.UID, "-test-")
		got = append(got, id[len("00000000-"):])
	}
	want := "20261021-1@tides.example.org 20261021-2@tides.example.org 20271121-1@tides.example.org"
	if strings.Join(got, " ") != want {
		t.Errorf("events %v, want %s", got, want)
	}
	if want := time.Date(2026, 11, 21, 0, 0, 0, 0, zone); !b.until.Equal(want) {
		t.Errorf("the calendar is kept until %v, want %v", b.until, want)
	}
}

// body is a calendar as it is kept.
func body(text string) site.Rendered {
	return site.File("text/calendar", []byte(text), time.Minute)
}

// TestCalendarMemory checks that the calendars that were used last are kept, within their limits,
// until their day ends.
func TestCalendarMemory(t *testing.T) {
	clock := noon
	m := newMemory(func() time.Time { return clock })
	for i := range mostCalendars + 10 {
		m.put(fmt.Sprint(i), body("x"), noon.Add(time.Hour))
		if _, ok := m.get("0"); !ok {
			t.Fatalf("calendar 0 is dropped by number %d, though it is used", i)
		}
	}
	if _, ok := m.get("1"); ok || len(m.byKey) != mostCalendars || m.order.Len() != mostCalendars {
		t.Errorf("%d calendars are kept, want %d without number 1", len(m.byKey), mostCalendars)
	}
	large := strings.Repeat("x", 1<<20)
	for i := range 100 {
		m.put(fmt.Sprint("large ", i), body(large), noon.Add(time.Hour))
	}
	if m.size > mostCalendarBytes || m.size < mostCalendarBytes/2 {
		t.Errorf("%d bytes are kept, want at most %d", m.size, mostCalendarBytes)
	}
	m.put("large 99", body("small"), noon.Add(time.Hour))
	if _, ok := m.get("large 99"); !ok {
		t.Error("a calendar that is put twice is dropped")
	}
	clock = noon.Add(time.Hour)
	if _, ok := m.get("large 99"); ok {
		t.Error("a calendar of yesterday is kept")
	}
	for key := range m.byKey {
		m.get(key)
	}
	if m.size != 0 || m.order.Len() != 0 {
		t.Errorf("%d bytes of %d calendars remain", m.size, m.order.Len())
	}
}
