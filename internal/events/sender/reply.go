package sender

import (
	"io"
	"strings"
	"unicode/utf8"

	"leadline/internal/coast"
)

const (
	maxReply = 1 << 10  // bytes of a response's body that are kept
	maxRead  = 64 << 10 // bytes of a response's body that are read
)

// readReply reads the body of a response, at most maxRead, and returns its start. It has more
// than maxReply bytes, so that a secret at the limit is recognized. Errors do not matter: the
// status has arrived.
func readReply(body io.Reader) []byte {
	limited := io.LimitReader(body, maxRead)
	start := make([]byte, 2*maxReply)
	n, _ := io.ReadFull(limited, start)
	_, _ = io.Copy(io.Discard, limited)
	return start[:n]
}

// cleanReply returns the part of a reply that is kept: valid UTF-8 on one line, without control
// characters and our secrets.
func cleanReply(start []byte) string {
	text := coast.Redact(coast.Clean(strings.ToValidUTF8(string(start), "")))
	if len(text) <= maxReply {
		return text
	}
	end := maxReply
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}
