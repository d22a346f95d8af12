package edge

import (
	"net/http"
	"strings"

	"leadline/internal/coast"
)

// Exposed are the headers of an answer that a page in a browser may read
// beside those that it always may, as Access-Control-Expose-Headers has them.
const Exposed = "X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, " +
	"X-Quota-Month-Limit, X-Quota-Month-Remaining, X-Quota-Month-Reset, X-Quota-Warning, " +
	"Retry-After, ETag, WWW-Authenticate, Mcp-Protocol-Version"

// Refuse responds with err as coast.WriteError does, and lets pages of any
// origin read it. It is for refusals that depend on the server's load or on the
// client's address alone: they come before it is known who may read a response.
func Refuse(w http.ResponseWriter, err error) {
	w.Header().Set("Access-Control-Allow-Origin", "*")
	w.Header().Set("Access-Control-Expose-Headers", Exposed)
	coast.WriteError(w, err)
}

// Public lets pages of any origin ask an operation that needs no credential,
// and read its answer, errors included: it is called before anything else may
// answer. Browsers neither send cookies there nor may a page send a key: keys
// do not live where everybody can read them. OPTIONS, which is how a browser
// asks beforehand, is answered here, and Public then returns true. methods are
// what the operation's path takes beside it, such as GET, HEAD.
func Public(w http.ResponseWriter, r *http.Request, methods ...string) (answered bool) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", Exposed)
	if r.Method != http.MethodOptions {
		return false
	}
	allowed := strings.Join(methods, ", ") + ", OPTIONS"
	h.Set("Allow", allowed)
	h.Set("Access-Control-Allow-Methods", allowed)
	h.Set("Access-Control-Allow-Headers", "Content-Type, If-None-Match, X-Request-Id, Mcp-Protocol-Version")
	h.Set("Access-Control-Max-Age", "7200") // seconds; what browsers keep at most
	w.WriteHeader(http.StatusNoContent)
	return true
}
