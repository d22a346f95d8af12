//go:build !unix

package postgrestest

import (
	"os"
	"os/exec"
)

// immediate ends a server.
var immediate = os.Kill

// credential is the user that runs the server: that of this process.
type credential struct{}

func ordinaryUser() (*credential, error) { return nil, nil }

func (*credential) own(string) error { return nil }

func (*credential) run(*exec.Cmd) {}
