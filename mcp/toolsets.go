package mcp

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"leadline/internal/access"
	"leadline/internal/coast"
	"leadline/internal/schema"
	"leadline/tools"
)

// offer is a set of tools: bit i is the ith name of a choice.
type offer uint64

// choice holds the tools from which the query of an address chooses. The zero value has
// no tools to choose from and ignores every query.
type choice struct {
	known []string // names of all tools, in the order of the list
	sets  []namedOffer
	usual offer // offer of an address without a query
}

// namedOffer is a tool set.
type namedOffer struct {
	name  string
	tools offer
}

// These are the query parameters of an address. Two of them choose tools.
const (
	setsParameter  = "toolsets"
	toolsParameter = "tools"
	viewParameter  = "view" // full: structured content as REST returns it
)

// newChoice returns the choice from sets. usual names the sets of an address without a query;
// if it is empty, the first set is used.
func newChoice(sets []tools.Toolset, usual []string) (choice, error) {
	var c choice
	for _, set := range sets {
		for _, t := range set.Tools {
			c.known = append(c.known, t.Name)
		}
	}
	slices.Sort(c.known)
	c.known = slices.Compact(c.known)
	if len(c.known) > 64 {
		return c, fmt.Errorf("%d tools: an offer holds at most 64", len(c.known))
	}
	for _, set := range sets {
		o := namedOffer{name: set.Name}
		for _, t := range set.Tools {
			o.tools |= c.only(t.Name)
		}
		c.sets = append(c.sets, o)
	}
	if len(usual) == 0 {
		c.usual = c.sets[0].tools
		return c, nil
	}
	var err error
	c.usual, err = c.ofSets(usual)
	if err != nil {
		err = fmt.Errorf("invalid --toolsets: %w", err)
	}
	return c, err
}

// only returns the offer of one tool, or 0 if there is no such tool.
func (c choice) only(name string) offer {
	i, known := slices.BinarySearch(c.known, name)
	if !known {
		return 0
	}
	return 1 << i
}

// has reports whether o has a tool.
func (c choice) has(o offer, name string) bool { return o&c.only(name) != 0 }

// forKeys is a tool that is not listed for callers without a key: to them leadline_best_times
// answers the same question.
const forKeys = "leadline_best_window"

// listed returns the tools of an offer that are listed for the caller.
func (c choice) listed(ctx context.Context, o offer) offer {
	if caller, known := access.CallerFrom(ctx); known && caller.Tier == access.Anonymous {
		return o &^ c.only(forKeys)
	}
	return o
}

// namesOf returns the names of the tools in an offer.
func (c choice) namesOf(o offer) []string {
	var list []string
	for i, name := range c.known {
		if o>>i&1 == 1 {
			list = append(list, name)
		}
	}
	return list
}

// read returns the tools that the query of an address chooses: the tools of the named tool
// sets, or exactly the named tools. It also returns whether the query asks for full results. An
// unknown name is an error, because a client would not know why the requested tools are missing.
func (c choice) read(query string) (o offer, full bool, err error) {
	if query == "" || c.sets == nil {
		return c.usual, false, nil
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return 0, false, fmt.Errorf("the query %q of the address cannot be read; an example is ?%s=%s",
			coast.Clip(query), setsParameter, c.setNames()[0])
	}
	parameters := []string{setsParameter, toolsParameter, viewParameter}
	for name := range values {
		if near := schema.Nearest(name, parameters); near != "" && !slices.Contains(parameters, name) {
			return 0, false, fmt.Errorf("unknown parameter %q of the address: did you mean %q?",
				coast.Clip(name), near)
		}
	}
	sets, named, view := values[setsParameter], values[toolsParameter], values.Get(viewParameter)
	if view != "" && view != "full" && view != "answer" {
		return 0, false, fmt.Errorf("%s of the address must be full or answer, not %q", viewParameter,
			coast.Clip(view))
	}
	o = c.usual
	switch {
	case sets != nil && named != nil:
		return 0, false, fmt.Errorf("give the address %s or %s, not both", setsParameter, toolsParameter)
	case sets != nil:
		o, err = c.ofSets(split(sets))
	case named != nil:
		o, err = c.ofTools(split(named))
	}
	return o, view == "full", err
}

// split returns the items of comma-separated texts.
func split(texts []string) []string {
	items := strings.Split(strings.Join(texts, ","), ",")
	for i := range items {
		items[i] = strings.TrimSpace(items[i])
	}
	return items
}

func (c choice) ofSets(given []string) (offer, error) {
	var o offer
	for _, name := range given {
		i := slices.IndexFunc(c.sets, func(s namedOffer) bool { return s.name == name })
		if i < 0 {
			return 0, fmt.Errorf("unknown tool set %q; the tool sets are %s, as in %s=%s",
				coast.Clip(name), strings.Join(c.setNames(), " and "), setsParameter,
				strings.Join(c.setNames(), ","))
		}
		o |= c.sets[i].tools
	}
	return o, nil
}

func (c choice) setNames() []string {
	var list []string
	for _, s := range c.sets {
		list = append(list, s.name)
	}
	return list
}

func (c choice) ofTools(given []string) (offer, error) {
	var o offer
	for _, name := range given {
		one := c.only(name)
		if one == 0 {
			return 0, fmt.Errorf("unknown tool %q in the address%s the tools are %s",
				coast.Clip(name), suggested(name, c.known), strings.Join(c.known, ", "))
		}
		o |= one
	}
	return o, nil
}

// suggested returns the end of a clause about an unknown name, which suggests a similar known
// name.
func suggested(name string, known []string) string {
	if near := suggestion(name, known); near != "" {
		return near
	}
	return ";"
}

// elsewhere describes where to find a tool that an address does not offer. It returns "" if
// no tool has the name.
func (c choice) elsewhere(name string) string {
	for _, s := range c.sets {
		if c.has(s.tools, name) {
			return fmt.Sprintf("; it belongs to the tool set %s, which is offered at /mcp?%s=%s",
				s.name, setsParameter, s.name)
		}
	}
	return ""
}
