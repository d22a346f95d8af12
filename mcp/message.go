package mcp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"leadline/internal/schema"

	protocol "github.com/mark3labs/mcp-go/mcp"
)

// message is a JSON-RPC message, parsed as far as the guard needs it. The slices
// are parts of the body.
type message struct {
	id     []byte // a string or an integer, as JSON; nil in a notification
	method string // "" in a response
	params []byte // any JSON value, or nil

	// These are members of params, if params is an object.
	name, uri, cursor string
	arguments, meta   []byte

	tools offer // tools that the query of the address selects
	full  bool  // the query asks for structured content as REST returns it

	version      string // the protocol version in _meta
	capabilities []byte // the client capabilities in _meta
}

// operation returns what the message requests, for its owner: "tools/call noaa_search_stations". It
// is "" for a message without a method.
func (m *message) operation() string {
	return strings.TrimSpace(m.method + " " + cmp.Or(m.name, m.uri))
}

// maxDepth limits the nesting of objects and arrays. The arguments of the tools
// have at most four levels; the rest is for _meta.
const maxDepth = 64

// parse parses a message. It compares the names of members exactly and refuses duplicates.
// mcp-go parses the body again with encoding/json, which accepts "Method" for "method" and
// takes the last of two members; mcp-go must see the same values that were checked.
func parse(body []byte) (m message, f *fault) {
	if schema.Depth(body) > maxDepth {
		return m, faultf(protocol.INVALID_REQUEST,
			"the message nests deeper than %d levels", maxDepth)
	}
	if !schema.Valid(body) {
		return m, faultf(protocol.PARSE_ERROR, "the body is not valid JSON")
	}
	body = bytes.TrimSpace(body)
	if body[0] == '[' {
		return m, faultf(protocol.INVALID_REQUEST,
			"batches are not part of the protocol: send one message a request")
	}
	if body[0] != '{' {
		return m, faultf(protocol.INVALID_REQUEST, "the message is not a JSON object")
	}
	return m, m.read(body)
}

// read reads the members of the message and checks the ones that JSON-RPC defines.
func (m *message) read(body []byte) *fault {
	var rpc, method, result, failure []byte
	f := readMembers(body, []member{
		{"jsonrpc", &rpc}, {"id", &m.id}, {"method", &method},
		{"params", &m.params}, {"result", &result}, {"error", &failure},
	})
	if f != nil {
		m.id = nil
		return f
	}
	if m.id != nil && !validID(m.id) {
		m.id = nil
		return faultf(protocol.INVALID_REQUEST,
			`id must be a string or an integer of at most 2^53, as in "id": 1`)
	}
	if string(rpc) != `"2.0"` {
		return faultf(protocol.INVALID_REQUEST, `"jsonrpc": "2.0" is missing`)
	}
	m.method, _ = schema.Text(method)
	if m.method == "" && result == nil && failure == nil {
		return faultf(protocol.INVALID_REQUEST,
			`method is missing or not a string, as in "method": "tools/list"`)
	}
	return m.readParams()
}

// readParams reads the members of params that the guard needs. Values of the wrong
// type stay empty; mcp-go reports them.
func (m *message) readParams() *fault {
	if len(m.params) == 0 || m.params[0] != '{' {
		return nil
	}
	var name, uri, cursor []byte
	f := readMembers(m.params, []member{
		{"name", &name}, {"uri", &uri}, {"cursor", &cursor},
		{"arguments", &m.arguments}, {"_meta", &m.meta},
	})
	if f != nil {
		return f
	}
	m.name, _ = schema.Text(name)
	m.uri, _ = schema.Text(uri)
	m.cursor, _ = schema.Text(cursor)
	if m.meta == nil || string(m.meta) == "null" {
		return nil
	}
	if m.meta[0] != '{' {
		return faultf(protocol.INVALID_PARAMS, "params._meta must be an object")
	}
	for key, value := range schema.Members(m.meta) {
		switch string(key) {
		case protocol.MetaKeyProtocolVersion:
			m.version, _ = schema.Text(value)
		case protocol.MetaKeyClientCapabilities:
			m.capabilities = value
		}
	}
	return nil
}

// member names a member of an object and the variable for its value.
type member struct {
	name  string
	value *[]byte
}

// readMembers sets the variables of members to their values in object. A member
// that occurs twice, or differs from a name only in case, is a fault.
func readMembers(object []byte, members []member) *fault {
	for key, value := range schema.Members(object) {
		i := slices.IndexFunc(members, func(m member) bool { return m.name == string(key) })
		if i < 0 {
			if f := misspelled(key, members); f != nil {
				return f
			}
			continue
		}
		if *members[i].value != nil {
			return faultf(protocol.INVALID_REQUEST, "%q occurs twice", key)
		}
		*members[i].value = value
	}
	return nil
}

// misspelled returns the fault of a key that differs from a name only in case, or nil.
func misspelled(key []byte, members []member) *fault {
	for _, m := range members {
		if strings.EqualFold(string(key), m.name) {
			return faultf(protocol.INVALID_REQUEST, "%q is misspelled %q", m.name, key)
		}
	}
	return nil
}

// validID reports whether id is a string, or an integer that a float64 represents
// exactly.
func validID(id []byte) bool {
	if id[0] == '"' {
		return true
	}
	n, err := strconv.ParseInt(string(id), 10, 64)
	return err == nil && n >= -1<<53 && n <= 1<<53
}

// era reports whether m follows revision 2026-07-28 of the protocol (modern) or an earlier
// one, and whether it obeys the rules of that era (plain). mcp-go responds to messages that
// are not plain and reports their faults. era and mcp-go use the same functions. header is
// nil on stdio.
func (m *message) era(header http.Header) (modern, plain bool) {
	stated := header.Get(protocol.HeaderProtocolVersion)
	modern = protocol.IsModernProtocol(m.version) || protocol.IsModernProtocol(stated)
	if !modern {
		return false, true
	}
	if !protocol.IsValidProtocolVersion(m.version) || !m.capable() {
		return true, false
	}
	if header == nil {
		return true, true
	}
	return true, stated == m.version && m.hasStandardHeaders(header)
}

// hasStandardHeaders reports whether the headers of a modern request name the method and the
// tool, prompt or resource of its body. mcp-go parses params for that, which costs up to a
// tenth of a call; read has already parsed them.
func (m *message) hasStandardHeaders(header http.Header) bool {
	method := protocol.MCPMethod(m.method)
	named := header.Get(protocol.HeaderName)
	switch method {
	case protocol.MethodToolsCall, protocol.MethodPromptsGet:
		if m.name != "" && named == m.name && header.Get(protocol.HeaderMethod) == m.method {
			return true
		}
	}
	return protocol.ValidateStandardHeaders(header.Get, m.version, method, m.params) == nil
}

// capable reports whether the message has client capabilities, which are required
// in every modern request.
func (m *message) capable() bool {
	if string(m.capabilities) == "{}" {
		return true
	}
	var c *protocol.ClientCapabilities
	return len(m.capabilities) > 0 && json.Unmarshal(m.capabilities, &c) == nil && c != nil
}
