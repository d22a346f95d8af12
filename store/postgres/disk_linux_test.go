package postgres

import (
	"errors"
	"strings"
	"testing"

	"leadline/store"
	"leadline/store/postgres/postgrestest"
	"leadline/store/storetest"
)

// TestDiskFull checks that a full disk fails writes and not reads, and that the store works when
// there is room again.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	c := postgrestest.Shared(t)
	small := postgrestest.SmallDisk(t, c)
	postgrestest.Exec(t, c.URL(), "create tablespace small location '"+small.Folder+"'",
		"create database small tablespace small")
	t.Cleanup(func() {
		postgrestest.Exec(t, c.URL(), "drop database small", "drop tablespace small")
	})
	s := openStore(t, strings.Replace(c.URL(), "/postgres?", "/small?", 1))
	storetest.Fill(t, s)
	small.Fill(t)
	var err error
	for n := range 100_000 {
		a := anAccount(1000 + n)
		if err = s.AddAccount(t.Context(), a); err != nil {
			break
		}
	}
	if !errors.Is(err, store.ErrUnavailable) {
		t.Fatalf("AddAccount on a full disk = %v, want %v", err, store.ErrUnavailable)
	}
	t.Log(err)
	if _, err := s.Accounts(t.Context(), "", 10); err != nil {
		t.Errorf("Accounts on a full disk: %v", err)
	}
	small.Empty(t)
	if err := s.AddAccount(t.Context(), anAccount(999_999)); err != nil {
		t.Errorf("AddAccount after there is room: %v", err)
	}
}
