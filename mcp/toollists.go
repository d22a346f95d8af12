package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	protocol "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// mostLists limits the number of cached lists. Each has up to 35 KB.
const mostLists = 64

// toolLists holds the responses to tools/list. It is safe for concurrent use.
type toolLists struct {
	all map[bool]toolEntries // list of all tools, by whether the era is modern

	mu   sync.RWMutex
	kept map[chosen]rendering // at most mostLists
}

// chosen identifies a list of tools.
type chosen struct {
	tools  offer
	modern bool
}

// newToolLists renders the lists of s, which has all tools of a choice. The lists of the tool
// sets are always cached.
func newToolLists(s *server.MCPServer, c choice) (*toolLists, error) {
	l := &toolLists{all: map[bool]toolEntries{}, kept: map[chosen]rendering{}}
	for _, modern := range []bool{false, true} {
		r, err := renderList(s, protocol.MethodToolsList, modern)
		if err != nil {
			return nil, err
		}
		if l.all[modern], err = splitList(r); err != nil {
			return nil, err
		}
		l.of(c.usual, modern)
		var every offer
		for _, set := range c.sets {
			every |= set.tools
			l.of(set.tools, modern)
		}
		l.of(every, modern)
	}
	return l, nil
}

// of returns the list of the tools in an offer.
func (l *toolLists) of(o offer, modern bool) rendering {
	key := chosen{o, modern}
	l.mu.RLock()
	r, known := l.kept[key]
	l.mu.RUnlock()
	if known {
		return r
	}
	r = l.all[modern].of(o)
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.kept) < mostLists {
		l.kept[key] = r
	}
	return r
}

// toolEntries is the response to tools/list with all tools, in parts.
type toolEntries struct {
	before, between, after []byte // parts around the id and the entries
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

// of returns the list of the tools in an offer.
func (e toolEntries) of(o offer) rendering {
	var entries [][]byte
	for i, entry := range e.entries {
		if o>>i&1 == 1 {
			entries = append(entries, entry)
		}
	}
	after := slices.Concat(e.between, bytes.Join(entries, []byte(",")), e.after)
	return rendering{e.before, after}
}
