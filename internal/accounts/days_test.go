package accounts

import (
	"slices"
	"testing"
	"time"

	"leadline/internal/access"
	"leadline/store"
)

// TestUseDays checks that the days of 14 months are returned, and only those of the caller.
func TestUseDays(t *testing.T) {
	b := newBench(t)
	b.time = time.Date(2028, 2, 29, 23, 59, 59, 0, time.UTC)
	mine, other := b.create("captain@example.org"), b.create("mate@example.org")
	add := func(account string, day store.Day, surface string) store.Use {
		u := store.Use{Account: account, Day: day, Surface: surface, Served: 2, Refused: 1}
		if err := b.store.AddUses(t.Context(), []store.Use{u}); err != nil {
			t.Fatal(err)
		}
		return u
	}
	add(mine.ID, 20261231, "rest") // 14 months before February 2028
	add(other.ID, 20280229, "rest")
	want := []store.Use{
		add(mine.ID, 20270101, "rest"), add(mine.ID, 20280228, "mcp"), add(mine.ID, 20280229, "mcp"),
		add(mine.ID, 20280229, "rest"),
	}
	got, err := b.UseDays(t.Context(), access.Caller{Account: mine.ID})
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("UseDays() = %+v, %v, want %+v", got, err, want)
	}
}
