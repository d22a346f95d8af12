package cli

import (
	"errors"
	"strings"

	"leadline/internal/coast"
)

// flagWord is the form of a field of the API on the command line, with a valid example.
type flagWord struct{ word, example string }

// flagWords has the fields of requests about webhooks by the path of their issues.
var flagWords = map[string]flagWord{
	"/url":         {"URL", "https://hooks.example.com/leadline"},
	"/events":      {"--events", "--events quota.warning,quota.exceeded"},
	"/description": {"--description", `--description "the bridge"`},
	"/since":       {"--since", "--since 2h"},
	"/until":       {"--until", "--until 1h"},
}

// asCommand returns an error about webhooks, events or watches with its issues in the words of the
// command line, found by their paths.
func asCommand(err error) error {
	var e *coast.Error
	if !errors.As(err, &e) || len(e.Issues) == 0 {
		return err
	}
	messages := make([]string, len(e.Issues))
	for i, issue := range e.Issues {
		messages[i] = issueAsFlag(issue)
	}
	out := *e
	out.Message = strings.Join(messages, " ")
	return &out
}

// issueAsFlag returns the message of an issue with the flag and an example for it, in place of the
// field and its JSON.
func issueAsFlag(issue coast.Issue) string {
	f, ok := flagWords[issue.Path]
	rule, begins := strings.CutPrefix(issue.Message, strings.TrimPrefix(issue.Path, "/")+" ")
	if !ok || !begins {
		return issue.Message
	}
	rule, _, _ = strings.Cut(rule, " Example: ")
	return f.word + " " + rule + " Example: " + f.example
}
