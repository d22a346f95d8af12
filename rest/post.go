package rest

import (
	"io"
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"strings"

	"github.com/julienschmidt/httprouter"

	"leadline/internal/access"
	"leadline/internal/coast"
	"leadline/internal/schema"
	"leadline/tools"
)

// mostBody is how long a body may be. The longest that the operations have a
// use for is far shorter.
const mostBody = 64 << 10 // bytes

// post answers a POST with an operation, whose input is the body. There are no
// parameters beside it.
func post[In, Out any](h tools.Handler[In, Out]) endpoint {
	takes, encode := schema.Body[In](), tools.EncoderOf[Out]()
	prepare := func(r *http.Request, _ httprouter.Params) (perform, error) {
		raw, err := readBody(r)
		if err != nil {
			return nil, err
		}
		var in In
		if err := takes.Decode(raw, &in); err != nil {
			return nil, err
		}
		return answer(h, encode, in), nil
	}
	return endpoint{prepare: prepare, body: takes, result: reflect.TypeFor[Out](), need: data}
}

// needs is the endpoint for callers who have what an operation needs. Nothing
// of a request is read or judged before that is known.
func needs(n access.Need, e endpoint) endpoint {
	e.need = n
	return e
}

// keyed is an endpoint for keys of a plan that has decisions.
func keyed(e endpoint) endpoint {
	return needs(access.Need{By: access.Key, Scopes: []string{access.DecisionRead}, Feature: access.DecisionAPI}, e)
}

// priced is the endpoint at a price.
func priced(p price, e endpoint) endpoint {
	e.price = p
	return e
}

// readBody is the body of a request that is JSON, of bounded length, and
// alone: the query has nothing beside it.
func readBody(r *http.Request) ([]byte, error) {
	if err := checkMedia(r.Header); err != nil {
		return nil, err
	}
	if r.ContentLength > mostBody {
		return nil, tooLarge()
	}
	raw, err := io.ReadAll(io.LimitReader(r.Body, mostBody+1))
	switch {
	case len(raw) > mostBody:
		return nil, tooLarge()
	case err != nil:
		if e, known := coast.AsError(err); known { // the server is overloaded
			return nil, e
		}
		// Else it is the client's doing, or its network's.
		return nil, coast.Errorf(coast.InvalidRequest, "the body ended before it was whole: send it again")
	}
	return raw, refuseQuery(r.URL)
}

func tooLarge() error {
	return coast.Errorf(coast.PayloadTooLarge, "the body is longer than %d bytes; what an operation takes is shorter", mostBody)
}

// checkMedia refuses what is not said to be JSON as it stands.
func checkMedia(h http.Header) error {
	const send = "send the body as Content-Type: application/json"
	given := h.Get("Content-Type")
	media, _, err := mime.ParseMediaType(given)
	coding := h.Get("Content-Encoding")
	switch {
	case given == "":
		return coast.Errorf(coast.UnsupportedMediaType, "the request has no Content-Type: %s", send)
	case err != nil || media != "application/json":
		return coast.Errorf(coast.UnsupportedMediaType, "Content-Type %q is not taken: %s", coast.Clip(given), send)
	case coding != "" && !strings.EqualFold(coding, "identity"):
		return coast.Errorf(coast.UnsupportedMediaType, "Content-Encoding %q is not taken: %s, not compressed", coast.Clip(coding), send)
	}
	return nil
}

// noParameters are those of operations with a body.
var noParameters = schema.Arguments[struct{}]()

func refuseQuery(u *url.URL) error {
	given, err := parameters(u, nil)
	if err != nil {
		return err
	}
	return noParameters.DecodeQuery(given, &struct{}{})
}
