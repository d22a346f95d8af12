package stations

import (
	"maps"
	"slices"
	"sort"
	"strings"
	"time"
)

// list holds the stations that the metadata service lists under a type.
type list struct {
	ids []string // in order of id
	at  time.Time
}

// has reports whether the list has the station; a bin belongs to its station.
func (l list) has(id string) bool {
	id, _, _ = strings.Cut(id, "_")
	i := sort.Search(len(l.ids), func(i int) bool { return compareFold(l.ids[i], id) >= 0 })
	return i < len(l.ids) && compareFold(l.ids[i], id) == 0
}

// Observe sets which stations the metadata service lists under a type: waterlevels, met,
// currents, watertemp, airgap, visibility, cond, physocean, historicwl, 1minute and
// others. It replaces the list of that type; an empty list means that no station has this
// type. The ids may be in any order and need not be in the directory; at is the time when
// the list was obtained.
func (d *Directory) Observe(kind string, ids []string, at time.Time) {
	d.writing.Lock()
	defer d.writing.Unlock()
	lists := map[string]list{}
	maps.Copy(lists, d.observed())
	ids = slices.Clone(ids)
	slices.SortFunc(ids, compareFold)
	lists[kind] = list{ids, at.UTC()}
	d.lists.Store(&lists)
}

func (d *Directory) observed() map[string]list {
	if lists := d.lists.Load(); lists != nil {
		return *lists
	}
	return nil
}

// Observes returns the types, in the given order, that the service lists for the station;
// a bin is listed as its station. known is false if the list of one of them has not been
// obtained.
func (s Station) Observes(types ...string) (kinds []string, known bool) {
	if s.record == nil {
		return nil, false
	}
	lists := s.record.directory.observed()
	for _, kind := range types {
		l, obtained := lists[kind]
		if !obtained {
			return nil, false
		}
		if l.has(s.ID) {
			kinds = append(kinds, kind)
		}
	}
	return kinds, true
}

// Observing returns a function that reports whether a station is listed under a type, by
// id without regard to case, and the time when the list was obtained, UTC. known is false
// if the list has not been obtained; the function then returns false for every station.
func (d *Directory) Observing(kind string) (has func(id string) bool, at time.Time, known bool) {
	l, known := d.observed()[kind]
	return l.has, l.at, known
}
