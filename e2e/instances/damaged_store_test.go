package instances

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"leadline/e2e/product"
	"leadline/internal/server"
)

// TestDamagedStore checks that neither a server nor a command starts on a damaged
// store, that nothing crashes, and that the file does not change.
func TestDamagedStore(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(content []byte) []byte{
		"cut off":       func(b []byte) []byte { return b[:3*os.Getpagesize()] },
		"zeroed":        func(b []byte) []byte { clear(b[2*os.Getpagesize():]); return b },
		"of text":       func(b []byte) []byte { return bytes.Repeat([]byte("text"), len(b)/4) },
		"without start": func(b []byte) []byte { return b[os.Getpagesize():] },
	} {
		folder := t.TempDir()
		product.At(t, folder, "accounts", "add", "mate@example.org")
		file := filepath.Join(folder, server.StoreFile)
		whole, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		spoiled := spoil(whole)
		if err := os.WriteFile(file, spoiled, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{
			{"serve", "--listen", "127.0.0.1:0", "--offline"}, {"keys", "list"}, {"check"},
		} {
			_, _, err := product.RunInspecting(folder, args...)
			if err == nil || !strings.Contains(err.Error(), "it is damaged") ||
				!strings.Contains(err.Error(), "; restore a backup with leadline restore FILE") {
				t.Errorf("a store %s: %v: got error %v, want that it is damaged", name, args, err)
			}
		}
		if now, err := os.ReadFile(file); err != nil || !bytes.Equal(now, spoiled) {
			t.Errorf("a store %s was changed: %v", name, err)
		}
	}
}

// TestFolderFaults checks the errors of a data folder in which a directory has the name of a file.
func TestFolderFaults(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, want string }{
		{server.StoreFile, "it is a directory, not the file of a store: rename it"},
		{server.PepperFile, ": is a directory"},
	} {
		folder := t.TempDir()
		product.At(t, folder, "accounts", "add", "mate@example.org")
		file := filepath.Join(folder, test.name)
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(file, 0o700); err != nil {
			t.Fatal(err)
		}
		_, _, err := product.RunInspecting(folder, "keys", "list")
		if err == nil || !strings.Contains(err.Error(), file+test.want) &&
			!strings.Contains(err.Error(), file+": "+test.want) ||
			strings.Contains(err.Error(), "damaged") || strings.Count(err.Error(), file) != 1 {
			t.Errorf("%s: got error %v, want %q", test.name, err, test.want)
		}
	}
}
