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

// VersionHeader is the header that names a version of the REST contract, in requests and in
// responses.
const VersionHeader = "Leadline-Version"

// WriteJSON responds with a body that one of our encoders has written: JSON
// without blanks, to which it adds a newline. A response of 200 to GET and HEAD
// has an ETag. A client that sends the tag of its copy gets 304 and no body if
// the facts are still the same. Responses must be revalidated before they are
// used again, and must not be stored in shared caches.
//
// The tag is weak: it identifies facts, not bytes. It ignores when they were
// received and how many minutes old they are, or it would change every minute.
// So 304 means that a new response would have the same facts, with the same
// times of their own. receivedAt and ageMinutes stay as they are in the copy,
// and so does a sourceAt that equals receivedAt. Clients that need the age at
// another time compute it from sourceAt. Freshness is part of the tag, so
// clients see when a fact becomes stale. The version of the contract that the
// response names is part of it too. Because the tag is weak, it is valid for a
// compressed body too.
func WriteJSON(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	h := w.Header()
	h["Cache-Control"] = noStore
	if status == http.StatusOK && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		tag := tagOf(h.Get(VersionHeader), body)
		h["Cache-Control"] = revalidated
		h.Set("Etag", tag)
		if matches(strings.Join(r.Header["If-None-Match"], ","), tag) {
			h.Del("Content-Type")
			h.Del("Content-Length")
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	send(w, r, status, body)
}

// WriteSecret responds like WriteJSON with facts of an account, which no cache may keep: it has no
// ETag.
func WriteSecret(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	w.Header()["Cache-Control"] = noStore
	send(w, r, status, body)
}

// send writes a body, unless the request is HEAD.
func send(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	h := w.Header()
	h["Content-Type"] = isJSON
	h.Set("Content-Length", strconv.Itoa(len(body)+1))
	w.WriteHeader(status)
	if r.Method == http.MethodHead {
		return
	}
	w.Write(body) // the newline is written separately, because the body may be shared
	w.Write(newline)
}

// The values of headers, which never change.
var (
	noStore     = []string{"no-store"}
	revalidated = []string{"private, no-cache"}
	isJSON      = []string{"application/json"}
)

var newline = []byte("\n")

// member is the name of a member with the punctuation around it, in two parts.
// The second one begins with a capital letter.
type member struct{ head, tail []byte }

// The members that change while the facts stay the same. Within a string a
// quote is preceded by a backslash, so no text matches them.
var (
	sourceAt   = []byte(`"sourceAt":"`)
	receivedAt = member{[]byte(`"received`), []byte(`At":"`)}
	ageMinutes = member{[]byte(`"age`), []byte(`Minutes":`)}
)

// cut is bytes.Cut for a member. It searches for the part with the capital
// letter, which is rare in a body. A search for the first quote takes ten times
// as long.
func (m member) cut(body []byte) (before, after []byte, found bool) {
	for at := 0; ; at += len(m.tail) {
		i := bytes.Index(body[at:], m.tail)
		if i < 0 {
			return body, nil, false
		}
		at += i
		if before, ok := bytes.CutSuffix(body[:at], m.head); ok {
			return before, body[at+len(m.tail):], true
		}
	}
}

// writeTo writes the name of a member.
func (m member) writeTo(facts hash.Hash) {
	facts.Write(m.head)
	facts.Write(m.tail)
}

// tagOf returns the entity tag of a body's facts in a version of the contract.
func tagOf(version string, body []byte) string {
	facts := sha256.New()
	io.WriteString(facts, version) // ends where the body begins, with a brace
	writeFacts(facts, body)
	const enough = 16 // bytes of the hash, enough to avoid collisions
	return `W/"` + base64.RawURLEncoding.EncodeToString(facts.Sum(nil)[:enough]) + `"`
}

// writeFacts writes a body without its receive times and ages.
func writeFacts(facts hash.Hash, body []byte) {
	for {
		before, after, found := receivedAt.cut(body)
		if !found {
			writeWithoutAges(facts, before)
			return
		}
		body = after
		if !escaped(before) {
			at := after[:max(0, bytes.IndexByte(after, '"'))]
			body = after[len(at):]
			before = withoutSource(before, at)
		}
		writeWithoutAges(facts, before)
		receivedAt.writeTo(facts)
	}
}

// withoutSource returns before, the text that ends where "receivedAt" begins,
// without a sourceAt that equals it. Facts that are computed for the request
// have the time of the request there, which does not make them different facts.
func withoutSource(before, at []byte) []byte {
	rest, ok := bytes.CutSuffix(before, []byte(`",`))
	if rest, same := bytes.CutSuffix(rest, at); ok && same && bytes.HasSuffix(rest, sourceAt) {
		return rest
	}
	return before
}

// writeWithoutAges writes a part of a body without its ages.
func writeWithoutAges(facts hash.Hash, part []byte) {
	for {
		before, after, found := ageMinutes.cut(part)
		facts.Write(before)
		if !found {
			return
		}
		ageMinutes.writeTo(facts)
		if part = after; !escaped(before) {
			part = bytes.TrimLeft(after, "-0123456789")
		}
	}
}

// escaped reports whether the next quote is within a string.
func escaped(before []byte) bool { return bytes.HasSuffix(before, []byte(`\`)) }

// matches reports whether an If-None-Match, "*" or a list of tags, names the
// tag by weak comparison: RFC 9110, sections 8.8.3.2 and 13.1.2. It reads a
// list up to the first thing that is not a tag.
func matches(list, tag string) bool {
	if strings.TrimSpace(list) == "*" {
		return true
	}
	tag = strings.TrimPrefix(tag, "W/")
	for {
		list = strings.TrimPrefix(strings.TrimLeft(list, " \t,"), "W/")
		opaque, quoted := strings.CutPrefix(list, `"`)
		end := strings.IndexByte(opaque, '"') // a tag may contain a comma
		if !quoted || end < 0 {
			return false
		}
		if list[:end+2] == tag {
			return true
		}
		list = opaque[end+1:]
	}
}
