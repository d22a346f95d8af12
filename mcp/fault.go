package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	protocol "github.com/mark3labs/mcp-go/mcp"

	"leadline/internal/coast"
	"leadline/internal/schema"
)

// fault is a JSON-RPC error.
type fault struct {
	code int
	text string
	data any // details for programs; may be nil
}

func faultf(code int, format string, args ...any) *fault {
	return &fault{code: code, text: fmt.Sprintf(format, args...)}
}

// suggestion returns ": did you mean ...?" if a known name is similar to name.
func suggestion(name string, known []string) string {
	if near := schema.Nearest(name, known); near != "" {
		return fmt.Sprintf(": did you mean %q?", near)
	}
	return ""
}

func unsupported(version string) *fault {
	e := protocol.UnsupportedProtocolVersionError{
		Version: version, Supported: protocol.ValidProtocolVersions,
	}.JSONRPCError().Error
	return &fault{code: e.Code, text: e.Message, data: e.Data}
}

// status returns the HTTP status for the fault of a well-formed message. Before
// 2026-07-28 it is 200 for every fault.
func (f *fault) status(modern bool) int {
	switch {
	case !modern || f.code == protocol.INTERNAL_ERROR:
		return http.StatusOK
	case f.code == protocol.METHOD_NOT_FOUND:
		return http.StatusNotFound
	}
	return http.StatusBadRequest
}

// asError returns the fault in the words of the other front ends.
func (f *fault) asError() *coast.Error {
	if f.code == protocol.INTERNAL_ERROR {
		e, _ := coast.AsError(errors.New(f.text))
		return e
	}
	return coast.Errorf(coast.InvalidRequest, "%s", f.text)
}

// faultOf returns the fault in a response of mcp-go, or nil if it is a result.
func faultOf(response []byte) *fault {
	var m struct {
		Error *struct {
			Code    int
			Message string
		}
	}
	if !bytes.Contains(response, []byte(`"error":{`)) ||
		json.Unmarshal(response, &m) != nil || m.Error == nil {
		return nil
	}
	return &fault{code: m.Error.Code, text: m.Error.Message}
}

// reply returns the fault as the response to the request with the id. id is nil if
// it is not known.
func (f *fault) reply(id []byte) []byte {
	if id == nil {
		id = []byte("null")
	}
	failure, _ := json.Marshal(struct { // only strings and ints: cannot fail
		Code    int    `json:"code"`
		Message string `json:"message"`
		Data    any    `json:"data,omitempty"`
	}{f.code, f.text, f.data})
	b, _ := json.Marshal(struct { // all values are valid JSON: cannot fail
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   json.RawMessage `json:"error"`
	}{"2.0", id, json.RawMessage(coast.Redact(string(failure)))}) // the fault may quote the message
	return append(b, '\n')
}

func writeFault(w http.ResponseWriter, status int, id []byte, f *fault) {
	writeJSON(w, status, f.reply(id))
}

// writeJSON writes a response whose body is the concatenation of the parts.
func writeJSON(w http.ResponseWriter, status int, parts ...[]byte) {
	length := 0
	for _, part := range parts {
		length += len(part)
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(length))
	w.WriteHeader(status)
	for _, part := range parts {
		w.Write(part)
	}
}
