package dispatch

import "time"

const (
	fastSlots = 192
	slowSlots = 64

	// mostAttempts limits attempts in progress. Those that have given up their fast slot count.
	mostAttempts = 4096

	// fastFor limits the time for which an attempt holds a fast slot. It continues without one,
	// and its endpoint uses the slow lane until an attempt takes less.
	fastFor = time.Second
)

// lane has slots for attempts, and a line of endpoints that have something to send.
type lane struct {
	size int
	free int
	line queue[*claim]
}

func newLane(slots int) *lane { return &lane{size: slots, free: slots} }

// used returns the number of slots in use.
func (l *lane) used() int { return l.size - l.free }

// queue is a first-in, first-out queue. The zero value is empty.
type queue[T any] struct {
	items []T
	head  int // items before it were taken
}

func (q *queue[T]) len() int { return len(q.items) - q.head }

func (q *queue[T]) push(item T) {
	if q.head > 64 && q.head > len(q.items)/2 {
		n := copy(q.items, q.items[q.head:])
		clear(q.items[n:])
		q.items, q.head = q.items[:n], 0
	}
	q.items = append(q.items, item)
}

// pop removes the first item; the queue must not be empty.
func (q *queue[T]) pop() T {
	var none T
	item := q.items[q.head]
	q.items[q.head] = none
	q.head++
	return item
}

// first returns the first item; the queue must not be empty.
func (q *queue[T]) first() T { return q.items[q.head] }

// take removes up to n items and appends them to a list.
func (q *queue[T]) take(list []T, n int) []T {
	for range min(n, q.len()) {
		list = append(list, q.pop())
	}
	return list
}
