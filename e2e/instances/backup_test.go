package instances

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"leadline/e2e/product"
	"leadline/internal/server"
	"leadline/store/bolt"
)

// TestBackupWhileServing checks that a backup made during requests and commands is a store
// whose keys are accepted with its pepper.
func TestBackupWhileServing(t *testing.T) {
	t.Parallel()
	r := product.ServeOn(t, t.TempDir())
	key := strings.TrimSpace(product.At(t, r.Folder, "keys", "create", "--account",
		"mate@example.org", "--plan", "pro"))
	file := filepath.Join(t.TempDir(), "backup")
	during(t, func() { product.At(t, r.Folder, "backup", file) },
		func() error {
			_, err := product.StatusWith(http.MethodGet, r.Base+"/api/developer/usage", key)
			return err
		},
		func() error {
			_, _, err := product.RunOn(r.Folder, "keys", "create", "--account", "crew@example.org")
			return err
		})
	r.Stop()

	other := t.TempDir()
	if out, stderr, err := product.RunOn(other, "restore", file, "--yes"); err != nil ||
		!strings.Contains(stderr, "no server can start on it yet") ||
		!strings.Contains(stderr, "put it back") {
		t.Errorf("restoring without the pepper prints %s%s%v", out, stderr, err)
	}
	if _, _, err := product.RunOn(other, "keys", "list"); err == nil {
		t.Error("a store without its pepper can be used")
	}
	pepper, err := os.ReadFile(filepath.Join(r.Folder, server.PepperFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(other, server.PepperFile), pepper, 0o600); err != nil {
		t.Fatal(err)
	}
	again := product.ServeOn(t, other)
	if got := product.UsageWith(t, again.Base, key); got != http.StatusOK {
		t.Errorf("the key is answered with %d by what was restored", got)
	}
}

// TestRestore checks that the replaced store is kept, that a damaged file changes nothing, and
// that a foreign pepper is reported.
func TestRestore(t *testing.T) {
	t.Parallel()
	folder, file := t.TempDir(), filepath.Join(t.TempDir(), "backup")
	product.At(t, folder, "accounts", "add", "mate@example.org")
	product.At(t, folder, "backup", file)
	product.At(t, folder, "accounts", "add", "purser@example.org")
	out := product.At(t, folder, "restore", file, "--yes")
	if got := product.At(t, folder, "accounts", "list"); strings.Contains(got, "purser") ||
		!strings.Contains(got, "mate") {
		t.Errorf("after restoring the accounts are\n%s", got)
	}
	kept := regexp.MustCompile(`replaced store is (\S+)`).FindStringSubmatch(out)
	if kept == nil {
		t.Fatalf("restore prints %s", out)
	}
	if r, err := bolt.Verify(kept[1]); err != nil || r.Accounts != 2 {
		t.Errorf("what is kept has %d accounts, want 2; %v", r.Accounts, err)
	}

	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, whole[:len(whole)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := product.RunInspecting(folder, "restore", file, "--yes"); err == nil ||
		!strings.Contains(err.Error(), "nothing was restored") {
		t.Errorf("restoring half a file: %v", err)
	}
	product.At(t, folder, "check")

	foreign := t.TempDir()
	product.At(t, foreign, "accounts", "add", "cook@example.org")
	if _, stderr, err := product.RunOn(foreign, "restore", "--yes",
		filepath.Join(folder, server.StoreFile)); err != nil ||
		!strings.Contains(stderr, "the pepper is not the one") {
		t.Errorf("restoring with a foreign pepper prints %s%v", stderr, err)
	}
}

// TestCheckFindsDamage checks that a damaged store is reported and the command fails.
func TestCheckFindsDamage(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	product.At(t, folder, "accounts", "add", "mate@example.org")
	name := filepath.Join(folder, server.StoreFile)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	record := bytes.Index(whole, []byte(`{"id":"`))
	for ; record >= 0; record = bytes.Index(whole, []byte(`{"id":"`)) { // old pages have it too
		copy(whole[record:], `{"di":"`)
	}
	if err := os.WriteFile(name, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := product.RunInspecting(folder, "check"); err == nil ||
		!strings.Contains(err.Error(), "damaged") ||
		!strings.Contains(err.Error(), "leadline restore") {
		t.Errorf("check of a damaged store: %v", err)
	}
}

// during calls do while it calls the others repeatedly. Each of them is called at least
// once before do.
func during(t *testing.T, do func(), others ...func() error) {
	t.Helper()
	stop := make(chan bool)
	var begun, busy sync.WaitGroup
	for _, other := range others {
		begun.Add(1)
		busy.Go(func() {
			first := sync.OnceFunc(begun.Done)
			for ; ; first() {
				select {
				case <-stop:
					return
				default:
				}
				if err := other(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	begun.Wait()
	do()
	close(stop)
	busy.Wait()
}

// TestRestoreInUse checks that a store that a process has open is not replaced.
func TestRestoreInUse(t *testing.T) {
	t.Parallel()
	folder, file := t.TempDir(), filepath.Join(t.TempDir(), "backup")
	product.RefusedLine{Line: "backup x", Says: "no store in FOLDER yet"}.In(t, folder)
	product.RefusedLine{Line: "restore x", Says: "nothing was restored: stat"}.In(t, folder)
	r := product.ServeOn(t, folder)
	product.At(t, folder, "backup", file)
	product.RefusedLine{
		Line: "restore " + file + " --yes", Says: "a server runs on FOLDER: stop it before a restore",
	}.In(t, folder)
	r.Stop()
	s, err := bolt.Open(filepath.Join(folder, server.StoreFile), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	product.RefusedLine{
		Line: "restore " + file + " --yes", Says: "stop the server first",
	}.In(t, folder)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	product.At(t, folder, "restore", file, "--yes")
}
