package login

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"leadline/internal/login/logintest"
	"leadline/internal/session"
)

// TestExport checks that people can download the data of their own account, and the headers of the
// download.
func TestExport(t *testing.T) {
	b := newBench(t)
	mate := b.Join("mate@example.org", "free")
	b.Join("cook@example.org", "free")
	b.Any().Get(ExportPath).WantTo(t, loginTo)
	w := b.enter("mate@example.org")
	if page := w.Get(SecurityPath); !strings.Contains(page.Text, `href="`+ExportPath+`"`) {
		t.Error("the page has no link to the download")
	}
	got := w.Get(ExportPath)
	for header, want := range map[string]string{
		"Content-Type": "application/json", "Cache-Control": "private, no-store",
		"Content-Disposition":          `attachment; filename="leadline-account.json"`,
		"Cross-Origin-Resource-Policy": "same-origin",
	} {
		if got.Header.Get(header) != want {
			t.Errorf("%s is %q, want %q", header, got.Header.Get(header), want)
		}
	}
	var out struct {
		Account struct{ ID, Email string }
	}
	if err := json.Unmarshal([]byte(got.Text), &out); err != nil || out.Account.ID != mate.ID ||
		out.Account.Email != "mate@example.org" || strings.Contains(got.Text, "cook") {
		t.Errorf("got %v of\n%s", err, got.Text)
	}
	w.Post(ExportPath, nil).WantPage(t, "a form", http.StatusMethodNotAllowed)
}

// TestExportsAreLimited checks that an account can be exported three times, and then once a minute.
func TestExportsAreLimited(t *testing.T) {
	b := newBench(t)
	b.Join("mate@example.org", "free")
	w, other := b.enter("mate@example.org"), b.enter("mate@example.org")
	theirs := b.enter(logintest.Somebody)
	for range 3 {
		if got := w.Get(ExportPath); got.StatusCode != http.StatusOK {
			t.Errorf("got %d, want 200", got.StatusCode)
		}
	}
	got := other.Get(ExportPath)
	got.WantPage(t, "the fourth", http.StatusTooManyRequests)
	if after := got.Header.Get("Retry-After"); after != "60" {
		t.Errorf("Retry-After is %q, want 60", after)
	}
	if got := theirs.Get(ExportPath); got.StatusCode != http.StatusOK {
		t.Errorf("another account: got %d, want 200", got.StatusCode)
	}
	b.Pass(time.Minute)
	if got := w.Get(ExportPath); got.StatusCode != http.StatusOK {
		t.Errorf("a minute later: got %d, want 200", got.StatusCode)
	}
}

// TestPartialExport checks that a download that fails after its first byte does not look complete.
func TestPartialExport(t *testing.T) {
	b := newBench(t)
	w := b.enter(logintest.Somebody)
	for text, want := range map[string]any{"": nil, `{"account": `: http.ErrAbortHandler} {
		e := &exports{b.Login, func(_ context.Context, to io.Writer, _ string) error {
			if text != "" {
				io.WriteString(to, text)
			}
			return errors.New("a fault of the test")
		}, session.NewThrottle(exportEvery, exportBurst, b.Now)}
		response, r := recorderFor(w, ExportPath)
		func() {
			defer func() {
				if got := recover(); got != want {
					t.Errorf("after %q: got panic %v, want %v", text, got, want)
				}
			}()
			e.serve(response, r)
		}()
		if after := response.Header().Get("Retry-After"); text == "" &&
			(response.Code != http.StatusServiceUnavailable || after != "5") {
			t.Errorf("without a byte: got %d, Retry-After %q, want 503 and 5", response.Code, after)
		}
	}
	if !strings.Contains(b.Logged.String(), "a fault of the test") {
		t.Error("the log lacks the reason")
	}
}
