// Package instances tests programs and their stores: several instances on PostgreSQL, commands,
// backups, copies, damaged files and processes that are killed.
package instances

import (
	"os"
	"testing"

	"leadline/e2e/product"
	"leadline/internal/trials"
)

func TestMain(m *testing.M) { os.Exit(product.Main(m, trials.Sets{})) }
