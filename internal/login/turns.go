package login

import (
	"context"
	"slices"
	"sync"
)

// turns lets a few callers work at once. Others wait in order of arrival,
// favored ones before all others. It is safe for concurrent use.
type turns struct {
	mu      sync.Mutex
	free    int
	others  []chan struct{} // closed when their turn comes
	favored []chan struct{}
}

func newTurns(most int) *turns { return &turns{free: most} }

// begin waits for a turn, which end gives back. It returns the error of ctx if
// that ends first.
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

// queue returns a channel that is closed when a turn comes, perhaps now.
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

// cancel takes a turn out of the queue, or passes it on if it has just come.
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

// end gives a turn back.
func (t *turns) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pass()
}

// pass gives a turn to the next in the queue. The caller holds the lock.
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

// turnsByKey are turns of many keys, a few of each. It is safe for concurrent
// use.
type turnsByKey struct {
	most int

	mu   sync.Mutex
	keys map[string]*keyTurns // in use
}

type keyTurns struct {
	*turns
	users int // that have a turn or wait for one
}

func newTurnsByKey(most int) *turnsByKey {
	return &turnsByKey{most: most, keys: map[string]*keyTurns{}}
}

// begin waits for a turn of a key, which end gives back.
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

// end gives a turn of a key back.
func (b *turnsByKey) end(key string) { b.release(key).end() }

// release subtracts a user of a key and removes the key after its last user.
func (b *turnsByKey) release(key string) *turns {
	b.mu.Lock()
	defer b.mu.Unlock()
	k := b.keys[key]
	if k.users--; k.users == 0 {
		delete(b.keys, key)
	}
	return k.turns
}
