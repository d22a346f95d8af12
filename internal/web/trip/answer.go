package trip

import (
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"strings"
	"time"

	"leadline/internal/almanac"
	"leadline/internal/coast"
	"leadline/internal/decide"
	"leadline/internal/operation"
	"leadline/internal/planning"
	"leadline/internal/web/view"
)

// answer holds the texts and pictures about a day.
type answer struct {
	Heading  string // Boating at Boston, MA, Sat 28 Nov, 9 AM to 5 PM
	Station  template.URL
	Title    string // of the station
	Distance string // of the station from the place
	Sentence string
	Look     look // of the worst hour
	Sure     string
	Promise  bool // nothing was found, which is not a promise
	Broad    strip
	Narrow   strip
	Why      []reason
	Else     []string
	Days     []day
	ZoneText string
	Sources  view.Sources
	Missing  []coast.Missing
	Notes    []string
	Calls    []view.Call
	complete bool // no fact is missing that a later request may have
}

// reason is a reason or a missing fact.
type reason struct {
	Look         look
	Text, Source string
}

// day is one of the next days.
type day struct {
	Name  string // Sat 28 Nov
	Link  template.URL
	Strip strip
	Text  string // its best run, or what is against it
	Best  bool
}

// answer lays out a week.
func (s *Pages) answer(v *tripPage, w planning.TripWeek) *answer {
	t := w.Asked
	clock := func(at time.Time) string {
		return strings.Replace(v.Time(at), ":00", "", 1)
	}
	a := &answer{
		Heading: fmt.Sprintf("%s at %s, %s, %s to %s", NameOf(t.Activity), v.where(t),
			v.Prefs.Day(t.From), clock(t.From), clock(t.To)),
		Station: template.URL("/stations/"+t.Station.ID) + v.Query(),
		Title:   operation.StationTitle(t.Station), Distance: strings.TrimPrefix(t.Away(), ", "),
		Sentence: t.Sentence, Look: lookOf(t.State, t.Confidence),
		Promise: t.State == decide.Normal && len(t.Hours) > 0,
		Else:    t.Highlights, ZoneText: view.ZonesText(v.Location, t.From, t.To, v.Now),
		Sure: t.Sure(), Missing: t.Missing, Notes: t.Notes, complete: true,
	}
	latitude, longitude := t.Station.Latitude, t.Station.Longitude
	if t.Place != nil && t.Place.Latitude != nil {
		latitude, longitude = *t.Place.Latitude, *t.Place.Longitude
	}
	light := almanac.Daylight(latitude, longitude, w.Around.From, w.Around.To).Twilights
	around := strip{w.Around.From, w.Around.To, 900, w.Around.Hours, t.Best, light, true, clock}
	a.Broad, a.Narrow = around, around
	a.Narrow.width = 360
	a.Narrow.from, a.Narrow.to = t.From.Add(-3*time.Hour), t.From.Add(15*time.Hour)
	for _, r := range t.Reasons {
		a.Why = append(a.Why, reason{severityLook(r), r.Text, sourceText(t.Sources, r.SourceID)})
	}
	for _, d := range w.Days {
		a.Days = append(a.Days, v.day(d, clock))
	}
	for _, source := range t.Sources {
		a.Sources.Add(source)
	}
	a.Sources.Sort()
	for _, m := range t.Missing {
		lacking := m.Transient() && !s.Offline
		a.complete = a.complete && !lacking
		v.Waiting = v.Waiting || lacking
	}
	a.Calls = []view.Call{{Name: "Trip", Curl: "curl '" + s.Base + "/api/planning/trip?" +
		tripQuery(v, t).Encode() + "'"}}
	return a
}

// where returns the name of the place, or that of the station.
func (v *tripPage) where(t planning.TripHours) string {
	if t.Place != nil {
		return t.Place.Name
	}
	return t.Station.Name
}

// severityLook returns the look of a reason: that of the state it would cause alone.
func severityLook(r decide.HoursReason) look {
	switch {
	case r.Missing():
		return unknown
	case r.Severity == decide.Action:
		return against
	case r.Severity == decide.Watch:
		return care
	}
	return ""
}

// sourceText returns the source of a reason with its age.
func sourceText(sources []coast.Source, id string) string {
	i := slices.IndexFunc(sources, func(s coast.Source) bool { return s.ID == id })
	if i < 0 {
		return ""
	}
	s := sources[i]
	text := s.Label
	if s.AgeMinutes != nil && s.Kind != coast.Calculation && s.Kind != coast.Prediction {
		text += ", " + view.Ago(*s.AgeMinutes)
	}
	return text
}

// day returns the row of a day: its best run, or the sentence that says what is against it or not
// known.
func (v *tripPage) day(t planning.TripHours, clock func(time.Time) string) day {
	q := v.query(t.Activity)
	q.Set("date", t.From.Format(time.DateOnly))
	start := time.Date(t.From.Year(), t.From.Month(), t.From.Day(), 5, 0, 0, 0, t.From.Location())
	d := day{
		Name: v.Prefs.Day(t.From), Link: template.URL(Path + "?" + q.Encode()),
		Strip: strip{start, start.Add(14 * time.Hour), 560, t.Hours, nil, nil, false, clock},
		Text:  t.Sentence,
	}
	if t.Best != nil {
		d.Text, d.Best = t.Best.Text, t.Best.State == decide.Normal
		if t.Best.State == decide.WatchState {
			d.Text += ", with care"
		}
	}
	return d
}

// tripQuery returns the parameters of the route with the same answer.
func tripQuery(v *tripPage, t planning.TripHours) url.Values {
	return url.Values{
		"station": {t.Station.ID}, "activity": {string(t.Activity)},
		"date": {t.From.Format(time.DateOnly)}, "from": {t.From.Format("15:04")},
		"until": {t.To.Format("2006-01-02T15:04")},
	}
}
