package instances

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"leadline/e2e/product"
	"leadline/internal/server"
	"leadline/internal/trials"
	"leadline/store/bolt"
)

// TestPepperWithoutStore checks that nothing starts with a pepper whose store was
// lost, and that a restored backup works.
func TestPepperWithoutStore(t *testing.T) {
	t.Parallel()
	empty := filepath.Join(t.TempDir(), "empty.db")
	s, err := bolt.Open(empty, bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for name, lose := range map[string]func(file string) error{
		"missing":         os.Remove,
		"of no bytes":     func(file string) error { return os.Truncate(file, 0) },
		"without records": func(file string) error { return os.Rename(empty, file) },
	} {
		folder, backup := t.TempDir(), filepath.Join(t.TempDir(), "backup")
		key := strings.TrimSpace(
			product.At(t, folder, "keys", "create", "--account", "mate@example.org"))
		product.At(t, folder, "backup", backup)
		pepper := contents(t, filepath.Join(folder, server.PepperFile))
		file := filepath.Join(folder, server.StoreFile)
		if err := lose(file); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{
			{"serve", "--listen", "127.0.0.1:0", "--offline"},
			{"keys", "create", "--account", "mate@example.org"}, {"keys", "list"},
		} {
			_, _, err := product.RunOn(folder, args...)
			if err == nil ||
				!strings.Contains(err.Error(), "restore a backup with leadline restore FILE") {
				t.Errorf("a store %s: %v: %v, want it to be refused", name, args, err)
			}
		}
		if _, err := os.Stat(file); name == "missing" && err == nil {
			t.Error("a refused start has created a store")
		}
		if got := contents(t, filepath.Join(folder, server.PepperFile)); got != pepper {
			t.Errorf("a store %s: the pepper has changed", name)
		}
		product.At(t, folder, "restore", backup, "--yes")
		r := product.ServeOn(t, folder)
		if got := product.UsageWith(t, r.Base, key); got != http.StatusOK {
			t.Errorf("a store %s: after the restore the key is answered with %d", name, got)
		}
		r.Stop()

		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(folder, server.PepperFile),
			filepath.Join(t.TempDir(), server.PepperFile)); err != nil {
			t.Fatal(err)
		}
		product.At(t, folder, "keys", "create", "--account", "mate@example.org")
	}
}

// TestPepperElsewhere checks that the pepper can be outside of the data folder, and that the store
// is not opened without it.
func TestPepperElsewhere(t *testing.T) {
	t.Parallel()
	folder, file := t.TempDir(), filepath.Join(t.TempDir(), "elsewhere")
	key := strings.TrimSpace(product.At(t, folder, "keys", "create", "--account", "mate@example.org",
		"--pepper-file", file))
	if _, err := os.Stat(filepath.Join(folder, server.PepperFile)); err == nil {
		t.Error("there is a pepper in the data folder too")
	}
	r := product.ServeOn(t, folder, "--pepper-file", file)
	if got := product.UsageWith(t, r.Base, key); got != http.StatusOK {
		t.Errorf("with the pepper elsewhere the key is answered with %d", got)
	}
	r.Stop()
	if _, _, err := product.RunOn(folder, "keys", "list"); err == nil ||
		!strings.Contains(err.Error(), "the file with which the keys in the store were made is missing") {
		t.Errorf("without --pepper-file: %v, want the store to be refused", err)
	}
	if err := os.Remove(filepath.Join(folder, server.StoreFile)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := product.RunOn(folder, "keys", "create", "--account", "mate@example.org",
		"--pepper-file", file); err == nil ||
		!strings.Contains(err.Error(), "is in "+filepath.Dir(file)) {
		t.Errorf("with a pepper and without a store: %v, want it to be refused", err)
	}
}

func contents(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// unsettled is the suffix of the name of a pepper that the store may not have
// recorded yet.
const unsettled = ".part"

// TestFirstStartStopped checks that the next start succeeds after the first one was
// killed at any step.
func TestFirstStartStopped(t *testing.T) {
	t.Parallel()
	const part = server.PepperFile + unsettled
	for name, leave := range map[string]func(folder string) error{
		"nothing but half a pepper": func(folder string) error {
			return os.WriteFile(filepath.Join(folder, part), []byte("1 0123"), 0o600)
		},
		"no pepper of an empty store": func(folder string) error {
			s, err := bolt.Open(filepath.Join(folder, server.StoreFile), bolt.Options{})
			if err != nil {
				return err
			}
			return s.Close()
		},
		"a pepper that the store knows and that is not in its file": func(folder string) error {
			_, _, err := product.RunOn(folder, "keys", "create", "--account", "mate@example.org")
			if err != nil {
				return err
			}
			return os.Rename(filepath.Join(folder, server.PepperFile), filepath.Join(folder, part))
		},
	} {
		folder := t.TempDir()
		if err := leave(folder); err != nil {
			t.Fatal(err)
		}
		wantStart(t, name, folder)
	}

	folder := t.TempDir()
	product.At(t, folder, "keys", "create", "--account", "mate@example.org")
	if err := os.Remove(filepath.Join(folder, server.PepperFile)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, part), []byte("1 0123"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := product.RunOn(folder, "keys", "list"); err == nil ||
		!strings.Contains(err.Error(), "put it back") {
		t.Errorf("half a pepper of a store with keys: %v, want it to be refused", err)
	}
}

// TestFirstStartKilled kills first starts at several times.
func TestFirstStartKilled(t *testing.T) {
	t.Parallel()
	for i := range trials.Kills() {
		folder := t.TempDir()
		server := serverOn(folder)
		if err := server.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(20+30*(i%10)) * time.Millisecond)
		server.Process.Kill()
		server.Wait()
		wantStart(t, "killed", folder)
	}
}

// wantStart reports an error if no start succeeds on a folder, or if the next start
// refuses its keys.
func wantStart(t *testing.T, name, folder string) {
	t.Helper()
	out, stderr, err := product.RunOn(folder, "keys", "create", "--account", "mate@example.org")
	if err != nil {
		t.Errorf("%s: %v\n%s", name, err, stderr)
		return
	}
	if _, err := os.Stat(filepath.Join(folder, server.PepperFile+unsettled)); err == nil {
		t.Errorf("%s: a pepper is still not in its file", name)
	}
	r := product.ServeOn(t, folder)
	if got := product.UsageWith(t, r.Base, strings.TrimSpace(out)); got != http.StatusOK {
		t.Errorf("%s: the key is answered with %d", name, got)
	}
	r.Stop()
}
