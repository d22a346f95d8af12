package endpoints

import (
	"fmt"
	"slices"
	"strings"

	"leadline/internal/coast"
	"leadline/internal/events"
	"leadline/store"
)

// Draft describes an endpoint to create, or changes to one. In a change, nil fields keep their
// values.
type Draft struct {
	URL         *string
	Kinds       []string
	Description *string
	Enabled     *bool
}

// maxDescription limits the description of an endpoint, in characters.
const maxDescription = 120

// apply writes the fields of a draft to an endpoint and returns what is wrong with them. checkURL
// is that of Config.
func (d Draft) apply(
	e *store.Endpoint, checkURL func(text string) []coast.Issue,
) (issues []coast.Issue) {
	if d.URL != nil {
		e.URL = *d.URL
		issues = append(issues, checkURL(*d.URL)...)
	}
	if d.Kinds != nil {
		e.Kinds = slices.Compact(slices.Sorted(slices.Values(d.Kinds)))
		issues = append(issues, checkKinds(e.Kinds)...)
	}
	if d.Description != nil {
		e.Description = *d.Description
		issues = append(issues, coast.CheckLine("description", e.Description, maxDescription)...)
	}
	return issues
}

// checkKinds returns what is wrong with the kinds of events of an endpoint.
func checkKinds(kinds []string) (issues []coast.Issue) {
	if len(kinds) == 0 {
		issues = append(issues, coast.Issue{Path: "/events", Code: "minItems", Message: `events must ` +
			`name at least one kind. Example: "events": ["*"], which means all.`})
	}
	if len(kinds) > 1 && slices.Contains(kinds, store.AllKinds) {
		issues = append(issues, coast.Issue{Path: "/events", Code: "enum", Message: `events must be ` +
			`"*" alone, or name kinds. Example: "events": ["*"].`})
	}
	for _, kind := range kinds {
		if kind != store.AllKinds && !slices.Contains(events.Kind("").Values(), kind) {
			issues = append(issues, coast.Issue{Path: "/events", Code: "enum", Message: fmt.Sprintf(
				`events must be "*" or name kinds of %s; there is no %s. `+
					`Example: "events": ["decision.material_change"].`,
				strings.Join(events.Kind("").Values(), ", "), coast.Quote(kind),
			)})
		}
	}
	return issues
}
