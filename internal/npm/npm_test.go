package npm

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDump checks that only the pinned version with its hash is accepted.
func TestDump(t *testing.T) {
	pinned := Package{Name: "a", Version: "1.0.0", Integrity: "sha512-AAAA"}
	lock := func(version, integrity string) string {
		const form = `{"packages":{"node_modules/a":{"version":%q,"integrity":%q}}}`
		return fmt.Sprintf(form, version, integrity)
	}
	for _, c := range []struct{ name, lock, want string }{
		{"version", lock("1.0.1", pinned.Integrity), "1.0.1"},
		{"hash", lock(pinned.Version, "sha512-BBBB"), "sha512-BBBB"},
		{"other package", `{"packages":{}}`, `a is ""`},
		{"broken lock", `{`, "read npm lock file"},
	} {
		_, err := Dump(installed(t, c.lock), "", io.Discard, pinned)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: Dump = %v, want an error about %q", c.name, err, c.want)
		}
	}
	err := verify(installed(t, lock(pinned.Version, pinned.Integrity)), []Package{pinned})
	if err != nil {
		t.Errorf("the pinned version was refused: %v", err)
	}
	if err := verify(t.TempDir(), []Package{pinned}); err == nil {
		t.Error("an empty folder was accepted")
	}
}

// installed returns a folder with a lock file in npm's format.
func installed(t *testing.T, lock string) string {
	t.Helper()
	folder := t.TempDir()
	file := filepath.Join(folder, "node_modules", ".package-lock.json")
	if err := os.Mkdir(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(lock), 0o644); err != nil {
		t.Fatal(err)
	}
	return folder
}
