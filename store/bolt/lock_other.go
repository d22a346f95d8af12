//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package bolt

import (
	"os"
	"time"
)

// lock does nothing on systems where a file cannot be locked twice. There bbolt's own lock alone
// excludes other processes, and a file in use may be reported as damaged.
func lock(*os.File, bool, time.Duration) error { return nil }
