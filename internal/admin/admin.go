// Package admin is the administrative API: what the operator does on the command line to the
// accounts, keys, webhooks, watches, notices and station data of a server, and to its store.
// Requests and results are JSON over HTTP on the admin socket, a Unix socket in the data folder;
// if no server runs on the folder, the same handler serves them in the process of the command.
//
// New returns the handler and Listen the socket; Dial, Local and Connect return a Client, which
// has a method for each route. A process that can open the socket acts for the operator, so
// requests carry no credential. The rules are those of the packages accounts, events and status.
package admin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"syscall"
	"time"

	"leadline/internal/accounts"
	"leadline/internal/coast"
	"leadline/internal/events/endpoints"
	"leadline/internal/events/watches"
	"leadline/internal/overlay"
	"leadline/internal/status"
	"leadline/store"
)

// Config holds the dependencies of the handler.
type Config struct {
	Accounts *accounts.Service
	Notices  *status.Notices
	Webhooks *endpoints.Service
	Watches  *watches.Service
	Store    store.Store
	Now      func() time.Time
	Log      *slog.Logger

	// Health describes the process.
	Health func(context.Context) Health
	// Refresh fetches the newest constants of the named stations from NOAA, or of all stations
	// if none is named, and stores them.
	Refresh func(ctx context.Context, ids []string) (overlay.Report, error)
}

// handler serves the administrative API.
type handler struct {
	Config
	mux *http.ServeMux
}

// none is the input of a route without input.
type none struct{}

// maxBody limits the bytes of the body of a request.
const maxBody = 1 << 20

// route adds a route whose body decodes to an In and whose result is an Out.
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
		err = forOperator(err)
		if pattern != "GET /health" {
			h.log(pattern, h.Now().Sub(began), err)
		}
		write(w, out, err)
	})
}

// log logs a request. It includes errors only from the store, which do not quote the request.
func (h *handler) log(pattern string, took time.Duration, err error) {
	l := h.Log
	if e, known := coast.AsError(err); known && errors.Is(err, store.ErrUnavailable) {
		l = l.With("error", e.Message)
	}
	l.Info("command", "route", pattern, "ok", err == nil, "ms", float64(took.Microseconds())/1000)
}

// forOperator wraps a store failure in a text for the operator: the cause and, if the file failed,
// the file and the remedy. It returns other errors unchanged, because they are meant for callers of
// the API.
func forOperator(err error) error {
	if !errors.Is(err, store.ErrUnavailable) {
		return err
	}
	e := coast.Errorf(coast.StoreUnavailable, "%v", err)
	if file, ok := errors.AsType[*fs.PathError](err); ok {
		e.Message = fmt.Sprintf("%v; %s", file, remedy(file.Err))
	} else if _, known := coast.AsError(err); known {
		return err
	}
	return fmt.Errorf("%w (%w)", e, err)
}

// remedy returns what the operator can do after a failure of the store's file.
func remedy(cause error) string {
	switch {
	case errors.Is(cause, syscall.ENOSPC), errors.Is(cause, syscall.EDQUOT):
		return "free space on its disk and repeat the command"
	case errors.Is(cause, store.ErrMoved):
		return "put the file back and restart the server"
	case errors.Is(cause, fs.ErrPermission), errors.Is(cause, syscall.EROFS):
		return "make it writable and restart the server"
	}
	return "leadline check examines it, leadline restore replaces it by a backup"
}

// read reads a body to its end. Until then net/http does not notice that a client disconnects.
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

// strict decodes JSON and rejects unknown members.
func strict(body []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	return d.Decode(to)
}

// refusal is the body of a response that is an error.
type refusal struct {
	Error *coast.Error `json:"error"`
	Hints []coast.Hint `json:"hints,omitempty"` // of the error, which the command prints
}

// write writes a result, or an error with its text, which the operator may see.
func write(w http.ResponseWriter, out any, err error) {
	status := http.StatusOK
	if err != nil {
		e, known := coast.AsError(err)
		if !known {
			e.Message = err.Error()
		}
		status, out = e.Status(), refusal{e, e.Hints()}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(out)
}
