package server

import "testing"

// TestMemoryLimit checks that the limit is 96 MiB, and higher if more than that is
// live.
func TestMemoryLimit(t *testing.T) {
	for live, want := range map[uint64]int64{
		0:         96 << 20,
		20 << 20:  96 << 20,
		48 << 20:  96 << 20,
		150 << 20: 198 << 20,
	} {
		if got := memoryLimit(live); got != want {
			t.Errorf("memoryLimit(%d) = %d, want %d", live, got, want)
		}
	}
}
