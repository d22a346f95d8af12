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
// The gate asks three packages: credential finds the account of a secret, limit counts requests,
// quota takes units. A request with a cached credential and a lease touches no disk. If the store
// is unavailable, requests that need it fail with store_unavailable. The newest refused requests
// of an account stay in memory, for its owner.
//
// It does not create keys or verify tokens itself. Operations read the Caller and the Standing
// from the context and change neither.
package access

import (
	"net/netip"
	"slices"
)

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
