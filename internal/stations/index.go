package stations

import (
	"strings"

	"leadline/internal/words"
)

// averageWords is the average number of words of a name, rounded up. It only affects
// preallocation.
const averageWords = 5

// mostWords is the maximum number of numbered words. The embedded names have 4,455;
// stations that join beyond it are found by their other words.
const mostWords = 1 << 16

// index holds the search data: the words of all names, each once, and for each row which
// of them its name has. Rows are those of a view.
type index struct {
	vocabulary []string
	letters    []uint32   // of each word
	rows       [][]uint16 // that have the word
	names      []title    // the whole name of each row
	titles     [][]title  // of each row, shorter than the name
	dependants []uint16   // number of rows of the file that refer to the row
}

// title is a part of a name by which people know the place: of "San Francisco (Golden
// Gate)" both, of "Seattle, Elliott Bay" the first.
type title []uint16

func (v *view) index() *index {
	rows := len(v.all)
	x := &index{names: make([]title, rows), titles: make([][]title, rows),
		dependants: make([]uint16, rows)}
	b := builder{index: x, numbers: make(map[string]uint16, rows),
		words: make([]uint16, 0, averageWords*rows)}
	dependants := v.file.dependants()
	for row, s := range v.all {
		b.add(row, s.Name)
		if s.record.row != joined {
			x.dependants[row] = dependants[s.record.row]
		}
	}
	x.list(len(b.words))
	return x
}

// dependants returns the number of rows that refer to each row of the file. It ignores
// stations that joined, so that the ranking of two Portlands does not change over time.
func (f *file) dependants() []uint16 {
	counts := make([]uint16, len(f.ids))
	for row := range f.ids {
		if ref := f.ref.uint16(row); ref != noReference {
			counts[ref]++
		}
	}
	return counts
}

// list makes the lists of rows of each word; there are n words in all names.
func (x *index) list(n int) {
	counts := make([]int, len(x.vocabulary))
	for _, name := range x.names {
		for _, w := range name {
			counts[w]++
		}
	}
	room := make([]uint16, 0, n)
	x.rows = make([][]uint16, len(x.vocabulary))
	for w, count := range counts {
		x.rows[w] = room[len(room) : len(room) : len(room)+count]
		room = room[:len(room)+count]
	}
	for row, name := range x.names {
		for _, w := range name {
			x.rows[w] = append(x.rows[w], uint16(row))
		}
	}
}

// builder fills an index.
type builder struct {
	*index
	numbers map[string]uint16 // of the words of the vocabulary
	words   title             // of all names so far
}

func (b *builder) add(row int, name string) {
	start, titled := len(b.words), true
	for rest := name; rest != ""; {
		i := strings.IndexAny(rest, ",()")
		if i < 0 {
			i = len(rest)
		}
		from := len(b.words)
		words.Each(rest[:i], b.word)
		if titled && i < len(name) && from < len(b.words) {
			b.titles[row] = append(b.titles[row], b.words[from:])
		}
		titled = i < len(rest) && rest[i] == '('
		rest = rest[min(i+1, len(rest)):]
	}
	b.names[row] = b.words[start:]
}

// word adds the number of a word to the current name. A new word is added to the
// vocabulary.
func (b *builder) word(text []byte) {
	if words.Articles[string(text)] {
		return
	}
	if n, ok := b.numbers[string(text)]; ok {
		b.words = append(b.words, n)
		return
	}
	word := words.Written(string(text))
	n, ok := b.numbers[word]
	if !ok && len(b.vocabulary) == mostWords {
		return
	}
	if !ok {
		n = uint16(len(b.vocabulary))
		b.vocabulary, b.letters = append(b.vocabulary, word), append(b.letters, words.Letters(word))
	}
	b.numbers[string(text)], b.numbers[word] = n, n
	b.words = append(b.words, n)
}
