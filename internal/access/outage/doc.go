// Package outage says what happens while the store is slow or unavailable.
//
// Patience limits how long requests wait for it, Batch collects what none has to wait for, and Down
// and Failure return the errors that callers get. It does not call the store itself.
package outage
