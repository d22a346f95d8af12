package cli

import (
	"context"
	"os"
	"testing"
)

// TestMain lets the test binary inspect files of stores, as the program does.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == InspectCommand {
		os.Exit(Run(context.Background(), os.Args[1:], os.Getenv, nil,
			Streams{os.Stdin, os.Stdout, os.Stderr}))
	}
	os.Exit(m.Run())
}
