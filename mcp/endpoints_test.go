package mcp

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"

	"leadline/internal/access"
	"leadline/internal/access/accesstest"
	"leadline/internal/access/credential"
	"leadline/internal/access/limit"
)

const metadata = "https://tides.example.org/.well-known/oauth-protected-resource/pro/mcp"

// newEndpoints returns both endpoints with the real tools, behind a gate.
func newEndpoints(
	t *testing.T, plans access.Plans,
) (gate *accesstest.Gate, anonymous, signedIn http.Handler) {
	t.Helper()
	now := func() time.Time { return time.Date(2026, 11, 20, 17, 0, 0, 0, time.UTC) }
	gate = accesstest.New(t, plans, now)
	s := newProductBehind(t, gate.Gate)
	return gate, gate.Wrap(limit.MCP, s), gate.Wrap(limit.MCP, s.SignedIn(metadata))
}

// initialize holds the params of an initialize request.
const initialize = `{"protocolVersion":"2025-11-25","capabilities":{},` +
	`"clientInfo":{"name":"t","version":"1"}}`

const handshake = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":` + initialize + `}`

// TestCase43Challenge checks the responses to all requests without a valid
// credential. They contain the configured metadata URL, even if headers of the
// request name another host.
func TestCase43Challenge(t *testing.T) {
	gate, _, endpoint := newEndpoints(t, accesstest.Roomy(t))
	account := gate.Account(t, access.Pro)
	narrow := gate.Token(t, account, credential.RawRead)
	discover, modern := modernize(t, request("server/discover", "{}"))
	forged := []string{
		"Host", "localhost:4711",
		"X-Forwarded-Host", "evil.example",
		"X-Forwarded-Proto", "http",
		"Forwarded", "host=evil.example;proto=http",
		"X-Original-Host", "evil.example",
	}
	resource := `resource_metadata="` + metadata + `", scope="mcp:use"`
	for _, test := range []struct {
		name, method, body string
		header             []string
	}{
		{"GET", "GET", "", nil},
		{"HEAD", "HEAD", "", nil},
		{"DELETE", "DELETE", "", nil},
		{"PUT", "PUT", ping, nil},
		{"initialize", "POST", handshake, nil},
		{"server/discover", "POST", discover, modern},
		{"tools/list", "POST", request("tools/list", "{}"), nil},
		{
			"a notification", "POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`,
			nil,
		},
		{"nonsense", "POST", "nonsense", nil},
	} {
		for _, sent := range []struct {
			credential, code, challenge string
			status                      int
		}{
			{"", "credential_required", `Bearer ` + resource, 401},
			{"nonsense", "invalid_credential", `Bearer error="invalid_token", ` + resource, 401},
			{narrow, "insufficient_scope", `Bearer error="insufficient_scope", ` + resource, 403},
		} {
			header := append(append([]string{}, forged...), test.header...)
			if sent.credential != "" {
				header = append(header, "Authorization", "Bearer "+sent.credential)
			}
			got := send(t, endpoint, test.method, test.body, header...)
			challenge := got.header.Get("WWW-Authenticate")
			if got.status != sent.status || challenge != sent.challenge {
				t.Errorf("%s, %s: %d, challenge %s", test.name, sent.code, got.status, challenge)
			}
			if got.Error == nil || got.Error.Data["code"] != sent.code {
				t.Errorf("%s: %s, want a JSON-RPC error %s", test.name, got.body, sent.code)
			}
		}
	}
}

// TestNowhereToSignIn checks that responses do not have a metadata URL if there is no
// sign-in.
func TestNowhereToSignIn(t *testing.T) {
	gate, anonymous, _ := newEndpoints(t, accesstest.Roomy(t))
	signedIn := gate.Wrap(limit.MCP, newProductBehind(t, gate.Gate).SignedIn(""))
	token := gate.Token(t, gate.Account(t, access.Pro))
	for _, test := range []struct {
		endpoint              http.Handler
		credential, challenge string
	}{
		{signedIn, "", "Bearer"},
		{signedIn, "nonsense", `Bearer error="invalid_token"`},
		{anonymous, "nonsense", `Bearer error="invalid_token"`},
		{anonymous, token, `Bearer error="invalid_token"`},
	} {
		header := []string{}
		if test.credential != "" {
			header = append(header, "Authorization", "Bearer "+test.credential)
		}
		got := post(t, test.endpoint, ping, header...)
		challenge := got.header.Get("WWW-Authenticate")
		if got.status != 401 || challenge != test.challenge {
			t.Errorf("%.10q: %d, challenge %s, want %s",
				test.credential, got.status, challenge, test.challenge)
		}
	}
}

// TestSignedIn checks that callers with a valid credential are served, and that GET
// is refused as on the other endpoint.
func TestSignedIn(t *testing.T) {
	gate, _, endpoint := newEndpoints(t, access.BuiltIn())
	account := gate.Account(t, access.Pro)
	for _, credential := range []string{gate.Token(t, account), gate.Key(t, account)} {
		for _, test := range []struct {
			method, body string
			status       int
		}{
			{"POST", handshake, 200},
			{"POST", request("tools/list", "{}"), 200},
			{"GET", "", 405},
			{"DELETE", "", 405},
		} {
			got := send(t, endpoint, test.method, test.body, "Authorization", "Bearer "+credential)
			if got.status != test.status || got.header.Get("X-RateLimit-Limit") != "3000" ||
				got.header.Get("WWW-Authenticate") != "" {
				t.Errorf("%s %.80s: %d %v", test.method, test.body, got.status, got.header)
			}
		}
	}
}

// TestCase52RefusalsAreReadable checks that CORS allows a page to read the reason for a
// refusal and the challenge.
func TestCase52RefusalsAreReadable(t *testing.T) {
	gate, anonymous, signedIn := newEndpoints(t, access.BuiltIn())
	narrow := gate.Token(t, gate.Account(t, access.Free), credential.RawRead)
	check := func(endpoint http.Handler, status int, header ...string) {
		t.Helper()
		got := post(t, endpoint, ping, append(header, "Origin", "https://claude.ai")...)
		origin := got.header.Get("Access-Control-Allow-Origin")
		if got.status != status || origin != "https://claude.ai" {
			t.Errorf("%d %v, want %d with the page's origin", got.status, got.header, status)
		}
		exposed := ", " + got.header.Get("Access-Control-Expose-Headers") + ","
		for _, name := range []string{
			"WWW-Authenticate", "Retry-After", "X-Request-Id", "X-RateLimit-Remaining",
		} {
			if !strings.Contains(exposed, ", "+name+",") {
				t.Errorf("%d: a page may not read %s", status, name)
			}
		}
	}
	check(signedIn, 401)
	check(signedIn, 401, "Authorization", "Bearer nonsense")
	check(signedIn, 403, "Authorization", "Bearer "+narrow)
	check(anonymous, 401, "Authorization", "Bearer nonsense")
	for range 27 { // three of the 30 requests are used
		post(t, anonymous, ping)
	}
	check(anonymous, 429)
	check(signedIn, 429)
}

// TestCase58ListsAreTheSame checks that the lists have the same bytes for all
// callers of both endpoints.
func TestCase58ListsAreTheSame(t *testing.T) {
	gate, anonymous, signedIn := newEndpoints(t, accesstest.Roomy(t))
	free, pro := gate.Account(t, access.Free), gate.Account(t, access.Pro)
	for _, method := range listed {
		for _, modern := range []bool{false, true} {
			body, header := request(string(method), "{}"), []string{}
			if modern {
				body, header = modernize(t, body)
			}
			want := post(t, anonymous, body, header...)
			for name, caller := range map[string]struct {
				endpoint   http.Handler
				credential string
			}{
				"free key":            {anonymous, gate.Key(t, free)},
				"narrow pro key":      {anonymous, gate.Key(t, pro, credential.MCPUse)},
				"free key, signed in": {signedIn, gate.Key(t, free)},
				"free token":          {signedIn, gate.Token(t, free)},
				"pro token":           {signedIn, gate.Token(t, pro, credential.Scopes()...)},
			} {
				got := post(t, caller.endpoint, body,
					append(header, "Authorization", "Bearer "+caller.credential)...)
				if got.status != want.status || !bytes.Equal(got.body, want.body) {
					t.Errorf("%s, modern %t, %s: %d %.100s, want %d %.100s", method, modern, name,
						got.status, got.body, want.status, want.body)
				}
			}
		}
	}
}
