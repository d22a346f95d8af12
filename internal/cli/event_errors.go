package cli

import (
	"errors"
	"regexp"
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

// apiPhrases maps phrases of errors, whole, to those of the command line.
var apiPhrases = map[string]string{
	`enable it first, with PATCH and {"enabled": true}.`: "enable it first, with leadline " +
		"webhooks enable.",
	"delete one, or change its url.": "leadline webhooks remove removes one.",
	`["*"]`:                          `"*"`,
	"later than since, which is":     "later than --since, which is",
}

// apiRoute matches a route of the API, without the sentence's period.
var apiRoute = regexp.MustCompile(`GET /api/developer/[\w/]*`)

// asCommand returns an error about webhooks, events or watches in the words of the command line:
// issues by their paths, other errors by the phrases and routes that they contain.
func asCommand(err error) error {
	var e *coast.Error
	if !errors.As(err, &e) {
		return err
	}
	out := *e
	if len(e.Issues) > 0 {
		messages := make([]string, len(e.Issues))
		for i, issue := range e.Issues {
			messages[i] = issueAsFlag(issue)
		}
		out.Message = strings.Join(messages, " ")
	}
	for phrase, words := range apiPhrases {
		out.Message = strings.ReplaceAll(out.Message, phrase, words)
	}
	out.Message = apiRoute.ReplaceAllStringFunc(out.Message, commandOfRoute)
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

// commandOfRoute returns the command that lists what a route lists.
func commandOfRoute(route string) string {
	switch name := route[strings.LastIndexByte(route, '/')+1:]; name {
	case "deliveries":
		return "leadline webhooks deliveries"
	case "webhooks", "events", "watches":
		return "leadline " + name + " list"
	}
	return route
}
