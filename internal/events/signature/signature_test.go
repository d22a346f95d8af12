package signature

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// The id, the time and the body of the event in tests.
const (
	anEvent = "msg_019a8f3c7b1e7c3a9d5e2f4061728394"
	aBody   = `{"type":"webhook.test","timestamp":"2026-11-27T15:02:10Z","data":{"message":"Übung"}}`
)

var happened = time.Date(2026, 11, 27, 15, 2, 10, 999_000_000, time.FixedZone("EST", -5*3600))

// TestSign verifies signatures of short and long bodies with the library that the authors of
// Standard Webhooks publish for receivers.
func TestSign(t *testing.T) {
	newest, oldest := NewSecret(), NewSecret()
	for _, text := range []string{"", "{}", aBody, strings.Repeat(aBody, 200)} {
		body := []byte(text)
		for _, secrets := range [][]Secret{{newest}, {newest, oldest}} {
			h := http.Header{}
			SetHeaders(h, anEvent, happened, body, secrets)
			for _, s := range secrets {
				if err := verify(t, s, body, h); err != nil {
					t.Errorf("%d bytes, %d secrets: %v", len(body), len(secrets), err)
				}
			}
			if err := verify(t, NewSecret(), body, h); err == nil {
				t.Errorf("%d bytes: another secret verifies", len(body))
			}
		}
	}
}

// verify checks a signature as a receiver does, apart from the age of the event.
func verify(t *testing.T, s Secret, body []byte, h http.Header) error {
	t.Helper()
	receiver, err := webhooks.NewWebhook(s.Text())
	if err != nil {
		t.Fatal(err)
	}
	return receiver.VerifyIgnoringTimestamp(body, h)
}

// TestSignature checks that a change of the id, of the time or of the body is detected, and
// that the newest secret signs first.
func TestSignature(t *testing.T) {
	newest, oldest := NewSecret(), NewSecret()
	body := []byte(aBody)
	for name, alter := range map[string]func(http.Header, []byte){
		"id":   func(h http.Header, _ []byte) { h.Set("webhook-id", anEvent[:35]+"5") },
		"body": func(_ http.Header, b []byte) { b[len(b)/2] ^= 1 },
		"time": func(h http.Header, _ []byte) {
			h.Set("webhook-timestamp", strconv.FormatInt(happened.Unix()+1, 10))
		},
	} {
		for _, secrets := range [][]Secret{{newest}, {newest, oldest}} {
			h, altered := http.Header{}, bytes.Clone(body)
			SetHeaders(h, anEvent, happened, body, secrets)
			alter(h, altered)
			if verify(t, newest, altered, h) == nil || verify(t, oldest, altered, h) == nil {
				t.Errorf("altered %s: the signature verifies", name)
			}
		}
	}
	both := Sign(anEvent, happened, body, newest, oldest)
	want := Sign(anEvent, happened, body, newest) + " " + Sign(anEvent, happened, body, oldest)
	if both != want {
		t.Errorf("Sign() = %s, want %s", both, want)
	}
}

// TestSecretText checks the form in which an owner gets a secret.
func TestSecretText(t *testing.T) {
	secret := NewSecret()
	want := "whsec_" + base64.StdEncoding.EncodeToString(bytesOf(secret))
	if got := secret.Text(); got != want || len(got) != 50 {
		t.Errorf("Text() = %q, want %q of 50 bytes", got, want)
	}
}

// TestSecretIsNotPrinted checks that no common way of printing or logging shows a secret.
func TestSecretIsNotPrinted(t *testing.T) {
	secret := NewSecret()
	inside := struct {
		Public  Secret
		private Secret
		list    []Secret
	}{secret, secret, []Secret{secret}}
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		fmt.Fprintf(&out, verb+" "+verb+" "+verb+"\n", secret, inside, &inside)
	}
	for _, h := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
		slog.New(h).Info("created", "secret", secret, "inside", inside, "pointer", &inside)
	}
	text, key := out.String(), bytesOf(secret)[:4]
	for _, form := range []string{
		secret.Text()[6:20], fmt.Sprintf("%x", key), fmt.Sprint(key)[1:],
		fmt.Sprintf("%#v", key)[7:20],
	} {
		if strings.Contains(text, strings.TrimSuffix(form, "]")) {
			t.Errorf("%s is printed in\n%s", form, text)
		}
	}
	if !strings.Contains(text, "whsec_…") {
		t.Errorf("no secret is masked in\n%s", text)
	}
	if got := secret.Hint(); got != secret.Text()[:10]+"…" {
		t.Errorf("Hint() = %s", got)
	}
}

// BenchmarkSign signs a body of 900 bytes.
func BenchmarkSign(b *testing.B) {
	body, now := bytes.Repeat([]byte("x"), 900), time.Unix(1_800_000_000, 0)
	for _, secrets := range [][]Secret{{NewSecret()}, {NewSecret(), NewSecret()}} {
		b.Run(fmt.Sprintf("%d secrets", len(secrets)), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Sign(anEvent, now, body, secrets...)
			}
		})
	}
	receiver, _ := webhooks.NewWebhook(NewSecret().Text())
	b.Run("official library", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			receiver.Sign(anEvent, now, body)
		}
	})
}
