// Package words compares names the way people type them: without regard to case, accents and
// punctuation, with abbreviations written out, names of states recognized and spelling
// mistakes counted. It is made for the names along American coasts, but does not contain a
// list of places.
package words

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Each calls yield for the words that names and queries are compared by: lower case, without
// accents, okinas and punctuation. An apostrophe joins (Rich's is richs), as does a point after a
// single letter (N.Y. is ny) or inside a number (0.2). The bytes are valid only during the
// call.
func Each(text string, yield func(word []byte)) {
	var room [Longest]byte
	word := room[:0]
	for i, r := range text {
		switch r = foldRune(r); {
		case r == 'ʻ' || r == 'ʼ': // Hawaiian and Samoan letters that most people omit
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			word = utf8.AppendRune(word, r)
		case r == '.' && IsDigit(word) && i+1 < len(text) && '0' <= text[i+1] && text[i+1] <= '9':
			word = append(word, '.')
		case r == '\'' || r == '’' || r == '‘' || r == '`' || unicode.Is(unicode.Mn, r),
			r == '.' && len(word) == 1 && !IsDigit(word):
		case len(word) > 0:
			yield(word)
			word = word[:0]
		}
	}
	if len(word) > 0 {
		yield(word)
	}
}

// Split returns the words of text.
func Split(text string) []string {
	var out []string
	Each(text, func(word []byte) { out = append(out, string(word)) })
	return out
}

// Written returns a word in the form used for comparison: abbreviations are written out.
func Written(word string) string {
	if long, ok := Abbreviations[word]; ok {
		return long
	}
	return word
}

// Key returns the words of a name in the form used for comparison: without articles, with
// abbreviations written out, joined by blanks.
func Key(name []string) string {
	var key []string
	for _, w := range name {
		if !Articles[w] {
			key = append(key, Written(w))
		}
	}
	return strings.Join(key, " ")
}

// IsDigit reports whether text begins with a digit.
func IsDigit[T string | []byte](text T) bool {
	return len(text) > 0 && '0' <= text[0] && text[0] <= '9'
}

// foldRune returns the lower case of a letter, without its accent. Each drops
// combining marks.
func foldRune(r rune) rune {
	r = unicode.ToLower(r)
	if r < utf8.RuneSelf {
		return r
	}
	if i := strings.IndexRune(accented, r); i >= 0 {
		return rune(plain[utf8.RuneCountInString(accented[:i])])
	}
	return r
}

// accented has the accented letters of the languages along these coasts (Spanish, French,
// Hawaiian with its macrons) and of the rest of Latin-1. plain has their unaccented letters
// in the same order.
const (
	accented = "àáâãäåāăąçćčďèéêëēĕėęěìíîïīĭįłñńňòóôõöøōŏőŕřśşšťùúûüūŭůűųýÿźżž"
	plain    = "aaaaaaaaacccdeeeeeeeeeiiiiiiilnnnooooooooorrssstuuuuuuuuuyyzzz"
)

// Articles are words that carry no meaning in a name. They are ignored.
var Articles = map[string]bool{
	"the": true, "of": true, "at": true, "in": true, "on": true, "near": true, "and": true, "a": true,
}

// Fillers are words that people add to a name when they search for its
// station. They count only while something matches.
var Fillers = map[string]bool{
	"tide": true, "tides": true, "tidal": true, "current": true, "currents": true, "station": true,
	"stations": true,
	"gauge":    true, "water": true, "level": true, "levels": true, "prediction": true,
	"predictions": true, "noaa": true,
	"usa": true, "us": true,
}

// Abbreviations maps the abbreviations in NOAA's names and in searches to the words that they
// abbreviate.
var Abbreviations = map[string]string{
	"st": "saint", "ste": "saint", "ft": "fort", "pt": "point", "pte": "point", "mt": "mount",
	"hbr": "harbor", "hrbr": "harbor", "harbour": "harbor", "is": "island", "isl": "island",
	"i":   "island",
	"ent": "entrance", "entr": "entrance", "lt": "light", "lighthouse": "light", "chan": "channel",
	"ch": "channel",
	"r":  "river", "riv": "river", "cr": "creek", "crk": "creek", "ck": "creek", "br": "bridge",
	"brg": "bridge", "brdg": "bridge",
	"bch": "beach", "lk": "lake", "snd": "sound", "str": "strait", "grt": "great", "gt": "great",
	"hwy": "highway", "rr": "railroad", "rt": "route", "rte": "route", "ave": "avenue",
	"n": "north", "s": "south", "e": "east", "w": "west",
	"ne": "northeast", "nw": "northwest", "se": "southeast", "sw": "southwest",
	"mi": "mile", "miles": "mile", "nm": "nmi",
}

// NearArticle reports whether a word may be a misspelled article.
func NearArticle(word string) bool {
	for a := range Articles {
		if len(a) > 1 && Distance(word, a, 1) <= 1 {
			return true
		}
	}
	return false
}

// Distance returns the number of letters that were dropped, added, changed or
// swapped with their neighbor between a and b (optimal string alignment:
// Damerau's four mistakes, none made inside another), or limit+1 if there
// are more than limit.
// Source: Damerau, A technique for computer detection and correction of
// spelling errors, CACM 7 (1964).
func Distance(a, b string, limit int) int {
	if len(a) > Longest || len(b) > Longest || len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	var rows [3][Longest + 2]uint8
	before, last, row := &rows[0], &rows[1], &rows[2]
	for j := range last {
		last[j] = uint8(j)
	}
	far := uint8(limit + 1) // outside the diagonals within limit, every count exceeds limit
	for i := range len(a) {
		from, to := max(0, i-limit), min(len(b), i+limit+1)
		row[from] = far
		if from == 0 {
			row[0] = uint8(i + 1)
		}
		best := row[from]
		for j := from; j < to; j++ {
			d := min(last[j+1], row[j]) + 1
			if a[i] == b[j] {
				d = min(d, last[j])
			} else {
				d = min(d, last[j]+1)
			}
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				d = min(d, before[j-1]+1)
			}
			row[j+1] = d
			best = min(best, d)
		}
		row[to+1] = far
		if best > far-1 {
			return limit + 1
		}
		before, last, row = last, row, before
	}
	return min(int(last[len(b)]), limit+1)
}

// Mistakes returns the number of mistakes to consider in a word. A missing letter in a word
// of two letters is only considered if there are other words.
func Mistakes(word string, others bool) int {
	switch {
	case len(word) < 2 || IsDigit(word) || len(word) == 2 && !others:
		return 0
	case len(word) < 8:
		return 1
	}
	return 2
}

// Longest is the length in bytes of the longest word that is checked for spelling mistakes.
// The longest word in a name has 17.
const Longest = 32

// Letters returns the set of letters in a word. All digits count as one letter.
func Letters(word string) (set uint32) {
	for i := range len(word) {
		if c := word[i]; 'a' <= c && c <= 'z' {
			set |= 1 << (c - 'a')
		} else {
			set |= 1 << 26
		}
	}
	return set
}
