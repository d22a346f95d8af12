package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"net/url"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	protocol "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"leadline/internal/access"
	"leadline/internal/access/credential"
	"leadline/internal/coast"
	"leadline/internal/edge"
)

// maxMessage limits the length of a message. Messages of common clients have a few
// hundred bytes.
const maxMessage = 64 << 10 // bytes

// webClients lists the origins of clients that run in a browser and call MCP
// servers directly.
var webClients = []string{
	"https://claude.ai",
	"https://claude.com",
	"https://chatgpt.com",
	"https://vscode.dev",
}

// guard checks requests and passes valid ones to an mcp-go server.
type guard struct {
	base    *url.URL
	hosts   []string
	origins []string
	gate    *access.Gate // nil: all callers are admitted
	need    access.Need
	log     *slog.Logger

	mcp   *server.MCPServer
	http  *server.StreamableHTTPServer
	lists lists
	offer choice     // which tools the query of an address selects
	tools *toolLists // nil: lists has the only list
	meta  []byte     // _meta of every modern result

	// first may respond to a well-formed request. If it returns nil for both,
	// mcp-go responds.
	first func(ctx context.Context, m *message, modern bool) (parts [][]byte, f *fault)
}

// Guard returns a handler that checks requests before s serves them. It reads the fields
// BaseURL, AllowHosts, AllowOrigins, Gate and Log of c.
func Guard(c Config, s *server.MCPServer) (http.Handler, error) {
	g, err := newGuard(c, s)
	if err != nil {
		return nil, err
	}
	g.first = func(context.Context, *message, bool) ([][]byte, *fault) { return nil, nil }
	return g, nil
}

func newGuard(c Config, s *server.MCPServer) (*guard, error) {
	base, err := url.Parse(c.BaseURL)
	if err != nil || base.Host == "" && c.BaseURL != "" {
		return nil, fmt.Errorf("base URL %q: not an absolute URL", c.BaseURL)
	}
	if err := checkHosts(c.AllowHosts); err != nil {
		return nil, err
	}
	all, err := renderLists(s)
	if err != nil {
		return nil, err
	}
	return &guard{
		base:    base,
		hosts:   c.AllowHosts,
		origins: append(slices.Clone(webClients), c.AllowOrigins...),
		gate:    c.Gate,
		need:    anyCaller,
		log:     c.Log,
		mcp:     s,
		lists:   all,
		meta:    all.meta(),
		http: server.NewStreamableHTTPServer(s,
			// With sessions, each initialize would allocate 10 KB that are never freed.
			server.WithStateLess(true),
			server.WithDisableStreaming(true),
			// knowsHost checks the host instead, including the configured hosts.
			server.WithDisableLocalhostProtection(true)),
	}, nil
}

// hostPattern matches a host with an optional port, as in a Host header: RFC 9110,
// section 7.2. Host names are ASCII letters, digits, dots, hyphens and, in
// practice, underscores.
var hostPattern = coast.Pattern(`^([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]+)?$`)

// checkHosts refuses values that cannot occur in a Host header.
func checkHosts(hosts []string) error {
	for _, h := range hosts {
		if !hostPattern().MatchString(h) {
			return fmt.Errorf("invalid --allow-hosts %q: "+
				"must be a host such as tides.example.org, without scheme and path", h)
		}
	}
	return nil
}

// ServeHTTP checks a request and serves its message.
func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !g.checkOrigin(w, r) || !g.admit(w, r) {
		return
	}
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", "POST, OPTIONS")
		refuseRequest(w, r, coast.Errorf(coast.MethodNotAllowed,
			"%s is not allowed here: an MCP message is a POST with a JSON body", r.Method))
		return
	}
	body, err := bodyOf(w, r)
	if err != nil {
		refuseRequest(w, r, err)
		return
	}
	m, f := parse(body)
	if f == nil {
		if m.tools, m.full, err = g.offer.read(r.URL.RawQuery); err != nil {
			f = faultf(protocol.INVALID_REQUEST, "%s", err)
		}
	}
	if f != nil {
		refuseMessage(w, r, http.StatusBadRequest, &m, f)
		return
	}
	defer g.recoverPanic(w, r, &m)
	g.serve(w, r, &m, body)
}

// refuseRequest writes the error of a request whose message was not read, and records it for the
// owner of the caller's account.
func refuseRequest(w http.ResponseWriter, r *http.Request, err error) {
	access.Refuse(r.Context(), "", err)
	coast.WriteError(w, err)
}

// refuseMessage writes the fault of a message, and records it for the owner of the caller's
// account.
func refuseMessage(w http.ResponseWriter, r *http.Request, status int, m *message, f *fault) {
	access.Refuse(r.Context(), m.operation(), f.asError())
	writeFault(w, status, m.id, f)
}

// anyCaller is the need of the anonymous endpoint: no credential, or a key with
// the scope mcp:use.
var anyCaller = access.Need{By: access.Nobody | access.Key, Scopes: []string{credential.MCPUse}}

// signedIn returns a copy of g that requires a key or an access token. metadata is
// the URL where clients find out how to get a token.
func (g *guard) signedIn(metadata string) *guard {
	other := *g
	other.need = access.Need{
		By:       access.Key | access.SignedIn,
		Scopes:   []string{credential.MCPUse},
		Metadata: metadata,
	}
	return &other
}

// admit checks the caller with the gate and reports whether to continue.
func (g *guard) admit(w http.ResponseWriter, r *http.Request) bool {
	if g.gate == nil {
		return true
	}
	if err := g.gate.Admit(r, g.need); err != nil {
		g.refuse(w, r, &message{}, err)
		return false
	}
	return true
}

// spend takes a unit of the caller's monthly quota if the method costs a unit. It reports
// whether to continue. The App costs none: it is part of the program, and clients fetch it
// before they need it.
func (g *guard) spend(w http.ResponseWriter, r *http.Request, m *message) bool {
	if m.uri == appURI && m.method == string(protocol.MethodResourcesRead) {
		return true
	}
	switch protocol.MCPMethod(m.method) {
	case protocol.MethodToolsCall, protocol.MethodResourcesRead, protocol.MethodPromptsGet:
		if g.gate == nil {
			return true
		}
		if err := g.gate.Spend(r.Context()); err != nil {
			g.refuse(w, r, m, err)
			return false
		}
	}
	return true
}

// refuse writes an error of the gate: its HTTP status, its headers and a JSON-RPC error. It records
// the error for the owner of the caller's account.
func (g *guard) refuse(w http.ResponseWriter, r *http.Request, m *message, err error) {
	e, known := coast.AsError(err)
	if !known {
		g.log.Error("gate", "request", access.RequestID(r.Context()), "error", err)
	}
	e.SetHeaders(w.Header())
	access.Refuse(r.Context(), m.operation(), e)
	writeFault(w, e.Status(), m.id, &fault{code: refused, text: e.Message, data: struct {
		Code              coast.Code `json:"code"`
		RetryAfterSeconds int        `json:"retryAfterSeconds,omitempty"`
	}{e.Code, e.RetryAfterSeconds}})
}

// refused is the JSON-RPC code of requests that the gate refuses, from the range
// for server errors.
const refused = -32000

// These are the values of headers that every response has. They never change.
var (
	varied     = []string{"Authorization, X-Api-Key, Origin"}
	noStore    = []string{"no-store"}
	unbuffered = []string{"no"}
)

// checkOrigin checks Host and Origin, sets the headers of every response and
// responds to preflight requests. It reports whether to continue.
func (g *guard) checkOrigin(w http.ResponseWriter, r *http.Request) bool {
	h := w.Header()
	h["Vary"], h["Cache-Control"], h["X-Accel-Buffering"] = varied, noStore, unbuffered
	if !g.knowsHost(r) {
		writeFault(w, http.StatusForbidden, nil, faultf(protocol.INVALID_REQUEST,
			"host %q is not served here; --allow-hosts adds one", r.Host))
		return false
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		if !g.knowsOrigin(origin) {
			writeFault(w, http.StatusForbidden, nil, faultf(protocol.INVALID_REQUEST,
				"origin %q is not allowed here; --allow-origins adds one", origin))
			return false
		}
		h.Set("Access-Control-Allow-Origin", origin)
		h.Set("Access-Control-Expose-Headers", edge.Exposed)
	}
	if r.Method != http.MethodOptions {
		return true
	}
	h.Set("Allow", "POST, OPTIONS")
	h.Set("Access-Control-Allow-Methods", "POST, OPTIONS")
	h.Set("Access-Control-Allow-Headers", "Authorization, X-Api-Key, Content-Type, Accept, "+
		"Mcp-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID, Traceparent")
	h.Set("Access-Control-Max-Age", "7200")
	w.WriteHeader(http.StatusNoContent)
	return false
}

// knowsHost reports whether the Host header names this server. It prevents DNS
// rebinding, where a page resolves its own name to this address. Ports are
// ignored.
func (g *guard) knowsHost(r *http.Request) bool {
	name := hostname(r.Host)
	if name != "" && strings.EqualFold(name, g.base.Hostname()) {
		return true
	}
	if edge.Loopback(name) && (edge.Loopback(g.base.Hostname()) || reachedByLoopback(r)) {
		return true
	}
	return slices.ContainsFunc(g.hosts, func(h string) bool {
		return strings.EqualFold(hostname(h), name)
	})
}

// knowsOrigin reports whether pages of the origin may send requests.
func (g *guard) knowsOrigin(origin string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" {
		return false
	}
	if u.Scheme == g.base.Scheme && strings.EqualFold(u.Host, g.base.Host) ||
		edge.Loopback(u.Hostname()) {
		return true
	}
	return slices.ContainsFunc(g.origins, func(o string) bool {
		return strings.EqualFold(o, origin)
	})
}

// hostname returns host without port and brackets.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.Trim(host, "[]")
}

// reachedByLoopback reports whether the connection came in on a loopback
// address.
func reachedByLoopback(r *http.Request) bool {
	a, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return ok && a.IP.IsLoopback()
}

// bodyOf returns the body of a request. It must be JSON, uncompressed and at most
// maxMessage bytes long. Memory is allocated for bytes that have arrived, not by
// Content-Length.
func bodyOf(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if kind := r.Header.Get("Content-Type"); kind != "application/json" {
		if kind, _, err := mime.ParseMediaType(kind); err != nil || kind != "application/json" {
			return nil, coast.Errorf(coast.UnsupportedMediaType,
				"the body must be JSON: send Content-Type: application/json")
		}
	}
	coding := r.Header.Get("Content-Encoding")
	if coding != "" && !strings.EqualFold(coding, "identity") {
		w.Header().Set("Accept-Encoding", "identity") // RFC 9110, section 12.5.3
		return nil, coast.Errorf(coast.UnsupportedMediaType,
			"Content-Encoding %q is not supported: send the body uncompressed", coast.Clip(coding))
	}
	if r.ContentLength > maxMessage {
		return nil, tooLong()
	}
	var b bytes.Buffer
	_, err := b.ReadFrom(http.MaxBytesReader(w, r.Body, maxMessage))
	var long *http.MaxBytesError
	if errors.As(err, &long) {
		return nil, tooLong()
	}
	if e, known := coast.AsError(err); err != nil && known { // the server is overloaded
		return nil, e
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, coast.Errorf(coast.InvalidRequest,
			"the body did not arrive within 15 seconds: send it faster, or a shorter one")
	}
	if err != nil {
		return nil, coast.Errorf(coast.InvalidRequest, "the body ended early")
	}
	return b.Bytes(), nil
}

func tooLong() error {
	return coast.Errorf(coast.PayloadTooLarge, "the body is longer than %d bytes", maxMessage)
}

// serve responds to a message or passes it to mcp-go. Notifications and responses
// are accepted and ignored.
func (g *guard) serve(w http.ResponseWriter, r *http.Request, m *message, body []byte) {
	modern, plain := m.era(r.Header)
	if m.method == "" && modern {
		refuseMessage(w, r, http.StatusBadRequest, m, faultf(protocol.INVALID_REQUEST,
			"this server sends no requests to clients and accepts no responses"))
		return
	}
	if m.id == nil || m.method == "" {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	stated := r.Header.Get(protocol.HeaderProtocolVersion)
	if !modern && stated != "" && m.method != string(protocol.MethodInitialize) &&
		!protocol.IsValidProtocolVersion(stated) {
		refuseMessage(w, r, http.StatusBadRequest, m, unsupported(stated))
		return
	}
	if !g.spend(w, r, m) || plain && g.servePlain(w, r, m, modern) {
		return
	}
	header := r.Header.Clone()
	header.Del(server.HeaderKeySessionID) // a session id would create state for a client
	header.Del(protocol.HeaderLastEventID)
	g.http.Handle(unstreamed{w, r, m}, &server.HTTPRequest{
		Method: r.Method, URL: r.URL, Header: header, Body: body, Context: r.Context(),
	})
}

// servePlain responds to a request that follows the rules of its era and does not need
// mcp-go. It reports whether it has responded.
func (g *guard) servePlain(
	w http.ResponseWriter, r *http.Request, m *message, modern bool,
) bool {
	if modern && m.method == string(protocol.MethodSubscriptionsListen) {
		g.listen(w, m)
		return true
	}
	parts, f := g.list(r.Context(), m, modern)
	if parts == nil && f == nil {
		parts, f = g.first(r.Context(), m, modern)
	}
	switch {
	case f != nil:
		access.Settle(r.Context(), http.StatusBadRequest)
		refuseMessage(w, r, f.status(modern), m, f)
	case parts != nil:
		writeJSON(w, http.StatusOK, parts...)
	}
	return f != nil || parts != nil
}

// list returns the response to a list method, or the fault of the request, or nil for both if
// the method is not a list method. Lists have only one page, so any cursor is a fault.
func (g *guard) list(
	ctx context.Context, m *message, modern bool,
) (parts [][]byte, f *fault) {
	r, known := g.lists[listKey{m.method, modern}]
	if !known {
		return nil, nil
	}
	if m.cursor != "" {
		return nil, faultf(protocol.INVALID_PARAMS,
			"unknown cursor %q: the list has one page, leave the cursor out", coast.Clip(m.cursor))
	}
	if g.tools != nil && m.method == string(protocol.MethodToolsList) {
		r = g.tools.of(g.offer.listed(ctx, m.tools), modern)
	}
	return r.reply(m.id), nil
}

// subscription returns the response to subscriptions/listen in two messages: the
// acknowledgement that there are no notifications, and the end. mcp-go drops the
// first one under load.
func (g *guard) subscription(m *message) [2]string {
	key := `"` + protocol.MetaKeySubscriptionID + `":` + string(m.id)
	meta := `{` + key + `,` + string(bytes.TrimPrefix(g.meta, []byte("{")))
	return [2]string{
		`{"jsonrpc":"2.0","method":"` + protocol.MethodNotificationSubscriptionsAcknowledged +
			`","params":{"_meta":{` + key + `},"notifications":{}}}`,
		`{"jsonrpc":"2.0","id":` + string(m.id) +
			`,"result":{"_meta":` + meta + `,"resultType":"complete"}}`,
	}
}

func (g *guard) listen(w http.ResponseWriter, m *message) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, event := range g.subscription(m) {
		fmt.Fprintf(w, "event: message\ndata: %s\n\n", event)
	}
}

// recoverPanic must be deferred. It logs a panic and writes an internal error without
// its cause.
func (g *guard) recoverPanic(w http.ResponseWriter, r *http.Request, m *message) {
	p := recover()
	if p == nil {
		return
	}
	if p == http.ErrAbortHandler {
		panic(p) // net/http's own way to drop a connection
	}
	g.log.Error("request panicked", "method", m.method,
		"request", access.RequestID(r.Context()), "panic", p, "stack", string(debug.Stack()))
	refuseMessage(w, r, http.StatusInternalServerError, m,
		faultf(protocol.INTERNAL_ERROR, "internal error"))
}

// unstreamed is a ResponseWriter with which mcp-go does not open a stream.
type unstreamed struct {
	http.ResponseWriter
	request *http.Request
	message *message
}

// Write removes secrets from b, because mcp-go quotes the message in its errors. It keeps the
// id, which the client needs to identify the response. It records an error for the owner of the
// caller's account.
func (w unstreamed) Write(b []byte) (int, error) {
	if f := faultOf(b); f != nil {
		access.Refuse(w.request.Context(), w.message.operation(), f.asError())
	}
	text, id := coast.Redact(string(b)), string(w.message.id)
	if redacted := coast.Redact(id); redacted != id {
		text = strings.Replace(text, `"id":`+redacted, `"id":`+id, 1)
	}
	if _, err := io.WriteString(w.ResponseWriter, text); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Flush does nothing: the response is sent when it is complete.
func (unstreamed) Flush() {}

// CanStream returns false.
func (unstreamed) CanStream() bool { return false }
