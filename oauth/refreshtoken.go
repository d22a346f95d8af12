package oauth

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strings"

	"leadline/internal/access/credential"
)

// refreshTokens creates and recognizes refresh tokens. A token consists of the
// id of a grant, 256 random bits, and a MAC. With the MAC the server recognizes
// its own tokens, even those that are no longer stored.
type refreshTokens struct{ key [32]byte }

// create returns a new refresh token for a grant.
func (t refreshTokens) create(grant string) string {
	body := credential.NewSecret(refreshPrefix + grant + ".")
	return body + "." + t.mac(body)
}

func (t refreshTokens) mac(body string) string {
	h := hmac.New(sha256.New, t.key[:])
	h.Write([]byte(body))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:16])
}

// grantOf returns the grant of a refresh token that this server created, even
// if the token was replaced long ago.
func (t refreshTokens) grantOf(token string) (grant string, ok bool) {
	end := strings.LastIndexByte(token, '.')
	if end < 0 || !hmac.Equal([]byte(t.mac(token[:end])), []byte(token[end+1:])) {
		return "", false
	}
	grant, _, ok = strings.Cut(strings.TrimPrefix(token, refreshPrefix), ".")
	return grant, ok
}
