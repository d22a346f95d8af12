package account

import (
	"testing"

	"leadline/internal/coast"
)

// TestForPeople checks messages that the operations return for forms.
func TestForPeople(t *testing.T) {
	for _, test := range []struct{ message, want string }{
		{`url must begin with https://. Example: "url": "https://hooks.example.com/leadline".`,
			"The address must begin with https://."},
		{`events must name at least one kind. Example: "events": ["*"], which means all.`,
			"The list of events must name at least one kind."},
		{`since must not be in the future: it is 2026-11-20T17:00:00Z. Example: "since": "2026".`,
			"The time must not be in the future: it is 2026-11-20T17:00:00Z."},
		{"localTime is required: a time of 24 hours, HH:MM.",
			"The time is required: a time of 24 hours, HH:MM."},
		{"name must be one line of at most 64 characters.",
			"The name must be one line of at most 64 characters."},
	} {
		if got := forPeople(coast.Errorf(coast.InvalidRequest, "%s", test.message)); got != test.want {
			t.Errorf("forPeople(%s)\ngot  %s\nwant %s", test.message, got, test.want)
		}
	}
}
