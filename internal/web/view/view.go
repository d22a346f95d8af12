// Package view has what the pages for people are written with: the preferences of a reader, times,
// numbers and distances in words, the spans of charts and tables, charts as figures, the table of
// sources, and the templates that all pages may use. What comes in are queries and facts; what goes
// out are texts and parts of pages. It runs no operations and serves no requests.
package view

import (
	"embed"
	"fmt"
	"html/template"
	"io/fs"
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

// New returns a page of the site that is made of the templates in files and the scripts of
// these names. Every page can use the parts of parts.html.
func New[T any](
	files fs.FS, o page.Options, templates string, scripts ...string,
) *page.SitePage[T] {
	o.Script = func() string { return script.Modules(scripts...) }
	names := []string{partsName}
	for name := range strings.FieldsSeq(templates) {
		names = append(names, "pages/"+name+".html")
	}
	return page.NewSite[T](withParts{files}, o, names...)
}

//go:embed pages/parts.html
var parts embed.FS

const partsName = "pages/parts.html"

// withParts has the templates of a package, and the parts of all pages.
type withParts struct{ fs.FS }

// Open opens a template.
func (f withParts) Open(name string) (fs.File, error) {
	if name == partsName {
		return parts.Open(name)
	}
	return f.FS.Open(name)
}

// WithCharts are the options of pages that show charts.
var WithCharts = page.Options{Style: chart.Style}

// Styled returns the options of a page with a style sheet of its own.
func Styled(sheet string) page.Options {
	return page.Options{Style: func() string { return sheet }}
}

// Prefs are the checked preferences of a page about a station.
type Prefs struct {
	Units string // english, nautical or metric
	Clock string // 12 or 24
	Zone  string // local or gmt
	Datum string // empty: the station's usual one
	Date  string // 2006-01-02; empty: now
	Days  int    // of the chart, 1 to 7; 31 for the month to print

	Notices []string // about values that were replaced

	Location *time.Location // of all times on the page
	Now      time.Time
}

// The values that a preference may have; the first is the default.
var (
	Units   = coast.Units("").Values()
	clockOf = []string{"12", "24"}
	zoneOf  = []string{"local", "gmt"}
)

// Month is the number of days of the table to print.
const Month = 31

// isPredicted reports whether a month from a day can be predicted in any zone: operations take the
// years 1900 to 2100.
func isPredicted(day time.Time) bool { return day.Year() > 1900 && day.Year() < 2100 }

// datumName matches a datum's name.
var datumName = coast.Pattern(`^\w{2,12}$`)

// ReadPrefs reads the preferences of a query. A bad value is replaced by its default, and a
// notice says so. Unknown parameters are ignored: people paste addresses with the tracking
// parameters of others.
func ReadPrefs(q url.Values, now time.Time) Prefs {
	p := Prefs{Days: 2, Now: now}
	if datum := q.Get("datum"); datumName().MatchString(datum) {
		p.Datum = strings.ToUpper(datum)
	} else if datum != "" {
		p.Notice("datum", datum, "a datum of this station")
	}
	p.Units = p.oneOf(q, "units", Units)
	p.Clock = p.oneOf(q, "clock", clockOf)
	p.Zone = p.oneOf(q, "zone", zoneOf)
	if date := q.Get("date"); date != "" && date != "today" {
		if day, err := time.Parse(time.DateOnly, date); err == nil && isPredicted(day) {
			p.Date = date
		} else {
			p.Notice("date", date, "a day from 1901 to 2099 such as 2026-11-22, or today")
		}
	}
	if days := q.Get("days"); days != "" {
		n, err := strconv.Atoi(days)
		if err == nil && (n >= 1 && n <= 7 || n == Month) {
			p.Days = n
		} else {
			p.Notice("days", days, "1 to 7, or 31 for the month to print")
		}
	}
	return p
}

func (p *Prefs) oneOf(q url.Values, name string, values []string) string {
	got := q.Get(name)
	for _, v := range values {
		if got == v {
			return v
		}
	}
	if got != "" {
		p.Notice(name, got, strings.Join(values, " or "))
	}
	return values[0]
}

// Notice adds a sentence about a value that was not used, with the rule.
func (p *Prefs) Notice(name, got, rule string) {
	const longest = 40
	if len(got) > longest {
		got = got[:longest] + "…"
	}
	p.Notices = append(p.Notices,
		fmt.Sprintf("%s=%s was ignored: %s takes %s.", name, strings.ToValidUTF8(got, "�"), name, rule))
}

// SetZone sets the zone of the page: the station's, unless the preference is gmt.
func (p *Prefs) SetZone(zone *time.Location) {
	p.Location = zone
	if p.Zone == "gmt" {
		p.Location = time.UTC
	}
}

// Query returns the preferences as a query, without those that have their default, and with
// other parameters in pairs.
func (p Prefs) Query(more ...string) template.URL {
	q := url.Values{}
	set := func(name, value, usual string) {
		if value != usual {
			q.Set(name, value)
		}
	}
	set("units", p.Units, Units[0])
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

// Key identifies a page with these preferences in memory.
func (p Prefs) Key(path string) string {
	return path + string(p.Query("datum", p.Datum, "date", p.Date, "days", strconv.Itoa(p.Days))) +
		strings.Join(p.Notices, "\n")
}

// TimeZone returns the time_zone argument of operations.
func (p Prefs) TimeZone() operation.TimeZone {
	if p.Zone == "gmt" {
		return "gmt"
	}
	return "lst_ldt"
}

// DayChoices are the spans that a chart can show.
func (Prefs) DayChoices() []int { return []int{1, 2, 3, 4, 5, 6, 7} }

// ChartClock returns the format of times in charts.
func (p Prefs) ChartClock() chart.Clock {
	return chart.Clock{Zone: p.Location, Twelve: p.Clock == "12"}
}

// Figure is a chart in both widths.
type Figure struct{ Wide, Narrow template.HTML }

// Draw returns a chart as SVG for wide and for narrow screens. The id makes ids unique in the
// page.
func Draw(id string, wide, narrow *chart.Scene) *Figure {
	b := make([]byte, 0, 10<<10) // most charts have less
	b = wide.AppendSVG(b, id, "broad")
	n := len(b)
	b = narrow.AppendSVG(b, id+"-narrow", "narrow")
	return &Figure{Wide: template.HTML(b[:n]), Narrow: template.HTML(b[n:])}
}

// Row is a station in a list.
type Row struct {
	ID, Title, Kind string
	Water           string // of a tide station, or ""
	Next            string // the next high or low water, or slack
	Distance        string // from the place that was searched or given
	Latitude        float64
	Longitude       float64
}
