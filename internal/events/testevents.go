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

// PostTest posts a test to an endpoint and returns the id of the event.
func (o *Outbox) PostTest(
	ctx context.Context, e store.Endpoint, cause TestCause,
) (id string, err error) {
	event, err := o.event(e.Account, WebhookTestData{
		Endpoint: e.ID, Cause: cause, Message: testMessages[cause],
	}, "", time.Time{})
	if err != nil {
		return "", err
	}
	event.Endpoint = e.ID
	return event.ID, o.post(ctx, event)
}
