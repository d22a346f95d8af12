// Package credential has what callers identify themselves with: API keys, access tokens and browser
// sessions, and the scopes that say what a credential may be used for.
//
// Secrets come in, and records of the store with the accounts that they belong to go out. Keys
// creates, finds and revokes API keys. Tokens caches what an authorization server has verified.
// Valid credentials are cached until the store reports a change of them. The last uses of keys and
// sessions are collected in memory and written together; requests do not wait for that.
//
// It does not read requests, and does not know plans or limits.
package credential
