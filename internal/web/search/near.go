package search

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"leadline/internal/directory"
	"leadline/internal/operation"
	"leadline/internal/page"
	"leadline/internal/web/site"
	"leadline/internal/web/view"
	"leadline/internal/words"
)

var nearView = view.New[nearPage](files, page.Options{Position: true}, "near", "suggest", "near")

// nearPage is the form for a position, or the stations nearest to one.
type nearPage struct {
	page.Frame
	Latitude, Longitude string // as given
	Bad                 string // what is wrong with the position
	Place               string // the position in words; empty without one
	Rows                []view.Row
	Notes               []string
}

// near serves the stations near a position. The position is rounded to a kilometer before it is
// used. It is in the address, so the page is not kept by caches, and it is not logged.
func (s *pages) near(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	v := nearPage{
		Frame: s.Frame("Near me", "Find the tide and current stations of NOAA nearest to a position."),
	}
	v.Canonical = s.Base + "/stations/near"
	v.Skip = "the stations"
	v.OwnSearch = true
	if !q.Has("lat") && !q.Has("lon") {
		s.Once(w, r, "/stations/near", func(context.Context, time.Time) site.Response {
			return site.Render(nearView, v, 5*time.Minute)
		})
		return
	}
	v.Latitude, v.Longitude = site.Clip(q.Get("lat")), site.Clip(q.Get("lon"))
	latitude, okLat := coordinate(v.Latitude, 90)
	longitude, okLon := coordinate(v.Longitude, 180)
	if okLat && okLon {
		v.Latitude = strconv.FormatFloat(latitude, 'f', -1, 64)
		v.Longitude = strconv.FormatFloat(longitude, 'f', -1, 64)
	}
	switch {
	case !okLat:
		v.Bad = "Latitude takes degrees north from −90 to 90, such as 42.35."
	case !okLon:
		v.Bad = "Longitude takes degrees east from −180 to 180, such as −71.05; west is negative."
	default:
		s.fillNear(r, &v, latitude, longitude)
	}
	site.Render(nearView, v, site.Private).Serve(w, r)
}

// coordinate reads degrees and rounds them to two decimals, about a kilometer.
func coordinate(text string, most float64) (float64, bool) {
	text = strings.ReplaceAll(strings.TrimSpace(text), "\u2212", "-")
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= -most && v <= most) {
		return 0, false
	}
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'f', 2, 64), 64)
	return v, true
}

func (s *pages) fillNear(r *http.Request, v *nearPage, latitude, longitude float64) {
	v.Place = view.Position(latitude, longitude)
	far := site.Farthest
	in := directory.NearestStationsInput{
		Latitude: latitude, Longitude: longitude, Limit: 10, Farthest: &far,
	}
	list, err := operation.Run(r.Context(), s.Set.Directory.NearestStations, in)
	if err != nil {
		v.Bad = view.Sentence(s.Reason(err))
		return
	}
	for _, st := range list.Stations {
		found := s.Row(r.Context(), st.StationRow, s.Minute())
		found.Distance = view.Distance(st.DistanceKm, "english") + " " + operation.Compass(st.Bearing)
		v.Rows = append(v.Rows, found)
	}
	if len(v.Rows) > 0 {
		return
	}
	in.Limit, in.Farthest = 1, nil
	everywhere := site.HalfEarth
	in.Farthest = &everywhere
	if list, err = operation.Run(r.Context(), s.Set.Directory.NearestStations, in); err == nil &&
		len(list.Stations) > 0 {
		n := list.Stations[0]
		v.Notes = append(v.Notes,
			"No station is within "+view.Distance(far, "english")+". The nearest is "+
				words.WithState(n.Name, n.State)+", "+view.Distance(n.DistanceKm, "english")+" away.")
	}
}
