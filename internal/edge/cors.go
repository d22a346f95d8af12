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
	"Retry-After, ETag, WWW-Authenticate, Mcp-Protocol-Version, " +
	VersionHeader + ", Deprecation, Sunset, Link"

// The values of headers, which never change.
var (
	anyOrigin = []string{"*"}
	exposed   = []string{Exposed}
)

// Refuse responds with err like coast.WriteError, and lets pages of any origin
// read the response. It is for refusals that depend only on the server's load
// or on the client's address. At that point it is not yet known who may read a
// response.
func Refuse(w http.ResponseWriter, err error) {
	w.Header().Set("Access-Control-Allow-Origin", "*")
	w.Header().Set("Access-Control-Expose-Headers", Exposed)
	coast.WriteError(w, err)
}

// Public lets pages of any origin call an operation that does not need a
// credential, and read its response, including errors. Call it before anything
// else can respond. Browsers send no cookies to such an operation, and a page
// may not send a key, because keys in public pages would be readable by
// everybody. Public responds to OPTIONS, a browser's preflight request, and
// then returns true. methods lists the other methods of the operation's path,
// such as GET, HEAD.
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
		"Content-Type, If-None-Match, X-Request-Id, Mcp-Protocol-Version, "+VersionHeader)
	h.Set("Access-Control-Max-Age", "7200") // seconds; the longest that browsers allow
	w.WriteHeader(http.StatusNoContent)
	return true
}
