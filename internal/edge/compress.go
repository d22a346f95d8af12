package edge

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzip"
)

// leastBytes is the minimum length of a body to compress. Shorter bodies fit
// into one packet anyway.
const leastBytes = 1 << 10

// Compress compresses the responses of next with zstd or gzip for clients that
// accept it: JSON and text of at least 1 KiB, never a stream of events. The
// ETag is not changed, so it has to be weak. A response that is aborted is
// aborted in its compressed form too. Compress belongs inside AccessLog, which
// then counts the bytes that were sent.
func Compress(next http.Handler) http.Handler {
	// Our bodies contain many digits: the best levels make them 5 to 10 %
	// smaller than the fastest, and cost 1.3 to 2.5 times as much time.
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(leastBytes), gzhttp.CompressionLevel(gzip.BestSpeed),
		gzhttp.ContentTypeFilter(compressible))
	if err != nil {
		panic(err) // the options are valid constants
	}
	compressed := wrap(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := &negotiated{
			ResponseWriter: w,
			head:           r.Method == http.MethodHead && r.Header.Get("Accept-Encoding") != "",
		}
		compressed(n, r)
		n.settle()
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

// negotiated corrects the headers that the compressor sets on a response, just
// before they are sent.
type negotiated struct {
	http.ResponseWriter
	head    bool // HEAD, where GET might be compressed
	settled bool
}

func (n *negotiated) settle() {
	if n.settled {
		return
	}
	n.settled = true
	h := n.Header()
	if !varies(h) { // a handler replaced Vary after the compressor set it
		h.Add("Vary", "Accept-Encoding")
	}
	// The compressor ignores HEAD, and GET would send a different length than
	// the one that the handler sets. RFC 9110, section 8.6, recommends omitting
	// it in this case.
	length, _ := strconv.Atoi(h.Get("Content-Length"))
	if n.head && length >= leastBytes && compressible(h.Get("Content-Type")) {
		h.Del("Content-Length")
	}
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

// WriteHeader settles the headers of the final response, not of an
// informational one before it.
func (n *negotiated) WriteHeader(status int) {
	if status >= 200 {
		n.settle()
	}
	n.ResponseWriter.WriteHeader(status)
}

func (n *negotiated) Write(b []byte) (int, error) {
	n.settle()
	return n.ResponseWriter.Write(b)
}

// Flush sends the buffered bytes. The compressor calls it.
func (n *negotiated) Flush() {
	n.settle()
	http.NewResponseController(n.ResponseWriter).Flush()
}

// Unwrap lets http.ResponseController reach the connection.
func (n *negotiated) Unwrap() http.ResponseWriter { return n.ResponseWriter }
