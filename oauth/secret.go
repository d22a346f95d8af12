package oauth

import (
	"crypto/aes"
	"crypto/cipher"
)

// The prefixes of secrets, with which people and scanners recognize them.
const (
	refreshPrefix = "ldr_"
	codePrefix    = "ldc_"
	secretPrefix  = "lds_" // prefix of client secrets
)

// seal encrypts text with AES-256-GCM. A random nonce precedes the ciphertext.
// No key encrypts often enough for nonces to repeat.
func seal(key [32]byte, text []byte) []byte { return gcm(key).Seal(nil, nil, text, nil) }

// unseal decrypts the output of seal with the same key.
func unseal(key [32]byte, sealed []byte) ([]byte, error) {
	return gcm(key).Open(nil, nil, sealed, nil)
}

func gcm(key [32]byte) cipher.AEAD {
	block, err := aes.NewCipher(key[:])
	if err != nil {
		panic(err) // impossible: the key length is fixed
	}
	box, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // impossible: AES has the right block size
	}
	return box
}
