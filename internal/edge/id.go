package edge

import (
	"crypto/rand"
	"time"
)

// NewID returns a UUID of version 7 for the time t.
func NewID(t time.Time) string { return string(AppendID(nil, t)) }

// AppendID appends a UUID of version 7 (RFC 9562, section 5.7) for the time t:
// 48 bits of milliseconds, then random bits.
func AppendID(text []byte, t time.Time) []byte {
	var u [16]byte
	rand.Read(u[:])
	ms := t.UnixMilli()
	for i := range 6 {
		u[i] = byte(ms >> (40 - 8*i))
	}
	u[6] = u[6]&0x0f | 0x70
	u[8] = u[8]&0x3f | 0x80
	for i, b := range u {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			text = append(text, '-')
		}
		text = append(text, digits[b>>4], digits[b&15])
	}
	return text
}

const digits = "0123456789abcdef"
