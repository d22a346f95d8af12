//go:build unix

package cli

import (
	"os"

	"golang.org/x/sys/unix"
)

// columnsOf returns the width of a terminal, or 0 if it is not known.
func columnsOf(terminal *os.File) int {
	size, err := unix.IoctlGetWinsize(int(terminal.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0
	}
	return int(size.Col)
}
