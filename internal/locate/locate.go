// Package locate reads the names of places as people write them, and finds the stations and the
// places that have them. All front ends resolve names with it.
//
// Every word of a name is accounted for. The part behind the last comma is known as a whole: a
// state, a country, a part of one, or a place near the first part. If it is not, or if a name is
// of a place for which no station can answer, the meaning has a refusal that says so. Which
// station answers for a place, and how far it may be, is decided by the caller.
package locate

import (
	"fmt"
	"slices"
	"strings"

	"leadline/internal/coast"
	"leadline/internal/places"
	"leadline/internal/stations"
	"leadline/internal/words"
)

// The longest names that are read. NOAA's longest has 50 bytes and 13 words. Ours.
const (
	mostBytes = 256
	mostWords = 16
)

// Nearby limits the distance, in kilometers, of "Ocean Beach, San Francisco" from San Francisco.
// Two places of one name that are farther apart are two places. Ours.
const Nearby = 50

// TenTimes is the difference in rank of a place that has ten times the people of another.
const TenTimes = 1.0

// Meaning holds the stations and places that a name may mean, or why it means none.
type Meaning struct {
	Stations []stations.Found // that have the name, its words or its id, best first
	Places   []places.Match   // that have the name, the most likely first
	Main     bool             // the first of Stations answers for the islands that are named
	Abroad   []places.Area    // the areas abroad in which the name is, or none
	Larger   string           // a sentence about a far larger place of the name elsewhere, or empty

	// SimilarPlaces are filled only if no place has the name as written, and no part of a station's
	// name begins with it.
	SimilarPlaces []places.Match
	similar       func() []stations.Found // of SimilarStations; nil for none

	Refusal string // a sentence why nothing is meant, or empty

	// Inland are the towns of the name that no usable station is near, inland or abroad, the most
	// likely first. They come with a Refusal, for callers that need no more than a position.
	Inland []places.Match
}

// finder finds the meaning of a name.
type finder struct {
	d   *stations.Directory
	g   *places.Gazetteer
	can stations.Filter // nil accepts all stations
	// does describes a station that can accepts: "predicts tides", or "" for any.
	does string
}

// Find returns the meaning of a name among the stations that can accepts; nil accepts all. Does
// describes such a station in refusals: "predicts tides", or "" for any.
func Find(d *stations.Directory, text string, can stations.Filter, does string) Meaning {
	text = strings.TrimSpace(strings.ToValidUTF8(text, " "))
	name := words.Split(text)
	switch {
	case len(name) == 0:
		return Meaning{Refusal: fmt.Sprintf("%s has no letters: name a town, a water or a ZIP code.",
			coast.Quote(text))}
	case len(text) > mostBytes || len(name) > mostWords:
		return Meaning{Refusal: fmt.Sprintf("%s is too long: a name has at most %d words and %d bytes.",
			coast.Quote(text), mostWords, mostBytes)}
	}
	if st, ok := printed(d, text); ok && (can == nil || can(st)) {
		return Meaning{Stations: []stations.Found{{Station: st, Match: stations.ByID}}}
	}
	if latitude, longitude, ok := places.Pair(text); ok {
		return position(d, latitude, longitude)
	}
	return finder{d, places.Open(), can, does}.find(zipPlus4().ReplaceAllString(text, "$1"))
}

// zipPlus4 matches a ZIP code with the four digits of a delivery route, and zipBehind one that
// follows a name.
var (
	zipPlus4  = coast.Pattern(`\b(\d{5})-\d{4}\b`)
	zipBehind = coast.Pattern(`^(.*\pL)[\s,.]+(\d{5})$`)
)

// IsZIP reports whether a text has the form of a ZIP code.
func IsZIP(text string) bool {
	return len(text) == 5 && strings.Trim(text, "0123456789") == ""
}

// withZIP finds a name with its state that has a ZIP code behind it. The code must be that of an
// area near it.
func (f finder) withZIP(name, zip string) Meaning {
	m, area := f.find(name), f.g.Named([]string{zip}, "")
	if m.none() {
		return m
	}
	m.Places = slices.DeleteFunc(m.Places, func(p places.Match) bool {
		return !within(p.Latitude, p.Longitude, area)
	})
	m.Stations = slices.DeleteFunc(m.Stations, func(s stations.Found) bool {
		return !within(s.Latitude, s.Longitude, area)
	})
	if m.none() {
		return Meaning{Refusal: fmt.Sprintf("No place named %s is known near the ZIP code %s.",
			coast.Quote(name), zip)}
	}
	return m
}

// printed returns the station of an id, or of an id with the name as lists and completions print
// it: "8443970 (Boston, MA)", "8443970 Boston, MA".
func printed(d *stations.Directory, text string) (stations.Station, bool) {
	id, name, named := strings.Cut(text, " ")
	st, ok := d.Station(id)
	key := func(text string) string { return words.Key(words.Split(text)) }
	same := func(full string) bool { return key(full) == key(name) }
	return st, ok && (!named || same(st.Name) || same(Label(st)))
}

// find reads the part behind the last comma, and a ZIP code behind a state.
func (f finder) find(text string) Meaning {
	if parts := zipBehind().FindStringSubmatch(text); parts != nil {
		if _, state := words.CutState(words.Split(parts[1])); state != "" {
			return f.withZIP(parts[1], parts[2])
		}
		_, tail := cut(parts[1])
		if areas := places.AreasOf(words.Split(tail)); len(areas) > 0 && areas[0].Kind == places.Inland {
			return f.find(parts[1]) // ZIP codes inland are not known
		}
	}
	head, tail := cut(text)
	if tail == "" {
		return f.bare(head)
	}
	areas := places.AreasOf(words.Split(tail))
	switch {
	case len(areas) == 0:
		return f.near(text, head, tail)
	case areas[0].Kind == places.United:
		return f.find(head)
	case areas[0].Kind == places.State:
		return f.inState(head, areas[0].Code)
	case areas[0].Kind == places.Inland:
		return f.inland(words.Split(head), areas[0])
	}
	return f.abroad(head, areas)
}

// cut splits a name at its last comma. Parts without letters are left out.
func cut(text string) (head, tail string) {
	for {
		i := strings.LastIndexByte(text, ',')
		if i < 0 {
			return strings.TrimSpace(text), ""
		}
		head, tail = text[:i], strings.TrimSpace(text[i+1:])
		switch {
		case len(words.Split(head)) == 0:
			return tail, ""
		case len(words.Split(tail)) > 0:
			return strings.TrimSpace(head), tail
		}
		text = head
	}
}

// inState finds a name in a state.
func (f finder) inState(head, state string) Meaning {
	name := words.Split(head)
	text := head + ", " + state
	if _, n := words.StateOf(name); 0 < n && n < len(name) {
		text = head // with the state twice, no station has the whole name: Texas City, TX
	}
	m := f.named(text, f.g.Named(name, state), func(st stations.Station) bool {
		return st.State == state
	})
	part, area := cut(head)
	if len(m.Places) == 0 && area != "" {
		m.Places = in(state, f.nearPlace(part, area))
	}
	if m.none() {
		m.SimilarPlaces = f.g.Similar(name, state)
		if inland := inlandOf(name, state); inland != nil {
			return f.far(inland)
		}
	}
	return m
}

func in(state string, all []places.Match) []places.Match {
	return slices.DeleteFunc(all, func(m places.Match) bool { return m.State != state })
}

// named returns the stations of a text that keep accepts, and the places of that name.
func (f finder) named(text string, named []places.Match, keep stations.Filter) Meaning {
	m := Meaning{Places: named}
	kept := func(all []stations.Found, fuzzy bool) []stations.Found {
		return slices.DeleteFunc(all, func(s stations.Found) bool {
			return (s.Match == stations.Fuzzy) != fuzzy || keep != nil && !keep(s.Station)
		})
	}
	m.Stations = kept(f.d.Written(text, f.can), false)
	m.similar = func() []stations.Found { return kept(f.d.Find(text, f.can), true) }
	return m
}

// SimilarStations returns the stations that have the words with mistakes, or inside others.
func (m Meaning) SimilarStations() []stations.Found {
	if m.similar == nil {
		return nil
	}
	return m.similar()
}

func (m Meaning) none() bool { return len(m.Stations)+len(m.Places) == 0 }

// near finds a name whose last part is not an area: it is a place near the first part, or a part
// of the name of a station.
func (f finder) near(text, head, tail string) Meaning {
	m := f.named(text, f.nearPlace(head, tail), nil)
	m.Stations = slices.DeleteFunc(m.Stations, func(s stations.Found) bool {
		return s.Match == stations.ByWords && !hasWords(s.Station, words.Split(tail))
	})
	around := f.areaNamed(tail)
	if m.none() {
		for _, s := range f.d.Find(head, f.can) {
			if s.Match != stations.Fuzzy && within(s.Latitude, s.Longitude, around) {
				m.Stations = append(m.Stations, s)
			}
		}
	}
	switch {
	case !m.none():
	case len(around) == 0:
		m = Meaning{Refusal: fmt.Sprintf("%s in %s is not a state, a country or a place that is known.",
			coast.Quote(tail), coast.Quote(text))}
	default:
		at := around[0].String()
		if len(f.g.Named(words.Split(tail), "")) == 0 {
			at = coast.Quote(tail) // a county, and not the town of its name
		}
		m = Meaning{Refusal: fmt.Sprintf("No place named %s is known near %s.", coast.Quote(head), at)}
		m.Refusal += f.offer(f.g.Named(words.Split(head), ""))
	}
	return m
}

// hasWords reports whether a station's name has all words as they are.
func hasWords(st stations.Station, all []string) bool {
	has := strings.Fields(words.Key(words.Split(st.Name)))
	for _, w := range strings.Fields(words.Key(all)) {
		if !slices.Contains(has, w) && !strings.EqualFold(w, st.State) {
			return false
		}
	}
	return true
}

// areaNamed returns the places of the name of an area, such as a town or the county of a town.
func (f finder) areaNamed(tail string) []places.Match {
	name, state := words.CutState(words.Split(tail))
	if around := f.g.Named(name, state); len(around) > 0 {
		return around
	}
	if n := len(name) - 1; n > 0 && name[n] == "county" {
		return f.g.Named(name[:n], "")
	}
	return nil
}

// nearPlace returns the places of a name near a place of the other name.
func (f finder) nearPlace(head, tail string) []places.Match {
	around := f.areaNamed(tail)
	return slices.DeleteFunc(slices.Clone(f.g.Named(words.Split(head), "")),
		func(m places.Match) bool { return !within(m.Latitude, m.Longitude, around) })
}

func within(latitude, longitude float64, around []places.Match) bool {
	return slices.ContainsFunc(around, func(a places.Match) bool {
		return stations.Kilometers(latitude, longitude, a.Latitude, a.Longitude) <= Nearby
	})
}

// bare finds a name without a comma.
func (f finder) bare(text string) Meaning {
	name := words.Split(text)
	exact := meant(f.g.Named(name, ""))
	if len(exact) == 0 {
		if rest, state := words.CutState(name); state != "" {
			exact = f.g.Named(rest, state)
		}
	}
	m := f.named(text, exact, nil)
	if state := f.state(text, name, exact); state != "" {
		m.Refusal = state
		return m
	}
	titled := m.titled(name)
	if len(exact) == 0 && len(titled) == 0 {
		if areas := places.AreasOf(name); len(areas) > 0 {
			return f.area(m, text, areas[0])
		}
		far := beyond(name, nil)
		if far == nil && len(m.Stations) == 0 {
			far = beyond(places.WithoutGeneric(name), nil)
		}
		if far != nil && (far[0].Country != "" || !m.begins(text)) {
			return f.elsewhere(far, m.Stations)
		}
		if rest, areas := places.CutArea(name); len(areas) > 0 && len(m.Stations) == 0 {
			if areas[0].Kind == places.Inland {
				return f.inland(rest, areas[0])
			}
			if areas[0].Abroad() {
				return f.abroad(firstWords(text, len(rest)), areas)
			}
		}
	}
	if name := m.asked(name, titled); name != nil && !IsZIP(text) {
		m.Larger = f.larger(m, name)
	}
	if len(m.Places) == 0 && !m.begins(text) {
		rest, state := words.CutState(name)
		m.SimilarPlaces = f.g.Similar(rest, state)
		if inland := inlandOf(rest, state); m.none() && inland != nil {
			return f.far(inland)
		}
	}
	if rest, area := name[:len(name)-1], places.AreasOf(name[len(name)-1:]); m.none() &&
		len(area) > 0 && area[0].Kind == places.Inland {
		if inland := inlandOf(rest, area[0].Code); inland != nil {
			return f.far(inland) // Phoenix AZ
		}
	}
	return m
}

// meant returns the places of a name, or none if all are villages and a city elsewhere has it:
// nobody who says Sydney means that in Florida.
func meant(named []places.Match) []places.Match {
	if len(named) > 0 && named[0].Village && len(places.Beyond(words.Split(named[0].Name))) > 0 {
		return nil
	}
	return named
}

// state returns the refusal of the name of a state, or "" if it is none or if the state has a
// place of its name, as New York.
func (f finder) state(text string, name []string, named []places.Match) string {
	areas := places.AreasOf(name)
	if len(named) == 0 || len(areas) == 0 || areas[0].Kind != places.State ||
		slices.ContainsFunc(named, func(p places.Match) bool { return p.State == areas[0].Code }) {
		return ""
	}
	return fmt.Sprintf("%s is %s: name a town or a water in it.%s", coast.Quote(text),
		words.StateName(areas[0].Code), f.offer(named))
}

// offer returns a sentence that names the first of the places with a usable station nearby, or "".
func (f finder) offer(all []places.Match) string {
	for _, p := range all {
		near := f.d.Nearest(p.Latitude, p.Longitude, 1, f.can)
		if len(near) > 0 && near[0].Kilometers <= Nearby {
			return fmt.Sprintf(" There is also %s.", p)
		}
	}
	return ""
}

// asked returns the name whose larger bearers count: that of the places, which may lack a generic
// word of the query, or the query itself. It is nil if the query has a state, or if only stations
// abroad have the name.
func (m Meaning) asked(name []string, titled []stations.Found) []string {
	switch {
	case len(m.Places) > 0 && m.Places[0].Kind != places.ZIP:
		if _, state := words.CutState(name); state == m.Places[0].State {
			return nil
		}
		return words.Split(m.Places[0].Name)
	case len(titled) > 0 && titled[0].Country() == "":
		return name
	}
	return nil
}

// firstWords returns the first n words of a text as they are written.
func firstWords(text string, n int) string {
	if all := strings.Fields(text); len(all) == len(words.Split(text)) {
		return strings.Join(all[:n], " ")
	}
	return strings.Join(words.Split(text)[:n], " ")
}

// titled returns the stations that have the whole name, or a title that is the name.
func (m Meaning) titled(name []string) []stations.Found {
	key := words.Key(name)
	return slices.DeleteFunc(slices.Clone(m.Stations), func(s stations.Found) bool {
		first, _, _ := strings.Cut(s.Name, ",")
		_, bracketed, _ := strings.Cut(first, "(")
		before, _, _ := strings.Cut(first, "(")
		same := func(text string) bool { return words.Key(words.Split(text)) == key }
		id := s.Match == stations.ByID && len(key) > 2 // its beginning; two letters are a state
		return !(s.Match == stations.ByAlias || id || same(s.Name) || same(first) || same(before) ||
			same(bracketed))
	})
}

// LargestFirst returns the stations with those near the first place before the others, if it is a
// big town with ten times the people of the other places and the first station is far from it:
// Long Beach is in California, and not in Maryland. A smaller place with a station of its name,
// as Astoria, OR, remains before words of the name at the larger one.
func (m Meaning) LargestFirst() []stations.Found {
	if len(m.Stations) == 0 || len(m.Places) == 0 || m.Places[0].Rank < places.BigTown ||
		len(m.Places) > 1 && m.Places[1].Rank > m.Places[0].Rank-TenTimes {
		return m.Stations
	}
	isNear := func(s stations.Found, to []places.Match) bool {
		return within(s.Latitude, s.Longitude, to)
	}
	var near, rest []stations.Found
	for _, s := range m.Stations {
		if isNear(s, m.Places[:1]) {
			near = append(near, s)
		} else {
			rest = append(rest, s)
		}
	}
	first := m.Stations[0]
	if first.Match == stations.ByID || isNear(first, m.Places[:1]) ||
		isNear(first, m.Places) && !slices.ContainsFunc(near, exact) {
		return m.Stations
	}
	return append(near, rest...)
}

// begins reports whether a part of the name of a station begins with a text.
func (m Meaning) begins(text string) bool {
	return slices.ContainsFunc(m.Stations, func(s stations.Found) bool { return Begins(s.Name, text) })
}

// Beaches returns the beaches with the name of a place, if a text has that name and no other word:
// Rehoboth Beach for Rehoboth.
func Beaches(text string, of places.Place) []places.Match {
	name := words.Split(of.Name)
	if words.Key(words.Split(text)) != words.Key(name) {
		return nil
	}
	return places.Open().Named(append(name, "beach"), "")
}

// Begins reports whether a part of a name, between commas or brackets, begins with the words of a
// query, or parts one after the other have them: "Seattle Elliott Bay" and "Elliott Bay, WA" fit
// "Seattle, Elliott Bay". Chicago does not fit Port Chicago, Cork not Corkscrew Slough, and North
// Island not "Folly River, North, Folly Island".
func Begins(name, query string) bool {
	rest, _ := words.CutState(words.Split(query))
	return begins(partsOf(name), strings.Fields(words.Key(rest)))
}

// HasPart reports whether a part of a name, between commas or brackets, is that of a query.
func HasPart(name, query string) bool {
	typed, _ := words.CutState(words.Split(query))
	return slices.ContainsFunc(partsOf(name), func(part string) bool {
		return words.Key(words.Split(part)) == words.Key(typed)
	})
}

func partsOf(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune(",()", r) })
}

func begins(parts, typed []string) bool {
	for i, part := range parts {
		has := strings.Fields(words.Key(words.Split(part)))
		n := min(len(has), len(typed))
		if n > 0 && slices.Equal(has[:n], typed[:n]) &&
			(n == len(typed) || begins(parts[i+1:], typed[n:])) {
			return true
		}
	}
	return false
}

// larger returns a sentence about the country of a name, or about the largest place inland or
// abroad that has it and ten times the people of the first of the places. A station whose name is
// that of no town here does not have any.
func (f finder) larger(m Meaning, name []string) string {
	for _, a := range places.AreasOf(name) {
		if a.Kind == places.Country || a.Kind == places.Islands {
			return fmt.Sprintf("%s is also a country. %s", a.Name, f.there(a, nil))
		}
	}
	far := places.Beyond(name)
	switch {
	case len(far) == 0 || len(m.Places) == 0 && far[0].Country == "" ||
		len(m.Places) > 0 && far[0].Rank < m.Places[0].Rank+TenTimes:
		return ""
	case far[0].Country != "" && f.reaches(far[0]):
		return fmt.Sprintf("The largest is %s: write its country.", far[0])
	}
	return fmt.Sprintf("The largest, %s, has no station%s.", far[0], f.that(1))
}

// beyond returns the places of a name inland and abroad that keep accepts.
func beyond(name []string, keep func(places.Place) bool) []places.Place {
	var found []places.Place
	for _, p := range places.Beyond(name) {
		if keep == nil || keep(p) {
			found = append(found, p)
		}
	}
	return found
}

// inlandOf returns the inland places of a name in a state; none if the state is empty.
func inlandOf(name []string, state string) []places.Place {
	return beyond(name, func(p places.Place) bool { return state != "" && p.State == state })
}

// elsewhere returns the meaning of a name that only places inland and abroad have, the largest
// first. The refusal names one of the stations here that have words of it.
func (f finder) elsewhere(all []places.Place, here []stations.Found) Meaning {
	first := all[0]
	if first.Country == "" {
		return f.far(all)
	}
	areas := []places.Area{{Code: first.Country, Kind: places.Country,
		Name: places.CountryName(first.Country)}}
	m := f.abroad(first.Name, areas)
	if m.Refusal == "" {
		return m
	}
	if len(all) > 1 {
		m.Refusal = fmt.Sprintf("%s is %s. %s", coast.Quote(first.Name), list(all),
			f.there(areas[0], all))
	}
	m.Inland = matches(all)
	for _, s := range here {
		if s.Country() == "" && Begins(s.Name, first.Name) {
			m.Refusal += fmt.Sprintf(" A station begins with it: %s (%s).", s.ID, Label(s.Station))
			break
		}
	}
	return m
}

// list returns the names of at most three places.
func list(all []places.Place) string {
	const most = 3
	var names []string
	for _, p := range all[:min(most, len(all))] {
		names = append(names, p.String())
	}
	return strings.Join(names, ", or ")
}

// far refuses an inland town, and names the nearest coast.
func (f finder) far(inland []places.Place) Meaning {
	p := inland[0]
	text := fmt.Sprintf("%s is inland.", p)
	here := func(st stations.Station) bool { return st.Country() == "" && (f.can == nil || f.can(st)) }
	for _, n := range f.d.Nearest(p.Latitude, p.Longitude, 1, here) {
		text = fmt.Sprintf("%s is inland; the nearest coast is at %s, %.0f km away.", p,
			Label(n.Station), n.Kilometers)
	}
	return Meaning{Refusal: text, Inland: matches(inland)}
}

// matches returns places as matches of their whole name.
func matches(all []places.Place) []places.Match {
	var list []places.Match
	for _, p := range all {
		list = append(list, places.Match{Place: p})
	}
	return list
}

// inland finds a name in a state without a coast. It refuses one whose place is not near tidal
// water.
func (f finder) inland(name []string, area places.Area) Meaning {
	if near := f.g.Named(name, area.Code); len(near) > 0 {
		return Meaning{Places: near}
	}
	if found := inlandOf(name, area.Code); found != nil {
		return f.far(found)
	}
	return Meaning{Refusal: fmt.Sprintf("%s has no coast, and no large town named %s is known in it.",
		area.Name, coast.Quote(strings.Join(name, " ")))}
}

// area returns the meaning of the name of an area alone, given what has words of it.
func (f finder) area(m Meaning, text string, a places.Area) Meaning {
	switch {
	case a.Kind == places.State || a.Kind == places.United || a.Kind == places.Inland:
		name := a.Name
		if a.Kind == places.State {
			name = words.StateName(a.Code)
		}
		m.Refusal = fmt.Sprintf("%s is %s: name a town or a water in it.", coast.Quote(text), name)
		return m
	case a.Kind == places.Part:
		return f.abroad(text, []places.Area{a})
	}
	return f.country(a)
}
