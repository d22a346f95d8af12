package copier

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"leadline/store"
)

// errBusy is the error for a store that other instances use.
var errBusy = errors.New("other instances use it: stop them first, or pass --force")

// heartbeat is the time between two heartbeats.
const heartbeat = 2 * time.Second

// join makes this process an instance of a store until leave is called, and waits until it is the
// only one. Two copies to one target therefore refuse each other. If the store loses the instance,
// join calls stop.
func (c Config) join(
	ctx context.Context, s store.Store, stop context.CancelCauseFunc,
) (leave func(), err error) {
	me := store.Instance{
		ID: newID(), Name: "leadline store copy", Version: c.Version, Started: time.Now(),
	}
	if _, err := s.Enroll(ctx, me); err != nil {
		return nil, err
	}
	ctx, end := context.WithCancel(ctx)
	var beating sync.WaitGroup
	leave = func() {
		end()
		beating.Wait()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), heartbeat)
		defer cancel()
		_ = s.Leave(ctx, me.ID) // otherwise it expires
	}
	if err := c.alone(ctx, s, me.ID); err != nil {
		leave()
		return nil, err
	}
	beating.Go(func() {
		for pause(ctx, heartbeat) == nil {
			if _, err := s.Heartbeat(ctx, me.ID); errors.Is(err, store.ErrNotFound) {
				stop(fmt.Errorf("this process was stopped for too long: %w", err))
			}
		}
	})
	return leave, nil
}

// alone waits until an instance is the only live one.
func (c Config) alone(ctx context.Context, s store.Store, id string) error {
	for end := time.Now().Add(c.Patience); ; {
		f, err := s.Heartbeat(ctx, id)
		if err != nil || c.Force {
			return err
		}
		var others []string
		for _, i := range f.Live {
			if i.ID != id {
				others = append(others, i.Name)
			}
		}
		if len(others) == 0 {
			return nil
		}
		if !time.Now().Before(end) {
			return fmt.Errorf("%w: %s", errBusy, strings.Join(others, ", "))
		}
		if err := pause(ctx, min(c.Patience, 100*time.Millisecond)); err != nil {
			return err
		}
	}
}

// pause waits for d or until ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// newID returns a random UUID.
func newID() string {
	var b [16]byte
	rand.Read(b[:])
	b[6], b[8] = b[6]&0x0F|0x40, b[8]&0x3F|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
