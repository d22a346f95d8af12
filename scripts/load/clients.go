package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// attacker returns the i-th of 100 loopback addresses that attack.
func attacker(i int) string { return fmt.Sprintf("127.0.%d.%d", 1+i%10, 1+i/10%10) }

// bystander is the address of the caller that must be served meanwhile.
const bystander = "127.0.77.77"

// dialFrom connects to a server from an address.
func dialFrom(ctx context.Context, from, to string) (net.Conn, error) {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}, Timeout: 10 * time.Second}
	return d.DialContext(ctx, "tcp", to)
}

// caller returns a client that opens a connection from an address for each
// request.
func caller(from string) *http.Client {
	return &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, to string) (net.Conn, error) {
			return dialFrom(ctx, from, to)
		},
	}}
}

// get requests a path and returns status and header.
func get(ctx context.Context, c *http.Client, url, key string) (int, http.Header, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, nil, err
	}
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	response, err := c.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return response.StatusCode, response.Header, err
}

// watch requests paths from the bystander's address, ten times a second until ctx ends, and checks
// that each returns 200 and that none takes long: at most a second, the goal, and ten times the
// longest of the same requests to the twin, a server that nobody attacks. So a busy machine does
// not fail the check.
func watch(ctx context.Context, s, twin *server, paths ...string) error {
	c := caller(bystander)
	var longest, usual time.Duration
	asked := 0
	for ; ctx.Err() == nil; asked++ {
		path := paths[asked%len(paths)]
		alone, err := timed(ctx, c, "http://"+twin.address+path, "")
		if err != nil {
			return fmt.Errorf("the twin: %w", err)
		}
		took, err := timed(ctx, c, "http://"+s.address+path, "")
		if err != nil {
			return err
		}
		longest, usual = max(longest, took), max(usual, alone)
		sleep(ctx, 100*time.Millisecond)
	}
	fmt.Printf("  bystander: %d responses, %d ms at most, %d ms from a server that nobody attacks\n",
		asked, longest.Milliseconds(), usual.Milliseconds())
	if limit := time.Second + 10*usual; longest > limit {
		return fmt.Errorf("a response took %v, want at most %v", longest, limit)
	}
	return nil
}

// timed requests an address, checks that it returns 200, and returns how long it took.
func timed(ctx context.Context, c *http.Client, url, key string) (time.Duration, error) {
	began := time.Now()
	status, _, err := get(context.WithoutCancel(ctx), c, url, key)
	took := time.Since(began)
	if err != nil || status != http.StatusOK {
		return took, fmt.Errorf("%s: status %d after %v, error %v, want 200", url, status, took, err)
	}
	return took, nil
}

// crowd runs n attackers until ctx ends and counts their connections.
type crowd struct {
	clients      sync.WaitGroup
	open         atomic.Int64
	most         atomic.Int64
	dialed, lost atomic.Int64
}

// pause is the time before an attacker connects again: with less, the attack takes
// more processor time of a small machine than the server.
const pause = 2 * time.Second

// start starts n attackers within a second: at once they would overflow the
// kernel's queue of new connections, which the server cannot prevent. Each
// connects from the address that from returns, calls talk with the connection,
// and connects again after a pause.
func (c *crowd) start(ctx context.Context, n int, to string, from func(i int) string,
	talk func(context.Context, net.Conn)) {
	for i := range n {
		c.clients.Go(func() {
			sleep(ctx, time.Duration(i)*time.Second/time.Duration(n))
			for ctx.Err() == nil {
				c.once(ctx, from(i), to, talk)
				sleep(ctx, pause)
			}
		})
	}
}

func (c *crowd) once(ctx context.Context, from, to string, talk func(context.Context, net.Conn)) {
	conn, err := dialFrom(ctx, from, to)
	if err != nil {
		c.lost.Add(1)
		return
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	c.dialed.Add(1)
	open := c.open.Add(1)
	defer c.open.Add(-1)
	for {
		most := c.most.Load()
		if open <= most || c.most.CompareAndSwap(most, open) {
			break
		}
	}
	talk(ctx, conn)
}

// report prints the numbers of connections.
func (c *crowd) report() {
	fmt.Printf("  attack: %d connections, %d at a time, %d attempts failed\n",
		c.dialed.Load(), c.most.Load(), c.lost.Load())
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// listen reads until the server closes the connection.
func listen(conn net.Conn) { io.Copy(io.Discard, conn) }
