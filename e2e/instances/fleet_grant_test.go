package instances

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"leadline/e2e/product"
)

// app is an app that an account has granted access. It replaces its refresh token all the time.
type app struct {
	client   string
	tokens   product.TokenPair
	answered time.Time // when it got the tokens
	replaced int
	unsure   int // requests without a response, so that it sent the same token again
}

// connect creates an account that grants an app access.
func (f *fleet) connect(t *testing.T) *app {
	f.Helper()
	link, err := f.run(f.members[0], "accounts", "invite", "skipper@example.org")
	if err != nil {
		f.Fatal(err)
	}
	v := product.NewVisitor(t, f.members[0].base)
	_, page, _ := v.Ask(product.JoinLink.FindString(link), nil)
	v.Ask("/oauth/join", v.Form(page, "/oauth/join", "password", "a lead and a long line"))
	client, tokens := v.Connect("Sounder")
	return &app{client: client, tokens: tokens, answered: product.Now()}
}

// refresh replaces the refresh token of the app on an instance. Without a response the instance may
// have replaced it or not: the app sends it again, to any instance.
func (f *fleet) refresh() {
	i := f.member(rand.IntN(len(f.members)))
	form := url.Values{
		"grant_type": {"refresh_token"}, "refresh_token": {f.app.tokens.Refresh},
		"client_id": {f.app.client},
	}
	r, err := http.NewRequest("POST", i.base+"/oauth/token", strings.NewReader(form.Encode()))
	if err != nil {
		f.Error(err)
		return
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	switch code, _, text := f.send(i, r); code {
	case http.StatusOK:
		if err := json.Unmarshal([]byte(text), &f.app.tokens); err != nil {
			f.Errorf("%s responds %s: %v", i.name, text, err)
		}
		f.app.answered = product.Now()
		f.app.replaced++
	case 0, http.StatusServiceUnavailable:
		f.app.unsure++
	default:
		f.Errorf("%s responds %d to a refresh token of %v ago: %s", i.name, code,
			product.Now().Sub(f.app.answered).Round(time.Millisecond), text)
	}
}

// granted checks that the newest tokens of the app work.
func (f *fleet) granted(t *testing.T) {
	f.Helper()
	v := product.NewVisitor(t, f.member(0).base)
	v.Is("after the faults", "/pro/mcp", f.app.tokens.Access,
		"connected to the account skipper@example.org")
	f.Logf("a refresh token was replaced %d times; %d requests had no result", f.app.replaced,
		f.app.unsure)
	if f.app.replaced == 0 {
		f.Error("no refresh token was replaced")
	}
}
