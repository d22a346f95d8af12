package session

import (
	"context"
	"net/http"
	"time"
)

// Timeout limits the time for a response, including calls to the store, an
// OpenID provider and the host of an OAuth client. It is our choice, because
// people do not wait longer.
const Timeout = 15 * time.Second

// Bound cancels requests after Timeout. It leaves the bodies of all but POST
// requests unread, because reading a form value would write a long body to
// disk.
func Bound(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), Timeout)
		defer cancel()
		if r = r.WithContext(ctx); r.Method != http.MethodPost {
			r.Body = http.NoBody
		}
		next.ServeHTTP(w, r)
	})
}
