// Package instances tests programs and their stores: several instances on PostgreSQL, commands,
// backups, copies, damaged files and processes that are killed.
package instances

import (
	"os"
	"testing"

	"leadline/e2e/product"
	"leadline/internal/trials"
)

func TestMain(m *testing.M) { os.Exit(product.Main(m, sets)) }

var sets = trials.Sets{
	// TestTwoInstances has a little of each of these, which take up to a minute.
	Long: []func(*testing.T){
		TestFirstAccountOfInstances,
		TestFleet,
		TestInstanceRefusals,
		TestInstances,
		TestInstancesDeliver,
		TestInstancesRefresh,
		TestInstancesWithoutDatabase,
	},
	Concurrent: []func(*testing.T){
		TestBackupWhileServing,
		TestManyCommands,
		TestTwoInstances,
	},
	// All tests of this package start servers of their own.
	Single: []func(*testing.T){
		// with commands
		TestBackupWhileServing, TestRestore, TestCheckFindsDamage, TestRestoreInUse,
		TestCommandTranscripts, TestCommandsTakeEffect, TestUsedIsServed, TestSettingsAround,
		TestCommandFaults, TestSecondServer, TestSilentHolder, TestManyCommands, TestKilledServer,
		TestLongName, TestDamagedStore, TestFolderFaults, TestPepperWithoutStore, TestPepperElsewhere,
		TestFirstStartStopped, TestFirstStartKilled, TestStoreCopy, TestStoreCopyUnfinished,
		TestStoreCopyDatabase, TestStoreMigrate,
		// with several instances
		TestFirstAccountOfInstances, TestFleet, TestInstanceRefusals, TestInstances,
		TestInstancesDeliver, TestInstancesRefresh, TestInstancesWithoutDatabase, TestTwoInstances,
	},
}
