// Package admin is the administrative API: what the operator does on the command line to the
// accounts, keys, notices and station data of a server, and to its store. Requests and results
// are JSON over HTTP on the admin socket, a Unix socket in the data folder; if no server runs on
// the folder, the same handler serves them in the process of the command.
//
// New returns the handler and Listen the socket; Dial, Local and Connect return a Client, which
// has a method for each route. A process that can open the socket acts for the operator, so
// requests carry no credential. The rules are those of the packages accounts and status.
package admin

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"time"

	"leadline/internal/accounts"
	"leadline/internal/coast"
	"leadline/internal/overlay"
	"leadline/internal/status"
	"leadline/store"
)

// Config holds what the handler is made of.
type Config struct {
	Accounts *accounts.Service
	Notices  *status.Notices
	Store    store.Store
	Now      func() time.Time
	Log      *slog.Logger

	// Health describes the process.
	Health func(context.Context) Health
	// Changed is called after each request that may have changed a credential, which the process
	// must then read from the store again.
	Changed func()
	// Refresh asks NOAA for the newest constants of stations, of all if none is named, and
	// stores them.
	Refresh func(ctx context.Context, ids []string) (overlay.Report, error)
}

// handler serves the administrative API.
type handler struct {
	Config
	mux *http.ServeMux
}

// none is the input of a route without one.
type none struct{}

// maxBody limits the bytes of the body of a request.
const maxBody = 1 << 20

// route adds a route whose body is an In and whose result is an Out.
func route[In, Out any](h *handler, pattern string, do func(*http.Request, In) (Out, error)) {
	h.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		began := h.Now()
		in, err := read[In](w, r)
		var out Out
		if err == nil {
			out, err = do(r, in)
		}
		if err != nil && r.Context().Err() != nil {
			err = context.Cause(r.Context())
		}
		if r.Method != http.MethodGet {
			h.Changed()
		}
		if pattern != "GET /health" {
			h.Log.Info("command", "route", pattern, "ok", err == nil, "took", h.Now().Sub(began))
		}
		write(w, out, err)
	})
}

// read reads a body to its end: before, net/http does not notice that a client goes away.
func read[In any](w http.ResponseWriter, r *http.Request) (in In, err error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil || len(body) == 0 {
		return in, err
	}
	if err := strict(body, &in); err != nil {
		return in, coast.Errorf(coast.InvalidRequest, "the server cannot read the request: %v; its "+
			"version may differ from that of the command", err)
	}
	return in, nil
}

// strict decodes JSON and refuses members that it does not know.
func strict(body []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	return d.Decode(to)
}

// write writes a result, or an error with its text: the operator may see it.
func write(w http.ResponseWriter, out any, err error) {
	status := http.StatusOK
	if err != nil {
		e, known := coast.AsError(err)
		if !known {
			e.Message = err.Error()
		}
		status, out = e.Status(), map[string]*coast.Error{"error": e}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(out)
}
