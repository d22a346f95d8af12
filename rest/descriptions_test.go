package rest

import (
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestDescriptions checks that every property, parameter and header of every document has a
// description, those of nested objects too.
func TestDescriptions(t *testing.T) {
	for name, v := range parsedDocuments(t) {
		count := 0
		check := func(place string, described any) {
			count++
			if text, _ := at(described, "description").(string); text == "" {
				t.Errorf("%s: %s does not have a description", name, place)
			}
		}
		eachSchema(v, "", func(place string, s map[string]any) {
			if at(s, "in") != nil && at(s, "name") != nil {
				check(place, s)
			}
			properties, _ := at(s, "properties").(map[string]any)
			for property, p := range properties {
				check(place+"."+property, p)
			}
		})
		for header, h := range at(v, "components", "headers").(map[string]any) {
			check(header, h)
		}
		if count < 100 {
			t.Errorf("%s: %d descriptions, want all", name, count)
		}
	}
}

// TestPresence checks that every document states the rule of absent properties and null, and that
// its schemas follow it. A property that can be null is always present, so that absence and null
// never mean the same. The description of a property of a result says what null means, and when it
// is left out.
func TestPresence(t *testing.T) {
	for name, v := range parsedDocuments(t) {
		if text := at(v, "info", "description").(string); !strings.Contains(text, presence) {
			t.Errorf("%s does not state the rule", name)
		}
		results := resultsOf(v)
		for of, s := range at(v, "components", "schemas").(map[string]any) {
			properties, _ := at(s, "properties").(map[string]any)
			required, _ := at(s, "required").([]any)
			for property, p := range properties {
				text, _ := at(p, "description").(string)
				text = strings.ToLower(text)
				null, always := nullable(p), slices.Contains(required, any(property))
				switch {
				case null && !always:
					t.Errorf("%s: %s.%s can be null and be left out", name, of, property)
				case null && !strings.Contains(text, "null"):
					t.Errorf("%s: %s.%s does not say what null means: %s", name, of, property, text)
				case results[of] && !always && !strings.Contains(text, "left out"):
					t.Errorf("%s: %s.%s does not say when it is left out: %s", name, of, property, text)
				}
			}
		}
		if len(results) < 10 {
			t.Errorf("%s: %d schemas of results", name, len(results))
		}
	}
}

// parsedDocuments returns the OpenAPI documents by their names.
func parsedDocuments(t *testing.T) map[string]any {
	t.Helper()
	all := map[string]any{}
	for name, h := range newGated(t).documents() {
		v, err := jsonschema.UnmarshalJSON(ask(h, "GET", "/").Body)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = v
	}
	return all
}

// nullable reports whether a property can be null.
func nullable(p any) bool {
	if kinds, ok := at(p, "type").([]any); ok {
		return slices.Contains(kinds, any("null"))
	}
	choices, _ := at(p, "anyOf").([]any)
	return slices.ContainsFunc(choices, func(c any) bool { return at(c, "type") == "null" })
}

// resultsOf returns the names of the schemas that responses and events refer to, directly or not.
func resultsOf(document any) map[string]bool {
	found := map[string]bool{}
	var collect func(v any)
	collect = func(v any) {
		eachSchema(v, "", func(_ string, s map[string]any) {
			ref, _ := s["$ref"].(string)
			name, ok := strings.CutPrefix(ref, "#/components/schemas/")
			if ok && !found[name] {
				found[name] = true
				collect(at(document, "components", "schemas", name))
			}
		})
	}
	collect(at(document, "components", "responses"))
	collect(at(document, "webhooks"))
	for _, item := range at(document, "paths").(map[string]any) {
		for _, o := range item.(map[string]any) {
			collect(at(o, "responses"))
		}
	}
	return found
}
