package events

import (
	"encoding/json"
	"fmt"
	"time"

	"leadline/internal/decide"
	"leadline/store"
)

// MaxBody limits the body of an event, in bytes.
const MaxBody = 16 << 10

// Envelope is the body of an event.
type Envelope struct {
	Type      Kind      `json:"type" doc:"Kind of the event."`
	Timestamp time.Time `json:"timestamp" doc:"When it happened. Later attempts have the same time."`
	Data      any       `json:"data" doc:"What happened, by kind."`
}

// MaxWatchName limits the name of a watch, in characters.
const MaxWatchName = 64

// maxReport limits the report in a material change, in bytes. The rest of the body has at most
// 1,000: the name of a watch is the only part that varies much.
const maxReport = MaxBody - 1000

// Body returns the body of an event with an id that happened at a time: minified JSON, the bytes
// to store, to sign and to send. It is an error if it is longer than MaxBody.
func Body(id string, at time.Time, d Data) ([]byte, error) {
	body, err := json.Marshal(Envelope{
		d.Kind(), store.Second(at), d.with(Common{id, decide.Contract}),
	})
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", d.Kind(), err)
	}
	if len(body) > MaxBody {
		return nil, fmt.Errorf("%s has %d bytes, at most %d are allowed", d.Kind(), len(body), MaxBody)
	}
	return body, nil
}
