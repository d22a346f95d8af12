package mcp

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	protocol "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"leadline/internal/access"
	"leadline/internal/coast"
	"leadline/internal/operation"
)

// maxCharacters limits the structured content of one result. Clients truncate longer results,
// and the model does not notice.
const maxCharacters = 25_000

// outcome is the result of a tool as structured content and as text. Clients give
// the model either or both.
type outcome struct {
	structured []byte
	text       []byte
	image      []byte // PNG; nil unless the call requests a picture
	links      []operation.Link
	failed     bool
}

// perform runs a tool. Errors and panics become outcomes too. Full reports whether the address asks
// for the full result.
func (s *Server) perform(ctx context.Context, name string, args []byte, full bool) (o outcome) {
	start, ended := time.Now(), "ok"
	defer func() { s.observe(name, ended, time.Since(start)) }()
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("tool panicked", "tool", name,
				"request", access.RequestID(ctx), "panic", p, "stack", string(debug.Stack()))
			access.Settle(ctx, http.StatusInternalServerError)
			ended = string(coast.Internal)
			e := coast.Errorf(coast.Internal, "internal error")
			access.Refuse(ctx, callOf(name), e)
			o = failure(e)
		}
	}()
	r, err := s.calls[name](ctx, args)
	if err == nil {
		r.Full, r.Base = r.Full || full, s.base
		o, err = success(r)
	}
	if err == nil {
		return o
	}
	e, known := coast.AsError(err)
	if !known && context.Cause(ctx) != nil { // the caller has left
		ended = "cut"
		return failure(e)
	}
	if !known {
		s.log.Error("tool failed",
			"tool", name, "request", access.RequestID(ctx), "error", err)
	}
	access.Settle(ctx, e.Status())
	e = e.Explain(hintOf)
	access.Refuse(ctx, callOf(name), e)
	ended = string(e.Code)
	return failure(e)
}

// callOf returns the operation of a call of a tool.
func callOf(tool string) string { return string(protocol.MethodToolsCall) + " " + tool }

// success encodes a result of at most maxCharacters in each form.
func success(r operation.Result) (outcome, error) {
	text, structured, err := r.Forms(maxCharacters)
	return outcome{structured: structured, text: text, image: r.Image, links: r.Links()}, err
}

// failure returns e as structured content and as text.
func failure(e *coast.Error) outcome {
	structured, _ := json.Marshal(struct {
		Error *coast.Error `json:"error"`
	}{e}) // only strings and ints: cannot fail
	structured = []byte(coast.Redact(string(structured))) // messages may quote the request
	text := []byte(coast.Redact(e.Message))
	for _, issue := range e.Issues {
		if strings.Contains(e.Message, issue.Message) {
			continue
		}
		text = fmt.Appendf(text, "\n- %s: %s",
			coast.Redact(issue.Path), coast.Redact(issue.Message))
	}
	if e.RetryAfterSeconds > 0 {
		text = fmt.Appendf(text, "\nTry again in %d seconds.", e.RetryAfterSeconds)
	}
	return outcome{structured: structured, text: text, failed: true}
}

// handler returns a tool as a handler for mcp-go.
func (s *Server) handler(name string) server.ToolHandlerFunc {
	return func(ctx context.Context, r protocol.CallToolRequest) (*protocol.CallToolResult, error) {
		o := s.perform(ctx, name, object(r.Params.RawArguments), false)
		return &protocol.CallToolResult{
			Content:              o.content(),
			RawStructuredContent: o.structured,
			IsError:              o.failed,
		}, nil
	}
}

// content returns the text, and after it the picture and the links.
func (o outcome) content() []protocol.Content {
	blocks := []protocol.Content{protocol.NewTextContent(string(o.text))}
	if o.image != nil {
		picture := protocol.NewImageContent(base64.StdEncoding.EncodeToString(o.image), pngType)
		picture.Annotations = &protocol.Annotations{
			Audience: []protocol.Role{protocol.RoleUser, protocol.RoleAssistant},
		}
		blocks = append(blocks, picture)
	}
	for _, l := range o.links {
		blocks = append(blocks, protocol.NewResourceLink(l.URI, l.Title, "", l.Type))
	}
	return blocks
}

const pngType = "image/png"

// object returns args, or an empty object if a call has no arguments.
func object(args []byte) []byte {
	if len(args) == 0 || string(args) == "null" {
		return []byte("{}")
	}
	return args
}

// reply returns o as the response to the call with the id. The bytes equal those of mcp-go,
// which copies them four times. meta is nil for a legacy client.
func (o outcome) reply(id, meta []byte) []byte {
	out := make([]byte, 0,
		len(id)+len(meta)+len(o.text)*9/8+len(o.structured)+len(o.image)*4/3+320)
	out = append(out, `{"jsonrpc":"2.0","id":`...)
	out = append(out, id...)
	out = append(out, `,"result":{`...)
	if meta != nil {
		out = append(out, `"_meta":`...)
		out = append(out, meta...)
		out = append(out, ',')
	}
	out = append(out, `"content":[{"type":"text","text":`...)
	out = coast.AppendJSON(out, o.text)
	if o.image != nil {
		out = append(out, `},{"annotations":{"audience":["user","assistant"]},"type":"image","data":"`...)
		out = base64.StdEncoding.AppendEncode(out, o.image)
		out = append(out, `","mimeType":"`+pngType+`"`...)
	}
	out = append(out, '}')
	for _, l := range o.links {
		block, _ := json.Marshal(protocol.NewResourceLink(l.URI, l.Title, "", l.Type)) // strings
		out = append(append(out, ','), block...)
	}
	out = append(out, `],`...)
	if o.failed {
		out = append(out, `"isError":true,`...)
	}
	if meta != nil {
		out = append(out, `"resultType":"complete",`...)
	}
	out = append(out, `"structuredContent":`...)
	out = append(out, o.structured...)
	return append(out, "}}\n"...)
}
