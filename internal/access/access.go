// Package access knows who calls, what they may ask and what they have left.
//
// A Gate stands before both doors. It names the caller of a request: a client
// address, or the account of an API key, of a browser session or of an access
// token. It takes two steps. Admit, before a request is read, checks the credential, its scopes
// and its plan, and takes a request of the caller's minute. Spend, once a
// request is known to be well-formed, takes a unit of the account's month. An
// answer that ends in 5xx gives the unit back. Every answer, whichever step it
// ended at, tells what is left in its headers.
//
// Minutes are counted in memory, exactly and by a monotonic clock: no 60 seconds hold more than the
// limit. Months are counted in the store, in leases: units are reserved there
// durably, a batch at a time, and handed out from memory, so that a crash
// loses units and never serves one twice, and a warm request touches no disk.
// Where the store does not answer, what needs it ends as store_unavailable:
// no unit is served that was not reserved.
//
// Keys makes, finds and kills API keys. Access tokens are made and verified by
// an authorization server, which the gate asks once for each. Operations read the Caller and the
// Standing from the context and change neither.
package access

import (
	"context"
	"net/netip"
	"slices"
)

// Tier is the name of the plan that a caller's limits come from.
type Tier string

// The tiers that there always are. Local is the person who started the
// process: no limits.
const (
	Anonymous Tier = "anonymous"
	Free      Tier = "free"
	Pro       Tier = "pro"
	Local     Tier = "local"
)

// The scopes of a credential.
const (
	RawRead      = "raw:read"      // the data routes
	MCPUse       = "mcp:use"       // the MCP door
	DecisionRead = "decision:read" // the decisions
	WebhookRead  = "webhook:read"
	WebhookWrite = "webhook:write"
	UsageRead    = "usage:read" // the account's usage and its list of keys
)

// Scopes returns all scopes, in the order in which they are told.
func Scopes() []string {
	return []string{RawRead, MCPUse, DecisionRead, WebhookRead, WebhookWrite, UsageRead}
}

// Caller is who asks.
type Caller struct {
	Tier    Tier
	Address netip.Addr // of the client, IPv6 cut to its /64; not valid for Local
	Group   string     // of shared addresses that Address is in, of a caller without a credential, or ""
	Account string     // id, or "" where nobody has said who asks
	Email   string     // the account's
	Key     string     // public id of the API key, or ""
	Name    string     // the key's
	Grant   string     // id of what an app was allowed, whose access token was sent, or ""
	App     string     // the app's name
	Scopes  []string   // what the credential may be used for
}

// May reports whether the caller's credential has the scope.
func (c Caller) May(scope string) bool { return slices.Contains(c.Scopes, scope) }

type callerKey struct{}

// With returns a context that carries the caller, where no gate stands.
func With(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerFrom returns the caller, and false where no door has named one.
func CallerFrom(ctx context.Context) (Caller, bool) {
	if v := visitFrom(ctx); v != nil {
		return v.caller(), true
	}
	c, ok := ctx.Value(callerKey{}).(Caller)
	return c, ok
}

// CallerKey returns the identity that a request's work is counted against: the account's, or the
// client address's (IPv6: its /64) without one. It is "" where no caller is known, and for Local.
func CallerKey(ctx context.Context) string {
	c, _ := CallerFrom(ctx)
	switch {
	case c.Account != "":
		return "account " + c.Account
	case c.Address.IsValid():
		return "address " + c.Address.String()
	}
	return ""
}
