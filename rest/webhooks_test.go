package rest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// readDeveloperDocument returns the OpenAPI document of the routes for developers.
func readDeveloperDocument(t *testing.T) map[string]any {
	t.Helper()
	w := ask(newGated(t).DeveloperDocument(base), "GET", "/api/developer/openapi.json")
	v, err := jsonschema.UnmarshalJSON(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	return v.(map[string]any)
}

// TestWebhookRequests checks what the documented request of each kind of event has: the envelope
// and the headers, and the members that data always has besides eventId and contractVersion.
func TestWebhookRequests(t *testing.T) {
	d := readDeveloperDocument(t)
	const quota = "account month limit used remaining resetsAt level "
	want := map[string]string{
		"webhook.test": "endpoint cause message",
		"decision.material_change": "cause watch request direction change decision carried summary " +
			"disclaimer",
		"quota.warning":  quota,
		"quota.exceeded": quota + "retryAfterSeconds",
		"api.degraded": "component from to since recovered durationSeconds status message " +
			"statusUrl",
		"status.incident.created":      "incident previousStatus statusUrl",
		"status.incident.updated":      "incident previousStatus statusUrl",
		"status.maintenance.scheduled": "maintenance change statusUrl",
	}
	for kind, item := range d["webhooks"].(map[string]any) {
		members, ok := want[kind]
		if !ok {
			t.Errorf("the document has the unknown kind %s", kind)
		}
		delete(want, kind)
		post := at(item, "post")
		if got, want := headersOf(post), "leadline-attempt leadline-replay? webhook-id "+
			"webhook-signature webhook-timestamp"; got != want {
			t.Errorf("%s has the headers %s, want %s", kind, got, want)
		}
		name, _ := at(post, "requestBody", "content", "application/json", "schema", "$ref").(string)
		mapped := at(d, "components", "schemas", "Event", "discriminator", "mapping", kind)
		if mapped != name {
			t.Errorf("Event maps %s to %v, want %s", kind, mapped, name)
		}
		body := at(d, "components", "schemas", strings.TrimPrefix(name, "#/components/schemas/"))
		if got := sorted(at(body, "required")); got != "data timestamp type" {
			t.Errorf("%s: the body requires %s, want data timestamp type", kind, got)
		}
		if got := at(body, "properties", "type", "const"); got != kind {
			t.Errorf("%s: type is %v", kind, got)
		}
		ref, _ := at(body, "properties", "data", "$ref").(string)
		data := at(d, "components", "schemas", strings.TrimPrefix(ref, "#/components/schemas/"))
		all := strings.Fields(members + " eventId contractVersion")
		slices.Sort(all)
		if got := sorted(at(data, "required")); got != strings.Join(all, " ") {
			t.Errorf("%s: data requires %s, want %s", kind, got, strings.Join(all, " "))
		}
		if at(data, "additionalProperties") == false {
			t.Errorf("%s: data refuses members that later versions may add", kind)
		}
	}
	for kind := range want {
		t.Errorf("the document lacks the kind %s", kind)
	}
}

// headersOf returns the names of the headers of an operation, in order, the optional ones with a
// question mark.
func headersOf(operation any) string {
	var names []any
	parameters, _ := at(operation, "parameters").([]any)
	for _, p := range parameters {
		name := fmt.Sprint(at(p, "name"))
		if at(p, "required") != true {
			name += "?"
		}
		names = append(names, name)
	}
	return sorted(names)
}

// sorted returns a list of names in alphabetical order.
func sorted(list any) string {
	var names []string
	all, _ := list.([]any)
	for _, name := range all {
		names = append(names, fmt.Sprint(name))
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}
