package provider

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"time"
)

// Kind is the kind of a fault.
type Kind string

// Kinds of faults. Those that alter a response alter its uncompressed form.
const (
	OK          Kind = "ok"        // no fault; overrides the fault of a shorter prefix
	Refuse      Kind = "refuse"    // closes the connection without a response
	Reset       Kind = "reset"     // resets the connection in the middle of the body
	Hang        Kind = "hang"      // sends nothing until the client disconnects
	Drip        Kind = "drip"      // sends one byte each Delay, default one second
	Slow        Kind = "slow"      // waits Delay before the response, default one second
	TooMany     Kind = "429"       // with Retry-After if RetryAfter is set, like the next four
	Blocked     Kind = "403"       // the page of the weather service's edge
	Page        Kind = "200"       // a page of a proxy in place of the data
	Broken      Kind = "500"       // the servlet container's page
	Unavailable Kind = "503"       // a page in HTML
	GatewayTime Kind = "504"       // the gateway's own JSON
	Truncated   Kind = "truncated" // half the body, with its length as Content-Length
	Huge        Kind = "huge"      // 100 MB
	Garbage     Kind = "garbage"   // random bytes with the type of JSON
	WrongType   Kind = "type"      // the correct body with the type text/html
)

// kinds are the kinds that the control API accepts.
var kinds = []Kind{
	OK, Refuse, Reset, Hang, Drip, Slow, TooMany, Blocked, Page, Broken, Unavailable, GatewayTime,
	Truncated, Huge, Garbage, WrongType,
}

// hugeBytes is the minimum length of a Huge body.
const hugeBytes = 100 << 20

// Fault is a kind of fault and its times.
type Fault struct {
	Kind       Kind
	RetryAfter int           // seconds, 0 for none
	Delay      time.Duration // of Slow and Drip
	// For and Every make the fault intermittent: it is active for the first For of each Every after
	// Fail, by the real clock. If both are zero it is always active.
	For, Every time.Duration
}

// fault is a Fault with the time of its start.
type fault struct {
	Fault
	since time.Time
}

// faultOf returns the active fault of a path: the one with the longest matching prefix.
func faultOf(faults map[string]fault, path string) fault {
	best, found := "", fault{}
	for prefix, f := range faults {
		if within(path, prefix) && len(prefix) >= len(best) {
			best, found = prefix, f
		}
	}
	if found.Every > 0 && time.Since(found.since)%found.Every >= found.For {
		return fault{}
	}
	return found
}

// The four services, as prefixes for Fail and Requests. Paths that begin with
// none of the first three belong to the weather service.
const (
	Data     = "/api/prod/"
	Metadata = "/mdapi/prod/webapi/"
	Derived  = "/dpapi/prod/webapi/"
	Weather  = "weather"
)

// serviceOf returns the service that owns a path.
func serviceOf(path string) string {
	for _, s := range []string{Data, Metadata, Derived} {
		if strings.HasPrefix(path, s) {
			return s
		}
	}
	return Weather
}

// serviceNamed returns the prefix of a service, or the name itself if it names none.
func serviceNamed(name string) string {
	prefixes := map[string]string{"data": Data, "metadata": Metadata, "derived": Derived}
	return cmp.Or(prefixes[name], name)
}

// within reports whether a path belongs to a service or begins with a prefix.
func within(path, prefix string) bool {
	if prefix == Weather {
		return serviceOf(path) == Weather
	}
	return strings.HasPrefix(path, prefix)
}

// serve serves the request with next, or applies the fault.
func (f fault) serve(w http.ResponseWriter, r *http.Request, next http.Handler) {
	switch f.Kind {
	case Refuse:
		cut(w)
	case Reset:
		f.reset(w, record(r, next))
	case Hang:
		<-r.Context().Done()
	case Drip:
		f.drip(w, r, record(r, next))
	case Slow:
		if pause(r, f.delay()) {
			next.ServeHTTP(w, r)
		}
	case TooMany, Blocked, Page, Broken, Unavailable, GatewayTime:
		f.page(w)
	case Truncated:
		a := record(r, next)
		a.Body.Truncate(a.Body.Len() / 2)
		send(w, a)
	case Huge:
		huge(w)
	case Garbage:
		garbage(w)
	case WrongType:
		a := record(r, next)
		a.Header().Set("Content-Type", "text/html;charset=ISO-8859-1")
		send(w, a)
	default:
		next.ServeHTTP(w, r)
	}
}

func (f fault) delay() time.Duration {
	if f.Delay == 0 {
		return time.Second
	}
	return f.Delay
}

// pause waits and reports whether the client is still connected.
func pause(r *http.Request, d time.Duration) bool {
	select {
	case <-r.Context().Done():
		return false
	case <-time.After(d):
		return true
	}
}

// cut resets the connection at any point of the response.
func cut(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // the server then closes the connection
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		tcp.SetLinger(0)
	}
	conn.Close()
}

func (f fault) reset(w http.ResponseWriter, a *httptest.ResponseRecorder) {
	body := a.Body.Bytes()
	sendHeader(w, a, len(body))
	w.Write(body[:len(body)/2])
	http.NewResponseController(w).Flush()
	time.Sleep(20 * time.Millisecond) // a reset discards bytes that the client has not read yet
	cut(w)
}

func (f fault) drip(w http.ResponseWriter, r *http.Request, a *httptest.ResponseRecorder) {
	sendHeader(w, a, a.Body.Len())
	for range a.Body.Len() {
		if _, err := w.Write(a.Body.Next(1)); err != nil {
			return
		}
		http.NewResponseController(w).Flush()
		if !pause(r, f.delay()) {
			return
		}
	}
}

// pages are the responses of servers in front of the services.
var pages = map[Kind]struct{ contentType, body string }{
	TooMany:     {"application/json", `{"message":"Too Many Requests"}`},
	Blocked:     {"text/html", "<HTML><BODY>\n<H1>Access Denied</H1>\n</BODY></HTML>\n"},
	Page:        {"text/html", "<html><h1>We will be back soon</h1></html>"},
	Broken:      {"text/html;charset=utf-8", "<html><h1>HTTP Status 500</h1></html>"},
	Unavailable: {"text/html", "<html><h1>503 Service Temporarily Unavailable</h1></html>\r\n"},
	GatewayTime: {"application/json", `{"message": "Endpoint request timed out"}`},
}

func (f fault) page(w http.ResponseWriter) {
	status, _ := strconv.Atoi(string(f.Kind)) // these kinds are named by their status
	page := pages[f.Kind]
	w.Header().Set("Content-Type", page.contentType)
	if f.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(f.RetryAfter))
	}
	w.WriteHeader(status)
	fmt.Fprint(w, page.body)
}

func huge(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json;charset=ISO-8859-1")
	fmt.Fprint(w, `{"metadata":{"id":"8443970","name":"Boston"}, "data": [`)
	chunk := []byte(strings.Repeat(`{"t":"2021-01-01 00:00", "v":"1.335", "s":"0.013", "f":"0,0,0,0", "q":"v"},`, 1000))
	for sent := 0; sent < hugeBytes; sent += len(chunk) {
		if _, err := w.Write(chunk); err != nil {
			return
		}
	}
	fmt.Fprint(w, "{}]}\n")
}

func garbage(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	random := rand.New(rand.NewPCG(1, 2))
	body := make([]byte, 4096)
	for i := range body {
		body[i] = byte(random.Uint32())
	}
	w.Write(body)
}

// record returns the uncompressed response of next.
func record(r *http.Request, next http.Handler) *httptest.ResponseRecorder {
	plain := r.Clone(r.Context())
	plain.Header.Del("Accept-Encoding")
	a := httptest.NewRecorder()
	next.ServeHTTP(a, plain)
	return a
}

// sendHeader sends status and header, with the length as Content-Length.
func sendHeader(w http.ResponseWriter, a *httptest.ResponseRecorder, length int) {
	maps.Copy(w.Header(), a.Header())
	w.Header().Set("Content-Length", strconv.Itoa(length))
	w.WriteHeader(a.Code)
}

// send sends a recorded response.
func send(w http.ResponseWriter, a *httptest.ResponseRecorder) {
	sendHeader(w, a, a.Body.Len())
	w.Write(a.Body.Bytes())
}
