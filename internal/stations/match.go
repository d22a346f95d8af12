package stations

import (
	"math/bits"
	"slices"
	"strings"

	"leadline/internal/words"
)

// How a word of the query fits a word of a name, best first.
const (
	whole     = uint8(iota)
	prefix    // it is the beginning
	substring // it is a part
	mistaken  // with one mistake
	mistaken2 // with two
	none
)

// maxWords is the maximum number of words of a query; further words are ignored. The
// longest names have 13.
const maxWords = 16

// term is a condition that a station must fit: a word, or a state's name of one to three
// words. Those words may also be words of the station's name.
type term struct {
	words []*word
	state string // letters, empty for no state
	fit   uint8  // how the state fits: whole or mistaken
}

// word is one word of the query and how it fits.
type word struct {
	typed   string
	text    string  // the same with an abbreviation written out
	inWords []uint8 // each word of the vocabulary
	inRows  []uint8 // each row, by the best of its words or by its id
	rows    []int   // those that it fits
}

// parse converts the tokens of a query to terms.
func (s *search) parse(raw []string) {
	s.terms, s.words, s.plain = nil, nil, nil
	for len(raw) > 0 && len(s.words) < maxWords {
		state, n := words.StateOf(raw)
		t := term{state: state}
		for _, text := range raw[:max(n, 1)] {
			t.words = append(t.words, &word{typed: text, text: words.Written(text)})
		}
		raw = raw[max(n, 1):]
		if state == "" && words.Articles[t.words[0].text] {
			continue
		}
		s.terms, s.words = append(s.terms, t), append(s.words, t.words...)
		if state == "" {
			s.plain = append(s.plain, t.words...)
		}
	}
}

// fits returns how the term fits a row, which is that of a station.
func (t *term) fits(row int, st *Station) uint8 {
	fit := whole
	for _, w := range t.words {
		fit = max(fit, w.inRows[row])
	}
	if t.state != "" && t.state == st.State {
		fit = min(fit, t.fit)
	}
	return fit
}

// fits reports whether the words of the query fit those of a name or title one by one.
func (t title) fits(words []*word) bool {
	if len(t) != len(words) || len(t) == 0 {
		return false
	}
	for i, w := range words {
		if w.inWords[t[i]] == none {
			return false
		}
	}
	return true
}

// fit finds the words and rows that w fits without a mistake.
func (s *search) fit(w *word) {
	w.inWords = slices.Repeat([]uint8{none}, len(s.vocabulary))
	w.inRows = slices.Repeat([]uint8{none}, len(s.names))
	set := words.Letters(w.text)
	for n, v := range s.vocabulary {
		if set&^s.letters[n] != 0 {
			continue // v lacks a letter of w
		}
		switch i := strings.Index(v, w.text); {
		case i == 0 && len(v) == len(w.text):
			s.note(w, n, whole)
		case i == 0:
			s.note(w, n, prefix)
		case i > 0 && len(w.text) > 1:
			s.note(w, n, substring)
		}
	}
	s.fitID(w)
}

// candidates returns rows that hold all that the terms fit: those of the word that fits the fewest,
// as most rows have few of the words. A term that may be a state fits the rows of that, too.
func (s *search) candidates() []int {
	var fewest *word
	for _, t := range s.terms {
		for _, w := range t.words {
			if t.state == "" && (fewest == nil || len(w.rows) < len(fewest.rows)) {
				fewest = w
			}
		}
	}
	if fewest == nil {
		every := make([]int, len(s.names))
		for row := range every {
			every[row] = row
		}
		return every
	}
	return fewest.rows
}

// fitID finds the rows whose ids are w or begin with it.
func (s *search) fitID(w *word) {
	if len(w.text) < 3 {
		return
	}
	first, _ := s.position(w.text)
	for row := first; row < len(s.names); row++ {
		id := s.all[row].ID
		if len(id) < len(w.text) || compareFold(id[:len(w.text)], w.text) != 0 {
			return
		}
		fit := prefix
		if len(id) == len(w.text) {
			fit = whole
		}
		w.fitRow(row, fit)
	}
}

// fitRow records that w fits a row.
func (w *word) fitRow(row int, fit uint8) {
	if w.inRows[row] == none {
		w.rows = append(w.rows, row)
	}
	w.inRows[row] = min(w.inRows[row], fit)
}

// note records that w fits word n of the vocabulary, and so the rows that have it.
func (s *search) note(w *word, n int, fit uint8) {
	w.inWords[n] = fit
	for _, row := range s.rows[n] {
		w.fitRow(int(row), fit)
	}
}

// misspell adds the matches of the words of t with mistakes.
func (s *search) misspell(t *term) {
	for _, w := range t.words {
		s.misspellWord(w, words.Mistakes(w.typed, len(s.words) > 1))
	}
	if t.state == "" && len(t.words) == 1 {
		t.state, t.fit = words.MisspelledState(t.words[0].typed), mistaken
	}
}

// misspellWord notes the words of the vocabulary that are at most limit mistakes from w
// as typed. It also notes the expansions of misspelled abbreviations.
func (s *search) misspellWord(w *word, limit int) {
	if limit == 0 {
		return
	}
	set := words.Letters(w.typed)
	meant := map[string]bool{}
	for short, long := range words.Abbreviations {
		if len(short) > 1 && near(w.typed, short, set, words.Letters(short), limit) <= limit {
			meant[long] = true
		}
	}
	for n, v := range s.vocabulary {
		if w.inWords[n] < none {
			continue
		}
		if d := near(w.typed, v, set, s.letters[n], limit); d <= limit {
			s.note(w, n, mistaken+uint8(d)-1)
		} else if meant[v] {
			s.note(w, n, mistaken)
		}
	}
}

// near returns the distance of two words, or more than limit. Comparing their letters
// first skips most computations. Words of up to three letters match only themselves (bar
// is not bay), because too little of them would remain.
func near(a, b string, inA, inB uint32, limit int) int {
	if bits.OnesCount32(inA^inB) > 2*limit || len(a) <= 3 && inA&^inB != 0 && inB&^inA != 0 {
		return limit + 1
	}
	return words.Distance(a, b, limit)
}
