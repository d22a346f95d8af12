package provider

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"leadline/internal/stations"
)

// currentBin is a depth for which a current is predicted.
type currentBin struct {
	number int
	feet   float64 // below the surface, 0 if unknown to the service
	part   float64 // of the velocity in the row
	row    stations.Station
}

// publishedBins are the bins of two well-known stations.
var publishedBins = map[string][]currentBin{
	"EPT0003": {
		{number: 14, feet: 13, part: 1}, {number: 11, feet: 23, part: 1},
		{number: 8, feet: 33, part: 0.9}, {number: 4, feet: 46, part: 0.75},
	},
	"SFB1202": { // 6.52, 16.52 and 38.53 m
		{number: 17, feet: 21, part: 1},
		{number: 12, feet: 54, part: 1},
		{number: 1, feet: 126, part: 0.87},
	},
}

// bins returns the predicted bins of a current station, its own first. The directory has few of
// their numbers and none of their depths. Except for two stations they are invented, as are the
// velocities of all but the first.
func (n *network) bins(s stations.Station) []currentBin {
	bins := slices.Clone(publishedBins[s.ID])
	switch number := s.BinNumber(); {
	case bins != nil:
	case s.Subordinate(), strings.HasPrefix(s.ID, "ACT"), strings.HasPrefix(s.ID, "PCT"):
		bins = []currentBin{{number: 1, part: 1}}
	case number > 0:
		bins = []currentBin{{number: number, feet: 12, part: 1}}
	default:
		n := 1 + int(hash(s.ID)%5)
		for i := range n {
			depth := float64(i)
			bins = append(bins, currentBin{number: 3*(n-i) - 1, feet: 12 + 13*depth, part: 1 - 0.1*depth})
		}
	}
	own := n.stations.Bins(s.ID)
	for i := range bins {
		bins[i].row = own[0]
	}
	for _, row := range own[1:] { // the directory has these under the bin's number
		_, number := row.Bin()
		i := slices.IndexFunc(bins, func(b currentBin) bool { return b.number == number })
		if i < 0 {
			bins = append(bins, currentBin{number: number, feet: 50})
			i = len(bins) - 1
		}
		bins[i].row, bins[i].part = row, 1
	}
	return bins
}

// binNamed returns the bin that a request names, the first if it names none.
func binNamed(bins []currentBin, asked string) (currentBin, bool) {
	if asked == "" {
		return bins[0], true
	}
	i := slices.IndexFunc(bins, func(b currentBin) bool { return strconv.Itoa(b.number) == asked })
	if i < 0 {
		return currentBin{}, false
	}
	return bins[i], true
}

// depth returns the depth in whole feet or meters in JSON: a string, or null.
func (b currentBin) depth(metric bool) string {
	switch {
	case b.feet == 0:
		return "null"
	case metric:
		return fmt.Sprintf(`"%.0f"`, b.feet*metersPerFoot)
	}
	return fmt.Sprintf(`"%.0f"`, b.feet)
}
