//go:build !linux

package postgres

import "syscall"

// limitUnacknowledged does nothing: only Linux has TCP_USER_TIMEOUT, and keep-alives replace it.
func limitUnacknowledged(string, string, syscall.RawConn) error { return nil }
