package stations

import (
	"sort"
	"sync"
)

// view holds the stations at one time: those of the file, and those that have joined. It
// is immutable. Its rows are numbered by their positions in all[0], which equal those in
// the file only until a station joins.
type view struct {
	file     *file
	ids      []string     // of all[0]
	all      [4][]Station // by number of their kind; 0 has all of them
	places   func() []placed
	searcher func() *index
}

// newView makes the view of all, which is in order of id.
func newView(f *file, all []Station) *view {
	v := &view{file: f, ids: make([]string, len(all))}
	v.all[0] = all
	var counts [len(v.all)]int
	for row, s := range all {
		v.ids[row] = s.ID
		counts[s.Kind.number()]++
	}
	for kind := 1; kind < len(counts); kind++ {
		v.all[kind] = make([]Station, 0, counts[kind])
	}
	for _, s := range all {
		kind := s.Kind.number()
		v.all[kind] = append(v.all[kind], s)
	}
	v.places = sync.OnceValue(v.place)
	v.searcher = sync.OnceValue(v.index)
	return v
}

// position returns the index of the station with the id, or its insertion point.
func (v *view) position(id string) (int, bool) {
	row := sort.Search(len(v.ids), func(i int) bool { return compareFold(v.ids[i], id) >= 0 })
	return row, row < len(v.ids) && compareFold(v.ids[row], id) == 0
}

func (v *view) station(id string) (Station, bool) {
	row, ok := v.position(id)
	if !ok {
		return Station{}, false
	}
	return v.all[0][row], true
}
