package cli

import (
	"fmt"
	"os"

	"leadline/internal/coast"
	"leadline/internal/server"
)

// InspectCommand is a command that help does not list. The program runs it in a
// separate process, because a damaged store can crash the process that reads
// it.
const InspectCommand = "inspect-store"

// inspect executes InspectCommand.
func inspect(args []string, s Streams) int {
	if err := server.InspectStore(args, s.In, s.Out); err != nil {
		fmt.Fprintln(s.Err, "leadline:", coast.Redact(err.Error()))
		return 1
	}
	return 0
}

// inspectLine returns the command line of InspectCommand.
func inspectLine() []string {
	program, err := os.Executable()
	if err != nil {
		program = os.Args[0]
	}
	return []string{program, InspectCommand}
}
