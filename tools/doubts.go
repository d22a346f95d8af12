package tools

import (
	"fmt"
	"math"

	"leadline/internal/stations"
)

// The bounds of what NOAA's own data can contradict before a note says so
// (ours). The lowest astronomical tide lies below the mean of the lower low
// waters by its meaning; centimetres are rounding and different years.
const (
	mostLowest = 0.1 // m that LAT may lie above MLLW
	mostAway   = 3.0 // hours that a zone may be from the sun's
)

// doubts are notes on stations whose data contradicts itself, by id: found
// once, when the first answer about a station is made.
func (s *Set) doubts() map[string][]string {
	s.doubted.Do(func() {
		s.doubtful = map[string][]string{}
		for _, st := range s.Stations.All("") {
			if note := levelDoubt(st); note != "" {
				s.doubtful[st.ID] = append(s.doubtful[st.ID], note)
			}
			if note := s.zoneDoubt(st); note != "" {
				s.doubtful[st.ID] = append(s.doubtful[st.ID], note)
			}
		}
	})
	return s.doubtful
}

// doubtsOf are those of a station and of the one that it is predicted from.
func (s *Set) doubtsOf(st stations.Station) []string {
	notes := s.doubts()[st.ID]
	if reference, ok := s.Stations.Station(st.Reference); ok {
		if note := levelDoubt(reference); note != "" {
			notes = append(notes[:len(notes):len(notes)], note)
		}
	}
	return notes
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
