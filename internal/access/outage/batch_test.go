package outage

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"maps"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// sums collects what a batch of numbers has written.
type sums struct {
	mu     sync.Mutex
	got    map[string]int
	writes []int // number of values of each write
	err    error
	block  chan bool // if not nil, a write waits for it
}

func (s *sums) write(ctx context.Context, list []Pair[string, int]) error {
	s.mu.Lock()
	block, err := s.block, s.err
	s.mu.Unlock()
	if block != nil {
		select {
		case <-block:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes = append(s.writes, len(list))
	for _, p := range list {
		s.got[p.Key] += p.Value
	}
	return nil
}

func newSums(repeatable bool) (*sums, *Batch[string, int]) {
	s := &sums{got: map[string]int{}}
	return s, NewBatch(BatchConfig[string, int]{
		Every: 10 * time.Second, Most: 3, Repeatable: repeatable, What: "sums", Write: s.write,
		Merge: func(a, b int) int { return a + b },
		Log:   slog.New(slog.DiscardHandler),
	})
}

// fail sets what the next writes return, nil if they succeed, and what they wait for.
func (s *sums) fail(err error, block chan bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err, s.block = err, block
}

// wrote checks what was written so far.
func (s *sums) wrote(t *testing.T, when string, want map[string]int, writes int) {
	t.Helper()
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !maps.Equal(s.got, want) || len(s.writes) != writes {
		t.Errorf("%s: %v in %d writes, want %v in %d", when, s.got, len(s.writes), want, writes)
	}
}

// TestBatch checks that values of an interval are written in one call, at its end or when the batch
// is closed.
func TestBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, b := newSums(false)
		for _, key := range []string{"a", "b", "a"} {
			if !b.Add(key, 2) {
				t.Errorf("add(%s) = false", key)
			}
		}
		time.Sleep(10*time.Second - time.Nanosecond)
		s.wrote(t, "before the end", map[string]int{}, 0)
		time.Sleep(time.Nanosecond)
		s.wrote(t, "at the end", map[string]int{"a": 4, "b": 2}, 1)
		time.Sleep(time.Hour)
		s.wrote(t, "without values", map[string]int{"a": 4, "b": 2}, 1)
		b.Add("a", 1)
		b.Close()
		s.wrote(t, "closed", map[string]int{"a": 5, "b": 2}, 2)
		b.Close()
		s.wrote(t, "closed again", map[string]int{"a": 5, "b": 2}, 2)
	})
}

// TestBatchIsBounded checks that values beyond the limit are refused and that those before it are
// written at once.
func TestBatchIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, b := newSums(false)
		for _, key := range []string{"a", "b", "c"} {
			b.Add(key, 1)
		}
		if b.Add("d", 1) || !b.Add("a", 1) {
			t.Error("a full batch must refuse a new key and accept one that it has")
		}
		s.wrote(t, "when it is full", map[string]int{"a": 2, "b": 1, "c": 1}, 1)
		if !b.Add("d", 1) {
			t.Error("add() = false after the values were written")
		}
		b.Close()
	})
}

// TestBatchFails checks that values are kept after a failure, that adding values does not wait, and
// that values with an unknown outcome are written again only if they may be.
func TestBatchFails(t *testing.T) {
	for _, repeatable := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			s, b := newSums(repeatable)
			s.fail(errors.New("the store is unavailable"), nil)
			b.Add("a", 1)
			time.Sleep(10 * time.Second)
			synctest.Wait()
			s.fail(nil, nil)
			b.Add("a", 2)
			time.Sleep(10 * time.Second)
			s.wrote(t, "after a failure", map[string]int{"a": 3}, 1)

			block := make(chan bool)
			s.fail(nil, block)
			b.Add("b", 1)
			time.Sleep(10 * time.Second)
			synctest.Wait()        // the write has begun
			b.Add("b", 10)         // does not wait for it
			time.Sleep(CallWithin) // the write gives up
			synctest.Wait()
			close(block)
			time.Sleep(10 * time.Second)
			want := map[string]int{"a": 3, "b": 10}
			if repeatable {
				want["b"] = 11
			}
			s.wrote(t, "after a timeout", want, 2)
			b.Close()
		})
	}
}

// TestBatchLogs checks that a failure is logged with what could not be written.
func TestBatchLogs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		s, b := newSums(true)
		b.Log = slog.New(slog.NewTextHandler(&log, nil))
		s.fail(errors.New("disk full"), nil)
		b.Add("a", 1)
		b.Close()
		if !strings.Contains(log.String(), "write sums") || !strings.Contains(log.String(), "disk full") {
			t.Errorf("the log has %q", log.String())
		}
	})
}

// TestBatchInParts checks that many values are written in several calls.
func TestBatchInParts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, b := newSums(true)
		b.Most = 2*mostAtOnce + 1
		for i := range b.Most {
			b.Add(string(rune(0x10000+i)), 1)
		}
		b.Close()
		if len(s.got) != b.Most || len(s.writes) != 3 || s.writes[0] != mostAtOnce {
			t.Errorf("%d values in writes of %v, want %d in 3", len(s.got), s.writes, b.Most)
		}
	})
}
