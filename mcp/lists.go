package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"leadline/internal/schema"

	protocol "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// listed contains the methods whose responses are the same for all callers.
var listed = []protocol.MCPMethod{
	protocol.MethodToolsList, protocol.MethodPromptsList, protocol.MethodResourcesList,
	protocol.MethodResourcesTemplatesList, protocol.MethodServerDiscover,
}

// modernMeta is the smallest _meta of a modern request.
const modernMeta = `{"` + protocol.MetaKeyProtocolVersion + `":"` +
	protocol.ProtocolVersion20260728 + `","` + protocol.MetaKeyClientCapabilities + `":{}}`

// listKey identifies a list: one of the listed methods in one era.
type listKey struct {
	method string
	modern bool
}

// rendering is a response in two parts, the bytes before and after the id.
type rendering struct{ before, after []byte }

// reply returns the response with the id, in parts. Copying them would cost about
// 40 KB for the list of tools.
func (r rendering) reply(id []byte) [][]byte { return [][]byte{r.before, id, r.after} }

// lists holds the responses of mcp-go to the listed methods, rendered once. mcp-go
// builds, sorts and encodes a list for each request; for the tools, that costs
// thirty times as much as sending it.
type lists map[listKey]rendering

// renderLists renders every list of s in both eras.
func renderLists(s *server.MCPServer) (lists, error) {
	all := lists{}
	for _, method := range listed {
		for _, modern := range []bool{false, true} {
			r, err := renderList(s, method, modern)
			if err != nil {
				return nil, err
			}
			if r.before != nil {
				all[listKey{string(method), modern}] = r
			}
		}
	}
	return all, nil
}

// placeholder is the id in a rendered list, at which the list is split.
const placeholder = `"id":"@@"`

// renderList renders one list of s. The rendering is empty if the era does not have the
// method or the server does not have the list.
func renderList(s *server.MCPServer, method protocol.MCPMethod, modern bool) (rendering, error) {
	request := `{"jsonrpc":"2.0",` + placeholder + `,"method":"` + string(method) + `"`
	if modern {
		request += `,"params":{"_meta":` + modernMeta + `}`
	}
	reply := s.HandleMessage(context.Background(), json.RawMessage(request+"}"))
	if _, known := reply.(protocol.JSONRPCResponse); !known {
		return rendering{}, nil
	}
	b, err := json.Marshal(reply)
	if err != nil {
		return rendering{}, fmt.Errorf("encode the response to %s: %w", method, err)
	}
	before, after, _ := bytes.Cut(append(b, '\n'), []byte(placeholder))
	return rendering{append(before, `"id":`...), after}, nil
}

// meta returns the _meta of every modern result, which identifies the server.
func (l lists) meta() []byte {
	r := l[listKey{string(protocol.MethodServerDiscover), true}]
	for key, result := range schema.Members(bytes.Join(r.reply([]byte("0")), nil)) {
		if string(key) != "result" {
			continue
		}
		for key, meta := range schema.Members(result) {
			if string(key) == "_meta" {
				return meta
			}
		}
	}
	return nil
}
