// Package accounts tests what depends on who asks, through a whole server on loopback with the
// simulated providers: signing in, credentials, limits, webhooks, watches and incidents.
package accounts

import (
	"os"
	"testing"

	"leadline/e2e/product"
	"leadline/internal/trials"
)

func TestMain(m *testing.M) { os.Exit(product.Main(m, sets)) }

var sets = trials.Sets{
	Concurrent: []func(*testing.T){
		TestEveryKindArrives, // delivery, the monitor and callers at once
		TestDrain,            // requests while the server ends
		TestRaceToRevoke,
		TestWatchOutage,
	},
}
