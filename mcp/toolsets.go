package mcp

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	protocol "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"leadline/internal/coast"
	"leadline/internal/schema"
	"leadline/tools"
)

// offer is a set of tools: bit i is the ith name of a choice.
type offer uint64

// choice holds the tools from which the query of an address chooses. The zero value has
// no tools to choose from and ignores every query.
type choice struct {
	names []string // of all tools, in the order of the list
	sets  []namedOffer
	usual offer                // of an address without a query
	lists map[bool]toolEntries // of all tools, by whether the era is modern
}

// namedOffer is a tool set.
type namedOffer struct {
	name  string
	tools offer
}

// The parameters of an address that choose tools.
const (
	setsParameter  = "toolsets"
	toolsParameter = "tools"
)

// newChoice returns the choice from sets. usual names the sets of an address without a
// query; if it is empty, that is the first set.
func newChoice(sets []tools.Toolset, usual []string) (choice, error) {
	var c choice
	for _, set := range sets {
		for _, t := range set.Tools {
			c.names = append(c.names, t.Name)
		}
	}
	slices.Sort(c.names)
	c.names = slices.Compact(c.names)
	if len(c.names) > 64 {
		return c, fmt.Errorf("%d tools: an offer holds at most 64", len(c.names))
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
	i, known := slices.BinarySearch(c.names, name)
	if !known {
		return 0
	}
	return 1 << i
}

// has reports whether o has a tool.
func (c choice) has(o offer, name string) bool { return o&c.only(name) != 0 }

// namesOf returns the names of the tools of an offer.
func (c choice) namesOf(o offer) []string {
	var names []string
	for i, name := range c.names {
		if o>>i&1 == 1 {
			names = append(names, name)
		}
	}
	return names
}

// read returns the tools that the query of an address chooses: those of the named tool
// sets, or exactly the named tools. An unknown name is an error: a client that got
// other tools than it asked for would not know why they are missing.
func (c choice) read(query string) (offer, error) {
	if query == "" || c.sets == nil {
		return c.usual, nil
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return 0, fmt.Errorf("the query %q of the address cannot be read; an example is ?%s=%s",
			coast.Clip(query), setsParameter, c.setNames()[0])
	}
	known := []string{setsParameter, toolsParameter}
	for name := range values {
		if near := schema.Nearest(name, known); near != "" && !slices.Contains(known, name) {
			return 0, fmt.Errorf("unknown parameter %q of the address: did you mean %q?",
				coast.Clip(name), near)
		}
	}
	sets, named := values[setsParameter], values[toolsParameter]
	switch {
	case sets != nil && named != nil:
		return 0, fmt.Errorf("give the address %s or %s, not both", setsParameter, toolsParameter)
	case sets != nil:
		return c.ofSets(split(sets))
	case named != nil:
		return c.ofTools(split(named))
	}
	return c.usual, nil
}

// split returns the items of comma-separated texts.
func split(texts []string) []string {
	items := strings.Split(strings.Join(texts, ","), ",")
	for i := range items {
		items[i] = strings.TrimSpace(items[i])
	}
	return items
}

func (c choice) ofSets(names []string) (offer, error) {
	var o offer
	for _, name := range names {
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
	var names []string
	for _, s := range c.sets {
		names = append(names, s.name)
	}
	return names
}

func (c choice) ofTools(names []string) (offer, error) {
	var o offer
	for _, name := range names {
		one := c.only(name)
		if one == 0 {
			return 0, fmt.Errorf("unknown tool %q in the address%s the tools are %s",
				coast.Clip(name), suggested(name, c.names), strings.Join(c.names, ", "))
		}
		o |= one
	}
	return o, nil
}

// suggested returns the end of a clause about an unknown name, with a similar known one.
func suggested(name string, known []string) string {
	if near := suggestion(name, known); near != "" {
		return near
	}
	return ";"
}

// elsewhere returns where a tool is offered that an address does not offer, or "" if no
// tool has the name.
func (c choice) elsewhere(name string) string {
	for _, s := range c.sets {
		if c.has(s.tools, name) {
			return fmt.Sprintf("; it belongs to the tool set %s, which is offered at /mcp?%s=%s",
				s.name, setsParameter, s.name)
		}
	}
	return ""
}

// toolEntries is the response to tools/list with all tools, in parts. Lists of some of
// them are put together from the parts, so nothing is kept for each combination.
type toolEntries struct {
	before, between, after []byte // around the id and the entries
	entries                [][]byte
}

// splitList returns the parts of a rendered list of all tools.
func splitList(r rendering) (toolEntries, error) {
	whole := slices.Concat(r.before, []byte("0"), r.after)
	var list struct {
		Result struct {
			Tools []json.RawMessage `json:"tools"`
		} `json:"result"`
	}
	if err := json.Unmarshal(whole, &list); err != nil {
		return toolEntries{}, fmt.Errorf("split the list of tools: %w", err)
	}
	const begin = `"tools":[`
	between, rest, _ := strings.Cut(string(r.after), begin)
	e := toolEntries{before: r.before, between: []byte(between + begin)}
	for i, entry := range list.Result.Tools {
		if i > 0 {
			rest = rest[len(","):]
		}
		e.entries = append(e.entries, []byte(rest[:len(entry)]))
		rest = rest[len(entry):]
	}
	e.after = []byte(rest)
	return e, nil
}

// reply returns the list of the tools of an offer as the response with the id, in parts.
func (e toolEntries) reply(id []byte, o offer) [][]byte {
	parts := append(make([][]byte, 0, 2*len(e.entries)+4), e.before, id, e.between)
	separator := []byte(nil)
	for i, entry := range e.entries {
		if o>>i&1 == 1 {
			parts = append(parts, separator, entry)
			separator = []byte(",")
		}
	}
	return append(parts, e.after)
}

// render renders the lists of s, which has all tools.
func (c *choice) render(s *server.MCPServer) error {
	c.lists = map[bool]toolEntries{}
	for _, modern := range []bool{false, true} {
		r, err := render(s, protocol.MethodToolsList, modern)
		if err != nil {
			return err
		}
		if c.lists[modern], err = splitList(r); err != nil {
			return err
		}
	}
	return nil
}
