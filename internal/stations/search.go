package stations

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"leadline/internal/words"
)

// Filter restricts a search; nil accepts all.
type Filter func(Station) bool

// Found is a station that a search found.
type Found struct {
	Station
	Match Match
}

// Match describes the way in which a station fits a query.
type Match int

// The matches, best first.
const (
	ByID    Match = iota // the id, or its beginning
	ByName               // the whole name, or a part by which people know the place
	ByWords              // words of the name, or their beginnings
	ByAlias              // another name that NOAA uses for the station
	Fuzzy                // with spelling mistakes, or inside a word
)

// The classes of matches, best first. The four of words correspond to the fits of the
// worst word.
const (
	classID = iota
	className
	classWords
	classSqueezed = classWords + int(none)
)

// maxQuery is the maximum number of bytes of a query; further bytes are ignored. The
// longest name has 50.
const maxQuery = 256

// enough is the number of stations below which Find also allows spelling mistakes.
const enough = 5

// Search returns the stations of Find.
func (d *Directory) Search(query string, filter Filter) []Station {
	found := d.Find(query, filter)
	list := make([]Station, len(found))
	for i, f := range found {
		list[i] = f.Station
	}
	return list
}

// Find returns the stations that match query and that filter accepts, best first. An
// empty query returns all in order of id. The slice is the caller's.
//
// Every word of the query must fit, each as well as possible: it is a word of the name
// (or the id), the beginning of one or a part of one. If fewer than five stations fit and
// none by its exact name, spelling mistakes are allowed: one in words of up to seven
// letters, two in longer ones. A state's name or letters fit the stations of that state
// too ("portland maine", "Boston, MA"). Case, accents and punctuation are ignored, and
// common abbreviations equal their expansions. If nothing fits, words such as "tide" and
// "station" are ignored, and finally the query is searched without its blanks
// ("keywest").
//
// The worst word decides the rank, after an exact id and an exact name (the whole of it,
// its beginning up to a comma, or the part in brackets). Then reference stations precede
// subordinate ones, tides precede currents and these precede gauges, and stations precede
// their additional bins. Then a station with more dependants precedes one with fewer, and
// the shorter name precedes the longer. Stations that have the query as an alias come
// after those whose names have it, and before those that fit with mistakes. If the query
// ends with a state and all fit with mistakes, those of other states are left out.
func (d *Directory) Find(query string, filter Filter) []Found {
	return d.find(query, filter, enough)
}

// Written returns the stations of Find that fit as they are written. Only if there are none, it
// returns those that fit with mistakes, which take half of the time of a search.
func (d *Directory) Written(query string, filter Filter) []Found {
	return d.find(query, filter, 1)
}

func (d *Directory) find(query string, filter Filter, enough int) []Found {
	query = strings.TrimSpace(query[:min(len(query), maxQuery)])
	v := d.view.Load()
	if query == "" {
		return v.filter(filter)
	}
	s := search{view: v, index: v.searcher(), filter: filter, id: query, enough: enough}
	raw := words.Split(query)
	s.find(raw)
	if len(s.hits) == 0 {
		fewer := slices.DeleteFunc(slices.Clone(raw), func(w string) bool {
			return words.Fillers[w] || words.NearArticle(w)
		})
		s.loose = slices.ContainsFunc(raw, func(w string) bool {
			return !words.Fillers[w] && !words.Articles[w] && words.NearArticle(w)
		})
		if len(fewer) < len(raw) {
			s.find(fewer)
		}
	}
	if len(s.hits) == 0 {
		s.squeeze()
	}
	return withAliases(inState(raw, s.result()), v.aliased(raw, filter))
}

// inState drops the stations that do not lie in the state that the query ends with, if
// all fit with mistakes.
func inState(query []string, found []Found) []Found {
	_, state := words.CutState(query)
	if state == "" || len(found) == 0 || found[0].Match != Fuzzy {
		return found
	}
	return slices.DeleteFunc(found, func(f Found) bool { return f.State != state })
}

func (v *view) filter(filter Filter) []Found {
	out := make([]Found, 0, len(v.all))
	for _, s := range v.all {
		if filter == nil || filter(s) {
			out = append(out, Found{s, ByName})
		}
	}
	return out
}

// search is the state of one search.
type search struct {
	*view
	*index
	filter Filter
	id     string // the unchanged query: perhaps an id
	enough int    // rows that fit, below which mistakes are allowed
	terms  []term
	words  []*word // of all terms, in order
	plain  []*word // those that cannot be a state
	hits   []hit
	sure   bool // one was found by its id or exact name
	loose  bool // a word was ignored that may be a misspelled article
}

// hit is a matching row of the view. Lower keys come first.
type hit struct {
	key   uint64
	row   int
	class int
}

// find finds the rows that fit the tokens of a query, or have its id.
func (s *search) find(raw []string) {
	s.parse(raw)
	for _, w := range s.words {
		s.fit(w)
	}
	s.collect()
	if len(s.hits) >= s.enough || s.sure {
		return
	}
	for i := range s.terms {
		s.misspell(&s.terms[i])
	}
	s.collect()
}

// collect converts the rows that every term fits to hits.
func (s *search) collect() {
	s.hits = s.hits[:0]
	identified, known := s.position(s.id)
	if known {
		_, sum := s.fits(identified)
		s.hit(identified, classID, sum)
	}
	for _, row := range s.candidates() {
		worst, sum := s.fits(row)
		if worst == none || known && row == identified {
			continue
		}
		class := classWords + int(worst)
		if worst == whole && s.titled(row) {
			class = className
		}
		s.hit(row, class, sum)
	}
}

// hit adds a row to the hits if the filter accepts it.
func (s *search) hit(row, class, sum int) {
	if s.filter != nil && !s.filter(s.all[row]) {
		return
	}
	s.sure = s.sure || class <= className
	s.hits = append(s.hits, hit{s.key(row, class, sum, s.titled(row)), row, class})
}

// fits returns how the worst of the terms fits a row, and the sum over all.
func (s *search) fits(row int) (worst uint8, sum int) {
	if len(s.terms) == 0 {
		return none, 0
	}
	for i := range s.terms {
		fit := s.terms[i].fits(row, &s.all[row])
		if fit == none {
			return none, 0
		}
		worst, sum = max(worst, fit), sum+int(fit)
	}
	return worst, sum
}

// titled reports whether the name of a row, or a title in it, has the words of the query
// one by one, with or without those of states.
func (s *search) titled(row int) bool {
	fits := func(t title) bool { return t.fits(s.words) || t.fits(s.plain) }
	return fits(s.names[row]) || slices.ContainsFunc(s.titles[row], fits)
}

// key packs the sort criteria, most important first.
func (s *search) key(row, class, sum int, titled bool) uint64 {
	station := s.all[row]
	_, bin := station.Bin()
	key := uint64(class)
	key = key<<8 | uint64(min(sum, 255))
	key = key<<1 | bit(!titled)
	key = key<<1 | bit(station.Subordinate())
	key = key<<2 | uint64(station.Kind.number())
	key = key<<1 | bit(bin > 0)
	key = key<<16 | uint64(^s.dependants[row])
	return key<<8 | uint64(min(len(station.Name), 255))
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// squeeze finds the rows whose names, written as one word, contain the query:
// "goldengate", "key west" for Keywest. Four letters are too few.
func (s *search) squeeze() {
	var query, name []byte
	for _, w := range s.words {
		query = append(query, w.text...)
	}
	if len(query) < 5 {
		return
	}
	for row := range s.names {
		name = name[:0]
		for _, w := range s.names[row] {
			name = append(name, s.vocabulary[w]...)
		}
		if bytes.Contains(name, query) && (s.filter == nil || s.filter(s.all[row])) {
			s.hits = append(s.hits, hit{s.key(row, classSqueezed, 0, false), row, classSqueezed})
		}
	}
}

func (s *search) result() []Found {
	slices.SortFunc(s.hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(a.key, b.key),
			a.row-b.row)
	})
	out := make([]Found, len(s.hits))
	for i, h := range s.hits {
		station := s.all[h.row]
		out[i] = Found{station, s.match(station, h.class)}
	}
	return out
}

// match returns how a station of a class fits.
func (s *search) match(station Station, class int) Match {
	switch {
	case class == classID:
		return ByID
	case s.loose || class > classWords+int(prefix):
		return Fuzzy
	case class == className:
		return ByName
	case len(s.id) < len(station.ID) && compareFold(station.ID[:len(s.id)], s.id) == 0:
		return ByID // its beginning
	}
	return ByWords
}
