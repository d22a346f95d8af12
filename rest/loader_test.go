package rest

import (
	"net/http"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// TestDocumentLoads checks that an independent library reads the documents and
// finds them valid, with their schemas and examples.
func TestDocumentLoads(t *testing.T) {
	api := newGated(t)
	for _, test := range []struct {
		served   http.Handler
		table    []route
		webhooks int
	}{
		{api.Document(base), api.contract, 0},
		{api.DeveloperDocument(base), api.developer, 8},
		{api.PlanningDocument(base), api.planning, 0},
		{toys(t, nil).Document(base), toys(t, nil).contract, 0},
	} {
		text := ask(test.served, "GET", "/openapi.json").Body.Bytes()
		document, err := openapi3.NewLoader().LoadFromData(text)
		if err != nil {
			t.Fatal(err)
		}
		err = document.Validate(t.Context(),
			openapi3.EnableExamplesValidation(), openapi3.EnableSchemaFormatValidation())
		if err != nil {
			t.Error(err)
		}
		paths := map[string]bool{}
		for _, o := range test.table {
			paths[o.path] = true
		}
		if got, want := document.Paths.Len(), len(paths); got != want {
			t.Errorf("%d paths, want %d", got, want)
		}
		if got := len(document.Webhooks); got != test.webhooks {
			t.Errorf("%d webhooks, want %d", got, test.webhooks)
		}
	}
}
