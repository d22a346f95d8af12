package tools

import (
	"fmt"
	"math"
	"slices"

	"leadline/internal/stations"
)

// The bounds of what NOAA's own data can contradict before a note says so
// (ours). The lowest astronomical tide lies below the mean of the lower low
// waters by its meaning; centimetres are rounding and different years.
const (
	mostLowest = 0.1 // m that LAT may lie above MLLW
	mostAway   = 3.0 // hours that a zone may be from the sun's
)

// doubtful are the stations whose embedded data contradicts itself, by id:
// found once, when the first answer about a station is made.
func (s *Set) doubtful() map[string]bool {
	s.doubted.Do(func() {
		s.doubts = map[string]bool{}
		for _, st := range s.Stations.All("") {
			if levelDoubt(st) != "" || s.zoneDoubt(st) != "" {
				s.doubts[st.ID] = true
			}
		}
	})
	return s.doubts
}

// doubtsOf are notes on a station and on the one that it is predicted from,
// by what is in force now: newer datums can have mended them.
func (s *Set) doubtsOf(st stations.Station) []string {
	var notes []string
	if s.doubtful()[st.ID] {
		notes = append(notes, levelDoubt(st), s.zoneDoubt(st))
	}
	if reference, ok := s.Stations.Reference(st); ok && st.Subordinate() && s.doubtful()[reference.ID] {
		notes = append(notes, levelDoubt(reference))
	}
	return slices.DeleteFunc(notes, func(note string) bool { return note == "" })
}

// levelDoubt: a lowest tide above the mean low water cannot be.
func levelDoubt(st stations.Station) string {
	lowest, has := level(st, "LAT")
	mean, ok := level(st, "MLLW")
	if !has || !ok || lowest-mean <= mostLowest {
		return ""
	}
	return fmt.Sprintf("NOAA's datums of %s contradict each other: the lowest astronomical tide would lie %.2f m above MLLW, which is the mean of the lower low waters. Heights above MLLW may be wrong by as much.", st.ID, lowest-mean)
}

// zoneDoubt: a zone far from the sun's means that the zone or the longitude is
// not the place's.
func (s *Set) zoneDoubt(st stations.Station) string {
	local, err := s.zones.load(st.Zone)
	if err != nil {
		return ""
	}
	hours := float64(standardOffset(local, s.Stations.Built())) / 3600
	away := math.Mod(hours-st.Longitude/15+36, 24) - 12
	if math.Abs(away) <= mostAway {
		return ""
	}
	return fmt.Sprintf("NOAA's data of %s contradicts itself: its time zone (%s) is %.1f hours from that of its longitude (%.2f). The zone, or the coordinates, are not the place's.", st.ID, st.Zone, math.Abs(away), st.Longitude)
}
