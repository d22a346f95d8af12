package stations

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"leadline/internal/tide"
)

// The bounds that no station exceeds. They are ours: far above the maxima of the file,
// which are 3.7 m and 5.5 kn of a constituent, 102 m above a station datum (the Great
// Lakes have 184), 12.4 hours, ratios of 3.2, and 741 minutes.
const (
	mostAmplitude = 20.0   // m or kn
	mostLevel     = 1000.0 // m, or h of the intervals
	mostRatio     = 20.0
	mostMinutes   = 24 * 60
)

// within reports whether v is a number between -most and most, neither included.
func within(v, most float64) bool { return math.Abs(v) < most } // NaN is not

// check returns the reason why an Update of the station is invalid.
func (u Update) check(s Station) error {
	if u.At.IsZero() {
		return errors.New("the time when it was obtained is missing")
	}
	if err := u.checkKind(s); err != nil {
		return err
	}
	return cmp.Or(u.checkConstants(s), u.checkFlow(s), u.checkLevels(s), u.checkOffsets(s),
		u.checkBins(), u.checkWhole(s), u.checkBin(s))
}

// checkBase checks the data of the reference station r of s in u.
func (u Update) checkBase(s, r Station) error {
	if r.Kind != s.Kind || r.Subordinate() {
		return fmt.Errorf("%s is not a reference station of that kind", r.ID)
	}
	if !u.Base.given()[PartConstants] {
		return errors.New("no constants")
	}
	return u.Base.check(r)
}

// checkWhole finds parts that require other, missing parts.
func (u Update) checkWhole(s Station) error {
	given := u.given()
	levels := s.hasLevels() || u.Datums != nil
	switch {
	case s.Kind == Tide && given[PartConstants] && levels && !given[PartLevels]:
		return errors.New("constants without levels")
	case s.Kind == Tide && given[PartLevels] && s.HasConstants() && !given[PartConstants]:
		return errors.New("levels without constants")
	case s.Kind == Current && given[PartConstants] != given[PartFlow]:
		return errors.New("constants without the mean flow, or the mean flow without constants")
	case given[PartOffsets] != (u.Base != nil):
		return errors.New("offsets without what the reference is at the same time, or that without " +
			"offsets")
	}
	return nil
}

// hasLevels reports whether levels of the station are known.
func (s Station) hasLevels() bool {
	has := false
	s.eachDatum(s.update(), func(string, float64) { has = true })
	return has
}

// checkBin finds constants and offsets of a bin that differs from the row's or is
// unknown.
func (u Update) checkBin(s Station) error {
	given := u.given()
	if s.Kind != Current || !given[PartConstants] && !given[PartOffsets] {
		return nil
	}
	if u.Bin < 1 {
		return errors.New("the number of the bin is not known")
	}
	if own := s.BinNumber(); own > 0 && own != u.Bin {
		return fmt.Errorf("bin %d, where the row is of bin %d", u.Bin, own)
	}
	return nil
}

// checkKind checks that the station's kind can have the parts.
func (u Update) checkKind(s Station) error {
	current, subordinate := s.Kind == Current, s.Subordinate()
	for _, part := range []struct {
		name       string
		given, can bool
	}{
		{"constants", u.Harmonics != nil, s.Kind != Gauge && !subordinate},
		{"a mean flow", u.MeanFlow != nil, current && !subordinate},
		{"directions", u.Flood != nil || u.Ebb != nil, current},
		{"bins", u.Bins != nil, current},
		{"levels", u.Datums != nil || u.Differences != nil, !current},
		{"tide offsets", u.TideOffsets != nil, s.Kind == Tide && subordinate},
		{"current offsets", u.CurrentOffsets != nil, current && subordinate},
	} {
		if part.given && !part.can {
			return fmt.Errorf("it has %s, which the station cannot have", part.name)
		}
	}
	return nil
}

func (u Update) checkConstants(s Station) error {
	waves := 0
	for i, h := range u.Harmonics {
		switch {
		case h.Constituent < 0 || h.Constituent >= len(tide.Constituents()):
			return fmt.Errorf("constituent %d is unknown", h.Constituent)
		case i > 0 && h.Constituent == u.Harmonics[i-1].Constituent:
			return fmt.Errorf("constituent %d is a duplicate", h.Constituent)
		case !within(h.Amplitude, mostAmplitude) || h.Amplitude < 0 || !(h.Phase >= 0 && h.Phase <= 360):
			return fmt.Errorf("constituent %d has amplitude %v and phase %v", h.Constituent, h.Amplitude,
				h.Phase)
		case h.Amplitude > 0:
			waves++
		}
	}
	if u.Harmonics != nil && waves == 0 {
		return errors.New("no constituent is left")
	}
	if have := len(s.Harmonics()); u.Harmonics != nil && len(u.Harmonics) < have {
		return fmt.Errorf("%d constituents, where %d are known", len(u.Harmonics), have)
	}
	return nil
}

func (u Update) checkFlow(s Station) error {
	if u.MeanFlow != nil && !within(*u.MeanFlow, mostAmplitude) {
		return fmt.Errorf("a mean flow of %v", *u.MeanFlow)
	}
	if (u.Flood == nil) != (u.Ebb == nil) && !s.Subordinate() {
		return errors.New("one direction without the other")
	}
	for _, direction := range []*float64{u.Flood, u.Ebb} {
		if direction != nil && !(*direction >= 0 && *direction <= 360) {
			return fmt.Errorf("a direction of %v", *direction)
		}
	}
	return nil
}

func (u Update) checkLevels(s Station) error {
	if u.Datums == nil && (u.Differences != nil || u.FirstEpoch != 0 || u.LastEpoch != 0) {
		return errors.New("differences or an epoch without levels")
	}
	if u.FirstEpoch < 0 || u.FirstEpoch > u.LastEpoch || (u.FirstEpoch == 0) != (u.LastEpoch == 0) {
		return fmt.Errorf("an epoch of %d to %d", u.FirstEpoch, u.LastEpoch)
	}
	seen := map[string]bool{}
	for _, l := range u.Datums {
		if _, difference := differences[l.Name]; difference || l.Name == "" || seen[l.Name] ||
			!within(l.Value, mostLevel) {
			return fmt.Errorf("a level %q of %v", l.Name, l.Value)
		}
		seen[l.Name] = true
	}
	for _, l := range u.Differences {
		if unit, ok := differences[l.Name]; !ok || unit != l.Unit || seen[l.Name] ||
			!within(l.Value, mostLevel) {
			return fmt.Errorf("a difference %q of %v %s", l.Name, l.Value, l.Unit)
		}
		seen[l.Name] = true
	}
	return u.checkLoss(s, seen)
}

// tidal lists the levels and ranges that a revision never withdraws (ours): NOAA lists
// them together, over one epoch.
var tidal = []string{"MHHW", "MHW", "MTL", "MSL", "MLW", "MLLW", "DTL", "GT", "MN"}

// checkLoss finds a list of levels that is shorter than the previous one.
func (u Update) checkLoss(s Station, has map[string]bool) error {
	if u.Datums != nil && len(u.Datums) == 0 {
		return errors.New("no level is left")
	}
	for _, name := range tidal {
		if _, had := s.level(s.update(), name); had && u.Datums != nil && !has[name] {
			return fmt.Errorf("the level %s is lost", name)
		}
	}
	return nil
}

func (u Update) checkOffsets(s Station) error {
	minutes, scales := []int{}, []float64{}
	if o := u.TideOffsets; o != nil {
		minutes, scales = append(minutes, o.HighMinutes, o.LowMinutes), append(scales, o.High, o.Low)
		if !o.Fixed && (o.High < 0 || o.Low < 0) {
			return fmt.Errorf("ratios of %v and %v", o.High, o.Low)
		}
	}
	if o := u.CurrentOffsets; o != nil {
		minutes, scales = append(minutes, o.SlackBeforeFlood, o.SlackBeforeEbb, o.Flood, o.Ebb),
			append(scales, o.FloodRatio, o.EbbRatio)
		if o.FloodRatio < 0 || o.EbbRatio < 0 {
			return fmt.Errorf("ratios of %v and %v", o.FloodRatio, o.EbbRatio)
		}
	}
	if slices.ContainsFunc(minutes, func(m int) bool { return m < -mostMinutes || m > mostMinutes }) {
		return fmt.Errorf("offsets of %v minutes", minutes)
	}
	if slices.ContainsFunc(scales, func(v float64) bool { return !within(v, mostRatio) }) {
		return fmt.Errorf("offsets of %v", scales)
	}
	if len(minutes) > 0 && !sameReference(u.Reference, s) {
		return fmt.Errorf("offsets from %s, where the station refers to %s", u.Reference, s.Reference)
	}
	return nil
}

// sameReference reports whether the reference that the service names is the one of s:
// station and, if both bins are known, bin.
func sameReference(said string, s Station) bool {
	station, bin, _ := strings.Cut(said, "_")
	own, ownBin, _ := strings.Cut(s.Reference, "_")
	if s.record != nil && ownBin == "" {
		if r, _ := s.record.directory.Station(s.Reference); r.BinNumber() > 0 {
			ownBin = strconv.Itoa(r.BinNumber())
		}
	}
	return strings.EqualFold(station, own) && (bin == "" || ownBin == "" || bin == ownBin)
}

func (u Update) checkBins() error {
	defaults := 0
	for i, b := range u.Bins {
		if b.Number < 1 || i > 0 && b.Number == u.Bins[i-1].Number ||
			b.Depth != nil && !within(*b.Depth, mostLevel) {
			return fmt.Errorf("bin %d is a duplicate, or has an invalid number or depth", b.Number)
		}
		if b.Default {
			defaults++
		}
	}
	if defaults > 1 {
		return fmt.Errorf("%d bins are the one that is meant when none is named", defaults)
	}
	return nil
}
