package rest

import (
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestDescriptions checks that every property of every document has a description.
func TestDescriptions(t *testing.T) {
	for name, h := range newGated(t).documents() {
		v, err := jsonschema.UnmarshalJSON(ask(h, "GET", "/").Body)
		if err != nil {
			t.Fatal(err)
		}
		count := 0
		for of, s := range at(v, "components", "schemas").(map[string]any) {
			properties, _ := at(s, "properties").(map[string]any)
			for property, p := range properties {
				count++
				if text, _ := at(p, "description").(string); text == "" {
					t.Errorf("%s: %s.%s does not have a description", name, of, property)
				}
			}
		}
		if count < 100 {
			t.Errorf("%s: %d properties, want all", name, count)
		}
	}
}
