package sender

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"leadline/internal/events/signature"
)

// aKey has the form of an API key.
const aKey = "ldl_live_AbCdEfG" + "0123456789abcdefghijklmnopqrstuvw" + "XYZxyz"

func TestCleanReply(t *testing.T) {
	secret := signature.NewSecret().Text()
	for _, test := range []struct{ in, want string }{
		{"", ""},
		{"ok\n", "ok "},
		{`{"error":"wasn't <expected>"}`, `{"error":"wasn't <expected>"}`},
		{"a\x00b\x1b[31mc\u202ed\u200be\x7f", "ab[31mcde"},
		{"caf\xe9 café \xff\xfe", "caf café "},
		{"key " + aKey + " leaked", "key ldl_live_AbCdEfG… leaked"},
		{"secret=" + secret, "secret=whsec_…"},
		{"whsec_\x00" + secret[6:], "whsec_…"},
		{"whsec_\xff" + secret[6:] + "\n", "whsec_… "},
		{strings.Repeat("a", 2000), strings.Repeat("a", 1024)},
		{strings.Repeat("é", 600), strings.Repeat("é", 512)},
		{"a" + strings.Repeat("é", 600), "a" + strings.Repeat("é", 511)},
		{strings.Repeat("a", 1010) + secret, strings.Repeat("a", 1010) + "whsec_…"},
		{strings.Repeat("a", 1020) + secret, strings.Repeat("a", 1020) + "whse"},
	} {
		if got := cleanReply([]byte(test.in)); got != test.want {
			t.Errorf("cleanReply(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}

// FuzzCleanReply checks that what is kept of a reply is short, printable and free of secrets.
func FuzzCleanReply(f *testing.F) {
	for _, seed := range []string{
		"ok\n", aKey, "whsec_" + strings.Repeat("Az09+/", 7) + "A=", "\xff\u202e\x1b[2J",
		strings.Repeat("é", 600), strings.Repeat("a", 1015) + aKey,
	} {
		f.Add([]byte(seed))
	}
	secret := regexp.MustCompile(`ldl_live_[0-9A-Za-z]{16}|whsec_[0-9A-Za-z+/=]{16}`)
	f.Fuzz(func(t *testing.T, in []byte) {
		got := cleanReply(in)
		if len(got) > 1024 || !utf8.ValidString(got) || secret.MatchString(got) ||
			strings.ContainsFunc(got, unicode.IsControl) {
			t.Errorf("cleanReply(%q) = %q", in, got)
		}
	})
}

// TestReadReply checks how much of a body is read.
func TestReadReply(t *testing.T) {
	for _, size := range []int{0, 1, 2 << 10, 64 << 10, 65 << 10} {
		body := bytes.NewReader(bytes.Repeat([]byte("x"), size))
		if got := len(readReply(body)); got != min(size, 2<<10) || body.Len() != max(0, size-64<<10) {
			t.Errorf("of %d bytes %d are returned and %d not read", size, got, body.Len())
		}
	}
}
