package mcp

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"leadline/internal/schema"

	protocol "github.com/mark3labs/mcp-go/mcp"
)

// message is what the door must know of a JSON-RPC message before it answers
// or hands it on. The slices are parts of the body that it was parsed from.
type message struct {
	id     []byte // as it was sent: a string or an integer; nil in a notification
	method string // "" in a response
	params []byte // nil or any JSON value

	// Members of params, where params is an object.
	name, uri, cursor string
	arguments, meta   []byte

	version      string // the protocol version that _meta states
	capabilities []byte // the client capabilities that _meta states
}

// deepest is how far objects and arrays may nest. The deepest arguments of
// the catalogue have four levels; the rest is room for _meta.
const deepest = 64

// parse reads a message. Names of members are compared letter by letter and
// may stand once: encoding/json, with which mcp-go reads the body again,
// takes "Method" for "method" and the last of two, and what the door checked
// must be what mcp-go obeys.
func parse(body []byte) (m message, f *fault) {
	if schema.Depth(body) > deepest {
		return m, faultf(protocol.INVALID_REQUEST, "the message nests deeper than %d levels", deepest)
	}
	if !json.Valid(body) {
		return m, faultf(protocol.PARSE_ERROR, "the body is not valid JSON")
	}
	body = bytes.TrimSpace(body)
	if body[0] == '[' {
		return m, faultf(protocol.INVALID_REQUEST, "batches are not part of the protocol: send one message a request")
	}
	if body[0] != '{' {
		return m, faultf(protocol.INVALID_REQUEST, "the message is not a JSON object")
	}
	return m, m.read(body)
}

// read takes the members of the message and checks its frame.
func (m *message) read(body []byte) *fault {
	var rpc, method, result, failure []byte
	f := once(body, []place{{"jsonrpc", &rpc}, {"id", &m.id}, {"method", &method}, {"params", &m.params}, {"result", &result}, {"error", &failure}})
	if f != nil {
		m.id = nil
		return f
	}
	if m.id != nil && !validID(m.id) {
		m.id = nil
		return faultf(protocol.INVALID_REQUEST, "id must be a string or an integer of at most 2^53, as in \"id\": 1")
	}
	if string(rpc) != `"2.0"` {
		return faultf(protocol.INVALID_REQUEST, `"jsonrpc": "2.0" is missing`)
	}
	m.method, _ = schema.Text(method)
	if m.method == "" && result == nil && failure == nil {
		return faultf(protocol.INVALID_REQUEST, `method is missing or not a string, as in "method": "tools/list"`)
	}
	return m.readParams()
}

// readParams takes the members of params that the door looks at. What has
// the wrong type stays empty, and mcp-go says so.
func (m *message) readParams() *fault {
	if len(m.params) == 0 || m.params[0] != '{' {
		return nil
	}
	var name, uri, cursor []byte
	f := once(m.params, []place{{"name", &name}, {"uri", &uri}, {"cursor", &cursor}, {"arguments", &m.arguments}, {"_meta", &m.meta}})
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

// place is where the value of a member goes.
type place struct {
	name  string
	value *[]byte
}

// once puts the members of object into their places. A member that stands
// twice, or differs from a name in its case alone, is a fault.
func once(object []byte, places []place) *fault {
	for key, value := range schema.Members(object) {
		for _, p := range places {
			switch {
			case string(key) == p.name && *p.value == nil:
				*p.value = value
			case string(key) == p.name:
				return faultf(protocol.INVALID_REQUEST, "%q stands twice", key)
			case strings.EqualFold(string(key), p.name):
				return faultf(protocol.INVALID_REQUEST, "%q is spelt %q", p.name, key)
			}
		}
	}
	return nil
}

// validID reports whether id is a string, or an integer that survives the
// trip through a double.
func validID(id []byte) bool {
	if id[0] == '"' {
		return true
	}
	n, err := strconv.ParseInt(string(id), 10, 64)
	return err == nil && n >= -1<<53 && n <= 1<<53
}

// era says whether m is under the rules of 2026-07-28 (modern) or of the
// revisions before it, and whether it keeps those rules (plain). What is not
// plain is left to mcp-go, which says what is wrong with it: both judge by
// the same functions. header is nil where there is none (stdio).
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
	err := protocol.ValidateStandardHeaders(header.Get, m.version, protocol.MCPMethod(m.method), m.params)
	return true, stated == m.version && err == nil
}

// capable reports whether the message states its client's capabilities, as
// every modern request must.
func (m *message) capable() bool {
	if string(m.capabilities) == "{}" {
		return true
	}
	var c *protocol.ClientCapabilities
	return len(m.capabilities) > 0 && json.Unmarshal(m.capabilities, &c) == nil && c != nil
}
