package credential

import (
	"testing"
)

// TestKeyID checks that all usual spellings of a key's id are accepted, and nothing else.
func TestKeyID(t *testing.T) {
	secret := mint()
	id := publicID(secret)
	for _, text := range []string{id, Prefix + id, Shown(id), Prefix + id + "...", secret} {
		if got, ok := KeyID(text); !ok || got != id {
			t.Errorf("KeyID(%q) = %q, %v, want %q", text, got, ok, id)
		}
	}
	misspelled := []byte(secret)
	misspelled[20] ^= 1
	for _, text := range []string{
		"", "…", id[1:], id + "x", "abc-123", "abcdéf", Prefix, string(misspelled),
	} {
		if got, ok := KeyID(text); ok {
			t.Errorf("KeyID(%q) = %q, want none", text, got)
		}
	}
}
