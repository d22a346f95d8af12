package storetest

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"leadline/store"
)

// isWatch checks that a watch is stored unchanged.
func (t *trial) isWatch(what string, want store.Watch) {
	t.Helper()
	got, err := t.Watch(t.Context(), want.ID)
	t.ok(err)
	t.same(what, got, want)
}

func watches(t *trial) {
	ctx := t.Context()
	t.withEndpoints(0)
	full := aWatch(2, 0)
	full.State = store.WatchPaused
	full.Evaluated = noon.Add(time.Hour)
	plain := store.Watch{
		ID: watchID(1), Account: accountID(0), Station: "s", State: store.WatchActive, Created: noon,
	}
	t.ok(t.AddWatch(ctx, full, 2))
	t.ok(t.AddWatch(ctx, plain, 2))
	plain.Version = 1
	for range 2 {
		t.isWatch("watch with all fields", full)
		t.isWatch("watch with few fields", plain)
		list, err := t.WatchesOf(ctx, accountID(0))
		t.ok(err)
		t.same("watches of an account", list, []store.Watch{plain, full})
		t.reopen()
	}
	list, err := t.WatchesOf(ctx, accountID(5))
	t.ok(err)
	t.same("watches of an unknown account", list, []store.Watch{})
	_, err = t.Watch(ctx, watchID(9))
	t.fails("Watch", err, store.ErrNotFound)
}

func watchRefused(t *trial) {
	ctx := t.Context()
	t.withEndpoints(0, 1)
	t.withEndpoints(1)
	t.ok(t.AddWatch(ctx, aWatch(1, 0), 2))
	t.ok(t.AddWatch(ctx, ended(aWatch(2, 0)), 2))
	t.ok(t.AddWatch(ctx, aWatch(3, 0), 2)) // watches that have ended do not count
	before := t.state()
	t.fails("taken id", t.AddWatch(ctx, aWatch(1, 1), 9), store.ErrExists)
	t.fails("no account", t.AddWatch(ctx, aWatch(4, 7), 9), store.ErrNotFound)
	t.fails("one too many", t.AddWatch(ctx, aWatch(4, 0), 2, anEvent(1, 0)), store.ErrTooMany)
	t.fails("none allowed", t.AddWatch(ctx, aWatch(4, 1), 0), store.ErrTooMany)
	t.ok(t.RemoveWatch(ctx, watchID(4)))
	t.unchanged("after refusals", before)
	t.ok(t.SaveWatch(ctx, ended(aWatch(1, 0))))
	t.ok(t.AddWatch(ctx, aWatch(4, 0), 2, anEvent(1, 0)))
	t.isEvent("event of a new watch", anEvent(1, 0))
}

// saveWatch checks versions, and that a refused watch posts nothing.
func saveWatch(t *trial) {
	ctx := t.Context()
	t.withEndpoints(0, 1)
	t.ok(t.AddWatch(ctx, aWatch(1, 0), 9))
	w := aWatch(1, 0)
	w.Account, w.Created = accountID(9), noon.AddDate(1, 0, 0) // remain
	w.Name, w.Station, w.State = "new", "elsewhere", store.WatchPaused
	w.At, w.Due, w.Ends = w.At.Add(time.Hour), w.Due.Add(time.Hour), w.Ends.Add(time.Hour)
	w.Request, w.Standing, w.Evaluated, w.Units = []byte("r"), []byte("s"), noon, 5
	t.ok(t.SaveWatch(ctx, w, anEvent(1, 0)))
	t.isEvent("event of a watch", anEvent(1, 0))
	t.fails("the version before", t.SaveWatch(ctx, w, anEvent(2, 0)), store.ErrConflict)
	w.Account, w.Created, w.Version = accountID(0), aWatch(1, 0).Created, 2
	t.isWatch("saved", w)
	t.fails("taken id of an event", t.SaveWatch(ctx, w, anEvent(1, 0)), store.ErrExists)
	t.isWatch("not saved", w)
	t.ok(t.RemoveWatch(ctx, w.ID))
	t.fails("removed", t.SaveWatch(ctx, w, anEvent(2, 0)), store.ErrConflict)
	t.ok(t.AddWatch(ctx, aWatch(1, 0), 9))
	t.fails("another with its id", t.SaveWatch(ctx, w, anEvent(2, 0)), store.ErrConflict)
	t.noEvent("event of a refused watch", 2)
	t.states(1, "pending")
	t.reopen()
	t.isWatch("added again", aWatch(1, 0))
}

// watchesTogether checks that one of many concurrent callers saves a version of a watch.
func watchesTogether(t *trial) {
	ctx := t.Context()
	t.withEndpoints(0, 1)
	t.ok(t.AddWatch(ctx, aWatch(1, 0), 9))
	var saved atomic.Int64
	together(callers(), func(i int) {
		err := t.SaveWatch(ctx, aWatch(1, 0), anEvent(i, 0))
		switch {
		case err == nil:
			saved.Add(1)
		case !errors.Is(err, store.ErrConflict):
			t.Errorf("SaveWatch: %v", err)
		}
	})
	t.same("callers that saved", saved.Load(), int64(1))
	t.states(1, "pending")
}

// claimWatches checks the choice of stations, and that claims end.
func claimWatches(t *trial) {
	ctx := t.Context()
	t.withEndpoints(0)
	add := func(n int, station string, at, due time.Duration) {
		w := aWatch(n, 0)
		w.Station, w.At, w.Due = station, noon.Add(at), noon.Add(due)
		t.ok(t.AddWatch(ctx, w, 99))
	}
	add(1, "far", 72*time.Hour, 0)
	add(2, "near", 3*time.Hour, time.Minute)
	add(3, "near", 90*time.Hour, time.Second)
	add(4, "middle", 24*time.Hour, 0)
	add(5, "later", time.Hour, time.Hour)
	add(6, "far", 80*time.Hour, time.Hour)
	t.ok(t.AddWatch(ctx, ended(aWatch(7, 0)), 99))
	claim := func(what, owner string, now time.Time, n int, want ...int) []store.Watch {
		t.Helper()
		list, err := t.ClaimWatches(ctx, owner, now, now.Add(time.Minute), n)
		t.ok(err)
		var got, wanted []string
		for _, w := range list {
			got = append(got, w.ID)
		}
		for _, n := range want {
			wanted = append(wanted, watchID(n))
		}
		slices.Sort(got)
		t.same(what, got, wanted)
		return list
	}
	now := noon.Add(time.Minute)
	claim("none", "a", now, 0)
	claim("before any is due", "a", noon.Add(-time.Second), 9)
	list := claim("the station with the nearest time", "a", now, 1, 2, 3)
	for _, w := range list {
		t.isWatch("claimed", w)
	}
	claim("the next station", "b", now, 1, 4)
	claim("the last station", "a", now, 9, 1)
	claim("all are claimed", "b", now, 9)
	claim("they expire", "b", now.Add(time.Minute), 2, 2, 3, 4)
	late := noon.Add(time.Hour)
	claim("a claim ends with SaveWatch", "c", late, 1, 5)
	w, err := t.Watch(ctx, watchID(5))
	t.ok(err)
	t.ok(t.SaveWatch(ctx, w))
	claim("still due", "c", late, 1, 5)
	w.Version++
	w.Due = late.Add(time.Second)
	t.ok(t.SaveWatch(ctx, w))
	claim("due later", "c", late, 1, 2, 3)
	t.ok(t.RemoveWatch(ctx, watchID(4)))
	claim("without the removed one", "c", late, 9, 1, 6)
}

// claimWatchesInTurns checks that accounts take turns, across stations and within one, and that a
// station with many watches is claimed in parts.
func claimWatchesInTurns(t *trial) {
	ctx := t.Context()
	t.withEndpoints(0)
	t.withEndpoints(1)
	t.withEndpoints(2)
	add := func(n, account int, station string, at time.Duration) {
		w := aWatch(n, account)
		w.Station, w.At, w.Due = station, noon.Add(at), noon
		t.ok(t.AddWatch(ctx, w, 999))
	}
	for n := range 3 { // all of them ask about earlier times than the others
		add(n, 0, fmt.Sprint("own ", n), time.Duration(n)*time.Minute)
	}
	add(3, 1, "far", 50*time.Hour)
	add(4, 2, "farther", 60*time.Hour)
	for i, want := range []int{0, 3, 4, 1, 2} {
		list, err := t.ClaimWatches(ctx, "me", noon, noon.Add(time.Hour), 1)
		t.ok(err)
		if len(list) != 1 || list[0].ID != watchID(want) {
			t.Errorf("claim %d is of %d watches, the first %+v, want watch %d", i, len(list), list, want)
		}
	}
	for n := range store.MostClaimed + 20 {
		add(100+n, 0, "crowded", time.Duration(n)*time.Minute)
	}
	add(300, 1, "crowded", 90*time.Hour)
	list, err := t.ClaimWatches(ctx, "me", noon, noon.Add(time.Hour), 1)
	t.ok(err)
	if len(list) != store.MostClaimed || list[0].ID != watchID(300) || list[1].ID != watchID(100) {
		t.Fatalf("a claim of a crowded station has %d watches, want %d, in turns of the accounts",
			len(list), store.MostClaimed)
	}
	list, err = t.ClaimWatches(ctx, "me", noon, noon.Add(time.Hour), 1)
	t.ok(err)
	t.same("the rest of a crowded station", len(list), 21)
}

// claimWatchesTogether checks that concurrent owners never claim the same watch.
func claimWatchesTogether(t *trial) {
	t.withEndpoints(0)
	const n = 100
	for i := range n {
		w := aWatch(i, 0)
		w.Station = fmt.Sprint("station ", i%20)
		t.ok(t.AddWatch(t.Context(), w, n))
	}
	now := noon.AddDate(0, 0, 1)
	claimed := make([][]string, 16)
	together(len(claimed), func(i int) {
		list, err := t.ClaimWatches(t.Context(), fmt.Sprint(i), now, now.Add(time.Minute), 30)
		if err != nil {
			t.Errorf("ClaimWatches: %v", err)
		}
		for _, w := range list {
			claimed[i] = append(claimed[i], w.ID)
		}
	})
	all := slices.Concat(claimed...)
	slices.Sort(all)
	t.same("claims", len(all), n)
	t.same("watches", len(slices.Compact(all)), n)
}

// sweepWatches checks that watches are removed WatchRetention after their end.
func sweepWatches(t *trial) {
	ctx := t.Context()
	t.withEndpoints(0)
	for n := range 3 {
		w := aWatch(n, 0)
		w.Ends = noon.Add(time.Duration(n-1) * time.Second)
		t.ok(t.AddWatch(ctx, w, 9))
	}
	never := aWatch(3, 0)
	never.Ends = time.Time{}
	t.ok(t.AddWatch(ctx, never, 9))
	w := aWatch(0, 0) // ends later than at first
	t.ok(t.SaveWatch(ctx, w))
	t.sweep(noon.Add(store.WatchRetention))
	for n, want := range []error{nil, store.ErrNotFound, nil, nil} {
		_, err := t.Watch(ctx, watchID(n))
		t.fails(fmt.Sprint("watch ", n), err, want)
	}
	list, err := t.WatchesOf(ctx, accountID(0))
	t.ok(err)
	t.same("watches", len(list), 3)
}
