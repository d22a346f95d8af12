// Package mcp implements the MCP endpoint for AI clients. It offers the tools, the
// reference topics and the prompts over the Model Context Protocol, as streamable
// HTTP and over standard input and output.
//
// Every request passes a guard, which checks Host, Origin, CORS, the caller, the
// size and the format of the message. The guard itself responds to the list
// methods, from bytes rendered once, and to calls of tools. It also returns the
// errors for unknown tools, topics and prompts and for missing arguments, because
// those of mcp-go are less useful. mcp-go handles everything else: the handshake,
// the two eras of the protocol (up to 2025-11-25 with initialize, from 2026-07-28
// without) and their rules for headers and _meta.
//
// The HTTP endpoint is stateless: no sessions, no streams, no notifications. It
// ignores notifications/cancelled, because mcp-go identifies the cancelled call by
// its id alone, and all clients count from 1. A client cancels a call by closing
// the connection.
//
// Server serves two endpoints: one for anonymous callers, one that requires a
// credential. They differ in that only and return the same bytes. The address
// where clients sign in comes from the configuration, never from a request, whose
// Host header can be forged.
//
// Gate.Admit checks credential and rate limit before the message is read;
// Gate.Spend takes a unit of the monthly quota for calls, resources and prompts.
// The tools validate their own arguments.
package mcp

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"time"

	protocol "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"leadline/internal/access"
	"leadline/internal/operation"
	"leadline/prompts"
	"leadline/resources"
	"leadline/tools"
)

// Config holds the settings and the dependencies of a Server. AllowHosts, AllowOrigins and
// Observe are optional, as are BaseURL and Gate if only ServeStdio is used.
type Config struct {
	Version string // version of the binary, sent to clients
	BaseURL string // public URL without a path

	AllowHosts []string // additional Host values to accept
	// AllowOrigins lists origins to accept in addition to the one of BaseURL,
	// loopback origins and known web clients.
	AllowOrigins []string

	// Toolsets lists the tool sets from which the query of an address chooses. Offer names
	// the sets for an address without a query. If Offer is empty, the first set is used.
	Toolsets []tools.Toolset
	Offer    []string

	Topics  *resources.Library
	Prompts []prompts.Prompt

	// AppDomain is the host of the sandbox in which a client shows the App, in the form that
	// the client asks for. It may be empty.
	AppDomain string

	// Complete returns the ids of stations whose id or name matches a prefix.
	Complete func(ctx context.Context, prefix string) []string
	// CompletePlace returns the names of places that begin with a prefix.
	CompletePlace func(ctx context.Context, prefix string) []string
	// Card returns the card of a station as JSON, or a coast.Error.
	Card func(ctx context.Context, id string) ([]byte, error)

	// Gate checks and counts requests, which must come through its middleware. If it
	// is nil, all callers are admitted and nothing is counted.
	Gate *access.Gate
	Log  *slog.Logger

	// Observe records each call of a tool with its outcome: "ok", or the code of
	// its error. It may be nil.
	Observe func(tool, outcome string, took time.Duration)
}

// Server serves MCP requests, independent of the path where it is mounted.
type Server struct {
	guard    *guard
	calls    map[string]func(ctx context.Context, args []byte) (operation.Result, error)
	prompts  map[string]prompts.Prompt
	pages    map[string]resources.Topic // by URI
	complete func(ctx context.Context, prefix string) []string
	places   func(ctx context.Context, prefix string) []string
	card     func(ctx context.Context, id string) ([]byte, error)
	base     string // address of this server for links; "" for none
	log      *slog.Logger
	observe  func(tool, outcome string, took time.Duration)
}

// New builds the server and renders its lists.
func New(c Config) (*Server, error) {
	s := &Server{
		calls:    map[string]func(context.Context, []byte) (operation.Result, error){},
		prompts:  map[string]prompts.Prompt{},
		pages:    map[string]resources.Topic{},
		complete: c.Complete, places: c.CompletePlace, card: c.Card, log: c.Log, observe: c.Observe,
		base: c.BaseURL,
	}
	if s.observe == nil {
		s.observe = func(string, string, time.Duration) {}
	}
	m := server.NewMCPServer("leadline", c.Version,
		server.WithTitle("Leadline"),
		server.WithIcons(icon),
		server.WithWebsiteURL(c.BaseURL),
		server.WithInstructions(instructions),
		server.WithToolCapabilities(false), // without this, AddTool announces that lists change
		server.WithResourceCapabilities(false, false),
		server.WithPromptCapabilities(false),
		server.WithCompletions(),
		server.WithPromptCompletionProvider(promptCompletions{s}),
		server.WithResourceCompletionProvider(resourceCompletions{s}),
		server.WithCacheHints(hour, protocol.CacheScopePublic),
		appOption(),
	)
	offer, err := newChoice(c.Toolsets, c.Offer)
	if err != nil {
		return nil, err
	}
	for _, set := range c.Toolsets {
		s.addTools(m, set.Tools)
	}
	s.addResources(m, c.Topics)
	addApp(m, c.AppDomain)
	s.addPrompts(m, c.Prompts)
	if s.guard, err = newGuard(c, m); err != nil {
		return nil, err
	}
	if s.guard.tools, err = newToolLists(m, offer); err != nil {
		return nil, err
	}
	s.guard.offer, s.guard.first = offer, s.first
	return s, nil
}

// hour is the time for which a client may cache a list or a resource, in
// milliseconds. They change with the binary only.
const hour = 3_600_000

// ServeHTTP serves a request without a credential or with an API key.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.guard.ServeHTTP(w, r) }

// SignedIn returns a second endpoint of the same server, which requires an access
// token or an API key. Responses to other callers contain metadata, the URL of the
// protected resource metadata (RFC 9728). It is "" if there is no sign-in.
func (s *Server) SignedIn(metadata string) http.Handler { return s.guard.signedIn(metadata) }

// first returns the response to a call of a tool, or the fault of a well-formed request, or
// nil for both if mcp-go must respond. Tools are called here because mcp-go parses and
// encodes a call several times: the call of BenchmarkCallHTTP takes 178 µs of CPU here and
// 343 µs in mcp-go.
func (s *Server) first(ctx context.Context, m *message, modern bool) (parts [][]byte, f *fault) {
	if f := s.refuse(ctx, m, modern); f != nil {
		return nil, f
	}
	if m.method != string(protocol.MethodToolsCall) {
		return nil, nil
	}
	var meta []byte
	if modern {
		meta = s.guard.meta
	}
	if !m.full { // a full result is that of REST
		ctx = operation.WithOffer(ctx, func(tool string) bool { return s.guard.offer.has(m.tools, tool) })
	}
	return [][]byte{s.perform(ctx, m.name, object(m.arguments), m.full).reply(m.id, meta)}, nil
}

func (s *Server) addTools(m *server.MCPServer, all []operation.Tool) {
	for _, t := range all {
		tool := protocol.NewToolWithRawSchema(t.Name, t.About, t.Input)
		tool.Title = t.Title
		tool.RawOutputSchema = anyObject
		// Some clients ask a person before they use results of an open world: numbers do not need that.
		yes, no, quotes := true, false, t.Quotes
		tool.Annotations = protocol.ToolAnnotation{
			ReadOnlyHint: &yes, DestructiveHint: &no, IdempotentHint: &yes, OpenWorldHint: &quotes,
		}
		meta := appMeta(t)
		if alwaysLoaded[t.Name] {
			tool.Icons = []protocol.Icon{icon}
			meta["anthropic/alwaysLoad"] = true
		}
		if len(meta) > 0 {
			tool.Meta = &protocol.Meta{AdditionalFields: meta}
		}
		s.calls[t.Name] = t.Call
		m.AddTool(tool, s.handler(t.Name))
	}
}

// anyObject accepts every result and every error. Clients validate the structured content of
// failed calls, too, and some lose all tools of a server if a schema has anyOf. OpenAPI documents
// describe results in full.
var anyObject = json.RawMessage(`{"type":"object"}`)
