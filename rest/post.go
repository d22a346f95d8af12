package rest

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/julienschmidt/httprouter"

	"leadline/internal/access"
	"leadline/internal/coast"
	"leadline/internal/operation"
	"leadline/internal/schema"
)

// maxBody limits the length of a body. No valid input comes close to this length.
const maxBody = 64 << 10 // bytes

// post returns an endpoint that serves POST with an operation, whose input is the body.
// Requests have no parameters.
func post[In, Out any](h operation.Handler[In, Out]) endpoint {
	takes, encode := schema.Body[In](), operation.EncoderOf[Out]()
	prepare := func(r *http.Request, _ httprouter.Params) (perform, error) {
		raw, err := readBody(r)
		if err != nil {
			return nil, err
		}
		var in In
		if err := takes.Decode(raw, &in); err != nil {
			return nil, err
		}
		return call(h, encode, in), nil
	}
	return endpoint{prepare: prepare, body: takes, result: reflect.TypeFor[Out](), need: data}
}

// pointing returns e with JSON pointers in the issues of its operation, whose input is also the
// arguments of a tool: an issue about a name is one about a property of the body.
func pointing(e endpoint) endpoint {
	prepare := e.prepare
	e.prepare = func(r *http.Request, path httprouter.Params) (perform, error) {
		p, err := prepare(r, path)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context) (reply, error) {
			out, err := p(ctx)
			var refused *coast.Error
			if errors.As(err, &refused) {
				pointed := *refused
				pointed.Issues = slices.Clone(refused.Issues)
				for i, issue := range pointed.Issues {
					pointed.Issues[i].Path = "/" + strings.TrimPrefix(issue.Path, "/")
				}
				err = &pointed
			}
			return out, err
		}, nil
	}
	return e
}

// command holds the path parameters of a route with a body. With returns the input of the
// operation.
type command[Body, In any] interface{ With(Body) In }

// postAt is post for a route with path parameters, which are the fields of C. A request without
// a body is accepted if Body has no required fields.
func postAt[C command[Body, In], Body, In, Out any](h operation.Handler[In, Out]) endpoint {
	e := post(func(context.Context, Body) (o Out, _ error) { return o, nil })
	takes, encode, names := e.body, operation.EncoderOf[Out](), schema.Arguments[C]()
	e.parameters = names.Parameters()
	e.prepare = func(r *http.Request, path httprouter.Params) (perform, error) {
		raw, err := readOptionalBody(r)
		if err != nil {
			return nil, err
		}
		given, err := parameters(&url.URL{}, path)
		if err != nil {
			return nil, err
		}
		var c C
		var body Body
		if err := names.DecodeQuery(given, &c, keys(path)...); err != nil {
			return nil, err
		}
		if err := takes.Decode(raw, &body); err != nil {
			return nil, err
		}
		return call(h, encode, c.With(body)), nil
	}
	return e
}

// act returns an endpoint that serves POST or DELETE with an operation whose input is in the path.
// The body is empty or {}.
func act[Q query[In], In, Out any](h operation.Handler[In, Out]) endpoint {
	e := get[Q](h)
	prepare := e.prepare
	e.prepare = func(r *http.Request, path httprouter.Params) (perform, error) {
		raw, err := readOptionalBody(r)
		if err != nil {
			return nil, err
		}
		if err := noFields.Decode(raw, &struct{}{}); err != nil {
			return nil, err
		}
		return prepare(r, path)
	}
	return e
}

// noFields is the schema of the body {}.
var noFields = schema.Body[struct{}]()

// readOptionalBody is readBody, except that it returns {} for a request without a body, which need
// not declare a media type.
func readOptionalBody(r *http.Request) ([]byte, error) {
	if r.ContentLength == 0 {
		return []byte("{}"), refuseQuery(r.URL)
	}
	raw, err := readBody(r)
	if err == nil && len(raw) == 0 { // of an unknown length
		raw = []byte("{}")
	}
	return raw, err
}

// needs returns e with the given need. The gate checks it before the request is read.
func needs(n access.Need, e endpoint) endpoint {
	e.need = n
	return e
}

// keyed returns e for keys with the scope for decisions, on a plan that includes the decision
// API.
func keyed(e endpoint) endpoint { return needs(access.KeyedDecision, e) }

// priced returns e with the given price.
func priced(p price, e endpoint) endpoint {
	e.price = p
	return e
}

// readBody returns the body of a request. It refuses a body that is not declared
// as JSON or is longer than maxBody, and a request with query parameters.
func readBody(r *http.Request) ([]byte, error) {
	if err := checkMedia(r.Header); err != nil {
		return nil, err
	}
	if r.ContentLength > maxBody {
		return nil, tooLarge()
	}
	raw, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	switch {
	case len(raw) > maxBody:
		return nil, tooLarge()
	case err != nil:
		if e, known := coast.AsError(err); known { // the server is overloaded
			return nil, e
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return nil, coast.Errorf(coast.InvalidRequest,
				"the body did not arrive within 15 seconds: send it faster, or a shorter one")
		}
		// Any other read error comes from the client or the network.
		return nil, coast.Errorf(coast.InvalidRequest,
			"the body ended before its declared length: send it again")
	}
	return raw, refuseQuery(r.URL)
}

func tooLarge() error {
	return coast.Errorf(coast.PayloadTooLarge,
		"the body is longer than %d bytes; send a shorter one", maxBody)
}

// checkMedia refuses a body that is not declared as uncompressed JSON.
func checkMedia(h http.Header) error {
	const send = "send the body as Content-Type: application/json"
	given := h.Get("Content-Type")
	media, _, err := mime.ParseMediaType(given)
	coding := h.Get("Content-Encoding")
	switch {
	case given == "":
		return coast.Errorf(coast.UnsupportedMediaType, "the request has no Content-Type: %s", send)
	case err != nil || media != "application/json":
		return coast.Errorf(coast.UnsupportedMediaType,
			"Content-Type %q is not supported: %s", coast.Clip(given), send)
	case coding != "" && !strings.EqualFold(coding, "identity"):
		return coast.Errorf(coast.UnsupportedMediaType,
			"Content-Encoding %q is not supported: %s, not compressed", coast.Clip(coding), send)
	}
	return nil
}

// noParameters refuses all query parameters, for operations with a body.
var noParameters = schema.Arguments[struct{}]()

func refuseQuery(u *url.URL) error {
	given, err := parameters(u, nil)
	if err != nil {
		return err
	}
	return noParameters.DecodeQuery(given, &struct{}{})
}
