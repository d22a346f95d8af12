package access

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestIdentify(t *testing.T) {
	var got Caller
	h := Identify(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got, _ = CallerFrom(r.Context()) }))
	for peer, want := range map[string]string{"192.0.2.7:4711": "192.0.2.7", "[2001:db8::1]:4711": "2001:db8::1", "@": "@"} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = peer
		r.Header.Set("X-Forwarded-For", "203.0.113.9")
		h.ServeHTTP(httptest.NewRecorder(), r)
		if (got != Caller{Tier: Anonymous, Address: want}) {
			t.Errorf("%s is %+v, want anonymous at %s", peer, got, want)
		}
	}
	if c, ok := CallerFrom(t.Context()); ok {
		t.Errorf("a context that no door has seen has caller %+v", c)
	}
}

func TestTable(t *testing.T) {
	for _, want := range []string{"| anonymous | 30 | no figure | client address |", "| pro | 3000 | 250000 |"} {
		if !strings.Contains(Table(), want) {
			t.Errorf("Table() =\n%s\nwant %s", Table(), want)
		}
	}
	if a := AllowanceOf(Local); a.PerMinute != 0 || a.PerMonth != 0 {
		t.Errorf("a local caller has the allowance %+v", a)
	}
}
