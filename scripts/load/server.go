package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// server is a process that listens on loopback.
type server struct {
	command *exec.Cmd
	data    string
	address string // host and port
	log     *bytes.Buffer
}

// roomy writes a file of plans with the highest rate limit and returns its name.
func (b *bench) roomy() (string, error) {
	file := filepath.Join(b.folder, "plans.json")
	return file, os.WriteFile(file, []byte(`{"anonymous": {"perMinute": 65535}}`), 0o600)
}

// serve starts Leadline with flags, without a provider unless flags name one.
func (b *bench) serve(ctx context.Context, flags ...string) (*server, error) {
	b.started++
	data := filepath.Join(b.folder, fmt.Sprint("data", b.started))
	args := []string{"serve", "--data", data, "--log-level", "error", "--drain-wait", "0s"}
	s, err := b.start(ctx, b.leadline, append(args, flags...)...)
	if s != nil {
		s.data = data
	}
	return s, err
}

// start starts a server and waits until it listens.
func (b *bench) start(ctx context.Context, binary string, args ...string) (*server, error) {
	b.started++
	portFile := filepath.Join(b.folder, fmt.Sprint("port", b.started))
	s := &server{log: &bytes.Buffer{}}
	// A command of its own context: an interrupt ends the checks, which stop it.
	s.command = exec.Command(binary,
		append(args, "--listen", "127.0.0.1:0", "--port-file", portFile)...)
	s.command.Stdout, s.command.Stderr = s.log, s.log
	if err := s.command.Start(); err != nil {
		return nil, err
	}
	for range 200 {
		if port, err := os.ReadFile(portFile); err == nil && len(port) > 0 {
			s.address = "127.0.0.1:" + strings.TrimSpace(string(port))
			return s, nil
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), s.stop())
		case <-time.After(50 * time.Millisecond):
		}
	}
	return nil, errors.Join(fmt.Errorf("%s did not listen in 10 s: %s", binary, s.log), s.stop())
}

// stop ends the process.
func (s *server) stop() error {
	if err := s.command.Process.Signal(syscall.SIGKILL); err != nil {
		return err
	}
	s.command.Wait() // the error reports the kill
	return nil
}

// peak returns the most memory that was resident, in MB of 1,000,000 bytes.
func (s *server) peak() (int, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.command.Process.Pid))
	if err != nil {
		return 0, fmt.Errorf("read the memory of the server, which has ended: %w: %s", err, s.log)
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	kib, err := strconv.Atoi(strings.Fields(after + " none")[0])
	return kib * 1024 / 1_000_000, err
}

// below reports and checks the most memory that was resident.
func (s *server) below(most int) error {
	peak, err := s.peak()
	if err != nil {
		return err
	}
	fmt.Printf("  resident memory: %d MB at most\n", peak)
	if peak >= most {
		return fmt.Errorf("resident memory was %d MB, want less than %d", peak, most)
	}
	return nil
}
