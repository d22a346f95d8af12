// Package search serves the pages that find stations: by name or state (/stations), near a position
// (/stations/near), and while somebody types (/stations/suggest). What comes in are texts and
// positions, which are not logged; what goes out are lists with links to the pages of stations.
package search

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"html/template"
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
	"leadline/internal/places"
	"leadline/internal/web/site"
	"leadline/internal/web/view"
)

//go:embed pages/*.html
var files embed.FS

var findView = view.New[findPage](files, page.Options{}, "find", "suggest")

// findPage is a search, a state, or the list of states.
type findPage struct {
	page.Frame
	Query, State, StateName, Type string
	Rows                          []view.Row
	Total                         int
	From, To                      int
	Previous, Next                template.URL
	Notes                         []string
	Groups                        []stateGroup // if nothing is asked
	Asked                         bool
}

// pages serves the search for stations, and those near a position.
type pages struct{ *site.Shared }

// Paths returns the handlers of the pages by their path.
func Paths(shared *site.Shared) map[string]http.HandlerFunc {
	s := &pages{shared}
	return map[string]http.HandlerFunc{
		"/stations": s.find, "/stations/near": s.near, "/stations/suggest": s.suggest,
	}
}

// perPage is the number of stations of a page.
const perPage = 50

// find serves the search: /stations?q=, by state, or the list of states.
func (s *pages) find(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	v := findPage{
		Query: site.Clip(strings.TrimSpace(q.Get("q"))), State: strings.ToUpper(q.Get("state")),
		Type: q.Get("type"),
	}
	offset, _ := strconv.Atoi(q.Get("offset"))
	offset = min(max(offset, 0), 10_000)
	if v.Type != "tidepredictions" && v.Type != "currentpredictions" {
		v.Type = ""
	}
	if view.StateName(v.State) == v.State { // unknown
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
	s.Once(w, r, key, func(ctx context.Context, now time.Time) site.Response {
		complete := s.fill(ctx, &v, offset, now)
		return site.Render(findView, v, site.KeptIf(complete, v.age()))
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
func (s *pages) fill(ctx context.Context, v *findPage, offset int, now time.Time) bool {
	v.Frame = s.Frame("Stations",
		"Find the tide or the current at a station of NOAA by town, harbor, ZIP code or state.")
	v.Asked = v.Query != "" || v.State != "" || v.Type != ""
	v.Canonical = s.Base + "/stations"
	v.Skip = "the stations"
	v.OwnSearch = true
	v.StateName = view.StateName(v.State)
	if !v.Asked {
		v.Groups = s.states()
		return true
	}
	in := directory.SearchStationsInput{
		Query: v.Query, State: v.State, OfType: directory.OfType{Type: directory.StationType(v.Type)},
		Limit:  perPage,
		Offset: offset,
	}
	list, err := operation.Run(ctx, s.Set.Directory.SearchStations, in)
	if err != nil {
		e, _ := coast.AsError(err)
		v.Notes = append(v.Notes, "The search failed. "+view.Sentence(e.Message))
		return !e.Transient()
	}
	v.Rows, v.Total, v.Notes = s.Rows(ctx, list, now), list.Total, list.Notes
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
	return s.IsComplete(list.Provenance)
}

// regions are the groups of states in the list of states. Postal codes of states and
// territories, as the directory has them.
var regions = []struct{ name, states, note string }{
	{"Atlantic", "ME NH MA RI CT NY NJ PA DE MD DC VA NC SC GA", ""},
	{"Florida and the Gulf", "FL AL MS LA TX", ""},
	{"Pacific", "CA OR WA", ""},
	{"Alaska", "AK", ""},
	{"Hawaii and islands", "HI GU AS MP PR VI", ""},
	{"Great Lakes", "", "NOAA predicts no tide on the Great Lakes: wind and rain move the water " +
		"there. The page of a gauge has its observed levels, such as 9063020 (Buffalo)."},
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
func (s *pages) states() []stateGroup {
	counts := map[string]int{}
	for _, st := range s.Stations() {
		counts[st.State]++
	}
	groups := make([]stateGroup, 0, len(regions)+1)
	for _, c := range regions {
		g := stateGroup{Name: c.name, Note: c.note}
		for code := range strings.FieldsSeq(c.states) {
			if n := counts[code]; n > 0 {
				g.States = append(g.States, stateCount{code, view.StateName(code), chart.Thousands(n)})
			}
		}
		slices.SortFunc(g.States, func(a, b stateCount) int { return cmp.Compare(a.Name, b.Name) })
		groups = append(groups, g)
	}
	return groups
}

// found redirects a search for an id to the page of the station. It reports whether it did.
func (s *pages) found(w http.ResponseWriter, r *http.Request, query string) bool {
	id, ok := s.StationID(query)
	if !ok && !gaugeID().MatchString(query) {
		return false
	}
	if !ok {
		id = query // perhaps a gauge that only NOAA's own list has
	}
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, "/stations/"+id, http.StatusSeeOther)
	return true
}

// gaugeID matches the id of a tide station or a gauge.
var gaugeID = coast.Pattern(`^\d{7}$`)
