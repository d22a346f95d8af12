package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// A caller that leaves does so after a time in which the calculation begins. mostLeft limits the
// processor time of its request, as a share of that of one whose caller stays: a calculation takes
// some 60 ms, and a step of it at most 10. Both are ours.
const (
	stays    = 10 * time.Millisecond
	mostLeft = 0.5
)

// leavers sends dear requests and closes their connections while these are computed, and compares
// the processor time that they cost the server with that of the same requests whose callers stay.
func leavers(ctx context.Context, b *bench) error {
	s, err := b.raised(ctx)
	if err != nil {
		return err
	}
	defer s.stop()
	const requests = 25
	stay := func(path string) error {
		status, _, err := get(ctx, caller(attacker(0)), "http://"+s.address+path, "")
		if err == nil && status != http.StatusOK {
			err = fmt.Errorf("%s: status %d, want 200", path, status)
		}
		return err
	}
	leave := func(path string) error {
		conn, err := dialFrom(ctx, attacker(0), s.address)
		if err != nil {
			return err
		}
		_, err = io.WriteString(conn, "GET "+path+" HTTP/1.1\r\nHost: localhost\r\n\r\n")
		sleep(ctx, stays)
		conn.Close()
		sleep(ctx, 300*time.Millisecond) // the next one must not wait for its turn
		return err
	}
	if err := stay(kingTides(1909)); err != nil { // reads what each calculation needs
		return err
	}
	stayed, err := s.cost(ctx, 1910, requests, stay)
	if err != nil {
		return err
	}
	left, err := s.cost(ctx, 1960, requests, leave)
	if err != nil {
		return err
	}
	share := left.Seconds() / stayed.Seconds()
	fmt.Printf("  %.1f ms of processor time for a request whose caller leaves, %.1f ms if it stays: "+
		"%.0f %%\n", 1000*left.Seconds()/requests, 1000*stayed.Seconds()/requests, 100*share)
	if share > mostLeft {
		return fmt.Errorf("requests whose callers leave cost %.0f %% of others, want at most %.0f %%",
			100*share, 100*mostLeft)
	}
	return nil
}

// kingTides returns the path of the dearest calculation: it predicts 19 years around a year.
func kingTides(year int) string {
	return fmt.Sprintf("/api/planning/tide-ranks?station=9455920&what=king&year=%d", year)
}

// cost returns the processor time of the server for n requests, each for another year.
func (s *server) cost(
	ctx context.Context, year, n int, request func(path string) error,
) (time.Duration, error) {
	before, err := s.settled(ctx)
	if err != nil {
		return 0, err
	}
	for i := range n {
		if err := request(kingTides(year + i)); err != nil {
			return 0, err
		}
	}
	after, err := s.settled(ctx)
	return after - before, err
}

// settled waits until the server computes nothing, for at most 30 s, and returns the processor time
// that it has used.
func (s *server) settled(ctx context.Context) (used time.Duration, err error) {
	for range 60 {
		before := used
		if used, err = s.processorTime(); err != nil || before > 0 && used-before < tick {
			return used, err
		}
		sleep(ctx, 500*time.Millisecond)
	}
	return used, fmt.Errorf("the server is busy for 30 s after the last request; log: %s", s.log)
}

// tick is the unit of processor times in /proc (USER_HZ).
const tick = 10 * time.Millisecond

// processorTime returns the user and system time of the server.
func (s *server) processorTime() (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.command.Process.Pid))
	if err != nil {
		return 0, fmt.Errorf("read the processor time of the server, which has ended: %w: %s", err, s.log)
	}
	_, after, _ := strings.Cut(string(stat), ") ") // the name of the program may have spaces
	fields := strings.Fields(after)
	if len(fields) < 13 {
		return 0, fmt.Errorf("malformed /proc/stat: %q", stat)
	}
	user, err := strconv.Atoi(fields[11])
	if err != nil {
		return 0, fmt.Errorf("malformed /proc/stat: %w", err)
	}
	system, err := strconv.Atoi(fields[12])
	return time.Duration(user+system) * tick, err
}
