package coast

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// TestReplaceFile checks that a file is replaced completely or not at all, that only its
// owner can access it, and that no other file remains.
func TestReplaceFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name+".new", []byte("of a process that was killed"), 0o644); err != nil {
		t.Fatal(err)
	}
	writes := func(text string, err error) func(io.Writer) error {
		return func(w io.Writer) error {
			_, _ = io.WriteString(w, text)
			return err
		}
	}
	full := errors.New("disk full")
	for _, step := range []struct {
		text string
		err  error
		want string
	}{{"first", nil, "first"}, {"sec", full, "first"}, {"third", nil, "third"}} {
		if err := ReplaceFile(name, writes(step.text, step.err)); err != step.err {
			t.Errorf("ReplaceFile(%q) = %v, want %v", step.text, err, step.err)
		}
		got, err := os.ReadFile(name)
		if err != nil || string(got) != step.want {
			t.Errorf("after %q the file has %q, %v, want %q", step.text, got, err, step.want)
		}
	}
	info, err := os.Stat(name)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("Stat() = %v, %v, want mode 0600", info, err)
	}
	if list, err := os.ReadDir(filepath.Dir(name)); err != nil || len(list) != 1 {
		t.Errorf("files: %v, %v, want one", list, err)
	}
}
