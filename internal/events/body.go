package events

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"leadline/internal/decide"
)

// MaxBody limits the body of an event, in bytes.
const MaxBody = 16 << 10

// Envelope is the body of an event.
type Envelope struct {
	Type      Kind      `json:"type" doc:"Kind of the event."`
	Timestamp time.Time `json:"timestamp" doc:"When it happened. Later attempts have the same time."`
	Data      any       `json:"data" doc:"What happened, by kind."`
}

// Body returns the body of an event with an id that happened at a time: minified JSON, the bytes
// to store, to sign and to send. Data of a material change is shortened to fit. It is an error
// if other data is longer than MaxBody.
func Body(id string, at time.Time, d Data) ([]byte, error) {
	d = d.with(Common{id, decide.Contract})
	for {
		body, err := json.Marshal(Envelope{d.Kind(), second(at), d})
		if err != nil {
			return nil, fmt.Errorf("encode %s: %w", d.Kind(), err)
		}
		if len(body) <= MaxBody {
			return body, nil
		}
		change, ok := d.(MaterialChangeData)
		if !ok || !change.shorten() {
			return nil, fmt.Errorf("%s has %d bytes, at most %d are allowed", d.Kind(), len(body), MaxBody)
		}
		d = change
	}
}

// shorten removes what a receiver misses least, and reports whether there was anything: the
// changes that are not material, the reasons at info, then half of the material changes or half
// of the reasons, the last ones. The summary stays complete, since it is the next baseline.
func (d *MaterialChangeData) shorten() bool {
	changes, reasons := d.Change.Changes, d.Decision.Reasons
	d.Change.Changes = kept(changes, func(c decide.Change) bool { return c.Material })
	if len(d.Change.Changes) == len(changes) {
		weighs := func(r ChangedReason) bool { return r.Severity != decide.Info }
		d.Decision.Reasons = kept(reasons, weighs)
	}
	d.Shortened = true
	switch {
	case len(d.Change.Changes) < len(changes), len(d.Decision.Reasons) < len(reasons):
		return true
	case len(changes) > max(1, len(reasons)):
		d.Change.Changes = changes[:len(changes)/2]
		return true
	case len(reasons) > 1:
		d.Decision.Reasons = reasons[:(len(reasons)+1)/2]
		return true
	}
	return false
}

// kept returns a copy of a list with the items that keep accepts.
func kept[T any](list []T, keep func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), func(item T) bool { return !keep(item) })
}
