package trials

import (
	"os"
	"testing"
)

// Shared returns the folder with values that agencies have published and with responses that were
// recorded, which LEADLINE_SHARED names. Without it the test is skipped, or fails if
// LEADLINE_REQUIRE=all requires every test.
func Shared(t testing.TB) string {
	t.Helper()
	folder := os.Getenv("LEADLINE_SHARED")
	if folder == "" {
		Skip(t, "LEADLINE_SHARED does not name the folder of published values")
	}
	return folder
}

// Skip skips a test that lacks something, or fails it if LEADLINE_REQUIRE=all requires every test.
func Skip(t testing.TB, reason string) {
	t.Helper()
	if os.Getenv("LEADLINE_REQUIRE") == "all" {
		t.Fatalf("%s, and LEADLINE_REQUIRE=all requires every test", reason)
	}
	t.Skip(reason)
}
