package login

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

	"leadline/internal/page"
)

// cost is the cost of a hash.
type cost struct {
	memory, passes uint32 // KiB, and passes over it
	lanes          uint8
}

// recommended is the cost of new passwords: the Argon2id parameters that OWASP's
// Password Storage Cheat Sheet recommends, 19 MiB, 2 passes, 1 lane. One hash
// took 23 ms on a 2-core server.
var recommended = cost{memory: 19 << 10, passes: 2, lanes: 1}

// The lengths of salts and hashes are those that RFC 9106, section 4 recommends.
const saltBytes, hashBytes = 16, 32

// hashesAtOnce limits the hashes that are computed at once. It is our choice: a
// flood of sign-ins takes 38 MiB and as many cores, and the rest of the machine
// keeps serving. hashesEach limits those of one account and of one address: the
// rest of a flood waits behind these, and not in front of other people.
const hashesAtOnce, hashesEach = 2, 2

// hasher hashes and checks passwords. It is safe for concurrent use.
type hasher struct {
	cost                cost
	accounts, addresses *turnsByKey
	all                 *turns
}

func newHasher() *hasher {
	return &hasher{
		recommended, newTurnsByKey(hashesEach), newTurnsByKey(hashesEach), newTurns(hashesAtOnce),
	}
}

// party is whose password is hashed.
type party struct {
	account string // its e-mail address
	address string // the client's
	known   bool   // the browser has signed in to the account before
}

// hash returns the hash of a password with its salt and its cost, in the PHC
// string format. It waits for its turn until ctx ends.
func (h *hasher) hash(ctx context.Context, of party, password string) (string, error) {
	salt := make([]byte, saltBytes)
	rand.Read(salt)
	sum, err := h.sum(ctx, of, password, salt, h.cost)
	return formatPHC(h.cost, salt, sum), err
}

// check reports whether a password has a hash. It takes the same time if the
// hash is "", which no password has.
func (h *hasher) check(
	ctx context.Context, of party, hash, password string,
) (right bool, err error) {
	none := hash == ""
	if none {
		hash = formatPHC(h.cost, make([]byte, saltBytes), make([]byte, hashBytes))
	}
	c, salt, want, err := parsePHC(hash)
	if err != nil {
		return false, err
	}
	got, err := h.sum(ctx, of, password, salt, c)
	if err != nil {
		return false, err
	}
	return subtle.ConstantTimeCompare(got, want) == 1 && !none, nil
}

// queueTimeout limits how long a sign-in waits for its turn. It is our choice:
// people do not wait longer.
const queueTimeout = 3 * time.Second

// errCrowded is the error of a sign-in that has waited too long.
var errCrowded = &page.Fault{
	Status: http.StatusServiceUnavailable, Title: "Too many people are signing in",
	Text: "Nothing was checked. Try again in a few seconds.",
}

// sum computes a hash.
func (h *hasher) sum(
	ctx context.Context, of party, password string, salt []byte, c cost,
) (sum []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, queueTimeout)
	defer cancel()
	err = h.during(ctx, of, func() {
		sum = argon2.IDKey([]byte(password), salt, c.passes, c.memory, c.lanes, hashBytes)
	})
	return sum, err
}

// during calls f during a turn of the account, of the address and of all. All
// callers take turns in this order, so that they cannot deadlock.
func (h *hasher) during(ctx context.Context, of party, f func()) error {
	if h.accounts.begin(ctx, of.account, of.known) != nil {
		return errCrowded
	}
	defer h.accounts.end(of.account)
	if h.addresses.begin(ctx, of.address, of.known) != nil {
		return errCrowded
	}
	defer h.addresses.end(of.address)
	if h.all.begin(ctx, of.known) != nil {
		return errCrowded
	}
	defer h.all.end()
	f()
	return nil
}

// formatPHC returns a hash in the PHC string format, which other programs read.
func formatPHC(c cost, salt, sum []byte) string {
	b := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version,
		c.memory, c.passes, c.lanes, b.EncodeToString(salt), b.EncodeToString(sum))
}

// errHash does not quote the hash.
var errHash = errors.New("the stored password hash is not the Argon2id of this version")

// parsePHC parses what formatPHC returned, at any cost.
func parsePHC(hash string) (c cost, salt, sum []byte, err error) {
	parts := strings.Split(hash, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" ||
		parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return c, nil, nil, errHash
	}
	_, scan := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &c.memory, &c.passes, &c.lanes)
	salt, badSalt := base64.RawStdEncoding.DecodeString(parts[4])
	sum, badSum := base64.RawStdEncoding.DecodeString(parts[5])
	if scan != nil || badSalt != nil || badSum != nil ||
		c.passes == 0 || c.lanes == 0 || len(sum) != hashBytes {
		return c, nil, nil, errHash
	}
	return c, salt, sum, nil
}

// Rules of passwords. NIST SP 800-63B-4, section 3.1.1.2, wants length and no
// rules of composition, the whole password checked, at least 64 characters
// allowed, 15 required without a second factor, and passwords that can be
// guessed refused. Lists of common passwords have next to none of that length
// except repetitions, which minDistinct, our choice, refuses.
const minCharacters, minDistinct, maxBytes = 15, 5, 256

// passwordFault returns why a password cannot be set, "" if it can.
func passwordFault(password, email string) string {
	switch {
	case utf8.RuneCountInString(password) < minCharacters:
		return fmt.Sprintf("The password needs %d characters or more. "+
			"A few words in a row are easy to remember.", minCharacters)
	case len(password) > maxBytes:
		return fmt.Sprintf("The password is too long: it may have %d bytes.", maxBytes)
	case distinct(password) < minDistinct:
		return "The password is the same few characters again and again. " +
			"A few words in a row are easy to remember."
	case strings.EqualFold(strings.TrimSpace(password), email):
		return "The password cannot be the e-mail address."
	}
	return ""
}

// distinct returns how many different characters a text has.
func distinct(text string) int {
	seen := map[rune]bool{}
	for _, r := range text {
		seen[r] = true
	}
	return len(seen)
}
