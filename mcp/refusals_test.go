package mcp

import (
	"net/http"
	"strings"
	"testing"

	"leadline/internal/access"
	"leadline/internal/access/accesstest"
	"leadline/internal/access/credential"
	"leadline/internal/access/limit"
	"leadline/internal/coast"
)

// TestRefusalsAreRecorded checks that the owner of an account finds each refused message, with what
// it requested.
func TestRefusalsAreRecorded(t *testing.T) {
	gate, anonymous, signedIn := newEndpoints(t, accesstest.Roomy(t))
	account := gate.Account(t, access.Pro)
	key, narrow := gate.Key(t, account), gate.Key(t, account, credential.RawRead)
	ask := func(h http.Handler, method, body, credential string, header ...string) reply {
		return send(t, h, method, body, append(header, "Authorization", "Bearer "+credential)...)
	}
	unknown, modern := modernize(t, request("tools/like", "{}"))
	for _, test := range []struct {
		send      func() reply
		operation string
		status    int
		code      coast.Code
		words     string
	}{
		{
			func() reply { return ask(anonymous, "GET", "", key) },
			"GET /mcp", 405, coast.MethodNotAllowed, "a POST with a JSON body",
		},
		{
			func() reply { return ask(anonymous, "POST", "nonsense", key) },
			"POST /mcp", 400, coast.InvalidRequest, "not valid JSON",
		},
		{
			func() reply { return ask(signedIn, "POST", handshake, narrow) },
			"POST /mcp", 403, coast.InsufficientScope, "lacks the scope mcp:use",
		},
		{
			func() reply {
				return ask(anonymous, "POST", call("noaa_get_tide_predictions", `{"station":"0000000"}`), key)
			},
			"tools/call noaa_get_tide_predictions", 200, coast.StationNotFound, "",
		},
		{
			func() reply { return ask(anonymous, "POST", call("noaa_tides", "{}"), key) },
			"tools/call noaa_tides", 200, coast.InvalidRequest, "unknown tool",
		},
		{
			func() reply {
				return ask(anonymous, "POST", request("resources/read", `{"uri":"leadline://x"}`), key)
			},
			"resources/read leadline://x", 200, coast.InvalidRequest, "no resource",
		},
		{
			func() reply { return ask(anonymous, "POST", request("tools/like", "{}"), key) },
			"tools/like", 200, coast.InvalidRequest, "not found", // by mcp-go
		},
		{
			func() reply { return ask(anonymous, "POST", unknown, key, modern...) },
			"tools/like", 404, coast.InvalidRequest, "not found",
		},
	} {
		before := len(gate.Refusals(account))
		test.send()
		all := gate.Refusals(account)
		if len(all) != before+1 {
			t.Fatalf("%s: %d refusals, want %d", test.operation, len(all), before+1)
		}
		got := all[0]
		if got.Operation != test.operation || got.Status != test.status || got.Code != test.code ||
			!strings.Contains(got.Message, test.words) || got.Surface != limit.MCP {
			t.Errorf("refusal %+v, want %s %d %s %q", got, test.operation, test.status, test.code,
				test.words)
		}
	}
	before := len(gate.Refusals(account))
	ask(anonymous, "POST", call("noaa_get_tide_predictions", `{"station":"8443970"}`), key)
	ask(anonymous, "POST", request("tools/list", "{}"), key)
	ask(anonymous, "POST", request("resources/list", "{}"), key)
	if got := gate.Refusals(account); len(got) != before {
		t.Errorf("a served request is recorded as %+v", got[0])
	}
}
