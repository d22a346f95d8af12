package access

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

// An API key is the prefix, 7 characters of public id, 33 of secret (196
// random bits), and 6 of checksum over all before: 55 characters that a
// double click selects, that a scanner of leaked secrets knows by their form,
// and whose misspellings are refused without asking the store.
const (
	Prefix       = "ldl_live_"
	idLength     = 7
	secretLength = 33
	sumLength    = 6
	keyLength    = len(Prefix) + idLength + secretLength + sumLength
)

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// mint makes a new key.
func mint() string {
	body := Prefix + random(idLength+secretLength)
	sum := checksum(body)
	return body + string(sum[:])
}

// random returns n characters of base 62, each as likely as any other.
func random(n int) string {
	var b [64]byte
	text := make([]byte, 0, n)
	for {
		rand.Read(b[:])
		for _, v := range b {
			if len(text) == n {
				return string(text)
			}
			if v < 4*62 { // the rest of a byte's values would favour the first characters
				text = append(text, base62[v%62])
			}
		}
	}
}

// checksum is the CRC-32 (IEEE 802.3) of text in base 62. The loop is the
// library's own for short texts, without the copy that its function needs.
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

// wellFormed reports whether text can be a key.
func wellFormed(text string) bool {
	if len(text) != keyLength || !strings.HasPrefix(text, Prefix) {
		return false
	}
	body, told := text[:keyLength-sumLength], text[keyLength-sumLength:]
	sum := checksum(body)
	return string(sum[:]) == told
}

// publicID is the part of a key that names it.
func publicID(key string) string { return key[len(Prefix) : len(Prefix)+idLength] }

// KeyID returns the public id of a key as a person may write it: alone, as
// Shown writes it, or as part of the whole key.
func KeyID(text string) (id string, ok bool) {
	if wellFormed(text) {
		return publicID(text), true
	}
	id = strings.TrimPrefix(text, Prefix)
	id = strings.TrimSuffix(strings.TrimSuffix(id, "…"), "...")
	return id, len(id) == idLength && strings.Trim(id, base62) == ""
}

// Shown is how a key is written where it may be seen: its prefix and its
// public id.
func Shown(id string) string { return Prefix + id + "…" }

// Pepper is the secret that keys are hashed with. It lies apart from the
// store, so that who has stolen the one cannot try keys against it.
type Pepper [32]byte

// pepperForm is the first word of a pepper's text: a version.
const pepperForm = "1 "

// NewPepper returns a new pepper.
func NewPepper() (p Pepper) {
	rand.Read(p[:])
	return p
}

// Text is the pepper as a file holds it.
func (p Pepper) Text() string { return pepperForm + hex.EncodeToString(p[:]) + "\n" }

// ReadPepper reads what Text has written.
func ReadPepper(text string) (p Pepper, err error) {
	digits, known := strings.CutPrefix(strings.TrimSpace(text), pepperForm)
	if !known || len(digits) != 2*len(p) {
		err = errors.New("it has another length or form")
	} else {
		_, err = hex.Decode(p[:], []byte(digits))
	}
	if err != nil {
		return p, fmt.Errorf("not a pepper: the file must hold %q and %d hexadecimal digits: %w",
			pepperForm, 2*len(p), err)
	}
	return p, nil
}

// Derive returns a key for a purpose of its own: who has it learns nothing of
// the pepper, nor of the hash of any key.
func (p Pepper) Derive(purpose string) [32]byte { return p.hash("key for " + purpose) }

// hash is the HMAC-SHA-256 of text. Keys are long and random: a slow hash
// would add nothing but a way to keep the server busy.
func (p Pepper) hash(text string) (sum [32]byte) {
	h := hmac.New(sha256.New, p[:])
	h.Write([]byte(text))
	h.Sum(sum[:0])
	return sum
}
