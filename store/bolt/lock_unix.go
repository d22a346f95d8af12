//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package bolt

import (
	"os"
	"syscall"
	"time"

	"leadline/store"
)

// lock takes the lock by which bbolt excludes other processes from a file, for reading or for
// writing. It is held until the file is closed. If another process holds it for longer than wait,
// lock returns store.ErrInUse.
func lock(f *os.File, writes bool, wait time.Duration) error {
	how := syscall.LOCK_SH
	if writes {
		how = syscall.LOCK_EX
	}
	for end := time.Now().Add(wait); ; time.Sleep(wait / 40) {
		err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
		if err != syscall.EWOULDBLOCK {
			return err
		}
		if time.Now().After(end) {
			return store.ErrInUse
		}
	}
}
