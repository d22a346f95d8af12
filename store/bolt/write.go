package bolt

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"go.etcd.io/bbolt"
)

// groupSize is the number of writes in one transaction, and the length of the queue. With some
// hundreds of writes the cost of an fsync for each is already small; a longer queue would only
// delay them.
const groupSize = 1024

// write is one write in the queue.
type write struct {
	ctx   context.Context
	apply func(*bbolt.Tx) error // may be called again; refuses before it changes anything
	undo  bool                  // apply may refuse after it has changed something
	err   error                 // result of apply
	done  chan error            // buffered: receives the result
}

// change applies a write in the next group and returns its result once the group is on disk. If ctx
// ends first, change returns at once; a write that was already applied is still committed.
func change[T any](ctx context.Context, s *Store, apply func(*bbolt.Tx) (T, error)) (T, error) {
	var made, none T
	w := &write{ctx: ctx, done: make(chan error, 1)}
	w.apply = func(tx *bbolt.Tx) (err error) {
		made, err = apply(tx)
		return err
	}
	if err := s.await(w); err != nil {
		return none, err // apply may still be writing to made
	}
	return made, nil
}

// do is change for writes without a result.
func (s *Store) do(ctx context.Context, apply func(*bbolt.Tx) error) error {
	return s.await(&write{ctx: ctx, apply: apply, done: make(chan error, 1)})
}

// await queues a write and waits for its result.
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
	select { // the write may have been in the last group or queued after it
	case err := <-w.done:
		return err
	default:
		return errClosed
	}
}

// runWriter writes groups until the store is closed.
func (s *Store) runWriter() {
	defer close(s.written)
	debug.SetPanicOnFault(true) // a mapped page that cannot be read causes a memory fault
	for {
		select {
		case w := <-s.queue:
			s.writeGroup(s.group(w))
		case <-s.closing:
			s.drain()
			return
		}
	}
}

// drain writes what was queued before the store was closed.
func (s *Store) drain() {
	for {
		select {
		case w := <-s.queue:
			s.writeGroup(s.group(w))
		default:
			return
		}
	}
}

// group returns a write with those that are queued behind it.
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

// writeGroup commits a group and reports the results. A write that fails without being refused, or
// must be undone, is removed from the group with its error, and the others are applied again.
func (s *Store) writeGroup(group []*write) {
	for len(group) > 0 {
		began := time.Now()
		failed, err := s.transact(group)
		if failed >= 0 && refused(err) {
			group[failed].done <- err
			group = slices.Delete(group, failed, failed+1)
			continue
		}
		if err != nil {
			err = s.failure("write", err)
		}
		s.observe(len(group), time.Since(began), err)
		if failed < 0 {
			settle(group, err)
			return
		}
		group[failed].done <- err
		group = slices.Delete(group, failed, failed+1)
	}
}

// settle sends the results of a group. If the group failed, every write fails: even a refusal may
// depend on changes of the others.
func settle(group []*write, err error) {
	for _, w := range group {
		if err != nil {
			w.err = err
		}
		w.done <- w.err
	}
}

// transact writes a group in one transaction. It returns the index of the write that failed, -1 if
// none did.
func (s *Store) transact(group []*write) (failed int, err error) {
	if broken := s.broken.Load(); broken != nil {
		return -1, *broken
	}
	failed = -1 // also after a panic
	s.changes = nil
	defer s.recoverFault(&err)
	tx, err := s.db.Begin(true)
	if err != nil {
		return failed, err
	}
	defer tx.Rollback() // does nothing after a commit
	applied := 0
	for i, w := range group {
		if w.err = w.ctx.Err(); w.err != nil {
			continue
		}
		if w.err = w.apply(tx); w.err == nil {
			applied++
		} else if w.undo || !refused(w.err) {
			return i, w.err
		}
	}
	if applied == 0 {
		return failed, nil // nothing to commit
	}
	return failed, s.commit(tx)
}

// commit commits a transaction if the path still names the open file.
func (s *Store) commit(tx *bbolt.Tx) error {
	if err := sameFile(s.path, s.file); err != nil {
		return err
	}
	id := tx.ID()
	err := tx.Commit()
	if err != nil && s.visible(id) {
		return s.stop(fmt.Errorf("whether the commit is on disk is not known: %w", err))
	}
	return err
}

// visible reports whether a transaction is visible to readers. One whose commit failed is visible
// if its last page was written and the fsync after it failed: the page may or may not be on disk.
func (s *Store) visible(id int) bool {
	tx, err := s.db.Begin(false)
	if err != nil {
		return true // bbolt has lost its mapping: assume the worst
	}
	defer tx.Rollback()
	return tx.ID() >= id
}

// recoverFault, deferred, stops the store after a panic but lets the process continue: bbolt
// panics on a page with the wrong content, and reading a mapped page that the disk does not return
// causes a memory fault.
func (s *Store) recoverFault(err *error) {
	if p := recover(); p != nil {
		*err = s.stop(fmt.Errorf("bbolt panicked: %v", p))
	}
}
