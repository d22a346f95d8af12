package stations

import (
	"fmt"
	"math"

	"leadline/internal/tide"
)

// check finds the slots of all rows and checks that every length, number and reference
// of the file is what the rows require.
func (f *file) check() error {
	rows := len(f.ids)
	if rows >= noReference {
		return fmt.Errorf("%d rows are too many", rows)
	}
	if len(f.names) != rows || len(f.classes) != rows || len(f.zone) != rows || len(f.note) != rows ||
		len(f.state) != 2*rows || len(f.ref) != 2*rows || len(f.lat) != 8*rows || len(f.lon) != 8*rows {
		return fmt.Errorf("columns do not have %d rows each", rows)
	}
	if err := f.lookup(); err != nil {
		return err
	}
	if err := f.checkSets(); err != nil {
		return err
	}
	for row := range rows {
		if err := f.checkRow(row); err != nil {
			return fmt.Errorf("row %d (%s): %w", row, f.ids[row], err)
		}
	}
	return f.place()
}

// lookup finds the constituents in package tide.
func (f *file) lookup() error {
	f.numbers = make([]int, len(f.constituents))
	for i, name := range f.constituents {
		n, ok := tide.Lookup(name)
		if !ok {
			return fmt.Errorf("unknown constituent %q", name)
		}
		f.numbers[i] = n
	}
	return nil
}

func (f *file) checkSets() error {
	for _, set := range f.sets {
		for _, c := range set {
			if int(c) >= len(f.constituents) {
				return fmt.Errorf("constituent %d of %d", c, len(f.constituents))
			}
		}
	}
	for i := range f.datum {
		if f.datum.byte(i) >= len(f.levels) {
			return fmt.Errorf("datum %d of %d", f.datum[i], len(f.levels))
		}
	}
	return nil
}

func (f *file) checkRow(row int) error {
	if row > 0 && compareFold(f.ids[row-1], f.ids[row]) >= 0 {
		return fmt.Errorf("out of order after %s", f.ids[row-1])
	}
	if f.zone.byte(row) >= len(f.zones) || f.note.byte(row) >= len(f.notes) ||
		f.class(row) > currentSubordinate {
		return fmt.Errorf("zone %d, note %d or class %d is unknown", f.zone[row], f.note[row],
			f.classes[row])
	}
	if lat, lon := f.lat.float64(row), f.lon.float64(row); !onEarth(lat, lon) {
		return fmt.Errorf("no such place: %v, %v", lat, lon)
	}
	return f.checkReference(row)
}

func (f *file) checkReference(row int) error {
	ref := f.ref.uint16(row)
	if f.class(row).reference() {
		if ref != noReference {
			return fmt.Errorf("a reference station that refers to row %d", ref)
		}
		return nil
	}
	if ref >= len(f.ids) || f.class(ref) != f.class(row)-1 {
		return fmt.Errorf("row %d is not a reference for it", ref)
	}
	return nil
}

// place finds the slot of each row and checks that the columns of each class are exactly
// as long as their rows need.
func (f *file) place() error {
	f.slots = make([]slot, len(f.ids))
	var classes [4]int
	curves, currents, datums, harmonics := 0, 0, 0, 0
	for row := range f.slots {
		c := f.class(row)
		f.slots[row] = slot{uint16(classes[c]), uint16(curves), uint16(currents), uint16(datums),
			uint32(harmonics)}
		if c == tideReference {
			if classes[c] >= len(f.count) {
				return fmt.Errorf("no datums for row %d", row)
			}
			datums += f.count.byte(classes[c])
		}
		if c.reference() {
			if curves >= len(f.set) || f.set.byte(curves) >= len(f.sets) {
				return fmt.Errorf("no constituents for row %d", row)
			}
			harmonics += len(f.sets[f.set[curves]])
			curves++
		}
		if c.kind() == Current {
			currents++
		}
		classes[c]++
	}
	return f.checkLengths(classes, curves, currents, datums, harmonics)
}

func (f *file) checkLengths(classes [4]int, curves, currents, datums, harmonics int) error {
	for _, l := range []struct {
		name      string
		got, want int
	}{
		{"set", len(f.set), curves},
		{"amp", len(f.amplitude), 2 * harmonics},
		{"phase", len(f.phase), 2 * harmonics},
		{"datcount", len(f.count), classes[tideReference]},
		{"datum", len(f.datum), datums},
		{"value", len(f.value), 4 * datums},
		{"epoch", len(f.epoch), 4 * classes[tideReference]},
		{"toffmin", len(f.tideMinutes), 4 * classes[tideSubordinate]},
		{"toffhgt", len(f.tideHeights), 4 * classes[tideSubordinate]},
		{"tofffix", len(f.tideFixed), classes[tideSubordinate]},
		{"dir", len(f.direction), 4 * currents},
		{"mean", len(f.mean), 2 * currents},
		{"coffmin", len(f.currentMinutes), 8 * classes[currentSubordinate]},
		{"coffrat", len(f.currentRatios), 4 * classes[currentSubordinate]},
		{"bin", len(f.bins), classes[currentReference]},
		{"datums", min(datums, math.MaxUint16), datums},
	} {
		if l.got != l.want {
			return fmt.Errorf("column %s has %d bytes, want %d", l.name, l.got, l.want)
		}
	}
	return nil
}

// onEarth reports whether the coordinates are valid; NaN is not.
func onEarth(latitude, longitude float64) bool {
	return math.Abs(latitude) <= 90 && math.Abs(longitude) <= 180
}
