package admin

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"leadline/internal/coast"
)

// socketFile is the admin socket in a data folder. A process that can write to it can do
// everything that the command line can, so only its owner may access it.
const socketFile = "leadline.sock"

// maxSocketName is the maximum length of a socket name in bytes on every system. Linux allows a
// few more.
const maxSocketName = 103

// socketIn returns the name of the socket in a data folder.
func socketIn(folder string) (name string, err error) {
	name = filepath.Join(folder, socketFile)
	if len(name) > maxSocketName {
		return "", fmt.Errorf("the socket name %s has %d bytes, more than the limit of %d: use a "+
			"shorter --data, such as one relative to the working directory", name, len(name), maxSocketName)
	}
	return name, nil
}

// ErrRunning is the error of Listen if another server is running on the data folder.
var ErrRunning = errors.New("another server is running on the data folder")

// Listen listens on the socket of a data folder. It replaces a socket that a killed process left
// behind. The socket is bound in a folder that others cannot enter, and then renamed into place
// with its mode. If a server is running on the folder, the error is ErrRunning.
func Listen(folder string) (net.Listener, error) {
	name, err := socketIn(folder)
	if err != nil {
		return nil, err
	}
	if other, err := net.Dial("unix", name); err == nil {
		return nil, errors.Join(ErrRunning, other.Close())
	}
	private := filepath.Join(folder, ".s") // the name below is no longer than the final one
	if err := os.RemoveAll(private); err != nil {
		return nil, err
	}
	if err := os.Mkdir(private, 0o700); err != nil {
		return nil, err
	}
	defer os.RemoveAll(private)
	bound := filepath.Join(private, "s")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: bound, Net: "unix"})
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false) // the socket is renamed below
	if err := errors.Join(os.Chmod(bound, 0o600), os.Rename(bound, name)); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return &listener{l, name}, nil
}

// listener removes its socket when it is closed.
type listener struct {
	net.Listener
	name string
}

func (l *listener) Close() error {
	os.Remove(l.name)
	return l.Listener.Close()
}

// moment limits the time for requests to finish when the server shuts down, and then the time
// for them to end after they are stopped.
const moment = 2 * time.Second

// errEnding is the error for requests that are stopped because the server shuts down.
var errEnding = coast.Errorf(coast.StoreUnavailable,
	"the server is shutting down: run the command again when it has stopped")

// Serve serves the handler on a listener until ctx ends. Then it closes the listener, gives
// requests a moment to finish, stops the remaining ones, and returns when all have ended.
func Serve(ctx context.Context, l net.Listener, h http.Handler, log *slog.Logger) error {
	requests, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	server := &http.Server{
		Handler: h, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelError),
		ReadHeaderTimeout: patience, BaseContext: func(net.Listener) context.Context { return requests },
	}
	ended := make(chan struct{})
	undo := context.AfterFunc(ctx, func() {
		defer close(ended)
		if shutdown(server) != nil {
			stop(errEnding)
			shutdown(server)
		}
		server.Close() // closes connections of clients that do not read
	})
	if err := server.Serve(l); undo() {
		return err // ctx has not ended
	}
	<-ended
	return nil
}

// shutdown gives requests a moment to finish.
func shutdown(s *http.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), moment)
	defer cancel()
	return s.Shutdown(ctx)
}
