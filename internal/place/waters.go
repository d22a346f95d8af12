package place

import (
	"fmt"
	"math"

	"leadline/internal/coast"
	"leadline/internal/facts"
	"leadline/internal/locate"
	"leadline/internal/places"
	"leadline/internal/waters"
)

// describe sets what a place faces, and its other water.
func (p *NamedPlace) describe(c waters.Choice) {
	p.Water, p.small = c.First.Water, c.Small
	p.bare = c.Side == waters.Inside && c.Bare() || c.OffCoast()
	p.Faces, p.across = Faces(p.Water), c.Across()
	switch {
	case p.across && !c.HasSides():
		p.Faces = ""
	case c.Other != nil && c.Other.Water != c.First.Water:
		p.Faces = "both"
	case c.Faces:
		p.Faces = "ocean"
	}
	if c.First.Along > 0 {
		km := facts.Tenths(c.First.Along)
		p.AlongKm = &km
	}
	if o := c.Other; o != nil {
		p.Alternatives = []Alternative{{
			Station: o.Station.ID, Name: o.Station.Name, Water: o.Water,
			DistanceKm:   facts.Tenths(o.Kilometers),
			MinutesLater: int(math.Round(c.Minutes)), RangeRatio: math.Round(c.Ratio*100) / 100,
		}}
	}
}

// WaterNote describes the water that answers for a place, and the other one.
func WaterNote(at places.Match, c waters.Choice, does string) string {
	st := c.First.Station
	text := fmt.Sprintf("%s: station %s (%s) %s", at, st.ID, locate.Label(st), does)
	if c.First.Water != "" {
		text = fmt.Sprintf("%s: %s at station %s (%s)", at, waterName(c.First.Water), st.ID,
			locate.Label(st))
	}
	text += fmt.Sprintf(", %.1f km away", c.First.Kilometers)
	if c.First.Along > 0 {
		text += fmt.Sprintf(", %.1f km along the coast", c.First.Along)
	}
	if c.Side == waters.Inside && c.Bare() {
		text += "; no station of the open coast can answer here"
	}
	if c.OffCoast() {
		text += "; its tide is not that of the open coast"
	}
	if c.Across() {
		text += "; the place does not face it, and water nearer to it may have another tide"
	}
	if c.Small {
		text += "; there is hardly any tide: wind moves the water more"
	}
	if c.Other == nil {
		return text + "."
	}
	o := c.Other
	a := Alternative{MinutesLater: int(math.Round(c.Minutes)), RangeRatio: c.Ratio}
	return fmt.Sprintf("%s. Near it, the tide of %s at station %s (%s), %.1f km away, is %s.", text,
		waterName(o.Water), o.Station.ID, locate.Label(o.Station), o.Kilometers, a.Differs())
}

// chooseOther returns a sentence that says how to ask for the other water of a place, or "".
func chooseOther(at places.Match, c waters.Choice) string {
	if c.Other == nil {
		return ""
	}
	if !c.HasSides() || at.Kind == places.ZIP {
		return fmt.Sprintf(" For that water, ask for %s.", coast.Quote(c.Other.Station.ID))
	}
	other := waters.AtSea
	if c.Side == waters.AtSea {
		other = waters.Inside
	}
	return fmt.Sprintf(" For that water, ask for %s.", coast.Quote(at.String()+" "+string(other)))
}
