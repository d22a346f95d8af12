package web

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
	"leadline/internal/words"
)

var yearView = view[yearPage](styled(yearStyle), "year")

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
	prefs
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
func (s *stationPages) year(w http.ResponseWriter, r *http.Request, id, text string) {
	year, ok := isYear(text)
	known, isKnown := s.StationID(id)
	switch {
	case !isKnown:
		s.noStation(r.Context(), id, nil).serve(w, r)
		return
	case !ok:
		s.refuse(coast.NotFound, errorView{
			Title: "There is no such year to print",
			Paragraphs: []string{"Years from 1901 to 2099 can be predicted. The address of a year is " +
				"/stations/" + known + "/year/2027."},
		}).serve(w, r)
		return
	case known != id:
		redirect(w, r, "/stations/"+known+"/year/"+text)
		return
	}
	p := prefsOf(r.URL.Query(), s.minute())
	p.Date, p.Days, p.Notices = text+"-01-01", month, nil
	key := p.key("/stations/" + id + "/year")
	over := func() response {
		return s.tooMany("Too many years in a minute",
			"This address has opened many years to print. Try again in a minute.")
	}
	s.limited(w, r, key, s.pictures, over, func(ctx context.Context, now time.Time) response {
		p.now = now
		return s.makeYear(ctx, id, year, p)
	})
}

// makeYear lays out a year of a station.
func (s *stationPages) makeYear(ctx context.Context, id string, year int, p prefs) response {
	b, err := predictionsOf(ctx, s.Set, id, &p)
	if err != nil {
		return s.noStation(ctx, id, err)
	}
	if b.info.PredictionKind == "none" || b.info.Kind == "current" {
		return s.refuse(coast.ProductUnavailable, errorView{
			Title: "No tide is predicted at this station",
			Paragraphs: []string{"A year to print has the high and low waters of a tide station. The page " +
				"of the station has what is predicted there."},
		})
	}
	from := time.Date(year, 1, 1, 0, 0, 0, 0, p.zone)
	to := time.Date(year+1, 1, 1, 0, 0, 0, 0, p.zone)
	tide, err := operation.Run(ctx, s.Set.Tides.TidePredictions, b.tideInput("hilo", from,
		to.Add(-time.Minute)))
	if err != nil {
		return s.noStation(ctx, id, err)
	}
	st := b.info.Station
	v := yearPage{
		Frame: s.frame("Stations", "High and low waters of "+strconv.Itoa(year)+" at "+
			words.WithState(st.Name, st.State)+", a month on each sheet."),
		ID: id, Title: words.WithState(st.Name, st.State), Position: position(st.Latitude, st.Longitude),
		Year: year, Unit: string(tide.HeightUnit), Datum: string(tide.Datum), Epoch: tide.DatumEpoch,
		Kind: kindOf(b.info), Notes: tide.Notes,
		Back: template.URL("/stations/"+id) + p.query("datum", p.Datum),
	}
	v.Canonical = s.Base + "/stations/" + id + "/year/" + strconv.Itoa(year)
	link := func(year int) template.URL {
		if _, ok := isYear(strconv.Itoa(year)); !ok {
			return ""
		}
		return template.URL("/stations/"+id+"/year/"+strconv.Itoa(year)) + p.query("datum", p.Datum)
	}
	v.Before, v.After = link(year-1), link(year+1)
	l := yearLayout{
		p: p, unit: v.Unit, events: tide.Extremes, moons: almanac.MoonPhases(from, to),
		sun: almanac.SunUp(st.Latitude, st.Longitude, from, to),
	}
	for m := time.January; m <= time.December; m++ {
		v.Months = append(v.Months, l.sheet(time.Date(year, m, 1, 0, 0, 0, 0, p.zone)))
	}
	v.prefs = p
	return render(yearView, v, time.Hour)
}

// yearLayout lays out the days of a year in order. It consumes its lists.
type yearLayout struct {
	p      prefs
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
		Zone: zonesText(l.p.zone, first, next.Add(-time.Minute)),
	}
	for day := first; day.Before(next); {
		end := nextDay(day)
		row := l.day(day, end)
		if change := clockChange(day, end); change != "" {
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
			High: e.Type == "high", At: template.HTML(l.p.clock(e.Time)),
			Height: chart.Number(e.Height, chart.Decimals(l.unit)),
		})
	}
	for ; len(l.moons) > 0 && l.moons[0].Time.Before(end); l.moons = l.moons[1:] {
		name, _, _ := strings.Cut(string(l.moons[0].Event), "_") // new, first, full, last
		row.Moon = name + " " + l.p.clock(l.moons[0].Time)
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
			text += " ↑" + nbsp + l.p.clock(span.From)
		}
		if span.To.Before(end) {
			text += " ↓" + nbsp + l.p.clock(span.To)
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
