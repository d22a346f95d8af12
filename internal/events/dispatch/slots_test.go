package dispatch

import (
	"math/rand/v2"
	"testing"

	"leadline/internal/trials"
)

// TestQueue compares a queue with a channel.
func TestQueue(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	n := trials.Cases()
	want := make(chan int, n)
	var q queue[int]
	most := 0
	for i := range n {
		q.push(i)
		want <- i
		for q.len() > 0 && random.IntN(100) < 48 {
			if first, got, want := q.first(), q.pop(), <-want; got != want || first != want {
				t.Fatalf("pop() = %d, first() = %d, want %d", got, first, want)
			}
		}
		most = max(most, q.len())
	}
	if q.len() != len(want) {
		t.Errorf("len() = %d, want %d", q.len(), len(want))
	}
	if len(q.items) > 2*most+128 {
		t.Errorf("%d items are stored for at most %d", len(q.items), most)
	}
}
