package cli

import (
	"errors"
	"testing"

	"leadline/internal/coast"
)

// TestAsCommand checks that errors name flags, and that only the fields of issues change: not the
// same words in what the operator typed.
func TestAsCommand(t *testing.T) {
	issues := func(list ...coast.Issue) error { return coast.Invalid(list) }
	refused := func(message string) error { return coast.Errorf(coast.InvalidRequest, "%s", message) }
	for _, test := range []struct {
		err  error
		want string
	}{
		{
			issues(coast.Issue{Path: "/url", Message: `url must begin with https://. Example: "url": "x".`}),
			"URL must begin with https://. Example: https://hooks.example.com/leadline",
		},
		{
			issues(coast.Issue{Path: "/since", Message: "since must not be in the future."}),
			"--since must not be in the future. Example: --since 2h",
		},
		{
			issues(coast.Issue{Path: "/until", Message: "until must be later than the start, 12."}),
			"--until must be later than the start, 12. Example: --until 1h",
		},
		{
			issues(
				coast.Issue{Path: "/description", Message: "description must be one line."},
				coast.Issue{Path: "/events", Message: `events must be "*" or name kinds of a; no "url must".`},
			),
			`--description must be one line. Example: --description "the bridge" ` +
				`--events must be "*" or name kinds of a; no "url must". ` +
				"Example: --events quota.warning,quota.exceeded",
		},
		{issues(coast.Issue{Path: "/name", Message: "name must be short."}), "name must be short."},
		{refused(`no row begins with "url must"; since must be`), `no row begins with "url must"; since must be`},
		{errors.New("url must"), "url must"},
	} {
		if got := asCommand(test.err).Error(); got != test.want {
			t.Errorf("asCommand(%q)\ngot  %q\nwant %q", test.err, got, test.want)
		}
	}
}
