package session

import (
	"crypto/hmac"
	"encoding/base64"
	"net/http"
	"strings"
	"time"

	"leadline/internal/access/credential"
)

// The limits on failed sign-ins. People who mistype do not reach them. They
// limit guesses to 970 a day at one account from any number of addresses, and
// to 4,350 from one address at any number of accounts. All are our choice.
const (
	accountEvery, accountBurst = 90 * time.Second, 10
	addressEvery, addressBurst = 20 * time.Second, 30
)

// The limit on successful sign-ins to an account, by password and by provider,
// from all addresses together. It is our choice.
const signInWindow, signInLimit = time.Hour, 20

// The mark of a browser in which somebody has signed in. Its lifetime is our
// choice.
const (
	knownCookie = "leadline-known"
	knownLife   = 365 * 24 * time.Hour
)

// Attempts limits sign-ins by account and by address. It is safe for concurrent
// use.
type Attempts struct {
	sessions             *Sessions
	byAccount, byAddress *Throttle // of failed sign-ins
	signIns              *tally    // successful sign-ins, by the e-mail address of the account
}

// NewAttempts returns the sign-in limits of a server.
func NewAttempts(s *Sessions) *Attempts {
	return &Attempts{
		sessions:  s,
		byAccount: NewThrottle(accountEvery, accountBurst, s.c.Now),
		byAddress: NewThrottle(addressEvery, addressBurst, s.c.Now),
		signIns:   newTally(signInWindow, signInLimit, s.c.Now),
	}
}

// Attempt is a sign-in that was counted and whose outcome is open. End records
// the outcome.
type Attempt struct {
	Known   bool // the browser has signed in to the account before
	email   string
	tries   []try
	signIns *tally
}

// try is an attempt that a throttle counts.
type try struct {
	in  *Throttle
	key string
}

// Begin counts a sign-in to the account with an e-mail address, before its
// password is checked: of many at once no more are checked than are allowed. If
// the sign-in is refused, Begin counts nothing and returns how long to wait.
//
// A try counts for the client's address and for the account. So that nobody can
// lock out the owner by failing from elsewhere, a browser that has signed in to
// the account before has tries of its own, and its address does not count. In a
// new browser the owner shares the tries with the attacker, one in 90 seconds;
// a password reset link works meanwhile.
func (a *Attempts) Begin(r *http.Request, email string) (t Attempt, wait time.Duration) {
	browser := a.known(r, email)
	t = Attempt{Known: browser != "", email: email, signIns: a.signIns}
	tries := []try{{a.byAddress, Address(r.Context())}, {a.byAccount, email}}
	if t.Known {
		tries = []try{{a.byAccount, browser + " " + email}}
	}
	for _, try := range tries {
		if wait, ok := try.in.Take(try.key); !ok {
			t.giveBack()
			return t, max(wait, 1)
		}
		t.tries = append(t.tries, try)
	}
	if wait, ok := a.signIns.take(email); !ok {
		t.giveBack()
		return t, max(wait, 1)
	}
	return t, 0
}

// End records the outcome of a sign-in: whether the password was right, and the
// error if it could not be checked. Failures count against the limits of failed
// sign-ins, successes against the account's limit of sign-ins.
func (t Attempt) End(right bool, err error) {
	if right || err != nil {
		t.giveBack()
	}
	if !right || err != nil {
		t.signIns.giveBack(t.email)
	}
}

func (t Attempt) giveBack() {
	for _, try := range t.tries {
		try.in.Return(try.key)
	}
}

// Count counts a sign-in to an account that does not need a password here. If
// the limit is reached, it returns false and the waiting time.
func (a *Attempts) Count(email string) (wait time.Duration, ok bool) {
	return a.signIns.take(email)
}

// Mark marks the browser as one in which somebody has signed in to an account.
// The mark does not grant access: it only gives the browser attempts of its
// own, see Begin.
func (a *Attempts) Mark(w http.ResponseWriter, email string) {
	browser := credential.NewSecret("")
	a.sessions.SetCookie(w, knownCookie, browser+"."+a.mark(browser, email), knownLife)
}

// known returns the name of a browser that has signed in to an account before,
// or "" for any other browser.
func (a *Attempts) known(r *http.Request, email string) string {
	browser, mark, _ := strings.Cut(a.sessions.Cookie(r, knownCookie), ".")
	if !hmac.Equal([]byte(mark), []byte(a.mark(browser, email))) {
		return ""
	}
	return browser
}

func (a *Attempts) mark(browser, email string) string {
	key := credential.DeriveKey(a.sessions.c.Secret[:], "known browser\x00"+browser+"\x00"+email)
	return base64.RawURLEncoding.EncodeToString(key[:])
}
