package metrics

import (
	"sync"
	"unicode/utf8"
)

// other replaces every value that is not on a list.
const other = "other"

// words is the list of values that a label may have.
type words struct {
	mu   sync.RWMutex
	list map[string]bool
	room int // how many more words it accepts
}

// closed returns a complete list, for labels whose values come from clients.
func closed(list []string) *words {
	w := &words{list: map[string]bool{}}
	for _, word := range list {
		w.list[word] = true
	}
	return w
}

// most limits the length of an open list. The longest list holds the codes of
// coast, of which there are fewer than twenty.
const most = 24

// open returns a list that adds words when they are first used, for labels
// whose values come from our own code. Its length is limited too.
func open() *words { return &words{list: map[string]bool{}, room: most} }

// known returns the word if the list has or accepts it, and other otherwise.
func (w *words) known(word string) string {
	w.mu.RLock()
	has, full := w.list[word], w.room == 0
	w.mu.RUnlock()
	if has || !full && w.learn(word) {
		return word
	}
	return other
}

// learn adds a word if it can be the value of a label and there is room.
func (w *words) learn(word string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.room > 0 && !w.list[word] && word != "" && len(word) <= 64 && utf8.ValidString(word) {
		w.list[word] = true
		w.room--
	}
	return w.list[word]
}
