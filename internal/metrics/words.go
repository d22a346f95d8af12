package metrics

import (
	"sync"
	"unicode/utf8"
)

// other stands for every word that is on no list.
const other = "other"

// words is the list of values that a label may have.
type words struct {
	mu   sync.RWMutex
	list map[string]bool
	room int // how many more it takes
}

// closed is a list that is whole: for labels whose values come from outside.
func closed(list []string) *words {
	w := &words{list: map[string]bool{}}
	for _, word := range list {
		w.list[word] = true
	}
	return w
}

// most is how many words an open list takes. The longest has the codes of
// coast, less than twenty.
const most = 24

// open is a list that learns its words as they are told, for labels whose
// values our own code names: the code has them already, and a bound all the
// same.
func open() *words { return &words{list: map[string]bool{}, room: most} }

// known is the word itself where the list has it, or takes it, else other.
func (w *words) known(word string) string {
	w.mu.RLock()
	has, full := w.list[word], w.room == 0
	w.mu.RUnlock()
	if has || !full && w.learn(word) {
		return word
	}
	return other
}

// learn takes a word that can be a label's value, while there is room.
func (w *words) learn(word string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.room > 0 && !w.list[word] && word != "" && len(word) <= 64 && utf8.ValidString(word) {
		w.list[word] = true
		w.room--
	}
	return w.list[word]
}
