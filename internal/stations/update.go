package stations

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"leadline/internal/tide"
)

// Update is what the metadata service says of one station now. What is nil
// leaves in force what was. Apply says what it takes.
type Update struct {
	At time.Time // when it was obtained, UTC

	Harmonics []tide.Harmonic // of a reference station, all of them: m of a tide, kn of a current
	MeanFlow  *float64        // of a reference current station, kn along its axis, flood positive

	// NOAA's mean directions of a current, degrees true toward. A reference
	// station takes both or none, since the embedded ones are those of its axis.
	Flood, Ebb *float64

	// One document of the service, taken as a whole where Datums is not nil:
	// what it does not say then is unknown, and not as it was in another epoch.
	Datums                []Datum // of a tide station or gauge; names as in the data, NAVD88 and not NAVD
	Differences           []Difference
	FirstEpoch, LastEpoch int // years, 0 for none

	// The offsets of a subordinate station, and the reference that the service
	// says they are counted from: another one than the station's is refused.
	// Empty means that nobody has looked. A bin (ID_BIN) only counts where both
	// name one.
	Reference      string
	TideOffsets    *tide.Offsets
	CurrentOffsets *tide.CurrentOffsets

	Bins []DepthBin // of a current station
}

// DepthBin is one depth at which a current meter measures.
type DepthBin struct {
	Number    int      // from 1
	Depth     *float64 // m below the surface; nil where the service has none
	Predicted bool     // NOAA predicts it
	Default   bool     // what NOAA predicts when no bin is named
}

// Part is a part of a station's facts that an Update replaces as a whole.
type Part int

// The parts.
const (
	PartConstants  Part = iota // Harmonics
	PartFlow                   // MeanFlow
	PartDirections             // Directions
	PartLevels                 // Datums, Differences, Epoch
	PartOffsets                // TideOffsets, CurrentOffsets
	PartBins                   // DepthBins
	parts
)

// update is what is in force over a station's embedded facts: of each part
// the latest. It is immutable.
type update struct {
	Update                    // but for At
	obtained [parts]time.Time // zero where the embedded part is in force
	curve    *tide.Curve      // of Harmonics
}

// has reports whether part p is in force; none is in a nil update.
func (u *update) has(p Part) bool { return u != nil && !u.obtained[p].IsZero() }

func (u *update) eachDatum(yield func(name string, value float64)) {
	for _, l := range u.Datums {
		yield(l.Name, l.Value)
	}
	for _, d := range u.Differences {
		yield(d.Name, d.Value)
	}
}

// Apply lays u over the facts of the station with the id. Each part of u
// replaces that of an earlier Update; parts that u lacks stay as they are.
// Subordinate stations follow the constants and levels of their reference at
// once. Readers see all of u or nothing of it; u remains the caller's.
//
// An error names what is wrong and changes nothing. Refused are an unknown id,
// parts that a station of its kind cannot have, constituents that do not exist
// or stand twice, numbers that are not finite or beyond all that the sea does,
// constants that leave nothing of the tide, and levels that lack MSL or MLLW
// where the station has it: a cut answer is likelier than a withdrawn level.
func (d *Directory) Apply(id string, u Update) error {
	d.writing.Lock()
	defer d.writing.Unlock()
	s, ok := d.Station(id)
	if !ok {
		return fmt.Errorf("updating %s: no such station", id)
	}
	u = u.own()
	if err := u.check(s); err != nil {
		return fmt.Errorf("updating %s: %w", s.ID, err)
	}
	s.record.update.Store(s.update().with(u))
	return nil
}

// own is a copy that shares nothing with u, in the order in which facts are told.
func (u Update) own() Update {
	u.At = u.At.UTC()
	u.Harmonics, u.Datums, u.Differences, u.Bins = slices.Clone(u.Harmonics), slices.Clone(u.Datums), slices.Clone(u.Differences), cloneBins(u.Bins)
	u.MeanFlow, u.Flood, u.Ebb = clone(u.MeanFlow), clone(u.Flood), clone(u.Ebb)
	u.TideOffsets, u.CurrentOffsets = clone(u.TideOffsets), clone(u.CurrentOffsets)
	slices.SortFunc(u.Harmonics, byConstituent)
	slices.SortFunc(u.Bins, func(a, b DepthBin) int { return a.Number - b.Number })
	for i := range u.Datums {
		u.Datums[i].Name = levelName(u.Datums[i].Name)
	}
	return u
}

// clone is a copy of *p, nil for nil.
func clone[T any](p *T) *T {
	if p == nil {
		return nil
	}
	c := *p
	return &c
}

func cloneBins(bins []DepthBin) []DepthBin {
	bins = slices.Clone(bins)
	for i := range bins {
		bins[i].Depth = clone(bins[i].Depth)
	}
	return bins
}

// with is u with the parts of n, compiled.
func (u *update) with(n Update) *update {
	next := new(update)
	if u != nil {
		*next = *u
	}
	for p, given := range n.given() {
		if given {
			next.obtained[p] = n.At
			next.take(Part(p), n)
		}
	}
	return next
}

// given is which parts an Update has.
func (u Update) given() [parts]bool {
	return [parts]bool{
		PartConstants:  u.Harmonics != nil,
		PartFlow:       u.MeanFlow != nil,
		PartDirections: u.Flood != nil || u.Ebb != nil,
		PartLevels:     u.Datums != nil,
		PartOffsets:    u.TideOffsets != nil || u.CurrentOffsets != nil,
		PartBins:       u.Bins != nil,
	}
}

func (u *update) take(p Part, n Update) {
	switch p {
	case PartConstants:
		u.Harmonics, u.curve = n.Harmonics, tide.NewCurve(n.Harmonics)
	case PartFlow:
		u.MeanFlow = n.MeanFlow
	case PartDirections:
		u.Flood, u.Ebb = n.Flood, n.Ebb
	case PartLevels:
		u.Datums, u.Differences, u.FirstEpoch, u.LastEpoch = n.Datums, n.Differences, n.FirstEpoch, n.LastEpoch
	case PartOffsets:
		u.TideOffsets, u.CurrentOffsets = n.TideOffsets, n.CurrentOffsets
	case PartBins:
		u.Bins = n.Bins
	}
}

// Updated is when the facts that stand over the embedded ones were obtained,
// UTC: the earliest of their parts, and for a station that has joined the list
// by which it did. Zero where all facts are the embedded ones. An answer that
// rests on some parts asks Obtained for those.
func (s Station) Updated() time.Time {
	first := s.Listed()
	if u := s.update(); u != nil {
		for _, at := range u.obtained {
			first = earlier(first, at)
		}
	}
	return first
}

// earlier is the earlier of two times, of which zero is none.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// Obtained is when the parts were obtained from the service, UTC: the earliest
// of them, and zero where one of them is the embedded one. What a prediction
// rests on are constants, flow and levels of the reference station and the
// offsets of the station itself.
func (s Station) Obtained(parts ...Part) time.Time {
	u := s.update()
	var first time.Time
	for _, p := range parts {
		if !u.has(p) {
			return time.Time{}
		}
		first = earlier(first, u.obtained[p])
	}
	return first
}

// DepthBins returns the bins of a current station in order of number. known is
// false where the service has not said: the file holds none.
func (s Station) DepthBins() (bins []DepthBin, known bool) {
	u := s.update()
	if !u.has(PartBins) {
		return nil, false
	}
	return cloneBins(u.Bins), true
}

// What no station exceeds. The bounds are ours: far above what the file has,
// which is 3.7 m and 5.5 kn of a constituent, 102 m above a station datum (the
// Great Lakes have 184), 12.4 hours, ratios of 3.2, and 741 minutes.
const (
	mostAmplitude = 20.0   // m or kn
	mostLevel     = 1000.0 // m, or h of the intervals
	mostRatio     = 20.0
	mostMinutes   = 24 * 60
)

// within reports whether v is a number between -most and most, neither included.
func within(v, most float64) bool { return math.Abs(v) < most } // NaN is not

// check is what is wrong with an Update of the station.
func (u Update) check(s Station) error {
	if u.At.IsZero() {
		return errors.New("it does not say when it was obtained")
	}
	if err := u.checkKind(s); err != nil {
		return err
	}
	return cmp.Or(u.checkConstants(), u.checkFlow(s), u.checkLevels(s), u.checkOffsets(s), u.checkBins())
}

// checkKind holds the parts against what a station of its kind can have.
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

func (u Update) checkConstants() error {
	waves := 0
	for i, h := range u.Harmonics {
		switch {
		case h.Constituent < 0 || h.Constituent >= len(tide.Constituents()):
			return fmt.Errorf("constituent %d is unknown", h.Constituent)
		case i > 0 && h.Constituent == u.Harmonics[i-1].Constituent:
			return fmt.Errorf("constituent %d stands twice", h.Constituent)
		case !within(h.Amplitude, mostAmplitude) || h.Amplitude < 0 || !(h.Phase >= 0 && h.Phase <= 360):
			return fmt.Errorf("constituent %d has amplitude %v and phase %v", h.Constituent, h.Amplitude, h.Phase)
		case h.Amplitude > 0:
			waves++
		}
	}
	if u.Harmonics != nil && waves == 0 {
		return errors.New("no constituent is left")
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
		if _, difference := differences[l.Name]; difference || l.Name == "" || seen[l.Name] || !within(l.Value, mostLevel) {
			return fmt.Errorf("a level %q of %v", l.Name, l.Value)
		}
		seen[l.Name] = true
	}
	for _, l := range u.Differences {
		if unit, ok := differences[l.Name]; !ok || unit != l.Unit || seen[l.Name] || !within(l.Value, mostLevel) {
			return fmt.Errorf("a difference %q of %v %s", l.Name, l.Value, l.Unit)
		}
		seen[l.Name] = true
	}
	return u.checkLoss(s, seen)
}

// checkLoss finds levels without which the predictions would have no zero.
func (u Update) checkLoss(s Station, has map[string]bool) error {
	if u.Datums != nil && len(u.Datums) == 0 {
		return errors.New("no level is left")
	}
	for _, name := range []string{"MSL", "MLLW"} {
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
		minutes, scales = append(minutes, o.SlackBeforeFlood, o.SlackBeforeEbb, o.Flood, o.Ebb), append(scales, o.FloodRatio, o.EbbRatio)
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
	if len(minutes) > 0 && !sameReference(u.Reference, s.Reference) {
		return fmt.Errorf("offsets from %s, where the station refers to %s", u.Reference, s.Reference)
	}
	return nil
}

// sameReference reports whether two names may be those of one reference.
func sameReference(said, own string) bool {
	station, bin, _ := strings.Cut(said, "_")
	ownStation, ownBin, _ := strings.Cut(own, "_")
	return said == "" || strings.EqualFold(station, ownStation) && (bin == "" || ownBin == "" || bin == ownBin)
}

func (u Update) checkBins() error {
	defaults := 0
	for i, b := range u.Bins {
		if b.Number < 1 || i > 0 && b.Number == u.Bins[i-1].Number || b.Depth != nil && !within(*b.Depth, mostLevel) {
			return fmt.Errorf("bin %d is none, or stands twice, or has no depth to be", b.Number)
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
