package server

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"leadline/internal/config"
	"leadline/internal/login"
)

// TestProviderSettings: a provider takes what belongs together.
func TestProviderSettings(t *testing.T) {
	folder := t.TempDir()
	secret, empty := filepath.Join(folder, "secret"), filepath.Join(folder, "empty")
	for name, text := range map[string]string{secret: " s3cret\n", empty: "\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	id := "https://id.example.org"
	for _, test := range []struct {
		config config.Config
		want   *login.Provider
		says   string
	}{
		{config.Config{}, nil, ""},
		{config.Config{OIDCIssuer: id, OIDCClientID: "leadline"}, &login.Provider{Issuer: id, ClientID: "leadline"}, ""},
		{config.Config{OIDCIssuer: id, OIDCClientID: "leadline", OIDCClientSecretFile: secret, OIDCPlanClaim: "plan"}, &login.Provider{Issuer: id, ClientID: "leadline", ClientSecret: "s3cret", PlanClaim: "plan"}, ""},
		{config.Config{OIDCIssuer: id}, nil, "needs both --oidc-issuer and --oidc-client-id"},
		{config.Config{OIDCPlanClaim: "plan"}, nil, "needs both --oidc-issuer and --oidc-client-id"},
		{config.Config{OIDCIssuer: "http://id.example.org", OIDCClientID: "leadline"}, nil, "must be an https address"},
		{config.Config{OIDCIssuer: id, OIDCClientID: "leadline", OIDCClientSecretFile: empty}, nil, "is empty"},
		{config.Config{OIDCIssuer: id, OIDCClientID: "leadline", OIDCClientSecretFile: empty + "x"}, nil, "read --oidc-client-secret-file"},
	} {
		got, err := oidcProvider(&test.config)
		if (err == nil) != (test.says == "") || err != nil && !strings.Contains(err.Error(), test.says) || err == nil && (got == nil) != (test.want == nil) || err == nil && got != nil && *got != *test.want {
			t.Errorf("%+v: got %v, %v, want %v, %q", test.config, got, err, test.want, test.says)
		}
	}
}
