// Package rest is the REST door: routes, the reading of path and query, JSON
// answers, and the OpenAPI document that describes them. A route is one line
// of the table in routes.go; it binds an operation of tools to a query struct,
// whose Input turns the door's parameter names into the operation's, or takes
// the operation's input as a JSON body. The router, the checks and the
// document all come out of that table and of the structs' tags. Every fault of a request is told at once, in a body of the
// one form that coast.WriteError writes. It computes nothing.
package rest

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"reflect"
	"strconv"

	"github.com/julienschmidt/httprouter"

	"leadline/internal/coast"
	"leadline/tools"
)

// query is the parameters of a route; Input turns them into an operation's.
type query[In any] interface{ Input() In }

// door is what handlers share.
type door struct{ log *slog.Logger }

// endpoint is an operation bound to a form of requests: what the router calls,
// and what the document says of it.
type endpoint struct {
	handle     httprouter.Handle
	parameters []tools.Parameter
	body       *tools.Body // nil where a request has none
	result     reflect.Type
	keyed      bool // for callers whose plan has decisions
}

// get answers a GET with an operation. Its parameters are Q's fields: the
// path's by name, the rest from the query. Where Q has no fields, whatever the
// query says is left unread.
func get[Q query[In], In, Out any](d door, h tools.Handler[In, Out]) endpoint {
	schema, encode, takes := tools.SchemaOf[Q](), tools.EncoderOf[Out](), tools.ParametersOf[Q]()
	answer := func(r *http.Request, path httprouter.Params) ([]byte, error) {
		var q Q
		if len(takes) > 0 {
			given, err := parameters(r.URL, path)
			if err != nil {
				return nil, err
			}
			if err := schema.DecodeQuery(given, &q); err != nil {
				return nil, err
			}
		}
		out, err := tools.Ask(r.Context(), h, q.Input())
		if err != nil {
			return nil, err
		}
		return encode(out)
	}
	return endpoint{handle: d.handle(answer), parameters: takes, result: reflect.TypeFor[Out]()}
}

// handle writes what answer returns.
func (d door) handle(answer func(*http.Request, httprouter.Params) ([]byte, error)) httprouter.Handle {
	return func(w http.ResponseWriter, r *http.Request, path httprouter.Params) {
		body, err := answer(r, path)
		if err != nil {
			d.fail(w, r, err)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)+1))
		w.Write(append(body, '\n'))
	}
}

// parameters joins path and query. A name of the path cannot come from the
// query, or a caller could ask about another station than the path names.
func parameters(u *url.URL, path httprouter.Params) (url.Values, error) {
	given, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, coast.Errorf(coast.InvalidRequest, "the query string cannot be read: write it as name=value&name=value, with %%20 for a space")
	}
	for _, p := range path {
		if given.Has(p.Key) {
			e := coast.Errorf(coast.InvalidRequest, "Unknown parameter %q: it stands in the path.", p.Key)
			e.Issues = []coast.Issue{{Path: p.Key, Code: "unknown", Message: e.Message}}
			return nil, e
		}
		given.Set(p.Key, p.Value)
	}
	return given, nil
}

// fail answers with an error; what is a fault of ours is logged.
func (d door) fail(w http.ResponseWriter, r *http.Request, err error) {
	if _, known := coast.AsError(err); !known && context.Cause(r.Context()) == nil {
		d.log.Error("rest", "id", w.Header().Get("X-Request-Id"), "path", r.URL.Path, "error", err)
	}
	coast.WriteError(w, err)
}
