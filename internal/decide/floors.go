package decide

import (
	"math"
	"strings"
)

// Floor holds the lowest wind and seas for which the offices of a region issue small craft
// advisories (NWS regional directives).
type Floor struct {
	Region string
	Wind   float64 // kn
	Seas   float64 // ft
}

func (f Floor) wind() float64 { return f.Wind }

func (f Floor) seas() float64 { return f.Seas }

// floors lists the regions with their states.
var floors = []struct {
	Floor
	states string
}{

	{Floor{"Maine to South Carolina", 20, 5}, "ME NH MA RI CT NY NJ PA DE MD DC VA NC SC"},
	{Floor{"Georgia to Texas, Puerto Rico, Virgin Islands", 20, 7}, "GA FL AL MS LA TX PR VI"},
	{Floor{"California to Washington", 21, 10}, "CA OR WA"},
	{Floor{"Alaska", 23, 7}, "AK"},
	{Floor{"Hawaii, American Samoa", 25, 10}, "HI AS"},
	{Floor{"Guam, Marianas", 22, 10}, "GU MP"},
}

// FloorOf returns the floor of a station's region, by state or else by position. Latitude
// and longitude are degrees north and east. The borders between positions are ours: each
// shore gets the floor of the American shore that it faces.
func FloorOf(state string, latitude, longitude float64) Floor {
	for _, f := range floors {
		if state != "" && strings.Contains(f.states, strings.ToUpper(state)) {
			return f.Floor
		}
	}
	east := math.Mod(longitude+360, 360)
	switch {
	case latitude >= 50 && east >= 160 && east < 235:
		return floors[3].Floor
	case east >= 100 && east < 180 && latitude >= 0:
		return floors[5].Floor
	case east >= 100 && east < 225:
		return floors[4].Floor
	case east >= 225 && east < 262 || east >= 262 && east < 285 && latitude < 8:
		return floors[2].Floor
	case latitude < 32:
		return floors[1].Floor
	}
	return floors[0].Floor
}

// coverages maps the weather service's words for the likelihood or the areal coverage of
// weather to percent, the lower bound of each class (NWSI 10-503).
var coverages = map[string]float64{
	"isolated": 10, "slight_chance": 20, "patchy": 20, "chance": 30, "scattered": 30, "areas": 30,
	"likely": 60, "numerous": 60, "widespread": 80, "definite": 80,
	"brief": 80, "few": 80, "frequent": 80, "intermittent": 80, "occasional": 80, "periods": 80,
}

// Coverage returns the lower bound in percent of a coverage word. An unknown or empty word
// counts as certain, which is 80 like the highest class.
func Coverage(word string) float64 {
	if percent, ok := coverages[word]; ok {
		return percent
	}
	return 80
}
