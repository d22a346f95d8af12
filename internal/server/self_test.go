package server

import (
	"net"
	"net/netip"
	"strconv"
	"testing"

	"leadline/internal/config"
)

// TestOwnReceiver checks that a server refuses its own addresses as receivers, also where its
// network is allowed: that of --listen, of --admin-listen and of --base-url.
func TestOwnReceiver(t *testing.T) {
	settings := config.New()
	settings.Listen, settings.AdminListen = "127.0.0.1:0", "127.0.0.1:0"
	settings.Data, settings.Offline = t.TempDir(), true
	settings.BaseURL = "https://10.0.0.1:8443"
	settings.WebhookPrivate = []netip.Prefix{
		netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.0.0.0/8"),
	}
	s, err := Build(t.Context(), Config{Settings: settings})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	public := s.Addr().(*net.TCPAddr).Port
	operator := s.listeners.operator.Addr().(*net.TCPAddr).Port
	for url, self := range map[string]bool{
		"http://127.0.0.1:" + strconv.Itoa(public) + "/hook":     true,
		"http://localhost:" + strconv.Itoa(public) + "/hook":     true,
		"http://127.0.0.1:" + strconv.Itoa(operator) + "/hook":   true,
		"https://10.0.0.1:8443/hook":                             true,
		"https://10.0.0.1:8444/hook":                             false,
		"http://127.0.0.1:" + strconv.Itoa(public^1) + "/hook":   operator == public^1,
		"http://127.0.0.1:" + strconv.Itoa(operator^1) + "/hook": public == operator^1,
	} {
		issues := s.hooks.sender.CheckURL(url)
		if got := len(issues) == 1 && issues[0].Code == "self"; got != self {
			t.Errorf("CheckURL(%q) = %v, want refused as self: %t", url, issues, self)
		}
	}
}
