package trials_test

import (
	"testing"

	"leadline/internal/trials"
)

func TestCounts(t *testing.T) {
	t.Setenv("LEADLINE_TRIALS", "")
	if c, k := trials.Cases(), trials.Kills(); c != 1000 || k != 10 {
		t.Errorf("Cases() = %d, Kills() = %d, want 1000 and 10", c, k)
	}
	t.Setenv("LEADLINE_TRIALS", "all")
	if c, k := trials.Cases(), trials.Kills(); c != 10_000 || k != 100 {
		t.Errorf("for all, Cases() = %d, Kills() = %d, want 10000 and 100", c, k)
	}
	if n := trials.Rounds(); n != 30 {
		t.Errorf("for all, Rounds() = %d, want 30", n)
	}
	t.Setenv("LEADLINE_TRIALS", "few")
	if c, k := trials.Cases(), trials.Kills(); c != 100 || k != 1 {
		t.Errorf("for few, Cases() = %d, Kills() = %d, want 100 and 1", c, k)
	}
	if n := trials.Rounds(); n != 1 {
		t.Errorf("for few, Rounds() = %d, want 1", n)
	}
	t.Setenv("LEADLINE_TRIALS", "al")
	defer func() {
		if recover() == nil {
			t.Error("LEADLINE_TRIALS=al: got no panic")
		}
	}()
	trials.Cases()
}
