// Package signature signs events as Standard Webhooks 1.0.0 describes, and encrypts the secrets of
// endpoints for the store. It does not read the store.
package signature

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"time"
)

// SecretPrefix begins the text of every secret.
const SecretPrefix = "whsec_"

// secretSize is the number of random bytes in a secret.
const secretSize = 32

// Secret signs the events of one endpoint. Printing or logging it shows only the prefix: Text
// returns the secret itself. The zero Secret is not valid.
type Secret struct {
	// key returns the secret. Package fmt prints the bytes of arrays and of what pointers point
	// to, with some verbs even in unexported fields, but never calls such a function.
	key func() [secretSize]byte
}

// NewSecret returns a new random secret.
func NewSecret() Secret {
	var key [secretSize]byte
	rand.Read(key[:])
	return secretOf(key)
}

// secretOf returns the secret with the bytes of a key.
func secretOf(key [secretSize]byte) Secret {
	return Secret{func() [secretSize]byte { return key }}
}

// Text returns the secret as its owner gets it.
func (s Secret) Text() string {
	key := s.key()
	return SecretPrefix + base64.StdEncoding.EncodeToString(key[:])
}

// Hint returns the start of the secret, which distinguishes it from others of the account.
func (s Secret) Hint() string { return s.Text()[:len(SecretPrefix)+4] + "…" }

// String returns the prefix alone, so that no log contains the secret.
func (s Secret) String() string { return SecretPrefix + "…" }

// Sign returns the signatures of an event: one for each secret, in their order, separated by
// spaces. Each is v1, a comma and the HMAC-SHA-256 of the event's id, the time of the attempt
// and the body in base64 (Standard Webhooks 1.0.0).
func Sign(id string, at time.Time, body []byte, secrets ...Secret) string {
	head := make([]byte, 0, 64)
	head = append(append(head, id...), '.')
	head = append(strconv.AppendInt(head, at.Unix(), 10), '.')
	var sum [sha256.Size]byte
	signatures := make([]byte, 0, 96)
	for i, s := range secrets {
		if i > 0 {
			signatures = append(signatures, ' ')
		}
		key := s.key()
		h := hmac.New(sha256.New, key[:])
		h.Write(head)
		h.Write(body)
		signatures = append(signatures, "v1,"...)
		signatures = base64.StdEncoding.AppendEncode(signatures, h.Sum(sum[:0]))
	}
	return string(signatures)
}

// SetHeaders sets the three headers of Standard Webhooks. Set writes their canonical names:
// the library for Go receivers does not find others.
func SetHeaders(h http.Header, id string, at time.Time, body []byte, secrets []Secret) {
	h.Set("webhook-id", id)
	h.Set("webhook-timestamp", strconv.FormatInt(at.Unix(), 10))
	h.Set("webhook-signature", Sign(id, at, body, secrets...))
}
