package oauth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
)

// cost is what a hash takes.
type cost struct {
	memory, passes uint32 // KiB, and how often they are gone over
	lanes          uint8
}

// today is the cost of new passwords: the Argon2id that OWASP's Password
// Storage Cheat Sheet recommends, 19 MiB, 2 passes, 1 lane. One hash took 23 ms
// on a 2-core server.
var today = cost{memory: 19 << 10, passes: 2, lanes: 1}

// The bytes of salts and hashes are those that RFC 9106, section 4 recommends.
const saltBytes, hashBytes = 16, 32

// atOnce is how many hashes are made at once. It is ours: a flood of sign-ins
// takes 38 MiB and as many cores, and the rest of the machine serves on.
// atOnceEach is how many of an account, and of an address, are in hand: the
// others of a flood wait for these, and not in front of other people.
const atOnce, atOnceEach = 2, 2

// passwords hashes passwords and checks them.
type passwords struct {
	cost                cost
	accounts, addresses *turnsBy
	room                *turns // of all
}

func newPasswords() *passwords {
	return &passwords{today, newTurnsBy(atOnceEach), newTurnsBy(atOnceEach), newTurns(atOnce)}
}

// party is whose password is hashed.
type party struct {
	account string // its e-mail address
	address string // the client's
	known   bool   // whether the browser has signed in to the account before
}

// hash returns what is kept of a password: its hash with its salt and its cost,
// in the PHC string format. It waits until there is room, or ctx ends.
func (p *passwords) hash(ctx context.Context, who party, password string) (string, error) {
	salt := make([]byte, saltBytes)
	rand.Read(salt)
	sum, err := p.sum(ctx, who, password, salt, p.cost)
	return phc(p.cost, salt, sum), err
}

// check reports whether a password is the one of which something was kept. It
// takes the same time where nothing is kept.
func (p *passwords) check(ctx context.Context, who party, kept, password string) (right bool, err error) {
	nobody := kept == ""
	if nobody {
		kept = phc(p.cost, make([]byte, saltBytes), make([]byte, hashBytes))
	}
	c, salt, want, err := readPHC(kept)
	if err != nil {
		return false, err
	}
	got, err := p.sum(ctx, who, password, salt, c)
	if err != nil {
		return false, err
	}
	return subtle.ConstantTimeCompare(got, want) == 1 && !nobody, nil
}

// queueing is how long a sign-in waits for others to be hashed. It is ours: who
// waits longer has gone.
const queueing = 3 * time.Second

// crowded is the error of a sign-in that has waited too long.
var crowded = &pageError{http.StatusServiceUnavailable, "Too many sign in just now", "Nothing was checked. Try again in a few seconds."}

// sum is the hash itself.
func (p *passwords) sum(ctx context.Context, who party, password string, salt []byte, c cost) (sum []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, queueing)
	defer cancel()
	err = p.during(ctx, who, func() {
		sum = argon2.IDKey([]byte(password), salt, c.passes, c.memory, c.lanes, hashBytes)
	})
	return sum, err
}

// during calls f when it is the turn of a party: of its account, of its address, and of all. Turns are
// taken in this order by everybody, so that nobody waits in a circle.
func (p *passwords) during(ctx context.Context, who party, f func()) error {
	if p.accounts.begin(ctx, who.account, who.known) != nil {
		return crowded
	}
	defer p.accounts.end(who.account)
	if p.addresses.begin(ctx, who.address, who.known) != nil {
		return crowded
	}
	defer p.addresses.end(who.address)
	if p.room.begin(ctx, who.known) != nil {
		return crowded
	}
	defer p.room.end()
	f()
	return nil
}

// phc writes a hash in the PHC string format, as other programs read it.
func phc(c cost, salt, sum []byte) string {
	b := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, c.memory, c.passes, c.lanes, b.EncodeToString(salt), b.EncodeToString(sum))
}

// errKept does not quote what is kept.
var errKept = errors.New("what is kept of a password is not the Argon2id that this version writes")

// readPHC reads what phc has written, at whatever cost.
func readPHC(kept string) (c cost, salt, sum []byte, err error) {
	parts := strings.Split(kept, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return c, nil, nil, errKept
	}
	_, scan := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &c.memory, &c.passes, &c.lanes)
	salt, unsalted := base64.RawStdEncoding.DecodeString(parts[4])
	sum, unsummed := base64.RawStdEncoding.DecodeString(parts[5])
	if scan != nil || unsalted != nil || unsummed != nil || c.passes == 0 || c.lanes == 0 || len(sum) != hashBytes {
		return c, nil, nil, errKept
	}
	return c, salt, sum, nil
}

// What a password must be. NIST SP 800-63B-4, section 3.1.1.2, wants length and
// no rules of composition, the whole of it checked, 64 characters allowed at
// least, 15 where nothing else is asked for, and what can be guessed refused.
// Lists of common passwords have next to none of that length but repetitions,
// of which leastDifferent, which is ours, is the measure.
const leastCharacters, leastDifferent, mostBytes = 15, 5, 256

// passwordFault says why a password cannot be taken, "" where it can.
func passwordFault(password, email string) string {
	switch {
	case utf8.RuneCountInString(password) < leastCharacters:
		return fmt.Sprintf("The password needs %d characters or more. A few words in a row are easy to remember.", leastCharacters)
	case len(password) > mostBytes:
		return fmt.Sprintf("The password is too long: it may have %d bytes.", mostBytes)
	case different(password) < leastDifferent:
		return "The password is the same few characters again and again. A few words in a row are easy to remember."
	case strings.EqualFold(strings.TrimSpace(password), email):
		return "The password cannot be the e-mail address."
	}
	return ""
}

// different is how many different characters a text has.
func different(text string) int {
	seen := map[rune]bool{}
	for _, r := range text {
		seen[r] = true
	}
	return len(seen)
}
