package upstream

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"leadline/internal/coast"
)

// denied is what stands in front of the weather service when it turns a caller
// away, as quoted in github.com/weather-gov/api, issue 163.
const denied = "<HTML><HEAD>\n<TITLE>Access Denied</TITLE>\n</HEAD><BODY>\n<H1>Access Denied</H1>\n \n" +
	"You don't have permission to access \"http&#58;&#47;&#47;api&#46;weather&#46;gov&#47;\" on this server.<P>\n" +
	"Reference&#32;&#35;18&#46;9632c717&#46;1612481418&#46;150882fd\n</BODY>\n</HTML>\n"

// deny turns away with a status and a media type.
func deny(status int, mediaType string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", mediaType)
		w.WriteHeader(status)
		fmt.Fprint(w, denied)
	}
}

var blocks = map[string]http.HandlerFunc{
	"403 page":             deny(403, "text/html"),
	"403 plain":            deny(403, "text/plain"),
	"200 page":             deny(200, "text/html"),
	"200 page called JSON": deny(200, "application/geo+json"),
	"404 page":             deny(404, "text/html"),
}

// TestBlock holds that a block is over after one retry, which comes 5 to 10
// seconds after it, and that meanwhile nobody else asks the host.
func TestBlock(t *testing.T) {
	for name, block := range blocks {
		t.Run(name, func(t *testing.T) {
			inBubble(t, Config{}, func(t *testing.T, p *provider, c *Client) {
				c.config.Provider = coast.NWS
				c.config.Deadline = 15 * time.Second
				p.set(func(w http.ResponseWriter, r *http.Request) {
					p.set(number)
					block(w, r)
				})
				other := make(chan error)
				go func() {
					time.Sleep(time.Millisecond)
					_, err := Get(t.Context(), c, p.request("/other", minutes), readNumber)
					other <- err
				}()
				v, err := Get(t.Context(), c, p.request("/n", minutes), readNumber)
				if err != nil || v.Data != 42 {
					t.Fatalf("Get = %+v, %v, want 42", v, err)
				}
				wait := p.times[1].Sub(p.times[0])
				if len(p.times) != 2 || wait < minBlock || wait > maxBlock+time.Second {
					t.Errorf("asked %d times, the second after %v", len(p.times), wait)
				}
				e, ok := coast.AsError(<-other)
				if !ok || e.Code != coast.ProviderUnavailable || e.RetryAfterSeconds < 5 || e.RetryAfterSeconds > 10 ||
					!strings.Contains(e.Message, "blocks this server") {
					t.Errorf("another request meanwhile: %+v, want %s for 5 to 10 s", e, coast.ProviderUnavailable)
				}
			})
		})
	}
}

// TestBlockObeysDeadline holds that a fetch without the time for a retry ends
// at once, and that a caller with less time than the fetch waits that long.
func TestBlockObeysDeadline(t *testing.T) {
	block := deny(403, "text/html")
	inBubble(t, Config{Deadline: 4 * time.Second}, func(t *testing.T, p *provider, c *Client) {
		p.set(block)
		began := time.Now()
		_, err := Get(t.Context(), c, p.request("/n", minutes), readNumber)
		if e, _ := coast.AsError(err); e.Code != coast.ProviderUnavailable || e.RetryAfterSeconds < 5 || e.RetryAfterSeconds > 10 {
			t.Errorf("Get = %v, want %s for 5 to 10 s", err, coast.ProviderUnavailable)
		}
		if took := time.Since(began); took > time.Second || p.asked.Load() != 1 {
			t.Errorf("took %v and asked %d times, want one request", took, p.asked.Load())
		}
	})
	inBubble(t, Config{Deadline: 30 * time.Second}, func(t *testing.T, p *provider, c *Client) {
		p.set(block)
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		began := time.Now()
		_, err := Get(ctx, c, p.request("/n", minutes), readNumber)
		if e, _ := coast.AsError(err); e.Code != coast.ProviderUnavailable || time.Since(began) != 3*time.Second {
			t.Errorf("Get = %v after %v, want %s after 3 s", err, time.Since(began), coast.ProviderUnavailable)
		}
	})
}

// TestBlockKeeps holds that a block neither replaces what was received before
// nor counts as a response that there is nothing.
func TestBlockIsNotCached(t *testing.T) {
	for name, block := range blocks {
		p, _ := loopback(t)
		c := newClient(t, Config{Deadline: time.Second})
		c.config.Provider = coast.NWS
		r := p.request("/n", Class{Fresh: time.Nanosecond, Expiry: time.Hour})
		if _, err := Get(t.Context(), c, r, readNumber); err != nil {
			t.Fatal(err)
		}
		p.set(block)
		for range 3 {
			if v, err := Get(t.Context(), c, r, readNumber); err != nil || v.Data != 42 || !v.Stale {
				t.Errorf("%s: Get = %+v, %v, want a stale 42", name, v, err)
			}
		}
	}
}

// TestPageOfCoops holds that a page of the data service stays a fault of one
// address: only of the weather service it is known what it means.
func TestPageOfCoops(t *testing.T) {
	p, _ := loopback(t)
	c := newClient(t, Config{Deadline: time.Second})
	p.set(deny(200, "text/html"))
	_, err := Get(t.Context(), c, p.request("/n", minutes), readNumber)
	unavailable(t, err, "answered with a web page")
	p.set(number)
	if _, err := Get(t.Context(), c, p.request("/other", minutes), readNumber); err != nil {
		t.Error(err)
	}
}
