package tools

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"leadline/internal/coast"
	"leadline/internal/stations"
)

// unknownEpoch is the epoch of datums of which NOAA's data names none.
const unknownEpoch = "unknown"

// epochName is an epoch as results write it: 1983-2001, or 2012-2016 of the
// modified epoch of five years that NOAA uses where the sea level changes fast
// against the land.
func epochName(y stations.Years) string {
	if y.First == 0 {
		return unknownEpoch
	}
	return fmt.Sprintf("%d-%d", y.First, y.Last)
}

// EmbeddedEpochs lists the epochs of the embedded tidal datums, most frequent
// first, each with the number of its stations: "1983-2001 (1156 stations)".
func EmbeddedEpochs(d *stations.Directory) []string {
	counts := d.EmbeddedEpochs()
	epochs := slices.SortedFunc(maps.Keys(counts), func(a, b stations.Years) int {
		return cmp.Or(counts[b]-counts[a], a.First-b.First)
	})
	list := make([]string, len(epochs))
	for i, epoch := range epochs {
		list[i] = fmt.Sprintf("%s (%d stations)", epochName(epoch), counts[epoch])
	}
	return list
}

// epochOf is the epoch of the datums that heights at a station rest on, those of
// the reference of a subordinate one; empty where there are no tidal datums.
func (s *Set) epochOf(st stations.Station) string {
	if st.Kind == stations.Current || stations.GreatLakes(st.ID) {
		return ""
	}
	reference, _ := s.Stations.Reference(st)
	return epochName(reference.Epoch())
}

// heights is the provenance of heights at a station: with notes on the epoch of
// its datums where NOAA has begun to replace it.
func (m moment) heights(st stations.Station, sources ...coast.Source) coast.Provenance {
	p := m.of(st, sources...)
	if note := m.revision(st); note != "" {
		p.Notes = append(p.Notes, note)
	}
	return p
}

// revision is a note on a station whose datums in force are of another epoch
// than the embedded ones, or may be superseded because those of others are.
func (m moment) revision(st stations.Station) string {
	if st.Kind != stations.Tide {
		return ""
	}
	reference, _ := m.Stations.Reference(st)
	was, is := reference.EmbeddedEpoch(), reference.Epoch()
	if is != was && was.First > 0 {
		return fmt.Sprintf("NOAA has revised the datums of %s (%s) from the epoch %s to %s, and the heights here rest on the revised ones.%s Heights above the datums of the two epochs do not compare.",
			reference.ID, reference.Name, epochName(was), epochName(is), raised(reference))
	}
	newest, begun := m.Stations.Revised()
	if !begun || !reference.Obtained(stations.PartLevels).IsZero() {
		return ""
	}
	return fmt.Sprintf("NOAA has begun to revise datums to the epoch %s. Those here are still the embedded ones of the epoch %s: heights above them may be superseded.", epochName(newest), epochName(was))
}

// raised says by how much a revision has moved the datum of charts.
func raised(st stations.Station) string {
	was, had := level(st.Embedded(), "MLLW")
	is, has := level(st, "MLLW")
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

// embeddedAt is the source of embedded facts about a station. Once NOAA has
// revised datums elsewhere those of a tide station are aging, even if they are
// not a year old.
func (m moment) embeddedAt(st stations.Station, id, label string, kind coast.Kind, page string) coast.Source {
	s := m.embedded(id, label, kind, page)
	if _, begun := m.Stations.Revised(); begun && st.Kind == stations.Tide && s.Freshness == coast.Fresh {
		s.Freshness = coast.Aging
	}
	return s
}
