package watches

import (
	"encoding/json"
	"fmt"
	"time"

	"leadline/internal/decide"
	"leadline/internal/events"
	"leadline/store"
)

// task is the request of a watch as the store has it.
type task struct {
	Request events.TripRequest `json:"request"`
	Max     int                `json:"max"` // units
}

// taskOf returns the request of a watch. A watch keeps its instant: if the clock of its station has
// been corrected since it was stored, the local day and time of the request are others.
func (c Config) taskOf(row store.Watch) (task, error) {
	var t task
	if err := json.Unmarshal(row.Request, &t); err != nil {
		return t, fmt.Errorf("read watch %s: %w", row.ID, err)
	}
	if zone := c.Zone(row.Station); zone != nil {
		at := row.At.In(zone)
		t.Request.LocalDate, t.Request.LocalTime = at.Format(time.DateOnly), at.Format("15:04")
	}
	return t, nil
}

// standingOf returns what a watch has announced last.
func standingOf(row store.Watch) (decide.Standing, error) {
	var standing decide.Standing
	if err := json.Unmarshal(row.Standing, &standing); err != nil {
		return standing, fmt.Errorf("read watch %s: %w", row.ID, err)
	}
	return standing, nil
}

// encode returns a value of this package as JSON.
func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic("watches: encode: " + err.Error()) // plain structs of strings, numbers and times
	}
	return b
}
