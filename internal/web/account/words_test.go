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
		{"The plan free has 1 webhook endpoint, and the account has as many; their URLs can be changed.",
			"The plan free has 1 webhook endpoint, and the account has as many; their addresses can be " +
				"changed."},
		{`events must be "*" or name kinds of quota.warning; there is no "x". Example: "events": ["*"].`,
			`The list of events must be all kinds or name kinds of quota.warning; there is no "x".`},
		{"An account may request 10 tests in an hour: wait 1h5m0s.",
			"An account may request 10 tests in an hour: wait 1 h 5 min."},
		{"An account may request 10 tests in an hour: wait 54m0s.",
			"An account may request 10 tests in an hour: wait 54 min."},
		{"name must be one line of at most 64 characters.",
			"The name must be one line of at most 64 characters."},
	} {
		if got := forPeople(coast.Errorf(coast.InvalidRequest, "%s", test.message)); got != test.want {
			t.Errorf("forPeople(%s)\ngot  %s\nwant %s", test.message, got, test.want)
		}
	}
}
