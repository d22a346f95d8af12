package stations

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"leadline/internal/words"
)

// Filter narrows a search; nil takes all.
type Filter func(Station) bool

// The classes of matches, best first. The four of words stand in for the
// fits of the worst word.
const (
	classID = iota
	className
	classWords
	classSqueezed = classWords + int(none)
)

// maxQuery is how many bytes of a query count; the longest name has 50.
const maxQuery = 256

// enough is with how many stations a search is content before it looks for spelling mistakes.
const enough = 5

// Search returns the stations that match query and that keep takes, best
// first. An empty query returns all in order of id. The slice is the caller's.
//
// Every word of the query must fit, each as best it can: it is a word of the
// name (or the id), the beginning of one, a part of one, or, where fewer
// than five stations fit and none by its exact name, one with spelling
// mistakes: one in words of up to seven letters, two in longer ones. A state's name or
// letters fit the stations of that state too ("portland maine", "Boston,
// MA"). Case, accents and punctuation do not count, common abbreviations
// are the words that they stand for. Where nothing fits, words such as
// "tide" and "station" are left out, and at last the query is looked for
// without its blanks ("keywest").
//
// The worst word decides, after an exact id and an exact name (the whole
// of it, its beginning up to a comma, or what it has in brackets); then
// reference stations come before subordinate ones, tides before currents
// and these before gauges, stations before their further bins, the station to which more others
// refer before the one with fewer, the shorter name before the longer.
func (d *Directory) Search(query string, keep Filter) []Station {
	query = strings.TrimSpace(query[:min(len(query), maxQuery)])
	v := d.view.Load()
	if query == "" {
		return v.filter(keep)
	}
	s := search{view: v, index: v.searcher(), keep: keep, id: query}
	raw := words.Split(query)
	s.find(raw)
	if len(s.hits) == 0 {
		fewer := slices.DeleteFunc(slices.Clone(raw), func(w string) bool {
			return words.Fillers[w] ||
				words.NearArticle(w)
		})
		if len(fewer) < len(raw) {
			s.find(fewer)
		}
	}
	if len(s.hits) == 0 {
		s.squeeze()
	}
	return s.result()
}

func (v *view) filter(keep Filter) []Station {
	out := make([]Station, 0, len(v.all[0]))
	for _, s := range v.all[0] {
		if keep == nil || keep(s) {
			out = append(out, s)
		}
	}
	return out
}

// search is one search under way.
type search struct {
	*view
	*index
	keep  Filter
	id    string // the query as it stands: perhaps an id
	terms []term
	words []*word // of all terms, in order
	plain []*word // those that can be no state
	hits  []hit
	sure  bool // one was found by its id or exact name
}

// hit is a row of the view that was found. Lower keys come first.
type hit struct {
	key uint64
	row int
}

// find looks for the rows that fit the tokens of a query, or have its id.
func (s *search) find(raw []string) {
	s.parse(raw)
	for _, w := range s.words {
		s.fit(w)
	}
	s.collect()
	if len(s.hits) >= enough || s.sure {
		return
	}
	for i := range s.terms {
		s.misspell(&s.terms[i])
	}
	s.collect()
}

// collect makes hits of the rows that every term fits.
func (s *search) collect() {
	s.hits = s.hits[:0]
	for row := range s.names {
		worst, sum := s.fits(row)
		exact := compareFold(s.ids[row], s.id) == 0
		if worst == none && !exact || s.keep != nil && !s.keep(s.all[0][row]) {
			continue
		}
		class, titled := classWords+int(worst), s.titled(row)
		if exact {
			class = classID
		} else if worst == whole && titled {
			class = className
		}
		s.sure = s.sure || class <= className
		s.hits = append(s.hits, hit{s.key(row, class, sum, titled), row})
	}
}

// fits is how the worst of the terms fits a row, and the sum over all.
func (s *search) fits(row int) (worst uint8, sum int) {
	if len(s.terms) == 0 {
		return none, 0
	}
	for i := range s.terms {
		fit := s.terms[i].fits(row, s.all[0][row].State)
		if fit == none {
			return none, 0
		}
		worst, sum = max(worst, fit), sum+int(fit)
	}
	return worst, sum
}

// titled reports whether the name of a row, or a title in it, has the words
// of the query one by one, whether those of states count or not.
func (s *search) titled(row int) bool {
	fits := func(t title) bool { return t.fits(s.words) || t.fits(s.plain) }
	return fits(s.names[row]) || slices.ContainsFunc(s.titles[row], fits)
}

// key packs what decides the order, most important first.
func (s *search) key(row, class, sum int, titled bool) uint64 {
	station := s.all[0][row]
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

// squeeze finds the rows whose names, written as one word, have the query in
// them: "goldengate", "key west" for Keywest. Four letters are too few.
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
		if bytes.Contains(name, query) && (s.keep == nil || s.keep(s.all[0][row])) {
			s.hits = append(s.hits, hit{s.key(row, classSqueezed, 0, false), row})
		}
	}
}

func (s *search) result() []Station {
	slices.SortFunc(s.hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(a.key, b.key),
			a.row-b.row)
	})
	out := make([]Station, len(s.hits))
	for i, h := range s.hits {
		out[i] = s.all[0][h.row]
	}
	return out
}
