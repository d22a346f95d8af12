package status

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"leadline/internal/coast"
	"leadline/store"
	"leadline/store/bolt"
)

func noon() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }

// hour returns noon plus n hours.
func hour(n int) time.Time { return noon().Add(time.Duration(n) * time.Hour) }

func openStore(t *testing.T) *bolt.Store {
	t.Helper()
	s, err := bolt.Open(filepath.Join(t.TempDir(), "leadline.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// newNotices returns notices at noon, with the given notices in the store.
func newNotices(t *testing.T, list ...store.Incident) *Notices {
	t.Helper()
	n := &Notices{Store: openStore(t), Now: noon}
	for i, notice := range list {
		if notice.ID == "" {
			notice.ID = fmt.Sprint(i)
		}
		if err := n.Store.PutIncident(t.Context(), notice); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// TestListShown checks that open notices and those that ended less than a day
// ago are shown, newest first.
func TestListShown(t *testing.T) {
	incidents := []store.Incident{
		{Title: "open for long", Status: Monitoring, From: hour(-900)},
		{Title: "resolved lately", Status: Resolved, From: hour(-30), Until: hour(-23)},
		{Title: "resolved a day ago", Status: Resolved, From: hour(-30), Until: hour(-24)},
		{Title: "open", Status: Investigating, From: hour(-1)},
	}
	maintenance := []store.Incident{
		{Title: "planned", Status: Scheduled, From: hour(900), Until: hour(901)},
		{Title: "overdue", Status: InProgress, From: hour(-90), Until: hour(-80)},
		{Title: "ended as planned", Status: Scheduled, From: hour(-10), Until: hour(-9)},
		{Title: "ended long ago", Status: Scheduled, From: hour(-50), Until: hour(-49)},
		{Title: "completed lately", Status: Completed, From: hour(-12), Until: hour(-2)},
		{Title: "completed long ago", Status: Completed, From: hour(-99), Until: hour(-98)},
		{Title: "cancelled", Status: Cancelled, From: hour(90), Until: hour(91), Updated: hour(-3)},
		{Title: "cancelled once", Status: Cancelled, From: hour(90), Until: hour(91), Updated: hour(-25)},
	}
	for i := range maintenance {
		maintenance[i].Maintenance = true
	}
	n := newNotices(t, append(incidents, maintenance...)...)
	for kind, want := range map[Kind][]string{
		Incidents:   {"open", "resolved lately", "open for long"},
		Maintenance: {"planned", "cancelled", "ended as planned", "completed lately", "overdue"},
	} {
		list, err := n.List(t.Context(), kind, false)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, i := range list {
			got = append(got, i.Title)
		}
		if !slices.Equal(got, want) {
			t.Errorf("List(%s) = %q, want %q", kind, got, want)
		}
	}
}

// TestListHistory checks that all notices are listed if they are requested, and that those that
// are shown do not include maintenance that was to end long ago and was never completed.
func TestListHistory(t *testing.T) {
	n := newNotices(t,
		store.Incident{Title: "old", Status: Resolved, From: hour(-24 * 400), Until: hour(-24 * 399)},
		store.Incident{Title: "open for years", Status: Monitoring, From: hour(-24 * 900)},
		store.Incident{Title: "left open", Status: InProgress, Maintenance: true,
			From: hour(-24 * 100), Until: hour(-24 * 91)},
		store.Incident{Title: "overdue", Status: InProgress, Maintenance: true,
			From: hour(-24 * 100), Until: hour(-24 * 89)},
	)
	for _, test := range []struct {
		kind Kind
		all  bool
		want []string
	}{
		{Incidents, false, []string{"open for years"}},
		{Incidents, true, []string{"old", "open for years"}},
		{Maintenance, false, []string{"overdue"}},
		{Maintenance, true, []string{"left open", "overdue"}},
	} {
		list, err := n.List(t.Context(), test.kind, test.all)
		var got []string
		for _, i := range list {
			got = append(got, i.Title)
		}
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("List(%s, %v) = %q, %v, want %q", test.kind, test.all, got, err, test.want)
		}
	}
}

// TestUpdateMaintenance checks how a new state changes the times of maintenance.
func TestUpdateMaintenance(t *testing.T) {
	planned := store.Incident{
		ID: "abcd1111", Title: "Title", Message: "Message.", Status: Scheduled,
		From: hour(-1), Until: hour(1), Maintenance: true,
	}
	for _, test := range []struct {
		change Draft
		from   time.Time
		until  time.Time // zero: refused
	}{
		{Draft{Status: InProgress}, hour(-1), hour(1)},
		{Draft{Status: Completed}, hour(-1), hour(0)},
		{Draft{Status: Cancelled}, hour(-1), hour(1)},
		{Draft{Status: Completed, From: hour(2)}, hour(2), time.Time{}},
		{Draft{Until: hour(-2)}, hour(-1), time.Time{}},
		{Draft{Status: "done"}, hour(-1), time.Time{}},
		{Draft{Status: Scheduled}, hour(-1), time.Time{}}, // changes nothing
	} {
		n := newNotices(t, planned)
		got, err := n.Update(t.Context(), Maintenance, "abcd", test.change)
		if refused := test.until.IsZero(); refused {
			if err == nil {
				t.Errorf("Update(%+v) = %+v, want an error", test.change, got)
			}
			continue
		}
		stored, storedErr := n.Store.Incident(t.Context(), planned.ID)
		if err != nil || storedErr != nil || !reflect.DeepEqual(stored, got) {
			t.Errorf("Update(%+v) = %+v, %v; the store has %+v, %v",
				test.change, got, err, stored, storedErr)
		}
		if !got.From.Equal(test.from) || !got.Until.Equal(test.until) || !got.Updated.Equal(noon()) {
			t.Errorf("Update(%+v) = %+v, want %v to %v", test.change, got, test.from, test.until)
		}
	}
}

// TestUpdateIncident checks that an incident ends once and can be opened again.
func TestUpdateIncident(t *testing.T) {
	ended := store.Incident{
		ID: "abcd1111", Title: "Title", Message: "Message.", Status: Resolved,
		From: hour(-9), Until: hour(-5),
	}
	for change, want := range map[Draft]time.Time{
		{Status: Monitoring}:               {},
		{Status: Resolved, Title: "Other"}: hour(-5),
	} {
		got, err := newNotices(t, ended).Update(t.Context(), Incidents, "abcd", change)
		if err != nil || !got.Until.Equal(want) {
			t.Errorf("Update(%+v) ends at %v, %v; want %v", change, got.Until, err, want)
		}
	}
	open := ended
	open.Status, open.Until = Investigating, time.Time{}
	got, err := newNotices(t, open).Update(t.Context(), Incidents, "abcd", Draft{Status: Resolved})
	if err != nil || !got.Until.Equal(noon()) {
		t.Errorf("a resolved incident ends at %v, %v; want %v", got.Until, err, noon())
	}
}

func TestCreate(t *testing.T) {
	n := newNotices(t)
	i, err := n.CreateIncident(t.Context(), Draft{Title: "Slow", Message: "NOAA answers late."})
	if err != nil || i.Status != Investigating || !i.From.Equal(noon()) || len(i.ID) != 36 {
		t.Errorf("CreateIncident = %+v, %v", i, err)
	}
	m, err := n.ScheduleMaintenance(t.Context(),
		Draft{Title: "Cable", Message: "New.", From: hour(1), Until: hour(2)})
	if err != nil || m.Status != Scheduled || !m.Maintenance {
		t.Errorf("ScheduleMaintenance = %+v, %v", m, err)
	}
	past := Draft{Title: "Cable", Message: "New.", From: hour(-2), Until: hour(-1)}
	if _, err := n.ScheduleMaintenance(t.Context(), past); err == nil {
		t.Error("maintenance in the past was scheduled")
	}
	resolved := Draft{Title: "Slow", Message: "x", Status: Resolved}
	if _, err := n.CreateIncident(t.Context(), resolved); err == nil {
		t.Error("a resolved incident was created")
	}
}

// TestCheckText checks that texts with control characters are refused.
func TestCheckText(t *testing.T) {
	for text, want := range map[string]bool{
		"Tides at Boston": true, "naïve ☂": true, strings.Repeat("é", 120): true,
		"": false, "  ": false, strings.Repeat("é", 121): false, "a\x1b[2J": false, "a\nb": false,
		"\xff": false,
	} {
		if err := checkText("title", text, 120, coast.CheckLine); (err == nil) != want {
			t.Errorf("checkText(%q) = %v", text, err)
		}
	}
	if err := checkText("message", "a\nb", 2000, coast.CheckLines); err != nil {
		t.Error(err)
	}
}

func TestFind(t *testing.T) {
	n := newNotices(t,
		store.Incident{ID: "abcd1111-", Title: "one"}, store.Incident{ID: "abcd2222-", Title: "two"},
		store.Incident{ID: "abcd1112-", Title: "works", Maintenance: true})
	if i, err := n.Find(t.Context(), Incidents, "ABCD1"); err != nil || i.Title != "one" {
		t.Errorf("Find(ABCD1) = %+v, %v", i, err)
	}
	for prefix, want := range map[string]string{
		"abcd": "abcd1111- (one), abcd2222- (two)", "abc": "at least the first 4 characters",
		"ffff": `no id of incidents begins with "ffff"`,
	} {
		if _, err := n.Find(t.Context(), Incidents, prefix); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("Find(%s): %v, want %q", prefix, err, want)
		}
	}
}
