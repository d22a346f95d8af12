package login

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"leadline/internal/page"
	"leadline/internal/session"
	"leadline/store"
)

// ExportPath is the path at which people download what the server has about their account.
const ExportPath = page.AccountPath + "/export.json"

// Export writes the data of an account as JSON. accounts.Service.Export implements it.
type Export func(ctx context.Context, w io.Writer, account string) error

// How often an account may be exported, and how long a download may take. Both are our choice: an
// export reads all deliveries of the account.
const (
	exportEvery, exportBurst = time.Minute, 3
	exportTimeout            = 2 * time.Minute
)

// exports serves the download.
type exports struct {
	*Login
	export Export
	limit  *session.Throttle // by account
}

// serve sends the data of the signed-in person.
func (e *exports) serve(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), exportTimeout)
	defer cancel()
	r = r.WithContext(ctx)
	account, in, err := e.c.Sessions.Person(r)
	switch {
	case err != nil:
		e.Fail(w, r, err)
		return
	case !in:
		page.Redirect(w, r, toSecurity)
		return
	}
	if wait, ok := e.limit.Take(account.ID); !ok {
		w.Header().Set("Retry-After", strconv.Itoa(session.Seconds(wait)))
		page.Error(w, http.StatusTooManyRequests, "Too many downloads",
			"The data of an account can be downloaded once a minute.")
		return
	}
	e.send(w, r, account)
}

// send streams the data. If it fails after the first byte, the connection is aborted: a partial
// response must not look complete.
func (e *exports) send(w http.ResponseWriter, r *http.Request, account store.Account) {
	to := &download{ResponseWriter: w}
	err := e.export(r.Context(), to, account.ID)
	switch {
	case err == nil:
	case errors.Is(err, store.ErrNotFound) && !to.begun: // deleted in the meantime
		page.Redirect(w, r, toSecurity)
	case !to.begun:
		e.Fail(w, r, err)
	default:
		e.LogError(r, err)
		panic(http.ErrAbortHandler)
	}
}

// download sets the headers of a download before its first byte.
type download struct {
	http.ResponseWriter
	begun bool
}

// Write implements io.Writer.
func (d *download) Write(b []byte) (int, error) {
	if !d.begun {
		d.begun = true
		h := d.Header()
		h.Set("Content-Type", "application/json")
		h.Set("Content-Disposition", `attachment; filename="leadline-account.json"`)
		h.Set("Cache-Control", "private, no-store")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Referrer-Policy", "no-referrer")
	}
	return d.ResponseWriter.Write(b)
}
