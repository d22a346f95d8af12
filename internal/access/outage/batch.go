package outage

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

// Batch collects values by key in memory and writes them to the store together. Adding a value does
// not wait for the store.
type Batch[K comparable, V any] struct {
	BatchConfig[K, V]

	mu      sync.Mutex
	values  map[K]V
	running bool // a goroutine waits to write them
	writing sync.WaitGroup
	full    chan struct{} // has a value if they must be written at once
	once    sync.Once
	closing chan struct{} // closed by close
}

// BatchConfig says when the values of a batch are written, and how.
type BatchConfig[K comparable, V any] struct {
	Every      time.Duration // from the first value until they are written
	Most       int           // maximum number of keys in memory
	Merge      func(before, v V) V
	Write      func(context.Context, []Pair[K, V]) error
	Repeatable bool // whether a value may be written twice
	What       string
	Log        *slog.Logger
}

// Pair is a value with its key.
type Pair[K comparable, V any] struct {
	Key   K
	Value V
}

// mostAtOnce limits the values of one write. Other writes to the store wait for it, and requests
// wait for those at most StoreTimeout; 500 last uses of keys took 15 ms.
const mostAtOnce = 500

// NewBatch returns an empty batch. Close writes what it still holds.
func NewBatch[K comparable, V any](c BatchConfig[K, V]) *Batch[K, V] {
	return &Batch[K, V]{
		BatchConfig: c, values: map[K]V{}, full: make(chan struct{}, 1), closing: make(chan struct{}),
	}
}

// Add adds a value. It returns false if there is no room: the store has not accepted values for
// long, or too many were added at once.
func (b *Batch[K, V]) Add(key K, v V) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	before, ok := b.values[key]
	if !ok && len(b.values) >= b.Most {
		select {
		case b.full <- struct{}{}:
		default:
		}
		return false
	}
	if ok {
		v = b.Merge(before, v)
	}
	b.values[key] = v
	if !b.running {
		b.running = true
		b.writing.Go(b.run)
	}
	return true
}

// run writes values until there are none.
func (b *Batch[K, V]) run() {
	for again := true; again; {
		again = b.wait()
		b.flush()
		b.mu.Lock()
		again = again && len(b.values) > 0
		b.running = again
		b.mu.Unlock()
	}
}

// wait waits until values must be written. It returns false if the batch is being closed.
func (b *Batch[K, V]) wait() bool {
	timer := time.NewTimer(b.Every)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-b.full:
	case <-b.closing:
		return false
	}
	return true
}

// flush writes the values so far. After a failure the rest is kept for the next time.
func (b *Batch[K, V]) flush() {
	list := b.take()
	for len(list) > 0 {
		n := min(len(list), mostAtOnce)
		err := b.writeSome(list[:n])
		if err == nil {
			list = list[n:]
			continue
		}
		b.Log.Warn("write "+b.What, "error", err)
		if errors.Is(err, context.DeadlineExceeded) && !b.Repeatable {
			list = list[n:] // they may have been written
		}
		b.restore(list)
		return
	}
}

func (b *Batch[K, V]) writeSome(list []Pair[K, V]) error {
	ctx, cancel := context.WithTimeout(context.Background(), CallWithin)
	defer cancel()
	return b.Write(ctx, list)
}

// take removes and returns all values.
func (b *Batch[K, V]) take() (list []Pair[K, V]) {
	b.mu.Lock()
	values := b.values
	b.values = map[K]V{}
	b.mu.Unlock()
	for key, v := range values {
		list = append(list, Pair[K, V]{key, v})
	}
	return list
}

// restore adds values that were not written, as long as there is room.
func (b *Batch[K, V]) restore(list []Pair[K, V]) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range list {
		if later, ok := b.values[p.Key]; ok {
			b.values[p.Key] = b.Merge(p.Value, later)
		} else if len(b.values) < b.Most {
			b.values[p.Key] = p.Value
		}
	}
}

// Close writes the values so far and makes later ones be written at once.
func (b *Batch[K, V]) Close() {
	b.once.Do(func() { close(b.closing) })
	b.writing.Wait()
}
