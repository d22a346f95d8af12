package events

import (
	"context"
	"time"

	"leadline/internal/coast"
	"leadline/store"
)

// TestCause names why a test is sent.
type TestCause string

// The causes of a test.
const (
	CauseCreated   TestCause = "created"
	CauseRequested TestCause = "requested"
	CauseRotated   TestCause = "rotated"
	CauseEnabled   TestCause = "enabled"
)

// Values returns all causes.
func (TestCause) Values() []string {
	return coast.Strings(CauseCreated, CauseRequested, CauseRotated, CauseEnabled)
}

// testMessages says what a test is for, by its cause.
var testMessages = map[TestCause]string{
	CauseCreated:   "Test event. Respond with 2xx to enable the endpoint.",
	CauseEnabled:   "Test event. Respond with 2xx to enable the endpoint.",
	CauseRotated:   "Test event after the secret was replaced.",
	CauseRequested: "Test event, as requested.",
}

// Test returns a test for an endpoint.
func (o *Outbox) Test(e store.Endpoint, cause TestCause) (store.Event, error) {
	event, err := o.event(e.Account, WebhookTestData{
		Endpoint: e.ID, Cause: cause, Message: testMessages[cause],
	}, "", time.Time{})
	event.Endpoint = e.ID
	return event, err
}

// PostTest posts a test that the owner of an endpoint has requested, and returns the id of the
// event.
func (o *Outbox) PostTest(ctx context.Context, e store.Endpoint) (id string, err error) {
	event, err := o.Test(e, CauseRequested)
	if err != nil {
		return "", err
	}
	return event.ID, o.post(ctx, event)
}
