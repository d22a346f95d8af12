package oauth

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// TestPasswords: what is kept of a password lets that one in and no other.
func TestPasswords(t *testing.T) {
	p := newPasswords()
	kept, err := p.hash(t.Context(), "correct horse battery")
	if err != nil || !strings.HasPrefix(kept, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Fatalf("hash = %q, %v", kept, err)
	}
	again, err := p.hash(t.Context(), "correct horse battery")
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
		right, err := p.check(t.Context(), test.kept, test.password)
		if right != test.right || err != nil {
			t.Errorf("check(%q, %q) = %v, %v, want %v", test.kept, test.password, right, err, test.right)
		}
	}
}

// TestPasswordOfOthers: a hash that the reference implementation of Argon2 has
// made (phc-winner-argon2, test.c: password, somesalt, m=65536, t=2, p=1) is
// read at its own cost.
func TestPasswordOfOthers(t *testing.T) {
	kept := "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
	for password, want := range map[string]bool{"password": true, "passwore": false} {
		right, err := newPasswords().check(t.Context(), kept, password)
		if right != want || err != nil {
			t.Errorf("check(%q) = %v, %v, want %v", password, right, err, want)
		}
	}
}

// TestKeptIsBroken: what cannot be read lets nobody in, and is no panic.
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
		if right, err := newPasswords().check(t.Context(), kept, ""); right || !errors.Is(err, errKept) {
			t.Errorf("check(%q) = %v, %v, want %v", kept, right, err, errKept)
		}
	}
}

// TestPasswordsAtOnce: who finds no room waits no longer than the request.
func TestPasswordsAtOnce(t *testing.T) {
	p := newPasswords()
	for range atOnce {
		p.room <- struct{}{}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := p.hash(ended, "correct horse battery"); !errors.Is(err, crowded) {
		t.Errorf("hash = %v, want %v", err, crowded)
	}
	if right, err := p.check(ended, "", "x"); right || !errors.Is(err, crowded) {
		t.Errorf("check = %v, %v, want %v", right, err, crowded)
	}
	<-p.room
	if _, err := p.hash(t.Context(), "correct horse battery"); err != nil {
		t.Errorf("with room for one: %v", err)
	}
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
	p := newPasswords()
	for b.Loop() {
		if _, err := p.hash(b.Context(), "correct horse battery"); err != nil {
			b.Fatal(err)
		}
	}
}
