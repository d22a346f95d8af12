package server

import (
	"strings"
	"testing"

	"leadline/internal/config"
	"leadline/store/bolt"
)

// TestFolderOfInstance checks that no store is created in the data folder of a server whose store
// is a database, and that one that was copied there is opened.
func TestFolderOfInstance(t *testing.T) {
	folder := t.TempDir()
	if err := markShared(folder); err != nil {
		t.Fatal(err)
	}
	c := Config{Settings: &config.Config{Data: folder}}
	if s, err := openFile(c, observers{}); err == nil {
		s.Close()
		t.Error("a store was created")
	} else if !strings.Contains(err.Error(), "name it with --store") {
		t.Error(err)
	}
	copied, err := bolt.Open(folder+"/"+StoreFile, bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	copied.Close()
	s, err := openFile(c, observers{})
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
}
