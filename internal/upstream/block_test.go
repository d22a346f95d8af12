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

// denied is the page of the weather service's firewall when it rejects a client, as quoted in
// github.com/weather-gov/api, issue 163.
const denied = "<HTML><HEAD>\n<TITLE>Access Denied</TITLE>\n</HEAD><BODY>\n<H1>Access " +
	"Denied</H1>\n \n" +
	"You don't have permission to access \"http&#58;&#47;&#47;api&#46;weather&#46;gov&#47;\" on " +
	"this server.<P>\n" +
	"Reference&#32;&#35;18&#46;9632c717&#46;1612481418&#46;150882fd\n</BODY>\n</HTML>\n"

// deny returns a handler that rejects requests with a status and a media type.
func deny(status int, mediaType string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", mediaType)
		w.WriteHeader(status)
		fmt.Fprint(w, denied)
	}
}

var blocks = map[string]http.HandlerFunc{
	"403 page":  deny(403, "text/html"),
	"403 plain": deny(403, "text/plain"),
}

// pages are web pages in place of data that are not a block.
var pages = map[string]http.HandlerFunc{
	"200":                deny(200, "text/html"),
	"200, called JSON":   deny(200, "application/geo+json"),
	"200, behind a mark": marked(denied),
	"404":                deny(404, "text/html"),
}

// marked returns a handler that writes a text behind a byte-order mark.
func marked(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, "\ufeff"+text)
	}
}

// TestBlock checks that a block ends with one retry 5 to 10 seconds later, and that the host gets
// no other request until then.
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
					_, err := getNumber(t.Context(), c, p.request("/other", minutes))
					other <- err
				}()
				v, err := getNumber(t.Context(), c, p.request("/n", minutes))
				if err != nil || v.Data != 42 {
					t.Fatalf("Get = %+v, %v, want 42", v, err)
				}
				wait := p.times[1].Sub(p.times[0])
				if len(p.times) != 2 || wait < minBlock || wait > maxBlock+time.Second {
					t.Errorf("%d requests, the second after %v", len(p.times), wait)
				}
				e, ok := coast.AsError(<-other)
				if !ok || e.Code != coast.ProviderUnavailable || e.RetryAfterSeconds < 5 ||
					e.RetryAfterSeconds > 10 ||
					!strings.Contains(e.Message, "blocks this server") {
					t.Errorf("another request meanwhile: %+v, want %s for 5 to 10 s", e, coast.ProviderUnavailable)
				}
			})
		})
	}
}

// TestBlockObeysDeadline checks that a fetch without time for a retry ends at once. A caller with
// less time than the fetch waits until its own deadline.
func TestBlockObeysDeadline(t *testing.T) {
	block := deny(403, "text/html")
	inBubble(t, Config{Deadline: 4 * time.Second}, func(t *testing.T, p *provider, c *Client) {
		p.set(block)
		began := time.Now()
		_, err := getNumber(t.Context(), c, p.request("/n", minutes))
		if e, _ := coast.AsError(err); e.Code != coast.ProviderUnavailable || e.RetryAfterSeconds < 5 ||
			e.RetryAfterSeconds > 10 {
			t.Errorf("Get = %v, want %s for 5 to 10 s", err, coast.ProviderUnavailable)
		}
		if took := time.Since(began); took > time.Second || p.requests.Load() != 1 {
			t.Errorf("took %v and sent %d requests, want 1", took, p.requests.Load())
		}
	})
	inBubble(t, Config{Deadline: 30 * time.Second}, func(t *testing.T, p *provider, c *Client) {
		p.set(block)
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		began := time.Now()
		_, err := getNumber(ctx, c, p.request("/n", minutes))
		if e, _ := coast.AsError(err); e.Code != coast.ProviderUnavailable ||
			time.Since(began) != 3*time.Second {
			t.Errorf("Get = %v after %v, want %s after 3 s", err, time.Since(began),
				coast.ProviderUnavailable)
		}
	})
}

// TestBlockIsNotCached checks that a block neither replaces a cache entry nor counts as "no data".
func TestBlockIsNotCached(t *testing.T) {
	for name, block := range blocks {
		inBubble(t, Config{Deadline: time.Second}, func(t *testing.T, p *provider, c *Client) {
			c.config.Provider = coast.NWS
			r := p.request("/n", Class{Fresh: time.Nanosecond, Expiry: time.Hour})
			if _, err := getNumber(t.Context(), c, r); err != nil {
				t.Fatal(err)
			}
			p.set(block)
			for range 3 {
				time.Sleep(time.Millisecond)
				if v, err := getNumber(t.Context(), c, r); err != nil || v.Data != 42 || !v.Stale {
					t.Errorf("%s: Get = %+v, %v, want a stale 42", name, v, err)
				}
			}
		})
	}
}

// TestPage checks that a web page in place of data is a fault of one URL: others of the host are
// requested as before.
func TestPage(t *testing.T) {
	for name, page := range pages {
		for _, host := range []string{coast.NWS, coast.COOPS} {
			inBubble(t, Config{Deadline: time.Second}, func(t *testing.T, p *provider, c *Client) {
				c.config.Provider = host
				p.set(page)
				_, err := getNumber(t.Context(), c, p.request("/n", minutes))
				if e, ok := coast.AsError(err); !ok || e.Code != coast.ProviderUnavailable ||
					!strings.HasPrefix(e.Message, host+" returned a web page instead of data.") {
					t.Errorf("%s of %s: %v", name, host, err)
				}
				p.set(number)
				if _, err := getNumber(t.Context(), c, p.request("/other", minutes)); err != nil {
					t.Errorf("%s of %s: another URL: %v", name, host, err)
				}
			})
		}
	}
}

// TestMark checks that a byte-order mark before a body is ignored.
func TestMark(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, p *provider, c *Client) {
		p.set(marked("42"))
		if v, err := getNumber(t.Context(), c, p.request("/n", minutes)); err != nil || v.Data != 42 {
			t.Errorf("Get = %+v, %v, want 42", v, err)
		}
	})
}
