package station

import (
	"context"
	"html/template"
	"net/http"
	"strconv"
	"strings"
	"time"

	"leadline/internal/almanac"
	"leadline/internal/chart"
	"leadline/internal/coast"
	"leadline/internal/operation"
	"leadline/internal/page"
	"leadline/internal/tides"
	"leadline/internal/web/predicted"
	"leadline/internal/web/site"
	"leadline/internal/web/view"
	"leadline/internal/words"
)

var yearView = view.New[yearPage](files, view.Styled(yearStyle), "year")

// yearStyle prints a month on each sheet, of A4 or of letter paper.
const yearStyle = `
.months { display: flex; flex-wrap: wrap; gap: .25rem 1rem; padding: 0; list-style: none; }
.months a { display: inline-block; padding: .5rem 0; }
.sheet .turns > span { min-width: 7.5rem; }
@page { margin: 12mm 10mm; }
@media print {
.wide header, .wide footer, .months, main > h1, main > p { display: none; }
.sheet { padding: 0; border: 0; break-after: page; }
.sheet:last-of-type { break-after: auto; }
.sheet h2 { font-size: 1rem; margin-bottom: .25rem; }
.sheet table, .sheet thead th { font-size: .6875rem; }
.wide .sheet th, .wide .sheet td { padding-block: .1875rem; }
.sheet .turns > span { min-width: 6rem; margin-right: .125rem; }
.sheet .turns { width: 59%; }
.sheet .turns + td { white-space: normal; }
.sheet p { font-size: .6875rem; margin: .25rem 0 0; color: #000; }
}`

// yearPage is a year of high and low waters, a month on each sheet.
type yearPage struct {
	page.Frame
	view.Prefs
	ID, Title, Position string
	Year                int
	Unit, Datum, Epoch  string
	Kind                string // how the predictions are made
	Months              []monthSheet
	Notes               []string
	Back, Before, After template.URL
}

// monthSheet is a month of a year to print.
type monthSheet struct {
	Name, Zone, Fragment string
	Days                 []yearDay
	Changes              []string // days with a change of the clock
}

// yearDay is a row of a sheet.
type yearDay struct {
	tideDay
	Moon string // a principal phase
}

// isYear reports whether a text is a year that can be predicted, with a day of another year on
// both sides.
func isYear(text string) (int, bool) {
	year, err := strconv.Atoi(text)
	return year, err == nil && len(text) == 4 && year > 1900 && year < 2100
}

// year serves a year of high and low waters of a station to print.
func (s *Pages) year(w http.ResponseWriter, r *http.Request, id, text string) {
	year, ok := isYear(text)
	known, isKnown := s.StationID(id)
	switch {
	case !isKnown:
		s.noStation(r.Context(), id, nil).Serve(w, r)
		return
	case !ok:
		s.Refuse(coast.NotFound, site.Fault{
			Title: "There is no such year to print",
			Paragraphs: []string{"Years from 1901 to 2099 can be predicted. The address of a year is " +
				"/stations/" + known + "/year/2027."},
		}).Serve(w, r)
		return
	case known != id:
		site.Redirect(w, r, "/stations/"+known+"/year/"+text)
		return
	}
	p := view.ReadPrefs(r.URL.Query(), s.Minute())
	p.Date, p.Days, p.Notices = text+"-01-01", view.Month, nil
	key := p.Key("/stations/" + id + "/year")
	over := func() site.Response {
		return s.TooMany("Too many years in a minute",
			"This address has opened many years to print. Try again in a minute.")
	}
	s.Limited(w, r, key, s.pictures, over, func(ctx context.Context, now time.Time) site.Response {
		p.Now = now
		return s.makeYear(ctx, id, year, p)
	})
}

// makeYear lays out a year of a station.
func (s *Pages) makeYear(ctx context.Context, id string, year int, p view.Prefs) site.Response {
	b, err := predicted.Find(ctx, s.Set, id, &p)
	if err != nil {
		return s.noStation(ctx, id, err)
	}
	if b.Info.PredictionKind == "none" || b.Info.Kind == "current" {
		return s.Refuse(coast.ProductUnavailable, site.Fault{
			Title: "No tide is predicted at this station",
			Paragraphs: []string{"A year to print has the high and low waters of a tide station. The page " +
				"of the station has what is predicted there."},
		})
	}
	from := time.Date(year, 1, 1, 0, 0, 0, 0, p.Location)
	to := time.Date(year+1, 1, 1, 0, 0, 0, 0, p.Location)
	tide, err := operation.Run(ctx, s.Set.Tides.TidePredictions, b.TideInput("hilo", from,
		to.Add(-time.Minute)))
	if err != nil {
		return s.noStation(ctx, id, err)
	}
	st := b.Info.Station
	v := yearPage{
		Frame: s.Frame("Stations", "High and low waters of "+strconv.Itoa(year)+" at "+
			words.WithState(st.Name, st.State)+", a month on each sheet."),
		ID: id, Title: words.WithState(st.Name, st.State),
		Position: view.Position(st.Latitude, st.Longitude),
		Year:     year, Unit: string(tide.HeightUnit), Datum: string(tide.Datum), Epoch: tide.DatumEpoch,
		Kind: kindOf(b.Info), Notes: tide.Notes,
		Back: template.URL("/stations/"+id) + p.Query("datum", p.Datum),
	}
	v.Canonical = s.Base + "/stations/" + id + "/year/" + strconv.Itoa(year)
	link := func(year int) template.URL {
		if _, ok := isYear(strconv.Itoa(year)); !ok {
			return ""
		}
		return template.URL("/stations/"+id+"/year/"+strconv.Itoa(year)) + p.Query("datum", p.Datum)
	}
	v.Before, v.After = link(year-1), link(year+1)
	l := yearLayout{
		p: p, unit: v.Unit, events: tide.Extremes, moons: almanac.MoonPhases(from, to),
		sun: almanac.SunUp(st.Latitude, st.Longitude, from, to),
	}
	for m := time.January; m <= time.December; m++ {
		v.Months = append(v.Months, l.sheet(time.Date(year, m, 1, 0, 0, 0, 0, p.Location)))
	}
	v.Prefs = p
	return site.Render(yearView, v, time.Hour)
}

// yearLayout lays out the days of a year in order. It consumes its lists.
type yearLayout struct {
	p      view.Prefs
	unit   string
	events []tides.TideEvent
	moons  []almanac.MoonEvent
	sun    []chart.Span
}

// sheet lays out a month.
func (l *yearLayout) sheet(first time.Time) monthSheet {
	next := first.AddDate(0, 1, 0)
	m := monthSheet{
		Name: first.Format("January 2006"), Fragment: strings.ToLower(first.Format("Jan")),
		Zone: view.ZonesText(l.p.Location, first, next.Add(-time.Minute)),
	}
	for day := first; day.Before(next); {
		end := view.NextDay(day)
		row := l.day(day, end)
		if change := view.ClockChange(day, end); change != "" {
			m.Changes = append(m.Changes, row.Name+": "+change)
		}
		m.Days = append(m.Days, row)
		day = end
	}
	return m
}

// day lays out a day.
func (l *yearLayout) day(day, end time.Time) yearDay {
	row := yearDay{tideDay: tideDay{Name: day.Format("Mon 2"), Sun: l.sunOf(day, end)}}
	for ; len(l.events) > 0 && l.events[0].Time.Before(end); l.events = l.events[1:] {
		e := l.events[0]
		row.Events = append(row.Events, tideCell{
			High: e.Type == "high", At: template.HTML(l.p.Time(e.Time)),
			Height: chart.Number(e.Height, chart.Decimals(l.unit)),
		})
	}
	for ; len(l.moons) > 0 && l.moons[0].Time.Before(end); l.moons = l.moons[1:] {
		name, _, _ := strings.Cut(string(l.moons[0].Event), "_") // new, first, full, last
		row.Moon = name + " " + l.p.Time(l.moons[0].Time)
	}
	return row
}

// sunOf writes when the sun rises and sets on a day, in order of time.
func (l *yearLayout) sunOf(day, end time.Time) string {
	for len(l.sun) > 0 && !l.sun[0].To.After(day) {
		l.sun = l.sun[1:]
	}
	text, up := "", false
	for _, span := range l.sun {
		if !span.From.Before(end) {
			break
		}
		up = true
		if span.From.After(day) {
			text += " ↑" + view.Nbsp + l.p.Time(span.From)
		}
		if span.To.Before(end) {
			text += " ↓" + view.Nbsp + l.p.Time(span.To)
		}
	}
	switch {
	case text != "":
		return text[1:]
	case up:
		return "up all day"
	}
	return "no sun"
}
