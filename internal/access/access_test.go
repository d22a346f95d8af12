package access_test

import (
	"context"
	"net/http"
	"net/netip"
	"testing"

	"leadline/internal/access"
)

// TestCallerKey checks that the work of a request is charged to its account with any
// credential, and to its client address without one.
func TestCallerKey(t *testing.T) {
	d := newEndpoint(t, newClock(noon), `{}`)
	account := d.Account(t, access.Free)
	var got string
	keyOf := func(r *http.Request) string {
		d.Wrap(d.on, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			if err := d.Admit(r, d.need); err != nil {
				t.Error(err)
			}
			got = access.CallerKey(r.Context())
		})).ServeHTTP(&discard{header: http.Header{}}, r)
		return got
	}
	for _, test := range []struct {
		name, got, want string
	}{
		{"IPv4", keyOf(request("192.0.2.1:1")), "address 192.0.2.1"},
		{"IPv6", keyOf(request("[2001:db8:1:2:3::4]:1")), "address 2001:db8:1:2::"},
		{"key", keyOf(request("192.0.2.1:1", "x-api-key", d.Key(t, account))), "account " + account},
		{"another key", keyOf(request("192.0.2.2:1", "x-api-key", d.Key(t, account))), "account " +
			account},
		{"no gate", access.CallerKey(t.Context()), ""},
		{"local", access.CallerKey(access.With(t.Context(), access.Caller{Tier: access.Local})), ""},
		{"without a gate", access.CallerKey(caller("192.0.2.1")), "address 192.0.2.1"},
	} {
		if test.got != test.want {
			t.Errorf("%s: CallerKey = %q, want %q", test.name, test.got, test.want)
		}
	}
}

func caller(address string) context.Context {
	return access.With(context.Background(), access.Caller{Address: netip.MustParseAddr(address)})
}
