package rest

import (
	"leadline/internal/access"
	"leadline/tools"
)

// The needs of the routes for an account's keys and usage. Keys do not make
// keys: one that leaks must not outlive its revocation.
var (
	account = access.Need{By: access.Key | access.Session, Scopes: []string{access.UsageRead}}
	itself  = access.Need{By: access.Key | access.Session}
	person  = access.Need{By: access.Session}
)

// developer is the table of the routes for an account's keys and usage, in
// the order of their document.
func developer(set *tools.Set) []operation {
	return []operation{
		read("/api/developer/usage", "getUsage", "Account", "Tell what the account has used",
			"The running minute and month of the account that the credential belongs to, and the months before. All keys of an account, and the apps that it has connected, share its allowance.",
			priced(request, needs(account, get[usageQuery](set.Usage)))),
		read("/api/developer/keys", "listKeys", "Account", "List the account's keys",
			"All keys of the account, dead ones too, with their scopes and their last use. Keys themselves are not kept.",
			priced(request, needs(account, get[keysQuery](set.ListKeys)))),
		send("/api/developer/keys", "createKey", "Account", "Make a key",
			"Makes a key of the account, for one unit of its month. The answer is the only time that it can be seen. An account has at most 50 active keys.",
			needs(person, post(set.CreateKey))),
		send("/api/developer/keys/reroll", "rerollKey", "Account", "Replace a key",
			"Makes a key with the name, the scopes and the expiry of another, which is let in for a while yet, for one unit of the month. Both share the account's allowance.",
			needs(person, post(set.RerollKey))),
		send("/api/developer/keys/revoke", "revokeKey", "Account", "Revoke a key",
			"Kills a key: its next request is refused. A browser session can revoke every key of its account, a key itself.",
			priced(request, needs(itself, post(set.RevokeKey)))),
	}
}

type usageQuery struct{}

func (usageQuery) Input() tools.UsageInput { return tools.UsageInput{} }

type keysQuery struct{}

func (keysQuery) Input() tools.ListKeysInput { return tools.ListKeysInput{} }
