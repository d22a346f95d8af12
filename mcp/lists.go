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

// listed are the methods whose answers are the same for everybody.
var listed = []protocol.MCPMethod{
	protocol.MethodToolsList, protocol.MethodPromptsList, protocol.MethodResourcesList,
	protocol.MethodResourcesTemplatesList, protocol.MethodServerDiscover,
}

// modernMeta is the _meta of a modern request that wants nothing.
const modernMeta = `{"` + protocol.MetaKeyProtocolVersion + `":"` + protocol.ProtocolVersion20260728 + `","` +
	protocol.MetaKeyClientCapabilities + `":{}}`

// question is one of the listed methods in one era.
type question struct {
	method string
	modern bool
}

// rendering is an answer in two parts, between which the id goes.
type rendering struct{ before, after []byte }

// answer is the rendering with the id put in, in parts: the tools alone fill
// a page of memory ten times.
func (r rendering) answer(id []byte) [][]byte { return [][]byte{r.before, id, r.after} }

// lists are mcp-go's own answers to the listed methods, rendered once. mcp-go
// builds, sorts and encodes a list anew each time; for the tools that is
// thirty times the cost of sending it.
type lists map[question]rendering

// renderLists asks s for every list in both eras.
func renderLists(s *server.MCPServer) (lists, error) {
	all := lists{}
	for _, method := range listed {
		for _, modern := range []bool{false, true} {
			r, err := render(s, method, modern)
			if err != nil {
				return nil, err
			}
			if r.before != nil {
				all[question{string(method), modern}] = r
			}
		}
	}
	return all, nil
}

// placeholder stands for the id while a list is rendered.
const placeholder = `"id":"@@"`

// render asks s for one list. The rendering is empty where the era does not
// know the method, or the server has no such list.
func render(s *server.MCPServer, method protocol.MCPMethod, modern bool) (rendering, error) {
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
		return rendering{}, fmt.Errorf("rendering %s: %w", method, err)
	}
	before, after, _ := bytes.Cut(append(b, '\n'), []byte(placeholder))
	return rendering{append(before, `"id":`...), after}, nil
}

// meta is the _meta that every modern result carries: who answers.
func (l lists) meta() []byte {
	r := l[question{string(protocol.MethodServerDiscover), true}]
	for key, result := range schema.Members(bytes.Join(r.answer([]byte("0")), nil)) {
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
