package storetest

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"leadline/store"
)

func incidents(t *trial) {
	ctx := t.Context()
	list, err := t.Incidents(ctx, time.Time{}, 1000)
	t.ok(err)
	t.same("incidents of an empty store", len(list), 0)
	for _, n := range []int{2, 0, 3, 1} {
		t.ok(t.PutIncident(ctx, anIncident(n)))
	}
	changed := anIncident(1)
	changed.From, changed.Until = noon.AddDate(0, 0, 1), time.Time{}
	changed.Status, changed.Updated, changed.Maintenance = "resolved", noon.Add(2*time.Hour), true
	changed.Updates = append(changed.Updates, store.IncidentUpdate{
		At: changed.Updated, Status: changed.Status, Message: strings.Repeat("x", 2000),
	})
	changed.Message = "Es lag an „Anführungszeichen“, \"quotes\" & <tags>.\n"
	given := changed
	given.Updates = slices.Clone(changed.Updates)
	t.ok(t.PutIncident(ctx, given))
	given.Updates[0].Message = "changed by the caller" // must not change the stored value
	for range 2 {
		list, err := t.Incidents(ctx, time.Time{}, 1000)
		t.ok(err)
		t.same("Incidents", list, []store.Incident{changed, anIncident(3), anIncident(2), anIncident(0)})
		got, err := t.Incident(ctx, changed.ID)
		t.ok(err)
		t.same("Incident", got, changed)
		_, err = t.Incident(ctx, anIncident(4).ID)
		t.fails("Incident of none", err, store.ErrNotFound)
		t.reopen()
	}
}

// incidentsSince checks which incidents had not ended by a time, and that n limits them.
func incidentsSince(t *trial) {
	ctx := t.Context()
	open := anIncident(9)
	open.From, open.Until = noon.AddDate(-1, 0, 0), time.Time{}
	for _, i := range []store.Incident{anIncident(0), open, anIncident(2), anIncident(1)} {
		t.ok(t.PutIncident(ctx, i)) // the first three end one, two and three hours after noon
	}
	all := []store.Incident{anIncident(2), anIncident(1), anIncident(0), open}
	for _, c := range []struct {
		since time.Time
		n     int
		want  []store.Incident
	}{
		{time.Time{}, 10, all},
		{time.Time{}, 4, all},
		{time.Time{}, 2, all[:2]},
		{noon, 10, all},
		{noon.Add(time.Hour - time.Second), 10, all},
		{noon.Add(time.Hour), 10, []store.Incident{anIncident(2), anIncident(1), open}},
		{noon.Add(2 * time.Hour), 1, []store.Incident{anIncident(2)}},
		{noon.AddDate(100, 0, 0), 10, []store.Incident{open}},
	} {
		got, err := t.Incidents(ctx, c.since, c.n)
		t.ok(err)
		t.same("Incidents since "+c.since.String(), got, c.want)
	}
}

// swapMeta checks that a fact is replaced only if it is the one that the caller knows.
func swapMeta(t *trial) {
	ctx := t.Context()
	t.ok(t.SwapMeta(ctx, "fact", nil, []byte("one")))
	t.ok(t.SwapMeta(ctx, "empty", nil, nil))
	before := t.state()
	for range 2 {
		for _, c := range []struct {
			name string
			old  []byte
		}{
			{"fact", nil}, {"fact", []byte{}}, {"fact", []byte("on")}, {"fact", []byte("one\x00")},
			{"empty", nil}, {"empty", []byte{0}}, {"none", []byte{}}, {"none", []byte("one")},
		} {
			err := t.SwapMeta(ctx, c.name, c.old, []byte("two"))
			t.fails("SwapMeta of "+c.name+" from "+string(c.old), err, store.ErrConflict)
		}
		t.unchanged("facts that were not replaced", before)
		t.reopen()
	}
	old, next := []byte("one"), []byte("two")
	t.ok(t.SwapMeta(ctx, "fact", old, next))
	t.ok(t.SwapMeta(ctx, "empty", []byte{}, []byte("full")))
	old[0], next[0] = 9, 9 // must not change the stored value
	for name, want := range map[string]string{"fact": "two", "empty": "full"} {
		got, err := t.Meta(ctx, name)
		t.ok(err)
		t.same("Meta "+name, string(got), want)
	}
}

// swapMetaTogether checks that concurrent callers create a fact once, also an empty one, and that
// none of their replacements is lost.
func swapMetaTogether(t *trial) {
	ctx := t.Context()
	var created, emptied atomic.Int32
	together(callers(), func(i int) {
		switch err := t.SwapMeta(ctx, "fact", nil, []byte{byte(i)}); {
		case err == nil:
			created.Add(1)
		case !errors.Is(err, store.ErrConflict):
			t.Errorf("SwapMeta: got error %v, want %v", err, store.ErrConflict)
		}
		if err := t.SwapMeta(ctx, "empty", nil, nil); err == nil {
			emptied.Add(1)
		}
	})
	t.same("callers that created a fact", created.Load(), int32(1))
	t.same("callers that created an empty fact", emptied.Load(), int32(1))
	t.ok(t.SwapMeta(ctx, "sum", nil, []byte("0")))
	together(8, func(int) {
		for range 8 {
			for t.addOne("sum") {
			}
		}
	})
	got, err := t.Meta(ctx, "sum")
	t.ok(err)
	t.same("sum", string(got), "64")
}

// addOne adds 1 to a fact and reports whether it must be repeated.
func (t *trial) addOne(name string) (again bool) {
	old, err := t.Meta(t.Context(), name)
	if err != nil {
		t.Errorf("Meta: %v", err)
		return false
	}
	n, _ := strconv.Atoi(string(old))
	err = t.SwapMeta(t.Context(), name, old, []byte(strconv.Itoa(n+1)))
	if err != nil && !errors.Is(err, store.ErrConflict) {
		t.Errorf("SwapMeta: %v", err)
		return false
	}
	return err != nil
}

func meta(t *trial) {
	ctx := t.Context()
	_, err := t.Meta(ctx, "schema")
	t.fails("Meta of none", err, store.ErrNotFound)
	value := []byte{0, 1, 0xFF, '"'}
	t.setMeta("schema", value) // names that an engine may use for its own facts
	t.setMeta("ready", []byte("first"))
	t.setMeta("ready", []byte("second"))
	t.setMeta("empty", nil)
	value[0] = 9 // must not change the stored value
	for range 2 {
		t.ok(t.Ready(ctx))
		for name, want := range map[string]string{
			"schema": "\x00\x01\xff\"",
			"ready":  "second",
			"empty":  "",
		} {
			got, err := t.Meta(ctx, name)
			t.ok(err)
			t.same("Meta "+name, string(got), want)
			for i := range got {
				got[i] = 9 // must not change the stored value either
			}
		}
		t.reopen()
	}
}

func ready(t *trial) {
	t.ok(t.Ready(t.Context()))
	t.fill()
	before := t.state()
	t.ok(t.Ready(t.Context()))
	t.ok(t.Ready(t.Context()))
	t.unchanged("after Ready", before)
}
