package cli

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
)

// TestInterrupted interrupts a command that waits for an endpoint that does not respond. The
// error is one line with the cause and the next step. The endpoint responds once the command has
// ended.
func TestInterrupted(t *testing.T) {
	var requests atomic.Int32
	waits, leave := make(chan struct{}, 9), make(chan struct{}, 2)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if requests.Add(1) == 1 { // the test that enables the endpoint
			w.WriteHeader(http.StatusNoContent)
			return
		}
		waits <- struct{}{}
		<-leave
	}))
	defer receiver.Close()
	folder, _, _ := serving(t, "--webhook-private", "127.0.0.0/8")
	l := newLedger(t, folder)
	id := l.create(receiver.URL)
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		ctx, stop := context.WithCancelCause(t.Context())
		go func() {
			<-waits
			stop(Stopped(signal))
		}()
		var out, stderr bytes.Buffer
		args := []string{"webhooks", "test", id, "--account", "ann@example.org", "--data", folder}
		code := Run(ctx, args, func(string) string { return "" }, nil,
			Streams{In: strings.NewReader(""), Out: &out, Err: &stderr})
		leave <- struct{}{} // the server makes one attempt at a time
		want := `^data folder: .*\nleadline: interrupted, and the command may or may not have taken ` +
			`effect \(stopped by the signal ` + signal.String() + `\); leadline webhooks deliveries ` + id +
			` shows the test if it was sent\n$`
		if code != 1 || out.Len() > 0 || !regexp.MustCompile(want).MatchString(stderr.String()) {
			t.Errorf("%s: exit code %d, %q, %q\nwant %s", signal, code, &out, &stderr, want)
		}
	}
}
