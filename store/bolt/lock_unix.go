//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package bolt

import (
	"os"
	"syscall"
	"time"

	"leadline/store"
)

// lock takes the lock by which bbolt keeps other processes off a file, for
// reading or for writing. It is the file's until that is closed. Where another
// has it for longer than wait the error is store.ErrInUse.
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
