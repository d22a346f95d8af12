package providers

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"leadline/e2e/product"
	"leadline/internal/cli"
)

// liveLine returns the command line of verify --live.
func liveLine(root, data, archive string) []string {
	return []string{
		"verify", "--live", "--data", data, "--coops-url", root, "--nws-url", root,
		"--contact", product.Contact, "--archive", archive,
	}
}

// contentOf returns the files of an archive as one text.
func contentOf(t *testing.T, file string) string {
	t.Helper()
	z, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var all strings.Builder
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(&all, r); err != nil {
			t.Fatal(err)
		}
	}
	return all.String()
}

// TestVerifyLive probes the simulator at the pace that the providers get. Its cache stays empty,
// and neither the archive nor its name has the contact or the folders of this machine.
func TestVerifyLive(t *testing.T) {
	t.Parallel()
	p, root := product.SimulateForCommands(t)
	data, archive := t.TempDir(), filepath.Join(t.TempDir(), "live.zip")
	out, stderr, err := product.RunCommand(t, nil, liveLine(root, data, archive)...)
	if err != nil || !strings.Contains(out, "0 differ, 0 failed") {
		t.Fatalf("%v\n%s%s", err, out, stderr)
	}
	if n := p.Requests(""); n < 100 || !strings.Contains(out, "archive: "+archive) {
		t.Errorf("%d requests:\n%s", n, out)
	}
	text := contentOf(t, archive)
	for _, secret := range []string{
		product.Contact, data, filepath.Dir(archive), strings.TrimPrefix(root, "http://"), "User-Agent",
	} {
		if strings.Contains(text, secret) {
			t.Errorf("the archive has %q", secret)
		}
	}
	if list, err := os.ReadDir(data); err != nil || len(list) > 0 {
		t.Errorf("the data folder has %v, %v", list, err)
	}
}

// interrupter interrupts a command after the first line of its output.
type interrupter struct {
	bytes.Buffer
	stop context.CancelCauseFunc
}

func (i *interrupter) Write(b []byte) (int, error) {
	i.stop(cli.Stopped(syscall.SIGINT))
	return i.Buffer.Write(b)
}

// TestVerifyLiveInterrupted interrupts a run: the archive has what was read, marked incomplete.
func TestVerifyLiveInterrupted(t *testing.T) {
	t.Parallel()
	_, root := product.SimulateForCommands(t)
	archive := filepath.Join(t.TempDir(), "live.zip")
	ctx, stop := context.WithCancelCause(t.Context())
	out := &interrupter{stop: stop}
	err := product.Run(ctx, liveLine(root, t.TempDir(), archive), func(string) string { return "" },
		product.Streams{In: strings.NewReader(""), Out: out, Err: io.Discard})
	const want = "incomplete: stopped by the signal interrupt; the archive has the probes up to then"
	if err == nil || err.Error() != want || !strings.Contains(out.String(), "\n1 of ") {
		t.Errorf("%v, want %s\n%s", err, want, out)
	}
	if text := contentOf(t, archive); !strings.Contains(text, `"complete": false`) {
		t.Errorf("the archive does not say that it is incomplete:\n%s", text)
	}
}
