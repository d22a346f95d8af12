package facts

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"leadline/internal/stations"
)

// The limits within which NOAA's own data may disagree without a note (ours). The lowest
// astronomical tide is below the mean of the lower low waters by definition; centimetres
// are rounding and different years.
const (
	maxLowest    = 0.1 // m that LAT may lie above MLLW
	maxZoneHours = 3.0 // hours that a zone may be from the sun's
)

// contradictions finds stations whose data contradicts itself.
type contradictions struct {
	directory *stations.Directory
	zones     *zones
	embedded  func() map[string]bool // by id; found once, at the first result about a station
}

func newContradictions(d *stations.Directory, z *zones) *contradictions {
	c := &contradictions{directory: d, zones: z}
	c.embedded = sync.OnceValue(c.find)
	return c
}

func (c *contradictions) find() map[string]bool {
	found := map[string]bool{}
	for _, st := range c.directory.All("") {
		if ofDatums(st) != "" || c.ofZone(st) != "" {
			found[st.ID] = true
		}
	}
	return found
}

// notes returns notes on a station and on the one that it is predicted from, by what is
// in force now: newer datums can have corrected the embedded ones.
func (c *contradictions) notes(st stations.Station) []string {
	var notes []string
	if c.embedded()[st.ID] {
		notes = append(notes, ofDatums(st), c.ofZone(st))
	}
	if reference, ok := c.directory.Reference(st); ok && st.Subordinate() && c.embedded()[reference.ID] {
		notes = append(notes, ofDatums(reference))
	}
	return slices.DeleteFunc(notes, func(note string) bool { return note == "" })
}

// ofDatums returns a note if the lowest tide is above the mean low water.
func ofDatums(st stations.Station) string {
	lowest, has := LevelOf(st, "LAT")
	mean, ok := LevelOf(st, "MLLW")
	if !has || !ok || lowest-mean <= maxLowest {
		return ""
	}
	return fmt.Sprintf("NOAA's datums of %s contradict each other: the lowest astronomical tide would lie %.2f m above MLLW, which is the mean of the lower low waters. Heights above MLLW may be wrong by as much.", st.ID, lowest-mean)
}

// ofZone returns a note if a zone is far from the sun's: the zone or the coordinates are
// not the place's.
func (c *contradictions) ofZone(st stations.Station) string {
	local, err := c.zones.load(st.Zone)
	if err != nil {
		return ""
	}
	hours := float64(standardOffset(local, c.directory.Built())) / 3600
	away := math.Mod(hours-st.Longitude/15+36, 24) - 12
	if math.Abs(away) <= maxZoneHours {
		return ""
	}
	return fmt.Sprintf("NOAA's data of %s contradicts itself: its time zone (%s) is %.1f hours from that of its longitude (%.2f). The zone, or the coordinates, are not the place's.", st.ID, st.Zone, math.Abs(away), st.Longitude)
}
