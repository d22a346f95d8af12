package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"leadline/internal/config"
)

// counterOf takes orders of some verbs until the test ends, or shut.
func counterOf(t *testing.T, verbs ...verb) (folder string, shut func()) {
	t.Helper()
	folder = t.TempDir()
	k, err := openKeep(t.Context(), &config.Config{Data: folder})
	if err != nil {
		t.Fatal(err)
	}
	c := &counter{&desk{keep: k, now: time.Now}, verbs, slog.New(slog.DiscardHandler)}
	shut = c.open(folder)
	t.Cleanup(func() {
		shut()
		k.close()
	})
	return folder, shut
}

// verbOf is a verb that does something.
func verbOf(do errand) verb {
	return verb{name: "keys test", bind: func(*flag.FlagSet) errand { return do }}
}

// give gives an order as the command line does.
func (v verb) give(ctx context.Context, folder string, out, err io.Writer) error {
	conn, fault := knock(ctx, folder)
	if fault != nil {
		return fault
	}
	defer conn.Close()
	return v.order().send(ctx, conn, streams{strings.NewReader(""), out, err})
}

// TestOutputComesWhole, on both streams, whatever bytes it is and however it
// was written, and the error as it was.
func TestOutputComesWhole(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	want := make([]byte, 2<<20)
	for i := range want {
		want[i] = byte(random.Uint32())
	}
	v := verbOf(func(_ context.Context, _ *desk, _ []string, s streams) error {
		for rest := want; len(rest) > 0; {
			n := min(1+random.IntN(1<<random.IntN(18)), len(rest))
			if _, err := s.out.Write(rest[:n]); err != nil {
				return err
			}
			if _, err := s.err.Write(rest[:n]); err != nil {
				return err
			}
			rest = rest[n:]
		}
		return errors.New("no \"more\"\nof it")
	})
	folder, _ := counterOf(t, v)
	var out, stderr bytes.Buffer
	err := v.give(t.Context(), folder, &out, &stderr)
	if err == nil || err.Error() != "no \"more\"\nof it" {
		t.Errorf("the error is %v", err)
	}
	if !bytes.Equal(out.Bytes(), want) || !bytes.Equal(stderr.Bytes(), want) {
		t.Errorf("%d and %d bytes came, or others, want %d", out.Len(), stderr.Len(), len(want))
	}
}

// waiting is a verb that waits for its context, and tells when it began and
// why it ended.
func waitingVerb() (v verb, began chan bool, ended chan error) {
	began, ended = make(chan bool, 1), make(chan error, 1)
	return verbOf(func(ctx context.Context, _ *desk, _ []string, s streams) error {
		began <- true
		<-ctx.Done()
		ended <- ctx.Err()
		return ctx.Err()
	}), began, ended
}

// TestClientGoes: an order whose client goes away is stopped.
func TestClientGoes(t *testing.T) {
	t.Parallel()
	v, began, ended := waitingVerb()
	folder, _ := counterOf(t, v)
	ctx, leave := context.WithCancel(t.Context())
	given := make(chan error, 1)
	go func() { given <- v.give(ctx, folder, io.Discard, io.Discard) }()
	<-began
	leave()
	if err := <-given; !errors.Is(err, context.Canceled) {
		t.Errorf("who went away hears %v", err)
	}
	<-ended
}

// TestServerEnds: a server that ends stops an order that goes on, and says so.
func TestServerEnds(t *testing.T) {
	t.Parallel()
	v, began, ended := waitingVerb()
	folder, shut := counterOf(t, v)
	given := make(chan error, 1)
	go func() { given <- v.give(t.Context(), folder, io.Discard, io.Discard) }()
	<-began
	shut()
	if err := <-given; err == nil || err.Error() != errEnding.Error() {
		t.Errorf("the error is %v, want %v", err, errEnding)
	}
	<-ended
	if err := v.give(t.Context(), folder, io.Discard, io.Discard); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after the end an order meets %v", err)
	}
}

// TestBrokenOff: output that breaks off is no success, nor is none.
func TestBrokenOff(t *testing.T) {
	t.Parallel()
	v := verbOf(func(_ context.Context, _ *desk, _ []string, s streams) error {
		io.WriteString(s.out, "half")
		panic(http.ErrAbortHandler) // closes the connection
	})
	folder, _ := counterOf(t, v)
	var out bytes.Buffer
	if err := v.give(t.Context(), folder, &out, io.Discard); err == nil || !strings.Contains(err.Error(), "may have taken effect or not") || out.String() != "half" {
		t.Errorf("%q and %v came", out.String(), err)
	}

	mute, err := net.Listen("unix", filepath.Join(t.TempDir(), socketFile))
	if err != nil {
		t.Fatal(err)
	}
	defer mute.Close()
	go func() {
		if conn, err := mute.Accept(); err == nil {
			conn.Close()
		}
	}()
	if err := v.give(t.Context(), filepath.Dir(mute.Addr().String()), io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), "does not answer") {
		t.Errorf("of a server that says nothing: %v", err)
	}
}

// TestOtherVersion: a server that does not know an order says what may be
// wrong.
func TestOtherVersion(t *testing.T) {
	t.Parallel()
	v := verbOf(func(context.Context, *desk, []string, streams) error { return nil })
	folder, _ := counterOf(t, v)
	later := v
	later.name = "keys frobnicate"
	if err := later.give(t.Context(), folder, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), "may be of another version: leadline keys frobnicate is no command; there are keys test") {
		t.Errorf("of a verb that it does not know: %v", err)
	}
	later = v
	later.bind = func(own *flag.FlagSet) errand {
		own.Bool("new", false, "")
		own.Set("new", "true")
		return nil
	}
	if err := later.give(t.Context(), folder, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), "may be of another version: no such flag -new") {
		t.Errorf("of a flag that it does not know: %v", err)
	}
}

// TestSocketIsOurs: nobody else may write to the socket, also where the folder
// is open to all, and what lay in its place does not matter.
func TestSocketIsOurs(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := os.Chmod(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(folder, ".s"), 0o777); err != nil { // of a server that was killed as it began
		t.Fatal(err)
	}
	for range 2 { // the second finds what the first has left
		listener, err := listenIn(folder)
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Lstat(filepath.Join(folder, socketFile))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the socket is %v, want 0600; %v", info.Mode(), err)
		}
		listener.Close()
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 1 {
		t.Errorf("the folder holds %v, want the socket alone; %v", left, err)
	}
}

// TestLongName: where no socket can be the server says so and serves.
func TestLongName(t *testing.T) {
	t.Parallel()
	r := serveOn(t, filepath.Join(t.TempDir(), strings.Repeat("deep/", 20)))
	if got := overREST(t, r.base+"/api/v1/stations/8443970/predictions"); !strings.Contains(got, `"extremes"`) {
		t.Errorf("the server answers %s", got)
	}
	if !strings.Contains(r.log.String(), "no command that needs the store can be given") || !strings.Contains(r.log.String(), "and may have 103: a shorter -data helps") {
		t.Errorf("the log is\n%s", r.log)
	}
	if _, err := knock(t.Context(), r.folder); err == nil || !strings.Contains(err.Error(), "a shorter -data helps") {
		t.Errorf("a command hears %v", err)
	}
}
