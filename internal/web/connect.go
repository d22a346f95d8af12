package web

import (
	"encoding/base64"
	"encoding/json"
	"html/template"
	"net/netip"
	"net/url"
	"strings"
)

// Client is one way to connect a program to this server.
type Client struct {
	Name   string
	About  string       // a sentence: where to go, what happens
	Button string       // text of a link that opens the client; empty: Code is to be copied
	Link   template.URL // the client's own address, which opens it
	Code   string       // a command or an address
}

// Clients returns how AI clients and programs connect to the MCP endpoint at an address and to
// the REST endpoint of base. Addresses that the internet cannot reach leave out the clients
// that connect from there. The links are those that their makers document.
func Clients(base, address string) []Client {
	var list []Client
	add := func(public bool, c Client) {
		if !public || IsPublic(base) {
			list = append(list, c)
		}
	}
	add(true, Client{
		Name: "Claude", Button: "Add to Claude",
		About: "Web, desktop and phone. Opens the dialog with name and address filled in.",
		Link: template.URL("https://claude.ai/customize/connectors?modal=add-custom-connector" +
			"&connectorName=Leadline&connectorUrl=" + url.QueryEscape(address)),
	})
	add(false, Client{
		Name: "Claude Code", About: "One line in a terminal.",
		Code: "claude mcp add --transport http leadline " + address,
	})
	add(true, Client{
		Name: "ChatGPT",
		About: "Settings, Apps and connectors, Advanced, developer mode; then Create with this " +
			"address.",
		Code: address,
	})
	add(false, Client{
		Name: "VS Code", About: "Opens VS Code, which asks before it adds the server.",
		Button: "Add to VS Code", Link: vsCodeLink(address),
	})
	add(false, Client{
		Name: "Cursor", About: "Opens Cursor, which asks before it adds the server.",
		Button: "Add to Cursor", Link: cursorLink(address),
	})
	add(false, Client{
		Name: "MCP Inspector", About: "Choose Streamable HTTP, and this server's address.",
		Code: "npx @modelcontextprotocol/inspector",
	})
	add(false, Client{
		Name: "Claude Desktop and others", About: "Clients that start a program reach the server with " +
			"mcp-remote.",
		Code: "npx -y mcp-remote " + address,
	})
	add(false, Client{
		Name: "REST", About: "Programs ask with plain GET requests; no key is needed to begin.",
		Code: "curl " + base + "/api/v1/stations/8443970/predictions",
	})
	return list
}

// vsCodeLink returns the address that makes VS Code add the server.
func vsCodeLink(address string) template.URL {
	config, _ := json.Marshal(struct {
		Name string `json:"name"`
		Type string `json:"type"`
		URL  string `json:"url"`
	}{"leadline", "http", address})
	return template.URL("vscode:mcp/install?" + url.QueryEscape(string(config)))
}

// cursorLink returns the address that makes Cursor add the server.
func cursorLink(address string) template.URL {
	config, _ := json.Marshal(struct {
		URL string `json:"url"`
	}{address})
	return template.URL("cursor://anysphere.cursor-deeplink/mcp/install?name=leadline&config=" +
		url.QueryEscape(base64.StdEncoding.EncodeToString(config)))
}

// IsPublic reports whether clients on the internet can reach an address: https, and neither
// this computer nor a private network.
func IsPublic(base string) bool {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "https" {
		return false
	}
	host := u.Hostname()
	if ip, err := netip.ParseAddr(host); err == nil {
		return !ip.IsLoopback() && !ip.IsPrivate() && !ip.IsLinkLocalUnicast()
	}
	return host != "localhost" && strings.Contains(host, ".") && !strings.HasSuffix(host, ".local")
}
