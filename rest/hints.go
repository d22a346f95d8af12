package rest

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"leadline/internal/coast"
)

// routes finds the operations that errors hint at by their operationIds.
type routes map[coast.Operation]route

func routesOf(table []route) routes {
	r := routes{}
	for _, o := range table {
		r[coast.Operation(o.id)] = o
	}
	return r
}

// parameterOf maps arguments of hints to parameters of other names.
var parameterOf = map[string]string{"query": "q", "station": "id"}

// explain returns an error with its hints, which name routes.
func (r routes) explain(err error) error {
	var e *coast.Error
	if !errors.As(err, &e) {
		return err
	}
	return e.Explain(r.hint)
}

// hint returns the sentence of a hint, with a request.
func (r routes) hint(h coast.Hint) string {
	o, ok := r[h.Operation]
	if !ok {
		return h.Do + " over MCP: REST has no route for that."
	}
	return h.Do + " with " + o.request(h.Arguments) + "."
}

// request returns a request for the operation as people write it: arguments that are not in the
// path are in the query or in a JSON body.
func (o route) request(arguments coast.Arguments) string {
	path, separator := o.path, "?"
	var body coast.Arguments
	for _, a := range arguments {
		name, renamed := parameterOf[a.Name]
		if !renamed {
			name = a.Name
		}
		value, inPath := fmt.Sprint(a.Value), "{"+name+"}"
		switch {
		case strings.Contains(path, inPath):
			path = strings.Replace(path, inPath, url.PathEscape(value), 1)
		case o.method == http.MethodGet:
			path += separator + name + "=" + url.QueryEscape(value)
			separator = "&"
		default:
			body = append(body, coast.Argument{Name: name, Value: a.Value})
		}
	}
	if body != nil {
		return o.method + " " + path + " and " + body.JSON()
	}
	return o.method + " " + path
}
