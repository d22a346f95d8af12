package login

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"leadline/internal/login/logintest"
)

// TestResume checks that an authorization request continues after a sign-in at
// the provider, with the person, and after a refusal, without one.
func TestResume(t *testing.T) {
	b, p := newJoint(t)
	const request = "client_id=a&state=b"
	for want, respond := range map[string]func(url.Values){
		`resumed "client_id=a&state=b" for "stranger@example.org", refused ""`: func(url.Values) {},
		`resumed "client_id=a&state=b" for "", refused "nobody has signed in at ` +
			p.Listener.Addr().String() + `"`: func(q url.Values) {
			q.Del("code")
			q.Set("error", "access_denied")
		},
	} {
		p.Change(func() { p.Respond = respond })
		w := b.Browser()
		recorder, r := httptest.NewRecorder(), w.Request(http.MethodPost, Path, "")
		b.StartFlow(recorder, r, Flow{Request: request})
		left := recorder.Result()
		left.Request = r // needed to resolve its Location
		w.HTTP.Jar.SetCookies(r.URL, left.Cookies())
		got := w.ComeBack(logintest.Reply{Response: left})
		if got.Text != want {
			t.Errorf("got %s, want %s", got.Text, want)
		}
	}
}
