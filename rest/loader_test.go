package rest

import (
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// TestDocumentLoads: a library that others wrote reads the document and finds
// it valid, with its schemas and examples.
func TestDocumentLoads(t *testing.T) {
	for _, api := range []*API{newAPI(t), toys(nil)} {
		text := ask(api.Document(base), "GET", "/openapi.json").Body.Bytes()
		document, err := openapi3.NewLoader().LoadFromData(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := document.Validate(t.Context(), openapi3.EnableExamplesValidation(), openapi3.EnableSchemaFormatValidation()); err != nil {
			t.Error(err)
		}
		if got, want := document.Paths.Len(), len(api.table); got != want {
			t.Errorf("%d paths, want %d", got, want)
		}
	}
}
