package provider

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

const levelPath = "/api/prod/datagetter?product=water_level&station=8443970&date=today&datum=MLLW" +
	"&format=json"

// serving serves a frozen provider on a port.
func serving(t *testing.T) (*Provider, *httptest.Server) {
	t.Helper()
	p := frozen(t)
	s := httptest.NewServer(p)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return p, s
}

// dial sends a request over a new connection and returns the connection.
func dial(t *testing.T, s *httptest.Server, path string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if _, err := io.WriteString(conn, "GET "+path+" HTTP/1.1\r\nHost: provider\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	return conn
}

func TestRefuse(t *testing.T) {
	p, s := serving(t)
	p.Fail(Data, Fault{Kind: Refuse})
	got, err := io.ReadAll(dial(t, s, levelPath))
	if len(got) > 0 || err != nil && !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("read %q, %v, want nothing and at most a reset", got, err)
	}
}

func TestReset(t *testing.T) {
	p, s := serving(t)
	p.Fail(Data, Fault{Kind: Reset})
	r, err := http.ReadResponse(bufio.NewReader(dial(t, s, levelPath)), nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(r.Body)
	if !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the body ends with %v, want a reset", err)
	}
	if want := healthy(t, levelPath); int64(len(want)) != r.ContentLength ||
		!strings.HasPrefix(want, string(got)) ||
		len(got) == 0 {
		t.Errorf("read %d of the %d bytes promised, want the first half of %d", len(got), r.ContentLength,
			len(want))
	}
}

// healthy returns the response of a provider without faults.
func healthy(t *testing.T, path string) string {
	t.Helper()
	return frozen(t).body(t, path)
}

// abandoned returns the response to a request that is abandoned after some time. The caller must be
// in a bubble.
func (p *Provider) abandoned(t *testing.T, path string, after time.Duration) *http.Response {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), after)
	defer cancel()
	w := httptest.NewRecorder()
	p.ServeHTTP(w, httptest.NewRequestWithContext(ctx, "GET", path, nil))
	return w.Result()
}

// TestHang checks that a response that hangs has not begun after a day, and ends with its request.
func TestHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := frozen(t)
		p.Fail(Data, Fault{Kind: Hang})
		begin := time.Now()
		r := p.abandoned(t, levelPath, 24*time.Hour)
		body, err := io.ReadAll(r.Body)
		if d := time.Since(begin); d != 24*time.Hour || len(body) > 0 || len(r.Header) > 0 || err != nil {
			t.Errorf("after %v: %v, %q, %v, want nothing for a day", d, r.Header, body, err)
		}
	})
}

// TestDrip checks that one byte follows another after the delay.
func TestDrip(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := frozen(t)
		p.Fail(Data, Fault{Kind: Drip, Delay: time.Hour})
		for hours, want := range []string{`{`, `{"`, `{"m`} {
			after := time.Duration(hours)*time.Hour + time.Minute
			got, err := io.ReadAll(p.abandoned(t, levelPath, after).Body)
			if string(got) != want || err != nil {
				t.Errorf("after %v: %q, %v, want %q", after, got, err, want)
			}
		}
	})
	p := frozen(t)
	p.Fail(Data, Fault{Kind: Drip, Delay: time.Nanosecond})
	if got, want := p.body(t, "/api/prod/nothing"), "404 page not found\n"; got != want {
		t.Errorf("body = %q, want %q", got, want)
	}
}

func TestSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := frozen(t)
		p.Fail(Data, Fault{Kind: Slow, Delay: 30 * time.Second})
		begin := time.Now()
		if got, want := p.body(t, levelPath), healthy(t, levelPath); got != want ||
			time.Since(begin) != 30*time.Second {
			t.Errorf("a slow response has another body, or takes %v", time.Since(begin))
		}
	})
}

func TestPages(t *testing.T) {
	for _, test := range []struct {
		fault       Fault
		status      int
		retry, page string
	}{
		{Fault{Kind: TooMany}, 429, "", "Too Many Requests"},
		{Fault{Kind: TooMany, RetryAfter: 7}, 429, "7", "Too Many Requests"},
		{Fault{Kind: Broken}, 500, "", "HTTP Status 500"},
		{Fault{Kind: Unavailable}, 503, "", "<html>"},
		{Fault{Kind: Blocked}, 403, "", "<H1>Access Denied</H1>"},
		{Fault{Kind: Page}, 200, "", "back soon"},
		{Fault{Kind: GatewayTime}, 504, "", "Endpoint request timed out"},
	} {
		p := frozen(t)
		p.Fail("/", test.fault)
		r := p.ask(t, levelPath)
		body, _ := io.ReadAll(r.Body)
		if r.StatusCode != test.status || r.Header.Get("Retry-After") != test.retry ||
			!strings.Contains(string(body), test.page) {
			t.Errorf("%v answers %d, Retry-After %q, %s", test.fault, r.StatusCode,
				r.Header.Get("Retry-After"), body)
		}
	}
}

func TestSpoiledBodies(t *testing.T) {
	p, whole := frozen(t), healthy(t, levelPath)
	p.Fail(Data, Fault{Kind: Truncated})
	if got, want := p.body(t, levelPath), whole[:len(whole)/2]; got != want {
		t.Errorf("truncated to %d bytes, want %d", len(got), len(want))
	}
	p.Fail(Data, Fault{Kind: WrongType})
	r := p.ask(t, levelPath)
	if got, want := r.Header.Get("Content-Type"), "text/html;charset=ISO-8859-1"; got != want {
		t.Errorf("Content-Type %q, want %q", got, want)
	}
	if got, _ := io.ReadAll(r.Body); string(got) != whole {
		t.Errorf("the body of the wrong type differs")
	}
	p.Fail(Data, Fault{Kind: Garbage})
	if got := p.body(t, levelPath); strings.ContainsAny(got[:1], "{[\n") ||
		got != p.body(t, levelPath) {
		t.Errorf("garbage looks like JSON, or changes")
	}
}

func TestHuge(t *testing.T) {
	p, s := serving(t)
	p.Fail(Data, Fault{Kind: Huge})
	r, err := http.Get(s.URL + levelPath)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if got, err := io.Copy(io.Discard, r.Body); got < hugeBytes || err != nil {
		t.Errorf("read %d bytes, %v, want %d", got, err, hugeBytes)
	}
}

// TestFaultPlaces checks that the longest prefix wins, that services are prefixes, and that heal
// removes faults.
func TestFaultPlaces(t *testing.T) {
	p := frozen(t)
	status := func(path string) int { return p.ask(t, path).StatusCode }
	const station = "/mdapi/prod/webapi/stations/8443970.json"
	const datums = "/mdapi/prod/webapi/stations/8443970/datums.json"
	post(t, p, "/-/fail", `{"path": "metadata", "kind": "500"}`, http.StatusNoContent)
	post(t, p, "/-/fail", `{"path": "/mdapi/prod/webapi/stations/8443970/", "kind": "ok"}`,
		http.StatusNoContent)
	post(t, p, "/-/fail", `{"path": "weather", "kind": "503"}`, http.StatusNoContent)
	for path, want := range map[string]int{
		station: 500, datums: 200, levelPath: 200, "/points/42,-70": 503,
	} {
		if got := status(path); got != want {
			t.Errorf("status of %s = %d, want %d", path, got, want)
		}
	}
	post(t, p, "/-/heal", "", http.StatusNoContent)
	if got := status(station); got != http.StatusOK {
		t.Errorf("status of %s after heal = %d, want 200", station, got)
	}
	for _, bad := range []string{`"kind": "sulk"`, `"kind": "429", "retryAfter": "soon"`, `"kind": "slow", "delay": "long"`} {
		post(t, p, "/-/fail", `{"path": "data", `+bad+`}`, http.StatusBadRequest)
	}
}

// TestFaultTimes checks the times of an intermittent fault.
func TestFaultTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := frozen(t)
		post(t, p, "/-/fail", `{"path": "/api/prod", "kind": "503", "for": "1h", "every": "3h"}`,
			http.StatusNoContent)
		var passed time.Duration
		for _, test := range []struct {
			after time.Duration
			want  Kind
		}{
			{0, Unavailable},
			{time.Hour - 1, Unavailable},
			{time.Hour, ""},
			{3*time.Hour - 1, ""},
			{3 * time.Hour, Unavailable},
			{5 * time.Hour, ""},
		} {
			time.Sleep(test.after - passed)
			passed = test.after
			if got := faultOf(p.faults, levelPath).Kind; got != test.want {
				t.Errorf("fault after %v = %q, want %q", test.after, got, test.want)
			}
		}
	})
}
