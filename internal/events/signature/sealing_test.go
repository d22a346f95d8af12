package signature

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"testing"

	"leadline/internal/access/credential"
)

func TestSealer(t *testing.T) {
	pepper, secret := credential.NewPepper(), NewSecret()
	s := NewSealer(pepper)
	sealed := s.Seal("we_a", secret)
	got, err := NewSealer(pepper).Open("we_a", sealed)
	if err != nil || got.Text() != secret.Text() {
		t.Fatalf("Open() = %v, %v, want the secret", got, err)
	}
	if bytes.Contains(sealed, bytesOf(secret)[:8]) || len(sealed) != 1+12+32+16 {
		t.Errorf("sealed: %x", sealed)
	}
	if again := s.Seal("we_a", secret); bytes.Equal(again[1:13], sealed[1:13]) {
		t.Error("two seals have one nonce")
	}
}

// TestSealedForm opens a secret with the parts of the documented form alone.
func TestSealedForm(t *testing.T) {
	pepper, secret := credential.NewPepper(), NewSecret()
	sealed := NewSealer(pepper).Seal("we_a", secret)
	key := pepper.Derive("webhook secrets")
	block, _ := aes.NewCipher(key[:])
	gcm, _ := cipher.NewGCM(block)
	got, err := gcm.Open(nil, sealed[1:13], sealed[13:], []byte("we_a"))
	if sealed[0] != 1 || err != nil || !bytes.Equal(got, bytesOf(secret)) {
		t.Errorf("version %d, %x, %v, want the secret", sealed[0], got, err)
	}
}

// TestSealedChanged checks that no other endpoint, pepper or content is accepted.
func TestSealedChanged(t *testing.T) {
	s := NewSealer(credential.NewPepper())
	sealed := s.Seal("we_a", NewSecret())
	short := s.aead.Seal([]byte{sealedForm}, nil, []byte("short"), []byte("we_a"))
	for name, open := range map[string]func() (Secret, error){
		"other endpoint": func() (Secret, error) { return s.Open("we_b", sealed) },
		"other pepper": func() (Secret, error) {
			return NewSealer(credential.NewPepper()).Open("we_a", sealed)
		},
		"empty":     func() (Secret, error) { return s.Open("we_a", nil) },
		"cut":       func() (Secret, error) { return s.Open("we_a", sealed[:20]) },
		"too short": func() (Secret, error) { return s.Open("we_a", short) },
	} {
		if _, err := open(); !errors.Is(err, ErrSealed) {
			t.Errorf("%s: %v, want ErrSealed", name, err)
		}
	}
	for i := range sealed {
		changed := bytes.Clone(sealed)
		changed[i] ^= 1
		if _, err := s.Open("we_a", changed); !errors.Is(err, ErrSealed) {
			t.Errorf("byte %d changed: %v, want ErrSealed", i, err)
		}
	}
}

func bytesOf(s Secret) []byte {
	key := s.key()
	return key[:]
}
