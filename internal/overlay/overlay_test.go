package overlay

import (
	"fmt"
	"testing"
	"time"
)

var noon = time.Date(2026, 11, 20, 17, 0, 0, 0, time.UTC)

// TestQueue checks that a station is queued at most once a day, that the order is kept, and that
// the queue is bounded.
func TestQueue(t *testing.T) {
	var q queue
	if _, ok := q.next(); ok {
		t.Error("an empty queue has a station")
	}
	q.add("a", noon)
	q.add("b", noon)
	q.add("a", noon.Add(time.Hour))
	for _, want := range []string{"a", "b"} {
		if id, ok := q.next(); !ok || id != want {
			t.Errorf("%q is next, want %q", id, want)
		}
	}
	q.add("a", noon.Add(ListInterval-1))
	if id, ok := q.next(); ok {
		t.Errorf("%q is queued again within a day", id)
	}
	q.add("a", noon.Add(ListInterval))
	if id, ok := q.next(); !ok || id != "a" {
		t.Errorf("a day later %q is next", id)
	}
	for i := range maxQueued + 5 {
		q.add(fmt.Sprint(i), noon.Add(3*ListInterval))
	}
	n := 0
	for _, ok := q.next(); ok; _, ok = q.next() {
		n++
	}
	if n != maxQueued {
		t.Errorf("%d are queued, want %d", n, maxQueued)
	}
	q.add(fmt.Sprint(maxQueued+1), noon.Add(3*ListInterval)) // it was not queued before
	if _, ok := q.next(); !ok {
		t.Error("who found no place before is not queued")
	}
}

// TestWindow checks that a document that was cached while the service failed is not used with
// newer ones.
func TestWindow(t *testing.T) {
	var w window
	w.add(noon)
	w.add(noon.Add(maxApart))
	if err := w.check(); err != nil {
		t.Errorf("half an hour apart: %v", err)
	}
	w.add(noon.Add(-time.Second))
	if err := w.check(); err == nil {
		t.Error("more than half an hour apart: no error")
	}
}
