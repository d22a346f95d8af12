package rest

import (
	"slices"

	"leadline/internal/access"
	"leadline/internal/access/credential"
	"leadline/internal/selfservice"
	"leadline/tools"
)

// These are the needs of the routes for an account's keys and usage. A key cannot create
// keys: a leaked key must not be usable after its revocation.
var (
	account = access.Need{By: access.Key | access.Session, Scopes: []string{credential.UsageRead}}
	itself  = access.Need{By: access.Key | access.Session}
	person  = access.Need{By: access.Session}
)

// developer returns the table of the developer routes, in the order of their OpenAPI
// document.
func developerRoutes(set *tools.Set) []route {
	return slices.Concat(accountRoutes(set), webhookRoutes(set), watchRoutes(set))
}

// accountRoutes returns the routes for keys and usage.
func accountRoutes(set *tools.Set) []route {
	return []route{
		read("/api/developer/usage", "getUsage", "usage.get", "Account",
			"Get the usage of the account",
			"The rate limit window and the monthly quota of the credential's account, and its "+
				"earlier months. All keys and connected apps of an account share its limits.",
			priced(request, needs(account, get[usageQuery](set.Account.Usage))),
		),
		read("/api/developer/keys", "listKeys", "keys.list", "Account",
			"List the account's keys",
			"All keys of the account, including inactive ones, with their scopes and last use. "+
				"The secrets of keys are not stored.",
			priced(request, needs(account, get[keysQuery](set.Account.ListKeys))),
		),
		send("/api/developer/keys", "createKey", "", "Account",
			"Create a key",
			"Creates a key of the account, for one unit of its monthly quota. Only this response "+
				"contains the key itself. An account has at most 50 active keys.",
			needs(person, post(set.Account.CreateKey)),
		),
		send("/api/developer/keys/reroll", "replaceKey", "", "Account",
			"Replace a key",
			"Creates a key with the name, the scopes and the expiry of another, for one unit of "+
				"the monthly quota. The replaced key remains active for a limited time. Both "+
				"share the account's limits.",
			needs(person, post(set.Account.ReplaceKey)),
		),
		send("/api/developer/keys/revoke", "revokeKey", "keys.revoke", "Account",
			"Revoke a key",
			"Revokes a key: its next request is refused. A browser session can revoke every key "+
				"of its account; a key can revoke itself.",
			priced(request, needs(itself, post(set.Account.RevokeKey))),
		),
	}
}

type usageQuery struct{}

func (usageQuery) Input() selfservice.UsageInput { return selfservice.UsageInput{} }

type keysQuery struct{}

func (keysQuery) Input() selfservice.ListKeysInput { return selfservice.ListKeysInput{} }
