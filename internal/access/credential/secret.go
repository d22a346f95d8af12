package credential

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
)

// NewSecret returns a secret: a prefix and 256 random bits as text. The prefix lets people and
// scanners recognize a leaked secret.
func NewSecret(prefix string) string {
	var b [32]byte
	rand.Read(b[:])
	return prefix + base64.RawURLEncoding.EncodeToString(b[:])
}

// HashSecret returns the hash under which a secret from NewSecret is stored. The secret is long
// and random, so a slow hash would not add security.
func HashSecret(secret string) [32]byte { return sha256.Sum256([]byte(secret)) }

// DeriveKey returns a key for one purpose, derived from a secret.
func DeriveKey(secret []byte, purpose string) (key [32]byte) {
	h := hmac.New(sha256.New, secret)
	h.Write([]byte(purpose))
	h.Sum(key[:0])
	return key
}
