package stations

import (
	"fmt"
	"slices"
	"time"

	"leadline/internal/tide"
)

// Update holds the metadata service's current facts of one station. A nil field leaves
// the facts in force unchanged. Apply describes which updates are valid.
type Update struct {
	At time.Time // when it was obtained, UTC

	// All constants of a reference station: in m for a tide, with its Datums; in kn for
	// a current, with its MeanFlow along the axis, flood positive.
	Harmonics []tide.Harmonic
	MeanFlow  *float64
	Bin       int // bin of the constants or offsets of a current; 0 if there are none

	// NOAA's mean directions of a current, degrees true toward. A reference station accepts
	// both or neither, because the embedded ones follow its axis.
	Flood, Ebb *float64
	Axis       bool // they are those of the harmonic axis, not means

	// One document of the service, taken as a whole if Datums is not nil: facts that it omits
	// are then unknown, instead of being kept from another epoch.
	Datums                []Datum // of a tide station or gauge; data names: NAVD88, not NAVD
	Differences           []Difference
	FirstEpoch, LastEpoch int // years, 0 for none

	// The offsets of a subordinate station, and the reference that the service gives for
	// them. Apply refuses a reference other than the station's, and a bin (ID_BIN) other than
	// the one of the reference's row. Base has the constants and levels of the reference at
	// the same time.
	Reference      string
	TideOffsets    *tide.Offsets
	CurrentOffsets *tide.CurrentOffsets
	Base           *Update

	Bins []DepthBin // of a current station
}

// DepthBin is one depth at which a current meter measures.
type DepthBin struct {
	Number    int      // from 1
	Depth     *float64 // m below the surface; nil if the service has no depth
	Predicted bool     // NOAA predicts it
	Default   bool     // the bin that NOAA predicts if a request names no bin
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

// update holds the facts in force over a station's embedded ones: the latest of each
// part. It is immutable.
type update struct {
	Update                    // except for At
	obtained [parts]time.Time // zero if the embedded part is in force
	curve    *tide.Curve      // of Harmonics
	base     *update          // facts of the reference for the offsets of a subordinate station
}

// has reports whether part p is in force; no part of a nil update is.
func (u *update) has(p Part) bool { return u != nil && !u.obtained[p].IsZero() }

func (u *update) eachDatum(yield func(name string, value float64)) {
	for _, l := range u.Datums {
		yield(l.Name, l.Value)
	}
	for _, d := range u.Differences {
		yield(d.Name, d.Value)
	}
}

// Apply replaces facts of the station with the id by those of u. Each part of u replaces
// that of an earlier Update; parts that are not in u stay as they are. Readers see all of
// u or nothing of it; u remains the caller's.
//
// The facts of a prediction are replaced together or not at all: constants and levels of
// a tide reference, constants and mean flow of a bin, offsets of a subordinate station
// with constants and levels of its reference. So a subordinate station does not follow an
// Update of its reference alone: its offsets belong to the constants for which they were
// determined.
//
// An error describes the fault, and nothing changes. Apply refuses an unknown id, parts
// that a station of its kind cannot have, and parts without those that they require. It
// refuses constants of another bin, and constituents that do not exist or are duplicates.
// It refuses numbers that are not finite or physically impossible. It refuses lists of
// constituents or of tidal levels that are shorter than the ones in force: a truncated
// response is likelier than a withdrawn constant.
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
	next := s.with(u)
	if u.Base != nil {
		r, _ := d.Station(s.Reference)
		if err := u.checkBase(s, r); err != nil {
			return fmt.Errorf("updating %s: its reference %s: %w", s.ID, s.Reference, err)
		}
		next.base = r.with(*u.Base)
	}
	s.record.update.Store(next)
	d.noteEpoch(s, u)
	return nil
}

// own returns a copy that shares nothing with u, in the order in which facts are
// reported.
func (u Update) own() Update {
	u.At = u.At.UTC()
	u.Harmonics, u.Datums, u.Differences, u.Bins = slices.Clone(u.Harmonics), slices.Clone(u.Datums),
		slices.Clone(u.Differences), cloneBins(u.Bins)
	u.MeanFlow, u.Flood, u.Ebb = clone(u.MeanFlow), clone(u.Flood), clone(u.Ebb)
	u.TideOffsets, u.CurrentOffsets = clone(u.TideOffsets), clone(u.CurrentOffsets)
	if u.Base != nil {
		base := u.Base.own()
		u.Base = &base
	}
	slices.SortFunc(u.Harmonics, byConstituent)
	slices.SortFunc(u.Bins, func(a, b DepthBin) int { return a.Number - b.Number })
	for i := range u.Datums {
		u.Datums[i].Name = levelName(u.Datums[i].Name)
	}
	return u
}

// clone returns a copy of *p, nil for nil.
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

// with returns the facts in force after the parts of n are applied, compiled.
func (s Station) with(n Update) *update {
	u, next := s.update(), new(update)
	if u != nil {
		*next = *u
	}
	for p, given := range n.given() {
		if given {
			next.obtained[p] = n.At
			next.take(Part(p), n)
		}
	}
	if n.Harmonics != nil {
		next.curve = s.compile(u, n.Harmonics)
	}
	return next
}

// compile returns the curve of constants. It reuses the current one if they are the same:
// most of the time NOAA has not revised them.
func (s Station) compile(u *update, harmonics []tide.Harmonic) *tide.Curve {
	switch {
	case u.has(PartConstants) && slices.Equal(u.Harmonics, harmonics):
		return u.curve
	case slices.Equal(s.embeddedHarmonics(), harmonics):
		return s.curve(nil)
	}
	return tide.NewCurve(harmonics)
}

// given reports which parts an Update has.
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
		u.Harmonics, u.Bin = n.Harmonics, n.Bin
	case PartFlow:
		u.MeanFlow = n.MeanFlow
	case PartDirections:
		u.Flood, u.Ebb, u.Axis = n.Flood, n.Ebb, n.Axis
	case PartLevels:
		u.Datums, u.Differences, u.FirstEpoch, u.LastEpoch = n.Datums, n.Differences, n.FirstEpoch,
			n.LastEpoch
	case PartOffsets:
		u.TideOffsets, u.CurrentOffsets, u.Bin = n.TideOffsets, n.CurrentOffsets, n.Bin
	case PartBins:
		u.Bins = n.Bins
	}
}

// Updated returns the time when the facts over the embedded ones were obtained, UTC: the
// earliest of their parts, and, for a station that has joined, the time of its list. It
// is zero if all facts are the embedded ones. For a result that uses some parts, call
// Obtained with those.
func (s Station) Updated() time.Time {
	first := s.Listed()
	if u := s.update(); u != nil {
		for _, at := range u.obtained {
			first = earlier(first, at)
		}
	}
	return first
}

// earlier returns the earlier of two times, where zero means none.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// Obtained returns the time when the parts were obtained from the service, UTC: the
// earliest of them, and zero if one of them is the embedded one. A prediction uses
// constants, flow and levels of the reference station (Directory.Reference) and the
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

// DepthBins returns the bins of a current station in order of number. known is false if
// the service has not listed them: the file has no depths.
func (s Station) DepthBins() (bins []DepthBin, known bool) {
	u := s.update()
	if !u.has(PartBins) {
		return nil, false
	}
	return cloneBins(u.Bins), true
}

// BinNumber returns the number of the bin of a current station's row. The number comes
// from the id (ID_BIN), the constants or offsets in force, the embedded ones, or else
// the bin that the service predicts by default. It is 0 if none of them is known.
func (s Station) BinNumber() int {
	if _, bin := s.Bin(); bin > 0 {
		return bin
	}
	u := s.update()
	if u != nil && u.Bin > 0 {
		return u.Bin
	}
	if bin := s.embeddedBin(); bin > 0 {
		return bin
	}
	if u.has(PartBins) {
		for _, b := range u.Bins {
			if b.Default {
				return b.Number
			}
		}
	}
	return 0
}

// embeddedBin returns the number of the bin of the embedded constants, 0 if the file does
// not have it.
func (s Station) embeddedBin() int {
	if !s.is(currentReference) {
		return 0
	}
	return s.file().bins.byte(int(s.slot().class))
}
