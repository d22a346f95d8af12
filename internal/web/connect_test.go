package web

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
	"testing"
)

// TestClients decodes the links that open clients into the configuration that they mean.
func TestClients(t *testing.T) {
	const base, address = "https://tides.example.org", "https://tides.example.org/mcp"
	links := map[string]string{}
	for _, c := range Clients(base, address) {
		links[c.Name] = string(c.Link)
		if c.Button == "" && c.Code == "" {
			t.Errorf("%s has nothing to use", c.Name)
		}
	}
	claude, err := url.Parse(links["Claude"])
	if err != nil || claude.Host != "claude.ai" || claude.Query().Get("connectorUrl") != address ||
		claude.Query().Get("connectorName") != "Leadline" {
		t.Errorf("Claude: %v %v", claude, err)
	}
	_, encoded, _ := strings.Cut(links["VS Code"], "vscode:mcp/install?")
	text, err := url.QueryUnescape(encoded)
	var code struct{ Name, Type, URL string }
	if err != nil || json.Unmarshal([]byte(text), &code) != nil || code.URL != address ||
		code.Name != "leadline" || code.Type != "http" {
		t.Errorf("VS Code: %s %v", text, err)
	}
	cursor, err := url.Parse(links["Cursor"])
	if err != nil || cursor.Scheme != "cursor" || cursor.Query().Get("name") != "leadline" {
		t.Fatalf("Cursor: %v %v", cursor, err)
	}
	config, err := base64.StdEncoding.DecodeString(cursor.Query().Get("config"))
	var server struct{ URL string }
	if err != nil || json.Unmarshal(config, &server) != nil || server.URL != address {
		t.Errorf("Cursor: %s %v", config, err)
	}
}

// TestClientsOnALoopbackAddress checks that clients that connect from the internet are left out
// where they cannot.
func TestClientsOnALoopbackAddress(t *testing.T) {
	for base, public := range map[string]bool{
		"https://tides.example.org": true, "http://tides.example.org": false,
		"http://127.0.0.1:8080": false, "https://localhost": false, "https://192.168.1.4": false,
		"https://[::1]:8080": false, "https://boat.local": false, "https://boat": false,
	} {
		found := false
		for _, c := range Clients(base, base+"/mcp") {
			found = found || c.Name == "Claude" || c.Name == "ChatGPT"
		}
		if found != public || IsPublic(base) != public {
			t.Errorf("%s: public %v, want %v", base, found, public)
		}
	}
}
