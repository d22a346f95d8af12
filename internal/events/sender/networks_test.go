package sender

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// TestPublic checks addresses of all special networks, at their ends, and addresses next to
// them. The networks are those of the IANA registries of special-purpose addresses.
func TestPublic(t *testing.T) {
	for _, test := range []struct {
		addresses string
		want      bool
	}{
		{"1.1.1.1 8.8.8.8 93.184.215.14 192.31.196.1 223.255.255.255", true},
		{"9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0", true},
		{"169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.0 192.0.3.0", true},
		{"192.88.98.255 192.88.100.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0", true},
		{"198.51.99.255 198.51.101.0 203.0.112.255 203.0.114.0 1.0.0.0", true},
		{"2606:4700:4700::1111 2001:200:: 2001:4860:4860::8888 2a00::1 2003::1", true},
		{"2001:db7:ffff:: 2001:db9:: 3ffe:: 2000::", true},
		{"0.0.0.0 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255", false},
		{"127.0.0.1 127.255.255.255 169.254.0.0 169.254.169.254 169.254.255.255", false},
		{"172.16.0.0 172.31.255.255 192.0.0.0 192.0.0.255 192.0.2.0 192.0.2.255", false},
		{"192.88.99.0 192.88.99.255 192.168.0.0 192.168.255.255 198.18.0.0 198.19.255.255", false},
		{"198.51.100.0 198.51.100.255 203.0.113.0 203.0.113.255 224.0.0.1 239.255.255.255", false},
		{"240.0.0.0 255.255.255.254 255.255.255.255", false},
		{":: ::1 ::127.0.0.1 ::8.8.8.8 ::ffff:127.0.0.1 ::ffff:10.0.0.1", false},
		{"::ffff:169.254.169.254 ::ffff:0:127.0.0.1 ::ffff:0:8.8.8.8", false},
		{"64:ff9b::127.0.0.1 64:ff9b::8.8.8.8 64:ff9b:1::1 100::1 100:0:0:1::1", false},
		{"2001::1 2001:0:7f00:1:: 2001:2::1 2001:10::1 2001:20::1 2001:1ff:ffff::", false},
		{"2001:db8::1 2001:db8:ffff:: 2002:: 2002:7f00:1:: 2002:808:808:: 3fff::1 3fff:fff::", false},
		{"4000:: 5f00::1 fc00::1 fd00:ec2::254 fe80::1 fe80::1%eth0 fec0::1 ff02::1 ffff::", false},
	} {
		for text := range strings.FieldsSeq(test.addresses) {
			if got := public(netip.MustParseAddr(text)); got != test.want {
				t.Errorf("public(%s) = %t, want %t", text, got, test.want)
			}
		}
	}
	if !public(netip.MustParseAddr("::ffff:8.8.8.8")) {
		t.Error("an IPv4 address written as IPv6 is not read as IPv4")
	}
}

// TestAllows checks which addresses and ports may be dialed with and without encryption.
func TestAllows(t *testing.T) {
	d := &destinations{
		ports: defaultPorts(), private: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")},
	}
	for _, test := range []struct {
		to               string
		encrypted, plain bool
	}{
		{"8.8.8.8:443", true, false},
		{"8.8.8.8:8443", true, false},
		{"8.8.8.8:80", false, false},
		{"8.8.8.8:22", false, false},
		{"10.0.0.1:22", true, true},
		{"[::ffff:10.0.0.1]:80", true, true},
		{"[::10.0.0.1]:443", false, false},
		{"192.168.0.1:443", false, false},
	} {
		to := netip.MustParseAddrPort(test.to)
		if e, p := d.allows(to, true), d.allows(to, false); e != test.encrypted || p != test.plain {
			t.Errorf("allows(%s) = %t, %t, want %t, %t", to, e, p, test.encrypted, test.plain)
		}
	}
	for _, address := range []string{"", "name:443", "10.0.0.1", "/run/socket"} {
		if d.guard(true)(t.Context(), "tcp", address, nil) == nil {
			t.Errorf("the guard accepts %q", address)
		}
	}
}

// resolver returns a resolver whose server gets its answers from a function: IPv4 addresses, or
// none for a name that does not exist.
func resolver(t *testing.T, answer func(name string) []string) *net.Resolver {
	t.Helper()
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	go func() {
		buffer := make([]byte, 1500)
		for {
			n, client, err := server.ReadFrom(buffer)
			if err != nil {
				return
			}
			_, _ = server.WriteTo(respond(buffer[:n], answer), client)
		}
	}()
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", server.LocalAddr().String())
	}
	return &net.Resolver{PreferGo: true, Dial: dial}
}

// respond returns the response to a DNS query.
func respond(query []byte, answer func(string) []string) []byte {
	var m dnsmessage.Message
	if m.Unpack(query) != nil || len(m.Questions) != 1 {
		return nil
	}
	q := m.Questions[0]
	m.Response, m.Additionals = true, nil
	addresses := answer(strings.TrimSuffix(q.Name.String(), "."))
	if len(addresses) == 0 {
		m.RCode = dnsmessage.RCodeNameError
	}
	for _, a := range addresses {
		if q.Type == dnsmessage.TypeA {
			m.Answers = append(m.Answers, dnsmessage.Resource{
				Header: dnsmessage.ResourceHeader{Name: q.Name, Class: dnsmessage.ClassINET},
				Body:   &dnsmessage.AResource{A: netip.MustParseAddr(a).As4()},
			})
		}
	}
	packed, _ := m.Pack()
	return packed
}

// forms are ways to write an address of this machine, or a name that resolves to one. Those that
// reach it on every system, were they not blocked, prove that the test can fail.
var forms = []struct {
	host    string
	reaches bool
}{
	{"127.0.0.1", true}, {"127.0.0.1.", false}, {"127.1", false}, {"2130706433", false},
	{"0x7f000001", true}, {"0177.0.0.1", false}, {"0.0.0.0", true}, {"0", false},
	{"localhost", true}, {"receiver.example.com", true}, {"[::1]", false}, {"[::]", false},
	{"[::ffff:127.0.0.1]", true}, {"[::127.0.0.1]", false}, {"[64:ff9b::7f00:1]", false},
	{"[2002:7f00:1::]", false}, {"[fe80::1%25lo]", false}, {"[::ffff:0:127.0.0.1]", false},
}

// TestForgery checks that no form of an address reaches a server on this machine, at two ports
// that receivers can use: neither as the URL of an endpoint nor if the URL were not checked.
func TestForgery(t *testing.T) {
	var reached atomic.Int64
	var ports []uint16
	for range 2 {
		ports = append(ports, listenEverywhere(t, &reached))
	}
	names := resolver(t, func(string) []string { return []string{"127.0.0.1"} })
	guarded := newSender(t, Config{ports: ports, resolver: names})
	everything := []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}
	open := newSender(t, Config{ports: ports, resolver: names, Private: everything})
	for _, form := range forms {
		for _, port := range ports {
			url := fmt.Sprintf("https://%s:%d/", form.host, port)
			if got := guarded.Send(t.Context(), request(url)); got.Attempt.Error != BlockedAddress {
				t.Errorf("Send(%s): %+v, want blocked_address", url, got)
			}
			if _, err := roundTrip(t, guarded, url); err == nil {
				t.Errorf("%s: no error without the check of the URL", url)
			}
			if n := reached.Swap(0); n > 0 {
				t.Errorf("%s reached the server %d times", url, n)
			}
			if !form.reaches {
				continue
			}
			if _, _ = roundTrip(t, open, url); reached.Swap(0) == 0 {
				t.Errorf("%s does not reach the server without the guard", url)
			}
		}
	}
}

// listenEverywhere counts the connections to a port of all addresses of this machine.
func listenEverywhere(t *testing.T, reached *atomic.Int64) (port uint16) {
	t.Helper()
	l, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Listener.Close()
	server.Listener = l
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			reached.Add(1)
		}
	}
	server.Config.ErrorLog = silent()
	server.StartTLS()
	t.Cleanup(server.Close)
	return netip.MustParseAddrPort(l.Addr().String()).Port()
}

// roundTrip sends a request without a check of its URL.
func roundTrip(t *testing.T, s *Sender, url string) (*http.Response, error) {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := s.encrypted.RoundTrip(q)
	if err == nil {
		response.Body.Close()
	}
	return response, err
}

// TestRebinding checks that the dialed address counts, not that of an earlier lookup.
func TestRebinding(t *testing.T) {
	var reached atomic.Int64
	var changed atomic.Bool
	port := listenEverywhere(t, &reached)
	names := resolver(t, func(string) []string {
		if changed.Load() {
			return []string{"127.0.0.1"}
		}
		return []string{"93.184.215.14"}
	})
	s := newSender(t, Config{ports: []uint16{port}, resolver: names})
	url := fmt.Sprintf("https://rebinding.example.com:%d/", port)
	checked, err := names.LookupNetIP(t.Context(), "ip", Host(url))
	if err != nil || len(checked) != 1 || !public(checked[0]) || s.CheckURL(url) != nil {
		t.Fatalf("the check sees %v, %v, want a public address", checked, err)
	}
	changed.Store(true)
	got := s.Send(t.Context(), request(url))
	if got.Attempt.Error != BlockedAddress || reached.Load() > 0 {
		t.Errorf("%+v, %d requests, want blocked_address", got, reached.Load())
	}
}
