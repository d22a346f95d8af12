package access

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

// batch collects values by key in memory and writes them to the store together. Adding a value does
// not wait for the store.
type batch[K comparable, V any] struct {
	batchConfig[K, V]

	mu      sync.Mutex
	values  map[K]V
	running bool // a goroutine waits to write them
	writing sync.WaitGroup
	full    chan struct{} // has a value if they must be written at once
	once    sync.Once
	closing chan struct{} // closed by close
}

type batchConfig[K comparable, V any] struct {
	every      time.Duration // from the first value until they are written
	most       int           // maximum number of keys in memory
	merge      func(before, v V) V
	write      func(context.Context, []pair[K, V]) error
	repeatable bool // whether a value may be written twice
	what       string
	log        *slog.Logger
}

// pair is a value with its key.
type pair[K comparable, V any] struct {
	key   K
	value V
}

// mostAtOnce limits the values of one write. Other writes to the store wait for it, and requests
// wait for those at most StoreTimeout; 500 last uses of keys took 15 ms.
const mostAtOnce = 500

func newBatch[K comparable, V any](c batchConfig[K, V]) *batch[K, V] {
	return &batch[K, V]{
		batchConfig: c, values: map[K]V{}, full: make(chan struct{}, 1), closing: make(chan struct{}),
	}
}

// add adds a value. It returns false if there is no room: the store has not accepted values for
// long, or too many were added at once.
func (b *batch[K, V]) add(key K, v V) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	before, ok := b.values[key]
	if !ok && len(b.values) >= b.most {
		select {
		case b.full <- struct{}{}:
		default:
		}
		return false
	}
	if ok {
		v = b.merge(before, v)
	}
	b.values[key] = v
	if !b.running {
		b.running = true
		b.writing.Go(b.run)
	}
	return true
}

// run writes values until there are none.
func (b *batch[K, V]) run() {
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
func (b *batch[K, V]) wait() bool {
	timer := time.NewTimer(b.every)
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
func (b *batch[K, V]) flush() {
	list := b.take()
	for len(list) > 0 {
		n := min(len(list), mostAtOnce)
		err := b.writeSome(list[:n])
		if err == nil {
			list = list[n:]
			continue
		}
		b.log.Warn("write "+b.what, "error", err)
		if errors.Is(err, context.DeadlineExceeded) && !b.repeatable {
			list = list[n:] // they may have been written
		}
		b.restore(list)
		return
	}
}

func (b *batch[K, V]) writeSome(list []pair[K, V]) error {
	ctx, cancel := context.WithTimeout(context.Background(), callWithin)
	defer cancel()
	return b.write(ctx, list)
}

// take removes and returns all values.
func (b *batch[K, V]) take() (list []pair[K, V]) {
	b.mu.Lock()
	values := b.values
	b.values = map[K]V{}
	b.mu.Unlock()
	for key, v := range values {
		list = append(list, pair[K, V]{key, v})
	}
	return list
}

// restore adds values that were not written, as long as there is room.
func (b *batch[K, V]) restore(list []pair[K, V]) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range list {
		if later, ok := b.values[p.key]; ok {
			b.values[p.key] = b.merge(p.value, later)
		} else if len(b.values) < b.most {
			b.values[p.key] = p.value
		}
	}
}

// close writes the values so far and makes later ones be written at once.
func (b *batch[K, V]) close() {
	b.once.Do(func() { close(b.closing) })
	b.writing.Wait()
}
