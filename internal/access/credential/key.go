package credential

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"
)

// An API key consists of the prefix, a public id of 7 characters, a secret of 33 (196 random
// bits) and a checksum of 6 over the rest: 55 characters. A double click selects the whole key,
// secret scanners recognize it, and misspelled keys are refused without a request to the store.
const (
	Prefix       = "ldl_live_"
	idLength     = 7
	secretLength = 33
	sumLength    = 6
	keyLength    = len(Prefix) + idLength + secretLength + sumLength
)

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// mint returns a new key.
func mint() string {
	body := Prefix + Random(idLength+secretLength)
	sum := checksum(body)
	return body + string(sum[:])
}

// Random returns n random characters of base 62, uniformly distributed.
func Random(n int) string {
	var b [64]byte
	text := make([]byte, 0, n)
	for {
		rand.Read(b[:])
		for _, v := range b {
			if len(text) == n {
				return string(text)
			}
			if v < 4*62 { // other values would favor the first characters
				text = append(text, base62[v%62])
			}
		}
	}
}

// checksum returns the CRC-32 (IEEE 802.3) of text in base 62. The loop is the one that
// hash/crc32 uses for short texts, without the copy that calling it requires.
func checksum(text string) (digits [sumLength]byte) {
	sum := ^uint32(0)
	for i := range len(text) {
		sum = crc32.IEEETable[byte(sum)^text[i]] ^ sum>>8
	}
	sum = ^sum
	for i := sumLength - 1; i >= 0; i-- {
		digits[i] = base62[sum%62]
		sum /= 62
	}
	return digits
}

// wellFormed reports whether text has the format and checksum of a key.
func wellFormed(text string) bool {
	if len(text) != keyLength || !strings.HasPrefix(text, Prefix) {
		return false
	}
	body, given := text[:keyLength-sumLength], text[keyLength-sumLength:]
	sum := checksum(body)
	return string(sum[:]) == given
}

// publicID returns the part of a key that identifies it.
func publicID(key string) string { return key[len(Prefix) : len(Prefix)+idLength] }

// KeyID returns the public id of a key from its usual spellings: the id alone, the form of
// Shown, or the whole key.
func KeyID(text string) (id string, ok bool) {
	if wellFormed(text) {
		return publicID(text), true
	}
	id = strings.TrimPrefix(text, Prefix)
	id = strings.TrimSuffix(strings.TrimSuffix(id, "…"), "...")
	return id, len(id) == idLength && strings.Trim(id, base62) == ""
}

// Shown returns the form of a key for display: its prefix and public id.
func Shown(id string) string { return Prefix + id + "…" }

// Pepper is the secret that keys are hashed with. It is stored apart from the store, so that a
// stolen store does not allow guesses at keys.
type Pepper [32]byte

// pepperForm is the version prefix of a pepper in text form.
const pepperForm = "1 "

// NewPepper returns a new pepper.
func NewPepper() (p Pepper) {
	rand.Read(p[:])
	return p
}

// Text returns the content of a pepper file.
func (p Pepper) Text() string { return pepperForm + hex.EncodeToString(p[:]) + "\n" }

// ReadPepper parses the result of Text.
func ReadPepper(text string) (p Pepper, err error) {
	digits, known := strings.CutPrefix(strings.TrimSpace(text), pepperForm)
	if !known || len(digits) != 2*len(p) {
		err = errors.New("wrong length or format")
	} else {
		_, err = hex.Decode(p[:], []byte(digits))
	}
	if err != nil {
		return p, fmt.Errorf("invalid pepper: the file must contain %q and %d hexadecimal digits: %w",
			pepperForm, 2*len(p), err)
	}
	return p, nil
}

// Derive returns a key for one purpose. It reveals neither the pepper nor the hash of any API
// key.
func (p Pepper) Derive(purpose string) [32]byte { return p.hash("key for " + purpose) }

// hash returns the HMAC-SHA-256 of text. Keys are long and random, so a slow hash would add no
// security and make the server easier to overload.
func (p Pepper) hash(text string) (sum [32]byte) {
	h := hmac.New(sha256.New, p[:])
	h.Write([]byte(text))
	h.Sum(sum[:0])
	return sum
}
