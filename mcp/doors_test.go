package mcp

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"

	"leadline/internal/access"
	"leadline/internal/access/accesstest"
)

const metadata = "https://tides.example.org/.well-known/oauth-protected-resource/pro/mcp"

// newDoors are the two doors of the product behind a gate.
func newDoors(t *testing.T, plans access.Plans) (gate *accesstest.Gate, anonymous, signedIn http.Handler) {
	t.Helper()
	now := func() time.Time { return time.Date(2026, 11, 20, 17, 0, 0, 0, time.UTC) }
	gate = accesstest.New(t, plans, now)
	s := newProductBehind(t, gate.Gate)
	return gate, gate.Wear(access.MCP, s), gate.Wear(access.MCP, s.SignedIn(metadata))
}

const handshake = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

// TestCase43Challenge: whatever is asked without a good credential, the answer
// tells where to sign in, as configured, though headers name another host.
func TestCase43Challenge(t *testing.T) {
	gate, _, door := newDoors(t, accesstest.Roomy(t))
	account := gate.Account(t, access.Pro)
	narrow := gate.Token(t, account, access.RawRead)
	discover, modern := modernize(t, request("server/discover", "{}"))
	lies := []string{"Host", "localhost:4711", "X-Forwarded-Host", "evil.example", "X-Forwarded-Proto", "http", "Forwarded", "host=evil.example;proto=http", "X-Original-Host", "evil.example"}
	for _, test := range []struct {
		name, method, body string
		header             []string
	}{
		{"GET", "GET", "", nil}, {"HEAD", "HEAD", "", nil}, {"DELETE", "DELETE", "", nil}, {"PUT", "PUT", ping, nil},
		{"initialize", "POST", handshake, nil}, {"server/discover", "POST", discover, modern}, {"tools/list", "POST", request("tools/list", "{}"), nil},
		{"a notification", "POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, nil}, {"nonsense", "POST", "nonsense", nil},
	} {
		for _, sent := range []struct {
			credential, code, challenge string
			status                      int
		}{
			{"", "credential_required", `Bearer resource_metadata="` + metadata + `", scope="mcp:use"`, 401},
			{"nonsense", "invalid_credential", `Bearer error="invalid_token", resource_metadata="` + metadata + `", scope="mcp:use"`, 401},
			{narrow, "insufficient_scope", `Bearer error="insufficient_scope", resource_metadata="` + metadata + `", scope="mcp:use"`, 403},
		} {
			header := append(append([]string{}, lies...), test.header...)
			if sent.credential != "" {
				header = append(header, "Authorization", "Bearer "+sent.credential)
			}
			got := send(t, door, test.method, test.body, header...)
			if got.status != sent.status || got.header.Get("WWW-Authenticate") != sent.challenge {
				t.Errorf("%s, %s: %d, challenge %s", test.name, sent.code, got.status, got.header.Get("WWW-Authenticate"))
			}
			if got.Error == nil || got.Error.Data["code"] != sent.code {
				t.Errorf("%s: %s, want a JSON-RPC error %s", test.name, got.body, sent.code)
			}
		}
	}
}

// TestNowhereToSignIn: where nobody can sign in, no client is sent anywhere.
func TestNowhereToSignIn(t *testing.T) {
	gate, anonymous, _ := newDoors(t, accesstest.Roomy(t))
	door := gate.Wear(access.MCP, newProductBehind(t, gate.Gate).SignedIn(""))
	for _, test := range []struct {
		door                  http.Handler
		credential, challenge string
	}{
		{door, "", "Bearer"}, {door, "nonsense", `Bearer error="invalid_token"`},
		{anonymous, "nonsense", `Bearer error="invalid_token"`}, {anonymous, gate.Token(t, gate.Account(t, access.Pro)), `Bearer error="invalid_token"`},
	} {
		header := []string{}
		if test.credential != "" {
			header = append(header, "Authorization", "Bearer "+test.credential)
		}
		if got := post(t, test.door, ping, header...); got.status != 401 || got.header.Get("WWW-Authenticate") != test.challenge {
			t.Errorf("%.10q: %d, challenge %s, want %s", test.credential, got.status, got.header.Get("WWW-Authenticate"), test.challenge)
		}
	}
}

// TestSignedIn: who has a good credential is served, and GET is what it is at
// the other door.
func TestSignedIn(t *testing.T) {
	gate, _, door := newDoors(t, access.BuiltIn())
	account := gate.Account(t, access.Pro)
	for _, credential := range []string{gate.Token(t, account), gate.Key(t, account)} {
		for _, test := range []struct {
			method, body string
			status       int
		}{{"POST", handshake, 200}, {"POST", request("tools/list", "{}"), 200}, {"GET", "", 405}, {"DELETE", "", 405}} {
			got := send(t, door, test.method, test.body, "Authorization", "Bearer "+credential)
			if got.status != test.status || got.header.Get("X-RateLimit-Limit") != "3000" || got.header.Get("WWW-Authenticate") != "" {
				t.Errorf("%s %.80s: %d %v", test.method, test.body, got.status, got.header)
			}
		}
	}
}

// TestCase52RefusalsAreReadable: a page may read why it was refused, and how it
// is let in.
func TestCase52RefusalsAreReadable(t *testing.T) {
	gate, anonymous, signedIn := newDoors(t, access.BuiltIn())
	narrow := gate.Token(t, gate.Account(t, access.Free), access.RawRead)
	ask := func(door http.Handler, status int, header ...string) {
		t.Helper()
		got := post(t, door, ping, append(header, "Origin", "https://claude.ai")...)
		if got.status != status || got.header.Get("Access-Control-Allow-Origin") != "https://claude.ai" {
			t.Errorf("%d %v, want %d that a page may read", got.status, got.header, status)
		}
		exposed := ", " + got.header.Get("Access-Control-Expose-Headers") + ","
		for _, name := range []string{"WWW-Authenticate", "Retry-After", "X-Request-Id", "X-RateLimit-Remaining"} {
			if !strings.Contains(exposed, ", "+name+",") {
				t.Errorf("%d: a page may not read %s", status, name)
			}
		}
	}
	ask(signedIn, 401)
	ask(signedIn, 401, "Authorization", "Bearer nonsense")
	ask(signedIn, 403, "Authorization", "Bearer "+narrow)
	ask(anonymous, 401, "Authorization", "Bearer nonsense")
	for range 27 { // of 30, three are gone
		post(t, anonymous, ping)
	}
	ask(anonymous, 429)
	ask(signedIn, 429)
}

// TestCase58ListsAreTheSame: for all principals, at both doors, to the byte.
func TestCase58ListsAreTheSame(t *testing.T) {
	gate, anonymous, signedIn := newDoors(t, accesstest.Roomy(t))
	free, pro := gate.Account(t, access.Free), gate.Account(t, access.Pro)
	for _, method := range listed {
		for _, modern := range []bool{false, true} {
			body, header := request(string(method), "{}"), []string{}
			if modern {
				body, header = modernize(t, body)
			}
			want := post(t, anonymous, body, header...)
			for name, asked := range map[string]struct {
				door       http.Handler
				credential string
			}{
				"free key": {anonymous, gate.Key(t, free)}, "narrow pro key": {anonymous, gate.Key(t, pro, access.MCPUse)},
				"free key, signed in": {signedIn, gate.Key(t, free)}, "free token": {signedIn, gate.Token(t, free)}, "pro token": {signedIn, gate.Token(t, pro, access.Scopes()...)},
			} {
				got := post(t, asked.door, body, append(header, "Authorization", "Bearer "+asked.credential)...)
				if got.status != want.status || !bytes.Equal(got.body, want.body) {
					t.Errorf("%s, modern %t, %s: %d %.100s, want %d %.100s", method, modern, name, got.status, got.body, want.status, want.body)
				}
			}
		}
	}
}
