package account

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"leadline/internal/coast"
	"leadline/store"
)

// TestFail checks the pages about errors: a store that fails after the person was
// found, such as one on a full disk, is unavailable, and a fault of the program shows
// no details.
func TestFail(t *testing.T) {
	for _, test := range []struct {
		err    error
		status int
		want   string
	}{
		{
			fmt.Errorf("add: %w: disk full", store.ErrUnavailable),
			http.StatusServiceUnavailable, "check first whether it took effect",
		},
		{
			store.ErrNotFound, http.StatusNotFound,
			"does not exist, or belongs to another account",
		},
		{
			coast.Errorf(coast.PlanRequired, "The plan is gone."), http.StatusForbidden,
			"The plan is gone.",
		},
		{
			errors.New("s3cret detail"), http.StatusInternalServerError,
			"The fault is in this server",
		},
	} {
		w := httptest.NewRecorder()
		v := &visit{
			Server: &Server{c: Config{Log: slog.New(slog.NewTextHandler(io.Discard, nil))}}, w: w,
			r: httptest.NewRequest(http.MethodPost, "/account/keys", http.NoBody),
		}
		v.fail(test.err)
		page := w.Body.String()
		if w.Code != test.status || !strings.Contains(page, test.want) ||
			strings.Contains(page, "s3cret") || strings.Contains(page, "disk full") {
			t.Errorf("%v: got %d, want %d and %q\n%s", test.err, w.Code, test.status, test.want, page)
		}
	}
}
