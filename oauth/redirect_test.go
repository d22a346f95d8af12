package oauth

import (
	"net"
	"net/url"
	"strings"
	"testing"
)

// redirectsInUse lists redirect URIs that real clients send, with the URIs that
// they registered.
var redirectsInUse = []struct{ client, registered, asked string }{
	{"Claude", "https://claude.ai/api/mcp/auth_callback", "https://claude.ai/api/mcp/auth_callback"},
	{"Claude", "https://claude.com/api/mcp/auth_callback", "https://claude.com/api/mcp/auth_callback"},
	{"Claude Code", "http://localhost/callback", "http://localhost:53682/callback"},
	{"Claude Code", "http://localhost/callback", "http://localhost:8080/callback"},
	{"Claude Code", "http://127.0.0.1/callback", "http://127.0.0.1:61023/callback"},
	{"Claude Code", "http://localhost:41200/callback", "http://localhost:41200/callback"},
	{"Copilot CLI", "http://127.0.0.1:33418/", "http://127.0.0.1:33418/"},
	{"Copilot CLI", "http://127.0.0.1:33418/", "http://127.0.0.1:50111/"},
	{"VS Code", "http://127.0.0.1:33418/", "http://127.0.0.1:33418/"},
	{"VS Code", "http://127.0.0.1/", "http://127.0.0.1:49731/"},
	{"VS Code", "https://vscode.dev/redirect", "https://vscode.dev/redirect"},
	{"VS Code", "https://insiders.vscode.dev/redirect", "https://insiders.vscode.dev/redirect"},
	{"ChatGPT", "https://chatgpt.com/connector/oauth/aBc123_-x",
		"https://chatgpt.com/connector/oauth/aBc123_-x"},
	{"ChatGPT", "https://chatgpt.com/connector_platform_oauth_redirect",
		"https://chatgpt.com/connector_platform_oauth_redirect"},
	{"Cursor", "cursor://anysphere.cursor-mcp/oauth/callback",
		"cursor://anysphere.cursor-mcp/oauth/callback"},
	{"Cursor", "http://localhost:8787/callback", "http://localhost:8787/callback"},
	{"Cursor", "https://www.cursor.com/agents/mcp/oauth/callback",
		"https://www.cursor.com/agents/mcp/oauth/callback"},
	{"Inspector", "http://localhost:6274/oauth/callback", "http://localhost:6274/oauth/callback"},
	{"Inspector", "http://localhost:6274/oauth/callback/debug",
		"http://localhost:6274/oauth/callback/debug"},
	{"mcp-remote", "http://localhost:17462/oauth/callback", "http://localhost:17462/oauth/callback"},
	{"Gemini CLI", "http://localhost:7777/oauth/callback", "http://localhost:7777/oauth/callback"},
	{"an app", "com.example.app:/oauth2redirect", "com.example.app:/oauth2redirect"},
	{"IPv6", "http://[::1]/callback", "http://[::1]:50000/callback"},
}

func TestRedirectsOfClientsInUse(t *testing.T) {
	for _, r := range redirectsInUse {
		for _, uri := range []string{r.registered, r.asked} {
			if fault := redirectFault(uri); fault != "" {
				t.Errorf("%s: redirectFault(%q) = %q, want none", r.client, uri, fault)
			}
		}
		if !matches(r.registered, r.asked) {
			t.Errorf("%s: matches(%q, %q) = false, want true", r.client, r.registered, r.asked)
		}
	}
}

// TestCase2RedirectOffByALittle checks that redirect URIs that resemble the
// registered ones are refused.
func TestCase2RedirectOffByALittle(t *testing.T) {
	const claude, loopback, app = "https://claude.ai/api/mcp/auth_callback",
		"http://localhost:8787/callback", "cursor://anysphere.cursor-mcp/oauth/callback"
	for _, r := range []struct{ registered, asked string }{
		{claude, claude + "/"},
		{claude, claude + "k"},
		{claude, claude[:len(claude)-1]},
		{claude, claude + "?"},
		{claude, claude + "?next=https://evilexample.com"},
		{claude, claude + "#"},
		{claude, claude + "#code"},
		{claude, "https://claude.ai:443/api/mcp/auth_callback"},
		{claude, "https://claude.ai:8443/api/mcp/auth_callback"},
		{claude, "http://claude.ai/api/mcp/auth_callback"},
		{claude, "HTTPS://claude.ai/api/mcp/auth_callback"},
		{claude, "https://Claude.ai/api/mcp/auth_callback"},
		{claude, "https://claude.ai./api/mcp/auth_callback"},
		{claude, "https://claude.ai/API/mcp/auth_callback"},
		{claude, "https://claude.ai/api/mcp/%61uth_callback"},
		{claude, "https://claude.ai/api/mcp/x/%2e%2e/auth_callback"},
		{claude, "https://claude.ai/api/mcp/x/../auth_callback"},
		{claude, "https://claude.ai/api/mcp//auth_callback"},
		{claude, "https://claude.ai@evilexample.com/api/mcp/auth_callback"},
		{claude, "https://evilexample.com@claude.ai/api/mcp/auth_callback"},
		{claude, "https://evilexample.com\\@claude.ai/api/mcp/auth_callback"},
		{claude, "https://a.claude.ai/api/mcp/auth_callback"},
		{claude, "https://claude.ai.evilexample.com/api/mcp/auth_callback"},
		{claude, "https://evilclaude.ai/api/mcp/auth_callback"},
		{claude, "https:///claude.ai/api/mcp/auth_callback"},
		{claude, "https:claude.ai/api/mcp/auth_callback"},
		{claude, "//claude.ai/api/mcp/auth_callback"},
		{claude, "/api/mcp/auth_callback"},
		{claude, " " + claude},
		{claude, claude + "\n"},
		{claude, claude + "\x00"},
		{claude, "https://clаude.ai/api/mcp/auth_callback"}, // a Cyrillic letter
		{claude, "https://xn--clude-0nf.ai/api/mcp/auth_callback"},
		{claude, ""},
		{"https://example.com/cb", "https://evilexample.com/cb"},
		{loopback, "http://localhost:8787/callback/"},
		{loopback, "http://localhost:8787/Callback"},
		{loopback, "http://localhost:8787/callback?x=1"},
		{loopback, "http://localhost:8787/callback?"},
		{loopback, "http://localhost:8787/%63allback"},
		{loopback, "http://localhost:/callback"},
		{loopback, "http://localhost:65536/callback"},
		{loopback, "http://localhost:080807/callback"},
		{loopback, "http://localhost:-1/callback"},
		{loopback, "https://localhost:8787/callback"},
		{loopback, "http://localhost.evilexample.com:8787/callback"},
		{loopback, "http://localhost:8787@evilexample.com/callback"},
		{loopback, "http://a@localhost:8787/callback"},
		{loopback, "http://LocalHost:8787/callback"},
		{loopback, "http://evilexample.com:8787/callback"},
		{loopback, "http://localhost:8787\\@evilexample.com/callback"},
		{app, app + "/"},
		{app, app + "?x"},
		{app, "cursor:anysphere.cursor-mcp/oauth/callback"},
		{app, "Cursor://anysphere.cursor-mcp/oauth/callback"},
		{app, "vscode://anysphere.cursor-mcp/oauth/callback"},
		{app, "cursor://anysphere.cursor-mcp:1/oauth/callback"},
	} {
		if matches(r.registered, r.asked) {
			t.Errorf("matches(%q, %q) = true, want false", r.registered, r.asked)
		}
	}
}

// TestCase3LoopbackPort checks that on loopback only the port is ignored, and
// that the different names of loopback are not equal.
func TestCase3LoopbackPort(t *testing.T) {
	hosts := []string{"localhost", "127.0.0.1", "127.0.0.2", "[::1]"}
	for i, registered := range hosts {
		for j, asked := range hosts {
			for _, ports := range [][2]string{{"", ""}, {"", ":5000"}, {":5000", ""}, {":5000", ":6000"}} {
				a, b := "http://"+registered+ports[0]+"/cb?a=b", "http://"+asked+ports[1]+"/cb?a=b"
				if got, want := matches(a, b), i == j; got != want {
					t.Errorf("matches(%q, %q) = %v, want %v", a, b, got, want)
				}
			}
		}
	}
	if matches("https://example.com/cb", "https://example.com:5000/cb") {
		t.Error("a port is ignored that is not on loopback")
	}
}

// TestCase4DangerousSchemes refuses redirect URIs that a browser would execute
// or that any program could receive.
func TestCase4DangerousSchemes(t *testing.T) {
	for _, uri := range []string{
		"javascript:alert(1)", "javascript://claude.ai/%0aalert(1)", "JavaScript:alert(1)",
		"java\tscript:alert(1)", "javascript:/a",
		"data:text/html,x", "data:/text/html,x", "file:///etc/passwd", "file://host/x", "vbscript:/x",
		"about:blank", "about:/blank",
		"blob:https://claude.ai/1", "blob:/x", "view-source:https://claude.ai/", "ftp://example.com/x",
		"ws://localhost/x", "mailto:a@example.com",
		"myapp://callback", "intent://x/#Intent;end", "http://example.com/cb", "http://192.168.1.5/cb",
		"http://0.0.0.0/cb",
		"http://127.1/cb", "http://2130706433/cb", "http://0x7f.0.0.1/cb", "http://0177.0.0.1/cb",
		"http://[::ffff:127.0.0.1]/cb", "http://[::1%25lo]/cb",
		"http://localhost./cb", "http://a.localhost/cb", "https://127.1/cb", "https://0x7f000001/cb",
		"https://[fe80::1%25eth0]/cb", "https://::1/cb", "https://[127.0.0.1]/cb",
		"https://", "https:///cb", "https://:443/cb", "https://a..b/cb", "https://-a.example/cb",
		"https://ex%61mple.com/cb", "https://a b/cb", "https://exa_mple.com/cb",
		"https://example.com:99999/cb", "https://example.com:/cb", "https://例え.jp/cb",
		"https://example.com/\u202egnp", "https://example.com/é", "https://example.com/{id}",
		"https://example.com/" + strings.Repeat("a", maxAddress), "com.example.app:callback",
		".example:/x", "com.:/x", "com..app:/x",
		"a." + strings.Repeat("b", maxScheme) + ":/x", "1com.example:/x", "claude.ai", "",
	} {
		if fault := redirectFault(uri); fault == "" {
			t.Errorf("redirectFault(%q) is none", uri)
		}
		if matches(uri, uri) {
			t.Errorf("matches(%q, itself) = true", uri)
		}
	}
}

func TestRedirectTarget(t *testing.T) {
	for _, r := range []struct {
		uri, text string
		local     bool
		source    string
	}{
		{"https://claude.ai/api/mcp/auth_callback", "claude.ai", false, "https:"},
		{"https://Claude.AI:443/x", "claude.ai", false, "https:"},
		{"https://example.com:8443/x", "example.com:8443", false, "https:"},
		{"https://xn--clude-0nf.ai/x", "xn--clude-0nf.ai", false, "https:"},
		{"https://192.168.1.5/x", "192.168.1.5", false, "https:"},
		{"https://[2001:db8::1]:8443/x", "[2001:db8::1]:8443", false, "https:"},
		{"http://localhost:8787/callback", "this computer", true, "http://localhost:8787"},
		{"http://localhost/callback", "this computer", true, "http://localhost"},
		{"http://127.0.0.1:33418/", "this computer", true, "http://127.0.0.1:33418"},
		{"http://127.0.0.2:33418/", "this computer", true, "http:"},
		{"http://[::1]:5000/cb", "this computer", true, "http:"},
		{"cursor://anysphere.cursor-mcp/oauth/callback", "an app that opens cursor: links", true,
			"cursor:"},
		{"com.example.app:/cb", "an app that opens com.example.app: links", true, "com.example.app:"},
		{"claude.ai://claude.ai/cb", "an app that opens claude.ai: links", true, "claude.ai:"},
	} {
		if fault := redirectFault(r.uri); fault != "" {
			t.Errorf("redirectFault(%q) = %q, want none", r.uri, fault)
		}
		if text, local := redirectTarget(r.uri); text != r.text || local != r.local {
			t.Errorf("redirectTarget(%q) = %q, %v, want %q, %v", r.uri, text, local, r.text, r.local)
		}
		if got := formTarget(r.uri); got != r.source {
			t.Errorf("formTarget(%q) = %q, want %q", r.uri, got, r.source)
		}
	}
}

// authorityOf extracts the host of a URL without a URL parser, as another
// program might do.
func authorityOf(uri string) (scheme, host string) {
	scheme, rest, _ := strings.Cut(uri, ":")
	rest = strings.TrimLeft(rest, "/\\")
	if end := strings.IndexAny(rest, "/\\?#"); end >= 0 {
		rest = rest[:end]
	}
	rest = rest[strings.LastIndex(rest, "@")+1:]
	if host, _, err := net.SplitHostPort(rest); err == nil {
		return scheme, host
	}
	return scheme, strings.Trim(rest, "[]")
}

// FuzzMatches checks that a matching redirect URI never names another host, and
// is identical except on loopback.
func FuzzMatches(f *testing.F) {
	for _, r := range redirectsInUse {
		f.Add(r.registered, r.asked)
	}
	f.Add("http://localhost/cb", "http://localhost:80@evilexample.com/cb")
	f.Add("http://localhost:1/cb", "http://localhost:1\\@evilexample.com/cb")
	f.Add("http://[::1]/cb", "http://[::1]:8/cb")
	f.Add("http://127.0.0.1", "http://127.0.0.1:1?x")
	f.Fuzz(func(t *testing.T, registered, asked string) {
		if !matches(registered, asked) {
			return
		}
		scheme, host := authorityOf(registered)
		if s, h := authorityOf(asked); s != scheme || h != host {
			t.Errorf("matches(%q, %q), though the hosts are %q and %q", registered, asked, host, h)
		}
		if registered != asked &&
			(scheme != "http" || host != "localhost" && host != "::1" &&
				!strings.EqualFold(host, "localhost") && !net.ParseIP(host).IsLoopback()) {
			t.Errorf("matches(%q, %q), though it is not on loopback", registered, asked)
		}
		a, _ := url.Parse(registered)
		b, _ := url.Parse(asked)
		if a.EscapedPath() != b.EscapedPath() || a.RawQuery != b.RawQuery {
			t.Errorf("matches(%q, %q), though path or query differ", registered, asked)
		}
		if source := formTarget(asked); strings.ContainsAny(source, "; ,'\"\r\n*") {
			t.Errorf("formTarget(%q) = %q, which says more than one source", asked, source)
		}
	})
}
