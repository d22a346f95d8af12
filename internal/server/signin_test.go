package server

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"leadline/internal/config"
	"leadline/internal/login"
)

// TestProviderSettings checks which settings of a provider need each other.
func TestProviderSettings(t *testing.T) {
	folder := t.TempDir()
	secret, empty := filepath.Join(folder, "secret"), filepath.Join(folder, "empty")
	for name, text := range map[string]string{secret: " s3cret\n", empty: "\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	id := "https://id.example.org"
	incomplete := "needs both --oidc-issuer and --oidc-client-id"
	settings := func(issuer, client, secretFile, claim string) config.Config {
		return config.Config{
			OIDCIssuer: issuer, OIDCClientID: client, OIDCClientSecretFile: secretFile, OIDCPlanClaim: claim,
		}
	}
	public := &login.Provider{Issuer: id, ClientID: "leadline"}
	private := &login.Provider{
		Issuer: id, ClientID: "leadline", ClientSecret: "s3cret", PlanClaim: "plan",
	}
	for _, test := range []struct {
		config config.Config
		want   *login.Provider
		says   string
	}{
		{config.Config{}, nil, ""},
		{settings(id, "leadline", "", ""), public, ""},
		{settings(id, "leadline", secret, "plan"), private, ""},
		{settings(id, "", "", ""), nil, incomplete},
		{settings("", "", "", "plan"), nil, incomplete},
		{settings("http://id.example.org", "leadline", "", ""), nil, "must be an https address"},
		{settings(id, "leadline", empty, ""), nil, "is empty"},
		{settings(id, "leadline", empty+"x", ""), nil, "read --oidc-client-secret-file"},
	} {
		got, err := oidcProvider(&test.config)
		if (err == nil) != (test.says == "") ||
			err != nil && !strings.Contains(err.Error(), test.says) ||
			err == nil && (got == nil) != (test.want == nil) ||
			err == nil && got != nil && *got != *test.want {
			t.Errorf("%+v: got %v, %v, want %v, %q", test.config, got, err, test.want, test.says)
		}
	}
}
