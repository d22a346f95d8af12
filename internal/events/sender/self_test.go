package sender

import (
	"net"
	"net/netip"
	"testing"

	"leadline/internal/events/signature"
)

// TestOwnListeners checks that a server gets no events of its own, also where private networks are
// allowed, and that other ports of its machine are.
func TestOwnListeners(t *testing.T) {
	everywhere := []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}
	on := func(listens ...string) *destinations {
		d := &destinations{private: everywhere, ports: defaultPorts()}
		for _, l := range listens {
			d.listens = append(d.listens, netip.MustParseAddrPort(l))
		}
		return d
	}
	one, all := on("127.0.0.1:8080", "127.0.0.1:9090"), on("[::]:8080")
	for _, test := range []struct {
		d         *destinations
		url, want string
	}{
		{one, "http://127.0.0.1:8080/", "self"},
		{one, "http://127.0.0.1:9090/metrics", "self"},
		{one, "http://[::ffff:127.0.0.1]:8080/", "self"},
		{one, "http://localhost:8080/", "self"},
		{one, "http://a.LocalHost.:8080/", "self"},
		{one, "http://0.0.0.0:8080/", "self"},
		{one, "http://127.0.0.1:8081/", ""},
		{one, "http://127.0.0.2:8080/", ""},
		{one, "http://localhost:8081/", ""},
		{one, "http://10.1.2.3:8080/", ""},
		{all, "http://127.0.0.1:8080/", "self"},
		{all, "http://127.9.9.9:8080/", "self"},
		{all, "http://[::1]:8080/", "self"},
		{all, "http://localhost:8080/", "self"},
		{all, "http://localhost:8081/", ""},
		{all, "http://192.0.2.1:8080/", ""}, // of documentation: no machine has it
	} {
		if got := codes(test.d, test.url); got != test.want {
			t.Errorf("listening on %v, check(%q) = %q, want %q", test.d.listens, test.url, got, test.want)
		}
	}
	for _, to := range []string{"127.0.0.1:8080", "[::1]:8080", "[::ffff:127.0.0.1]:8080"} {
		if err := all.guard(false)(t.Context(), "tcp", to, nil); err == nil {
			t.Errorf("the guard lets the server dial itself at %s", to)
		}
	}
	if err := all.guard(false)(t.Context(), "tcp", "127.0.0.1:8081", nil); err != nil {
		t.Errorf("another port of the machine: %v", err)
	}
}

// TestOwnMachine checks which addresses are those of the machine.
func TestOwnMachine(t *testing.T) {
	list, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range list {
		if p := netip.MustParsePrefix(a.String()); !ofMachine(plainAddress(p.Addr())) {
			t.Errorf("%s is not taken for an address of the machine", p.Addr())
		}
	}
	if a := netip.MustParseAddr("192.0.2.1"); ofMachine(a) {
		t.Errorf("%s is taken for an address of the machine", a)
	}
}

// TestNameOfOwnListener checks that a name that leads to the server is refused when an attempt
// dials it: its text does not show the address.
func TestNameOfOwnListener(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	own := l.Addr().(*net.TCPAddr).AddrPort()
	s, err := New(Config{
		Private: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Listens: []netip.AddrPort{own},
		resolver: resolver(t, func(string) []string { return []string{"127.0.0.1"} }),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	url := "http://hooks.example.com:" + portText(own) + "/"
	if issues := s.CheckURL(url); issues != nil {
		t.Fatalf("CheckURL(%q) = %v, want no issue", url, issues)
	}
	report := s.Send(t.Context(), Request{URL: url, Event: "evt_1", Body: []byte("{}"),
		Secrets: []signature.Secret{signature.NewSecret()}, Attempt: 1})
	if report.Outcome != Failed || report.Attempt.Error != BlockedAddress {
		t.Errorf("outcome %s, error %q, want %s and %s", report.Outcome, report.Attempt.Error, Failed,
			BlockedAddress)
	}
}

func portText(a netip.AddrPort) string {
	_, port, _ := net.SplitHostPort(a.String())
	return port
}
