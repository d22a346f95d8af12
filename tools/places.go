package tools

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"leadline/internal/coast"
	"leadline/internal/facts"
	"leadline/internal/locate"
	"leadline/internal/places"
	"leadline/internal/render"
	"leadline/internal/stations"
	"leadline/internal/waters"
	"leadline/internal/words"
)

// FindPlacesInput requests places by name.
type FindPlacesInput struct {
	Query string `json:"query" doc:"Town, water, ZIP code or station, with or without its state." example:"Half Moon Bay, CA"`
	Limit int    `json:"limit" default:"5" min:"1" max:"20" doc:"Most rows to return."`
}

// Validate rejects a blank query.
func (in *FindPlacesInput) Validate() error {
	if strings.TrimSpace(in.Query) == "" {
		return facts.Invalid("query", "required",
			`query is blank: name a place. Example: "query": "Half Moon Bay, CA".`)
	}
	return nil
}

// PlaceList holds the places that match a query, the most likely first.
type PlaceList struct {
	coast.Provenance `never:"quoted"`
	Total            int        `json:"total" doc:"Places found in all."`
	Places           []PlaceRow `json:"places" doc:"The places, the most likely first."`
}

// PlaceRow is a place and the stations nearest to it.
type PlaceRow struct {
	Name      string         `json:"name" doc:"Name of the place."`
	State     string         `json:"state,omitempty" doc:"Two letters; left out of ZIP codes and of stations abroad."`
	Kind      PlaceKind      `json:"kind" doc:"A town, a bay or cape, a ZIP code, or a station of that name."`
	Match     StationMatch   `json:"match" doc:"How the query names the place; fuzzy is a similar spelling."`
	Latitude  float64        `json:"latitude" doc:"Degrees north, WGS 84."`
	Longitude float64        `json:"longitude" doc:"Degrees east; west is negative."`
	Nearest   NearestStation `json:"nearest" doc:"Stations with predictions: that of the water of the place, and the nearest one of currents."`

	place places.Place
}

// NearestStation holds the nearest station of each kind of prediction.
type NearestStation struct {
	Tide    *StationAway `json:"tide" doc:"Nearest station with tide predictions; null if none is within 50 km."`
	Current *StationAway `json:"current" doc:"Nearest station with current predictions; null if none is within 15 km."`
}

// StationAway is a station and its distance in a straight line.
type StationAway struct {
	ID         string  `json:"id" doc:"Station id."`
	Name       string  `json:"name" doc:"Name of the station."`
	DistanceKm float64 `json:"distanceKm" doc:"Kilometers in a straight line."`
}

// FindPlaces finds towns, waters and ZIP codes by name. If no place has the name, it returns
// stations of that name, followed by places with a similar name.
func (s stationTools) FindPlaces(_ context.Context, in FindPlacesInput) (PlaceList, error) {
	fs := s.facts.Set()
	out := PlaceList{Provenance: fs.From(fs.Directory()), Places: []PlaceRow{}}
	facts.Merge(&out.Provenance, fs.From(placeSource(fs)))
	m := locate.Find(fs.Stations, in.Query, nil, "")
	rows := placeRows(m)
	out.Total = len(rows)
	for _, row := range rows[:min(in.Limit, len(rows))] {
		row.Nearest = nearestTo(fs, row)
		out.Places = append(out.Places, row)
	}
	switch {
	case m.Refusal != "":
		out.Notes = append(out.Notes, m.Refusal+" Coverage: "+coverage+".")
	case len(rows) == 0:
		out.Notes = append(out.Notes, fmt.Sprintf("No place is named %s. Coverage: %s.",
			coast.Quote(in.Query), coverage))
	case rows[0].Match == "fuzzy":
		out.Notes = append(out.Notes, fmt.Sprintf("No place is named %s: these have similar names.",
			coast.Quote(in.Query)))
	}
	if len(rows) > 0 {
		out.Notes = append(out.Notes, "Distances are straight lines.")
	}
	return out, nil
}

// placeRows returns the places that a query names. If there are none, it returns stations of
// that name, or else places with a similar name.
func placeRows(m locate.Meaning) []PlaceRow {
	var rows []PlaceRow
	add := func(p places.Place, match string) {
		rows = append(rows, PlaceRow{
			Name: p.Name, State: p.State, Kind: PlaceKind(p.Kind), Match: StationMatch(match),
			Latitude: facts.Degrees(p.Latitude), Longitude: facts.Degrees(p.Longitude), place: p,
		})
	}
	for _, p := range m.Places {
		add(p.Place, "exact")
	}
	if len(rows) > 0 {
		return rows
	}
	for _, f := range m.Stations {
		add(places.Place{Kind: "station", Name: f.Name, State: f.State, Latitude: f.Latitude,
			Longitude: f.Longitude}, matchNames[f.Match])
	}
	if len(rows) > 0 {
		return rows
	}
	for _, p := range m.SimilarPlaces {
		add(p.Place, "fuzzy")
	}
	return rows
}

// nearestTo returns the stations nearest to a place.
func nearestTo(fs facts.Set, at PlaceRow) NearestStation {
	out := NearestStation{}
	near := fs.Stations.Nearest(at.Latitude, at.Longitude, 1, func(st stations.Station) bool {
		return facts.Predicts(st) == "currents"
	})
	if ofCurrents.covers(near) {
		n := near[0]
		out.Current = &StationAway{n.Station.ID, n.Station.Name, facts.Tenths(n.Kilometers)}
	}
	c := waters.Choose(fs.Stations, at.place, func(st stations.Station) bool {
		return facts.Predicts(st) == "tides"
	}, "")
	if c.Near() {
		st := c.First.Station
		out.Tide = &StationAway{st.ID, st.Name, facts.Tenths(c.First.Kilometers)}
	}
	return out
}

// reach limits the distance, in kilometers, of the station that answers for a place, and along the
// open coast. From sure on, the answer begins with a warning. Stations that the caller names have
// no limit. Along is 0 if the waters of stations do not count.
type reach struct{ sure, most, along float64 }

// The limits are ours: a current changes from one side of a channel to the other, a thermometer
// and an anemometer measure at their own shore, and a tide is that of a stretch of coast. A point
// needs a station for its zone alone.
var (
	ofCurrents = reach{sure: facts.CurrentReach, most: facts.FarCurrentReach}
	ofSensors  = reach{25, 25, 25}
	ofWater    = reach{25, waters.MostInside, waters.MostAlong}
	ofPoints   = reach{sure: 150, most: 150}
)

// limitOf returns the limit of the predictions and observations of a station.
func limitOf(st stations.Station) reach {
	if st.Kind == stations.Current {
		return ofCurrents
	}
	return ofWater
}

// covers reports whether the nearest station is within the limit.
func (r reach) covers(near []stations.Near) bool {
	return len(near) > 0 && near[0].Kilometers <= r.most
}

// coverage describes where stations are.
const coverage = "US coasts and territories, the Great Lakes, and NOAA's Pacific, Caribbean and " +

	"foreign reference stations"

// outside returns a sentence about a place with no station nearby.
func outside(what string, near []stations.Near) string {
	text := fmt.Sprintf("%s is outside coverage, which is %s.", what, coverage)
	if len(near) > 0 {
		n := near[0]
		text += fmt.Sprintf(" The nearest such station is %s (%s), %.0f km away.", n.Station.ID,
			n.Station.Name, n.Kilometers)
	}
	return text
}

// tooFar returns sentences about a place with no station of the wanted kind nearby.
func tooFar(
	fs facts.Set, at places.Match, wanted string, within reach, near []stations.Near,
) string {
	text := fmt.Sprintf("No %s lies within %.0f km of %s.", wanted, within.most, at)
	if len(near) > 0 {
		n := near[0]
		text += fmt.Sprintf(" The nearest is %s (%s), %.0f km away.", n.Station.ID,
			locate.Label(n.Station), n.Kilometers)
	}
	closest := fs.Stations.Nearest(at.Latitude, at.Longitude, 1, nil)
	switch {
	case !ofPoints.covers(closest): // only gauges of the Great Lakes are not embedded
		text += " On the Great Lakes NOAA predicts no tide, and which gauges are there is not known " +
			"until its metadata service responds."
	case stations.GreatLakes(closest[0].Station.ID):
		text += " On the Great Lakes NOAA predicts no tide: observed levels are what there is."
	}
	return text
}

// isZIP reports whether a query has the form of a ZIP code, with or without its last four digits.
func isZIP(query string) bool {
	query, _, _ = strings.Cut(strings.TrimSpace(query), "-")
	return locate.IsZIP(query)
}

// noteZIP returns sentences about the position of one of several ZIP codes of a town, which is that
// of its area. The caller may mean one of the places nearby.
func noteZIP(at places.Match) string {
	const most = 3
	var names []string
	for _, p := range places.Open().Nearest(at.Latitude, at.Longitude, most) {
		km := stations.Kilometers(at.Latitude, at.Longitude, p.Latitude, p.Longitude)
		names = append(names, fmt.Sprintf("%s (%.1f km)", p, km))
	}
	return fmt.Sprintf("The ZIP code %s is an area: distances are from its center (%.2f, %.2f), "+
		"which may be far from its harbor. The nearest named places are %s: name the one that you mean.",
		at, at.Latitude, at.Longitude, strings.Join(names, ", "))
}

// farther returns the places that are others than one at a point.
func farther(named []places.Match, latitude, longitude float64) []places.Match {
	var far []places.Match
	for _, m := range named {
		if stations.Kilometers(latitude, longitude, m.Latitude, m.Longitude) > locate.Nearby {
			far = append(far, m)
		}
	}
	return far
}

// mostNamed limits the names that a refusal lists. Ours: all places named Long Beach.
const mostNamed = 8

// listed returns the names of the first places, with their states. Those of one name in a state
// also have the name of a larger place nearby.
func listed(named []places.Match) string {
	var names []string
	for _, m := range named[:min(mostNamed, len(named))] {
		same := func(o places.Match) bool { return o.String() == m.String() && o != m }
		name := m.String()
		if slices.ContainsFunc(named, same) {
			name = nearTown(m)
		}
		names = append(names, name)
	}
	return strings.Join(names, "; ")
}

// nearTown returns the name of a place with that of the largest place near it in its state:
// "Ocean Beach, San Diego, CA".
func nearTown(m places.Match) string {
	for _, p := range places.Open().All() { // the highest rank first
		if p.State == m.State && p.Kind != places.ZIP && p.Name != m.Name &&
			stations.Kilometers(p.Latitude, p.Longitude, m.Latitude, m.Longitude) <= locate.Nearby {
			return fmt.Sprintf("%s, %s", m.Name, p)
		}
	}
	return m.String()
}

// placeSource returns the source of the positions of places.
func placeSource(fs facts.Set) coast.Source {
	source := fs.Calculated("place-names", places.Attribution, "https://www.geonames.org/")
	// The packages do not say when their data was collected.
	source.SourceAt, source.AgeMinutes, source.Freshness = nil, nil, coast.Unknown
	return source
}

// describe writes the most likely place and its stations, then a row for each place.
func (l PlaceList) describe(t *render.Text) {
	if len(l.Places) == 0 {
		t.Line("No place found.")
		return
	}
	best := l.Places[0]
	t.Line("%s at %s, first of %s: %s.", best.title(), position(best.Latitude, best.Longitude),
		plural(l.Total, "place"), best.Nearest.text())
	t.Gap()
	for _, p := range l.Places {
		t.Line("%s; %s, match %s; %s; %s", p.title(), p.Kind, p.Match,
			position(p.Latitude, p.Longitude), p.Nearest.text())
	}
	if more := l.Total - len(l.Places); more > 0 {
		t.Line("%d more; add the state, or raise limit.", more)
	}
}

// title returns the name of a place and its state.
func (p PlaceRow) title() string { return present(", ", render.Escape(p.Name), p.State) }

// text returns the nearest station of each kind.
func (n NearestStation) text() string {
	away := func(what string, s *StationAway) string {
		if s == nil {
			return ""
		}
		return fmt.Sprintf("%s %s %s (%s km)", what, s.ID, render.Escape(s.Name),
			render.Short(s.DistanceKm, 1))
	}
	text := present(", ", away("tides", n.Tide), away("currents", n.Current))
	if text == "" {
		return fmt.Sprintf("no station within %.0f km", ofWater.most)
	}
	return text
}

// StationOrPlace holds the arguments of operations that take a station, or the name of a
// place near one.
type StationOrPlace struct {
	Station string `json:"station,omitempty" doc:"Station id, as 8443970; or give place." pattern:"^\\w{4,16}$" form:"text of 4 to 16 letters, digits and underscores" example:"8443970"`
	InPlace
	// Water is not listed: the note of a place with two waters names it.
	Water WaterSide `json:"water,omitempty" doc:"Of a place with two waters." unlisted:"true"`
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
	case p.Water != "" && p.Place == "":
		return facts.Invalid("water", "place", `water chooses one of the waters of a place: give it `+
			`with place. Example: "place": "Daytona Beach, FL", "water": "ocean".`)
	}
	return nil
}

// ForPlace holds the requested place. It is absent from results for which the caller named a
// station.
type ForPlace struct {
	Place *NamedPlace `json:"place,omitempty" schema:"-"`
}

// NamedPlace is a place and its distance from the station of the result.
type NamedPlace struct {
	Asked      string       `json:"asked" doc:"The place of the request."`
	Name       string       `json:"name" doc:"Name of the place that was found."`
	Match      StationMatch `json:"match" doc:"How the request names the place: by the id, the name or words of it, another name of NOAA's, a place nearby, or a similar spelling."`
	DistanceKm *float64     `json:"distanceKm" doc:"Kilometers from the place to the station; null if that is not known, or if the result is for the place itself."`
	Latitude   *float64     `json:"latitude,omitempty" doc:"Latitude of the place, degrees north; left out if the name is that of a station."`
	Longitude  *float64     `json:"longitude,omitempty" doc:"Longitude of the place, degrees east; left out if the name is that of a station."`

	Water        coast.Water   `json:"water,omitempty" doc:"Water of the station: ocean, inlet, bay, lagoon, waterway, river or lake; left out if it is not known."`
	Faces        Faces         `json:"faces,omitempty" doc:"Water that the place faces: ocean, both if other water near it has another tide, or that of the station; left out if it is not known."`
	AlongKm      *float64      `json:"alongKm,omitempty" doc:"Kilometers from the shore of the place to the station over water; left out off the open coast, and if the way is not known."`
	Alternatives []Alternative `json:"alternatives,omitempty" doc:"Stations of the other water of the place, whose tide differs by over 30 minutes or a quarter; left out if there are none."`

	warning string // about a distant station, for the first line of texts
	small   bool   // hardly any tide
	bare    bool   // the place faces the open sea, and the station is not of that
	across  bool   // the place does not face the water of the station, the open sea
}

// away returns the water and the distance of a station from the requested place, and the other
// water of the place, as text that follows its name.
func (p ForPlace) away() string {
	if p.Place == nil {
		return ""
	}
	return render.Escape(present(": ", ", "+p.Place.String(), p.Place.warning))
}

// String returns the water of the station and its distance from the place, and the other water of
// the place if its tide differs.
func (p NamedPlace) String() string {
	if p.DistanceKm == nil {
		return present(", ", onWater(p.Water), "taken for "+p.Asked)
	}
	text := fmt.Sprintf("%s km from %s", render.Short(*p.DistanceKm, 1), p.Name)
	if p.AlongKm != nil {
		text = fmt.Sprintf("%s km along the coast from %s", render.Short(*p.AlongKm, 1), p.Name)
	}
	if p.Water != "" {
		text = onWater(p.Water) + ", " + text
	}
	if p.across {
		text += ", which does not face it"
	}
	for _, a := range p.Alternatives {
		text += fmt.Sprintf(" (%s)", a)
	}
	if p.bare {
		text += ", not on the open coast"
	}
	if p.small {
		text += ", hardly any tide"
	}
	return text
}

// resolved is the station that represents a place.
type resolved struct {
	id    string
	point *places.Match // the place itself; nil if the name is that of a station alone
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
	fs     facts.Set
	text   string
	can    stations.Filter // accepts the stations that the operation can use
	does   string          // what these stations do: "predicts tides"
	within reach           // how far such a station may be
	water  waters.Side     // of the place, or empty
	again  bool            // the text is a suggestion of another resolver
	chosen map[places.Place]waters.Choice
}

// resolver returns the resolver of the place, whose text may ask for one of its waters.
func (p StationOrPlace) resolver(
	fs facts.Set, can stations.Filter, does string, within reach,
) resolver {
	return resolver{fs: fs, text: p.Place, can: can, does: does, within: within,
		water: waters.Side(p.Water)}
}

// resolve returns the station for a place. If a station has the name, it returns that
// station; otherwise it returns the station nearest to the place of that name, as searches
// do. If several places with the name are about equally likely, the error lists them with
// their states. It never returns a station for a similar name.
func (r resolver) resolve() (resolved, error) {
	does := r.does
	if does == anyStation {
		does = ""
	}
	r.chosen = map[places.Place]waters.Choice{} // of this water
	m := locate.Find(r.fs.Stations, r.text, r.can, does)
	switch {
	case len(m.Stations) > 0 && m.Stations[0].Match == stations.ByID &&
		r.identifies(m.Stations[0].ID):
		return r.named(m.Stations[0], nil)
	case m.Refusal == "" && len(m.Abroad) > 0 && len(m.Stations) > 0:
		return r.abroad(m)
	}
	if out, ok, err := r.byWater(m); ok {
		return out, err
	}
	if m.Refusal != "" {
		return resolved{}, r.refused(m)
	}
	near := r.reachable(m.Places)
	switch {
	case len(near) > 0:
		return r.byPlace(near, m)
	case r.water != "" && len(m.Places) > 0:
		return r.nearest(m.Places[0])
	case len(m.Places) == 0 || hasName(m.Stations) != nil:
		return r.byName(m)
	case m.Larger != "":
		at := m.Places[0]
		return resolved{}, r.refused(locate.Meaning{Refusal: tooFar(r.fs, at, "station that "+r.does,
			r.within, r.stationsNear(at)) + " " + m.Larger})
	}
	return r.nearest(m.Places[0])
}

// identifies reports whether the text is an id, or an id with a name as lists print it.
func (r resolver) identifies(id string) bool {
	typed, _, _ := strings.Cut(strings.TrimSpace(r.text), " (")
	return strings.EqualFold(typed, id)
}

// reachable returns the places that have a usable station: currents of the Golden Gate are not
// those of a town inland.
func (r resolver) reachable(named []places.Match) []places.Match {
	return slices.DeleteFunc(slices.Clone(named), func(at places.Match) bool {
		return !r.answers(r.choose(at))
	})
}

// byWater resolves the name of a place with a word for one of its waters behind it, if neither a
// place nor the name of a station has the whole: the Cooper River is not that of Cooper City. The
// error is that of a place without such a water.
func (r resolver) byWater(m locate.Meaning) (out resolved, ok bool, err error) {
	if len(m.Places) > 0 {
		return out, false, nil
	}
	place, word, side := waters.Cut(r.text)
	counts := r.within.along > 0 || r.does == anyStation // of currents, no water is chosen
	if side == "" || r.again || !counts || r.water != "" && r.water != side ||
		slices.ContainsFunc(m.Stations, func(f stations.Found) bool {
			return strings.Contains(strings.ToLower(f.Name), head(place)+" "+word)
		}) {
		return out, false, nil
	}
	cut := r
	cut.text, cut.water, cut.again = place, side, true
	_, _, pair := places.Pair(place)
	if out, err = cut.resolve(); err != nil {
		cut.water = ""
		without, _ := cut.resolve()
		return out, pair || without.has(place) && len(m.Stations) == 0, err
	}
	out.place.Place.Asked = coast.Clip(r.text)
	if waters.InNames(word) && !pair && !cut.chooses(out) {
		return out, false, nil
	}
	return out, pair || isZIP(place) || out.has(place), nil
}

// chooses reports whether the place of a result has two waters to choose from.
func (r resolver) chooses(out resolved) bool {
	if out.point == nil || out.point.Kind == "" {
		return false // a station
	}
	const near = 15 // km: Klamath River is not another river, 48 km away
	c := waters.Choose(r.fs.Stations, out.point.Place, r.can, "")
	return (c.Faces || c.Other != nil) && *out.place.Place.DistanceKm <= near
}

// has reports whether a name was read as a place of that name.
func (r resolved) has(name string) bool {
	return r.place.Place != nil && strings.EqualFold(head(name), head(r.place.Place.Name))
}

// head returns a name without its state.
func head(name string) string {
	before, _, _ := strings.Cut(name, ",")
	rest, _ := words.CutState(words.Split(before))
	return strings.Join(rest, " ")
}

// choose returns the water that answers for a place. If waters do not count, it is the nearest
// usable station.
func (r resolver) choose(at places.Match) waters.Choice {
	if r.within.along > 0 {
		c, ok := r.chosen[at.Place]
		if !ok {
			c = waters.Choose(r.fs.Stations, at.Place, r.can, r.water)
			r.chosen[at.Place] = c
		}
		return c
	}
	near := r.stationsNear(at)
	if !r.within.covers(near) {
		return waters.Choice{}
	}
	return waters.Choice{First: &waters.Option{Near: near[0]}}
}

// answers reports whether the station of a choice is within the limit.
func (r resolver) answers(c waters.Choice) bool { return c.Within(r.within.most, r.within.along) }

// stationsNear returns the usable station nearest to a place; abroad, one of its country.
func (r resolver) stationsNear(at places.Match) []stations.Near {
	return r.fs.Stations.Nearest(at.Latitude, at.Longitude, 1, func(st stations.Station) bool {
		return (at.Country == "" || st.Country() == at.Country) && (r.can == nil || r.can(st))
	})
}

// abroad resolves the name of a station abroad, or of islands.
func (r resolver) abroad(m locate.Meaning) (resolved, error) {
	if len(m.Stations) > 1 && !m.Main {
		return resolved{}, r.ambiguous(labels(m.Stations), "id", "")
	}
	out, err := r.named(m.Stations[0], nil)
	if err == nil && len(m.Stations) > 1 {
		out.from.Notes = append(out.from.Notes, fmt.Sprintf("Other stations there: %s.",
			strings.Join(labels(m.Stations[1:]), "; ")))
	}
	return out, err
}

// labels returns the ids and names of at most five stations.
func labels(found []stations.Found) []string {
	const most = 5
	var names []string
	for _, f := range found[:min(most, len(found))] {
		names = append(names, fmt.Sprintf("%s (%s)", f.ID, locate.Label(f.Station)))
	}
	return names
}

// byPlace resolves the name of one or more places. Those with up to ten times the people of
// another are about as likely.
func (r resolver) byPlace(named []places.Match, m locate.Meaning) (resolved, error) {
	named = r.withBeaches(named)
	at := named[0]
	others := farther(named[1:], at.Latitude, at.Longitude)
	ask := len(others) > 0 && others[0].Rank >= at.Rank-locate.TenTimes
	all := append([]places.Match{at}, others...)
	names := strings.Split(listed(all), "; ")
	own := hasName(m.Stations)
	if own != nil {
		away := farther(all, own.Latitude, own.Longitude)
		ask = ask || len(away) > 0 && away[0] == at
	}
	names = append(names, r.stationsApart(m.Stations, all, names)...)
	switch {
	case ask || m.Larger != "":
		with := "state"
		if _, state := words.CutState(words.Split(r.text)); state != "" {
			with = "town or id"
		}
		return resolved{}, r.ambiguous(names, with, m.Larger)
	case own != nil && r.water == "" && r.ownAnswers(own.Station, at):
		return r.named(*own, &at)
	case strings.Contains(strings.ToLower(r.text), "beach") && !strings.Contains(at.Name, "Beach"):
		return r.beachOf(at)
	}
	return r.nearest(at)
}

// ownAnswers reports whether the station of the name of a place answers for it: it is on its water,
// as that at Vero Beach on the lagoon is not, and hardly farther than the one that would answer
// otherwise, or has its tide. Corpus Christi has a station on the Gulf, 30 km from the town.
func (r resolver) ownAnswers(own stations.Station, at places.Match) bool {
	return r.within.along == 0 || ownStation(r.fs, r.choose(at), own, at)
}

// ownStation is ownAnswers for a choice of water.
func ownStation(fs facts.Set, c waters.Choice, own stations.Station, at places.Match) bool {
	const farther = 3 // km
	km := stations.Kilometers(at.Latitude, at.Longitude, own.Latitude, own.Longitude)
	if c.First == nil || !c.Faces && km <= c.First.Kilometers+farther {
		return true
	}
	first, known := waters.TideOf(fs.Stations, c.First.Station)
	tide, also := waters.TideOf(fs.Stations, own)
	if !known || !also {
		return false
	}
	minutes, ratio := tide.Against(first)
	if c.Faces {
		return waters.Alike(minutes, ratio)
	}
	return !waters.Differ(minutes, ratio)
}

// beachOf resolves the beach of a place that is not named a beach: Galveston beach. A place that
// does not face the sea may be another one than is meant.
func (r resolver) beachOf(at places.Match) (resolved, error) {
	if r.within.along == 0 {
		return r.nearest(at)
	}
	if !r.faces(at) {
		return resolved{}, r.refused(locate.Meaning{Refusal: fmt.Sprintf("No place is named %s. %s does "+
			"not face the open sea: ask for it by its own name if you mean it.", coast.Quote(r.text), at)})
	}
	r.water, r.chosen = waters.AtSea, map[places.Place]waters.Choice{}
	return r.nearest(at)
}

// faces reports whether a place lies at the open sea: a station of its name may lie behind it.
func (r resolver) faces(at places.Match) bool {
	_, faces := waters.FrontOf(at.Place)
	return faces && r.within.along > 0
}

// inlandFrom is the distance, in kilometers, of the usable station from which on the place of a
// name is asked for if a beach has the name: Rehoboth, MA, and Rehoboth Beach, DE. Ours.
const inlandFrom = 10

// withBeaches adds the beaches of the name of a place that is not at the water behind it, however
// likely they are: Monmouth, ME, is never read as Monmouth Beach, NJ, without a question.
func (r resolver) withBeaches(named []places.Match) []places.Match {
	beaches := r.reachable(locate.Beaches(r.text, named[0].Place))
	if len(beaches) == 0 || beaches[0].Name == named[0].Name ||
		r.stationsNear(named[0])[0].Kilometers < inlandFrom {
		return named
	}
	return append(slices.Clone(named), beaches...)
}

// hasName returns the first station whose name or alternative name equals the query, or nil.
func hasName(found []stations.Found) *stations.Found {
	for i, f := range found {
		if f.Match == stations.ByName || f.Match == stations.ByAlias {
			return &found[i]
		}
	}
	return nil
}

// apart returns the stations whose whole name was asked for that are far from all of the places.
func apart(found []stations.Found, from []places.Match) []stations.Found {
	return slices.DeleteFunc(slices.Clone(found), func(f stations.Found) bool {
		return hasName([]stations.Found{f}) == nil ||
			len(farther(from, f.Latitude, f.Longitude)) < len(from)
	})
}

// byName resolves a name that is not the name of a place: the name of a station. For a similar
// name, the error lists what the caller may mean.
func (r resolver) byName(m locate.Meaning) (resolved, error) {
	found := r.beginning(m.Stations)
	names := r.firstOfStates(found)
	var similar []string
	if len(m.SimilarPlaces) > 0 {
		similar = strings.Split(listed(m.SimilarPlaces), "; ")
	}
	switch {
	case len(names) > 1 || len(found) > 0 && m.Larger != "":
		return resolved{}, r.ambiguous(names, "state", m.Larger)
	case len(found) > 0 && r.water != "":
		return r.nearest(places.Match{Place: places.Place{Name: locate.Label(found[0].Station),
			Latitude: found[0].Latitude, Longitude: found[0].Longitude}})
	case r.disagree(found):
		return resolved{}, r.ambiguous(labels(found), "id", "")
	case len(found) > 0 && found[0].Match == stations.ByWords && len(r.longer()) > 0:
		return resolved{}, r.ambiguous(append(r.longer(), labels(found[:1])...), "whole name or id", "")
	case len(found) > 0:
		return r.named(found[0], nil)
	case len(m.Stations) > 0:
		others := slices.DeleteFunc(r.firstOfStates(m.Stations), func(name string) bool {
			return slices.Contains(similar, name)
		})
		return resolved{}, r.unknown(append(similar, others...))
	case len(similar) > 0:
		return resolved{}, r.unknown(similar)
	}
	if name := places.WithoutPark(r.text); name != r.text {
		park := r
		park.text = name
		if out, err := park.resolve(); err != nil || out.point == nil || out.has(name) {
			return out, err // else a place that lacks a word: Beverly, MA for Beverly Beach
		}
	}
	return resolved{}, r.unknown(r.firstOfStates(m.SimilarStations()))
}

// disagree reports whether one of the stations that have a name equally well has another tide than
// the first: there are two Capers Islands in South Carolina.
func (r resolver) disagree(found []stations.Found) bool {
	if len(found) == 0 || r.within.along == 0 || found[0].Match == stations.ByID {
		return false
	}
	first, known := waters.TideOf(r.fs.Stations, found[0].Station)
	return known && slices.ContainsFunc(found, func(f stations.Found) bool {
		tide, ok := waters.TideOf(r.fs.Stations, f.Station)
		return ok && waters.Differ(tide.Against(first)) &&
			(f.Match == found[0].Match || locate.HasPart(f.Name, r.text) && farApart(f, found[0]))
	})
}

func farApart(a, b stations.Found) bool {
	return stations.Kilometers(a.Latitude, a.Longitude, b.Latitude, b.Longitude) > locate.Nearby
}

// longer returns the names of places that begin with the words of the text: Edisto Beach and Edisto
// Island for Edisto.
func (r resolver) longer() []string {
	const most = 4
	typed := words.Split(r.text)
	var named []places.Match
	for _, p := range places.Open().Beginning(typed, most) {
		if strings.HasPrefix(words.Key(words.Split(p.Name)), words.Key(typed)+" ") {
			named = append(named, places.Match{Place: p})
		}
	}
	if len(named) == 0 {
		return nil
	}
	return strings.Split(listed(named), "; ")
}

// beginning returns the stations that have the name, or that begin with its words.
func (r resolver) beginning(found []stations.Found) []stations.Found {
	return slices.DeleteFunc(slices.Clone(found), func(f stations.Found) bool {
		return !begins(f, r.text)
	})
}

// begins reports whether a station was found by its name, or by the words that it begins with.
func begins(f stations.Found, name string) bool {
	return f.Match != stations.ByWords || locate.Begins(f.Name, name)
}

// stationsApart returns the stations whose whole name was asked for that are far from all of the
// places. If a place has the same name, as Barview, OR, it gives the station its id, and the place,
// in names, its town.
func (r resolver) stationsApart(
	found []stations.Found, from []places.Match, names []string,
) []string {
	far := apart(found, from)
	all := r.firstOfStates(far)
	for i, name := range all {
		same := func(f stations.Found) bool { return locate.Label(f.Station) == name }
		if at := slices.Index(names, name); at >= 0 {
			names[at] = nearTown(from[at])
			all[i] = labels(far[slices.IndexFunc(far, same):])[0]
		}
	}
	return all
}

// firstOfStates returns the name of the first station, and of the first equally good match in
// each other state or country, those abroad last.
func (r resolver) firstOfStates(found []stations.Found) []string {
	seen := map[string]bool{}
	var here, abroad []string
	for _, f := range found {
		where := f.State + "/" + f.Country()
		if f.Match != found[0].Match || seen[where] {
			continue
		}
		seen[where] = true
		if f.Country() == "" {
			here = append(here, locate.Label(f.Station))
		} else {
			abroad = append(abroad, locate.Label(f.Station))
		}
	}
	return append(here, abroad...)
}

// named resolves to a station that was found by its name. Place is the place of that name, or
// nil if there is none.
func (r resolver) named(f stations.Found, place *places.Match) (resolved, error) {
	name, distance := locate.Label(f.Station), ""
	var km *float64
	if place != nil {
		away := stations.Kilometers(place.Latitude, place.Longitude, f.Latitude, f.Longitude)
		name, km, distance = place.String(), &away, fmt.Sprintf(", %.1f km away", away)
	}
	note := fmt.Sprintf("%s was read as station %s (%s)%s.", coast.Quote(r.text), f.ID,
		locate.Label(f.Station), distance)
	out := r.taken(f.Station, name, matchNames[f.Match], km, note, r.within.warning())
	if place != nil {
		out = out.ofPlace(*place)
	} else if r.within.along > 0 {
		class, _ := waters.Of(f.ID)
		out.place.Place.Water = class.Water
	}
	if place != nil && r.within.along > 0 {
		c := r.choose(*place).Answered(r.fs.Stations, place.Place, r.can, f.Station)
		out.place.Place.describe(c)
		if c.Other != nil || c.Small {
			out.from.Notes = append(out.from.Notes, waterNote(*place, c, r.does)+chooseOther(*place, c))
		}
	}
	return out, nil
}

// nearest returns the station that answers for a place. A distant one has a warning first.
func (r resolver) nearest(at places.Match) (resolved, error) {
	c := r.choose(at)
	if !r.answers(c) {
		return resolved{}, r.noWater(at, c)
	}
	st, km := c.First.Station, c.First.Kilometers
	note := fmt.Sprintf("%s: station %s (%s) is the nearest that %s, %.1f km away in a straight line.",
		at, st.ID, locate.Label(st), r.does, km)
	if r.within.along > 0 {
		note = waterNote(at, c, r.does) + chooseOther(at, c)
	}
	out := r.taken(st, at.String(), "place", &km, note, r.distant(c)).ofPlace(at)
	out.place.Place.describe(c)
	if at.Kind == places.ZIP {
		out.from.Notes = append(out.from.Notes, noteZIP(at))
	}
	out.from.Sources = append(out.from.Sources, placeSource(r.fs))
	return out, nil
}

// warning describes the water of a distant station.
func (r reach) warning() string {
	if r == ofCurrents {
		return "another channel"
	}
	return "another stretch of coast"
}

// distant describes the water of a choice whose station is distant: that the tide of the open coast
// is the same on both sides of the place, or a warning.
func (r resolver) distant(c waters.Choice) string {
	if c.First.Kilometers <= r.within.sure {
		return ""
	}
	a, ok := c.Agrees(r.fs.Stations, r.can)
	if !ok {
		return r.within.warning()
	}
	return fmt.Sprintf("the open coast agrees within %.0f min and %.0f %% between it and %s (%s), "+
		"%.0f km on the other side", math.Ceil(math.Abs(a.Minutes)),
		math.Ceil(100*math.Abs(a.Ratio-1)), a.Station.ID, locate.Label(a.Station), a.Kilometers)
}

// taken returns a station as the one that represents a place, with what distant says first if it is
// distant.
func (r resolver) taken(
	st stations.Station, name, match string, km *float64, note, distant string,
) resolved {
	warning := ""
	if km != nil && *km > r.within.sure {
		warning = distant
		note = fmt.Sprintf("%.0f km away: %s. %s", *km, warning, note)
	}
	if km != nil {
		tenths := facts.Tenths(*km)
		km = &tenths
	}
	return resolved{
		id: st.ID,
		place: ForPlace{&NamedPlace{Asked: coast.Clip(r.text), Name: name,
			Match: StationMatch(match), DistanceKm: km, warning: warning}},
		from: coast.Provenance{Notes: []string{note}},
	}
}

// noWater returns the error for a place with no usable station on its water.
func (r resolver) noWater(at places.Match, c waters.Choice) error {
	near := r.stationsNear(at)
	if r.within.along == 0 || len(near) == 0 || near[0].Kilometers > r.within.most {
		return r.outside(at, near)
	}
	of, within := "off the open coast", fmt.Sprintf("within %.0f km", r.within.most)
	switch {
	case c.Side == waters.AtSea && c.Faces:
		of, within = "of the open coast", fmt.Sprintf("within %.0f km along the coast", r.within.along)
	case c.Side == waters.AtSea:
		of, within = "of the open coast", fmt.Sprintf("within %d km", waters.Alternatives)
	}
	n := near[0]
	e := coast.Errorf(coast.StationNotFound, "No station %s that %s lies %s of %s. The nearest is %s "+
		"(%s), %.0f km away. Give its id if its water will do.", of, r.does, within, at, n.Station.ID,
		locate.Label(n.Station), n.Kilometers)
	e.Issues = []coast.Issue{{Path: "place", Code: "outside", Message: e.Message}}
	return e
}

// outside returns the error for a place with no usable station nearby.
func (r resolver) outside(at places.Match, near []stations.Near) error {
	e := coast.Errorf(coast.StationNotFound, "%s Coverage: %s.",
		tooFar(r.fs, at, "station that "+r.does, r.within, near), coverage)
	e.Issues = []coast.Issue{{Path: "place", Code: "outside", Message: e.Message}}
	return e
}

// ambiguous returns the error for a name that several places share: it asks for one with its
// state or id. A sentence about another place follows, or "".
func (r resolver) ambiguous(names []string, with, larger string) error {
	kind, it := "names several places:", "one"
	if len(names) == 1 {
		kind, it = "may be", "it"
	}
	text := fmt.Sprintf("%s %s %s. Give %s with its %s.", coast.Quote(r.text), kind,
		strings.Join(names[:min(mostNamed, len(names))], "; "), it, with)
	return facts.Invalid("place", "ambiguous", "%s", present(" ", text, larger))
}

// refused returns the error for a name that no station answers for.
func (r resolver) refused(m locate.Meaning) error {
	e := coast.Errorf(coast.StationNotFound, "%s%s Coverage: %s.", m.Refusal, r.point(), coverage)
	e.Issues = []coast.Issue{{Path: "place", Code: "unknown", Message: e.Message}}
	return e
}

// point returns a sentence on what operations about any point take, or "".
func (r resolver) point() string {
	if r.does == anyStation {
		return " For another point, give latitude and longitude."
	}
	return ""
}

// unfit returns sentences about a station that has the name, or words of it, and that the filter
// excludes, and the nearest one that it accepts. They are empty without such a station. Own reports
// whether the station has the name.
func unfit(fs facts.Set, name string, can stations.Filter) (text string, own bool) {
	named := fs.Stations.Find(name, nil)
	if len(named) == 0 || named[0].Match == stations.Fuzzy || can(named[0].Station) {
		return "", false
	}
	at, which := named[0], "a similar"
	if own = begins(at, name); own {
		which = "that"
	}
	text = fmt.Sprintf(" %s (%s) has %s name and is of another kind.", at.ID,
		locate.Label(at.Station), which)
	if near := fs.Stations.Nearest(at.Latitude, at.Longitude, 1, can); ofPoints.covers(near) {
		n := near[0]
		text += fmt.Sprintf(" The nearest of the wanted kind is %s (%s), %.1f km away.", n.Station.ID,
			locate.Label(n.Station), n.Kilometers)
	}
	return text, own
}

// answered returns at most five of the names: those that resolve. The others would be refused
// if the caller took them.
func (r resolver) answered(names []string) []string {
	const most = 5
	if r.again {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(names[:min(most, len(names))]), func(name string) bool {
		suggestion := r
		suggestion.text, suggestion.again = name, true
		_, err := suggestion.resolve()
		return err != nil
	})
}

// unknown returns the error for a name that no place or station has.
func (r resolver) unknown(similar []string) error {
	text, own := unfit(r.fs, r.text, r.can)
	if similar = r.answered(similar); !own && len(similar) > 0 {
		text = fmt.Sprintf(" Similar names: %s.", strings.Join(similar, "; "))
	}
	if isZIP(r.text) {
		text = " A ZIP code counts within 40 km of a station."
	}
	kind := " that " + r.does
	if r.does == anyStation {
		kind, text = "", text+r.point()
	}
	e := coast.Errorf(coast.StationNotFound, "No place or station%s is named %s.%s Coverage: %s.",
		kind, coast.Quote(r.text), text, coverage)
	e.Issues = []coast.Issue{{Path: "place", Code: "unknown", Message: e.Message}}
	return e
}
