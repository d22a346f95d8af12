package events

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"leadline/internal/access/credential"
)

// idLength is the number of random characters in the ids of endpoints and watches: 83 bits.
const idLength = 14

// NewEndpointID returns a new id of an endpoint: we_ and 14 characters of base 62.
func NewEndpointID() string { return "we_" + credential.Random(idLength) }

// NewWatchID returns a new id of a watch: wt_ and 14 characters of base 62.
func NewWatchID() string { return "wt_" + credential.Random(idLength) }

// IDs makes the ids of events. The zero value is ready for use, and its methods are safe
// for concurrent use.
type IDs struct {
	mu   sync.Mutex
	last uint64 // time of the last id
}

// New returns an id for an event at a time: msg_ and the 32 hexadecimal digits of a UUID of
// version 7. Ids from one IDs sort in the order of the calls, even if the clock goes back.
func (g *IDs) New(at time.Time) string {
	t := g.next(at)
	var u [16]byte
	rand.Read(u[8:])
	for i := range 6 {
		u[i] = byte(t >> (52 - 8*i))
	}
	u[6] = 0x70 | byte(t>>8)&0x0f
	u[7] = byte(t)
	u[8] = 0x80 | u[8]&0x3f
	return "msg_" + hex.EncodeToString(u[:])
}

// next returns the time of the next id: 48 bits of milliseconds and 12 bits of the fraction
// (RFC 9562, section 6.2, method 3), or the time after that of the last id.
func (g *IDs) next(at time.Time) uint64 {
	fraction := uint64(at.Nanosecond()) % 1e6 * 4096 / 1e6
	t := uint64(at.UnixMilli())<<12 | fraction
	g.mu.Lock()
	defer g.mu.Unlock()
	g.last = max(t, g.last+1)
	return g.last
}

// FirstID returns the lowest id of an event at a time.
func FirstID(at time.Time) string {
	return fmt.Sprintf("msg_%012x%020x", max(0, at.UnixMilli()), 0)
}

// TimeOf returns the time in the id of an event, in milliseconds; of another text the zero time.
func TimeOf(id string) time.Time {
	digits, ok := strings.CutPrefix(id, "msg_")
	if !ok || len(digits) < 12 {
		return time.Time{}
	}
	millis, err := strconv.ParseInt(digits[:12], 16, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMilli(millis)
}
