package server

import (
	"context"
	"os"
	"syscall"
	"testing"
	"time"
)

// TestLinger checks that the server keeps serving after SIGTERM, but not after an interrupt by
// a person.
func TestLinger(t *testing.T) {
	for cause, want := range map[error]time.Duration{
		Stopped{Signal: syscall.SIGTERM}: time.Minute,
		Stopped{Signal: os.Interrupt}:    0,
		context.Canceled:                 0,
	} {
		if got := linger(cause, time.Minute); got != want {
			t.Errorf("linger(%v) = %v, want %v", cause, got, want)
		}
	}
}
