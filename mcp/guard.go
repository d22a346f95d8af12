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
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	protocol "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"leadline/internal/access"
	"leadline/internal/coast"
	"leadline/internal/edge"
)

// mostBytes is how long a message may be: the longest honest one has a few
// hundred bytes.
const mostBytes = 64 << 10

// webClients are the origins of the clients that run in a browser and are
// known to talk to MCP servers directly.
var webClients = []string{"https://claude.ai", "https://claude.com", "https://chatgpt.com", "https://vscode.dev"}

// guard stands before an mcp-go server and lets through what is safe and
// well-formed.
type guard struct {
	base    *url.URL
	hosts   []string
	origins []string
	gate    *access.Gate // nil where nothing is counted
	need    access.Need
	log     *slog.Logger

	mcp   *server.MCPServer
	http  *server.StreamableHTTPServer
	lists lists
	meta  []byte // of every modern result

	// first answers a well-formed request before mcp-go may; nil and nil
	// leaves it to mcp-go.
	first func(ctx context.Context, m *message, modern bool) (parts [][]byte, f *fault)
}

// Guard puts the door's guard before any mcp-go server. Of c it reads
// BaseURL, AllowHosts, AllowOrigins, Gate and Log.
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
		base: base, hosts: c.AllowHosts, origins: append(slices.Clone(webClients), c.AllowOrigins...), gate: c.Gate, need: anybody, log: c.Log,
		mcp: s, lists: all, meta: all.meta(),
		http: server.NewStreamableHTTPServer(s,
			server.WithStateLess(true), // with sessions each initialize keeps 10 KB for good
			server.WithDisableStreaming(true),
			server.WithDisableLocalhostProtection(true)), // the guard's own check knows the configured hosts
	}, nil
}

// hostForm is a host with or without a port, as a Host header has it: RFC 9110,
// section 7.2. Host names are ASCII letters, digits, dots, hyphens and, in
// practice, underscores.
var hostForm = regexp.MustCompile(`^([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]+)?$`)

// checkHosts refuses hosts that no Host header can have.
func checkHosts(hosts []string) error {
	for _, h := range hosts {
		if !hostForm.MatchString(h) {
			return fmt.Errorf("invalid --allow-hosts %q: must be a host such as tides.example.org, without scheme and path", h)
		}
	}
	return nil
}

// ServeHTTP passes a request through the steps of the guard.
func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !g.welcome(w, r) || !g.admit(w, r) {
		return
	}
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", "POST, OPTIONS")
		coast.WriteError(w, coast.Errorf(coast.MethodNotAllowed, "%s is not allowed here: an MCP message is a POST with a JSON body", r.Method))
		return
	}
	body, err := bodyOf(w, r)
	if err != nil {
		coast.WriteError(w, err)
		return
	}
	m, f := parse(body)
	if f != nil {
		writeFault(w, http.StatusBadRequest, m.id, f)
		return
	}
	defer g.survive(w, r, &m)
	g.answer(w, r, &m, body)
}

// anybody is what the door needs of a caller where none has to say who asks: of
// a key that is sent, that it may be used here.
var anybody = access.Need{By: access.Nobody | access.Key, Scopes: []string{access.MCPUse}}

// signedIn returns a door that shares all that g has, and needs a key or an
// access token. metadata is the URL that tells a client how to get one.
func (g *guard) signedIn(metadata string) *guard {
	door := *g
	door.need = access.Need{By: access.Key | access.SignedIn, Scopes: []string{access.MCPUse}, Metadata: metadata}
	return &door
}

// admit lets the gate judge the caller and reports whether the request goes on.
func (g *guard) admit(w http.ResponseWriter, r *http.Request) bool {
	if g.gate == nil {
		return true
	}
	if err := g.gate.Admit(r, g.need); err != nil {
		g.refuse(w, r, nil, err)
		return false
	}
	return true
}

// spend takes a unit of the caller's month for what is worth one, and reports
// whether the request goes on.
func (g *guard) spend(w http.ResponseWriter, r *http.Request, m *message) bool {
	switch protocol.MCPMethod(m.method) {
	case protocol.MethodToolsCall, protocol.MethodResourcesRead, protocol.MethodPromptsGet:
		if g.gate == nil {
			return true
		}
		if err := g.gate.Spend(r.Context()); err != nil {
			g.refuse(w, r, m.id, err)
			return false
		}
	}
	return true
}

// refuse answers with what the gate has said: an HTTP status, its headers,
// and the same as a JSON-RPC error.
func (g *guard) refuse(w http.ResponseWriter, r *http.Request, id []byte, err error) {
	e, known := coast.AsError(err)
	if !known {
		g.log.Error("gate", "request", access.RequestID(r.Context()), "error", err)
	}
	e.SetHeaders(w.Header())
	writeFault(w, e.Status(), id, &fault{code: refused, text: e.Message, data: struct {
		Code              coast.Code `json:"code"`
		RetryAfterSeconds int        `json:"retryAfterSeconds,omitempty"`
	}{e.Code, e.RetryAfterSeconds}})
}

// refused is the JSON-RPC code of what the gate refuses, from the range that
// servers have for themselves.
const refused = -32000

// welcome checks where a request comes from and where it meant to go, puts
// the headers of every answer in place and answers what a browser asks
// beforehand. It reports whether the request goes on.
func (g *guard) welcome(w http.ResponseWriter, r *http.Request) bool {
	h := w.Header()
	h.Set("Vary", "Authorization, X-Api-Key, Origin")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	if !g.knowsHost(r) {
		writeFault(w, http.StatusForbidden, nil, faultf(protocol.INVALID_REQUEST, "host %q is not served here; --allow-hosts adds one", r.Host))
		return false
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		if !g.knowsOrigin(origin) {
			writeFault(w, http.StatusForbidden, nil, faultf(protocol.INVALID_REQUEST, "origin %q may not ask here; --allow-origins adds one", origin))
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
	h.Set("Access-Control-Allow-Headers", "Authorization, X-Api-Key, Content-Type, Accept, Mcp-Protocol-Version, Mcp-Method, Mcp-Name, "+
		"Mcp-Session-Id, Last-Event-ID, Traceparent")
	h.Set("Access-Control-Max-Age", "7200")
	w.WriteHeader(http.StatusNoContent)
	return false
}

// knowsHost reports whether the request was meant for this server: a page
// that points its own name at this address (DNS rebinding) was not. Ports do
// not matter.
func (g *guard) knowsHost(r *http.Request) bool {
	name := hostname(r.Host)
	if name != "" && strings.EqualFold(name, g.base.Hostname()) {
		return true
	}
	if edge.Loopback(name) && (edge.Loopback(g.base.Hostname()) || reachedByLoopback(r)) {
		return true
	}
	return slices.ContainsFunc(g.hosts, func(h string) bool { return strings.EqualFold(hostname(h), name) })
}

// knowsOrigin reports whether a page of the origin may ask.
func (g *guard) knowsOrigin(origin string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" {
		return false
	}
	if u.Scheme == g.base.Scheme && strings.EqualFold(u.Host, g.base.Host) || edge.Loopback(u.Hostname()) {
		return true
	}
	return slices.ContainsFunc(g.origins, func(o string) bool { return strings.EqualFold(o, origin) })
}

// hostname is host without a port and brackets.
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

// bodyOf reads the body of a request whose body is JSON, not compressed and not
// too long. Memory follows the bytes that arrive, never the announced length.
func bodyOf(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if kind := r.Header.Get("Content-Type"); kind != "application/json" {
		if kind, _, err := mime.ParseMediaType(kind); err != nil || kind != "application/json" {
			return nil, coast.Errorf(coast.UnsupportedMediaType, "the body must be JSON: send Content-Type: application/json")
		}
	}
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		w.Header().Set("Accept-Encoding", "identity") // RFC 9110, section 12.5.3
		return nil, coast.Errorf(coast.UnsupportedMediaType, "Content-Encoding %q is not supported: send the body uncompressed", coast.Clip(coding))
	}
	if r.ContentLength > mostBytes {
		return nil, tooLong()
	}
	var b bytes.Buffer
	_, err := b.ReadFrom(http.MaxBytesReader(w, r.Body, mostBytes))
	var long *http.MaxBytesError
	if errors.As(err, &long) {
		return nil, tooLong()
	}
	if e, known := coast.AsError(err); err != nil && known { // the server is overloaded
		return nil, e
	}
	if err != nil {
		return nil, coast.Errorf(coast.InvalidRequest, "the body ended early")
	}
	return b.Bytes(), nil
}

func tooLong() error {
	return coast.Errorf(coast.PayloadTooLarge, "the body is longer than %d bytes", mostBytes)
}

// answer answers a message itself or has mcp-go answer it. What has no id
// wants no answer, and nothing here waits for a notification or a response.
func (g *guard) answer(w http.ResponseWriter, r *http.Request, m *message, body []byte) {
	modern, plain := m.era(r.Header)
	if m.method == "" && modern {
		writeFault(w, http.StatusBadRequest, m.id, faultf(protocol.INVALID_REQUEST, "this server asks clients nothing and takes no responses"))
		return
	}
	if m.id == nil || m.method == "" {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	if stated := r.Header.Get(protocol.HeaderProtocolVersion); !modern && stated != "" && m.method != string(protocol.MethodInitialize) && !protocol.IsValidProtocolVersion(stated) {
		writeFault(w, http.StatusBadRequest, m.id, unsupported(stated))
		return
	}
	if !g.spend(w, r, m) || plain && g.answerPlain(w, r, m, modern) {
		return
	}
	header := r.Header.Clone()
	header.Del(server.HeaderKeySessionID) // state under a name that the client chose
	header.Del(protocol.HeaderLastEventID)
	g.http.Handle(whole{w, m.id}, &server.HTTPRequest{Method: r.Method, URL: r.URL, Header: header, Body: body, Context: r.Context()})
}

// answerPlain answers a request that keeps the rules of its era, and reports
// whether it did.
func (g *guard) answerPlain(w http.ResponseWriter, r *http.Request, m *message, modern bool) bool {
	if modern && m.method == string(protocol.MethodSubscriptionsListen) {
		g.listen(w, m)
		return true
	}
	parts, f := g.list(m, modern)
	if parts == nil && f == nil {
		parts, f = g.first(r.Context(), m, modern)
	}
	switch {
	case f != nil:
		access.Settle(r.Context(), http.StatusBadRequest)
		writeFault(w, f.status(modern), m.id, f)
	case parts != nil:
		writeJSON(w, http.StatusOK, parts...)
	}
	return f != nil || parts != nil
}

// list is the answer to one of the listed methods. A list has one page, so
// no cursor is a good one.
func (g *guard) list(m *message, modern bool) (parts [][]byte, f *fault) {
	r, known := g.lists[question{m.method, modern}]
	if !known {
		return nil, nil
	}
	if m.cursor != "" {
		return nil, faultf(protocol.INVALID_PARAMS, "unknown cursor %q: the list has one page, ask without a cursor", coast.Clip(m.cursor))
	}
	return r.answer(m.id), nil
}

// subscription is the answer to subscriptions/listen in two messages: that
// there is nothing to listen to, and the end. mcp-go loses the first one
// under load.
func (g *guard) subscription(m *message) [2]string {
	key := `"` + protocol.MetaKeySubscriptionID + `":` + string(m.id)
	meta := `{` + key + `,` + string(bytes.TrimPrefix(g.meta, []byte("{")))
	return [2]string{
		`{"jsonrpc":"2.0","method":"` + protocol.MethodNotificationSubscriptionsAcknowledged + `","params":{"_meta":{` + key + `},"notifications":{}}}`,
		`{"jsonrpc":"2.0","id":` + string(m.id) + `,"result":{"_meta":` + meta + `,"resultType":"complete"}}`,
	}
}

func (g *guard) listen(w http.ResponseWriter, m *message) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, event := range g.subscription(m) {
		fmt.Fprintf(w, "event: message\ndata: %s\n\n", event)
	}
}

// survive answers for what panicked below, without saying what.
func (g *guard) survive(w http.ResponseWriter, r *http.Request, m *message) {
	p := recover()
	if p == nil {
		return
	}
	if p == http.ErrAbortHandler {
		panic(p) // net/http's own way to drop a connection
	}
	g.log.Error("request panicked", "method", m.method, "request", access.RequestID(r.Context()), "panic", p, "stack", string(debug.Stack()))
	writeFault(w, http.StatusInternalServerError, m.id, faultf(protocol.INTERNAL_ERROR, "internal error"))
}

// whole is a writer of answers in one piece: with it mcp-go never opens a
// stream.
type whole struct {
	http.ResponseWriter
	id []byte // of the request
}

// Write cuts the secrets of what mcp-go says of a message: it quotes it. The id
// stays, by which the client knows the answer.
func (w whole) Write(b []byte) (int, error) {
	said, id := coast.Redact(string(b)), string(w.id)
	if cut := coast.Redact(id); cut != id {
		said = strings.Replace(said, `"id":`+cut, `"id":`+id, 1)
	}
	if _, err := io.WriteString(w.ResponseWriter, said); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Flush does nothing: the answer is sent when it ends.
func (whole) Flush() {}

// CanStream is false.
func (whole) CanStream() bool { return false }
