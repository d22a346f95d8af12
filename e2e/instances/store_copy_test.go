package instances

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"leadline/e2e/product"
	"leadline/internal/server"
	"leadline/store"
	"leadline/store/bolt"
	"leadline/store/postgres/postgrestest"
)

// copyFile copies a file into a folder, which it creates.
func copyFile(t *testing.T, file, folder string) {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, filepath.Base(file)), content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// filledFolder returns a data folder with an account and a key.
func filledFolder(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "first")
	_, stderr, err := product.RunOn(folder, "keys", "create", "--yes", "--account", "mate@example.org")
	if err != nil {
		t.Fatalf("keys create: %v\n%s", err, stderr)
	}
	return folder
}

// TestStoreCopy copies a store to another folder with the command, after the mistakes that people
// make first.
func TestStoreCopy(t *testing.T) {
	t.Parallel()
	folder := filledFolder(t)
	second := filepath.Join(t.TempDir(), "second")
	fails := func(want string, args ...string) {
		t.Helper()
		out, _, err := product.RunOn(folder, append([]string{"store", "copy"}, args...)...)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("store copy %q = %s, %v, want %q", args, out, err, want)
		}
	}
	to := "bolt:" + second
	fails("missing --to", "--from", "bolt:"+folder)
	fails("want bolt:FOLDER", "--from", folder, "--to", to, "--yes")
	fails("want bolt:FOLDER", "--from", "bolt:"+folder, "--to", "mysql://db", "--yes")
	fails("pass --yes", "--from", "bolt:"+folder, "--to", to)
	fails("there is no store in", "--from", "bolt:"+folder+"x", "--to", to, "--yes")
	fails("copy the pepper of the source there first", "--from", "bolt:"+folder, "--to", to, "--yes")
	copyFile(t, filepath.Join(folder, server.PepperFile), second)
	wrong := []byte(strings.Repeat("0123456789abcdef", 4) + "\n")
	if err := os.WriteFile(filepath.Join(second, server.PepperFile), wrong, 0o600); err != nil {
		t.Fatal(err)
	}
	fails("pepper", "--from", "bolt:"+folder, "--to", to)
	copyFile(t, filepath.Join(folder, server.PepperFile), second)

	out, stderr, err := product.RunOn(folder, "store", "copy", "--from", "bolt:"+folder, "--to", to)
	if err != nil || !strings.Contains(out, "both stores have the same records") ||
		!strings.Contains(out, "accounts 1, keys 1") {
		t.Fatalf("store copy = %s, %v\n%s", out, err, stderr)
	}
	fails("the target is not empty", "--from", "bolt:"+folder, "--to", to)
	sameKeys(t, folder, second)
}

// sameKeys checks that commands list the same keys in two data folders.
func sameKeys(t *testing.T, first, second string) {
	t.Helper()
	want, _, err := product.RunOn(first, "keys", "list", "--account", "mate@example.org")
	if err != nil {
		t.Fatal(err)
	}
	got, stderr, err := product.RunOn(second, "keys", "list", "--account", "mate@example.org")
	if err != nil || got != want || !strings.Contains(got, "ldl_live_") {
		t.Errorf("keys of the copy = %s, %v\n%s\nwant %s", got, err, stderr, want)
	}
}

// TestStoreCopyUnfinished checks that nothing starts on an unfinished copy until the command has
// finished it.
func TestStoreCopyUnfinished(t *testing.T) {
	t.Parallel()
	folder := filledFolder(t)
	second := filepath.Join(t.TempDir(), "second")
	copyFile(t, filepath.Join(folder, server.PepperFile), second)
	s, err := bolt.Open(filepath.Join(second, server.StoreFile), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	mark := []byte(`{"from":"bolt:` + folder + `","kind":"","after":"","records":0}`)
	if err := s.SwapMeta(t.Context(), store.CopyMark, nil, mark); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"serve", "--listen", "127.0.0.1:0", "--offline"}, {"keys", "list"},
	} {
		_, _, err := product.RunOn(second, args...)
		if err == nil || !strings.Contains(err.Error(), "unfinished copy of bolt:"+folder) {
			t.Errorf("%s on an unfinished copy = %v", args[0], err)
		}
	}
	_, stderr, err := product.RunOn(folder, "store", "copy", "--from", "bolt:"+folder, "--to",
		"bolt:"+second)
	if err != nil {
		t.Fatalf("store copy: %v\n%s", err, stderr)
	}
	sameKeys(t, folder, second)
}

// TestStoreCopyDatabase copies a store to a database and back with the command.
func TestStoreCopyDatabase(t *testing.T) {
	t.Parallel()
	folder := filledFolder(t)
	second := filepath.Join(t.TempDir(), "second")
	copyFile(t, filepath.Join(folder, server.PepperFile), second)
	database := postgrestest.Schema(t)
	for _, step := range [][2]string{{"bolt:" + folder, database}, {database, "bolt:" + second}} {
		out, stderr, err := product.RunOn(folder, "store", "copy", "--from", step[0], "--to", step[1])
		if err != nil || !strings.Contains(out, "accounts 1, keys 1") {
			t.Fatalf("store copy --from %s --to %s = %s, %v\n%s", step[0], step[1], out, err, stderr)
		}
	}
	sameKeys(t, folder, second)
}

// TestStoreMigrate migrates an empty database, and looks at a store that needs no migration.
func TestStoreMigrate(t *testing.T) {
	t.Parallel()
	folder, database := filledFolder(t), postgrestest.Schema(t)
	for _, step := range []struct {
		want string
		args []string
	}{
		{"bolt:" + folder + " is up to date", nil},
		{"bolt:" + folder + " is up to date", []string{"bolt:" + folder}},
		{"has schema 0 and would be migrated", []string{database, "--dry-run"}},
		{"has schema 0 and would be migrated", []string{database, "--dry-run"}},
		{"was migrated from schema 0", []string{database}},
		{"is up to date", []string{database}},
	} {
		out, stderr, err := product.RunOn(folder,
			append([]string{"store", "migrate"}, step.args...)...)
		if err != nil || !strings.Contains(out, step.want) {
			t.Errorf("store migrate %q = %s, %v, want %q\n%s", step.args, out, err, step.want, stderr)
		}
	}
	_, _, err := product.RunOn(folder, "store", "migrate", "bolt:"+folder+"x")
	if err == nil || !strings.Contains(err.Error(), "there is no store in "+folder+"x") {
		t.Errorf("store migrate of no store = %v", err)
	}
}
