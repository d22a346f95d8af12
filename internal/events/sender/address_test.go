package sender

import (
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// codes returns the codes of the issues of a URL.
func codes(d *destinations, text string) string {
	var list []string
	for _, issue := range d.check(text) {
		list = append(list, issue.Code)
	}
	return strings.Join(list, " ")
}

func TestCheckURL(t *testing.T) {
	d := &destinations{own: []own{ownHost("Leadline.Example.org.:8080")}, ports: defaultPorts()}
	for _, test := range []struct{ url, want string }{
		{"https://hooks.example.com/leadline", ""},
		{"https://hooks.example.com", ""},
		{"https://hooks.example.com:443/a?key=b", ""},
		{"https://hooks.example.com.:8443/a%20b", ""},
		{"HTTPS://Hooks.Example.COM/", ""},
		{"https://xn--bcher-kva.example/", ""},
		{"https://my_service.example.com/", ""},
		{"https://example.com/" + strings.Repeat("a", 2028), ""},
		{"https://example.com/" + strings.Repeat("a", 2029), "maxLength"},
		{"", "required"},
		{"hooks.example.com/leadline", "format"},
		{"/leadline", "format"},
		{"//hooks.example.com/", "scheme"},
		{"https:hooks.example.com", "format"},
		{"https:///leadline", "format"},
		{"https://hooks.example.com/a b", "format"},
		{" https://hooks.example.com/", "format"},
		{"https://hooks.example.com/\x00", "format"},
		{"https://bücher.example/", "format"},
		{"https://leadline。example.org/", "format"},
		{"https://hooks.example.com:port/", "format"},
		{"https://[::1/", "format"},
		{"http://hooks.example.com/", "scheme port"},
		{"http://hooks.example.com:443/", "scheme"},
		{"ftp://hooks.example.com/", "scheme"},
		{"https://user@hooks.example.com/", "userInfo"},
		{"https://:@hooks.example.com/", "userInfo"},
		{"https://hooks.example.com/#", "fragment"},
		{"https://hooks.example.com/#top", "fragment"},
		{"https://hooks.example.com:8080/", "port"},
		{"https://hooks.example.com:0/", "port"},
		{"https://hooks.example.com:0443/", "port"},
		{"https://hooks.example.com:99999/", "port"},
		{"https://leadline.example.org/", "self"},
		{"https://LEADLINE.example.org.:8443/", "self"},
		{"https://other.leadline.example.org/", ""},
		{"https://hooks.localhost/", "host"},
		{"https://printer.Local./", "host"},
		{"https://db.prod.internal:8443/", "host"},
		{"https://router.home.arpa/", "host"},
		{"https://mylocal.example/", ""},
		{"https://localhost/", "host"},
		{"https://metadata./", "host"},
		{"https://-a.example.com/", "host"},
		{"https://a..example.com/", "host"},
		{"https://" + strings.Repeat("a", 64) + ".example.com/", "host"},
		{"https://" + strings.Repeat("a.", 125) + "example.com/", "host"},
		{"https://a$b.example.com/", "host"},
		{"https://127.1/", "host"},
		{"https://2130706433/", "host"},
		{"https://0x7f000001/", "host"},
		{"https://0x7f.0.0.0x1/", "host"},
		{"https://0177.0.0.1/", "host"},
		{"https://1.1.1.1/", "address"},
		{"https://127.0.0.1/", "address"},
		{"https://[::1]/", "address"},
		{"https://[2606:4700:4700::1111]:8443/", "address"},
		{"https://[fe80::1%25eth0]/", "address"},
		{"http://u:p@10.0.0.1:8080/#x", "userInfo fragment scheme address port"},
	} {
		if got := codes(d, test.url); got != test.want {
			t.Errorf("check(%q) = %q, want %q", test.url, got, test.want)
		}
	}
}

// TestCheckPrivateURL checks what the networks of the operator allow.
func TestCheckPrivateURL(t *testing.T) {
	d := &destinations{ports: defaultPorts(), private: []netip.Prefix{
		netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fe80::/10"),
	}, own: []own{ownHost("10.0.0.1:8080"), ownHost("10.0.0.2")}}
	proxied := *d
	proxied.proxied = true
	for _, test := range []struct{ url, want, proxied string }{
		{"http://10.1.2.3:9000/a", "", "scheme address port"},
		{"https://10.1.2.3/", "", "address"},
		{"https://[::ffff:10.1.2.3]:9000/", "", "address port"},
		{"http://[fe80::1%25eth0]:9000/", "", "scheme address port"},
		{"http://10.1.2.3:0/", "port", "scheme address port"},
		{"http://192.168.0.1/", "scheme address port", "scheme address port"},
		{"http://receiver:9000/", "", "scheme host port"}, // its address is checked later
		{"http://hooks.example.com/", "", "scheme port"},
		{"ftp://10.1.2.3/", "scheme", "scheme address"},
		{"http://10.0.0.1:8080/", "self", "scheme address port"},
		{"http://10.0.0.1:8081/", "", "scheme address port"},
		{"http://10.0.0.2:8081/", "self", "scheme address port"},
	} {
		if got := codes(d, test.url); got != test.want {
			t.Errorf("check(%q) = %q, want %q", test.url, got, test.want)
		}
		if got := codes(&proxied, test.url); got != test.proxied {
			t.Errorf("with a proxy check(%q) = %q, want %q", test.url, got, test.proxied)
		}
	}
}

// TestURLIssues checks that issues name the argument, the rule and an example, and quote nothing.
func TestURLIssues(t *testing.T) {
	d := &destinations{ports: defaultPorts()}
	for _, text := range []string{
		"password", "http://user:password@10.0.0.1:1/?password#password",
		"https://password/" + strings.Repeat("a", 3000),
	} {
		for _, i := range d.check(text) {
			if i.Path != "/url" || !strings.HasPrefix(i.Message, "url must ") ||
				!strings.HasSuffix(i.Message, exampleURL) || strings.Contains(i.Message, "//user") {
				t.Errorf("check(%q): %+v", text, i)
			}
		}
	}
	_, example, _ := strings.Cut(exampleURL, `: "url": `)
	if got := codes(d, strings.Trim(example, `".`)); got != "" {
		t.Errorf("the example %s has issues %s", example, got)
	}
}

func TestHost(t *testing.T) {
	for _, test := range []struct{ url, want string }{
		{"https://Hooks.Example.com.:8443/a", "hooks.example.com"},
		{"https://[::FFFF:10.0.0.1]:80/", "10.0.0.1"},
		{"https://[2001:0DB8::1]/", "2001:db8::1"},
		{"https://10.0.0.1/", "10.0.0.1"},
		{"::", ""},
	} {
		if got := Host(test.url); got != test.want {
			t.Errorf("Host(%q) = %q, want %q", test.url, got, test.want)
		}
	}
}

// FuzzCheckURL checks that an accepted URL can be requested, and that package url and package
// netip agree on what was accepted.
func FuzzCheckURL(f *testing.F) {
	for _, seed := range []string{
		"https://hooks.example.com/leadline", "https://1.1.1.1:8443/", "https://[::1]/#", "http:x",
		"https://a:b@c.d", "https://0x7f.1/", "https://a.example.com:00443/", "https://a\\@b.c/",
	} {
		f.Add(seed)
	}
	d := &destinations{own: []own{ownHost("Leadline.Example.org.:8080")}, ports: defaultPorts()}
	f.Fuzz(func(t *testing.T, text string) {
		if issues := d.check(text); len(issues) > 0 {
			return
		}
		request, err := http.NewRequest(http.MethodPost, text, nil)
		if err != nil {
			t.Fatalf("NewRequest(%q): %v", text, err)
		}
		u := request.URL
		_, err = netip.ParseAddr(u.Hostname())
		port := u.Port()
		if u.Scheme != "https" || err == nil || u.User != nil || u.Fragment != "" ||
			!slices.Contains([]string{"", "443", "8443"}, port) || len(text) > 2048 ||
			!strings.Contains(u.Hostname(), ".") || Host(text) == "leadline.example.org" {
			t.Errorf("check accepts %q", text)
		}
		if again, err := url.Parse(u.String()); err != nil || again.Host != u.Host {
			t.Errorf("%q is read as %v and then as %v, %v", text, u, again, err)
		}
	})
}
