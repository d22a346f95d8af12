package status

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"leadline/internal/coast"
	"leadline/internal/trials"
	"leadline/store"
)

// TestUpdates checks that a notice keeps what it said, and when, and nothing about changes of its
// title alone.
func TestUpdates(t *testing.T) {
	now := noon()
	n := &Notices{Store: openStore(t), Now: func() time.Time { return now }}
	made, err := n.CreateIncident(t.Context(), Draft{Title: "Slow", Message: "NOAA is late."})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []Draft{
		{Message: "A cable is cut."}, {Title: "Slow observations"}, {Status: Identified},
		{Status: Resolved, Message: "Repaired."},
	} {
		now = now.Add(10 * time.Minute)
		if _, err := n.Update(t.Context(), Incidents, made.ID, d); err != nil {
			t.Fatal(err)
		}
	}
	stored, err := n.Store.Incident(t.Context(), made.ID)
	if err != nil {
		t.Fatal(err)
	}
	at := func(minutes int) time.Time { return noon().Add(time.Duration(minutes) * time.Minute) }
	want := []Update{
		{at(40), Resolved, "Repaired."},
		{at(30), Identified, "A cable is cut."},
		{at(10), Investigating, "A cable is cut."},
		{at(0), Investigating, "NOAA is late."},
	}
	got := NewReport(stored)
	if !slices.Equal(got.Updates, want) || got.Title != "Slow observations" ||
		!got.UpdatedAt.Equal(at(40)) {
		t.Errorf("NewReport = %+v, want updates %+v", got, want)
	}
}

// TestUpdatesOfOldNotices checks that a notice without updates has what it says, and keeps it when
// it changes.
func TestUpdatesOfOldNotices(t *testing.T) {
	old := store.Incident{
		ID: "abcd1111", Title: "Slow", Status: Investigating, Message: "Old.", From: hour(-9),
		Updated: hour(-8),
	}
	first := Update{hour(-8), Investigating, "Old."}
	if got := NewReport(old).Updates; !slices.Equal(got, []Update{first}) {
		t.Errorf("an old notice has the updates %+v", got)
	}
	n := newNotices(t, old)
	got, err := n.Update(t.Context(), Incidents, "abcd", Draft{Status: Monitoring, Message: "New."})
	want := []Update{{noon(), Monitoring, "New."}, first}
	if updates := NewReport(got).Updates; err != nil || !slices.Equal(updates, want) {
		t.Errorf("Update: %+v, %v, want %+v", updates, err, want)
	}
}

// TestPast checks which notices and which days the past has.
func TestPast(t *testing.T) {
	n := newNotices(t,
		store.Incident{ID: "old", Title: "ended 91 days ago", Status: Resolved,
			From: hour(-24 * 92), Until: hour(-24 * 91)},
		store.Incident{ID: "new", Title: "ended 89 days ago", Status: Resolved,
			From: hour(-24 * 92), Until: hour(-24 * 89)},
		store.Incident{ID: "open", Title: "open", Status: Monitoring, From: hour(-24 * 300)},
		store.Incident{ID: "cable", Title: "to come", Status: Scheduled, Maintenance: true,
			From: hour(5), Until: hour(6)},
		store.Incident{ID: "disk", Title: "over", Status: Completed, Maintenance: true,
			From: hour(-40), Until: hour(-30)},
	)
	days := openStore(t)
	for _, m := range []struct {
		at    time.Time
		state string
	}{
		{noon().AddDate(0, 0, -90), store.ComponentDown}, // a day too old
		{noon().AddDate(0, 0, -89), store.ComponentOK},
		{noon().AddDate(0, 0, -1), store.ComponentOK},
		{noon().AddDate(0, 0, -1).Add(time.Minute), store.ComponentDown},
		{noon().Add(-2 * time.Minute), store.ComponentDegraded},
	} {
		states := map[string]string{APIName: m.state, "another": store.ComponentDown}
		if err := days.MarkMinute(t.Context(), m.at, states); err != nil {
			t.Fatal(err)
		}
	}
	got, err := n.Past(t.Context(), days)
	if err != nil {
		t.Fatal(err)
	}
	titles := func(list []Report) (out []string) {
		for _, r := range list {
			out = append(out, r.Title)
		}
		return out
	}
	if list := titles(got.Incidents); !slices.Equal(list, []string{"ended 89 days ago", "open"}) {
		t.Errorf("incidents %q", list)
	}
	if list := titles(got.Maintenance); !slices.Equal(list, []string{"to come"}) {
		t.Errorf("maintenance %q", list)
	}
	var names []coast.ComponentName
	for _, r := range got.Components {
		names = append(names, r.Name)
		if len(r.Days) != PastDays {
			t.Errorf("%s has %d days, want %d", r.Name, len(r.Days), PastDays)
		}
	}
	want := []coast.ComponentName{"api", "mcp", "store", "noaa-coops", "nws"}
	if !slices.Equal(names, want) {
		t.Errorf("components %v, want %v", names, want)
	}
	midnight := noon().Truncate(24 * time.Hour)
	api := got.Components[0].Days
	for i, want := range map[int]Day{
		0:  {Date: midnight.AddDate(0, 0, -89), OK: 1, Missing: 1439},
		1:  {Date: midnight.AddDate(0, 0, -88), Missing: 1440},
		88: {Date: midnight.AddDate(0, 0, -1), OK: 1, Down: 1, Missing: 1438},
		89: {Date: midnight, Degraded: 1, Missing: 718}, // 11:59 may still be recorded
	} {
		if api[i] != want {
			t.Errorf("day %d = %+v, want %+v", i, api[i], want)
		}
	}
	for i, want := range map[int]string{0: Operational, 1: "", 88: Down, 89: Degraded} {
		if got := api[i].Worst(); got != want {
			t.Errorf("Worst of day %d = %q, want %q", i, got, want)
		}
	}
}

// TestPastWithoutStore checks that a store that fails is an error and not an empty history.
func TestPastWithoutStore(t *testing.T) {
	n, days := newNotices(t), openStore(t)
	days.Close()
	if p, err := n.Past(t.Context(), days); err == nil {
		t.Errorf("Past without days = %+v, want an error", p)
	}
	n.Store.(interface{ Close() error }).Close()
	if p, err := n.Past(t.Context(), openStore(t)); err == nil {
		t.Errorf("Past without notices = %+v, want an error", p)
	}
}

// TestRecords checks days with random minutes against minutes counted one by one: every minute that
// is over is in one count, and a day is as bad as its worst minute.
func TestRecords(t *testing.T) {
	order := []string{"", store.ComponentOK, store.ComponentDegraded, store.ComponentDown}
	worst := map[string]string{"": "", order[1]: Operational, order[2]: Degraded, order[3]: Down}
	for i := range trials.Cases() {
		random := rand.New(rand.NewPCG(1, uint64(i)))
		now := noon().Add(time.Duration(random.IntN(100_000)) * time.Second)
		day := now.Truncate(24*time.Hour).AddDate(0, 0, -random.IntN(PastDays))
		over := int(min(max(0, now.Sub(day)-5*time.Second), 24*time.Hour) / time.Minute)
		row := store.ComponentDay{Component: MCPName, Day: store.DayOf(day)}
		bad := 0
		for range over {
			state := random.IntN(1 + random.IntN(len(order)))
			bad = max(bad, state)
			switch state {
			case 1:
				row.OK++
			case 2:
				row.Degraded++
			case 3:
				row.Down++
			}
		}
		list := records([]store.ComponentDay{row}, now)
		n := slices.IndexFunc(list[1].Days, func(d Day) bool { return d.Date.Equal(day) })
		if n < 0 {
			t.Fatalf("case %d: %v is missing", i, day)
		}
		got := list[1].Days[n]
		if got.Recorded()+got.Missing != over || got.OK != row.OK || got.Degraded != row.Degraded ||
			got.Down != row.Down || got.Worst() != worst[order[bad]] {
			t.Errorf("case %d: %+v is %q, want %d minutes of %+v and %q", i, got, got.Worst(), over, row,
				worst[order[bad]])
		}
	}
}

// TestRecordsAtMidnight checks that a minute does not count as missing before it can be recorded.
func TestRecordsAtMidnight(t *testing.T) {
	midnight := noon().Truncate(24 * time.Hour)
	yesterday := midnight.AddDate(0, 0, -1)
	for _, c := range []struct {
		at             time.Duration
		recorded       int // minutes of yesterday
		before, missed int // missing minutes of yesterday and of today
	}{
		{0, 1439, 0, 0},
		{0, 1440, 0, 0},
		{4 * time.Second, 1439, 0, 0},
		{5 * time.Second, 1439, 1, 0},
		{5 * time.Second, 1440, 0, 0},
		{64 * time.Second, 1440, 0, 0},
		{65 * time.Second, 1440, 0, 1},
	} {
		rows := []store.ComponentDay{
			{Component: APIName, Day: store.DayOf(yesterday), OK: c.recorded, Last: c.recorded},
		}
		days := records(rows, midnight.Add(c.at))[0].Days
		if got := days[88].Missing; got != c.before {
			t.Errorf("%v after midnight, yesterday lacks %d of %d, want %d", c.at, got, c.recorded, c.before)
		}
		if got := days[89].Missing; got != c.missed || days[89].Date != midnight {
			t.Errorf("%v after midnight, %v lacks %d, want %d", c.at, days[89].Date, got, c.missed)
		}
	}
}
