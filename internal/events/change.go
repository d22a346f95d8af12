package events

import (
	"context"
	"fmt"
	"slices"
	"time"

	"leadline/internal/decide"
	"leadline/store"
)

// MaterialChange posts that a request found a decision materially changed since a baseline: once
// in 24 hours for the same request, baseline and result. The decision must be whole; shown is
// the same one as the response has it. It returns within patience; an event that is not stored
// by then may be lost.
func (o *Outbox) MaterialChange(
	ctx context.Context, account string, request TripRequest, baseline decide.Baseline,
	d, shown *decide.Decision, patience time.Duration,
) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if !o.subscribed(ctx, account, MaterialChange) {
		return
	}
	report := decide.ReportSince(baseline, d, shown, maxReport)
	if !report.Change.Material {
		return // the response lacks reasons that the baseline has and the decision still has
	}
	once := changeName(account, request, baseline, report.Summary)
	event, err := o.event(account, MaterialChangeData{
		Cause: CauseOperation, Request: request, Report: report,
	}, once, store.Second(o.c.Now()).Add(onceOperation))
	if err != nil {
		o.c.Log.Error("make an event", "kind", MaterialChange, "error", err)
		return
	}
	if err := o.post(ctx, event); err != nil {
		o.c.Log.Warn("an event is not stored", "kind", MaterialChange, "error", err)
	}
}

// subscribed reports whether an endpoint of an account subscribes to a kind, or whether that is not
// known. Without this, each material change would write to the disk for nobody.
func (o *Outbox) subscribed(ctx context.Context, account string, kind Kind) bool {
	list, err := o.c.Store.EndpointsOf(ctx, account)
	return err != nil || slices.ContainsFunc(list, func(e store.Endpoint) bool {
		return slices.Contains(e.Kinds, store.AllKinds) || slices.Contains(e.Kinds, string(kind))
	})
}

// changeName names a material change that an operation has found. The age of sources does not
// count: it changes with time.
func changeName(
	account string, request TripRequest, baseline decide.Baseline, now decide.Summary,
) string {
	now.Sources = nil
	return "change " + digest(account, request, baseline, now)
}

// WatchStep returns the event of a step of a watch: d has led to it, and request is that of the
// watch.
func (o *Outbox) WatchStep(
	w store.Watch, request TripRequest, step *decide.Step, d *decide.Decision,
) (store.Event, error) {
	return o.event(w.Account, MaterialChangeData{
		Cause: CauseWatch, Watch: &WatchStep{ID: w.ID, Name: w.Name, Step: step.Number},
		Request: request, Report: step.Report(d, maxReport),
	}, fmt.Sprintf("watch %s %d", w.ID, step.Number), o.c.Now().Add(onceOther))
}
