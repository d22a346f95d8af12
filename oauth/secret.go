package oauth

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"errors"
)

// Prefixes of secrets, by which people and scanners recognize them.
const (
	refreshPrefix = "ldr_"
	codePrefix    = "ldc_"
	secretPrefix  = "lds_" // of clients
)

// seal encrypts text with AES-256-GCM. The nonce precedes the ciphertext: it is
// random, and no key seals so often that nonces would repeat.
func seal(key [32]byte, text []byte) []byte {
	box := gcm(key)
	nonce := make([]byte, box.NonceSize(), box.NonceSize()+len(text)+box.Overhead())
	rand.Read(nonce)
	return box.Seal(nonce, nonce, text, nil)
}

// unseal decrypts what seal encrypted with the key.
func unseal(key [32]byte, sealed []byte) ([]byte, error) {
	box := gcm(key)
	if len(sealed) < box.NonceSize() {
		return nil, errors.New("sealed text is cut short")
	}
	return box.Open(nil, sealed[:box.NonceSize()], sealed[box.NonceSize():], nil)
}

func gcm(key [32]byte) cipher.AEAD {
	block, err := aes.NewCipher(key[:])
	if err != nil {
		panic(err) // only for keys of other lengths
	}
	box, err := cipher.NewGCM(block)
	if err != nil {
		panic(err) // only for blocks of other lengths
	}
	return box
}
