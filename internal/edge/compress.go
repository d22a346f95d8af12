package edge

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

const (
	// leastBytes is the minimum length of a body to compress. Shorter bodies fit
	// into one packet anyway.
	leastBytes = 1 << 10

	// keptBytes is the size up to which buffers of bodies are used again. Ours.
	keptBytes = 256 << 10
)

// Compress compresses the responses of next with zstd or gzip for clients that
// accept it: JSON and text of at least 1 KiB, never a stream of events. The
// ETag is not changed, so it has to be weak. A response is compressed as a whole when its handler
// has returned, so a client that reads slowly holds no more than the compressed bytes. Compress
// belongs inside AccessLog, which then counts the bytes that were sent.
func Compress(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &compressed{
			ResponseWriter: w, coding: codingOf(r.Header.Get("Accept-Encoding")),
			head: r.Method == http.MethodHead,
		}
		next.ServeHTTP(c, r)
		c.finish()
	})
}

// compressible reports whether bodies of a Content-Type get smaller and may be
// buffered for that.
func compressible(contentType string) bool {
	media, _, _ := strings.Cut(strings.ToLower(contentType), ";")
	media = strings.TrimSpace(media)
	return media == "application/json" ||
		strings.HasSuffix(media, "+json") || strings.HasSuffix(media, "+xml") ||
		strings.HasPrefix(media, "text/") && media != "text/event-stream"
}

// codingOf returns the coding that an Accept-Encoding prefers, zstd to gzip of the same weight, or
// "" for none: RFC 9110, section 12.5.3. A weight that is not a number is 0.
func codingOf(list string) string {
	best, weight := "", 0.0
	for item := range strings.SplitSeq(list, ",") {
		name, parameter, _ := strings.Cut(item, ";")
		name = strings.ToLower(strings.TrimSpace(name))
		if name != "zstd" && name != "gzip" {
			continue
		}
		q := 1.0
		if text, ok := strings.CutPrefix(strings.ReplaceAll(parameter, " ", ""), "q="); ok {
			q, _ = strconv.ParseFloat(text, 64)
		}
		if q > weight || q == weight && q > 0 && name == "zstd" {
			best, weight = name, q
		}
	}
	return best
}

// compressed is a response that is compressed if its headers allow it.
type compressed struct {
	http.ResponseWriter
	coding string // that the client prefers, "" for none
	head   bool
	status int           // 0 before the header
	body   *bytes.Buffer // nil unless the body is kept until the handler has returned
}

// WriteHeader decides whether the body is compressed. Other responses are sent as they are written.
func (c *compressed) WriteHeader(status int) {
	if status < http.StatusOK || c.status != 0 {
		c.ResponseWriter.WriteHeader(status)
		return
	}
	c.status = status
	h := c.Header()
	if !varies(h) {
		h.Add("Vary", "Accept-Encoding")
	}
	length, err := strconv.Atoi(h.Get("Content-Length"))
	short := err == nil && length < leastBytes
	if c.coding == "" || short || h.Get("Content-Encoding") != "" ||
		!compressible(h.Get("Content-Type")) {
		c.ResponseWriter.WriteHeader(status)
		return
	}
	// The length of a compressed body is not known here. RFC 9110, section 8.6, recommends
	// omitting it from a response to HEAD in this case.
	h.Del("Content-Length")
	if c.head {
		c.ResponseWriter.WriteHeader(status)
		return
	}
	c.body = bodies.Get().(*bytes.Buffer)
	c.body.Reset()
	c.body.Grow(length)
}

func (c *compressed) Write(b []byte) (int, error) {
	if c.status == 0 {
		c.WriteHeader(http.StatusOK)
	}
	if c.body != nil {
		return c.body.Write(b)
	}
	return c.ResponseWriter.Write(b)
}

// Flush sends what was written, unless it is kept.
func (c *compressed) Flush() {
	if c.status == 0 {
		c.WriteHeader(http.StatusOK)
	}
	if c.body == nil {
		http.NewResponseController(c.ResponseWriter).Flush()
	}
}

// Unwrap lets http.ResponseController reach the connection.
func (c *compressed) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// finish sends a body that was kept.
func (c *compressed) finish() {
	if c.status == 0 {
		c.WriteHeader(http.StatusOK)
	}
	if c.body == nil {
		return
	}
	h, body := c.Header(), c.body.Bytes()
	if len(body) >= leastBytes {
		body = encode(c.coding, body)
		h.Set("Content-Encoding", c.coding)
	} else {
		body = bytes.Clone(body)
	}
	if c.body.Cap() <= keptBytes {
		bodies.Put(c.body)
	}
	c.body = nil
	h.Set("Content-Length", strconv.Itoa(len(body)))
	c.ResponseWriter.WriteHeader(c.status)
	c.ResponseWriter.Write(body)
}

// varies reports whether Vary names Accept-Encoding.
func varies(h http.Header) bool {
	for _, line := range h["Vary"] {
		for name := range strings.SplitSeq(line, ",") {
			if strings.EqualFold(strings.TrimSpace(name), "Accept-Encoding") {
				return true
			}
		}
	}
	return false
}

// bodies holds buffers of bodies, and gzips encoders. An encoder has about 1 MB.
var (
	bodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}
	gzips  = sync.Pool{New: func() any { return newGzip(gzip.BestSpeed) }}
)

func newGzip(level int) *gzip.Writer {
	w, err := gzip.NewWriterLevel(nil, level)
	if err != nil {
		panic(err) // the levels are valid constants
	}
	return w
}

// fastZstd compresses single responses. Our bodies contain many digits: the best levels make them 5
// to 10 % smaller than the fastest, and cost 1.3 to 2.5 times as much time. It has at most as many
// encoders as there are processors.
var fastZstd = sync.OnceValue(func() *zstd.Encoder {
	const window = 128 << 10 // larger ones take more memory, and few bodies are longer
	return newZstd(zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(window),
		zstd.WithLowerEncoderMem(true))
})

func newZstd(options ...zstd.EOption) *zstd.Encoder {
	e, err := zstd.NewWriter(nil, options...)
	if err != nil {
		panic(err) // the options are valid constants
	}
	return e
}

// encode returns a body in a coding.
func encode(coding string, body []byte) []byte {
	const ratio = 4 // a typical one
	if coding == "zstd" {
		return fastZstd().EncodeAll(body, make([]byte, 0, len(body)/ratio))
	}
	w := gzips.Get().(*gzip.Writer)
	defer gzips.Put(w)
	out := bytes.NewBuffer(make([]byte, 0, len(body)/ratio))
	w.Reset(out)
	w.Write(body) // a Buffer does not fail
	w.Close()
	return out.Bytes()
}
