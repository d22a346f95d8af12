// Package trip serves /planning/trip, which says how a day suits an activity. What comes in are a
// place, a day, an activity and times; what goes out is a page with one sentence, the hours, the
// reasons and the next seven days. It evaluates nothing: the operation Trip does.
//
//	trip.go    the form, and the page of an answer
//	answer.go  the answer: sentence, reasons, days
//	strip.go   runs of hours as pictures
package trip

import (
	"context"
	"embed"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"time"

	"leadline/internal/coast"
	"leadline/internal/decide"
	"leadline/internal/operation"
	"leadline/internal/page"
	"leadline/internal/place"
	"leadline/internal/planning"
	"leadline/internal/web/site"
	"leadline/internal/web/view"
)

//go:embed pages/trip.html
var files embed.FS

//go:embed trip.css
var sheet string

var tripView = view.New[tripPage](files, view.Styled(sheet), "trip", "suggest", "fresh")

// Path is the path of the page.
const Path = "/planning/trip"

// mostTrips limits the different questions of an address in a minute: each asks providers. All
// links of an answer can be followed. Ours.
const mostTrips = 20

// tripPage is the form with its answer.
type tripPage struct {
	page.Frame
	view.Prefs
	Place, Day, From, Until string
	Activity                decide.Activity
	Activities              []choice
	Bad                     string // why there is no answer
	Places                  []placeLink
	Answer                  *answer
}

// choice is an activity in people's words, with the address of the page about it.
type choice struct {
	Value decide.Activity
	Name  string
	Link  template.URL
}

// placeLink is a place that the name may mean, with the address of the page about it.
type placeLink struct {
	Name string
	Link template.URL
}

// choose adds the places among which an error asks to choose.
func (v *tripPage) choose(err error) {
	e, _ := coast.AsError(err)
	for _, name := range e.Choices() {
		q := v.query(v.Activity)
		q.Set("place", name)
		v.Places = append(v.Places, placeLink{name, template.URL(Path + "?" + q.Encode())})
	}
}

// activityNames has the activities in the words and the order of the page.
var activityNames = []struct {
	activity decide.Activity
	name     string
}{
	{decide.Boating, "Boating"}, {decide.Fishing, "Fishing"}, {decide.SurfPaddle, "Paddle or surf"},
	{decide.Beachcombing, "Beach walk"}, {decide.Photography, "Photos"},
	{decide.CoastalLiving, "Living by the water"},
}

// NameOf returns an activity in people's words, such as Beach walk.
func NameOf(a decide.Activity) string {
	for _, n := range activityNames {
		if n.activity == a {
			return n.name
		}
	}
	return string(a)
}

// Link returns the address of the page for a station and a day, which may be a word.
func Link(station, day string) template.URL {
	return template.URL(Path + "?" + url.Values{"place": {station}, "date": {day}}.Encode())
}

// Pages serves the page.
type Pages struct {
	*site.Shared
	asked *site.Allowance
}

// New returns the handler of the page.
func New(shared *site.Shared) *Pages {
	return &Pages{shared, site.NewAllowance(mostTrips, shared.Now)}
}

// ServeHTTP serves the form, and the answer if it names a place.
func (s *Pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	v := s.form(r.URL.Query())
	key := Path + "?" + v.query(v.Activity).Encode() + string(v.Query())
	if v.Place == "" {
		s.Once(w, r, key, func(context.Context, time.Time) site.Response {
			return site.Render(tripView, v, 5*time.Minute)
		})
		return
	}
	over := func() site.Response {
		return s.TooMany("Many days were asked about in a minute", "This address has asked whether "+
			"many days suit, and each question asks the weather service. Try again in a minute.")
	}
	s.Limited(w, r, key, s.asked, over, func(ctx context.Context, now time.Time) site.Response {
		v.Now = now
		// The facts have three seconds, not the patience of a station's page: without them there is no
		// answer, and those of a new place wait for their turns at the provider.
		week, err := operation.Run(ctx, s.Set.Decisions.Week, v.input(s))
		if err != nil {
			v.Bad = view.Sentence(s.Reason(err))
			v.choose(err)
			return site.Render(tripView, v, site.Private)
		}
		v.SetZone(view.ZoneOfStation(week.Asked.Station))
		v.Answer = s.answer(&v, week)
		return site.Render(tripView, v, site.KeptIf(v.Answer.complete, time.Minute))
	})
}

// form reads the fields. Empty ones count as not given.
func (s *Pages) form(q url.Values) tripPage {
	text := func(name string) string { return strings.TrimSpace(site.Clip(q.Get(name))) }
	v := tripPage{
		Frame: s.Frame("Trip", "Whether a day suits boating, fishing, paddling, a beach walk or photos: "+
			"hour by hour, with the reasons."),
		Prefs: view.ReadPrefs(url.Values{"units": q["units"], "clock": q["clock"]}, s.Minute()),
		Place: text("place"), Day: text("date"), From: text("from"), Until: text("until"),
		Activity: readActivity(text("activity")),
	}
	v.Canonical = s.Base + Path
	v.Skip = "the answer"
	if v.Day == "" {
		v.Day = "tomorrow"
	}
	for _, n := range activityNames {
		v.Activities = append(v.Activities, choice{n.activity, n.name, v.link(n.activity)})
	}
	return v
}

// readActivity reads an activity by its name or a word for it. Without one it is boating; a word
// that names none is returned as it is, and refused.
func readActivity(text string) decide.Activity {
	if text == "" {
		return decide.Boating
	}
	if a, ok := decide.ActivityOf(text); ok {
		return a
	}
	return decide.Activity(text)
}

// query returns the fields of the form for an activity.
func (v *tripPage) query(a decide.Activity) url.Values {
	q := url.Values{}
	for name, value := range map[string]string{
		"place": v.Place, "date": v.Day, "activity": string(a), "from": v.From, "until": v.Until,
	} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return q
}

// link returns the address of the page for an activity.
func (v *tripPage) link(a decide.Activity) template.URL {
	return template.URL(Path + "?" + v.query(a).Encode())
}

// input returns the input of the operation.
func (v *tripPage) input(s *Pages) planning.TripInput {
	in := planning.TripInput{
		Activity: v.Activity, Date: v.Day, From: planning.ClockOf(v.From),
		Until: planning.ClockOf(v.Until),
	}
	if id, ok := s.StationID(v.Place); ok {
		in.StationOrPlace = place.StationOrPlace{Station: id}
	} else {
		in.StationOrPlace = place.StationOrPlace{InPlace: place.InPlace{Place: v.Place}}
	}
	return in
}
