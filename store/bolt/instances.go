package bolt

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"leadline/store"
)

// fleet holds the instances, their jobs and their shares in memory: one process has the file open,
// and after it has ended there is no other whose limits would have to be respected.
type fleet struct {
	mu        sync.Mutex
	instances map[string]member           // by id; guarded by mu
	jobs      map[string]claim            // by name; guarded by mu
	shares    map[[32]byte]map[int]holder // by subject and slot; guarded by mu
}

// member is an instance, also for some time after it has left.
type member struct {
	store.Instance
	left time.Time // zero if it has not
}

// holder is a share of an instance.
type holder struct {
	share int
	until time.Time
}

func newFleet() *fleet {
	return &fleet{
		instances: map[string]member{},
		jobs:      map[string]claim{},
		shares:    map[[32]byte]map[int]holder{},
	}
}

// keeps reports whether the slot of an instance is not free.
func (m member) keeps(now time.Time) bool {
	if !m.left.IsZero() {
		return now.Sub(m.left) < store.ShareLife
	}
	return now.Sub(m.Seen) < store.SlotRetention
}

func (m member) live(now time.Time) bool {
	return m.left.IsZero() && now.Sub(m.Seen) < store.InstanceLive
}

// Enroll implements store.Store.
func (s *Store) Enroll(ctx context.Context, i store.Instance) (int, error) {
	if err := cmp.Or(s.admit(ctx), store.CheckName(i.ID)); err != nil {
		return 0, err
	}
	return s.fleet.enroll(i, time.Now())
}

func (f *fleet) enroll(i store.Instance, now time.Time) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, ok := f.instances[i.ID]; ok {
		return 0, store.ErrExists
	}
	var before [store.MostInstances]string // ids by slot
	for id, m := range f.instances {
		before[m.Slot-1] = id
	}
	for n, id := range before {
		if id != "" && f.instances[id].keeps(now) {
			continue
		}
		delete(f.instances, id)
		i.Slot, i.Started, i.Seen = n+1, store.Second(i.Started), now
		f.instances[i.ID] = member{Instance: i}
		return i.Slot, nil
	}
	return 0, store.ErrTooMany
}

// Heartbeat implements store.Store.
func (s *Store) Heartbeat(ctx context.Context, id string) (store.Fleet, error) {
	if err := s.admit(ctx); err != nil {
		return store.Fleet{}, err
	}
	return s.fleet.heartbeat(id, time.Now())
}

func (f *fleet) heartbeat(id string, now time.Time) (store.Fleet, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	m, ok := f.instances[id]
	if !ok || !m.left.IsZero() {
		return store.Fleet{}, store.ErrNotFound
	}
	m.Seen = now
	f.instances[id] = m
	f.drop(now)
	state := store.Fleet{Now: now.UTC()}
	for _, m := range f.instances {
		if m.live(now) {
			i := m.Instance
			i.Seen = i.Seen.UTC().Round(0) // without the monotonic reading
			state.Live = append(state.Live, i)
		}
	}
	slices.SortFunc(state.Live, func(a, b store.Instance) int { return a.Slot - b.Slot })
	return state, nil
}

// drop removes the jobs and shares that have expired.
func (f *fleet) drop(now time.Time) {
	maps.DeleteFunc(f.jobs, func(_ string, c claim) bool { return !now.Before(c.until) })
	for subject, held := range f.shares {
		maps.DeleteFunc(held, func(_ int, h holder) bool { return !now.Before(h.until) })
		if len(held) == 0 {
			delete(f.shares, subject)
		}
	}
}

// Leave implements store.Store.
func (s *Store) Leave(ctx context.Context, id string) error {
	if err := s.admit(ctx); err != nil {
		return err
	}
	s.fleet.leave(id, time.Now())
	return nil
}

func (f *fleet) leave(id string, now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if m, ok := f.instances[id]; ok && m.left.IsZero() {
		m.left = now
		f.instances[id] = m
	}
	maps.DeleteFunc(f.jobs, func(_ string, c claim) bool { return c.owner == id })
}

// Hold implements store.Store.
func (s *Store) Hold(
	ctx context.Context, owner, job string, d time.Duration,
) (bool, error) {
	if err := cmp.Or(s.admit(ctx), checkNames(owner, job)); err != nil {
		return false, err
	}
	return s.fleet.hold(owner, job, time.Now(), d), nil
}

func (f *fleet) hold(owner, job string, now time.Time, d time.Duration) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if c := f.jobs[job]; c.owner != owner && now.Before(c.until) {
		return false
	}
	f.jobs[job] = claim{owner, now.Add(d)}
	return true
}

// Shares implements store.Store.
func (s *Store) Shares(
	ctx context.Context, id string, list []store.ShareRequest,
) ([]store.Share, error) {
	if err := cmp.Or(s.admit(ctx), store.CheckShares(list)); err != nil {
		return nil, err
	}
	return s.fleet.share(id, list, time.Now())
}

func (f *fleet) share(
	id string, list []store.ShareRequest, now time.Time,
) ([]store.Share, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	m, ok := f.instances[id]
	if !ok || !m.left.IsZero() {
		return nil, store.ErrNotFound
	}
	shares := make([]store.Share, len(list))
	for i, r := range list {
		left := r.Limit
		for slot, h := range f.shares[r.Subject] {
			if slot != m.Slot && now.Before(h.until) {
				left -= h.share
			}
		}
		held := max(0, min(r.Share, left))
		shares[i] = store.Share{Held: held, Free: max(0, left-held)}
		if f.shares[r.Subject] == nil {
			f.shares[r.Subject] = map[int]holder{}
		}
		f.shares[r.Subject][m.Slot] = holder{held, now.Add(store.ShareLife)}
	}
	return shares, nil
}
