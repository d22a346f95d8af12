package postgrestest

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// Disk is a small file system of its own.
type Disk struct {
	Folder string
	filler string
}

// SmallDisk mounts a file system of 24 MiB that a cluster may write to. It needs the rights to do
// so; without them the test is skipped.
func SmallDisk(t testing.TB, c *Cluster) *Disk {
	t.Helper()
	root := filepath.Join(c.folder, "disk")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", root, "tmpfs", 0, "size=24m"); err != nil {
		t.Skipf("this process cannot mount a small disk: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(root, syscall.MNT_DETACH) })
	d := &Disk{Folder: filepath.Join(root, "tables"), filler: filepath.Join(root, "filler")}
	if err := os.Mkdir(d.Folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := c.user.own(d.Folder); err != nil {
		t.Fatal(err)
	}
	return d
}

// Fill fills the disk.
func (d *Disk) Fill(t testing.TB) {
	t.Helper()
	f, err := os.Create(d.filler)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for {
		if _, err := f.Write(make([]byte, 4096)); err != nil {
			return
		}
	}
}

// Empty makes room again.
func (d *Disk) Empty(t testing.TB) {
	t.Helper()
	if err := os.Remove(d.filler); err != nil {
		t.Fatal(err)
	}
}
