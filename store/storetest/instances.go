package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"leadline/store"
)

func instanceID(n int) string { return accountID(3000 + n) }

func anInstance(n int) store.Instance {
	return store.Instance{
		ID:      instanceID(n),
		Name:    fmt.Sprintf("host %d", n),
		Version: "1.2.3",
		Started: noon.Add(time.Duration(n) * time.Second),
	}
}

// aShare returns a request for a share of subject n.
func aShare(n, share, limit int) store.ShareRequest {
	return store.ShareRequest{Subject: hash(n), Share: share, Limit: limit}
}

// instanceMethods returns calls of the methods of Instances. An engine may lose instances when it
// is closed, so each call enrolls what it needs.
func instanceMethods() []Method {
	enrolled := func(ctx context.Context, s store.Store, n int) error {
		if _, err := s.Enroll(ctx, anInstance(n)); !errors.Is(err, store.ErrExists) {
			return err
		}
		return nil
	}
	return []Method{
		{"Enroll", false, func(ctx context.Context, s store.Store) error {
			_, err := s.Enroll(ctx, anInstance(0))
			if errors.Is(err, store.ErrExists) {
				return nil // called before
			}
			return err
		}},
		{"Heartbeat", false, func(ctx context.Context, s store.Store) error {
			return cmp.Or(enrolled(ctx, s, 0), drop(s.Heartbeat(ctx, instanceID(0))))
		}},
		{"Hold", false, func(ctx context.Context, s store.Store) error {
			return drop(s.Hold(ctx, instanceID(0), "sweep", time.Minute))
		}},
		{"Shares", false, func(ctx context.Context, s store.Store) error {
			list := []store.ShareRequest{aShare(0, 1, 2)}
			return cmp.Or(enrolled(ctx, s, 0), drop(s.Shares(ctx, instanceID(0), list)))
		}},
		{"Leave", false, func(ctx context.Context, s store.Store) error {
			return s.Leave(ctx, instanceID(1))
		}},
	}
}

// enroll adds an instance and checks its slot.
func (t *trial) enroll(n, slot int) {
	t.Helper()
	got, err := t.Enroll(t.Context(), anInstance(n))
	t.ok(err)
	t.same(fmt.Sprint("slot of instance ", n), got, slot)
}

// age lets time pass for the instances.
func (t *trial) age(d time.Duration) {
	t.Helper()
	t.ok(t.Age(t.Context(), d))
}

// beats checks that the heartbeat of an instance succeeds.
func (t *trial) beats(n int) store.Fleet {
	t.Helper()
	f, err := t.Heartbeat(t.Context(), instanceID(n))
	t.ok(err)
	return f
}

// live checks which instances are live after the heartbeat of the first.
func (t *trial) live(n int, others ...int) {
	t.Helper()
	want := []string{instanceID(n)}
	for _, o := range others {
		want = append(want, instanceID(o))
	}
	var got []string
	last := 0
	for _, i := range t.beats(n).Live {
		if i.Slot <= last {
			t.Errorf("slot %d is listed after slot %d", i.Slot, last)
		}
		last = i.Slot
		got = append(got, i.ID)
	}
	slices.Sort(got)
	slices.Sort(want)
	t.same("live instances", got, want)
}

// gone checks that an instance cannot use the store any more.
func (t *trial) gone(n int) {
	t.Helper()
	_, err := t.Heartbeat(t.Context(), instanceID(n))
	t.fails(fmt.Sprint("heartbeat of instance ", n), err, store.ErrNotFound)
	_, err = t.Shares(t.Context(), instanceID(n), []store.ShareRequest{aShare(0, 1, 1)})
	t.fails(fmt.Sprint("shares of instance ", n), err, store.ErrNotFound)
}

// holds checks whether an instance gets a job for a minute.
func (t *trial) holds(n int, job string, want bool) {
	t.Helper()
	got, err := t.Hold(t.Context(), instanceID(n), job, time.Minute)
	t.ok(err)
	t.same(fmt.Sprintf("instance %d holds %s", n, job), got, want)
}

// share sets the share of an instance of a subject and checks it with what is free then.
func (t *trial) share(n, subject, share, limit, want, free int) {
	t.Helper()
	list := []store.ShareRequest{aShare(subject, share, limit)}
	got, err := t.Shares(t.Context(), instanceID(n), list)
	t.ok(err)
	what := fmt.Sprintf("share of %d for instance %d of subject %d", share, n, subject)
	t.same(what, got, []store.Share{{Held: want, Free: free}})
}

// instances checks that heartbeats report live instances, on the clock of the store.
func instances(t *trial) {
	given := anInstance(0)
	given.Slot, given.Seen = 7, noon
	given.Started = given.Started.Add(time.Millisecond).In(time.FixedZone("somewhere", 3600))
	slot, err := t.Enroll(t.Context(), given)
	t.ok(err)
	t.same("slot", slot, 1)
	first := t.beats(0)
	want := anInstance(0)
	want.Slot = 1
	if len(first.Live) != 1 {
		t.Fatalf("live instances = %+v, want 1", first.Live)
	}
	got := first.Live[0]
	if age := first.Now.Sub(got.Seen); age < 0 || age > time.Second {
		t.Errorf("the instance was seen %v before its heartbeat", age)
	}
	t.same("zones", []*time.Location{first.Now.Location(), got.Seen.Location()},
		[]*time.Location{time.UTC, time.UTC})
	got.Seen = time.Time{}
	t.same("instance", got, want)

	t.enroll(1, 2)
	t.enroll(2, 3)
	t.live(0, 1, 2)
	t.age(store.InstanceLive / 2)
	t.live(1, 0, 2)
	t.age(store.InstanceLive / 2)
	t.live(2, 1)
	t.live(0, 1, 2)
	if now := t.beats(0).Now; now.Before(first.Now) {
		t.Errorf("the clock went from %v back to %v", first.Now, now)
	}
}

// instanceRefused checks the errors for unknown, taken and invalid ids.
func instanceRefused(t *trial) {
	ctx := t.Context()
	t.gone(0)
	t.ok(t.Leave(ctx, instanceID(0)))
	t.enroll(0, 1)
	_, err := t.Enroll(ctx, anInstance(0))
	t.fails("Enroll again", err, store.ErrExists)
	t.live(0)
	_, err = t.Enroll(ctx, store.Instance{})
	t.fails("Enroll without an id", err, store.ErrUnavailable)
	_, err = t.Hold(ctx, "", "job", time.Minute)
	t.fails("Hold without an owner", err, store.ErrUnavailable)
	_, err = t.Hold(ctx, instanceID(0), "", time.Minute)
	t.fails("Hold without a job", err, store.ErrUnavailable)
	t.enroll(1, 2)
}

// slots checks that an instance keeps its slot until it was not seen for store.SlotRetention.
func slots(t *trial) {
	for n := range store.MostInstances {
		t.enroll(n, n+1)
	}
	_, err := t.Enroll(t.Context(), anInstance(100))
	t.fails("Enroll without a free slot", err, store.ErrTooMany)
	t.age(store.SlotRetention - time.Minute)
	t.beats(0)
	t.beats(3)
	_, err = t.Enroll(t.Context(), anInstance(100))
	t.fails("Enroll before a slot is free", err, store.ErrTooMany)
	t.age(time.Minute)
	t.live(0)
	t.enroll(100, 2)
	t.enroll(101, 3)
	t.enroll(102, 5)
	t.gone(1)
	t.gone(2)
	t.gone(4)
	t.live(3, 0, 100, 101, 102)
	t.live(5, 0, 3, 100, 101, 102) // nobody has taken its slot
	t.enroll(1, 7)
	t.live(1, 0, 3, 5, 100, 101, 102)
}

// slotsTogether checks that concurrent instances get different slots, and no more than there are.
func slotsTogether(t *trial) {
	const callers = store.MostInstances + 8
	var mu sync.Mutex
	var got []int
	together(callers, func(n int) {
		slot, err := t.Enroll(t.Context(), anInstance(n))
		if err != nil {
			t.fails("Enroll", err, store.ErrTooMany)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		got = append(got, slot)
	})
	slices.Sort(got)
	var want []int
	for n := range store.MostInstances {
		want = append(want, n+1)
	}
	t.same("slots", got, want)
}

// leave checks that an instance that has left is not live and has no jobs, and that its slot is
// free when its shares have expired.
func leave(t *trial) {
	ctx := t.Context()
	t.enroll(0, 1)
	t.enroll(1, 2)
	t.holds(0, "sweep", true)
	t.holds(0, "status", true)
	t.holds(1, "status", false)
	t.ok(t.Leave(ctx, instanceID(0)))
	t.live(1)
	t.gone(0)
	t.holds(1, "sweep", true)
	t.holds(1, "status", true)
	t.enroll(2, 3)
	t.age(store.ShareLife - time.Minute)
	t.ok(t.Leave(ctx, instanceID(0))) // changes nothing
	t.beats(1)
	t.enroll(3, 4)
	t.age(time.Minute)
	t.gone(0)
	t.enroll(4, 1)
	t.gone(0)
	t.live(4)
}

// hold checks that a job has one owner until its time is over.
func hold(t *trial) {
	t.holds(0, "sweep", true)
	t.holds(1, "sweep", false)
	t.holds(1, "status", true)
	t.holds(0, "sweep", true)
	t.age(40 * time.Second)
	t.holds(1, "sweep", false)
	t.holds(0, "sweep", true) // for a minute from now on
	t.age(40 * time.Second)
	t.holds(1, "sweep", false)
	t.holds(0, "status", true)
	t.age(20 * time.Second)
	t.holds(1, "sweep", true)
	t.holds(0, "sweep", false)
	t.holds(1, "status", false)
}

// holdTogether checks that of concurrent instances one gets a job, and that this repeats when its
// time is over.
func holdTogether(t *trial) {
	for range 3 {
		var owners atomic.Int32
		together(callers(), func(n int) {
			held, err := t.Hold(t.Context(), instanceID(n), "sweep", time.Minute)
			if err != nil {
				t.Errorf("Hold: %v", err)
			}
			if held {
				owners.Add(1)
			}
		})
		t.same("owners of a job", owners.Load(), int32(1))
		t.age(time.Minute)
	}
}

// shares checks that an instance gets what it requests as far as the others leave it.
func shares(t *trial) {
	ctx := t.Context()
	for n := range 3 {
		t.enroll(n, n+1)
	}
	t.share(0, 7, 40, 100, 40, 60)
	t.share(1, 7, 50, 100, 50, 10)
	t.share(2, 7, 50, 100, 10, 0)
	t.share(0, 7, 60, 100, 40, 0) // its own share does not count twice
	t.share(0, 7, 20, 100, 20, 20)
	t.share(2, 7, 50, 100, 30, 0)
	t.share(2, 8, 50, 100, 50, 50) // another subject
	t.share(1, 7, 50, 60, 10, 0)   // a lower limit
	t.share(1, 7, 50, 40, 0, 0)
	t.share(0, 7, 0, 100, 0, 70)
	t.share(1, 7, 100, 100, 70, 0)
	t.share(2, 7, 0, 0, 0, 0)
	got, err := t.Shares(ctx, instanceID(0), nil)
	t.ok(err)
	t.same("no shares", len(got), 0)
	got, err = t.Shares(ctx, instanceID(0), []store.ShareRequest{
		aShare(9, 5, 5), aShare(7, 99, 100), aShare(3, 0, 5), aShare(8, 99, 100),
	})
	t.ok(err)
	t.same("shares of several subjects", got, []store.Share{
		{Held: 5}, {Held: 30}, {Free: 5}, {Held: 50},
	})
	t.share(1, 9, 1, 5, 0, 0)
	t.share(1, 3, 5, 5, 5, 0)
}

// sharesExpire checks that a share counts for store.ShareLife after it was last set.
func sharesExpire(t *trial) {
	t.enroll(0, 1)
	t.enroll(1, 2)
	t.share(0, 7, 60, 100, 60, 40)
	t.share(0, 8, 60, 100, 60, 40)
	t.age(store.ShareLife - time.Minute)
	t.share(1, 7, 100, 100, 40, 0)
	t.share(0, 8, 60, 100, 60, 40)
	t.age(time.Minute)
	t.beats(0)
	t.share(1, 7, 100, 100, 100, 0)
	t.share(1, 8, 100, 100, 40, 0)
	t.share(0, 7, 60, 100, 0, 0)
	t.age(store.ShareLife - time.Minute)
	t.share(1, 8, 100, 100, 100, 0)
}

// sharesOfSuccessors checks that the share of an instance that has left counts until it expires,
// and that it cannot change the shares of the next instance in its slot.
func sharesOfSuccessors(t *trial) {
	t.enroll(0, 1)
	t.share(0, 7, 60, 100, 60, 40)
	t.ok(t.Leave(t.Context(), instanceID(0)))
	t.enroll(1, 2)
	t.share(1, 7, 100, 100, 40, 0)
	t.gone(0)
	t.age(store.ShareLife)
	t.share(1, 7, 50, 100, 50, 50)
	t.enroll(2, 1)
	t.share(2, 7, 60, 100, 50, 0)
	t.gone(0)
	t.share(1, 7, 100, 100, 50, 0)
}

// sharesRefused checks that an invalid request changes nothing.
func sharesRefused(t *trial) {
	ctx := t.Context()
	t.enroll(0, 1)
	t.enroll(1, 2)
	for what, list := range map[string][]store.ShareRequest{
		"a negative share":  {aShare(1, 5, 5), aShare(2, -1, 5)},
		"a negative limit":  {aShare(1, 5, 5), aShare(2, 1, -5)},
		"a subject's twins": {aShare(1, 5, 5), aShare(2, 1, 5), aShare(1, 1, 5)},
	} {
		_, err := t.Shares(ctx, instanceID(0), list)
		t.fails(what, err, store.ErrUnavailable)
	}
	_, err := t.Shares(ctx, instanceID(9), []store.ShareRequest{aShare(1, 5, 5)})
	t.fails("shares of an unknown instance", err, store.ErrNotFound)
	t.share(1, 1, 5, 5, 5, 0)
}

// sharesTogether checks that the shares of concurrent instances never exceed the limit, and that
// the whole limit can be held.
func sharesTogether(t *trial) {
	const members, subjects, limit = 8, 20, 100
	for n := range members {
		t.enroll(n, n+1)
	}
	// An instance lowers what it believes to hold before the store does, and raises it afterwards.
	var held [subjects]atomic.Int64
	together(members, func(n int) {
		var mine [subjects]int
		for round := range part(30, 8) {
			var list []store.ShareRequest
			for k := range subjects {
				subject := (k + n) % subjects // in different orders
				want := (round*37 + n*11 + k*5) % 60
				held[subject].Add(int64(min(want, mine[subject]) - mine[subject]))
				mine[subject] = min(want, mine[subject])
				list = append(list, aShare(subject, want, limit))
			}
			got, err := t.Shares(t.Context(), instanceID(n), list)
			if err != nil || len(got) != len(list) {
				t.Errorf("Shares = %v, %v", got, err)
				return
			}
			for i := range got {
				subject, share := (i+n)%subjects, got[i].Held
				if share > list[i].Share {
					t.Errorf("a share is %d, want at most %d", share, list[i].Share)
				}
				if sum := held[subject].Add(int64(share - mine[subject])); sum > limit {
					t.Errorf("the shares of subject %d are %d, want at most %d", subject, sum, limit)
				}
				mine[subject] = share
			}
		}
	})
	for n := range members {
		t.ok(drop(t.Shares(t.Context(), instanceID(n), []store.ShareRequest{aShare(0, 0, limit)})))
	}
	t.share(3, 0, limit, limit, limit, 0)
}
