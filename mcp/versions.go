package mcp

import (
	"slices"

	protocol "github.com/mark3labs/mcp-go/mcp"
)

// ProtocolVersions returns the versions of the protocol that the endpoint speaks, the oldest first.
func ProtocolVersions() []string {
	return slices.Sorted(slices.Values(protocol.ValidProtocolVersions))
}
