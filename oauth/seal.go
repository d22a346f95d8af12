package oauth

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"errors"
)

// seal encrypts text with AES-256-GCM. The nonce stands before it: it is
// random, and no key seals so often that two would meet.
func seal(key [32]byte, text []byte) []byte {
	box := gcm(key)
	nonce := make([]byte, box.NonceSize(), box.NonceSize()+len(text)+box.Overhead())
	rand.Read(nonce)
	return box.Seal(nonce, nonce, text, nil)
}

// unseal decrypts what seal has made with the key.
func unseal(key [32]byte, sealed []byte) ([]byte, error) {
	box := gcm(key)
	if len(sealed) < box.NonceSize() {
		return nil, errors.New("what was sealed is cut short")
	}
	return box.Open(nil, sealed[:box.NonceSize()], sealed[box.NonceSize():], nil)
}

func gcm(key [32]byte) cipher.AEAD {
	block, err := aes.NewCipher(key[:])
	if err != nil {
		panic(err) // of a key of another length
	}
	box, err := cipher.NewGCM(block)
	if err != nil {
		panic(err) // of a block of another length
	}
	return box
}
