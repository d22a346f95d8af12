package facts

import (
	"fmt"
	"math"

	"leadline/internal/coast"
	"leadline/internal/noaa"
	"leadline/internal/stations"
)

// floodRegressions give the height above MLLW, in meters, at which flooding begins:
// slope x GT + intercept (Sweet and others, 2018, Patterns and Projections of High Tide
// Flooding, NOAA Technical Report NOS CO-OPS 086).
var floodRegressions = map[string]struct{ slope, intercept float64 }{
	"minor": {1.04, 0.50}, "moderate": {1.03, 0.80}, "major": {1.04, 1.17},
}

// PublishedFlood is a flood level as an authority publishes it, in meters.
type PublishedFlood struct {
	Authority, Severity string
	AboveSTND           float64
}

// maxFromMinor limits the difference between a published flood level and the minor level of the
// regressions (ours). NOAA's response does not name a unit: a level in feet or above another
// datum would be read as meters above station datum.
const maxFromMinor = 1.5 // m

// implausible returns why a published flood level of a station cannot be right. It returns "" if
// the level can be right or if there is nothing to compare it with.
func implausible(st stations.Station, f PublishedFlood) string {
	minor, ok := DerivedFlood(st, "minor")
	if !ok || math.Abs(f.AboveSTND-minor) <= maxFromMinor {
		return ""
	}
	return fmt.Sprintf("NOAA's response has %.2f without a unit, which as meters above station "+
		"datum is implausible: it lies more than %.1f m from the minor level derived from the great "+
		"diurnal range, %.2f m", f.AboveSTND, maxFromMinor, minor)
}

// PublishedFloods returns the flood levels in a response of the metadata service, and the levels
// that are refused as implausible.
func PublishedFloods(
	st stations.Station, d noaa.FloodLevels,
) (floods []PublishedFlood, refused []coast.Missing) {
	for _, f := range []struct {
		authority, severity string
		height              *float64
	}{
		{"NOS", "minor", d.NOSMinor}, {"NOS", "moderate", d.NOSModerate}, {"NOS", "major", d.NOSMajor},
		{"NWS", "action", d.Action}, {"NWS", "minor", d.NWSMinor}, {"NWS", "moderate", d.NWSModerate},
		{"NWS", "major", d.NWSMajor},
	} {
		if f.height == nil {
			continue
		}
		one := PublishedFlood{f.authority, f.severity, *f.height}
		if why := implausible(st, one); why != "" {
			refused = append(refused, coast.Missing{Input: FloodInput(f.authority, f.severity), Reason: why})
			continue
		}
		floods = append(floods, one)
	}
	return inOrder(floods, refused)
}

// inOrder refuses all levels of an authority if a more severe level is below a less severe one:
// it is unknown which of them is wrong.
func inOrder(floods []PublishedFlood, refused []coast.Missing) ([]PublishedFlood, []coast.Missing) {
	wrong := map[string]bool{}
	for i, f := range floods[:max(0, len(floods)-1)] {
		next := floods[i+1]
		if next.Authority == f.Authority && next.AboveSTND < f.AboveSTND {
			wrong[f.Authority] = true
		}
	}
	var kept []PublishedFlood
	for _, f := range floods {
		if !wrong[f.Authority] {
			kept = append(kept, f)
			continue
		}
		reason := fmt.Sprintf("the levels that %s publishes contradict each other: a more severe one "+
			"is below a less severe one", f.Authority)
		refused = append(refused, coast.Missing{Input: FloodInput(f.Authority, f.Severity),
			Reason: reason})
	}
	return kept, refused
}

// FloodInput names a published level in missing.
func FloodInput(authority, severity string) string {
	return "published flood level " + authority + " " + severity
}

// DerivedFlood returns the height above station datum, in meters, at which flooding of a
// severity begins by the regressions; ok is false if the station has no great diurnal
// range.
func DerivedFlood(st stations.Station, severity string) (aboveSTND float64, ok bool) {
	mllw, has := st.Level("MLLW")
	gt, ranged := st.Level("GT")
	r, known := floodRegressions[severity]
	return mllw + r.slope*gt + r.intercept, has && ranged && known
}
