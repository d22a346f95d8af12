package limit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strings"
)

// Group is a set of networks whose addresses many people share, such as the egress ranges of a
// hosted AI client. Its callers without a credential share one rate limit and have no limit of
// their own: one address may be thousands of people.
type Group struct {
	Name      string
	Networks  []netip.Prefix
	PerMinute int // requests in any 60 seconds, on each of the two surfaces
}

// Groups are the groups of a server. The zero value is empty.
type Groups struct {
	list     []Group
	networks []member // sorted by address; they do not overlap
}

// member is a network of a group.
type member struct {
	netip.Prefix
	group *Group
}

// BuiltInGroups returns the groups of a server that has no groups file. The networks are the
// origins that Anthropic publishes for its requests (IP addresses, outbound:
// platform.claude.com, read in November 2026). The limit is ours.
func BuiltInGroups() Groups {
	groups, _ := newGroups([]Group{anthropic()}) // its networks do not overlap
	return groups
}

func anthropic() Group {
	return Group{"anthropic", []netip.Prefix{
		netip.MustParsePrefix("160.79.104.0/21"), netip.MustParsePrefix("2607:6bc0::/48"),
	}, 6_000}
}

// Limits on the number of groups, each of which is a label of metrics, and on the number of
// networks in a group. Both are ours.
const mostGroups, mostNetworks = 20, 1_000

// ReadGroups returns the built-in groups and those of r, one JSON list such as
//
//	[{"name": "example", "networks": ["192.0.2.0/24", "2001:db8::/48"], "perMinute": 600}]
//
// A group of r replaces a built-in one of its name, and one without networks removes it.
func ReadGroups(r io.Reader) (Groups, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return Groups{}, err
	}
	given, err := readGroupTexts(text)
	if err != nil {
		return Groups{}, err
	}
	list := []Group{anthropic()}
	for i, text := range given {
		if slices.ContainsFunc(given[:i], func(other groupText) bool { return other.Name == text.Name }) {
			return Groups{}, fmt.Errorf("group %q: duplicate name", text.Name)
		}
		g, err := text.group()
		if err != nil {
			return Groups{}, fmt.Errorf("group %q: %w", text.Name, err)
		}
		replaced := slices.IndexFunc(list, func(other Group) bool { return other.Name == g.Name })
		switch {
		case len(g.Networks) == 0 && replaced < 0:
			return Groups{}, fmt.Errorf("group %q: networks must have at least one network", g.Name)
		case len(g.Networks) == 0:
			list = slices.Delete(list, replaced, replaced+1)
		case replaced >= 0:
			list[replaced] = g
		default:
			list = append(list, g)
		}
	}
	return newGroups(list)
}

// groupText is a group in the JSON format of the groups file.
type groupText struct {
	Name      string   `json:"name"`
	Networks  []string `json:"networks"`
	PerMinute *int     `json:"perMinute"`
}

// readGroupTexts decodes a list of groups. Unlike encoding/json, it requires that member names
// match exactly.
func readGroupTexts(text []byte) (list []groupText, err error) {
	var members []map[string]json.RawMessage
	const form = "groups must be one JSON list such as " +
		`[{"name": "example", "networks": ["192.0.2.0/24"], "perMinute": 600}]`
	if json.Unmarshal(text, &members) != nil || members == nil {
		return nil, errors.New(form)
	}
	var wrong *json.UnmarshalTypeError
	if err := json.Unmarshal(text, &list); errors.As(err, &wrong) {
		return nil, fmt.Errorf("invalid %q: a JSON %s; %s", wrong.Field, wrong.Value, form)
	} else if err != nil {
		return nil, errors.New(form)
	}
	for _, group := range members {
		for name := range group {
			if !slices.Contains([]string{"name", "networks", "perMinute"}, name) {
				return nil, fmt.Errorf("unknown member %q: a group has name, networks and perMinute", name)
			}
		}
	}
	return list, nil
}

func (t groupText) group() (g Group, err error) {
	switch {
	case !PlainName(t.Name):
		return g, errors.New("invalid name: must be 1 to 32 characters of a-z, 0-9, - and _")
	case len(t.Networks) > mostNetworks:
		return g, fmt.Errorf("%d networks: at most %d are allowed", len(t.Networks), mostNetworks)
	case len(t.Networks) > 0 && t.PerMinute == nil:
		return g, errors.New("perMinute is missing")
	case t.PerMinute == nil:
		return Group{Name: t.Name}, nil
	case *t.PerMinute < 1 || *t.PerMinute > MostPerMinute:
		return g, fmt.Errorf("perMinute must be from 1 to %d, not %d", MostPerMinute, *t.PerMinute)
	}
	g = Group{Name: t.Name, PerMinute: *t.PerMinute}
	for _, text := range t.Networks {
		p, err := netip.ParsePrefix(text)
		if err != nil || p.Addr().Is4In6() {
			return g, fmt.Errorf("network %q: write it as 192.0.2.0/24 or 2001:db8::/48", text)
		}
		if p != p.Masked() {
			return g, fmt.Errorf("network %q: bits are set after its prefix; did you mean %s?", text,
				p.Masked())
		}
		g.Networks = append(g.Networks, p)
	}
	return g, nil
}

// newGroups returns sorted groups, or an error if networks overlap.
func newGroups(list []Group) (Groups, error) {
	if len(list) > mostGroups {
		return Groups{}, fmt.Errorf("%d groups: at most %d are allowed", len(list), mostGroups)
	}
	groups := Groups{list: list}
	for i := range list {
		for _, p := range list[i].Networks {
			groups.networks = append(groups.networks, member{p, &list[i]})
		}
	}
	slices.SortFunc(groups.networks, func(a, b member) int { return a.Addr().Compare(b.Addr()) })
	for i, b := range groups.networks[min(1, len(groups.networks)):] {
		// In this order, a network that overlaps any later network also overlaps the next one.
		if a := groups.networks[i]; a.Overlaps(b.Prefix) {
			return Groups{}, fmt.Errorf("networks %s of group %q and %s of group %q overlap", a.Prefix,
				a.group.Name, b.Prefix, b.group.Name)
		}
	}
	return groups, nil
}

// Of returns the group that contains an address, or nil.
func (g Groups) Of(address netip.Addr) *Group {
	i, exact := slices.BinarySearchFunc(g.networks, address,
		func(m member, a netip.Addr) int { return m.Addr().Compare(a) })
	if !exact {
		i--
	}
	if i < 0 || !g.networks[i].Contains(address) {
		return nil
	}
	return g.networks[i].group
}

// Each calls f for each group.
func (g Groups) Each(f func(*Group)) {
	for i := range g.list {
		f(&g.list[i])
	}
}

// PlainName reports whether a name has at most 32 lower-case letters, digits, hyphens and
// underscores.
func PlainName(name string) bool {
	return name != "" && len(name) <= 32 &&
		strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-_") == ""
}
