package upstream

import (
	"net/url"
	"testing"
)

// TestShare checks that the rate of a host is divided by the clients that share it, as their number
// changes, and that each keeps a request a second.
func TestShare(t *testing.T) {
	share := 1
	c := newClient(t, Config{Rate: 10, Burst: 20, Share: func() int { return share }})
	at := &url.URL{Scheme: "https", Host: "provider.example.org"}
	for _, want := range []struct {
		share, burst int
		rate         float64
	}{{1, 20, 10}, {4, 5, 2.5}, {20, 1, 1}, {64, 1, 1}, {0, 20, 10}} {
		share = want.share
		c.mu.Lock()
		limiter := c.host(at).queue.limiter
		c.mu.Unlock()
		if float64(limiter.Limit()) != want.rate || limiter.Burst() != want.burst {
			t.Errorf("with %d clients: %v a second, %d at once, want %v and %d", want.share,
				limiter.Limit(), limiter.Burst(), want.rate, want.burst)
		}
	}
}
