package server

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"leadline/internal/config"
)

// serviceManager listens as a service manager does.
func serviceManager(t *testing.T, name string) *net.UnixConn {
	t.Helper()
	l, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	end := time.AfterFunc(time.Minute, func() { l.Close() }) // which ends a read
	t.Cleanup(func() {
		end.Stop()
		l.Close()
	})
	return l
}

// state receives a state.
func state(t *testing.T, l *net.UnixConn) string {
	t.Helper()
	b := make([]byte, 4096)
	n, err := l.Read(b)
	if err != nil {
		t.Fatal(err)
	}
	return string(b[:n])
}

// shortFolder returns a folder whose sockets have short names, as Unix sockets need.
func shortFolder(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "ld")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	return folder
}

// TestNotify runs a server whose data folder does not exist yet, as the first start of a unit.
func TestNotify(t *testing.T) {
	folder := shortFolder(t)
	manager := serviceManager(t, filepath.Join(folder, "notify"))
	c := config.New()
	c.Listen, c.Data, c.Offline = "127.0.0.1:0", filepath.Join(folder, "data"), true
	s, err := Build(t.Context(), Config{Settings: c, NotifySocket: filepath.Join(folder, "notify")})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	if got, want := state(t, manager), "READY=1\nSTATUS=serving "+s.URL(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	stop()
	if got := state(t, manager); got != "STOPPING=1" {
		t.Errorf("%q, want STOPPING=1", got)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestNotifyAbstract(t *testing.T) {
	if runtime.GOOS != "linux" {
		return // only Linux has the abstract namespace
	}
	name := "@leadline/" + strings.ReplaceAll(shortFolder(t), "/", "-")
	manager := serviceManager(t, name)
	if err := sendState(name, "READY=1"); err != nil {
		t.Fatal(err)
	}
	if got := state(t, manager); got != "READY=1" {
		t.Errorf("%q, want READY=1", got)
	}
}

// TestNotifyNobody checks that a server works if the service manager does not listen.
func TestNotifyNobody(t *testing.T) {
	var log strings.Builder
	c := config.New()
	nobody := filepath.Join(shortFolder(t), "none")
	s := &Server{c: Config{NotifySocket: nobody}, log: NewLogger(c, &log)}
	s.notify("READY=1")
	if !strings.Contains(log.String(), "the service manager was not notified") {
		t.Errorf("the log has %q", log.String())
	}
	s.c.NotifySocket = ""
	log.Reset()
	s.notify("READY=1")
	if log.Len() > 0 {
		t.Errorf("without a service manager the log has %q", log.String())
	}
}
