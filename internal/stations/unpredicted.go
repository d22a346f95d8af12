package stations

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// unpredicted is a list of stations that NOAA does not predict.
type unpredicted struct {
	listed time.Time
	ids    []string // in order of id
}

// Retired is a station that NOAA has predicted and no longer predicts.
type Retired struct {
	ID, Name  string
	Latitude  float64   // degrees north
	Longitude float64   // degrees east
	Listed    time.Time // day of the list that still had it, 00:00 UTC
}

// Weak reports whether the embedded copy of NOAA's list of current stations marks the
// station as weak and variable: NOAA publishes no predictions for it. listed is the day
// of the list, 00:00 UTC. A bin (ID_BIN) belongs to its station.
func (d *Directory) Weak(id string) (listed time.Time, ok bool) {
	id, _, _ = strings.Cut(id, "_")
	_, ok = slices.BinarySearchFunc(d.file.weak.ids, id, compareFold)
	return d.file.weak.listed, ok
}

// Retired returns the station with the id, without regard to case, if an
// earlier list of NOAA's had it and the embedded data does not.
func (d *Directory) Retired(id string) (Retired, bool) {
	i, ok := slices.BinarySearchFunc(d.file.retired, id,
		func(r Retired, id string) int { return compareFold(r.ID, id) })
	if !ok {
		return Retired{}, false
	}
	return d.file.retired[i], true
}

// fillLists reads the lists of stations that NOAA does not predict.
func (f *file) fillLists(sections map[string]string) error {
	var err error
	if f.weak.listed, f.weak.ids, err = splitList(sections["weak"]); err != nil {
		return fmt.Errorf("weak stations: %w", err)
	}
	slices.SortFunc(f.weak.ids, compareFold)
	listed, lines, err := splitList(sections["retired"])
	if err != nil {
		return fmt.Errorf("retired stations: %w", err)
	}
	for _, line := range lines {
		r, err := readRetired(line)
		if err != nil {
			return fmt.Errorf("retired station %q: %w", line, err)
		}
		r.Listed = listed
		f.retired = append(f.retired, r)
	}
	slices.SortFunc(f.retired, func(a, b Retired) int { return compareFold(a.ID, b.ID) })
	return nil
}

// splitList splits a list into its day, which is the first line, and its lines.
func splitList(text string) (listed time.Time, lines []string, err error) {
	lines = strings.Split(text, "\n")
	listed, err = time.Parse(time.DateOnly, lines[0])
	return listed, lines[1:], err
}

// readRetired reads id, latitude, longitude and name, separated by tabs.
func readRetired(line string) (r Retired, err error) {
	parts := strings.SplitN(line, "\t", 4)
	if len(parts) < 4 {
		return r, fmt.Errorf("%d fields, want 4", len(parts))
	}
	r.ID, r.Name = parts[0], parts[3]
	if r.Latitude, err = strconv.ParseFloat(parts[1], 64); err != nil {
		return r, err
	}
	r.Longitude, err = strconv.ParseFloat(parts[2], 64)
	if err == nil && !onEarth(r.Latitude, r.Longitude) {
		err = fmt.Errorf("no such place: %v, %v", r.Latitude, r.Longitude)
	}
	return r, err
}
