package sender

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestRetryAfter(t *testing.T) {
	in := func(d time.Duration) string { return now.Add(d).Format(http.TimeFormat) }
	for _, test := range []struct {
		header string
		want   time.Duration // from now; 0: none
	}{
		{"", 0}, {"0", 0}, {"1", time.Second}, {"0120", 2 * time.Minute}, {"86400", 24 * time.Hour},
		{"86401", 24 * time.Hour}, {"31536000", 24 * time.Hour}, {"9223372036854775807", 24 * time.Hour},
		{"9223372036854775808", 24 * time.Hour}, {strings.Repeat("9", 5000), 24 * time.Hour},
		{"-5", 0}, {"+5", 0}, {"1.5", 0}, {"1e9", 0}, {"5 s", 0}, {"soon", 0}, {"٣", 0}, {"Infinity", 0},
		{in(90 * time.Second), 90 * time.Second}, {in(-time.Second), 0}, {in(0), 0},
		{in(48 * time.Hour), 24 * time.Hour}, {"Fri, 31 Dec 9999 23:59:59 GMT", 24 * time.Hour},
		{now.Add(time.Minute).Format(time.RFC850), time.Minute},
		{now.Add(time.Minute).Format(time.ANSIC), time.Minute},
		{now.Add(time.Minute).Format(time.RFC3339), 0}, {"Fri, 31 Dec 0000 23:59:59 GMT", 0},
	} {
		want := time.Time{}
		if test.want > 0 {
			want = now.Add(test.want)
		}
		if got := retryAfter(test.header, now); !got.Equal(want) {
			t.Errorf("retryAfter(%q) = %v, want %v", test.header, got, want)
		}
	}
}

// FuzzRetryAfter checks that a pause is in the future and at most a day long.
func FuzzRetryAfter(f *testing.F) {
	for _, seed := range []string{"120", "Fri, 27 Nov 2026 15:03:00 GMT", "-1", "1e9", "99999999999"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		got := retryAfter(header, now)
		if !got.IsZero() && (!got.After(now) || got.Sub(now) > 24*time.Hour) {
			t.Errorf("retryAfter(%q) = %v", header, got)
		}
		if n, err := strconv.ParseUint(header, 10, 16); err == nil && n > 0 &&
			!got.Equal(now.Add(time.Duration(n)*time.Second)) {
			t.Errorf("retryAfter(%q) = %v, want %d s", header, got, n)
		}
	})
}

// TestWordOf checks errors that no receiver on this machine causes.
func TestWordOf(t *testing.T) {
	dial := func(err error) error {
		return &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", err)}
	}
	for _, test := range []struct {
		err  error
		want string
	}{
		{dial(syscall.ENETUNREACH), "refused"},
		{dial(syscall.EHOSTUNREACH), "refused"},
		{dial(syscall.ETIMEDOUT), "timeout"},
		{dial(syscall.EMFILE), "internal"},
		{fmt.Errorf("write: %w", syscall.EPIPE), "reset"},
		{io.ErrUnexpectedEOF, "reset"},
		{&net.DNSError{IsTimeout: true}, "dns"},
		{&net.OpError{Op: "proxyconnect", Err: dial(syscall.ECONNREFUSED)}, "refused"},
		{&net.OpError{Op: "dial", Err: &blockedError{"10.0.0.1:443"}}, "blocked_address"},
	} {
		if got := wordOf(test.err, new(connection)); got != test.want {
			t.Errorf("wordOf(%v) = %q, want %q", test.err, got, test.want)
		}
	}
}
