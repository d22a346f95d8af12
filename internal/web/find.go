package web

import (
	"cmp"
	"context"
	"fmt"
	"html/template"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"leadline/internal/chart"
	"leadline/internal/coast"
	"leadline/internal/directory"
	"leadline/internal/operation"
	"leadline/internal/page"
	"leadline/internal/place"
	"leadline/internal/places"
	"leadline/internal/tides"
	"leadline/internal/words"
)

var findView = view[findPage](page.Options{}, "find", "suggest")

// row is a station in a list.
type row struct {
	ID, Title, Kind string
	Water           string // of a tide station, or ""
	Next            string // the next high or low water, or slack
	Distance        string // from the place that was searched or given
	Latitude        float64
	Longitude       float64
}

// findPage is a search, a state, or the list of states.
type findPage struct {
	page.Frame
	Query, State, StateName, Type string
	Rows                          []row
	Total                         int
	From, To                      int
	Previous, Next                template.URL
	Notes                         []string
	Groups                        []stateGroup // if nothing is asked
	Asked                         bool
}

// perPage is the number of stations of a page.
const perPage = 50

// mostQuery is the length in characters from which a query is cut.
const mostQuery = 100

// find serves the search: /stations?q=, by state, or the list of states.
func (s *Server) find(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	v := findPage{
		Query: clip(strings.TrimSpace(q.Get("q"))), State: strings.ToUpper(q.Get("state")),
		Type: q.Get("type"),
	}
	offset, _ := strconv.Atoi(q.Get("offset"))
	offset = min(max(offset, 0), 10_000)
	if v.Type != "tidepredictions" && v.Type != "currentpredictions" {
		v.Type = ""
	}
	if stateName(v.State) == v.State { // unknown
		v.State = ""
	}
	key := "/stations?" + url.Values{
		"q": {v.Query}, "state": {v.State}, "type": {v.Type}, "offset": {strconv.Itoa(offset)},
	}.Encode()
	if latitude, longitude, ok := places.Position(v.Query); ok {
		http.Redirect(w, r, fmt.Sprintf("/stations/near?lat=%.5g&lon=%.6g", latitude, longitude),
			http.StatusSeeOther)
		return
	}
	if s.found(w, r, v.Query) {
		return
	}
	s.once(w, r, key, func(ctx context.Context, now time.Time) response {
		complete := s.fill(ctx, &v, offset, now)
		return render(findView, v, caching{complete, v.age()})
	})
}

// age returns how long the page may be kept: rows have the next high or low water.
func (v findPage) age() time.Duration {
	if len(v.Rows) > 0 {
		return time.Minute
	}
	return 5 * time.Minute
}

// fill searches, or lists the states if there is nothing to search. It reports whether the search
// worked.
func (s *Server) fill(ctx context.Context, v *findPage, offset int, now time.Time) bool {
	v.Frame = s.frame("Stations",
		"Find the tide or the current at a station of NOAA by town, harbor, ZIP code or state.")
	v.Asked = v.Query != "" || v.State != "" || v.Type != ""
	v.Canonical = s.c.Base + "/stations"
	v.Skip = "the stations"
	v.OwnSearch = true
	v.StateName = stateName(v.State)
	if !v.Asked {
		v.Groups = s.states()
		return true
	}
	in := directory.SearchStationsInput{
		Query: v.Query, State: v.State, OfType: directory.OfType{Type: directory.StationType(v.Type)},
		Limit:  perPage,
		Offset: offset,
	}
	list, err := operation.Run(ctx, s.c.Set.Directory.SearchStations, in)
	if err != nil {
		e, _ := coast.AsError(err)
		v.Notes = append(v.Notes, "The search failed. "+asSentence(e.Message))
		return !e.Transient()
	}
	v.Rows, v.Total, v.Notes = s.rowsOf(ctx, list, now), list.Total, list.Notes
	if len(list.Missing) > 0 {
		v.Notes = append(v.Notes, "Gauges that only NOAA lists, among them those of the Great Lakes, "+
			"are left out: NOAA’s lists have not been read.")
	}
	v.From, v.To = list.Offset+1, list.Offset+len(list.Stations)
	link := func(offset int) template.URL {
		q := url.Values{}
		for name, value := range map[string]string{"q": v.Query, "state": v.State, "type": v.Type} {
			if value != "" {
				q.Set(name, value)
			}
		}
		if offset > 0 {
			q.Set("offset", strconv.Itoa(offset))
		}
		return template.URL("/stations?" + q.Encode())
	}
	if offset > 0 {
		v.Previous = link(max(0, offset-perPage))
	}
	if list.NextOffset != nil {
		v.Next = link(*list.NextOffset)
	}
	return s.whole(list.Provenance)
}

// search returns the stations that a search finds.
func (s *Server) search(ctx context.Context, in directory.SearchStationsInput) ([]row, error) {
	in.Query = clip(in.Query)
	list, err := operation.Run(ctx, s.c.Set.Directory.SearchStations, in)
	if err != nil {
		return nil, err
	}
	return s.rowsOf(ctx, list, s.minute()), nil
}

// rowsOf returns the rows of a list.
func (s *Server) rowsOf(ctx context.Context, list directory.StationList, now time.Time) []row {
	rows := make([]row, len(list.Stations))
	for i, st := range list.Stations {
		rows[i] = s.rowOf(ctx, st.StationRow, now)
		if st.DistanceKm != nil {
			rows[i].Distance = distance(*st.DistanceKm, "english") + " away"
		}
	}
	return rows
}

// rowOf returns a station as a row, with its next event.
func (s *Server) rowOf(ctx context.Context, st directory.StationRow, now time.Time) row {
	return row{
		ID: st.ID, Title: words.WithState(st.Name, st.State), Kind: string(st.Predicts),
		Water: string(st.Water), Next: s.next(ctx, st, now),
		Latitude: st.Latitude, Longitude: st.Longitude,
	}
}

// next returns the next high or low water of a station in words, or "".
func (s *Server) next(ctx context.Context, st directory.StationRow, now time.Time) string {
	if st.Predicts != "tides" {
		return ""
	}
	p, err := operation.Run(ctx, s.c.Set.Tides.TidePredictions, tides.TidePredictionsInput{
		StationOrPlace: place.StationOrPlace{Station: st.ID}, Interval: "hilo",
		Span: during(now, now.Add(25*time.Hour)), InUnits: operation.InUnits{Units: "english"},
		InZone: operation.InZone{TimeZone: "lst_ldt"},
	})
	if err != nil || len(p.Extremes) == 0 {
		return ""
	}
	e := p.Extremes[0]
	day := ""
	if !sameDay(e.Time, now.In(e.Time.Location())) {
		day = e.Time.Format("Mon ")
	}
	at := day + e.Time.Format("3:04"+nbsp+"PM")
	return string(e.Type) + " " + at + ", " + chart.Quantity(e.Height, string(p.HeightUnit))
}

// whole reports whether a result has all that a later request would have.
func (s *Server) whole(p coast.Provenance) bool { return s.c.Offline || len(p.Missing) == 0 }

// clip cuts a query of a person to a length that a station's name can have.
func clip(text string) string {
	if runes := []rune(strings.ToValidUTF8(text, "")); len(runes) > mostQuery {
		return string(runes[:mostQuery])
	}
	return strings.ToValidUTF8(text, "")
}

// distance writes a distance in a straight line.
func distance(km float64, units string) string {
	value, unit := km, "km"
	if units == "english" {
		value, unit = km/1.609344, "mi"
	}
	if value < 10 {
		return chart.Number(value, 1) + nbsp + unit
	}
	return chart.Number(math.Round(value), 0) + nbsp + unit
}

// stateGroup is a coast with its states.
type stateGroup struct {
	Name   string
	States []stateCount
	Note   string
}

type stateCount struct {
	Code, Name string
	Count      string
}

// states counts the stations of each state, grouped by coast.
func (s *Server) states() []stateGroup {
	counts := map[string]int{}
	for _, st := range s.all() {
		counts[st.State]++
	}
	groups := make([]stateGroup, 0, len(regions)+1)
	for _, c := range regions {
		g := stateGroup{Name: c.name, Note: c.note}
		for code := range strings.FieldsSeq(c.states) {
			if n := counts[code]; n > 0 {
				g.States = append(g.States, stateCount{code, stateName(code), chart.Thousands(n)})
			}
		}
		slices.SortFunc(g.States, func(a, b stateCount) int { return cmp.Compare(a.Name, b.Name) })
		groups = append(groups, g)
	}
	return groups
}

// directory returns all stations of the directory, in order of id. The limit of rows is for front
// ends that print them.
func (s *Server) directory() []directory.FoundStation {
	list, err := operation.Run(context.Background(), s.c.Set.Directory.SearchStations,
		directory.SearchStationsInput{Limit: math.MaxInt32})
	if err != nil {
		s.c.Log.Error("directory of stations", "error", err)
	}
	return list.Stations
}
