package edge

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"hash"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// WriteJSON answers a request with a body that an encoder of ours has written:
// JSON without blanks, to which it adds a line end. An answer of 200 to GET
// and HEAD carries an ETag, and a client that sends the tag of what it has gets
// 304 and no body where the facts are still the same. No answer is to be used again
// without asking, and none belongs into a cache that people share.
//
// The tag is weak, and tells facts, not bytes: when they were received and how
// many minutes old they are stands in the body, but not in the tag, or an
// answer would never be the same for longer than a minute. So 304 says that
// the facts in the client's copy are those that it would get now, with the
// same times of their own; it says nothing of receivedAt and ageMinutes, which
// stay as they were in the copy, nor of a sourceAt that is the same moment. Age
// is counted from sourceAt, by whoever wants it at another time. Freshness is in the tag: a client hears when a
// fact becomes stale. Being weak the tag is also that of a compressed body.
func WriteJSON(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	if status == http.StatusOK && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		tag := tagOf(body)
		h.Set("Cache-Control", "private, no-cache")
		h.Set("Etag", tag)
		if matches(strings.Join(r.Header["If-None-Match"], ","), tag) {
			h.Del("Content-Type")
			h.Del("Content-Length")
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)+1))
	w.WriteHeader(status)
	if r.Method == http.MethodHead {
		return
	}
	w.Write(body) // not with the line end appended: the body may be shared
	io.WriteString(w, "\n")
}

// The members that change while facts stay the same. Within a string a quote
// has a backslash before it, so this is how they begin and nothing else does.
var (
	sourceAt   = []byte(`"sourceAt":"`)
	receivedAt = []byte(`"receivedAt":"`)
	ageMinutes = []byte(`"ageMinutes":`)
)

// tagOf is the entity tag of a body's facts.
func tagOf(body []byte) string {
	sum := sha256.New()
	sumFacts(sum, body)
	const enough = 16 // bytes of the sum: no two bodies ever meet
	return `W/"` + base64.RawURLEncoding.EncodeToString(sum.Sum(nil)[:enough]) + `"`
}

// sumFacts sums a body, but for the times and ages in it.
func sumFacts(sum hash.Hash, body []byte) {
	for {
		before, after, found := bytes.Cut(body, receivedAt)
		if !found {
			sumAges(sum, before)
			return
		}
		body = after
		if !escaped(before) {
			at := after[:max(0, bytes.IndexByte(after, '"'))]
			body = after[len(at):]
			before = withoutSource(before, at)
		}
		sumAges(sum, before)
		sum.Write(receivedAt)
	}
}

// withoutSource is before, which ends where "receivedAt" begins, without the
// time of a source that is the same: what is computed at the time of asking
// has no other, and is not news for it.
func withoutSource(before, at []byte) []byte {
	rest, ok := bytes.CutSuffix(before, []byte(`",`))
	if rest, same := bytes.CutSuffix(rest, at); ok && same && bytes.HasSuffix(rest, sourceAt) {
		return rest
	}
	return before
}

// sumAges sums a part of a body, but for the ages in it.
func sumAges(sum hash.Hash, part []byte) {
	for {
		before, after, found := bytes.Cut(part, ageMinutes)
		sum.Write(before)
		if !found {
			return
		}
		sum.Write(ageMinutes)
		if part = after; !escaped(before) {
			part = bytes.TrimLeft(after, "-0123456789")
		}
	}
}

// escaped reports whether a quote that follows stands within a string.
func escaped(before []byte) bool { return bytes.HasSuffix(before, []byte(`\`)) }

// matches reports whether an If-None-Match, "*" or a list of tags, names the
// tag by weak comparison: RFC 9110, sections 8.8.3.2 and 13.1.2. It reads a
// list up to what is no tag.
func matches(list, tag string) bool {
	if strings.TrimSpace(list) == "*" {
		return true
	}
	tag = strings.TrimPrefix(tag, "W/")
	for {
		list = strings.TrimPrefix(strings.TrimLeft(list, " \t,"), "W/")
		opaque, quoted := strings.CutPrefix(list, `"`)
		end := strings.IndexByte(opaque, '"') // a comma may stand in a tag
		if !quoted || end < 0 {
			return false
		}
		if list[:end+2] == tag {
			return true
		}
		list = opaque[end+1:]
	}
}
