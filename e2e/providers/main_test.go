// Package providers tests what a whole server on loopback returns over MCP, REST and the command
// line, with the simulated providers and without them: results, decisions, faults, the contract and
// recorded examples.
package providers

import (
	"os"
	"testing"

	"leadline/e2e/product"
	"leadline/internal/trials"
)

func TestMain(m *testing.M) { os.Exit(product.Main(m, trials.Sets{})) }
