package limit

import (
	"net/http/httptest"
	"testing"
)

// TestCase57Client checks that the headers of a client are ignored, and that those of trusted
// proxies are read from the right.
func TestCase57Client(t *testing.T) {
	for _, test := range []struct {
		name, peer string
		forwarded  []string
		want       string
	}{
		{"no proxy believes itself", "192.0.2.7:4711", []string{"203.0.113.9"}, "192.0.2.7"},
		{"one proxy", "10.0.0.1:1", []string{"203.0.113.9"}, "203.0.113.9"},
		{"the left is made up", "10.0.0.1:1", []string{"1.1.1.1, 203.0.113.9"}, "203.0.113.9"},
		{"two proxies", "10.0.0.1:1", []string{"6.6.6.6, 203.0.113.9, 10.9.9.9"}, "203.0.113.9"},
		{"header lines are one list", "10.0.0.1:1", []string{"203.0.113.9", "10.0.0.3,10.0.0.2"},
			"203.0.113.9"},
		{"believed all the way", "10.0.0.1:1", []string{"10.0.0.5, 10.0.0.2"}, "10.0.0.5"},
		{"no header", "10.0.0.1:1", nil, "10.0.0.1"},
		{"an empty one", "10.0.0.1:1", []string{""}, "10.0.0.1"},
		{"garbage ends the walk", "10.0.0.1:1", []string{"203.0.113.9, unknown, 10.0.0.2"}, "10.0.0.2"},
		{"ports and brackets", "10.0.0.1:1", []string{"203.0.113.9:5555"}, "203.0.113.9"},
		{"IPv6", "[fd00::1]:1", []string{"[2001:db8::5]:80"}, "2001:db8::5"},
		{"IPv4 in IPv6", "[::ffff:10.0.0.1]:1", []string{"::ffff:203.0.113.9"}, "203.0.113.9"},
		{"a zone is no part of it", "[fd00::1%eth0]:1", []string{"203.0.113.9"}, "203.0.113.9"},
		{"a socket", "@", []string{"203.0.113.9"}, "invalid IP"},
	} {
		proxies, err := ReadProxies([]string{"10.0.0.0/8", "fd00::1"})
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr, r.Header["X-Forwarded-For"] = test.peer, test.forwarded
		r.Header.Set("X-Real-Ip", "8.8.8.8")
		r.Header.Set("Forwarded", "for=8.8.8.8")
		if got := Client(r, proxies).String(); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
		if got, want := Client(r, nil).String(), parseAddress(test.peer).String(); got != want {
			t.Errorf("%s: without trusted proxies %s, want %s", test.name, got, want)
		}
	}
	if _, err := ReadProxies([]string{"10.0.0.0/33"}); err == nil {
		t.Error("a network of 33 bits is accepted")
	}
}

// TestSubject checks that IPv6 counts by /64 and IPv4 by address, in every spelling.
func TestSubject(t *testing.T) {
	for from, want := range map[string]string{
		"2001:db8:1:2:3:4:5:6": "2001:db8:1:2::", "2001:db8:1:2::ffff": "2001:db8:1:2::",
		"2001:db8:1:3::1": "2001:db8:1:3::",
		"192.0.2.7":       "192.0.2.7", "::ffff:192.0.2.7": "192.0.2.7",
	} {
		if got := Subject(parseAddress(from)).String(); got != want {
			t.Errorf("%s counts as %s, want %s", from, got, want)
		}
	}
	for from, want := range map[string]string{
		"2001:db8:1:2:3:4:5:6": "2001:db8:1::/48", "192.0.2.7": "192.0.2.0/24", "@": "",
	} {
		if got := Network(parseAddress(from)); got != want {
			t.Errorf("%s is stored as %q, want %q", from, got, want)
		}
	}
}

func FuzzClient(f *testing.F) {
	proxies, _ := ReadProxies([]string{"10.0.0.0/8"})
	f.Add("10.0.0.1:1", "1.2.3.4, 10.0.0.2")
	f.Fuzz(func(t *testing.T, peer, forwarded string) {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr, r.Header["X-Forwarded-For"] = peer, []string{forwarded}
		a := Client(r, proxies)
		if p := parseAddress(peer); !believed(p, proxies) && a != p {
			t.Errorf("peer %q is not trusted, but %q changes it to %v", peer, forwarded, a)
		}
	})
}
