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

// recommended is the cost of new passwords: the Argon2id parameters from
// OWASP's Password Storage Cheat Sheet (19 MiB, 2 passes, 1 lane). One hash
// took 23 ms on a 2-core server.
var recommended = cost{memory: 19 << 10, passes: 2, lanes: 1}

// The lengths of salts and hashes follow the recommendation of RFC 9106,
// section 4.
const saltBytes, hashBytes = 16, 32

// hashesAtOnce limits the number of concurrent hashes. It is our choice: a
// flood of sign-ins takes 38 MiB and as many cores, and the rest of the machine
// remains available. hashesEach limits the concurrent hashes of one account and
// of one address: the rest of a flood waits for its own turns and does not
// delay other people.
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

// party identifies whose password is hashed.
type party struct {
	account string // e-mail address of the account
	address string // address of the client
	known   bool   // the browser has signed in to the account before
}

// hash returns the hash of a password with its salt and its cost in the PHC
// string format. It waits for its turn until ctx ends.
func (h *hasher) hash(ctx context.Context, of party, password string) (string, error) {
	salt := make([]byte, saltBytes)
	rand.Read(salt)
	sum, err := h.sum(ctx, of, password, salt, h.cost)
	return formatPHC(h.cost, salt, sum), err
}

// check reports whether a password matches a hash. It takes the same time if
// the hash is "", which no password matches.
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

// queueTimeout limits how long a sign-in waits for its turn. It is our choice,
// because people do not wait longer.
const queueTimeout = 3 * time.Second

// errCrowded is the error for a sign-in that has waited too long.
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

// during calls f while holding a turn for the account, one for the address and
// one of all. All callers take turns in this order, so that they cannot
// deadlock.
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

// formatPHC returns a hash in the PHC string format, which other programs can
// read.
func formatPHC(c cost, salt, sum []byte) string {
	b := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version,
		c.memory, c.passes, c.lanes, b.EncodeToString(salt), b.EncodeToString(sum))
}

// errHash does not include the hash.
var errHash = errors.New("the stored password hash is not the Argon2id of this version")

// parsePHC parses the output of formatPHC, with any cost.
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

// The rules for passwords. NIST SP 800-63B-4, section 3.1.1.2, requires at
// least 15 characters without a second factor, permission for at least 64
// characters, and verification of the whole password. It forbids composition
// rules and requires that guessable passwords are refused. Lists of common
// passwords contain almost none of that length except repetitions, which
// minDistinct, our choice, refuses.
const minCharacters, minDistinct, maxBytes = 15, 5, 256

// passwordFault returns why a password cannot be set, or "" if it can.
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

// distinct returns the number of different characters in a text.
func distinct(text string) int {
	seen := map[rune]bool{}
	for _, r := range text {
		seen[r] = true
	}
	return len(seen)
}
