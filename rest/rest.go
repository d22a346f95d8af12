// Package rest implements the REST endpoint: routes, decoding of paths, queries
// and bodies, JSON responses, and the OpenAPI documents that describe them.
//
// A route is one line of the tables in routes.go and developer.go. It binds an
// operation of package tools to a query struct or to a JSON body. The Input
// method of a query struct translates REST parameter names into the operation's
// input. Router, validation and OpenAPI documents are all generated from the
// tables and from struct tags.
//
// A response to an invalid request lists all faults at once, in the body that
// coast.WriteError writes. The package computes no data of its own.
package rest

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"reflect"

	"github.com/julienschmidt/httprouter"

	"leadline/docs"
	"leadline/internal/access"
	"leadline/internal/access/credential"
	"leadline/internal/coast"
	"leadline/internal/edge"
	"leadline/internal/operation"
	"leadline/internal/schema"
)

// query holds the parameters of a route. Input converts them to the input of an
// operation.
type query[In any] interface{ Input() In }

// dispatcher holds what all handlers share.
type dispatcher struct {
	gate     *access.Gate
	log      *slog.Logger
	versions *versions
	routes   routes // of all tables
}

// endpoint is an operation bound to a request format. It holds what the router
// calls and what the OpenAPI document describes.
type endpoint struct {
	prepare    prepare
	table      prepare // of the table; nil if there is none
	parameters []schema.Parameter
	body       *schema.Schema // nil if requests have no body
	result     reflect.Type
	need       access.Need
	price      price
	example    *docs.Example // recorded; nil if there is none
}

// prepare decodes a request and returns the call that serves it. Its error
// describes why the request is invalid.
type prepare func(*http.Request, httprouter.Params) (perform, error)

// perform runs the operation of a valid request.
type perform func(context.Context) (reply, error)

// reply is an encoded result.
type reply struct {
	failure *coast.Error // that the result holds, nil for none
	body    []byte
	secret  bool // of an account
}

// write responds with the reply.
func (a reply) write(w http.ResponseWriter, r *http.Request) {
	status := http.StatusOK
	if a.failure != nil {
		status = a.failure.Status()
		a.failure.SetHeaders(w.Header())
	}
	if a.secret {
		edge.WriteSecret(w, r, status, a.body)
		return
	}
	edge.WriteJSON(w, r, status, a.body)
}

// price is the cost of a request for its caller.
type price uint8

const (
	unit    price = iota // counts against the rate limit and the monthly quota
	request              // counts against the rate limit only
	free                 // counts against neither; the gate is not called
)

// data is the need of operations on public data: no credential, or a key with
// the scope raw:read.
var data = access.Need{By: access.Nobody | access.Key, Scopes: []string{credential.RawRead}}

// get returns an endpoint that serves GET with an operation. The fields of Q are
// its parameters: path parameters by name, the others from the query. Parameters
// without a field are refused.
func get[Q query[In], In, Out any](h operation.Handler[In, Out]) endpoint {
	takes, encode := schema.Arguments[Q](), operation.EncoderOf[Out]()
	named := takes.Parameters()
	prepare := func(r *http.Request, path httprouter.Params) (perform, error) {
		given, err := parameters(r.URL, path)
		if err != nil {
			return nil, err
		}
		var q Q
		if err := takes.DecodeQuery(given, &q, keys(path)...); err != nil {
			return nil, err
		}
		return call(h, encode, q.Input()), nil
	}
	return endpoint{prepare: prepare, parameters: named, result: reflect.TypeFor[Out](), need: data}
}

// anyQuery returns an endpoint that serves GET with an operation without input, with any
// query. It is for health checks, which must not fail because of their URL.
func anyQuery[In, Out any](h operation.Handler[In, Out]) endpoint {
	encode := operation.EncoderOf[Out]()
	prepare := func(*http.Request, httprouter.Params) (perform, error) {
		var none In
		return call(h, encode, none), nil
	}
	return endpoint{prepare: prepare, result: reflect.TypeFor[Out](), need: data}
}

// call returns a perform function that runs an operation and encodes its output. An output
// that holds a failure is sent with the status of that failure.
func call[In, Out any](
	h operation.Handler[In, Out], encode func(context.Context, Out) ([]byte, error), in In,
) perform {
	return func(ctx context.Context) (reply, error) {
		out, body, err := operation.Encode(ctx, h, in, encode)
		if err != nil {
			return reply{}, err
		}
		var failure *coast.Error
		if f, can := any(out).(interface{ Failure() *coast.Error }); can {
			failure = f.Failure()
		}
		return reply{failure: failure, body: body}, nil
	}
}

// handle returns the HTTP handler of an endpoint.
func (d dispatcher) handle(e endpoint) httprouter.Handle {
	return func(w http.ResponseWriter, r *http.Request, path httprouter.Params) {
		out, err := d.serve(e, r, path)
		if err != nil {
			d.fail(w, r, err)
			return
		}
		out.write(w, r)
	}
}

// handleVersioned returns the HTTP handler of an operation of the versioned contract. A version
// that is not supported is refused like a parameter: the request counts against the rate limit.
func (d dispatcher) handleVersioned(e endpoint) httprouter.Handle {
	handle := d.handle(e)
	return func(w http.ResponseWriter, r *http.Request, path httprouter.Params) {
		if err := d.versions.writeHeader(w, r); err != nil {
			refused := e
			refused.prepare = func(*http.Request, httprouter.Params) (perform, error) { return nil, err }
			d.handle(refused)(w, r, path)
			return
		}
		handle(w, r, path)
	}
}

// serve admits the caller, decodes the request, spends a quota unit and runs the
// operation, in this order.
func (d dispatcher) serve(
	e endpoint, r *http.Request, path httprouter.Params,
) (out reply, err error) {
	if e.price != free {
		if err := d.gate.Admit(r, e.need); err != nil {
			return out, err
		}
	}
	perform, err := e.prepare(r, path)
	if err != nil {
		return out, err
	}
	if e.price == unit {
		if err := d.gate.Spend(r.Context()); err != nil {
			return out, err
		}
	}
	out, err = perform(r.Context())
	out.secret = e.need.By&access.Nobody == 0
	return out, err
}

// keys returns the names of path parameters.
func keys(path httprouter.Params) (names []string) {
	for _, p := range path {
		names = append(names, p.Key)
	}
	return names
}

// parameters returns path and query parameters together. A name of the path must not occur in
// the query: it could name a station other than the one in the path.
func parameters(u *url.URL, path httprouter.Params) (url.Values, error) {
	given, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, coast.Errorf(coast.InvalidRequest, "the query string cannot be read: "+
			"write it as name=value&name=value, with %%20 for a space")
	}
	for _, p := range path {
		if given.Has(p.Key) {
			e := coast.Errorf(coast.InvalidRequest,
				"Unknown parameter %q: it is part of the path.", p.Key)
			e.Issues = []coast.Issue{{Path: p.Key, Code: "unknown", Message: e.Message}}
			return nil, e
		}
		given.Set(p.Key, p.Value)
	}
	return given, nil
}

// fail writes an error response. It logs errors that are not coast.Error, since
// these are faults of the server. If the client has closed the connection, it
// aborts the response and logs nothing.
func (d dispatcher) fail(w http.ResponseWriter, r *http.Request, err error) {
	if _, known := coast.AsError(err); !known {
		if context.Cause(r.Context()) != nil {
			panic(http.ErrAbortHandler)
		}
		d.log.Error("rest", "id", access.RequestID(r.Context()), "path", r.URL.Path, "error", err)
	}
	refuse(w, r, d.routes.explain(err))
}

// refuse writes an error response, and records it for the owner of the caller's account.
func refuse(w http.ResponseWriter, r *http.Request, err error) {
	access.Refuse(r.Context(), "", err)
	coast.WriteError(w, err)
}
