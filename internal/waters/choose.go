package waters

import (
	"math"
	"slices"
	"strings"

	"leadline/internal/coast"
	"leadline/internal/places"
	"leadline/internal/stations"
)

// Side is one of the two waters of a place.
type Side string

// The sides of a coast.
const (
	AtSea  Side = "ocean"
	Inside Side = "inside"
)

// The greatest distances of a station that answers for a place, in kilometers: along the open
// coast, and in a straight line elsewhere. Ours.
const (
	MostAlong  = 60
	MostInside = 50
)

// Alternatives limits the distance, in kilometers, of the other water that an answer names, and of
// the open sea from a place that does not face it. Ours.
const Alternatives = 15

// Option is a station that may answer for a place.
type Option struct {
	stations.Near
	Class
	Coast bool    // it is of the open coast that the place faces
	Shore float64 // kilometers from that shore of the place
	Along float64 // kilometers from that shore over water; 0 if that is not known
}

// Choice is the water that answers for a place, and the other one.
type Choice struct {
	Front Front
	Faces bool    // the open sea
	Side  Side    // of First
	First *Option // nil if no station is near enough
	Other *Option // of the other side, nil if its tide does not differ
	Small bool    // the range of First is so small that wind moves the water more
	// Minutes and Ratio are those of Other against First.
	Minutes, Ratio float64

	sea, inside *Option         // before they are compared
	most        float64         // distance of Other, in kilometers
	named       stations.Filter // accepts stations with the name of the place
}

// Choose returns the station that answers for a place: the nearest one on the same water, among
// those that can accepts. Want is the side that was asked for, or empty.
func Choose(d *stations.Directory, at places.Place, can stations.Filter, want Side) Choice {
	out := Choice{Side: Inside, most: Alternatives, named: namedLike(at.Name)}
	out.Front, out.Faces = FrontOf(at)
	out.inside, out.sea = out.bestInside(d, at, can, want), out.bestAtSea(d, at, can)
	if here := under(d, at, can); here != nil && want == "" {
		return out.answered(d, here)
	}
	out.First, out.Other = out.inside, out.sea
	if want == AtSea || want == "" && out.isAtSea(at) {
		out.Side, out.First, out.Other = AtSea, out.sea, out.inside
	} else if out.Faces && want == "" && out.First != nil && out.First.Water == Ocean {
		// The nearest station is the sea's, as at Navarre, whose name that has.
		out.inside = out.bestInside(d, at, can, Inside)
		out.Side, out.Other = AtSea, out.inside
	}
	out.compare(d)
	out.findOther(d, at, can)
	return out
}

// findOther names the nearest station with another tide if the first option may be of other water
// than the place, and this one is about as likely.
func (c *Choice) findOther(d *stations.Directory, at places.Place, can stations.Filter) {
	if c.First == nil || c.Other != nil {
		return
	}
	within, water := c.doubt(at)
	if within == 0 {
		return
	}
	c.most = within
	for _, n := range nearest(d, Point{at.Latitude, at.Longitude}, can, water) {
		if n.Station.ID == c.First.Station.ID {
			continue
		}
		class, _ := Of(n.Station.ID)
		c.Other = &Option{Near: n, Class: class}
		if c.compare(d); c.Other != nil || n.Kilometers > within {
			return
		}
	}
}

// doubt returns within how many kilometers and on which water another station may answer as well as
// the first option; 0 for none. The distances are ours.
func (c Choice) doubt(at places.Place) (within float64, water stations.Filter) {
	km, outer := c.First.Kilometers, c.First.Water.Open()
	every := func(stations.Station) bool { return true }
	open := func(s stations.Station) bool {
		class, _ := Of(s.ID)
		return class.Water.Open()
	}
	inner := func(s stations.Station) bool { return !open(s) }
	switch {
	case at.Kind == places.ZIP: // its center may be 20 km from its town
		return 30, every
	case c.Faces && c.First.Water == Inlet: // the sea outside of it, as at Lincoln City
		return 30, open
	case !c.Faces && outer && km <= nearby:
		return Alternatives, inner
	case !c.Faces && outer && km <= 25: // the lagoon behind it, as at Port Mansfield
		return km + 30, inner
	case !c.First.Coast && !outer && km > 25: // land may lie between, as at Palacios
		return km + 5, every
	}
	return 0, nil
}

// HasSides reports whether Other is of the other side of the coast, which may be asked for.
func (c Choice) HasSides() bool {
	return c.Other != nil && (c.Other == c.sea || c.Other == c.inside)
}

// isAtSea reports whether the open sea answers for a place. A beach whose coast has no station has
// none; a town there is answered from its harbor. A town that faces a sound with a near station is
// answered from there (Front.Inside).
func (c Choice) isAtSea(at places.Place) bool {
	return c.Faces && !c.Front.Inside &&
		(c.sea != nil || c.inside == nil || strings.Contains(at.Name, "Beach"))
}

// Bare reports whether the place faces the open sea, and no station of that coast can be used.
func (c Choice) Bare() bool { return c.Faces && c.sea == nil }

// OffCoast reports whether the station that answers for a place at the open sea has another tide
// than that, of which no station is near: at St. George Island the bay is 52 minutes later.
func (c Choice) OffCoast() bool {
	return c.Faces && c.Side == Inside && c.Other == nil && c.First.Ratio > 0 &&
		Differ(c.First.Minutes, c.First.Ratio)
}

// Across reports whether a station of the open coast answers for a place that does not face it:
// the lagoon at Titusville has no station, and the coast is 30 km away.
func (c Choice) Across() bool {
	return !c.Faces && c.First.Water == Ocean && c.First.Kilometers > nearby
}

// The open coast between two stations has the tide of both if these differ by less. Ours.
const (
	agreeMinutes = 20
	agreeRatio   = 1.15
)

// Agreement is the tide of the open coast on both sides of a place.
type Agreement struct {
	stations.Near          // the station on the other side, and its distance from the shore
	Minutes, Ratio float64 // of its tide against that of the first option
}

// Agrees returns the nearest station of the open coast on the other side of a place from the first
// option, and whether its tide agrees with that: a distance alone does not say how far the tide of
// the coast is known.
func (c Choice) Agrees(d *stations.Directory, can stations.Filter) (a Agreement, ok bool) {
	if c.First == nil || !c.First.Coast || c.First.Water != Ocean {
		return a, false
	}
	shore, first := c.Front.Shore, c.First.Station
	tide, known := TideOf(d, first)
	for _, n := range nearest(d, shore, can, func(s stations.Station) bool {
		class, _ := Of(s.ID)
		return class.Water == Ocean && opposite(shore, first, s)
	}) {
		other, also := TideOf(d, n.Station)
		if !known || !also || n.Kilometers > MostAlong {
			continue
		}
		minutes, ratio := other.Against(tide)
		return Agreement{n, minutes, ratio}, math.Abs(minutes) <= agreeMinutes &&
			ratio < agreeRatio && ratio > 1/agreeRatio
	}
	return a, false
}

// opposite reports whether two stations lie in directions from a point that differ by over 120
// degrees.
func opposite(from Point, a, b stations.Station) bool {
	shrink := math.Cos(from.Latitude * math.Pi / 180)
	ax, ay := (a.Longitude-from.Longitude)*shrink, a.Latitude-from.Latitude
	bx, by := (b.Longitude-from.Longitude)*shrink, b.Latitude-from.Latitude
	return ax*bx+ay*by < -math.Hypot(ax, ay)*math.Hypot(bx, by)/2
}

// Answered returns the choice with the station of the name of the place in the place of its first.
func (c Choice) Answered(
	d *stations.Directory, at places.Place, can stations.Filter, own stations.Station,
) Choice {
	class, _ := Of(own.ID)
	near := stations.Near{Station: own, Kilometers: away(at, own)}
	out := c.answered(d, &Option{Near: near, Class: class})
	out.findOther(d, at, can)
	return out
}

// answered returns the choice with another first option, which is on the side of its water.
func (c Choice) answered(d *stations.Directory, first *Option) Choice {
	c.Side, c.First, c.Other = Inside, first, c.sea
	if first.Water == Ocean {
		c.Side, c.Other = AtSea, c.inside
	}
	c.compare(d)
	return c
}

// under returns the station at a position, which has no state, or nil.
func under(d *stations.Directory, at places.Place, can stations.Filter) *Option {
	const km = 1
	if at.State != "" || at.Country != "" || at.Kind == places.ZIP {
		return nil
	}
	o := best(d.Nearest(at.Latitude, at.Longitude, 1, can), func(stations.Near, Class) float64 {
		return 0
	})
	if o == nil || o.Kilometers > km {
		return nil
	}
	return o
}

// Near reports whether a station answers for the place.
func (c Choice) Near() bool { return c.Within(MostInside, MostAlong) }

// Within reports whether the station that answers is within a distance of the place, or along the
// open coast from its shore, both in kilometers.
func (c Choice) Within(inside, along float64) bool {
	switch {
	case c.First == nil:
		return false
	case c.First.Coast:
		return max(c.First.Along, c.First.Shore) <= along
	}
	return c.First.Kilometers <= inside
}

// bestInside returns the best station of the place itself. If the open sea answers for the place or
// is not wanted, it is not one of the ocean.
func (c Choice) bestInside(
	d *stations.Directory, at places.Place, can stations.Filter, want Side,
) *Option {
	ocean := want == "" && (!c.Faces || c.Front.Inside)
	near := nearest(d, Point{at.Latitude, at.Longitude}, can, func(s stations.Station) bool {
		class, _ := Of(s.ID)
		return (ocean || class.Water != Ocean) && (at.Country == "" || s.Country() == at.Country)
	})
	return best(near, func(n stations.Near, class Class) float64 {
		return n.Kilometers + insidePenalty(n, class, c.named)
	})
}

// nearest returns stations near a point that both functions accept, the nearest first. The
// functions take longer than a distance, so they are asked for the nearest stations first.
func nearest(d *stations.Directory, from Point, can, water stations.Filter) []stations.Near {
	const few = 8
	accepts := func(s stations.Station) bool {
		return s.Kind != stations.Current && water(s) && (can == nil || can(s))
	}
	var accepted []stations.Near
	for _, n := range d.Nearest(from.Latitude, from.Longitude, 3*few, nil) {
		if accepts(n.Station) {
			accepted = append(accepted, n)
		}
		if len(accepted) == few {
			return accepted
		}
	}
	return d.Nearest(from.Latitude, from.Longitude, few, accepts)
}

// insidePenalty returns by how many kilometers a station counts as farther from a place: constants
// of its own and the name of the place bring it nearer; a river some way off is not that of the
// place. Ours.
func insidePenalty(n stations.Near, class Class, named stations.Filter) float64 {
	const ownRiver = 3 // km
	km := 0.0
	if n.Station.Subordinate() {
		km++
	}
	switch {
	case class.Water == Ocean:
		km += 2
	case class.Water == River && n.Kilometers > ownRiver:
		km += 1.5
	}
	if named(n.Station) {
		km -= 2.5
	}
	return km
}

// bestAtSea returns the station of the open coast of a place: that of its front, or the nearest to
// its shore that can be used. If none is near by way over water, the result is nil: Cape Cod Bay is
// not the ocean off Chatham. A place without a front has the sea near it, if at all.
func (c Choice) bestAtSea(d *stations.Directory, at places.Place, can stations.Filter) *Option {
	from, most := Point{at.Latitude, at.Longitude}, float64(Alternatives)
	if c.Faces {
		from, most = c.Front.Shore, MostAlong
		s, ok := d.Station(c.Front.Station)
		if !ok {
			return nil
		}
		if can == nil || can(s) {
			return c.ofFront(at, s)
		}
	}
	near := nearest(d, from, can, func(s stations.Station) bool {
		class, _ := Of(s.ID)
		return class.Water.Open()
	})
	o := best(near, func(n stations.Near, class Class) float64 {
		return n.Kilometers + SeaPenalty(n.Station, class, at.Name)
	})
	if o == nil || o.Kilometers > most {
		return nil
	}
	if c.Faces {
		o.Coast, o.Shore, o.Kilometers = true, o.Kilometers, away(at, o.Station)
	}
	return o
}

// ofFront returns the station of the front of a place, unless it is too far for one of its water:
// the tide at Provincetown is not that of the ocean at Eastham, 58 km along the coast.
func (c Choice) ofFront(at places.Place, s stations.Station) *Option {
	class, _ := Of(s.ID)
	if c.Front.Along+SeaPenalty(s, class, at.Name) > MostAlong {
		return nil
	}
	near := stations.Near{Station: s, Kilometers: away(at, s)}
	return &Option{Near: near, Class: class, Coast: true, Along: c.Front.Along}
}

func away(at places.Place, s stations.Station) float64 {
	return stations.Kilometers(at.Latitude, at.Longitude, s.Latitude, s.Longitude)
}

// SeaPenalty returns by how many kilometers a station counts as farther from a shore of the open
// sea. Ours.
func SeaPenalty(s stations.Station, class Class, place string) float64 {
	km := 0.0
	if class.Water == Inlet {
		km += 3 + math.Abs(class.Minutes)/2 + 40*math.Abs(math.Log(class.Ratio))
	}
	if s.Subordinate() {
		km += 1.5
	}
	if class.Water == Ocean && namedLike(place)(s) {
		km -= 3
	}
	return km
}

// best returns the station with the lowest score.
func best(near []stations.Near, score func(stations.Near, Class) float64) *Option {
	var out *Option
	least := math.Inf(1)
	for _, n := range near {
		class, _ := Of(n.Station.ID)
		if s := score(n, class); s < least {
			out, least = &Option{Near: n, Class: class}, s
		}
	}
	return out
}

// compare reports a small tide, and leaves out the other water if it is too far, the same, or its
// tide does not differ. A much nearer station with the name of the place is named if its tide is
// not alike.
func (c *Choice) compare(d *stations.Directory) {
	other := c.Other
	c.Other = nil
	if c.First == nil {
		return
	}
	first, known := TideOf(d, c.First.Station)
	c.Small = known && first.Small()
	if other == nil || other.Station.ID == c.First.Station.ID ||
		!other.Coast && other.Kilometers > c.most {
		return
	}
	second, also := TideOf(d, other.Station)
	if !known || !also {
		return
	}
	m, r := second.Against(first)
	own := c.named(other.Station) && other.Kilometers < c.First.Kilometers/2
	if Differ(m, r) || own && !Alike(m, r) {
		c.Other, c.Minutes, c.Ratio = other, m, r
	}
}

// namedLike returns a function that reports whether a station has the name of a place in its own.
func namedLike(place string) stations.Filter {
	place = strings.TrimSuffix(fold.Replace(strings.ToLower(place)), " city")
	return func(s stations.Station) bool { return strings.Contains(strings.ToLower(s.Name), place) }
}

var fold = strings.NewReplacer("ü", "u", "ó", "o", "á", "a", "é", "e", "í", "i", "ñ", "n", "‘", "",
	"ā", "a", "ē", "e", "ī", "i", "ō", "o", "ū", "u")

// Words that ask for one of the waters of a place, at the end of its name or of the whole text.
const asked = `(ocean|oceanside|oceanfront|surf|gulf|lagoon|river|waterway|icw|bay|bayside|sound|` +
	`soundside|harbor|inlet|inside)`

var (
	behindName = coast.Pattern(`(?i)^(.*[\pL\d]) ` + asked + `((?:, *| +)[\pL .]+)?$`)
	behindAll  = coast.Pattern(`(?i)^(.*[\pL\d]) ` + asked + `()$`)
)

// Cut separates the word that asks for a water from the name of a place: "Myrtle Beach waterway",
// "Vero Beach lagoon, FL" and "Vero Beach, FL lagoon". Word and side are empty without such a word.
func Cut(text string) (place, word string, side Side) {
	text = strings.TrimSpace(text)
	m := behindAll().FindStringSubmatch(text)
	if m == nil {
		m = behindName().FindStringSubmatch(text)
	}
	if m == nil {
		return text, "", ""
	}
	word, side = strings.ToLower(m[2]), Inside
	if slices.Contains(openWords, word) {
		side = AtSea
	}
	return m[1] + m[3], word, side
}

var openWords = []string{"ocean", "oceanside", "oceanfront", "surf", "gulf"}

// InNames reports whether a word that Cut returns is mostly a part of a name: Aransas Bay is not
// the bay at Aransas.
func InNames(word string) bool {
	return slices.Contains([]string{"bay", "harbor", "inlet", "river", "sound"}, word)
}
