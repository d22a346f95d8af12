package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

// lasts is the duration of an attack.
const lasts = 6 * time.Second

// mostMemory limits the resident memory during an attack, in MB.
const mostMemory = 150

// raised starts a server with the highest rate limit for each address.
func (b *bench) raised(ctx context.Context, flags ...string) (*server, error) {
	plans, err := b.roomy()
	if err != nil {
		return nil, err
	}
	return b.serve(ctx, append(flags, "--offline", "--plans", plans)...)
}

// manyConnections are the flags of a server without a limit of connections by address.
var manyConnections = []string{"--max-connections-per-address", "10000"}

// slowBodies announces long bodies on 3,000 connections from 100 addresses and
// sends a byte of them twice a second.
func slowBodies(ctx context.Context, b *bench) error {
	var failed error
	for _, length := range []int{1 << 20, 64 << 10} {
		failed = errors.Join(failed, b.slowBodies(ctx, length))
	}
	return failed
}

func (b *bench) slowBodies(ctx context.Context, length int) error {
	s, err := b.raised(ctx, manyConnections...)
	if err != nil {
		return err
	}
	defer s.stop()
	fmt.Printf(" %d bytes announced\n", length)
	header := fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: localhost\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n{", length)
	return b.attack(ctx, s, 3000, attacker, []string{"/livez"},
		func(ctx context.Context, conn net.Conn) {
			_, err := io.WriteString(conn, header)
			go listen(conn)
			for err == nil && ctx.Err() == nil {
				sleep(ctx, 500*time.Millisecond)
				_, err = io.WriteString(conn, " ")
			}
		}, func() error { return s.below(mostMemory) })
}

// attack runs n attackers and a bystander that requests paths, then calls holds,
// which checks the result.
func (b *bench) attack(ctx context.Context, s *server, n int, from func(int) string,
	paths []string, talk func(context.Context, net.Conn), holds func() error) error {
	twin, err := b.serve(ctx, "--offline")
	if err != nil {
		return err
	}
	defer twin.stop()
	during, end := context.WithTimeout(ctx, lasts)
	defer end()
	var c crowd
	c.start(during, n, s.address, from, talk)
	failed := watch(during, s, twin, paths...)
	failed = errors.Join(failed, holds())
	end()
	c.clients.Wait()
	c.report()
	return errors.Join(failed, ctx.Err())
}

// slowReaders requests /openapi.json on 1,500 connections and reads nothing.
func slowReaders(ctx context.Context, b *bench) error {
	s, err := b.raised(ctx, manyConnections...)
	if err != nil {
		return err
	}
	defer s.stop()
	return b.attack(ctx, s, 1500, attacker, []string{"/livez"},
		func(ctx context.Context, conn net.Conn) {
			if tcp, ok := conn.(*net.TCPConn); ok {
				tcp.SetReadBuffer(4 << 10)
			}
			for range 3 {
				io.WriteString(conn, "GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n")
			}
			<-ctx.Done()
		}, func() error { return s.below(mostMemory) })
}

// slowLists requests the list of all stations from 9 and from 90 addresses and reads it slowly.
func slowLists(ctx context.Context, b *bench) error {
	return errors.Join(b.slowLists(ctx, 9), b.slowLists(ctx, 90))
}

func (b *bench) slowLists(ctx context.Context, addresses int) error {
	s, err := b.serve(ctx, "--offline")
	if err != nil {
		return err
	}
	defer s.stop()
	fmt.Printf(" %d addresses\n", addresses)
	const each = 30 // connections, as many as the requests that an address may send in a minute
	paths := []string{"/livez", "/livez", "/livez", "/livez", "/api/v1/stations/8443970"}
	from := func(i int) string { return attacker(i % addresses) }
	return b.attack(ctx, s, each*addresses, from, paths, func(ctx context.Context, conn net.Conn) {
		if tcp, ok := conn.(*net.TCPConn); ok {
			tcp.SetReadBuffer(4 << 10)
		}
		io.WriteString(conn, "GET /api/v1/stations?limit=5000 HTTP/1.1\r\nHost: localhost\r\n\r\n")
		for ctx.Err() == nil {
			if _, err := io.CopyN(io.Discard, conn, 300); err != nil {
				return
			}
			sleep(ctx, 100*time.Millisecond)
		}
	}, func() error { return s.below(mostMemory) })
}

// heavyWindows requests the dearest calculation from 9 addresses.
func heavyWindows(ctx context.Context, b *bench) error {
	s, err := b.raised(ctx)
	if err != nil {
		return err
	}
	defer s.stop()
	const addresses, each = 9, 30
	paths := []string{"/livez", "/api/v1/stations/8443970/predictions"}
	from := func(i int) string { return attacker(i % addresses) }
	return b.attack(ctx, s, each*addresses, from, paths, func(_ context.Context, conn net.Conn) {
		io.WriteString(conn, "GET "+moonlit(2027)+" HTTP/1.1\r\nHost: localhost\r\n"+
			"Connection: close\r\n\r\n")
		listen(conn)
	}, func() error { return s.below(mostMemory) })
}

// moonlit returns the path of a calculation that takes a processor for long.
func moonlit(year int) string {
	return fmt.Sprintf("/api/planning/tide-windows?station=8443970&below=1&light=moonlit"+
		"&begin_date=%d-01-01&end_date=%d-12-31", year, year)
}

// burst sends 1,000 requests at once, as a program does that does not limit itself: each opens a
// connection. All must be answered.
func burst(ctx context.Context, b *bench) error {
	s, err := b.raised(ctx)
	if err != nil {
		return err
	}
	defer s.stop()
	c := caller(attacker(0))
	began := time.Now()
	var group errgroup.Group
	for range 1000 {
		group.Go(func() error {
			_, err := timed(ctx, c, "http://"+s.address+"/api/v1/stations/8443970/predictions", "")
			return err
		})
	}
	err = group.Wait()
	fmt.Printf("  1,000 requests took %.1f s\n", time.Since(began).Seconds())
	return err
}

// idleFlood opens 9,000 connections from one address, sends a request on each, and
// leaves them open.
func idleFlood(ctx context.Context, b *bench) error {
	s, err := b.serve(ctx, "--offline")
	if err != nil {
		return err
	}
	defer s.stop()
	paths := []string{
		"/livez", "/api/developer/status", "/livez", "/livez", "/livez", "/api/v1/stations/8443970",
	}
	one := func(int) string { return attacker(0) }
	return b.attack(ctx, s, 9000, one, paths, func(ctx context.Context, conn net.Conn) {
		io.WriteString(conn, "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
		listen(conn)
	}, func() error { return s.below(mostMemory) })
}

// atOnce is the limit of requests in flight that inFlight sets.
const atOnce = 8

// inFlight holds as many requests as are handled at a time and checks what others get:
// 503 with Retry-After, except for the probes.
func inFlight(ctx context.Context, b *bench) error {
	s, err := b.serve(ctx, "--offline", "--max-in-flight", fmt.Sprint(atOnce))
	if err != nil {
		return err
	}
	defer s.stop()
	for range atOnce {
		conn, err := hold(ctx, s)
		if err != nil {
			return err
		}
		defer conn.Close()
	}
	c := caller(bystander)
	refused := 0
	for range 2 * atOnce {
		status, h, err := get(ctx, c, "http://"+s.address+"/api/v1/stations/8443970", "")
		if err != nil || status != 503 && status != 200 || status == 503 && h.Get("Retry-After") == "" {
			return fmt.Errorf("beyond the limit: status %d, header %v, error %v, want 503 with Retry-After",
				status, h, err)
		}
		// With 200 the request has replaced one that did not progress for a second.
		if status == 503 {
			refused++
		}
		for _, path := range []string{"/livez", "/readyz"} {
			if status, _, err := get(ctx, c, "http://"+s.address+path, ""); err != nil || status != 200 {
				return fmt.Errorf("%s at the limit: status %d, error %v, want 200", path, status, err)
			}
		}
	}
	fmt.Printf("  %d of %d refused with Retry-After, /livez and /readyz returned 200\n",
		refused, 2*atOnce)
	if refused == 0 {
		return errors.New("no request was refused")
	}
	return nil
}

// hold sends a request whose body does not follow and waits until the server
// reads it.
func hold(ctx context.Context, s *server) (net.Conn, error) {
	conn, err := dialFrom(ctx, attacker(1), s.address)
	if err != nil {
		return nil, err
	}
	conn.SetDeadline(time.Now().Add(10 * time.Second))
	io.WriteString(conn, "POST /mcp HTTP/1.1\r\nHost: localhost\r\n"+
		"Content-Type: application/json\r\nContent-Length: 99\r\nExpect: 100-continue\r\n\r\n")
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil || !strings.Contains(line, fmt.Sprint(http.StatusContinue)) {
		return nil, fmt.Errorf("a body: got %q, error %v, want 100", line, err)
	}
	return conn, nil
}
