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

	"github.com/julienschmidt/httprouter"

	"leadline/internal/access"
	"leadline/internal/coast"
	"leadline/internal/edge"
	"leadline/internal/schema"
	"leadline/tools"
)

// query is the parameters of a route; Input turns them into an operation's.
type query[In any] interface{ Input() In }

// door is what handlers share.
type door struct {
	gate *access.Gate
	log  *slog.Logger
}

// endpoint is an operation bound to a form of requests: what the router calls,
// and what the document says of it.
type endpoint struct {
	prepare    prepare
	parameters []schema.Parameter
	body       *schema.Schema // nil where a request has none
	result     reflect.Type
	need       access.Need
	price      price
}

// prepare reads a request and returns what answers it, or what is wrong with it.
type prepare func(*http.Request, httprouter.Params) (perform, error)

// perform answers a question that is well-formed.
type perform func(context.Context) (reply, error)

// reply is a result on its way out.
type reply struct {
	status int
	body   []byte
}

// price is what a request costs its caller.
type price uint8

const (
	unit    price = iota // a request of the minute and a unit of the month
	request              // a request of the minute
	free                 // nothing, and the gate is not asked
)

// data is what operations on public data need: nothing, and where a key is
// sent one that may read them.
var data = access.Need{By: access.Nobody | access.Key, Scopes: []string{access.RawRead}}

// get answers a GET with an operation. Its parameters are Q's fields: the
// path's by name, the rest from the query. Where Q has no fields, whatever the
// query says is left unread.
func get[Q query[In], In, Out any](h tools.Handler[In, Out]) endpoint {
	takes, encode := schema.Arguments[Q](), tools.EncoderOf[Out]()
	named := takes.Parameters()
	prepare := func(r *http.Request, path httprouter.Params) (perform, error) {
		var q Q
		if len(named) > 0 {
			given, err := parameters(r.URL, path)
			if err != nil {
				return nil, err
			}
			if err := takes.DecodeQuery(given, &q); err != nil {
				return nil, err
			}
		}
		return answer(h, encode, q.Input()), nil
	}
	return endpoint{prepare: prepare, parameters: named, result: reflect.TypeFor[Out](), need: data}
}

// answer asks an operation and encodes what it says. A result can hold a
// failure, and is answered with its status.
func answer[In, Out any](h tools.Handler[In, Out], encode func(Out) ([]byte, error), in In) perform {
	return func(ctx context.Context) (reply, error) {
		out, err := tools.Ask(ctx, h, in)
		if err != nil {
			return reply{}, err
		}
		status := http.StatusOK
		if f, can := any(out).(interface{ Failure() *coast.Error }); can && f.Failure() != nil {
			status = f.Failure().Status()
		}
		body, err := encode(out)
		return reply{status, body}, err
	}
}

// handle takes a request through its steps: may its caller ask, is it
// well-formed, has its caller a unit left, and what is the answer.
func (d door) handle(e endpoint) httprouter.Handle {
	return func(w http.ResponseWriter, r *http.Request, path httprouter.Params) {
		out, err := d.pass(e, r, path)
		if err != nil {
			d.fail(w, r, err)
			return
		}
		edge.WriteJSON(w, r, out.status, out.body)
	}
}

func (d door) pass(e endpoint, r *http.Request, path httprouter.Params) (out reply, err error) {
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
	return perform(r.Context())
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

// fail answers with an error; what is a fault of ours is logged. A client that
// has gone away is no fault of ours, and hears nothing.
func (d door) fail(w http.ResponseWriter, r *http.Request, err error) {
	if _, known := coast.AsError(err); !known {
		if context.Cause(r.Context()) != nil {
			panic(http.ErrAbortHandler)
		}
		d.log.Error("rest", "id", access.RequestID(r.Context()), "path", r.URL.Path, "error", err)
	}
	coast.WriteError(w, err)
}
