// Package access knows who calls. A door puts the Caller into the request's
// context; operations read it there and nowhere else. The tiers stand here
// with their allowances. Nothing counts requests against them yet: every
// caller is anonymous, or the person at the machine itself.
package access

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
)

// Tier is a class of callers with one allowance.
type Tier string

// The tiers. Local is the person who started the process and has no limits.
const (
	Anonymous Tier = "anonymous"
	Free      Tier = "free"
	Pro       Tier = "pro"
	Local     Tier = "local"
)

// Allowance is what a tier may ask for; zero means no figure.
type Allowance struct {
	Tier      Tier
	PerMinute int // requests in any 60 seconds, on each of the two surfaces, MCP and REST
	PerMonth  int // requests in a UTC calendar month
	By        string
}

// allowances are the tiers that the service offers.
var allowances = []Allowance{
	{Anonymous, 30, 0, "client address"},
	{Free, 300, 10_000, "Bearer credential"},
	{Pro, 3_000, 250_000, "Bearer credential"},
}

// AllowanceOf returns the allowance of a tier; the zero one for Local.
func AllowanceOf(t Tier) Allowance {
	for _, a := range allowances {
		if a.Tier == t {
			return a
		}
	}
	return Allowance{Tier: t}
}

// Table returns the tiers as a Markdown table.
func Table() string {
	var b strings.Builder
	b.WriteString("| tier | per minute | per month | identified by |\n|---|---|---|---|\n")
	for _, a := range allowances {
		month := "no figure"
		if a.PerMonth > 0 {
			month = fmt.Sprint(a.PerMonth)
		}
		fmt.Fprintf(&b, "| %s | %d | %s | %s |\n", a.Tier, a.PerMinute, month, a.By)
	}
	return b.String()
}

// Caller is who asks.
type Caller struct {
	Tier    Tier
	Address string // of the client, without port; empty for Local
}

type callerKey struct{}

// With returns a context that carries the caller.
func With(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerFrom returns the caller, and false where no door has named one.
func CallerFrom(ctx context.Context) (Caller, bool) {
	c, ok := ctx.Value(callerKey{}).(Caller)
	return c, ok
}

// Identify names the caller of every request to next: an anonymous one, by
// the address of the peer.
func Identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.RemoteAddr)
		if err != nil {
			host = r.RemoteAddr
		}
		next.ServeHTTP(w, r.WithContext(With(r.Context(), Caller{Tier: Anonymous, Address: host})))
	})
}
