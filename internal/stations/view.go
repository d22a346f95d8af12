package stations

import (
	"sort"
	"sync"
)

// view holds the stations at one time: those of the file, and those that have joined. It
// is immutable. Its rows are numbered by their positions in all, which equal those in
// the file only until a station joins.
type view struct {
	file     *file
	all      []Station           // in order of id
	kinds    func() [4][]Station // by number of their kind; 0 has all of them
	places   func() []placed
	searcher func() *index
}

// newView makes the view of all, which is in order of id.
func newView(f *file, all []Station) *view {
	v := &view{file: f, all: all}
	v.kinds = sync.OnceValue(v.byKind)
	v.places = sync.OnceValue(v.place)
	v.searcher = sync.OnceValue(v.index)
	return v
}

// byKind returns the stations by number of their kind.
func (v *view) byKind() (lists [4][]Station) {
	lists[0] = v.all
	var counts [len(lists)]int
	for _, s := range v.all {
		counts[s.Kind.number()]++
	}
	for kind := 1; kind < len(lists); kind++ {
		lists[kind] = make([]Station, 0, counts[kind])
	}
	for _, s := range v.all {
		kind := s.Kind.number()
		lists[kind] = append(lists[kind], s)
	}
	return lists
}

// position returns the index of the station with the id, or its insertion point.
func (v *view) position(id string) (int, bool) {
	row := sort.Search(len(v.all), func(i int) bool { return compareFold(v.all[i].ID, id) >= 0 })
	return row, row < len(v.all) && compareFold(v.all[row].ID, id) == 0
}

func (v *view) station(id string) (Station, bool) {
	row, ok := v.position(id)
	if !ok {
		return Station{}, false
	}
	return v.all[row], true
}
