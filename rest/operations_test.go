package rest

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// TestStationOperations checks that a station names operations of the document that apply to it.
func TestStationOperations(t *testing.T) {
	api := newGated(t)
	for id, want := range map[string]string{
		"8443970": "getPredictions tripHealth bestWindow evaluateRules materialChange",
		"EPT0003": "",
	} {
		var got struct{ Operations []string }
		body := ask(api, "GET", "/api/v1/stations/"+id).Body
		if err := json.Unmarshal(body.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		if list := strings.Join(got.Operations, " "); list != want {
			t.Errorf("%s has the operations %q, want %q", id, list, want)
		}
	}
	for tool, ids := range operationsOf {
		for _, id := range ids {
			if !slices.ContainsFunc(api.contract, func(o route) bool { return o.id == id }) {
				t.Errorf("%s: no operation %s", tool, id)
			}
		}
	}
}
