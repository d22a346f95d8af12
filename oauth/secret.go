package oauth

import (
	"crypto/aes"
	"crypto/cipher"
)

// Prefixes of secrets, by which people and scanners recognize them.
const (
	refreshPrefix = "ldr_"
	codePrefix    = "ldc_"
	secretPrefix  = "lds_" // of clients
)

// seal encrypts text with AES-256-GCM. A random nonce precedes the ciphertext: no
// key seals so often that nonces would repeat.
func seal(key [32]byte, text []byte) []byte { return gcm(key).Seal(nil, nil, text, nil) }

// unseal decrypts what seal encrypted with the key.
func unseal(key [32]byte, sealed []byte) ([]byte, error) {
	return gcm(key).Open(nil, nil, sealed, nil)
}

func gcm(key [32]byte) cipher.AEAD {
	block, err := aes.NewCipher(key[:])
	if err != nil {
		panic(err) // only for keys of other lengths
	}
	box, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // only for blocks of other lengths
	}
	return box
}
