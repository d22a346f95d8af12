package login

import (
	"context"
	"slices"
	"sync"
)

// turns limits how many callers work at once. Others wait in order of arrival,
// after any favored callers. It is safe for concurrent use.
type turns struct {
	mu      sync.Mutex
	free    int
	others  []chan struct{} // closed when their turn comes
	favored []chan struct{}
}

func newTurns(most int) *turns { return &turns{free: most} }

// begin waits for a turn, which end releases. It returns the error of ctx if
// ctx ends first.
func (t *turns) begin(ctx context.Context, favored bool) error {
	turn := t.queue(favored)
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
		t.cancel(turn)
		return ctx.Err()
	}
}

// queue returns a channel that is closed when the caller's turn comes, perhaps
// at once.
func (t *turns) queue(favored bool) chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	turn := make(chan struct{})
	switch {
	case t.free > 0:
		t.free--
		close(turn)
	case favored:
		t.favored = append(t.favored, turn)
	default:
		t.others = append(t.others, turn)
	}
	return turn
}

// cancel removes a waiting caller from the queue, or releases the turn if it
// has just come.
func (t *turns) cancel(turn chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, queue := range []*[]chan struct{}{&t.favored, &t.others} {
		if i := slices.Index(*queue, turn); i >= 0 {
			*queue = slices.Delete(*queue, i, i+1)
			return
		}
	}
	t.pass()
}

// end releases a turn.
func (t *turns) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pass()
}

// pass gives a released turn to the next caller in the queue. The caller must
// hold the lock.
func (t *turns) pass() {
	for _, queue := range []*[]chan struct{}{&t.favored, &t.others} {
		if len(*queue) > 0 {
			close((*queue)[0])
			*queue = (*queue)[1:]
			return
		}
	}
	t.free++
}

// turnsByKey limits how many callers per key work at once. It is safe for
// concurrent use.
type turnsByKey struct {
	most int

	mu   sync.Mutex
	keys map[string]*keyTurns // in use
}

type keyTurns struct {
	*turns
	users int // callers that have a turn or wait for one
}

func newTurnsByKey(most int) *turnsByKey {
	return &turnsByKey{most: most, keys: map[string]*keyTurns{}}
}

// begin waits for a turn for a key, which end releases.
func (b *turnsByKey) begin(ctx context.Context, key string, favored bool) error {
	b.mu.Lock()
	k := b.keys[key]
	if k == nil {
		k = &keyTurns{turns: newTurns(b.most)}
		b.keys[key] = k
	}
	k.users++
	b.mu.Unlock()
	err := k.begin(ctx, favored)
	if err != nil {
		b.release(key)
	}
	return err
}

// end releases a turn of a key.
func (b *turnsByKey) end(key string) { b.release(key).end() }

// release decrements the users of a key and removes the key after its last
// user.
func (b *turnsByKey) release(key string) *turns {
	b.mu.Lock()
	defer b.mu.Unlock()
	k := b.keys[key]
	if k.users--; k.users == 0 {
		delete(b.keys, key)
	}
	return k.turns
}
