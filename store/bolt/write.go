package bolt

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"go.etcd.io/bbolt"
)

// groupSize is how many writes go into one transaction, and how many more may
// wait. Past some hundreds an fsync is spread thin enough; a longer queue would
// only be older.
const groupSize = 1024

// write is one write in the queue.
type write struct {
	ctx   context.Context
	apply func(*bbolt.Tx) error // refuses before it changes anything; may be called again
	err   error                 // what apply said
	done  chan error            // has room for the answer
}

// change applies something in the next group and returns what it made, once
// that is on disk. Where ctx ends first it returns at once; what was applied by
// then is written all the same.
func change[T any](ctx context.Context, s *Store, apply func(*bbolt.Tx) (T, error)) (T, error) {
	var made, none T
	w := &write{ctx: ctx, done: make(chan error, 1)}
	w.apply = func(tx *bbolt.Tx) (err error) {
		made, err = apply(tx)
		return err
	}
	if err := s.await(w); err != nil {
		return none, err // made may still be written to
	}
	return made, nil
}

// do is change for what makes nothing.
func (s *Store) do(ctx context.Context, apply func(*bbolt.Tx) error) error {
	return s.await(&write{ctx: ctx, apply: apply, done: make(chan error, 1)})
}

// await queues a write and waits for its answer.
func (s *Store) await(w *write) error {
	if err := s.admit(w.ctx); err != nil {
		return err
	}
	select {
	case s.queue <- w:
	case <-s.closing:
		return errClosed
	case <-w.ctx.Done():
		return w.ctx.Err()
	}
	select {
	case err := <-w.done:
		return err
	case <-w.ctx.Done():
		return w.ctx.Err()
	case <-s.written:
	}
	select { // it may have come into the last group, or after it
	case err := <-w.done:
		return err
	default:
		return errClosed
	}
}

// runWriter is the goroutine that writes.
func (s *Store) runWriter() {
	defer close(s.written)
	debug.SetPanicOnFault(true) // a mapped page that cannot be read is a fault of memory
	for {
		select {
		case w := <-s.queue:
			s.settle(s.group(w))
		case <-s.closing:
			s.empty()
			return
		}
	}
}

// empty settles what came into the queue before it was closed.
func (s *Store) empty() {
	for {
		select {
		case w := <-s.queue:
			s.settle(s.group(w))
		default:
			return
		}
	}
}

// group takes what waits behind a write.
func (s *Store) group(first *write) []*write {
	group := []*write{first}
	for len(group) < groupSize {
		select {
		case w := <-s.queue:
			group = append(group, w)
		default:
			return group
		}
	}
	return group
}

// settle brings a group to disk and answers it. A write that can be neither
// applied nor refused goes out with its error, and the others begin anew.
func (s *Store) settle(group []*write) {
	for len(group) > 0 {
		began := time.Now()
		spoiler, err := s.transact(group)
		if err != nil {
			err = unavailable(err)
		}
		s.observe(len(group), time.Since(began), err)
		if spoiler < 0 {
			answer(group, err)
			return
		}
		group[spoiler].done <- err
		group = slices.Delete(group, spoiler, spoiler+1)
	}
}

// answer tells a group how it went: all alike where it failed, for even a
// refusal may rest on what the others would have changed.
func answer(group []*write, err error) {
	for _, w := range group {
		if err != nil {
			w.err = err
		}
		w.done <- w.err
	}
}

// transact writes a group in one transaction. It names the write that spoiled
// it, -1 where none did.
func (s *Store) transact(group []*write) (spoiler int, err error) {
	if broken := s.broken.Load(); broken != nil {
		return -1, *broken
	}
	spoiler = -1 // also after a panic
	defer s.survive(&err)
	tx, err := s.db.Begin(true)
	if err != nil {
		return spoiler, err
	}
	defer tx.Rollback() // does nothing after a commit
	applied := 0
	for i, w := range group {
		if w.err = w.ctx.Err(); w.err != nil {
			continue
		}
		if w.err = w.apply(tx); w.err == nil {
			applied++
		} else if !refused(w.err) {
			return i, w.err
		}
	}
	if applied == 0 {
		return spoiler, nil // what is on disk stands
	}
	return spoiler, s.commit(tx)
}

// commit brings a transaction to disk, into the file that the path names.
func (s *Store) commit(tx *bbolt.Tx) error {
	if err := same(s.path, s.file); err != nil {
		return err
	}
	id := tx.ID()
	err := tx.Commit()
	if err != nil && s.visible(id) {
		return s.stop(fmt.Errorf("a commit may be on disk or not: %w", err))
	}
	return err
}

// visible tells whether a transaction can be seen. One whose commit failed can
// where its last page was written and the fsync after that failed: such pages
// may or may not be there tomorrow.
func (s *Store) visible(id int) bool {
	tx, err := s.db.Begin(false)
	if err != nil {
		return true // bbolt has lost its map: nothing can be told
	}
	defer tx.Rollback()
	return tx.ID() >= id
}

// survive, deferred, makes a panic the end of the service and not of the
// process: bbolt panics over a page that is not what its place says, and
// memory faults where a mapped page cannot be read.
func (s *Store) survive(err *error) {
	if p := recover(); p != nil {
		*err = s.stop(fmt.Errorf("bbolt cannot go on: %v", p))
	}
}
