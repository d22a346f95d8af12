//go:build unix

package cli

import (
	"os/exec"
	"syscall"
)

// detach makes a command outlive an interrupt at the terminal, which ends the server.
func detach(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
