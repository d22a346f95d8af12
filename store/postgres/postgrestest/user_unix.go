//go:build unix

package postgrestest

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// immediate ends a server without a checkpoint.
const immediate = syscall.SIGQUIT

// credential is the user that runs the server, which refuses to run as root.
type credential struct{ uid, gid int }

// ordinaryUser returns nobody if this process runs as root.
func ordinaryUser() (*credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	nobody, err := user.Lookup("nobody")
	if err != nil {
		return nil, fmt.Errorf("PostgreSQL does not run as root: %w", err)
	}
	uid, err := strconv.Atoi(nobody.Uid)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.Atoi(nobody.Gid)
	return &credential{uid, gid}, err
}

// own makes a folder one of the user.
func (c *credential) own(folder string) error {
	if c == nil {
		return nil
	}
	return os.Chown(folder, c.uid, c.gid)
}

// run makes a command run as the user, in a group of its own: signals of the terminal do not reach
// it.
func (c *credential) run(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if c != nil {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(c.uid), Gid: uint32(c.gid)}
	}
}
