package login

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"leadline/internal/trials"
)

// TestPasswords checks that the hash of a password matches that password and no
// other.
func TestPasswords(t *testing.T) {
	p := newHasher()
	kept, err := p.hash(t.Context(), party{}, "correct horse battery")
	if err != nil || !strings.HasPrefix(kept, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Fatalf("hash = %q, %v", kept, err)
	}
	again, err := p.hash(t.Context(), party{}, "correct horse battery")
	if err != nil || again == kept {
		t.Errorf("the same password twice is kept as %q and %q, %v: want two salts", kept, again, err)
	}
	for _, test := range []struct {
		kept, password string
		right          bool
	}{
		{kept, "correct horse battery", true},
		{again, "correct horse battery", true},
		{kept, "correct horse batterz", false},
		{kept, "correct horse battery ", false},
		{kept, "", false},
		{"", "correct horse battery", false},
		{"", "", false},
	} {
		right, err := p.check(t.Context(), party{}, test.kept, test.password)
		if right != test.right || err != nil {
			t.Errorf("check(%q, %q) = %v, %v, want %v", test.kept, test.password, right, err, test.right)
		}
	}
}

// TestPasswordOfOthers checks that hashes from the Argon2 reference
// implementation (phc-winner-argon2, test.c: password, somesalt, t=2, p=1) are
// checked at their own cost: m=256, and with LEADLINE_TRIALS=check m=65536 too.
func TestPasswordOfOthers(t *testing.T) {
	list := []string{
		"$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
		"$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
	}
	if !trials.Thorough() {
		list = list[:1]
	}
	for _, kept := range list {
		for password, want := range map[string]bool{"password": true, "passwore": false} {
			right, err := newHasher().check(t.Context(), party{}, kept, password)
			if right != want || err != nil {
				t.Errorf("check(%q, %q) = %v, %v, want %v", kept, password, right, err, want)
			}
		}
	}
}

// TestKeptIsBroken checks that a stored hash that cannot be parsed matches no
// password and does not cause a panic.
func TestKeptIsBroken(t *testing.T) {
	for _, kept := range []string{
		"x", "$", "$$$$$",
		"$argon2i$v=19$m=64,t=1,p=1$c29tc2FsdHNvbWVzYWx0$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
		"$argon2id$v=16$m=64,t=1,p=1$c29tc2FsdHNvbWVzYWx0$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
		"$argon2id$v=19$m=64,t=0,p=1$c29tc2FsdHNvbWVzYWx0$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
		"$argon2id$v=19$m=64,t=1,p=0$c29tc2FsdHNvbWVzYWx0$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
		"$argon2id$v=19$m=64,t=1,p=999$c29tc2FsdHNvbWVzYWx0$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
		"$argon2id$v=19$m=64,t=1,p=1$c29tc2FsdHNvbWVzYWx0$CTFhFdXPJO1aFaMaO6Mm",
		"$argon2id$v=19$m=64,t=1,p=1$c29tc2FsdHNvbWVzYWx0$",
		"$argon2id$v=19$m=64,t=1,p=1$!$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
	} {
		if right, err := newHasher().check(t.Context(), party{}, kept, ""); right ||
			!errors.Is(err, errHash) {
			t.Errorf("check(%q) = %v, %v, want %v", kept, right, err, errHash)
		}
	}
}

// TestPasswordsAtOnce checks that waiting for a turn ends when the request
// ends.
func TestPasswordsAtOnce(t *testing.T) {
	p := newHasher()
	for range hashesAtOnce {
		if err := p.all.begin(t.Context(), false); err != nil {
			t.Fatal(err)
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := p.hash(ended, party{}, "correct horse battery"); !errors.Is(err, errCrowded) {
		t.Errorf("hash = %v, want %v", err, errCrowded)
	}
	if right, err := p.check(ended, party{}, "", "x"); right || !errors.Is(err, errCrowded) {
		t.Errorf("check = %v, %v, want %v", right, err, errCrowded)
	}
	p.all.end()
	if _, err := p.hash(t.Context(), party{}, "correct horse battery"); err != nil {
		t.Errorf("with room for one: %v", err)
	}
}

// hashing starts work for a party. The work appends its name to order when its
// turn comes, and continues until the returned function is called.
func hashing(t *testing.T, p *hasher, who party, name string, order *[]string) (end func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		err := p.during(context.Background(), who, func() {
			*order = append(*order, name)
			<-done
		})
		if err != nil {
			*order = append(*order, name+" is refused")
		}
	}()
	synctest.Wait()
	return sync.OnceFunc(func() {
		close(done)
		synctest.Wait()
	})
}

// TestFloodOfSignIns checks that a flood at one account or from one address
// delays only itself: another person gets the next turn.
func TestFloodOfSignIns(t *testing.T) {
	for name, flood := range map[string]func(n int) party{
		"an account": func(n int) party { return party{"a@example.org", strconv.Itoa(n), true} },
		"an address": func(n int) party { return party{strconv.Itoa(n), "192.0.2.1", true} },
	} {
		synctest.Test(t, func(t *testing.T) {
			p := newHasher()
			var order []string
			var ends []func()
			for n := range 20 {
				ends = append(ends, hashing(t, p, flood(n), "flood", &order))
			}
			ends = append(ends,
				hashing(t, p, party{"owner@example.org", "198.51.100.1", false}, "owner", &order))
			if want := []string{"flood", "flood"}; !slices.Equal(order, want) {
				t.Errorf("%s: at first %v are served, want %v", name, order, want)
			}
			ends[0]()
			if want := []string{"flood", "flood", "owner"}; !slices.Equal(order, want) {
				t.Errorf("%s: then %v are served, want %v", name, order, want)
			}
			for _, end := range ends {
				end()
			}
			if len(order) != 21 || len(p.accounts.keys)+len(p.addresses.keys) != 0 ||
				p.all.free != hashesAtOnce {
				t.Errorf("%s: at last %v are served, and turns are still taken", name, order)
			}
		})
	}
}

// TestKnownBrowserFirst checks that a browser that has signed in to its account
// before gets its turn before strangers. The strangers come from many
// addresses, or try many accounts, its own account, or use its own address.
func TestKnownBrowserFirst(t *testing.T) {
	owner := party{"owner@example.org", "198.51.100.1", true}
	for name, flood := range map[string]func(n int) party{
		"many accounts": func(n int) party { return party{strconv.Itoa(n), strconv.Itoa(n), false} },
		"its account":   func(n int) party { return party{owner.account, strconv.Itoa(n), false} },
		"its address":   func(n int) party { return party{strconv.Itoa(n), owner.address, false} },
	} {
		synctest.Test(t, func(t *testing.T) {
			p := newHasher()
			var order []string
			var ends []func()
			for n := range 20 {
				ends = append(ends, hashing(t, p, flood(n), "stranger", &order))
			}
			ends = append(ends, hashing(t, p, owner, "owner", &order))
			ends[0]()
			if want := []string{"stranger", "stranger", "owner"}; !slices.Equal(order, want) {
				t.Errorf("%s: %v are served, want %v", name, order, want)
			}
			for _, end := range ends {
				end()
			}
		})
	}
}

// TestWaitingEnds checks that a sign-in that waits too long is refused, and
// that its place in every queue is then free.
func TestWaitingEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newHasher()
		var order []string
		var ends []func()
		for range 2 {
			ends = append(ends, hashing(t, p, party{"a", "1", true}, "first", &order))
		}
		for _, who := range []party{{"a", "2", true}, {"b", "1", true}, {"c", "3", true},
			{"d", "4", false}} {
			ctx, cancel := context.WithTimeout(t.Context(), queueTimeout)
			if err := p.during(ctx, who, func() { t.Errorf("%v has a turn", who) }); err != errCrowded {
				t.Errorf("%v: %v, want %v", who, err, errCrowded)
			}
			cancel()
		}
		for _, end := range ends {
			end()
		}
		if p.all.free != hashesAtOnce ||
			len(p.all.favored)+len(p.all.others)+len(p.accounts.keys)+len(p.addresses.keys) != 0 {
			t.Errorf("turns are still taken: %+v", p.all)
		}
	})
}

func TestPasswordFault(t *testing.T) {
	for password, says := range map[string]string{
		"":                               "15 characters or more",
		"fourteen chars":                 "15 characters or more",
		"éàüöéàüö":                       "15 characters or more", // 16 bytes
		"fifteen letters":                "",
		"éàüöéàüöéàüöéàz":                "",
		"passpasspasspass":               "again and again",
		strings.Repeat("x", 256):         "again and again",
		strings.Repeat("abcdefgh", 32):   "",
		strings.Repeat("abcdefgh", 33):   "too long",
		"captain@example.org":            "cannot be the e-mail address",
		" Captain@Example.org ":          "cannot be the e-mail address",
		"captain@example.org and a ship": "",
	} {
		got := passwordFault(password, "captain@example.org")
		if (says == "") != (got == "") || !strings.Contains(got, says) {
			t.Errorf("passwordFault(%q) = %q, want %q", password, got, says)
		}
	}
}

func BenchmarkPassword(b *testing.B) {
	p := newHasher()
	for b.Loop() {
		if _, err := p.hash(b.Context(), party{}, "correct horse battery"); err != nil {
			b.Fatal(err)
		}
	}
}
