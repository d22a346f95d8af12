package web

import (
	"embed"
	"fmt"
	"html/template"
	"net/url"
	"strconv"
	"strings"
	"time"

	"leadline/internal/chart"
	"leadline/internal/coast"
	"leadline/internal/operation"
	"leadline/internal/page"
	"leadline/internal/web/script"
)

//go:embed pages/*.html
var pageFiles embed.FS

// view returns a page of the site that is made of the templates and scripts of these names.
// Every page can use the parts of parts.html.
func view[T any](o page.Options, templates string, scripts ...string) *page.SitePage[T] {
	o.Script = func() string { return script.Modules(scripts...) }
	names := []string{"pages/parts.html"}
	for name := range strings.FieldsSeq(templates) {
		names = append(names, "pages/"+name+".html")
	}
	return page.NewSite[T](pageFiles, o, names...)
}

// The options of pages that show charts, and maps too.
var (
	withCharts = page.Options{Style: chart.Style}
	withMap    = page.Options{Style: func() string { return chart.Style() + "\n" + locatorStyle }}
)

// styled returns the options of a page with a style sheet of its own.
func styled(sheet string) page.Options {
	return page.Options{Style: func() string { return sheet }}
}

var errorPage = view[errorView](page.Options{}, "error", "suggest")

// frame returns the frame of a page of a section: "Stations", "Near me", "Docs", "Status" or "".
func (s *Shared) frame(section, description string) page.Frame {
	return s.Site.Frame(section, description)
}

// prefs are the checked preferences of a page about a station.
type prefs struct {
	Units string // english or metric
	Clock string // 12 or 24
	Zone  string // local or gmt
	Datum string // empty: the station's usual one
	Date  string // 2006-01-02; empty: now
	Days  int    // of the chart, 1 to 7; 31 for the month to print

	Notices []string // about values that were replaced

	zone *time.Location // of all times on the page
	now  time.Time
}

// The values that a preference may have; the first is the default.
var (
	unitsOf = []string{"english", "metric"}
	clockOf = []string{"12", "24"}
	zoneOf  = []string{"local", "gmt"}
)

// month is the number of days of the table to print.
const month = 31

// isPredicted reports whether a month from a day can be predicted in any zone: operations take the
// years 1900 to 2100.
func isPredicted(day time.Time) bool { return day.Year() > 1900 && day.Year() < 2100 }

// datumName matches a datum's name.
var datumName = coast.Pattern(`^\w{2,12}$`)

// prefsOf reads the preferences of a query. A bad value is replaced by its default, and a
// notice says so. Unknown parameters are ignored: people paste addresses with the tracking
// parameters of others.
func prefsOf(q url.Values, now time.Time) prefs {
	p := prefs{Days: 2, now: now}
	if datum := q.Get("datum"); datumName().MatchString(datum) {
		p.Datum = strings.ToUpper(datum)
	} else if datum != "" {
		p.notice("datum", datum, "a datum of this station")
	}
	p.Units = p.oneOf(q, "units", unitsOf)
	p.Clock = p.oneOf(q, "clock", clockOf)
	p.Zone = p.oneOf(q, "zone", zoneOf)
	if date := q.Get("date"); date != "" && date != "today" {
		if day, err := time.Parse(time.DateOnly, date); err == nil && isPredicted(day) {
			p.Date = date
		} else {
			p.notice("date", date, "a day from 1901 to 2099 such as 2026-11-22, or today")
		}
	}
	if days := q.Get("days"); days != "" {
		n, err := strconv.Atoi(days)
		if err == nil && (n >= 1 && n <= 7 || n == month) {
			p.Days = n
		} else {
			p.notice("days", days, "1 to 7, or 31 for the month to print")
		}
	}
	return p
}

func (p *prefs) oneOf(q url.Values, name string, values []string) string {
	got := q.Get(name)
	for _, v := range values {
		if got == v {
			return v
		}
	}
	if got != "" {
		p.notice(name, got, strings.Join(values, " or "))
	}
	return values[0]
}

func (p *prefs) notice(name, got, rule string) {
	const longest = 40
	if len(got) > longest {
		got = got[:longest] + "…"
	}
	p.Notices = append(p.Notices,
		fmt.Sprintf("%s=%s was ignored: %s takes %s.", name, strings.ToValidUTF8(got, "�"), name, rule))
}

// in sets the zone of the page: the station's, unless the preference is gmt.
func (p *prefs) in(zone *time.Location) {
	p.zone = zone
	if p.Zone == "gmt" {
		p.zone = time.UTC
	}
}

// query returns the preferences as a query, without those that have their default, and with
// other parameters in pairs.
func (p prefs) query(more ...string) template.URL {
	q := url.Values{}
	set := func(name, value, usual string) {
		if value != usual {
			q.Set(name, value)
		}
	}
	set("units", p.Units, unitsOf[0])
	set("clock", p.Clock, clockOf[0])
	set("zone", p.Zone, zoneOf[0])
	for i := 0; i+1 < len(more); i += 2 {
		set(more[i], more[i+1], "")
	}
	if len(q) == 0 {
		return ""
	}
	return template.URL("?" + q.Encode())
}

// key identifies a page with these preferences in memory.
func (p prefs) key(path string) string {
	return path + string(p.query("datum", p.Datum, "date", p.Date, "days", strconv.Itoa(p.Days))) +
		strings.Join(p.Notices, "\n")
}

// timeZone returns the time_zone argument of operations.
func (p prefs) timeZone() operation.TimeZone {
	if p.Zone == "gmt" {
		return "gmt"
	}
	return "lst_ldt"
}

// DayChoices are the spans that a chart can show.
func (prefs) DayChoices() []int { return []int{1, 2, 3, 4, 5, 6, 7} }

// chartClock returns the format of times in charts.
func (p prefs) chartClock() chart.Clock {
	return chart.Clock{Zone: p.zone, Twelve: p.Clock == "12"}
}

// figure is a chart in both widths.
type figure struct{ Wide, Narrow template.HTML }

// draw returns a chart as SVG for wide and for narrow screens. The id makes ids unique in the
// page.
func draw(id string, wide, narrow *chart.Scene) *figure {
	b := make([]byte, 0, 10<<10) // most charts have less
	b = wide.AppendSVG(b, id, "broad")
	n := len(b)
	b = narrow.AppendSVG(b, id+"-narrow", "narrow")
	return &figure{Wide: template.HTML(b[:n]), Narrow: template.HTML(b[n:])}
}

// asked is the state of a part of a page that asks a provider.
type asked struct {
	State string // here, late, absent or down
	Why   string // a sentence, unless it is here
}

// The states of a part.
const (
	here   = "here"
	late   = "late"
	absent = "absent"
	down   = "down"
)

// Here reports whether the part has its facts.
func (a asked) Here() bool { return a.State == here }

// Care reports whether the reader must know that the facts are missing.
func (a asked) Care() bool { return a.State == late || a.State == down }
