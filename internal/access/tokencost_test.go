package access

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"leadline/internal/access/credential"
	"leadline/store"
)

// BenchmarkTokenAgain identifies the caller of a request from a cached token of typical length.
// It may take 2 µs.
func BenchmarkTokenAgain(b *testing.B) {
	now, asked := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), 0
	g := New(Config{Plans: BuiltIn(), Token: func(context.Context, string) (credential.Token, error) {
		asked++
		return credential.Token{Account: store.Account{ID: "a", Plan: string(Pro)},
			Scopes:  []string{credential.MCPUse},
			Expires: now.Add(time.Hour)}, nil
	}})
	r := &http.Request{Header: http.Header{"Authorization": {"Bearer " +
		strings.Repeat("eyJhbGci.", 80)}}}
	v := &visit{
		Context: b.Context(), meters: g.meters, now: now,
		need: Need{By: Key | SignedIn, Scopes: []string{credential.MCPUse}},
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := g.identify(v, r); err != nil {
			b.Fatal(err)
		}
	}
	if asked != 1 || v.who.Tier != Pro {
		b.Errorf("verified %d times, as %+v", asked, v.who)
	}
}
