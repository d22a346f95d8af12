package server

import (
	"bytes"
	"strings"
	"testing"

	"leadline/internal/config"
)

// TestLogKeepsSecrets checks that no form of the log contains a credential.
func TestLogKeepsSecrets(t *testing.T) {
	const key = "ldl_live_AbCdEfG0123456789abcdefghijklmnopqrstuvwXYZxyz"
	for _, form := range []string{"json", "text", "auto"} {
		var b bytes.Buffer
		log := NewLogger(&config.Config{LogFormat: form}, &b)
		log.Info("got "+key, "x-api-key", "a secret", "path", "/"+key)
		got := b.String()
		if strings.Contains(got, key) || strings.Contains(got, "a secret") ||
			strings.Count(got, "ldl_live_AbCdEfG…") != 2 {
			t.Errorf("%s: %s", form, got)
		}
	}
}
