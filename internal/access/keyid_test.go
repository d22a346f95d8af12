package access

import "testing"

// TestKeyID: a key is named in every way that people write it, and by nothing
// else.
func TestKeyID(t *testing.T) {
	secret := mint()
	id := publicID(secret)
	for _, text := range []string{id, Prefix + id, Shown(id), Prefix + id + "...", secret} {
		if got, ok := KeyID(text); !ok || got != id {
			t.Errorf("KeyID(%q) = %q, %v, want %q", text, got, ok, id)
		}
	}
	misspelt := []byte(secret)
	misspelt[20] ^= 1
	for _, text := range []string{
		"", "…", id[1:], id + "x", "abc-123", "abcdéf", Prefix, string(misspelt),
	} {
		if got, ok := KeyID(text); ok {
			t.Errorf("KeyID(%q) = %q, want none", text, got)
		}
	}
}
