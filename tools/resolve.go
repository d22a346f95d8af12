package tools

import (
	"fmt"
	"slices"
	"strings"

	"leadline/internal/coast"
	"leadline/internal/facts"
	"leadline/internal/places"
	"leadline/internal/render"
	"leadline/internal/stations"
)

// StationOrPlace holds the arguments of operations that take a station, or the name of a
// place near one.
type StationOrPlace struct {
	Station string `json:"station,omitempty" doc:"Station id, as 8443970; or give place." pattern:"^\\w{4,16}$" example:"8443970"`
	InPlace
}

// InPlace is the argument that names a place.
type InPlace struct {
	Place string `json:"place,omitempty" doc:"Homer, AK; or a ZIP code." example:"Half Moon Bay, CA"`
}

// Validate requires either a station or a place.
func (p *StationOrPlace) Validate() error {
	switch {
	case p.Station == "" && p.Place == "":
		return facts.Invalid("station", "required", `station is required: an id, or place in its `+
			`stead. Example: "station": "8443970", or "place": "Half Moon Bay, CA".`)
	case p.Station != "" && p.Place != "":
		return facts.Invalid("place", "place",
			`give station or place, not both. Example: "station": "8443970".`)
	}
	return nil
}

// AtNamedPlace holds the arguments of operations about a point: coordinates, a station, or
// the name of a place.
type AtNamedPlace struct {
	AtPlace
	InPlace
}

// check requires exactly one way to name the point.
func (p AtNamedPlace) check() error {
	if p.Place == "" {
		return p.Check(true)
	}
	if p.Given() || p.Longitude != nil {
		return facts.Invalid("place", "place", `give place, station, or latitude and longitude, not `+
			`two of them. Example: "place": "Half Moon Bay, CA".`)
	}
	return nil
}

// resolve replaces the name of a place by its station.
func (p *AtNamedPlace) resolve(fs facts.Set) (resolved, error) {
	if p.Place == "" {
		return resolved{}, nil
	}
	can := func(st stations.Station) bool {
		_, bin := st.Bin()
		return bin == 0
	}
	at, err := resolver{fs, p.Place, can, "is listed"}.resolve()
	p.Station, p.Place = at.id, ""
	return at, err
}

// ForPlace holds the place that was asked about. Results whose station the caller named
// do not have it.
type ForPlace struct {
	Place *NamedPlace `json:"place,omitempty" schema:"-"`
}

// NamedPlace is a place, and how far away the station of the result is.
type NamedPlace struct {
	Asked      string   `json:"asked"`      // as the caller wrote it
	Name       string   `json:"name"`       // as found, with its state
	Match      string   `json:"match"`      // exact, alias, place or fuzzy, as in searches
	DistanceKm *float64 `json:"distanceKm"` // null for a station of that name and no place
}

// away returns how far a station is from the place that was asked about, to follow its name.
func (p ForPlace) away() string {
	switch {
	case p.Place == nil:
		return ""
	case p.Place.DistanceKm == nil:
		return ", taken for " + render.Escape(p.Place.Asked)
	}
	return fmt.Sprintf(", %s km from %s", render.Short(*p.Place.DistanceKm, 1),
		render.Escape(p.Place.Name))
}

// resolved is the station that represents a place.
type resolved struct {
	id    string
	place ForPlace
	from  coast.Provenance // the source of the place, and a note
}

// explain adds how a place was resolved to the provenance of a result, its note first.
func (r resolved) explain(p *coast.Provenance) {
	p.Sources = append(p.Sources, r.from.Sources...)
	p.Notes = append(append([]string{}, r.from.Notes...), p.Notes...)
}

// resolver finds the station that represents a place.
type resolver struct {
	fs   facts.Set
	text string
	can  stations.Filter // the stations that can answer
	does string          // what they do: "predicts tides"
}

// resolve returns the station for a place: the one that has the name, else the nearest of
// the place of that name, as searches find them. A name of several places that are about
// as likely is an error that lists them with their states.
func (r resolver) resolve() (resolved, error) {
	found := r.fs.Stations.Find(r.text, r.can)
	if len(found) > 0 && found[0].Match == stations.ByID && strings.EqualFold(found[0].ID, r.text) {
		return r.named(found[0], nil)
	}
	named := placesNamed(r.text, "")
	if len(named) > 0 && !named[0].Fuzzy {
		return r.byPlace(named, found)
	}
	return r.byName(found, named)
}

// similarRank limits the difference in rank of places that count as equally likely: a third
// of the people (ours).
const similarRank = 0.5

// byPlace resolves a name of places.
func (r resolver) byPlace(named []places.Match, found []stations.Found) (resolved, error) {
	at := named[0]
	likely := []places.Match{at}
	for _, m := range farther(named[1:], at.Latitude, at.Longitude) {
		if m.Rank >= at.Rank-similarRank {
			likely = append(likely, m)
		}
	}
	names := strings.Split(listed(likely), "; ")
	own := hasName(found)
	if own != nil && len(farther(likely, own.Latitude, own.Longitude)) == len(likely) {
		names = append(names, withState(own.Station))
	}
	switch {
	case len(names) > 1:
		return resolved{}, r.ambiguous(names)
	case own != nil:
		km := stations.Kilometers(at.Latitude, at.Longitude, own.Latitude, own.Longitude)
		return r.named(*own, &km)
	}
	return r.nearest(at, "place")
}

// hasName returns the first station whose name, or other name, is the query, or nil.
func hasName(found []stations.Found) *stations.Found {
	for i, f := range found {
		if f.Match == stations.ByName || f.Match == stations.ByAlias {
			return &found[i]
		}
	}
	return nil
}

// byName resolves a name that no place has: one of stations, or a similar one. A similar
// one is resolved only if the caller named the state; otherwise the error suggests it.
func (r resolver) byName(found []stations.Found, similar []places.Match) (resolved, error) {
	found = slices.DeleteFunc(found, func(f stations.Found) bool {
		return f.Match == stations.ByWords && !begins(f.Name, r.text)
	})
	names := r.firstOfStates(found)
	switch {
	case len(found) > 0 && found[0].Match != stations.Fuzzy && len(names) > 1:
		return resolved{}, r.ambiguous(names)
	case len(found) > 0 && found[0].Match != stations.Fuzzy:
		return r.named(found[0], nil)
	case len(similar) > 0 && strings.Contains(r.text, ","):
		return r.nearest(similar[0], "fuzzy")
	case len(similar) > 0:
		return resolved{}, r.unknown(strings.Split(listed(similar), "; "))
	}
	return resolved{}, r.unknown(names)
}

// firstOfStates returns the name of the first station, and of the first in each other
// state that fits as well.
func (r resolver) firstOfStates(found []stations.Found) (names []string) {
	seen := map[string]bool{}
	for _, f := range found {
		if f.Match == found[0].Match && !seen[f.State] {
			seen[f.State] = true
			names = append(names, withState(f.Station))
		}
	}
	return names
}

// begins reports whether a part of a name, between commas or brackets, begins with a query
// or the query with it: "Elliott Bay, WA" fits "Seattle, Elliott Bay", and Chicago does not
// fit Port Chicago.
func begins(name, query string) bool {
	query = strings.ToLower(strings.TrimSpace(query))
	separator := func(r rune) bool { return strings.ContainsRune(",()", r) }
	return slices.ContainsFunc(strings.FieldsFunc(name, separator), func(part string) bool {
		part = strings.ToLower(strings.TrimSpace(part))
		return strings.HasPrefix(part, query) || part != "" && strings.HasPrefix(query, part)
	})
}

// named returns a station that was found by its name.
func (r resolver) named(f stations.Found, km *float64) (resolved, error) {
	distance := ""
	if km != nil {
		distance = fmt.Sprintf(", %.1f km away", *km)
	}
	note := fmt.Sprintf("Station %s (%s) was taken for %s%s.", f.ID, withState(f.Station),
		coast.Quote(r.text), distance)
	return r.taken(f.Station, withState(f.Station), matchNames[f.Match], km, note), nil
}

// nearest returns the nearest station of a place that can answer.
func (r resolver) nearest(at places.Match, match string) (resolved, error) {
	near := r.fs.Stations.Nearest(at.Latitude, at.Longitude, 1, r.can)
	if !covered(near) {
		return resolved{}, r.outside(at, near)
	}
	km, st := near[0].Kilometers, near[0].Station
	note := fmt.Sprintf("%s: station %s (%s) is the nearest that %s, %.1f km away in a straight "+
		"line, which may cross into another body of water.", at, st.ID, withState(st), r.does, km)
	if match == "fuzzy" {
		note = fmt.Sprintf("No place is named %s: %s has a similar name. %s", coast.Quote(r.text), at,
			note)
	}
	out := r.taken(st, at.String(), match, &km, note)
	if at.Kind == places.ZIP {
		out.from.Notes = append(out.from.Notes, noteZIP(at))
	}
	out.from.Sources = append(out.from.Sources, placeSource(r.fs))
	return out, nil
}

func (r resolver) taken(
	st stations.Station, name, match string, km *float64, note string,
) resolved {
	if km != nil {
		tenths := facts.Tenths(*km)
		km = &tenths
	}
	return resolved{
		id:    st.ID,
		place: ForPlace{&NamedPlace{coast.Clip(r.text), name, match, km}},
		from:  coast.Provenance{Notes: []string{note}},
	}
}

// outside returns the error of a place that no station is near that can answer.
func (r resolver) outside(at places.Match, near []stations.Near) error {
	e := coast.Errorf(coast.StationNotFound, "%s Coverage: %s.",
		tooFar(r.fs, at, "station that "+r.does, near), coverage)
	e.Issues = []coast.Issue{{Path: "place", Code: "outside", Message: e.Message}}
	return e
}

// ambiguous returns the error of a name that several places have.
func (r resolver) ambiguous(names []string) error {
	return facts.Invalid("place", "ambiguous", "%s names several places: %s. Give one with its state.",
		coast.Quote(r.text), strings.Join(names[:min(5, len(names))], "; "))
}

// unknown returns the error of a name that nothing has.
func (r resolver) unknown(similar []string) error {
	text := ""
	if len(similar) > 0 {
		text = fmt.Sprintf(" Similar names: %s.", strings.Join(similar[:min(5, len(similar))], "; "))
	}
	if isZIP(r.text) {
		text = " A ZIP code counts within 40 km of a station."
	}
	e := coast.Errorf(coast.StationNotFound,
		"No place or station that %s is named %s.%s Coverage: %s.", r.does, coast.Quote(r.text), text,
		coverage)
	e.Issues = []coast.Issue{{Path: "place", Code: "unknown", Message: e.Message}}
	return e
}
