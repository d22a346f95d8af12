package pages

import (
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"leadline/e2e/product"
	"leadline/internal/server"
	"leadline/internal/simulator/provider"
	"leadline/internal/status"
	"leadline/store"
	"leadline/tools"
)

// TestStatusPageFresh checks the page of a server that has recorded nothing, and asks nobody.
func TestStatusPageFresh(t *testing.T) {
	p := product.Mount(t)
	o := open(t, p.URL, "/status")
	if got := o.header.Get("Cache-Control"); got != "public, max-age=30" {
		t.Errorf("Cache-Control %q, want 30 seconds", got)
	}
	o.says(t, []string{
		"● All parts of this server answer. It does not ask providers.",
		"REST API ● operational", "MCP ● operational", "Store ● operational",
		"NOAA CO-OPS – not asked", "National Weather Service – not asked",
		"Incidents of the last 90 days The operator has announced none.",
		"Maintenance None is announced.", "As seen by this server while it ran",
		"Nothing is recorded yet.",
	}, []string{"%", "cannot be read", "Announced and not over", "The worst days"})
	if n := strings.Count(o.words(), "23 Aug to 20 Nov, each: not recorded"); n != 5 {
		t.Errorf("%d components have 90 days without a record, want 5", n)
	}
	for _, label := range o.labels() {
		if want := "Last 90 days: 0 without a fault, 0 degraded, 0 down, 90 not recorded"; label != want {
			t.Errorf("bars %q, want %q", label, want)
		}
	}
	if got := o.bars(t, "api"); got != [90]string{} {
		t.Errorf("bars %q, but nothing is recorded", got)
	}
}

// labels returns the descriptions of the bars on the page of the status.
func (o opened) labels() (list []string) {
	o.attributes(func(n *html.Node, name, value string) {
		if n.Data == "svg" && name == "aria-label" {
			list = append(list, value)
		}
	})
	return list
}

// TestStatusPageProviders checks the states of providers: not asked, fine, and failing, apart from
// those of the server.
func TestStatusPageProviders(t *testing.T) {
	sim, root := product.Simulate(t, product.Noon)
	clock := product.Noon()
	now := func() time.Time { return clock }
	p := product.Setup{Root: root, Now: now, Fetched: now, Deadline: time.Minute,
		Patience: time.Minute}.Start(t)
	open(t, p.URL, "/status").says(t, []string{
		"● All parts of this server answer.", "NOAA CO-OPS – not asked yet",
	}, []string{"All parts answer"})
	clock = clock.Add(time.Minute)
	open(t, p.URL, "/stations/8443970")
	open(t, p.URL, "/status").says(t, []string{
		"● All parts answer.", "NOAA CO-OPS ● operational", "Answers; last asked",
	}, []string{"not asked"})
	clock = clock.Add(10 * time.Minute)
	failAll(sim, provider.Fault{Kind: provider.Unavailable})
	open(t, p.URL, "/stations/8443970")
	o := open(t, p.URL, "/status")
	o.says(t, []string{
		"◐ NOAA CO-OPS does not answer as it should: predictions do not depend on it.",
		"The National Weather Service does not answer as it should",
		"NOAA CO-OPS ◐ degraded", "Store ● operational", "REST API ● operational",
	}, []string{"All parts", "NOAA CO-OPS ● operational"})
	if !o.cachedByAll() {
		t.Errorf("with failing providers the page is %s", o.header.Get("Cache-Control"))
	}
}

// minutes counts the minutes of a day that a test has recorded.
type minutes struct{ ok, degraded, down int }

// TestStatusPageDays records random minutes of 90 days, and compares the sums and the bars of the
// page with them. No day looks better than its worst minute, and no minute that was not recorded
// counts as good.
func TestStatusPageDays(t *testing.T) {
	p := product.Mount(t)
	random := rand.New(rand.NewPCG(1, 2))
	want := map[string][90]minutes{}
	midnight := product.Noon().Truncate(24 * time.Hour)
	states := []string{store.ComponentOK, store.ComponentDegraded, store.ComponentDown}
	for i := range 90 {
		day := midnight.AddDate(0, 0, i-89)
		for range random.IntN(12) {
			at := day.Add(time.Duration(random.IntN(17*60)) * time.Minute)
			marked := map[string]string{}
			for name := range map[string]bool{"api": true, "store": true, "noaa-coops": true} {
				marked[name] = states[random.IntN(random.IntN(3)+1)]
			}
			before := countOf(t, p, day)
			if err := p.Storage().Store.MarkMinute(t.Context(), at, marked); err != nil {
				t.Fatal(err)
			}
			if countOf(t, p, day) == before {
				continue // the store has a later minute of the day
			}
			for name, state := range marked {
				days := want[name]
				switch state {
				case states[0]:
					days[i].ok++
				case states[1]:
					days[i].degraded++
				case states[2]:
					days[i].down++
				}
				want[name] = days
			}
		}
	}
	o := open(t, p.URL, "/status")
	names := []string{"api", "mcp", "store", "noaa-coops", "nws"}
	lists := o.dayLists(t, midnight)
	if len(lists) != len(names) {
		t.Fatalf("%d lists of days, want %d", len(lists), len(names))
	}
	for i, name := range names {
		bars := o.bars(t, name)
		counts := map[string]int{}
		for day, m := range want[name] {
			over := 1440
			if day == 89 {
				over = 17*60 - 1 // it is noon in Boston; the last minute may still be recorded
			}
			if got := lists[i][day]; got != m.words(over) {
				t.Errorf("%s, day %d: %q, want %q", name, day, got, m.words(over))
			}
			class := m.class()
			if bars[day] != class {
				t.Errorf("%s, day %d: bar %q, want %q for %+v", name, day, bars[day], class, m)
			}
			counts[class]++
		}
		label := fmt.Sprintf(
			"Last 90 days: %d without a fault, %d degraded, %d down, %d not recorded",
			counts["b-ok"],
			counts["b-low"],
			counts["b-off"],
			counts[""],
		)
		if got := o.labels()[2*i : 2*i+2]; !slices.Equal(got, []string{label, label}) {
			t.Errorf("%s: %q, want %q", name, got, label)
		}
	}
	o.wantBudget(t, p.URL)
}

// TestStatusPageOfPartialDays checks the page of a server that ran for a part of each day and whose
// providers had faults on each of them: the parts of the server have their days once.
func TestStatusPageOfPartialDays(t *testing.T) {
	p := product.Mount(t)
	midnight := product.Noon().Truncate(24 * time.Hour)
	for i := range 90 {
		for m := range 3 + i%5 {
			states := map[string]string{
				"api": "ok", "mcp": "ok", "store": "ok", "noaa-coops": "ok", "nws": "ok",
			}
			switch {
			case m == 0:
				states["noaa-coops"] = store.ComponentDegraded
			case m == 1:
				states["nws"] = store.ComponentDown
			}
			at := midnight.AddDate(0, 0, i-89).Add(time.Duration(m) * time.Minute)
			if err := p.Storage().Store.MarkMinute(t.Context(), at, states); err != nil {
				t.Fatal(err)
			}
		}
	}
	o := open(t, p.URL, "/status")
	o.wants(t, "Day by day : REST API", "Day by day : NOAA CO-OPS", "!Day by day : MCP",
		"Day by day : National Weather Service", "!Day by day : Store")
	if got := strings.Count(o.words(), "Day by day the same as REST API."); got != 2 {
		t.Errorf("%d parts refer to the days of another, want 2", got)
	}
	if got := len(o.dayLists(t, midnight)); got != 3 {
		t.Errorf("%d lists of days, want 3", got)
	}
	o.wantBudget(t, p.URL)
}

// wantBudget checks the bytes of the page of a status with a whole history.
func (o opened) wantBudget(t *testing.T, base string) {
	t.Helper()
	sent := o.compressed(t, base)
	t.Logf("%s: %d bytes sent, %d raw", o.path, sent, len(o.body))
	if sent > 14_000 || len(o.body) > 50_000 {
		t.Errorf(
			"%s: %d bytes sent, %d raw, want at most 14,000 and 50,000",
			o.path,
			sent,
			len(o.body),
		)
	}
}

// countOf returns the number of minutes that are recorded of a day.
func countOf(t *testing.T, p *product.Product, day time.Time) (n int) {
	t.Helper()
	list, err := p.Storage().Store.ComponentDays(t.Context(), store.DayOf(day))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range list {
		if d.Day == store.DayOf(day) {
			n += d.OK + d.Degraded + d.Down
		}
	}
	return n
}

// words writes the minutes as the page should, of those that are over.
func (m minutes) words(over int) string {
	recorded := m.ok + m.degraded + m.down
	if recorded == 0 {
		return "not recorded"
	}
	comma := func(n int) string {
		if n < 1000 {
			return strconv.Itoa(n)
		}
		return fmt.Sprintf("%d,%03d", n/1000, n%1000)
	}
	var list []string
	for _, c := range []struct {
		n    int
		what string
	}{
		{m.ok, "without a fault"}, {m.degraded, "degraded"}, {m.down, "down"},
		{over - recorded, "not recorded"},
	} {
		if c.n > 0 {
			list = append(list, comma(c.n)+" "+c.what)
		}
	}
	list[0] = regexp.MustCompile(`^[\d,]+`).ReplaceAllString(list[0], "$0 min")
	return strings.Join(list, ", ")
}

// class returns the class of the bar of a day, which is that of its worst minute.
func (m minutes) class() string {
	switch {
	case m.down > 0:
		return "b-off"
	case m.degraded > 0:
		return "b-low"
	case m.ok > 0:
		return "b-ok"
	}
	return ""
}

// dayLists returns the texts of the 90 days of each component.
func (o opened) dayLists(t *testing.T, today time.Time) (lists [][90]string) {
	t.Helper()
	for n := range o.document().Descendants() {
		if n.Data != "details" {
			continue
		}
		var days [90]string
		for li := range n.Descendants() {
			if li.Data != "li" {
				continue
			}
			names, text, _ := strings.Cut(strings.ReplaceAll(textOf(li), "\u00a0", " "), ": ")
			first, last, _ := strings.Cut(strings.TrimSuffix(names, ", each"), " to ")
			first = strings.TrimSuffix(first, " so far")
			within := false
			for i := range days {
				name := today.AddDate(0, 0, i-89).Format("2 Jan")
				within = within || name == first
				if within {
					days[i] = text
				}
				within = within && last != "" && name != last
			}
		}
		lists = append(lists, days)
	}
	return lists
}

// bars returns the classes of the 90 bars of a component, "" where there is none.
func (o opened) bars(t *testing.T, name string) (classes [90]string) {
	t.Helper()
	_, group, _ := strings.Cut(o.body, `<g id="bars-`+name+`">`)
	group, _, _ = strings.Cut(group, "</g>")
	marks := map[string]int{}
	for _, m := range regexp.MustCompile(`<path class="(bar|mark) ([a-z-]+)" d="([^"]+)"`).
		FindAllStringSubmatch(group, -1) {
		for _, at := range regexp.MustCompile(`M(\d+) `).FindAllStringSubmatch(m[3], -1) {
			x, err := strconv.Atoi(at[1])
			if err != nil {
				t.Fatal(err)
			}
			if m[1] == "mark" {
				marks[fmt.Sprint(m[2], x/10)]++
				continue
			}
			if classes[x/10] != "" {
				t.Errorf("%s: two bars at %d", name, x)
			}
			classes[x/10] = m[2]
		}
	}
	for day, class := range classes { // the state is in a mark too, where there was a fault
		faulty := class == "b-low" || class == "b-off"
		if faulty != (marks[class+strconv.Itoa(day)] == 1) {
			t.Errorf("%s: day %d is %q, with marks %v", name, day, class, marks)
		}
	}
	return classes
}

// TestStatusPageNotices checks incidents with their updates, and maintenance.
func TestStatusPageNotices(t *testing.T) {
	clock := product.Noon()
	p := product.Setup{Now: func() time.Time { return clock }, Offline: true}.Start(t)
	n := status.Notices{Store: p.Storage().Store, Now: func() time.Time { return clock }}
	old, err := n.CreateIncident(t.Context(), status.Draft{Title: "Slow <disk>", Message: "First."})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []status.Draft{
		{Status: status.Identified, Message: "Second & more."}, {Status: status.Resolved},
	} {
		clock = clock.Add(time.Hour)
		if _, err := n.Update(t.Context(), status.Incidents, old.ID, d); err != nil {
			t.Fatal(err)
		}
	}
	clock = clock.AddDate(0, 0, 30)
	newer := status.Draft{Title: "NOAA", Message: "Late."}
	if _, err := n.CreateIncident(t.Context(), newer); err != nil {
		t.Fatal(err)
	}
	for _, from := range []time.Time{clock.Add(time.Hour), clock.AddDate(0, 0, 5)} {
		d := status.Draft{Title: "Cable", Message: "New.", From: from, Until: from.Add(time.Hour)}
		m, err := n.ScheduleMaintenance(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		if from.Sub(clock) < 2*time.Hour {
			begun := status.Draft{Title: "Disk", Status: status.InProgress}
			if _, err := n.Update(t.Context(), status.Maintenance, m.ID, begun); err != nil {
				t.Fatal(err)
			}
		}
	}
	o := open(t, p.URL, "/status")
	o.wantBalanced(t)
	o.wantTitles(t, "Status", "Status")
	o.says(t, []string{
		"Announced and not over: “NOAA”; “Disk”. What is known",
		"NOAA Investigating From 20 Dec 19:00 UTC , not over yet 20 Dec 19:00 UTC : Investigating Late.",
		"Slow <disk> Resolved From 20 Nov 17:00 UTC to 20 Nov 19:00 UTC " +
			"20 Nov 19:00 UTC : Resolved 20 Nov 18:00 UTC : Identified Second & more. " +
			"20 Nov 17:00 UTC : Investigating First.",
		"Cable Scheduled From 25 Dec 19:00 UTC to 25 Dec 20:00 UTC",
		"Disk In progress From 20 Dec 20:00 UTC to 20 Dec 21:00 UTC " +
			"20 Dec 19:00 UTC : In progress 20 Dec 19:00 UTC : Scheduled New.",
	}, []string{"announced none"})
	if text := o.words(); strings.Index(text, "Slow <disk>") < strings.Index(text, "not over yet") {
		t.Error("the older incident is first")
	}
	var got tools.Status
	product.Decode(t, product.OverREST(t, p.URL+"/api/developer/status"), &got)
	for _, i := range append(got.Incidents, got.Maintenance...) {
		if !strings.Contains(o.words(), i.Title) {
			t.Errorf("the page lacks %q, which the status over REST has", i.Title)
		}
	}
	clock = clock.AddDate(0, 0, 61)
	open(t, p.URL, "/status").says(t, []string{"Late."}, []string{"Slow <disk>"})
}

// TestStatusPageWithoutStore checks that the page says what it cannot read, and that nobody keeps
// it.
func TestStatusPageWithoutStore(t *testing.T) {
	clock := product.Noon()
	built, err := server.Build(t.Context(),
		product.Setup{Now: func() time.Time { return clock }, Offline: true}.Config(t))
	if err != nil {
		t.Fatal(err)
	}
	p := httptest.NewServer(built.Handler())
	t.Cleanup(func() {
		p.Close()
		built.Close() // fails: the store is closed
	})
	open(t, p.URL, "/status").says(t, []string{"Store ● operational"}, []string{"cannot be read"})
	if err := built.Storage().Close(); err != nil {
		t.Fatal(err)
	}
	clock = clock.Add(time.Minute)
	o := open(t, p.URL, "/status")
	if got := o.header.Get("Cache-Control"); o.status != 200 || got != "private, no-store" {
		t.Errorf("without the store: %d %s, want 200 and private", o.status, got)
	}
	o.wantBalanced(t)
	o.wantPolicy(t)
	o.says(t, []string{
		"○ The store does not accept data: requests with a key and signing in may fail.",
		"Store ○ down", "The history cannot be read", "REST API ● operational",
	}, []string{"announced none", "None is announced", "As seen by this server", "without a fault"})
}

// TestStatusPageOfRemovedStore checks that the history of a store that can be read, but not be
// written, is shown, and that nobody keeps the page.
func TestStatusPageOfRemovedStore(t *testing.T) {
	clock, folder := product.Noon(), t.TempDir()
	now := func() time.Time { return clock }
	built, err := server.Build(t.Context(),
		product.Setup{Now: now, Offline: true, Folder: folder}.Config(t))
	if err != nil {
		t.Fatal(err)
	}
	p := httptest.NewServer(built.Handler())
	t.Cleanup(func() {
		p.Close()
		built.Close() // fails: the file of the store was removed
	})
	n := status.Notices{Store: built.Storage().Store, Now: now}
	draft := status.Draft{Title: "Slow", Message: "The disk is full."}
	if _, err := n.CreateIncident(t.Context(), draft); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(folder, server.StoreFile)); err != nil {
		t.Fatal(err)
	}
	o := open(t, p.URL, "/status")
	if got := o.header.Get("Cache-Control"); o.status != 200 || got != "private, no-store" {
		t.Errorf("with a removed store: %d %s, want 200 and private", o.status, got)
	}
	o.says(t, []string{
		"○ The store does not accept data", "Announced and not over: “Slow”", "The disk is full.",
		"As seen by this server",
	}, []string{"cannot be read", "All parts"})
}

// TestEventsLinkToStatusPage checks that the link of an event leads to a page.
func TestEventsLinkToStatusPage(t *testing.T) {
	t.Parallel()
	r := product.ServeOn(t, t.TempDir())
	product.At(t, r.Folder, "accounts", "add", "mate@example.org")
	product.At(t, r.Folder, "incidents", "create", "--title", "Slow", "--message", "NOAA is late.")
	list := product.At(t, r.Folder, "events", "list", "--account", "mate@example.org", "--json")
	link := regexp.MustCompile(`"statusUrl": ?"` + regexp.QuoteMeta(r.Base) + `(/[^"]*)"`).
		FindStringSubmatch(list)
	if link == nil {
		t.Fatalf("no link to the status in %s", list)
	}
	o := open(t, r.Base, link[1])
	o.wantTitles(t, "Status", "Status")
	o.says(t, []string{"Slow Investigating", "NOAA is late."}, nil)
}
