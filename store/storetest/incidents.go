package storetest

import (
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
	changed.Message = "Es lag an „Anführungszeichen“, \"quotes\" & <tags>.\n"
	t.ok(t.PutIncident(ctx, changed))
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
	Fill(t.T, t)
	before := Dump(t.T, t)
	t.ok(t.Ready(t.Context()))
	t.ok(t.Ready(t.Context()))
	t.unchanged("after Ready", before)
}
