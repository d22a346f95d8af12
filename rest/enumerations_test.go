package rest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"leadline/internal/decide"
)

// TestEnumerations checks that every list of values in the documents has a name that clients can
// import, except those that are a part of a named list.
func TestEnumerations(t *testing.T) {
	api := newGated(t)
	for name, h := range api.documents() {
		if name == "developer" {
			continue
		}
		v, err := jsonschema.UnmarshalJSON(ask(h, "GET", "/").Body)
		if err != nil {
			t.Fatal(err)
		}
		named := map[string][]any{}
		for name, s := range at(v, "components", "schemas").(map[string]any) {
			if list, ok := at(s, "enum").([]any); ok {
				named[name] = list
			}
		}
		if len(named) < 10 {
			t.Errorf("%s: %d named enumerations", name, len(named))
		}
		eachSchema(v, "", func(place string, s map[string]any) {
			list, ok := s["enum"].([]any)
			if !ok || len(list) < 2 || slices.ContainsFunc(valuesOf(named), same(list)) {
				return
			}
			if !slices.ContainsFunc(valuesOf(named), func(whole []any) bool { return holds(whole, list) }) {
				t.Errorf("%s%s: the list %v has no name", name, place, list)
			}
		})
	}
}

// TestBaseline checks that decisions and their summaries satisfy the schema of baselines.
func TestBaseline(t *testing.T) {
	c := jsonschema.NewCompiler()
	if err := c.AddResource("openapi.json", any(readDocument(t, newGated(t)))); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("openapi.json#/components/schemas/Baseline")
	if err != nil {
		t.Fatal(err)
	}
	for text, valid := range map[string]bool{
		`{"state":"normal","confidence":"high","reasons":[{"code":"a"}],"mine":[1]}`: true,
		`{"reasons":[{"code":"a","severity":"watch","sourceId":"b","value":1}]}`:     true,
		`{"sources":[{"id":"a","freshness":"fresh","required":true}]}`:               true,
		`{"state":"fine"}`:         false,
		`{"reasons":[{}]}`:         false,
		`{"sources":[{"id":"a"}]}`: false,
		`[]`:                       false,
	} {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(v); (err == nil) != valid {
			t.Errorf("%s: %v, want valid %v", text, err, valid)
		}
		_, err = decide.ReadBaseline([]byte(text))
		if (err == nil) != valid {
			t.Errorf("%s: the server says %v, want valid %v", text, err, valid)
		}
	}
}

// same returns a function that reports whether a list is this one, not another with its values.
func same(list []any) func([]any) bool {
	return func(other []any) bool { return &other[0] == &list[0] }
}

// holds reports whether whole has more values than part, and all of its values.
func holds(whole, part []any) bool {
	return len(whole) > len(part) &&
		!slices.ContainsFunc(part, func(v any) bool { return !slices.Contains(whole, v) })
}

func valuesOf(m map[string][]any) (list [][]any) {
	for _, v := range m {
		list = append(list, v)
	}
	return list
}

// eachSchema calls visit with every object of a document and its place.
func eachSchema(v any, place string, visit func(place string, s map[string]any)) {
	switch v := v.(type) {
	case []any:
		for i, item := range v {
			eachSchema(item, fmt.Sprint(place, "/", i), visit)
		}
	case map[string]any:
		visit(place, v)
		for name, item := range v {
			eachSchema(item, place+"/"+name, visit)
		}
	}
}
