package coast

import (
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestWriteError(t *testing.T) {
	for _, test := range []struct {
		err    error
		status int
		body   string
	}{
		{
			Errorf(StationNotFound, "no station %q", "x"), 404,
			`{"error":{"code":"station_not_found","message":"no station \"x\""}}`,
		},
		{
			fmt.Errorf("reading: %w", Errorf(DatumUnavailable, "no datum")), 400,
			`{"error":{"code":"datum_unavailable","message":"no datum"}}`,
		},
		{
			errors.New("the password is 1234"), 500,
			`{"error":{"code":"internal","message":"internal error; ` +
				`the response's X-Request-Id finds it in the log"}}`,
		},
		{
			Errorf(CredentialRequired, "a key"), 401,
			`{"error":{"code":"credential_required","message":"a key"}}`,
		},
		{
			&Error{
				Code: RateLimited, Message: "slow down", RetryAfterSeconds: 7,
				Issues: []Issue{{"p", "c", "m"}},
			}, 429,
			`{"error":{"code":"rate_limited","message":"slow down",` +
				`"issues":[{"path":"p","code":"c","message":"m"}],"retryAfterSeconds":7}}`,
		},
	} {
		w := httptest.NewRecorder()
		WriteError(w, test.err)
		if got := strings.TrimSpace(w.Body.String()); w.Code != test.status || got != test.body {
			t.Errorf("WriteError(%v) = %d %s, want %d %s", test.err, w.Code, got, test.status, test.body)
		}
		if got := w.Header().Get("WWW-Authenticate"); (w.Code == 401) != (got == "Bearer") {
			t.Errorf("WriteError(%v): WWW-Authenticate %q", test.err, got)
		}
		if w.Code == 429 && w.Header().Get("Retry-After") != "7" {
			t.Errorf("Retry-After %q, want 7", w.Header().Get("Retry-After"))
		}
	}
}

// TestEveryCodeHasAStatus checks that every code has a status, since the zero
// status would panic.
func TestEveryCodeHasAStatus(t *testing.T) {
	if len(status) != 19 {
		t.Errorf("%d codes, want the 19 of the contract", len(status))
	}
	for code := range status {
		if s := Errorf(code, "").Status(); s < 400 || s > 503 {
			t.Errorf("%s has status %d", code, s)
		}
	}
}
