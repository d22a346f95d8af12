package access

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"leadline/internal/access/limit"
)

// DecisionAPI is the plan feature that lets keys call the decision operations that are not
// public.
const DecisionAPI = "decision_api"

var features = []string{DecisionAPI}

// Plan has the limits and features of a tier.
type Plan struct {
	Tier      Tier
	PerMinute int      // requests in any 60 seconds, on each of the two surfaces, MCP and REST
	PerMonth  int      // units in a UTC calendar month; 0 for anonymous callers, who have no quota
	Features  []string // such as DecisionAPI

	Endpoints    int // webhook endpoints of an account
	Watches      int // watches of an account that have not ended
	WatchMinutes int // shortest interval between the evaluations of a watch
}

// By describes how callers of the plan are identified.
func (p Plan) By() string {
	if p.Tier == Anonymous {
		return "client address"
	}
	return "Bearer credential"
}

// Has reports whether the plan has the feature.
func (p Plan) Has(feature string) bool { return slices.Contains(p.Features, feature) }

// Plans are the plans of a server.
type Plans struct{ list []*Plan }

// BuiltIn returns the plans of a server that has no plans file.
func BuiltIn() Plans {
	return Plans{[]*Plan{
		{Tier: Anonymous, PerMinute: 30},
		{
			Tier: Free, PerMinute: 300, PerMonth: 10_000,
			Endpoints: 1, WatchMinutes: shortestWatch,
		},
		{
			Tier: Pro, PerMinute: 3_000, PerMonth: 250_000, Features: []string{DecisionAPI},
			Endpoints: 5, Watches: 100, WatchMinutes: shortestWatch,
		},
	}}
}

// shortestWatch is the shortest interval between the evaluations of a watch, in minutes.
const shortestWatch = 10

// The largest numbers that a plan may have, far above what one machine serves.
const (
	mostEndpoints = 1_000
	mostWatches   = 100_000
	longestWatch  = 24 * 60 // minutes
)

// ReadPlans returns the built-in plans and those of r, which replace built-in ones of the same
// name: one JSON object, such as
//
//	{
//		"free": {"perMinute": 600},
//		"team": {
//			"perMinute": 6000, "perMonth": 1000000, "features": ["decision_api"],
//			"endpoints": 20, "watches": 500, "watchMinutes": 10
//		}
//	}
//
// Members that a plan does not have keep their built-in values.
func ReadPlans(r io.Reader) (Plans, error) {
	raw, err := io.ReadAll(r)
	if err != nil {
		return Plans{}, err
	}
	var given map[string]map[string]json.RawMessage
	if err := json.Unmarshal(raw, &given); err != nil {
		return Plans{},
			errors.New("plans must be one JSON object of plans by name, such as " +
				`{"free": {"perMinute": 300, "perMonth": 10000, "features": []}}`)
	}
	if name, twice := duplicate(raw); twice {
		return Plans{},
			fmt.Errorf("duplicate name %q: remove one of the plans or members with this name", name)
	}
	plans := BuiltIn()
	for _, name := range slices.Sorted(maps.Keys(given)) {
		p, known := plans.Of(Tier(name))
		if !known {
			p = &Plan{Tier: Tier(name), WatchMinutes: shortestWatch}
			plans.list = append(plans.list, p)
		}
		if err := errors.Join(p.read(given[name]), p.check()); err != nil {
			return Plans{}, err
		}
	}
	return plans, nil
}

// duplicate returns a name that occurs more than once in an object of a JSON document.
// encoding/json would use the last occurrence without an error.
func duplicate(document []byte) (name string, found bool) {
	d := json.NewDecoder(bytes.NewReader(document))
	var objects []map[string]bool // names seen in the enclosing objects; nil for an array
	value := true                 // the next token is a value and not a name
	for {
		token, err := d.Token()
		if err != nil { // end of the document
			return "", false
		}
		within := len(objects) > 0 && objects[len(objects)-1] != nil
		if text, ok := token.(string); ok && within && !value {
			if objects[len(objects)-1][text] {
				return text, true
			}
			objects[len(objects)-1][text] = true
			value = true
			continue
		}
		switch token {
		case json.Delim('{'):
			objects = append(objects, map[string]bool{})
		case json.Delim('['):
			objects = append(objects, nil)
		case json.Delim('}'), json.Delim(']'):
			objects = objects[:len(objects)-1]
		}
		value = len(objects) == 0 || objects[len(objects)-1] == nil
	}
}

// read sets the plan's values from its JSON members.
func (p *Plan) read(members map[string]json.RawMessage) error {
	for _, name := range slices.Sorted(maps.Keys(members)) {
		var place any
		form := "a whole number"
		switch name {
		case "perMinute":
			place = &p.PerMinute
		case "perMonth":
			place = &p.PerMonth
		case "features":
			place, form = &p.Features, "a list of names"
		case "endpoints":
			place = &p.Endpoints
		case "watches":
			place = &p.Watches
		case "watchMinutes":
			place = &p.WatchMinutes
		default:
			return fmt.Errorf("plan %q: there is no %q; a plan has perMinute, perMonth, features, "+
				"endpoints, watches and watchMinutes", p.Tier, name)
		}
		if json.Unmarshal(members[name], place) != nil {
			return fmt.Errorf("plan %q: %s must be %s, not %s", p.Tier, name, form, members[name])
		}
	}
	return nil
}

func (p *Plan) check() error {
	switch {
	case p.Tier == Local || !limit.PlainName(string(p.Tier)):
		return fmt.Errorf("plan %q: a plan is named with 1 to 32 of a-z, 0-9, - and _, and not %q",
			p.Tier, Local)
	case p.PerMinute < 1 || p.PerMinute > limit.MostPerMinute:
		return fmt.Errorf("plan %q: perMinute must be from 1 to %d, not %d", p.Tier, limit.MostPerMinute,
			p.PerMinute)
	case p.Tier == Anonymous && p.needsAccount():
		return fmt.Errorf("plan %q: must have a perMinute alone: the rest needs an account", p.Tier)
	case p.Tier != Anonymous && p.PerMonth < 1:
		return fmt.Errorf("plan %q: perMonth must be 1 or more, not %d", p.Tier, p.PerMonth)
	case p.Endpoints < 0 || p.Endpoints > mostEndpoints:
		return fmt.Errorf("plan %q: endpoints must be from 0 to %d, not %d", p.Tier, mostEndpoints,
			p.Endpoints)
	case p.Watches < 0 || p.Watches > mostWatches:
		return fmt.Errorf("plan %q: watches must be from 0 to %d, not %d", p.Tier, mostWatches, p.Watches)
	case p.Tier != Anonymous && (p.WatchMinutes < shortestWatch || p.WatchMinutes > longestWatch):
		return fmt.Errorf("plan %q: watchMinutes must be from %d to %d, not %d", p.Tier, shortestWatch,
			longestWatch, p.WatchMinutes)
	}
	for _, f := range p.Features {
		if !slices.Contains(features, f) {
			return fmt.Errorf("plan %q: there is no feature %q; there is %s", p.Tier, f,
				strings.Join(features, ", "))
		}
	}
	return nil
}

// needsAccount reports whether the plan has what callers without an account cannot have.
func (p *Plan) needsAccount() bool {
	return p.PerMonth != 0 || len(p.Features) > 0 || p.Endpoints != 0 || p.Watches != 0 ||
		p.WatchMinutes != 0
}

// Of returns the plan of a tier.
func (p Plans) Of(t Tier) (*Plan, bool) {
	for _, plan := range p.list {
		if plan.Tier == t {
			return plan, true
		}
	}
	return nil, false
}

// Named returns the names of the plans that an account can have.
func (p Plans) Named() (names []string) {
	for _, plan := range p.list {
		if plan.Tier != Anonymous {
			names = append(names, string(plan.Tier))
		}
	}
	return names
}

// Table returns the plans as a Markdown table.
func (p Plans) Table() string {
	var b strings.Builder
	b.WriteString("| tier | per minute | per month | identified by |\n|---|---|---|---|\n")
	for _, plan := range p.list {
		month := "no figure"
		if plan.PerMonth > 0 {
			month = fmt.Sprint(plan.PerMonth)
		}
		fmt.Fprintf(&b, "| %s | %d | %s | %s |\n", plan.Tier, plan.PerMinute, month, plan.By())
	}
	return b.String()
}

// Tier is the name of the plan that a caller's limits come from.
type Tier string

// The tiers of every server. Local is the person who started the process and has no limits.
const (
	Anonymous Tier = "anonymous"
	Free      Tier = "free"
	Pro       Tier = "pro"
	Local     Tier = "local"
)
