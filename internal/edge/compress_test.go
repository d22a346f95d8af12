package edge

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
)

// long returns a body of 20 kB that compresses well.
func long(first string) []byte {
	rows := []any{first}
	for i := range 300 {
		rows = append(rows, map[string]any{
			"time":   noon.Add(time.Duration(i) * 6 * time.Minute),
			"height": float64(i*7919%10007) / 1000,
			"type":   "high",
		})
	}
	body, _ := json.Marshal(rows)
	return body
}

// accepting returns a request for an encoding.
func accepting(t testing.TB, method, url, encoding string) *http.Request {
	t.Helper()
	r, err := http.NewRequest(method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept-Encoding", encoding) // with this header Go's client does not decode
	return r
}

// decoded returns the body of a reply, decoded as its Content-Encoding requires.
func decoded(got reply) (string, error) {
	switch coding := got.header.Get("Content-Encoding"); coding {
	case "":
		return got.body, nil
	case "gzip":
		z, err := gzip.NewReader(strings.NewReader(got.body))
		if err != nil {
			return "", err
		}
		body, err := io.ReadAll(z)
		return string(body), err
	case "zstd":
		z, err := zstd.NewReader(strings.NewReader(got.body))
		if err != nil {
			return "", err
		}
		defer z.Close()
		body, err := io.ReadAll(z)
		return string(body), err
	default:
		return "", errors.New("encoding " + coding)
	}
}

// compressing serves h within Compress and AccessLog on a port.
func compressing(t testing.TB, h http.HandlerFunc) *httptest.Server {
	return serving(t, quiet, Compress(h).ServeHTTP)
}

// TestEncodings checks the encoding that is chosen for each Accept-Encoding.
func TestEncodings(t *testing.T) {
	body := string(long("all the same"))
	server := compressing(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Vary", "Authorization, Origin") // as a front end does
		WriteJSON(w, r, http.StatusOK, []byte(body))
	})
	for accept, want := range map[string]string{
		"gzip":                          "gzip",
		"zstd":                          "zstd",
		"gzip, deflate, br":             "gzip",
		"gzip, deflate, br, zstd":       "zstd",
		"GZIP":                          "gzip",
		"zstd;q=0.1, gzip;q=0.9":        "gzip",
		"gzip;q=0":                      "",
		"gzip;q=0.0, zstd;q=0":          "",
		"gzip; q=0, zstd":               "zstd",
		"identity":                      "",
		"identity;q=1, gzip;q=0":        "",
		"br":                            "",
		"":                              "",
		"gzip;q=nonsense":               "",
		strings.Repeat("a,", 500) + "b": "",
	} {
		got := ask(t, accepting(t, "GET", server.URL, accept))
		if coding := got.header.Get("Content-Encoding"); coding != want {
			t.Errorf("Accept-Encoding %q: encoding %q, want %q", accept, coding, want)
		}
		if text, err := decoded(got); err != nil || text != body+"\n" {
			t.Errorf("Accept-Encoding %q: %v, %.40s", accept, err, text)
		}
		vary := strings.Join(got.header["Vary"], ", ")
		if vary != "Authorization, Origin, Accept-Encoding" {
			t.Errorf("Accept-Encoding %q: Vary %q", accept, vary)
		}
		if tag := got.header.Get("ETag"); tag != tagOf("", []byte(body)) {
			t.Errorf("Accept-Encoding %q: ETag %s, want that of the body, %s",
				accept, tag, tagOf("", []byte(body)))
		}
		if got.length >= 0 && got.length != int64(len(got.body)) ||
			want != "" && len(got.body) > len(body)/2 {
			t.Errorf("Accept-Encoding %q: length %d of %d bytes sent, %d in all",
				accept, got.length, len(got.body), len(body))
		}
	}
}

// TestCompressEncoded checks that a body which is compressed already is sent as it is.
func TestCompressEncoded(t *testing.T) {
	body := long("all the same")
	e := NewEncoded(body)
	server := compressing(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		e.Serve(w, r)
	})
	for _, accept := range []string{"gzip", "zstd", "gzip, deflate, br, zstd", ""} {
		got := ask(t, accepting(t, "GET", server.URL, accept))
		if text, err := decoded(got); err != nil || text != string(body) {
			t.Errorf("Accept-Encoding %q: %v, %.40s", accept, err, text)
		}
		if vary := got.header["Vary"]; len(vary) != 1 || vary[0] != "Accept-Encoding" {
			t.Errorf("Accept-Encoding %q: Vary %q", accept, vary)
		}
		if accept != "" && len(got.body) > len(body)/2 {
			t.Errorf("Accept-Encoding %q: %d bytes of %d", accept, len(got.body), len(body))
		}
	}
}

// TestCompressible checks which responses are compressed at all.
func TestCompressible(t *testing.T) {
	for _, test := range []struct {
		contentType string
		bytes       int
		want        bool
	}{
		{"application/json", leastBytes, true},
		{"application/json", leastBytes - 1, false},
		{"application/json", 2, false},
		{"application/json; charset=utf-8", 5000, true},
		{"Application/JSON", 5000, true},
		{"application/problem+json", 5000, true},
		{"image/svg+xml", 5000, true},
		{"text/plain", 5000, true},
		{"text/html; charset=utf-8", 5000, true},
		{"text/event-stream", 5000, false},
		{"text/event-stream; charset=utf-8", 5000, false},
		{"image/png", 5000, false},
		{"application/octet-stream", 5000, false},
		{"application/gzip", 5000, false},
	} {
		for _, sized := range []bool{true, false} {
			server := compressing(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", test.contentType)
				if sized {
					w.Header().Set("Content-Length", strconv.Itoa(test.bytes))
				}
				for range test.bytes { // the worst case: one byte a write
					io.WriteString(w, "a")
				}
			})
			got := ask(t, accepting(t, "GET", server.URL, "gzip, zstd"))
			if compressed := got.header.Get("Content-Encoding") != ""; compressed != test.want {
				t.Errorf("%d bytes of %s: compressed is %v, want %v",
					test.bytes, test.contentType, compressed, test.want)
			}
			if text, err := decoded(got); err != nil || text != strings.Repeat("a", test.bytes) ||
				got.header.Get("Content-Type") != test.contentType {
				t.Errorf("%d bytes of %s: %v, %d bytes of %s",
					test.bytes, test.contentType, err, len(text), got.header.Get("Content-Type"))
			}
			server.Close()
		}
	}
}

// TestWithoutBody checks the headers of responses that have no body.
func TestWithoutBody(t *testing.T) {
	body := long("none")
	server := compressing(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/nothing":
			w.WriteHeader(http.StatusNoContent)
		case "/silent":
			w.Header().Set("Vary", "Origin")
		default:
			WriteJSON(w, r, http.StatusOK, body)
		}
	})
	for _, test := range []struct {
		method, path, accept, noneMatch string
		status                          int
		length                          string
	}{
		{"HEAD", "/", "gzip", "", 200, ""}, // GET would send fewer bytes
		{"HEAD", "/", "", "", 200, strconv.Itoa(len(body) + 1)},
		{"GET", "/", "gzip", tagOf("", body), 304, ""},
		{"HEAD", "/", "gzip", tagOf("", body), 304, ""},
		{"GET", "/nothing", "gzip", "", 204, ""},
		{"GET", "/silent", "gzip", "", 200, "0"},
		{"HEAD", "/silent", "gzip", "", 200, ""},
	} {
		r := accepting(t, test.method, server.URL+test.path, test.accept)
		if test.noneMatch != "" {
			r.Header.Set("If-None-Match", test.noneMatch)
		}
		got := ask(t, r)
		if got.status != test.status || got.body != "" ||
			got.header.Get("Content-Length") != test.length ||
			got.header.Get("Content-Encoding") != "" {
			t.Errorf("%s %s: %d %v %q", test.method, test.path, got.status, got.header, got.body)
		}
		if !varies(got.header) {
			t.Errorf("%s %s: Vary %q", test.method, test.path, got.header["Vary"])
		}
	}
}

// TestStreams checks that an event reaches the client before the handler writes
// the next one.
func TestStreams(t *testing.T) {
	read := make(chan bool)
	server := compressing(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range 3 {
			fmt.Fprintf(w, "data: %d\n\n", i)
			if err := http.NewResponseController(w).Flush(); err != nil {
				t.Error(err)
			}
			<-read
		}
	})
	res, err := http.DefaultTransport.RoundTrip(accepting(t, "GET", server.URL, "gzip, zstd"))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.Header.Get("Content-Encoding") != "" || !varies(res.Header) {
		t.Errorf("headers %v", res.Header)
	}
	for i := range 3 {
		got := make([]byte, len("data: 0\n\n"))
		if _, err := io.ReadFull(res.Body, got); err != nil ||
			string(got) != fmt.Sprintf("data: %d\n\n", i) {
			t.Errorf("event %d: %q, %v", i, got, err)
		}
		read <- true
	}
}

// TestCompressedPanic checks that an aborted response never looks complete in
// any encoding, and that a panic before the response begins results in an error
// response.
func TestCompressedPanic(t *testing.T) {
	for _, two := range []bool{false, true} {
		for _, accept := range []string{"gzip", "zstd", "identity"} {
			for _, abort := range []bool{false, true} {
				for _, bytes := range []int{0, 10, 5000, 1 << 20} {
					h := Compress(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
						w.Header().Set("Content-Type", "text/plain")
						w.Write(make([]byte, bytes))
						if abort {
							panic(http.ErrAbortHandler)
						}
						panic("now")
					}))
					got, err := askBroken(t, h, two, accept)
					if begun := abort || accept == "identity"; begun != (err != nil) {
						t.Errorf("HTTP/2 %v, %s, abort %v, %d bytes: status %d, %v",
							two, accept, abort, bytes, got.status, err)
					}
					if err == nil && (got.status != 500 || !strings.Contains(got.body, "internal")) {
						t.Errorf("HTTP/2 %v, %s: got %d %s, want the error", two, accept, got.status, got.body)
					}
				}
			}
		}
	}
}

// askBroken sends a request to h over HTTP/1.1 or HTTP/2.
func askBroken(t *testing.T, h http.Handler, two bool, accept string) (got reply, err error) {
	t.Helper()
	server := httptest.NewUnstartedServer(AccessLog(quiet, h))
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	server.EnableHTTP2 = two
	server.StartTLS()
	defer server.Close()
	res, err := server.Client().Do(accepting(t, "GET", server.URL, accept))
	if err != nil {
		return got, err
	}
	defer res.Body.Close()
	if (res.ProtoMajor == 2) != two {
		t.Errorf("%s, want HTTP/2 %v", res.Proto, two)
	}
	body, err := io.ReadAll(res.Body)
	return reply{res.StatusCode, res.Header, string(body), res.ContentLength}, err
}

// TestCrowd checks that concurrent responses are not mixed up.
func TestCrowd(t *testing.T) {
	server := compressing(t,
		func(w http.ResponseWriter, r *http.Request) { WriteJSON(w, r, http.StatusOK, long(r.URL.Path)) })
	var askers sync.WaitGroup
	for i := range 8 {
		askers.Go(func() {
			for j := range 20 {
				path := fmt.Sprintf("/%d/%d", i, j)
				got := ask(t, accepting(t, "GET", server.URL+path, []string{"gzip", "zstd", "identity"}[j%3]))
				if text, err := decoded(got); err != nil || text != string(long(path))+"\n" {
					t.Errorf("%s: %v, %.40s", path, err, text)
				}
			}
		})
	}
	askers.Wait()
}

// TestGoClient checks that Go's own client decodes by default.
func TestGoClient(t *testing.T) {
	body := string(long("for Go"))
	server := compressing(t,
		func(w http.ResponseWriter, r *http.Request) { WriteJSON(w, r, http.StatusOK, []byte(body)) })
	res, err := http.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if got, err := io.ReadAll(res.Body); err != nil || string(got) != body+"\n" || !res.Uncompressed {
		t.Errorf("read %d bytes, %v, compressed in transit %v", len(got), err, res.Uncompressed)
	}
}

// TestCurl checks responses with curl.
func TestCurl(t *testing.T) {
	curl, err := exec.LookPath("curl")
	if err != nil {
		t.Skip("curl is not installed")
	}
	body := string(long("for curl"))
	server := compressing(t,
		func(w http.ResponseWriter, r *http.Request) { WriteJSON(w, r, http.StatusOK, []byte(body)) })
	out, err := exec.Command(curl, "-sS", "-D", "-", "--compressed", server.URL).CombinedOutput()
	head, got, _ := strings.Cut(string(out), "\r\n\r\n")
	if err != nil || got != body+"\n" || !strings.Contains(head, "Content-Encoding: ") {
		t.Errorf("%v: %.500s", err, out)
	}
	out, err = exec.Command(curl, "-sS", "--compressed", "-I", server.URL).CombinedOutput()
	if err != nil || strings.Contains(string(out), "Content-Length") ||
		!strings.Contains(string(out), "200 OK") {
		t.Errorf("HEAD: %v: %.500s", err, out)
	}
}

func BenchmarkCompress(b *testing.B) {
	body := long("20 kB")
	for _, accept := range []string{"identity", "gzip", "zstd"} {
		b.Run(accept, func(b *testing.B) {
			h := Compress(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["Content-Type"] = []string{"application/json"}
				w.Write(body)
			}))
			r := accepting(b, "GET", "/", accept)
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				h.ServeHTTP(nowhere{}, r)
			}
		})
	}
}
