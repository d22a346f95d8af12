package edge

import (
	"net/http"
	"strings"

	"leadline/internal/coast"
)

// Exposed lists the response headers that a page in a browser may read in
// addition to the safelisted ones. It is the value of
// Access-Control-Expose-Headers.
const Exposed = "X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, " +
	"X-Quota-Month-Limit, X-Quota-Month-Remaining, X-Quota-Month-Reset, X-Quota-Warning, " +
	"Retry-After, ETag, WWW-Authenticate, Mcp-Protocol-Version"

// Values of headers; nothing changes them.
var (
	anyOrigin = []string{"*"}
	exposed   = []string{Exposed}
)

// Refuse responds with err as coast.WriteError does, and lets pages of any
// origin read it. It is for refusals that depend on the server's load or on the
// client's address alone: they come before it is known who may read a response.
func Refuse(w http.ResponseWriter, err error) {
	w.Header().Set("Access-Control-Allow-Origin", "*")
	w.Header().Set("Access-Control-Expose-Headers", Exposed)
	coast.WriteError(w, err)
}

// Public lets pages of any origin call an operation that needs no credential,
// and read its response, errors included. It is called before anything else may
// respond. Browsers send no cookies to such an operation, and a page may not
// send a key: keys do not belong where everybody can read them. Public responds
// to OPTIONS, the preflight request of a browser, and then returns true.
// methods are the other methods of the operation's path, such as GET, HEAD.
func Public(w http.ResponseWriter, r *http.Request, methods ...string) (answered bool) {
	h := w.Header()
	h["Access-Control-Allow-Origin"] = anyOrigin
	h["Access-Control-Expose-Headers"] = exposed
	if r.Method != http.MethodOptions {
		return false
	}
	allowed := strings.Join(methods, ", ") + ", OPTIONS"
	h.Set("Allow", allowed)
	h.Set("Access-Control-Allow-Methods", allowed)
	h.Set("Access-Control-Allow-Headers",
		"Content-Type, If-None-Match, X-Request-Id, Mcp-Protocol-Version")
	h.Set("Access-Control-Max-Age", "7200") // seconds; the longest that browsers allow
	w.WriteHeader(http.StatusNoContent)
	return true
}
