package stations

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

// Listed is a station that the metadata service lists and the embedded data does not
// contain.
type Listed struct {
	ID        string  // as NOAA writes it, ID_BIN for an additional bin: letters, digits, underscore
	Name      string  // complete, as NOAA writes it
	State     string  // two letters, empty outside the states and territories
	Latitude  float64 // degrees north
	Longitude float64 // degrees east
	Zone      string  // IANA name; empty: derived from the place, see Join
	Kind      Kind    // kind of its predictions; empty: Gauge
	Reference string  // id of the reference station of a subordinate one, else empty
}

// mostJoined is the maximum number of stations that may join. NOAA lists some 10,000 in
// all, and a search supports 65,535 rows.
const mostJoined = 1 << 15

// Join adds stations to search, nearest, All and Station. It skips embedded stations. A
// station that has joined before gets the newly listed values; stations of earlier calls
// that are not listed stay. Join also skips entries with an invalid id, place or kind,
// and stations beyond 32,768. Joining the same list again changes only the time at which
// the list was obtained.
//
// A station that joins has no predictions until Apply gives it constants and levels, or
// offsets from its Reference. It retains these as long as its kind and its reference stay
// the same.
//
// If no zone is listed, a station gets the zone of the nearest embedded one within 100
// km. Otherwise it gets the zone of its shore of the Great Lakes, or else the nautical
// zone of its longitude (Etc/GMT+5 is five hours behind).
func (d *Directory) Join(at time.Time, listed []Listed) {
	d.writing.Lock()
	defer d.writing.Unlock()
	old := d.joined()
	all := maps.Clone(old)
	for _, l := range listed {
		key := strings.ToUpper(l.ID)
		before, known := all[key]
		if l.fits() && !d.holds(l.ID) && (known || len(all) < mostJoined) {
			all[key] = d.admit(l, before, at.UTC())
		}
	}
	if !maps.Equal(all, old) {
		d.view.Store(newView(d.file, merge(d.embedded, slices.SortedFunc(maps.Values(all), byID))))
	}
}

func byID(a, b Station) int { return compareFold(a.ID, b.ID) }

// joined returns the stations that have joined, by id in upper case.
func (d *Directory) joined() map[string]Station {
	stations := map[string]Station{}
	for _, s := range d.All("") {
		if s.record.row == joined {
			stations[strings.ToUpper(s.ID)] = s
		}
	}
	return stations
}

// holds reports whether the file contains the station.
func (d *Directory) holds(id string) bool {
	_, found := slices.BinarySearchFunc(d.file.ids, id, compareFold)
	return found
}

// fits reports whether the entry is a valid station.
func (l Listed) fits() bool {
	part := func(r rune) bool {
		return '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' || r == '_'
	}
	return l.ID != "" && strings.TrimFunc(l.ID, part) == "" &&
		math.Abs(l.Latitude) <= 90 && math.Abs(l.Longitude) <= 180 &&
		(l.Kind == "" || l.Kind.number() != 0)
}

// admit returns the Station of a listed one, which may have joined before.
func (d *Directory) admit(l Listed, before Station, at time.Time) Station {
	s := Station{
		ID: l.ID, Name: l.Name, State: l.State, Latitude: l.Latitude, Longitude: l.Longitude,
		Zone: l.Zone, Kind: l.Kind, Reference: l.Reference, record: before.record,
	}
	if s.Kind == "" {
		s.Kind = Gauge
	}
	if s.Zone == "" {
		s.Zone = d.zone(l)
	}
	if s.record == nil || s.Kind != before.Kind || s.Reference != before.Reference {
		s.record = &record{directory: d, row: joined}
	}
	s.record.listed.Store(&at)
	return s
}

// merge returns a and b, both in order of id, as one list.
func merge(a, b []Station) []Station {
	out := make([]Station, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if byID(a[0], b[0]) < 0 {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// Listed returns the time when the list from which the station joined was obtained,
// UTC; zero for an embedded one.
func (s Station) Listed() time.Time {
	if s.record == nil || s.record.listed.Load() == nil {
		return time.Time{}
	}
	return *s.record.listed.Load()
}

// zoneReach is the maximum distance, in kilometers, from which a place takes the zone
// of a station.
const zoneReach = 100

// zone returns the zone of the place of a station that is listed without one.
func (d *Directory) zone(l Listed) string {
	embedded := func(s Station) bool { return s.record.row != joined }
	if near := d.Nearest(l.Latitude, l.Longitude, 1, embedded); len(near) > 0 &&
		near[0].Kilometers <= zoneReach {
		return near[0].Station.Zone
	}
	if zone := lakeZone(l); zone != "" {
		return zone
	}
	hours := int(math.Round(l.Longitude / 15))
	if hours == 0 {
		return "Etc/GMT"
	}
	return fmt.Sprintf("Etc/GMT%+d", -hours) // the sign of these names is reversed
}

// lakeStates holds the zones of the states whose only coast is on the Great Lakes. All of
// Indiana's shore uses Chicago's time.
var lakeStates = map[string]string{
	"MI": "America/Detroit", "OH": "America/New_York",
	"WI": "America/Chicago", "IL": "America/Chicago", "IN": "America/Chicago", "MN": "America/Chicago",
}

// lakeZone returns the zone of a shore of the Great Lakes, empty elsewhere.
func lakeZone(l Listed) string {
	if l.State == "MI" && l.Latitude < 46 && l.Longitude < -87.3 {
		// Menominee County, on the shore of Green Bay, uses Central time like Wisconsin across
		// the river; its eastern border meets the lake there.
		return "America/Menominee"
	}
	if zone, ok := lakeStates[l.State]; ok {
		return zone
	}
	switch {
	case !GreatLakes(l.ID):
		return ""
	case l.Longitude >= -84.5:
		// East of Sault Ste. Marie lie New York, Pennsylvania, Ohio, Ontario and the east of
		// Michigan: all of them use New York's time.
		return "America/New_York"
	case l.Longitude >= -87:
		return "America/Detroit" // the meridian runs down the middle of Lake Michigan
	}
	return "America/Chicago"
}
