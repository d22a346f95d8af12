//go:build !unix

package cli

import "os/exec"

// detach does nothing: the opener ends as soon as it has started the browser.
func detach(*exec.Cmd) {}
