package place

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"leadline/internal/coast"
	"leadline/internal/facts"
	"leadline/internal/locate"
	"leadline/internal/places"
	"leadline/internal/stations"
	"leadline/internal/waters"
	"leadline/internal/words"
)

// Resolve returns the station for a place. If a station has the name, it returns that
// station; otherwise it returns the station nearest to the place of that name, as searches
// do. If several places with the name are about equally likely, the error lists them with
// their states. It never returns a station for a similar name.
func (r Resolver) Resolve() (Resolved, error) {
	does := r.Does
	if does == anyStation {
		does = ""
	}
	r.chosen = map[places.Place]waters.Choice{} // of this water
	m := locate.Find(r.Facts.Stations, r.Text, r.Can, does)
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
		return Resolved{}, r.refused(m)
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
		return Resolved{}, r.refused(locate.Meaning{Refusal: TooFar(r.Facts, at, "station that "+r.Does,
			r.Within, r.stationsNear(at)) + " " + m.Larger})
	}
	return r.nearest(m.Places[0])
}

// reachable returns the places that have a usable station: currents of the Golden Gate are not
// those of a town inland.
func (r Resolver) reachable(named []places.Match) []places.Match {
	return slices.DeleteFunc(slices.Clone(named), func(at places.Match) bool {
		return !r.answers(r.choose(at))
	})
}

// byWater resolves the name of a place with a word for one of its waters behind it, if neither a
// place nor the name of a station has the whole: the Cooper River is not that of Cooper City. The
// error is that of a place without such a water.
func (r Resolver) byWater(m locate.Meaning) (out Resolved, ok bool, err error) {
	if len(m.Places) > 0 {
		return out, false, nil
	}
	place, word, side := waters.Cut(r.Text)
	counts := r.Within.Along > 0 || r.Does == anyStation // of currents, no water is chosen
	if side == "" || r.again || !counts || r.water != "" && r.water != side ||
		slices.ContainsFunc(m.Stations, func(f stations.Found) bool {
			return strings.Contains(strings.ToLower(f.Name), head(place)+" "+word)
		}) {
		return out, false, nil
	}
	cut := r
	cut.Text, cut.water, cut.again = place, side, true
	_, _, pair := places.Pair(place)
	if out, err = cut.Resolve(); err != nil {
		cut.water = ""
		without, _ := cut.Resolve()
		return out, pair || without.has(place) && len(m.Stations) == 0, err
	}
	out.Place.Place.Asked = coast.Clip(r.Text)
	if waters.InNames(word) && !pair && !cut.chooses(out) {
		return out, false, nil
	}
	return out, pair || IsZIP(place) || out.has(place), nil
}

// chooses reports whether the place of a result has two waters to choose from.
func (r Resolver) chooses(out Resolved) bool {
	if out.Point == nil || out.Point.Kind == "" {
		return false // a station
	}
	const near = 15 // km: Klamath River is not another river, 48 km away
	c := waters.Choose(r.Facts.Stations, out.Point.Place, r.Can, "")
	return (c.Faces || c.Other != nil) && *out.Place.Place.DistanceKm <= near
}

// abroad resolves the name of a station abroad, or of islands.
func (r Resolver) abroad(m locate.Meaning) (Resolved, error) {
	if len(m.Stations) > 1 && !m.Main {
		return Resolved{}, r.ambiguous(labels(m.Stations), "id", "")
	}
	out, err := r.named(m.Stations[0], nil)
	if err == nil && len(m.Stations) > 1 {
		out.From.Notes = append(out.From.Notes, fmt.Sprintf("Other stations there: %s.",
			strings.Join(labels(m.Stations[1:]), "; ")))
	}
	return out, err
}

// byPlace resolves the name of one or more places. Those with up to ten times the people of
// another are about as likely.
func (r Resolver) byPlace(named []places.Match, m locate.Meaning) (Resolved, error) {
	named = r.withBeaches(named)
	at := named[0]
	others := Farther(named[1:], at.Latitude, at.Longitude)
	ask := len(others) > 0 && others[0].Rank >= at.Rank-locate.TenTimes
	all := append([]places.Match{at}, others...)
	names := strings.Split(Listed(all), "; ")
	own := hasName(m.Stations)
	if own != nil {
		away := Farther(all, own.Latitude, own.Longitude)
		ask = ask || len(away) > 0 && away[0] == at
	}
	names = append(names, r.stationsApart(m.Stations, all, names)...)
	switch {
	case ask || m.Larger != "":
		with := "state"
		if _, state := words.CutState(words.Split(r.Text)); state != "" {
			with = "town or id"
		}
		return Resolved{}, r.ambiguous(names, with, m.Larger)
	case own != nil && r.water == "" && r.ownAnswers(own.Station, at):
		return r.named(*own, &at)
	case strings.Contains(strings.ToLower(r.Text), "beach") && !strings.Contains(at.Name, "Beach"):
		return r.beachOf(at)
	}
	return r.nearest(at)
}

// ownAnswers reports whether the station of the name of a place answers for it: it is on its water,
// as that at Vero Beach on the lagoon is not, and hardly farther than the one that would answer
// otherwise, or has its tide. Corpus Christi has a station on the Gulf, 30 km from the town.
func (r Resolver) ownAnswers(own stations.Station, at places.Match) bool {
	return r.Within.Along == 0 || OwnStation(r.Facts, r.choose(at), own, at)
}

// OwnStation is ownAnswers for a choice of water.
func OwnStation(fs facts.Set, c waters.Choice, own stations.Station, at places.Match) bool {
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
func (r Resolver) beachOf(at places.Match) (Resolved, error) {
	if r.Within.Along == 0 {
		return r.nearest(at)
	}
	if !r.faces(at) {
		return Resolved{}, r.refused(locate.Meaning{Refusal: fmt.Sprintf("No place is named %s. %s does "+
			"not face the open sea: ask for it by its own name if you mean it.", coast.Quote(r.Text), at)})
	}
	r.water, r.chosen = waters.AtSea, map[places.Place]waters.Choice{}
	return r.nearest(at)
}

// faces reports whether a place lies at the open sea: a station of its name may lie behind it.
func (r Resolver) faces(at places.Match) bool {
	_, faces := waters.FrontOf(at.Place)
	return faces && r.Within.Along > 0
}

// inlandFrom is the distance, in kilometers, of the usable station from which on the place of a
// name is asked for if a beach has the name: Rehoboth, MA, and Rehoboth Beach, DE. Ours.
const inlandFrom = 10

// withBeaches adds the beaches of the name of a place that is not at the water behind it, however
// likely they are: Monmouth, ME, is never read as Monmouth Beach, NJ, without a question.
func (r Resolver) withBeaches(named []places.Match) []places.Match {
	beaches := r.reachable(locate.Beaches(r.Text, named[0].Place))
	if len(beaches) == 0 || beaches[0].Name == named[0].Name ||
		r.stationsNear(named[0])[0].Kilometers < inlandFrom {
		return named
	}
	return append(slices.Clone(named), beaches...)
}

// byName resolves a name that is not the name of a place: the name of a station. For a similar
// name, the error lists what the caller may mean.
func (r Resolver) byName(m locate.Meaning) (Resolved, error) {
	found := r.beginning(m.Stations)
	names := r.firstOfStates(found)
	var similar []string
	if len(m.SimilarPlaces) > 0 {
		similar = strings.Split(Listed(m.SimilarPlaces), "; ")
	}
	switch {
	case len(names) > 1 || len(found) > 0 && m.Larger != "":
		return Resolved{}, r.ambiguous(names, "state", m.Larger)
	case len(found) > 0 && r.water != "":
		return r.nearest(places.Match{Place: places.Place{Name: locate.Label(found[0].Station),
			Latitude: found[0].Latitude, Longitude: found[0].Longitude}})
	case r.disagree(found):
		return Resolved{}, r.ambiguous(labels(found), "id", "")
	case len(found) > 0 && found[0].Match == stations.ByWords && len(r.longer()) > 0:
		return Resolved{}, r.ambiguous(append(r.longer(), labels(found[:1])...), "whole name or id", "")
	case len(found) > 0:
		return r.named(found[0], nil)
	case len(m.Stations) > 0:
		others := slices.DeleteFunc(r.firstOfStates(m.Stations), func(name string) bool {
			return slices.Contains(similar, name)
		})
		return Resolved{}, r.unknown(append(similar, others...))
	case len(similar) > 0:
		return Resolved{}, r.unknown(similar)
	}
	if name := places.WithoutPark(r.Text); name != r.Text {
		park := r
		park.Text = name
		if out, err := park.Resolve(); err != nil || out.Point == nil || out.has(name) {
			return out, err // else a place that lacks a word: Beverly, MA for Beverly Beach
		}
	}
	return Resolved{}, r.unknown(r.firstOfStates(m.SimilarStations()))
}

// disagree reports whether one of the stations that have a name equally well has another tide than
// the first: there are two Capers Islands in South Carolina.
func (r Resolver) disagree(found []stations.Found) bool {
	if len(found) == 0 || r.Within.Along == 0 || found[0].Match == stations.ByID {
		return false
	}
	first, known := waters.TideOf(r.Facts.Stations, found[0].Station)
	return known && slices.ContainsFunc(found, func(f stations.Found) bool {
		tide, ok := waters.TideOf(r.Facts.Stations, f.Station)
		return ok && waters.Differ(tide.Against(first)) &&
			(f.Match == found[0].Match || locate.HasPart(f.Name, r.Text) && farApart(f, found[0]))
	})
}

// beginning returns the stations that have the name, or that begin with its words.
func (r Resolver) beginning(found []stations.Found) []stations.Found {
	return slices.DeleteFunc(slices.Clone(found), func(f stations.Found) bool {
		return !begins(f, r.Text)
	})
}

// named resolves to a station that was found by its name. Place is the place of that name, or
// nil if there is none.
func (r Resolver) named(f stations.Found, place *places.Match) (Resolved, error) {
	name, distance := locate.Label(f.Station), ""
	var km *float64
	if place != nil {
		away := stations.Kilometers(place.Latitude, place.Longitude, f.Latitude, f.Longitude)
		name, km, distance = place.String(), &away, fmt.Sprintf(", %.1f km away", away)
	}
	note := fmt.Sprintf("%s"+coast.ReadAs+"%s (%s)%s.", coast.Quote(r.Text), f.ID,
		locate.Label(f.Station), distance)
	out := r.taken(f.Station, name, MatchNames[f.Match], km, note, r.Within.Warning())
	if place != nil {
		out = out.ofPlace(*place)
	} else if r.Within.Along > 0 {
		class, _ := waters.Of(f.ID)
		out.Place.Place.Water = class.Water
	}
	if place != nil && r.Within.Along > 0 {
		c := r.choose(*place).Answered(r.Facts.Stations, place.Place, r.Can, f.Station)
		out.Place.Place.describe(c)
		if c.Other != nil || c.Small {
			out.From.Notes = append(out.From.Notes, WaterNote(*place, c, r.Does)+chooseOther(*place, c))
		}
	}
	return out, nil
}

// nearest returns the station that answers for a place. A distant one has a warning first.
func (r Resolver) nearest(at places.Match) (Resolved, error) {
	c := r.choose(at)
	if !r.answers(c) {
		return Resolved{}, r.noWater(at, c)
	}
	st, km := c.First.Station, c.First.Kilometers
	note := fmt.Sprintf("%s: station %s (%s) is the nearest that %s, %.1f km away in a straight line.",
		at, st.ID, locate.Label(st), r.Does, km)
	if r.Within.Along > 0 {
		note = WaterNote(at, c, r.Does) + chooseOther(at, c)
	}
	out := r.taken(st, at.String(), "place", &km, note, r.distant(c)).ofPlace(at)
	out.Place.Place.describe(c)
	if at.Kind == places.ZIP {
		out.From.Notes = append(out.From.Notes, NoteZIP(at))
	}
	out.From.Sources = append(out.From.Sources, Source(r.Facts))
	return out, nil
}

// distant describes the water of a choice whose station is distant: that the tide of the open coast
// is the same on both sides of the place, or a warning.
func (r Resolver) distant(c waters.Choice) string {
	if c.First.Kilometers <= r.Within.Sure {
		return ""
	}
	a, ok := c.Agrees(r.Facts.Stations, r.Can)
	if !ok {
		return r.Within.Warning()
	}
	return fmt.Sprintf("the open coast agrees within %.0f min and %.0f %% between it and %s (%s), "+
		"%.0f km on the other side", math.Ceil(math.Abs(a.Minutes)),
		math.Ceil(100*math.Abs(a.Ratio-1)), a.Station.ID, locate.Label(a.Station), a.Kilometers)
}

// taken returns a station as the one that represents a place, with what distant says first if it is
// distant.
func (r Resolver) taken(
	st stations.Station, name, match string, km *float64, note, distant string,
) Resolved {
	warning := ""
	if km != nil && *km > r.Within.Sure {
		warning = distant
		note = fmt.Sprintf("%.0f km away: %s. %s", *km, warning, note)
	}
	if km != nil {
		tenths := facts.Tenths(*km)
		km = &tenths
	}
	return Resolved{
		ID: st.ID,
		Place: ForPlace{&NamedPlace{Asked: coast.Clip(r.Text), Name: name,
			Match: StationMatch(match), DistanceKm: km, warning: warning}},
		From: coast.Provenance{Notes: []string{note}},
	}
}
