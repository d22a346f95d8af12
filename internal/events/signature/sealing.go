package signature

import (
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"fmt"

	"leadline/internal/access/credential"
)

// ErrSealed means that the stored secret of an endpoint cannot be opened: the pepper is another
// one, or the secret was sealed for another endpoint or changed. Only a new secret helps.
var ErrSealed = errors.New("the secret of the endpoint cannot be opened")

// sealedForm is the first byte of a sealed secret: AES-256-GCM with a random nonce of 12 bytes.
const sealedForm = 1

// Sealer encrypts the secrets of endpoints for the store. A stolen store without the pepper
// signs nothing.
type Sealer struct{ aead cipher.AEAD }

// NewSealer returns a sealer whose key is derived from the pepper.
func NewSealer(pepper credential.Pepper) *Sealer {
	key := pepper.Derive("webhook secrets")
	block, err := aes.NewCipher(key[:])
	if err != nil {
		panic(err) // a key of 32 bytes is always valid
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // AES always has the block size of GCM
	}
	return &Sealer{aead}
}

// Seal encrypts the secret of an endpoint. The result is the version, the nonce, the encrypted
// secret and the tag: 61 bytes.
func (s *Sealer) Seal(endpoint string, secret Secret) []byte {
	key := secret.key()
	return s.aead.Seal([]byte{sealedForm}, nil, key[:], []byte(endpoint))
}

// Open decrypts the sealed secret of an endpoint. Every error is ErrSealed.
func (s *Sealer) Open(endpoint string, sealed []byte) (Secret, error) {
	if len(sealed) == 0 || sealed[0] != sealedForm {
		return Secret{}, fmt.Errorf("%w: unknown version", ErrSealed)
	}
	key, err := s.aead.Open(nil, nil, sealed[1:], []byte(endpoint))
	if err != nil {
		return Secret{}, fmt.Errorf("%w: %w", ErrSealed, err)
	}
	if len(key) != secretSize {
		return Secret{}, fmt.Errorf("%w: wrong length", ErrSealed)
	}
	return secretOf([secretSize]byte(key)), nil
}
