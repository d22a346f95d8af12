package providers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"testing"

	"leadline/e2e/product"
	"leadline/internal/access"
	"leadline/internal/access/credential"
	"leadline/internal/coast"
)

// keyedTool is a tool for the callers of a keyed operation.
type keyedTool struct{ tool, operation, args string }

const keyedTrip = `{"stationId":"8443970","activity":"fishing","localDate":"2026-11-21",` +
	`"localTime":"09:00",`

var keyedTools = []keyedTool{
	{"leadline_best_window", "best-window", product.Windows("fishing", 3)},
	{"leadline_evaluate_rules", "evaluate-rules",
		keyedTrip + `"rules":[{"id":"calm","kind":"state_allowed","allowed":["normal"]}]}`},
	{"leadline_material_change", "material-change", keyedTrip + `"baseline":{"state":"watch"}}`},
}

// callAt calls a tool of the set planning with a key, or without a credential if it is "".
func callAt(t *testing.T, base, key, tool, args string) (got toolResult, header http.Header) {
	t.Helper()
	answer, body := product.Query{
		Method: "POST", Path: "/mcp?toolsets=planning&view=full", Key: key, Status: http.StatusOK,
		Body: fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call",`+
			`"params":{"name":%q,"arguments":%s}}`, tool, args),
	}.AnswerOf(t, base)
	var message struct{ Result toolResult }
	product.Decode(t, body, &message)
	return message.Result, answer.Header
}

// decisionIDs matches what differs between two decisions of the same time.
var decisionIDs = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// shared returns a result without the ids of its decisions.
func shared(result []byte) string {
	return decisionIDs.ReplaceAllString(string(bytes.TrimSpace(result)), "ID")
}

// TestKeyedTools checks that the keyed decisions give each caller over MCP what REST gives: the
// same result, or the same error, which costs no unit.
func TestKeyedTools(t *testing.T) {
	p := calm(t)
	keys := func(plan access.Tier, scopes ...string) string {
		return product.NewKey(t, p.Storage(), plan, append(scopes, credential.MCPUse)...)
	}
	for _, c := range keyedTools {
		for _, test := range []struct {
			name, key string
			status    int
			want      coast.Code
		}{
			{"anonymous", "", http.StatusUnauthorized, coast.CredentialRequired},
			{"no scope", keys(access.Pro, credential.RawRead), http.StatusForbidden,
				coast.InsufficientScope},
			{"free plan", keys(access.Free, credential.DecisionRead), http.StatusForbidden,
				coast.PlanRequired},
			{"pro plan", keys(access.Pro, credential.DecisionRead), http.StatusOK, ""},
		} {
			rest := product.Caller{
				Base: p.URL,
				Key:  test.key,
			}.Want(
				t,
				test.status,
				c.operation,
				c.args,
			)
			got, header := callAt(t, p.URL, test.key, c.tool, c.args)
			var body struct{ Error coast.Error }
			if err := json.Unmarshal(got.StructuredContent, &body); err != nil {
				t.Fatal(err)
			}
			if got.IsError != (test.want != "") || body.Error.Code != test.want ||
				shared(got.StructuredContent) != shared(rest) {
				t.Errorf(
					"%s, %s: %s, want that of REST: %s",
					c.tool,
					test.name,
					got.StructuredContent,
					rest,
				)
			}
			limit, left := header.Get("X-Quota-Month-Limit"), header.Get("X-Quota-Month-Remaining")
			if spent := limit != left; test.key != "" && spent != (test.want == "") {
				t.Errorf("%s, %s: %s of %s units remain", c.tool, test.name, left, limit)
			}
		}
	}
}

// TestTripHealthTool checks that the public decision needs no credential over MCP.
func TestTripHealthTool(t *testing.T) {
	p := calm(t)
	got, _ := callAt(t, p.URL, "", "leadline_trip_health", soonFishing)
	_, rest, err := send(p.URL+"/api/v1/decisions/trip-health", soonFishing)
	if err != nil || got.IsError || shared(got.StructuredContent) != shared(rest) {
		t.Errorf("%v, %s, want that of REST: %s", err, got.StructuredContent, rest)
	}
}

const soonFishing = `{"stationId":"8443970","activity":"fishing","localDate":"2026-11-21",` +
	`"localTime":"09:00"}`
