package limit

import (
	"math/rand/v2"
	"testing"
	"time"

	"leadline/internal/trials"
)

// TestAnySixtySeconds checks that no 60 seconds contain more than 30 requests, even from
// clients that know the algorithm. They use the limit at once, at the end of a second, or as
// soon as a request is reported to be left.
func TestAnySixtySeconds(t *testing.T) {
	const limit = 30
	for seed := range uint64(trials.Cases()) {
		r := rand.New(rand.NewPCG(seed, 1))
		var w window
		var served []time.Duration
		at := time.Duration(r.Int64N(int64(2 * time.Second)))
		for at < 10*time.Minute {
			second := int64(at / time.Second)
			for w.take(second, limit) {
				served = append(served, at)
				if r.IntN(3) > 0 {
					break
				}
			}
			switch remaining, reset := w.left(second, limit); {
			case reset <= second || reset > second+buckets:
				t.Fatalf("seed %d: at second %d the reset is %d", seed, second, reset)
			case remaining == 0 && r.IntN(2) == 0:
				at = time.Duration(reset) * time.Second
			case r.IntN(4) == 0:
				at = (at/time.Second+1)*time.Second - 1
			default:
				at += time.Duration(r.Int64N(int64(3 * time.Second)))
			}
		}
		if len(served) < 9*limit {
			t.Errorf("seed %d: %d requests in ten minutes are far from %d a minute",
				seed, len(served), limit)
		}
		for i := limit; i < len(served); i++ {
			if span := served[i] - served[i-limit]; span < time.Minute {
				t.Fatalf("seed %d: %d requests within %v", seed, limit+1, span)
			}
		}
	}
}

// TestReset checks that one more request is allowed at the reset, and none a second before.
func TestReset(t *testing.T) {
	var w window
	const limit = 2
	for _, second := range []int64{1000, 1007} {
		if !w.take(second, limit) {
			t.Fatalf("refused at %d", second)
		}
	}
	if w.take(1008, limit) {
		t.Fatal("a third request of two was accepted")
	}
	remaining, reset := w.left(1008, limit)
	if remaining != 0 || reset != 1061 {
		t.Errorf("left = %d, %d, want 0, 1061", remaining, reset)
	}
	if before, _ := w.left(reset-1, limit); before != 0 {
		t.Errorf("%d left a second before the reset", before)
	}
	if after, next := w.left(reset, limit); after != 1 || next != 1068 {
		t.Errorf("left at the reset = %d, %d, want 1, 1068", after, next)
	}
}

// TestClockGoesBack checks that setting the clock back does not allow more requests.
func TestClockGoesBack(t *testing.T) {
	var w window
	w.take(5000, 1)
	if w.take(10, 1) {
		t.Error("accepted after the clock went back")
	}
	if !w.idle(5061) || w.idle(5060) {
		t.Error("idle from the wrong second on")
	}
}
