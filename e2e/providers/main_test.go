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

func TestMain(m *testing.M) { os.Exit(product.Main(m, sets)) }

var sets = trials.Sets{
	Long: []func(*testing.T){
		TestDocumentedCommands, // builds two programs; TestFirstCommands runs some of the commands
	},
	Concurrent: []func(*testing.T){
		TestDecisionsAtOnce,
		TestDecisionsOutage,
		TestFloodOfOneKey,
		TestRefreshServing,
		TestWarmOutage,
	},
	Single: []func(*testing.T){
		// Decisions and caches do not depend on the store, and these start products of their own.
		TestDamagedFile,
		TestDecisionsAtOnce,
		TestDecisionsHeld,
		TestDecisionsOutage,
		TestDecisionsWarm,
		TestFaultsCold,
		TestFaultsOfParts,
		TestLongestAnswer,
		TestObservesWithoutLists,
		TestOneQuestionFits,
		TestRepeatedTime,
		TestRevision,
		TestScoresByHand,
		TestWarmOutage,
		TestWindAgainstCurrentWindows,
		TestWindAgainstUnknown,
		TestWorkedCases,
		// The limit of requests to a provider is divided among instances.
		TestFloodOfOneKey,
		// These start a server with the command line.
		TestDocumentedCommands,
		TestFirstCommands,
	},
}
