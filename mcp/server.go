// Package mcp is the door for AI clients: the tools, the reference topics and
// the prompts over the Model Context Protocol, as streamable HTTP and over
// standard input and output.
//
// A request passes a guard (Host, Origin, CORS, caller, size, shape), which answers
// by itself what is the same for everybody, the lists, from bytes rendered
// once, and what a client would otherwise get a poor answer to: an unknown
// tool, topic or prompt, a missing argument. Calls of tools it runs directly.
// Everything else is mcp-go's: the handshake, the two eras of the protocol
// (up to 2025-11-25 with initialize, from 2026-07-28 without) and their rules
// for headers and _meta.
//
// The door keeps nothing between two requests: no sessions, no streams, no
// notifications. That is why a client's notice of cancellation is dropped on
// HTTP: mcp-go would know the cancelled call by its id alone, and all clients
// count from 1. A client cancels by closing the connection.
//
// The door has two places: one for anybody, one for those who sign in. They
// differ in what they ask of a caller alone, and answer with the same bytes.
// Where clients sign in is configured, and never taken from a request, which
// can lie about the host that it was sent to.
//
// Who calls and what is left is asked of the gate, in its two steps: Admit
// before a message is read, Spend for what is worth a unit of the month. The
// arguments of tools are the tools' own to check.
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
	"leadline/internal/schema"
	"leadline/prompts"
	"leadline/resources"
	"leadline/tools"
)

// Config is what a Server is made of. All of it is required but AllowHosts
// and AllowOrigins, and BaseURL and Gate where only ServeStdio is used.
type Config struct {
	Version string // of the binary, told to clients
	BaseURL string // what clients see, without a path

	AllowHosts   []string // Host values to accept beside BaseURL's
	AllowOrigins []string // origins to accept beside BaseURL's, loopback's and the known web clients'

	Tools   []tools.Tool
	Topics  *resources.Library
	Prompts []prompts.Prompt

	// Complete returns ids of stations that unfinished text can mean, by id or name.
	Complete func(ctx context.Context, prefix string) []string
	// Card returns the JSON of a station's card, or a coast.Error.
	Card func(ctx context.Context, id string) ([]byte, error)

	Gate *access.Gate // through whose Wear requests come; nil: nothing is counted
	Log  *slog.Logger

	// Observe is told of each call of a tool: ok, or the code of its error.
	// nil tells nobody.
	Observe func(tool, outcome string, took time.Duration)
}

// Server answers MCP requests, at whichever path it is mounted.
type Server struct {
	guard    *guard
	calls    map[string]func(ctx context.Context, args []byte) (tools.Result, error)
	prompts  map[string]prompts.Prompt
	pages    map[string]resources.Topic // by URI
	complete func(ctx context.Context, prefix string) []string
	card     func(ctx context.Context, id string) ([]byte, error)
	log      *slog.Logger
	observe  func(tool, outcome string, took time.Duration)
}

// New builds the server and renders its lists.
func New(c Config) (*Server, error) {
	s := &Server{
		calls:    map[string]func(context.Context, []byte) (tools.Result, error){},
		prompts:  map[string]prompts.Prompt{},
		pages:    map[string]resources.Topic{},
		complete: c.Complete, card: c.Card, log: c.Log, observe: c.Observe,
	}
	if s.observe == nil {
		s.observe = func(string, string, time.Duration) {}
	}
	m := server.NewMCPServer("leadline", c.Version,
		server.WithTitle("Leadline"),
		server.WithWebsiteURL(c.BaseURL),
		server.WithInstructions(instructions),
		server.WithToolCapabilities(false), // the lists never change; AddTool alone would say that they do
		server.WithResourceCapabilities(false, false),
		server.WithPromptCapabilities(false),
		server.WithCompletions(),
		server.WithPromptCompletionProvider(promptCompletions{s}),
		server.WithResourceCompletionProvider(resourceCompletions{s}),
		server.WithCacheHints(hour, protocol.CacheScopePublic),
	)
	s.addTools(m, c.Tools)
	s.addResources(m, c.Topics)
	s.addPrompts(m, c.Prompts)
	var err error
	s.guard, err = newGuard(c, m)
	if err != nil {
		return nil, err
	}
	s.guard.first = s.first
	return s, nil
}

// instructions are for the model, before it has seen a tool.
const instructions = "Tides, tidal currents, sun and moon for the coasts of the United States and its territories. " +
	"Find a station first (noaa_search_stations, noaa_find_nearest_stations). Predictions are astronomical and hold no weather; " +
	"observations do: report the two apart, with datum, unit, time zone and source. Not for navigation."

// hour, in milliseconds, is how long a client may keep a list or a resource:
// they change with the binary only.
const hour = 3_600_000

// ServeHTTP answers one request, of anybody or with an API key.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.guard.ServeHTTP(w, r) }

// SignedIn returns a second door to the same server, for callers with an
// access token or an API key. Whoever has none is told where to sign in:
// metadata is the URL of the protected resource's metadata (RFC 9728), "" where
// nobody can.
func (s *Server) SignedIn(metadata string) http.Handler { return s.guard.signedIn(metadata) }

// first answers a well-formed request over HTTP: with what is wrong with it,
// or, to a call of a tool, with the tool's result. mcp-go parses and encodes a call several times:
// the call of BenchmarkCallHTTP takes 178 µs of CPU here and 343 µs there.
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
	return [][]byte{s.perform(ctx, m.name, object(m.arguments)).reply(m.id, meta)}, nil
}

func (s *Server) addTools(m *server.MCPServer, all []tools.Tool) {
	for _, t := range all {
		tool := protocol.NewToolWithRawSchema(t.Name, t.About, t.Input)
		tool.Title = t.Title
		tool.RawOutputSchema = orError(t.Output)
		yes, no, live := true, false, t.Live
		tool.Annotations = protocol.ToolAnnotation{
			ReadOnlyHint: &yes, DestructiveHint: &no, IdempotentHint: &yes, OpenWorldHint: &live,
		}
		s.calls[t.Name] = t.Call
		m.AddTool(tool, s.handler(t.Name))
	}
}

// orError is the schema of a result, or of {"error": ...} in its place.
// Clients hold the structured content of a failed call against the schema
// too (@modelcontextprotocol/sdk throws away the whole answer).
func orError(result json.RawMessage) json.RawMessage {
	out := []byte{'{'}
	for key, value := range schema.Members(result) {
		if string(key) == "required" {
			out = append(out, `"anyOf":[{"required":`...)
			out = append(out, value...)
			out = append(out, `},{"required":["error"]}],`...)
			continue
		}
		out = append(append(append(append(append(out, '"'), key...), `":`...), value...), ',')
	}
	out[len(out)-1] = '}'
	return out
}
