// Package access identifies callers and enforces what they may request: scopes, plans, rate
// limits and monthly quotas.
//
// A Gate is the middleware in front of MCP and REST. It identifies the caller of a request:
// a client address, or the account of an API key, of a browser session or of an access
// token. It has two steps. Admit, before a request is read, checks the credential, its
// scopes and its plan, and counts the request in the rate limit. Spend, once a request is
// known to be well-formed, takes a unit of the account's monthly quota. A response of 5xx
// returns the unit. The headers of every response report what remains of both limits.
//
// Rate limits are counted in memory, exactly and by a monotonic clock: no 60 seconds contain
// more requests than the limit. Monthly quotas are counted in the store, in leases: units
// are reserved there durably, a batch at a time, and spent from memory. A crash loses units
// and never serves one twice, and a request with a cached credential touches no disk. If the
// store is unavailable, requests that need it fail with store_unavailable: no unit is served
// that was not reserved.
//
// Valid credentials are cached until the store reports a change of them. The gate also counts
// requests by account, day and surface, for people to look at, and records the last uses of keys
// and sessions. These are collected in memory and written together; requests do not wait for it.
// The newest refused requests of an account stay in memory, for its owner.
//
// Keys creates, finds and revokes API keys. An authorization server issues and verifies
// access tokens; the gate verifies each token once and caches the result. Operations read
// the Caller and the Standing from the context and change neither.
package access

import (
	"context"
	"net/netip"
	"slices"
)

// Tier is the name of the plan that a caller's limits come from.
type Tier string

// The tiers of every server. Local is the person who started the process and has no limits.
const (
	Anonymous Tier = "anonymous"
	Free      Tier = "free"
	Pro       Tier = "pro"
	Local     Tier = "local"
)

// The scopes of a credential.
const (
	RawRead      = "raw:read"      // the data routes of REST
	MCPUse       = "mcp:use"       // the MCP endpoint
	DecisionRead = "decision:read" // the decisions
	WebhookRead  = "webhook:read"
	WebhookWrite = "webhook:write"
	UsageRead    = "usage:read" // the account's usage and its list of keys
)

// Scope names what a credential may be used for.
type Scope string

// Values returns all scopes.
func (Scope) Values() []string { return Scopes() }

// Scopes returns all scopes, in the order in which they are listed.
func Scopes() []string {
	return []string{RawRead, MCPUse, DecisionRead, WebhookRead, WebhookWrite, UsageRead}
}

// Caller identifies who sent a request.
type Caller struct {
	Tier    Tier
	Address netip.Addr // address of the client, for IPv6 its /64; invalid for Local
	Group   string     // group of shared addresses of a caller without a credential, or ""
	Account string     // id of the account, or "" without a credential
	Email   string     // address of the account
	Key     string     // public id of the API key, or ""
	Name    string     // name of the key
	Grant   string     // id of the grant of the access token, or ""
	App     string     // name of the app with the grant
	Scopes  []string   // what the credential may be used for
}

// May reports whether the caller's credential has the scope.
func (c Caller) May(scope string) bool { return slices.Contains(c.Scopes, scope) }

type callerKey struct{}

// With returns a context that carries the caller, for use without a gate.
func With(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerFrom returns the caller of a request, and false if the context has no caller.
func CallerFrom(ctx context.Context) (Caller, bool) {
	if v := visitFrom(ctx); v != nil {
		return v.caller(), true
	}
	c, ok := ctx.Value(callerKey{}).(Caller)
	return c, ok
}

// CallerKey returns the identity to which the work of a request is charged: the account, or
// without an account the client address (IPv6: its /64). It is "" for Local and if no caller is
// known.
func CallerKey(ctx context.Context) string {
	c, _ := CallerFrom(ctx)
	switch {
	case c.Account != "":
		return AccountKey(c.Account)
	case c.Address.IsValid():
		return "address " + c.Address.String()
	}
	return ""
}
