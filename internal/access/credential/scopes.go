package credential

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
