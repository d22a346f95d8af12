package postgres

import (
	"cmp"
	"syscall"

	"golang.org/x/sys/unix"
)

// mostUnacknowledged is the time in milliseconds after which a connection fails whose server does
// not acknowledge what was sent.
const mostUnacknowledged = 5000

// limitUnacknowledged sets TCP_USER_TIMEOUT. Sockets that are not TCP do not need it.
func limitUnacknowledged(network, _ string, c syscall.RawConn) (err error) {
	if network == "unix" {
		return nil
	}
	failed := c.Control(func(fd uintptr) {
		err = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, mostUnacknowledged)
	})
	return cmp.Or(failed, err)
}
