package rest

import (
	"reflect"
	"strings"

	"leadline/internal/events"
	"leadline/internal/schema"
)

// webhookHeaders lists the headers of the requests that endpoints receive.
var webhookHeaders = []parameter{
	{
		"webhook-id", "header", "Id of the event, the same in all attempts and replays: ignore an " +
			"event that you have handled.", true,
		schema.Object{{Name: "type", Value: "string"}, {Name: "pattern", Value: "^msg_[0-9a-f]{32}$"}},
		nil,
	},
	{
		"webhook-timestamp", "header", "Time of the attempt in Unix seconds. Refuse a request that is " +
			"more than five minutes off.", true,
		schema.Object{{Name: "type", Value: "integer"}}, nil,
	},
	{
		"webhook-signature", "header", "Signatures, separated by spaces; one of them must match. Each " +
			"is `v1,` and the base64 of HMAC-SHA-256, with the bytes of the secret as key, of the id, the " +
			"timestamp and the body, joined by dots.", true,
		schema.Object{{Name: "type", Value: "string"}}, nil,
	},
	{
		"leadline-attempt", "header", "Number of the attempt, from 1.", true,
		schema.Object{{Name: "type", Value: "integer"}, {Name: "minimum", Value: 1}}, nil,
	},
	{
		"leadline-replay", "header", "`true` if the event is sent again on request.", false,
		schema.Object{{Name: "type", Value: "string"}, {Name: "enum", Value: []string{"true"}}}, nil,
	},
}

// webhookResponses says what follows from the response of an endpoint.
var webhookResponses = map[string]any{
	"2XX": map[string]string{"description": "The event is delivered. The body is ignored."},
	"410": map[string]string{"description": "The endpoint is gone: it is suspended."},
	"429": map[string]string{"description": "Nothing is sent to the endpoint until Retry-After, at " +
		"most a day, or until the next scheduled attempt. The same holds for 502, 503 and 504."},
	"default": map[string]string{"description": "The attempt has failed, redirects too, as does one " +
		"without a response within 15 seconds. There are ten attempts in three days."},
}

// webhook describes the requests of one kind of event.
type webhook struct {
	Tags        []string       `json:"tags"`
	Summary     string         `json:"summary"`
	Description string         `json:"description"`
	OperationID string         `json:"operationId"`
	Security    []any          `json:"security"`
	Parameters  []parameter    `json:"parameters"`
	RequestBody requestBody    `json:"requestBody"`
	Responses   map[string]any `json:"responses"`
}

// addWebhooks adds the kinds of events, the schemas of their bodies, and Event, the union of these.
func (d *document) addWebhooks() {
	var data []reflect.Type
	var kinds []schema.Object
	var mapping schema.Object
	for _, k := range events.Kinds() {
		data = append(data, k.Data)
		name := eventName(k.Kind)
		reference := schema.RefTo(name)
		d.Components.Schemas[name] = envelope(k)
		kinds = append(kinds, reference)
		mapping = append(mapping, schema.Member{Name: string(k.Kind), Value: reference[0].Value})
		d.Webhooks = append(d.Webhooks, schema.Member{Name: string(k.Kind), Value: map[string]webhook{
			"post": {
				Tags: []string{"Webhooks"}, Summary: k.Summary,
				Description: "Ignore fields that you do not know: later versions may add some.",
				OperationID: string(k.Kind), Security: []any{}, Parameters: webhookHeaders,
				RequestBody: requestBody{"The event, minified, at most 16 KiB.", true, body(reference, nil)},
				Responses:   webhookResponses,
			},
		}})
	}
	d.Components.Schemas["Event"] = schema.Object{
		{Name: "oneOf", Value: kinds},
		{Name: "discriminator", Value: schema.Object{
			{Name: "propertyName", Value: "type"}, {Name: "mapping", Value: mapping},
		}},
	}
	join(d.Components.Schemas, schema.Results(data...))
}

// eventName returns the name of the schema of a kind's body: QuotaWarningEvent for quota.warning.
func eventName(kind events.Kind) string {
	name := ""
	separator := func(r rune) bool { return r == '.' || r == '_' }
	for _, word := range strings.FieldsFunc(string(kind), separator) {
		name += strings.ToUpper(word[:1]) + word[1:]
	}
	return name + "Event"
}

// envelope returns the schema of the body of an event.
func envelope(k events.Description) schema.Object {
	return schema.Object{
		{Name: "type", Value: "object"},
		{Name: "required", Value: []string{"type", "timestamp", "data"}},
		{Name: "properties", Value: schema.Object{
			{Name: "type", Value: schema.Object{
				{Name: "const", Value: string(k.Kind)}, {Name: "description", Value: "The kind of the event."},
			}},
			{Name: "timestamp", Value: schema.Object{
				{Name: "type", Value: "string"}, {Name: "format", Value: "date-time"},
				{Name: "description", Value: "When it happened, UTC."},
			}},
			{Name: "data", Value: append(schema.RefOf(k.Data),
				schema.Member{Name: "description", Value: "What happened."})},
		}},
	}
}
