package status

import (
	"log/slog"
	"sync"
	"time"
)

// failureCounts limits how long a failed write marks the store as failed. A check
// writes little, which may fit on a disk that is full for larger writes.
const failureCounts = 10 * time.Second

// Writes records which writes to the store failed, and logs the beginning and
// the end of each outage. It is safe for concurrent use, even while the store
// is in use.
type Writes struct {
	now func() time.Time
	log *slog.Logger

	mu     sync.Mutex
	at     time.Time // time of the last failure
	err    error     // the last failure
	outage bool      // an outage is logged
}

// NewWrites returns a Writes without a failure.
func NewWrites(now func() time.Time, log *slog.Logger) *Writes {
	return &Writes{now: now, log: log}
}

// Failed records that a write failed. The store counts as failed for failureCounts.
func (w *Writes) Failed(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.now()
	if now.Sub(w.at) >= failureCounts && w.err != nil {
		w.outage = false // nobody checked, so the end of the last outage was not noticed
	}
	w.at, w.err = now, err
	w.logChange(err)
}

// failure returns the last failure if it still counts.
func (w *Writes) failure() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.current()
}

// current is like failure, for callers that hold w.mu.
func (w *Writes) current() error {
	if w.now().Sub(w.at) >= failureCounts {
		return nil
	}
	return w.err
}

// checked records the result of a check of the store.
func (w *Writes) checked(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err == nil {
		err = w.current()
	}
	w.logChange(err)
}

// logChange logs the end of an outage, or its reason, which callers do not get.
func (w *Writes) logChange(err error) {
	switch {
	case err != nil && !w.outage:
		w.log.Error("the store cannot be written", "error", err)
	case err == nil && w.outage:
		w.log.Info("the store can be written again")
	}
	w.outage = err != nil
}
