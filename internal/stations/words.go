package stations

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// eachWord calls yield for the words that names and queries are compared by:
// lower case, without accents and punctuation. An apostrophe joins (Rich's
// is richs), as does a point after a single letter (N.Y. is ny) or inside
// a number (0.2). The bytes are only good during the call.
func eachWord(text string, yield func(word []byte)) {
	var room [longestWord]byte
	word := room[:0]
	for i, r := range text {
		switch r = fold(r); {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			word = utf8.AppendRune(word, r)
		case r == '.' && isDigit(word) && i+1 < len(text) && '0' <= text[i+1] && text[i+1] <= '9':
			word = append(word, '.')
		case r == '\'' || r == '’' || r == '.' && len(word) == 1 && !isDigit(word) || unicode.Is(unicode.Mn, r):
		case len(word) > 0:
			yield(word)
			word = word[:0]
		}
	}
	if len(word) > 0 {
		yield(word)
	}
}

// tokens are the words of text.
func tokens(text string) []string {
	var out []string
	eachWord(text, func(word []byte) { out = append(out, string(word)) })
	return out
}

// written is a word as it is compared: an abbreviation written out.
func written(word string) string {
	if long, ok := abbreviations[word]; ok {
		return long
	}
	return word
}

// isDigit reports whether text begins with a digit.
func isDigit[T string | []byte](text T) bool {
	return len(text) > 0 && '0' <= text[0] && text[0] <= '9'
}

// fold turns a letter into its lower case without accent. Marks that stand
// as characters of their own are dropped by tokens.
func fold(r rune) rune {
	r = unicode.ToLower(r)
	if r < utf8.RuneSelf {
		return r
	}
	if i := strings.IndexRune(accented, r); i >= 0 {
		return rune(plain[utf8.RuneCountInString(accented[:i])])
	}
	return r
}

// The accented letters of the languages along these coasts (Spanish, French,
// Hawaiian with its macrons) and of the rest of Latin-1, above their plain ones.
const (
	accented = "àáâãäåāăąçćčďèéêëēĕėęěìíîïīĭįłñńňòóôõöøōŏőŕřśşšťùúûüūŭůűųýÿźżž"
	plain    = "aaaaaaaaacccdeeeeeeeeeiiiiiiilnnnooooooooorrssstuuuuuuuuuyyzzz"
)

// articles, and what else carries no meaning in a name, do not count.
var articles = map[string]bool{"the": true, "of": true, "at": true, "in": true, "on": true, "near": true, "and": true, "a": true}

// fillers are words that people add to a name when they look for its
// station. They count only as long as something matches.
var fillers = map[string]bool{
	"tide": true, "tides": true, "tidal": true, "current": true, "currents": true, "station": true, "stations": true,
	"gauge": true, "water": true, "level": true, "levels": true, "prediction": true, "predictions": true, "noaa": true,
	"usa": true, "us": true,
}

// abbreviations are those of NOAA's names and of those who look for them.
var abbreviations = map[string]string{
	"st": "saint", "ste": "saint", "ft": "fort", "pt": "point", "pte": "point", "mt": "mount",
	"hbr": "harbor", "hrbr": "harbor", "harbour": "harbor", "is": "island", "isl": "island", "i": "island",
	"ent": "entrance", "entr": "entrance", "lt": "light", "lighthouse": "light", "chan": "channel", "ch": "channel",
	"r": "river", "riv": "river", "cr": "creek", "crk": "creek", "ck": "creek", "br": "bridge", "brg": "bridge", "brdg": "bridge",
	"bch": "beach", "lk": "lake", "snd": "sound", "str": "strait", "grt": "great", "gt": "great",
	"hwy": "highway", "rr": "railroad", "rt": "route", "rte": "route", "ave": "avenue",
	"n": "north", "s": "south", "e": "east", "w": "west",
	"ne": "northeast", "nw": "northwest", "se": "southeast", "sw": "southwest",
	"mi": "mile", "miles": "mile", "nm": "nmi",
}

// nearArticle reports whether a word may be a misspelt article.
func nearArticle(word string) bool {
	for a := range articles {
		if len(a) > 1 && distance(word, a, 1) <= 1 {
			return true
		}
	}
	return false
}

// distance is the number of letters that were dropped, added, changed or
// swapped with their neighbour between a and b (optimal string alignment:
// Damerau's four mistakes, none made inside another), or limit+1 if there
// are more than limit.
// Source: Damerau, A technique for computer detection and correction of
// spelling errors, CACM 7 (1964).
func distance(a, b string, limit int) int {
	if len(a) > longestWord || len(b) > longestWord || len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	var rows [3][longestWord + 2]uint8
	before, last, row := &rows[0], &rows[1], &rows[2]
	for j := range last {
		last[j] = uint8(j)
	}
	far := uint8(limit + 1) // beyond the diagonals within limit every count is more
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

// longestWord is the longest word, in bytes, that a spelling mistake is
// looked for in; the longest of a name has 17.
const longestWord = 32

// letters is a set of the letters of a word, of digits as one.
func letters(word string) (set uint32) {
	for i := range len(word) {
		if c := word[i]; 'a' <= c && c <= 'z' {
			set |= 1 << (c - 'a')
		} else {
			set |= 1 << 26
		}
	}
	return set
}
