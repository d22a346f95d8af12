package provider

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"leadline/internal/stations"
)

// meter is a station that measures currents, of PORTS.
type meter struct {
	id, name, state     string
	latitude, longitude float64
	zone                string
	bins                int // cells, numbered from 1
	bin                 int // the default
	minute              int // of each six, at which it measures
}

var meters = []meter{
	{"cb0102", "Cape Henry LB 2CH", "VA", 36.9594, -76.0128, newYork, 12, 4, 3},
	{"cb1401", "Newport New Shipbuilding", "VA", 36.9838, -76.4436, newYork, 40, 30, 1},
	{"n03020", "The Narrows", "NY", 40.6064, -74.0380, newYork, 20, 14, 0},
}

func meterOf(id string) (meter, bool) {
	if i := slices.IndexFunc(meters, func(m meter) bool { return m.id == id }); i >= 0 {
		return meters[i], true
	}
	return meter{}, false
}

// weakStation is a station of which the service only reports that its currents
// are weak and variable. The ids are real, names and places are not.
type weakStation struct {
	id, name            string
	latitude, longitude float64
}

var weakStations = []weakStation{
	{"ACT0261", "Weak and variable, off Maine", 44.2, -68.3},
	{"PCT0161", "Weak and variable, off California", 33.7, -118.2},
	{"PUG1613", "Weak and variable, Puget Sound", 47.65, -122.55},
}

func weakOf(id string) (weakStation, bool) {
	if i := slices.IndexFunc(weakStations, func(w weakStation) bool { return w.id == id }); i >= 0 {
		return weakStations[i], true
	}
	return weakStation{}, false
}

// civilTimeOf finds a station of any kind and its civil time. Case counts.
func (c *coopsService) civilTimeOf(id string) (civil, bool) {
	if g := c.gaugeOf(id); g != nil {
		return g.civil, true
	}
	if m, ok := meterOf(id); ok {
		return c.zones[m.zone], true
	}
	if s, ok := c.predictedStation(id); ok {
		return c.zones[s.Zone], true
	}
	_, ok := weakOf(id)
	return c.zones[newYork], ok
}

// bin is a depth for which a current is predicted.
type bin struct {
	number int
	feet   float64 // below the surface, 0 where the service knows none
	part   float64 // of the velocity in the row
	row    stations.Station
}

// publishedBins are the bins of two well-known stations.
var publishedBins = map[string][]bin{
	"EPT0003": {{number: 14, feet: 13, part: 1}, {number: 11, feet: 23, part: 1}, {number: 8, feet: 33, part: 0.9}, {number: 4, feet: 46, part: 0.75}},
	"SFB1202": {{number: 17, feet: 21, part: 1}, {number: 12, feet: 54, part: 1}, {number: 1, feet: 126, part: 0.87}}, // 6.52, 16.52 and 38.53 m
}

// bins are the predicted bins of a current station, its own first. The
// directory has few of their numbers and none of their depths: but for two
// stations they are made up, as are the velocities of all but the first.
func (c *coopsService) bins(s stations.Station) []bin {
	bins := slices.Clone(publishedBins[s.ID])
	switch number := s.BinNumber(); {
	case bins != nil:
	case s.Subordinate(), strings.HasPrefix(s.ID, "ACT"), strings.HasPrefix(s.ID, "PCT"):
		bins = []bin{{number: 1, part: 1}}
	case number > 0:
		bins = []bin{{number: number, feet: 12, part: 1}}
	default:
		n := 1 + int(hash(s.ID)%5)
		for i := range n {
			bins = append(bins, bin{number: 3*(n-i) - 1, feet: float64(12 + 13*i), part: 1 - 0.1*float64(i)})
		}
	}
	own := c.stations.Bins(s.ID)
	for i := range bins {
		bins[i].row = own[0]
	}
	for _, row := range own[1:] { // the directory has these under the bin's number
		_, number := row.Bin()
		i := slices.IndexFunc(bins, func(b bin) bool { return b.number == number })
		if i < 0 {
			bins = append(bins, bin{number: number, feet: 50})
			i = len(bins) - 1
		}
		bins[i].row, bins[i].part = row, 1
	}
	return bins
}

// binNamed finds the bin of a request, the first without a number.
func binNamed(bins []bin, asked string) (bin, bool) {
	if asked == "" {
		return bins[0], true
	}
	i := slices.IndexFunc(bins, func(b bin) bool { return strconv.Itoa(b.number) == asked })
	if i < 0 {
		return bin{}, false
	}
	return bins[i], true
}

// depth is the bin's depth in whole feet or meters, nil where unknown.
func (b bin) depth(metric bool) *int {
	if b.feet == 0 {
		return nil
	}
	n := int(b.feet)
	if metric {
		n = int(math.Round(b.feet * metresPerFoot))
	}
	return &n
}
