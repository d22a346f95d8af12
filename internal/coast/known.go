package coast

import "time"

// Known returns a pointer to a time for results, or nil for the zero time, which is not known.
func Known(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
