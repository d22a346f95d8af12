package directory

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"leadline/internal/coast"
	"leadline/internal/locate"
	"leadline/internal/operation"
	"leadline/internal/place"
	"leadline/internal/places"
	"leadline/internal/render"
	"leadline/internal/stations"
	"leadline/internal/words"
)

// SearchStationsInput requests stations by name.
type SearchStationsInput struct {
	Query string `json:"query,omitempty" doc:"Name, id, town, bay or ZIP code; a state may follow." example:"Boston"`
	State string `json:"state,omitempty" doc:"Two letters, as MA." pattern:"^[A-Za-z]{2}$" form:"two letters" example:"MA"`
	OfType
	Limit  int `json:"limit" default:"25" min:"1" max:"100" doc:"Rows of a page."`
	Offset int `json:"offset" default:"0" min:"0" max:"10000" doc:"Rows to skip: nextOffset of the last page."`
}

// StationList is a page of stations, best match first.
type StationList struct {
	coast.Provenance `never:"quoted"`
	Total            int            `json:"total" doc:"Stations found in all."`
	Offset           int            `json:"offset" doc:"Stations left out before these."`
	NextOffset       *int           `json:"nextOffset" doc:"The offset of the next page; null on the last."`
	Stations         []FoundStation `json:"stations" doc:"The stations of this page."`
	operation.Page
	input SearchStationsInput
}

// SearchStations finds stations by name, id, state and type, or near a place that the query
// names. Without a query it lists stations in order of id.
func (s Operations) SearchStations(
	ctx context.Context, in SearchStationsInput,
) (StationList, error) {
	fs := s.facts.Set()
	keep, err := typeFilter(ctx, fs, in.OfType)
	if err != nil {
		return StationList{}, err
	}
	out := StationList{
		Provenance: listProvenance(fs), Offset: in.Offset, Stations: []FoundStation{}, input: in,
	}
	if in.State != "" && !slices.ContainsFunc(fs.Stations.All(""), func(st stations.Station) bool {
		return strings.EqualFold(st.State, in.State)
	}) {
		out.Notes = append(out.Notes, fmt.Sprintf("No station of the directory is in the state %q: "+
			"state takes the two letters of a coastal state or territory, such as MA.", in.State))
	}
	found := search{fs: fs, query: in.Query, state: in.State, keep: keep, of: &out.Provenance}.rows()
	from := min(in.Offset, len(found))
	to := min(from+in.Limit, len(found))
	for _, f := range found[from:to] {
		out.Stations = append(out.Stations, f.row())
	}
	if out.Total = len(found); to < out.Total {
		out.NextOffset = &to
	}
	return out, nil
}

// Len returns the number of rows.
func (l StationList) Len() int { return len(l.Stations) }

// First returns the result with its first n rows, and the arguments of the next page.
func (l StationList) First(n int) any {
	next := l.Offset + n
	l.Stations, l.NextOffset = l.Stations[:n], &next
	l.input.Offset = next
	l.Page = operation.Page{Truncated: true,
		Next: operation.Arguments(l.input)} // StationList has its own total
	return l
}

// NearestStationsInput requests the stations near a point.
type NearestStationsInput struct {
	Latitude  float64 `json:"latitude" min:"-90" max:"90" doc:"Degrees north." example:"42.35"`
	Longitude float64 `json:"longitude" min:"-180" max:"180" doc:"Degrees east; west is negative." example:"-71.05"`
	OfType
	Limit    int      `json:"limit" default:"10" min:"1" max:"50" doc:"Rows to return."`
	Farthest *float64 `json:"max_distance_km,omitempty" min:"0" max:"20040" doc:"Farthest distance in km." example:"50"`
}

// NearestStations are the stations near a point, nearest first.
type NearestStations struct {
	coast.Provenance `never:"quoted"`
	BearingUnit      coast.DirectionUnit `json:"bearingUnit" doc:"Unit of bearings: degrees true."`
	Latitude         float64             `json:"latitude" doc:"Latitude of the point, degrees north."`
	Longitude        float64             `json:"longitude" doc:"Longitude of the point, degrees east; west is negative."`
	Stations         []NearStation       `json:"stations" doc:"The stations, nearest first."`
}

// NearestStations finds the stations near a point.
func (s Operations) NearestStations(
	ctx context.Context, in NearestStationsInput,
) (NearestStations, error) {
	fs := s.facts.Set()
	keep, err := typeFilter(ctx, fs, in.OfType)
	if err != nil {
		return NearestStations{}, err
	}
	out := NearestStations{
		Provenance: listProvenance(fs), BearingUnit: coast.DegreesTrue,
		Latitude: in.Latitude, Longitude: in.Longitude, Stations: []NearStation{},
	}
	near := fs.Stations.Nearest(in.Latitude, in.Longitude, in.Limit, keep)
	if in.Farthest == nil && !place.OfPoints.Covers(near) {
		wrong := locate.WrongPair(fs.Stations, in.Latitude, in.Longitude)
		out.Notes = append(out.Notes, operation.Join(" ", place.Outside("This point", near), wrong))
		return out, nil
	}
	for _, n := range near {
		if in.Farthest == nil || n.Kilometers <= *in.Farthest {
			out.Stations = append(out.Stations, nearStation(n))
		}
	}
	out.Notes = append(out.Notes, coast.DistanceNote)
	if len(out.Stations) == 0 {
		out.Notes = append(out.Notes, "No such station within max_distance_km.")
	}
	return out, nil
}

// CompleteStation returns the ids of up to 20 stations that match a client's unfinished text.
func (s Operations) CompleteStation(_ context.Context, prefix string) []string {
	const most = 20
	ids := []string{}
	for _, st := range s.facts.Stations.Search(strings.TrimSpace(prefix), nil) {
		if len(ids) == most {
			break
		}
		ids = append(ids, st.ID)
	}
	return ids
}

// CompletePlace returns up to 20 names of places that begin with a client's unfinished text and
// that place accepts, the most likely first.
func (s Operations) CompletePlace(ctx context.Context, prefix string) []string {
	const most = 20
	names, fs := []string{}, s.facts.Set()
	for _, p := range places.Open().Beginning(words.Split(prefix), 2*most) {
		name := places.Match{Place: p}.String()
		in := place.StationOrPlace{InPlace: place.InPlace{Place: name}}
		_, err := ResolvePlace(ctx, fs, &in, "tidepredictions", "predicts tides", place.OfWater)
		if err == nil && len(names) < most && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Describe writes the best station, then a row for each station.
func (l StationList) Describe(t *render.Answer) {
	if len(l.Stations) == 0 {
		t.Line("No station found.")
		return
	}
	best := l.Stations[0]
	t.Line("%s, first of %s, predicts %s.", best.name(), operation.Plural(l.Total, "station"),
		best.Predicts)
	t.Gap()
	for _, s := range l.Stations {
		distance := ""
		if s.DistanceKm != nil {
			distance = render.Short(*s.DistanceKm, 1) + " km"
		}
		t.Line("%s", operation.Join("; ", s.StationRow.text(), s.doubt(), distance))
	}
}

// WriteNext explains how to request the next stations.
func (l StationList) WriteNext(t *render.Answer) {
	if l.NextOffset == nil {
		return
	}
	operation.WriteOffset(t, *l.NextOffset)
}

// Describe writes the nearest station, then a row for each station.
func (l NearestStations) Describe(t *render.Answer) {
	at := operation.Position(l.Latitude, l.Longitude)
	if len(l.Stations) == 0 {
		t.Line("No station found near %s.", at)
		return
	}
	n := l.Stations[0]
	t.Line("Nearest to %s: %s, %s km away, predicts %s.", at, n.name(),
		render.Short(n.DistanceKm, 1), n.Predicts)
	describeNear(t, l.Stations)
}

// doubt describes how a station was found. It returns "" if the query equals the station's id
// or name.
func (s FoundStation) doubt() string {
	if s.Match == "id" || s.Match == "exact" {
		return ""
	}
	return string(s.Match + " match")
}

// TakesTurn reports whether a page takes long to compute; REST has pages of up to 5,000 rows.
func (in *SearchStationsInput) TakesTurn() bool { return in.Limit > 500 }
