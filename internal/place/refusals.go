package place

import (
	"fmt"
	"slices"
	"strings"

	"leadline/internal/coast"
	"leadline/internal/facts"
	"leadline/internal/locate"
	"leadline/internal/operation"
	"leadline/internal/places"
	"leadline/internal/stations"
	"leadline/internal/waters"
	"leadline/internal/words"
)

// Coverage describes where stations are.
const Coverage = "US coasts and territories, the Great Lakes, and NOAA's Pacific, Caribbean and " +

	"foreign reference stations"

// Outside returns a sentence about a place with no station nearby.
func Outside(what string, near []stations.Near) string {
	text := fmt.Sprintf("%s is outside coverage, which is %s.", what, Coverage)
	if len(near) > 0 {
		n := near[0]
		text += fmt.Sprintf(" The nearest such station is %s (%s), %.0f km away.", n.Station.ID,
			n.Station.Name, n.Kilometers)
	}
	return text
}

// TooFar returns sentences about a place with no station of the wanted kind nearby.
func TooFar(
	fs facts.Set, at places.Match, wanted string, within Reach, near []stations.Near,
) string {
	text := fmt.Sprintf("No %s lies within %.0f km of %s.", wanted, within.Most, at)
	if len(near) > 0 {
		n := near[0]
		text += fmt.Sprintf(" The nearest is %s (%s), %.0f km away.", n.Station.ID,
			locate.Label(n.Station), n.Kilometers)
	}
	closest := fs.Stations.Nearest(at.Latitude, at.Longitude, 1, nil)
	switch {
	case !OfPoints.Covers(closest): // only gauges of the Great Lakes are not embedded
		text += " On the Great Lakes NOAA predicts no tide, and which gauges are there is not known " +
			"until its metadata service responds."
	case stations.GreatLakes(closest[0].Station.ID):
		text += " On the Great Lakes NOAA predicts no tide: observed levels are what there is."
	}
	return text
}

// NoteZIP returns sentences about the position of one of several ZIP codes of a town, which is that
// of its area. The caller may mean one of the places nearby.
func NoteZIP(at places.Match) string {
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

// mostNamed limits the names that a refusal lists. Ours: all places named Long Beach.
const mostNamed = 8

// Listed returns the names of the first places, with their states. Those of one name in a state
// also have the name of a larger place nearby.
func Listed(named []places.Match) string {
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

// Source returns the source of the positions of places.
func Source(fs facts.Set) coast.Source {
	source := fs.Calculated("place-names", places.Attribution, "https://www.geonames.org/")
	// The packages do not say when their data was collected.
	source.SourceAt, source.AgeMinutes, source.Freshness = nil, nil, coast.Unknown
	return source
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

// longer returns the names of places that begin with the words of the text: Edisto Beach and Edisto
// Island for Edisto.
func (r Resolver) longer() []string {
	const most = 4
	typed := words.Split(r.Text)
	var named []places.Match
	for _, p := range places.Open().Beginning(typed, most) {
		if strings.HasPrefix(words.Key(words.Split(p.Name)), words.Key(typed)+" ") {
			named = append(named, places.Match{Place: p})
		}
	}
	if len(named) == 0 {
		return nil
	}
	return strings.Split(Listed(named), "; ")
}

// stationsApart returns the stations whose whole name was asked for that are far from all of the
// places. If a place has the same name, as Barview, OR, it gives the station its id, and the place,
// in names, its town.
func (r Resolver) stationsApart(
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
func (r Resolver) firstOfStates(found []stations.Found) []string {
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

// noWater returns the error for a place with no usable station on its water.
func (r Resolver) noWater(at places.Match, c waters.Choice) error {
	near := r.stationsNear(at)
	if r.Within.Along == 0 || len(near) == 0 || near[0].Kilometers > r.Within.Most {
		return r.outside(at, near)
	}
	of, within := "off the open coast", fmt.Sprintf("within %.0f km", r.Within.Most)
	switch {
	case c.Side == waters.AtSea && c.Faces:
		of, within = "of the open coast", fmt.Sprintf("within %.0f km along the coast", r.Within.Along)
	case c.Side == waters.AtSea:
		of, within = "of the open coast", fmt.Sprintf("within %d km", waters.Alternatives)
	}
	n := near[0]
	e := coast.Errorf(coast.StationNotFound, "No station %s that %s lies %s of %s. The nearest is %s "+
		"(%s), %.0f km away. Give its id if its water will do.", of, r.Does, within, at, n.Station.ID,
		locate.Label(n.Station), n.Kilometers)
	e.Issues = []coast.Issue{{Path: "place", Code: "outside", Message: e.Message}}
	return e
}

// outside returns the error for a place with no usable station nearby.
func (r Resolver) outside(at places.Match, near []stations.Near) error {
	e := coast.Errorf(coast.StationNotFound, "%s Coverage: %s.",
		TooFar(r.Facts, at, "station that "+r.Does, r.Within, near), Coverage)
	e.Issues = []coast.Issue{{Path: "place", Code: "outside", Message: e.Message}}
	return e
}

// ambiguous returns the error for a name that several places share: it asks for one with its
// state or id. A sentence about another place follows, or "".
func (r Resolver) ambiguous(names []string, with, larger string) error {
	kind, it := "names several places:", "one"
	if len(names) == 1 {
		kind, it = "may be", "it"
	}
	text := fmt.Sprintf("%s %s %s. Give %s with its %s.", coast.Quote(r.Text), kind,
		strings.Join(names[:min(mostNamed, len(names))], "; "), it, with)
	err := facts.Invalid("place", "ambiguous", "%s", operation.Join(" ", text, larger))
	if e, ok := coast.AsError(err); ok && strings.HasPrefix(with, "state") {
		return e.Choose(names[:min(mostNamed, len(names))])
	}
	return err
}

// refused returns the error for a name that no station answers for.
func (r Resolver) refused(m locate.Meaning) error {
	e := coast.Errorf(coast.StationNotFound, "%s%s Coverage: %s.", m.Refusal, r.point(), Coverage)
	e.Issues = []coast.Issue{{Path: "place", Code: "unknown", Message: e.Message}}
	return e
}

// point returns a sentence on what operations about any point take, or "".
func (r Resolver) point() string {
	if r.Does == anyStation {
		return " For another point, give latitude and longitude."
	}
	return ""
}

// Unfit returns sentences about a station that has the name, or words of it, and that the filter
// excludes, and the nearest one that it accepts. They are empty without such a station. Own reports
// whether the station has the name.
func Unfit(fs facts.Set, name string, can stations.Filter) (text string, own bool) {
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
	if near := fs.Stations.Nearest(at.Latitude, at.Longitude, 1, can); OfPoints.Covers(near) {
		n := near[0]
		text += fmt.Sprintf(" The nearest of the wanted kind is %s (%s), %.1f km away.", n.Station.ID,
			locate.Label(n.Station), n.Kilometers)
	}
	return text, own
}

// answered returns at most five of the names: those that resolve. The others would be refused
// if the caller took them.
func (r Resolver) answered(names []string) []string {
	const most = 5
	if r.again {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(names[:min(most, len(names))]), func(name string) bool {
		suggestion := r
		suggestion.Text, suggestion.again = name, true
		_, err := suggestion.Resolve()
		return err != nil
	})
}

// unknown returns the error for a name that no place or station has.
func (r Resolver) unknown(similar []string) error {
	text, own := Unfit(r.Facts, r.Text, r.Can)
	if similar = r.answered(similar); !own && len(similar) > 0 {
		text = fmt.Sprintf(" Similar names: %s.", strings.Join(similar, "; "))
	}
	if IsZIP(r.Text) {
		text = " A ZIP code counts within 40 km of a station."
	}
	kind := " that " + r.Does
	if r.Does == anyStation {
		kind, text = "", text+r.point()
	}
	e := coast.Errorf(coast.StationNotFound, "No place or station%s is named %s.%s Coverage: %s.",
		kind, coast.Quote(r.Text), text, Coverage)
	e.Issues = []coast.Issue{{Path: "place", Code: "unknown", Message: e.Message}}
	return e
}
