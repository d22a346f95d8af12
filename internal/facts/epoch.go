package facts

import (
	"fmt"
	"leadline/internal/stations"
	"math"
)

// UnknownEpoch is the epoch of datums for which NOAA's data names none.
const UnknownEpoch = "unknown"

// EpochName returns an epoch as results write it: 1983-2001, or 2012-2016 of the modified
// epoch of five years that NOAA uses where the sea level changes fast against the land.
func EpochName(y stations.Years) string {
	if y.First == 0 {
		return UnknownEpoch
	}
	return fmt.Sprintf("%d-%d", y.First, y.Last)
}

// Epoch returns the epoch of the datums that heights at a station rest on, those of the
// reference of a subordinate one; empty if there are no tidal datums.
func (s Sources) Epoch(st stations.Station) string {
	if st.Kind == stations.Current || stations.GreatLakes(st.ID) {
		return ""
	}
	reference, _ := s.directory.Reference(st)
	return EpochName(reference.Epoch())
}

// revision returns a note on a station whose datums in force are of another epoch than
// the embedded ones, or may be superseded because those of others are.
func (s Sources) revision(st stations.Station) string {
	if st.Kind != stations.Tide {
		return ""
	}
	reference, _ := s.directory.Reference(st)
	was, is := reference.EmbeddedEpoch(), reference.Epoch()
	if is != was && was.First > 0 {
		return fmt.Sprintf("NOAA has revised the datums of %s (%s) from the epoch %s to %s, and the heights here rest on the revised ones.%s Heights above the datums of the two epochs do not compare.",
			reference.ID, reference.Name, EpochName(was), EpochName(is), datumRise(reference))
	}
	newest, begun := s.directory.Revised()
	if !begun || !reference.Obtained(stations.PartLevels).IsZero() {
		return ""
	}
	return fmt.Sprintf("NOAA has begun to revise datums to the epoch %s. Those here are still the embedded ones of the epoch %s: heights above them may be superseded.", EpochName(newest), EpochName(was))
}

// datumRise states by how much a revision has moved the datum of charts.
func datumRise(st stations.Station) string {
	was, had := LevelOf(st.Embedded(), "MLLW")
	is, has := LevelOf(st, "MLLW")
	way := "higher"
	if is < was {
		way = "lower"
	}
	if !had || !has || is == was {
		return ""
	}
	by := math.Abs(is - was)
	return fmt.Sprintf(" MLLW now lies %.3f m (%.2f ft) %s above station datum than before.", by, by/0.3048, way)
}
